"""What an agent's loop did, as a frozen value that prints as a trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolpair._mend import as_json
from toolpair._messages import blocks_in, member, said_in
from toolpair._report import Report, count, shortened
from toolpair._rounds.calls import ToolCall
from toolpair._types import EndReason
from toolpair._verbs import unpaired_tool_use_ids

__all__ = ["Run"]

_WIDTH = 88


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a loop.

    `rounds` counts replies of the model. `executed` are the calls whose tools were run, in the
    order of the calls (of a loop under test: in that in which its tools began); `dropped` those
    that no tool was run for. `messages` is the history at the end. `report` is what was
    found in the history where that ended the run, or in what a loop under test sent. `error` is
    what a loop under test raised. `stop_reason` is that of the last reply, if it had one: it tells
    an answer that was cut off (`max_tokens`) from one that is whole.
    """

    end_reason: EndReason
    rounds: int
    executed: tuple[ToolCall, ...]
    dropped: tuple[ToolCall, ...]
    messages: tuple[Any, ...] = field(repr=False, hash=False)
    report: Report | None = None
    error: BaseException | None = None
    stop_reason: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it asked the model, finished, and left no call without a result and no fault."""
        is_whole = self.end_reason == "finished" and self.report is None
        return is_whole and self.rounds > 0 and not self.unpaired_ids

    @property
    def role_sequence(self) -> tuple[str, ...]:
        """The roles of the messages, in order."""
        return tuple(str(member(message, "role")) for message in self.messages)

    @property
    def unpaired_ids(self) -> list[str]:
        """The ids of calls that no later result names: what the loop forgot."""
        return unpaired_tool_use_ids(self.messages)

    @property
    def final_text(self) -> str:
        """What the model said last, if it said it to the user: the last message's text."""
        if not self.messages or member(self.messages[-1], "role") != "assistant":
            return ""
        blocks = _blocks(self.messages[-1])
        if any(member(block, "type") == "tool_use" for block in blocks):
            return ""
        return said_in([self.messages[-1]])

    def __str__(self) -> str:
        lines = [line for message in self.messages for line in _told(message)]
        unpaired = ", ".join(self.unpaired_ids) or "none"
        rounds = count(self.rounds, "round") or "no round"
        run = count(len(self.executed), "tool") or "no tool"
        dropped = count(len(self.dropped), "call") or "no call"
        lines.append(f"ended: {self.end_reason} after {rounds}, {run} run, {dropped} dropped")
        lines += [f"roles: {' '.join(self.role_sequence)}", f"unpaired: {unpaired}"]
        if self.error is not None:
            lines.append(f"raised: {type(self.error).__name__}: {self.error}")
        if self.report is not None:
            lines.append(str(self.report))
        return "\n".join(lines)


def _told(message: object) -> Iterator[str]:
    """A message in lines: its role, and its blocks."""
    role = str(member(message, "role"))
    for said in [_said(block) for block in _blocks(message)] or ["(nothing)"]:
        yield f"{role:<10} {_short(said)}"
        role = ""


def _short(text: str, width: int = _WIDTH) -> str:
    return shortened(" ".join(text.split()), width)


def _said(block: object) -> str:
    kind = member(block, "type")
    if kind == "text":
        return repr(member(block, "text"))
    if kind == "tool_use":
        called = f"calls {member(block, 'name')} {as_json(member(block, 'input'))}"
        which = f" [{member(block, 'id')}]"
        return _short(called, max(20, _WIDTH - len(which))) + which
    if kind == "tool_result":
        word = "error" if member(block, "is_error") is True else "result"
        content = member(block, "content")
        held = content if isinstance(content, (list, tuple)) else [content]
        return f"{word} of {member(block, 'tool_use_id')}: {' '.join(map(_held, held))}"
    name = member(block, "name")
    return str(kind) if name is None else f"{kind} {name} [{member(block, 'id')}]"


def _held(part: object) -> str:
    """What a result holds: its texts as they are."""
    if part is None or isinstance(part, str):
        return part or ""
    return str(member(part, "text")) if member(part, "type") == "text" else as_json(part)


def _blocks(message: object) -> Sequence[Any]:
    content = member(message, "content")
    if isinstance(content, str) and content:
        return [{"type": "text", "text": content}]
    return blocks_in(message)
