# What can be said of a Python fence without running it: that it parses, which names it defines.
# The rest of the parser asks here, so that a syntax error is reported once, at its line.
from __future__ import annotations

import ast
import warnings

from runner.lesson.problems import ProblemLog
from runner.lesson.values import Fence

Function = ast.FunctionDef | ast.AsyncFunctionDef


def parse_code(fence: Fence, log: ProblemLog) -> ast.Module | None:
    """The syntax tree of a fence; None after a problem."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(fence.code)
    except SyntaxError as error:
        line = fence.line + (error.lineno or 1)
        log.add(line, f"not Python: {error.msg}", "Mend the syntax.", error.offset or 1)
    except (ValueError, RecursionError, MemoryError) as error:
        log.add(fence.line, f"not Python: {error}", "Mend the code.")
    return None


def find_functions(tree: ast.Module) -> dict[str, Function]:
    """Top-level functions by name, the last definition of each."""
    return {node.name: node for node in tree.body if isinstance(node, Function)}


def write_signature(function: Function) -> str:
    """The `def` line as the author wrote it in meaning, without the colon."""
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"def {function.name}({ast.unparse(function.args)}){returns}"


def list_parameters(function: Function) -> tuple[list[str], list[str], bool]:
    """All parameter names, those without a default, and whether any other keyword is taken."""
    args = function.args
    positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    required = positional[: len(positional) - len(args.defaults)]
    keyword = [arg.arg for arg in args.kwonlyargs]
    required += [arg.arg for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default is None]
    return positional + keyword, required, args.kwarg is not None
