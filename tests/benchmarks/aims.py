"""What was aimed at, as ratios of two subjects in one run on one machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clock import Timing, Timings

__all__ = ["AIMS", "FASTEST", "FROM_SIZE", "RATIOS", "Aim", "ratio", "reached"]

RATIOS = (
    ("toolpair", "c_walk"),
    ("toolpair check", "toolpair"),
    ("plain", "toolpair"),
    ("plain_more", "toolpair"),
    ("tool-call-repair", "toolpair"),
    ("turnsafe", "toolpair"),
)

FASTEST = "fastest peer"
"""Stands for the quickest subject of a row that is not `toolpair`."""

FROM_SIZE = 100


@dataclass(frozen=True, slots=True)
class Aim:
    """A bound on a ratio, in each of these tables."""

    pair: tuple[str, str]
    bound: Literal["at most", "at least"]
    value: float
    tables: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.bound} {self.value:g}"


AIMS = (
    Aim(("toolpair", "c_walk"), "at most", 1.6, ("dicts", "json")),
    Aim(("plain", "toolpair"), "at least", 3.5, ("dicts", "json")),
    Aim(("tool-call-repair", "toolpair"), "at least", 9, ("dicts", "json")),
    Aim(("turnsafe", "toolpair"), "at least", 60, ("dicts", "json")),
    Aim(("toolpair repair", "toolpair check"), "at most", 2, ("sound",)),
    Aim((FASTEST, "toolpair repair"), "at least", 10, ("damaged", "all damaged")),
)
"""With all rules."""


def ratio(row: dict[str, Timing], pair: tuple[str, str]) -> float | None:
    """How many times longer the first takes; None unless both were measured."""
    above, below = pair
    peers = [timing.best for name, timing in row.items() if not name.startswith("toolpair")]
    best = {name: timing.best for name, timing in row.items()}
    if peers:
        best[FASTEST] = min(peers)
    if above not in best or below not in best:
        return None
    return best[above] / best[below]


def reached(timings: Timings, aim: Aim) -> tuple[float, int] | None:
    """The worst ratio from `FROM_SIZE` messages on, and the size where it was measured."""
    sizes = [size for size in timings if size >= FROM_SIZE]
    ratios = [(x, size) for size in sizes if (x := ratio(timings[size], aim.pair)) is not None]
    if not ratios:
        return None
    return max(ratios) if aim.bound == "at most" else min(ratios)
