"""What agent harnesses write by hand: the code that `toolpair` replaces."""

from __future__ import annotations

from typing import Any

__all__ = ["trim_plain", "validate_plain", "validate_plain_more", "validate_plain_objects"]

Message = dict[str, Any]


def validate_plain(messages: list[Message]) -> None:
    """One rule: each `tool_use` id is answered in the next message."""
    for index, message in enumerate(messages):
        if message["role"] != "assistant" or not isinstance(message["content"], list):
            continue
        calls = {block["id"] for block in message["content"] if block.get("type") == "tool_use"}
        if not calls:
            continue
        answers = set()
        if index + 1 < len(messages) and isinstance(messages[index + 1]["content"], list):
            answers = {
                block["tool_use_id"]
                for block in messages[index + 1]["content"]
                if block.get("type") == "tool_result"
            }
        if missing := calls - answers:
            raise ValueError(f"messages[{index}]: no tool_result for {sorted(missing)}")


def validate_plain_more(messages: list[Message]) -> None:
    """The same rule, and neither orphans nor duplicates: results and calls match exactly."""
    calls: list[str] = []
    for index, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results: list[str] = []
        if message["role"] == "user":
            results = [b["tool_use_id"] for b in blocks if b.get("type") == "tool_result"]
        if len(results) != len(calls) or set(results) != set(calls):
            raise ValueError(f"messages[{index}]: calls {calls}, but results {results}")
        calls = []
        if message["role"] == "assistant":
            calls = [b["id"] for b in blocks if b.get("type") == "tool_use"]
            if len(set(calls)) < len(calls):
                raise ValueError(f"messages[{index}]: two calls of one id in {calls}")
    if calls:
        raise ValueError(f"no results for {calls}")


def validate_plain_objects(messages: list[Message]) -> None:
    """`validate_plain` where assistant messages hold the SDK's objects, and results are dicts."""
    for index, message in enumerate(messages):
        if message["role"] != "assistant" or not isinstance(message["content"], list):
            continue
        calls = {block.id for block in message["content"] if block.type == "tool_use"}
        if not calls:
            continue
        answers = set()
        if index + 1 < len(messages) and isinstance(messages[index + 1]["content"], list):
            answers = {
                block["tool_use_id"]
                for block in messages[index + 1]["content"]
                if block.get("type") == "tool_result"
            }
        if missing := calls - answers:
            raise ValueError(f"messages[{index}]: no tool_result for {sorted(missing)}")


def trim_plain(messages: list[Message], keep_recent: int) -> list[Message]:
    """The naive tail slice, which cuts calls from their results."""
    return messages[-keep_recent:]
