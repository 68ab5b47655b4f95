# A whole course read, run and judged in this process: what the stages do together, with real jobs.
# What the site and the command make of it is tested beside them.
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from course_builder import CourseBuilder

from runner.course import Course
from runner.jobs.plan import Setting
from runner.jobs.validate import Assignment, task_setting, why_skipped
from runner.lesson.parse import Origin, parse_lesson
from runner.lesson.values import Task

TASK = """Write `f`.

```yaml {task="t"}
cases: [{x: 1}]
%s```

```python {starter}
%s
```

```python {checker}
def check(candidate, x):
    return {"v": candidate(x)}
```

```json {expected}
{"v": 1}
```

```python {reference}
def f(x):
    return x
```
"""
STARTER = "def f(x):\n    raise ValueError"


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    course = Course(tmp_path, tmp_path / "docs", {"jobs": 2})
    yield course
    course.close()


def refresh(course: Course) -> list[str]:
    return [str(problem) for problem in course.refresh()]


def test_a_second_refresh_runs_what_changed_and_no_more(tmp_path: Path, course: Course) -> None:
    first, second = "```python {example}\nx = 1\n```\n", "```python {example}\nimport masks\nprint(masks.N)  # 1\n```\n"
    builder = CourseBuilder(tmp_path).lesson("p/01-a.md", first).lesson("p/02-b.md", second).path("q")
    builder.file("lessons/p/masks.py", "N = 1\n").lesson("q/01-c.md", first)

    def count() -> int:
        before = course.run_count
        assert refresh(course) == []
        return course.run_count - before

    assert count() == 3
    assert count() == 0
    builder.lesson("p/01-a.md", "Words.\n\n" + first.replace("{example}", '{example title="A"}'))
    assert count() == 0
    builder.lesson("p/01-a.md", first.replace("x = 1", "x = 2"))
    assert count() == 1
    builder.file("lessons/p/masks.py", "N = 1  # as before\n")
    assert count() == 2, "a module is seen by every lesson of its path, and by no other"


def test_a_print_may_run_ten_thousand_times_and_one_must_not_differ(tmp_path: Path, course: Course) -> None:
    code = "for i in range(20_001):\n    print(0 if i < 20_000 else 'WRONG')  # 0\n"
    CourseBuilder(tmp_path).lesson("p/01-a.md", f"```python {{example}}\n{code}```\n")

    assert any("the print wrote   WRONG" in problem for problem in refresh(course))


def test_an_asserted_print_in_a_function_counts_where_it_is_called(tmp_path: Path, course: Course) -> None:
    body = "```python {example}\ndef f(a):\n    print(a)  # 1\n```\n\n```python {example}\nf(1)\nf(%s)\n```\n"
    builder = CourseBuilder(tmp_path).lesson("p/01-a.md", body % 1)
    assert refresh(course) == []
    builder.lesson("p/01-a.md", body % 2)
    assert "the print wrote   2" in refresh(course)[0]


def test_an_inline_value_that_prints_is_charged_to_nobody(tmp_path: Path, course: Course) -> None:
    body = (
        "```python {example}\ndef f():\n    print('noise')\n    return 1\n```\n\nIt is `{=} f()`.\n\n"
        "```python {example}\nprint(2)\n```\n\n```output\n2\n```\n"
    )
    CourseBuilder(tmp_path).lesson("p/01-a.md", body)

    assert refresh(course) == []
    assert course.results["p/a"].values == ("1",)


def test_a_starter_that_ends_the_process_is_refused(tmp_path: Path, course: Course) -> None:
    CourseBuilder(tmp_path).lesson("p/01-a.md", TASK % ("", "import os\nos._exit(0)\n\n\ndef f(x):\n    return 2"))

    assert any("the starter does not load" in problem for problem in refresh(course))


def test_files_that_nobody_reads_are_named(tmp_path: Path, course: Course) -> None:
    builder = CourseBuilder(tmp_path).lesson("p/sub/01-b.md", "").lesson("01-c.md", "").file("lessons/p/README.md", "x")
    builder.file("lessons/p/views.md", "x").file("lessons/p/statistics.py", "").file("lessons/docs/index.md", "x")
    problems = refresh(course)

    for place, part in (
        ("lessons/01-c.md:1:1", "no lesson is read from here"),
        ("lessons/p/sub/01-b.md:1:1", "no lesson is read from here"),
        ("lessons/p/views.md:1:1", "is no name of a lesson"),
        ("lessons/p/statistics.py:1:1", "hides a module of that name"),
        ("lessons/docs:1:1", "is reserved"),
    ):
        assert any(problem.startswith(place) and part in problem for problem in problems), (place, problems)
    assert not any("README" in problem.split(": ")[0] for problem in problems)


def test_steps_slugs_needs_and_files_must_meet(tmp_path: Path, course: Course) -> None:
    builder = CourseBuilder(tmp_path).path("p", "planned: [{step: 2, title: T}, {step: 5, title: U}]\n")
    builder.lesson("p/01-a.md", "", "needs: [p/b, p/a, p/z]\nfiles: [data.csv]\n").lesson("p/01-b.md", "").lesson(
        "p/02-a.md", ""
    )
    problems = "\n".join(refresh(course))

    for part in (
        "step 1 is `lessons/p/01-a.md` already",
        "the planned step 2 is written",
        "step 3 of this path is missing",
        "has the same name and so the same address",
        "the lesson needs itself",
        "there is no lesson `p/z`",
        "there is no file `data.csv`",
    ):
        assert part in problems


def test_links_in_fences_lead_to_lessons(tmp_path: Path, course: Course) -> None:
    hint = "```markdown {hint}\nSee [a](01-a.md#x), [b](02-none.md), [c](https://example.org/x.md), [d](../q/index.md).\n```\n"
    CourseBuilder(tmp_path).path("q").lesson("p/01-a.md", TASK % ("", STARTER) + "\n" + hint)

    assert [problem.split("\n")[0] for problem in refresh(course)] == [
        "lessons/p/01-a.md:33:1: a link leads to no lesson: `02-none.md`"
    ]


def test_a_place_in_a_module_is_that_of_its_file(tmp_path: Path, course: Course) -> None:
    builder = CourseBuilder(tmp_path).lesson("p/01-a.md", "```python {example}\nimport masks\n```\n")
    builder.file("lessons/p/masks.py", "def f(:\n")
    assert "\n      lessons/p/masks.py:1 in <syntax>\n" in refresh(course)[0]
    builder.file("lessons/p/masks.py", "open('data.csv')\n")
    assert "stands under `files`" in refresh(course)[0]


def test_an_example_may_be_meant_to_exit(tmp_path: Path, course: Course) -> None:
    body = '```python {example raises="SystemExit: 3"}\nraise SystemExit(3)\n```\n\n```python {example}\nprint(1)  # 1\n```\n'
    CourseBuilder(tmp_path).lesson("p/01-a.md", body)

    assert refresh(course) == []


def test_an_example_that_replaces_what_writes_answers_gains_nothing(tmp_path: Path, course: Course) -> None:
    code = "import json\njson.dumps = lambda *a, **k: '{\"runs\": []}'\njson.JSONEncoder.encode = json.dumps\nprint(1)  # 2\n"
    CourseBuilder(tmp_path).lesson("p/01-a.md", f"```python {{example}}\n{code}```\n")

    assert refresh(course), "a wrong comment passed"


def make_task(more: str) -> Task:
    text = "---\ntitle: T\nsummary: S\n---\n" + TASK % (more, STARTER)
    lesson, problems = parse_lesson(text.encode(), Origin("lessons/p/01-a.md", "p", "a", 1))
    assert problems == ()
    return lesson.tasks[0]


@pytest.mark.parametrize(
    ("more", "machine", "device", "skipped"),
    [
        ("", "cuda", "cuda", None),
        ("device: cpu\n", "cuda", "cpu", None),
        ("device: cuda\n", "cpu", "cpu", "it needs a GPU"),
        ("memory: 2 GiB\n", "cpu", "cpu", "it needs 2 GiB of memory, and this machine has 1.0 GiB"),
        ("memory: 512MiB\n", "cpu", "cpu", None),
    ],
)
def test_where_a_task_runs_and_why_not(more: str, machine: str, device: str, skipped: str | None) -> None:
    lesson, _ = parse_lesson(b"---\ntitle: T\nsummary: S\n---\n", Origin("lessons/p/01-a.md", "p", "a", 1))
    task = make_task(more)
    assignment = Assignment(lesson, (), (task,), Setting(machine, {}), None, None, 1024**3)

    assert task_setting(assignment, task).device == device
    assert (why_skipped(assignment, task) or "").startswith(skipped or "")
    assert (why_skipped(assignment, task) is None) is (skipped is None)


def test_without_a_course_the_folder_is_asked_for(tmp_path: Path) -> None:
    course = Course(tmp_path, tmp_path / "docs", {"lessons": "none", "jobs": 1})
    assert "none:1:1: the folder of the lessons is not there" in refresh(course)[0]
    course.close()


def test_faulty_options_are_problems_of_mkdocs_yml(tmp_path: Path) -> None:
    CourseBuilder(tmp_path)
    course = Course(tmp_path, tmp_path / "docs", {"job": 2})
    assert refresh(course)[0].startswith(
        "mkdocs.yml:1:1: unknown key `job` in extra.labsheet\n    Did you mean `jobs`?"
    )
    course.close()
