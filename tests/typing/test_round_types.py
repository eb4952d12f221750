"""What type checkers must say of tool rounds: mypy and pyright read this file, and it runs."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from typing_extensions import assert_type

from toolpair import (
    Report,
    Run,
    ToolCall,
    ToolRound,
    arun_agent,
    arun_tool_calls,
    client_model,
    resume,
    run_agent,
    run_tool_calls,
)
from toolpair.testing import ScriptedModel, all_calls, answer, ask_again, calls, drive

pytest.importorskip("anthropic")

from anthropic.types import Message, MessageParam

PLAN = calls(("add", {"a": 1, "b": 2}), ("greet", {"name": "Ada"}))


def add(a: int, b: int) -> int:
    return a + b


async def greet(name: str) -> str:
    return f"Hello, {name}!"


TOOLS = {"add": add}
MIXED = {"add": add, "greet": greet}


def question() -> list[MessageParam]:
    return [{"role": "user", "content": "1 + 2?"}]


def any_tool(name: str, given: Any, id: str) -> object:
    return f"{name}({given}) [{id}]"


def shaped(error: Exception, call: ToolCall) -> str:
    return f"{call.name} failed: {error}"


def test_running_calls() -> None:
    assert_type(run_tool_calls(PLAN, TOOLS), dict[str, Any] | None)
    assert_type(run_tool_calls(PLAN, any_tool, on_error=shaped), dict[str, Any] | None)
    assert_type(run_tool_calls(PLAN, TOOLS, drop=False), dict[str, Any] | None)
    dropped = run_tool_calls(PLAN, TOOLS, skip="greet", drop=True)
    assert_type(dropped, tuple[Any, dict[str, Any] | None])
    assert_type(
        run_tool_calls(PLAN, TOOLS, only=lambda call: call.id == "x"), dict[str, Any] | None
    )
    assert_type(asyncio.run(arun_tool_calls(PLAN, MIXED, timeout=1)), dict[str, Any] | None)


def test_a_round() -> None:
    messages = question()
    message = ScriptedModel([PLAN], as_sdk=True)(messages)
    assert isinstance(message, Message)
    with ToolRound(messages, message) as opened:
        assert_type(opened, ToolRound)
        for call in opened:
            assert_type(call, ToolCall)
            opened.record(call, call.input)
        assert_type(opened.calls, tuple[ToolCall, ...])
        assert_type(opened.results, list[dict[str, Any]])
    assert_type(resume(messages, TOOLS), list[MessageParam])


def test_agents() -> None:
    run = run_agent(ScriptedModel(["3."]), question(), MIXED, max_rounds=3)
    assert_type(run, Run)
    assert_type(run.role_sequence, tuple[str, ...])
    assert_type(run.unpaired_ids, list[str])
    assert_type(run.final_text, str)
    assert_type(run.executed, tuple[ToolCall, ...])
    assert_type(run.report, Report | None)
    assert_type(
        run.end_reason,
        Literal["finished", "max_rounds", "repeated_plan", "refused", "stopped", "crashed", "hung"],
    )
    scripted = ScriptedModel(["3."])
    assert run_agent(client_model(scripted.client, max_tokens=1), question(), {}).final_text == "3."

    async def model(messages: list[Any]) -> str:
        return "3."

    assert_type(asyncio.run(arun_agent(model, question(), MIXED)), Run)


def test_loops_under_test() -> None:
    script = ScriptedModel([PLAN, ask_again(PLAN, answer(PLAN, {"add": "3."}))])
    assert_type(drive(all_calls, script, "1 + 2?", TOOLS, fail_tools=["add"]), Run)
    assert_type(drive(run_agent, ScriptedModel(["3."]), question(), MIXED), Run)
