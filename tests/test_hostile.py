"""Hostile input raises or is reported; it never kills, hangs, or is swallowed.

What could bring the interpreter down runs in a child, so that a crash is one failed test.
"""

from __future__ import annotations

import asyncio
import collections
import copy
import dataclasses
import faulthandler
import gc
import json
import math
import pickle
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from children import isolated

import toolpair
from toolpair import ToolPairingTracker, check_tool_pairing, plan_trim, trim_messages_safely

Block = dict[str, Any]
USER: Block = {"role": "user", "content": "q"}


def call(id: object, **members: Any) -> Block:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **members}


def result(id: object, **members: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": "r", **members}


def user(*blocks: object) -> Block:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: object) -> Block:
    return {"role": "assistant", "content": list(blocks)}


def slugs(messages: Any, **options: Any) -> list[str]:
    return [found.slug for found in check_tool_pairing(messages, **options).violations]


def tracked(messages: Any) -> object:
    tracker = ToolPairingTracker()
    tracker.extend(messages)
    return tracker.report()


VERBS: dict[str, Callable[[Any], object]] = {
    "validate": toolpair.validate_tool_pairing,
    "check": check_tool_pairing,
    "unpaired": toolpair.unpaired_tool_use_ids,
    "pending": toolpair.pending_tool_uses,
    "trim": trim_messages_safely,
    "plan": plan_trim,
    "tracker": tracked,
}
verbs = pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)


# --- what is no history --------------------------------------------------------------------------


class OneShot:
    """An iterator that knows how many are left, as some readers of files do."""

    def __init__(self, items: Sequence[object]) -> None:
        self.items = list(items)

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        if not self.items:
            raise StopIteration
        return self.items.pop(0)

    def __len__(self) -> int:
        return len(self.items)


NO_HISTORY: dict[str, Callable[[], object]] = {
    "str": lambda: "abc",
    "bytes": lambda: b"abc",
    "bytearray": lambda: bytearray(b"abc"),
    "memoryview": lambda: memoryview(b"abc"),
    "int": lambda: 3,
    "bool": lambda: True,
    "float": lambda: math.nan,
    "None": lambda: None,
    "ellipsis": lambda: ...,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "UserDict": collections.UserDict,
    "range": lambda: range(3),
    "type": lambda: dict,
    "function": lambda: call,
    "module": lambda: sys,
    "object": object,
    "generator": lambda: (message for message in [USER]),
    "list_iterator": lambda: iter([USER]),
    "map": lambda: map(dict, [USER]),
    "zip": lambda: zip([USER], [USER], strict=True),
    "OneShot": lambda: OneShot([USER]),
}


@verbs
@pytest.mark.parametrize("kind", NO_HISTORY)
def test_no_history_is_a_type_error_that_names_it(verb: Callable[[Any], object], kind: str) -> None:
    with pytest.raises(TypeError, match=rf"^messages .*not {kind}") as raised:
        verb(NO_HISTORY[kind]())
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("kind", ["generator", "list_iterator", "map", "zip", "OneShot"])
def test_what_is_read_only_once_is_called_so_and_left_unread(kind: str) -> None:
    messages: Any = NO_HISTORY[kind]()
    with pytest.raises(TypeError, match="only once"):
        check_tool_pairing(messages)
    assert next(iter(messages)) is not None


@pytest.mark.parametrize("kind", ["dict", "int", "str", "object"])
def test_only_what_is_read_only_once_is_called_so(kind: str) -> None:
    messages: Any = NO_HISTORY[kind]()
    with pytest.raises(TypeError) as raised:
        check_tool_pairing(messages)
    assert "once" not in str(raised.value)


NO_MESSAGE: dict[str, Any] = {
    "None": None,
    "int": 3,
    "bool": True,
    "float": math.inf,
    "str": "hello",
    "bytes": b"hello",
    "list": [],
    "nested list": [[USER]],
    "tuple": (USER,),
    "set": {1},
    "dict": {},
    "no role": {"content": "q"},
    "keys of bytes": {b"role": "user", b"content": "q"},
    "keys of all kinds": {1: 2, None: 3, (): 4, math.nan: 5},
    "type": dict,
    "function": call,
    "object": object(),
}


@verbs
@pytest.mark.parametrize("message", NO_MESSAGE.values(), ids=NO_MESSAGE)
def test_no_message_is_a_type_error_at_its_place(
    verb: Callable[[Any], object], message: object
) -> None:
    with pytest.raises(TypeError, match=r"^messages\[2\] is no message: .*role"):
        verb([USER, USER, message])


def test_tracker_counts_what_it_has_in_places_of_errors_and_takes_nothing_of_a_bad_list() -> None:
    tracker = ToolPairingTracker()
    tracker.extend([USER, USER])
    with pytest.raises(TypeError, match=r"^messages\[2\] is no message"):
        tracker.append(None)
    with pytest.raises(TypeError, match=r"^messages\[3\] is no message"):
        tracker.extend([USER, None])
    assert len(tracker) == 2
    assert tracker.report() == check_tool_pairing([USER, USER])


# --- lengths that lie ----------------------------------------------------------------------------


class Lying:
    """A sequence of user messages that says it has another length."""

    def __init__(self, items: Sequence[object], length: int) -> None:
        self.items = items
        self.length = length

    def __iter__(self) -> Iterator[object]:
        return iter(self.items)

    def __getitem__(self, index: int) -> object:
        return self.items[index]

    def __len__(self) -> int:
        return self.length


collections.abc.Sequence.register(Lying)


@verbs
@pytest.mark.parametrize("length", [0, 1, 3, 2**40, 2**62])
def test_a_false_length_is_said_to_be_one(verb: Callable[[Any], object], length: int) -> None:
    with pytest.raises(RuntimeError, match=r"^messages changed while it was being read, or its"):
        verb(Lying([USER, USER], length))
    with pytest.raises(RuntimeError, match=r"^messages\[1\].content changed while it"):
        verb([USER, {"role": "user", "content": Lying([{"type": "text"}] * 2, length)}])


@pytest.mark.parametrize("length", [-1, 2**63, 2**80])
def test_an_impossible_length_is_a_type_error_with_its_cause(length: int) -> None:
    messages: Any = Lying([USER], length)
    with pytest.raises(TypeError, match=r"^messages could not be read") as raised:
        check_tool_pairing(messages)
    assert isinstance(raised.value.__cause__, ValueError | OverflowError)
    with pytest.raises(TypeError, match=r"^messages\[0\].content could not be read") as raised:
        check_tool_pairing([{"role": "user", "content": messages}])
    assert isinstance(raised.value.__cause__, ValueError | OverflowError)


# --- members that raise --------------------------------------------------------------------------


Thrower = Callable[..., Any]


def throw(error: BaseException) -> Thrower:
    def thrower(*_: object) -> Any:
        raise error

    return thrower


def shaped(bases: tuple[type, ...] = (), /, **members: Any) -> Any:
    """An instance of a new class with these members."""
    return type("Shaped", bases, members)()


class Key:
    """A key of a dict that stands where another is looked for, and then raises."""

    def __init__(self, name: str, thrower: Thrower) -> None:
        self.hash = hash(name)
        self.thrower: Thrower | None = None
        self.armed = thrower

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if self.thrower is not None:
            self.thrower()
        return False


def with_key(name: str, thrower: Thrower, **members: Any) -> dict[Any, Any]:
    key = Key(name, thrower)
    made: dict[Any, Any] = {key: None, **members}
    key.thrower = key.armed
    return made


def mapping(throw: Thrower) -> Mapping[str, Any]:
    made: Mapping[str, Any] = shaped(
        (Mapping,), __getitem__=throw, __iter__=throw, __len__=lambda _: 1
    )
    return made


def sequence(**members: Any) -> Any:
    whole = {"__len__": lambda _: 1, "__getitem__": lambda *_: USER, **members}
    return shaped((Sequence,), **whole)


def prop(throw: Thrower) -> Any:
    return property(throw)


IN_A_CALL = "messages[1].content[0]"
Hostile = Callable[[Thrower], Any]
RAISING: dict[str, tuple[str, Hostile]] = {
    "messages.__len__": ("messages", lambda t: sequence(__len__=t)),
    "messages.__iter__": ("messages", lambda t: sequence(__iter__=t)),
    "messages.__getitem__": ("messages", lambda t: sequence(__getitem__=t)),
    "messages.__class__": ("messages", lambda t: shaped(__class__=prop(t))),
    "message.role": ("messages[1]", lambda t: [USER, shaped(role=prop(t), content="q")]),
    "message.content": ("messages[1]", lambda t: [USER, shaped(role="user", content=prop(t))]),
    "message.output_config": (
        "messages[1]",
        lambda t: [USER, shaped(role="system", content=[], output_config=prop(t))],
    ),
    "message.__getattr__": ("messages[1]", lambda t: [USER, shaped(__getattr__=t)]),
    "message.__getattribute__": ("messages[1]", lambda t: [USER, shaped(__getattribute__=t)]),
    "message.__class__": (
        "messages[1]",
        lambda t: [USER, shaped(__class__=prop(t), role="user", content="q")],
    ),
    "message[...]": ("messages[1]", lambda t: [USER, mapping(t)]),
    "key of message": (
        "messages[1]",
        lambda t: [USER, with_key("role", t, role="user", content="q")],
    ),
    "content.__len__": ("messages[1].content", lambda t: in_content(sequence(__len__=t))),
    "content.__iter__": ("messages[1].content", lambda t: in_content(sequence(__iter__=t))),
    "content.__getitem__": ("messages[1].content", lambda t: in_content(sequence(__getitem__=t))),
    "content.__class__": ("messages[1].content", lambda t: in_content(shaped(__class__=prop(t)))),
    "block.type": (IN_A_CALL, lambda t: [USER, assistant(shaped(type=prop(t)))]),
    "block.id": (IN_A_CALL, lambda t: [USER, assistant(shaped(type="tool_use", id=prop(t)))]),
    "block.tool_use_id": (
        IN_A_CALL,
        lambda t: [USER, user(shaped(type="tool_result", tool_use_id=prop(t)))],
    ),
    "block.caller": (IN_A_CALL, lambda t: [USER, assistant(shaped(**call("a", caller=prop(t))))]),
    "block.__getattr__": (
        IN_A_CALL,
        lambda t: [USER, assistant(shaped(type="tool_use", __getattr__=t))],
    ),
    "block.__class__": (
        IN_A_CALL,
        lambda t: [USER, assistant(shaped(type="text", __class__=prop(t)))],
    ),
    "block[...]": (IN_A_CALL, lambda t: [USER, assistant(mapping(t))]),
    "key of block": (IN_A_CALL, lambda t: [USER, assistant(with_key("id", t, type="tool_use"))]),
    "caller.tool_id": (
        IN_A_CALL,
        lambda t: [USER, assistant(call("a", caller=shaped(tool_id=prop(t))))],
    ),
    "caller.__class__": (
        IN_A_CALL,
        lambda t: [USER, assistant(call("a", caller=shaped(__class__=prop(t))))],
    ),
    "caller[...]": (IN_A_CALL, lambda t: [USER, assistant(call("a", caller=mapping(t)))]),
    "key of caller": (
        IN_A_CALL,
        lambda t: [USER, assistant(call("a", caller=with_key("tool_id", t)))],
    ),
}
raising = pytest.mark.parametrize(("place", "hostile"), RAISING.values(), ids=RAISING)


def in_content(content: object) -> Any:
    return [USER, {"role": "user", "content": content}]


@raising
def test_an_exception_becomes_a_type_error_with_place_and_cause(
    place: str, hostile: Hostile
) -> None:
    for kind in (ValueError, OSError, RecursionError, MemoryError):
        error = kind("boom")
        with pytest.raises(TypeError) as raised:
            check_tool_pairing(hostile(throw(error)))
        assert str(raised.value) == f"{place} could not be read: {kind.__name__}: boom"
        assert raised.value.__cause__ is error


@raising
def test_what_is_no_ordinary_exception_goes_through_unchanged(place: str, hostile: Hostile) -> None:
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError):
        error = kind("boom")
        with pytest.raises(kind) as raised:
            check_tool_pairing(hostile(throw(error)))
        assert raised.value is error


@verbs
def test_every_verb_says_where_a_member_raised(verb: Callable[[Any], object]) -> None:
    error = ValueError("boom")
    with pytest.raises(TypeError, match=r"^messages\[1\] could not be read") as raised:
        verb([USER, shaped(role=prop(throw(error)))])
    assert raised.value.__cause__ is error


def test_an_error_that_cannot_be_printed_is_still_named() -> None:
    error: Exception = type("Mute", (Exception,), {"__str__": throw(ValueError("boom"))})()
    with pytest.raises(TypeError, match=r"^messages\[0\] could not be read: .*Mute") as raised:
        check_tool_pairing([shaped(role=prop(throw(error)))])
    assert raised.value.__cause__ is error


def test_an_error_whose_class_hides_its_name_is_no_panic() -> None:
    class Hiding(type):
        def __getattribute__(cls, name: str) -> Any:
            if name in {"__name__", "__qualname__"}:
                raise ValueError(name)
            return super().__getattribute__(name)

    error: Exception = Hiding("Hidden", (Exception,), {})("boom")
    with pytest.raises(TypeError, match=r"^messages\[0\] could not be read") as raised:
        check_tool_pairing([shaped(role=prop(throw(error)))])
    assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    "text",
    ["a\nb\n" * 1000, "x" * 10_000_000, "\ud800", "\x1b[31m"],
    ids=["lines", "long", "surrogate", "escape"],
)
def test_the_error_for_a_raising_member_is_one_printable_line(text: str) -> None:
    with pytest.raises(TypeError) as raised:
        check_tool_pairing([shaped(role=prop(throw(ValueError(text))))])
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 1000


def test_nothing_but_members_is_called() -> None:
    forbidden = throw(AssertionError("called"))
    named = dict.fromkeys(
        ["__bool__", "__eq__", "__hash__", "__repr__", "__str__", "__format__"], forbidden
    )
    text = type("Text", (str,), {**named, "__len__": forbidden, "__iter__": forbidden})
    tool_use = shaped(type=text("tool_use"), id=text("a"), name=text("f"), input={}, **named)
    answer = shaped(type=text("tool_result"), tool_use_id=text("a"), **named)
    history = [
        shaped(role=text("user"), content=text("q"), **named),
        shaped(role=text("assistant"), content=[tool_use], **named),
        shaped(role="user", content=(answer,), **named),
    ]
    assert slugs(history) == []
    assert len(trim_messages_safely(history, 1)) == 3


# --- lists that change while they are read -------------------------------------------------------


class Meddler:
    """A message and a block that does something when its member is read."""

    role = "user"

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    @property
    def content(self) -> str:
        self.act()
        return "q"

    @property
    def type(self) -> str:
        self.act()
        return "text"


MEDDLING: dict[str, Callable[[list[Any]], object]] = {
    "append": lambda items: items.append(items[0]),
    "insert": lambda items: items.insert(0, items[-1]),
    "extend": lambda items: items.extend(items * 100),
    "shorten": lambda items: items.pop(),
    "delete": lambda items: items.__delitem__(slice(1, None)),
    "clear": lambda items: items.clear(),
}
KEEPING: dict[str, Callable[[list[Any]], object]] = {
    "replace": lambda items: items.__setitem__(slice(None), [dict(USER) for _ in items]),
    "reverse": lambda items: items.reverse(),
    "pop and append": lambda items: items.append(items.pop(0)),
}


def change_lists_while_they_are_read() -> None:
    """In a child: prints what came of each change to the messages and to a content."""
    for name, act in {**MEDDLING, **KEEPING}.items():
        for at in (0, 5, 9):
            messages: list[Any] = [dict(USER) for _ in range(10)]
            messages[at] = Meddler(lambda act=act, items=messages: act(items))  # type: ignore[misc]
            print(name, "messages", outcome(messages))
            blocks: list[Any] = [{"type": "text", "text": "x"} for _ in range(10)]
            blocks[at] = Meddler(lambda act=act, items=blocks: act(items))  # type: ignore[misc]
            print(name, "content", outcome([USER, {"role": "user", "content": blocks}]))
    gc.collect()


def outcome(messages: list[Any]) -> str:
    try:
        check_tool_pairing(messages)
    except RuntimeError as error:
        return str(error)
    return "report"


def test_a_list_that_changes_its_length_while_it_is_read_is_a_runtime_error() -> None:
    lines = isolated(change_lists_while_they_are_read).splitlines()
    assert len(lines) == 2 * 3 * len({**MEDDLING, **KEEPING})
    for name in MEDDLING:
        said = {line for line in lines if line.startswith(f"{name} ")}
        assert said == {
            f"{name} messages messages changed while it was being read",
            f"{name} content messages[1].content changed while it was being read",
        }
    for name in KEEPING:
        said = {line for line in lines if line.startswith(f"{name} ")}
        assert said == {f"{name} messages report", f"{name} content report"}


def test_a_trim_holds_for_the_messages_that_it_read() -> None:
    messages: list[Any] = [USER, None, USER]
    messages[1] = Meddler(messages.clear)
    given = list(messages)
    assert [id(kept) for kept in trim_messages_safely(messages, 3)] == list(map(id, given))


# --- code that comes back in ---------------------------------------------------------------------


def test_a_member_may_check_another_history() -> None:
    seen: list[object] = []
    inner = Meddler(lambda: seen.append(slugs([assistant(call("a")), USER])))
    assert slugs([inner, USER]) == []
    assert seen == [["tool-use-without-result"]]


def test_a_member_may_append_to_the_tracker_that_reads_it() -> None:
    tracker = ToolPairingTracker()
    tracker.append(Meddler(lambda: tracker.append(assistant(call("a")))))
    assert [message.slug for message in tracker.report().violations] == ["tool-use-without-result"]
    tracker.extend([Meddler(lambda: tracker.extend([USER, USER])), USER])
    assert len(tracker) == 6


def reenter_for_ever() -> None:
    """In a child: members that read themselves again, without end."""
    tracker = ToolPairingTracker()
    looping: list[Any] = []
    looping.append(Meddler(lambda: check_tool_pairing(looping)))
    tracking = Meddler(lambda: tracker.append(tracking))
    for enter in (lambda: check_tool_pairing(looping), lambda: tracker.append(tracking)):
        try:
            enter()
        except TypeError as error:
            cause: BaseException = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
            print(type(cause).__name__)


def test_reentry_without_end_is_a_recursion_error_in_the_end() -> None:
    assert isolated(reenter_for_ever).split() == ["RecursionError", "RecursionError"]


def collect_while_a_tracker_reports() -> None:
    """In a child: an object in a cycle asks its tracker for its length when it is collected."""
    faulthandler.dump_traceback_later(10, exit=True)

    class Session:
        def __init__(self, tracker: ToolPairingTracker) -> None:
            self.me = self
            self.tracker = tracker

        def __del__(self) -> None:
            print(len(self.tracker), self.tracker.report().ok, self.tracker.pending)

    tracker = ToolPairingTracker()
    for _ in range(5000):
        tracker.append({"role": "odd", "content": None})
    gc.collect()
    gc.set_threshold(700, 10, 10)
    Session(tracker)
    tracker.report()
    gc.collect()


def test_a_finalizer_may_ask_a_tracker_that_is_reporting() -> None:
    """A report makes objects, so the collector may run, and with it any code of the caller's."""
    assert isolated(collect_while_a_tracker_reports).split() == ["5000", "False", "()"]


# --- nesting and cycles --------------------------------------------------------------------------


def nest(depth: int, leaf: object, wrap: Callable[[Any], object]) -> Any:
    for _ in range(depth):
        leaf = wrap(leaf)
    return leaf


def read_what_is_deep_or_holds_itself() -> None:
    """In a child: prints the slugs of each history."""
    deep_input = nest(100_000, {}, lambda inner: {"a": inner})
    deep_list = nest(100_000, [], lambda inner: [inner])
    deep_message = nest(100_000, USER, user)
    itself: Block = user()
    itself["content"].append(itself)
    looped: list[Any] = []
    looped.append(looped)
    told: Block = call("a")
    told["input"]["me"] = told["caller"] = told
    for history in (
        [USER, assistant(call("a", input=deep_input)), user(result("a", content=deep_list))],
        [USER, {"role": "user", "content": deep_list}],
        [deep_message],
        [itself],
        [{"role": "user", "content": looped}],
        [USER, assistant(told), user(result("a"))],
    ):
        plan_trim(history, 1)
        tracked(history)
        print(json.dumps(slugs(history)))


def test_depth_and_cycles_are_not_followed() -> None:
    lines = isolated(read_what_is_deep_or_holds_itself).splitlines()
    bad_block = ["malformed-content"]
    nested = ["block-not-allowed-in-result"]
    assert [json.loads(line) for line in lines] == [nested, *[bad_block] * 4, []]


def test_a_list_that_is_its_own_message_is_no_history() -> None:
    looped: list[Any] = []
    looped.append(looped)
    with pytest.raises(TypeError, match=r"^messages\[0\] is no message: list"):
        check_tool_pairing(looped)


# --- odd contents and blocks ---------------------------------------------------------------------

ODD_CONTENTS: dict[str, Any] = {
    "None": None,
    "int": 3,
    "bool": False,
    "bytes": b"text",
    "set": {1},
    "dict": {"type": "text"},
    "range": range(2),
    "generator": ({"type": "text"} for _ in range(1)),
    "iterator": iter([{"type": "text"}]),
    "type": list,
    "object": object(),
    "values": {"a": {"type": "text"}}.values(),
}


@pytest.mark.parametrize("content", ODD_CONTENTS.values(), ids=ODD_CONTENTS)
def test_odd_content_is_reported_at_its_message(content: object) -> None:
    found = check_tool_pairing([USER, {"role": "user", "content": content}]).violations
    assert [(v.slug, v.message_index, v.block_index) for v in found] == [
        ("malformed-content", 1, None)
    ]


ODD_BLOCKS: dict[str, Any] = {
    "None": None,
    "int": 3,
    "float": math.nan,
    "str": "text",
    "bytes": b"text",
    "list": [{"type": "text"}],
    "nested list": [[[]]],
    "tuple": ({"type": "text"},),
    "set": {"type"},
    "type": dict,
    "ellipsis": ...,
    "object": object(),
    "empty": {},
    "type None": {"type": None},
    "type int": {"type": 3},
    "type bytes": {"type": b"text"},
    "type list": {"type": ["text"]},
    "type nested list": {"type": [["text"]]},
    "type class": {"type": str},
    "keys of all kinds": {1: "type", b"type": "text", None: "text", ("type",): "text"},
}


@pytest.mark.parametrize("block", ODD_BLOCKS.values(), ids=ODD_BLOCKS)
def test_an_odd_block_is_reported_at_its_place(block: object) -> None:
    text = {"type": "text", "text": "x"}
    found = check_tool_pairing([USER, user(text, block, text)]).violations
    assert [(v.slug, v.severity, v.message_index, v.block_index) for v in found] == [
        ("malformed-content", "error", 1, 1)
    ]


# Strings that a printer, a hash or a decoder may stumble over.
ODD_TEXTS: dict[str, str] = {
    "empty": "",
    "space": " ",
    "NUL": "a\0b",
    "newline": "a\nb",
    "return": "a\rb",
    "next line": "a\x85b",
    "line separator": "a\u2028b",
    "paragraph separator": "a\u2029b",
    "escape": "\x1b[31m",
    "delete": "a\x7fb",
    "right to left": "\u202eabc\u202c",
    "zero width": "a\u200bb",
    "byte order mark": "\ufeffa",
    "quotes": "'\"`",
    "braces": "{id}{name}{}",
    "percent": "%s%(id)s",
    "accent": "é",
    "Chinese": "日本" * 50,
    "emoji": "😀",
    "lone surrogate": "\ud800",
    "pair of surrogates": "\ud83d\ude00",
    "private": "\ue000",
    "unassigned": "\U000e0fff",
    "long": "toolu_" + "x" * 200 + ".",
}
odd_texts = pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
NO_TEXTS: dict[str, Any] = {
    "None": None,
    "int": 3,
    "bool": True,
    "float": math.nan,
    "bytes": b"toolu_1",
    "list": [],
    "nested list": [["toolu_1"]],
    "dict": {},
    "type": str,
    "object": object(),
}


@pytest.mark.parametrize("id", NO_TEXTS.values(), ids=NO_TEXTS)
def test_an_id_that_is_no_string_is_malformed_and_pairs_with_nothing(id: object) -> None:
    report = check_tool_pairing([USER, assistant(call(id)), user(result(id)), USER])
    places = [(v.slug, v.message_index, v.block_index) for v in report.violations]
    assert places == [("malformed-tool-block", 1, 0), ("malformed-tool-block", 2, 0)]
    assert [v.tool_use_id for v in report.violations] == [None, None]
    assert toolpair.unpaired_tool_use_ids([USER, assistant(call(id))]) == []


@odd_texts
def test_an_odd_id_is_reported_where_it_stands_and_still_pairs(text: str) -> None:
    copied = "".join(list(text))
    found = check_tool_pairing([USER, assistant(call(text)), user(result(copied))]).violations
    assert [(v.slug, v.message_index, v.tool_use_id) for v in found] == [
        ("malformed-tool-use-id", 1, text),
        ("malformed-tool-use-id", 2, text),
    ]
    assert toolpair.unpaired_tool_use_ids([assistant(call(text))]) == [text]


@odd_texts
def test_an_odd_role_or_type_is_reported_once(text: str) -> None:
    assert slugs([USER, {"role": text, "content": "q"}]) == ["unknown-role"]
    found = check_tool_pairing([user({"type": text})]).violations
    assert [(v.slug, v.severity) for v in found] == [("malformed-content", "warning")]


@pytest.mark.parametrize("kind", [kind for kind in NO_TEXTS if kind != "None"])
def test_a_role_that_is_no_string_is_an_unknown_role(kind: str) -> None:
    assert slugs([USER, {"role": NO_TEXTS[kind], "content": "q"}]) == ["unknown-role"]


def test_a_role_that_is_no_string_is_not_quoted_as_if_it_were_one() -> None:
    (found,) = check_tool_pairing([USER, {"role": 3, "content": "q"}]).violations
    assert "'int'" not in found.text
    assert "int" in found.text


def test_ids_of_ten_megabytes() -> None:
    long = "x" * 10_000_000
    history = [USER, assistant(call(long)), user(result("".join(list(long))))]
    assert slugs(history) == []
    report = check_tool_pairing([USER, assistant(call(long + "!")), USER])
    assert [v.slug for v in report.violations] == [
        "tool-use-without-result",
        "malformed-tool-use-id",
    ]
    assert report.violations[0].tool_use_id == long + "!"
    assert len(str(report)) < 2000


class HostileText(str):
    """A string whose comparison and hash raise."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise ValueError("eq")

    def __ne__(self, other: object) -> bool:
        raise ValueError("ne")

    def __hash__(self) -> int:
        raise ValueError("hash")

    def __add__(self, other: str) -> str:
        raise ValueError("add")

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        raise ValueError("encode")

    def isascii(self) -> bool:
        raise ValueError("isascii")


def test_subclasses_of_str_cannot_lie() -> None:
    text = HostileText
    paired = [
        {"role": text("user"), "content": text("q")},
        {"role": text("assistant"), "content": [{**call(text("a")), "type": text("tool_use")}]},
        user({**result(text("a")), "type": text("tool_result")}),
    ]
    assert slugs(paired) == []
    (found,) = check_tool_pairing([USER, assistant(call(text("a"), name=text("é"))), USER]).errors
    assert str.__str__(found.tool_use_id) == "a"
    assert toolpair.unpaired_tool_use_ids([assistant(call(text("a")))]) == ["a"]
    assert slugs([{"role": text("odd"), "content": [{"type": text("odd")}]}]) == [
        "unknown-role",
        "malformed-content",
    ]


@pytest.mark.parametrize("key", [b"role", 0, None, (), math.nan])
def test_other_keys_do_not_matter(key: object) -> None:
    odd: dict[Any, Any] = {key: object(), **call("a")}
    assert slugs([{**USER, key: 1}, assistant(odd), {**user(result("a")), key: 1}]) == []


@pytest.mark.parametrize(
    "input",
    [{"x": math.nan}, {1: 2}, {"x": object()}, types.MappingProxyType({}), {"": set()}],
    ids=["NaN", "int key", "object", "proxy", "set"],
)
def test_what_stands_in_an_input_does_not_matter(input: object) -> None:
    assert slugs([USER, assistant(call("a", input=input)), user(result("a"))]) == []


@pytest.mark.parametrize(
    "input", [None, "{}", "", 3, True, math.nan, [], [{}], (), b"{}", {1}, dict], ids=str
)
def test_an_input_that_is_no_object_is_malformed(input: object) -> None:
    history = [USER, assistant(call("a", input=input)), user(result("a"))]
    assert slugs(history) == ["malformed-tool-block"]


def test_what_is_reported_does_not_depend_on_the_order_of_the_results() -> None:
    """Where messages are not joined, an assistant message stands between most calls and theirs."""
    ids = [f"{letter}{number}" for letter in "abc" for number in range(2)]
    turns = [assistant(*map(call, ids[at : at + 2])) for at in (0, 2, 4)]
    in_order, mixed = ids, [ids[at] for at in (0, 2, 4, 1, 3, 5)]
    reports = [
        check_tool_pairing([USER, *turns, user(*map(result, order))], endpoint="deepseek")
        for order in (in_order, mixed)
    ]
    places = [[(v.slug, v.message_index) for v in report.violations] for report in reports]
    assert places[0] == [("message-between-use-and-result", at) for at in (2, 3)]
    assert places[1] == places[0]


# --- reports that are printed --------------------------------------------------------------------


def odd_report(text: str) -> toolpair.Report:
    """A report that shows this text as an id, a name, a type and a role."""
    history = [
        {"role": text, "content": "q"},
        assistant(call(text, name=text)),
        user(result(text + "?"), {"type": text}, {"type": "text", "text": "x"}),
        assistant(call("b", name=text)),
    ]
    return check_tool_pairing(history)


@odd_texts
def test_a_violation_is_one_line(text: str) -> None:
    report = odd_report(text)
    rules = {found.code for found in report.violations}
    around = 3  # the summary, the line above the hints, and where to go on
    assert len(str(report).splitlines()) == around + len(report.violations) + len(rules)
    assert all(len(line) < 1500 for line in str(report).splitlines())


@odd_texts
def test_a_printed_report_holds_only_what_every_terminal_shows(text: str) -> None:
    """Nothing unprintable, and nothing that an ASCII stdout refuses."""
    for line in str(odd_report(text)).splitlines():
        assert line.isprintable(), ascii(line)
        assert line.isascii(), ascii(line)


def print_odd_reports() -> None:
    """In a child whose stdout takes ASCII only."""
    for text in ODD_TEXTS.values():
        report = odd_report(text)
        print(report)
        print(toolpair.ToolPairingError(report))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
def test_reports_can_be_printed_on_any_stdout(encoding: str) -> None:
    assert "TP301" in isolated(print_odd_reports, PYTHONIOENCODING=encoding)


def test_a_long_id_is_shortened_but_stays_readable() -> None:
    """Not as an escaped and quoted mixture: it is plain ASCII but for its length."""
    report = check_tool_pairing([USER, assistant(call("toolu_" + "x" * 100)), USER])
    line = str(report).splitlines()[1]
    assert "toolu_xxxxxxxx" in line
    assert "\\u2026" not in line
    assert "'toolu" not in line


def test_texts_of_the_rules_are_ascii() -> None:
    for rule in toolpair.RULES:
        assert str(rule).isascii()
        assert repr(rule).isascii()


# --- the values as values ------------------------------------------------------------------------

BROKEN = [USER, assistant(call("a"), call("b")), user(result("a"), result("\ud800"))]
VALUES: dict[str, Any] = {
    "report": check_tool_pairing(BROKEN),
    "violation": check_tool_pairing(BROKEN).violations[0],
    "place": check_tool_pairing(BROKEN).violations[0].place,
    "tool use": check_tool_pairing(BROKEN).pending[0],
    "rule": toolpair.RULES[0],
    "explanation": toolpair.explain("TP101"),
    "kept": plan_trim(BROKEN, 1).reasons[0],
}


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_can_be_copied_pickled_hashed_and_shown(value: Any) -> None:
    for copied in (
        copy.copy(value),
        copy.deepcopy(value),
        *(pickle.loads(pickle.dumps(value, n)) for n in range(2, 6)),  # noqa: S301
    ):
        assert copied == value
        assert hash(copied) == hash(value)
        assert repr(copied) == repr(value)
        assert str(copied) == str(value)
    assert value != object()
    field = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, None)


def test_a_plan_can_be_copied_and_pickled() -> None:
    plan = plan_trim(BROKEN, 1)
    assert copy.copy(plan) == plan
    assert copy.deepcopy(plan) == plan
    assert pickled(plan) == plan
    assert all(kept is given for kept, given in zip(copy.copy(plan).apply(), BROKEN, strict=True))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_errors_can_be_copied_and_pickled(copied: Callable[[Any], Any]) -> None:
    with pytest.raises(toolpair.ToolPairingError) as invalid:
        toolpair.validate_tool_pairing(BROKEN)
    with pytest.raises(toolpair.TrimError) as too_small:
        trim_messages_safely(BROKEN, max_messages=1)
    assert copied(invalid.value).report == invalid.value.report
    assert str(copied(invalid.value)) == str(invalid.value)
    assert copied(too_small.value).smallest == too_small.value.smallest == 3
    assert str(copied(too_small.value)) == str(too_small.value)


def test_a_copied_tracker_is_one_of_its_own_or_none() -> None:
    """What must not be: a copy that looks like one and feeds the original."""
    tracker = ToolPairingTracker()
    try:
        copied = copy.copy(tracker)
    except TypeError:
        return
    copied.append(USER)
    assert (len(copied), len(tracker)) == (1, 0)


# --- keywords ------------------------------------------------------------------------------------

LOST = [USER, assistant(call("a")), USER]


IGNORES: dict[str, Callable[[], Any]] = {
    "slug": lambda: "tool-use-without-result",
    "code": lambda: "TP101",
    "list": lambda: ["TP101"],
    "tuple": lambda: ("tool-use-without-result",),
    "set": lambda: {"TP101"},
    "dict": lambda: {"TP101": 1},
    "iterator": lambda: iter(["TP101", "TP101"]),
    "subclass of str": lambda: [HostileText("TP101")],
}


@pytest.mark.parametrize("kind", IGNORES)
def test_ignore_takes_one_name_or_many(kind: str) -> None:
    assert slugs(LOST, ignore=IGNORES[kind]()) == []


@pytest.mark.parametrize("name", ["", "TP", "tp101", "TP999", "TP101 ", "TP101,TP103", "\ud800"])
def test_ignore_refuses_a_name_that_means_nothing(name: str) -> None:
    for ignore in (name, [name], ["TP101", name]):
        with pytest.raises(ValueError, match=r"^ignore: no rule has the code or slug ") as raised:
            check_tool_pairing(LOST, ignore=ignore)
        assert str(raised.value).isprintable()


@pytest.mark.parametrize("ignore", [None, 1, [1], [None], b"TP101", [b"TP101"], [["TP101"]]])
def test_ignore_that_holds_no_names_is_a_type_error_that_says_ignore(ignore: Any) -> None:
    for ask in (check_tool_pairing, toolpair.validate_tool_pairing):
        with pytest.raises(TypeError, match="ignore"):
            ask(LOST, ignore=ignore)
    with pytest.raises(TypeError, match="ignore"):
        ToolPairingTracker(ignore=ignore)


ASKS: dict[str, Callable[..., object]] = {
    "check": lambda **options: check_tool_pairing(LOST, **options),
    "validate": lambda **options: toolpair.validate_tool_pairing([USER], **options),
    "trim": lambda **options: trim_messages_safely(LOST, **options),
    "plan": lambda **options: plan_trim(LOST, **options),
    "tracker": ToolPairingTracker,
}
asks = pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)


@asks
def test_an_unknown_endpoint_is_a_value_error_that_lists_them(ask: Callable[..., object]) -> None:
    for endpoint in ("", "Anthropic", "openai", "anthropic ", "a" * 10_000):
        with pytest.raises(ValueError, match="endpoint must be one of anthropic, "):
            ask(endpoint=endpoint)


@asks
def test_an_unprintable_endpoint_is_refused_in_the_same_words(ask: Callable[..., object]) -> None:
    for endpoint in ("a\nb", "\x1b[31m", "\ud800"):
        with pytest.raises(ValueError, match="endpoint must be one of anthropic, ") as raised:
            ask(endpoint=endpoint)
        assert str(raised.value).isprintable()


@asks
def test_an_endpoint_that_is_no_string_is_a_type_error_that_says_endpoint(
    ask: Callable[..., object],
) -> None:
    for endpoint in (None, 3, b"anthropic", ["anthropic"]):
        with pytest.raises(TypeError, match="endpoint"):
            ask(endpoint=endpoint)


@pytest.mark.parametrize("flag", [None, 1, "yes"])
@pytest.mark.parametrize(("keyword", "ask"), [("allow_pending", "check"), ("keep_task", "trim")])
def test_flags_that_are_no_bool_name_themselves(keyword: str, ask: str, flag: object) -> None:
    """Refused, or taken for their truth; but never refused without a name."""
    try:
        ASKS[ask](**{keyword: flag})
    except TypeError as error:
        assert keyword in " ".join([str(error), *getattr(error, "__notes__", ())])


class Index:
    """An integer of another library."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.parametrize("keyword", ["keep_recent", "max_messages"])
@pytest.mark.parametrize("number", [True, False, 1.0, math.nan, "3", b"4", [], {}, object()])
def test_a_number_that_is_no_integer_is_a_type_error(keyword: str, number: Any) -> None:
    for ask in (trim_messages_safely, plan_trim):
        with pytest.raises(TypeError, match=f"^{keyword} must be an integer, not "):
            ask(LOST, **{keyword: number})


def test_numbers_out_of_range() -> None:
    for number in (-1, -(10**30), Index(-1)):
        with pytest.raises(ValueError, match=r"^keep_recent must .*-1"):
            trim_messages_safely(LOST, number)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"^max_messages must .*-1"):
            trim_messages_safely(LOST, max_messages=number)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_messages"):
        trim_messages_safely(LOST, max_messages=0)
    with pytest.raises(ValueError, match=r"keep_recent=3 .*max_messages=2"):
        trim_messages_safely(LOST, 3, max_messages=2)


@pytest.mark.parametrize("number", [3, 2**31, 2**32, 2**64, 10**30, Index(10**30)])
def test_numbers_beyond_all_lists_keep_all(number: Any) -> None:
    assert trim_messages_safely(LOST, number) == LOST
    assert trim_messages_safely(LOST, max_messages=number) == LOST


def test_huge_numbers_are_told_as_given_and_compared_as_given() -> None:
    plan = plan_trim(LOST, 10**30, max_messages=10**31)
    assert (plan.asked, plan.max_messages) == (10**30, 10**31)
    with pytest.raises(ValueError, match="above the cap"):
        plan_trim(LOST, 10**31, max_messages=10**30)


def test_explain_takes_texts_and_exceptions_only() -> None:
    for error in (None, 3, b"TP101", ["TP101"], toolpair.RULES[0]):
        with pytest.raises(TypeError, match="explain takes a text or an exception, not"):
            toolpair.explain(error)  # type: ignore[arg-type]
    for text in ("", "\ud800", "x" * 1_000_000, "messages." * 100_000, "`" * 100_000):
        assert toolpair.explain(text).rule is None
    far = "messages.99999999999999999999.content.99999999999999999999: tool_use ids must be unique"
    explained = toolpair.explain(far)
    assert explained.rule is not None
    assert str(explained).isascii()


# --- signals -------------------------------------------------------------------------------------


def interrupt_checks_of_objects() -> None:
    """In a child: Ctrl-C at random moments of checks that take a while."""
    # Of more classes than anyone would remember, and in a list that is none.
    kinds = [type(f"Kind{number}", (SimpleNamespace,), {}) for number in range(64)]
    blocks = collections.deque(kind(type="text") for kind in kinds)
    history = [kinds[0](role="user", content=blocks)] * 500
    started = time.perf_counter()
    check_tool_pairing(history)
    took = time.perf_counter() - started
    for share in range(1, 11):
        signal.setitimer(signal.ITIMER_REAL, took * share / 40)
        try:
            check_tool_pairing(history)
            time.sleep(took)
            print("lost")
        except KeyboardInterrupt:
            print("interrupted")


def interrupt_a_check_of_dicts() -> None:
    """In a child: which share of a long check of plain dicts was run when Ctrl-C was heard."""
    history = [USER] * 5_000_000
    started = time.perf_counter()
    check_tool_pairing(history)
    took = time.perf_counter() - started
    signal.setitimer(signal.ITIMER_REAL, took / 10)
    started = time.perf_counter()
    try:
        check_tool_pairing(history)
    except KeyboardInterrupt:
        print((time.perf_counter() - started) / took)


def on_alarm(child: Callable[[], object]) -> None:
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    child()


def interrupted_objects() -> None:
    on_alarm(interrupt_checks_of_objects)


def interrupted_dicts() -> None:
    on_alarm(interrupt_a_check_of_dicts)


needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


@needs_timer
def test_an_interrupt_is_never_lost() -> None:
    assert isolated(interrupted_objects).split() == ["interrupted"] * 10


@needs_timer
def test_a_long_check_can_be_interrupted() -> None:
    assert float(isolated(interrupted_dicts)) < 0.6


# --- other interpreters --------------------------------------------------------------------------


def import_in_a_subinterpreter() -> None:
    """In a child: works, or is refused with an ImportError."""
    code = "import toolpair; assert not toolpair.check_tool_pairing([]).ok"
    try:
        import _xxsubinterpreters as interpreters  # type: ignore[import-not-found]
    except ImportError:
        print("none here")
        return
    other = interpreters.create()
    try:
        interpreters.run_string(other, code)
        print("works")
    except interpreters.RunFailedError as error:
        print("refused" if "ImportError" in str(error) else error)
    interpreters.destroy(other)


def test_a_subinterpreter_works_or_is_refused() -> None:
    assert isolated(import_in_a_subinterpreter).strip() in {"works", "refused", "none here"}


def test_namespaces_of_raising_parts_do_not_shadow_each_other() -> None:
    """Two faults in one history: the first in the order of the list is the one that is told."""
    first, second = ValueError("first"), ValueError("second")
    history: list[Any] = [
        SimpleNamespace(role="user", content="q"),
        shaped(role="user", content=prop(throw(first))),
        shaped(role="user", content=prop(throw(second))),
    ]
    with pytest.raises(TypeError, match=r"^messages\[1\]") as raised:
        check_tool_pairing(history)
    assert raised.value.__cause__ is first
