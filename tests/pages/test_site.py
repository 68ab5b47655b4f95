# The rest of the site: path pages, the list of paths, problem pages, JSON and notebooks.
from __future__ import annotations

import dataclasses
import json

import nbformat
import pytest

from runner.lesson.problems import Problem
from runner.pages.data import encode_course, encode_task
from runner.pages.front import render_paths
from runner.pages.notebook import encode_notebook
from runner.pages.outline import Outline
from runner.pages.path import render_path
from runner.pages.problems import render_problems
from runner.pages.site import render_site
from runner.pages.splice import join_page
from tests.pages.sample import make_lesson, make_outline, make_result

LESSON = make_lesson()
OUTLINE = make_outline(LESSON)


def test_path_page_lists_written_and_planned_steps() -> None:
    page = render_path(*OUTLINE.paths[0], OUTLINE)
    text = join_page(page.markdown, page)
    assert (page.uri, page.dest) == ("example/index.md", "example/")
    assert '<a href="shift/">Shift a vector, &lt;keep&gt; the vector</a>' in text
    assert "Views &amp; copies" in text
    assert text.count("planned, not written yet") == 2
    assert text.index("Fusion") < text.index("Words.")


def test_front_lists_paths_and_an_empty_course_lists_none() -> None:
    assert '<a href="example/">Example path</a>' in render_paths(OUTLINE)
    assert render_paths(Outline(())) == ""


def test_problem_page_says_where_what_and_what_to_do() -> None:
    problems = [
        Problem("lessons/a.md", 3, 5, "bad <tag>\nmore", "write it so"),
        Problem("lessons/a.md", 1, 1, "x", "y"),
    ]
    page = render_problems("lessons/a.md", "p/a.md", "p/a/", "A <b>", problems)
    text = join_page(page.markdown, page)
    assert "2 problems to mend" in text
    assert text.index("lessons/a.md:1:1") < text.index("lessons/a.md:3:5")
    assert "bad &lt;tag&gt;\nmore" in text
    assert page.markdown.startswith("---\nsearch:\n  exclude: true\ntitle: A <b>\n")


def test_course_json_says_what_became_of_each_part() -> None:
    data = json.loads(encode_course(OUTLINE, (), {LESSON.id: make_result(LESSON)}, "1"))
    assert data["schema"] == "labsheet/course/1"
    lesson = data["lessons"][0]
    assert (lesson["id"], lesson["status"], len(lesson["examples"])) == ("example/shift", "passed", 4)
    task = lesson["tasks"][0]
    assert (task["status"], task["reference"]["status"], task["starter"]["status"]) == ("passed", "passed", "failed")
    assert [wrong["declared"] for wrong in task["wrong"]] == [wrong["failed"][0] for wrong in task["wrong"]]
    assert task["reference"]["report"] == task["expected"][0]


@pytest.mark.parametrize("status", ["failed", "skipped", "not_run"])
def test_lesson_is_as_good_as_its_worst_example(status: str) -> None:
    result = make_result(LESSON)
    worst = dataclasses.replace(result.examples[1], status=status)
    result = dataclasses.replace(result, examples=(*result.examples[:1], worst))
    assert json.loads(encode_course(OUTLINE, (), {LESSON.id: result}, "1"))["lessons"][0]["status"] == status


def test_task_json_gives_nothing_away() -> None:
    text = encode_task(LESSON, LESSON.tasks[0]).decode()
    data = json.loads(text)
    assert data["id"] == "example/shift#shift"
    assert data["expected"] == [{"values": [0.0, -2.0, -1.0], "allocations": 2, "x_unchanged": True}]
    assert "x - x.max()\\n" not in text


def test_notebook_is_valid_and_the_same_each_time() -> None:
    content = encode_notebook(LESSON)
    assert content == encode_notebook(make_lesson())
    notebook = nbformat.reads(content.decode(), as_version=4)
    nbformat.validate(notebook)
    sources = [cell.source for cell in notebook.cells]
    assert sources[0].startswith("# Shift a vector")
    assert "import torch" in sources
    assert any("`y.numel()`" in source for source in sources)
    assert not any("```" in source or "x.min()" in source for source in sources)
    assert len({cell.id for cell in notebook.cells}) == len(sources)


def test_site_holds_every_page_and_file() -> None:
    site = render_site(OUTLINE, (), {LESSON.id: make_result(LESSON)}, {"task.schema.json": b"{}"})
    assert [page.uri for page in site.pages] == ["example/index.md", "example/01-shift.md"]
    assert [asset.dest for asset in site.assets] == [
        "assets/labsheet.css",
        "example/shift/shift.ipynb",
        "example/shift/tasks/shift.json",
        "labsheet.json",
        "schemas/task.schema.json",
    ]


def test_lesson_with_problems_becomes_a_page_of_problems() -> None:
    problem = Problem(LESSON.source, 4, 1, "it failed", "mend it")
    result = dataclasses.replace(make_result(LESSON), problems=(problem,))
    page = render_site(OUTLINE, (), {LESSON.id: result}, {}).pages[1]
    assert (page.uri, page.dest) == ("example/01-shift.md", "example/shift/")
    assert "it failed" in page.blocks[0].html


def test_path_with_problems_becomes_a_page_of_problems() -> None:
    problem = Problem("lessons/example/index.md", 2, 1, "it has no `order`", "write one")
    result = {LESSON.id: make_result(LESSON)}
    path, lesson = render_site(OUTLINE, (), result, {}, path_problems={"example": (problem,), "other": ()}).pages
    assert (path.source, path.uri, path.dest) == ("lessons/example/index.md", "example/index.md", "example/")
    assert "1 problem to mend" in path.blocks[0].html
    assert "lessons/example/index.md:2:1" in path.blocks[0].html
    assert "Problem" not in lesson.blocks[0].html
    path, _ = render_site(OUTLINE, (), result, {}, path_problems={"example": ()}).pages
    assert "planned, not written yet" in path.blocks[0].html
