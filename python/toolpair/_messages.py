"""What messages of any type hold: their members, their blocks, and what was said in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

__all__ = ["blocks_in", "member", "said_in"]


def member(value: object, name: str) -> Any:  # noqa: ANN401 - it may be anything
    """A member of a dict, another mapping, or an object; None if it has none."""
    if isinstance(value, (dict, Mapping)):  # asking an abstract class is slow
        return value.get(name)
    return getattr(value, name, None)


def blocks_in(message: object) -> Sequence[Any]:
    """The blocks of a message; none where its content is a string, or nothing."""
    content = member(message, "content")
    is_list = isinstance(content, Sequence) and not isinstance(content, (str, bytes))
    return content if is_list else ()


def said_in(turn: Sequence[object]) -> str:
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
