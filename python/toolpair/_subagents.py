"""Sub-agents: what of their history the parent gets, and what would break if it got it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from toolpair import _core
from toolpair._mend import member
from toolpair._namespace import blocks_in, client_call_ids
from toolpair._report import Report, Violation, shown_id
from toolpair._rounds import listed
from toolpair._tasks import handle
from toolpair._types import Context, Endpoint
from toolpair._verbs import check_tool_pairing

__all__ = ["Splice", "splice_check", "subagent_result"]

_FINISHED = (None, "end_turn", "stop_sequence")


@dataclass(frozen=True, slots=True)
class Splice:
    """What happens if one history is pasted behind another.

    `ok`: no id collides, and no error is new; warnings may be. `colliding_ids` are the ids of
    client calls that both have. `violations` are those that neither list has on its own, at their
    places in the joined list.

    >>> print(splice_check([], [{"role": "user", "content": "q"}]))
    nothing collides and nothing breaks
    """

    ok: bool
    colliding_ids: tuple[str, ...]
    violations: tuple[Violation, ...]

    def __str__(self) -> str:
        if self.ok and not self.violations:
            return "nothing collides and nothing breaks"
        severities = Counter(found.severity for found in self.violations)
        counts = (
            (len(self.colliding_ids), "colliding id"),
            (severities["error"], "new error"),
            (severities["warning"], "new warning"),
        )
        lines = [", ".join(f"{n:,} {what}{'s' if n > 1 else ''}" for n, what in counts if n)]
        if self.colliding_ids:
            lines.append(f"  ids of both: {' '.join(map(shown_id, self.colliding_ids))}")
        lines += [f"  {found}" for found in self.violations]
        if self.ok:
            return "\n".join(lines)
        lines.append("Do not paste it in:")
        lines.append("  subagent_result(id, sub) answers the parent's call with the conclusion.")
        if self.colliding_ids:
            lines.append("  namespace_tool_ids(sub, prefix) gives its calls ids of their own.")
        return "\n".join(lines)


def subagent_result(
    tool_use_id: str, sub_messages: Sequence[object], *, toolset_name: str | None = None
) -> dict[str, Any]:
    r"""Make one result for the parent's call of what a sub-agent concluded.

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
    result: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": handle(tool_use_id, "tool_use_id"),
    }
    _core.unpaired(sub_messages)  # says of what is no history where it is none
    spoken = [message for message in sub_messages if member(message, "role") != "system"]
    by_assistant = groupby(spoken, lambda message: member(message, "role") == "assistant")
    turns = [(is_assistant, list(turn)) for is_assistant, turn in by_assistant]
    said = next((text for is_it, turn in reversed(turns) if is_it and (text := _said(turn))), "")
    fault = _why_unfinished(turns[-1][1]) if turns else "its history is empty"
    if fault is None:
        result["content"] = said
    else:
        quote = f"The last it said:\n\n{said}" if said else "It said nothing."
        result["content"] = f"The sub-agent did not finish: {fault}. {quote}"
        result["is_error"] = True
    return result if toolset_name is None else {**result, "toolset_name": toolset_name}


def splice_check(
    parent: Sequence[object],
    sub: Sequence[object],
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    context: Context | None = None,
) -> Splice:
    """Tell what would collide or break if `sub` were pasted behind `parent`.

    Takes two histories and the keywords of `check_tool_pairing`. Calls that wait at the parent's
    end are parted from their results by what is pasted, which is an error. Nothing is pasted,
    and neither list is changed.

    Raises:
        TypeError: One of them is no history, with the place; or one of its objects raised; or
            the context is no mapping.
        RuntimeError: It changed while it was read.
        ValueError: A keyword names no endpoint or no rule.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "agent", "input": {}}
    >>> waiting = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}]
    >>> splice_check(waiting, [{"role": "user", "content": "q"}]).violations[0].slug
    'tool-use-without-result'
    """
    ignore, select = listed(ignore), listed(select)

    def check(messages: Sequence[object]) -> Report:
        return check_tool_pairing(
            messages, endpoint=endpoint, ignore=ignore, select=select, context=context
        )

    known = Counter(_key(found, 0) for found in check(parent).violations)
    known += Counter(_key(found, len(parent)) for found in check(sub).violations)
    new = []
    for found in check([*parent, *sub]).violations:
        key = _key(found, 0)
        if not known[key]:
            new.append(found)
        known[key] -= 1
    theirs = client_call_ids(sub)
    colliding = tuple(id_ for id_ in client_call_ids(parent) if id_ in theirs)
    breaks = any(found.severity == "error" for found in new)
    return Splice(not colliding and not breaks, colliding, tuple(new))


def _key(found: Violation, offset: int) -> tuple[object, ...]:
    """What makes a violation of one list the same in the joined list."""
    at = found.message_index
    return found.code, None if at is None else at + offset, found.block_index, found.tool_use_id


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
    return None if _said(turn) else "its last reply holds no text"


def _said(turn: Sequence[object]) -> str:
    """The texts of a turn's messages, as one."""
    texts: list[str] = []
    for message in turn:
        content = member(message, "content")
        if isinstance(content, str):
            texts.append(content)
        for kind, run in groupby(blocks_in(message), lambda block: member(block, "type")):
            if kind == "text":
                texts += _texts(list(run))
    return "\n\n".join(filter(None, map(str.strip, texts)))


def _texts(blocks: Sequence[object]) -> list[str]:
    """Adjacent text blocks as texts: citations cut one text into several blocks."""
    texts = [str(member(block, "text") or "") for block in blocks]
    is_cited = any(member(block, "citations") for block in blocks)
    return ["".join(texts)] if is_cited else texts
