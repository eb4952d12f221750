"""What ended before its round was cancelled or stopped is recorded; what did not is not run."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from rounds import BACKENDS, HANGS, QUESTION, answered, contents, turn, under, use

from toolpair import ToolCall, ToolRound, arun_tool_calls

CALLS = [use(f"toolu_{number}", "f", it=number) for number in range(8)]


def test_what_had_ended_is_recorded_when_a_tool_stops_the_round() -> None:
    messages: list[Any] = [QUESTION]
    gate = threading.Event()

    def tool(it: int) -> int:
        if it == 0:
            raise OSError("disk")
        assert gate.wait(HANGS)
        if it == 1:
            raise SystemExit
        time.sleep(0.02)  # after that
        return it

    def on_error(error: Exception, _: ToolCall) -> str:
        gate.set()
        time.sleep(0.1)  # all end while this thread is busy
        return str(error)

    with pytest.raises(SystemExit), ToolRound(messages, turn(*CALLS)) as round:
        round.run({"f": tool}, on_error=on_error)
    results = contents(answered(messages, calls=8))
    assert results[0] == "disk"
    assert results[1].startswith("The round was cancelled (SystemExit) before a result")
    assert results[2:] == list("234567")


def test_a_task_that_ended_as_the_round_was_cancelled_is_recorded() -> None:
    messages: list[Any] = [QUESTION]

    async def main() -> None:
        async def tool(it: int) -> int:
            await go.wait()
            return it

        async def cancel_it() -> None:
            await go.wait()
            task.cancel()

        async def round() -> None:
            with ToolRound(messages, turn(*CALLS)) as round:
                await round.arun({"f": tool})

        go = asyncio.Event()
        canceller = asyncio.create_task(cancel_it())
        await asyncio.sleep(0)
        task = asyncio.create_task(round())
        await asyncio.sleep(0.01)
        go.set()
        await asyncio.wait([task, canceller])
        assert task.cancelled()

    asyncio.run(main())
    assert contents(answered(messages, calls=8)) == list("01234567")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_thread_that_ended_before_the_round_was_cancelled_is_recorded(backend: str) -> None:
    anyio = pytest.importorskip("anyio")
    messages: list[Any] = [QUESTION]
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)
    gate = threading.Event()

    def tool(it: int) -> int:
        begun.release()
        assert gate.wait(HANGS)
        ended.release()
        return it

    async def main() -> None:
        async def cancel_it() -> None:
            for _ in CALLS:
                while not begun.acquire(blocking=False):
                    await anyio.sleep(0.001)
            gate.set()
            for _ in CALLS:
                assert ended.acquire(timeout=HANGS)  # the loop stands still meanwhile
            time.sleep(0.02)  # noqa: ASYNC251
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(cancel_it)
            async with ToolRound(messages, turn(*CALLS)) as round:
                await round.arun({"f": tool})

    under(backend, main)
    assert contents(answered(messages, calls=8)) == list("01234567")


def test_a_task_that_ended_in_time_is_not_late() -> None:
    """All tasks are to go on when the loop stands still until they would be late."""

    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        gates = [loop.create_future() for _ in CALLS]

        def open_all() -> None:
            for gate in gates:
                gate.set_result(None)
            time.sleep(0.05)

        async def tool(it: int) -> int:
            await gates[it]
            return it

        loop.call_later(0.01, open_all)
        answer = await arun_tool_calls(CALLS, {"f": tool}, timeout=0.04)
        assert answer is not None
        return contents(answer["content"])

    assert asyncio.run(main()) == list("01234567")


def test_a_late_tool_of_trio_that_fails_while_it_is_cancelled_is_one_error() -> None:
    trio = pytest.importorskip("trio")

    async def part() -> None:
        try:
            await trio.sleep(HANGS)
        finally:
            raise OSError("disk")

    async def tool(it: int) -> int:
        if it == 0:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(part)
                nursery.start_soon(trio.sleep, HANGS)
        return it

    answer = under("trio", lambda: arun_tool_calls(CALLS, {"f": tool}, timeout=0.02))
    results = answered([QUESTION, turn(*CALLS), answer], calls=8)
    assert "OSError: disk" in results[0]["content"]
    assert contents(results[1:]) == list("1234567")


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_no_exception_goes_on_alone(backend: str) -> None:
    """Not in a group, and not as the cancellation that it led to."""

    class Stop(BaseException):
        pass

    async def tool(it: int) -> int:
        if it == 3:
            raise Stop
        return it

    def blocking(it: int) -> int:
        if it == 3:
            raise Stop
        return it

    for each in tool, blocking:
        with pytest.raises(Stop):
            under(backend, lambda: arun_tool_calls(CALLS, {"f": each}))  # noqa: B023


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_stop_iteration_is_named(backend: str) -> None:
    async def tool(it: int) -> int:
        raise StopIteration("over")

    def blocking(it: int) -> int:
        raise StopIteration("over")

    for each in tool, blocking:
        answer = under(backend, lambda: arun_tool_calls(CALLS[:1], {"f": each}))  # noqa: B023
        assert answer["content"][0]["content"] == "StopIteration: over"


def test_a_call_that_was_not_run_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread has taken a job, and pauses; meanwhile the round is stopped."""

    def monotonic() -> float:
        if threading.current_thread().name == "toolpair" and next(turns):
            time.sleep(0.1)
        return time.monotonic()

    def tool(it: int) -> None:
        ran.append(it)
        raise SystemExit

    monkeypatch.setattr("toolpair._rounds.threads.time", SimpleNamespace(monotonic=monotonic))
    turns, ran = iter(range(2)), list[int]()
    messages: list[Any] = [QUESTION]
    with pytest.raises(SystemExit), ToolRound(messages, turn(*CALLS[:2])) as round:
        round.run({"f": tool}, timeout=HANGS)
    time.sleep(0.2)
    text = answered(messages, calls=2)[1]["content"]
    assert (
        text == "This call was not run: the round was cancelled (SystemExit) before it was begun."
    )
    assert ran == [0]


def test_a_tool_that_will_not_be_cancelled_holds_up_nobody_beyond_its_time() -> None:
    is_over = False

    async def tool(it: int) -> int:
        while it and not is_over:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)
        return it

    async def rounds() -> float:
        nonlocal is_over
        began = time.monotonic()
        task = asyncio.create_task(arun_tool_calls(CALLS, {"f": tool}, timeout=0.2))
        await asyncio.sleep(0.05)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=HANGS / 3)
        is_over = True
        assert task in done
        assert task.cancelled()
        return time.monotonic() - began

    assert asyncio.run(rounds()) < HANGS / 3


def test_a_loop_that_makes_no_more_tasks_leaves_none_behind() -> None:
    made: list[Any] = []

    def factory(loop: Any, work: Any, **options: Any) -> Any:
        if len(made) == 2:
            work.close()
            raise KeyError("no task")  # as an eager task does, with what it stops the loop with
        made.append(asyncio.Task(work, loop=loop, **options))
        return made[-1]

    async def rounds() -> int:
        asyncio.get_running_loop().set_task_factory(factory)
        with pytest.raises(KeyError, match="no task"):
            await arun_tool_calls(CALLS, {"f": lambda it: asyncio.sleep(HANGS)})
        asyncio.get_running_loop().set_task_factory(None)
        return len(asyncio.all_tasks())

    assert asyncio.run(rounds()) == 1
    assert [task.cancelled() for task in made] == [True, True]
