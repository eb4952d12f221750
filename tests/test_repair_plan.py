"""The plan of a repair: what it tells, what it gives back, and in which objects."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pydantic
import pytest
from anthropic import types
from histories import TEXT, assistant, call, result, says, server_call, user
from mending import PLACEHOLDER, stands_in
from test_objects import FORMS, OwnMapping, formed

import toolpair
from toolpair import plan_repair, repair_tool_pairing

ASKED = says("user", "q")
THINKING = {"type": "thinking", "thinking": "hm", "signature": "SIG"}


def broken() -> list[Any]:
    """A call that is lost, a text before its result, an orphan, and an id that is used twice."""
    return [
        says("user", "q"),
        assistant(call("a"), call("b")),
        user({"type": "text", "text": "u"}, result("b")),
        assistant({"type": "text", "text": "x"}, call("b")),
        user(result("b"), result("lost")),
        assistant(THINKING, {"type": "text", "text": "y"}),
        says("user", "last"),
    ]


# --- what it tells -------------------------------------------------------------------------------


def test_edits_name_places_of_the_list_as_given_in_its_order() -> None:
    plan = plan_repair(broken())
    assert [(str(edit.place), edit.action, edit.slug, edit.safe) for edit in plan.edits] == [
        ("messages[1].content[0]", "answer", "tool-use-without-result", True),
        ("messages[2].content[1]", "move", "tool-result-not-first", True),
        ("messages[3].content[1]", "rename", "duplicate-tool-use-id", True),
        ("messages[4].content[1]", "drop", "orphan-tool-result", False),
    ]
    assert [edit.tool_use_id for edit in plan.edits] == ["a", "b", "b", "lost"]
    assert all(stands_in(broken(), edit.place) for edit in plan.edits)


def test_an_edit_of_a_later_round_names_a_place_of_the_list_as_given() -> None:
    """The message is split first, and what stands behind it is edited then."""
    split = assistant(call("a"), result("a"), TEXT, call("b.c"))
    tail = [user(TEXT, result("b.c")), says("assistant", ""), user(result("lost"), TEXT)]
    plan = plan_repair([ASKED, split, *tail])
    places = {(edit.action, str(edit.place)) for edit in plan.edits}
    assert ("split", "messages[1]") in places
    assert ("rename", "messages[1].content[3]") in places
    assert ("move", "messages[2].content[1]") in places
    assert ("drop", "messages[4].content[0]") in places


def test_each_edit_names_a_rule_by_code_and_slug() -> None:
    codes = {rule.code: rule.slug for rule in toolpair.RULES}
    for edit in plan_repair(broken()).edits:
        assert codes[edit.code] == edit.slug


def test_a_plan_is_safe_if_each_edit_is() -> None:
    assert not plan_repair(broken()).is_safe
    assert plan_repair(broken(), orphans="text").is_safe
    assert plan_repair([ASKED]).is_safe


def test_a_plan_as_text_names_each_edit_and_what_it_may_cost() -> None:
    plan = plan_repair(broken())
    first, *rest = str(plan).splitlines()
    assert first == "4 edits (endpoint anthropic)"
    assert rest[:4] == [f"  {edit}" for edit in plan.edits]
    assert "messages[4].content[1]  lost  unsafe drop (TP103 orphan-tool-result)" in rest[3]
    assert "unsafe" not in rest[0]
    assert "thinking" in rest[4]
    assert str(plan).isascii()


def test_a_plan_as_text_names_what_remains() -> None:
    lost_name = {"type": "tool_use", "id": "a", "input": {}}
    plan = plan_repair([ASKED, assistant(lost_name), user(result("a"))])
    assert str(plan).splitlines()[:2] == ["0 edits (endpoint anthropic)", "What remains:"]
    assert "TP006 malformed-tool-block" in str(plan)
    assert "What remains:" not in str(plan_repair(broken()))


def test_a_plan_of_one_edit_counts_it_as_one() -> None:
    plan = plan_repair([ASKED, assistant(call("a"))], endpoint="vertex")
    assert str(plan).startswith("1 edit (endpoint vertex)\n")


DIFF = """\
--- before
+++ after
@@ -5,2 +5,3 @@
 user
-  "u"
+  {"type": "tool_result", "tool_use_id": "a", "content": "No result was recorded for this ca...
+  {"type": "text", "text": "u"}"""


def test_a_diff_shows_each_change_as_one_line_and_no_more_than_asked() -> None:
    assert plan_repair([ASKED, assistant(call("a")), says("user", "u")]).diff() == DIFF
    plan = plan_repair(broken())
    assert len(plan.diff(0).splitlines()) < len(plan.diff().splitlines())
    assert plan.diff(50).count("@@ ") == 1
    assert all(len(line) <= 100 for line in plan.diff(50).splitlines())
    assert plan_repair([ASKED]).diff() == ""


def test_a_diff_holds_no_line_break_and_no_control_of_what_it_shows() -> None:
    hostile = {"type": "text", "text": "a\nb\x1b[31m\u202e\ud800"}
    diff = plan_repair([ASKED, assistant(call("a")), user(hostile)]).diff(9)
    assert diff.isascii()
    assert "\x1b" not in diff
    assert len(diff.splitlines()) == 3 + 7


def test_a_plan_as_json_holds_its_edits_and_what_remains() -> None:
    plan = plan_repair(broken())
    written = json.loads(plan.to_json())
    assert list(written) == [
        *("edits", "first_changed_index", "thinking_after_change", "binds_thinking", "remaining")
    ]
    assert written["edits"][3] == {
        "code": "TP103",
        "slug": "orphan-tool-result",
        "action": "drop",
        "text": plan.edits[3].text,
        "safe": False,
        "message_index": 4,
        "block_index": 1,
        "tool_use_id": "lost",
    }
    assert (written["first_changed_index"], written["thinking_after_change"]) == (2, True)
    assert written["binds_thinking"] is None
    assert written["remaining"] == json.loads(plan.remaining.to_json())


def test_what_remains_is_the_report_on_the_new_list() -> None:
    messages = [*broken(), {"role": "assistant", "content": [call("z", name="")]}]
    plan = plan_repair(messages)
    assert [found.slug for found in plan.remaining.errors] == ["malformed-tool-name"]
    assert plan.remaining == toolpair.check_tool_pairing(plan.messages)


def test_notes_of_the_context_stand_in_what_remains() -> None:
    context = {"model": "a-model-of-mine"}
    for messages in ([ASKED], broken()):
        (note,) = plan_repair(messages, context=context).remaining.notes
        assert "a-model-of-mine" in note


@pytest.mark.parametrize(
    ("messages", "index", "thinks"),
    [
        pytest.param([ASKED], None, False, id="nothing"),
        pytest.param([ASKED, assistant(call("a"))], 2, False, id="a message more at the end"),
        pytest.param(
            [ASKED, says("assistant", "x"), user(result("a"))], 2, False, id="one less at the end"
        ),
        pytest.param([user(result("a"), TEXT), says("assistant", "x")], 0, False, id="the first"),
        pytest.param(
            [user(result("a"), TEXT), assistant(THINKING, TEXT)], 0, True, id="thinking behind"
        ),
        pytest.param(
            [ASKED, assistant(THINKING, call("a"))], 2, False, id="thinking before the change"
        ),
        pytest.param(
            [ASKED, assistant(THINKING, call("a"), TEXT), user(result("a"))],
            1,
            True,
            id="thinking in the changed message",
        ),
    ],
)
def test_a_plan_tells_where_the_change_begins(
    messages: list[Any], index: int | None, thinks: bool
) -> None:
    plan = plan_repair(messages)
    assert (plan.first_changed_index, plan.thinking_after_change) == (index, thinks)
    assert ("newer models" in str(plan)) is thinks


# --- what it gives back --------------------------------------------------------------------------


def test_messages_are_a_new_list_on_each_call() -> None:
    given = broken()
    plan = plan_repair(given)
    assert plan.messages == plan.apply() == repair_tool_pairing(given)
    assert plan.messages is not plan.messages
    plan.messages.clear()
    assert len(plan.messages) == 7
    assert isinstance(plan_repair((ASKED,)).messages, list)
    assert plan_repair([ASKED]).messages is not given


def test_a_plan_holds_for_the_messages_that_it_was_made_for() -> None:
    given = broken()
    plan = plan_repair(given)
    kept, before = plan.messages, list(given)
    given.reverse()
    given.pop()
    assert list(plan.source) == before
    assert plan.messages == kept


def test_a_plan_is_frozen_and_can_be_compared_and_copied() -> None:
    plan = plan_repair(broken())
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.edits = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.edits[0].safe = True  # type: ignore[misc]
    assert plan == plan_repair(broken())
    assert hash(plan) == hash(plan_repair(broken()))
    assert plan != plan_repair([ASKED])
    for copied in (pickle.loads(pickle.dumps(plan)), copy.deepcopy(plan)):  # noqa: S301
        assert copied == plan
        assert copied.messages == plan.messages
    assert "'last'" not in repr(plan)


def test_untouched_messages_and_blocks_are_the_same_objects() -> None:
    given = broken()
    mended = repair_tool_pairing(given)
    assert mended[:2] == given[:2]
    assert [at for at in range(7) if mended[at] is given[at]] == [0, 1, 5, 6]
    (made, moved, said), before = mended[2]["content"], given[2]["content"]
    assert {id(made), id(moved), id(said)} >= {id(block) for block in before}
    assert mended[3]["content"][0] is given[3]["content"][0]
    assert mended[3]["content"][1]["input"] is given[3]["content"][1]["input"]


def test_a_changed_message_keeps_its_further_members() -> None:
    dated = {"id": "m_1", **user(TEXT, result("a")), "created": 7}
    mended = repair_tool_pairing([ASKED, assistant(call("a")), dated])
    assert mended[2] == {"id": "m_1", **user(result("a"), TEXT), "created": 7}
    assert list(mended[2]) == list(dated)


def test_a_changed_block_keeps_its_further_members() -> None:
    odd = call("a.b", cache_control={"type": "ephemeral"}, note="n", caller={"type": "direct"})
    answered = {**result("a.b"), "is_error": False}
    mended = repair_tool_pairing([ASKED, assistant(odd), user(answered)])
    assert mended[1]["content"] == [{**odd, "id": "a_b"}]
    assert mended[2]["content"] == [{**answered, "tool_use_id": "a_b"}]


def test_nothing_that_was_given_is_changed_later_either() -> None:
    given = broken()
    before = copy.deepcopy(given)
    mended = repair_tool_pairing(given)
    for message in mended:
        if not any(message is one for one in given):
            message["role"] = "changed"
            message["content"].clear()
    assert given == before


# --- objects -------------------------------------------------------------------------------------


def faults() -> list[Any]:
    """A message to change, and blocks to change: an id of them, or what they hold."""
    ask = call("a.b", input={"query": "x"}, caller={"type": "direct"})
    return [
        ASKED,
        assistant(TEXT, ask),
        user(TEXT, {"type": "tool_result", "tool_use_id": "a.b", "content": "r"}),
        assistant(TEXT, call("c", input={"query": "y"})),
        user(TEXT, {"type": "tool_result", "tool_use_id": "c", "content": "s"}),
    ]


def as_dicts(value: Any) -> Any:
    """A history of any form, as dicts; members that are None are those that are not set."""
    if isinstance(value, list | tuple):
        return [as_dicts(it) for it in value]
    if isinstance(value, str | int | float | None):
        return value

    def member(name: str) -> Any:
        return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)

    return {name: as_dicts(member(name)) for name in MEMBERS if member(name) is not None}


MEMBERS = {
    *("role", "content", "type", "id", "name", "input", "caller"),
    *("tool_use_id", "is_error", "text", "query"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_history_of_any_form_is_mended_as_its_dicts_would_be(
    form: Callable[[Any], Any],
) -> None:
    given = formed(faults(), form)
    before = as_dicts(given)
    plan = plan_repair(given)
    assert as_dicts(plan.messages) == as_dicts(repair_tool_pairing(faults()))
    assert plan.edits == plan_repair(faults()).edits
    assert plan.remaining == toolpair.check_tool_pairing(plan.messages)
    assert plan.remaining.errors == ()
    assert as_dicts(given) == before
    assert plan.messages[0] is given[0]
    assert plan.messages[3] is given[3]
    assert plan_repair(plan.messages).edits == ()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_blocks_of_any_form_are_the_same_objects_in_a_changed_message(
    form: Callable[[Any], Any],
) -> None:
    words, answer = form(TEXT), form(result("c"))
    messages = [ASKED, assistant(form(call("c"))), user(words, answer)]
    mended = repair_tool_pairing(messages)
    assert [id(block) for block in mended[2]["content"]] == [id(answer), id(words)]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_diff_shows_blocks_of_any_form(form: Callable[[Any], Any]) -> None:
    given = formed([ASKED, assistant(call("c")), user(TEXT, result("c"))], form)
    assert '"tool_result"' in plan_repair(given).diff(9)


def as_any(value: object) -> Any:
    """What a checker of types should not look into."""
    return value


def test_a_reply_of_the_sdk_stays_one_where_a_block_of_it_is_changed() -> None:
    said = types.TextBlock(type="text", text="x")
    asked = types.ToolUseBlock(
        type="tool_use",
        id="a.b",
        name="f",
        input={"query": "x"},
        caller=types.DirectCaller(type="direct"),
    )
    reply = types.Message.model_construct(
        id="msg_1", type="message", role="assistant", model="claude", content=[said, asked]
    )
    mended = repair_tool_pairing([ASKED, reply, says("user", "u")])
    changed = mended[1]
    assert isinstance(changed, types.Message)
    assert (changed.id, changed.role) == ("msg_1", "assistant")
    first, second = as_any(changed.content)
    assert first is said
    assert as_dicts(second) == call("a_b", input={"query": "x"}, caller={"type": "direct"})
    assert reply.content == [said, asked]
    assert asked.id == "a.b"
    assert as_any(mended[2])["content"][0]["content"] == PLACEHOLDER


def test_a_block_of_the_sdk_without_members_that_were_not_set_gains_none() -> None:
    asked = types.ToolUseBlock.model_construct(type="tool_use", id="a.b", name="f", input={})
    mended = repair_tool_pairing([ASKED, assistant(as_any(asked)), user(result("a.b"))])
    assert mended[1]["content"] == [{"type": "tool_use", "id": "a_b", "name": "f", "input": {}}]


class OwnCall(pydantic.BaseModel):
    """A model of one's own, whose type is a default that nobody sets."""

    type: str = "tool_use"
    id: str
    name: str
    input: dict[str, Any]


class OwnReply(pydantic.BaseModel, frozen=True):
    role: str = "assistant"
    content: list[Any]


def test_defaults_of_a_model_are_members_too() -> None:
    asked = OwnCall(id="a.b", name="f", input={"x": 1})
    mended = repair_tool_pairing([ASKED, assistant(as_any(asked)), user(result("a.b"))])
    assert mended[1]["content"] == [
        {"type": "tool_use", "id": "a_b", "name": "f", "input": {"x": 1}}
    ]


def test_defaults_of_a_model_that_is_a_message_are_members_too() -> None:
    reply = OwnReply(content=[call("a.b")])
    changed = repair_tool_pairing([ASKED, reply, user(result("a.b"))])[1]
    assert as_dicts(changed) == assistant(call("a_b"))


@dataclasses.dataclass
class Turn:
    role: str
    content: Any
    at: float = 0.0


@dataclasses.dataclass(frozen=True)
class FrozenTurn:
    role: str
    content: Any
    at: float = 0.0


def test_a_changed_dataclass_stays_one_and_a_frozen_one_becomes_a_dict() -> None:
    for made in (Turn, FrozenTurn):
        given = made("user", [TEXT, result("a")], at=3.5)
        changed = repair_tool_pairing([ASKED, assistant(call("a")), given])[2]
        content = [result("a"), TEXT]
        as_dict = {"role": "user", "content": content, "at": 3.5}
        assert changed == (Turn("user", content, 3.5) if made is Turn else as_dict)
        assert given.content == [TEXT, result("a")]


def test_a_read_only_mapping_becomes_a_dict() -> None:
    for form in (MappingProxyType, OwnMapping):
        given: Any = form({**user(TEXT, result("a")), "at": 3.5})
        changed = repair_tool_pairing([ASKED, assistant(call("a")), given])[2]
        assert changed == {**user(result("a"), TEXT), "at": 3.5}


class Guarded:
    """An object that notices if somebody changes it, or a copy that shares its members."""

    def __init__(self) -> None:
        vars(self).update(role="user", content=[TEXT, result("a")])

    def __setattr__(self, name: str, value: object) -> None:
        raise RuntimeError(f"{name} is not to be set")

    def __copy__(self) -> Guarded:
        return self


def test_an_object_that_cannot_be_copied_becomes_a_dict_and_is_not_changed() -> None:
    given = Guarded()
    changed = repair_tool_pairing([ASKED, assistant(call("a")), given])[2]
    assert changed == user(result("a"), TEXT)
    assert vars(given) == user(TEXT, result("a"))


def test_a_tuple_of_messages_and_of_blocks_is_mended_to_lists() -> None:
    given = (ASKED, {"role": "assistant", "content": (call("a"),)}, says("user", "u"))
    mended = repair_tool_pairing(given)
    assert mended[:2] == list(given[:2])
    assert isinstance(mended[2]["content"], list)


def test_ids_that_are_no_text_of_unicode_are_mended() -> None:
    mended = repair_tool_pairing([ASKED, assistant(call("a\ud800")), user(result("a\ud800"))])
    (asked,), (answered,) = mended[1]["content"], mended[2]["content"]
    assert asked["id"] == answered["tool_use_id"]
    assert toolpair.check_tool_pairing(mended).ok


@pytest.mark.parametrize(
    ("model", "binds", "says"),
    [
        (None, None, "newer models may refuse them"),
        ("saga-7", None, "newer models may refuse them"),
        ("claude-sonnet-4-5", False, ""),
        ("claude-opus-5-5", True, "the model refuses them"),
    ],
)
def test_a_plan_says_whether_the_model_binds_thinking(
    model: str | None, binds: bool | None, says: str
) -> None:
    context = None if model is None else {"model": model}
    plan = plan_repair(broken(), thinking="keep", context=context)
    assert plan.thinking_after_change
    assert plan.binds_thinking is binds
    assert says in str(plan)
    assert ("thinking blocks stand" in str(plan)) is bool(says)
    assert plan_repair([ASKED], context=context).binds_thinking is binds


def test_a_compaction_on_demand_stays_first() -> None:
    summary = {"type": "compaction", "content": "s", "encrypted_content": "E"}
    messages = [assistant(summary), ASKED]
    context = {"betas": ["compact-2026-09-04"]}
    plan = plan_repair(messages, endpoint="strict", context=context)
    assert [found.slug for found in plan.remaining.errors] == ["first-message-not-user"]
    assert plan.messages == messages
    plan = plan_repair(messages, endpoint="strict")
    assert plan.remaining.errors == ()
    assert plan.messages[1:] == messages


def test_results_stay_in_their_message_though_an_empty_one_stands_before_it() -> None:
    orphan = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    empty = {"role": "user", "content": ""}
    step = [assistant(call("a")), empty, user(result("a"))]
    messages = [ASKED, assistant(orphan, TEXT), *step]
    plan = plan_repair(messages)
    assert [edit.slug for edit in plan.edits] == ["orphan-server-tool-result"]
    assert [id(message) for message in plan.messages[2:]] == [id(message) for message in step]
    apart = plan_repair([ASKED, *step], endpoint="deepseek")
    assert apart.messages[2]["content"] == [result("a")]


def test_what_is_said_beside_an_open_call_finds_the_result_after_an_empty_message() -> None:
    empty = {"role": "user", "content": ""}
    step = [assistant(server_call("srvtoolu_1"), call("a")), empty, user(result("lost"))]
    plan = plan_repair([ASKED, *step, says("user", "said")])
    assert plan.remaining.errors == ()
    (held,) = plan.messages[-1]["content"]
    assert held["tool_use_id"] == "a"
    assert held["content"][-1] == {"type": "text", "text": "said"}


def test_an_edit_quotes_what_it_puts_in() -> None:
    prefill = [ASKED, assistant({"type": "text", "text": "x"})]
    context = {"model": "claude-opus-5-5"}
    plan = plan_repair([*prefill[1:], *prefill], endpoint="strict", context=context)
    inserted = [edit.text for edit in plan.edits if edit.action == "insert"]
    for text, message in zip(inserted, [plan.messages[0], plan.messages[-1]], strict=True):
        assert f"'{message['content'][0]['text']}'" in text


def test_an_edit_says_where_it_is_as_a_violation_does() -> None:
    for edit in plan_repair(broken()).edits:
        place = (edit.message_index, edit.block_index)
        assert place == (edit.place.message_index, edit.place.block_index)
