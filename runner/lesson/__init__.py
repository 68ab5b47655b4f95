# Text becomes `Lesson` values: fences, front matter, tags, schemas, content rules.
# Pure: nothing here reads a file that belongs to a course, runs code or imports torch.
