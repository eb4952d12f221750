"""Loops that people write: one that is right, and five that are wrong, each in its own way.

Each is called as `loop(model, messages, tools)`, extends `messages`, and returns it. With
`role="tool"`, results stand in messages of that role, one a message, as some harnesses keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from toolpair._messages import blocks_in, member
from toolpair._rounds.calls import assistant_message

__all__ = [
    "all_calls",
    "first_call_only",
    "one_result_short",
    "results_out_of_turn",
    "skip_on_exception",
    "trim_inside_a_pair",
]

Messages: TypeAlias = list[Any]
Model: TypeAlias = Callable[[Messages], Any]
Tools: TypeAlias = Mapping[str, Callable[..., Any]]


def all_calls(
    model: Model, messages: Messages, tools: Tools, *, role: str = "user", max_rounds: int = 6
) -> Messages:
    """Answer every call, whatever its tool does. This one is right."""
    for asked in _plans(model, messages, max_rounds):
        _add(messages, [_result(block, tools) for block in asked], role)
    return messages


def first_call_only(
    model: Model, messages: Messages, tools: Tools, *, role: str = "user", max_rounds: int = 6
) -> Messages:
    """Answer the first call of a reply, as if there were never two. Wrong."""
    for asked in _plans(model, messages, max_rounds):
        _add(messages, [_result(asked[0], tools)], role)
    return messages


def skip_on_exception(
    model: Model, messages: Messages, tools: Tools, *, role: str = "user", max_rounds: int = 6
) -> Messages:
    """Record a result only if there is one: a tool that raises leaves none. Wrong."""
    for asked in _plans(model, messages, max_rounds):
        results = [_result(block, tools) for block in asked]
        _add(messages, [result for result in results if not result.get("is_error")], role)
    return messages


def one_result_short(
    model: Model, messages: Messages, tools: Tools, *, role: str = "user", max_rounds: int = 6
) -> Messages:
    """Run all calls, and lose the last result where there are several. Wrong."""
    for asked in _plans(model, messages, max_rounds):
        results = [_result(block, tools) for block in asked]
        _add(messages, results[: max(1, len(results) - 1)], role)
    return messages


def results_out_of_turn(
    model: Model, messages: Messages, tools: Tools, *, role: str = "user", max_rounds: int = 6
) -> Messages:
    """Say something first, and give the results in the message after it. Wrong."""
    for asked in _plans(model, messages, max_rounds):
        messages.append({"role": "user", "content": "I am running the tools."})
        messages.append({"role": "assistant", "content": "Good."})
        _add(messages, [_result(block, tools) for block in asked], role)
    return messages


def trim_inside_a_pair(
    model: Model, messages: Messages, tools: Tools, *, role: str = "user", max_rounds: int = 6
) -> Messages:
    """Keep the newest three messages: from the second round on that cuts in a pair. Wrong."""
    for asked in _plans(model, messages, max_rounds):
        _add(messages, [_result(block, tools) for block in asked], role)
        del messages[:-3]
    return messages


def _plans(model: Model, messages: Messages, max_rounds: int) -> Iterator[list[Any]]:
    """Append reply after reply; the calls of each, until one has none."""
    for _ in range(max_rounds):
        content = member(assistant_message(model(messages)), "content")
        reply = {"role": "assistant", "content": content}
        messages.append(reply)
        asked = [block for block in blocks_in(reply) if member(block, "type") == "tool_use"]
        if not asked:
            return
        yield asked


def _result(block: object, tools: Tools) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": member(block, "id")}
    try:
        result["content"] = str(tools[member(block, "name")](**member(block, "input")))
    except Exception as error:  # noqa: BLE001 - a tool may raise anything
        result |= {"content": f"{type(error).__name__}: {error}", "is_error": True}
    return result


def _add(messages: Messages, results: list[dict[str, Any]], role: str) -> None:
    """Append the results: in one user message, or each in a message of a harness's own role."""
    if role == "user":
        messages.append({"role": role, "content": results})
    else:
        messages.extend({"role": role, "content": [result]} for result in results)
