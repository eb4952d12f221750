"""The reference's rules on roles, emptiness, texts, system messages and markers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from reference_history import (
    KNOWN,
    MEDIA,
    THINKING,
    TOOL_CHANGES,
    Block,
    Complaint,
    Message,
    Turn,
    id_of,
    is_marked,
    is_server_result,
    is_tool_type,
    raw_items,
    turns_of,
)

MOST_MESSAGES = 100_000
MOST_MARKERS = 4


def content_rules(
    messages: Sequence[Message], *, joined: bool, between: set[int], split: set[int]
) -> Iterator[Complaint]:
    """Everything here; the sets say where a message between, or split results, were reported."""
    if len(messages) > MOST_MESSAGES:
        yield Complaint("too-many-messages", None)
    yield from empty_user_turns(messages, joined=joined)
    yield from empty_assistant_messages(messages)
    for message in messages:
        yield from texts(message, is_last=message is messages[-1])
        yield from blocks_in_wrong_role(message)
        yield from empty_compactions(message)
    yield from system_messages(messages, joined=joined, between=between)
    yield from markers(messages)
    yield from first_message(messages)
    yield from alternation(messages, excused=between | split)


# --- emptiness and texts -------------------------------------------------------------------------


def empty_user_turns(messages: Sequence[Message], *, joined: bool) -> Iterator[Complaint]:
    """A turn of blank messages alone. Missing content is malformed, and not known to be empty."""
    for turn in turns_of(messages, joined=joined):
        if turn.side == "user" and all(message.is_blank for message in turn.messages):
            yield Complaint("empty-user-turn", turn.messages[0])


def empty_assistant_messages(messages: Sequence[Message]) -> Iterator[Complaint]:
    """Only the last message of the list may be blank."""
    for message in messages[:-1]:
        if message.side == "assistant" and message.is_blank:
            yield Complaint("empty-assistant-message", message)


def texts(message: Message, *, is_last: bool) -> Iterator[Complaint]:
    """Empty and blank texts; those of a system message are `system_messages`' business."""
    is_system = message.side == "system"
    for block in message.blocks:
        if block.type != "text":
            continue
        text = text_of(block)
        if not text and is_marked(block.raw):
            if message.role != "developer":
                yield Complaint("cache-control-on-empty-text", block)
        elif not text and not is_system:
            yield Complaint("empty-text-block", block)
        elif text.isspace() and not is_system:
            beside = len(raw_items(message.raw)) > 1
            harmless = message.side == "assistant" and beside and not is_last
            yield Complaint("whitespace-text-block", block, level="warning" if harmless else "")


# --- roles ---------------------------------------------------------------------------------------


def blocks_in_wrong_role(message: Message) -> Iterator[Complaint]:
    """Thinking of a user, media of an assistant, tool changes of anybody but the system."""
    for block in message.blocks:
        if block.type in TOOL_CHANGES and message.side != "system":
            yield Complaint("misplaced-tool-change", block)
        wrong = {"user": THINKING, "assistant": MEDIA}.get(str(message.role), set())
        if block.type in wrong:
            yield Complaint("block-in-wrong-role", block)


def first_message(messages: Sequence[Message]) -> Iterator[Complaint]:
    """The first that is not the system's is the user's."""
    spoken = [message for message in messages if message.side in ("user", "assistant")]
    if spoken and spoken[0].side == "assistant":
        yield Complaint("first-message-not-user", spoken[0])


def alternation(messages: Sequence[Message], *, excused: set[int]) -> Iterator[Complaint]:
    """User and assistant take turns, message by message."""
    for first, second in pairwise(messages):
        same = first.side == second.side and second.side in ("user", "assistant")
        of_tool = "tool" in (first.role, second.role)
        answers = any(block.type == "tool_result" for block in second.blocks)
        paired = answers and second.side == "user"  # a fault of pairing, which is told there
        if same and not of_tool and not paired and second.index not in excused:
            yield Complaint("roles-do-not-alternate", second)


# --- system messages -----------------------------------------------------------------------------


def system_messages(
    messages: Sequence[Message], *, joined: bool, between: set[int]
) -> Iterator[Complaint]:
    """At most one fault a message: nothing in it, a block it may not hold, its place, a blank."""
    turns = turns_of(messages, joined=joined)
    places = {misplaced(turns, position) for position in range(len(turns))}
    for message in messages:
        if message.role != "system" or message.side == "nobody":
            continue
        malformed = malformed_system(message)
        blank = [block for block in message.blocks if is_blank_text(block)]
        if malformed is not None:
            yield Complaint("malformed-system-message", malformed)
        elif message in places:
            if message.index not in between:
                yield Complaint("misplaced-system-message", message)
        elif blank:
            yield Complaint("malformed-system-message", blank[0])


def misplaced(turns: Sequence[Turn], position: int) -> Message | None:
    """The message of a system run that stands where it may not, or None."""
    run = [message for message in turns[position].messages if message.role == "system"]
    if turns[position].side != "system" or not run:
        return None
    before = turns[position - 1] if position else None
    after = turns[position + 1] if position + 1 < len(turns) else None
    if before is None or not may_be_followed(before):
        return run[0]
    if after is not None and after.side != "assistant":
        return run[-1]
    return None


def may_be_followed(turn: Turn) -> bool:
    """By a system run: a user turn, or an assistant turn that ends in a server's result."""
    ends_in_result = turn.last is not None and is_server_result(turn.last.type)
    return turn.side == "user" or ends_in_result


def malformed_system(message: Message) -> Message | Block | None:
    """Where a system message holds nothing, or something that is known not to belong there."""
    if message.is_blank and "output_config" not in message.raw:
        return message
    allowed = {"text"} | TOOL_CHANGES
    known = [block for block in message.blocks if block.type in KNOWN]
    wrong = [b for b in known if b.type not in allowed and not is_tool_type(b.type)]
    return wrong[0] if wrong else None


def is_blank_text(block: Block) -> bool:
    """A text of nothing or of white space."""
    return block.type == "text" and not text_of(block).strip()


def text_of(block: Block) -> str:
    """What a text block says; one without a string says nothing."""
    text = block.raw.get("text")
    return text if isinstance(text, str) else ""


# --- compactions and markers ---------------------------------------------------------------------


def empty_compactions(message: Message) -> Iterator[Complaint]:
    """A summary of nothing; a null one is a failed compaction, which is fine."""
    for block in message.blocks:
        if block.type == "compaction" and block.raw.get("content") == "":
            yield Complaint("empty-compaction", block)


def markers(messages: Sequence[Message]) -> Iterator[Complaint]:
    """Four markers at most, and no long-lived one behind a short-lived one."""
    found = [marker for message in messages for marker in markers_of(message)]
    places = [place for place, _ in found[MOST_MARKERS : MOST_MARKERS + 1]]
    short_lived = [position for position, (_, ttl) in enumerate(found) if ttl != "1h"]
    if short_lived:
        places += [place for place, ttl in found[short_lived[0] :] if ttl == "1h"]
    seen: set[tuple[int, int | None]] = set()
    for place in places:
        if (place.message, place.index) not in seen:
            seen.add((place.message, place.index))
            yield Complaint("too-many-cache-breakpoints", place, place.id)


def markers_of(message: Message) -> Iterator[tuple[Block, object]]:
    """The block and the time to live of each marker, those in results before the result's own."""
    for position, raw in enumerate(raw_items(message.raw)):
        if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
            continue
        place = Block(message.index, position, raw["type"], raw, id_of(raw))
        inner = raw_items(raw) if raw.get("type") == "tool_result" else []
        for each in [*inner, raw]:
            if isinstance(each, dict) and is_marked(each):
                control = each["cache_control"]
                yield place, control.get("ttl") if isinstance(control, dict) else None
