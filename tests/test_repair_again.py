"""What a repair puts together may hold more than was read of it: then it is mended again."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic._models import construct_type
from anthropic.types import Message
from histories import THINKING, assistant, call, result, says, server_call, user

import toolpair
from toolpair import plan_repair, repair_tool_pairing

ASKED = says("user", "q")
TEXT = {"type": "text", "text": "x"}
FOUND = {"type": "search_result", "source": "s", "title": "t", "content": [TEXT]}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
MARKED = {**IMAGE, "cache_control": {"type": "ephemeral", "ttl": "1h"}}
CODE = server_call("srvtoolu_1", "code_execution")
BY_CODE = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
TOOLS = {"tools": [{"name": "f", "input_schema": {}}]}
MARKED_TOOLS = {"tools": [{**TOOLS["tools"][0], "cache_control": {"type": "ephemeral"}}]}


def as_tool(content: Any) -> list[Any]:
    return [ASKED, assistant(call("a")), {"role": "tool", "tool_call_id": "a", "content": content}]


def gives(*blocks: Any) -> Callable[[toolpair.ToolUse], list[Any]]:
    return lambda _: list(blocks)


CASES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "a tool message with thinking": (as_tool([THINKING]), {}),
    "a tool message with a search result and a text": (as_tool([TEXT, FOUND]), {}),
    "a tool message that holds no content": (as_tool({}), {}),
    "the toolset of the call": (
        [ASKED, assistant(call("a", toolset_name="computer")), user(result("a", content=[FOUND]))],
        {"endpoint": "strict"},
    ),
    "a toolset that the call has not": (
        [ASKED, assistant(call("a")), user(result("a", toolset_name="computer", content=[FOUND]))],
        {"endpoint": "strict"},
    ),
    "an image said while code waits": (
        [
            ASKED,
            assistant(CODE, call("a")),
            user(result("a"), IMAGE),
            assistant(call("b", caller=BY_CODE)),
        ],
        {},
    ),
    "an orphan beside a call of code": (
        [
            ASKED,
            assistant(CODE, call("a", caller=BY_CODE)),
            user(result("b", content=[IMAGE, FOUND])),
        ],
        {},
    ),
    "a text into a result of on_missing": (
        [ASKED, assistant(CODE, call("a"), call("b")), user(result("a"), TEXT)],
        {"on_missing": gives(FOUND)},
    ),
    "an orphan into a result of on_missing": (
        [ASKED, assistant(CODE, call("a")), user(result("gone"))],
        {"on_missing": gives(FOUND), "orphans": "text"},
    ),
    "markers of on_missing": (
        [ASKED, assistant(*(call(f"t{number}") for number in range(5)))],
        {"on_missing": gives({**TEXT, "cache_control": {"type": "ephemeral"}})},
    ),
    "a tool of on_missing": (
        [ASKED, assistant(call("a"))],
        {"on_missing": gives({"type": "tool_reference", "tool_name": "zz"}), "context": TOOLS},
    ),
    "a block of on_missing that is only warned of": (
        [ASKED, assistant(call("a"))],
        {"on_missing": gives({"type": "hologram"}), "endpoint": "strict"},
    ),
    "a marker inside an orphan": (
        [ASKED, assistant(TEXT), user(result("gone", content=[MARKED]))],
        {"orphans": "text", "context": MARKED_TOOLS},
    ),
    "a reference beside search results": (
        [
            ASKED,
            assistant(call("a")),
            user(result("a", content=[FOUND, {"type": "tool_reference", "tool_name": "g"}])),
        ],
        {"context": TOOLS},
    ),
    "a block behind an orphan that becomes two": (
        [ASKED, assistant(TEXT), user(result("gone", content=[IMAGE]), {"type": "hologram"})],
        {"orphans": "text"},
    ),
    "content that is none, and a member": (
        [ASKED, {"role": "assistant", "content": 7, "novel": 1}, ASKED],
        {"select": ["TP005"]},
    ),
}


@pytest.mark.parametrize(("messages", "options"), CASES.values(), ids=CASES)
def test_what_remains_is_what_a_check_finds(messages: list[Any], options: dict[str, Any]) -> None:
    plan = plan_repair(messages, **options)
    known = {name: it for name, it in options.items() if name in ("endpoint", "context", "select")}
    assert plan.remaining == toolpair.check_tool_pairing(plan.messages, **known)
    again = plan_repair(plan.messages, **options)
    assert again.edits == ()
    assert again.messages == plan.messages == repair_tool_pairing(messages, **options)
    places = [(edit.message_index, edit.block_index or 0) for edit in plan.edits]
    assert places == sorted(places, key=lambda place: (place[0] is not None, *place))
    for message, block in places:
        assert message is not None
        content = messages[message]["content"]
        assert block == 0 or block < len(content)


def test_an_image_stays_where_a_result_may_hold_it() -> None:
    messages, _ = CASES["an image said while code waits"]
    plan = plan_repair(messages)
    assert plan.is_safe
    assert plan.messages[2]["content"] == [
        result("a", content=[{"type": "text", "text": "r"}, IMAGE])
    ]


def test_search_results_stay_where_the_toolset_was_wrong() -> None:
    messages, options = CASES["a toolset that the call has not"]
    plan = plan_repair(messages, **options)
    assert plan.messages[2]["content"] == [result("a", content=[FOUND])]


def test_what_ignore_leaves_out_is_not_mended_on_the_way() -> None:
    odd = [
        ASKED,
        assistant(call("a", toolset_name="computer"), call("b")),
        user(result("a")),
    ]
    plan = plan_repair(odd, ignore=["TP113"])
    assert [edit.tool_use_id for edit in plan.edits] == ["b"]
    assert plan.messages[2]["content"][0] == result("a")
    nameless = {**call("a", toolset_name="computer"), "name": None}
    messages = [ASKED, assistant(nameless), user(result("a"))]
    plan = plan_repair(messages, ignore=["TP113"])
    assert plan.edits == ()
    assert plan.messages[2] is messages[2]


def test_names_that_can_be_read_once_serve_every_round() -> None:
    messages, options = CASES["the toolset of the call"]
    plan = plan_repair(messages, ignore=iter(["TP101"]), select=iter(["TP005"]), **options)
    assert plan.edits == plan_repair(messages, ignore=["TP101"], select=["TP005"], **options).edits
    with pytest.raises(ValueError, match="'TP9'"):
        plan_repair(messages, ignore=iter(["TP9"]))


# --- objects -------------------------------------------------------------------------------------


def test_an_sdk_object_keeps_members_that_its_class_does_not_know() -> None:
    block = {
        **call("a b", caller={"type": "agent_20270101", "tool_id": "z"}),
        "approval": {"by": "user"},
    }
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: Any = construct_type(
        type_=Message,
        value={"id": "m", "role": "assistant", "content": [block], "usage": usage},
    )
    (mended,) = plan_repair([ASKED, message, user(result("a b"))]).messages[1].content
    assert mended["approval"] == {"by": "user"}
    assert mended["id"] == "a_b"


def test_what_goes_from_a_message_that_is_no_dict_is_gone() -> None:
    said = SimpleNamespace(role="user", content="x", clear_at="tomorrow")
    context: dict[str, Any] = {"betas": []}
    plan = plan_repair([said], context=context)
    assert plan.messages == [{"role": "user", "content": "x"}]
    assert plan.remaining == toolpair.check_tool_pairing(plan.messages, context=context)
    assert said.clear_at == "tomorrow"


# --- threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "mended_to"), [("of {}", "of {}"), ([FOUND, TEXT], [FOUND])])
def test_a_result_is_never_put_under_another_call(content: Any, mended_to: Any) -> None:
    """Another thread swaps parallel results, which the API takes in any order."""

    def of(id: str, content: Any) -> Any:
        return content.format(id.replace(" ", "_")) if isinstance(content, str) else content

    history: list[Any] = [ASKED]
    for number in range(100):
        ids = [f"a {number}", f"b {number}"]
        history.append(assistant(*map(call, ids)))
        held = [of(id, content) for id in ids]
        history.append(user(*(result(id, content=it) for id, it in zip(ids, held, strict=True))))
    seen: Counter[str] = Counter()
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            for message in history[2::2]:
                message["content"].reverse()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    other = threading.Thread(target=swap)
    other.start()
    try:
        for _ in range(150):
            try:
                mended = repair_tool_pairing(history)
            except RuntimeError as error:
                seen[str(error).split(" ", 1)[-1]] += 1
                continue
            blocks = [block for message in mended[2::2] for block in message["content"]]
            for block in (block for block in blocks if block["type"] == "tool_result"):
                expected = of(block["tool_use_id"], mended_to)
                seen["right" if block["content"] == expected else "wrong"] += 1
    finally:
        is_over.set()
        other.join()
        sys.setswitchinterval(interval)
    assert seen["wrong"] == 0
    assert sum(seen.values()) >= 150
