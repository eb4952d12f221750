"""Repair: a broken history to a whole one, and what was done to it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Generic, Literal

from toolpair._mend import as_json
from toolpair._messages import member
from toolpair._passes import OnMissing, listed, mended
from toolpair._plan import thinking_note
from toolpair._report import Place, Report, report_of, rule_of, shortened, shown_id
from toolpair._types import Context, EditAction, EditPart, Endpoint, M

__all__ = ["Edit", "OnMissing", "RepairPlan", "plan_repair", "repair_tool_pairing"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: where (in the list as given), by which rule, and what.

    `action` is one of `"answer"` (a result is made for a call), `"change"`, `"drop"`, `"insert"`,
    `"join"`, `"move"`, `"quote"` (a block becomes text), `"recast"` (a message gets another role),
    `"rename"` (a new id) and `"split"`; `text` says it in words. `safe`: nothing real is lost, and
    nothing is guessed. `tool_use_id` is that of the call or result, as given.
    """

    place: Place
    code: str
    slug: str
    action: EditAction
    text: str
    safe: bool
    tool_use_id: str | None

    @property
    def message_index(self) -> int | None:
        """The message of the list as given; None if it is about the list as a whole."""
        return self.place.message_index

    @property
    def block_index(self) -> int | None:
        """The block of that message; None if it is about the message as a whole."""
        return self.place.block_index

    def __str__(self) -> str:
        about = "" if self.tool_use_id is None else f"  {shown_id(self.tool_use_id)}"
        kind = "" if self.safe else "unsafe "
        return f"{self.place}{about}  {kind}{self.action} ({self.code} {self.slug}): {self.text}"


@dataclass(frozen=True, slots=True)
class RepairPlan(Generic[M]):
    """The edits that make a history whole, and the list that comes of them.

    `remaining` reports on the new list: what could not be mended without guessing, and warnings.
    `first_changed_index` is the first message of the new list that is not the old one at its
    place. `thinking_after_change`: thinking blocks stand at or after it. Newer models bind them
    to all that precedes them, and may refuse them now: see `thinking="strip"`. `binds_thinking`:
    whether the model of the context does; None if no context named a model that is known.
    """

    source: tuple[M, ...] = field(repr=False, hash=False)
    edits: tuple[Edit, ...]
    remaining: Report
    first_changed_index: int | None
    thinking_after_change: bool
    _messages: tuple[M, ...] = field(repr=False, hash=False)
    binds_thinking: bool | None = None

    @property
    def messages(self) -> list[M]:
        """A new list of the mended history: untouched messages are the same objects."""
        return list(self._messages)

    def apply(self) -> list[M]:
        """Carry the plan out: what `messages` gives."""
        return self.messages

    @property
    def is_safe(self) -> bool:
        """Whether no edit loses anything real, or guesses."""
        return all(edit.safe for edit in self.edits)

    def diff(self, context: int = 1) -> str:
        """What changes, block by block, as a unified diff; empty if nothing does.

        `context` is how many unchanged lines are shown around a change. Texts are cut short.
        """
        before, after = _lines(self.source), _lines(self._messages)
        lines = difflib.unified_diff(before, after, "before", "after", n=context, lineterm="")
        return "\n".join(shortened(line, _WIDTH) for line in lines)

    def to_json(self) -> str:
        """The edits, and what remains, as JSON."""
        edits = [
            {
                "code": edit.code,
                "slug": edit.slug,
                "action": edit.action,
                "text": edit.text,
                "safe": edit.safe,
                "message_index": edit.place.message_index,
                "block_index": edit.place.block_index,
                "tool_use_id": edit.tool_use_id,
            }
            for edit in self.edits
        ]
        plan = {
            "edits": edits,
            "first_changed_index": self.first_changed_index,
            "thinking_after_change": self.thinking_after_change,
            "binds_thinking": self.binds_thinking,
            "remaining": asdict(self.remaining),
        }
        return json.dumps(plan)

    def __str__(self) -> str:
        count = len(self.edits)
        lines = [f"{count:,} edit{'' if count == 1 else 's'} (endpoint {self.remaining.endpoint})"]
        lines += [f"  {edit}" for edit in self.edits]
        if self.edits and self.thinking_after_change:
            lines += thinking_note(binds=self.binds_thinking)
        if self.remaining.violations:
            lines.append("What remains:")
            lines += [f"  {found}" for found in self.remaining.violations]
        return "\n".join(lines)


def repair_tool_pairing(
    messages: Sequence[M],
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    allow_pending: bool = False,
    context: Context | None = None,
    on_missing: OnMissing = "placeholder",
    orphans: Literal["drop", "text"] = "drop",
    thinking: Literal["auto", "keep", "strip"] = "auto",
) -> list[M]:
    """Return a history that the API takes, with all that is real in it.

    A result goes back to its call, wherever it stood. A call without one gets a result that says
    that none was recorded; a result without a call goes. Results stand first, and what the user
    said after them. What the endpoint refuses is mended, and ids used twice are made unique;
    what is only warned of stays. What cannot be mended without guessing (malformed content, a
    call without a name) stays as it is: `plan_repair(...).remaining` lists it.

    Args:
        messages: The history, as `validate_tool_pairing` takes it.
        endpoint: Who will receive it.
        ignore: Codes or slugs of rules to leave out.
        select: Codes or slugs of rules to switch on that are off by default.
        allow_pending: Leave calls alone that wait for their results at the very end.
        context: The rest of the request, as `check_tool_pairing` takes it.
        on_missing: What becomes of a call without a result: `"placeholder"` answers it,
            `"drop"` drops it; a callable is given the call and returns the content of its
            result: a string, or a list of blocks that results may hold. None, an empty string
            or an empty list stands for the placeholder; `is_error` is set in any case. Where
            code of the server made the call, blocks become one string. What the callable raises
            comes through as it is.
        orphans: What becomes of a result without a call: `"drop"`, or `"text"` keeps what it
            says as a text after the results.
        thinking: `"strip"` drops thinking after the first change, `"keep"` keeps it, `"auto"`
            drops it if the context's model is known to bind it to what precedes it.

    Returns:
        A new list. Untouched messages are the same objects; changed ones are copies, as dicts
        where their type does not allow it. Nothing of yours is changed.

    Raises:
        TypeError: It is no history, with the place; or one of its objects raised; or a keyword
            is of the wrong type; or `on_missing` returned something else.
        RuntimeError: It changed while it was read or mended.
        ValueError: A keyword has a value that means nothing; or `on_missing` returned blocks
            that no result may hold.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    >>> broken = [{"role": "assistant", "content": [call]}, {"role": "user", "content": "Stop."}]
    >>> [block["type"] for block in repair_tool_pairing(broken)[1]["content"]]
    ['tool_result', 'text']

    Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls
    """
    rules = (endpoint, listed(ignore), listed(select), allow_pending, context)
    return mended(messages, (*rules, on_missing, orphans, thinking), tells=False)[2]


def plan_repair(
    messages: Sequence[M],
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    allow_pending: bool = False,
    context: Context | None = None,
    on_missing: OnMissing = "placeholder",
    orphans: Literal["drop", "text"] = "drop",
    thinking: Literal["auto", "keep", "strip"] = "auto",
) -> RepairPlan[M]:
    """Tell what `repair_tool_pairing` would do, and why. Takes and raises the same.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    >>> broken = [{"role": "assistant", "content": [call]}, {"role": "user", "content": "Stop."}]
    >>> plan_repair(broken).edits[0].action
    'answer'
    """
    rules = (endpoint, listed(ignore), listed(select), allow_pending, context)
    parts, source, made = mended(messages, (*rules, on_missing, orphans, thinking), tells=True)
    edits = [_edit(edit) for part in parts for edit in part["edits"]]
    changed = [part["first_changed_index"] for part in parts]
    return RepairPlan(
        source=source,
        edits=tuple(sorted(edits, key=_in_order)),
        remaining=report_of(parts[-1]["remaining"], str.__str__(endpoint)),
        first_changed_index=min((index for index in changed if index is not None), default=None),
        thinking_after_change=any(part["thinking_after_change"] for part in parts),
        _messages=tuple(made),
        binds_thinking=parts[-1]["binds_thinking"],
    )


def _in_order(edit: Edit) -> tuple[int, int]:
    """A key that sorts edits by place: a list before its messages, those before their blocks."""
    message, block = edit.message_index, edit.block_index
    return -1 if message is None else message, -1 if block is None else block


def _edit(part: EditPart) -> Edit:
    rule = rule_of(part["code"])
    return Edit(
        place=Place(part["message_index"], part["block_index"]),
        code=rule.code,
        slug=rule.slug,
        action=part["action"],
        text=part["text"],
        safe=part["safe"],
        tool_use_id=part["tool_use_id"],
    )


_WIDTH = 96


def _lines(messages: Sequence[object]) -> list[str]:
    """A history as lines: one a message, and one for each of its blocks."""
    lines = []
    for message in messages:
        content = member(message, "content")
        lines.append(str(member(message, "role")))
        blocks = content if isinstance(content, (list, tuple)) else [content]
        lines += [f"  {as_json(block)}" for block in blocks]
    return lines
