"""A whole request: a mapping, or its JSON in bytes or in a string. All give one report."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, get_args

import pytest
from histories import History, assistant, call, result, user, valid_histories, wild_histories
from hypothesis import example, given
from hypothesis import strategies as st

import toolpair
from toolpair import check_request, check_tool_pairing, validate_request

USER = {"role": "user", "content": "q"}
REQUEST: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    "messages": [USER, assistant(call("toolu_1")), user(result("toolu_2")), USER],
}
BODY = json.dumps(REQUEST)


def slugs(report: toolpair.Report) -> list[str]:
    return [found.slug for found in report.violations]


# --- one report, whatever the form ---------------------------------------------------------------


class OwnMapping(Mapping[str, Any]):
    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    def __getitem__(self, key: str) -> Any:
        return self.members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)


class OwnBytes(bytes):
    pass


class OwnText(str):
    __slots__ = ()

    def encode(self, *_: object) -> bytes:
        return b"[]"


FORMS: dict[str, Callable[[], Any]] = {
    "dict": lambda: REQUEST,
    "OrderedDict": lambda: OrderedDict(REQUEST),
    "UserDict": lambda: UserDict(REQUEST),
    "MappingProxyType": lambda: MappingProxyType(REQUEST),
    "own mapping": lambda: OwnMapping(REQUEST),
    "str": lambda: BODY,
    "subclass of str": lambda: OwnText(BODY),
    "bytes": BODY.encode,
    "subclass of bytes": lambda: OwnBytes(BODY.encode()),
    "bytearray": lambda: bytearray(BODY.encode()),
    "indented": lambda: json.dumps(REQUEST, indent=1),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_gives_the_report_of_the_messages(form: Callable[[], Any]) -> None:
    expected = check_tool_pairing(REQUEST["messages"])
    assert slugs(expected) == ["tool-use-without-result", "orphan-tool-result"]
    assert check_request(form()) == expected
    with pytest.raises(toolpair.ToolPairingError) as raised:
        validate_request(form())
    assert raised.value.report == expected


def told_in_json(message: Any) -> bool:
    """JSON tells another type of value by another name than Python does."""
    return isinstance(message.get("role"), str)


REQUESTS = st.fixed_dictionaries(
    {"messages": st.one_of(wild_histories(), valid_histories(leading_system=True))},
    optional={
        "model": st.sampled_from(["claude-sonnet-4-5", "claude-opus-5-5", "another", ""]),
        "thinking": st.sampled_from([{"type": t} for t in ("enabled", "adaptive", "disabled")]),
        "tools": st.sampled_from([None, [], [{"name": "f"}], [{"type": "web_search_20250305"}]]),
        "container": st.sampled_from([None, "container_1"]),
        "betas": st.sampled_from([[], ["compact-2026-09-04"]]),
    },
)
ENDPOINTS = st.sampled_from(get_args(toolpair.Endpoint))


@given(REQUESTS, ENDPOINTS, st.booleans())
@example({"messages": []}, "anthropic", False)
@example({"messages": [{"role": "\u00e9", "content": [call("\U0001f600")]}]}, "strict", True)
def test_json_is_judged_as_its_objects(
    request: dict[str, Any], endpoint: Any, allow_pending: bool
) -> None:
    messages: History = request["messages"]
    keywords: dict[str, Any] = {"endpoint": endpoint, "allow_pending": allow_pending}
    expected = check_request(request, **keywords)
    context = {name: value for name, value in request.items() if name != "messages"}
    assert check_tool_pairing(messages, context=context, **keywords) == expected
    if not all(map(told_in_json, messages)):
        return
    for ensure_ascii in (True, False):
        body = json.dumps(request, ensure_ascii=ensure_ascii)
        assert check_request(body, **keywords) == expected
        assert check_request(body.encode(), **keywords) == expected


def test_the_keywords_are_those_of_check() -> None:
    assert slugs(check_request(BODY, ignore="TP101")) == ["orphan-tool-result"]
    assert slugs(check_request(BODY, ignore=["TP101", "orphan-tool-result"])) == []
    pending = {"messages": REQUEST["messages"][:2]}
    for request in (pending, json.dumps(pending)):
        assert slugs(check_request(request)) == ["pending-tool-use"]
        report = check_request(request, allow_pending=True)
        assert (report.ok, [use.id for use in report.pending]) == (True, ["toolu_1"])
        validate_request(request, allow_pending=True)
    assert check_request(BODY, endpoint="kimi").endpoint == "kimi"
    for keyword in ("ignore", "select"):
        with pytest.raises(ValueError, match=f"^{keyword}: no rule has the code or slug 'TP999'$"):
            check_request(BODY, **{keyword: "TP999"})  # type: ignore[arg-type]


def test_unknown_members_are_told_of_json_and_of_objects_alike() -> None:
    message = {
        **USER,
        "zeta": 1,
        "alpha": 2,
        "content": [{"type": "text", "text": "q", "index": 0}],
    }
    request = {"messages": [message]}
    expected = check_request(request, select="unknown-member")
    assert slugs(expected) == ["unknown-member"] * 3
    assert check_request(json.dumps(request), select="unknown-member") == expected
    assert check_request(OwnMapping(request), select="unknown-member") == expected
    assert check_request({"messages": [OwnMapping(message)]}, select="TP005") == expected
    tracker = toolpair.ToolPairingTracker(select=["unknown-member"])
    tracker.append(message)
    assert tracker.report() == expected
    assert check_request(request).violations == ()


def test_a_long_id_that_many_violations_show_is_made_once() -> None:
    long = "toolu_" + "x" * 100_000
    lost = [message for _ in range(300) for message in (assistant(call(long)), USER)]
    report = check_request(json.dumps({"messages": [USER, *lost]}))
    shown = [found.tool_use_id for found in report.violations if found.tool_use_id is not None]
    assert set(shown) == {long}
    assert len(set(map(id, shown))) == 1


# --- what is no request --------------------------------------------------------------------------

NO_REQUESTS: dict[str, tuple[Any, str]] = {
    "list": ([USER], "a request must be a mapping with messages, or JSON: list is neither"),
    "None": (None, "a request must be a mapping with messages, or JSON: None is neither"),
    "object": (object(), "a request must be a mapping with messages, or JSON: object is neither"),
    "empty": ({}, "a request must be a mapping with messages, or JSON: dict has no messages"),
    "messages of None": (
        {"messages": None},
        "messages must be a list of messages, not None",
    ),
    "a text as messages": ({"messages": "q"}, "messages must be a list of messages, not str"),
    "a message of None": ({"messages": [None]}, r"messages[0] is no message: None has no role"),
    "JSON of a list": ("[]", "a request must be an object with a list of messages"),
    "JSON of null": (b"null", "a request must be an object with a list of messages"),
    "JSON of no messages": (b"{}", "a request must be an object with a list of messages"),
    "JSON of a text as messages": (
        '{"messages": "q"}',
        "a request must be an object with a list of messages",
    ),
    "JSON of a message without role": (
        '{"messages": [{"role": "user"}, {}]}',
        "messages[1] is no object with a role",
    ),
}


@pytest.mark.parametrize(("request_", "text"), NO_REQUESTS.values(), ids=NO_REQUESTS)
def test_what_is_no_request_is_a_type_error(request_: Any, text: str) -> None:
    for verb in (check_request, validate_request):
        with pytest.raises(TypeError) as raised:
            verb(request_)
        assert str(raised.value) == text


NO_JSON = {
    "nothing": ("", "line 1 column 0"),
    "half": ('{"messages": [', "line 1 column 14"),
    "second line": ('{\n "messages": nope}', "line 2 column 15"),
    "more behind it": ('{"messages": []} x', "line 1 column 18"),
    "NaN": ('{"messages": [], "temperature": NaN}', "line 1 column 33"),
    "UTF-16": ('{"messages": []}'.encode("utf-16"), "line 1 column 1"),
    "no UTF-8": (b'{"messages": [{"role": "\xff"}]}', "line 1 column"),
}


@pytest.mark.parametrize(("body", "place"), NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_a_value_error_with_the_place(body: str | bytes, place: str) -> None:
    with pytest.raises(ValueError, match=rf"^not valid JSON: .* at {place}") as raised:
        check_request(body)
    assert not isinstance(raised.value, toolpair.ToolPairError)


def test_a_text_that_no_json_can_hold_is_a_value_error() -> None:
    body = '{"messages": [{"role": "user", "content": "\ud800"}]}'
    with pytest.raises(ValueError, match=r"^not valid JSON: it holds lone surrogates$"):
        check_request(body)


def test_deep_json_is_read_or_refused() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    for body in (
        f'{{"messages": [], "metadata": {deep}}}',
        f'{{"messages": [{{"role": "user", "content": {deep}}}]}}',
        f'{{"messages": {deep}}}',
    ):
        try:  # either may be; neither may kill
            check_request(body, select="unknown-member")
        except (TypeError, ValueError) as error:
            assert str(error)


def test_reading_json_leaves_the_text_as_it_was() -> None:
    body = json.dumps({"messages": [USER]}, ensure_ascii=False).replace("q", "\u4e2d" * 1000)
    before = body.__sizeof__()
    check_request(body)
    assert body.__sizeof__() == before


def test_a_request_that_raises_is_a_type_error() -> None:
    class Raising(OwnMapping):
        def __getitem__(self, key: str) -> Any:
            raise OSError("gone")

    with pytest.raises(TypeError, match=r"^request could not be read: OSError: gone$"):
        check_request(Raising({"messages": []}))


def test_a_request_where_messages_belong_is_told_from_other_dicts() -> None:
    request = {"model": "claude-sonnet-5-5", "messages": []}
    for verb in (toolpair.check_tool_pairing, toolpair.plan_repair, toolpair.trim_messages_safely):
        with pytest.raises(
            TypeError, match=r"not dict: give its messages, .* as context; check_re"
        ):
            verb(request)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"not dict$"):
            verb({})  # type: ignore[arg-type]
