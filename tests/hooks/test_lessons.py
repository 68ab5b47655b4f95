# The adapter, in real builds of a small course: pages, links, navigation, and what happens to a fault.
# Each build is a process of its own, as for an author; both engines must give the same articles.
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hooks.lessons import extend_nav

HOOK = Path(__file__).parents[2] / "hooks" / "lessons.py"
SECTIONS = [{"P": ["p/index.md", "p/01-a.md"]}]
CONFIG = """\
site_name: A course
site_url: https://example.org/course/
repo_url: https://example.org/repository
edit_uri: edit/main/docs/
theme: {name: material, font: false, features: [content.action.edit, navigation.indexes]}
plugins: [search, tags%(plugin)s]
%(hooks)s
validation: {omitted_files: warn, absolute_links: warn, unrecognized_links: warn, anchors: warn}
extra: {labsheet: {lessons: lessons}}
nav: [index.md, lessons/]
"""
PATH = "---\ntitle: First & last\nsummary: One path.\norder: 1\nplanned: [{step: 2, title: More}]\n---\n\nWords.\n"
LESSON = """\
---
title: One plus one
summary: An example of each kind.
difficulty: easy
topic: Sums
minutes: 3
tags: [sums]
---

Back to [the path](index.md), or [home](../index.md).

```python {example}
x = 1 + 1
print(x)  # 2
print("<b>")
```

![a dot](dot.svg)

## The sum

It is `{=} x`, always.

```yaml {predict="sum"}
ask: How much is it?
truth: 2
because: One and one.
```
"""
HOME = """\
# A course

See [the prediction](p/01-one-plus-one.md#predict-sum).

```python {example}
print("home")
```
"""

DROP = """
def on_page_markdown(markdown, **_):
    return markdown.partition("It is ")[0]
"""
PREVIEW = """
import pathlib, shutil, sys
from mkdocs.commands.build import build
from mkdocs.config import load_config

def preview(copy):
    config = load_config()
    config.plugins.on_startup(command="serve", dirty=False)
    build(config, serve_url="/")
    if pathlib.Path("site/p/one-plus-one/index.html").is_file():
        shutil.copy("site/p/one-plus-one/index.html", copy)
"""
MEND = """
preview("faulty.html")
pathlib.Path("lessons/p/01-one-plus-one.md").write_text(sys.stdin.read(), "utf-8")
preview("mended.html")
"""
BREAK_TEMPLATE = """
from jinja2 import ChoiceLoader, DictLoader
from runner.pages import templating

def swap_loader(environment, loader):
    environment.loader, loader = loader, environment.loader
    environment.cache.clear()
    return loader

environment = templating._build_environment()
faulty = DictLoader({"heading.html": "{{ nothing }}"})
whole = swap_loader(environment, ChoiceLoader([faulty, environment.loader]))
preview("none.html")
broken = swap_loader(environment, whole)
preview("whole.html")
swap_loader(environment, broken)
preview("kept.html")
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with one lesson, in a folder with a space and an umlaut in its name."""
    root = tmp_path / "ein Kürs"
    write(root, "docs/index.md", HOME)
    write(root, "lessons/p/index.md", PATH)
    write(root, "lessons/p/01-one-plus-one.md", LESSON)
    write(root, "lessons/p/dot.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>\n')
    write(root, "mkdocs.yml", CONFIG % {"plugin": "", "hooks": f"hooks: [{json.dumps(str(HOOK))}]"})
    return root


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def build(course: Path, *arguments: str, module: str = "mkdocs", cwd: Path | None = None) -> tuple[int, str]:
    """Exit status and all output of a build."""
    command = [sys.executable, "-W", "error::DeprecationWarning", "-m", module, "build", *arguments]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(
        command, cwd=cwd or course, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout + done.stderr


def preview(course: Path, script: str, given: str = "") -> str:
    """All output of a script that makes previews as `mkdocs serve` does: `preview(name of a copy of the page)`."""
    command = [sys.executable, "-c", PREVIEW + script]
    done = subprocess.run(command, cwd=course, input=given, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def read_article(site: Path, page: str) -> str:
    text = (site / page / "index.html").read_text("utf-8")
    return text[text.index("<article") : text.index("</article>")]


def test_course_is_built_with_its_pages_links_and_files(course: Path) -> None:
    status, output = build(course, "--strict")
    assert (status, "WARNING" in output) == (0, False), output
    site = course / "site"
    lesson = read_article(site, "p/one-plus-one")
    assert lesson.count("<h1") == 1
    assert "<h1>One plus one</h1>" in lesson
    assert '<span class="ls-value">2</span>, always' in lesson
    assert "&lt;b&gt;" in lesson
    assert 'href="../"' in lesson
    assert 'href="https://example.org/repository/edit/main/lessons/p/01-one-plus-one.md"' in lesson
    assert 'src="../dot.svg"' in lesson
    assert (site / "p/dot.svg").is_file()
    assert 'href="p/one-plus-one/#predict-sum"' in read_article(site, ".")
    assert re.search(r"LS[0-9A-F]{10}N\d{4}X", (site / "p/one-plus-one/index.html").read_text("utf-8")) is None


def test_home_page_runs_its_example_and_lists_the_paths(course: Path) -> None:
    assert build(course)[0] == 0
    home = read_article(course / "site", ".")
    assert "home\n" in home
    assert '<a href="p/">First &amp; last</a>' in home


def test_navigation_index_and_data_hold_the_lesson(course: Path) -> None:
    assert build(course)[0] == 0
    site = course / "site"
    page = (site / "p/one-plus-one/index.html").read_text("utf-8")
    assert page.count('href="./" class="md-nav__link md-nav__link--active"') >= 1
    assert 'href="#the-sum"' in page[page.index('data-md-component="toc"') :]
    assert "p/one-plus-one/" in (site / "search/search_index.json").read_text("utf-8")
    assert "p/one-plus-one/" in (site / "sitemap.xml").read_text("utf-8")
    data = json.loads((site / "labsheet.json").read_text("utf-8"))
    assert [lesson["status"] for lesson in data["lessons"]] == ["passed", "passed"]
    assert (site / "p/one-plus-one/one-plus-one.ipynb").is_file()
    assert 'href="../../assets/labsheet.css"' in page


def test_other_engine_and_plugin_give_the_same_articles(course: Path) -> None:
    assert build(course, "--strict")[0] == 0
    pages = ["p", "p/one-plus-one", "."]
    articles = [read_article(course / "site", page) for page in pages]
    assert build(course, "-f", "mkdocs.yml", "--strict", module="properdocs")[0] == 0
    assert [read_article(course / "site", page) for page in pages] == articles
    write(course, "mkdocs.yml", CONFIG % {"plugin": ", labsheet", "hooks": ""})
    assert build(course, "--strict")[0] == 0
    assert [read_article(course / "site", page) for page in pages] == articles


def test_build_from_another_folder_is_the_same(course: Path, tmp_path: Path) -> None:
    status, output = build(course, "--strict", "-f", str(course / "mkdocs.yml"), cwd=tmp_path)
    assert status == 0, output
    assert (course / "site/p/one-plus-one/index.html").is_file()


def test_fault_fails_the_build_with_its_line_and_keeps_the_old_site(course: Path) -> None:
    assert build(course)[0] == 0
    write(course, "lessons/p/01-one-plus-one.md", LESSON.replace("# 2", "# 3"))
    write(course, "docs/index.md", HOME.replace('"home"', "1 / 0"))
    status, output = build(course)
    assert status != 0
    assert re.search(r"^docs/index\.md:\d+:\d+: ", output, re.MULTILINE), output
    assert re.search(r"^lessons/p/01-one-plus-one\.md:14:\d+: ", output, re.MULTILINE), output
    assert "2 problems" in output
    assert "<h1>One plus one</h1>" in read_article(course / "site", "p/one-plus-one")


def test_preview_shows_problems_in_place_of_a_page_and_recovers(course: Path) -> None:
    write(course, "lessons/p/01-one-plus-one.md", LESSON.replace("# 2", "# 3"))
    output = preview(course, MEND, LESSON)
    faulty, mended = (course / "faulty.html").read_text("utf-8"), (course / "mended.html").read_text("utf-8")
    assert "1 problem to mend" in faulty
    assert "lessons/p/01-one-plus-one.md:14:" in faulty
    assert "problem to mend" not in mended
    assert '<span class="ls-value">2</span>, always' in mended
    assert "lessons/p/01-one-plus-one.md:14:" in output


def test_block_that_is_lost_on_its_way_fails_a_build_and_becomes_the_page_of_a_preview(course: Path) -> None:
    write(course, "drop.py", DROP)
    write(course, "mkdocs.yml", CONFIG % {"plugin": "", "hooks": f"hooks: [{json.dumps(str(HOOK))}, drop.py]"})
    status, output = build(course)
    assert status != 0
    assert "lessons/p/01-one-plus-one.md:22:1: this block is missing from the rendered page" in output
    assert "Traceback" not in output
    assert "lessons/p/01-one-plus-one.md:22:1: this block is missing" in preview(course, 'preview("faulty.html")')
    article = (course / "faulty.html").read_text("utf-8")
    assert "1 problem to mend" in article
    assert "<code>lessons/p/01-one-plus-one.md:22:1</code>" in article
    assert 'href="#the-sum"' not in article


def test_preview_outlives_a_fault_in_a_template_and_keeps_its_pages(course: Path) -> None:
    output = preview(course, BREAK_TEMPLATE)
    assert output.count("'nothing' is undefined") == 2
    assert not (course / "none.html").exists()
    assert (course / "kept.html").read_text("utf-8") == (course / "whole.html").read_text("utf-8")
    assert "<h1>One plus one</h1>" in (course / "kept.html").read_text("utf-8")


def test_preview_of_a_page_that_two_files_claim_goes_on(course: Path) -> None:
    write(course, "docs/p/01-one-plus-one.md", "# Mine\n")
    output = preview(course, 'preview("faulty.html")')
    assert "docs/p/01-one-plus-one.md:1:1: the course makes a file of this name" in output


def test_wrong_link_and_anchor_in_a_lesson_fail_a_strict_build(course: Path) -> None:
    write(course, "lessons/p/01-one-plus-one.md", LESSON.replace("(index.md)", "(none.md)"))
    write(course, "docs/index.md", HOME.replace("#predict-sum", "#predict-none"))
    status, output = build(course, "--strict")
    assert status != 0
    assert "none.md" in output
    assert "predict-none" in output


def test_files_that_claim_a_place_of_the_course_are_refused_before_the_old_site_is_touched(course: Path) -> None:
    assert build(course)[0] == 0
    names = ["p/README.md", "p/dot.svg", "p/01-one-plus-one.md", "labsheet.json", "assets/labsheet.css"]
    pages = ["p/one-plus-one.md", "p/one-plus-one/README.md"]
    for name in [*names, *pages, "p/other.md", "p/.one-plus-one.md", "p/one-plus-one/more.md"]:
        write(course, f"docs/{name}", "# Mine\n")
    status, output = build(course)
    assert status != 0
    found = re.findall(r"^docs/(\S+):1:1: ", output, re.MULTILINE)
    assert sorted(found) == sorted([*names, *pages])
    assert "docs/p/dot.svg:1:1: the course makes a file of this name" in output
    place = "`p/one-plus-one/index.html` is where `lessons/p/01-one-plus-one.md` goes"
    assert f"docs/p/one-plus-one.md:1:1: {place}" in output
    assert "<h1>One plus one</h1>" in read_article(course / "site", "p/one-plus-one")


def test_file_that_is_not_built_or_goes_elsewhere_claims_no_place(course: Path) -> None:
    write(course, "docs/p/one-plus-one.md", "# Mine\n")
    config = (course / "mkdocs.yml").read_text("utf-8")
    write(course, "mkdocs.yml", config + "exclude_docs: one-plus-one.md\n")
    assert build(course)[0] == 0
    assert "<h1>One plus one</h1>" in read_article(course / "site", "p/one-plus-one")
    write(course, "mkdocs.yml", config + "use_directory_urls: false\n")
    assert build(course)[0] == 0
    assert "<h1>One plus one</h1>" in read_article(course / "site", "p/one-plus-one")
    assert "Mine" in (course / "site/p/one-plus-one.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("nav", "extended"),
    [
        (None, None),
        (["index.md"], ["index.md", *SECTIONS]),
        (["index.md", "a.md"], ["index.md", *SECTIONS, "a.md"]),
        (["index.md", "a.md", "lessons/"], ["index.md", "a.md", *SECTIONS]),
        ([{"Start": "index.md"}, {"Course": "lessons/"}], [{"Start": "index.md"}, {"Course": SECTIONS}]),
    ],
)
def test_navigation_takes_the_paths_where_the_author_wants_them(
    nav: list[object] | None, extended: list[object] | None
) -> None:
    assert extend_nav(nav, SECTIONS) == extended
