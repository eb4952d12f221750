"""Jobs in threads: several at once, each with a time limit."""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Literal

from toolpair._rounds.jobs import Ended, Job, late
from toolpair.exceptions import ToolRoundError

__all__ = ["in_thread", "run_in_threads"]


def run_in_threads(jobs: Sequence[Job], ended: Ended, *, limit: int, timeout: float | None) -> None:
    """Run the jobs, at most `limit` at a time; `ended` is told of each, in this thread.

    A thread cannot be stopped: one whose job is late is left to itself, and does not keep the
    interpreter from ending. With a limit of one, or one job, and without a timeout, jobs run in
    this thread.
    """
    if timeout is None and (limit == 1 or len(jobs) == 1):
        for index, job in enumerate(jobs):
            _run_here(index, job, ended)
        return
    desk = _Desk(jobs, timeout)
    try:
        for _ in range(min(limit, len(jobs))):
            desk.hire()
        desk.wait(ended)
    finally:
        desk.waiting.clear()  # whatever the threads are doing, they begin nothing more
        desk.empty(ended)


def in_thread(
    run: Callable[[], object], ended: Callable[[object, BaseException | None], None]
) -> None:
    """Run this in a thread of its own, in the caller's context; `ended` is called there."""

    def work() -> None:
        try:
            value = run()
        except BaseException as error:  # noqa: BLE001 - whoever waits is told, whatever it is
            ended(None, error)
        else:
            ended(value, None)

    _thread(contextvars.copy_context().run, work).start()


def _run_here(index: int, job: Job, ended: Ended) -> None:
    try:
        value = job.run()
    except Exception as error:  # noqa: BLE001 - a tool may raise anything
        ended(index, None, error)
    else:
        ended(index, value, None)


def _thread(target: Callable[..., object], *args: object) -> threading.Thread:
    return threading.Thread(target=target, args=args, name="toolpair", daemon=True)


class _Desk:
    """Where threads take jobs from, and say when they begin and end one."""

    def __init__(self, jobs: Sequence[Job], timeout: float | None) -> None:
        self.jobs = jobs
        self.timeout = timeout
        self.waiting = deque(range(len(jobs)))
        self.fate: dict[int, Literal["ended", "late"]] = {}  # of each job that is over
        self.begun: SimpleQueue[tuple[int, float]] = SimpleQueue()
        self.ended: SimpleQueue[int] = SimpleQueue()
        self.over: dict[int, tuple[object, BaseException | None]] = {}  # ended, and not passed on
        self.hands = 0  # threads that work, and are not late
        self.context = contextvars.copy_context()

    def hire(self) -> None:
        """Let one more thread work; where the system gives none, this one does.

        With a timeout it may not, as it could not be given up: then what no thread is there for
        fails.
        """
        if not self.waiting:
            return
        try:
            _thread(self._work).start()
        except RuntimeError as error:
            if self.timeout is None:
                self._work()
            while self.waiting and not self.hands:
                index = self.waiting.popleft()
                self.over[index] = None, error
                self.ended.put(index)
        else:
            self.hands += 1

    def _work(self) -> None:
        """Run jobs until none waits, or until one was late: then another thread took over."""
        while True:
            try:
                index = self.waiting.popleft()
            except IndexError:
                return
            if self.timeout is not None:
                self.begun.put((index, time.monotonic() + self.timeout))
            value, raised = None, None
            try:
                value = self.context.copy().run(self.jobs[index].answer)
            except BaseException as error:  # noqa: BLE001 - whoever waits is told, whatever it is
                raised = error
            if self.fate.setdefault(index, "ended") == "late":
                return
            self.over[index] = value, raised
            self.ended.put(index)
            del value, raised

    def wait(self, ended: Ended) -> None:
        """Pass on what ends until all has, and give up what is late."""
        running: dict[int, float] = {}  # until when, the first that will be late first
        left = len(self.jobs)
        while left:
            try:
                index = self.ended.get(timeout=self._patience(running))
            except Empty:
                left -= self._give_up(running, ended)
                continue
            running.pop(index, None)
            left -= 1
            ended(index, *self.over[index])
            del self.over[index]

    def empty(self, ended: Ended) -> None:
        """Pass on what has ended when this is stopped; what stops it as well is one of many."""
        for index, (value, error) in list(self.over.items()):
            if error is None or issubclass(type(error), Exception):
                with contextlib.suppress(ToolRoundError):  # it was passed on just before
                    ended(index, value, error)

    def _patience(self, running: dict[int, float]) -> float | None:
        """How long nothing can be late, in seconds."""
        if self.timeout is None:
            return None
        while not self.begun.empty():
            index, until = self.begun.get()
            running[index] = until
        first = next(iter(running.values()), time.monotonic() + self.timeout)
        return max(0.0, first - time.monotonic())

    def _give_up(self, running: dict[int, float], ended: Ended) -> int:
        """Tell of the job that is late as if it had ended, unless it has; how many that are."""
        index = next(iter(running), None)
        if index is None or running[index] > time.monotonic():
            return 0
        del running[index]
        if self.fate.setdefault(index, "late") == "ended":
            return 0
        self.hands -= 1
        self.hire()
        ended(index, None, late(self.timeout or 0, may_run_on=True))
        return 1
