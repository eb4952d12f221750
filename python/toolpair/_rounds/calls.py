"""The calls of one assistant message."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolpair import _core
from toolpair._messages import member
from toolpair._report import report_of
from toolpair.exceptions import ToolPairingError

__all__ = ["ToolCall", "assistant_message", "calls_of"]

_UNANSWERABLE = ("malformed-content", "malformed-tool-block", "duplicate-tool-use-id")
"""Rules without which no result can be told to belong to a call."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A client call of an assistant message: what the model wants run.

    `input` is what the block holds, the same object. `toolset_name` is the toolset that the tool
    is a member of. `is_programmatic`: code that the server runs made the call, and takes nothing
    but text as its result. `block_index` is the block's place in the message.
    """

    id: str
    name: str
    input: Any = field(hash=False)
    toolset_name: str | None = None
    is_programmatic: bool = False
    block_index: int = 0

    def __str__(self) -> str:
        if not isinstance(self.input, Mapping):
            return f"{self.name}({self.input!r})"
        words = ", ".join(f"{name}={value!r}" for name, value in self.input.items())
        return f"{self.name}({words})"


def assistant_message(response: object) -> Any:  # noqa: ANN401 - the caller's own type, or a dict
    """The assistant message as it enters a history.

    A message that is one already is the same object. Of what an API returned (it has a
    `stop_reason`, or is of type `message`) its role and content are taken; a content list, or a
    text, gets the role.

    Raises:
        TypeError: It is none of these.
        ValueError: It has another role.
    """
    if isinstance(response, (str, list, tuple)):
        return {"role": "assistant", "content": response}
    if inspect.iscoroutine(response):
        response.close()
        raise TypeError("this is a coroutine: await the model, as the async forms do")
    role, content = member(response, "role"), member(response, "content")
    if not isinstance(role, str) or content is None:
        kind = type(response).__name__
        raise TypeError(f"an assistant message has a role and content; this is {kind} without them")
    if role != "assistant":
        raise ValueError(f"calls stand in assistant messages; this one has the role {role!r}")
    if member(response, "type") == "message" or member(response, "stop_reason") is not None:
        return {"role": "assistant", "content": content}
    return response


def calls_of(message: object) -> tuple[ToolCall, ...]:
    """The client calls of an assistant message, in order; calls of the server's are none of ours.

    Raises:
        ToolPairingError: A call lacks its id, its name or its input, or two have one id: its
            results could not be told apart.
    """
    part = _core.check([message], "anthropic", (), (), allow_pending=True, context=None)
    if part is not None:
        report = report_of(part, "anthropic")
        if any(found.slug in _UNANSWERABLE for found in report.errors):
            raise ToolPairingError(report)
    blocks = member(message, "content")
    return tuple(
        _call(tool_use_id, name, blocks[index], index)
        for tool_use_id, name, _, index in _core.pending([message])
    )


def _call(tool_use_id: str, name: str | None, block: object, index: int) -> ToolCall:
    caller, toolset = member(block, "caller"), member(block, "toolset_name")
    kind = None if caller is None else member(caller, "type")
    return ToolCall(
        id=tool_use_id,
        name=name or "",
        input=member(block, "input"),
        toolset_name=toolset if isinstance(toolset, str) else None,
        is_programmatic=isinstance(kind, str) and kind.startswith("code_execution"),
        block_index=index,
    )
