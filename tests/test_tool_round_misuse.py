"""`ToolRound` where it is used in a way that would lose something."""

from __future__ import annotations

import asyncio
import collections
import sys
from collections.abc import Callable, Iterator
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
    if sys.version_info >= (3, 11):
        assert "the list changed during the round" in error.__notes__[0]


@pytest.mark.parametrize(
    "last", [RESPONSE, turn(*CALLS), {"role": "assistant", "content": RESPONSE["content"]}]
)
def test_a_response_that_is_in_the_list_already_is_told_of(last: Block) -> None:
    messages: list[Any] = [QUESTION, last]
    with pytest.raises(ToolRoundError, match="in the list already"), ToolRound(messages, RESPONSE):
        pass
    said = turn({"type": "text", "text": "Bye."})
    with pytest.raises(ToolRoundError, match="in the list already"), ToolRound([said], said):
        pass


def test_calls_are_not_looked_at_outside_the_block() -> None:
    with pytest.raises(ToolRoundError, match="use it in a with statement"):
        iter(ToolRound([QUESTION], RESPONSE))


def test_an_input_that_a_tool_changes_stays_in_the_history() -> None:
    def takes(items: list[int], held: dict[str, Any]) -> str:
        items.append(1)
        held.clear()
        return "taken"

    messages: list[Any] = [QUESTION]
    response = turn(use("toolu_1", "takes", items=[0], held={"a": {}}))
    with ToolRound(messages, response) as round:
        round.run({"takes": takes})
    assert messages[1]["content"][0]["input"] == {"items": [0], "held": {"a": {}}}
    assert answered(messages, calls=1)[0]["content"] == "taken"


class Torn(collections.abc.MutableSequence[Any]):
    """A list whose `extend` appends one by one, and is interrupted after the first."""

    def __init__(self, *held: Any) -> None:
        self.held = list(held)
        self.error: BaseException | None = KeyboardInterrupt()

    def __getitem__(self, index: Any) -> Any:
        return self.held[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.held[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.held[index]

    def __len__(self) -> int:
        return len(self.held)

    def insert(self, index: int, value: Any) -> None:
        self.held.insert(index, value)
        error, self.error = self.error, None
        raised(error)


def test_a_list_that_was_interrupted_half_way_gets_the_rest() -> None:
    messages = Torn(QUESTION)
    with pytest.raises(KeyboardInterrupt), ToolRound(messages, RESPONSE) as round:
        round.run(lambda *_: "real")
    assert [it["content"] for it in answered(messages.held, calls=3)] == ["real"] * 3


class Copies(list[Any]):
    """A list that gives a copy of each message, as one that is stored elsewhere does."""

    def __iter__(self) -> Iterator[Any]:
        return (dict(message) for message in super().__iter__())


@pytest.mark.parametrize("messages", [Copies([QUESTION]), collections.deque([QUESTION], maxlen=9)])
def test_a_list_that_keeps_nothing_is_refused(messages: Any) -> None:
    with pytest.raises(TypeError, match="keeps what it is given"), ToolRound(messages, RESPONSE):
        pass
    assert len(messages) == 1
