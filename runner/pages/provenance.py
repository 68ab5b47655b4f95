# Where a shown result comes from, in the same few words everywhere.
# A child that died before it could say has an empty environment; then the line says that.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_EXAMPLE_WORDS = {
    "passed": ("✓", "run"),
    "failed": ("✗", "failed"),
    "not_run": ("–", "not run: an example above it failed"),
    "skipped": ("–", "not run here: this machine lacks the device that it needs"),
}


def describe_status(status: str | None) -> tuple[str, str]:
    """Mark and words for an example's status; None when nothing ran it yet."""
    return _EXAMPLE_WORDS.get(status or "", ("–", "not run yet"))


def list_provenance(environment: Mapping[str, Any], digest: str | None = None) -> tuple[str, ...]:
    """Device, processor, torch, date and the first digits of a digest: what is known of them, in this order."""
    known = [str(environment[key]) for key in ("device", "device_name") if environment.get(key)]
    if not environment.get("device_name") and environment.get("cpu"):
        known.append(str(environment["cpu"]))
    known += [f"{key} {environment[key]}" for key in ("torch",) if environment.get(key)]
    known += [str(environment["date"])[:10]] if environment.get("date") else []
    known = list(dict.fromkeys(known)) or ["where it ran is not known"]
    known += [f"sha {digest.removeprefix('sha256:')[:8]}"] if digest else []
    return tuple(known)
