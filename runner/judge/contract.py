# The contract: what any solution owes its caller beside right values. Each check is one row of a table that grows.
# A row says what the candidate did in a call beside what the reference did on a copy of the same arguments.
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.judge.answers import read_replay
from runner.judge.values import Outcome
from runner.lesson.contract import CONTRACT_NAMES
from runner.lesson.values import Task

Side = Mapping[str, Any]
"""What the child says of one call: raised, unrecordable, result, shares, watched, changed."""
Tree = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check says of one call."""

    fault: str | None
    """What is wrong, as a clause; None when nothing is."""
    expected: Any = None
    """JSON value, where there is one."""
    actual: Any = None
    """JSON value, where there is one."""


@dataclass(frozen=True, slots=True)
class Row:
    """One contract check."""

    rule: str
    """What the learner's code owes, a sentence."""
    judge: Callable[[Side, Side], Finding | None]
    """Candidate's and reference's side of a call; None when there is nothing to look at."""


def judge_type(candidate: Side, reference: Side) -> Finding | None:
    """The result is of the reference's types, containers included."""
    if candidate["unrecordable"]:
        return Finding(candidate["unrecordable"], _name(reference["result"]))
    if reference["result"] is None:
        return None
    wanted = _name(reference["result"])
    if candidate["result"] is None:
        return Finding(f"your code raises {candidate['raised']} here", wanted, f"raised {candidate['raised']}")
    for where, left, right in _pair(reference["result"], candidate["result"]):
        if not _same_type(left, right):
            return Finding(f"your code returns {_article(right)}{_at(where)}", wanted, _name(candidate["result"]))
    return Finding(None, wanted, _name(candidate["result"]))


def judge_shape(candidate: Side, reference: Side) -> Finding | None:
    """Tensors have the reference's shapes, lists and tuples its lengths."""
    return _judge_leaves(candidate, reference, _shape, "shape")


def judge_dtype(candidate: Side, reference: Side) -> Finding | None:
    """Tensors have the reference's dtypes."""
    return _judge_leaves(candidate, reference, lambda tree: tree.get("dtype"), "dtype")


def judge_finite(candidate: Side, reference: Side) -> Finding | None:
    """No element is NaN or infinite where the reference has none."""
    trees = [tree for _, tree in _leaves(reference["result"]) if "nonfinite" in tree]
    if not trees or any(tree["nonfinite"] for tree in trees) or candidate["result"] is None:
        return None
    for where, tree in _leaves(candidate["result"]):
        if bad := tree.get("nonfinite"):
            return Finding(f"{bad} of {tree['elements']} elements{_at(where)} are NaN or infinite", 0, bad)
    return Finding(None, 0, 0)


def judge_unchanged(candidate: Side, reference: Side) -> Finding | None:
    """No argument is another after the call, unless the task lets it change."""
    if not reference["watched"]:
        return None
    changed = list(candidate["changed"])
    return Finding(f"your code changes {_list(changed)}" if changed else None, [], changed)


def judge_fresh(candidate: Side, reference: Side) -> Finding | None:
    """The result is on memory of its own where the reference's is: neither an argument's nor an earlier result's."""
    made, mine = reference["shares"], candidate["shares"]
    if made is None or mine is None or not made["tensors"] or made["arguments"] or made["earlier"]:
        return None
    if mine["arguments"]:
        names = _list(mine["arguments"])
        return Finding(f"the result shares memory with {names}", "new memory", f"the memory of {names}")
    if mine["earlier"]:
        return Finding("the result shares memory with an earlier result", "new memory", "an earlier result's memory")
    return Finding(None, "new memory", "new memory")


TABLE: Mapping[str, Row] = {
    "same-type": Row("The result has the type that the task asks for.", judge_type),
    "same-shape": Row("The result has the shape that the task asks for.", judge_shape),
    "same-dtype": Row("The result has the dtype that the task asks for.", judge_dtype),
    "finite": Row("No element of the result is NaN or infinite.", judge_finite),
    "input-unchanged": Row("Your code leaves its arguments as they were.", judge_unchanged),
    "fresh-output": Row("The result is a tensor of its own, on no other's memory.", judge_fresh),
}
"""Name to check, in the order of verdicts; the names are `CONTRACT_NAMES`."""

REPLAY_RULE = "The report depends only on what your code returns and changes when it is called."


def implied_names(replay: Outcome, task: Task) -> tuple[str, ...]:
    """The task's contract: the checks that had something to look at in the reference's calls.

    With what the task adds and without what it drops, in the order of the table. `replay` is that of the reference
    itself; an answer that is none implies nothing but what the task adds.
    """
    facts = [call for case in read_replay(replay) or () for call in case.facts]
    return choose_names(facts, task.contract)


def choose_names(facts: Iterable[Mapping[str, Any]], words: Sequence[str]) -> tuple[str, ...]:
    """Names of the checks that see something in these calls; `words` add a name, or drop it with a leading minus."""
    calls = list(facts)
    added = {word for word in words if not word.startswith("-")}
    dropped = {word[1:] for word in words if word.startswith("-")}
    seen = {name for name, row in TABLE.items() if any(_look(row, call) for call in calls)}
    return tuple(name for name in CONTRACT_NAMES if name in (seen | added) - dropped)


def judge_calls(name: str, facts: Sequence[Mapping[str, Any]]) -> tuple[Finding, int, str]:
    """The first fault that a check finds in a case's calls, the number of the call (from 1), and the check's rule.

    Without a fault it is the last finding; where there was nothing to look at, an empty one.
    """
    row, last = TABLE[name], Finding(None)
    for number, call in enumerate(facts, 1):
        found = _look(row, call)
        if found is None:
            continue
        if found.fault is not None:
            return found, number, row.rule
        last = found
    return last, len(facts), row.rule


def _look(row: Row, call: Mapping[str, Any]) -> Finding | None:
    reference = call["reference"]
    return None if reference is None else row.judge(call["candidate"], reference)


def _judge_leaves(candidate: Side, reference: Side, read: Callable[[Tree], Any], what: str) -> Finding | None:
    if candidate["result"] is None:
        return None
    pairs = [
        (where, read(left), read(right))
        for where, left, right in _pair(reference["result"], candidate["result"])
        if read(left) is not None and ("items" in left) == ("items" in right)
    ]
    for where, wanted, found in pairs:
        if found is not None and wanted != found:
            return Finding(f"the {what}{_at(where)} is {found}", wanted, found)
    return Finding(None, *pairs[0][1:]) if pairs else None


def _shape(tree: Tree) -> Any:
    if "shape" in tree:
        return list(tree["shape"])
    return [len(tree["items"])] if "items" in tree and "keys" not in tree else None


def _pair(left: Tree | None, right: Tree | None, where: str = "") -> Iterator[tuple[str, Tree, Tree]]:
    """Reference's and candidate's part for each place that both have, containers before their items."""
    if left is None or right is None:
        return
    yield where, left, right
    if "items" not in left or "items" not in right:
        return
    if "keys" in left and "keys" in right:
        theirs = dict(zip(right["keys"], right["items"], strict=True))
        for key, item in zip(left["keys"], left["items"], strict=True):
            yield from _pair(item, theirs.get(key), f"{where}[{key!r}]")
    elif "keys" not in left and "keys" not in right:
        for number, (mine, other) in enumerate(zip(left["items"], right["items"], strict=False)):
            yield from _pair(mine, other, f"{where}[{number}]")


def _leaves(tree: Tree | None, where: str = "") -> Iterator[tuple[str, Tree]]:
    if tree is None:
        return
    if "items" not in tree:
        yield where, tree
    names = tree.get("keys") or range(len(tree.get("items", ())))
    for name, item in zip(names, tree.get("items", ()), strict=True):
        yield from _leaves(item, f"{where}[{name!r}]")


def _same_type(wanted: Tree, found: Tree) -> bool:
    if wanted["type"] == "float" and found["type"] == "int":
        return True
    keys = set(wanted.get("keys", ())) == set(found.get("keys", ()))
    return bool(wanted["type"] == found["type"]) and keys


def _name(tree: Tree | None) -> Any:
    if tree is None:
        return None
    if "items" not in tree:
        return tree["type"]
    kinds = list(dict.fromkeys(str(_name(item)) for item in tree["items"]))
    return f"{tree['type']} of {', '.join(kinds)}" if kinds else f"empty {tree['type']}"


def _article(tree: Tree) -> str:
    name = str(_name(tree))
    return name if name == "None" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _at(where: str) -> str:
    return f" at {where}" if where else ""


def _list(names: Sequence[str]) -> str:
    quoted = [name if name.startswith("argument ") else f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
