"""What the tests of the repair share: a history in short, and a repair that keeps its promises."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import toolpair

PLACEHOLDER = (
    "No result was recorded for this call. "
    "Whether the tool ran, and what effects it had, is unknown."
)


def outline(messages: Sequence[Any]) -> list[str]:
    """One line a message: its role, and its blocks in short. `(none)` is the placeholder."""
    return [line(message) for message in messages]


def line(message: Any) -> str:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return f"{message['role']}: {' | '.join(map(short, blocks))}"


def short(block: Any) -> str:
    """A block in short: what it is, its id, and what it says."""
    match block:
        case {"type": "text", "text": str(text)}:
            found = text
        case {"type": "tool_use", "id": str(id)}:
            found = f"call {id}"
        case {"type": "tool_result", "tool_use_id": str(id)}:
            found = f"result {id}: {said(block)}"
        case {"type": "thinking", "thinking": str(thought)}:
            found = f"thinking {thought}"
        case {"type": "server_tool_use" | "mcp_tool_use", "id": str(id)}:
            found = f"server call {id}"
        case {"tool_use_id": str(id)}:
            found = f"server result {id}"
        case _:
            found = str(block["type"])
    return found


def said(result: Any) -> str:
    """What a result says; `(none)` if it is the placeholder, and marked as an error."""
    content = result.get("content", "(no content)")
    if content == PLACEHOLDER:
        return "(none)" if result["is_error"] is True else "a placeholder that is no error"
    return content if isinstance(content, str) else " + ".join(map(short, content))


def blocks_of(messages: Sequence[Any]) -> list[Any]:
    """Every block of a history."""
    return [
        block
        for message in messages
        if isinstance(message.get("content"), list)
        for block in message["content"]
    ]


def mended(
    messages: list[Any], *, remains: Sequence[str] = (), **options: Any
) -> toolpair.RepairPlan[Any]:
    """Plan a repair, and see that it keeps what every repair promises.

    `remains`: slugs of the errors that are left.
    """
    before = copy.deepcopy(messages)
    plan = toolpair.plan_repair(messages, **options)
    assert messages == before
    assert all(one is other for one, other in zip(plan.source, messages, strict=True))
    assert plan.messages == toolpair.repair_tool_pairing(messages, **options) == plan.apply()

    checked = {name: options[name] for name in CHECKED & options.keys()}
    report = toolpair.check_tool_pairing(plan.messages, **checked)
    assert plan.remaining == report
    assert {found.slug for found in report.errors} == set(remains), str(plan)
    again = toolpair.plan_repair(plan.messages, **options)
    assert again.edits == (), f"{plan}\n{again}"

    own = {id(block): block for block in blocks_of(messages)}
    for block in blocks_of(plan.messages):
        assert id(block) in own or block not in own.values(), f"{block} was copied for nothing"
    for edit in plan.edits:
        assert stands_in(messages, edit.place), edit
        assert edit.text, edit
    json.loads(plan.to_json())
    return plan


CHECKED = {"endpoint", "ignore", "select", "allow_pending", "context"}
"""The keywords that a check takes, too."""


def stands_in(messages: Sequence[Any], place: toolpair.Place) -> bool:
    """Whether a list has this place."""
    if place.message_index is None:
        return place.block_index is None
    if place.message_index >= len(messages):
        return False
    content = messages[place.message_index].get("content")
    if place.block_index is None:
        return True
    return isinstance(content, list) and place.block_index < len(content)


def edits(plan: toolpair.RepairPlan[Any]) -> list[str]:
    """The edits in short: where, what, and by which rule; `!` marks those that are not safe."""
    return [
        f"{str(edit.place).removeprefix('messages')} {'' if edit.safe else '!'}{edit.action}"
        f" {edit.slug}"
        for edit in plan.edits
    ]
