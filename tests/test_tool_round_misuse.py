"""`ToolRound` where it is used in a way that would lose something."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Callable
from typing import Any

import pytest
from rounds import QUESTION, Block, answered, turn, use

from toolpair import ToolPairingError, ToolRound, ToolRoundError, check_tool_pairing

CALLS = [use("toolu_1"), use("toolu_2", "g"), use("toolu_3", "h")]
RESPONSE = turn(*CALLS)


def raised(error: BaseException | None) -> None:
    if error is not None:
        raise error


def test_a_round_is_used_in_its_block_only() -> None:
    messages: list[Any] = [QUESTION]
    round = ToolRound(messages, RESPONSE)
    uses: list[Callable[[], object]] = [
        lambda: round.record("toolu_1", "r"),
        lambda: round.refuse("toolu_1"),
        lambda: round.run({}),
    ]
    for use_it in uses:
        with pytest.raises(ToolRoundError, match="has not begun"):
            use_it()
    with round, pytest.raises(ToolRoundError, match="entered once"):
        round.__enter__()
    with pytest.raises(ToolRoundError, match="entered once"):
        round.__enter__()
    for use_it in uses:
        with pytest.raises(ToolRoundError, match="is over"):
            use_it()
    answered(messages, calls=3)


@pytest.mark.parametrize("response", [turn({"type": "text", "text": "Done."}), "Done."])
def test_a_response_without_calls_enters_alone(response: Any) -> None:
    messages: list[Any] = [QUESTION]
    with ToolRound(messages, response) as round:
        assert (list(round), len(round)) == ([], 0)
        round.run({})
    assert len(messages) == 2
    assert check_tool_pairing(messages).ok


BROKEN: list[list[Block]] = [
    [QUESTION, turn(use("toolu_0"))],
    [QUESTION, turn(use("toolu_0")), QUESTION],
    [QUESTION, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_0"}]}],
]


@pytest.mark.parametrize("found", BROKEN)
def test_a_broken_list_is_not_entered(found: list[Block]) -> None:
    messages = list(found)
    round = ToolRound(messages, RESPONSE)
    with pytest.raises(ToolPairingError) as caught, round:
        pytest.fail("the block may not run")
    assert not caught.value.report.ok
    assert messages == found


def test_what_is_no_list_or_no_message_is_refused() -> None:
    nothing: list[Any] = [None, (QUESTION,), iter([]), "[]"]
    for messages in nothing:
        with pytest.raises(TypeError):
            ToolRound(messages, RESPONSE)
    with pytest.raises(ValueError, match="role 'user'"):
        ToolRound([], {"role": "user", "content": []})
    with pytest.raises(ToolPairingError):
        ToolRound([], turn(use("toolu_1"), use("toolu_1")))


def test_any_mutable_sequence_serves() -> None:
    messages: collections.deque[Any] = collections.deque([QUESTION])
    with ToolRound(messages, RESPONSE):
        pass
    answered(list(messages), calls=3)


# --- a list that changed meanwhile ---------------------------------------------------------------

CHANGES: list[Callable[[list[Any]], object]] = [
    lambda messages: messages.append(RESPONSE),
    lambda messages: messages.clear(),
    lambda messages: messages.insert(0, QUESTION),
    lambda messages: messages.__setitem__(0, dict(QUESTION)),
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
@pytest.mark.parametrize("error", [None, OSError("disk")])
def test_a_list_that_changed_is_left_alone(
    change: Callable[[list[Any]], object], error: Exception | None
) -> None:
    messages: list[Any] = [QUESTION]
    now: list[Any] = []
    with (  # noqa: PT012 - it is the block that is asked
        pytest.raises(ToolRoundError, match="the list changed") as caught,
        ToolRound(messages, RESPONSE) as round,
    ):
        round.record("toolu_1", "r")
        change(messages)
        now.extend(messages)
        raised(error)
    assert messages == now
    assert caught.value.__cause__ is error
    assert answered([QUESTION, *caught.value.messages], calls=3)[0]["content"] == "r"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError(), SystemExit()])
def test_a_list_that_changed_masks_no_interrupt(error: BaseException) -> None:
    messages: list[Any] = [QUESTION]
    with pytest.raises(type(error)) as caught, ToolRound(messages, RESPONSE):  # noqa: PT012
        messages.clear()
        raised(error)
    assert caught.value is error
    assert messages == []
