"""Whatever form a message, a block or a string comes in, it is read as its dict would be."""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import json
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, TypedDict

import anthropic
import httpx2
import pydantic
import pytest
import typing_extensions
from anthropic import types
from anthropic.types import beta
from histories import TEXT, assistant, call, result, server_call, server_result, user

import toolpair
from toolpair import check_tool_pairing, plan_trim, trim_messages_safely, unpaired_tool_use_ids

Block = dict[str, Any]
History = list[Any]
USER = {"role": "user", "content": "q"}


# --- forms of messages and blocks ----------------------------------------------------------------


class SubclassOfDict(dict[str, Any]):
    """A dict that would look up in its own way."""

    def __missing__(self, key: str) -> None:
        self[key] = None


class OwnMapping(Mapping[str, Any]):
    """A mapping that is no dict, like those of databases and configurations."""

    def __init__(self, members: Block) -> None:
        self.members = members

    def __getitem__(self, key: str) -> Any:
        return self.members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)


class Message(TypedDict, total=False):
    """As type checkers know it: at run time a plain dict."""

    role: str
    content: Any


class Loose(pydantic.BaseModel, extra="allow"):
    """Members that the model does not declare."""


class Declared(pydantic.BaseModel):
    """Members that the model declares, None where they are absent."""

    role: Any = None
    content: Any = None
    output_config: Any = None
    type: Any = None
    id: Any = None
    tool_use_id: Any = None
    name: Any = None
    input: Any = None
    caller: Any = None
    toolset_name: Any = None
    tool_id: Any = None
    text: Any = None
    thinking: Any = None
    signature: Any = None
    query: Any = None


NAMES = list(Declared.model_fields)
Plain = dataclasses.make_dataclass("Plain", [(name, object, None) for name in NAMES])
Frozen = dataclasses.make_dataclass(
    "Frozen", [(name, object, None) for name in NAMES], slots=True, frozen=True
)


class Slotted:
    """Only the members that were given; the others are unset slots."""

    __slots__ = (*NAMES, "__weakref__")

    def __init__(self, **members: object) -> None:
        for name, value in members.items():
            setattr(self, name, value)


class Asked:
    """Members that exist only when asked for."""

    def __init__(self, **members: object) -> None:
        self._members = members

    def __getattr__(self, name: str) -> object:
        try:
            return self.__dict__["_members"][name]
        except KeyError:
            raise AttributeError(name) from None


def computed(**members: object) -> Any:
    """An object of properties."""
    getters = {
        name: property(functools.partial(lambda value, _: value, value))
        for name, value in members.items()
    }
    return type("Computed", (), {"__slots__": (), **getters})()


def constants(**members: object) -> Any:
    """An object whose members are those of its class."""
    return type("Constants", (), members)()


def cached(**members: object) -> Any:
    """An object of cached properties."""
    made = type("Cached", (), {})
    for name, value in members.items():
        getter = functools.cached_property(functools.partial(lambda value, _: value, value))
        getter.__set_name__(made, name)
        setattr(made, name, getter)
    return made()


FORMS: dict[str, Callable[[Block], Any]] = {
    "dict": dict,
    "subclass of dict": SubclassOfDict,
    "OrderedDict": collections.OrderedDict,
    "defaultdict": lambda members: collections.defaultdict(list, members),
    "TypedDict": lambda members: Message(**members),  # type: ignore[typeddict-item]
    "MappingProxyType": MappingProxyType,
    "ChainMap": lambda members: collections.ChainMap({}, members),
    "UserDict": collections.UserDict,
    "own mapping": OwnMapping,
    "SimpleNamespace": lambda members: SimpleNamespace(**members),
    "dataclass": lambda members: Plain(**members),
    "frozen slotted dataclass": lambda members: Frozen(**members),
    "slots": lambda members: Slotted(**members),
    "properties": lambda members: computed(**members),
    "cached properties": lambda members: cached(**members),
    "class attributes": lambda members: constants(**members),
    "__getattr__": lambda members: Asked(**members),
    "pydantic, declared": lambda members: Declared(**members),
    "pydantic, extra": lambda members: Loose(**members),
    "pydantic, constructed": lambda members: Declared.model_construct(**members),
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def formed(history: History, form: Callable[[Block], Any]) -> History:
    """The history with each message, block, input and caller in this form."""

    def of_block(block: Any) -> Any:
        if not isinstance(block, dict):
            return block
        inner = {
            name: form(value) if name in {"input", "caller"} and isinstance(value, dict) else value
            for name, value in block.items()
        }
        return form(inner)

    def of_message(message: Any) -> Any:
        content = message.get("content")
        if not isinstance(content, list):
            return form(message)
        return form({**message, "content": [of_block(block) for block in content]})

    return [of_message(message) for message in history]


def valid() -> History:
    ask = call("toolu_2", name="g", toolset_name="computer")
    made = call("toolu_3", caller={"type": "code_execution", "tool_id": "srvtoolu_2"})
    return [
        USER,
        {"role": "system", "content": "s"},
        assistant(TEXT, server_call("srvtoolu_1"), server_result("srvtoolu_1"), TEXT),
        {"role": "user", "content": [TEXT]},
        assistant(call("toolu_1"), ask),
        user(result("toolu_1"), result("toolu_2", toolset_name="computer"), TEXT),
        {"role": "system", "content": [], "output_config": {"effort": "low"}},
        assistant(server_call("srvtoolu_2", "code_execution"), made),
        user(result("toolu_3")),
        assistant(server_result("srvtoolu_2", "code_execution"), TEXT),
    ]


def broken() -> History:
    odd_caller = call("toolu_5", caller={"type": "code_execution", "tool_id": "no"})
    return [
        {"role": "user", "content": ""},
        assistant(call("toolu_1"), call("toolu_1"), TEXT),
        {"role": "user", "content": [TEXT, result("toolu_1"), result("nothing"), None, {}, 3]},
        {"role": "tool", "content": [result("toolu_1")]},
        {"role": "assistant"},
        {"role": "assistant", "content": {"type": "text"}},
        assistant(call("toolu_2", toolset_name="computer"), call("", input="{}"), odd_caller),
        user(result("toolu_2", toolset_name="browser"), {"type": "image_url"}, {"type": "new"}),
        {"role": "critic", "content": [call("bad id")]},
        {"role": "user", "content": [result(None), server_result("srvtoolu_1")]},
        assistant(server_call("toolu_9"), call("toolu_3", name=None)),
    ]


HISTORIES = {"valid": valid, "broken": broken}
histories = pytest.mark.parametrize("make", HISTORIES.values(), ids=HISTORIES)
endpoints = pytest.mark.parametrize("endpoint", ["anthropic", "deepseek", "strict"])


def test_the_histories_show_what_they_are_for() -> None:
    assert check_tool_pairing(valid()).violations == ()
    assert len({found.slug for found in check_tool_pairing(broken()).violations}) >= 13


@forms
@histories
@endpoints
def test_every_form_gives_the_report_of_the_dict(
    form: Callable[[Block], Any], make: Callable[[], History], endpoint: Any
) -> None:
    history = formed(make(), form)
    expected = check_tool_pairing(make(), endpoint=endpoint)
    assert check_tool_pairing(history, endpoint=endpoint) == expected
    assert unpaired_tool_use_ids(history) == unpaired_tool_use_ids(make())
    assert tuple(toolpair.pending_tool_uses(history)) == expected.pending
    tracker = toolpair.ToolPairingTracker(endpoint=endpoint)
    tracker.extend(history)
    assert tracker.report() == expected


@forms
@histories
def test_a_trim_gives_back_the_same_objects_of_any_form(
    form: Callable[[Block], Any], make: Callable[[], History]
) -> None:
    history = formed(make(), form)
    for keep in range(len(history) + 1):
        expected = plan_trim(make(), keep)
        plan = plan_trim(history, keep)
        assert plan.kept_indices == expected.kept_indices
        kept = [id(history[index]) for index in plan.kept_indices]
        assert list(map(id, plan.apply())) == kept
        assert list(map(id, trim_messages_safely(history, keep))) == kept


@forms
def test_forms_may_be_mixed(form: Callable[[Block], Any]) -> None:
    history = broken()
    mixed = [
        message if at % 2 else new
        for at, (message, new) in enumerate(zip(history, formed(history, form), strict=True))
    ]
    assert check_tool_pairing(mixed) == check_tool_pairing(history)


CALLER = {"type": "code_execution_20250825", "tool_id": "not of the server"}
HALF_CALLS: dict[str, Block] = {
    "no name": {"type": "tool_use", "id": "toolu_1", "input": {}, "caller": CALLER},
    "no id": {"type": "tool_use", "name": "f", "input": {}, "caller": CALLER},
    "no input": {"type": "tool_use", "id": "toolu_1", "name": "f", "caller": CALLER},
}


@pytest.mark.parametrize("block", HALF_CALLS.values(), ids=HALF_CALLS)
def test_a_half_call_is_told_the_same_in_every_form(block: Block) -> None:
    """A dict as long as a whole call is looked into as far as any other form."""
    history = [USER, assistant(block), user(result("toolu_1"))]
    reports = {name: check_tool_pairing(formed(history, form)) for name, form in FORMS.items()}
    expected = reports["properties"]
    assert {name for name, report in reports.items() if report != expected} == set()


@forms
def test_none_is_as_good_as_absent(form: Callable[[Block], Any]) -> None:
    blank = dict.fromkeys(["caller", "toolset_name"])
    history = [
        USER,
        assistant({**call("toolu_1"), **blank}),
        user({**result("toolu_1"), **blank}),
    ]
    del history[2]["content"][0]["content"]
    assert check_tool_pairing(formed(history, form)).violations == ()
    missing = [{"role": "user", "content": None}]
    assert check_tool_pairing(formed(missing, form)) == check_tool_pairing([{"role": "user"}])


@forms
def test_a_form_without_a_role_is_no_message(form: Callable[[Block], Any]) -> None:
    message = form({"content": "q"})
    if getattr(message, "role", message) is None:
        (found,) = check_tool_pairing([USER, message]).violations
        assert (found.slug, found.message_index) == ("unknown-role", 1)
        return
    with pytest.raises(TypeError, match=r"^messages\[1\] is no message: \w+ without a role$"):
        check_tool_pairing([USER, message])


def test_a_named_tuple_is_no_message_and_the_error_says_why() -> None:
    """JSON makes a list of it. But it has a role: to deny that would mislead."""

    class Turn(NamedTuple):
        role: str
        content: str

    with pytest.raises(TypeError, match=r"^messages\[0\] is no message: .*tuple"):
        check_tool_pairing([Turn("user", "q")])


# --- what reading does not do --------------------------------------------------------------------


def test_reading_makes_no_keys_in_dicts_that_make_them() -> None:
    for form in (FORMS["defaultdict"], FORMS["subclass of dict"]):
        history = formed(broken(), form)
        before = copy.deepcopy(history)
        for endpoint in ("anthropic", "strict"):
            check_tool_pairing(history, endpoint=endpoint)
        trim_messages_safely(history, 1)
        assert history == before


def test_reading_makes_no_keys_in_mappings_that_make_them() -> None:
    class Growing(collections.UserDict[str, Any]):
        def __missing__(self, key: str) -> None:
            self.data[key] = None

    history = formed(valid(), Growing)
    before = copy.deepcopy(history)
    check_tool_pairing(history)
    assert history == before


def test_each_member_is_read_once_and_no_other() -> None:
    reads: collections.Counter[tuple[int, str]] = collections.Counter()

    class Counting:
        def __init__(self, **members: object) -> None:
            self.members = members

        def __getattr__(self, name: str) -> object:
            reads[id(self), name] += 1
            try:
                return self.__dict__["members"][name]
            except KeyError:
                raise AttributeError(name) from None

    history = formed(valid(), lambda members: Counting(**members))
    check_tool_pairing(history)
    assert max(reads.values()) == 1
    message = {"role", "content", "clear_at", "output_config"}
    pairing = {"id", "name", "input", "caller", "toolset_name", "tool_id", "tool_use_id"}
    block = {"type", "text", "is_error", "cache_control"}
    assert {name for _, name in reads} == message | pairing | block


# --- objects that have their own idea of attributes ----------------------------------------------


class Lowered:
    """A descriptor that keeps one value in the object's dict and shows another, as fields do."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, object: Any, owner: type) -> Any:
        return object.__dict__[self.name].lower()

    def __set__(self, object: Any, value: str) -> None:
        object.__dict__[self.name] = value


def test_a_descriptor_goes_before_what_the_object_holds() -> None:
    """`message.role` is "user" to everyone who asks."""

    class Row:
        role = Lowered()

        def __init__(self, role: str, content: object) -> None:
            self.role = role
            self.content = content

    row = Row("USER", "q")
    assert (row.role, row.__dict__["role"]) == ("user", "USER")
    assert check_tool_pairing([row]).violations == ()


def test_an_object_may_intercept_all_its_attributes() -> None:
    class Translated:
        def __init__(self, **members: object) -> None:
            self.__dict__.update(members)

        def __getattribute__(self, name: str) -> Any:
            value = super().__getattribute__(name)
            return (
                {"human": "user", "ai": "assistant"}.get(value, value) if name == "role" else value
            )

    assert check_tool_pairing([Translated(role="human", content="q")]).violations == ()


def test_an_attribute_of_the_object_goes_before_that_of_its_class() -> None:
    class Said:
        role = "nobody"
        content: Any = None

    said = Said()
    said.role, said.content = "user", "q"
    assert check_tool_pairing([said]).violations == ()


def test_an_object_that_pretends_to_be_a_mapping_is_read_as_one() -> None:
    class Holding:
        def __init__(self, members: Block) -> None:
            self.members = members

        def __getitem__(self, key: str) -> Any:
            return self.members[key]

    pretending = type("Pretending", (Holding,), {"__class__": property(lambda _: dict)})
    assert check_tool_pairing([pretending({"role": "user", "content": "q"})]).violations == ()


class Proxy:
    """Stands for any other object, as lazy objects and wrappers of tracers do."""

    def __init__(self, wrapped: object) -> None:
        self._wrapped = wrapped

    def __getattribute__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_wrapped"), name)

    def __getitem__(self, key: str) -> Any:
        return object.__getattribute__(self, "_wrapped")[key]


def test_objects_of_one_class_may_stand_for_different_things() -> None:
    """A proxy is a mapping where it stands for one, whatever the proxy before it stood for."""
    for make in HISTORIES.values():
        forms = [FORMS["own mapping"], FORMS["slots"], dict, FORMS["slots"]]
        formed_by = [formed(make(), form) for form in forms]
        mixed = [Proxy(formed_by[at % 4][at]) for at in range(len(make()))]
        assert check_tool_pairing(mixed) == check_tool_pairing(make())


# --- sequences -----------------------------------------------------------------------------------


class SubclassOfList(list[Any]):
    """A list as an ORM gives it."""


class OwnSequence(Sequence[Any]):
    """A sequence that is no list."""

    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


class Collection:
    """Something that can be counted and read again and again, but not indexed."""

    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


SEQUENCES: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "subclass of list": SubclassOfList,
    "tuple": tuple,
    "deque": collections.deque,
    "UserList": collections.UserList,
    "own sequence": OwnSequence,
}
MORE: dict[str, Callable[[Any], Any]] = {
    "collection": Collection,
    "values of a dict": lambda items: dict(enumerate(items)).values(),
}


@pytest.mark.parametrize("sequence", [*SEQUENCES.values(), *MORE.values()], ids=[*SEQUENCES, *MORE])
@histories
def test_messages_may_be_any_sequence(
    sequence: Callable[[Any], Any], make: Callable[[], History]
) -> None:
    history = make()
    messages = sequence(history)
    assert check_tool_pairing(messages) == check_tool_pairing(history)
    assert unpaired_tool_use_ids(messages) == unpaired_tool_use_ids(history)
    trimmed = trim_messages_safely(messages, 2)
    assert type(trimmed) is list
    assert list(map(id, trimmed)) == list(map(id, trim_messages_safely(history, 2)))
    tracker = toolpair.ToolPairingTracker()
    tracker.extend(messages)
    assert tracker.report() == check_tool_pairing(history)


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
@histories
def test_content_may_be_any_sequence(
    sequence: Callable[[Any], Any], make: Callable[[], History]
) -> None:
    history = [
        {**message, "content": sequence(message["content"])}
        if isinstance(message.get("content"), list)
        else message
        for message in make()
    ]
    assert check_tool_pairing(history) == check_tool_pairing(make())


def test_sequences_that_make_their_elements_anew_are_trimmed_to_what_was_read() -> None:
    class Lazy(OwnSequence):
        def __getitem__(self, index: Any) -> Any:
            return dict(self.items[index])

    lazy = Lazy(valid())
    plan = plan_trim(lazy, 1)
    assert plan.apply() == [valid()[index] for index in plan.kept_indices]
    assert all(one is other for one, other in zip(plan.apply(), plan.apply(), strict=True))


# --- strings -------------------------------------------------------------------------------------


class Text(str):
    """A subclass of str that prints as something else."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"

    __repr__ = __str__


def text_enum(text: str) -> Any:
    make: Any = enum.Enum
    return make("Word", {"WORD": text}, type=str).WORD


STRINGS: dict[str, Callable[[str], Any]] = {"subclass": Text, "Enum": text_enum}
if sys.version_info >= (3, 11):
    STRINGS["StrEnum"] = lambda text: enum.StrEnum("Word", {"WORD": text})["WORD"]
strings = pytest.mark.parametrize("string", STRINGS.values(), ids=STRINGS)


def with_strings(value: Any, string: Callable[[str], Any]) -> Any:
    """The value with each string in it replaced."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, dict):
        return {key: with_strings(inner, string) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_strings(inner, string) for inner in value]
    return value


@strings
@histories
def test_any_kind_of_str_is_read_as_its_characters(
    string: Callable[[str], Any], make: Callable[[], History]
) -> None:
    history = with_strings(make(), string)
    expected = check_tool_pairing(make())
    report = check_tool_pairing(history)
    assert report == expected
    assert str(report) == str(expected)
    assert repr(report) == repr(expected)
    assert unpaired_tool_use_ids(history) == unpaired_tool_use_ids(make())
    assert plan_trim(history, 1).kept_indices == plan_trim(make(), 1).kept_indices


@strings
def test_keys_may_be_any_kind_of_str(string: Callable[[str], Any]) -> None:
    """A key is found by its hash and equality, which an Enum has in common with its string."""
    message = {string(name): value for name, value in USER.items()}
    assert check_tool_pairing([message]).violations == ()


@strings
def test_keywords_may_be_any_kind_of_str(string: Callable[[str], Any]) -> None:
    lost = [USER, assistant(call("a")), USER]
    assert check_tool_pairing(lost, ignore=string("TP101")).violations == ()
    assert check_tool_pairing(lost, ignore=[string("tool-use-without-result")]).violations == ()
    report = check_tool_pairing(lost, endpoint=string("deepseek"))
    assert report == check_tool_pairing(lost, endpoint="deepseek")
    assert str(report) == str(check_tool_pairing(lost, endpoint="deepseek"))
    assert toolpair.explain(string("TP101")).rule is not None


def test_an_enum_that_is_no_str_is_no_string() -> None:
    class Role(enum.Enum):
        USER = "user"

    (found,) = check_tool_pairing([{"role": Role.USER, "content": "q"}]).violations
    assert found.slug == "unknown-role"


# --- the anthropic SDK ---------------------------------------------------------------------------

USAGE = {"input_tokens": 1, "output_tokens": 1}
REPLY: Block = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": USAGE,
    "content": [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "x", "citations": None},
        {
            "type": "server_tool_use",
            "id": "srvtoolu_1",
            "name": "web_search",
            "input": {"query": "x"},
        },
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {}},
        {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "f",
            "input": {"a": [1]},
            "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_2"},
        },
        {
            "type": "tool_use",
            "id": "toolu_2",
            "name": "g",
            "input": {},
            "caller": {"type": "direct"},
        },
    ],
}
BETA_REPLY: Block = {
    **REPLY,
    "content": [
        *REPLY["content"],
        {
            "type": "mcp_tool_use",
            "id": "mcptoolu_1",
            "name": "h",
            "server_name": "s",
            "input": {},
        },
        {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": []},
        {"type": "compaction", "content": "c"},
    ],
}
RESPONSES: dict[str, tuple[type[pydantic.BaseModel], Block]] = {
    "Message": (types.Message, REPLY),
    "BetaMessage": (beta.BetaMessage, BETA_REPLY),
    "ParsedMessage": (types.ParsedMessage, REPLY),
}
responses = pytest.mark.parametrize(("model", "reply"), RESPONSES.values(), ids=RESPONSES)


def around(reply: Any) -> History:
    return [USER, reply, user(result("toolu_1"), result("toolu_2"), result("toolu_3"))]


@responses
def test_a_response_is_a_message_and_its_content_is_a_content(
    model: type[pydantic.BaseModel], reply: Block
) -> None:
    expected = check_tool_pairing(around(reply))
    assert "orphan-tool-result" in {found.slug for found in expected.violations}
    response: Any = model.model_validate(reply)
    for message in (
        response,
        {"role": "assistant", "content": response.content},
        {"role": response.role, "content": tuple(response.content)},
        {"role": "assistant", "content": [*reply["content"][:4], *response.content[4:]]},
        model.model_construct(**reply),
        response.model_copy(),
        copy.deepcopy(response),
        response.to_dict(),
        response.model_dump(),
        json.loads(response.to_json()),
    ):
        assert check_tool_pairing(around(message)) == expected
        assert trim_messages_safely(around(message), 1)[1] is message


def test_a_response_alone_is_no_history_and_the_hint_is_not_to_list_it() -> None:
    response: Any = types.Message.model_validate(REPLY)
    with pytest.raises(TypeError, match=r"^messages must be a list of messages, not Message") as no:
        check_tool_pairing(response)
    assert "list(messages)" not in str(no.value)


def kinds_of(union: Any) -> set[str]:
    """The `type`s of a union of the SDK's classes."""
    if isinstance(union, type) and issubclass(union, pydantic.BaseModel):
        return set(typing.get_args(union.model_fields["type"].annotation))
    if isinstance(union, type):
        return set(typing.get_args(typing_extensions.get_type_hints(union).get("type")))
    return {kind for part in typing.get_args(union) for kind in kinds_of(part)}


@pytest.mark.parametrize(
    ("union", "role"),
    [
        (types.ContentBlock, "assistant"),
        (beta.BetaContentBlock, "assistant"),
        (types.ContentBlockParam, "user"),
        (beta.BetaContentBlockParam, "user"),
    ],
    ids=["block", "beta block", "param", "beta param"],
)
def test_every_block_type_of_the_sdk_is_known(union: Any, role: str) -> None:
    """By the classes of the SDK that is installed: none is unknown or of another API."""
    kinds = kinds_of(union)
    assert {"text", "tool_use", "server_tool_use", "web_search_tool_result"} < kinds
    content = [{"type": kind} for kind in sorted(kinds)]
    found = check_tool_pairing([{"role": role, "content": content}]).violations
    assert {violation.text for violation in found if violation.slug == "malformed-content"} == set()


EVENTS: list[Block] = [
    {"type": "message_start", "message": {**REPLY, "content": [], "stop_reason": None}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": ""},
    },
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"a": '},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": "[1]}"},
    },
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 5},
    },
    {"type": "message_stop"},
]


@pytest.fixture
def client() -> Iterator[anthropic.Anthropic]:
    """An SDK client whose server streams one call."""
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS]

    def serve(request: httpx2.Request) -> httpx2.Response:
        head = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=head, content="".join(lines).encode())

    with httpx2.Client(transport=httpx2.MockTransport(serve)) as http:
        yield anthropic.Anthropic(api_key="none", base_url="http://localhost", http_client=http)


@pytest.mark.parametrize("is_beta", [False, True], ids=["messages", "beta"])
def test_a_streamed_message_is_read_at_every_moment(
    client: anthropic.Anthropic, is_beta: bool
) -> None:
    messages: Any = client.beta.messages if is_beta else client.messages
    pending = set()
    with messages.stream(max_tokens=9, model="claude", messages=[USER]) as stream:
        for _ in stream:
            snapshot = stream.current_message_snapshot
            report = check_tool_pairing([USER, snapshot], allow_pending=True)
            # A text begins empty.
            assert {found.slug for found in report.errors} <= {"empty-text-block"}
            pending.add(tuple(use.id for use in report.pending))
        final = stream.get_final_message()
    assert pending == {(), ("toolu_1",)}
    report = check_tool_pairing([USER, final])
    assert [found.slug for found in report.violations] == ["pending-tool-use"]
    assert check_tool_pairing([USER, final, user(result("toolu_1"))]).violations == ()
    assert final.content[1].input == {"a": [1]}


def test_many_objects_of_a_class_whose_dict_is_a_property() -> None:
    class Turn:
        role = "user"
        content = "q"

        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise LookupError("nobody needs it")

    assert toolpair.check_tool_pairing([Turn() for _ in range(100)]).ok
