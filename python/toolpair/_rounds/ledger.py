"""What came of each call of one assistant message."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from types import CoroutineType
from typing import Any, TypeAlias, cast

from toolpair._mend import as_json
from toolpair._messages import member
from toolpair._results import faults_of, result_block
from toolpair._rounds.blocks import NotContentError, sound
from toolpair._rounds.calls import ToolCall, assistant_message, calls_of
from toolpair._rounds.content import content_of
from toolpair.exceptions import ToolRoundError

__all__ = ["Ledger", "OnError"]

OnError: TypeAlias = Callable[[Exception, ToolCall], object]
"""Shapes the result of a call whose tool raised: it returns what a tool may return."""

_MOST_MARKED = 4
_FAILED = "The tool failed without a message."

_DEEPEST = 20
"""Levels of groups of exceptions that are told."""


class Ledger:
    """The calls of one assistant message, each with its result as soon as there is one."""

    def __init__(self, response: object) -> None:
        """Read the calls. Raises what `assistant_message` and `calls_of` raise."""
        self.assistant = assistant_message(response)
        self.calls = calls_of(self.assistant)
        self.by_id = {call.id: call for call in self.calls}
        self.results: dict[str, Any] = {}  # blocks; of a loaded history, in whatever form
        self.taken: set[str] = set()  # ids of calls that toolpair runs itself
        self.begun: dict[str, bool] = {}  # whether it has begun those, once that was asked
        self.executed: set[str] = set()  # those that it has begun, and that there was a tool for

    def call(self, which: object) -> ToolCall:
        """The call that is meant: a `ToolCall`, its block, or its id."""
        key = which if isinstance(which, str) else member(which, "id")
        found = self.by_id.get(key) if isinstance(key, str) else None
        if found is None:
            known = ", ".join(f"{call.id} ({call.name})" for call in self.calls) or "none"
            shown = repr(which if key is None else key)
            raise ToolRoundError(f"the assistant message has no call {shown}; its calls: {known}")
        return found

    def open_calls(self) -> list[ToolCall]:
        """The calls without a result."""
        return [call for call in self.calls if call.id not in self.results]

    def enter(self, call: ToolCall, block: dict[str, Any]) -> None:
        """Take the result of a call down; it stays as it is.

        Raises:
            ToolRoundError: The call has a result.
        """
        if self.results.setdefault(call.id, block) is not block:
            raise ToolRoundError(f"the call {call.id} of {call.name} has a result already")

    def returned(self, call: ToolCall, value: object, *, is_error: bool = False) -> None:
        """Take down what the tool of a call returned; an exception is an error."""
        self.enter(call, result_of(call, value, is_error=is_error))

    def raised(self, call: ToolCall, error: BaseException, on_error: OnError | None = None) -> None:
        """Take down what the tool of a call raised."""
        self.enter(call, error_of(call, error, on_error))

    def message(self, calls: Sequence[ToolCall] | None = None) -> dict[str, Any] | None:
        """The user message that answers these calls, or all, in their order; None without any."""
        asked = self.calls if calls is None else calls
        results = [self.results[call.id] for call in asked]
        wanted, given = [call.id for call in asked], [member(it, "tool_use_id") for it in results]
        if given != wanted:  # never, unless a ready result was changed after it was taken down
            raise ToolRoundError(f"the calls {wanted} would be answered by results of {given}")
        return {"role": "user", "content": _few_marked(results)} if results else None


def _few_marked(results: list[Any]) -> list[Any]:
    """The results with at most four cache markers, the last ones: a request may hold no more."""
    marked = [index for index, it in enumerate(results) if member(it, "cache_control") is not None]
    for index in marked[:-_MOST_MARKED]:
        block = results[index]
        results[index] = {name: block[name] for name in block if name != "cache_control"}
    return results


def result_of(call: ToolCall, value: object, *, is_error: bool = False) -> dict[str, Any]:
    """The result of a call whose tool returned this; an error result if it cannot be said."""
    if issubclass(type(value), BaseException):
        return error_of(call, cast("BaseException", value), None)
    if issubclass(type(value), CoroutineType):
        cast("CoroutineType[Any, Any, Any]", value).close()
        text = f"{call.name} was not run: it is async, and was called by a loop that is not"
        return _block(call, text, is_error=True)
    given, kept = value, {}
    try:
        value, is_error = _unwrapped(call, value, is_error=is_error)
        content = content_of(value)
        if is_error and (_says_nothing(value) or not content):
            content = _FAILED
        faults = "" if isinstance(content, str) else _faults(call, content, is_error=is_error)
        if value is not given and (marked := member(given, "cache_control")) is not None:
            kept = {"cache_control": marked}  # of a ready result
    except NotContentError as error:
        content, faults = "", str(error)
    except Exception as error:  # noqa: BLE001 - what it returned raises when it is read
        content, faults = "", f"an object that cannot be read: {said_of(error)}"
    if faults:
        is_error, kept = True, {}
        content = f"{call.name} ran, but returned what the API does not take as a result: {faults}"
    return _block(call, content, is_error=is_error) | kept


def error_of(call: ToolCall, error: BaseException, on_error: OnError | None) -> dict[str, Any]:
    """The result of a call whose tool raised; its text is never empty."""
    said = said_of(error)
    if on_error is None or not issubclass(type(error), Exception):
        return _block(call, said, is_error=True)
    try:
        shaped = on_error(cast("Exception", error), call)
        return result_of(call, said if _says_nothing(shaped) else shaped, is_error=True)
    except Exception as second:  # noqa: BLE001 - the first error must not be lost for it
        said = f"{said} (and on_error raised {said_of(second)})"
        return _block(call, said, is_error=True)


def said_of(error: BaseException, within: tuple[BaseException, ...] = ()) -> str:
    """An exception in words: its type, and what it says; of a group, what each of it says."""
    kind, text = type(error).__name__, ""
    inner: Any = ()
    with contextlib.suppress(Exception):  # an exception may be broken as well
        text = str(error).strip()
    with contextlib.suppress(Exception):
        inner = getattr(error, "exceptions", ())
    if isinstance(inner, tuple) and inner and len(within) < _DEEPEST:
        path = (*within, error)
        told = [said_of(it, path) for it in inner if all(it is not outer for outer in path)]
        text = f"{text}: {'; '.join(told)}"
    return sound(f"{kind}: {text}" if text else kind)


def _unwrapped(call: ToolCall, value: object, *, is_error: bool) -> tuple[object, bool]:
    """What a ready result holds: a `tool_result` block for this call, or an answer of MCP's."""
    if isinstance(value, str):
        return value, is_error
    if member(value, "type") == "tool_result" and (key := member(value, "tool_use_id")) is not None:
        content = member(value, "content")
        if key != call.id:
            said = content if isinstance(content, str) else as_json(content)
            raise NotContentError(f"a result of {key}, which is another call. It says: {said}")
        return content, is_error or bool(member(value, "is_error"))
    failed, content = member(value, "isError"), member(value, "content")
    if isinstance(failed, bool) and isinstance(content, list):
        return content or None, is_error or failed
    return value, is_error


def _says_nothing(value: object) -> bool:
    return value is None or (isinstance(value, (str, list, tuple)) and not value)


def _faults(call: ToolCall, content: object, *, is_error: bool) -> str:
    return faults_of(
        content,
        is_error=is_error,
        toolset_name=call.toolset_name,
        is_programmatic=call.is_programmatic,
    )


def _block(call: ToolCall, content: object, *, is_error: bool) -> dict[str, Any]:
    return result_block(call.id, content, is_error=is_error, toolset_name=call.toolset_name)
