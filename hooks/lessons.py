# The MkDocs adapter, as thin as it can be: it holds one Course from start-up to shutdown and hands its pages over.
# One file serves both ways in: the `labsheet` plugin, and a plain file under `hooks:`.
from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel, get_files
from mkdocs.structure.pages import Page as EnginePage
from mkdocs.structure.toc import get_toc
from mkdocs.utils.meta import get_data

from runner.course import Course
from runner.lesson.problems import Problem, format_problems
from runner.pages.front import render_paths
from runner.pages.problems import render_problems
from runner.pages.site import STYLESHEET, Site
from runner.pages.splice import SpliceError, join_page
from runner.pages.values import Page

NAV_ENTRY = "lessons/"

_log = logging.getLogger("mkdocs.hooks.labsheet")


class Lessons(BasePlugin):  # type: ignore[type-arg, no-untyped-call]
    """Generates the pages of a course's lessons and refuses a site that is not true."""

    def __init__(self) -> None:
        self._serving = False
        self._course: Course | None = None
        self._settings: tuple[Any, ...] = ()
        self._site = Site((), ())
        self._front = ""
        self._pages: dict[str, Page] = {}

    def on_startup(self, *, command: str, dirty: bool) -> None:  # noqa: ARG002 - MkDocs passes it by name
        """Notes whether pages are previewed: a preview never dies of a lesson's fault."""
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Opens the course and adds what the site needs: our stylesheet and the folders to watch."""
        root = Path(config.config_file_path).resolve().parent
        options = config.extra.get("labsheet") or {}
        settings = (root, Path(config.docs_dir), options)
        if self._course is None or settings != self._settings:
            self.on_shutdown()
            self._course, self._settings = Course(*settings), settings
        if STYLESHEET not in config.extra_css:
            config.extra_css.append(STYLESHEET)
        config.watch.extend(str(path) for path in self._course.watch if str(path) not in config.watch)
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Validates the whole course before the old site is touched, and renders its pages."""
        course = self._open_course()
        self._report(course.refresh(_log.info))
        self._render(course)
        self._report(self._find_collisions(config))
        config.nav = extend_nav(config.nav, list(self._list_sections()))

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Adds the course's pages, assets and images as generated files."""
        course = self._open_course()
        self._pages = {}
        for page in self._site.pages:
            edit_uri = Path(os.path.relpath(course.source_path(page.source), config.docs_dir)).as_posix()
            if not page.dest:
                self._pages[edit_uri] = page
                continue
            file = File.generated(config, page.uri, content=page.markdown)
            file.dest_uri, file.edit_uri = _find_place(page), edit_uri
            if _add_file(files, file):
                self._pages[page.uri] = page
        for asset in self._site.assets:
            _add_file(files, File.generated(config, asset.dest, content=asset.content))
        for uri, image in course.images.items():
            _add_file(files, File.generated(config, uri, abs_src_path=str(image)))
        return files

    @event_priority(100)
    def on_page_markdown(self, markdown: str, *, page: EnginePage, **_: object) -> str | None:  # noqa: ARG002
        """Replaces the text of a page under docs/ that carries tagged fences."""
        ours = self._pages.get(page.file.src_uri)
        if ours is None or ours.dest:
            return None
        return get_data(ours.markdown)[0]

    @event_priority(100)
    def on_page_content(self, html: str, *, page: EnginePage, **_: object) -> str:
        """Puts our blocks where their tokens are, and the paths on the home page."""
        ours = self._pages.get(page.file.src_uri)
        if ours is not None:
            html = self._join(html, page, ours)
            anchors = {anchor for block in ours.blocks for anchor in block.anchors}
            for anchor in anchors & (page.present_anchor_ids or set()):
                _log.warning("%s: a heading has the id `%s` of a block; rename it", ours.source, anchor)
            page.present_anchor_ids = (page.present_anchor_ids or set()) | anchors
        return html + self._front if page.is_homepage else html

    def on_shutdown(self) -> None:
        """Closes the course."""
        if self._course is not None:
            self._course.close()
        self._course = None

    def _render(self, course: Course) -> None:
        """Renders everything that is ours; a preview that cannot keeps what it had."""
        try:
            self._site, self._front = course.site(), render_paths(course.outline)
        except Exception:
            if not self._serving:
                raise
            _log.exception("The course cannot be rendered; the preview keeps the pages that it had.")

    def _join(self, html: str, page: EnginePage, ours: Page) -> str:
        """The page with our blocks in their places; in a preview, what is wrong when one has lost its place."""
        try:
            return join_page(html, ours)
        except SpliceError as error:
            self._report([error.problem])
            page.toc = get_toc([])
            shown = render_problems(ours.source, ours.uri, ours.dest, str(page.title or ""), [error.problem])
            return "".join(block.html for block in shown.blocks)

    def _find_collisions(self, config: MkDocsConfig) -> list[Problem]:
        """Files under docs/ whose name or place in the site is that of one of ours."""
        pages = {_find_place(page): page for page in self._site.pages if page.dest}
        names = {page.uri for page in pages.values()}
        names |= {asset.dest for asset in self._site.assets} | self._open_course().images.keys()
        built = InclusionLevel.DRAFT if self._serving else InclusionLevel.NOT_IN_NAV
        problems = []
        for file in get_files(config):
            if file.src_uri in names:
                message = "the course makes a file of this name"
            elif file.dest_uri in pages and file.inclusion.value >= built.value:
                message = f"`{file.dest_uri}` is where `{pages[file.dest_uri].source}` goes"
            else:
                continue
            problems.append(Problem(f"{Path(config.docs_dir).name}/{file.src_uri}", 1, 1, message, "Rename it."))
        return problems

    def _report(self, problems: Sequence[Problem]) -> None:
        """Ends a build that has problems; a preview logs them and goes on."""
        if problems and not self._serving:
            raise PluginError("\n" + format_problems(problems))
        if problems:
            _log.error("%s", format_problems(problems))

    def _open_course(self) -> Course:
        if self._course is None:
            raise PluginError("labsheet: the course was not opened; is on_config of this plugin disabled?")
        return self._course

    def _list_sections(self) -> Iterator[dict[str, list[str]]]:
        """A navigation section for each path: its own page first, then its lessons in order."""
        for path, _ in self._open_course().outline.paths:
            pages = [page.uri for page in self._site.pages if page.dest.startswith(f"{path.id}/")]
            if pages:
                yield {path.title: pages}


def _find_place(page: Page) -> str:
    """The file of the site that one of our own pages becomes."""
    return f"{page.dest}index.html"


def _add_file(files: Files, file: File) -> bool:
    """Adds a file unless (in a preview) one of docs/ has its name already; whether it did."""
    if files.get_file_from_path(file.src_uri) is not None:
        return False
    files.append(file)
    return True


def extend_nav(nav: list[Any] | None, sections: list[dict[str, list[str]]]) -> list[Any] | None:
    """The navigation with the paths' sections in place of the entry `lessons/`, or else after the first entry.

    Without a navigation the engine makes its own, which holds generated pages as well.
    """
    if not nav:
        return nav
    extended: list[Any] = []
    for entry in nav:
        if entry == NAV_ENTRY:
            extended += sections
        elif isinstance(entry, dict) and NAV_ENTRY in entry.values():
            extended.append({next(iter(entry)): sections})
        else:
            extended.append(entry)
    return extended if extended != nav else [nav[0], *sections, *nav[1:]]


_lessons = Lessons()
on_startup = _lessons.on_startup
on_config = _lessons.on_config
on_pre_build = _lessons.on_pre_build
on_files = _lessons.on_files
on_page_markdown = _lessons.on_page_markdown
on_page_content = _lessons.on_page_content
on_shutdown = _lessons.on_shutdown
