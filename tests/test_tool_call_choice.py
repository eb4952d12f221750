"""Which calls are run, what the others are told, and what is refused before any tool runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rounds import CALLER, CODE, QUESTION, Block, answered, never, run, turn, use

from toolpair import (
    ToolPairingError,
    ToolRoundError,
    ToolUse,
    check_tool_pairing,
    run_tool_calls,
)

TEXT: Block = {"type": "text", "text": "Let me see."}
THINKING: Block = {"type": "thinking", "thinking": "word", "signature": "sig"}
READ, WRITE, SEND = use("toolu_1", "read"), use("toolu_2", "write"), use("toolu_3", "send")
CALLS = [READ, WRITE, SEND]
ALL = {"read": lambda: "r", "write": lambda: "w", "send": lambda: "s"}
DENIED = "This call was denied. It was not run."


CHOICES: list[tuple[dict[str, Any], str]] = [
    ({}, "rws"),
    ({"only": "read"}, "r--"),
    ({"only": "toolu_2"}, "-w-"),
    ({"only": ["read", "toolu_3"]}, "r-s"),
    ({"only": lambda call: call.name > "read"}, "-ws"),
    ({"only": []}, "---"),
    ({"skip": "send"}, "rw-"),
    ({"skip": iter(["send", "toolu_1"])}, "-w-"),
    ({"only": ["read", "write"], "skip": lambda call: call.id == "toolu_1"}, "-w-"),
]


@pytest.mark.parametrize(("options", "expected"), CHOICES)
def test_only_and_skip(options: dict[str, Any], expected: str) -> None:
    results = run(CALLS, ALL, **options)
    told = ["-" if it["content"] == DENIED else it["content"] for it in results]
    assert "".join(told) == expected
    assert [it.get("is_error", False) for it in results] == [it == "-" for it in told]


REASONS: list[tuple[Any, str, bool]] = [
    ("denied", DENIED, True),
    ("deferred", "This call was deferred. It has not been run yet.", False),
    ("Not on Sundays.", "Not on Sundays.", True),
    ("a\ud800", "a\\ud800", True),
    ("", DENIED, True),
    ({"toolu_1": "Not on Sundays."}, "Not on Sundays.", True),
    ({"read": "deferred"}, "This call was deferred. It has not been run yet.", False),
    ({"toolu_1": "by id", "read": "by name"}, "by id", True),
    ({"other": "no"}, DENIED, True),
]


@pytest.mark.parametrize(("reason", "text", "is_error"), REASONS)
def test_what_a_call_is_told_that_is_not_run(reason: Any, text: str, is_error: bool) -> None:
    result = run(CALLS, ALL, skip="read", reason=reason)[0]
    assert (result["content"], result.get("is_error", False)) == (text, is_error)


@pytest.mark.parametrize("reason", [7, None, ["denied"], {"read": 7}])
def test_a_reason_that_is_none_is_refused_before_any_tool_runs(reason: Any) -> None:
    with pytest.raises(TypeError, match="reason"):
        run_tool_calls(CALLS, dict.fromkeys(ALL, never), skip="read", reason=reason)


# --- drop ----------------------------------------------------------------------------------------


def dropped(message: Block, **options: Any) -> tuple[Any, Any]:
    before = repr(message)
    kept, answer = run_tool_calls(message, ALL, drop=True, **options)
    assert repr(message) == before
    messages = [QUESTION, *([] if kept is None else [kept])]
    if answer is None:
        more = [QUESTION] if kept is not None else []
        assert check_tool_pairing([*messages, *more]).ok
    else:
        answered([*messages, answer], calls=len(answer["content"]))
    return kept, answer


def test_drop_takes_out_the_calls_that_are_not_run() -> None:
    kept, answer = dropped(turn(TEXT, *CALLS), only=["read", "send"])
    assert kept == turn(TEXT, READ, SEND)
    assert [it["content"] for it in answer["content"]] == ["r", "s"]


def test_drop_of_nothing_leaves_the_message_itself() -> None:
    message = turn(*CALLS)
    kept, answer = dropped(message)
    assert kept is message
    assert len(answer["content"]) == 3


@pytest.mark.parametrize("before", [[], [THINKING], [THINKING, THINKING]])
def test_drop_of_everything_leaves_nothing(before: list[Block]) -> None:
    assert dropped(turn(*before, READ), only=[]) == (None, None)


def test_thinking_that_led_to_dropped_calls_goes_with_them() -> None:
    kept, answer = dropped(turn(THINKING, TEXT, THINKING, READ), only=[])
    assert (kept["content"][-1], answer) == (TEXT, None)


def test_thinking_stays_whole_while_calls_of_its_turn_run() -> None:
    message = turn(THINKING, READ, THINKING, WRITE)
    with pytest.raises(ToolRoundError, match="end in thinking"):
        run_tool_calls(message, {"read": never, "write": never}, only="read", drop=True)
    kept, _ = dropped(message, only="write")
    assert kept["content"] == [THINKING, THINKING, WRITE]


def test_a_call_that_the_server_s_code_waits_for_is_not_dropped() -> None:
    message = turn(CODE, READ | CALLER)
    with pytest.raises(ToolRoundError, match="toolu_1"):
        run_tool_calls(message, {"read": never}, only=[], drop=True)
    (result,) = run(message["content"], ALL, only=[])
    assert result["content"] == DENIED


# --- what is refused before any tool runs --------------------------------------------------------

MALFORMED: list[tuple[Any, type[Exception]]] = [
    ({"role": "user", "content": [READ]}, ValueError),
    ({"role": "assistant"}, TypeError),
    ({"content": [READ]}, TypeError),
    (None, TypeError),
    (7, TypeError),
    ([READ, READ], ToolPairingError),
    ([READ, {"type": "tool_use", "name": "f", "input": {}}], ToolPairingError),
    ([READ, {"type": "tool_use", "id": "toolu_2", "input": {}}], ToolPairingError),
    ([READ, {"type": "tool_use", "id": "toolu_2", "name": "f"}], ToolPairingError),
    ([READ, use("toolu_2") | {"input": "{}"}], ToolPairingError),
    ([READ, None], ToolPairingError),
]


@pytest.mark.parametrize(("message", "error"), MALFORMED)
def test_a_malformed_message_is_refused(message: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        run_tool_calls(message, never)


OPTIONS: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"max_concurrency": 0}, ValueError),
    ({"max_concurrency": True}, TypeError),
    ({"max_concurrency": 1.5}, TypeError),
    ({"timeout": 0}, ValueError),
    ({"timeout": -1}, ValueError),
    ({"timeout": float("nan")}, ValueError),
    ({"timeout": "1"}, TypeError),
    ({"timeout": True}, TypeError),
    ({"only": 7}, TypeError),
]


@pytest.mark.parametrize(("options", "error"), OPTIONS)
def test_a_wrong_option_is_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        run_tool_calls(CALLS, never, **options)


@pytest.mark.parametrize("tools", [None, 7, {"read": None}, {"read": "f"}, [never]])
def test_what_are_no_tools_is_refused(tools: Any) -> None:
    with pytest.raises(TypeError, match="callable"):
        run_tool_calls(CALLS, tools)


def test_a_choice_that_raises_is_the_caller_s_own() -> None:
    wrong: Callable[..., bool] = lambda call: 1 / 0  # type: ignore[assignment,return-value]  # noqa: E731
    with pytest.raises(ZeroDivisionError):
        run_tool_calls(CALLS, never, only=wrong)


# --- what choosing takes -------------------------------------------------------------------------

FIRST = ToolUse("toolu_1", "read", 1, 0)


@pytest.mark.parametrize("chosen", [READ, [READ], FIRST, [FIRST], (it for it in [READ])])
def test_calls_are_chosen_by_themselves(chosen: Any) -> None:
    told = [it["content"] for it in run(CALLS, ALL, only=chosen)]
    assert told == ["r", DENIED, DENIED]


@pytest.mark.parametrize("chosen", [5, True, b"read", {"read": False}, [1], [None], [["read"]]])
@pytest.mark.parametrize("keyword", ["only", "skip"])
def test_what_chooses_nothing_is_refused_before_any_tool_runs(keyword: str, chosen: Any) -> None:
    tools = dict.fromkeys(ALL, never)
    with pytest.raises(TypeError, match="only and skip take calls, their ids, names of tools, or"):
        run_tool_calls(turn(*CALLS), tools, **{keyword: chosen})


@pytest.mark.parametrize("chosen", ["reed", ["read", "toolu_9"]])
@pytest.mark.parametrize("keyword", ["only", "skip"])
def test_a_name_that_is_none_is_refused_before_any_tool_runs(keyword: str, chosen: Any) -> None:
    tools = dict.fromkeys(ALL, never)
    with pytest.raises(ValueError, match=r"'(reed|toolu_9)' is neither a tool nor a call"):
        run_tool_calls(turn(*CALLS), tools, **{keyword: chosen})
    # One callable for all may have tools of any name.
    assert len(run(CALLS, lambda *_: "r", **{keyword: chosen})) == 3


def test_a_tool_that_is_not_called_may_be_named() -> None:
    (result,) = run([READ], ALL, skip=["write", "send"])
    assert result["content"] == "r"


def test_an_async_tool_is_refused_by_the_sync_form_before_any_tool_runs() -> None:
    async def later() -> str:
        return "w"

    tools: dict[str, Any] = {"read": never, "write": later, "send": never}
    with pytest.raises(TypeError, match="the tool write is async: await the async form"):
        run_tool_calls(turn(*CALLS), tools)


def test_an_async_function_chooses_nothing() -> None:
    async def approve(call: Any) -> bool:
        return False

    choose: Any = approve
    with pytest.raises(TypeError, match="this one is async: await it before"):
        run_tool_calls(turn(*CALLS), dict.fromkeys(ALL, never), only=choose)
