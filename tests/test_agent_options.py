"""What `run_agent` is told, what it passes on, and what it does with the reasons of replies."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from agents import AGENTS, ONE, Agent, asked, results
from anthropic._models import construct_type
from anthropic.types import Message
from histories import THINKING, call, says, server_call, server_result

from toolpair import arun_agent, check_tool_pairing, run_agent
from toolpair.testing import ScriptedModel, calls

SEARCH, FOUND = server_call("srvtoolu_1"), server_result("srvtoolu_1")
TEXT = {"type": "text", "text": "Well."}
NEW, OLD = {"model": "claude-opus-4-6"}, {"model": "claude-sonnet-4-5"}


def as_dict(content: list[Any], reason: str) -> Any:
    return {"role": "assistant", "content": content, "stop_reason": reason}


def as_sdk(content: list[Any], reason: str) -> Any:
    usage = {"input_tokens": 1, "output_tokens": 1}
    value = {"id": "msg_1", "type": "message", "model": "m", "usage": usage}
    return construct_type(type_=Message, value=value | as_dict(content, reason))


FORMS = pytest.mark.parametrize("form", [as_dict, as_sdk])


@FORMS
@pytest.mark.parametrize(
    ("content", "reason", "end", "rounds"),
    [
        ([TEXT], "end_turn", "finished", 1),
        ([TEXT], "stop_sequence", "finished", 1),
        ([TEXT], "max_tokens", "finished", 1),
        ([TEXT], "refusal", "refused", 1),
        ([], "refusal", "refused", 1),
        ([], "end_turn", "finished", 1),
        (ONE, "tool_use", "finished", 2),
        (ONE, "end_turn", "finished", 2),
        ([SEARCH], "pause_turn", "finished", 2),
        ([{"type": "compaction", "content": "So far."}], "compaction", "finished", 2),
    ],
)
@AGENTS
def test_a_stop_reason_tells_whether_it_goes_on(
    agent: Agent, form: Callable[..., Any], content: list[Any], reason: str, end: str, rounds: int
) -> None:
    messages = asked()
    goes_on = [FOUND, TEXT] if content == [SEARCH] else [TEXT]
    run = agent(ScriptedModel([form(content, reason), goes_on]), messages, {"f": lambda: 1})
    assert (run.end_reason, run.rounds, run.report) == (end, rounds, None)
    assert run.final_text == ("Well." if content == [TEXT] or rounds == 2 else "")
    assert check_tool_pairing(messages).ok
    assert set(messages[1]) == {"role", "content"}  # nothing else of what an API returned


@FORMS
@pytest.mark.parametrize(
    ("reason", "why", "end"),
    [
        ("refusal", "Not run: the model refused to go on.", "refused"),
        (
            "max_tokens",
            "Not run: the reply was cut off (max_tokens), and a call may be incomplete.",
            "finished",
        ),
        (
            "model_context_window_exceeded",
            "Not run: the reply was cut off (model_context_window_exceeded), and a call may be "
            "incomplete.",
            "finished",
        ),
    ],
)
@AGENTS
def test_calls_of_a_reply_that_does_not_count_are_answered_and_not_run(
    agent: Agent, form: Callable[..., Any], reason: str, why: str, end: str
) -> None:
    messages = asked()
    run = agent(ScriptedModel([form(ONE, reason), "Done."]), messages, {"f": pytest.fail})
    assert (run.end_reason, run.rounds) == (end, 1 if end == "refused" else 2)
    assert ([it.id for it in run.dropped], run.executed) == (["toolu_01"], ())
    assert results(messages[2]) == [why]
    assert check_tool_pairing(messages).ok


@AGENTS
def test_calls_of_a_paused_turn_are_run(agent: Agent) -> None:
    messages = asked()
    paused = as_dict([SEARCH, *ONE], "pause_turn")
    assert agent(ScriptedModel([paused, [FOUND, TEXT]]), messages, {"f": lambda: 1}).executed
    assert results(messages[2]) == ["1"]


@AGENTS
def test_pauses_count_as_rounds(agent: Agent) -> None:
    paused = as_dict([SEARCH], "pause_turn")
    run = agent(ScriptedModel([paused, as_dict([FOUND], "pause_turn")]), asked(), {}, max_rounds=2)
    assert (run.end_reason, run.rounds) == ("max_rounds", 2)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (NEW, [TEXT]),
        (OLD, [{"type": "text", "text": "Well, "}]),
        (OLD | {"thinking": {"type": "enabled", "budget_tokens": 2000}}, [THINKING, TEXT]),
        (OLD | {"thinking": {"type": "disabled"}}, [THINKING, TEXT]),
    ],
    ids=["no prefill", "white space at the end", "thinks", "thinks, and should not"],
)
@AGENTS
def test_an_answer_is_no_prefill(agent: Agent, context: Any, answer: list[Any]) -> None:
    run = agent(ScriptedModel([answer]), asked(), {}, context=context)
    assert (run.end_reason, run.report) == ("finished", None)


@pytest.mark.parametrize("last", [[SEARCH], [SEARCH, FOUND], [SEARCH, FOUND, TEXT]])
@AGENTS
def test_a_paused_turn_is_sent_back_as_it_is(agent: Agent, last: list[Any]) -> None:
    goes_on = [TEXT] if FOUND in last else [FOUND, TEXT]
    model = ScriptedModel([as_dict(last, "pause_turn"), goes_on])
    run = agent(model, asked(), {}, context=NEW)
    assert (run.end_reason, run.rounds, run.report) == ("finished", 2, None)


@AGENTS
def test_requests_are_checked_with_the_context_and_for_the_endpoint(agent: Agent) -> None:
    prefill = [*asked(), says("assistant", "The answer is")]
    assert agent(ScriptedModel(["x"]), list(prefill), {}, context=NEW).end_reason == "refused"
    assert agent(ScriptedModel(["x"]), list(prefill), {}).end_reason == "finished"
    twice = [[call("a")], [call("a", input={"again": True})], "Done."]
    run = agent(ScriptedModel(twice), asked(), lambda *_: 1, endpoint="strict")
    assert run.report is not None
    assert (run.end_reason, run.report.endpoint) == ("refused", "strict")
    assert len(run.messages) == 3  # the reply did not enter
    assert agent(ScriptedModel(twice), asked(), lambda *_: 1).end_reason == "finished"


@AGENTS
def test_a_time_limit_is_passed_on(agent: Agent) -> None:
    over, messages = threading.Event(), asked()
    run = agent(ScriptedModel([ONE, "Done."]), messages, {"f": lambda: over.wait(2)}, timeout=0.02)
    over.set()
    assert (run.end_reason, len(run.executed)) == ("finished", 1)
    assert "timed out after 0.02 s" in results(messages[2])[0]


@AGENTS
def test_the_shape_of_errors_is_passed_on(agent: Agent) -> None:
    messages = asked()
    agent(
        ScriptedModel([ONE, "Done."]),
        messages,
        {"f": lambda: 1 / 0},
        on_error=lambda error, call: f"{call.name}: {error}",
    )
    assert results(messages[2]) == ["f: division by zero"]
    assert messages[2]["content"][0]["is_error"] is True


@pytest.mark.parametrize("limit", [1, 2])
@AGENTS
def test_the_number_of_calls_at_once_is_passed_on(agent: Agent, limit: int) -> None:
    running, most = [0], [0]

    def tool() -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.03)
        running[0] -= 1

    agent(
        ScriptedModel([calls(*[("f", {})] * 4), "Done."]),
        asked(),
        {"f": tool},
        max_concurrency=limit,
    )
    assert most == [limit]


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"max_rounds": 0}, ValueError, "max_rounds must be at least 1, but is 0"),
        ({"max_rounds": 1.0}, TypeError, "max_rounds must be an integer, not float"),
        ({"max_repeats": 0}, ValueError, "max_repeats must be at least 1, but is 0"),
        ({"max_repeats": None}, TypeError, "max_repeats must be an integer, not NoneType"),
        ({"max_concurrency": 0}, ValueError, "max_concurrency must be at least 1, but is 0"),
        ({"timeout": 0}, ValueError, "timeout must be more than 0 seconds, but is 0"),
        ({"timeout": "1"}, TypeError, "timeout must be a number of seconds, not str"),
        (
            {"tools": None},
            TypeError,
            "tools must be callables by name, .* or one callable",
        ),
        ({"tools": {"f": 1}}, TypeError, "tools\\['f'\\] must be a callable, not int"),
        (
            {"messages": ({"role": "user"},)},
            TypeError,
            "messages must be a list, which the round can extend, not tuple",
        ),
        (
            {"messages": "q"},
            TypeError,
            "messages must be a list, which the round can extend, not str",
        ),
        ({"messages": ["q"]}, TypeError, "messages\\[0\\]"),
        ({"on_error": "ignore"}, TypeError, "on_error must be a callable, not str"),
        ({"endpoint": "openai"}, ValueError, "endpoint"),
    ],
)
@AGENTS
def test_bad_arguments_are_told_of_before_a_request(
    agent: Agent, given: dict[str, Any], error: type[Exception], says: str
) -> None:
    model = ScriptedModel([ONE, "Done."])
    with pytest.raises(error, match=says):
        agent(model, **({"messages": asked(), "tools": {"f": lambda: 1}} | given))
    assert model.requests == []


@pytest.mark.parametrize("reply", [None, 1, {"content": []}, says("user", "Hi.")])
@AGENTS
def test_what_is_no_reply_is_told_of_and_does_not_enter(agent: Agent, reply: Any) -> None:
    messages = asked()
    with pytest.raises((TypeError, ValueError), match="assistant"):
        agent(lambda _: reply, messages, {})
    assert messages == asked()


def test_a_client_is_no_model() -> None:
    client: Any = ScriptedModel(["Hi."]).client
    with pytest.raises(TypeError, match="not SimpleNamespace; client_model makes one of a client"):
        run_agent(client, asked(), {})


def test_an_async_model_needs_the_async_loop() -> None:
    async def model(messages: list[Any]) -> str:
        return "Hi."

    messages = asked()
    with pytest.raises(TypeError, match="this is a coroutine: await the model"):
        run_agent(model, messages, {})
    assert messages == asked()


def test_20_000_calls_in_one_reply() -> None:
    began = time.process_time()
    model = ScriptedModel([calls(*[("f", {})] * 20_000), "Done."])
    run = run_agent(model, asked(), {"f": lambda: 1}, max_concurrency=1)
    assert len(run.executed) == 20_000
    assert time.process_time() - began < 10


def test_the_async_loop_takes_a_model_that_is_not() -> None:
    run = asyncio.run(arun_agent(ScriptedModel(["Hi."]), asked(), {}))
    assert (run.ok, run.final_text) == (True, "Hi.")
