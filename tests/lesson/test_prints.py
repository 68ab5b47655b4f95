# What a comment on a print may say, and what the print then may write.
# The static half (which comment belongs to which print) is in the case documents.
from __future__ import annotations

import ast

import pytest

from runner.lesson.prints import drop_hidden_lines, find_assertions, text_agrees
from runner.lesson.problems import ProblemLog
from runner.lesson.values import Fence


@pytest.mark.parametrize(
    ("comment", "wrote", "agrees"),
    [
        ("tensor([0., 1., 3.])", "tensor([0., 1., 3.])\n", True),
        ("[0.0, 1.0]", "[0.0, 1.0]\n", True),
        ("[0, 1]", "[0.0, 1.0]\n", False),
        ("1", "True\n", False),
        ("1.0", "1\n", False),
        ("tensor([[0.], [1.]])", "tensor([[0.],\n        [1.]])\n", True),
        ("two lines", "two\nlines\n", True),
        ("a", "a", True),
        ("a", "a  \n", True),
        ("{'a': [0.00001], 'b': 1}", "{'b': 1, 'a': [1e-05]}\n", True),
        ("0.3", "0.30000000000000004\n", False),
        ("nan", "nan\n", True),
        ("-0.0", "-0.0\n", True),
        ("b # c!", "b # c!\n", True),
        ("a", "b\n", False),
        ("{1}", "{True}\n", False),
        ("{1: 2}", "{1.0: 2}\n", False),
        ("{2, 1}", "{1, 2}\n", True),
        ("0.0", "-0.0\n", False),
        ("", "x\n", False),
        ("(" * 400, "x\n", False),
    ],
)
def test_text_agrees(comment: str, wrote: str, agrees: bool) -> None:
    assert text_agrees(comment, wrote) is agrees


def test_assertions_are_found_with_their_spans() -> None:
    code = 'x = "é"\nprint(x, "日")  # é 日\nfor i in (1, 1):\n    print(\n        i,  # inside\n    )  # 1\nprint("h")  # h  # hide\n'
    log = ProblemLog("p")
    found = find_assertions(Fence("python", {}, code, 5, 13), ast.parse(code), log)

    assert [(a.span, a.text) for a in found] == [
        ((2, 0, 2, 15), "é 日"),
        ((4, 4, 6, 5), "1"),
        ((7, 0, 7, 10), "h"),
    ]
    assert log.problems == ()


def test_hidden_lines_are_comments_and_not_strings() -> None:
    assert drop_hidden_lines("a = 1  # hide\nb = '# hide'\nc = 2 #hide\n") == "b = '# hide'\n"
