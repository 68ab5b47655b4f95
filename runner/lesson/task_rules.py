# What ties the fences of a task together: names in the spec, in the code and in the reports must meet.
# Each rule notes its own problems; none runs anything.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from runner.lesson.code import Function, list_parameters
from runner.lesson.contract import CONTRACT_NAMES
from runner.lesson.problems import ProblemLog
from runner.lesson.schema import find_schema_fault, say_nearest
from runner.lesson.values import Task
from runner.lesson.yaml_core import Document

DTYPES = (
    *("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8"),
    *("uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
)
Functions = Mapping[str, Mapping[str, Function] | None]


def check_task(task: Task, spec: Document, functions: Functions, candidate: Function, log: ProblemLog) -> None:
    """Every rule about one task."""
    _check_functions(task, functions, log)
    _check_cases(task, spec, functions, log)
    _check_reports(task, log)
    _check_keys(task, spec, log)
    _check_contract(task, spec, candidate, log)
    _check_wrong(task, log)
    for hint in task.hints:
        if not hint.code.strip():
            log.add(hint.line, "this hint is empty", "Write it, or take the fence out.")


def _check_functions(task: Task, functions: Functions, log: ProblemLog) -> None:
    wanted = (("checker", "check"), ("inputs", "inputs"), ("reference", task.function))
    fences = {"checker": task.checker, "inputs": task.inputs, "reference": task.reference}
    for kind, name in wanted:
        found, fence = functions.get(kind), fences[kind]
        if fence is not None and found is not None and name not in found:
            log.add(fence.line, f"this {kind} defines no function `{name}`", f"Write `def {name}(…):`.")
    if task.random and task.inputs is None:
        line = task.spec_fence.line
        log.add(line, "random cases need an inputs fence", "Add ```python {inputs}, or set `random: 0`.")
    inputs = (functions.get("inputs") or {}).get("inputs")
    if inputs is not None and len(list_parameters(inputs)[1]) != 2 and task.inputs is not None:
        log.add(task.inputs.line, "`inputs` takes two arguments", "Write `def inputs(rng, device):`.")


def _check_cases(task: Task, spec: Document, functions: Functions, log: ProblemLog) -> None:
    check = (functions.get("checker") or {}).get("check")
    if check is None:
        return
    names, required, others = list_parameters(check)
    if not names:
        log.add(task.checker.line, "`check` takes no candidate", "Write `def check(candidate, …):`.")
        return
    if names[0] != "candidate" and "candidate" in names:
        log.add(
            task.checker.line, "the candidate is the first parameter of `check`", "Write `def check(candidate, …):`."
        )
        return
    for number, case in enumerate(task.cases):
        line, column = spec.place(("cases", number))
        for name in case:
            if name not in names[1:] and not others:
                log.add(line, f"`check` has no parameter `{name}`", say_nearest(name, names[1:]), column)
        missing = [name for name in required[1:] if name not in case]
        if missing:
            log.add(line, f"this case lacks `{missing[0]}`", "`check` needs a value for it.", column)
        for name, value in case.items():
            _check_case_value(value, f"`{name}`", spec.place(("cases", number, name)), log)


def _check_case_value(value: Any, name: str, place: tuple[int, int], log: ProblemLog) -> None:
    if isinstance(value, list):
        for item in value:
            _check_case_value(item, name, place, log)
    if not isinstance(value, Mapping):
        return
    if "tensor" not in value:
        for item in value.values():
            _check_case_value(item, name, place, log)
        return
    for key in value:
        if key not in ("tensor", "dtype"):
            log.add(place[0], f"unknown key `{key}` in the tensor {name}", say_nearest(key, ["dtype"]), place[1])
    dtype = str(value.get("dtype", DTYPES[0])).removeprefix("torch.")
    if dtype not in DTYPES:
        log.add(place[0], f"unknown dtype `{dtype}` of the tensor {name}", say_nearest(dtype, DTYPES), place[1])
    if not _is_numbers(value["tensor"]):
        log.add(
            place[0],
            f"the tensor {name} holds what is no number",
            'Write numbers, true, false, "nan" or "inf".',
            place[1],
        )


def _is_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_numbers(item) for item in value)
    return isinstance(value, int | float) or value in ("nan", "inf", "-inf")


def _check_reports(task: Task, log: ProblemLog) -> None:
    if len(task.expected_reports) != len(task.cases):
        cases, reports = len(task.cases), len(task.expected_reports)
        message = f"published cases: {cases}, expected reports: {reports}"
        log.add(task.expected.line, message, "Write one report for each case, in their order.")
    fault = find_schema_fault(task.report_schema)
    if fault is not None:
        log.add(task.spec_fence.line, f"`report` is no JSON Schema: {fault}", "Mend it, or take it out.")
        return
    validator = Draft202012Validator(task.report_schema)
    for number, report in enumerate(task.expected_reports):
        for error in validator.iter_errors(report):
            where = "/".join(str(part) for part in error.absolute_path)
            message = (
                f"expected report {number + 1} breaks the schema {f'at {where}' if where else ''}: {error.message}"
            )
            log.add(task.expected.line, message.replace(" :", ":"), "Mend the report or the spec's `report`.")


def _check_keys(task: Task, spec: Document, log: ProblemLog) -> None:
    keys = report_keys(task)
    for option in ("tolerance", "unproven"):
        for key in task.spec.get(option, {}):
            if key not in keys:
                line, column = spec.place((option, key))
                log.add(line, f"no report has a key `{key}`", say_nearest(key, keys), column)


def _check_contract(task: Task, spec: Document, candidate: Function, log: ProblemLog) -> None:
    for number, name in enumerate(task.contract):
        if name.removeprefix("-") not in CONTRACT_NAMES:
            line, column = spec.place(("contract", number))
            known = [f"-{known}" if name.startswith("-") else known for known in CONTRACT_NAMES]
            log.add(line, f"there is no contract check `{name}`", say_nearest(name, known), column)
    parameters, _, _ = list_parameters(candidate)
    for number, name in enumerate(task.inout):
        if name not in parameters:
            line, column = spec.place(("inout", number))
            log.add(line, f"`{task.function}` has no parameter `{name}`", say_nearest(name, parameters), column)


def _check_wrong(task: Task, log: ProblemLog) -> None:
    known = [f"report.{key}" for key in report_keys(task)]
    known += [f"contract.{name}" for name in (*CONTRACT_NAMES, "replay")] + ["candidate.loads", "error"]
    seen: set[str] = set()
    for wrong in task.wrong:
        if wrong.id in seen:
            log.add(wrong.fence.line, f"two wrong solutions are called `{wrong.id}`", "Rename one of them.")
        seen.add(wrong.id)
        if wrong.fails and wrong.fails not in known:
            log.add(wrong.fence.line, f"`fails` names no check: `{wrong.fails}`", say_nearest(wrong.fails, known))


def report_keys(task: Task) -> list[str]:
    """Keys of the expected reports, in the order of their first appearance."""
    return list(dict.fromkeys(key for report in task.expected_reports for key in report))


def infer_report_schema(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON Schema of reports like these: the same keys, values of the same types."""
    keys = list(dict.fromkeys(key for report in reports for key in report))
    properties = {key: {"type": _infer_types([r[key] for r in reports if key in r])} for key in keys}
    required = [key for key in keys if all(key in report for report in reports)]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _infer_types(values: Sequence[Any]) -> str | list[str]:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    kinds = list(dict.fromkeys(names.get(type(value), "null") for value in values))
    return kinds[0] if len(kinds) == 1 else kinds
