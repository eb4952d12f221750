"""`run_tool_calls`: one result for each client call, in their order, whatever the tools do."""

from __future__ import annotations

import asyncio
import builtins
import contextvars
import time
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from rounds import QUESTION, Block, answered, never, run, turn, use

from toolpair import (
    ToolCall,
    ToolCancelledError,
    arun_tool_calls,
    run_tool_calls,
)

CALLS = [use(f"toolu_{number}", "echo", it=number) for number in range(6)]


def echo(it: object) -> object:
    return it


async def aecho(it: object) -> object:
    await asyncio.sleep(0)
    return it


def fail(error: BaseException) -> Callable[..., Any]:
    def tool(*_: object, **__: object) -> None:
        raise error

    return tool


# --- order and form ------------------------------------------------------------------------------


@pytest.mark.parametrize("max_concurrency", [1, 2, 16])
def test_the_results_stand_in_the_order_of_the_calls(max_concurrency: int) -> None:
    def slow_first(it: int) -> int:
        time.sleep((5 - it) / 500)
        return it

    results = run(CALLS, {"echo": slow_first}, max_concurrency=max_concurrency)
    assert [it["tool_use_id"] for it in results] == [it["id"] for it in CALLS]
    assert [it["content"] for it in results] == list("012345")


def test_the_message_holds_results_and_nothing_else() -> None:
    answer = run_tool_calls(CALLS[:1], {"echo": echo})
    result = {"type": "tool_result", "tool_use_id": "toolu_0", "content": "0"}
    assert answer == {"role": "user", "content": [result]}


def test_calls_of_the_server_are_the_server_s() -> None:
    server: list[Block] = [
        {"type": "server_tool_use", "id": "srvtoolu_2", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_2", "content": []},
        {"type": "mcp_tool_use", "id": "mcp_1", "name": "f", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "mcp_1", "is_error": False, "content": []},
    ]
    assert [it["tool_use_id"] for it in run([*server, CALLS[0]], {"echo": echo})] == ["toolu_0"]
    assert run_tool_calls(turn(*server), {"echo": never}) is None
    assert run_tool_calls({"role": "assistant", "content": "Done."}, {}) is None


def test_messages_of_any_form() -> None:
    anthropic = pytest.importorskip("anthropic")
    usage = {"input_tokens": 1, "output_tokens": 1}
    made = {"id": "msg_1", "model": "m", "type": "message", "stop_reason": "tool_use"}
    api = {"role": "assistant", "content": CALLS, **made, "stop_sequence": None, "usage": usage}
    message = anthropic.types.Message.model_validate(api)
    forms: list[object] = [turn(*CALLS), CALLS, tuple(CALLS), api, message, message.content]
    forms.append(SimpleNamespace(role="assistant", content=message.content))
    for form in forms:
        answer = run_tool_calls(form, {"echo": echo})
        assert answer is not None
        assert [it["content"] for it in answer["content"]] == list("012345")


def test_one_callable_for_all_is_given_name_input_and_id() -> None:
    (result,) = run(CALLS[3:4], lambda *given: given)
    assert result["content"] == '["echo", {"it": 3}, "toolu_3"]'


def test_tools_of_any_kind() -> None:
    class Tool:
        def __call__(self, it: object) -> object:
            return it

        def __len__(self) -> int:
            return 0

    for tool in Tool(), partial(echo), Tool().__call__:
        assert [it["content"] for it in run(CALLS[:2], {"echo": tool})] == ["0", "1"]


def test_toolset_names_are_copied() -> None:
    (result,) = run([use("toolu_1") | {"toolset_name": "computer"}], {"f": lambda: "r"})
    assert result["toolset_name"] == "computer"


def test_tools_see_the_caller_s_context() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")
    user.set("ann")
    tools = {"echo": lambda it: user.get()}
    assert {it["content"] for it in run(CALLS, tools)} == {"ann"}
    answer = asyncio.run(arun_tool_calls(CALLS, tools))
    assert answer is not None
    assert {it["content"] for it in answer["content"]} == {"ann"}


# --- errors --------------------------------------------------------------------------------------


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


GROUP = [ValueError("a"), Mute(), OSError("b")]
ERRORS: list[tuple[Exception, str]] = [
    (ValueError("no such row"), "ValueError: no such row"),
    (ValueError(), "ValueError"),
    (ValueError(" \n"), "ValueError"),
    (Mute(), "Mute"),
    (KeyError("x"), "KeyError: 'x'"),
    (StopIteration("over"), "StopIteration: over"),
    (StopAsyncIteration("over"), "StopAsyncIteration: over"),
    (ValueError("a\ud800b"), "ValueError: a\\ud800b"),
    (RecursionError("deep"), "RecursionError: deep"),
    (asyncio.TimeoutError(), "TimeoutError"),
]


@pytest.mark.parametrize(("error", "text"), ERRORS)
def test_an_exception_is_named(error: Exception, text: str) -> None:
    (result,) = run([use("toolu_1")], {"f": fail(error)})
    assert (result["content"], result["is_error"]) == (text, True)
    answer = asyncio.run(arun_tool_calls([use("toolu_1")], {"f": fail(error)}))
    assert answer is not None
    assert answer["content"] == [result]


def test_a_stop_iteration_of_an_async_tool_is_named() -> None:
    async def tool() -> None:
        raise StopIteration("over")

    answer = asyncio.run(arun_tool_calls([use("toolu_1")], {"f": tool}))
    assert answer is not None
    assert answer["content"][0]["content"] == "StopIteration: over"


def test_a_group_says_what_each_of_it_says() -> None:
    group = getattr(builtins, "ExceptionGroup", None)
    if group is None:
        pytest.skip("there are no groups in Python 3.10")
    (result,) = run([use("toolu_1")], {"f": fail(group("two", GROUP))})
    assert result["content"].startswith("ExceptionGroup: two")
    assert "ValueError: a; Mute; OSError: b" in result["content"]


def test_one_that_fails_leaves_the_others_be() -> None:
    tools = {"echo": echo, "fail": fail(OSError("disk"))}
    results = run([CALLS[0], use("toolu_x", "fail"), CALLS[1]], tools)
    assert [it["content"] for it in results] == ["0", "OSError: disk", "1"]
    assert [it.get("is_error") for it in results] == [None, True, None]


@pytest.mark.parametrize("input", [{}, {"call": 1}, {"tools": 1}, {"tool": 1, "self": 2}])
def test_an_unknown_tool_is_told_what_there_is(input: dict[str, object]) -> None:
    block = use("toolu_1", "delete") | {"input": input}
    (result,) = run([block], {"b": never, "a": never})
    assert result["content"].endswith("there is no tool 'delete'; the tools are: a, b")
    (result,) = run([block], {})
    assert result["content"].endswith("the tools are: none")
    assert result["is_error"] is True


def test_names_of_tools_are_strings() -> None:
    tools: dict[Any, Any] = {"g": never, never: never}
    with pytest.raises(TypeError, match=r"names of tools are strings; <function never .*> is none"):
        run_tool_calls(turn(use("toolu_1", "g")), tools)


def test_input_that_does_not_fit_is_an_error_of_the_call() -> None:
    (result,) = run([use("toolu_1", "echo", other=1)], {"echo": echo})
    assert result["content"].startswith("TypeError: ")
    assert "other" in result["content"]


SHAPES: list[tuple[Callable[..., object], str]] = [
    (lambda error, call: f"{call.name}: {error}", "f: disk"),
    (lambda error, call: {"code": 5}, '{"code": 5}'),
    (lambda error, call: None, "OSError: disk"),
    (lambda error, call: "", "OSError: disk"),
    (fail(ValueError("again")), "OSError: disk (and on_error raised ValueError: again)"),
    (lambda error: "", "OSError: disk (and on_error raised TypeError: "),
]


@pytest.mark.parametrize(("on_error", "text"), SHAPES, ids=range(len(SHAPES)))
def test_on_error_shapes_the_result(on_error: Callable[..., object], text: str) -> None:
    (result,) = run([use("toolu_1")], {"f": fail(OSError("disk"))}, on_error=on_error)
    assert result["content"].startswith(text)
    assert result["is_error"] is True


def test_on_error_is_given_the_exception_and_the_call() -> None:
    given: list[tuple[Exception, ToolCall]] = []
    error = OSError("disk")
    run(
        [use("toolu_1", "f", it=2)],
        {"f": fail(error)},
        on_error=lambda error, call: given.append((error, call)),
    )
    assert given == [(error, ToolCall("toolu_1", "f", {"it": 2}))]


def test_what_is_no_exception_goes_on() -> None:
    with pytest.raises(SystemExit):
        run_tool_calls(CALLS, {"echo": fail(SystemExit(3))})
    with pytest.raises(GeneratorExit):
        asyncio.run(arun_tool_calls(CALLS, {"echo": fail(GeneratorExit())}))


def test_a_tool_that_cancels_itself_gets_an_error() -> None:
    async def tool() -> None:
        raise asyncio.CancelledError

    kinds: list[type] = []
    calls = [use("toolu_1"), CALLS[0]]
    tools: dict[str, Callable[..., Any]] = {"f": tool, "echo": aecho}
    answer = asyncio.run(
        arun_tool_calls(calls, tools, on_error=lambda error, _: kinds.append(type(error)))
    )
    assert answer is not None
    results = answered([QUESTION, turn(*calls), answer], calls=2)
    assert "was cancelled" in results[0]["content"]
    assert (kinds, results[1]["content"]) == ([ToolCancelledError], "0")
