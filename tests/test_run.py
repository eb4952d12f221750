"""A run as a value: what its members say, and its trace, letter by letter."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from agents import ONE, TOOLS, TWO, asked
from anthropic.types import TextBlock
from histories import THINKING, assistant, call, result, says, server_call, server_result, user

from toolpair import Run, run_agent
from toolpair.testing import ScriptedModel, calls


def of(*messages: Any, **members: Any) -> Run:
    given: dict[str, Any] = {"end_reason": "finished", "rounds": 1, "executed": (), "dropped": ()}
    return Run(messages=messages, **given | members)


def test_a_finished_run_prints_as_a_trace() -> None:
    plan = calls(*[(block["name"], block["input"]) for block in TWO], text="Let me see.")
    run = run_agent(ScriptedModel([plan, "Rain,\nand 165 yen."]), asked(), TOOLS)
    assert str(run).splitlines() == [
        "user       'q'",
        "assistant  'Let me see.'",
        '           calls get_weather {"city": "Tokyo"} [toolu_01]',
        '           calls get_rate {"to": "JPY"} [toolu_02]',
        "user       result of toolu_01: rain in Tokyo",
        "           result of toolu_02: 165.0",
        r"assistant  'Rain,\nand 165 yen.'",
        "ended: finished after 2 rounds, 2 tools run, no call dropped",
        "roles: user assistant user assistant",
        "unpaired: none",
    ]


def test_a_refused_run_prints_what_was_found() -> None:
    run = run_agent(ScriptedModel([]), [*asked(), assistant(call("a", name="g"))], {})
    assert str(run).splitlines()[:7] == [
        "user       'q'",
        "assistant  calls g {} [a]",
        "ended: refused after no round, no tool run, no call dropped",
        "roles: user assistant",
        "unpaired: a",
        "1 error (endpoint anthropic)",
        "  messages[1].content[0]  a  TP107 pending-tool-use: the call of 'g' has no result yet",
    ]
    assert str(run).endswith(str(run.report))


def test_an_ended_run_counts_in_ones() -> None:
    run = run_agent(ScriptedModel([ONE]), asked(), {}, max_rounds=1)
    assert str(run).splitlines() == [
        "user       'q'",
        "assistant  calls f {} [toolu_01]",
        "user       error of toolu_01: UnknownToolError: there is no tool 'f'; the tools are: none",
        "ended: max_rounds after 1 round, no tool run, 1 call dropped",
        "roles: user assistant user",
        "unpaired: none",
    ]


def test_a_crash_is_told_of() -> None:
    run = of(*asked(), end_reason="crashed", error=OSError("no network"))
    assert str(run).splitlines() == [
        "user       'q'",
        "ended: crashed after 1 round, no tool run, no call dropped",
        "roles: user",
        "unpaired: none",
        "raised: OSError: no network",
    ]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (assistant(), "assistant  (nothing)"),
        (assistant(THINKING), "assistant  thinking"),
        (
            assistant(server_call("srvtoolu_1")),
            "assistant  server_tool_use web_search [srvtoolu_1]",
        ),
        (assistant(server_result("srvtoolu_1")), "assistant  web_search_tool_result"),
        (
            assistant(call("toolu_01", input={"path": "x" * 90})),
            f'assistant  calls f {{"path": "{"x" * 56}... [toolu_01]',
        ),
        (user(result("a", content=[])), "user       result of a:"),
        (
            user(result("a", content=[{"type": "text", "text": "r"}, {"type": "image"}])),
            'user       result of a: r {"type": "image"}',
        ),
        (user({"type": "tool_result", "tool_use_id": "a"}), "user       result of a:"),
        (user(result("a", content=" a\n b ")), "user       result of a: a b"),
        (user(result("a", is_error=True)), "user       error of a: r"),
        (user(result("a", is_error=False)), "user       result of a: r"),
        ({"role": "tool", "content": [result("a")]}, "tool       result of a: r"),
        (says("assistant", "x" * 86), f"assistant  '{'x' * 86}'"),
        (says("assistant", "x" * 87), f"assistant  '{'x' * 84}..."),
    ],
)
def test_a_message_in_a_trace(message: Any, shown: str) -> None:
    assert str(of(message)).splitlines()[0] == shown


@pytest.mark.parametrize(
    ("last", "text"),
    [
        (says("assistant", "Hi."), "Hi."),
        (says("user", "Hi."), ""),
        (assistant(), ""),
        (assistant(THINKING, {"type": "text", "text": "Hi."}), "Hi."),
        (assistant({"type": "text", "text": "Let me see."}, call("a")), ""),
        (assistant({"type": "text", "text": "a"}, {"type": "text", "text": "b"}), "a\n\nb"),
        (
            assistant(
                {"type": "text", "text": "It rains ", "citations": [{"type": "page_location"}]},
                {"type": "text", "text": "in Tokyo."},
            ),
            "It rains in Tokyo.",
        ),
        ({"role": "assistant", "content": [TextBlock(type="text", text="Hi.")]}, "Hi."),
    ],
)
def test_the_final_text_is_what_the_model_said_last_to_the_user(last: Any, text: str) -> None:
    assert of(*asked(), last).final_text == text
    assert of().final_text == ""


def test_unpaired_ids_are_read_in_any_role() -> None:
    run = of(*asked(), assistant(call("a"), call("b")), {"role": "tool", "content": [result("a")]})
    assert (run.unpaired_ids, run.role_sequence) == (["b"], ("user", "assistant", "tool"))


def test_a_run_is_a_value() -> None:
    first, second = (run_agent(ScriptedModel([TWO, "So."]), asked(), TOOLS) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.rounds = 3  # type: ignore[misc]
    assert "messages" not in repr(first)
