"""What a tool returned, as a result says it; whatever it is, the history has no fault."""

from __future__ import annotations

import asyncio
import base64
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import types
from collections.abc import AsyncIterator, Iterator
from pathlib import PurePosixPath
from typing import Any

import pytest
from rounds import Block, circle, deep, said

NO_OUTPUT = "(no output)"
TEXT: Block = {"type": "text", "text": "word"}


class Colour(enum.Enum):
    RED = "red"


class Name(str, enum.Enum):
    ANN = "ann"


@dataclasses.dataclass
class Point:
    x: int
    held: object = None


class Plain:
    pass


class Told:
    def __str__(self) -> str:
        return "told"


class Broken:
    @property
    def type(self) -> str:
        raise OSError("gone")


def numbers() -> Iterator[int]:
    yield 1


async def later() -> int:
    return 1


async def stream() -> AsyncIterator[int]:
    yield 1


SAID: list[tuple[object, str]] = [
    ("word", "word"),
    ("ä\ud800", "ä\\ud800"),
    (None, NO_OUTPUT),
    (Name.ANN, "ann"),
    (3, "3"),
    (2.5, "2.5"),
    (float("nan"), "NaN"),
    (True, "true"),
    (10**30, "1" + "0" * 30),
    ({"a": [1, None, {"b": "ä"}]}, '{"a": [1, null, {"b": "ä"}]}'),
    ({"type": "dog"}, '{"type": "dog"}'),
    ({"type": "text"}, '{"type": "text"}'),
    ({"type": "tool_result"}, '{"type": "tool_result"}'),
    ({"type": "image", "size": 3}, '{"type": "image", "size": 3}'),
    ([{"type": "dog"}, TEXT], '[{"type": "dog"}, {"type": "text", "text": "word"}]'),
    ([1, "a"], '[1, "a"]'),
    ([], "[]"),
    ({}, "{}"),
    ({1: 2}, '{"1": 2}'),
    ((1, 2), "[1, 2]"),
    ({4}, "[4]"),
    (frozenset({4}), "[4]"),
    (range(3), "[0, 1, 2]"),
    (collections.deque([1]), "[1]"),
    (types.MappingProxyType({"a": {5}}), '{"a": [5]}'),
    (Point(1, Colour.RED), '{"x": 1, "held": "red"}'),
    ([Point(1, Point(2))], '[{"x": 1, "held": {"x": 2, "held": null}}]'),
    ({"at": dt.date(2026, 1, 2)}, '{"at": "2026-01-02"}'),
    ({"at": dt.datetime(2026, 1, 2, 3, tzinfo=dt.timezone.utc)}, '{"at": "2026-01-02T03:'),
    (dt.time(3, 4), "03:04:00"),
    (decimal.Decimal("1.50"), "1.50"),
    (PurePosixPath("/tmp"), "/tmp"),  # noqa: S108
    (Told(), "told"),
    (Colour.RED, "red"),
    ([decimal.Decimal("1.50")], '["1.50"]'),
    ([PurePosixPath("/tmp")], '["/tmp"]'),  # noqa: S108
    ([Told()], '["told"]'),
    ({"a": b"ab\xff"}, '{"a": "ab\\\\xff"}'),
    (b"word \xc3\xa4", "word ä"),
    (bytearray(b"word"), "word"),
    (memoryview(b"word"), "word"),
]


@pytest.mark.parametrize(("value", "text"), SAID, ids=range(len(SAID)))
def test_data_is_said_in_words(value: object, text: str) -> None:
    content, is_error = said(value)
    assert content.startswith(text)
    assert is_error is False


def test_a_pydantic_model_is_data() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", x=(int, ...), at=(dt.date, ...))
    one = model(x=1, at=dt.date(2026, 1, 2))
    assert said(one) == ('{"x": 1, "at": "2026-01-02"}', False)
    assert said([one, {"a": one}])[0].startswith('[{"x": 1')


UNSAYABLE: list[tuple[Any, str]] = [
    (numbers, "an object of type generator, which can be read only once"),
    (lambda: iter([1]), "which can be read only once"),
    (stream, "which can be read only once"),
    (lambda: b"\xff\xfe\x00", "3 bytes that are no PNG"),
    (Plain, "an object of type Plain, which is no data"),
    (lambda: [Plain()], "an object of type Plain, which is no data"),
    (circle, "data (list) that JSON cannot hold: Circular reference"),
    (lambda: Point(1, circle()), "JSON cannot hold: Circular reference"),
    (lambda: deep(100_000), "data (list) that JSON cannot hold"),
    (lambda: {(1, 2): 3}, "data (dict) that JSON cannot hold"),
    (Broken, "an object that cannot be read: OSError: gone"),
    (lambda: 10**10_000, "data (int) that JSON cannot hold"),
]


def test_an_async_tool_of_a_sync_loop_was_not_run() -> None:
    text = "f was not run: it is async, and was called by a loop that is not"
    assert said(later()) == (text, True)


@pytest.mark.parametrize(
    "error", [ValueError("x"), KeyboardInterrupt("x"), asyncio.CancelledError("x")]
)
def test_an_exception_that_is_returned_is_an_error(error: BaseException) -> None:
    assert said(error) == (f"{type(error).__name__}: x", True)


@pytest.mark.parametrize(("make", "text"), UNSAYABLE, ids=range(len(UNSAYABLE)))
def test_what_no_result_can_say_is_an_error(make: Any, text: str) -> None:
    content, is_error = said(make())
    assert content.startswith("f ran, but returned what the API does not take as a result: ")
    assert text in content
    assert is_error is True


FILES = [
    (b"\x89PNG\r\n\x1a\n..", "image", "image/png"),
    (b"\xff\xd8\xff\xe0..", "image", "image/jpeg"),
    (b"GIF87a..", "image", "image/gif"),
    (b"GIF89a..", "image", "image/gif"),
    (b"RIFF\x00\x00\x00\x00WEBP..", "image", "image/webp"),
    (b"%PDF-1.7..", "document", "application/pdf"),
]


@pytest.mark.parametrize(("data", "kind", "media_type"), FILES)
def test_files_become_blocks(data: bytes, kind: str, media_type: str) -> None:
    encoded = base64.b64encode(data).decode()
    source = {"type": "base64", "media_type": media_type, "data": encoded}
    assert said(data) == ([{"type": kind, "source": source}], False)


@pytest.mark.parametrize("text", ["word" * 1000, "\u00e9" * 1000])
def test_a_text_is_not_copied(text: str) -> None:
    assert said(text)[0] is text
    assert said([{"type": "text", "text": text}])[0][0]["text"] is text
