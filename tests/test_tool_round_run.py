"""`ToolRound.run` and `arun`: the calls without a result are run, and each result is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from rounds import QUESTION, Block, answered, never, turn, use

from toolpair import ToolRound

CALLS = [use("toolu_1", "a"), use("toolu_2", "b"), use("toolu_3", "c")]
NOT_RUN = "This call was not run: the round {} ({}) before it was begun."


def contents(messages: list[Any]) -> list[Any]:
    return [it["content"] for it in answered(messages, calls=3)]


def test_what_has_a_result_is_not_run() -> None:
    messages: list[Any] = [QUESTION]
    ran: list[str] = []

    def tool(name: str, *_: object) -> str:
        ran.append(name)
        return name

    with ToolRound(messages, turn(*CALLS)) as round:
        round.record("toolu_2", "by hand")
        round.run(tool, only=["a", "b", "c"], max_concurrency=1)
        round.run(never)
        assert round.open_calls == ()
    assert ran == ["a", "c"]
    assert contents(messages) == ["a", "by hand", "c"]


def test_what_is_not_chosen_is_refused_at_once() -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, turn(*CALLS)) as round:
        round.run(lambda name, *_: name, only="a", reason={"b": "deferred", "c": "no"})
        assert round.open_calls == ()
    assert contents(messages) == [
        "a",
        "This call was deferred. It has not been run yet.",
        "no",
    ]


def test_arun_takes_tools_of_both_kinds() -> None:
    messages: list[Any] = [QUESTION]

    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    async def main() -> None:
        async with ToolRound(messages, turn(*CALLS)) as round:
            tools: dict[str, Callable[..., Any]] = {"a": later, "b": lambda: "now"}
            await round.arun(tools | {"c": later}, skip="c", reason="no")
            await round.arun(never)

    asyncio.run(main())
    assert contents(messages) == ["later", "now", "no"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_run_says_what_was_not_begun(error: type[BaseException]) -> None:
    messages: list[Any] = [QUESTION]

    def stop() -> None:
        raise error

    with pytest.raises(error), ToolRound(messages, turn(*CALLS)) as round:
        round.run({"a": lambda: "r", "b": stop, "c": never}, max_concurrency=1)
    said = contents(messages)
    assert said[0] == "r"
    assert said[1].startswith(f"The round was cancelled ({error.__name__}) before a result")
    assert said[2] == NOT_RUN.format("was cancelled", error.__name__)


def test_a_cancelled_run_says_what_was_not_begun() -> None:
    messages: list[Any] = [QUESTION]

    async def hang() -> None:
        await asyncio.sleep(60)

    async def round() -> None:
        with ToolRound(messages, turn(*CALLS)) as round:
            tools: dict[str, Callable[..., Any]] = {"a": lambda: "r", "b": hang, "c": never}
            await round.arun(tools, max_concurrency=1)

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(round(), 0.1)

    asyncio.run(main())
    said = contents(messages)
    assert said[0] == "r"
    assert said[1].startswith("The round was cancelled (CancelledError) before a result")
    assert said[2] == NOT_RUN.format("was cancelled", "CancelledError")


def test_an_interrupted_run_may_be_run_again() -> None:
    messages: list[Any] = [QUESTION]
    stops = iter([KeyboardInterrupt()])

    def tool(name: str, *_: object) -> str:
        if name == "b":
            for stop in stops:
                raise stop
        return name

    with ToolRound(messages, turn(*CALLS)) as round:
        with pytest.raises(KeyboardInterrupt):
            round.run(tool, max_concurrency=1)
        assert [call.name for call in round.open_calls] == ["b", "c"]
        round.run(tool, max_concurrency=1)
    assert contents(messages) == ["a", "b", "c"]


WRONG: list[dict[str, Any]] = [
    {"max_concurrency": 0},
    {"timeout": -1},
    {"reason": 7, "only": "a"},
    {"only": 7},
]


@pytest.mark.parametrize("options", WRONG, ids=range(len(WRONG)))
def test_wrong_options_run_and_record_nothing(options: dict[str, Any]) -> None:
    messages: list[Any] = [QUESTION]
    results: list[Block] = []
    with ToolRound(messages, turn(*CALLS)) as round:
        with pytest.raises((TypeError, ValueError)):
            round.run(never, **options)
        results = round.results
    assert results == []
    assert len(contents(messages)) == 3


def test_a_run_that_is_stopped_in_a_block_that_goes_on_names_no_error() -> None:
    messages: list[Any] = [QUESTION]

    async def main() -> None:
        async with ToolRound(messages, turn(*CALLS)) as round:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(round.arun(hang, max_concurrency=1), 0.02)

    async def hang(*_: object) -> None:
        await asyncio.Event().wait()

    asyncio.run(main())
    assert (
        contents(messages)[1:]
        == ["This call was not run: its run was stopped before it was begun."] * 2
    )
