"""Somebody's loop, run against a scripted model, and what it did."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from toolpair._messages import member
from toolpair._report import Report
from toolpair._rounds.calls import ToolCall, assistant_message, calls_of
from toolpair._rounds.run import Run
from toolpair._types import EndReason
from toolpair._verbs import check_tool_pairing
from toolpair.exceptions import ToolPairingError
from toolpair.testing._scripted import client_of

__all__ = ["drive"]


class _LimitReached(BaseException):
    """Ends a loop that asks for more rounds than it may: no `except Exception` stops it."""


def drive(
    loop: Callable[..., Any],
    model: Callable[[list[Any]], Any],
    messages: str | Sequence[Any],
    tools: Mapping[str, Any],
    *,
    max_rounds: int = 6,
    fail_tools: Collection[str] = (),
    slow_tools: Collection[str] = (),
    timeout: float = 10.0,
) -> Run:
    """Run a loop against a model, and report what it did.

    Args:
        loop: What is tested: `loop(model, messages, tools)`, sync or async: what it returns is
            awaited if that can be, and then the model is to be awaited, too. It extends the list
            that it is given, or returns the history; of one that does neither, the last request
            and the reply to it are what is known. For a loop that takes a client, there is
            `model.client`: its `messages.create(messages=..., ...)` asks the same model.
        model: What it asks: a `ScriptedModel`, or any function of the history.
        messages: The history to begin with, or the text of the first user message. It is copied.
        tools: The tools by name, as for `run_tool_calls`.
        max_rounds: Replies after which the loop is ended.
        fail_tools: Names of tools that raise a `RuntimeError` instead of being run.
        slow_tools: Names of tools that hang until the drive is over, and are not run.
        timeout: Seconds after which a loop that has not come back is given up as `"hung"`.

    Returns:
        The run. Its `end_reason` is `"finished"`, `"max_rounds"`, `"stopped"` (it ended although
        the model had called tools), `"crashed"` (`run.error` is what the loop raised) or `"hung"`;
        or that of the `Run` that the loop returned. `run.report` is about the first request that
        the API would have refused, else what a returned `Run` reports, else about the history at
        the end if that would be refused; None if there is nothing of it.

    Raises:
        TypeError: The loop or the model is no callable, or the tools are no mapping.
        ValueError: `fail_tools` or `slow_tools` names a tool that there is not.

    >>> from toolpair.testing import ScriptedModel, all_calls, calls
    >>> model = ScriptedModel([calls(("f", {})), "Done."])
    >>> drive(all_calls, model, "Do it.", {"f": lambda: 1}).role_sequence
    ('user', 'assistant', 'user', 'assistant')
    """
    for name, given in (("loop", loop), ("model", model)):
        if not callable(given):
            raise TypeError(f"{name} must be a callable, not {type(given).__name__}")
    if not isinstance(tools, Mapping):
        raise TypeError(f"tools must be callables by name, not {type(tools).__name__}")
    begin = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    bench = _Bench(model, tools, max_rounds, (fail_tools, slow_tools))
    history = list(begin)
    worker = threading.Thread(target=bench.run, args=(loop, history), daemon=True)
    worker.start()
    try:
        worker.join(min(timeout, threading.TIMEOUT_MAX))
        return bench.report(history, is_hung=worker.is_alive())
    finally:
        bench.over.set()  # what hangs in a slow tool comes back, and a loop that goes on is ended


class _Model:
    """The model as the loop sees it: to be called, or as a client."""

    def __init__(self, ask: Callable[[Sequence[Any]], Any]) -> None:
        self._ask = ask
        self.client = client_of(ask)

    def __call__(self, messages: Sequence[Any], *_: object, **__: object) -> Any:  # noqa: ANN401
        return self._ask(messages)


class _Bench:
    """The model and the tools as the loop sees them, and what it did with them."""

    def __init__(
        self,
        model: Callable[[list[Any]], Any],
        tools: Mapping[str, Any],
        max_rounds: int,
        troubles: tuple[Collection[str], Collection[str]],
    ) -> None:
        self.model = model
        self.max_rounds = max_rounds
        self.fail_tools, self.slow_tools = (_named(names, tools) for names in troubles)
        self.tools = {name: self._tool(name, tool) for name, tool in tools.items()}
        self.over = threading.Event()
        self.given = 0  # messages that the loop began with
        self.seen: list[Any] = []  # the last request, and the reply to it
        self.requests = 0
        self.asked: list[tuple[ToolCall, ...]] = []  # the calls of each reply
        self.executed: list[ToolCall] = []
        self.broken: Report | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_limited = False
        self.is_async = False
        self._lock = threading.Lock()

    def run(self, loop: Callable[..., Any], history: list[Any]) -> None:
        """Run the loop to its end, or to the limit."""
        self.given = len(history)
        try:
            ask = self._asked_async if inspect.iscoroutinefunction(loop) else self._asks
            result = loop(_Model(ask), history, self.tools)
            if inspect.isawaitable(result):
                self.is_async = True
                result = asyncio.run(_value_of(result))
            self.result = result
        except _LimitReached:
            self.is_limited = True
        except BaseException as error:  # noqa: BLE001 - whatever it raised is what is reported
            self.error = error

    def report(self, history: list[Any], *, is_hung: bool) -> Run:
        """What happened so far."""
        result = None if is_hung else self.result
        returned = result.messages if isinstance(result, Run) else result
        history = _messages_of(returned) or history
        is_own = not is_hung and self.error is None and not isinstance(result, Run)
        if is_own and len(history) == self.given:
            history = self.seen or history  # it keeps a list of its own
        left = list(self.executed)
        dropped = [call for calls in self.asked for call in calls if not _took(left, call)]
        told = result.report if isinstance(result, Run) else None
        history = self._readable(history)
        at_end = check_tool_pairing(history)
        return Run(
            end_reason="hung" if is_hung else self._reason(result),
            rounds=len(self.asked),
            executed=tuple(self.executed),
            dropped=tuple(dropped),
            messages=tuple(history),
            report=self.broken or told or (None if at_end.ok else at_end),
            error=self.error,
        )

    def _readable(self, history: list[Any]) -> list[Any]:
        """The history up to what is no message; a loop that put it there is taken for crashed."""
        for index, message in enumerate(history):
            if not isinstance(member(message, "role"), str):
                text = f"the loop put a {type(message).__name__} at messages[{index}]: no message"
                self.error = self.error or TypeError(text)
                return history[:index]
        return history

    def _reason(self, result: object) -> EndReason:
        if self.error is not None:
            return "crashed"
        if isinstance(result, Run):
            return result.end_reason
        if self.is_limited:
            return "max_rounds"
        if not self.asked or not self.asked[-1]:
            return "finished"
        return "max_rounds" if len(self.asked) >= self.max_rounds else "stopped"

    def _asked(self, messages: Sequence[Any]) -> Any:  # noqa: ANN401
        if self.over.is_set() or self.requests >= self.max_rounds:
            raise _LimitReached
        self.requests += 1
        report = check_tool_pairing(messages)
        if self.broken is None and not report.ok:
            self.broken = report
        reply = self.model(list(messages))
        try:
            said = assistant_message(reply)
            self.seen = [*messages, said]
            self.asked.append(calls_of(said))
        except (ToolPairingError, TypeError, ValueError):  # what to do with it is the loop's affair
            self.asked.append(())
        return reply

    async def _asked_async(self, messages: Sequence[Any]) -> Any:  # noqa: ANN401
        return self._asked(messages)

    def _asks(self, messages: Sequence[Any]) -> Any:  # noqa: ANN401
        """For a loop that may turn out to be async: nothing of it runs before that is known."""
        return self._asked_async(messages) if self.is_async else self._asked(messages)

    def _tool(self, name: str, tool: Callable[..., Any]) -> Callable[..., Any]:
        """The tool as the loop gets it: it notes that it was run, and has its troubles."""
        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def run_async(*args: object, **given: object) -> Any:  # noqa: ANN401 - what the tool returns
                self._note(name, given)
                if name not in self.slow_tools:
                    return await tool(*args, **given)
                while not self.over.is_set():  # noqa: ASYNC110 - a thread sets it
                    await asyncio.sleep(0.01)
                return None

            return run_async

        @functools.wraps(tool)
        def run(*args: object, **given: object) -> Any:  # noqa: ANN401
            self._note(name, given)
            if name not in self.slow_tools:
                return tool(*args, **given)
            self.over.wait()
            return None

        return run

    def _note(self, name: str, given: Mapping[str, object]) -> None:
        with self._lock:
            done = list(self.executed)
            new = [[call for call in calls if not _took(done, call)] for calls in self.asked]
            ours = [call for calls in reversed(new) for call in calls if call.name == name]
            same = [call for call in ours if call.input == given]
            call = next(iter(same or ours), ToolCall(id="", name=name, input=given))
            self.executed.append(call)
        if name in self.fail_tools:
            raise RuntimeError(f"{name} failed, as the test asked")


def _named(names: Collection[str], tools: Mapping[str, Any]) -> set[str]:
    """Some of the tools; one name is one tool."""
    named = {names} if isinstance(names, str) else set(names)
    if unknown := sorted(named - set(tools)):
        known = ", ".join(sorted(tools)) or "none"
        raise ValueError(f"there is no tool {unknown[0]!r} to get into trouble; the tools: {known}")
    return named


def _messages_of(returned: Any) -> list[Any]:  # noqa: ANN401 - a loop may return anything
    """The messages that a loop returned; none where it returned anything else beside them."""
    given = list(returned) if isinstance(returned, (list, tuple)) else []
    return given if all(isinstance(member(it, "role"), str) for it in given) else []


async def _value_of(result: Awaitable[Any]) -> Any:  # noqa: ANN401
    return await result


def _took(calls: list[ToolCall], call: ToolCall) -> bool:
    """Take one such call out of the list, if it is in there."""
    if call in calls:
        calls.remove(call)
        return True
    return False
