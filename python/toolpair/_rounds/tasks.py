"""Jobs in asyncio tasks: several at once, each with a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from toolpair._rounds.jobs import Ended, Job, Outcome, late
from toolpair._rounds.threads import in_thread
from toolpair.exceptions import ToolCancelledError

__all__ = ["run_in_tasks"]


async def run_in_tasks(
    jobs: Sequence[Job], ended: Ended, *, limit: int, timeout: float | None
) -> None:
    """Run the jobs, at most `limit` at a time; `ended` is told of each.

    A job that is late is cancelled, and is not waited for. Where this is cancelled itself, the
    jobs are, and it ends when they have; `ended` is told of those that ended with a result.
    """
    desk = _Desk(jobs, ended, limit, timeout)
    try:
        desk.begin()  # an eager task runs here, and what it raises comes out here
        await desk.all_ended
    finally:
        desk.waiting.clear()
        await desk.stop()


class _Desk:
    """The jobs that wait, and those that run. All of it happens in the loop's thread."""

    def __init__(
        self, jobs: Sequence[Job], ended: Ended, limit: int, timeout: float | None
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.waiting = deque(enumerate(jobs))
        self.running: dict[int, asyncio.Task[object]] = {}
        self.ended = ended
        self.limit = limit
        self.timeout = timeout
        self.all_ended: asyncio.Future[None] = self.loop.create_future()

    def begin(self) -> None:
        """Begin jobs as long as there is room."""
        while self.waiting and len(self.running) < self.limit:
            index, job = self.waiting.popleft()
            task = self.loop.create_task(_value_of(job))
            self.running[index] = task
            timer = None
            if self.timeout is not None:
                timer = self.loop.call_later(self.timeout, self._give_up, index, job)
            task.add_done_callback(partial(self._take, index, timer))
        if not self.running and not self.all_ended.done():
            self.all_ended.set_result(None)

    async def stop(self) -> None:
        """Cancel what runs, and wait for its end, however often this is cancelled meanwhile.

        What is late is not waited for here either.
        """
        for task in self.running.values():
            task.cancel()
        cancelled: asyncio.CancelledError | None = None
        while tasks := [task for task in self.running.values() if not task.done()]:
            try:
                await asyncio.wait(tasks, timeout=self.timeout)
            except asyncio.CancelledError as again:  # noqa: PERF203 - once, or anyio at every step
                cancelled = again
        for index, task in list(self.running.items()):
            self._take(index, None, task)  # it ended just now, and its callback waits
        if cancelled is not None:
            raise cancelled

    def _take(
        self, index: int, timer: asyncio.TimerHandle | None, task: asyncio.Task[object]
    ) -> None:
        """A task has ended."""
        if timer is not None:
            timer.cancel()
        error: BaseException | None
        if task.cancelled():
            error = ToolCancelledError("the tool was cancelled; whether it had effects is unknown")
        else:
            error = task.exception()
        value = None if error is not None else task.result()
        if self.running.pop(index, None) is None:
            return  # it was late
        was_stopped = self.all_ended.done()
        if not (was_stopped and task.cancelled()):
            self._tell(index, value, error)
        if not was_stopped:
            self.begin()

    def _give_up(self, index: int, job: Job) -> None:
        """A task is late, if it did not end just now."""
        if self.running[index].done():
            return
        task = self.running.pop(index)
        task.cancel()
        self._tell(index, None, late(self.timeout or 0, may_run_on=not job.is_async))
        self.begin()

    def _tell(self, index: int, value: object, error: BaseException | None) -> None:
        try:
            self.ended(index, value, error)
        except BaseException as fault:  # noqa: BLE001 - a callback of the loop has no caller
            if not self.all_ended.done():
                self.all_ended.set_exception(fault)


async def _value_of(job: Job) -> object:
    value = job.run() if job.is_async else await _in_thread(job.run)
    return await value if inspect.isawaitable(value) else value


async def _in_thread(run: Callable[[], object]) -> object:
    """What it returns in a thread of its own: one that hangs does not keep the loop from ending."""
    loop = asyncio.get_running_loop()
    over: list[Outcome] = []
    future: asyncio.Future[Outcome] = loop.create_future()

    def settle(value: object, error: BaseException | None) -> None:
        if not future.done():
            future.set_result((value, error))  # no future takes a StopIteration as its exception

    def ended(value: object, error: BaseException | None) -> None:
        with contextlib.suppress(BaseException):  # some objects raise when they are asked anything
            if not inspect.isawaitable(value):  # else there is more to it
                over.append((value, error))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, error)

    in_thread(run, ended)
    try:
        value, error = await future
    except asyncio.CancelledError:
        if not over:
            raise
        value, error = over[0]  # it ended before; the loop had not heard of it
    if error is not None:
        raise error
    return value
