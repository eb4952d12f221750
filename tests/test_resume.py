"""`resume`: a history that was loaded while calls at its end wait is answered, or is refused."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from types import SimpleNamespace
from typing import Any

import pytest
from rounds import CALLER, CODE, QUESTION, RUNS, Block, answered, never, turn, use

from toolpair import (
    ToolCall,
    ToolPairingError,
    aresume,
    check_tool_pairing,
    pending_tool_uses,
    resume,
)

CALLS = [use("toolu_1", "a"), use("toolu_2", "b"), use("toolu_3", "c")]
TEXT: Block = {"type": "text", "text": "word"}
DIRECTIVE: Block = {"role": "system", "content": [], "output_config": {"effort": "low"}}
LOST = "No result was recorded for this call. Whether it had effects is unknown."
MARKED: Block = {"cache_control": {"type": "ephemeral"}}


def old(number: int, **members: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "old", **members}


def user(*blocks: Any) -> Block:
    return {"role": "user", "content": list(blocks)}


def new(name: str, *_: object) -> str:
    return f"new {name}"


ENDS: list[tuple[list[Block], list[str]]] = [
    ([turn(*CALLS)], ["new a", "new b", "new c"]),
    ([turn(*CALLS), user(old(2))], ["new a", "old", "new c"]),
    ([turn(*CALLS), user(old(3), old(1))], ["old", "new b", "old"]),
    ([turn(*CALLS), user(old(2)), user(old(1))], ["old", "old", "new c"]),
    ([turn(CALLS[0]), turn(*CALLS[1:])], ["new a", "new b", "new c"]),
    ([turn(TEXT), turn(*CALLS[:2]), turn(CALLS[2]), user(old(1))], ["old", "new b", "new c"]),
    ([turn(TEXT, CALLS[0]), turn(CALLS[1]), user(old(1)), user()], ["old", "new b"]),
    ([turn(CALLS[0]), user(old(1)), turn(CALLS[1])], ["new b"]),
    ([turn(CODE, CALLS[0] | CALLER)], ["new a"]),
    ([turn(*CALLS), DIRECTIVE], ["new a", "new b", "new c"]),
    ([turn(*CALLS), DIRECTIVE, user(old(1))], ["old", "new b", "new c"]),
    ([turn(*CALLS), user(old(1)), DIRECTIVE, user(old(2))], ["old", "old", "new c"]),
    ([turn(CALLS[0]), DIRECTIVE, turn(CALLS[1]), user(old(1))], ["old", "new b"]),
    ([turn(CALLS[0]), DIRECTIVE, turn(CALLS[1])], ["new a", "new b"]),
]


@pytest.mark.parametrize(("end", "texts"), ENDS, ids=range(len(ENDS)))
def test_every_half_written_end(end: list[Block], texts: list[str]) -> None:
    loaded = [QUESTION, *end]
    if not check_tool_pairing(loaded, allow_pending=True).ok:
        with pytest.raises(ToolPairingError):
            resume(loaded, never)
        return
    before = copy.deepcopy(loaded)
    for made in resume(loaded, new), asyncio.run(aresume(loaded, new)):
        assert check_tool_pairing(made).ok
        results = next(it for it in reversed(made) if it["role"] == "user")["content"]
        assert [it["content"] for it in results] == texts
        assert loaded == before
        assert made is not loaded
        kept = [[id(it) for it in each if it["role"] != "user"] for each in (made, loaded)]
        assert kept[0] == kept[1]


FINISHED: list[list[Block]] = [
    [QUESTION],
    [QUESTION, turn(TEXT)],
    [QUESTION, turn(*CALLS[:2]), user(old(1), old(2))],
    [QUESTION, turn(*CALLS[:2]), user(old(2)), user(old(1))],
    [QUESTION, turn(*CALLS[:1]), user(old(1), TEXT)],
]


@pytest.mark.parametrize("finished", FINISHED)
def test_a_history_where_nothing_waits_is_the_same(finished: list[Block]) -> None:
    made = resume(finished, never)
    assert made == finished
    assert made is not finished
    assert all(map(lambda one, other: one is other, made, finished))


BROKEN: list[list[Block]] = [
    [turn(CALLS[0]), QUESTION],
    [QUESTION, turn(CALLS[0]), QUESTION, turn(CALLS[1])],
    [QUESTION, turn(*CALLS), user(old(2), TEXT)],
    [QUESTION, turn(*CALLS), user(TEXT)],
    [QUESTION, turn(*CALLS), user(old(9))],
    [QUESTION, turn(*CALLS), user(old(1), old(1))],
    [QUESTION, turn(*CALLS), {"role": "system", "content": "word"}],
    [QUESTION, turn(CALLS[0], CALLS[0])],
    [QUESTION, turn({"type": "tool_use", "name": "f", "input": {}})],
]


@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_history_is_refused_before_any_tool_runs(broken: list[Block]) -> None:
    for tools in never, None:
        with pytest.raises(ToolPairingError) as caught:
            resume(broken, tools)
        assert not caught.value.report.ok


def test_what_is_no_history_is_refused() -> None:
    nothing: list[Any] = [None, "[]", 7, [None]]
    for messages in nothing:
        with pytest.raises(TypeError):
            resume(messages, never)


def test_without_tools_all_are_closed() -> None:
    made = resume([QUESTION, turn(*CALLS), user(old(2))])
    results = answered(made, calls=3)
    assert [it["content"] for it in results] == [LOST, "old", LOST]
    assert [it.get("is_error", False) for it in results] == [True, False, True]
    made = resume([QUESTION, turn(*CALLS)], reason="deferred")
    assert not any(it.get("is_error") for it in answered(made, calls=3))
    with pytest.raises(TypeError, match="reason"):
        resume([QUESTION, turn(*CALLS)], never, only="a", reason=7)  # type: ignore[arg-type]


def test_only_and_skip_name_what_may_not_run_twice() -> None:
    def write(call: ToolCall) -> bool:
        return call.name == "b"

    loaded = [QUESTION, turn(*CALLS)]
    options: list[dict[str, Any]] = [{"only": ["a", "toolu_3"]}, {"skip": "b"}, {"skip": write}]
    for each in options:
        results = answered(resume(loaded, new, **each), calls=3)
        assert [it["content"] for it in results] == ["new a", LOST, "new c"]


def test_results_and_their_message_stay_as_they_are() -> None:
    kept = old(2, **MARKED)
    loaded = [QUESTION, turn(*CALLS), user(kept) | {"id": "row 7"}]
    made = resume(loaded, new)
    assert answered(made, calls=3)[1] is kept
    assert made[-1]["id"] == "row 7"


def test_messages_of_an_sdk_are_resumed() -> None:
    class Own(SimpleNamespace):
        pass

    loaded: list[Any] = [
        Own(role="user", content="?"),
        Own(role="assistant", content=[Own(**call) for call in CALLS]),
        Own(role="user", content=[Own(**old(2))]),
    ]
    made: list[Any] = resume(loaded, new)
    assert check_tool_pairing(made).ok
    assert type(made[-1]) is Own
    blocks = [it if isinstance(it, dict) else vars(it) for it in made[-1].content]
    assert [it["content"] for it in blocks] == ["new a", "old", "new c"]
    assert len(loaded[-1].content) == 1


def test_tools_that_fail_leave_results_as_well() -> None:
    def fail(*_: object) -> None:
        raise OSError("disk")

    made = resume(
        [QUESTION, turn(*CALLS)], fail, on_error=lambda error, call: f"{call.id}: {error}"
    )
    assert [it["content"] for it in answered(made, calls=3)] == [
        f"{call['id']}: disk" for call in CALLS
    ]


def test_any_ending_that_may_be_resumed_has_no_fault_afterwards() -> None:
    """Calls in one message or more, results of some of them, in any order and any messages."""
    draws = random.Random(7)
    for _ in range(RUNS):
        calls = [use(f"toolu_{number}") for number in range(draws.randint(1, 6))]
        messages: list[Block] = [QUESTION, turn()]
        for call in calls:
            if messages[-1]["content"] and draws.random() < 0.2:
                messages.append(turn())
            messages[-1]["content"].append(call)
        had = draws.sample(range(len(calls)), draws.randint(0, len(calls)))
        for position, number in enumerate(had):
            if position == 0 or draws.random() < 0.3:
                messages.append(user())
            messages[-1]["content"].append(old(number))
        loaded = json.loads(json.dumps(messages))
        waiting = {it.id for it in pending_tool_uses(loaded)}
        assert waiting == {it["id"] for it in calls} - {f"toolu_{number}" for number in had}
        made = resume(loaded, new)
        if not waiting:
            assert made == loaded
            continue
        results = answered(made, calls=len(calls))
        assert [it["tool_use_id"] for it in results] == [it["id"] for it in calls]
        assert [it["content"] == "old" for it in results] == [
            it["id"] not in waiting for it in calls
        ]


def test_a_history_that_waits_for_nothing_stays_as_it_is() -> None:
    assert resume([], {}) == []
    ended = [QUESTION, turn({"type": "text", "text": "Done."})]
    assert resume(ended, {}, context={"model": "claude-opus-4-6"}) == ended
