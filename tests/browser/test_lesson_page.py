# Lesson pages in a real browser: complete without a script or a network, readable narrow, dark and by axe.
from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

LESSON = "performance/reuse-one-output-buffer/"
PAGES = ("", "performance/", "performance/what-an-expression-allocates/", LESSON)
SCHEMES = ({"color_scheme": "light"}, {"color_scheme": "dark"})
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}

# axe looks at every coloured word: with everything open it would look at the same colours for a minute.
OPEN_ONE_OF_EACH = """
for (const fold of document.querySelectorAll(".ls-fold:not(.ls-mistake ~ .ls-mistake, .ls-fold ~ .ls-choice)"))
  fold.open = true
"""


class Visit:
    """One page in a window of its own, with everything that went wrong."""

    def __init__(self, browser: Browser, address: str, **options: object) -> None:
        self.address = address
        self.context = browser.new_context(**options)
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda message: self._note(message.type in {"error", "warning"}, message.text))
        self.page.on("pageerror", lambda error: self._note(True, str(error)))
        self.page.on("request", lambda request: self._note(self._is_foreign(request.url), request.url))
        self.page.on("requestfailed", lambda request: self._note(True, request.url))
        self.page.on("response", lambda response: self._note(response.status >= 400, response.url))

    def _is_foreign(self, url: str) -> bool:
        return not url.startswith((self.address, "data:", "blob:"))

    def _note(self, is_fault: bool, text: str) -> None:
        if is_fault:
            self.faults.append(text)

    def open(self, place: str) -> Page:
        self.page.goto(self.address + place, wait_until="load")
        return self.page


@pytest.fixture
def visit(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    made = Visit(browser, address, **getattr(request, "param", {}))
    yield made
    made.context.close()


@pytest.mark.parametrize("visit", [{}, {"java_script_enabled": False}], indirect=True, ids=["script", "no-script"])
@pytest.mark.parametrize("place", PAGES)
def test_page_opens_without_foreign_request_or_error(visit: Visit, place: str) -> None:
    page = visit.open(place)
    assert page.locator("article h1").count() == 1
    assert visit.faults == []


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_panel_is_complete_without_a_script(visit: Visit) -> None:
    page = visit.open(LESSON)
    panel = page.locator("#task-reuse-buffer")
    assert panel.locator(".ls-signature").inner_text() == "def pipeline(x: torch.Tensor) -> torch.Tensor"
    assert panel.locator(".ls-report tbody tr").all_inner_texts() == [
        "values\t[0.0, 1.0, 3.0]\t[0.0, 1.0, 3.0]",
        "allocations\t1\t1",
        "x_unchanged\ttrue\ttrue",
    ]
    solution = panel.locator("details", has=page.get_by_text("solution", exact=True))
    assert not solution.locator("pre").is_visible()
    solution.locator("summary").click()
    assert solution.locator("pre").is_visible()
    mistakes = panel.locator("details", has_text="mistakes that look right").first
    assert mistakes.locator(".ls-mistake").count() >= 6
    assert mistakes.locator(".ls-mistake .ls-checks").count() == mistakes.locator(".ls-mistake").count()


def test_reader_jumps_to_the_task_and_on_to_the_neighbours(visit: Visit) -> None:
    page = visit.open(LESSON)
    page.get_by_role("link", name="Jump to the task").click()
    assert page.url.endswith("#task-reuse-buffer")
    assert page.locator("#task-reuse-buffer").is_visible()
    page.locator(".md-footer__link--prev").click()
    page.wait_for_url("**/what-an-expression-allocates/")
    page.locator(".ls-crumb a").click()
    page.wait_for_url("**/performance/")
    assert visit.faults == []


@pytest.mark.parametrize("visit", [{"viewport": {"width": 360, "height": 740}}], indirect=True)
@pytest.mark.parametrize("place", PAGES)
def test_narrow_page_does_not_scroll_sideways(visit: Visit, place: str) -> None:
    page = visit.open(place)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("visit", SCHEMES, indirect=True, ids=["light", "dark"])
@pytest.mark.parametrize("place", ["", "performance/", LESSON])
def test_axe_finds_no_fault_in_the_content(visit: Visit, place: str) -> None:
    page = visit.open(place)
    page.evaluate(OPEN_ONE_OF_EACH)
    found = Axe().run(page, context={"include": [[".md-content"]]}, options=RULES)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("visit", [{"color_scheme": "dark"}], indirect=True)
def test_dark_page_is_dark(visit: Visit) -> None:
    page = visit.open(LESSON)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    quiet = page.locator(".ls-crumb").first.evaluate("element => getComputedStyle(element).color")
    assert min(int(part) for part in quiet[quiet.index("(") + 1 :].split(",")[:3]) > 100


def test_print_unfolds_everything_that_style_can(visit: Visit) -> None:
    page = visit.open(LESSON)
    page.emulate_media(media="print")
    summary = page.locator("#task-reuse-buffer summary", has_text="solution").first
    assert summary.locator("xpath=..").locator("pre").first.is_visible()
