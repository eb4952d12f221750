"""The calls of a round that are to be run, and where their results go."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import TypeAlias, TypedDict

from toolpair._results import result_block
from toolpair._rounds.blocks import sound
from toolpair._rounds.calls import ToolCall
from toolpair._rounds.choosing import Chosen, split
from toolpair._rounds.jobs import Answer, Tools, jobs_of
from toolpair._rounds.ledger import Ledger, OnError
from toolpair._rounds.threads import run_in_threads
from toolpair._rounds.trio import run_in_trio

__all__ = ["MAX_CONCURRENCY", "Options", "Reason", "Work", "positive", "refuse"]

MAX_CONCURRENCY = 16
"""How many calls run at once, unless it is said."""

Reason: TypeAlias = str | Mapping[str, str]
"""Why calls are not run: `"denied"`, `"deferred"`, `"lost"`, or a text; or these by id or name."""

_REASONS = {
    "denied": "This call was denied. It was not run.",
    "deferred": "This call was deferred. It has not been run yet.",
    "lost": "No result was recorded for this call. Whether it had effects is unknown.",
}


class Options(TypedDict):
    """The keywords of a run, as `run_tool_calls` says them."""

    max_concurrency: int
    timeout: float | None
    on_error: OnError | None


class Work:
    """Chosen calls of a ledger, ready to run. Whoever runs them tells the ledger of each end.

    `calls` are those without a result that are to be run; `others` are not, and have a result that
    says the reason.
    """

    def __init__(
        self,
        ledger: Ledger,
        tools: Tools,
        options: Options,
        only: Chosen | None = None,
        skip: Chosen | None = None,
        reason: Reason = "denied",
    ) -> None:
        """Look at all that was given before anything is run or answered.

        Raises:
            TypeError: The tools, a number, `on_error` or the reason are something else.
            ValueError: A number is out of its range.
        """
        self.ledger = ledger
        self.calls, self.others = split(ledger, tools, only, skip)
        self.jobs = jobs_of(ledger, self.calls, tools)
        self.limit = positive("max_concurrency", options["max_concurrency"])
        self.timeout = _seconds(options["timeout"])
        self.on_error = options["on_error"]
        if self.on_error is not None and not callable(self.on_error):
            raise TypeError(f"on_error must be a callable, not {type(self.on_error).__name__}")
        ledger.taken.update(call.id for call in self.calls)
        refuse(ledger, self.others, reason)

    def run(self) -> None:
        """Run them in threads.

        Raises:
            TypeError: A tool is async. No tool is run.
        """
        for job in {id(job.tool): job for job in self.jobs}.values():
            if job.is_async:
                name = job.call.name
                raise TypeError(f"the tool {name} is async: await the async form of this function")
        if self.jobs:
            run_in_threads(self.jobs, self._ended, limit=self.limit, timeout=self.timeout)

    async def arun(self) -> None:
        """Run them in tasks, of whichever library runs this."""
        from toolpair._rounds.tasks import run_in_tasks  # noqa: PLC0415 - asyncio is slow to import

        if self.jobs:
            run = run_in_trio if _is_in_trio() else run_in_tasks
            await run(self.jobs, self._ended, limit=self.limit, timeout=self.timeout)

    def _ended(self, index: int, value: object, error: BaseException | None) -> None:
        call, error = self.jobs[index].call, _as_raised(error)
        if error is not None and not issubclass(type(error), Exception):  # its __class__ may lie
            raise error
        try:
            self._enter(call, value, error)
        except BaseException as stop:
            if not isinstance(stop, Exception) and call.id not in self.ledger.results:
                self._enter(call, value, error)  # interrupted: what the tool did must not be lost
            raise

    def _enter(self, call: ToolCall, value: object, error: BaseException | None) -> None:
        if type(value) is Answer:
            self.ledger.enter(call, value.block)
        elif error is None:
            self.ledger.returned(call, value)
        else:
            self.ledger.raised(call, error, self.on_error)


def _as_raised(error: BaseException | None) -> BaseException | None:
    """The error as a tool raised it: no coroutine lets a `StopIteration` through (PEP 479)."""
    cause = None if error is None else error.__cause__
    if not issubclass(type(error), RuntimeError):
        return error
    return cause if issubclass(type(cause), (StopIteration, StopAsyncIteration)) else error


def refuse(ledger: Ledger, calls: list[ToolCall], reason: Reason) -> None:
    """Answer calls that are not run with the reason.

    Raises:
        TypeError: It is neither a text nor a mapping of texts. No call is answered.
    """
    for call, why in [(call, _why(call, reason)) for call in calls]:
        text = _REASONS.get(why) or sound(why)
        block = result_block(
            call.id, text, is_error=why != "deferred", toolset_name=call.toolset_name
        )
        ledger.enter(call, block)


def _why(call: ToolCall, reason: Reason) -> str:
    why: object = reason
    if isinstance(reason, Mapping):
        why = reason.get(call.id) or reason.get(call.name) or ""
    if not isinstance(why, str):
        raise TypeError(f"a reason must be a text, not {type(why).__name__}")
    return why if why.strip() else "denied"


def positive(name: str, number: int) -> int:
    """The number, if it is an integer of at least 1."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{name} must be an integer, not {type(number).__name__}")
    if number < 1:
        raise ValueError(f"{name} must be at least 1, but is {number}")
    return number


def _seconds(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout must be a number of seconds, not {type(timeout).__name__}")
    if not timeout > 0:
        raise ValueError(f"timeout must be more than 0 seconds, but is {timeout}")
    return None if timeout > threading.TIMEOUT_MAX else timeout  # years; no clock waits so long


def _is_in_trio() -> bool:
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())
