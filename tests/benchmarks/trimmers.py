"""Who trims, and how each is asked for the last ten messages and for the last half."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import plain
from histories import History
from subjects import peer

__all__ = ["trimmers"]

Trim = Callable[[History], Any]


def trimmers(history: History) -> tuple[dict[str, Trim], list[str]]:
    """The trims of this history, and who is not installed."""
    trims: dict[str, Trim] = {}
    notes = []
    for name, make in MAKERS.items():
        try:
            trims.update((f"{name} {call}", trim) for call, trim in make(history))
        except ImportError as error:
            notes.append(f"{name} {error}")
    return trims, notes


def _toolpair(history: History) -> Iterator[tuple[str, Trim]]:
    toolpair = peer("toolpair")
    for keep in (10, len(history) // 2):
        yield f"keep_recent={keep}", partial(toolpair.trim_messages_safely, keep_recent=keep)
    yield "validate, to compare", toolpair.validate_tool_pairing


def _tool_call_repair(history: History) -> Iterator[tuple[str, Trim]]:
    safe_trim = peer("tool-call-repair").safe_trim
    for keep in (10, len(history) // 2):
        yield f"safe_trim keep={keep}", partial(safe_trim, keep=keep, format="anthropic")


def _turnsafe(history: History) -> Iterator[tuple[str, Trim]]:
    """It counts tokens, and cannot keep less than what follows the last prompt."""
    turnsafe = peer("turnsafe")
    half = sum(map(turnsafe.approx_tokens, history)) // 2
    yield "fit, half the tokens", partial(turnsafe.fit, max_tokens=half, provider="anthropic")


def _plain(history: History) -> Iterator[tuple[str, Trim]]:
    for keep in (10, len(history) // 2):
        yield f"slice [-{keep}:]", partial(plain.trim_plain, keep_recent=keep)


MAKERS: dict[str, Callable[[History], Iterator[tuple[str, Trim]]]] = {
    "toolpair": _toolpair,
    "tool-call-repair": _tool_call_repair,
    "turnsafe": _turnsafe,
    "plain": _plain,
}
