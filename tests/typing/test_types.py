"""What type checkers must see: mypy --strict and pyright read this file, and pytest runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from anthropic.types import Message, MessageCreateParams, MessageParam, TextBlock, Usage
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from typing_extensions import assert_type

from toolpair import (
    RULES,
    Explanation,
    Kept,
    MemoryTaskStore,
    Place,
    Report,
    Rule,
    Splice,
    SQLiteTaskStore,
    StatusTool,
    Task,
    TaskStore,
    ToolPairError,
    ToolPairingError,
    ToolPairingTracker,
    ToolUse,
    TrimError,
    TrimPlan,
    Violation,
    check_request,
    check_tool_pairing,
    explain,
    namespace_tool_ids,
    pending_result,
    pending_tool_uses,
    plan_trim,
    splice_check,
    status_tool,
    subagent_result,
    trim_messages_safely,
    unpaired_tool_use_ids,
    validate_request,
    validate_tool_pairing,
)

PARAMS: list[MessageParam] = [
    {"role": "user", "content": "q"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}],
    },
]


@dataclass
class Turn:
    """A program's own message type."""

    role: Literal["user", "assistant"]
    content: str


def test_a_trim_keeps_the_callers_type() -> None:
    turns = [Turn("user", "q"), Turn("assistant", "a"), Turn("user", "r")]
    dicts: list[dict[str, Any]] = [{"role": "user", "content": "q"}]
    mappings = tuple[Mapping[str, object], ...](dicts)

    assert_type(trim_messages_safely(PARAMS), list[MessageParam])
    assert_type(trim_messages_safely(PARAMS, 4), list[MessageParam])
    assert_type(trim_messages_safely(PARAMS, max_messages=4, keep_task=True), list[MessageParam])
    assert_type(trim_messages_safely(turns, keep_recent=1), list[Turn])
    assert_type(trim_messages_safely(dicts), list[dict[str, Any]])
    assert_type(trim_messages_safely(mappings), list[Mapping[str, object]])

    mixed: list[MessageParam | Message] = [*PARAMS, reply()]
    assert_type(trim_messages_safely(mixed), list[MessageParam | Message])


def test_a_plan_keeps_the_callers_type() -> None:
    plan = plan_trim(PARAMS, keep_recent=1, endpoint="strict")
    assert_type(plan, TrimPlan[MessageParam])
    assert_type(plan.messages, list[MessageParam])
    assert_type(plan.apply(), list[MessageParam])
    assert_type(plan.dropped, list[MessageParam])
    assert_type(plan.kept_indices, tuple[int, ...])
    assert_type(plan.dropped_indices, tuple[int, ...])
    assert_type(plan.asked, int | None)
    assert_type(plan.reached, int)
    assert_type(plan.first_changed_index, int | None)
    assert_type(plan.thinking_after_change, bool)
    assert_type(plan.starts_with_user, bool)
    assert_type(plan.binds_thinking, bool | None)
    assert_type(plan.reasons, tuple[Kept, ...])
    for kept in plan.reasons:
        assert_type(kept.message_index, int)
        assert_type(kept.text, str)


def test_a_report_is_plain_data() -> None:
    report = check_tool_pairing(PARAMS, endpoint="deepseek", ignore=["TP107"], allow_pending=True)
    assert_type(report, Report)
    assert_type(report.ok, bool)
    assert_type(report.endpoint, str)
    assert_type(report.violations, tuple[Violation, ...])
    assert_type(report.errors, tuple[Violation, ...])
    assert_type(report.warnings, tuple[Violation, ...])
    assert_type(report.pending, tuple[ToolUse, ...])
    assert_type(report.notes, tuple[str, ...])
    for found in check_tool_pairing(PARAMS).violations:
        assert_type(found.code, str)
        assert_type(found.slug, str)
        assert_type(found.severity, Literal["error", "warning"])
        assert_type(found.text, str)
        assert_type(found.message_index, int | None)
        assert_type(found.block_index, int | None)
        assert_type(found.tool_use_id, str | None)
        assert_type(found.related, tuple[Place, ...])
        assert_type(found.hint, str)
        assert_type(found.server_text, str | None)


REQUEST: MessageCreateParamsNonStreaming = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "messages": PARAMS[:1],
}


def test_a_request_is_a_mapping_or_json() -> None:
    assert_type(check_request(REQUEST), Report)
    params: MessageCreateParams = REQUEST
    assert_type(check_request(params, endpoint="kimi", select="TP005"), Report)
    anything: Mapping[str, Any] = {"messages": PARAMS[:1]}
    assert_type(check_request(anything, ignore=["TP001"], allow_pending=True), Report)
    validate_request(REQUEST, endpoint="vertex")
    for body in (b'{"messages": []}', bytearray(b'{"messages": []}'), '{"messages": []}'):
        assert_type(check_request(body), Report)


def test_a_context_is_any_mapping_of_members() -> None:
    assert_type(check_tool_pairing(PARAMS, context=REQUEST, select=["TP005"]), Report)
    validate_tool_pairing(PARAMS[:1], context={"model": "claude-sonnet-4-5", "tools": []})
    tracker = ToolPairingTracker(context=REQUEST, select="TP005")
    assert_type(tracker.report(), Report)
    assert_type(plan_trim(PARAMS, context=REQUEST), TrimPlan[MessageParam])
    assert_type(trim_messages_safely(PARAMS, context={"model": "m"}), list[MessageParam])


def test_calls_and_ids() -> None:
    assert_type(unpaired_tool_use_ids(PARAMS), list[str])
    calls = pending_tool_uses(PARAMS)
    assert_type(calls, list[ToolUse])
    for call in calls:
        assert_type(call.id, str)
        assert_type(call.name, str | None)
        assert_type(call.message_index, int)
        assert_type(call.block_index, int)


def test_validate_gives_nothing_and_its_error_a_report() -> None:
    validate_tool_pairing(PARAMS[:1])
    try:
        validate_tool_pairing(PARAMS)
    except ToolPairingError as error:
        assert_type(error.report, Report)
        base: ToolPairError = error
        value_error: ValueError = error
        assert str(base) == str(value_error)
    try:
        trim_messages_safely(PARAMS, max_messages=1)
    except TrimError as error:
        assert_type(error.smallest, int)


def test_a_tracker_takes_any_message() -> None:
    tracker = ToolPairingTracker(endpoint="anthropic", ignore="TP107", allow_pending=True)
    for message in PARAMS:
        tracker.append(message)
    tracker.append(reply())
    tracker.extend([Turn("user", "q")])
    assert_type(tracker.pending, tuple[ToolUse, ...])
    assert_type(tracker.report(), Report)
    assert_type(len(tracker), int)


def test_rules_and_explanations() -> None:
    assert_type(RULES, tuple[Rule, ...])
    assert_type(RULES[0].severity, Literal["error", "warning"])
    assert_type(RULES[0].example, list[dict[str, Any]])
    assert_type(RULES[0].example_request, dict[str, Any])
    assert_type(RULES[0].when, Literal["always", "selected", "betas-known"])
    assert_type(RULES[0].server_texts, tuple[str, ...])
    explanation = explain(ValueError("TP101"))
    assert_type(explanation, Explanation)
    assert_type(explanation.rule, Rule | None)
    assert_type(explanation.ids, tuple[str, ...])
    assert_type(explanation.place, Place | None)


def test_tasks_and_their_stores() -> None:
    assert_type(pending_result("toolu_1", task_id="7", toolset_name="f"), dict[str, Any])
    with SQLiteTaskStore(":memory:") as file:
        assert_type(file, SQLiteTaskStore)
        for store in list[TaskStore]([MemoryTaskStore(), file]):
            store.submit("toolu_1")
            store.update("toolu_1", "failed", "no space left")
            assert_type(store.get("toolu_1"), Task | None)
            assert_type(store.tasks(), list[Task])
            for task in store.tasks():
                assert_type(task.id, str)
                assert_type(task.state, Literal["submitted", "running", "done", "failed"])
                assert_type(task.result, str | None)
            tool = status_tool(store, name="jobs")
            assert_type(tool, StatusTool)
            definition, call = tool
            assert_type(definition, dict[str, Any])
            assert_type(call("toolu_1"), str)
            assert_type(call(), str)


def test_sub_agents() -> None:
    turns = [Turn("user", "q"), Turn("assistant", "a")]
    assert_type(subagent_result("toolu_1", turns, toolset_name="f"), dict[str, Any])
    assert_type(subagent_result("toolu_1", [*PARAMS, reply()]), dict[str, Any])
    splice = splice_check(PARAMS, turns, endpoint="strict", ignore="TP409", context=REQUEST)
    assert_type(splice, Splice)
    assert_type(splice.ok, bool)
    assert_type(splice.colliding_ids, tuple[str, ...])
    assert_type(splice.violations, tuple[Violation, ...])
    assert_type(namespace_tool_ids(turns, "sub"), list[Turn])
    assert_type(namespace_tool_ids(PARAMS, prefix="sub"), list[MessageParam])


def reply() -> Message:
    """What the SDK gives for a request."""
    return Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        content=[TextBlock(type="text", text="a")],
        stop_reason="end_turn",
        stop_sequence=None,
        usage=Usage(input_tokens=1, output_tokens=1),
    )
