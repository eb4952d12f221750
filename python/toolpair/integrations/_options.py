"""What a gate may be told, and what means nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from toolpair._types import Endpoint
from toolpair.integrations._findings import OnReport

__all__ = ["GateOptions", "Mode", "Trim", "check_callback", "check_mode", "check_trim"]

Mode: TypeAlias = Literal["raise", "repair", "warn"]
"""What becomes of a request that would be refused: an error, a mended request, or a log line."""

Trim: TypeAlias = int | Callable[[list[Any]], Sequence[Any]]
"""A number of messages, or a function from a history to a shorter one."""


class GateOptions(TypedDict, total=False):
    """What a `Gate` takes by keyword."""

    trim: Trim | None
    on_report: OnReport | None
    endpoint: Endpoint | None
    ignore: Iterable[str]
    select: Iterable[str]


def check_mode(mode: Mode) -> None:
    """Raise a `ValueError` if there is no such mode."""
    if mode not in get_args(Mode):
        raise ValueError(f"mode must be 'raise', 'repair' or 'warn', not {mode!r}")


def check_trim(trim: Trim | None) -> None:
    """Raise if it is neither a positive number nor a function."""
    if trim is None or callable(trim):
        return
    if isinstance(trim, bool) or not isinstance(trim, int):
        kind = type(trim).__name__
        raise TypeError(f"trim must be a number of messages or a function, not {kind}")
    if trim < 1:
        raise ValueError(f"trim must be at least 1, but is {trim}")


def check_callback(on_report: OnReport | None) -> None:
    """Raise a `TypeError` if it cannot be called, or would have to be awaited."""
    if on_report is None:
        return
    if not callable(on_report):
        raise TypeError(f"on_report must be a function, not {type(on_report).__name__}")
    called = on_report if inspect.isroutine(on_report) else type(on_report).__call__
    if inspect.iscoroutinefunction(called):
        raise TypeError("on_report must be a plain function: nobody would await it")
