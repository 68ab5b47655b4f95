# Puts the blocks of a page where their tokens came out of the site engine's Markdown.
# Each token must be there exactly once, alone in its paragraph: anything else means that text was swallowed.
from __future__ import annotations

import re
from collections import Counter

from runner.lesson.problems import Problem
from runner.pages.values import Block, Page


class SpliceError(Exception):
    """A block found no place, or more than one, in the rendered page."""

    def __init__(self, page: Page, block: Block, found: int) -> None:
        times = "is missing from" if found == 0 else f"stands {found} times in"
        message = f"this block {times} the rendered page, or shares its paragraph"
        advice = "Look for a fence, comment or HTML tag above it that the site's Markdown reads in another way."
        self.problem = Problem(page.source, block.line, 1, message, advice)
        super().__init__(str(self.problem))


def join_page(html: str, page: Page) -> str:
    """The rendered page with each token replaced by its block; raises `SpliceError`."""
    if not page.blocks:
        return html
    blocks = {block.token: block for block in page.blocks}
    token = "|".join(map(re.escape, blocks))
    found = Counter(re.findall(token, html))
    placed: Counter[str] = Counter()

    def place(match: re.Match[str]) -> str:
        block = blocks[match["alone"] or match["bare"] or match["inside"]]
        if match["inside"] and not block.inline:
            return match.group()
        placed[block.token] += 1
        return f"<p>{block.html}</p>" if match["alone"] and block.inline else block.html

    pattern = rf"<p>\s*(?P<alone>{token})\s*</p>|^(?P<bare>{token})$|(?P<inside>{token})"
    joined = re.sub(pattern, place, html, flags=re.MULTILINE)
    for block in page.blocks:
        if found[block.token] != 1 or placed[block.token] != 1:
            raise SpliceError(page, block, found[block.token])
    return joined
