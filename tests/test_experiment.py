"""A published experiment, figure by figure: one reply with two calls, and what loops make of it.

The user asks for the weather and the exchange rate. The harness of the experiment keeps results in
messages of role `tool`; the same runs are shown in the API's form as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from toolpair import Run, check_tool_pairing, run_agent
from toolpair.testing import (
    ScriptedModel,
    all_calls,
    answer,
    ask_again,
    calls,
    drive,
    first_call_only,
)

QUESTION = "What will the weather be in Tokyo, and how many yen do I get for 500 euros?"
PLAN = calls(("get_weather", {"city": "Tokyo"}), ("get_exchange_rate", {"to": "JPY"}))
WEATHER, RATE = "It will rain in the morning.", "You get 82,500 yen."
TOOLS = {"get_weather": lambda city: "light rain until noon", "get_exchange_rate": lambda to: 165.0}
COMPLETE = LEAVES_OUT = answer(PLAN, {"get_weather": WEATHER, "get_exchange_rate": RATE})
ASKS_AGAIN = ask_again(PLAN, COMPLETE)


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    loop: Any
    behaviour: Any
    rounds: int
    tools_run: int
    unpaired: list[str]
    end: str
    has_weather: bool
    has_rate: bool
    roles: str

    def run(self, role: str) -> Run:
        loop, model = partial(self.loop, role=role), ScriptedModel([PLAN, self.behaviour])
        return drive(loop, model, QUESTION, TOOLS, max_rounds=6)


ALL = Row(
    all_calls, COMPLETE, 2, 2, [], "finished", True, True, "user assistant tool tool assistant"
)
AGAIN = Row(
    first_call_only,
    ASKS_AGAIN,
    6,
    6,
    ["toolu_02"],
    "max_rounds",
    False,
    False,
    "user" + " assistant tool" * 6,
)
LESS = Row(
    first_call_only,
    LEAVES_OUT,
    2,
    1,
    ["toolu_02"],
    "finished",
    True,
    False,
    "user assistant tool assistant",
)
ROWS = pytest.mark.parametrize(
    "row", [ALL, AGAIN, LESS], ids=["all", "asks again", "leaves it out"]
)
ROLES = pytest.mark.parametrize("role", ["tool", "user"])


@ROWS
@ROLES
def test_the_figures(row: Row, role: str) -> None:
    run = row.run(role)
    assert run.rounds == row.rounds
    assert len(run.executed) == row.tools_run
    assert run.unpaired_ids == row.unpaired
    assert run.end_reason == row.end
    assert (WEATHER in run.final_text) is row.has_weather
    assert (RATE in run.final_text) is row.has_rate


@ROWS
def test_the_roles_in_the_harness(row: Row) -> None:
    assert " ".join(row.run("tool").role_sequence) == row.roles


@ROWS
def test_the_roles_in_the_api_form(row: Row) -> None:
    one_message = row.roles.replace("tool tool", "tool").replace("tool", "user")
    assert " ".join(row.run("user").role_sequence) == one_message


@ROWS
@ROLES
def test_which_calls_were_run_and_which_were_dropped(row: Row, role: str) -> None:
    run = row.run(role)
    ran = ["toolu_01", "toolu_02"] if row is ALL else ["toolu_01"] * row.tools_run
    assert [call.id for call in run.executed] == ran
    assert [call.id for call in run.dropped] == ["toolu_02"] * (row.tools_run * (row is not ALL))
    assert {call.name for call in run.dropped} <= {"get_exchange_rate"}


def test_the_api_takes_the_requests_of_the_loop_that_answers_all() -> None:
    run = ALL.run("user")
    assert run.report is None
    assert check_tool_pairing(run.messages).violations == ()


@pytest.mark.parametrize("row", [AGAIN, LESS], ids=["asks again", "leaves it out"])
def test_the_api_refuses_the_second_request_of_the_other(row: Row) -> None:
    run = row.run("user")
    assert run.report is not None
    assert [str(found) for found in run.report.errors] == [
        "messages[1].content[1]  toolu_02  TP107 pending-tool-use: "
        "the call of 'get_exchange_rate' has no result yet"
    ]
    assert run.report.errors[0].server_text is not None
    assert "toolu_02" in run.report.errors[0].server_text


def test_what_is_wrong_with_the_history_that_leaves_it_out() -> None:
    report = check_tool_pairing(LESS.run("user").messages)
    assert [str(found) for found in report.violations] == [
        "messages[1].content[1]  toolu_02  TP101 tool-use-without-result: "
        "the call of 'get_exchange_rate' has no tool_result in the next user turn"
    ]


def test_what_is_wrong_with_the_history_that_asks_again() -> None:
    report = check_tool_pairing(AGAIN.run("user").messages)
    found = sorted((it.slug, it.message_index or 0, it.tool_use_id) for it in report.errors)
    assert found == [
        *[("duplicate-tool-use-id", index, "toolu_02") for index in (3, 5, 7, 9, 11)],
        ("pending-tool-use", 11, "toolu_02"),
        *[("tool-use-without-result", index, "toolu_02") for index in (1, 3, 5, 7, 9)],
    ]
    assert [(it.slug, it.tool_use_id) for it in report.warnings] == [
        ("duplicate-tool-use-id", "toolu_01")  # it has a result each time, which the server takes
    ] * 5


@pytest.mark.parametrize("behaviour", [COMPLETE, ASKS_AGAIN], ids=["complete", "asks again"])
def test_run_agent_with_each_of_the_models(behaviour: Any) -> None:
    run = drive(run_agent, ScriptedModel([PLAN, behaviour], strict=True), QUESTION, TOOLS)
    assert (run.rounds, len(run.executed), run.unpaired_ids) == (2, 2, [])
    assert (run.end_reason, run.report) == ("finished", None)
    assert run.final_text == f"{WEATHER} {RATE}"
    assert run.role_sequence == ("user", "assistant", "user", "assistant")


def test_run_agent_with_the_model_that_asks_again_and_a_rate_that_fails() -> None:
    model = ScriptedModel([PLAN, ASKS_AGAIN], strict=True)
    run = drive(run_agent, model, QUESTION, TOOLS, fail_tools=["get_exchange_rate"])
    assert (run.rounds, len(run.executed), len(run.dropped)) == (3, 4, 2)
    assert (run.end_reason, run.report, run.unpaired_ids) == ("repeated_plan", None, [])


def test_run_agent_with_the_model_that_leaves_it_out_and_a_rate_that_fails() -> None:
    model = ScriptedModel([PLAN, LEAVES_OUT], strict=True)
    run = drive(run_agent, model, QUESTION, TOOLS, fail_tools=["get_exchange_rate"])
    assert (run.rounds, len(run.executed), run.unpaired_ids) == (2, 2, [])
    assert (run.end_reason, run.final_text) == ("finished", WEATHER)


def test_the_trace_of_the_loop_that_leaves_it_out() -> None:
    assert str(LESS.run("tool")).splitlines()[:8] == [
        f"user       {QUESTION!r}",
        'assistant  calls get_weather {"city": "Tokyo"} [toolu_01]',
        '           calls get_exchange_rate {"to": "JPY"} [toolu_02]',
        "tool       result of toolu_01: light rain until noon",
        f"assistant  {WEATHER!r}",
        "ended: finished after 2 rounds, 1 tool run, 1 call dropped",
        "roles: user assistant tool assistant",
        "unpaired: toolu_02",
    ]
