"""Threads share a history or a tracker: nothing crashes, nothing is lost.

Members that sleep let other threads run in the middle of a walk. What could bring the interpreter
down runs in a child.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from children import isolated

import toolpair
from toolpair import ToolPairingTracker, check_tool_pairing, trim_messages_safely

THREADS = 8
USER: dict[str, Any] = {"role": "user", "content": "q"}


class Slow:
    """A message or a block whose every member gives other threads a turn."""

    def __init__(self, **members: object) -> None:
        self._members = members

    def __getattr__(self, name: str) -> object:
        time.sleep(0)
        try:
            return self.__dict__["_members"][name]
        except KeyError:
            raise AttributeError(name) from None


def call(id: str) -> Any:
    return Slow(type="tool_use", id=id, name="f", input={})


def result(id: str) -> Any:
    return Slow(type="tool_result", tool_use_id=id)


def step(id: str) -> list[Any]:
    return [
        Slow(role="assistant", content=[call(id)]),
        {"role": "user", "content": [result(id)]},
    ]


def long_history(steps: int, *, lost: str | None = None) -> list[Any]:
    """Steps after one prompt; the call of this id has a result for another."""
    history: list[Any] = [USER]
    for number in range(steps):
        history += step(f"toolu_{number}")
        if f"toolu_{number}" == lost:
            history[-1] = {"role": "user", "content": [result("other")]}
    return history


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What each of eight threads gives back; all start at once."""
    gate = threading.Barrier(THREADS)

    def started(number: int) -> Any:
        gate.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


# --- one history ---------------------------------------------------------------------------------


def test_threads_that_read_one_history_get_the_same_report() -> None:
    history = long_history(50, lost="toolu_20")
    expected = check_tool_pairing(history)
    assert [found.tool_use_id for found in expected.violations] == ["toolu_20", "other"]
    reports = in_threads(lambda _: [check_tool_pairing(history) for _ in range(5)])
    assert all(report == expected for several in reports for report in several)


def test_threads_that_trim_one_history_get_the_same_objects() -> None:
    history = long_history(50)
    expected = [id(message) for message in trim_messages_safely(history, 20)]
    for trimmed in in_threads(lambda _: trim_messages_safely(history, 20)):
        assert [id(message) for message in trimmed] == expected


def change_a_history_while_threads_read_it() -> None:
    """In a child: prints what eight readers got while a ninth thread changed the list."""
    sys.setswitchinterval(1e-6)
    history = long_history(30)
    contents: list[list[Any]] = [message["content"] for message in history[2::2]]
    stop = threading.Event()

    def meddle() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            content = contents[turn % len(contents)]
            if len(history) < 64:
                history.insert(turn % len(history), history[-1])
                content.append(Slow(type="text"))
            else:
                del history[40:]
                history.reverse()
                content.clear()
                content.append(result("new"))
            if turn % 100 == 0:
                copied = [*history]
                history.clear()
                history.extend(copied)
            time.sleep(0)

    def read(number: int) -> dict[str, int]:
        got: dict[str, int] = {}
        for _ in range(40):
            try:
                if number % 2:
                    check_tool_pairing(history)
                else:
                    kept = trim_messages_safely(history, 10)
                    assert all(type(message) in {Slow, dict} for message in kept)
                outcome = "report"
            except RuntimeError as error:
                outcome = f"RuntimeError: {str(error).rpartition(' changed ')[2]}"
            got[outcome] = got.get(outcome, 0) + 1
        return got

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        results = in_threads(read)
    finally:
        stop.set()
        meddler.join()
    assert sum(sum(got.values()) for got in results) == THREADS * 40
    print(*sorted({outcome for got in results for outcome in got}), sep="\n")


def test_a_list_that_another_thread_changes_gives_a_report_or_a_clear_error() -> None:
    outcomes = set(isolated(change_a_history_while_threads_read_it).splitlines())
    assert outcomes == {"report", "RuntimeError: while it was being read"}


def change_dicts_while_threads_read_them() -> None:
    """In a child: keys come and go in the very dicts that are read."""
    sys.setswitchinterval(1e-6)
    stop = threading.Event()
    block: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    message: dict[str, Any] = {"role": "assistant", "content": [Slow(type="text"), block]}
    history = [USER, message] * 20

    def meddle() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            for key in ("id", "name", "input", "type"):
                kept = block.pop(key)
                block[f"{key}{turn}"] = block[key] = kept
            block["id"] = "".join(["a", str(turn)])
            block["caller"] = {"tool_id": f"srvtoolu_{turn}"}
            message["content"] = [Slow(type="text"), block]
            if turn % 50 == 0:
                block.clear()
                block.update(type="tool_use", id="a", name="f", input={})
            time.sleep(0)

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        reports = in_threads(lambda _: [check_tool_pairing(history) for _ in range(50)])
    finally:
        stop.set()
        meddler.join()
    print(sum(len(several) for several in reports))


def test_dicts_that_another_thread_changes_are_read_all_the_same() -> None:
    assert isolated(change_dicts_while_threads_read_them).split() == [str(THREADS * 50)]


# --- one tracker ---------------------------------------------------------------------------------


def test_all_messages_of_all_threads_arrive() -> None:
    tracker = ToolPairingTracker()

    def feed(number: int) -> None:
        for turn in range(100):
            tracker.append(Slow(role="user", content=[Slow(type=f"odd_{number}_{turn}")]))
            tracker.extend([Slow(role=f"odd_{number}_{turn}", content=""), USER])

    in_threads(feed)
    assert len(tracker) == THREADS * 300
    found = tracker.report().violations
    texts = {violation.text for violation in found}
    assert len(found) == len(texts) == THREADS * 200
    assert {violation.message_index for violation in found} <= set(range(THREADS * 300))


def test_what_one_thread_extends_stays_together() -> None:
    """So the steps of eight agents in one tracker are whole, whatever their order."""
    tracker = ToolPairingTracker()

    def feed(number: int) -> None:
        for turn in range(50):
            tracker.extend([USER, *step(f"toolu_{number}_{turn}")])

    in_threads(feed)
    assert len(tracker) == THREADS * 50 * 3
    assert tracker.report().violations == ()
    assert tracker.pending == ()


def test_a_tracker_may_be_asked_while_it_is_fed() -> None:
    tracker = ToolPairingTracker()

    def work(number: int) -> list[int]:
        lengths = []
        for turn in range(60):
            if number % 2:
                tracker.extend([USER, *step(f"toolu_{number}_{turn}")])
            else:
                assert tracker.report().violations in {(), EMPTY}
                assert tracker.pending == ()
            lengths.append(len(tracker))
        return lengths

    for lengths in in_threads(work):
        assert lengths == sorted(lengths)
        assert all(length % 3 == 0 for length in lengths)
    assert len(tracker) == THREADS // 2 * 60 * 3


EMPTY = check_tool_pairing([]).violations


def test_a_message_that_cannot_be_read_disturbs_no_other_thread() -> None:
    tracker = ToolPairingTracker()

    def feed(number: int) -> int:
        refused = 0
        for _ in range(100):
            try:
                tracker.append(Slow(content="q") if number % 2 else Slow(role="user", content="q"))
            except TypeError:
                refused += 1
        return refused

    assert sorted(in_threads(feed)) == [0] * 4 + [100] * 4
    assert len(tracker) == 400
    assert tracker.report().violations == ()


def feed_a_tracker_from_its_own_messages() -> None:
    """In a child, for a lock could be taken twice: appended messages that append messages."""
    faulthandler.dump_traceback_later(20, exit=True)
    sys.setswitchinterval(1e-6)
    tracker = ToolPairingTracker()

    class Feeding(Slow):
        @property
        def content(self) -> str:
            tracker.append(USER)
            time.sleep(0)
            tracker.report()
            return "q"

    def feed(_: int) -> None:
        for _ in range(50):
            tracker.append(Feeding(role="user"))

    in_threads(feed)
    print(len(tracker))


def test_messages_may_use_the_tracker_that_takes_them_in() -> None:
    assert isolated(feed_a_tracker_from_its_own_messages).split() == [str(THREADS * 100)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_tracker_works_in_a_forked_child() -> None:
    isolated(fork_with_a_tracker)


def fork_with_a_tracker() -> None:
    """In a child: fork, and go on in both."""
    faulthandler.dump_traceback_later(20, exit=True)
    tracker = ToolPairingTracker()
    tracker.extend(long_history(5))
    child = os.fork()
    tracker.extend(step("toolu_new"))
    assert len(tracker) == 13
    assert tracker.report().ok
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_the_verbs_may_run_side_by_side() -> None:
    history = long_history(30, lost="toolu_3")
    verbs: list[Callable[[], object]] = [
        lambda: check_tool_pairing(history),
        lambda: toolpair.unpaired_tool_use_ids(history),
        lambda: toolpair.pending_tool_uses(history),
        lambda: toolpair.plan_trim(history, 3).kept_indices,
    ]
    expected = [verb() for verb in verbs]
    for got in in_threads(lambda number: (number % 4, verbs[number % 4]())):
        assert got[1] == expected[got[0]]
