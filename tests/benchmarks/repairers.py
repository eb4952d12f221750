"""Who repairs, how each is called, and what its repair is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from histories import History
from subjects import peer

__all__ = ["Repair", "errors", "repairers", "results_lost"]

Repair = Callable[[History], History]


def repairers() -> tuple[dict[str, Repair], list[str]]:
    """The repairs, and who is not installed."""
    repairs: dict[str, Repair] = {}
    notes = []
    for name, make in MAKERS.items():
        try:
            repairs.update((f"{name} {call}", repair) for call, repair in make())
        except ImportError as error:
            notes.append(f"{name} {error}")
    return repairs, notes


def errors(history: History) -> int:
    """How many errors a history has, as `toolpair` judges it."""
    return len(peer("toolpair").check_tool_pairing(history).errors)


def results_lost(broken: History, repaired: History) -> int:
    """How many results of calls are in the broken history only."""
    return len(_results(broken) - _results(repaired))


def _results(history: History) -> set[tuple[str, str]]:
    """The results of calls, by id and content: no two of the measured ones say the same."""
    blocks = [b for m in history if isinstance(m["content"], list) for b in m["content"]]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    results = [block for block in blocks if block["type"] == "tool_result"]
    return {(r["tool_use_id"], str(r["content"])) for r in results if r["tool_use_id"] in calls}


def _toolpair() -> Iterator[tuple[str, Repair]]:
    toolpair = peer("toolpair")
    yield "repair", toolpair.repair_tool_pairing
    yield "plan", lambda history: toolpair.plan_repair(history).messages


def _tool_call_repair() -> Iterator[tuple[str, Repair]]:
    repair = peer("tool-call-repair").repair
    for strategy in ("synthesize", "drop"):
        yield strategy, partial(repair, format="anthropic", strategy=strategy)


def _tessera() -> Iterator[tuple[str, Repair]]:
    repair = peer("tessera-transcript").repair
    yield "repair", lambda history: repair(history, adapter="anthropic").transcript


def _turnsafe() -> Iterator[tuple[str, Repair]]:
    yield "repair", partial(peer("turnsafe").repair, provider="anthropic")


MAKERS: dict[str, Callable[[], Iterator[tuple[str, Repair]]]] = {
    "toolpair": _toolpair,
    "tool-call-repair": _tool_call_repair,
    "tessera": _tessera,
    "turnsafe": _turnsafe,
}
