"""`drive`: loops of all kinds, what it reports of them, and the wrong ones that it finds out."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from functools import partial
from typing import Any

import pytest
from agents import ONE, TOOLS, TWO, asked, same
from histories import assistant, call, says, user

from toolpair import arun_agent, run_agent
from toolpair.testing import (
    ScriptedModel,
    ScriptError,
    all_calls,
    calls,
    drive,
    first_call_only,
)

DONE = "Done."
F = {"f": lambda: 1}


def mutates(model: Any, messages: list[Any], tools: Any) -> None:
    all_calls(model, messages, tools)


def returns(model: Any, messages: list[Any], tools: Any) -> Any:
    return tuple(all_calls(model, list(messages), tools))


def returns_more(model: Any, messages: list[Any], tools: Any) -> Any:
    return all_calls(model, messages, tools), "and a text"


async def in_tasks(model: Any, messages: list[Any], tools: Any) -> None:
    while True:
        messages.append(await model(messages, tools=list(tools)))
        asked = [it for it in messages[-1]["content"] if it["type"] == "tool_use"]
        if not asked:
            return
        results = [
            {"type": "tool_result", "tool_use_id": it["id"], "content": str(value)}
            for it in asked
            if (value := tools[it["name"]](**it["input"])) is not None
        ]
        messages.append({"role": "user", "content": results})


def with_client(model: Any, messages: list[Any], tools: Any) -> Any:
    return run_agent(lambda history: model(messages=history, max_tokens=1), messages, tools)


LOOPS: list[Any] = [
    all_calls,
    mutates,
    returns,
    returns_more,
    in_tasks,
    run_agent,
    arun_agent,
    partial(arun_agent, max_concurrency=1),
    lambda *given: arun_agent(*given),  # noqa: PLW0108 - it does not say that it is async
    with_client,
]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_is_right(loop: Any) -> None:
    given = asked()
    run = drive(loop, ScriptedModel([TWO, DONE]), given, TOOLS)
    assert (run.end_reason, run.rounds, run.final_text) == ("finished", 2, DONE)
    assert {call.id for call in run.executed} == {"toolu_01", "toolu_02"}
    assert (run.dropped, run.unpaired_ids, run.report, run.error) == ((), [], None, None)
    assert run.role_sequence == ("user", "assistant", "user", "assistant")
    assert given == asked()


def test_which_of_several_calls_were_run() -> None:
    alike = calls(("f", {}), ("f", {}), ("g", {"a": 1}))
    tools = {"f": lambda: 1, "g": lambda a: a}
    run = drive(first_call_only, ScriptedModel([alike, lambda _: alike]), "q", tools, max_rounds=2)
    assert [call.id for call in run.executed] == ["toolu_01", "toolu_01"]
    assert [call.id for call in run.dropped] == ["toolu_02", "toolu_03"] * 2

    def backwards(model: Any, messages: list[Any], tools: Any) -> None:
        for block in model(messages)["content"][::-1]:
            tools["g"](**block["input"])

    run = drive(backwards, ScriptedModel([calls(("g", {"a": 1}), ("g", {"a": 2}))]), "q", tools)
    assert [call.input for call in run.executed] == [{"a": 2}, {"a": 1}]

    def twice(model: Any, messages: list[Any], tools: Any) -> None:
        model(messages)
        tools["g"](a=1)
        tools["g"](2)

    run = drive(twice, ScriptedModel([alike]), "q", tools)
    assert [(call.id, call.input) for call in run.executed] == [("toolu_03", {"a": 1}), ("", {})]
    assert (run.end_reason, len(run.dropped)) == ("stopped", 2)


def test_tools_look_as_they_are() -> None:
    def get_weather(city: str) -> str:
        """Tell the weather."""
        return city

    async def get_rate(to: str) -> str:
        """Tell the rate."""
        return to

    seen: dict[str, Any] = {}
    tools = {"get_weather": get_weather, "get_rate": get_rate}
    drive(lambda model, messages, given: seen.update(given), ScriptedModel([]), "q", tools)
    for name, tool in tools.items():
        assert inspect.getdoc(seen[name]) == inspect.getdoc(tool)
        assert inspect.signature(seen[name]) == inspect.signature(tool)
        assert inspect.iscoroutinefunction(seen[name]) == inspect.iscoroutinefunction(tool)


@pytest.mark.parametrize(
    "loop", [partial(run_agent, timeout=0.05), partial(arun_agent, timeout=0.05)]
)
def test_a_patient_loop_outlives_a_slow_tool(loop: Any) -> None:
    ran: list[str] = []
    tools = {"f": lambda: ran.append("f"), "g": lambda: "g"}
    run = drive(
        loop, ScriptedModel([calls(("f", {}), ("g", {})), DONE]), "q", tools, slow_tools={"f"}
    )
    assert (run.end_reason, len(run.executed), run.report) == ("finished", 2, None)
    assert "timed out after 0.05 s" in run.messages[2]["content"][0]["content"]
    assert run.messages[2]["content"][1]["content"] == "g"
    time.sleep(0.05)
    assert ran == []


@pytest.mark.parametrize("loop", [all_calls, arun_agent])
def test_a_loop_that_hangs_is_given_up_and_does_nothing_more(loop: Any) -> None:
    ran: list[str] = []

    async def in_task() -> None:
        ran.append("f")

    tool = in_task if loop is arun_agent else partial(ran.append, "f")
    model = ScriptedModel([ONE, DONE])
    before = threading.active_count()
    run = drive(loop, model, "q", {"f": tool}, slow_tools="f", timeout=0.1)
    assert (run.end_reason, run.rounds, len(run.executed)) == ("hung", 1, 1)
    assert run.role_sequence == (("user", "assistant") if loop is all_calls else ("user",))
    for _ in range(100):
        time.sleep(0.01)
        if threading.active_count() == before:
            break
    assert threading.active_count() == before
    assert (len(model.requests), ran) == (1, [])


def test_a_loop_that_retries_for_ever_is_ended() -> None:
    def retries(model: Any, messages: list[Any], tools: Any) -> None:
        while True:
            with contextlib.suppress(ScriptError):
                model(messages)

    run = drive(retries, ScriptedModel([]), "q", {})
    assert (run.end_reason, run.rounds) == ("max_rounds", 0)


@pytest.mark.parametrize("swapped", [(None, "m", {}), ("l", None, {}), ("l", "m", ["f"])])
def test_what_cannot_be_driven_is_told_of(swapped: tuple[Any, Any, Any]) -> None:
    loop = all_calls if swapped[0] else swapped[0]
    model = ScriptedModel([]) if swapped[1] else swapped[1]
    with pytest.raises(TypeError, match=r"(loop|model|tools) must be"):
        drive(loop, model, "q", swapped[2])


def test_a_loop_may_ask_through_a_client() -> None:
    def asks_a_client(model: Any, messages: list[Any], tools: Any) -> list[Any]:
        said = model.client.messages.create(model="m", max_tokens=1, messages=messages)
        return [*messages, {"role": "assistant", "content": said.content}]

    async def awaits_a_client(model: Any, messages: list[Any], tools: Any) -> list[Any]:
        said = await model.client.messages.create(model="m", max_tokens=1, messages=messages)
        return [*messages, {"role": "assistant", "content": said.content}]

    pytest.importorskip("anthropic")
    for loop in (asks_a_client, awaits_a_client):
        run = drive(loop, ScriptedModel(["Hi."], as_sdk=True), "q", {})
        assert (run.end_reason, run.rounds, run.final_text) == ("finished", 1, "Hi.")
        assert run.ok


def test_a_loop_that_never_asks_is_not_ok() -> None:
    run = drive(lambda *_: None, ScriptedModel(["Hi."]), "q", {})
    assert (run.end_reason, run.rounds, run.ok) == ("finished", 0, False)


def test_of_a_loop_with_a_list_of_its_own_the_last_request_is_known() -> None:
    def keeps_its_own(model: Any, messages: list[Any], tools: Any) -> str:
        own = list(messages)
        own.append(model(own))
        return "given up"

    plan = calls(("f", {}))
    run = drive(keeps_its_own, ScriptedModel([plan]), "q", {"f": lambda: 1})
    assert (run.end_reason, run.role_sequence) == ("stopped", ("user", "assistant"))
    assert (run.unpaired_ids, run.ok) == (["toolu_01"], False)


def test_what_is_no_message_is_a_crash_of_the_loop_that_put_it_there() -> None:
    def appends_none(model: Any, messages: list[Any], tools: Any) -> None:
        messages += [model(messages), None, model(messages[:1])]

    run = drive(appends_none, ScriptedModel(["a", "b"]), "q", {})
    assert (run.end_reason, run.role_sequence) == ("crashed", ("user", "assistant"))
    assert "NoneType at messages[2]" in str(run)
    assert not run.ok


def test_the_limit_ends_a_loop_whatever_it_catches() -> None:
    def endless(model: Any, messages: list[Any], tools: Any) -> None:
        while True:
            try:
                messages.append(model(messages))
                messages.append(says("user", "Go on."))
            except Exception:  # noqa: BLE001, S110
                pass

    run = drive(endless, ScriptedModel([lambda _: "x"]), "q", {}, max_rounds=3)
    assert (run.end_reason, run.rounds, run.error, len(run.messages)) == ("max_rounds", 3, None, 7)
    run = drive(run_agent, ScriptedModel(same(9, ("f", {}))), "q", F, max_rounds=2)
    assert (run.end_reason, run.rounds, len(run.messages)) == ("max_rounds", 2, 5)


@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError])
def test_a_crash_is_reported(error: type[BaseException]) -> None:
    def crashes(model: Any, messages: list[Any], tools: Any) -> None:
        messages.append(model(messages))
        raise error("no disk")

    run = drive(crashes, ScriptedModel([TWO]), "q", TOOLS)
    assert (run.end_reason, type(run.error), str(run.error)) == ("crashed", error, "no disk")
    assert (len(run.dropped), run.unpaired_ids) == (2, ["toolu_01", "toolu_02"])
    assert run.report is not None


def test_a_script_that_is_too_short_is_a_crash() -> None:
    run = drive(all_calls, ScriptedModel([ONE]), "q", F)
    assert (run.end_reason, type(run.error)) == ("crashed", ScriptError)


def test_a_loop_that_stops_before_the_model_does() -> None:
    run = drive(partial(all_calls, max_rounds=1), ScriptedModel([ONE, DONE]), "q", F)
    assert (run.end_reason, run.rounds, run.report) == ("stopped", 1, None)


@pytest.mark.parametrize("reply", [[call("a"), call("a")], [{"type": "tool_use"}]])
def test_a_broken_reply_is_the_loops_affair(reply: list[Any]) -> None:
    seen = []
    drive(lambda model, messages, _: seen.append(model(messages)), ScriptedModel([reply]), "q", {})
    assert seen == [assistant(*reply)]
    run = drive(run_agent, ScriptedModel([reply]), "q", {})
    assert (run.end_reason, run.rounds, len(run.messages)) == ("refused", 1, 1)
    assert run.report is not None


def test_what_a_returned_run_says_of_its_end() -> None:
    run = drive(run_agent, ScriptedModel(same(9, ("f", {}))), "q", F)
    assert (run.end_reason, run.rounds, len(run.executed), len(run.dropped)) == (
        "repeated_plan",
        3,
        2,
        1,
    )


def test_the_report_is_of_the_first_request_that_would_be_refused() -> None:
    def mends(model: Any, messages: list[Any], tools: Any) -> None:
        model([*messages, assistant(call("a")), *messages])
        model([*messages, user(call("b"))])
        messages.append(model(messages))

    run = drive(mends, ScriptedModel([DONE] * 3), "q", {})
    assert run.report is not None
    assert [found.tool_use_id for found in run.report.errors] == ["a"]


@pytest.mark.parametrize("options", [{"fail_tools": ["g"]}, {"slow_tools": "ff"}])
def test_a_tool_that_there_is_not_cannot_fail(options: Any) -> None:
    with pytest.raises(ValueError, match=r"no tool '(g|ff)' to get into trouble; the tools: f$"):
        drive(all_calls, ScriptedModel([]), "q", F, **options)


def test_a_loop_may_have_any_time() -> None:
    assert drive(all_calls, ScriptedModel([DONE]), "q", F, timeout=float("inf")).ok


def test_what_hangs_comes_back_even_where_the_drive_is_interrupted() -> None:
    ended = threading.Event()

    def loop(model: Any, messages: list[Any], tools: Any) -> None:
        messages.append({"role": "user", "content": [Unreadable()]})
        tools["f"]()
        ended.set()

    with pytest.raises(TypeError, match="could not be read"):
        drive(loop, ScriptedModel([DONE]), "q", F, slow_tools=["f"], timeout=0.1)
    assert ended.wait(5)


class Unreadable:
    def __getattr__(self, name: str) -> Any:
        raise ValueError(name)
