"""The agent's loop: why it ends, what it leaves in the list, and what it asks the model with."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import AGENTS, ONE, TOOLS, TWO, Agent, asked, awaited, results, same
from histories import THINKING, assistant, call, result, says, user

from toolpair import ToolRoundError, arun_agent, check_tool_pairing, run_agent
from toolpair.testing import ScriptedModel, calls


@AGENTS
def test_it_runs_all_calls_until_there_is_none(agent: Agent) -> None:
    messages = asked()
    model = ScriptedModel([TWO, "Rain, and 165 yen."], strict=True)
    run = agent(model, messages, TOOLS)
    assert (run.end_reason, run.rounds, run.final_text) == ("finished", 2, "Rain, and 165 yen.")
    assert [call.id for call in run.executed] == ["toolu_01", "toolu_02"]
    assert (run.dropped, run.unpaired_ids, run.report, run.error) == ((), [], None, None)
    assert run.role_sequence == ("user", "assistant", "user", "assistant")
    assert run.messages == tuple(messages)
    assert messages[1] == assistant(*TWO)
    assert results(messages[2]) == ["rain in Tokyo", "165.0"]
    assert model.requests == [messages[:1], messages[:3]]


@pytest.mark.parametrize(
    "reply", ["Hi.", [{"type": "text", "text": "Hi."}], says("assistant", "Hi.")]
)
@AGENTS
def test_a_reply_may_be_a_text_or_blocks_or_a_message(agent: Agent, reply: Any) -> None:
    run = agent(lambda _: reply, asked(), {})
    assert (run.end_reason, run.final_text, run.rounds) == ("finished", "Hi.", 1)


@AGENTS
def test_the_limit_ends_it_after_the_results(agent: Agent) -> None:
    plans = [calls(("f", {"n": n}), first=n) for n in range(1, 9)]
    model, messages = ScriptedModel(plans), asked()
    run = agent(model, messages, {"f": lambda n: n}, max_rounds=3)
    assert (run.end_reason, run.rounds, len(model.requests)) == ("max_rounds", 3, 3)
    assert (len(run.executed), run.final_text) == (3, "")
    assert results(messages[-1]) == ["3"]
    assert check_tool_pairing(messages).ok


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("fails", [False, True])
@AGENTS
def test_the_same_calls_are_run_so_often_and_then_answered(
    agent: Agent, limit: int, fails: bool
) -> None:
    messages = asked()
    model = ScriptedModel([lambda _: same(9, ("f", {"a": 1}))[len(model.requests) - 1]])
    tool = (lambda a: 1 / 0) if fails else (lambda a: a)
    run = agent(model, messages, {"f": tool}, max_repeats=limit)
    assert (run.end_reason, run.rounds) == ("repeated_plan", limit + 1)
    assert (len(run.executed), len(run.dropped)) == (limit, 1)
    assert run.dropped[0].id == f"toolu_{limit + 1:02}"
    assert results(messages[-1]) == [f"Not run: the same calls came {limit + 1} times in a row."]
    assert messages[-1]["content"][0]["is_error"] is True
    assert (run.unpaired_ids, check_tool_pairing(messages).ok) == ([], True)


@AGENTS
def test_two_calls_are_repeated_by_two(agent: Agent) -> None:
    run = agent(ScriptedModel(same(9, ("f", {}), ("f", {}))), asked(), {"f": lambda: 1})
    assert [call.id for call in run.dropped] == ["toolu_05", "toolu_06"]


@pytest.mark.parametrize(
    "plans",
    [
        [("f", {"n": 1}), ("f", {"n": 2})] * 3,
        [("f", {"n": 1}), ("g", {"n": 1})] * 3,
        [("f", {"n": index // 2}) for index in range(6)],
    ],
    ids=["other inputs", "other tools", "each twice"],
)
@AGENTS
def test_calls_in_turn_are_no_repetition(agent: Agent, plans: list[Any]) -> None:
    script: list[Any] = [calls(plan, first=index) for index, plan in enumerate(plans)]
    run = agent(ScriptedModel([*script, "Done."]), asked(), _echo)
    assert (run.end_reason, len(run.executed)) == ("finished", 6)


def _echo(name: str, given: Any, _: str) -> str:
    return f"{name} {given}"


@AGENTS
def test_who_polls_allows_repetition(agent: Agent) -> None:
    states = iter(["running", "running", "running", "done"])
    script: list[Any] = [*same(4, ("state", {"job": 1})), "It is done."]
    run = agent(ScriptedModel(script), asked(), {"state": lambda job: next(states)}, max_repeats=4)
    assert (run.end_reason, len(run.executed)) == ("finished", 4)


@AGENTS
def test_an_input_that_its_tool_changes_is_repeated_all_the_same(agent: Agent) -> None:
    script = same(9, ("f", {"left": [1, 2]}))
    for index, plan in enumerate(script):
        script[index] = [{**block, "input": {"left": [1, 2]}} for block in plan]
    run = agent(ScriptedModel(script), asked(), {"f": lambda left: left.pop()})
    assert (run.end_reason, run.rounds) == ("repeated_plan", 3)


@pytest.mark.parametrize(
    ("messages", "slug"),
    [
        ([], "empty-history"),
        ([*asked(), assistant(call("a"))], "pending-tool-use"),
        ([*asked(), assistant(call("a")), *asked()], "tool-use-without-result"),
        ([user(result("a"))], "orphan-tool-result"),
    ],
)
@AGENTS
def test_a_broken_history_is_refused_before_a_request(
    agent: Agent, messages: list[Any], slug: str
) -> None:
    before, model = list(messages), ScriptedModel(["never"])
    run = agent(model, messages, TOOLS)
    assert (run.end_reason, run.rounds, model.requests) == ("refused", 0, [])
    assert run.report is not None
    assert [found.slug for found in run.report.errors] == [slug]
    assert messages == before


@pytest.mark.parametrize(
    ("reply", "slug"),
    [
        ([call("b"), call("b")], "duplicate-tool-use-id"),
        ([call("b"), {"type": "text", "text": "So."}], "content-after-tool-use"),
        ([{"type": "tool_use", "id": "b", "name": "f"}], "malformed-tool-block"),
        ([THINKING], "thinking-block-last"),
    ],
)
@AGENTS
def test_a_broken_reply_is_refused_and_does_not_enter(
    agent: Agent, reply: list[Any], slug: str
) -> None:
    messages = [*asked(), says("assistant", "a"), says("user", "q")]
    run = agent(ScriptedModel([[call("a")], reply, "never"]), messages, {"f": lambda: 1})
    assert (run.end_reason, run.rounds, len(messages)) == ("refused", 2, 5)
    assert run.report is not None
    assert slug in [found.slug for found in run.report.errors]
    assert [it.id for it in run.executed] == ["a"]
    assert check_tool_pairing(messages).ok


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, SystemExit])
@AGENTS
def test_what_the_model_raises_goes_on_and_leaves_a_valid_list(
    agent: Agent, error: type[BaseException]
) -> None:
    def fails(_: object) -> Any:
        raise error("no network")

    messages = asked()
    with pytest.raises(error, match="no network"):
        agent(ScriptedModel([TWO, fails]), messages, TOOLS)
    assert len(messages) == 3
    assert check_tool_pairing(messages).ok


def test_an_interrupted_tool_leaves_a_valid_list() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    messages = asked()
    with pytest.raises(KeyboardInterrupt):
        run_agent(ScriptedModel([ONE]), messages, {"f": stop})
    assert results(messages[2]) == [
        "The round was cancelled (KeyboardInterrupt) before a result was recorded for this call. "
        "Whether it had effects is unknown."
    ]


@pytest.mark.parametrize("waits_for", ["model", "tool"])
def test_a_cancellation_leaves_a_valid_list(waits_for: str) -> None:
    messages = asked()

    async def main() -> None:
        begun = asyncio.Event()

        async def hang() -> None:
            begun.set()
            await asyncio.Event().wait()

        async def model(history: list[Any]) -> Any:
            if waits_for == "model" and len(history) > 1:
                await hang()
            return assistant(*ONE)

        tool = hang if waits_for == "tool" else _done
        task = asyncio.create_task(arun_agent(model, messages, {"f": tool}))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(messages) == 3
    assert check_tool_pairing(messages).ok


async def _done() -> str:
    return "done"


def test_async_tools_are_awaited_where_the_model_is() -> None:
    messages = asked()
    awaited(ScriptedModel([ONE, "Done."]), messages, {"f": _done})
    assert results(messages[2]) == ["done"]


@AGENTS
def test_the_models_list_is_its_own(agent: Agent) -> None:
    def model(history: list[Any]) -> str:
        history.clear()
        return "Hi."

    messages = asked()
    assert agent(model, messages, {}).role_sequence == ("user", "assistant")


@AGENTS
def test_a_tool_that_changes_the_list_is_told_of(agent: Agent) -> None:
    messages = asked()
    with pytest.raises(ToolRoundError, match="the list changed during the round"):
        agent(ScriptedModel([ONE]), messages, {"f": lambda: messages.append(says("user", "x"))})
