"""The reference's rules on thinking blocks and on what stands before a fallback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from reference_history import (
    THINKING,
    Complaint,
    Message,
    is_marked,
    is_server_result,
    turns_of,
)

NEEDED = {"thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}


def thinking_rules(messages: Sequence[Message], *, joined: bool) -> Iterator[Complaint]:
    """Everything here."""
    for message in messages:
        yield from shapes(message)
        if message.role == "assistant":
            yield from not_first(message)
            yield from before_fallback(message)
    yield from last_in_turn(messages, joined=joined)
    yield from adjacent(messages)


def shapes(message: Message) -> Iterator[Complaint]:
    """What a thinking block must hold, and the marker that it must not."""
    for block in message.blocks:
        needed = NEEDED.get(block.type, ())
        if any(not isinstance(block.raw.get(member), str) for member in needed):
            yield Complaint("malformed-thinking-block", block)
        if block.type in THINKING and is_marked(block.raw):
            yield Complaint("cache-control-on-thinking", block)


def not_first(message: Message) -> Iterator[Complaint]:
    """Text or a client call before the first thinking."""
    types = [block.type for block in message.blocks]
    first = next((at for at, type in enumerate(types) if type in THINKING), None)
    if first is not None and {"text", "tool_use"} & {*types[:first]}:
        yield Complaint("thinking-not-first", message.blocks[first])


def last_in_turn(messages: Sequence[Message], *, joined: bool) -> Iterator[Complaint]:
    """A turn that ends in thinking; the first assistant turn of the list may."""
    turns = [turn for turn in turns_of(messages, joined=joined) if turn.side == "assistant"]
    for turn in turns[1:]:
        last = turn.last
        if last is None or messages[last.message].role != "assistant":
            continue
        if last.type in THINKING:
            yield Complaint("thinking-block-last", last)


def adjacent(messages: Sequence[Message]) -> Iterator[Complaint]:
    """Thinking right behind thinking, in the last assistant message of the list."""
    last = [message for message in messages if message.side == "assistant"][-1:]
    for message in last:
        for first, second in pairwise(message.standing):
            if first.type == second.type == "thinking":
                yield Complaint("adjacent-thinking-blocks", second)


def before_fallback(message: Message) -> Iterator[Complaint]:
    """What another model may not see of the one that stepped back."""
    blocks = message.blocks
    falls = [position for position, block in enumerate(blocks) if block.type == "fallback"]
    before = blocks[: falls[-1]] if falls else []
    results = {block.id for block in before if is_server_result(block.type)}
    for block in before:
        open_call = block.type == "server_tool_use" and block.id not in results
        if block.type in THINKING | {"connector_text", "tool_use"} or open_call:
            yield Complaint("blocks-before-fallback", block, block.id)
