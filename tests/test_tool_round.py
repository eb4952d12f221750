"""`ToolRound`: however its block is left, the list holds the calls with all results, or neither."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from rounds import QUESTION, RUNS, answered, turn, use

from toolpair import ToolRound, ToolRoundError

CALLS = [use("toolu_1"), use("toolu_2", "g"), use("toolu_3", "h")]
RESPONSE = turn(*CALLS)
UNKNOWN = "Whether it had effects is unknown."


@pytest.fixture
def at_every_turn() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def raised(error: BaseException | None) -> None:
    if error is not None:
        raise error


def test_nothing_is_in_the_list_before_the_block_is_left() -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, RESPONSE) as round:
        for number, call in enumerate(round):
            assert messages == [QUESTION]
            round.record(call, number)
        assert messages == [QUESTION]
        assert (len(round), round.open_calls) == (3, ())
    assert [it["content"] for it in answered(messages, calls=3)] == ["0", "1", "2"]
    assert messages[:2] == [QUESTION, RESPONSE]
    assert messages[1] is RESPONSE
    assert len(messages) == 3


class Own(BaseException):
    pass


class Unsayable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


EXITS: list[tuple[BaseException | None, str]] = [
    (None, "No result was recorded for this call. Whether it was run is unknown."),
    (ValueError("x"), f"The round crashed (ValueError) before a result was recorded {UNKNOWN}"),
    (Unsayable(), f"The round crashed (Unsayable) before a result was recorded {UNKNOWN}"),
    (StopIteration(), f"The round crashed (StopIteration) before {UNKNOWN}"),
    (ToolRoundError("x"), f"The round crashed (ToolRoundError) before {UNKNOWN}"),
    (MemoryError(), f"The round crashed (MemoryError) before {UNKNOWN}"),
    (RecursionError(), f"The round crashed (RecursionError) before {UNKNOWN}"),
    (KeyboardInterrupt(), f"The round was cancelled (KeyboardInterrupt) before {UNKNOWN}"),
    (SystemExit(1), f"The round was cancelled (SystemExit) before {UNKNOWN}"),
    (GeneratorExit(), f"The round was cancelled (GeneratorExit) before {UNKNOWN}"),
    (asyncio.CancelledError(), f"The round was cancelled (CancelledError) before {UNKNOWN}"),
    (Own(), f"The round was cancelled (Own) before {UNKNOWN}"),
]


@pytest.mark.parametrize("recorded", range(4))
@pytest.mark.parametrize(("error", "text"), EXITS, ids=[type(it).__name__ for it, _ in EXITS])
def test_every_way_out(error: BaseException | None, text: str, recorded: int) -> None:
    messages: list[Any] = [QUESTION]
    left: BaseException | None = None
    try:
        with ToolRound(messages, RESPONSE) as round:
            for call in CALLS[:recorded]:
                round.record(call, f"real {call['id']}")
            raised(error)
    except BaseException as gone:  # noqa: BLE001 - that is what is asked
        left = gone
    assert left is error
    results = answered(messages, calls=3)
    for position, result in enumerate(results):
        if position < recorded:
            assert result["content"] == f"real toolu_{position + 1}"
        else:
            assert result["content"].startswith(text.partition("before")[0])
            assert result["content"].endswith("is unknown.")
        assert result.get("is_error", False) is (position >= recorded)


def test_return_and_break_leave_a_block_as_well() -> None:
    def returns(messages: list[Any]) -> None:
        with ToolRound(messages, RESPONSE):
            return

    messages: list[Any] = [QUESTION]
    returns(messages)
    answered(messages, calls=3)
    messages = [QUESTION]
    for _ in range(2):
        with ToolRound(messages, RESPONSE) as round:
            round.record("toolu_1", "r")
            break
    answered(messages, calls=3)


def test_a_generator_that_is_closed_in_the_block() -> None:
    messages: list[Any] = [QUESTION]

    def generate() -> Any:
        with ToolRound(messages, RESPONSE) as round:
            round.record("toolu_1", "r")
            yield

    generator = generate()
    next(generator)
    generator.close()
    assert "GeneratorExit" in answered(messages, calls=3)[1]["content"]


def test_async_with() -> None:
    messages: list[Any] = [QUESTION]

    async def main() -> None:
        async with ToolRound(messages, RESPONSE) as round:
            round.record("toolu_2", "r")
            await asyncio.sleep(60)

    async def cancelled() -> None:
        task = asyncio.create_task(main())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(cancelled())
    results = answered(messages, calls=3)
    assert results[1]["content"] == "r"
    assert "was cancelled (CancelledError)" in results[0]["content"]


# --- recording -----------------------------------------------------------------------------------


def test_a_call_is_named_by_itself_by_its_block_or_by_its_id() -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, RESPONSE) as round:
        round.record(round.calls[0], {"a": 1})
        round.record(CALLS[1], ValueError("no"))
        assert [call.id for call in round.open_calls] == ["toolu_3"]
        assert [it["tool_use_id"] for it in round.results] == ["toolu_1", "toolu_2"]
        round.record("toolu_3", "no", is_error=True)
    said = [(it["content"], it.get("is_error", False)) for it in answered(messages, calls=3)]
    assert said == [('{"a": 1}', False), ("ValueError: no", True), ("no", True)]


def test_a_refused_call_says_why() -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, RESPONSE) as round:
        round.refuse("toolu_1")
        round.refuse("toolu_2", "deferred")
        round.refuse("toolu_3", "Not on Sundays.")
    said = [(it["content"], it.get("is_error", False)) for it in answered(messages, calls=3)]
    assert said[0] == ("This call was denied. It was not run.", True)
    assert said[1:] == [
        ("This call was deferred. It has not been run yet.", False),
        ("Not on Sundays.", True),
    ]


def test_no_result_is_recorded_twice_and_the_first_stays() -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, RESPONSE) as round:
        round.record("toolu_1", "first")
        with pytest.raises(ToolRoundError, match="toolu_1 of f has a result already"):
            round.record("toolu_1", "second")
        with pytest.raises(ToolRoundError):
            round.refuse("toolu_1")
    assert answered(messages, calls=3)[0]["content"] == "first"


@pytest.mark.parametrize("unknown", ["toolu_9", use("toolu_9"), None, 7, {}, {"id": []}])
def test_a_result_for_no_call_is_an_error(unknown: object) -> None:
    messages: list[Any] = [QUESTION]
    with (
        pytest.raises(
            ToolRoundError, match=r"its calls: toolu_1 \(f\), toolu_2 \(g\), toolu_3 \(h\)"
        ),
        ToolRound(messages, RESPONSE) as round,
    ):
        round.record(unknown, "r")
    assert "crashed (ToolRoundError)" in answered(messages, calls=3)[0]["content"]


def test_threads_record_at_once() -> None:
    messages: list[Any] = [QUESTION]
    calls = [use(f"toolu_{number}") for number in range(200)]
    wins: list[str] = []

    def record(round: ToolRound) -> None:
        for call in round.calls:
            try:
                round.record(call, call.id)
            except ToolRoundError:
                continue
            wins.append(call.id)

    with ToolRound(messages, turn(*calls)) as round:
        threads = [threading.Thread(target=record, args=(round,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(wins) == sorted(call["id"] for call in calls)
    assert [it["content"] for it in answered(messages, calls=200)] == [it["id"] for it in calls]


def test_threads_that_record_while_the_block_is_left(at_every_turn: None) -> None:
    for _ in range(RUNS // 4):
        messages: list[Any] = [QUESTION]
        calls = [use(f"toolu_{number}") for number in range(200)]
        recorded: list[str] = []

        def record(round: ToolRound, recorded: list[str] = recorded) -> None:
            try:
                for call in reversed(round.calls):
                    round.record(call, "real")
                    recorded.append(call.id)
            except ToolRoundError:
                return

        with ToolRound(messages, turn(*calls)) as round:
            thread = threading.Thread(target=record, args=(round,))
            thread.start()
        thread.join()
        real = [
            it["tool_use_id"] for it in answered(messages, calls=200) if it["content"] == "real"
        ]
        assert set(real) >= set(recorded)
