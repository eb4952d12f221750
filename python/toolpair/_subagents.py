"""What a sub-agent concluded, as a result for its parent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from toolpair import _core
from toolpair._messages import blocks_in, member, said_in
from toolpair._results import checked_id, result_block

__all__ = ["subagent_result"]

_FINISHED = (None, "end_turn", "stop_sequence")


def subagent_result(
    tool_use_id: str, sub_messages: Sequence[object], *, toolset_name: str | None = None
) -> dict[str, Any]:
    """Make one result for the parent's call of what a sub-agent concluded.

    The conclusion is the text of its last assistant turn: separate texts with a blank line
    between, the parts of a cited one as they are. Its calls, their results and its thinking never
    enter the parent's history. A sub-agent that stopped unfinished (a call, a result or a user
    message is the last thing, the server was still at work, `stop_reason` says that the reply was
    cut off, there is no text) gives an error that says so, and quotes what it said last.

    Args:
        tool_use_id: The id of the parent's call.
        sub_messages: The sub-agent's history, as `validate_tool_pairing` takes it. It is not
            judged, and nothing of it is changed.
        toolset_name: That of the call, if it has one.

    Returns:
        A new `tool_result` block with a string that is never blank.

    Raises:
        TypeError: The id is no string; or it is no history, with the place.
        ValueError: The id is blank.

    >>> sub = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "It is 42."}]
    >>> subagent_result("toolu_1", sub)
    {'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': 'It is 42.'}
    """
    answered = checked_id(tool_use_id, "tool_use_id")
    _core.unpaired(sub_messages)  # says of what is no history where it is none
    spoken = [message for message in sub_messages if member(message, "role") != "system"]
    by_assistant = groupby(spoken, lambda message: member(message, "role") == "assistant")
    turns = [(is_assistant, list(turn)) for is_assistant, turn in by_assistant]
    said = next((text for is_it, turn in reversed(turns) if is_it and (text := said_in(turn))), "")
    fault = _why_unfinished(turns[-1][1]) if turns else "its history is empty"
    if fault is None:
        return result_block(answered, said, toolset_name=toolset_name)
    quote = f"The last it said:\n\n{said}" if said else "It said nothing."
    text = f"The sub-agent did not finish: {fault}. {quote}"
    return result_block(answered, text, is_error=True, toolset_name=toolset_name)


def _why_unfinished(turn: Sequence[object]) -> str | None:
    """Why a history that ends in this turn has no conclusion; None if it has one."""
    blocks = [block for message in turn for block in blocks_in(message)]
    kinds = [member(block, "type") for block in blocks]
    if member(turn[-1], "role") != "assistant":
        answers = "tool_result" in kinds or member(turn[-1], "role") == "tool"
        what = "the results of its last calls" if answers else "the last message"
        return f"it has not replied to {what}"
    if "tool_use" in kinds:
        return "its last calls have no results"
    answered = [member(block, "tool_use_id") for block in blocks]
    calls = [block for block in blocks if str(member(block, "type")).endswith("_tool_use")]
    if any(member(block, "id") not in answered for block in calls):
        return "a tool that the server runs has given no result"
    reason = member(turn[-1], "stop_reason")
    if reason not in _FINISHED:
        return f"its last reply was cut off (stop_reason {reason})"
    return None if said_in(turn) else "its last reply holds no text"
