"""Timing that is fair on a busy machine: all subjects take turns, round after round.

A sample is short and counts this thread's processor time, so that a neighbour's load spoils few.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import repeat
from statistics import median
from time import thread_time_ns

from histories import History

__all__ = ["Timing", "Timings", "race"]

SAMPLE_NS = 2_000_000
"""A quick call is repeated until a sample lasts about so long."""

ENOUGH_NS = 2_000_000_000
"""Who has run so long sits out the remaining rounds, but for the first three."""

TOO_SLOW_NS = 5_000_000_000
"""Whose single call takes longer is called once and no more."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds a call."""

    best: float
    median: float

    @property
    def too_slow(self) -> bool:
        return self.best > TOO_SLOW_NS


Timings = dict[int, dict[str, Timing]]
"""By size, then by subject."""


def race(
    subjects: Mapping[str, Callable[[History], object]],
    history: History,
    rounds: int,
    now: Callable[[], int] = thread_time_ns,
) -> dict[str, Timing]:
    """Time each subject on the history, one sample a round, in a new order in each round.

    `now` is the clock, in nanoseconds: this thread's processor time, unless threads are the matter.

    The garbage collector rests, as it does under `timeit`: what it costs depends on all that
    the process holds, and it would be charged to whoever allocates next.
    """
    shuffled = random.Random(0)
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        first = {name: _sample(check, history, 1, now) for name, check in subjects.items()}
        samples = {name: [ns] for name, ns in first.items() if ns > TOO_SLOW_NS}
        running = [name for name in subjects if name not in samples]
        loops = {name: max(1, round(SAMPLE_NS / first[name])) for name in running}
        for number in range(rounds):
            for name in shuffled.sample(running, len(running)):
                taken = samples.setdefault(name, [])
                if number < 3 or sum(taken) * loops[name] < ENOUGH_NS:
                    taken.append(_sample(subjects[name], history, loops[name], now))
    finally:
        gc.enable()
        gc.unfreeze()
    return {name: Timing(min(samples[name]), median(samples[name])) for name in subjects}


def _sample(
    check: Callable[[History], object], history: History, loops: int, now: Callable[[], int]
) -> float:
    start = now()
    for _ in repeat(None, loops):
        check(history)
    return (now() - start) / loops
