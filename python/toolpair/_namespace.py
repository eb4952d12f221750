"""The ids of client calls in a history, and other names for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from toolpair import _core
from toolpair._mend import changed_block, changed_message
from toolpair._messages import blocks_in, member
from toolpair._types import M

__all__ = ["client_call_ids", "namespace_tool_ids"]

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_FIELDS = {"tool_use": "id", "tool_result": "tool_use_id"}
_OF_THE_SERVER = ("server_tool_use", "mcp_tool_use")


def namespace_tool_ids(messages: Sequence[M], prefix: str) -> list[M]:
    """Give all client calls and their results ids with a prefix, so that they meet no others.

    Takes what `validate_tool_pairing` takes, and messages of role `tool` as well. Both halves of
    a pair get the same id: the prefix, `_` unless the prefix ends in `_` or `-`, and the old id,
    where characters that the API refuses become `_`. Where two ids would become one, the later of
    those with such characters gets a number. Ids of calls that the server runs are the server's,
    and stay, as do results and callers that name them. What is nested in results stays, too.

    Args:
        messages: The history.
        prefix: One or more of letters, digits, `_` and `-`.

    Returns:
        A new list. Messages without client calls and results are the same objects; others are
        copies, as dicts where their type does not allow it. Nothing of yours is changed.

    Raises:
        ValueError: The prefix is empty, or holds a character that the API refuses; it is named.
        TypeError: The prefix is no string; or it is no history, with the place.
        RuntimeError: It changed while it was read.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    >>> named = namespace_tool_ids([{"role": "assistant", "content": [call]}], "sub1")
    >>> named[0]["content"][0]["id"]
    'sub1_toolu_1'
    """
    joint = _joint(prefix)
    _core.unpaired(messages)  # says of what is no history where it is none
    names = _names(messages, joint)
    return [_renamed(message, names) for message in messages]


def client_call_ids(messages: Sequence[object]) -> dict[str, None]:
    """The ids of client calls, each once, in the order of the list."""
    return dict.fromkeys(_ids(messages, ("tool_use",), "id"))


def _joint(prefix: str) -> str:
    if not isinstance(prefix, str):
        raise TypeError(f"prefix must be a str, not {type(prefix).__name__}")
    if not prefix:
        raise ValueError("prefix must not be empty")
    illegal = _ILLEGAL.search(prefix)
    if illegal:
        raise ValueError(f"prefix holds {illegal[0]!r}: ids hold letters, digits, _ and - only")
    return prefix if prefix.endswith(("_", "-")) else f"{prefix}_"


def _ids(messages: Sequence[object], kinds: Sequence[str], field: str) -> Iterator[str]:
    for message in messages:
        for block in blocks_in(message):
            if member(block, "type") in kinds:
                id_ = member(block, field)
                if isinstance(id_, str):
                    yield id_


def _names(messages: Sequence[object], joint: str) -> Mapping[str, str]:
    """The new name of each id that gets one."""
    old = client_call_ids(messages)
    of_the_server = set(_ids(messages, _OF_THE_SERVER, "id")) - old.keys()
    old |= dict.fromkeys(_ids(messages, ("tool_result",), "tool_use_id"))
    old |= dict.fromkeys(filter(None, map(_answered_by_tool_message, messages)))
    ours = [id_ for id_ in old if id_ not in of_the_server]

    # Legal ids come first: their names depend on nothing else in the list.
    names = {id_: joint + id_ for id_ in ours if not _ILLEGAL.search(id_)}
    taken = set(names.values())
    numbers: dict[str, int] = {}
    for id_ in ours:
        if id_ in names:
            continue
        name = plain = joint + _ILLEGAL.sub("_", id_)
        while name in taken:
            numbers[plain] = numbers.get(plain, 1) + 1
            name = f"{plain}_{numbers[plain]}"
        names[id_] = name
        taken.add(name)
    return names


def _answered_by_tool_message(message: object) -> str | None:
    """The id that a message of role `tool` answers as a whole."""
    id_ = member(message, "tool_call_id") if member(message, "role") == "tool" else None
    return id_ if isinstance(id_, str) else None


def _renamed(message: M, names: Mapping[str, str]) -> M:
    members: dict[str, Any] = {}
    answered = _answered_by_tool_message(message)
    if answered is not None and answered in names:
        members["tool_call_id"] = names[answered]
    old = blocks_in(message)
    blocks = [_renamed_block(block, names) for block in old]
    if any(new is not block for new, block in zip(blocks, old, strict=False)):
        members["content"] = blocks
    return cast("M", changed_message(message, members, ())) if members else message


def _renamed_block(block: object, names: Mapping[str, str]) -> object:
    kind = member(block, "type")
    field = _FIELDS.get(kind) if isinstance(kind, str) else None
    id_ = None if field is None else member(block, field)
    if field is None or not isinstance(id_, str) or id_ not in names:
        return block
    return changed_block(block, {field: names[id_]}, (), (), [])
