"""Parallel tools at random: they succeed, fail, are late or are cancelled, in every form.

After each schedule the history has no fault, and every real result is in it. Each draw says what
the tools do; they note when they begin and end, so that it is known what must be in the list.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from rounds import QUESTION, RUNS, Block, answered, turn, use

from toolpair import ToolRound

SCHEDULES = min(RUNS * 5, 2_500)
"""For each of the four forms: 10,000 in all in the nightly profile."""

HANGS = 30.0
"""Seconds that a tool waits which hangs; its schedule ends it long before."""

DELIVERY = 0.1
"""Seconds that may pass between a thread's last word and its end."""


@dataclass
class Plan:
    """What one call does: how long it sleeps, and how it ends."""

    kind: str  # "returns", "raises" or "hangs"
    sleeps: float
    is_async: bool


@dataclass
class Schedule:
    """What is drawn, and what the tools noted."""

    seed: str
    plans: dict[str, Plan]
    limit: int
    timeout: float | None
    cancel_after: float | None
    began: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)
    cancelled_at: float = float("inf")
    running: int = 0
    most: int = 0

    def calls(self) -> list[Block]:
        return [use(id, "a" if plan.is_async else "s", id=id) for id, plan in self.plans.items()]

    def end(self, id: str) -> str:
        self.ended[id] = time.monotonic()
        if self.plans[id].kind == "raises":
            raise OSError(f"real {id}")
        return f"real {id}"

    def blocking(self, id: str) -> str:
        self.began[id] = time.monotonic()
        plan = self.plans[id]
        if plan.kind == "hangs":
            self.over.wait(HANGS)
        elif plan.sleeps:
            time.sleep(plan.sleeps)
        return self.end(id)

    async def task(self, id: str, sleep: Callable[[float], Awaitable[object]]) -> str:
        self.began[id] = time.monotonic()
        plan = self.plans[id]
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await sleep(HANGS if plan.kind == "hangs" else plan.sleeps)
        finally:
            self.running -= 1
        return self.end(id)


def drawn(seed: str, *, is_async: bool) -> Schedule:
    draw = random.Random(seed)
    timeout = draw.choice([None, None, HANGS, 0.002, 0.005])
    cancel_after = draw.choice([None, draw.uniform(0, 0.004)]) if is_async else None
    kinds = ["returns", "returns", "raises"]
    if timeout not in (None, HANGS) or cancel_after is not None:
        kinds.append("hangs")
    plans = {
        f"toolu_{number}": Plan(
            draw.choice(kinds),
            draw.choice([0, 0, draw.uniform(0, 0.003)]),
            is_async and draw.random() < 0.6,
        )
        for number in range(draw.randint(1, 6))
    }
    return Schedule(seed, plans, draw.choice([1, 2, 3, 16]), timeout, cancel_after)


# --- the forms -----------------------------------------------------------------------------------


def in_threads(schedule: Schedule, messages: list[Any]) -> None:
    with ToolRound(messages, turn(*schedule.calls())) as round:
        round.run(
            {"s": schedule.blocking}, max_concurrency=schedule.limit, timeout=schedule.timeout
        )


async def arun(
    schedule: Schedule, messages: list[Any], sleep: Callable[[float], Awaitable[object]]
) -> None:
    async def tool(id: str) -> str:
        return await schedule.task(id, sleep)

    tools: dict[str, Callable[..., Any]] = {"a": tool, "s": schedule.blocking}
    async with ToolRound(messages, turn(*schedule.calls())) as round:
        await round.arun(tools, max_concurrency=schedule.limit, timeout=schedule.timeout)


def in_tasks(schedule: Schedule, messages: list[Any]) -> None:
    async def main() -> None:
        task = asyncio.create_task(arun(schedule, messages, asyncio.sleep))
        if schedule.cancel_after is not None:
            await asyncio.wait([task], timeout=schedule.cancel_after)
            if task.cancel():
                schedule.cancelled_at = time.monotonic()
        await asyncio.wait([task])
        assert task.cancelled() or task.exception() is None

    asyncio.run(main())


def through_anyio(backend: str) -> Callable[[Schedule, list[Any]], None]:
    def run(schedule: Schedule, messages: list[Any]) -> None:
        anyio = pytest.importorskip("anyio")
        pytest.importorskip(backend)

        async def main() -> None:
            with anyio.move_on_after(schedule.cancel_after) as scope:
                if schedule.cancel_after is not None:
                    schedule.cancelled_at = time.monotonic() + schedule.cancel_after
                await arun(schedule, messages, anyio.sleep)
            if not scope.cancelled_caught:
                schedule.cancelled_at = float("inf")

        anyio.run(main, backend=backend)

    return run


FORMS: dict[str, Callable[[Schedule, list[Any]], None]] = {
    "threads": in_threads,
    "tasks": in_tasks,
    "anyio": through_anyio("asyncio"),
    "trio": through_anyio("trio"),
}


# --- what must hold ------------------------------------------------------------------------------


def kind_of(result: Block) -> str:
    """What the result of a call says came of it."""
    said = result["content"]
    if said.endswith(f"real {result['tool_use_id']}"):
        return "real"
    starts = {
        "ToolTimeoutError: timed out": "late",
        "This call was not run: the round was cancelled": "not run",
        "The round was cancelled": "unknown",
    }
    return next(kind for start, kind in starts.items() if said.startswith(start))


def must_be_in(schedule: Schedule, id: str) -> bool:
    """Whether a call ended with a result that nothing can have overtaken."""
    if id not in schedule.ended:
        return False
    if schedule.plans[id].is_async:
        return True  # its last word and its end are one step of the loop
    took = schedule.ended[id] - schedule.began[id]
    in_time = schedule.timeout is None or schedule.timeout - took > DELIVERY
    return in_time and schedule.cancelled_at - schedule.ended[id] > DELIVERY


def holds(schedule: Schedule, messages: list[Any]) -> dict[str, str]:
    results = answered(messages, calls=len(schedule.plans))
    assert [it["tool_use_id"] for it in results] == list(schedule.plans)
    kinds = {it["tool_use_id"]: kind_of(it) for it in results}
    for result in results:
        id = result["tool_use_id"]
        kind, plan = kinds[id], schedule.plans[id]
        assert result.get("is_error", False) is (kind != "real" or plan.kind == "raises")
        assert kind == "real" or not must_be_in(schedule, id)
        assert kind != "real" or id in schedule.ended
        assert kind != "late" or schedule.timeout is not None
        assert kind not in {"not run", "unknown"} or schedule.cancelled_at < float("inf")
        assert kind != "not run" or id not in schedule.began
    assert schedule.most <= schedule.limit
    return kinds


@pytest.mark.parametrize("form", FORMS)
def test_every_schedule_leaves_a_history_without_a_fault(form: str) -> None:
    seen = dict.fromkeys(["real", "late", "not run", "unknown"], 0)
    done: list[tuple[Schedule, dict[str, str]]] = []
    for number in range(SCHEDULES):
        schedule = drawn(f"{form} {number}", is_async=form != "threads")
        messages: list[Any] = [QUESTION]
        try:
            FORMS[form](schedule, messages)
            kinds = holds(schedule, messages)
        except BaseException as error:
            raise AssertionError(f"schedule {schedule}: {messages[1:]}") from error
        finally:
            schedule.over.set()
        for kind in kinds.values():
            seen[kind] += 1
        done.append((schedule, kinds))
    time.sleep(0.05)
    for schedule, kinds in done:  # nor was it run afterwards
        assert not [id for id, kind in kinds.items() if kind == "not run" and id in schedule.began]
    assert seen["real"] > SCHEDULES
    assert seen["late"] > 0
    assert (seen["not run"] > 0, seen["unknown"] > 0) == (form != "threads",) * 2
