"""What a tool returned, as the content of its result."""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import enum
import json
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from toolpair._rounds.blocks import NO_OUTPUT, NotContentError, blocks_of, is_block, sound

__all__ = ["content_of"]

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
"""How files begin that a result can hold; WebP has its name after a length."""

_JSON = (bool, int, float, dict, list, tuple)


def content_of(value: object) -> str | list[object]:
    """The content of a result, from whatever a tool returned.

    A string is itself; a list of content blocks, or one such block, stays blocks; an image or a
    PDF as bytes becomes a block; None is said in words; all else is JSON, or what `str` says of
    an object that is no data. What has no UTF-8 form is escaped. Nothing given is changed.

    Raises:
        NotContentError: None of that is possible.
    """
    if isinstance(value, str):
        return sound(value)
    if value is None:
        return NO_OUTPUT
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _of_bytes(bytes(value))
    if is_block(value):
        return blocks_of([value])
    if isinstance(value, (list, tuple)) and value and all(map(is_block, value)):
        return blocks_of(value)
    data = value if isinstance(value, _JSON) else _data_of(value)
    return sound(data if isinstance(data, str) else _as_json(data))


def _of_bytes(data: bytes) -> str | list[object]:
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is not None:
        block = "document" if kind == "application/pdf" else "image"
        encoded = base64.b64encode(data).decode()
        source = {"type": "base64", "media_type": kind, "data": encoded}
        return [{"type": block, "source": source}]
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NotContentError(
            f"{len(data):,} bytes that are no PNG, JPEG, GIF or WebP, no PDF and no UTF-8 text"
        ) from None


def _data_of(value: object) -> object:
    """What a tool returned that is no plain data, as data; or as what it says of itself."""
    if isinstance(value, Iterator) or hasattr(value, "__aiter__"):
        kind = type(value).__name__
        raise NotContentError(f"an object of type {kind}, which can be read only once")
    return _data(value)


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_data)
    except NotContentError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        kind = type(value).__name__
        raise NotContentError(f"data ({kind}) that JSON cannot hold: {error}") from error


def _data(value: object) -> object:
    """An object as JSON data; what is no data is what it says of itself."""
    dump = getattr(value, "model_dump", None)  # pydantic's
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {it.name: getattr(value, it.name) for it in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (AbstractSet, Sequence)) and not isinstance(value, bytes):
        return list(value)
    return _scalar(value)


def _scalar(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if type(value).__str__ is object.__str__:
        raise NotContentError(f"an object of type {type(value).__name__}, which is no data")
    return str(value)
