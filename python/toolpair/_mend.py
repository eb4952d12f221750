"""Changed copies of messages and blocks, where the compiled module does not make them itself."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from toolpair._messages import member
from toolpair._report import ToolUse
from toolpair._results import HELD, faults_of

__all__ = [
    "as_json",
    "beside_search_results",
    "changed_block",
    "changed_message",
    "member",
    "quoted",
    "quoted_plainly",
    "result_of_tool_message",
    "told",
]

_LIFTED = ("image", "document", "search_result")


@contextlib.contextmanager
def _as_it_was_read() -> Iterator[None]:
    """What was read a moment ago and is gone was taken by somebody else."""
    try:
        yield
    except (AttributeError, KeyError) as error:
        raise RuntimeError("a block changed while it was mended") from error


def changed_message(message: object, members: dict[str, Any], without: Sequence[str]) -> object:
    """A copy of a message with other members, of its own type if that allows it."""
    if not isinstance(message, Mapping):
        # Whatever the caller's class raises, a dict serves as well.
        with contextlib.suppress(Exception):
            copied = copy.copy(message)
            if copied is not message and _take(copied, members, without, message):
                return copied
    base = _members(message)
    kept = {name: value for name, value in base.items() if name not in without}
    return kept | members


def _take(copied: object, members: dict[str, Any], without: Sequence[str], message: object) -> bool:
    """Give a copy other members. False, and nothing is changed, if it shares them with that."""
    before = {name: member(message, name) for name in members}
    if any(member(copied, name) is not None for name in without):
        return False  # what a class declares cannot be taken from one of its objects
    for name, value in members.items():
        setattr(copied, name, value)
    if any(member(message, name) is not value for name, value in before.items()):
        for name, value in before.items():
            setattr(message, name, value)
        return False
    return all(member(copied, name) is value for name, value in members.items())


@_as_it_was_read()
def changed_block(
    block: object,
    members: dict[str, Any],
    without: Sequence[str],
    changes: Sequence[str],
    folded: list[Any],
) -> dict[str, Any]:
    """A copy of a block, as a dict, with other members and other content."""
    kept = {name: value for name, value in _members(block).items() if name not in without}
    if isinstance(members.get("caller"), str):
        members = members | {"caller": _members(kept["caller"]) | {"tool_id": members["caller"]}}
    changed = kept | members
    if "input" in changes:
        changed["input"] = _object(changed.get("input"))
    if "stripped" in changes:
        changed["text"] = str(changed["text"]).rstrip()
    if "searches" in changes:
        changed["content"] = [it for it in changed["content"] if _kind(it) == "search_result"]
    if "flat" in changes:
        changed["content"] = [
            it if _kind(it) in HELD else _text(_plain(it)) for it in changed["content"]
        ]
    if "plain" in changes:
        changed["content"] = _plain(changed.get("content"))
    if "filled" in changes:
        changed["content"] = "The tool failed without a message."
    if "no-nested-cache" in changes and isinstance(changed.get("content"), (list, tuple)):
        changed["content"] = [
            {name: value for name, value in _members(it).items() if name != "cache_control"}
            if member(it, "cache_control") is not None
            else it
            for it in changed["content"]
        ]
    if folded:
        changed["content"] = [*_blocks(changed.get("content")), *folded]
    return changed


def result_of_tool_message(
    message: object, tool_use_id: str, toolset_name: str | None
) -> dict[str, Any]:
    """The result that a message of role `tool` is."""
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": tool_use_id}
    content = member(message, "content")
    if content is not None:
        result["content"] = content
    if member(message, "is_error") is True:
        result["is_error"] = True
    if toolset_name is not None:
        result["toolset_name"] = toolset_name
    return result


def quoted(block: object) -> list[Any]:
    """A block as a text: what a result says, or what a call asks for."""
    kind = _kind(block)
    if kind != "tool_result":
        return [_text(f"[{kind}] {_plain(block)}")]
    blocks = _blocks(member(block, "content"))
    said = " ".join(_plain(it) for it in blocks if _kind(it) not in _LIFTED).strip()
    lifted = [it for it in blocks if _kind(it) in _LIFTED]
    return [_text(f"[tool_result] {said or '(no text)'}"), *lifted]


def quoted_plainly(block: object) -> list[Any]:
    """A block as one text: it is to stand in a result that may hold nothing else."""
    kind = _kind(block)
    said = _plain(member(block, "content") if kind == "tool_result" else block)
    return [_text(f"[{kind}] {said or '(no text)'}")]


def beside_search_results(block: object) -> list[Any]:
    """What a result holds beside search results, as blocks of a user message."""
    others = [it for it in _blocks(member(block, "content")) if _kind(it) != "search_result"]
    kept = ("text", *_LIFTED)
    return [it if _kind(it) in kept and _says(it) else _text(_plain(it)) for it in others]


def told(
    ask: Callable[[ToolUse], object],
    call: tuple[str, str | None, int, int],
    is_programmatic: bool,  # noqa: FBT001 - the compiled module passes no keywords
    toolset_name: str | None,
) -> object:
    """What the caller knows of a missing result: a text, blocks, or None."""
    use = ToolUse(*call)
    answer = ask(use)
    if answer is None or (isinstance(answer, (str, list, tuple)) and not answer):
        return None
    if not isinstance(answer, (str, list, tuple)):
        kind = type(answer).__name__
        raise TypeError(f"on_missing must return a str, a list of blocks or None, not {kind}")
    if is_programmatic:
        return _plain(answer)  # code of the server called it, and takes nothing else
    faults = faults_of(answer, is_error=True, toolset_name=toolset_name)
    if faults:
        raise ValueError(f"on_missing returned what no result may hold, for {use.id}: {faults}")
    return answer


def as_json(value: object) -> str:
    """Any value as one line of JSON, as far as JSON can hold it."""
    try:
        return json.dumps(value, ensure_ascii=True, default=_json)
    except (RecursionError, TypeError, ValueError):  # deep, circular, or with keys that are no text
        return json.dumps(f"<{type(value).__name__}>")


def _kind(block: object) -> str:
    kind = member(block, "type")
    return kind if isinstance(kind, str) else type(block).__name__


def _says(block: object) -> bool:
    return _kind(block) != "text" or bool(str(member(block, "text") or "").strip())


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text if text.strip() else "(empty)"}


def _blocks(content: object) -> list[Any]:
    if content is None or content == "":
        return []
    if isinstance(content, str) or not isinstance(content, Sequence):
        return [_text(_plain(content))]
    return list(content)


def _plain(value: object) -> str:
    """Any content as one text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "\n".join(filter(None, map(_plain_block, value)))
    return _plain_block(value)


def _plain_block(block: object) -> str:
    """One block as a text. What is inside it is not followed: it may be deep, or hold itself."""
    if isinstance(block, str):
        return block
    if _kind(block) == "text":
        return str(member(block, "text") or "")
    return as_json(block)


def _json(value: object) -> object:
    return _members(value) or f"<{type(value).__name__}>"


def _object(value: object) -> object:
    """An `input` that is none, as an object: what its JSON says, if it says one."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            return parsed
    return {}


_NAMES = (
    *("role", "content", "type", "id", "name", "input", "tool_use_id", "is_error", "text"),
    *("thinking", "signature", "data", "source", "title", "context", "citations", "caller"),
    *("toolset_name", "server_name", "file_id", "encrypted_content", "tool", "cache_control"),
)
"""Members that an object may have without saying so: by slots, properties, or defaults."""


def _members(value: object) -> dict[str, Any]:
    """The members of a mapping, or those of an object that are set."""
    if isinstance(value, Mapping):
        return dict(value)
    given = getattr(value, "model_fields_set", None)
    if isinstance(given, set):  # a pydantic model, as those of SDKs are
        extra = getattr(value, "model_extra", None) or {}
        names = [*vars(value), *extra]
        fields = getattr(type(value), "model_fields", {})
        wire = {name: getattr(field, "alias", None) or name for name, field in fields.items()}
        found = {
            wire.get(name, name): getattr(value, name)
            for name in names
            if name in given or name in extra
        }
    elif dataclasses.is_dataclass(value):
        found = {it.name: getattr(value, it.name) for it in dataclasses.fields(value)}
    else:
        own: dict[str, Any] = getattr(value, "__dict__", {})
        found = {name: held for name, held in own.items() if not name.startswith("_")}
    for name in _NAMES:
        if name not in found and (held := getattr(value, name, None)) is not None:
            found[name] = held
    return found
