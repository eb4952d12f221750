"""Jobs under trio, through anyio: several at once, each with a time limit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from toolpair._rounds.jobs import Ended, Job, Outcome, late

__all__ = ["run_in_trio"]


async def run_in_trio(
    jobs: Sequence[Job], ended: Ended, *, limit: int, timeout: float | None
) -> None:
    """Run the jobs, at most `limit` at a time; `ended` is told of each.

    Raises:
        ImportError: anyio is not installed.
    """
    try:
        import anyio.to_thread  # noqa: PLC0415 - only who runs trio needs it
    except ImportError as error:
        raise ImportError("under trio this needs anyio: pip install 'toolpair[trio]'") from error
    desk = _Desk(anyio, ended, limit, timeout)
    async with anyio.create_task_group() as desk.group:
        for index, job in enumerate(jobs):
            desk.group.start_soon(desk.one, index, job)
    if desk.fault is not None:
        raise desk.fault


class _Desk:
    """What the jobs share."""

    def __init__(self, anyio: Any, ended: Ended, limit: int, timeout: float | None) -> None:  # noqa: ANN401
        self.anyio = anyio
        self.ended = ended
        self.room = anyio.Semaphore(limit)
        self.timeout = timeout
        self.group: Any = None
        self.fault: BaseException | None = None  # what `ended` raised

    async def one(self, index: int, job: Job) -> None:
        """Run a job when there is room, and tell of its end."""
        async with self.room:
            over: list[Outcome] = []  # of a thread, as it ends
            try:
                with self.anyio.move_on_after(self.timeout) as scope:
                    value = await self._value_of(job, over)
            except self.anyio.get_cancelled_exc_class():
                if over:  # it ended before; the loop had not heard of it
                    self._tell(index, *over[0])
                raise
            except BaseException as error:  # noqa: BLE001 - a tool may raise anything
                self._tell(index, None, error)
            else:
                if not scope.cancelled_caught:
                    over = [(value, None)]
                elif not over:
                    over = [(None, late(self.timeout or 0, may_run_on=not job.is_async))]
                self._tell(index, *over[0])

    async def _value_of(self, job: Job, over: list[Outcome]) -> object:
        if job.is_async:
            value = job.run()
        else:  # a limiter of its own: threads that hang must not hold up others
            alone = self.anyio.CapacityLimiter(1)
            run_sync = self.anyio.to_thread.run_sync
            work = partial(_noted, job.run, over)
            value = await run_sync(work, abandon_on_cancel=True, limiter=alone)
        return await value if inspect.isawaitable(value) else value

    def _tell(self, index: int, value: object, error: BaseException | None) -> None:
        try:
            self.ended(index, value, error)
        except BaseException as fault:  # noqa: BLE001 - it goes on as itself, not in a group
            self.fault = fault
            self.group.cancel_scope.cancel()


def _noted(run: Callable[[], object], over: list[Outcome]) -> object:
    """Run this, and note what came of it, unless it is to be awaited."""
    try:
        value = run()
    except BaseException as error:
        over.append((None, error))
        raise
    if not inspect.isawaitable(value):
        over.append((value, None))
    return value
