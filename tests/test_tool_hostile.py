"""Tools that raise or return what misbehaves when it is asked anything: one result all the same."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from rounds import QUESTION, Block, answered, turn, use

from toolpair import ToolRound, arun_tool_calls, run_tool_calls

HANGS = 30.0
CALL = use("toolu_1")


def threads(tool: Callable[..., Any], **options: Any) -> Any:
    return run_tool_calls([CALL], tool, timeout=HANGS, **options)


def here(tool: Callable[..., Any], **options: Any) -> Any:
    return run_tool_calls([CALL], tool, **options)


def tasks(tool: Callable[..., Any], **options: Any) -> Any:
    return asyncio.run(asyncio.wait_for(arun_tool_calls([CALL], tool, **options), HANGS))


RUNNERS = [here, threads, tasks]


def result(runner: Callable[..., Any], tool: Callable[..., Any], **options: Any) -> Block:
    """The one result; the history with it has no fault."""
    (block,) = answered([QUESTION, turn(CALL), runner(tool, **options)], calls=1)
    return block


class Classless:
    """Raises when it is asked for its class, as `isinstance` does."""

    @property
    def __class__(self) -> type:
        raise ValueError("no class")

    @__class__.setter
    def __class__(self, value: type) -> None: ...


@pytest.mark.parametrize("runner", RUNNERS)
def test_what_raises_when_it_is_asked_for_its_class_is_an_error(runner: Any) -> None:
    block = result(runner, lambda *_: Classless())
    assert "ValueError: no class" in block["content"]
    assert block["is_error"]


class ClasslessError(Exception):
    @property
    def __class__(self) -> type:
        raise ValueError("no class")

    @__class__.setter
    def __class__(self, value: type) -> None: ...


class MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")

    __repr__ = __str__


class NoGroupError(Exception):
    @property
    def exceptions(self) -> tuple[Exception, ...]:
        raise ValueError("no exceptions")


class CircleError(Exception):
    @property
    def exceptions(self) -> tuple[Exception, ...]:
        return (self, self)


class DeepError(Exception):
    @property
    def exceptions(self) -> tuple[Exception, ...]:
        return (DeepError(),)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("kind", [ClasslessError, MuteError, NoGroupError, CircleError, DeepError])
def test_an_exception_that_misbehaves_is_named(runner: Any, kind: type[Exception]) -> None:
    def tool(*_: object) -> None:
        raise kind

    blocks: list[Block] = []
    with contextlib.suppress(Exception):  # pytest itself cannot print such an exception
        blocks.append(result(runner, tool))
    assert [it["content"].startswith(kind.__name__) for it in blocks] == [True]
    assert blocks[0]["is_error"]


class ClasslessEnd(BaseException):
    @property
    def __class__(self) -> type:
        raise ValueError("no class")

    @__class__.setter
    def __class__(self, value: type) -> None: ...


def test_what_is_recorded_outlives_an_end_that_misbehaves() -> None:
    messages: list[Any] = [QUESTION]
    open = use("toolu_2")
    with contextlib.suppress(ClasslessEnd), ToolRound(messages, turn(CALL, open)) as round:
        round.record(CALL, "real")
        raise ClasslessEnd
    first, second = answered(messages, calls=2)
    assert first["content"] == "real"
    assert "was cancelled (ClasslessEnd)" in second["content"]


class Silent:
    def __str__(self) -> str:
        return ""


@pytest.mark.parametrize("shaped", [b"", Silent(), {"isError": True, "content": [Silent()]}])
def test_an_error_that_is_shaped_into_nothing_still_says_something(shaped: object) -> None:
    def tool(*_: object) -> None:
        raise ValueError("lost")

    block = result(here, tool, on_error=lambda *_: shaped)
    assert block["content"]
    assert block["is_error"]


def test_a_cancellation_that_is_recorded_is_an_error() -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, turn(CALL)) as round:
        round.record(CALL, asyncio.CancelledError())
    (block,) = answered(messages, calls=1)
    assert (block["content"], block["is_error"]) == ("CancelledError", True)
