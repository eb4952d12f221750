"""What holds for every history: the core agrees with the slow reference, and a trim is harmless."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import pytest
from histories import (
    CORRUPTIONS,
    Damaged,
    History,
    as_sdk,
    damaged_histories,
    valid_histories,
    wild_histories,
)
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from reference import (
    CODES,
    Finding,
    NothingFits,
    Open,
    reference_check,
    reference_pending,
    reference_trim,
    reference_unpaired,
)
from reference_history import NOT_JOINED

import toolpair

Endpoint: TypeAlias = Literal["anthropic", "bedrock", "vertex", "deepseek", "kimi", "strict"]
ENDPOINTS: st.SearchStrategy[Endpoint] = st.sampled_from(
    ["anthropic", "bedrock", "vertex", "deepseek", "kimi", "strict"]
)
ANY_HISTORY = st.one_of(valid_histories(leading_system=True), wild_histories())
KEEP = st.integers(0, 12)
THOROUGHLY = settings(max_examples=min(100_000, 12 * settings().max_examples))
"""For the differential: the one property that all others lean on."""


def findings(report: toolpair.Report) -> list[Finding]:
    """The report in the reference's words, without the rules that the reference does not know."""
    return [
        Finding(v.code, v.slug, v.severity, v.message_index, v.block_index, v.tool_use_id)
        for v in report.violations
        if v.slug in CODES
    ]


def faults(messages: Sequence[Any], endpoint: Endpoint) -> set[tuple[int, str]]:
    """What is wrong with which message object; a fifth marker is wrong wherever it stands."""
    violations = toolpair.check_tool_pairing(messages, endpoint=endpoint).violations
    places = [(v.message_index, v.slug) for v in violations]
    anywhere = "too-many-cache-breakpoints"
    return {
        (0 if slug == anywhere else id(messages[at]), slug) for at, slug in places if at is not None
    }


def excused(source: Sequence[Any], plan: toolpair.TrimPlan[Any]) -> set[tuple[int, str]]:
    """What only `strict` finds in a trim: there was no opener, or it opens for a made-up role."""
    kept = plan.kept_indices
    joints = {after for before, after in pairwise(kept) if after != before + 1}
    made_up = {after for after in joints if source[after]["role"] not in ("user", "assistant")}
    excuses = {(id(source[after]), "roles-do-not-alternate") for after in made_up}
    if not plan.starts_with_user:
        excuses |= {(id(source[index]), "first-message-not-user") for index in kept}
    return excuses


# --- check ---------------------------------------------------------------------------------------


EMPTY_BETWEEN: History = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
    {"role": "tool", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
    {"role": "system", "content": []},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]},
]
"""A message between call and result that holds nothing which counts."""


@THOROUGHLY
@given(wild_histories(), ENDPOINTS, st.booleans())
@example([], "anthropic", False)
@example(EMPTY_BETWEEN, "anthropic", False)
def test_check_agrees_with_the_reference(
    messages: History, endpoint: Endpoint, allow_pending: bool
) -> None:
    report = toolpair.check_tool_pairing(messages, endpoint=endpoint, allow_pending=allow_pending)
    assert findings(report) == reference_check(
        messages, endpoint=endpoint, allow_pending=allow_pending
    )
    pending = [Open(call.id, call.message_index, call.block_index) for call in report.pending]
    assert pending == reference_pending(messages, endpoint=endpoint)
    assert report.ok is not any(v.severity == "error" for v in report.violations)


@given(valid_histories(leading_system=True), ENDPOINTS)
def test_check_agrees_on_valid_histories(messages: History, endpoint: Endpoint) -> None:
    report = toolpair.check_tool_pairing(messages, endpoint=endpoint)
    assert findings(report) == reference_check(messages, endpoint=endpoint)


def test_too_many_messages_are_counted_alike() -> None:
    messages: History = [{"role": "user", "content": "word"}] * 100_001
    assert findings(toolpair.check_tool_pairing(messages)) == reference_check(messages)
    assert not reference_check(messages[1:])


@given(valid_histories(), ENDPOINTS.filter(lambda endpoint: endpoint not in NOT_JOINED))
def test_valid_histories_have_no_fault(messages: History, endpoint: Endpoint) -> None:
    report = toolpair.check_tool_pairing(messages, endpoint=endpoint)
    assert report.violations == ()
    assert report.pending == ()
    toolpair.validate_tool_pairing(messages)


@pytest.mark.parametrize("name", sorted(CORRUPTIONS))
@settings(max_examples=max(20, settings().max_examples // 10))
@given(st.data())
def test_a_corruption_is_found_and_nothing_else(name: str, data: st.DataObject) -> None:
    damaged: Damaged = data.draw(damaged_histories(name))
    found = findings(toolpair.check_tool_pairing(damaged.history))
    assert {(finding.slug, finding.message_index) for finding in found} == damaged.expected


def test_the_reference_knows_rules_that_exist() -> None:
    rules = {rule.slug: rule.code for rule in toolpair.RULES}
    assert {slug: rules.get(slug) for slug in CODES} == CODES


@given(ANY_HISTORY)
def test_sdk_objects_read_as_dicts(messages: History) -> None:
    expected = toolpair.check_tool_pairing(messages)
    held = as_sdk(messages)
    assert toolpair.check_tool_pairing(held) == expected
    assert toolpair.unpaired_tool_use_ids(held) == toolpair.unpaired_tool_use_ids(messages)


@given(wild_histories(), ENDPOINTS, st.booleans())
def test_validate_raises_what_check_reports(
    messages: History, endpoint: Endpoint, allow_pending: bool
) -> None:
    report = toolpair.check_tool_pairing(messages, endpoint=endpoint, allow_pending=allow_pending)
    if report.ok:
        toolpair.validate_tool_pairing(messages, endpoint=endpoint, allow_pending=allow_pending)
        return
    with pytest.raises(toolpair.ToolPairingError) as raised:
        toolpair.validate_tool_pairing(messages, endpoint=endpoint, allow_pending=allow_pending)
    assert raised.value.report == report


CALL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
LATE: History = [
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": "word"},
    {"role": "assistant", "content": "word"},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
]


@given(wild_histories(), st.sets(st.sampled_from([*CODES.items()]), min_size=1, max_size=3))
@example(LATE, {("orphan-tool-result", "TP103")})
def test_ignoring_a_rule_hides_it_and_nothing_else(
    messages: History, ignored: set[tuple[str, str]]
) -> None:
    report = toolpair.check_tool_pairing(messages)
    slugs = {slug for slug, _ in ignored}
    names = [code if position % 2 else slug for position, (slug, code) in enumerate(ignored)]
    expected = tuple(v for v in report.violations if v.slug not in slugs)
    assert toolpair.check_tool_pairing(messages, ignore=names).violations == expected


@given(ANY_HISTORY, ENDPOINTS, st.booleans())
def test_a_tracker_says_what_check_says_at_every_prefix(
    messages: History, endpoint: Endpoint, allow_pending: bool
) -> None:
    tracker = toolpair.ToolPairingTracker(endpoint=endpoint, allow_pending=allow_pending)
    for size, message in enumerate(messages, start=1):
        tracker.append(message)
        report = toolpair.check_tool_pairing(
            messages[:size], endpoint=endpoint, allow_pending=allow_pending
        )
        assert tracker.report() == report
        assert tracker.pending == report.pending
    extended = toolpair.ToolPairingTracker(endpoint=endpoint, allow_pending=allow_pending)
    extended.extend(messages)
    assert extended.report() == tracker.report()


@given(ANY_HISTORY)
def test_unpaired_ids_agree_with_the_reference(messages: History) -> None:
    assert toolpair.unpaired_tool_use_ids(messages) == reference_unpaired(messages)


@given(wild_histories())
def test_pending_tool_uses_are_those_of_the_report(messages: History) -> None:
    pending = toolpair.pending_tool_uses(messages)
    assert tuple(pending) == toolpair.check_tool_pairing(messages).pending


# --- trim ----------------------------------------------------------------------------------------


@given(ANY_HISTORY, KEEP, st.booleans(), ENDPOINTS)
def test_trim_agrees_with_the_reference(
    messages: History, keep_recent: int, keep_task: bool, endpoint: Endpoint
) -> None:
    options: dict[str, Any] = {"keep_task": keep_task, "endpoint": endpoint}
    kept = reference_trim(messages, keep_recent=keep_recent, **options)
    plan = toolpair.plan_trim(messages, keep_recent, **options)
    assert list(plan.kept_indices) == kept
    assert sorted([*kept, *plan.dropped_indices]) == list(range(len(messages)))


@given(ANY_HISTORY, st.none() | KEEP, st.integers(1, 12), st.booleans(), ENDPOINTS)
def test_a_capped_trim_agrees_with_the_reference(
    messages: History,
    keep_recent: int | None,
    max_messages: int,
    keep_task: bool,
    endpoint: Endpoint,
) -> None:
    assume(keep_recent is None or keep_recent <= max_messages)
    options: dict[str, Any] = {
        "max_messages": max_messages,
        "keep_task": keep_task,
        "endpoint": endpoint,
    }
    try:
        kept = reference_trim(messages, keep_recent=keep_recent, **options)
    except NothingFits as nothing:
        with pytest.raises(toolpair.TrimError) as raised:
            toolpair.plan_trim(messages, keep_recent, **options)
        assert raised.value.smallest == nothing.smallest > max_messages
        return
    assert len(kept) <= max_messages
    assert list(toolpair.plan_trim(messages, keep_recent, **options).kept_indices) == kept


@given(ANY_HISTORY, KEEP, st.booleans(), ENDPOINTS)
def test_trim_keeps_objects_and_changes_nothing(
    messages: History, keep_recent: int, keep_task: bool, endpoint: Endpoint
) -> None:
    before = copy.deepcopy(messages)
    objects = list(messages)
    trimmed = toolpair.trim_messages_safely(
        messages, keep_recent, keep_task=keep_task, endpoint=endpoint
    )
    assert messages == before
    assert all(now is then for now, then in zip(messages, objects, strict=True))
    assert trimmed is not messages
    assert bool(trimmed) is bool(messages)
    places = {id(message): index for index, message in enumerate(messages)}
    order = [places[id(message)] for message in trimmed]
    assert order == sorted(set(order))


@given(ANY_HISTORY, KEEP, st.booleans(), ENDPOINTS)
def test_trim_adds_no_fault(
    messages: History, keep_recent: int, keep_task: bool, endpoint: Endpoint
) -> None:
    plan = toolpair.plan_trim(messages, keep_recent, keep_task=keep_task, endpoint=endpoint)
    added = faults(plan.messages, endpoint) - faults(messages, endpoint)
    assert added <= (excused(messages, plan) if endpoint == "strict" else set())


@given(ANY_HISTORY, KEEP, st.booleans())
def test_trimming_twice_is_trimming_once(
    messages: History, keep_recent: int, keep_task: bool
) -> None:
    once = toolpair.trim_messages_safely(messages, keep_recent, keep_task=keep_task)
    twice = toolpair.trim_messages_safely(once, keep_recent, keep_task=keep_task)
    assert [id(message) for message in twice] == [id(message) for message in once]


@given(valid_histories(leading_system=True), KEEP, st.booleans())
def test_a_trimmed_valid_history_is_valid_recent_and_begins_with_the_user(
    messages: History, keep_recent: int, keep_task: bool
) -> None:
    plan = toolpair.plan_trim(messages, keep_recent, keep_task=keep_task)
    leads = messages[0]["role"] == "system" and messages[0]["content"] != []
    expected = [("misplaced-system-message", 0)] if leads else []
    found = toolpair.check_tool_pairing(plan.messages).violations
    assert [(violation.slug, violation.message_index) for violation in found] == expected
    recent = range(max(0, len(messages) - keep_recent), len(messages))
    assert set(recent) <= set(plan.kept_indices)
    roles = [message["role"] for message in plan.messages]
    assert next(role for role in roles if role != "system") == "user"
    assert plan.starts_with_user
    if keep_task:
        task = next(i for i, message in enumerate(messages) if message["role"] == "user")
        assert task in plan.kept_indices
