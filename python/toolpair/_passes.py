"""Passes of a repair: what came of one is mended again as long as it may hold surprises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from toolpair import _core
from toolpair._report import ToolUse
from toolpair._types import Context, EditPart, Endpoint, M, Origins, RepairPart

__all__ = ["OnMissing", "listed", "mended"]

OnMissing: TypeAlias = (
    Literal["placeholder", "drop"] | Callable[[ToolUse], str | Sequence[object] | None]
)
"""What becomes of a call without a result. A callable knows the cause, or returns None."""

Asked: TypeAlias = tuple[
    Endpoint, Iterable[str], Iterable[str], bool, Context | None, OnMissing, str, str
]

_PASSES = 4
"""What is not certain after so many of them is not going to be."""


def mended(
    messages: Sequence[M], asked: Asked, *, tells: bool
) -> tuple[list[RepairPart], tuple[M, ...], list[M]]:
    """Mend, and mend again what came of it, until nothing in it was not foreseen."""
    part, source, made, origins = _core.plan_repair(messages, *asked, tells=tells)
    parts = [part]
    trail: Origins | None = None
    while origins is not None and len(parts) <= _PASSES:
        trail = origins if trail is None else _followed(origins, trail)
        part, _, made, origins = _core.plan_repair(made, *asked, tells=tells)
        if part is not None:
            part["edits"] = [_as_given(edit, trail) for edit in part["edits"]]
        parts.append(part)
    if origins is not None and part is not None:
        part["remaining"] = _core.check(made, *asked[:5])
    return [part for part in parts if part is not None], source, made


def _followed(origins: Origins, trail: Origins) -> Origins:
    """Where a list came from that was made of another, whose own origins are known."""
    followed: Origins = []
    for message, blocks in origins:
        first = None if message is None else trail[message][0]
        followed.append((first, [None if at is None else _place(*at, trail) for at in blocks]))
    return followed


def _place(message: int | None, block: int | None, trail: Origins) -> tuple[int | None, int | None]:
    """The place as given of a place in a mended list."""
    if message is None or message >= len(trail):
        return None, None
    origin, blocks = trail[message]
    found = blocks[block] if block is not None and block < len(blocks) else None
    return found or (origin, None)


def _as_given(edit: EditPart, trail: Origins) -> EditPart:
    message, block = _place(edit["message_index"], edit["block_index"], trail)
    return {**edit, "message_index": message, "block_index": block}


def listed(names: Iterable[str]) -> Iterable[str]:
    """Names that can be read more than once."""
    return list(names) if isinstance(names, Iterator) else names
