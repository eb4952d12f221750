"""Some of the calls of a message: those that are to be run, or not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from toolpair._messages import member
from toolpair._report import ToolUse
from toolpair._rounds.calls import ToolCall
from toolpair._rounds.jobs import Tools
from toolpair._rounds.ledger import Ledger

__all__ = ["Chosen", "split"]

Chosen: TypeAlias = str | ToolCall | ToolUse | Iterable[object] | Callable[[ToolCall], bool]
"""Some of the calls: they themselves, their ids, names of tools, or a function that says yes or
no."""

_TAKES = "only and skip take calls, their ids, names of tools, or a function of a ToolCall"


def split(
    ledger: Ledger, tools: Tools, only: Chosen | None, skip: Chosen | None
) -> tuple[list[ToolCall], list[ToolCall]]:
    """The calls without a result that are to be run, and those that are not.

    Raises:
        TypeError: Something else was given to choose by.
        ValueError: A name or an id is neither one of the tools nor one of the calls.
    """
    calls = ledger.open_calls()
    known = {name for call in ledger.calls for name in (call.id, call.name)}
    names = known | set(tools) if isinstance(tools, Mapping) else None
    wanted = {call.id for call in calls} if only is None else _chosen(calls, only, names)
    wanted -= set() if skip is None else _chosen(calls, skip, names)
    return (
        [call for call in calls if call.id in wanted],
        [call for call in calls if call.id not in wanted],
    )


def _chosen(calls: list[ToolCall], chosen: Chosen, known: set[str] | None) -> set[str]:
    """The ids of the calls that are meant."""
    if callable(chosen) and not isinstance(chosen, (ToolCall, ToolUse)):
        return {call.id for call in calls if _says(chosen, call)}
    names = set(map(_name_of, _listed(chosen)))
    if known is not None and (unknown := sorted(names - known)):
        raise ValueError(f"{_TAKES}; {unknown[0]!r} is neither a tool nor a call of this message")
    return {call.id for call in calls if call.id in names or call.name in names}


def _says(chosen: Callable[[ToolCall], object], call: ToolCall) -> bool:
    """What a function says of a call; a promise to say it later is no yes."""
    said = chosen(call)
    if inspect.isawaitable(said):
        if inspect.iscoroutine(said):
            said.close()
        raise TypeError(f"{_TAKES}; this one is async: await it before, and name the calls")
    return bool(said)


def _listed(chosen: object) -> Iterable[object]:
    """What was given to choose by, one by one: one call is no list of its members."""
    if isinstance(chosen, str) or member(chosen, "id") is not None:
        return [chosen]
    if isinstance(chosen, (bytes, Mapping)) or not isinstance(chosen, Iterable):
        raise TypeError(f"{_TAKES}, not {type(chosen).__name__}")
    return chosen


def _name_of(one: object) -> str:
    name = one if isinstance(one, str) else member(one, "id")
    if not isinstance(name, str):
        raise TypeError(f"{_TAKES}, not a list with {type(one).__name__}")
    return name
