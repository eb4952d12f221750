"""How many tools run at once, and what becomes of those that are late or cancelled."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from children import isolated
from rounds import BACKENDS, HANGS, QUESTION, answered, contents, run, turn, under, use
from typing_extensions import Self

from toolpair import ToolTimeoutError, arun_tool_calls, run_tool_calls

CALLS = [use(f"toolu_{number}", "f", it=number) for number in range(8)]


class Busy:
    """A tool that notes how many of it run at once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = 0

    def __call__(self, it: int) -> int:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.002)
        with self.lock:
            self.now -= 1
        return it


class Hung:
    """A tool that hangs where its input says so, until the test is over."""

    def __init__(self, *places: int) -> None:
        self.over = threading.Event()
        self.places = places

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()

    def __call__(self, it: int) -> int:
        if it in self.places:
            assert self.over.wait(HANGS)
        return it


@pytest.mark.parametrize("limit", [1, 2, 8])
@pytest.mark.parametrize("timeout", [None, HANGS])
def test_no_more_run_at_once_than_may(limit: int, timeout: float | None) -> None:
    tools = [Busy(), Busy()]
    run(CALLS, {"f": tools[0]}, max_concurrency=limit, timeout=timeout)
    options: dict[str, Any] = {"max_concurrency": limit, "timeout": timeout}
    asyncio.run(arun_tool_calls(CALLS, {"f": tools[1]}, **options))
    for tool in tools:
        assert (tool.most <= limit, tool.most > 1) == (True, limit > 1)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("limit", [1, 3, 8])
def test_no_more_tasks_run_at_once_than_may(backend: str, limit: int) -> None:
    anyio = pytest.importorskip("anyio")
    running: list[int] = []
    counts: list[int] = []

    async def tool(it: int) -> None:
        running.append(it)
        counts.append(len(running))
        await anyio.sleep(0.002)
        running.remove(it)

    under(backend, lambda: arun_tool_calls(CALLS, {"f": tool}, max_concurrency=limit))
    assert max(counts) == limit


def test_with_a_limit_of_one_tools_run_in_this_thread() -> None:
    threads: list[threading.Thread] = []
    run(CALLS, lambda *_: threads.append(threading.current_thread()), max_concurrency=1)
    assert set(threads) == {threading.current_thread()}


def test_a_hung_tool_holds_up_nobody() -> None:
    began = time.monotonic()
    with Hung(0, 3) as tool:
        results = run(CALLS, {"f": tool}, max_concurrency=2, timeout=0.05)
    assert contents(results) == ["late", "1", "2", "late", "4", "5", "6", "7"]
    assert results[0]["content"].startswith(
        "ToolTimeoutError: timed out after 0.05 s; it may still"
    )
    assert results[0]["is_error"] is True
    assert time.monotonic() - began < HANGS / 3


def test_a_tool_that_ended_at_once_is_not_late_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads pause before they say that they begin; then this one has looked, and waits."""

    def monotonic() -> float:
        if threading.current_thread().name == "toolpair":
            time.sleep(0.005)
        return time.monotonic()

    monkeypatch.setattr("toolpair._rounds.threads.time", SimpleNamespace(monotonic=monotonic))
    with Hung(7) as tool:
        results = run(CALLS, {"f": tool}, max_concurrency=1, timeout=0.1)
    assert contents(results) == [*"0123456", "late"]


@pytest.mark.parametrize("timeout", [1e308, 10**400, threading.TIMEOUT_MAX, float("inf")])
def test_a_timeout_may_be_longer_than_a_clock_can_wait(timeout: float) -> None:
    assert contents(run(CALLS, {"f": lambda it: it}, timeout=timeout)) == [*"01234567"]
    answer = asyncio.run(arun_tool_calls(CALLS, {"f": lambda it: it}, timeout=timeout))
    assert answer is not None
    assert contents(answer["content"]) == [*"01234567"]


def test_each_call_has_its_own_start() -> None:
    def tool(it: int) -> int:
        time.sleep(0.02)
        return it

    assert "late" not in contents(run(CALLS, {"f": tool}, max_concurrency=2, timeout=0.075))


@pytest.mark.parametrize("given", [0, 1, 2])
def test_no_tool_is_run_without_a_thread_that_can_be_given_up(
    monkeypatch: pytest.MonkeyPatch, given: int
) -> None:
    starts: list[threading.Thread] = []

    def start(thread: threading.Thread) -> None:
        if len(starts) == given:
            raise RuntimeError("can't start new thread")
        starts.append(thread)
        began(thread)

    began = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", start)
    with Hung(1) as tool:
        results = contents(run(CALLS, {"f": tool}, timeout=0.2))
    failed = "RuntimeError: can't start new thread"
    if given == 2:
        assert results == ["0", "late", *"234567"]
    else:
        assert results == (["0", "late"] if given else [failed] * 2) + [failed] * 6


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_hung_tool_holds_up_no_task(backend: str) -> None:
    anyio = pytest.importorskip("anyio")
    cancelled: list[int] = []

    async def tool(it: int) -> int:
        if it % 4 == 0:
            try:
                await anyio.sleep(HANGS)
            except BaseException:
                cancelled.append(it)
                raise
        return it

    kinds: list[Exception] = []
    with Hung(1, 4, 5) as hung:
        calls = [*CALLS, *(use(f"toolu_h{it}", "hung", it=it) for it in range(8))]
        tools: dict[str, Callable[..., Any]] = {"f": tool, "hung": hung}
        options: dict[str, Any] = {"max_concurrency": 2, "timeout": 0.05}
        options["on_error"] = lambda error, _: kinds.append(error)
        answer = under(backend, lambda: arun_tool_calls(calls, tools, **options))
    results = answered([QUESTION, turn(*calls), answer], calls=16)
    expected = ["late", *"123", "late", *"567", "0", "late", *"23", "late", "late", *"67"]
    assert contents(results) == expected
    assert sorted(cancelled) == [0, 4]
    assert "it was cancelled" in results[0]["content"]
    assert "it may still be running" in results[9]["content"]
    assert {type(error) for error in kinds} == {ToolTimeoutError}


def child_with_hung_threads() -> None:
    def hang(**_: object) -> None:
        time.sleep(HANGS)

    run_tool_calls(CALLS[:2], {"f": hang}, timeout=0.01)
    asyncio.run(arun_tool_calls(CALLS[:2], {"f": hang}, timeout=0.01))
    print("done")


def test_a_hung_thread_does_not_keep_the_interpreter() -> None:
    began = time.monotonic()
    assert isolated(child_with_hung_threads) == "done\n"
    assert time.monotonic() - began < HANGS / 2


def test_what_a_tool_returned_is_put_into_words_in_its_own_time() -> None:
    over = threading.Event()

    class SaysNothing:
        def __str__(self) -> str:
            over.wait(HANGS)
            return "at last"

    began = time.monotonic()
    try:
        first, second = contents(
            run(CALLS[:2], {"f": lambda it: "1" if it else SaysNothing()}, timeout=0.1)
        )
    finally:
        over.set()
    assert (first, second) == ("late", "1")
    assert time.monotonic() - began < HANGS / 2
