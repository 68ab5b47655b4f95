# What `count_allocations` counts, row by row of the table of what was measured on torch 2.13, and what it refuses.
from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import torch

from runner.harness.bench import Bench, CannotCount
from runner.harness.counters import AllocationCounter, count_allocations

X = torch.tensor([0.0, 1.0, 2.0])
WIDE = torch.ones(4, 6)


def write_chain(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    torch.add(x, 1, out=y)
    torch.mul(y, 2, out=y)
    torch.sub(y, 3, out=y)
    return torch.clamp(y, min=0, out=y)


ROWS: list[tuple[str, int, Callable[[torch.Tensor], object]]] = [
    ("eager chain", 4, lambda x: ((x + 1) * 2 - 3).clamp(min=0)),
    ("one buffer, out=", 1, write_chain),
    ("one buffer, in place", 1, lambda x: (x + 1).mul_(2).sub_(3).clamp_(min=0)),
    ("in place on the argument", 0, lambda x: x.clone.__self__.add_(1)),
    ("out= into the argument", 0, lambda x: torch.add(x, 1, out=x)),
    ("out= into an empty tensor made inside", 2, lambda x: torch.add(x, 1, out=torch.empty(0))),
    ("empty_like", 1, torch.empty_like),
    ("clone", 1, torch.clone),
    ("contiguous copy", 1, lambda x: WIDE.t().contiguous()),
    ("contiguous, nothing to do", 0, lambda x: WIDE.contiguous()),
    ("to float64", 1, lambda x: x.to(torch.float64)),
    ("to float32, nothing to do", 0, lambda x: x.to(torch.float32)),
    ("reshape that copies", 1, lambda x: WIDE.t().reshape(-1)),
    ("view", 0, lambda x: WIDE.view(-1)),
    ("slice", 0, lambda x: x[1:]),
    ("transpose", 0, lambda x: WIDE.t()),
    ("expand", 0, lambda x: x.expand(5, 3)),
    ("detach", 0, lambda x: x.detach()),
    ("chunk", 0, lambda x: WIDE.chunk(2)),
    ("unbind", 0, lambda x: WIDE.unbind()),
    ("float32 and int64", 1, lambda x: x + torch.tensor([1, 2, 3])),
    ("max with a dimension", 2, lambda x: WIDE.max(0)),
    ("topk", 2, lambda x: x.topk(1)),
    ("var_mean", 2, torch.var_mean),
    ("sort", 2, lambda x: x.sort()),
    ("layer_norm", 3, lambda x: torch.nn.functional.layer_norm(WIDE, (6,))),
    ("where with a scalar", 3, lambda x: torch.where(x > 0, x, 0.0)),
    ("dropout", 2, lambda x: torch.nn.functional.dropout(x)),
    ("linear", 1, lambda x: torch.nn.functional.linear(x, WIDE[:2, :3])),
    ("logsumexp", 1, lambda x: x.logsumexp(0)),
    ("tensor of a list", 0, lambda x: torch.tensor([1.0, 2.0])),
]


@pytest.mark.parametrize(("name", "count", "operation"), ROWS, ids=[row[0] for row in ROWS])
def test_counts_new_storages(name: str, count: int, operation: Callable[[torch.Tensor], object]) -> None:
    x = X.clone()
    with count_allocations() as made:
        operation(x)
    assert made.total == count


def test_does_not_count_a_given_buffer() -> None:
    x, y = X.clone(), torch.empty(3)
    with count_allocations() as made:
        torch.add(x, 1, out=y)
    assert made.total == 0


def test_counts_a_buffer_that_had_to_grow() -> None:
    small = torch.empty(1)
    with warnings.catch_warnings(), count_allocations() as made:
        warnings.simplefilter("ignore")
        torch.add(X, 1, out=small)
    assert made.total == 1


def test_sees_the_backward_pass() -> None:
    x = X.clone().requires_grad_()
    with count_allocations() as forward:
        y = (x * x).sum()
    with count_allocations() as both:
        y.backward()
    assert (forward.total, both.total > 0) == (2, True)


def test_nested_counters_both_count() -> None:
    with count_allocations() as outer:
        y = X + 1
        with count_allocations() as inner:
            y + 1
    assert (outer.total, inner.total) == (2, 1)


def test_can_be_read_while_open_and_opened_again() -> None:
    counter = count_allocations()
    with counter:
        X + 1
        first = counter.total
    X + 1
    with counter:
        X + 1
    assert (first, counter.total) == (1, 2)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: X.to_sparse(),
        lambda: torch.sparse_coo_tensor([[0]], [1.0], (3,)) * 2,
        lambda: torch.nested.nested_tensor([X, X], layout=torch.jagged) * 2,
    ],
    ids=["makes a sparse tensor", "takes a sparse tensor", "nested tensor"],
)
def test_refuses_what_it_cannot_count(operation: Callable[[], object]) -> None:
    warnings.simplefilter("ignore")  # nested tensors are announced as a prototype
    with pytest.raises(CannotCount, match=r"^cannot count aten\."), count_allocations():
        operation()


def test_a_refusal_counts_even_if_it_is_caught() -> None:
    bench = Bench()
    with AllocationCounter(bench):
        try:
            X.to_sparse()
        except Exception:  # noqa: BLE001 - what a checker might write
            caught = True
    assert caught
    assert [(by, type(error)) for by, error in bench.faults] == [("harness", CannotCount)]
    assert bench.counters == []
