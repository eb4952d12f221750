"""What the slow reference reads: the rules' names, messages and blocks, sides and turns.

Written from the catalogue and from nothing else; `reference.py` says how it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

History = Sequence[Mapping[str, object]]

CODES = {
    "empty-history": "TP001",
    "too-many-messages": "TP002",
    "unknown-role": "TP003",
    "malformed-content": "TP004",
    "malformed-tool-block": "TP006",
    "tool-use-without-result": "TP101",
    "tool-result-not-first": "TP102",
    "orphan-tool-result": "TP103",
    "duplicate-tool-result": "TP104",
    "duplicate-tool-use-id": "TP105",
    "tool-block-in-wrong-role": "TP106",
    "pending-tool-use": "TP107",
    "message-between-use-and-result": "TP108",
    "split-tool-results": "TP109",
    "content-after-tool-use": "TP110",
    "toolset-name-mismatch": "TP113",
    "orphan-server-tool-result": "TP201",
    "server-tool-use-without-result": "TP202",
    "content-beside-open-server-call": "TP203",
    "malformed-server-tool-id": "TP206",
    "unknown-server-tool": "TP207",
    "client-result-for-server-tool": "TP209",
    "server-block-in-wrong-role": "TP210",
    "content-beside-programmatic-result": "TP211",
    "mcp-tool-use-without-result": "TP214",
    "malformed-tool-use-id": "TP301",
    "malformed-tool-name": "TP304",
    "empty-user-turn": "TP401",
    "empty-assistant-message": "TP402",
    "empty-text-block": "TP403",
    "whitespace-text-block": "TP404",
    "cache-control-on-empty-text": "TP405",
    "first-message-not-user": "TP408",
    "roles-do-not-alternate": "TP409",
    "misplaced-system-message": "TP411",
    "malformed-system-message": "TP412",
    "misplaced-tool-change": "TP415",
    "block-in-wrong-role": "TP417",
    "thinking-not-first": "TP502",
    "thinking-block-last": "TP504",
    "adjacent-thinking-blocks": "TP506",
    "malformed-thinking-block": "TP508",
    "cache-control-on-thinking": "TP509",
    "blocks-before-fallback": "TP512",
    "empty-error-result": "TP601",
    "block-not-allowed-in-result": "TP602",
    "mixed-search-results": "TP603",
    "too-many-cache-breakpoints": "TP606",
    "malformed-toolset-result": "TP607",
    "empty-compaction": "TP701",
}
WARNINGS = {
    "split-tool-results",
    "mcp-tool-use-without-result",
    "unknown-server-tool",
    "empty-assistant-message",
    "block-in-wrong-role",
    "thinking-not-first",
    "adjacent-thinking-blocks",
    "blocks-before-fallback",
    "malformed-toolset-result",
}
ONLY_STRICT = {"first-message-not-user", "roles-do-not-alternate"}
NOT_JOINED = {"deepseek", "strict"}
"""The endpoints that take adjacent messages of one role one by one."""
ALTERNATES = {"strict"}
"""Those of them that refuse two messages of one role in a row."""
ERRORS_BY_ENDPOINT: dict[str, set[str]] = {
    "anthropic": set(),
    "bedrock": set(),
    "vertex": set(),
    "deepseek": {"split-tool-results", "empty-assistant-message"},
    "kimi": {"empty-assistant-message"},
}

SERVER_CALLS = {"server_tool_use", "mcp_tool_use"}
MEDIA = {"image", "document", "search_result", "container_upload"}
THINKING = {"thinking", "redacted_thinking"}
TOOL_CHANGES = {"tool_addition", "tool_removal"}
INERT = {"compaction", "fallback", "mcp_tool_listing", "connector_text"} | TOOL_CHANGES
KNOWN = {"text", "tool_use", "tool_result"} | SERVER_CALLS | MEDIA | THINKING | INERT
FOREIGN = {
    "image_url",
    "input_text",
    "output_text",
    "input_image",
    "input_audio",
    "function_call",
    "function_call_output",
    "function",
    "tool_call",
    "tool_calls",
    "reasoning",
}


class Finding(NamedTuple):
    """One broken rule at one place."""

    code: str
    slug: str
    severity: str
    message_index: int | None
    block_index: int | None
    tool_use_id: str | None


@dataclass(eq=False)
class Block:
    """A block that may take part in a rule; `id` is None where it has no usable one."""

    message: int
    index: int | None
    type: str
    raw: Mapping[str, object] = field(default_factory=dict)
    id: str | None = None
    caller: str | None = None
    toolset: object = None


@dataclass(eq=False)
class Message:
    """A message, the side it speaks for, and the blocks that count."""

    index: int
    role: object
    side: str
    raw: Mapping[str, object]
    blocks: list[Block] = field(default_factory=list)
    standing: list[Block] = field(default_factory=list)
    """The same, and those without a type: they keep others from being last, or side by side."""

    @property
    def is_empty(self) -> bool:
        """Holds nothing: a blank list, an empty string, or no content at all."""
        return self.is_blank or not isinstance(self.raw.get("content"), (str, list, tuple))

    @property
    def is_blank(self) -> bool:
        """Has a content, with nothing in it."""
        content = self.raw.get("content")
        return isinstance(content, (str, list, tuple)) and not content


class Complaint(NamedTuple):
    """A broken rule, its place, the id it names, and its level where that is not the rule's."""

    slug: str
    place: Block | Message | None
    id: str | None = None
    level: str = ""


def raw_blocks(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The blocks of a message that are objects."""
    return [block for block in raw_items(message) if isinstance(block, Mapping)]


def raw_items(holder: Mapping[str, object]) -> list[object]:
    """All that the content of a message or of a result lists."""
    content = holder.get("content")
    return list(content) if isinstance(content, (list, tuple)) else []


def is_server_result(type: object) -> bool:
    """Whatever its prefix: the API grows."""
    return isinstance(type, str) and type.endswith("_tool_result")


def is_result(type: str) -> bool:
    """A result, of the client or of the server."""
    return type == "tool_result" or is_server_result(type)


def is_tool_type(type: str) -> bool:
    """A call or a result, of the client or of the server."""
    return type in {"tool_use"} | SERVER_CALLS or is_result(type)


def id_of(block: Mapping[str, object]) -> str | None:
    """The id of a call, or that which a result names, where it is a string."""
    type = block.get("type")
    if not isinstance(type, str) or not is_tool_type(type):
        return None
    id = block.get("tool_use_id" if is_result(type) else "id")
    return id if isinstance(id, str) else None


def is_directive_only(message: Mapping[str, object]) -> bool:
    """A system message that only sets the output, which no rule sees."""
    content = message.get("content")
    empty = isinstance(content, (list, tuple)) and not content
    return message["role"] == "system" and empty and "output_config" in message


def side_of(message: Mapping[str, object]) -> str:
    """Whose turn a message is part of: user, assistant, system, or nobody's."""
    role = message["role"]
    if is_directive_only(message):
        return "nobody"
    if role in ("user", "assistant", "system"):
        return str(role)
    if role == "tool":
        return "user"
    if role == "developer":
        return "system"
    calls = SERVER_CALLS | {"tool_use"}
    if any(block.get("type") in calls for block in raw_blocks(message)):
        return "assistant"
    return "user"


def wrong_role_slug(type: str, side: str) -> str | None:
    """The rule that a block breaks by standing on this side, if it does."""
    if type == "tool_use" and side != "assistant":
        return "tool-block-in-wrong-role"
    if type == "tool_result" and side != "user":
        return "tool-block-in-wrong-role"
    if (type in SERVER_CALLS or is_server_result(type)) and side != "assistant":
        return "server-block-in-wrong-role"
    return None


def is_marked(block: Mapping[str, object]) -> bool:
    """Has a `cache_control`; null is none."""
    return block.get("cache_control") is not None


@dataclass(frozen=True)
class Turn:
    """Adjacent messages that count as one; never empty."""

    side: str
    messages: list[Message]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all its messages."""
        return [block for message in self.messages for block in message.blocks]

    @property
    def last(self) -> Block | None:
        """The block that it ends in."""
        standing = [block for message in self.messages for block in message.standing]
        return standing[-1] if standing else None


def turns_of(messages: Iterable[Message], *, joined: bool) -> list[Turn]:
    """The history in turns; system messages are one run on every endpoint."""
    turns: list[Turn] = []
    for message in messages:
        if message.side == "nobody":
            continue
        joins = joined or message.side == "system"
        if turns and joins and turns[-1].side == message.side:
            turns[-1].messages.append(message)
        else:
            turns.append(Turn(message.side, [message]))
    return turns
