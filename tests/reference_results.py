"""The reference's rules on what a result of a client call may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reference_history import (
    FOREIGN,
    KNOWN,
    Block,
    Complaint,
    is_server_result,
    raw_items,
)

ALLOWED = {"text", "image", "document", "search_result", "tool_reference", "browser_state"}
ALLOWED_OF_TOOLSETS = {"text", "image", "browser_state"}


def is_malformed_result(raw: Mapping[str, object]) -> bool:
    """Its content is there, and neither a string nor a list."""
    content = raw.get("content")
    return content is not None and not isinstance(content, (str, list, tuple))


def result_rules(block: Block) -> Iterator[Complaint]:
    """Everything here, of one result."""
    raw, id = block.raw, block.id
    types = [type_of(item) for item in raw_items(raw)]
    is_error = raw.get("is_error") is True
    if is_error and not raw.get("content") and not is_malformed_result(raw):
        yield Complaint("empty-error-result", block, id)
    level = level_of(types)
    if level is not None:
        yield Complaint("block-not-allowed-in-result", block, id, level)
    if "search_result" in types and {*types} != {"search_result"}:
        yield Complaint("mixed-search-results", block, id)
    if raw.get("toolset_name") is not None and not fits_toolset(types, is_error=is_error):
        yield Complaint("malformed-toolset-result", block, id)


def type_of(item: object) -> str | None:
    """The type of a nested block, or None where it is no block."""
    type = item.get("type") if isinstance(item, Mapping) else None
    return type if isinstance(type, str) else None


def level_of(types: Sequence[str | None]) -> str | None:
    """How bad the worst of these nested types is: only what nobody knows is a warning."""
    wrong = [type for type in types if type not in ALLOWED]
    if not wrong:
        return None
    known = [t for t in wrong if t is None or t in KNOWN | FOREIGN or is_server_result(t)]
    return "error" if known else "warning"


def fits_toolset(types: Sequence[str | None], *, is_error: bool) -> bool:
    """Texts, images, and the state of the browser once, where nothing failed."""
    states = types.count("browser_state")
    beside = {type for type in types if type in ALLOWED}  # any other is a fault of its own
    return beside <= ALLOWED_OF_TOOLSETS and states <= (0 if is_error else 1)


def is_plain_text(raw: Mapping[str, object]) -> bool:
    """A string, nothing, or texts alone: what a program can take."""
    return is_malformed_result(raw) or {type_of(item) for item in raw_items(raw)} <= {"text"}
