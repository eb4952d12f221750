"""A script: what a model says, in order, as assistant messages and as the API's replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from toolpair._messages import member
from toolpair._rounds.blocks import is_block

__all__ = ["Reply", "Script", "ScriptError", "as_body", "as_message"]

Reply: TypeAlias = str | Sequence[Any] | Mapping[str, Any] | Callable[[list[Any]], Any]
"""A text, content blocks, an assistant message, or a function of the history that returns one."""


class ScriptError(AssertionError):
    """The loop asked for more replies than the script has."""


class Script:
    """Replies in order; a function that stands last answers all further requests."""

    def __init__(self, replies: Sequence[Any]) -> None:
        if isinstance(replies, (str, Mapping)) or any(map(is_block, replies)):
            raise TypeError("a script is a list of replies, not one reply: put it in a list")
        self.replies = list(replies)

    def at(self, index: int) -> Any:  # noqa: ANN401 - whatever was written there
        """The reply to the request with this index.

        Raises:
            ScriptError: There is none.
        """
        if index < len(self.replies):
            return self.replies[index]
        if self.replies and callable(self.replies[-1]):
            return self.replies[-1]
        count = f"{len(self.replies)} repl{'y' if len(self.replies) == 1 else 'ies'}"
        raise ScriptError(f"the script has {count}, and the loop asked for one more")


def as_message(said: Any) -> Any:  # noqa: ANN401 - a message of any type
    """A reply as an assistant message; what is one already stays as it is."""
    if isinstance(said, str):
        said = [{"type": "text", "text": said}]
    if isinstance(said, (list, tuple)):
        return {"role": "assistant", "content": list(said)}
    return said


def as_body(message: Mapping[str, Any], index: int) -> dict[str, Any]:
    """An assistant message as the body of the API's reply, with the members that it lacks."""
    content = member(message, "content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    has_calls = any(member(block, "type") == "tool_use" for block in blocks)
    return {
        "id": f"msg_{index + 1:02}",
        "type": "message",
        "model": "scripted",
        "stop_reason": "tool_use" if has_calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
        **message,
        "content": blocks,
    }
