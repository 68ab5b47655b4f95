# Counters that a checker opens around the candidate: `with count_allocations() as made: …`, then `made.total`.
# They watch the dispatcher, so they see eager operations of this thread and nothing else: see the docstring.
from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from runner.harness.bench import Bench, CannotCount


class AllocationCounter(TorchDispatchMode):  # type: ignore[misc]
    """Counts the tensors that operations return on a storage that none of their direct tensor arguments has.

    `((x + 1) * 2 - 3).clamp(min=0)` counts 4; the same steps with `out=` into one `torch.empty_like(x)` count 1;
    views, in-place operations and `out=` into a tensor that was made before count 0.

    It is not a count of allocator calls, and says nothing of peak memory or time. Not seen: workspace and type
    conversions inside an operation (`out=` of another dtype needs a whole temporary), allocations of custom operators,
    `torch.tensor([...])`, NumPy, other threads, whatever bypasses the dispatcher, and compiled code. A tensor argument
    inside a list is not a direct one, and storages are told apart by address, so that a result that aliases a member of
    a list counts 1, and empty tensors, which have no address, count 1 unless an argument is empty too.

    Raises CannotCount when an operation takes or returns a tensor whose storage cannot be read (sparse, nested, some
    tensor subclasses). Method: addresses of storages before and after each operation, seen by a TorchDispatchMode.
    """

    def __init__(self, bench: Bench | None = None) -> None:
        super().__init__()
        self.total = 0
        self._bench = bench

    def __enter__(self) -> Self:
        with warnings.catch_warnings():  # the first mode of a process imports what asks for NumPy
            warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
            super().__enter__()
        if self._bench is not None:
            self._bench.counters.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bench is not None:
            self._bench.counters.remove(self)
        super().__exit__(*exception)

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Runs one operation and adds what it made."""
        del types
        named = dict(kwargs or {})
        given = {self._address(func, value) for value in (*args, *named.values()) if isinstance(value, torch.Tensor)}
        made = func(*args, **named)
        outputs = made if isinstance(made, (tuple, list)) else (made,)
        self.total += sum(
            self._address(func, output) not in given for output in outputs if isinstance(output, torch.Tensor)
        )
        return made

    def _address(self, func: Any, tensor: torch.Tensor) -> int:
        try:
            return int(tensor.untyped_storage().data_ptr())
        except (NotImplementedError, RuntimeError) as error:
            kind = type(tensor).__name__ if type(tensor) is not torch.Tensor else str(tensor.layout)
            fault = CannotCount(f"cannot count {func}: the storage of a {kind} tensor cannot be read")
            raise (fault if self._bench is None else self._bench.note("harness", fault)) from error


def count_allocations() -> AllocationCounter:
    """A counter of new tensors to open with `with`; see `AllocationCounter` for what it counts and misses."""
    return AllocationCounter()
