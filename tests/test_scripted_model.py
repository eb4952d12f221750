"""A model that follows a script, and the replies that scripts are made of."""

from __future__ import annotations

from typing import Any

import pytest
from agents import ONE, TWO, asked
from anthropic.types import Message, TextBlock, ToolUseBlock
from histories import assistant, call, result, says, user

from toolpair import ToolPairingError
from toolpair.testing import ScriptedModel, ScriptError, answer, ask_again, calls

SAYS = {"get_weather": "Rain.", "get_rate": "165 yen."}
BOTH = user(result("toolu_01"), result("toolu_02"))


def test_replies_come_in_order_in_whatever_form_they_are() -> None:
    message = {"role": "assistant", "content": "d", "stop_reason": "refusal"}
    text = [{"type": "text", "text": "b"}]
    model = ScriptedModel(["a", text, lambda history: f"c{len(history)}", message, lambda _: ONE])
    assert [model(asked()) for _ in model.replies] == [
        assistant({"type": "text", "text": "a"}),
        assistant(*text),
        assistant({"type": "text", "text": "c1"}),
        message,
        assistant(*ONE),
    ]


def test_a_script_that_is_at_its_end_raises() -> None:
    model = ScriptedModel(["a"])
    model(asked())
    with pytest.raises(ScriptError, match="the script has 1 reply, and the loop asked for one"):
        model(asked())
    with pytest.raises(AssertionError):
        ScriptedModel([])(asked())


def test_a_function_at_the_end_answers_all_the_rest() -> None:
    model = ScriptedModel(["a", lambda history: str(len(history))])
    said = [model(asked() * count)["content"][0]["text"] for count in range(1, 5)]
    assert said == ["a", "2", "3", "4"]


def test_a_function_that_does_not_stand_last_answers_once() -> None:
    model = ScriptedModel([lambda _: "a", "b"])
    assert [model(asked())["content"][0]["text"] for _ in range(2)] == ["a", "b"]
    with pytest.raises(ScriptError):
        model(asked())


def test_requests_are_kept_as_they_were() -> None:
    model, messages = ScriptedModel(["a", "b"]), asked()
    messages.append(model(messages))
    messages[0]["content"] = "changed"
    model(messages)
    assert model.requests[0] == asked()
    assert [len(request) for request in model.requests] == [1, 2]


def test_a_strict_model_refuses_what_the_api_would() -> None:
    model = ScriptedModel(["a"], strict=True)
    broken = [*asked(), assistant(call("a")), *asked()]
    with pytest.raises(ToolPairingError, match="tool-use-without-result"):
        model(broken)
    assert model.requests == []
    assert model(asked())["content"][0]["text"] == "a"
    assert ScriptedModel(["a"])(broken)["role"] == "assistant"


@pytest.mark.parametrize(
    ("reply", "reason", "kinds"),
    [
        ("a", "end_turn", [TextBlock]),
        (says("assistant", "a"), "end_turn", [TextBlock]),
        (calls(("f", {}), text="a"), "tool_use", [TextBlock, ToolUseBlock]),
        (assistant(*ONE) | {"stop_reason": "max_tokens"}, "max_tokens", [ToolUseBlock]),
        (lambda _: "a", "end_turn", [TextBlock]),
    ],
)
def test_the_sdks_messages(reply: Any, reason: str, kinds: list[type]) -> None:
    message = ScriptedModel([reply], as_sdk=True)(asked())
    assert isinstance(message, Message)
    assert (message.stop_reason, message.id, message.role) == (reason, "msg_01", "assistant")
    assert [type(block) for block in message.content] == kinds


def test_an_sdks_message_in_a_script_stays_the_same_object() -> None:
    message = ScriptedModel(["a"], as_sdk=True)(asked())
    assert ScriptedModel([message], as_sdk=True)(asked()) is message
    assert ScriptedModel([message])(asked()) is message


def test_a_client_asks_the_model() -> None:
    model = ScriptedModel(["a", "b"])
    create = model.client.messages.create
    assert create(model="m", max_tokens=1, messages=asked()).content[0].text == "a"
    assert model(asked())["content"][0]["text"] == "b"
    assert model.requests == [asked(), asked()]


@pytest.mark.parametrize("script", ["Hello!", calls(("f", {})), {"role": "assistant"}])
def test_one_reply_is_no_script(script: Any) -> None:
    with pytest.raises(TypeError, match="a script is a list of replies"):
        ScriptedModel(script)


@pytest.mark.parametrize("asked", [("f", {"x": 1}), ([("f", {}), ("g", {})],)])
def test_calls_are_pairs(asked: Any) -> None:
    with pytest.raises(TypeError, match="calls takes pairs of a name and an input"):
        calls(*asked)


def test_calls_have_ids_by_number() -> None:
    given = {"city": "Tokyo"}
    blocks = calls(("f", given), ("g", {}), text="So.", first=9)
    assert blocks == [
        {"type": "text", "text": "So."},
        {"type": "tool_use", "id": "toolu_09", "name": "f", "input": {"city": "Tokyo"}},
        {"type": "tool_use", "id": "toolu_10", "name": "g", "input": {}},
    ]
    assert blocks[1]["input"] is not given


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([BOTH], "Rain. 165 yen."),
        ([user(result("toolu_02"))], "165 yen."),
        ([user(result("toolu_01", is_error=True), result("toolu_02"))], "165 yen."),
        ([{"role": "tool", "content": [result("toolu_01")]}], "Rain."),
        ([user(result("toolu_03"))], "I do not know."),
        ([], "I do not know."),
    ],
)
def test_an_answer_says_what_it_was_told(told: list[Any], said: str) -> None:
    assert answer(TWO, SAYS)([*asked(), assistant(*TWO), *told]) == said


@pytest.mark.parametrize(
    ("told", "asks"),
    [
        ([BOTH], False),
        ([user(result("toolu_01"))], True),
        ([user(result("toolu_01"), result("toolu_02", is_error=True))], True),
        ([], True),
    ],
)
@pytest.mark.parametrize("then", ["Done.", lambda _: "Done."])
def test_it_asks_again_until_each_call_has_a_result(told: list[Any], asks: bool, then: Any) -> None:
    reply = ask_again(TWO, then)([*asked(), assistant(*TWO), *told])
    assert reply == (TWO if asks else "Done.")
