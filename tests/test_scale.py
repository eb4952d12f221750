"""What huge histories cost: time in proportion to their size, and no memory of the caller's.

No test knows how fast a machine is: each compares one run with another, or counts.
"""

from __future__ import annotations

import gc
import json
import sys
import time
import tracemalloc
import weakref
from collections.abc import Callable
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from children import isolated

import toolpair
from toolpair import (
    ToolPairingTracker,
    check_request,
    check_tool_pairing,
    plan_repair,
    plan_trim,
    repair_tool_pairing,
    trim_messages_safely,
)

Block = dict[str, Any]
History = list[Any]
USER: Block = {"role": "user", "content": "q"}
TEXT: Block = {"type": "text", "text": "x"}
DIRECTIVE: Block = {"role": "system", "content": [], "output_config": {"effort": "low"}}
MANY = 20_000


def call(id: str, **members: Any) -> Block:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **members}


def result(id: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": "r"}


def server_call(id: str) -> Block:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}


def user(*blocks: object) -> Block:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: object) -> Block:
    return {"role": "assistant", "content": list(blocks)}


def calls(count: int) -> list[Block]:
    return [call(f"toolu_{number}") for number in range(count)]


def results(count: int) -> list[Block]:
    return [result(f"toolu_{number}") for number in range(count)]


def slugs(messages: History, **options: Any) -> dict[str, int]:
    """How often each slug is reported."""
    counts: dict[str, int] = {}
    for found in check_tool_pairing(messages, **options).violations:
        counts[found.slug] = counts.get(found.slug, 0) + 1
    return counts


# --- histories that grow in one direction --------------------------------------------------------

SHAPES: dict[str, Callable[[int], History]] = {}
EXPECTED: dict[str, dict[str, int]] = {}


def shape(**expected: int) -> Callable[[Callable[[int], History]], Callable[[int], History]]:
    """Register a shape, and what must be reported for it at the default endpoint."""

    def register(make: Callable[[int], History]) -> Callable[[int], History]:
        name = make.__name__.replace("_", " ")
        SHAPES[name] = make
        EXPECTED[name] = {slug.replace("_", "-"): count for slug, count in expected.items()}
        return make

    return register


@shape()
def small_messages(count: int) -> History:
    return [USER, {"role": "assistant", "content": "a"}] * (count // 2)


@shape()
def steps_after_one_prompt(count: int) -> History:
    history: History = [USER]
    for number in range(count // 2):
        history += [assistant(call(f"toolu_{number}")), user(result(f"toolu_{number}"))]
    return history


@shape()
def parallel_calls(count: int) -> History:
    return [USER, assistant(*calls(count)), user(*results(count))]


@shape()
def parallel_calls_answered_backwards(count: int) -> History:
    return [USER, assistant(*calls(count)), user(*reversed(results(count)))]


@shape()
def parallel_calls_answered_evens_first(count: int) -> History:
    return [USER, assistant(*calls(count)), user(*results(count)[::2], *results(count)[1::2])]


@shape(tool_result_not_first=1)
def parallel_calls_answered_behind_a_text(count: int) -> History:
    return [USER, assistant(*calls(count)), user(TEXT, *results(count))]


@shape(pending_tool_use=MANY)
def calls_in_flight(count: int) -> History:
    return [USER, assistant(*calls(count))]


@shape(tool_use_without_result=MANY)
def calls_without_results(count: int) -> History:
    return [USER, assistant(*calls(count)), USER]


@shape(content_after_tool_use=MANY)
def calls_with_texts_between(count: int) -> History:
    blocks = [block for one in calls(count) for block in (one, TEXT)]
    return [USER, assistant(*blocks), user(*results(count))]


@shape(split_tool_results=MANY - 1)
def results_each_in_its_own_message(count: int) -> History:
    return [USER, assistant(*calls(count)), *map(user, results(count))]


@shape(unknown_role=MANY)
def results_each_in_a_tool_message(count: int) -> History:
    messages = [{"role": "tool", "content": [one]} for one in results(count)]
    return [USER, assistant(*calls(count)), *messages]


@shape(message_between_use_and_result=1)
def results_behind_as_many_system_messages(count: int) -> History:
    between = [{"role": "system", "content": "s"}] * count
    return [USER, assistant(*calls(count)), *between, *map(user, results(count))]


@shape()
def results_behind_as_many_directives(count: int) -> History:
    middle = [DIRECTIVE] * count
    rest = [assistant(call("last")), user(*results(count), result("last"))]
    return [USER, assistant(*calls(count)), *middle, *rest]


@shape()
def calls_each_in_its_own_message(count: int) -> History:
    return [USER, *map(assistant, calls(count)), user(*results(count))]


@shape(duplicate_tool_use_id=MANY - 1)
def twins_of_one_id(count: int) -> History:
    return [USER, assistant(*[call("twin")] * count), user(*[result("twin")] * count)]


@shape(duplicate_tool_use_id=MANY // 2 - 1)
def one_id_in_every_turn(count: int) -> History:
    return [USER, *[assistant(call("again")), user(result("again"))] * (count // 2)]


@shape(duplicate_tool_result=MANY - 1)
def results_of_one_call(count: int) -> History:
    return [USER, assistant(call("a")), user(*[result("a")] * count)]


@shape(orphan_tool_result=MANY)
def orphans(count: int) -> History:
    return [USER, {"role": "assistant", "content": "a"}, user(*results(count))]


@shape(orphan_server_tool_result=MANY)
def server_orphans(count: int) -> History:
    kind = "web_search_tool_result"
    ids = [f"srvtoolu_{number}" for number in range(count)]
    return [USER, assistant(*[{"type": kind, "tool_use_id": id, "content": []} for id in ids])]


@shape()
def server_calls_that_all_stay_open(count: int) -> History:
    history: History = [USER]
    for number in range(count // 2):
        history.append(assistant(server_call(f"srvtoolu_{number}"), call(f"toolu_{number}")))
        history.append(user(result(f"toolu_{number}")))
    return history


@shape(server_tool_use_without_result=MANY)
def server_calls_that_die(count: int) -> History:
    return [USER, assistant(*[server_call(f"srvtoolu_{n}") for n in range(count)]), USER]


@shape()
def calls_that_one_server_call_makes(count: int) -> History:
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
    history: History = [USER, assistant(server_call("srvtoolu_1"), call("first", caller=caller))]
    history.append(user(result("first")))
    for number in range(count // 2):
        history.append(assistant(call(f"toolu_{number}", caller=caller)))
        history.append(user(result(f"toolu_{number}")))
    return history


@shape(tool_use_without_result=MANY, orphan_tool_result=MANY)
def results_behind_the_next_turn(count: int) -> History:
    return [USER, assistant(*calls(count)), USER, assistant(TEXT), user(*results(count))]


@shape(tool_use_without_result=MANY // 2, orphan_tool_result=MANY // 2)
def results_that_all_come_at_the_end(count: int) -> History:
    steps = [message for one in calls(count // 2) for message in (assistant(one), USER)]
    return [USER, *steps, assistant(TEXT), user(*results(count // 2))]


@shape(tool_use_without_result=MANY)
def calls_without_results_each_in_its_own_message(count: int) -> History:
    return [USER, *map(assistant, calls(count)), USER]


@shape(malformed_tool_use_id=2 * MANY)
def odd_ids_that_are_one_once_mended(count: int) -> History:
    ids = [f"call_{chr(0x4E00 + number)}" for number in range(count)]
    return [USER, assistant(*map(call, ids)), user(*map(result, ids))]


@shape(duplicate_tool_result=MANY)
def placeholders_before_the_real_results(count: int) -> History:
    placeholders = [{**one, "is_error": True} for one in results(count)]
    return [USER, assistant(*calls(count)), user(*placeholders, *results(count))]


@shape(malformed_tool_block=MANY, pending_tool_use=1, duplicate_tool_use_id=MANY - 1)
def twins_and_results_without_an_id(count: int) -> History:
    nameless = {"type": "tool_result", "content": "r"}
    return [USER, assistant(*[call("twin")] * count), user(*[nameless] * count)]


@shape(tool_block_in_wrong_role=MANY, tool_use_without_result=MANY)
def results_beside_their_calls(count: int) -> History:
    pairs = zip(calls(count), results(count), strict=True)
    return [USER, *[assistant(*pair) for pair in pairs], USER]


@shape(content_beside_open_server_call=1)
def server_calls_beside_which_the_user_speaks(count: int) -> History:
    open_calls = [server_call(f"srvtoolu_{number}") for number in range(count)]
    return [USER, assistant(*open_calls, call("a")), user(result("a"), TEXT), assistant(TEXT)]


@shape(content_beside_programmatic_result=MANY // 2)
def texts_all_along_a_chain_of_calls_by_code(count: int) -> History:
    code = {**server_call("srvtoolu_1"), "name": "code_execution"}
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
    chain: History = [USER, assistant(code)]
    for number in range(count // 2):
        step = call(f"toolu_{number}", caller=caller)
        chain += [assistant(step), user(result(f"toolu_{number}"), TEXT)]
    return chain


@shape(empty_user_turn=1)
def empty_messages_of_the_user(count: int) -> History:
    return [USER, assistant(TEXT), *[user()] * count]


@shape(empty_assistant_message=MANY // 2, empty_user_turn=MANY // 2)
def empty_messages_of_both(count: int) -> History:
    return [USER, *[assistant(), user()] * (count // 2)]


@shape(misplaced_system_message=1)
def system_messages_that_follow_no_user(count: int) -> History:
    return [{"role": "system", "content": "s"}] * count + [USER]


@shape(malformed_thinking_block=MANY)
def thinking_that_is_not_whole(count: int) -> History:
    return [USER, *[assistant({"type": "thinking", "thinking": "x"})] * count, USER]


@shape(too_many_cache_breakpoints=1)
def cache_breakpoints(count: int) -> History:
    return [user(*[{**TEXT, "cache_control": {"type": "ephemeral"}}] * count)]


@shape(
    tool_use_without_result=MANY // 8,
    tool_result_not_first=MANY // 8,
    duplicate_tool_result=MANY // 8,
    orphan_tool_result=MANY // 8,
)
def steps_that_are_all_damaged(count: int) -> History:
    """A lost result, a text before its result, a second result, and one that answers nothing."""
    history: History = [USER]
    for number in range(count // 2):
        own = result(f"toolu_{number}")
        held = ([TEXT], [TEXT, own], [own, own], [own, result(f"gone_{number}")])[number % 4]
        history += [assistant(call(f"toolu_{number}")), user(*held)]
    return history


@shape(unknown_role=MANY, malformed_content=MANY)
def messages_that_are_all_wrong(count: int) -> History:
    return [{"role": "critic", "content": None}] * count


shapes = pytest.mark.parametrize("name", SHAPES)


@shapes
def test_huge_histories_are_judged_right(name: str) -> None:
    assert slugs(SHAPES[name](MANY)) == EXPECTED[name]


@shapes
def test_huge_histories_are_trimmed(name: str) -> None:
    history = SHAPES[name](MANY)
    kept = trim_messages_safely(history, 10)
    assert 1 <= len(kept) <= len(history)
    indices = plan_trim(history, 10).kept_indices
    assert [id(message) for message in kept] == [id(history[index]) for index in indices]


@shapes
@pytest.mark.parametrize("endpoint", ["anthropic", "deepseek"])
def test_huge_histories_are_repaired(name: str, endpoint: Any) -> None:
    history = SHAPES[name](MANY)
    plan = plan_repair(history, endpoint=endpoint)
    if name == "messages that are all wrong":
        return
    assert plan.remaining.ok
    if check_tool_pairing(history, endpoint=endpoint, ignore=["TP105"]).ok:
        assert all(edit.slug == "duplicate-tool-use-id" for edit in plan.edits)
    assert plan_repair(plan.messages, endpoint=endpoint).edits == ()


def seconds(work: Callable[[], object]) -> float:
    """The least time of the processor that this took, in three attempts, without the collector."""
    gc.disable()
    try:
        times = []
        for _ in range(3):
            started = time.process_time()
            work()
            times.append(time.process_time() - started)
            if sum(times) > 0.1:
                break
        return min(times)
    finally:
        gc.enable()


def growth(work: Callable[[History], object], name: str, most: int = MANY) -> float:
    """How many times the cost of one message grows from a small history to one of 8 times that."""
    return growth_between(work, SHAPES[name](most // 8), SHAPES[name](most))


def growth_between(work: Callable[[Any], object], small: object, large: object) -> float:
    """The same for what was made of two such histories."""
    work(small)
    ratios = []
    for _ in range(3):
        ratios.append(seconds(lambda: work(large)) / max(seconds(lambda: work(small)), 1e-4) / 8)
        if ratios[-1] < 2:
            break
    return min(ratios)


QUADRATIC = 3.5
"""Quadratic work grows 8 times a message; linear work once, or twice where caches overflow."""


@shapes
@pytest.mark.parametrize("endpoint", ["anthropic", "deepseek"])
def test_a_check_is_linear(name: str, endpoint: Any) -> None:
    assert growth(lambda h: check_tool_pairing(h, endpoint=endpoint), name) < QUADRATIC


@shapes
@pytest.mark.parametrize("endpoint", ["anthropic", "deepseek"])
def test_a_trim_is_linear(name: str, endpoint: Any) -> None:
    def trim(history: History) -> object:
        plan_trim(history, max_messages=len(history), endpoint=endpoint)
        return plan_trim(history, 10, endpoint=endpoint)

    assert growth(trim, name) < QUADRATIC


@shapes
@pytest.mark.parametrize("endpoint", ["anthropic", "deepseek"])
def test_a_repair_is_linear(name: str, endpoint: Any) -> None:
    assert growth(lambda h: repair_tool_pairing(h, endpoint=endpoint), name) < QUADRATIC


@shapes
def test_a_repair_that_drops_calls_and_keeps_orphans_is_linear(name: str) -> None:
    def repair(history: History) -> object:
        return repair_tool_pairing(history, on_missing="drop", orphans="text", thinking="strip")

    assert growth(repair, name) < QUADRATIC


def test_a_repair_of_100_000_messages_is_linear() -> None:
    name, most = "steps that are all damaged", 99_992
    assert growth(repair_tool_pairing, name, most) < QUADRATIC
    assert len(plan_repair(SHAPES[name](most)).edits) == most // 2


def test_dropping_unknown_members_is_linear() -> None:
    def history(count: int) -> History:
        return [USER, assistant(*[{**TEXT, f"odd_{number}": 1} for number in range(count)]), USER]

    def repair(history: History) -> object:
        return repair_tool_pairing(history, select=["unknown-member"])

    assert growth_between(repair, history(MANY // 8), history(MANY)) < QUADRATIC


@shapes
def test_a_plan_and_its_texts_are_linear(name: str) -> None:
    def show(history: History) -> object:
        plan = plan_repair(history)
        return str(plan), plan.to_json()

    assert growth(show, name) < QUADRATIC


def body(history: History) -> bytes:
    return json.dumps({"model": "claude-sonnet-4-5", "messages": history}).encode()


@shapes
def test_a_check_of_json_is_linear(name: str) -> None:
    small, large = body(SHAPES[name](MANY // 8)), body(SHAPES[name](MANY))
    assert growth_between(check_request, small, large) < QUADRATIC


def test_json_of_100_000_messages() -> None:
    sound = SHAPES["steps after one prompt"](99_992)
    assert check_request(body(sound)).violations == ()
    small, large = body(sound[: 99_992 // 8]), body(sound)
    assert growth_between(check_request, small, large) < QUADRATIC


@shapes
def test_the_small_verbs_are_linear(name: str) -> None:
    assert growth(toolpair.unpaired_tool_use_ids, name) < QUADRATIC
    assert growth(toolpair.pending_tool_uses, name) < QUADRATIC


def test_a_printed_report_is_linear() -> None:
    name = "messages that are all wrong"
    assert growth(lambda history: str(check_tool_pairing(history)), name) < QUADRATIC


# --- a tracker -----------------------------------------------------------------------------------


@shapes
def test_a_tracker_costs_the_same_for_each_message(name: str) -> None:
    def feed(history: History) -> object:
        tracker = ToolPairingTracker()
        for message in history:
            tracker.append(message)
        return tracker

    assert growth(feed, name) < QUADRATIC


def test_a_tracker_fed_100_000_messages_reports_now_and_then() -> None:
    history = SHAPES["steps after one prompt"](100_000)
    tracker = ToolPairingTracker()
    spent = []
    for start in range(0, 100_000, 10_000):
        started = time.process_time()
        for message in history[start : start + 10_000]:
            tracker.append(message)
        spent.append(time.process_time() - started)
        report = tracker.report()
        # One message of a step was fed last, so its call is still pending.
        assert [found.slug for found in report.violations] in ([], ["pending-tool-use"])
        assert tracker.pending == report.pending
    assert len(tracker) == 100_000
    assert min(spent[-3:]) < 4 * min(spent[:3])


def test_a_tracker_asked_after_each_message_is_linear_where_nothing_is_wrong() -> None:
    def feed(history: History) -> None:
        tracker = ToolPairingTracker()
        for message in history:
            tracker.append(message)
            tracker.report()
            assert len(tracker.pending) <= 1

    assert growth(feed, "steps after one prompt") < QUADRATIC


def test_a_million_messages() -> None:
    small = [USER, {"role": "assistant", "content": "a"}] * 500_000
    assert slugs(small, ignore=["TP002"]) == {}
    assert len(trim_messages_safely(small, 10)) == 10
    broken = [*small, assistant(call("a")), *small]
    found = check_tool_pairing(broken).violations
    too_many, lost = ("too-many-messages", None), ("tool-use-without-result", 1_000_000)
    assert [(v.slug, v.message_index) for v in found] == [too_many, lost]
    plan = plan_repair(broken)
    assert [edit.place.message_index for edit in plan.edits] == [1_000_000]
    assert [found.slug for found in plan.remaining.violations] == ["too-many-messages"]


# --- what texts cost -----------------------------------------------------------------------------


def texts_everywhere(text: str) -> History:
    """The text in every member that is a string."""
    caller = {"type": text, "tool_id": text}
    tool_use = {**call(text, caller=caller, toolset_name=text), "name": text}
    return [
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "text", "text": text}, tool_use]},
        {"role": "user", "content": [{**result(text), "content": text}]},
        {"role": text, "content": [{"type": text, "text": text}]},
        {"role": "assistant", "content": [tool_use, {**server_call(text), "input": {text: text}}]},
        {"role": "user", "content": [result(text + "x")]},
    ]


@pytest.mark.parametrize(
    "character",
    ["a", "é", "中", "😀", "\ud800"],
    ids=["ASCII", "Latin", "Chinese", "emoji", "surrogate"],
)
@pytest.mark.parametrize("form", [dict, MappingProxyType, lambda m: SimpleNamespace(**m)])
def test_no_string_of_the_callers_grows(character: str, form: Callable[[Block], Any]) -> None:
    text = "".join([character] * 100_000)
    history = [form(message) for message in texts_everywhere(text)]
    size = sys.getsizeof(text)
    for endpoint in ("anthropic", "deepseek", "strict"):
        report = check_tool_pairing(history, endpoint=endpoint)
        assert len(report.violations) > 3
        str(report)
        with pytest.raises(toolpair.ToolPairingError):
            toolpair.validate_tool_pairing(history, endpoint=endpoint)
    toolpair.unpaired_tool_use_ids(history)
    toolpair.pending_tool_uses(history)
    str(plan_trim(history, 1))
    for orphans in ("drop", "text"):
        plan = plan_repair(history, orphans=orphans)
        str(plan)
        plan.diff()
        plan.to_json()
    tracker = ToolPairingTracker()
    tracker.extend(history)
    tracker.append(history[1])
    tracker.report()
    tracker.pending  # noqa: B018
    assert sys.getsizeof(text) == size


@pytest.mark.parametrize("member", ["id", "name", "type", "role"])
def test_what_a_long_text_costs_does_not_depend_on_how_many_violations_show_it(
    member: str,
) -> None:
    """A sentence shows 80 characters: it need not read a million to cut them off."""

    def history(length: int) -> History:
        text = "".join(["é"] * length)
        block = {"id": call(text), "name": {**call("a"), "name": text}, "type": {"type": text}}
        if member == "role":
            return [{"role": text, "content": "q"}] * 300
        return [USER, assistant(*[block[member]] * 300), USER]

    short, long = history(1_000), history(1_000_000)
    assert len(check_tool_pairing(long).violations) >= 299
    ratio = seconds(lambda: check_tool_pairing(long)) / seconds(lambda: check_tool_pairing(short))
    assert ratio < 8


# --- memory --------------------------------------------------------------------------------------


class Raising:
    """A message or a block that cannot be read."""

    type = "tool_use"

    @property
    def role(self) -> str:
        raise ValueError("boom")

    id = role


def everything() -> History:
    """Every form and every kind of block, some of it broken."""
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
    return [
        USER,
        assistant(server_call("srvtoolu_1"), call("a", caller=caller, toolset_name="t"), call("b")),
        user(result("a"), result("é"), TEXT),
        SimpleNamespace(role="user", content=(SimpleNamespace(type="text"), None, {})),
        MappingProxyType({"role": "bad role", "content": [MappingProxyType({"type": "odd"})]}),
        assistant(call("last")),
    ]


def refused(verb: Callable[..., object], *arguments: Any, **options: Any) -> None:
    try:
        verb(*arguments, **options)
    except (TypeError, ValueError):
        return
    raise AssertionError


def use_all(history: History, bad: list[Any]) -> None:
    """Twenty-five calls of the verbs, nine of which raise."""
    check_tool_pairing(history)
    check_tool_pairing(history, endpoint="strict", ignore=["TP101"], allow_pending=True)
    str(check_tool_pairing(history, endpoint="deepseek"))
    refused(toolpair.validate_tool_pairing, history)
    for messages in bad:
        refused(check_tool_pairing, messages)
    refused(repair_tool_pairing, bad[3])
    toolpair.unpaired_tool_use_ids(history)
    toolpair.pending_tool_uses(history)
    plan_trim(history, 1, keep_task=True)
    trim_messages_safely(history, 0)
    str(plan_repair(history))
    repair_tool_pairing(history, endpoint="deepseek", orphans="text", on_missing=lambda call: "?")
    check_request({"messages": history, "model": "claude-sonnet-4-5", "tools": []})
    check_request(b'{"messages": [{"role": "critic", "content": [{"type": "odd"}]}]}')
    refused(check_request, b'{"messages": [{"role": "user"')
    refused(trim_messages_safely, history, max_messages=1)
    refused(check_tool_pairing, history, ignore=["x"])
    tracker = ToolPairingTracker()
    tracker.extend(history)
    tracker.append(history[1])
    refused(tracker.append, bad[1][1])
    tracker.pending  # noqa: B018
    tracker.report()


def bad_histories() -> list[Any]:
    return [3, [USER, Raising()], [None], [assistant(Raising())], iter([])]


def test_no_reference_is_kept_or_lost() -> None:
    history, bad = everything(), bad_histories()
    held: list[Any] = [history, *history, *bad, *bad[1], *bad[3][0]["content"]]
    held += [block for message in history[1:3] for block in message["content"]]
    held += [history[1]["content"][1][name] for name in ("id", "name", "input", "caller")]
    held += [history[2]["content"][1]["tool_use_id"], history[4]["role"], history[3].content]
    use_all(history, bad)
    before = [sys.getrefcount(one) for one in held]
    for _ in range(1000):
        use_all(history, bad)
    assert [sys.getrefcount(one) for one in held] == before


def test_a_report_keeps_no_message_alive() -> None:
    class Watched(dict[str, Any]):
        __slots__ = ("__weakref__",)

    message = Watched(role="critic", content=[Watched(type="odd")])
    watch = weakref.ref(message)
    report = check_tool_pairing([message])
    tracker = ToolPairingTracker()
    tracker.append(message)
    del message
    gc.collect()
    assert watch() is None
    assert report == tracker.report()


def measure_what_100_000_calls_leave_behind() -> None:
    """In a child: the bytes that Python and the process hold more after them."""
    import resource

    history, bad = everything(), bad_histories()
    for _ in range(300):
        use_all(history, bad)
    gc.collect()
    tracemalloc.start()
    grown = []  # a leak shows each time; a table of the interpreter's that is made anew does once
    for _ in range(3):
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(250):
            use_all(history, bad)
        gc.collect()
        grown.append(tracemalloc.get_traced_memory()[0] - before)
    print(min(grown))
    tracemalloc.stop()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(4500):
        use_all(history, bad)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak)


needs_resource = pytest.mark.skipif(sys.platform == "win32", reason="no resource module there")


@needs_resource
def test_100_000_calls_leave_nothing_behind() -> None:
    traced, grown = map(int, isolated(measure_what_100_000_calls_leave_behind).split())
    assert traced < 50_000  # ten bytes a call would be this much
    assert grown < 4 * 1024 * (1024 if sys.platform == "darwin" else 1)


def measure_what_huge_histories_take() -> None:
    """In a child: how far the peak of the process rises, in bytes, for texts and for blocks."""
    import resource

    def rise(work: Callable[[], object]) -> int:
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work()
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) * unit

    texts = [{"role": "user", "content": "".join(["中"] * 2_000_000)} for _ in range(40)]
    texts += [user({"type": "text", "text": "".join(["é"] * 2_000_000)}) for _ in range(40)]
    print(rise(lambda: check_tool_pairing(texts)))
    print(rise(lambda: trim_messages_safely(texts, 3)))
    blocks = [user(*[TEXT] * 1000) for _ in range(1000)]
    print(rise(lambda: check_tool_pairing(blocks)))


@needs_resource
def test_memory_depends_on_blocks_and_not_on_texts() -> None:
    texts, trim, blocks = map(int, isolated(measure_what_huge_histories_take).split())
    assert texts < 8_000_000  # they are 240 MB
    assert trim < 8_000_000
    assert blocks < 1_000_000 * 64
