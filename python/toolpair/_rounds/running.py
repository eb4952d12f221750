"""The calls of one assistant message, run: what to call instead of a loop of your own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

from toolpair._mend import changed_message
from toolpair._messages import member
from toolpair._repair import repair_tool_pairing
from toolpair._report import RULES
from toolpair._rounds.calls import ToolCall
from toolpair._rounds.choosing import Chosen
from toolpair._rounds.jobs import Tools
from toolpair._rounds.ledger import Ledger, OnError
from toolpair._rounds.work import MAX_CONCURRENCY, Options, Reason, Work
from toolpair.exceptions import ToolRoundError

__all__ = ["arun_tool_calls", "run_tool_calls"]

Message: TypeAlias = dict[str, Any]

_ALL_BUT_ENDS = [rule.slug for rule in RULES if rule.slug != "thinking-block-last"]


@overload
def run_tool_calls(
    message: object,
    tools: Tools,
    *,
    max_concurrency: int = ...,
    timeout: float | None = ...,
    on_error: OnError | None = ...,
    only: Chosen | None = ...,
    skip: Chosen | None = ...,
    reason: Reason = ...,
    drop: Literal[False] = ...,
) -> Message | None: ...
@overload
def run_tool_calls(
    message: object,
    tools: Tools,
    *,
    max_concurrency: int = ...,
    timeout: float | None = ...,
    on_error: OnError | None = ...,
    only: Chosen | None = ...,
    skip: Chosen | None = ...,
    reason: Reason = ...,
    drop: Literal[True],
) -> tuple[Any, Message | None]: ...
def run_tool_calls(
    message: object,
    tools: Tools,
    *,
    max_concurrency: int = MAX_CONCURRENCY,
    timeout: float | None = None,
    on_error: OnError | None = None,
    only: Chosen | None = None,
    skip: Chosen | None = None,
    reason: Reason = "denied",
    drop: bool = False,
) -> Message | tuple[Any, Message | None] | None:
    """Run the client calls of an assistant message; return the user message that answers them all.

    Its `tool_result` blocks stand in the order of the calls, one for each, whatever their tools
    do. An exception becomes a result with `is_error` that names its type and what it says; so do
    a tool that there is not, one that is late, and one that returns what no result can hold.
    Server and MCP calls are the server's to answer. Calls run in threads, several at once.

    A tool may return a string, content blocks (a list or one), JSON data, dataclasses, pydantic
    models, an image or a PDF as bytes, a ready `tool_result` for its call, or None.

    Args:
        message: The assistant message: a dict, an SDK's `Message`, or its content list.
        tools: A mapping of names to callables, each called with the call's input as keywords; or
            one callable for all, called with `(name, input, id)`.
        max_concurrency: How many calls run at once; with 1, and without a timeout, all run in
            this thread, one after the other.
        timeout: Seconds that each call may take from its own start. A thread cannot be stopped:
            a late tool runs on, and its result says so.
        on_error: Shapes the result of a tool that raised: it is given the exception and the
            `ToolCall`, and returns what a tool may return. None stands for the usual text.
        only: The calls to run: ids, names of tools, or a function of a `ToolCall`. The others
            get a result that says the reason.
        skip: The calls not to run, in the same forms; it prevails over `only`.
        reason: Why calls are not run: `"denied"`, `"deferred"`, a text of your own, or a mapping
            of ids or names of tools to these.
        drop: Take the calls that are not run out of the assistant message instead.

    Returns:
        The user message; None if the message holds no client call: then the turn is over. With
        `drop`, the assistant message as it may enter the history, and the user message; None for
        the first if nothing of it is left. Nothing given is changed.

    Raises:
        ToolPairingError: A call lacks its id, name or input, or two have one id. No tool is run.
        ToolRoundError: `drop` would take a call away that the server's code waits for, or would
            let a message with other calls end in thinking. No tool is run.
        TypeError: The message is none, or an argument is of the wrong type. No tool is run.
        ValueError: The message has another role, or a number is out of range. No tool is run.
        BaseException: What a tool raises that is no `Exception`, such as `KeyboardInterrupt`, and
            an interrupt of this thread, go on: see `ToolRound`.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2}}
    >>> run_tool_calls([call], {"add": lambda a, b: a + b})["content"]
    [{'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '3'}]

    Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls
    """
    ledger = Ledger(message)
    options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
    work = Work(ledger, tools, options, only, skip, reason)
    kept = _without(ledger.assistant, work.others) if drop else None
    work.run()
    return (kept, ledger.message(work.calls)) if drop else ledger.message()


@overload
async def arun_tool_calls(
    message: object,
    tools: Tools,
    *,
    max_concurrency: int = ...,
    timeout: float | None = ...,
    on_error: OnError | None = ...,
    only: Chosen | None = ...,
    skip: Chosen | None = ...,
    reason: Reason = ...,
    drop: Literal[False] = ...,
) -> Message | None: ...
@overload
async def arun_tool_calls(
    message: object,
    tools: Tools,
    *,
    max_concurrency: int = ...,
    timeout: float | None = ...,
    on_error: OnError | None = ...,
    only: Chosen | None = ...,
    skip: Chosen | None = ...,
    reason: Reason = ...,
    drop: Literal[True],
) -> tuple[Any, Message | None]: ...
async def arun_tool_calls(
    message: object,
    tools: Tools,
    *,
    max_concurrency: int = MAX_CONCURRENCY,
    timeout: float | None = None,
    on_error: OnError | None = None,
    only: Chosen | None = None,
    skip: Chosen | None = None,
    reason: Reason = "denied",
    drop: bool = False,
) -> Message | tuple[Any, Message | None] | None:
    """Do what `run_tool_calls` does, in tasks: it takes the same, and async tools as well.

    Async tools run in tasks of asyncio, or of trio (which needs anyio); others run in threads. A
    late async tool is cancelled. Where this is cancelled itself, so are the tools, and the
    cancellation goes on.

    >>> import asyncio
    >>> async def add(a, b):
    ...     return a + b
    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2}}
    >>> asyncio.run(arun_tool_calls([call], {"add": add}))["content"][0]["content"]
    '3'
    """
    ledger = Ledger(message)
    options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
    work = Work(ledger, tools, options, only, skip, reason)
    kept = _without(ledger.assistant, work.others) if drop else None
    await work.arun()
    return (kept, ledger.message(work.calls)) if drop else ledger.message()


def _without(message: object, calls: Sequence[ToolCall]) -> object:
    """The assistant message without these calls, as it may enter a history; None if it may not.

    Thinking that led to nothing but calls that go may not end a message, and goes with them; but
    not where calls stay: while they run, the thinking of their turn must be whole.
    """
    if not calls:
        return message
    waited = ", ".join(call.id for call in calls if call.is_programmatic)
    if waited:
        raise ToolRoundError(f"the server's code waits for {waited}: answer it, do not drop it")
    gone = {call.block_index for call in calls}
    blocks = [it for index, it in enumerate(member(message, "content")) if index not in gone]
    last = member(blocks[-1], "type") if blocks else None
    if last in ("thinking", "redacted_thinking") and any(map(_is_call, blocks)):
        names = ", ".join(call.id for call in calls)
        raise ToolRoundError(f"without {names} the message would end in thinking: answer it")
    left = changed_message(message, {"content": blocks}, ())
    asked = {"role": "user", "content": "And now?"}
    # The first assistant turn of a list may end in thinking; this one may not stay the first.
    before = [asked, {"role": "assistant", "content": "So."}, asked]
    after = repair_tool_pairing([*before, left, asked], ignore=_ALL_BUT_ENDS)[len(before)]
    return after if after is not asked and member(after, "content") else None


def _is_call(block: object) -> bool:
    return bool(member(block, "type") == "tool_use")
