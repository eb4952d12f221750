"""Sub-agents: their conclusion as one result, and what happens if their history is pasted in."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from histories import (
    Block,
    History,
    Message,
    as_sdk,
    assistant,
    blocks_of,
    broken_histories,
    call,
    mcp_call,
    mcp_result,
    result,
    says,
    server_call,
    server_result,
    user,
    valid_histories,
    wild_histories,
)
from hypothesis import example, given
from hypothesis import strategies as st

import toolpair
from toolpair import (
    Splice,
    check_tool_pairing,
    namespace_tool_ids,
    splice_check,
    subagent_result,
)


def text(words: str, **members: Any) -> Block:
    return {"type": "text", "text": words, **members}


def thought(words: str) -> Block:
    return {"type": "thinking", "thinking": words, "signature": "s"}


ASKED = [says("user", "Which port is free?"), assistant(text("I look."), call("toolu_1"))]
WORKED = [*ASKED, user(result("toolu_1", content="8080"))]
DONE = [*WORKED, assistant(thought("Hm."), text("Port 8080 is free."))]


SEARCHED = [server_call("srvtoolu_1"), server_result("srvtoolu_1")]


def answered(made: Block) -> toolpair.Report:
    """What is said of a parent's history with this result in it."""
    parent = [says("user"), assistant(call("toolu_p")), user(made), says("assistant")]
    return check_tool_pairing(parent, endpoint="strict")


# --- the conclusion ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [list, tuple, as_sdk])
def test_the_result_is_the_last_the_sub_agent_said(form: Any) -> None:
    history = form(DONE)
    before = copy.deepcopy(history)
    made = subagent_result("toolu_p", history)
    assert made == {
        "type": "tool_result",
        "tool_use_id": "toolu_p",
        "content": "Port 8080 is free.",
    }
    assert history == before
    assert not answered(made).violations


def test_an_sdk_reply_is_read_as_it_is() -> None:
    types = pytest.importorskip("anthropic").types
    reply = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        content=[types.TextBlock(type="text", text="Port 8080 is free.")],
        stop_reason="end_turn",
        usage=types.Usage(input_tokens=1, output_tokens=1),
    )
    assert subagent_result("toolu_p", [*WORKED, reply])["content"] == "Port 8080 is free."
    cut = reply.model_copy(update={"stop_reason": "max_tokens"})
    made = subagent_result("toolu_p", [*WORKED, cut])
    assert made["is_error"] is True
    assert "max_tokens" in made["content"]
    assert "Port 8080 is free." in made["content"]


@pytest.mark.parametrize(
    ("turn", "conclusion"),
    [
        ([says("assistant", "a")], "a"),
        ([assistant(text("a"), text("b"))], "a\n\nb"),
        ([assistant(text("a")), assistant(text("b"))], "a\n\nb"),
        ([assistant(text(" a\n"), text(" \n"), text("b"))], "a\n\nb"),
        ([assistant(text("a, "), text("b", citations=[{}]), text(".")), says("system")], "a, b."),
        ([assistant(text("a"), *SEARCHED, text("b"))], "a\n\nb"),
    ],
    ids=["string", "blocks", "messages", "blank", "cited", "searched"],
)
def test_the_texts_of_the_last_turn_are_joined(turn: History, conclusion: str) -> None:
    made = subagent_result("toolu_p", [*WORKED, *turn])
    assert made["content"] == conclusion
    assert "is_error" not in made


@pytest.mark.parametrize(
    ("history", "said"),
    [
        (ASKED, "I look."),
        (WORKED, "I look."),
        ([*DONE, says("user", "And another?")], "Port 8080 is free."),
        ([*DONE, {"role": "tool", "tool_call_id": "x", "content": "8081"}], "Port 8080 is free."),
        ([*DONE[:-1], assistant(thought("Hm."))], "I look."),
        ([*DONE[:-1], assistant(text(" "))], "I look."),
        ([*DONE[:-1], assistant(text("Now"), server_call("srvtoolu_1"))], "Now"),
        ([*DONE[:-1], assistant(text("Now"), mcp_call("mcptoolu_1"))], "Now"),
        ([*DONE[:-1], {"role": "assistant", "content": []}], "I look."),
        ([*DONE[:-1], {**says("assistant", "Port 80"), "stop_reason": "max_tokens"}], "Port 80"),
        ([*DONE[:-1], {**says("assistant", "No."), "stop_reason": "refusal"}], "No."),
    ],
    ids=[
        *("call", "results", "user", "tool", "thinking", "blank", "server call", "mcp call"),
        *("nothing", "cut off", "refused"),
    ],
)
def test_a_sub_agent_that_did_not_finish_is_no_success(history: History, said: str) -> None:
    made = subagent_result("toolu_p", history)
    assert made["is_error"] is True
    assert "did not finish" in made["content"]
    assert made["content"].endswith(f"\n\n{said}")
    assert "toolu_1" not in made["content"]
    assert not answered(made).violations


@pytest.mark.parametrize("history", [[], [says("user")], [says("user"), assistant(call("t1"))]])
def test_a_sub_agent_that_said_nothing_is_told_as_such(history: History) -> None:
    made = subagent_result("toolu_p", history)
    assert made["is_error"] is True
    assert "said nothing" in made["content"]
    assert not answered(made).violations


def test_each_way_to_stop_has_its_own_words() -> None:
    ends = [ASKED, WORKED, [*DONE, says("user")], [*DONE[:-1], assistant(thought("Hm."))]]
    told = {subagent_result("toolu_p", end)["content"].partition("\n")[0] for end in ends}
    assert len(told) == 4


def test_a_result_of_a_toolset_carries_its_name() -> None:
    made = subagent_result("toolu_p", DONE, toolset_name="computer")
    assert made["toolset_name"] == "computer"


def test_what_is_no_history_or_no_id_is_refused() -> None:
    with pytest.raises(TypeError, match="messages"):
        subagent_result("toolu_p", "Port 8080 is free.")
    with pytest.raises(TypeError, match=r"messages\[0\]"):
        subagent_result("toolu_p", [7])
    with pytest.raises(TypeError, match="tool_use_id"):
        subagent_result(None, DONE)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tool_use_id"):
        subagent_result(" ", DONE)


@given(valid_histories(), st.booleans())
def test_no_history_lends_its_calls_to_the_parent(history: History, sdk: bool) -> None:
    given_history = as_sdk(history) if sdk else history
    made = subagent_result("toolu_p", given_history)
    assert isinstance(made["content"], str)
    assert made["content"].strip()
    assert not answered(made).violations
    inner = ids_of(history)
    assert inner.isdisjoint(re.findall(r"[\w-]+", made["content"]))
    last = [message["role"] for message in history if message["role"] != "system"][-1]
    if last == "user":
        assert made["is_error"] is True


# --- pasting it in -------------------------------------------------------------------------------


def test_what_fits_is_ok() -> None:
    parent = [says("user"), says("assistant")]
    found = splice_check(parent, DONE)
    assert found == Splice(ok=True, colliding_ids=(), violations=())
    assert "nothing" in str(found)


def test_ids_of_both_collide() -> None:
    parent, sub = [*DONE, says("user")], copy.deepcopy(DONE)
    found = splice_check(parent, sub)
    assert not found.ok
    assert found.colliding_ids == ("toolu_1",)
    assert [(v.code, v.message_index, v.block_index) for v in found.violations] == [("TP105", 6, 1)]
    assert "toolu_1" in str(found)
    assert "subagent_result" in str(found)
    assert "namespace_tool_ids" in str(found)


def test_ids_that_were_renamed_do_not_collide() -> None:
    parent = [*DONE, says("user")]
    assert splice_check(parent, namespace_tool_ids(DONE, "sub")).ok


def test_ids_of_the_server_do_not_count() -> None:
    searched = [says("user"), assistant(*SEARCHED, text("a"))]
    assert splice_check(searched, searched).colliding_ids == ()


def test_a_call_that_waits_is_broken_by_what_is_pasted_after_it() -> None:
    parent = [says("user"), assistant(call("toolu_p"))]
    found = splice_check(parent, DONE)
    assert not found.ok
    assert found.colliding_ids == ()
    assert [(v.slug, v.tool_use_id) for v in found.violations] == [
        ("tool-use-without-result", "toolu_p")
    ]
    assert found.violations[0].place == toolpair.Place(1, 0)
    assert "subagent_result" in str(found)
    assert "namespace_tool_ids" not in str(found)


def test_faults_that_either_has_on_its_own_are_not_the_splices() -> None:
    faulty = [says("user"), user(result("lost")), says("assistant"), assistant(call("toolu_9"))]
    assert splice_check(DONE, faulty).ok
    assert splice_check([*faulty[:3]], DONE).ok
    assert splice_check([], DONE).ok
    assert splice_check(DONE, []).ok
    assert splice_check([], []).ok


def test_what_only_both_together_break_is_told_at_its_place_in_the_joined_list() -> None:
    marked = {**text("a"), "cache_control": {"type": "ephemeral"}}
    parent = [user(marked, marked, marked), says("assistant")]
    sub = [user(text("q"), marked, marked), says("assistant")]
    assert check_tool_pairing(parent).ok
    assert check_tool_pairing(sub).ok
    found = splice_check(parent, sub)
    assert [v.slug for v in found.violations] == ["too-many-cache-breakpoints"]
    assert found.violations[0].place == toolpair.Place(2, 2)
    assert not found.ok


def test_a_warning_is_told_and_no_reason_to_refuse() -> None:
    parent = [says("user"), says("assistant"), says("user"), {"role": "assistant", "content": []}]
    found = splice_check(parent, [says("user"), says("assistant")])
    assert [(v.slug, v.severity) for v in found.violations] == [
        ("empty-assistant-message", "warning")
    ]
    assert found.ok
    assert "empty-assistant-message" in str(found)


def test_the_rules_are_those_that_were_asked() -> None:
    parent, sub = [says("user")], [says("user"), says("assistant")]
    assert splice_check(parent, sub).ok
    assert not splice_check(parent, sub, endpoint="strict").ok
    assert splice_check(parent, sub, endpoint="strict", ignore="TP409").ok
    assert splice_check(parent, sub, endpoint="strict", ignore=iter(["TP409"])).ok
    assert not splice_check(parent, sub, select=["roles-do-not-alternate"]).ok
    waits = [says("user"), assistant(call("toolu_p"))]
    assert splice_check(waits, sub, ignore=["TP101", "TP108"]).ok


def test_the_context_counts() -> None:
    marked = {**text("a"), "cache_control": {"type": "ephemeral"}}
    turns = [user(marked, marked), says("assistant")]
    assert splice_check(turns, turns).ok
    found = splice_check(turns, turns, context={"system": [marked]})
    assert [v.slug for v in found.violations] == ["too-many-cache-breakpoints"]


def test_a_splice_changes_neither_list() -> None:
    parent, sub = [says("user"), assistant(call("toolu_p"))], copy.deepcopy(DONE)
    before = copy.deepcopy((parent, sub))
    splice_check(parent, sub)
    assert (parent, sub) == before


@pytest.mark.parametrize(
    ("parent", "sub"), [("q", DONE), (DONE, "q"), (None, DONE), (DONE, [7]), (iter(DONE), DONE)]
)
def test_only_histories_are_spliced(parent: Any, sub: Any) -> None:
    with pytest.raises(TypeError, match="messages"):
        splice_check(parent, sub)


@given(valid_histories(), valid_histories())
def test_a_splice_says_what_the_check_of_the_joined_list_says(
    parent: History, sub: History
) -> None:
    found = splice_check(parent, sub)
    joined = check_tool_pairing([*parent, *sub])
    assert set(found.violations) <= set(joined.violations)
    own = {*check_tool_pairing(parent).violations}
    shared = ids_of(parent) & ids_of(sub)
    assert set(found.colliding_ids) == shared
    if not own and not check_tool_pairing(sub).violations:
        assert found.violations == joined.violations
    assert found.ok == (not shared and not any(v.severity == "error" for v in found.violations))


# --- ids of its own ------------------------------------------------------------------------------


def ids_of(history: Any) -> set[str]:
    """The ids of client calls and results."""
    found = set()
    for block in (block for message in history for block in blocks_of(message)):
        if block["type"] == "tool_use":
            found.add(block["id"])
        elif block["type"] == "tool_result":
            found.add(block["tool_use_id"])
    return found


def test_both_halves_get_the_prefix() -> None:
    history = copy.deepcopy(DONE)
    named = namespace_tool_ids(history, "sub1")
    assert history == DONE
    assert named == [
        says("user", "Which port is free?"),
        assistant(text("I look."), call("sub1_toolu_1")),
        user(result("sub1_toolu_1", content="8080")),
        DONE[3],
    ]
    assert named[0] is history[0]
    assert named[3] is history[3]
    assert named[1]["content"][0] is history[1]["content"][0]


@pytest.mark.parametrize(
    ("prefix", "id"), [("a", "a_t1"), ("a_", "a_t1"), ("a-", "a-t1"), ("-", "-t1"), ("A9", "A9_t1")]
)
def test_a_prefix_is_joined_once(prefix: str, id: str) -> None:
    assert namespace_tool_ids([assistant(call("t1"))], prefix) == [assistant(call(id))]


@pytest.mark.parametrize(
    ("prefix", "named"),
    [("", "empty"), ("a.b", r"'\.'"), ("ü", "'ü'"), ("a b", "' '"), ("a\n", "n'")],
)
def test_a_prefix_that_no_id_may_hold_is_refused(prefix: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        namespace_tool_ids(DONE, prefix)


def test_what_is_no_prefix_or_no_history_is_refused() -> None:
    with pytest.raises(TypeError, match="prefix must be a str, not int"):
        namespace_tool_ids(DONE, 7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="messages"):
        namespace_tool_ids("q", "a")


@pytest.mark.parametrize(
    ("ids", "named"),
    [
        (["a.b"], ["p_a_b"]),
        (["a.b", "a:b"], ["p_a_b", "p_a_b_2"]),
        (["a.b", "a_b"], ["p_a_b_2", "p_a_b"]),
        (["a.b", "a:b", "a_b_2", "a/b"], ["p_a_b", "p_a_b_3", "p_a_b_2", "p_a_b_4"]),
        (["ü", "你", ""], ["p__", "p___2", "p_"]),
        (["a\n", "a"], ["p_a_", "p_a"]),
    ],
)
def test_ids_that_would_become_one_stay_apart(ids: list[str], named: list[str]) -> None:
    history = [assistant(*map(call, ids)), user(*map(result, reversed(ids)))]
    expected = [assistant(*map(call, named)), user(*map(result, reversed(named)))]
    assert namespace_tool_ids(history, "p") == expected


def test_ids_of_the_server_stay() -> None:
    history = [
        assistant(
            server_call("srvtoolu_1", "code_execution"),
            call("t1", caller={"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}),
        ),
        user(result("t1"), result("srvtoolu_1"), result("srvtoolu_2"), result("mcp_1")),
        assistant(server_result("srvtoolu_1", "code_execution"), mcp_call("mcp_1")),
        assistant(mcp_result("mcp_1")),
    ]
    named = namespace_tool_ids(history, "a")
    assert named[0]["content"][0] is history[0]["content"][0]
    assert named[0]["content"][1] == {**history[0]["content"][1], "id": "a_t1"}
    answers = [block["tool_use_id"] for block in named[1]["content"]]
    assert answers == ["a_t1", "srvtoolu_1", "a_srvtoolu_2", "mcp_1"]
    assert named[2] is history[2]
    assert named[3] is history[3]


def test_an_id_of_a_client_call_is_the_clients_whoever_else_has_it() -> None:
    history = [assistant(server_call("x"), call("x")), user(result("x"))]
    assert namespace_tool_ids(history, "a") == [
        assistant(server_call("x"), call("a_x")),
        user(result("a_x")),
    ]


def test_what_a_result_holds_is_not_looked_into() -> None:
    inner = [call("t1"), result("t1")]
    history = [assistant(call("t1")), user(result("t1", content=inner))]
    named = namespace_tool_ids(history, "a")
    assert named[1]["content"][0]["tool_use_id"] == "a_t1"
    assert named[1]["content"][0]["content"] is inner


@pytest.mark.parametrize("id", [None, 7, ["t1"]])
def test_an_id_that_is_no_text_stays(id: object) -> None:
    history = [assistant(call(id)), user(result(id))]
    assert namespace_tool_ids(history, "a") == history


def test_messages_of_role_tool_are_named_alike() -> None:
    message: Message = {"role": "tool", "tool_call_id": "t1", "content": "r"}
    named = namespace_tool_ids([assistant(call("t1")), message], "a")
    assert named == [assistant(call("a_t1")), {**message, "tool_call_id": "a_t1"}]
    assert message["tool_call_id"] == "t1"


def test_sdk_objects_are_copied_and_not_changed() -> None:
    types = pytest.importorskip("anthropic").types
    block = types.ToolUseBlock(type="tool_use", id="t1", name="f", input={"a": 1})
    reply = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        content=[types.TextBlock(type="text", text="a"), block],
        stop_reason="tool_use",
        usage=types.Usage(input_tokens=1, output_tokens=1),
    )
    history = [says("user"), reply, user(result("t1"))]
    before = copy.deepcopy(history)
    named: list[Any] = namespace_tool_ids(history, "a")
    assert history == before
    assert reply.content[1] is block
    assert block.id == "t1"
    assert isinstance(named[1], types.Message)
    assert named[1].content[0] is reply.content[0]
    assert named[1].content[1] == {"type": "tool_use", "id": "a_t1", "name": "f", "input": {"a": 1}}
    assert check_tool_pairing(named).violations == check_tool_pairing(history).violations


PREFIXES = st.from_regex(r"\A[a-zA-Z0-9_-]{1,8}\Z")


@given(valid_histories(leading_system=True), PREFIXES, st.booleans())
@example(DONE, "toolu", True)
@example([assistant(call("functions.f:0")), user(result("functions.f:0"))], "a", False)
def test_a_valid_history_stays_valid_under_other_ids(
    history: History, prefix: str, sdk: bool
) -> None:
    given_history = as_sdk(history) if sdk else history
    before = copy.deepcopy(given_history)
    named = namespace_tool_ids(given_history, prefix)
    assert given_history == before
    assert isinstance(named, list)
    was, now = check_tool_pairing(given_history), check_tool_pairing(named)
    malformed = [v for v in was.violations if v.slug != "malformed-tool-use-id"]
    assert [(v.code, v.place) for v in now.violations] == [(v.code, v.place) for v in malformed]
    plain = namespace_tool_ids(history, prefix)
    ids = ids_of(plain)
    assert len(ids) == len(ids_of(history))
    assert ids.isdisjoint(ids_of(history))
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", id) and id.startswith(prefix) for id in ids)
    for old, new in zip(given_history, named, strict=True):
        if old == new:
            assert old is new


@given(valid_histories(fewest=1), st.lists(PREFIXES, min_size=2, max_size=2))
def test_two_prefixes_make_ids_that_do_not_meet(history: History, prefixes: list[str]) -> None:
    one, other = (ids_of(namespace_tool_ids(history, prefix)) for prefix in prefixes)
    joints = {prefix if prefix[-1] in "_-" else f"{prefix}_" for prefix in prefixes}
    if len(joints) == 1:
        assert one == other
    else:
        assert one.isdisjoint(other)


# --- any history ---------------------------------------------------------------------------------


@given(st.one_of(broken_histories(), wild_histories()), wild_histories())
def test_any_history_is_read_and_none_is_changed(history: list[Any], other: History) -> None:
    before = copy.deepcopy(history)
    content = subagent_result("toolu_p", history)["content"]
    assert content.strip()
    named = namespace_tool_ids(history, "a")
    assert len(named) == len(history)
    check_tool_pairing(named)
    found = splice_check(history, other)
    assert str(found)
    assert found.ok <= (not any(v.severity == "error" for v in found.violations))
    assert history == before
