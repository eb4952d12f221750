"""Content blocks that a tool returned: which may stand in a result, and in what form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from toolpair._messages import member
from toolpair._results import HELD

__all__ = ["NO_OUTPUT", "NotContentError", "blocks_of", "is_block", "sound"]

NO_OUTPUT = "(no output)"
"""What a result says whose tool said nothing: models take an empty one for a fault."""

_REFUSED = {
    "tool_use": ("input",),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("input",),
    "mcp_tool_use": ("input",),
    "mcp_tool_result": ("tool_use_id",),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
    "container_upload": ("file_id",),
    "image_url": ("image_url",),
    "input_text": ("text",),
    "output_text": ("text",),
    "input_image": ("image_url", "file_id"),
    "input_audio": ("input_audio",),
    "audio": ("data",),
    "resource": ("resource",),
    "resource_link": ("uri",),
}
"""Blocks of the API, of other APIs and of MCP that no result may hold. What has such a type and
none of the members is a tool's own data."""

_DEEPEST = 200
"""Levels that a block may nest; the API takes fewer."""


class NotContentError(TypeError):
    """A tool returned what no result can hold; the text says what it was."""


def is_block(value: object) -> bool:
    """Whether it is a content block, of whatever API, and no data with a `type` of its own."""
    kind = member(value, "type")
    if not isinstance(kind, str):
        return False
    names = HELD.get(kind) or _REFUSED.get(kind) or ()
    return any(member(value, name) is not None for name in names)


def blocks_of(values: Sequence[object]) -> list[Any]:
    """The blocks as a result may hold them, without texts that say nothing.

    Raises:
        NotContentError: One of them may not stand in a result, or JSON cannot hold it.
    """
    blocks = [_block(value, index) for index, value in enumerate(values)]
    return [block for block in blocks if block is not None] or [_text(NO_OUTPUT)]


def sound(text: str) -> str:
    """The text, with what UTF-8 cannot say (lone surrogates) escaped: a request would raise."""
    try:
        if not text.isascii():
            text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return str.__str__(text)


def _block(value: object, index: int) -> object | None:
    kind: str = member(value, "type")
    if kind in _REFUSED:
        allowed = ", ".join(HELD)
        raise NotContentError(f"content block {index} is of type {kind}; allowed are {allowed}")
    if kind == "text" and not isinstance(member(value, "text"), str):
        raise NotContentError(f"content block {index} is a text whose text is no string")
    if kind == "image" and member(value, "source") is None:  # MCP's form
        media, data = member(value, "mimeType"), member(value, "data")
        source = {"type": "base64", "media_type": media or "image/png", "data": data}
        value = {"type": "image", "source": source}
    if kind == "text":
        text, marked = member(value, "text"), member(value, "cache_control")
        if not text:
            return None
        if not isinstance(value, Mapping) or not text.isascii():
            clean = _text(sound(text))
            return clean if marked is None else clean | {"cache_control": marked}
    if isinstance(value, Mapping) and (fault := _not_json(value)):
        raise NotContentError(f"content block {index} ({kind}) holds {fault}")
    return value


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _not_json(value: object, depth: int = 0) -> str:
    """What JSON has no form for; empty if nothing. Objects of an SDK are its own matter."""
    if depth > _DEEPEST:
        return "more levels than the API takes"
    if isinstance(value, Mapping):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            return f"the key {odd!r}, which JSON cannot"
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next(filter(None, (_not_json(held, depth + 1) for held in value)), "")
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value!r}, which JSON cannot"
    if isinstance(value, (bytes, bytearray, set, frozenset, complex)):
        return f"{type(value).__name__}, which JSON cannot"
    return ""
