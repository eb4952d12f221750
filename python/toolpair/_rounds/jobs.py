"""A call as something to be run: who runs it, and whether it is run at all."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from toolpair._rounds.calls import ToolCall
from toolpair._rounds.ledger import Ledger, result_of
from toolpair.exceptions import ToolTimeoutError, UnknownToolError

__all__ = ["Answer", "Ended", "Job", "Outcome", "Tools", "jobs_of", "late"]

Tools: TypeAlias = Mapping[str, Any] | Callable[[str, Any, str], object | Awaitable[object]]
"""The tools: callables by name, each called with its input as keywords; or one callable for all,
called with `(name, input, id)`. Values are `Any` as mypy infers no callable for a dict of functions
that take different arguments."""

Outcome: TypeAlias = tuple[object, "BaseException | None"]
"""What came of a job: what it returned, or what it raised."""

Ended: TypeAlias = Callable[[int, object, "BaseException | None"], None]
"""Is told of the end of a job: its index, what it returned, or what it raised."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returned, as the result of its call."""

    block: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One call, ready to run. Without a `tool` for it, `work` raises what is wrong."""

    call: ToolCall
    tool: Callable[..., object] | None
    work: Callable[[], object]
    ledger: Ledger

    def run(self) -> object:
        """Run it. What comes of it is to be awaited if `is_async`."""
        if not self.ledger.begun.setdefault(self.call.id, True):
            return None  # the round is over, and said that this was not run
        if self.tool is not None:
            self.ledger.executed.add(self.call.id)
        return self.work()

    def answer(self) -> Answer:
        """Run it, and put what it returned into words: that may take its time as well."""
        return Answer(result_of(self.call, self.run()))

    @property
    def is_async(self) -> bool:
        """Whether running it gives something to await; then it needs no thread."""
        tool: object = self.tool
        while isinstance(tool, partial):
            tool = tool.func
        return inspect.iscoroutinefunction(tool) or inspect.iscoroutinefunction(
            getattr(tool, "__call__", None)  # noqa: B004 - whether it is async, not whether it is there
        )


def jobs_of(ledger: Ledger, calls: Iterable[ToolCall], tools: Tools) -> list[Job]:
    """The calls with what runs them.

    Raises:
        TypeError: The tools are neither a mapping of callables nor a callable.
    """
    if isinstance(tools, Mapping):
        for name, tool in tools.items():
            if not isinstance(name, str):
                raise TypeError(f"the names of tools are strings; {name!r} is none")
            if not callable(tool):
                kind = type(tool).__name__
                raise TypeError(f"tools[{name!r}] must be a callable, not {kind}")
        return [Job(call, *_by_name(call, tools), ledger) for call in calls]
    given: Any = tools  # whatever its type says
    if not callable(given):
        kind = type(given).__name__
        raise TypeError(
            f"tools must be callables by name, such as {{'get_weather': get_weather}}, or one "
            f"callable, not {kind}"
        )
    return [Job(call, tools, partial(_call_one, tools, call), ledger) for call in calls]


def late(seconds: float, *, may_run_on: bool) -> ToolTimeoutError:
    """The error that stands for a job that did not end in time."""
    state = "it may still be running" if may_run_on else "it was cancelled"
    text = f"timed out after {seconds:g} s; {state}, and whether it had effects is unknown"
    return ToolTimeoutError(text, seconds)


def _by_name(
    call: ToolCall, tools: Mapping[str, Callable[..., object]]
) -> tuple[Callable[..., object] | None, Callable[[], object]]:
    """The tool of a call, and what runs it."""
    tool = tools.get(call.name)
    if tool is None:
        return None, partial(_unknown, call, tools)
    if not isinstance(call.input, Mapping):
        return None, partial(_no_input, call)
    return tool, partial(_call_named, tool, call)


def _call_one(tool: Callable[..., object], call: ToolCall) -> object:
    return tool(call.name, _own(call.input), call.id)


def _call_named(tool: Callable[..., object], call: ToolCall) -> object:
    return tool(**{str(name): _own(value) for name, value in call.input.items()})


def _own(value: object) -> object:
    """A tool's own copy of an input: what it changes there must not change the history."""
    if isinstance(value, dict):
        return {name: _own(held) for name, held in value.items()}
    return [_own(held) for held in value] if isinstance(value, list) else value


def _unknown(call: ToolCall, tools: Mapping[str, object]) -> object:
    names = ", ".join(sorted(map(str, tools))) or "none"
    raise UnknownToolError(f"there is no tool {call.name!r}; the tools are: {names}")


def _no_input(call: ToolCall) -> object:
    kind = type(call.input).__name__
    raise TypeError(f"the input of {call.name} is no object, but {kind}")
