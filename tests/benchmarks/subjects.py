"""Who is measured, and how each is called: in the quickest way that its authors offer.

Nobody is measured on what it does not read. Before the clock starts, each subject must pass a
sound history and find a lost result in a broken one; who cannot is named with the reason.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import c_walk
import plain
from histories import FORMS, History, agent_loop, with_lost_results

__all__ = ["PEERS", "SUBJECTS", "Subject", "in_form", "peer"]

PEERS = {
    "toolpair": "toolpair",
    "tool-call-repair": "toolrepair",
    "tessera-transcript": "tessera",
    "turnsafe": "turnsafe",
}
"""Distribution and module of all that must be installed to be measured."""


@dataclass(frozen=True, slots=True)
class Subject:
    check: Callable[[History], object]
    faults: Callable[[History], int] | None
    """How many faults `check` finds; None for the floor, which looks for none."""


def peer(distribution: str) -> Any:
    """The module of a distribution; ImportError with half a sentence if it is not installed."""
    try:
        return importlib.import_module(PEERS[distribution])
    except ModuleNotFoundError as error:
        raise ImportError("is not installed") from error


def in_form(form: str) -> tuple[dict[str, Subject], list[str]]:
    """The subjects that do their work on histories of a form, and why the others do not."""
    subjects, notes = {}, []
    sound = FORMS[form][1](agent_loop(100))
    makers = {**SUBJECTS, "plain": _plain_objects} if form == "sdk" else SUBJECTS
    for name, make in makers.items():
        try:
            subject = make()
        except ImportError as error:
            notes.append(f"{name} {error}")
            continue
        if reason := _unfit(subject, sound):
            notes.append(f"{name} {reason}")
        else:
            subjects[name] = subject
    return subjects, notes


def _unfit(subject: Subject, sound: History) -> str | None:
    try:
        subject.check(sound)
        if subject.faults is None:
            return None
        if false_alarms := subject.faults(sound):
            return f"finds {false_alarms} faults in a sound history"
        return None if subject.faults(with_lost_results(sound)) else "finds no lost result"
    except (AttributeError, TypeError, ValueError) as error:
        return f"cannot read it ({error})"


def _raising(check: Callable[[History], object]) -> Subject:
    return Subject(check, partial(_raised, check))


def _raised(check: Callable[[History], object], history: History) -> int:
    """Faults of a check that raises ValueError: those of its report, or the one it stops at."""
    try:
        check(history)
    except ValueError as error:
        return len(error.report.errors) if hasattr(error, "report") else 1
    return 0


def _c_walk() -> Subject:
    return Subject(c_walk.load(), None)


def _plain() -> Subject:
    return _raising(plain.validate_plain)


def _plain_more() -> Subject:
    return _raising(plain.validate_plain_more)


def _plain_objects() -> Subject:
    return _raising(plain.validate_plain_objects)


def _toolpair() -> Subject:
    return _raising(peer("toolpair").validate_tool_pairing)


def _toolpair_check() -> Subject:
    check = peer("toolpair").check_tool_pairing
    return Subject(check, lambda history: len(check(history).errors))


def _tool_call_repair() -> Subject:
    check = partial(peer("tool-call-repair").validate, format="anthropic")
    return Subject(check, lambda history: len(check(history)))


def _tessera() -> Subject:
    check = partial(peer("tessera-transcript").inspect, adapter="anthropic")
    return Subject(check, lambda history: len(check(history).fatal))


def _turnsafe() -> Subject:
    check = partial(peer("turnsafe").validate, provider="anthropic")
    return Subject(check, lambda history: len(check(history).errors))


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "c_walk": _c_walk,
    "toolpair": _toolpair,
    "toolpair check": _toolpair_check,
    "plain": _plain,
    "plain_more": _plain_more,
    "tool-call-repair": _tool_call_repair,
    "tessera": _tessera,
    "turnsafe": _turnsafe,
}
