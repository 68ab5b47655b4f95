# `rounded(tensor, 4)`: a tensor's elements as Python numbers that are short enough to read in a report.
# The result remembers its digits, so that the judge can allow one unit of the last place.
from __future__ import annotations

from typing import Any

import torch


class RoundedList(list[Any]):
    """What `rounded` makes of a tensor with dimensions."""

    __slots__ = ("digits",)
    digits: int


class RoundedNumber(float):
    """What `rounded` makes of a tensor without dimensions, or of a number."""

    digits: int


def rounded(tensor: Any, digits: int = 4) -> Any:
    """The elements rounded to `digits` decimal places, as (nested) lists of floats, or as a float without dimensions.

    Integers and booleans stay exact and are returned as they are. Takes a real tensor or a Python number;
    TypeError for anything else.
    """
    with torch._C._DisableTorchDispatch():
        return _round(_read_tensor(tensor), digits)


def _read_tensor(value: Any) -> torch.Tensor:
    if isinstance(value, (bool, int, float)):
        return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None, device="cpu")
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"rounded() takes a tensor, not {type(value).__name__}")
    if value.is_complex():
        raise TypeError("rounded() takes a real tensor; use torch.view_as_real for a complex one")
    return value.detach().cpu()


def _round(tensor: torch.Tensor, digits: int) -> Any:
    if not tensor.is_floating_point():
        return tensor.tolist()
    exact = tensor.double()
    near = exact.round(decimals=digits)
    near = torch.where(near.isfinite(), near, exact) + 0.0  # no overflow of large numbers, no -0.0
    values = near.tolist()
    result = RoundedList(values) if isinstance(values, list) else RoundedNumber(values)
    result.digits = digits
    return result
