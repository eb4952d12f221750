"""Loops that are wrong are found out, and those that are right are not, whatever tools do."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from agents import TOOLS, TWO

from toolpair import arun_agent, run_agent
from toolpair.testing import (
    ScriptedModel,
    all_calls,
    calls,
    drive,
    first_call_only,
    one_result_short,
    results_out_of_turn,
    skip_on_exception,
    trim_inside_a_pair,
)

DONE = "Done."
WRONG = [
    (first_call_only, "pending-tool-use", ["toolu_02"], True),
    (one_result_short, "pending-tool-use", ["toolu_02"], True),
    (skip_on_exception, "pending-tool-use", ["toolu_02"], False),
    (results_out_of_turn, "orphan-tool-result", [], True),
    (trim_inside_a_pair, "orphan-tool-result", [], True),
]


@pytest.mark.parametrize("fails", [(), ("get_rate",)], ids=["all well", "one fails"])
@pytest.mark.parametrize("role", ["user", "tool"])
@pytest.mark.parametrize(("loop", "slug", "unpaired", "always"), WRONG)
def test_a_wrong_loop_is_found_out(
    loop: Any, slug: str, unpaired: list[str], always: bool, fails: Any, role: str
) -> None:
    script = [TWO, calls(("get_weather", {"city": "Kyoto"}), first=3), DONE]
    run = drive(partial(loop, role=role), ScriptedModel(script), "q", TOOLS, fail_tools=fails)
    is_wrong = bool(always or fails)
    assert run.end_reason == "finished"
    assert run.unpaired_ids == (unpaired if is_wrong else [])
    if role == "tool":
        assert run.report is not None  # the API takes no such role
        return
    assert (run.report is not None) == is_wrong
    if run.report is not None:
        assert slug in [found.slug for found in run.report.errors]


@pytest.mark.parametrize("loop", [all_calls, run_agent, arun_agent])
@pytest.mark.parametrize("fails", ["get_rate", ["get_weather", "get_rate"]])
def test_a_right_loop_is_not_found_out_when_tools_fail(loop: Any, fails: Any) -> None:
    run = drive(loop, ScriptedModel([TWO, DONE]), "q", TOOLS, fail_tools=fails)
    assert (run.end_reason, run.report, run.unpaired_ids) == ("finished", None, [])
    errors = [it["tool_use_id"] for it in run.messages[2]["content"] if it.get("is_error")]
    assert errors == (["toolu_02"] if fails == "get_rate" else ["toolu_01", "toolu_02"])
    assert "RuntimeError: get_rate failed, as the test asked" in str(run)


def test_a_loop_that_trims_is_right_until_it_trims() -> None:
    run = drive(trim_inside_a_pair, ScriptedModel([TWO, DONE]), "q", TOOLS)
    assert (run.end_reason, run.report, len(run.messages)) == ("finished", None, 4)


def test_a_loop_that_says_something_first_pairs_all_and_is_refused() -> None:
    run = drive(results_out_of_turn, ScriptedModel([TWO, DONE]), "q", TOOLS)
    assert run.report is not None
    assert [(found.slug, found.message_index) for found in run.report.errors] == [
        ("tool-use-without-result", 1),
        ("tool-use-without-result", 1),
        ("orphan-tool-result", 4),
        ("orphan-tool-result", 4),
    ]
    assert (run.unpaired_ids, run.dropped) == ([], ())
