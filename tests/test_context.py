"""The rest of a request: what is read of it, in which forms, and what counts as absent."""

from __future__ import annotations

import dataclasses
from collections import UserDict
from collections.abc import Callable, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

import anthropic
import pydantic
import pytest
from anthropic.types import beta
from histories import TEXT, THINKING, assistant, call, result, server_call, user

import toolpair
from toolpair import check_request, check_tool_pairing, plan_trim, trim_messages_safely

USER: dict[str, Any] = {"role": "user", "content": "q"}
MARKED = {**TEXT, "cache_control": {"type": "ephemeral"}}
PREFILL = [USER, {"role": "assistant", "content": "The answer is"}]
PAUSED = [USER, assistant(server_call("srvtoolu_1"))]
FULL = [user(MARKED, MARKED, MARKED, MARKED)]
REFERS = [
    USER,
    assistant(call("toolu_1")),
    user(result("toolu_1", content=[{"type": "tool_reference", "tool_name": "g"}])),
]
CHANGE = [USER, {"role": "system", "content": "s", "clear_at": "tomorrow"}]
THINKS = [USER, assistant(THINKING, TEXT)]
COMPACTED = [user(TEXT, {"type": "compaction", "content": "c"})]
CODE = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
PROGRAMMATIC = [
    USER,
    assistant(server_call("srvtoolu_1", "code_execution"), call("toolu_1", caller=CODE)),
    user(result("toolu_1")),
]
MARKER = {"type": "ephemeral"}
TOOL = {"name": "f", "input_schema": {}}

# What breaks a rule beside this context, and not without it.
BROKEN: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "model": (PREFILL, {"model": "claude-opus-4-6"}, "assistant-prefill"),
    "thinking": (
        THINKS,
        {"model": "claude-sonnet-4-5", "thinking": {"type": "disabled"}},
        "thinking-when-disabled",
    ),
    "tools": (REFERS, {"tools": [TOOL]}, "unknown-tool-reference"),
    "tools of None": (PAUSED, {"tools": None}, "open-server-tool-not-declared"),
    "container": (PROGRAMMATIC, {"container": None}, "content-beside-programmatic-result"),
    "system": (FULL, {"system": [TEXT, MARKED]}, "too-many-cache-breakpoints"),
    "a marked tool": (
        FULL,
        {"tools": [{**TOOL, "cache_control": MARKER}]},
        "too-many-cache-breakpoints",
    ),
    "cache_control": (FULL, {"cache_control": MARKER}, "too-many-cache-breakpoints"),
    "betas": (COMPACTED, {"betas": ["a", "compact-2026-09-04"]}, "compaction-not-first"),
    "a header": (
        COMPACTED,
        {"extra_headers": {"anthropic-beta": "a, compact-2026-09-04"}},
        "compaction-not-first",
    ),
    "betas that are known": (CHANGE, {"betas": []}, "misplaced-clear-at"),
}
broken = pytest.mark.parametrize(("messages", "context", "slug"), BROKEN.values(), ids=BROKEN)


def slugs(report: toolpair.Report) -> set[str]:
    return {found.slug for found in report.violations}


@broken
def test_what_is_absent_is_not_known(
    messages: list[Any], context: dict[str, Any], slug: str
) -> None:
    assert slug in slugs(check_tool_pairing(messages, context=context))
    assert slug in slugs(check_request({**context, "messages": messages}))
    for nothing in (None, {}, {"max_tokens": 1, "messages": "of another request"}):
        assert slug not in slugs(check_tool_pairing(messages, context=nothing))


@broken
def test_a_tracker_judges_beside_its_context(
    messages: list[Any], context: dict[str, Any], slug: str
) -> None:
    expected = check_tool_pairing(messages, context=context)
    tracker = toolpair.ToolPairingTracker(context=context)
    for message in messages:
        tracker.append(message)
    assert tracker.report() == expected
    many = toolpair.ToolPairingTracker(context=context)
    many.extend(messages)
    assert many.report() == expected


class Model(pydantic.BaseModel, extra="allow"):
    """Whatever members it is given."""


def as_dataclass(members: dict[str, Any]) -> Any:
    return dataclasses.make_dataclass("Made", list(members))(**members)


INNER: dict[str, Callable[[dict[str, Any]], Any]] = {
    "UserDict": UserDict,
    "MappingProxyType": MappingProxyType,
    "SimpleNamespace": lambda members: SimpleNamespace(**members),
    "pydantic": lambda members: Model(**members),
    "dataclass": as_dataclass,
}


def formed(value: Any, form: Callable[[dict[str, Any]], Any], *, is_top: bool = True) -> Any:
    """The value with each dict in it, but the top one, in another form, and lists as tuples."""
    if isinstance(value, dict):
        members = {name: formed(inner, form, is_top=False) for name, inner in value.items()}
        is_header = any("-" in name for name in members)
        return members if is_top or is_header else form(members)
    if isinstance(value, list):
        return tuple(formed(inner, form, is_top=False) for inner in value)
    return value


@broken
@pytest.mark.parametrize("form", INNER.values(), ids=INNER)
def test_members_may_be_of_any_form(
    messages: list[Any], context: dict[str, Any], slug: str, form: Callable[[dict[str, Any]], Any]
) -> None:
    expected = check_tool_pairing(messages, context=context)
    assert check_tool_pairing(messages, context=formed(context, form)) == expected
    outer = MappingProxyType(formed(context, form))
    assert check_tool_pairing(messages, context=outer) == expected
    assert check_tool_pairing(messages, context=UserDict(context)) == expected


NAMES = [
    "model",
    "thinking",
    "tools",
    "container",
    "system",
    "cache_control",
    "betas",
    "extra_headers",
]
SENTINELS = {
    "NOT_GIVEN": anthropic.NOT_GIVEN,
    "omit": anthropic.omit,
    "object": object(),
    "function": len,
    "class": dict,
}


@broken
@pytest.mark.parametrize("sentinel", SENTINELS.values(), ids=SENTINELS)
def test_a_sentinel_of_the_sdk_counts_as_absent(
    messages: list[Any], context: dict[str, Any], slug: str, sentinel: Any
) -> None:
    given = dict.fromkeys(NAMES, sentinel)
    assert check_tool_pairing(messages, context=given) == check_tool_pairing(messages)
    expected = check_tool_pairing(messages, context=context)
    others = {name: value for name, value in given.items() if name not in context}
    assert check_tool_pairing(messages, context={**others, **context}) == expected


@pytest.mark.parametrize("sentinel", SENTINELS.values(), ids=SENTINELS)
def test_a_sentinel_is_no_marker(sentinel: Any) -> None:
    block = {**MARKED, "cache_control": sentinel}
    assert check_tool_pairing([user(*[block] * 5)]).violations == ()


JUNK: list[Any] = [
    0,
    1.5,
    True,
    "",
    "x",
    b"x",
    [],
    {},
    [0],
    [None],
    ["x"],
    [[]],
    {"type": 0},
    iter(()),
]


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_a_member_of_another_shape_is_no_error(junk: Any) -> None:
    for messages, _, _ in BROKEN.values():
        for name in NAMES:
            check_tool_pairing(messages, context={name: junk})


def test_what_the_sdk_gives_back_is_understood() -> None:
    """A loop that passes on the container of the reply before."""
    container = beta.BetaContainer.model_construct(id="container_1", expires_at=None, skills=None)
    report = check_tool_pairing(PROGRAMMATIC, context={"container": container})
    assert report == check_tool_pairing(PROGRAMMATIC, context={"container": "container_1"})


@pytest.mark.parametrize("context", [[], "model", 1, object(), [("model", "m")]], ids=repr)
def test_a_context_that_is_no_mapping_is_a_type_error(context: Any) -> None:
    wanted = f"^context must be a mapping of a request's members, not {type(context).__name__}$"
    verbs: list[Callable[[], object]] = [
        lambda: check_tool_pairing([USER], context=context),
        lambda: toolpair.validate_tool_pairing([USER], context=context),
        lambda: plan_trim([USER], context=context),
        lambda: trim_messages_safely([USER], context=context),
        lambda: toolpair.ToolPairingTracker(context=context),
    ]
    for verb in verbs:
        with pytest.raises(TypeError, match=wanted):
            verb()


def test_what_raises_is_named_by_its_place() -> None:
    class Raising:
        def __getattr__(self, name: str) -> Any:
            raise OSError("gone")

    class Locked(UserDict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise OSError("gone")

    places = {
        "thinking": Raising(),
        "tools[1]": [TOOL, Raising()],
        "system[0]": [Raising()],
        "cache_control": Raising(),
        "container": Raising(),
        "model": None,
    }
    for place, value in places.items():
        name = place.partition("[")[0]
        context: Any = {name: value} if value is not None else Locked({name: "m"})
        with pytest.raises(TypeError) as raised:
            check_tool_pairing([USER], context=context)
        assert str(raised.value) == f"context.{place} could not be read: OSError: gone"
        with pytest.raises(TypeError, match=r"^request\b.* could not be read: OSError: gone$"):
            check_request(
                {**context, "messages": [USER]} if value is not None else Locked({"messages": []})
            )


def test_strings_of_any_kind_are_read_as_their_characters() -> None:
    class Text(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = str.__hash__

    report = check_tool_pairing(PREFILL, context={"model": Text("claude-opus-4-6")})
    assert slugs(report) == {"assistant-prefill"}
    for model in ("\ud800", "mod\u00e8le", "m" * 100_000, ""):
        assert len(check_tool_pairing([USER], context={"model": model}).notes) == 1


# --- notes ---------------------------------------------------------------------------------------

NOTE = (
    "model 'saga-7' is not known to toolpair: rules that depend on it judge as for the newest "
    "models, and only warn"
)


def test_a_model_that_is_not_known_is_noted() -> None:
    context = {"model": "saga-7"}
    report = check_tool_pairing([USER], context=context)
    assert report.notes == (NOTE,)
    assert report.ok
    assert str(report) == f"no violation (endpoint anthropic)\n  note: {NOTE}"
    assert check_request({**context, "messages": [USER]}) == report
    assert check_request(
        b'{"model": "saga-7", "messages": [{"role": "user", "content": "q"}]}'
    ) == (report)
    tracker = toolpair.ToolPairingTracker(context=context)
    tracker.append(USER)
    assert tracker.report() == report
    toolpair.validate_tool_pairing([USER], context=context)
    assert check_tool_pairing([USER], context={"model": "claude-sonnet-4-5"}).notes == ()
    assert check_tool_pairing([USER]).notes == ()


def test_rules_only_warn_where_the_model_is_not_known() -> None:
    report = check_tool_pairing(PREFILL, context={"model": "saga-7"})
    assert [found.slug for found in report.warnings] == ["assistant-prefill"]
    assert report.ok


# --- trims ---------------------------------------------------------------------------------------


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
    history = [USER, assistant(TEXT), USER, assistant(THINKING, TEXT), USER]
    context = None if model is None else {"model": model}
    plan = plan_trim(history, 3, context=context)
    assert plan.binds_thinking is binds
    assert plan.thinking_after_change
    assert says in str(plan)
    assert ("thinking blocks stand" in str(plan)) is bool(says)
    assert trim_messages_safely(history, 3, context=context) == plan.messages


def loop_of_thought(*thinks: bool) -> list[Any]:
    """A prompt, and steps with thinking before their calls or without."""
    history: list[Any] = [USER]
    for number, does in enumerate(thinks):
        history.append(assistant(*[THINKING] * does, call(f"t{number}")))
        history.append(user(result(f"t{number}")))
    return history


MANUAL = {
    "model": "claude-sonnet-4-5",
    "thinking": {"type": "enabled", "budget_tokens": 2_000},
}


@pytest.mark.parametrize(
    ("thinks", "kept"),
    [
        ((True, False, False, False), range(9)),
        ((True, False, True, False), [0, *range(5, 9)]),
        ((True, True, True, True), [0, *range(7, 9)]),
        ((False, False, False, False), [0, *range(7, 9)]),
    ],
)
@pytest.mark.parametrize("keep", [1, 2])
def test_a_trim_leaves_the_thinking_that_a_running_loop_must_begin_with(
    thinks: tuple[bool, ...], kept: Sequence[int], keep: int
) -> None:
    history = loop_of_thought(*thinks)
    plan = plan_trim(history, keep, context=MANUAL)
    assert plan.kept_indices == tuple(kept)
    before = check_tool_pairing(history, context=MANUAL)
    after = check_tool_pairing(plan.messages, context=MANUAL)
    assert len(after.errors) == len(before.errors)
    assert trim_messages_safely(history, keep, context=MANUAL) == plan.messages
    without = plan_trim(history, keep)
    assert without.kept_indices == (0, 7, 8)
    reasons = {stayed.reason for stayed in plan.reasons}
    assert ("thinking" in reasons) is (plan.kept_indices != without.kept_indices)


def test_a_cap_that_would_cut_the_thinking_off_is_refused_with_the_smallest_that_does() -> None:
    history = loop_of_thought(True, False, False, False)
    with pytest.raises(toolpair.TrimError) as refused:
        plan_trim(history, max_messages=5, context=MANUAL)
    assert refused.value.smallest == 9
    assert len(plan_trim(history, max_messages=5).messages) == 5


def test_a_loop_that_is_over_may_be_cut_anywhere() -> None:
    history = [*loop_of_thought(True, False, False), assistant(TEXT), USER]
    for keep in range(1, len(history)):
        plan = plan_trim(history, keep, context=MANUAL)
        assert plan.kept_indices == plan_trim(history, keep).kept_indices
        assert check_tool_pairing(plan.messages, context=MANUAL).ok
