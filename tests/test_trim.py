"""What a trim may do, one named case each; the properties are in test_properties.py."""

from __future__ import annotations

from typing import Any

import pytest

import toolpair

Message = dict[str, Any]


def user(*blocks: Any) -> Message:
    return {"role": "user", "content": blocks[0] if blocks == ("?",) else list(blocks)}


def assistant(*blocks: Any) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def call(id: str, **more: Any) -> Message:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **more}


def result(id: str) -> Message:
    return {"type": "tool_result", "tool_use_id": id, "content": "r"}


def server_call(id: str) -> Message:
    return {"type": "server_tool_use", "id": f"srvtoolu_{id}", "name": "web_search", "input": {}}


def server_result(id: str) -> Message:
    return {"type": "web_search_tool_result", "tool_use_id": f"srvtoolu_{id}", "content": []}


TEXT = {"type": "text", "text": "word"}
ASKED = user("?")
SAID = assistant(TEXT)
SYSTEM = {"role": "system", "content": "Be brief."}


def steps(count: int, start: int = 0) -> list[Message]:
    """A chain of steps, two messages each."""
    numbers = range(start, start + count)
    return [m for n in numbers for m in (assistant(call(f"t{n}")), user(result(f"t{n}")))]


def kept(messages: list[Message], *args: Any, **options: Any) -> list[int]:
    return list(toolpair.plan_trim(messages, *args, **options).kept_indices)


def test_a_long_chain_gives_its_prompt_and_about_what_was_asked() -> None:
    chain = [ASKED, *steps(1000)]
    assert kept(chain, 10) == [0, *range(1991, 2001)]
    assert kept(chain, 9) == [0, *range(1991, 2001)]
    assert toolpair.trim_messages_safely(chain)[0] is ASKED


def test_system_messages_at_the_head_stay_and_do_not_count() -> None:
    assert kept([SYSTEM, SYSTEM, ASKED, *steps(9)], 2) == [0, 1, 2, 19, 20]
    assert kept([SYSTEM, SYSTEM], 0) == [0, 1]


def test_parallel_calls_and_split_results_are_not_cut() -> None:
    parallel = [ASKED, assistant(call("a"), call("b")), user(result("a")), user(result("b"))]
    for keep in (1, 2, 3):
        assert kept(parallel, keep) == [0, 1, 2, 3]


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_calls_in_flight_stay(keep: int) -> None:
    in_flight = [ASKED, *steps(5), assistant(call("x"), call("y")), user(result("y"))]
    assert kept(in_flight, keep) == [0, 11, 12]
    assert [use.id for use in toolpair.pending_tool_uses(in_flight)] == ["x"]


def test_nothing_asked_keeps_the_newest_unit() -> None:
    assert kept([ASKED, SAID, ASKED, SAID, ASKED], 0) == [4]
    assert kept([ASKED, SAID, ASKED, SAID], 0) == [2, 3]
    assert kept([ASKED, *steps(3)], 0) == [0, 5, 6]
    assert kept([], 0) == []


def test_a_deferred_server_call_holds_its_turns_together() -> None:
    deferred = [
        *(ASKED, SAID, ASKED),
        assistant(server_call("1"), call("a")),
        user(result("a")),
        assistant(server_result("1"), TEXT),
        ASKED,
    ]
    assert kept(deferred, 2) == [2, 3, 4, 5, 6]
    assert kept(deferred, 1) == [6]


def test_an_open_server_call_at_the_end_stays() -> None:
    paused = [ASKED, SAID, ASKED, assistant(TEXT, server_call("1"))]
    assert kept(paused, 0) == kept(paused, 1) == [2, 3]


def test_nothing_is_cut_inside_a_programmatic_loop() -> None:
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
    loop = [
        ASKED,
        assistant(server_call("1"), call("a", caller=caller)),
        user(result("a")),
        assistant(call("b", caller=caller)),
        user(result("b")),
    ]
    plan = toolpair.plan_trim(loop, 2)
    assert plan.dropped_indices == ()
    assert "programmatic-call" in {stayed.reason for stayed in plan.reasons}


def test_a_lost_server_result_does_not_stop_the_trim_for_ever() -> None:
    lost = [ASKED, assistant(server_call("1"), call("a")), user(result("a")), *steps(500)]
    assert len(kept(lost, 10)) == 11


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param([assistant(call("dead")), ASKED], id="a dead call"),
        pytest.param([SAID, user(result("lost"))], id="an orphan"),
        pytest.param([assistant(call("dead")), SAID, user(result("dead"), TEXT)], id="both"),
        pytest.param([assistant(server_call("1")), ASKED], id="a dead server call"),
    ],
)
def test_old_damage_does_not_pull_the_cut_back(damage: list[Message]) -> None:
    messages = [ASKED, *damage, *steps(20)]
    opener = max(index for index, message in enumerate(messages) if message == ASKED)
    end = len(messages)
    assert kept(messages, 10) == [opener, *range(end - 10, end)]


def test_results_that_answer_nothing_move_the_cut_behind_them() -> None:
    messages = [ASKED, SAID, user(result("lost")), SAID, ASKED, SAID]
    assert kept(messages, 4) == [0, 3, 4, 5]
    plan = toolpair.plan_trim([user(result("lost")), ASKED, SAID], 10)
    assert plan.kept_indices == (1, 2)
    assert "answer nothing" in str(plan)


def test_a_harness_message_of_role_tool_is_no_opener() -> None:
    messages = [
        ASKED,
        assistant(call("a")),
        {"role": "tool", "content": "x"},
        SAID,
        ASKED,
    ]
    assert kept(messages, 3) == [0, 2, 3, 4]
    assert toolpair.plan_trim(messages, 3).starts_with_user


def test_a_system_message_goes_or_stays_with_what_follows_it() -> None:
    messages = [ASKED, *steps(1), SYSTEM, SAID, ASKED, SAID]
    assert kept(messages, 3) == [0, 3, 4, 5, 6]
    assert kept(messages, 2) == [5, 6]


def test_the_task_stays_when_asked() -> None:
    messages = [SYSTEM, ASKED, SAID, ASKED, *steps(5)]
    assert kept(messages, 2, keep_task=True) == [0, 1, 3, 12, 13]
    assert kept(messages, max_messages=5, keep_task=True) == [0, 1, 3, 12, 13]


def test_a_cap_takes_as_many_steps_as_fit() -> None:
    chain = [ASKED, *steps(10)]
    assert kept(chain, max_messages=21) == list(range(21))
    assert kept(chain, max_messages=20) == [0, *range(3, 21)]
    assert kept(chain, max_messages=4) == [0, 19, 20]
    with pytest.raises(toolpair.TrimError, match="at least 3 here: the newest step") as raised:
        toolpair.trim_messages_safely(chain, max_messages=2)
    assert raised.value.smallest == 3
    assert len(toolpair.trim_messages_safely(chain, max_messages=3)) == 3


def test_a_floor_beside_a_cap() -> None:
    chain = [ASKED, *steps(10)]
    assert kept(chain, 4, max_messages=9) == [0, *range(13, 21)]
    with pytest.raises(ValueError, match="keep_recent=5 is a floor, and above the cap"):
        toolpair.trim_messages_safely(chain, 5, max_messages=4)
    with pytest.raises(toolpair.TrimError, match="the newest 4 messages") as raised:
        toolpair.trim_messages_safely(chain, 4, max_messages=4)
    assert raised.value.smallest == 5


def test_a_cap_with_room_needs_no_reasons() -> None:
    plan = toolpair.plan_trim([ASKED, *steps(10)], 4, max_messages=20)
    assert [stayed.reason for stayed in plan.reasons] == ["opener"]


def test_a_plan_tells_of_thinking_behind_the_change() -> None:
    thinking = {"type": "thinking", "thinking": "…", "signature": "SIG"}
    chain = [ASKED, *steps(5), assistant(thinking, TEXT), ASKED]
    plan = toolpair.plan_trim(chain, 2)
    assert (plan.first_changed_index, plan.thinking_after_change) == (1, True)
    assert not toolpair.plan_trim(chain, 1).thinking_after_change
    assert toolpair.plan_trim(chain, 20).first_changed_index is None


LEFT_OPEN = [
    pytest.param(
        [
            ASKED,
            assistant(server_call("a"), call("1")),
            user(result("1")),
            assistant(server_call("b"), server_result("b"), call("2")),
            user(result("2")),
            assistant(server_result("b"), TEXT),
            ASKED,
        ],
        id="a second result of a server call",
    ),
    pytest.param(
        [
            ASKED,
            assistant(server_call("a"), call("1")),
            user(result("1")),
            assistant({**server_call("b"), "type": "mcp_tool_use", "id": "mcp_b"}, call("2")),
            user(result("2"), TEXT),
            assistant({**server_result("b"), "type": "mcp_tool_result", "tool_use_id": "mcp_b"}),
            ASKED,
        ],
        id="an MCP call beside a server call of an earlier turn",
    ),
]


@pytest.mark.parametrize("messages", LEFT_OPEN)
@pytest.mark.parametrize("endpoint", ["anthropic", "deepseek", "strict"])
def test_a_server_call_left_open_does_not_hide_later_faults(
    messages: list[Message], endpoint: toolpair.Endpoint
) -> None:
    def faults(history: list[Message]) -> set[tuple[int, str]]:
        report = toolpair.check_tool_pairing(history, endpoint=endpoint)
        return {(id(history[v.message_index or 0]), v.slug) for v in report.errors}

    for keep in range(len(messages)):
        trimmed = toolpair.trim_messages_safely(messages, keep, endpoint=endpoint)
        assert faults(trimmed) <= faults(messages)
        assert toolpair.trim_messages_safely(trimmed, keep, endpoint=endpoint) == trimmed
