"""What a repair does, fault by fault; its promises are in test_repair_properties.py."""

from __future__ import annotations

import json
from typing import Any

import pytest
from histories import (
    ADDITION,
    BROWSER,
    CODE,
    DOCUMENT,
    FALLBACK,
    HOUR,
    IMAGE,
    MARKER,
    SEARCH,
    UPLOAD,
    assistant,
    call,
    mcp_call,
    mcp_result,
    says,
    server_call,
    server_result,
    user,
)
from mending import PLACEHOLDER, edits, mended, outline

import toolpair

Block = dict[str, Any]
Message = dict[str, Any]

ASKED = says("user", "q")
SYSTEM = says("system", "Be brief.")
OLD = {"model": "claude-sonnet-4-5"}
"""A model that takes prefill, and no system messages in the list."""
NEW = {"model": "claude-opus-5-5"}
"""A model that takes no prefill, takes system messages, and binds its thinking."""


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def thinking(words: str = "hm") -> Block:
    return {"type": "thinking", "thinking": words, "signature": "SIG"}


def result(id: str, content: object = "r", **members: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **members}


def placeholder(id: str) -> Block:
    return result(id, PLACEHOLDER, is_error=True)


SEARCHES = server_call("srvtoolu_1")
FOUND = server_result("srvtoolu_1")
RUNS = server_call("srvtoolu_1", "code_execution")
RAN = server_result("srvtoolu_1", "code_execution")


def called_by_code(id: str, server_id: str = "srvtoolu_1", **members: Any) -> Block:
    return call(id, caller={"type": CODE, "tool_id": server_id}, **members)


# --- a call without result -----------------------------------------------------------------------


def test_a_call_without_result_is_told_to_have_none() -> None:
    plan = mended([ASKED, assistant(call("a")), says("user", "Stop.")])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: call a",
        "user: result a: (none) | Stop.",
    ]
    assert plan.messages[2]["content"][0] == placeholder("a")
    assert edits(plan) == ["[1].content[0] answer tool-use-without-result"]


def test_calls_at_the_very_end_are_answered_in_a_message_of_their_own() -> None:
    plan = mended([ASKED, assistant(call("a"), call("b"))])
    assert outline(plan.messages)[2:] == ["user: result a: (none) | result b: (none)"]
    assert edits(plan) == [
        "[1].content[0] answer pending-tool-use",
        "[1].content[1] answer pending-tool-use",
    ]


def test_calls_at_the_very_end_may_wait() -> None:
    messages = [ASKED, assistant(call("a"), call("b")), user(result("a"))]
    plan = mended(messages, allow_pending=True)
    assert plan.edits == ()
    assert [waiting.id for waiting in plan.remaining.pending] == ["b"]
    assert mended(messages, allow_pending=True, on_missing="drop").edits == ()


def test_calls_may_wait_while_what_lies_before_is_mended() -> None:
    lost = [ASKED, assistant(call("x")), says("user", "u")]
    plan = mended([*lost, assistant(call("a"))], allow_pending=True)
    assert outline(plan.messages)[2:] == ["user: result x: (none) | u", "assistant: call a"]
    assert [waiting.id for waiting in plan.remaining.pending] == ["a"]


def test_a_waiting_call_does_not_take_an_old_result_of_its_id() -> None:
    messages = [ASKED, says("assistant", "x"), user(result("a", "old")), assistant(call("a"))]
    assert outline(mended(messages, allow_pending=True).messages) == [
        "user: q",
        "assistant: x",
        "assistant: call a",
    ]
    assert outline(mended(messages).messages)[3] == "user: result a: old"


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_a_result_of_a_later_turn_goes_back_to_its_call(turns: int) -> None:
    between = [says("user", "u"), says("assistant", "a")] * turns
    messages = [ASKED, assistant(call("a")), *between, user(result("a", "late"), text("t"))]
    plan = mended(messages)
    assert outline(plan.messages)[:3] == [
        "user: q",
        "assistant: call a",
        "user: result a: late | u",
    ]
    assert outline(plan.messages)[-1] == "user: t"
    assert edits(plan) == [f"[{2 + 2 * turns}].content[0] move tool-use-without-result"]
    assert plan.messages[2]["content"][0] is messages[-1]["content"][0]


def test_a_message_that_held_nothing_but_displaced_results_goes() -> None:
    steps = [assistant(call("x")), user(result("x", "rx")), says("assistant", "done")]
    opened = [ASKED, assistant(call("a"), call("b")), user(result("b", "rb"))]
    plan = mended([*opened, *steps, user(result("a", "ra")), says("assistant", "ok")])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: call a | call b",
        "user: result b: rb | result a: ra",
        "assistant: call x",
        "user: result x: rx",
        "assistant: done",
        "assistant: ok",
    ]


def test_a_result_from_before_its_call_goes_behind_it() -> None:
    messages = [ASKED, says("assistant", "hm"), user(result("a", "early")), assistant(call("a"))]
    plan = mended([*messages, says("user", "next")])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: hm",
        "assistant: call a",
        "user: result a: early | next",
    ]
    assert plan.is_safe


def test_of_two_displaced_results_the_later_one_wins_and_the_other_is_named() -> None:
    early, late = result("a", "early"), result("a", "late")
    messages = [user(text("q"), early), assistant(call("a")), says("user", "u")]
    plan = mended([*messages, says("assistant", "x"), user(late, text("t"))])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: call a",
        "user: result a: late | u",
        "assistant: x",
        "user: t",
    ]
    assert edits(plan) == [
        "[0].content[1] !drop orphan-tool-result",
        "[4].content[0] move tool-use-without-result",
    ]


def test_a_result_is_nobodys_who_has_one() -> None:
    messages = [ASKED, assistant(call("a")), user(result("a", "own")), says("assistant", "x")]
    plan = mended([*messages, user(result("a", "again"), text("t"))])
    assert outline(plan.messages)[2:] == ["user: result a: own", "assistant: x", "user: t"]


@pytest.mark.parametrize("toolset", ["computer", "browser"])
def test_a_made_result_names_the_toolset_of_its_call(toolset: str) -> None:
    plan = mended([ASKED, assistant(call("a", toolset_name=toolset)), says("user", "u")])
    assert plan.messages[2]["content"][0] == {**placeholder("a"), "toolset_name": toolset}


def test_no_private_key_enters_a_made_result() -> None:
    plan = mended([ASKED, assistant(call("a", caller={"type": "direct"}, cache_control=MARKER))])
    assert plan.messages[2] == {"role": "user", "content": [placeholder("a")]}


def test_an_assistant_turn_that_goes_on_behind_a_lost_result_was_two() -> None:
    plan = mended([ASKED, assistant(call("a")), says("assistant", "So."), says("user", "u")])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: call a",
        "user: result a: (none)",
        "assistant: So.",
        "user: u",
    ]


def test_calls_may_be_dropped_and_their_turn_keeps_its_words() -> None:
    messages = [ASKED, assistant(text("x"), call("a"), call("b")), user(result("a"), text("u"))]
    plan = mended(messages, on_missing="drop")
    assert outline(plan.messages) == ["user: q", "assistant: x | call a", "user: result a: r | u"]
    assert edits(plan) == ["[1].content[2] !drop tool-use-without-result"]


def test_a_message_that_held_only_dropped_calls_goes() -> None:
    messages = [ASKED, assistant(call("a")), says("user", "u")]
    assert outline(mended(messages, on_missing="drop").messages) == ["user: q", "user: u"]
    assert outline(mended(messages[:2], on_missing="drop").messages) == ["user: q"]


def test_a_call_is_not_dropped_whose_result_stands_elsewhere() -> None:
    messages = [ASKED, assistant(call("a")), says("user", "u"), says("assistant", "x")]
    plan = mended([*messages, user(result("a", "late"))], on_missing="drop")
    assert outline(plan.messages)[1:] == [
        "assistant: call a",
        "user: result a: late | u",
        "assistant: x",
    ]


# --- what is known of a missing result -----------------------------------------------------------


def test_who_knows_the_cause_is_asked_once_a_call_and_in_order() -> None:
    asked: list[toolpair.ToolUse] = []
    messages = [ASKED, assistant(text("x"), call("a"), call("b", name="g")), user(result("a"))]
    toolpair.repair_tool_pairing(
        [*messages, says("assistant", "y"), says("user", "u"), assistant(call("c"))],
        on_missing=asked.append,
    )
    assert asked == [toolpair.ToolUse("b", "g", 1, 2), toolpair.ToolUse("c", "f", 5, 0)]


@pytest.mark.parametrize(
    ("told", "content"),
    [
        pytest.param("cancelled", "cancelled", id="a string"),
        pytest.param([text("denied"), IMAGE], [text("denied"), IMAGE], id="blocks"),
        pytest.param((text("denied"),), [text("denied")], id="a tuple of blocks"),
        pytest.param(None, PLACEHOLDER, id="None"),
        pytest.param("", PLACEHOLDER, id="nothing"),
        pytest.param([], PLACEHOLDER, id="no blocks"),
    ],
)
def test_what_is_told_of_a_missing_result_becomes_its_content(told: Any, content: Any) -> None:
    plan = mended([ASKED, assistant(call("a"))], on_missing=lambda _: told)
    (made,) = plan.messages[2]["content"]
    assert made["is_error"] is True
    assert (list(made["content"]) if isinstance(told, tuple) else made["content"]) == content


def test_an_edit_does_not_say_that_nothing_is_known_where_something_was_told() -> None:
    messages = [ASKED, assistant(call("a"))]
    (default,) = toolpair.plan_repair(messages).edits
    assert "none was recorded" in default.text
    (told,) = toolpair.plan_repair(messages, on_missing=lambda _: "cancelled").edits
    assert "none was recorded" not in told.text


@pytest.mark.parametrize("told", [5, b"cancelled", {"type": "text"}, {"a"}, True])
def test_what_is_told_must_be_a_text_or_blocks(told: Any) -> None:
    kind = type(told).__name__
    with pytest.raises(TypeError, match=rf"on_missing must return .*, not {kind}$"):
        toolpair.plan_repair([ASKED, assistant(call("a"))], on_missing=lambda _: told)


@pytest.mark.parametrize(
    "told",
    [
        pytest.param([call("b")], id="a call"),
        pytest.param([3], id="a number"),
        pytest.param([{"type": "image_url"}], id="a block of another API"),
        pytest.param([SEARCH, text("t")], id="search results and a text"),
    ],
)
def test_what_is_told_cannot_break_the_result(told: Any) -> None:
    """It raises, or what comes out is fine: never an error that no one is told of."""
    messages = [ASKED, assistant(call("a"))]
    try:
        plan = toolpair.plan_repair(messages, on_missing=lambda _: told)
    except (TypeError, ValueError):
        return
    assert plan.remaining == toolpair.check_tool_pairing(plan.messages)
    assert plan.remaining.errors == ()


def test_an_error_of_who_is_asked_comes_through_as_it_is() -> None:
    error = KeyError("a")

    def raises(_: toolpair.ToolUse) -> str:
        raise error

    messages = [ASKED, assistant(call("a"))]
    for verb in (toolpair.plan_repair, toolpair.repair_tool_pairing):
        with pytest.raises(KeyError) as raised:
            verb(messages, on_missing=raises)
        assert raised.value is error


def test_nobody_is_asked_of_a_call_whose_result_is_found() -> None:
    def raises(_: toolpair.ToolUse) -> str:
        raise AssertionError

    messages = [ASKED, assistant(call("a")), says("user", "u"), says("assistant", "x")]
    plan = mended([*messages, user(result("a"))], on_missing=raises)
    assert plan.edits


# --- an orphan result ----------------------------------------------------------------------------


def test_an_orphan_goes_and_the_edit_names_it() -> None:
    plan = mended([ASKED, says("assistant", "x"), user(result("lost"), text("u"))])
    assert outline(plan.messages) == ["user: q", "assistant: x", "user: u"]
    assert edits(plan) == ["[2].content[0] !drop orphan-tool-result"]
    assert plan.edits[0].tool_use_id == "lost"


def test_an_orphan_may_stay_as_a_text_behind_the_results() -> None:
    messages = [ASKED, assistant(call("a")), user(result("lost", "old"), result("a"), text("u"))]
    plan = mended(messages, orphans="text")
    assert outline(plan.messages)[2] == "user: result a: r | [tool_result] old | u"
    assert edits(plan)[0] == "[2].content[0] quote orphan-tool-result"
    assert plan.is_safe


def test_an_orphan_as_a_text_keeps_its_images() -> None:
    lost = result("lost", [text("one"), IMAGE, text("two"), DOCUMENT])
    plan = mended([ASKED, says("assistant", "x"), user(lost)], orphans="text")
    assert outline(plan.messages)[2] == "user: [tool_result] one two | image | document"
    assert plan.messages[2]["content"][1] is lost["content"][1]
    lost = result("lost", [SEARCH])
    plan = mended([ASKED, says("assistant", "x"), user(lost)], orphans="text")
    assert SEARCH in plan.messages[2]["content"]


@pytest.mark.parametrize("content", ["", [], None, " \n", [text(" ")]])
def test_an_orphan_that_says_nothing_is_still_a_text(content: Any) -> None:
    lost = result("lost", content)
    plan = mended([ASKED, says("assistant", "x"), user(lost)], orphans="text")
    assert outline(plan.messages)[2] in (
        "user: [tool_result] (no text)",
        "user: [tool_result] (empty)",
    )


def test_a_message_of_orphans_only_goes() -> None:
    messages = [ASKED, says("assistant", "x"), user(result("1"), result("2"))]
    assert outline(mended(messages).messages) == ["user: q", "assistant: x"]
    assert outline(mended([*messages, says("assistant", "y")]).messages) == [
        "user: q",
        "assistant: x",
        "assistant: y",
    ]


def test_a_history_of_orphans_only_keeps_their_words() -> None:
    plan = mended([user(result("1", "one"), result("2", "two"))])
    assert outline(plan.messages) == ["user: [tool_result] one | [tool_result] two"]


def test_a_result_without_an_id_is_that_of_the_only_open_call() -> None:
    nameless = {"type": "tool_result", "content": "sun"}
    plan = mended([ASKED, assistant(call("a")), user(nameless)])
    assert plan.messages[2]["content"] == [{**nameless, "tool_use_id": "a"}]
    assert plan.is_safe


def test_results_without_ids_are_those_of_as_many_open_calls() -> None:
    first, second = ({"type": "tool_result", "content": content} for content in "12")
    calls = assistant(call("a"), call("b"), call("c"))
    plan = mended([ASKED, calls, user(first, result("b", "B"), second)])
    found = outline(plan.messages)[2].removeprefix("user: ").split(" | ")
    assert sorted(found) == ["result a: 1", "result b: B", "result c: 2"]
    assert plan.is_safe


def test_a_result_without_an_id_is_not_given_to_one_of_two_calls() -> None:
    nameless = {"type": "tool_result", "content": "sun"}
    messages = [ASKED, assistant(call("a"), call("b")), user(nameless)]
    plan = mended(messages)
    assert outline(plan.messages)[2] == "user: result a: (none) | result b: (none)"
    assert not plan.is_safe
    assert "[tool_result] sun" in outline(mended(messages, orphans="text").messages)[2]


# --- text or images before, between and beside results -------------------------------------------


def test_results_go_first_and_the_rest_keeps_its_order() -> None:
    mixed = user(text("x"), result("a", "1"), IMAGE, result("b", "2"), text("y"))
    plan = mended([ASKED, assistant(call("a"), call("b")), mixed])
    assert outline(plan.messages)[2] == "user: result a: 1 | result b: 2 | x | image | y"
    assert edits(plan) == [
        "[2].content[1] move tool-result-not-first",
        "[2].content[3] move tool-result-not-first",
    ]
    assert plan.is_safe


def test_results_in_another_order_than_the_calls_stay_in_it() -> None:
    mixed = user(text("x"), result("b", "2"), result("a", "1"))
    plan = mended([ASKED, assistant(call("a"), call("b")), mixed])
    assert outline(plan.messages)[2] == "user: result b: 2 | result a: 1 | x"


def test_a_message_between_call_and_result_goes_behind_the_result() -> None:
    messages = [ASKED, assistant(call("a")), says("user", "wait"), user(result("a"), text("u"))]
    plan = mended([*messages, says("assistant", "ok")])
    assert outline(plan.messages)[1:] == [
        "assistant: call a",
        "user: result a: r | wait",
        "user: u",
        "assistant: ok",
    ]
    assert edits(plan) == ["[3].content[0] move message-between-use-and-result"]


def test_a_system_message_between_call_and_result_goes_behind_the_result() -> None:
    messages = [ASKED, assistant(call("a")), SYSTEM, user(result("a")), says("assistant", "ok")]
    plan = mended(messages)
    assert outline(plan.messages)[2:] == ["user: result a: r", "system: Be brief.", "assistant: ok"]
    assert plan.messages[3] is messages[2]
    assert plan.messages[2] is messages[3]


def test_a_commentary_behind_a_call_goes_before_it_if_the_result_is_there() -> None:
    plan = mended([ASKED, assistant(call("a")), says("assistant", "well"), user(result("a"))])
    assert outline(plan.messages) == ["user: q", "assistant: well | call a", "user: result a: r"]


# --- duplicates ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_real_result_wins_over_our_placeholder(order: list[int]) -> None:
    results = [placeholder("a"), result("a", "real")]
    plan = mended([ASKED, assistant(call("a")), user(*(results[at] for at in order))])
    assert outline(plan.messages)[2] == "user: result a: real"
    assert edits(plan) == [f"[2].content[{order.index(0)}] drop duplicate-tool-result"]
    assert plan.is_safe


@pytest.mark.parametrize("words", ["No result provided", "[interrupted]", "Cancelled by the user."])
def test_a_real_result_wins_over_the_error_of_another_harness(words: Any) -> None:
    made = result("a", words, is_error=True)
    plan = mended([ASKED, assistant(call("a")), user(made, result("a", "real"))])
    assert outline(plan.messages)[2] == "user: result a: real"
    assert edits(plan) == ["[2].content[0] !drop duplicate-tool-result"]


def test_a_placeholder_of_an_earlier_repair_gives_way_to_a_late_result() -> None:
    once = mended([ASKED, assistant(call("a")), says("user", "u")]).messages
    plan = mended([*once[:2], user(*once[2]["content"][:1], result("a", "real"), text("u"))])
    assert outline(plan.messages)[2] == "user: result a: real | u"
    assert plan.is_safe


def test_of_two_real_results_the_first_stays_and_the_other_is_named() -> None:
    messages = [ASKED, assistant(call("a")), user(result("a", "one"), result("a", "two"))]
    plan = mended(messages)
    assert outline(plan.messages)[2] == "user: result a: one"
    assert edits(plan) == ["[2].content[1] !drop duplicate-tool-result"]
    assert "answers nothing" not in plan.edits[0].text
    quoted = mended(messages, orphans="text")
    assert outline(quoted.messages)[2] == "user: result a: one | [tool_result] two"
    assert quoted.is_safe


def test_a_duplicate_in_a_message_of_its_own_takes_it_along() -> None:
    messages = [ASKED, assistant(call("a")), user(result("a", "one")), user(result("a", "two"))]
    assert outline(mended(messages).messages)[2:] == ["user: result a: one"]


# --- ids that are used twice ---------------------------------------------------------------------


def test_an_id_that_each_turn_uses_is_made_a_new_one_each_time() -> None:
    turns = [it for n in "123" for it in (assistant(call("a")), user(result("a", n)))]
    plan = mended([ASKED, *turns])
    assert outline(plan.messages)[1:] == [
        "assistant: call a",
        "user: result a: 1",
        "assistant: call a_2",
        "user: result a_2: 2",
        "assistant: call a_3",
        "user: result a_3: 3",
    ]
    assert edits(plan) == [
        "[3].content[0] rename duplicate-tool-use-id",
        "[5].content[0] rename duplicate-tool-use-id",
    ]
    assert [edit.tool_use_id for edit in plan.edits] == ["a", "a"]
    assert [edit.text.split()[-1] for edit in plan.edits] == ["a_2", "a_3"]
    assert plan.is_safe


def test_a_new_id_is_none_that_is_already_there() -> None:
    first = [assistant(call("a"), call("a_2")), user(result("a", "1"), result("a_2", "2"))]
    plan = mended([ASKED, *first, assistant(call("a")), user(result("a", "3"))])
    assert outline(plan.messages)[3:] == ["assistant: call a_3", "user: result a_3: 3"]


def test_a_new_id_is_none_that_comes_only_later() -> None:
    turns = [it for id in ("a", "a", "a_2") for it in (assistant(call(id)), user(result(id, id)))]
    plan = mended([ASKED, *turns])
    assert outline(plan.messages)[3:] == [
        "assistant: call a_3",
        "user: result a_3: a",
        "assistant: call a_2",
        "user: result a_2: a_2",
    ]


def test_twins_share_their_results_by_order() -> None:
    twins = assistant(call("a", name="f"), call("a", name="g"))
    plan = mended([ASKED, twins, user(result("a", "1"), result("a", "2"))])
    assert outline(plan.messages)[1:] == [
        "assistant: call a | call a_2",
        "user: result a: 1 | result a_2: 2",
    ]
    assert [block["name"] for block in plan.messages[1]["content"]] == ["f", "g"]


def test_a_twin_without_result_gets_a_placeholder_and_a_third_result_is_named() -> None:
    twins = assistant(call("a"), call("a"))
    plan = mended([ASKED, twins, user(result("a", "1"))])
    assert outline(plan.messages)[2] == "user: result a: 1 | result a_2: (none)"
    three = user(result("a", "1"), result("a", "2"), result("a", "3"))
    plan = mended([ASKED, twins, three])
    assert outline(plan.messages)[2] == "user: result a: 1 | result a_2: 2"
    assert "[2].content[2] !drop duplicate-tool-result" in edits(plan)


def test_each_of_two_lost_calls_of_one_id_gets_its_own_result_back() -> None:
    opened = [ASKED, assistant(call("a")), says("user", "u"), assistant(call("a"))]
    plan = mended([*opened, user(result("a", "2")), says("assistant", "x"), user(result("a", "1"))])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: call a",
        "user: result a: 1 | u",
        "assistant: call a_2",
        "user: result a_2: 2",
        "assistant: x",
    ]


def test_a_programmatic_call_gets_a_new_id_and_keeps_its_caller() -> None:
    def turn(server_id: str, content: str) -> list[Message]:
        return [
            assistant(server_call(server_id, "code_execution"), called_by_code("a", server_id)),
            user(result("a", content)),
            assistant(server_result(server_id, "code_execution"), text("done")),
            says("user", "u"),
        ]

    messages = [ASKED, *turn("srvtoolu_1", "1"), *turn("srvtoolu_2", "2")]
    plan = mended(messages)
    assert outline(plan.messages)[5:7] == [
        "assistant: server call srvtoolu_2 | call a_2",
        "user: result a_2: 2",
    ]
    assert plan.messages[5]["content"][1]["caller"] == {"type": CODE, "tool_id": "srvtoolu_2"}


# --- malformed ids -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "new"),
    [
        ("functions.ls:0", "functions_ls_0"),
        ("call 1", "call_1"),
        ("é", "_"),
        ("", "toolu_repaired"),
        ("a\n", "a_"),
    ],
)
def test_a_malformed_id_is_rewritten_in_both_halves(id: str, new: str) -> None:
    plan = mended([ASKED, assistant(call(id)), user(result(id, "r"))])
    assert outline(plan.messages)[1:] == [f"assistant: call {new}", f"user: result {new}: r"]
    assert edits(plan) == ["[1].content[0] rename malformed-tool-use-id"]
    assert plan.is_safe


def test_two_malformed_ids_stay_two() -> None:
    plan = mended([ASKED, assistant(call("a.b"), call("a:b")), user(result("a:b"), result("a.b"))])
    assert outline(plan.messages)[1:] == [
        "assistant: call a_b | call a_b_2",
        "user: result a_b_2: r | result a_b: r",
    ]


def test_a_malformed_id_does_not_become_a_legal_one_that_is_there() -> None:
    turns = [it for id in ("a.b", "a:b", "a_b") for it in (assistant(call(id)), user(result(id)))]
    calls = outline(mended([ASKED, *turns]).messages)[1::2]
    assert calls == ["assistant: call a_b_2", "assistant: call a_b_3", "assistant: call a_b"]


def test_a_malformed_id_of_each_turn_is_no_duplicate() -> None:
    turns = [it for n in "12" for it in (assistant(call("a.b")), user(result("a.b", n)))]
    assert outline(mended([ASKED, *turns]).messages)[1:] == [
        "assistant: call a_b",
        "user: result a_b: 1",
        "assistant: call a_b_2",
        "user: result a_b_2: 2",
    ]


@pytest.mark.parametrize("id", [None, 5])
def test_a_call_whose_id_is_no_string_gets_one_and_its_result_with_it(id: Any) -> None:
    nameless: Block = {"type": "tool_result", "tool_use_id": id, "content": "r"}
    plan = mended([ASKED, assistant(call(id)), user(nameless)])
    assert outline(plan.messages)[1:] == [
        "assistant: call toolu_repaired",
        "user: result toolu_repaired: r",
    ]


def test_a_server_id_stays_one_and_its_callers_follow() -> None:
    runs = server_call("bad.id", "code_execution")
    ran = server_result("bad.id", "code_execution")
    messages = [ASKED, assistant(runs, called_by_code("a", "bad.id")), user(result("a"))]
    plan = mended([*messages, assistant(ran, text("done"))])
    assert outline(plan.messages)[1:] == [
        "assistant: server call srvtoolu_bad_id | call a",
        "user: result a: r",
        "assistant: server result srvtoolu_bad_id | done",
    ]
    assert plan.messages[1]["content"][1]["caller"]["tool_id"] == "srvtoolu_bad_id"
    assert plan.messages[2] is messages[2]


def test_two_malformed_server_ids_stay_two() -> None:
    ids = ["srvtoolu_a-b", "srvtoolu_a.b"]
    blocks = [it for id in ids for it in (server_call(id), server_result(id))]
    assert outline(mended([ASKED, assistant(*blocks)]).messages)[1] == (
        "assistant: server call srvtoolu_a_b | server result srvtoolu_a_b"
        " | server call srvtoolu_a_b_2 | server result srvtoolu_a_b_2"
    )


def test_a_malformed_id_of_mcp_is_rewritten_in_both_halves() -> None:
    plan = mended([ASKED, assistant(mcp_call("m.1"), mcp_result("m.1"), text("x"))])
    assert outline(plan.messages)[1] == "assistant: server call m_1 | server result m_1 | x"


# --- split results, split calls ------------------------------------------------------------------

SPLIT = [
    ASKED,
    assistant(call("a"), call("b")),
    user(result("a", "1"), text("t1")),
    user(result("b", "2"), text("t2")),
]
CALLS_APART = [
    ASKED,
    assistant(text("t"), call("a")),
    assistant(call("b")),
    user(result("a"), result("b")),
]


def test_what_is_joined_by_who_receives_it_is_left_apart() -> None:
    apart = [*SPLIT[:2], user(result("a")), user(result("b"))]
    plan = mended(apart)
    assert plan.edits == ()
    assert [found.slug for found in plan.remaining.warnings] == ["split-tool-results"]
    assert mended(CALLS_APART).edits == ()


@pytest.mark.parametrize("endpoint", ["deepseek", "strict"])
def test_split_results_are_joined_where_they_must_be(endpoint: str) -> None:
    plan = mended(SPLIT, endpoint=endpoint)
    assert outline(plan.messages)[2].startswith("user: result a: 1 | result b: 2 | t1")
    together = "\n".join(outline(plan.messages)[2:])
    assert together.index("t1") < together.index("t2")
    assert plan.is_safe
    assert len(plan.messages) == (3 if endpoint == "strict" else 4)


@pytest.mark.parametrize("endpoint", ["deepseek", "strict"])
def test_split_calls_are_joined_where_they_must_be(endpoint: str) -> None:
    plan = mended(CALLS_APART, endpoint=endpoint)
    assert outline(plan.messages) == [
        "user: q",
        "assistant: t | call a | call b",
        "user: result a: r | result b: r",
    ]
    assert "[2] join message-between-use-and-result" in edits(plan)


def test_roles_alternate_where_they_must() -> None:
    messages = [ASKED, says("user", "q2"), says("assistant", "a"), says("assistant", "b"), ASKED]
    assert mended(messages).edits == ()
    plan = mended(messages, endpoint="strict")
    assert outline(plan.messages) == ["user: q | q2", "assistant: a | b", "user: q"]
    assert plan.messages[2] is messages[4]


def test_a_user_message_is_put_first_where_one_must_be() -> None:
    plan = mended([says("assistant", "a"), ASKED], endpoint="strict")
    assert [message["role"] for message in plan.messages] == ["user", "assistant", "user"]
    assert edits(plan) == ["[0] !insert first-message-not-user"]


# --- blocks and messages of the wrong role -------------------------------------------------------


def test_a_result_in_an_assistant_message_splits_it() -> None:
    mixed = assistant(text("x"), call("a"), result("a", "1"), text("y"), call("b"))
    plan = mended([ASKED, mixed, user(result("b", "2"))])
    assert outline(plan.messages) == [
        "user: q",
        "assistant: x | call a",
        "user: result a: 1",
        "assistant: y | call b",
        "user: result b: 2",
    ]
    assert edits(plan) == ["[1] !split tool-block-in-wrong-role"]


def test_a_call_in_a_user_message_splits_it() -> None:
    plan = mended([ASKED, user(text("hm"), call("a")), user(result("a"))])
    assert outline(plan.messages)[1:] == ["user: hm", "assistant: call a", "user: result a: r"]


def test_messages_of_swapped_roles_are_given_their_own() -> None:
    plan = mended([ASKED, user(call("a")), assistant(result("a"), text("ok"))])
    assert outline(plan.messages)[1:] == ["assistant: call a", "user: result a: r", "assistant: ok"]


def test_a_result_in_a_system_message_splits_it() -> None:
    mixed = {"role": "system", "content": [result("a", "1"), text("t")]}
    plan = mended([ASKED, assistant(call("a")), mixed])
    assert outline(plan.messages)[2:] == ["user: result a: 1", "system: t"]


def test_a_split_message_keeps_its_further_members_once() -> None:
    mixed = {**assistant(call("a"), result("a"), text("y")), "id": "msg_1"}
    plan = mended([ASKED, mixed])
    assert [message.get("id") for message in plan.messages] == [None, "msg_1", None, None]


def test_server_blocks_in_a_user_message_split_it() -> None:
    plan = mended([ASKED, user(SEARCHES, FOUND, text("x")), says("assistant", "y")])
    assert outline(plan.messages)[1:] == [
        "assistant: server call srvtoolu_1 | server result srvtoolu_1",
        "user: x",
        "assistant: y",
    ]
    plan = mended([ASKED, assistant(SEARCHES), user(FOUND, text("x"))])
    assert outline(plan.messages)[2:] == ["assistant: server result srvtoolu_1", "user: x"]


def test_tool_messages_of_strings_become_results() -> None:
    said = [
        {"role": "tool", "tool_call_id": "a", "name": "f", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": [text("2")]},
    ]
    plan = mended([ASKED, assistant(call("a"), call("b")), *said, says("assistant", "ok")])
    assert plan.messages[2:4] == [user(result("a", "1")), user(result("b", [text("2")]))]
    assert edits(plan) == ["[2] recast unknown-role", "[3] recast unknown-role"]
    assert plan.is_safe


def test_a_tool_message_gets_the_toolset_and_the_new_id_of_its_call() -> None:
    said = {"role": "tool", "tool_call_id": "a.b", "content": "1"}
    plan = mended([ASKED, assistant(call("a.b", toolset_name="computer")), said])
    assert plan.messages[2] == user(result("a_b", "1", toolset_name="computer"))


def test_a_tool_message_behind_another_goes_right_behind_its_call() -> None:
    said = {"role": "tool", "tool_call_id": "a", "content": "1"}
    plan = mended([ASKED, assistant(call("a")), says("user", "hm"), said])
    assert outline(plan.messages)[2:] == ["user: result a: 1 | hm"]


def test_a_tool_message_of_results_becomes_the_users() -> None:
    said = {"role": "tool", "content": [result("a", "1")]}
    plan = mended([ASKED, assistant(call("a")), said])
    assert outline(plan.messages)[2] == "user: result a: 1"
    assert plan.messages[2]["content"][0] is said["content"][0]


def test_a_tool_message_that_answers_nobody_is_what_the_user_said() -> None:
    plan = mended([ASKED, assistant(call("a")), says("tool", "1")])
    assert outline(plan.messages)[2] == "user: result a: (none) | 1"
    assert not plan.is_safe


@pytest.mark.parametrize("role", ["critic", "human", None, 3])
def test_an_unknown_role_is_the_users_or_the_assistants_if_it_calls(role: Any) -> None:
    plan = mended([ASKED, {"role": role, "content": "x"}, says("assistant", "y")])
    assert outline(plan.messages)[1] == "user: x"
    plan = mended([ASKED, {"role": role, "content": [call("a")]}, user(result("a"))])
    assert outline(plan.messages)[1:] == ["assistant: call a", "user: result a: r"]


@pytest.mark.parametrize("context", [None, OLD])
def test_a_developer_message_is_the_systems_or_the_users(context: Any) -> None:
    messages = [ASKED, says("developer", "x"), says("assistant", "y"), ASKED]
    role = "system" if context is None else "user"
    assert outline(mended(messages, context=context).messages)[1] == f"{role}: x"


def test_an_image_in_an_assistant_message_is_only_split_off_where_it_is_refused() -> None:
    messages = [ASKED, assistant(text("x"), IMAGE, text("y")), ASKED]
    assert mended(messages).edits == ()
    plan = mended(messages, endpoint="strict")
    assert outline(plan.messages)[1:4] == ["assistant: x", "user: image", "assistant: y"]


# --- content behind a call -----------------------------------------------------------------------


def test_content_behind_a_call_goes_before_the_first_and_thinking_stays() -> None:
    mixed = assistant(thinking("1"), call("a"), text("x"), thinking("2"), call("b"), text("y"))
    plan = mended([ASKED, mixed, user(result("a"), result("b"))])
    assert outline(plan.messages)[1] == (
        "assistant: thinking 1 | x | y | call a | thinking 2 | call b"
    )
    assert edits(plan) == [
        "[1].content[2] move content-after-tool-use",
        "[1].content[5] move content-after-tool-use",
    ]
    assert plan.is_safe


def test_a_server_pair_behind_a_call_goes_before_it() -> None:
    plan = mended([ASKED, assistant(call("a"), SEARCHES, FOUND, text("x")), user(result("a"))])
    assert outline(plan.messages)[1] == (
        "assistant: server call srvtoolu_1 | server result srvtoolu_1 | x | call a"
    )


# --- empty and blank -----------------------------------------------------------------------------


def test_empty_turns_and_blank_texts_go() -> None:
    blank = user(text(""), text("z"), text(" \n"))
    messages = [ASKED, says("assistant", "x"), user(), says("assistant", "y"), blank]
    plan = mended(messages)
    assert outline(plan.messages) == ["user: q", "assistant: x", "assistant: y", "user: z"]
    assert edits(plan) == [
        "[2] drop empty-user-turn",
        "[4].content[0] drop empty-text-block",
        "[4].content[2] drop whitespace-text-block",
    ]
    assert plan.is_safe


def test_an_empty_message_in_a_turn_that_says_something_is_no_fault() -> None:
    assert mended([ASKED, says("user", ""), says("assistant", "y")]).edits == ()


def test_a_blank_text_with_a_marker_goes() -> None:
    marked = {**text(""), "cache_control": MARKER}
    plan = mended([ASKED, says("assistant", "x"), user(marked, text("y"))])
    assert outline(plan.messages)[2] == "user: y"
    assert edits(plan) == ["[2].content[0] drop cache-control-on-empty-text"]


def test_turns_that_meet_where_an_empty_one_went_are_joined_where_they_must_be() -> None:
    messages = [ASKED, says("assistant", "x"), says("user", ""), says("assistant", "y"), ASKED]
    plan = mended(messages, endpoint="strict")
    assert outline(plan.messages) == ["user: q", "assistant: x | y", "user: q"]


@pytest.mark.parametrize("endpoint", ["deepseek", "kimi", "strict"])
def test_an_empty_assistant_message_goes_where_it_is_refused(endpoint: str) -> None:
    messages = [ASKED, says("assistant", ""), says("user", "u")]
    assert mended(messages).edits == ()
    plan = mended(messages, endpoint=endpoint)
    assert "assistant" not in {message["role"] for message in plan.messages}
    assert "u" in outline(plan.messages)[-1]


@pytest.mark.parametrize(
    "message",
    [
        says("user", ""),
        user(),
        says("user", " \n"),
        user(text(" ")),
        user(text("")),
        says("system", ""),
    ],
)
def test_a_history_of_nothing_gets_a_text(message: Message) -> None:
    """A request must have a message, and that message a text."""
    for messages in ([message], [message, message]):
        plan = mended(messages)
        assert plan.messages
        assert not plan.is_safe


def test_a_turn_of_a_blank_text_that_answers_calls_keeps_its_results() -> None:
    plan = mended([ASKED, assistant(call("a")), user(result("a"), text(" "))])
    assert outline(plan.messages)[2] == "user: result a: r"
    plan = mended([ASKED, assistant(call("a")), says("user", " ")])
    assert outline(plan.messages)[2] == "user: result a: (none)"


@pytest.mark.parametrize("content", ["hi  \n", [text("hi  \n")]])
def test_white_space_at_the_end_of_a_prefill_is_trimmed(content: Any) -> None:
    messages = [ASKED, {"role": "assistant", "content": content}]
    assert mended(messages).edits == ()
    plan = mended(messages, context=OLD)
    assert outline(plan.messages)[1] == "assistant: hi"
    assert plan.is_safe


def test_a_prefill_that_is_not_taken_is_answered() -> None:
    plan = mended([ASKED, says("assistant", "hi")], context=NEW)
    assert [message["role"] for message in plan.messages] == ["user", "assistant", "user"]
    assert edits(plan) == ["[1] !insert assistant-prefill"]


# --- system messages -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (
            [SYSTEM, ASKED, says("assistant", "x")],
            ["user: q", "system: Be brief.", "assistant: x"],
        ),
        ([SYSTEM, says("assistant", "x"), ASKED], ["assistant: x", "user: q", "system: Be brief."]),
        (
            [ASKED, says("assistant", "x"), SYSTEM, says("user", "u")],
            ["user: q", "assistant: x", "user: u", "system: Be brief."],
        ),
        (
            [ASKED, SYSTEM, says("user", "u"), says("assistant", "x")],
            ["user: q", "user: u", "system: Be brief.", "assistant: x"],
        ),
    ],
)
def test_a_misplaced_system_message_goes_behind_the_users(
    messages: list[Message], kept: list[str]
) -> None:
    plan = mended(messages)
    assert outline(plan.messages) == kept
    assert plan.is_safe
    assert sorted(map(id, plan.messages)) == sorted(map(id, messages))


def test_a_system_message_that_can_stand_nowhere_becomes_the_users() -> None:
    for rest in ([], [says("assistant", "x")]):
        plan = mended([SYSTEM, *rest])
        assert outline(plan.messages)[0] == "user: Be brief."
        assert not plan.is_safe


def test_a_system_message_becomes_the_users_where_the_model_takes_none() -> None:
    messages = [SYSTEM, ASKED, says("assistant", "x"), ASKED]
    plan = mended(messages, context=OLD)
    assert outline(plan.messages)[:2] == ["user: Be brief.", "user: q"]
    assert outline(mended(messages, context=NEW).messages)[:2] == ["user: q", "system: Be brief."]


# --- server calls --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tail",
    [
        pytest.param([assistant(text("x"), SEARCHES)], id="paused"),
        pytest.param([assistant(SEARCHES, call("a")), user(result("a"))], id="mixed turn"),
        pytest.param([assistant(RUNS, called_by_code("a")), user(result("a"))], id="programmatic"),
    ],
)
def test_a_server_call_that_may_still_be_open_is_left_alone(tail: list[Message]) -> None:
    plan = mended([ASKED, *tail])
    assert plan.edits == ()


def test_a_server_call_that_is_dead_goes_and_its_words_stay() -> None:
    plan = mended([ASKED, assistant(text("x"), SEARCHES), says("user", "u")])
    assert outline(plan.messages) == ["user: q", "assistant: x", "user: u"]
    assert edits(plan) == ["[1].content[1] !drop server-tool-use-without-result"]
    plan = mended([ASKED, assistant(SEARCHES), says("user", "u")])
    assert outline(plan.messages) == ["user: q", "user: u"]


def test_calls_of_a_dead_server_call_lose_their_caller_and_stay() -> None:
    messages = [ASKED, assistant(RUNS, called_by_code("a")), user(result("a"))]
    plan = mended([*messages, says("assistant", "x"), says("user", "u")])
    assert outline(plan.messages)[1:3] == ["assistant: call a", "user: result a: r"]
    assert plan.messages[1]["content"] == [call("a")]


def test_a_server_result_without_call_goes() -> None:
    plan = mended([ASKED, assistant(FOUND, text("x"))])
    assert outline(plan.messages) == ["user: q", "assistant: x"]
    assert edits(plan) == ["[1].content[0] !drop orphan-server-tool-result"]


def test_a_server_call_is_never_answered_by_a_client_result() -> None:
    answered = user(result("srvtoolu_1", "made up"), text("u"))
    plan = mended([ASKED, assistant(text("x"), SEARCHES), answered])
    assert outline(plan.messages) == ["user: q", "assistant: x", "user: u"]
    plan = mended([ASKED, assistant(SEARCHES, FOUND, text("x")), answered])
    assert outline(plan.messages)[1:] == [
        "assistant: server call srvtoolu_1 | server result srvtoolu_1 | x",
        "user: u",
    ]
    plan = mended([ASKED, assistant(text("x"), SEARCHES), user(result("srvtoolu_1", "made up"))])
    assert outline(plan.messages)[1:] == ["assistant: x | server call srvtoolu_1"]


def test_mcp_is_only_warned_of_and_its_orphans_go() -> None:
    plan = mended([ASKED, assistant(mcp_call("m"), text("x")), says("user", "u")])
    assert plan.edits == ()
    plan = mended([ASKED, assistant(mcp_result("m"), text("x")), says("user", "u")])
    assert outline(plan.messages)[1] == "assistant: x"


def test_an_unknown_server_tool_is_only_quoted_where_it_is_refused() -> None:
    blocks = [server_call("srvtoolu_1", "tarot"), server_result("srvtoolu_1", "tarot")]
    messages = [ASKED, assistant(*blocks, text("x")), ASKED]
    assert mended(messages).edits == ()
    plan = mended(messages, endpoint="strict")
    quoted, answered, said = plan.messages[1]["content"]
    assert quoted["text"].startswith("[server_tool_use] ")
    assert answered["text"].startswith("[tarot_tool_result] ")
    assert said == text("x")
    assert "tarot" in quoted["text"]


# --- mixed turns ---------------------------------------------------------------------------------


def test_what_was_said_in_an_open_mixed_turn_goes_behind_the_next_turn() -> None:
    hint = user(result("a"), text("hint"), IMAGE)
    goes_on = [assistant(FOUND, text("found")), says("user", "next"), says("assistant", "ok")]
    plan = mended([ASKED, assistant(SEARCHES, call("a")), hint, *goes_on])
    assert outline(plan.messages)[2:] == [
        "user: result a: r",
        "assistant: server result srvtoolu_1 | found",
        "user: hint | image | next",
        "assistant: ok",
    ]
    assert plan.is_safe


def test_a_message_of_its_own_in_an_open_mixed_turn_goes_behind_the_next_turn() -> None:
    said = [user(result("a")), says("user", "hint"), assistant(FOUND, text("found"))]
    plan = mended([ASKED, assistant(SEARCHES, call("a")), *said])
    assert outline(plan.messages)[2:] == [
        "user: result a: r",
        "assistant: server result srvtoolu_1 | found",
        "user: hint",
    ]


def test_text_before_the_results_of_a_mixed_turn_goes_behind_the_next_turn() -> None:
    said = [user(text("hint"), result("a")), assistant(FOUND, text("found"))]
    plan = mended([ASKED, assistant(SEARCHES, call("a")), *said])
    assert outline(plan.messages)[2:] == [
        "user: result a: r",
        "assistant: server result srvtoolu_1 | found",
        "user: hint",
    ]


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ("r", "r + hint"),
        ([text("r")], "r + hint"),
        ([IMAGE], "image + hint"),
        ("", "hint"),
        ([], "hint"),
        (None, "hint"),
    ],
)
def test_at_the_end_it_is_folded_into_the_last_result(content: Any, kept: str) -> None:
    messages = [ASKED, assistant(SEARCHES, call("a")), user(result("a", content), text("hint"))]
    plan = mended(messages)
    assert outline(plan.messages)[2] == f"user: result a: {kept}"
    assert plan.is_safe


# A result that is mended itself and takes in what was said: neither may cost the other.
FOLDED_AND_MENDED = {
    "an error without words": result("a", "", is_error=True),
    "a block of another API": result("a", [{"type": "image_url", "image_url": "u"}]),
    "search results and a text": result("a", [SEARCH, text("besides")]),
    "search results alone": result("a", [SEARCH]),
    "content that is an object": result("a", {"type": "text", "text": "besides"}),
    "content that is a number": result("a", 5),
}


@pytest.mark.parametrize("given", FOLDED_AND_MENDED.values(), ids=FOLDED_AND_MENDED)
@pytest.mark.parametrize(
    "calls",
    [
        pytest.param([SEARCHES, call("a")], id="mixed turn"),
        pytest.param([RUNS, called_by_code("a")], id="programmatic"),
    ],
)
def test_what_was_said_is_not_lost_in_a_result_that_is_mended(
    given: Block, calls: list[Block]
) -> None:
    plan = mended([ASKED, assistant(*calls), user(given, text("the hint"))])
    written = json.dumps(plan.messages)
    assert written.count("the hint") == 1
    assert written.count("besides") == json.dumps(given).count("besides")


@pytest.mark.parametrize("beside", [IMAGE, UPLOAD, SEARCH], ids=lambda block: str(block["type"]))
def test_any_block_beside_an_open_server_call_finds_a_place_that_may_hold_it(beside: Block) -> None:
    plan = mended([ASKED, assistant(SEARCHES, call("a")), user(result("a"), beside)])
    assert beside["type"] in json.dumps(plan.messages)


def test_in_a_result_for_the_servers_code_only_text_is_folded() -> None:
    messages = [ASKED, assistant(RUNS, called_by_code("a")), user(result("a"), text("hint"))]
    assert outline(mended(messages).messages)[2] == "user: result a: r + hint"
    messages[2] = user(result("a"), IMAGE)
    assert IMAGE in mended(messages).messages[2]["content"]


def test_what_was_said_to_the_servers_code_goes_behind_the_next_turn() -> None:
    said = [user(result("a"), text("hint")), assistant(RAN, text("done")), says("user", "u")]
    plan = mended([ASKED, assistant(RUNS, called_by_code("a")), *said])
    assert outline(plan.messages)[2:] == [
        "user: result a: r",
        "assistant: server result srvtoolu_1 | done",
        "user: hint | u",
    ]


def test_a_lost_result_for_the_servers_code_is_plain_text() -> None:
    calls = assistant(RUNS, called_by_code("a"), called_by_code("b"))
    plan = mended([ASKED, calls, user(result("a")), assistant(RAN, text("done"))])
    assert plan.messages[2]["content"][1] == placeholder("b")


def test_what_is_told_to_the_servers_code_is_plain_text() -> None:
    messages = [ASKED, assistant(RUNS, called_by_code("a"))]
    plan = mended(messages, on_missing=lambda _: [text("denied"), IMAGE])
    assert "denied" in json.dumps(plan.messages[2])


def test_an_image_in_a_result_for_the_servers_code_becomes_text() -> None:
    messages = [ASKED, assistant(RUNS, called_by_code("a")), user(result("a", [IMAGE, text("x")]))]
    plan = mended(messages)
    (only,) = plan.messages[2]["content"]
    assert isinstance(only["content"], str)
    assert IMAGE["source"]["url"] in only["content"]
    assert "x" in only["content"]
    assert edits(plan) == ["[2].content[0] !change content-beside-programmatic-result"]


def test_a_mixed_turn_that_was_not_resumed_loses_its_server_call() -> None:
    said = [user(result("a"), text("hint")), says("assistant", "on"), says("user", "u")]
    plan = mended([ASKED, assistant(SEARCHES, call("a")), *said])
    assert outline(plan.messages)[1:] == [
        "assistant: call a",
        "user: result a: r | hint",
        "assistant: on",
        "user: u",
    ]


# --- thinking ------------------------------------------------------------------------------------

THOUGHT = [
    ASKED,
    assistant(thinking("0"), text("a")),
    ASKED,
    assistant(thinking("1"), call("a")),
    says("user", "u"),
    assistant(thinking("2"), text("b"), thinking("3"), text("c")),
    ASKED,
]


def thoughts(messages: list[Any]) -> list[str]:
    return [
        block["thinking"]
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "thinking"
    ]


@pytest.mark.parametrize(
    ("wish", "model", "kept"),
    [
        ("keep", "claude-opus-5-5", "0123"),
        ("keep", None, "0123"),
        ("strip", "claude-opus-5-5", "01"),
        ("strip", "claude-sonnet-4-5", "01"),
        ("strip", None, "01"),
        ("auto", "claude-opus-5-5", "01"),
        ("auto", "us.anthropic.claude-fable-5-1-v1:0", "01"),
        ("auto", "claude-opus-4-8", "0123"),
        ("auto", "claude-sonnet-4-5", "0123"),
        ("auto", "a-model-of-mine", "0123"),
        ("auto", None, "0123"),
    ],
)
def test_thinking_behind_a_change_stays_or_goes_as_wished(
    wish: str, model: str | None, kept: str
) -> None:
    context = None if model is None else {"model": model}
    plan = mended(THOUGHT, thinking=wish, context=context)
    assert thoughts(plan.messages) == list(kept)
    assert plan.first_changed_index == 4
    assert plan.thinking_after_change is (len(kept) == 4)
    gone = [edit for edit in plan.edits if edit.action == "drop"]
    assert len(gone) == 4 - len(kept)
    assert not any(edit.safe for edit in gone)


def test_without_a_change_no_thinking_goes() -> None:
    messages = [ASKED, assistant(thinking(), text("x")), ASKED]
    assert mended(messages, thinking="strip").edits == ()
    assert mended(messages, context=NEW).edits == ()


def test_a_message_that_held_only_stripped_thinking_goes() -> None:
    opened = [ASKED, assistant(call("a")), says("user", "u"), assistant(thinking(), text("x"))]
    only = [*opened, ASKED, assistant(thinking(), call("b")), user(result("b"))]
    plan = mended(only, thinking="strip")
    assert outline(plan.messages)[3:] == ["assistant: x", "user: q", "assistant: call b", *TAIL]


TAIL = ["user: result b: r"]


def test_auto_strips_no_thinking_that_the_request_cannot_do_without() -> None:
    """Thinking that may be refused is better than a loop that opens without any, and is."""
    context = {**NEW, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    loop = [assistant(thinking(), call("a")), user(result("a"))]
    mended([user(text("q"), result("lost")), *loop], context=context)


def test_a_faulty_thinking_block_takes_along_all_of_the_latest_turn_only() -> None:
    faulty = {"type": "thinking", "thinking": "x"}
    turn = [assistant(faulty, thinking("ok"), call("a")), user(result("a"))]
    assert thoughts(mended([ASKED, *turn]).messages) == []
    later = mended([ASKED, *turn, says("assistant", "x"), ASKED])
    assert thoughts(later.messages) == ["ok"]


@pytest.mark.parametrize(
    ("messages", "options"),
    [
        pytest.param(
            [ASKED, assistant(text("x")), ASKED, assistant(text("y"), thinking())],
            {},
            id="thinking-block-last",
        ),
        pytest.param(
            [ASKED, assistant(thinking(), text("y"))],
            {"context": {"thinking": {"type": "disabled"}}},
            id="thinking-when-disabled",
        ),
        pytest.param([user(thinking(), text("y"))], {"endpoint": "strict"}, id="in a user message"),
    ],
)
def test_thinking_that_is_refused_goes(messages: list[Message], options: dict[str, Any]) -> None:
    plan = mended(messages, **options)
    assert thoughts(plan.messages) == []
    assert outline(plan.messages)[-1].endswith(": y")
    assert not plan.is_safe


def test_only_the_marker_of_a_thinking_block_goes() -> None:
    marked = {**thinking(), "cache_control": MARKER}
    plan = mended([ASKED, assistant(marked, text("x")), ASKED])
    assert plan.messages[1]["content"][0] == thinking()
    assert plan.is_safe


def test_thinking_before_a_fallback_goes_only_where_it_is_refused() -> None:
    messages = [ASKED, assistant(thinking(), text("x"), FALLBACK, text("y")), ASKED]
    assert mended(messages).edits == ()
    plan = mended(messages, endpoint="strict")
    assert outline(plan.messages)[1] == "assistant: x | fallback | y"


# --- inside blocks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ('{"x": 1}', {"x": 1}),
        ('{"x": ', {}),
        ("[1]", {}),
        ([1], {}),
        (None, {}),
        (7, {}),
    ],
)
def test_an_input_becomes_the_object_that_it_says(given: Any, made: Any) -> None:
    plan = mended([ASKED, assistant(call("a", input=given)), user(result("a"))])
    assert plan.messages[1]["content"] == [call("a", input=made)]
    assert edits(plan) == ["[1].content[0] !change malformed-tool-block"]


def test_a_missing_input_becomes_an_object() -> None:
    bare = {"type": "tool_use", "id": "a", "name": "f"}
    plan = mended([ASKED, assistant(bare), user(result("a"))])
    assert plan.messages[1]["content"] == [call("a")]


@pytest.mark.parametrize(("content", "made"), [({"x": 1}, '{"x": 1}'), (5, "5"), (True, "true")])
def test_content_of_a_result_that_is_none_becomes_a_text(content: Any, made: str) -> None:
    plan = mended([ASKED, assistant(call("a")), user(result("a", content))])
    assert plan.messages[2]["content"] == [result("a", made)]


@pytest.mark.parametrize("content", ["", [], None])
def test_an_error_without_words_gets_some(content: Any) -> None:
    plan = mended([ASKED, assistant(call("a")), user(result("a", content, is_error=True))])
    (only,) = plan.messages[2]["content"]
    assert only["content"].strip()
    assert only["content"] != PLACEHOLDER
    assert plan.is_safe


def test_what_a_result_may_not_hold_becomes_text_in_it() -> None:
    content = [text("x"), {"type": "image_url", "image_url": "u"}, IMAGE]
    plan = mended([ASKED, assistant(call("a")), user(result("a", content))])
    (only,) = plan.messages[2]["content"]
    assert [block["type"] for block in only["content"]] == ["text", "text", "image"]
    assert "image_url" in only["content"][1]["text"]
    assert only["content"][0] is content[0]


def test_what_stands_beside_search_results_goes_behind_the_results() -> None:
    mixed = [result("a", [text("x"), SEARCH, IMAGE]), result("b"), text("u")]
    plan = mended([ASKED, assistant(call("a"), call("b")), user(*mixed)])
    assert outline(plan.messages)[2].startswith("user: result a: search_result | result b: r | ")
    assert sorted(outline(plan.messages)[2].split(" | ")[2:]) == ["image", "u", "x"]
    assert plan.is_safe


@pytest.mark.parametrize("call_has", ["computer", None])
@pytest.mark.parametrize("result_has", ["browser", None])
def test_a_result_takes_the_toolset_of_its_call(
    call_has: str | None, result_has: str | None
) -> None:
    named = {} if call_has is None else {"toolset_name": call_has}
    other = {} if result_has is None else {"toolset_name": result_has}
    plan = mended([ASKED, assistant(call("a", **named)), user(result("a", **other))])
    assert plan.messages[2]["content"] == [result("a", **named)]
    assert bool(plan.edits) is (call_has != result_has)


def test_a_result_of_a_toolset_becomes_a_text_where_it_is_refused() -> None:
    answered = result("a", [BROWSER, BROWSER], toolset_name="browser")
    messages = [ASKED, assistant(call("a", toolset_name="browser")), user(answered)]
    assert mended(messages).edits == ()
    (only,) = mended(messages, endpoint="strict").messages[2]["content"]
    assert only["content"].count("browser_state") == 2


def test_the_earliest_markers_go_where_there_are_too_many() -> None:
    roles = ["user", "assistant"] * 3
    messages = [
        {"role": role, "content": [{**text(f"{at}"), "cache_control": MARKER}]}
        for at, role in enumerate(roles)
    ]
    plan = mended(messages)
    marked = [at for at, it in enumerate(plan.messages) if "cache_control" in it["content"][0]]
    assert marked == [2, 3, 4, 5]
    assert plan.is_safe


def test_a_long_marker_behind_a_short_one_goes() -> None:
    short, long = ({**text("x"), "cache_control": marker} for marker in (MARKER, HOUR))
    plan = mended([user(short), assistant(long), ASKED])
    assert plan.messages[0]["content"] == [short]
    assert plan.messages[1]["content"] == [text("x")]


def test_markers_inside_results_go_too() -> None:
    content = [{**text(f"{at}"), "cache_control": MARKER} for at in range(5)]
    plan = mended([ASKED, assistant(call("a")), user(result("a", content))])
    (only,) = plan.messages[2]["content"]
    assert [block["text"] for block in only["content"]] == list("01234")
    assert sum("cache_control" in block for block in only["content"]) <= 4
    assert sum("cache_control" in block for block in content) == 5


def test_unknown_members_go_when_selected_and_the_edit_is_not_safe() -> None:
    message = {**assistant({**call("a"), "index": 1}), "usage": {}}
    messages = [ASKED, message, user(result("a"))]
    assert mended(messages).edits == ()
    plan = mended(messages, select=["unknown-member"])
    assert plan.messages[1] == assistant(call("a"))
    assert not plan.is_safe


def test_a_tool_change_that_a_user_sends_goes() -> None:
    plan = mended([ASKED, user(ADDITION, text("x"))])
    assert outline(plan.messages)[1] == "user: x"
    assert edits(plan) == ["[1].content[0] !drop misplaced-tool-change"]


# --- keywords ------------------------------------------------------------------------------------


def test_an_ignored_rule_is_not_mended() -> None:
    messages = [ASKED, says("assistant", "x"), user(text(""), text("u"))]
    assert mended(messages, ignore=["empty-text-block"]).edits == ()
    assert mended(messages, ignore=["TP403"]).edits == ()
    assert mended(messages, ignore=["TP404"]).edits


def test_bedrock_and_vertex_are_mended_like_the_default() -> None:
    messages = [ASKED, assistant(call("a.b"), call("c")), user(text("u"), result("a.b"))]
    kept = outline(mended(messages).messages)
    for endpoint in ("bedrock", "vertex"):
        assert outline(mended(messages, endpoint=endpoint).messages) == kept


def test_what_a_result_in_the_wrong_role_holds_is_judged_once_it_stands_right() -> None:
    found = {"type": "tool_reference", "tool_name": "nobody"}
    messages = [ASKED, assistant(call("a")), assistant(result("a", content=[found]))]
    context = {"tools": [{"name": "f", "input_schema": {"type": "object"}}]}
    plan = toolpair.plan_repair(messages, context=context)
    assert [violation.slug for violation in plan.remaining.errors] == ["unknown-tool-reference"]
    assert plan.remaining == toolpair.check_tool_pairing(plan.messages, context=context)


BAD_KEYWORDS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "on_missing, a word": ({"on_missing": "x"}, ValueError, "on_missing .*'placeholder'.* not 'x'"),
    "on_missing, a number": ({"on_missing": 5}, TypeError, "on_missing .*callable, not int"),
    "on_missing, None": ({"on_missing": None}, TypeError, "on_missing .*callable, not None"),
    "orphans, a word": ({"orphans": "keep"}, ValueError, "orphans .*'drop', 'text', not 'keep'"),
    "orphans, None": ({"orphans": None}, TypeError, "orphans .*not None"),
    "thinking, a word": ({"thinking": "x"}, ValueError, "thinking .*'auto'.* not 'x'"),
    "thinking, a bool": ({"thinking": True}, TypeError, "thinking .*not bool"),
    "endpoint, a word": ({"endpoint": "x"}, ValueError, "endpoint .*anthropic.*not 'x'"),
    "endpoint, a number": ({"endpoint": 3}, TypeError, "endpoint .*not int"),
    "ignore": ({"ignore": ["x"]}, ValueError, "ignore: no rule .*'x'"),
    "select": ({"select": 5}, TypeError, "select .*not int"),
    "allow_pending": ({"allow_pending": "yes"}, TypeError, "allow_pending .*not str"),
    "context": ({"context": [1]}, TypeError, "context .*not list"),
}


@pytest.mark.parametrize(("options", "error", "words"), BAD_KEYWORDS.values(), ids=BAD_KEYWORDS)
def test_a_bad_keyword_is_named_even_if_nothing_is_to_be_mended(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    for verb in (toolpair.plan_repair, toolpair.repair_tool_pairing):
        with pytest.raises(error, match=f"^{words}"):
            verb([ASKED], **options)


@pytest.mark.parametrize("messages", ["abc", None, 3, {}, b"[]"])
def test_what_is_no_history_is_a_type_error(messages: Any) -> None:
    for verb in (toolpair.plan_repair, toolpair.repair_tool_pairing):
        with pytest.raises(TypeError, match=r"^messages must be a list"):
            verb(messages)
        with pytest.raises(TypeError, match=r"^messages\[1\] is no message"):
            verb([ASKED, messages])


def test_nothing_comes_of_nothing() -> None:
    plan = mended([], remains=["empty-history"])
    assert (plan.messages, plan.edits) == ([], ())
