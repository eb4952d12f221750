"""Histories in JSON files: read, and written so that nothing is lost."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TextIO

__all__ = ["UnreadableError", "context_of", "messages_in", "printable", "standard_input", "write"]


class UnreadableError(Exception):
    """A file or an argument that cannot be used; its text says which and why."""


def _parsed(name: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        raw = standard_input() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UnreadableError(f"{name}: {error.strerror or error}") from error
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        hint = "; is it JSON Lines? jq -s . makes one list" if "Extra data" in str(error) else ""
        raise UnreadableError(f"{name}: not JSON: {error}{hint}") from error


def standard_input() -> bytes:
    if sys.stdin is None:
        raise UnreadableError("-: standard input is closed")
    return sys.stdin.buffer.read()


def messages_in(name: str) -> tuple[list[Any], dict[str, Any]]:
    """The messages of a file, and the request body that they stand in, if they do."""
    read = _parsed(name)
    if isinstance(read, list):
        return read, {}
    if isinstance(read, dict) and isinstance(read.get("messages"), list):
        return read["messages"], read
    raise UnreadableError(f"{name}: neither a list of messages nor an object with one")


def printable(text: str) -> str:
    """A text on one line, and without what moves a terminal's cursor."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def context_of(request: dict[str, Any]) -> dict[str, Any] | None:
    return {name: value for name, value in request.items() if name != "messages"} or None


def write(name: str | None, messages: list[Any], request: dict[str, Any]) -> None:
    written = request | {"messages": messages} if request else messages
    raw = _encoded(written)
    if name is None or name == "-":
        if sys.stdout is None:
            raise UnreadableError("standard output is closed")
        output: TextIO = sys.stdout
        output.flush()
        output.buffer.write(raw + b"\n")
        output.flush()
        return
    try:
        Path(name).write_bytes(raw + b"\n")
    except OSError as error:
        raise UnreadableError(f"{name}: {error.strerror or error}") from error


def _encoded(written: Any) -> bytes:  # noqa: ANN401 - any JSON
    """The JSON, indented unless it is nested too deeply for the encoder that can indent."""
    for indent in (2, None):
        try:
            text = json.dumps(written, ensure_ascii=False, indent=indent, allow_nan=False)
        except RecursionError:
            continue
        try:
            return text.encode()
        except UnicodeEncodeError:  # lone surrogates: only escaped can they be written
            return json.dumps(written, indent=indent).encode()
    raise UnreadableError("nested too deeply to be written as JSON")
