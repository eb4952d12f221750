"""What was aimed at, as ratios of two subjects in one run on one machine."""

from __future__ import annotations

from clock import Timing, Timings

__all__ = ["AIMS", "FROM_SIZE", "RATIOS", "ratio", "reached"]

RATIOS = (
    ("toolpair", "c_walk"),
    ("toolpair check", "toolpair"),
    ("plain", "toolpair"),
    ("plain_more", "toolpair"),
    ("tool-call-repair", "toolpair"),
    ("turnsafe", "toolpair"),
)

AIMS = {
    ("toolpair", "c_walk"): ("at most", 1.4, 1.6),
    ("plain", "toolpair"): ("at least", 4.0, 3.5),
    ("tool-call-repair", "toolpair"): ("at least", 12.0, 9.0),
    ("turnsafe", "toolpair"): ("at least", 80.0, 60.0),
}
"""With the pairing rules alone, and with the full rule book."""

FROM_SIZE = 100


def ratio(row: dict[str, Timing], pair: tuple[str, str]) -> float | None:
    """How many times longer the first takes; None unless both were measured."""
    above, below = pair
    if above not in row or below not in row:
        return None
    return row[above].best / row[below].best


def reached(timings: Timings, pair: tuple[str, str]) -> tuple[float, int] | None:
    """The worst ratio from `FROM_SIZE` messages on, and the size where it was measured."""
    sizes = [size for size in timings if size >= FROM_SIZE]
    ratios = [(x, size) for size in sizes if (x := ratio(timings[size], pair)) is not None]
    if not ratios:
        return None
    return max(ratios) if AIMS[pair][0] == "at most" else min(ratios)
