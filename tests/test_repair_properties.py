"""What a repair promises, for valid histories and for those that accidents broke."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import pytest
from histories import (
    History,
    Mint,
    as_sdk,
    broken_histories,
    client_pair,
    plain,
    told_apart,
    valid_histories,
    words_of,
)
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from reference import reference_check

import toolpair

Endpoint: TypeAlias = Literal["anthropic", "bedrock", "vertex", "deepseek", "kimi", "strict"]
EVERY_ENDPOINT: list[Endpoint] = ["anthropic", "bedrock", "vertex", "deepseek", "kimi", "strict"]
ENDPOINTS: st.SearchStrategy[Endpoint] = st.sampled_from(EVERY_ENDPOINT)
KEEP = st.integers(0, 12)

EACH = settings().max_examples
PROMISED = settings(max_examples=EACH if EACH <= 300 else 4 * EACH)
"""The promises are what a caller leans on: each night they are tried 100,000 times."""

PLACEHOLDER = (
    "No result was recorded for this call. "
    "Whether the tool ran, and what effects it had, is unknown."
)


def errors(messages: Sequence[Any], endpoint: Endpoint, **options: Any) -> list[str]:
    """What the endpoint refuses. Where nothing was worth keeping there is nothing to send."""
    if not messages:
        return []
    report = toolpair.check_tool_pairing(messages, endpoint=endpoint, **options)
    return [str(violation) for violation in report.errors]


def identities(messages: Sequence[Any]) -> list[int]:
    """The message objects themselves."""
    return [id(message) for message in messages]


# --- what needs no mending -----------------------------------------------------------------------


@PROMISED
@given(valid_histories(), ENDPOINTS, st.booleans())
def test_a_valid_history_comes_back_as_it_is(
    messages: History, endpoint: Endpoint, sdk: bool
) -> None:
    held = as_sdk(messages) if sdk else messages
    assume(not toolpair.check_tool_pairing(held, endpoint=endpoint).violations)
    plan = toolpair.plan_repair(held, endpoint=endpoint)
    assert plan.edits == ()
    assert plan.first_changed_index is None
    assert plan.messages is not held
    assert identities(plan.messages) == identities(held)
    mended = toolpair.repair_tool_pairing(held, endpoint=endpoint)
    assert identities(mended) == identities(held)


@PROMISED
@given(st.data())
def test_a_live_tail_is_left_alone(data: st.DataObject) -> None:
    before = data.draw(st.one_of(valid_histories(), broken_histories(sdk=False)))
    tail, waiting = data.draw(live_tails())
    plan = toolpair.plan_repair([*before, *tail], allow_pending=True)
    assert errors(plan.messages, "anthropic", allow_pending=True) == []
    live = identities(tail[1:])
    assert identities(plan.messages)[-len(live) :] == live
    assert {call.id for call in toolpair.pending_tool_uses(plan.messages)} == waiting
    if not toolpair.check_tool_pairing([*before, *tail], allow_pending=True).violations:
        assert plan.edits == ()


@st.composite
def live_tails(draw: st.DrawFn) -> tuple[History, set[str]]:
    """A prompt and calls in flight, perhaps some of them answered; the ids of the others."""
    mint = Mint()
    pairs = [client_pair(draw, mint, name="live") for _ in range(draw(st.integers(1, 4)))]
    for call, result in pairs:
        call["id"] = result["tool_use_id"] = f"live_{call['id']}"
    answered = draw(st.integers(0, len(pairs) - 1))
    tail: History = [
        {"role": "user", "content": "word"},
        {"role": "assistant", "content": [call for call, _ in pairs]},
        {"role": "user", "content": [result for _, result in pairs[:answered]]},
    ]
    waiting = {call["id"] for call, _ in pairs[answered:]}
    return (told_apart(tail if answered else tail[:2], mint), waiting)


# --- what a repair must reach --------------------------------------------------------------------


@PROMISED
@given(broken_histories(), ENDPOINTS)
def test_a_mended_history_has_no_error(messages: list[Any], endpoint: Endpoint) -> None:
    plan = toolpair.plan_repair(messages, endpoint=endpoint)
    assert errors(plan.messages, endpoint) == []
    found = reference_check(plain(plan.messages), endpoint=endpoint) if plan.messages else []
    assert [finding for finding in found if finding.severity == "error"] == []
    assert not plan.messages or plan.remaining.errors == ()


@PROMISED
@given(broken_histories(), ENDPOINTS)
def test_mending_twice_is_mending_once(messages: list[Any], endpoint: Endpoint) -> None:
    once = toolpair.repair_tool_pairing(messages, endpoint=endpoint)
    again = toolpair.plan_repair(once, endpoint=endpoint)
    assert again.edits == ()
    assert identities(again.messages) == identities(once)


@PROMISED
@given(broken_histories(), ENDPOINTS, KEEP)
def test_a_trim_after_a_repair_has_no_error(
    messages: list[Any], endpoint: Endpoint, keep_recent: int
) -> None:
    mended = toolpair.repair_tool_pairing(messages, endpoint=endpoint)
    trimmed = toolpair.trim_messages_safely(mended, keep_recent, endpoint=endpoint)
    assert errors(trimmed, endpoint) == []


@PROMISED
@given(broken_histories(), ENDPOINTS, KEEP)
def test_a_repair_after_a_trim_has_no_error(
    messages: list[Any], endpoint: Endpoint, keep_recent: int
) -> None:
    trimmed = toolpair.trim_messages_safely(messages, keep_recent, endpoint=endpoint)
    assert errors(toolpair.repair_tool_pairing(trimmed, endpoint=endpoint), endpoint) == []


OPTIONS: list[dict[str, Any]] = [
    {"orphans": "text"},
    {"thinking": "strip"},
    {"thinking": "keep"},
    {"on_missing": "drop"},
    {"on_missing": lambda call: None},
    {"on_missing": lambda call: "cancelled"},
    {"on_missing": lambda call: [{"type": "text", "text": "denied"}]},
    {"orphans": "text", "on_missing": "drop", "thinking": "strip"},
]


@PROMISED
@given(broken_histories(), ENDPOINTS, st.sampled_from(OPTIONS))
def test_every_way_of_mending_leaves_no_error(
    messages: list[Any], endpoint: Endpoint, options: dict[str, Any]
) -> None:
    plan = toolpair.plan_repair(messages, endpoint=endpoint, **options)
    assert errors(plan.messages, endpoint) == []
    again = toolpair.plan_repair(plan.messages, endpoint=endpoint, **options)
    assert again.edits == ()


@PROMISED
@given(broken_histories(), ENDPOINTS)
def test_each_missing_result_is_asked_for_once(messages: list[Any], endpoint: Endpoint) -> None:
    asked: list[toolpair.ToolUse] = []

    def answer(call: toolpair.ToolUse) -> str:
        asked.append(call)
        return f"answer {len(asked)}."

    mended = toolpair.repair_tool_pairing(messages, endpoint=endpoint, on_missing=answer)
    answers = Counter(re.findall(r"answer \d+\.", json.dumps(plain(mended))))
    assert answers == {f"answer {number + 1}.": 1 for number in range(len(asked))}
    assert len({(call.message_index, call.block_index) for call in asked}) == len(asked)
    by_default = toolpair.repair_tool_pairing(messages, endpoint=endpoint)
    assert json.dumps(plain(by_default)).count(PLACEHOLDER) == len(asked)
    assert PLACEHOLDER not in json.dumps(plain(mended))


# --- what a repair must not do -------------------------------------------------------------------


@PROMISED
@given(broken_histories(), ENDPOINTS, st.sampled_from(["drop", "text"]))
def test_nothing_real_is_lost_but_what_an_edit_names(
    messages: list[Any], endpoint: Endpoint, orphans: Literal["drop", "text"]
) -> None:
    plan = toolpair.plan_repair(messages, endpoint=endpoint, orphans=orphans)
    lost = words_of(messages) - words_of(plan.messages)
    named = {
        (edit.place.message_index, edit.place.block_index) for edit in plan.edits if not edit.safe
    }
    for word in sorted(lost):
        places = places_of(word, messages)
        assert places & named, f"{word} is gone from {sorted(places, key=str)}: {plan}"
    assert lost <= words_of(messages)
    if all(edit.safe for edit in plan.edits):
        assert not lost


def places_of(word: str, messages: Sequence[Any]) -> set[tuple[int, int | None]]:
    """The messages and the blocks that hold a word."""
    places: set[tuple[int, int | None]] = set()
    for index, message in enumerate(plain(list(messages))):
        if word not in words_of(message):
            continue
        places.add((index, None))
        content = message["content"] if isinstance(message["content"], list) else []
        places |= {(index, at) for at, block in enumerate(content) if word in words_of(block)}
    return places


@PROMISED
@given(broken_histories(), ENDPOINTS)
def test_a_repair_changes_nothing_that_it_was_given(
    messages: list[Any], endpoint: Endpoint
) -> None:
    before, objects = copy.deepcopy(messages), list(messages)
    plan = toolpair.plan_repair(messages, endpoint=endpoint)
    applied = plan.apply()
    assert messages == before
    assert all(now is then for now, then in zip(messages, objects, strict=True))
    assert plain(applied) == plain(plan.messages)
    mended = toolpair.repair_tool_pairing(messages, endpoint=endpoint)
    assert plain(mended) == plain(plan.messages)
    assert messages == before


@PROMISED
@given(broken_histories(), ENDPOINTS)
def test_what_no_edit_touches_is_the_same_object(messages: list[Any], endpoint: Endpoint) -> None:
    plan = toolpair.plan_repair(messages, endpoint=endpoint)
    mended = plan.messages
    assert (plan.first_changed_index is None) is (plan.edits == ())
    assert (identities(mended) == identities(messages)) is (plan.edits == ())
    untouched = len(messages) if plan.first_changed_index is None else plan.first_changed_index
    assert identities(mended)[:untouched] == identities(messages)[:untouched]

    known, kept = {*identities(messages)}, {*identities(mended)}
    made = [plain(message) for message in mended if id(message) not in known]
    gone = [index for index, message in enumerate(messages) if id(message) not in kept]
    copied = [index for index in gone if plain(messages[index]) in made]
    edited = {edit.place.message_index for edit in plan.edits}
    near = edited | {index + by for index in edited if index is not None for by in (-1, 1)}
    ids = {edit.tool_use_id for edit in plan.edits} - {None}
    moved = [block for at in edited if at is not None for block in blocks_in(messages[at])]
    for index in copied:
        of_edited_id = any(id in ids for id in ids_in(messages[index]))
        # What was said twice may have been moved from where an edit says.
        is_twin = all(block in moved for block in blocks_in(messages[index]))
        assert index in near or of_edited_id or is_twin, f"messages[{index}] was made anew: {plan}"


def blocks_in(message: Any) -> list[Any]:
    """The content of a message, as plain blocks."""
    content = plain(message).get("content")
    return content if isinstance(content, list) else [content]


def ids_in(message: Any) -> set[str]:
    """The ids of the calls and results of a message."""
    content = plain(message).get("content")
    blocks = content if isinstance(content, list) else []
    return {str(block.get(key)) for block in blocks for key in ("id", "tool_use_id")} - {"None"}


# --- the same everywhere -------------------------------------------------------------------------

MEND = """
import json, sys, toolpair
for endpoint, messages in json.load(sys.stdin):
    plan = toolpair.plan_repair(messages, endpoint=endpoint)
    print(json.dumps([plan.messages, plan.to_json(), plan.diff(), str(plan)]))
"""


def fixed_histories() -> list[tuple[Endpoint, History]]:
    """Some broken histories, the same in every run."""
    found: list[tuple[Endpoint, History]] = []

    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(broken_histories(sdk=False), ENDPOINTS)
    def collect(messages: History, endpoint: Endpoint) -> None:
        found.append((endpoint, messages))

    collect()
    return found


def test_every_process_mends_alike() -> None:
    histories = json.dumps(fixed_histories())
    outputs = set()
    for seed in ("0", "1", "4711"):
        run = subprocess.run(
            [sys.executable, "-c", MEND],
            input=histories,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == len(json.loads(histories)) > 0


@pytest.mark.parametrize("endpoint", EVERY_ENDPOINT)
def test_the_placeholder_says_what_is_known(endpoint: Endpoint) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    messages = [{"role": "user", "content": "word"}, {"role": "assistant", "content": [call]}]
    *_, answered = toolpair.repair_tool_pairing(messages, endpoint=endpoint)
    (result,) = plain(answered)["content"]
    assert PLACEHOLDER in json.dumps(result)
    assert (result["tool_use_id"], result["is_error"]) == ("t1", True)
