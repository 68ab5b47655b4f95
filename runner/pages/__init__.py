# A lesson with its outcomes becomes page text, page JSON and assets.
# Pure: text in, text out; HTML lives in the Jinja templates beside this file.
