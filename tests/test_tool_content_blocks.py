"""Blocks, ready results and answers of MCP's that a tool returned."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rounds import CALLER, CODE, Block, circle, deep, run, said, use

NO_OUTPUT = "(no output)"
TEXT: Block = {"type": "text", "text": "word"}
IMAGE: Block = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
SEARCH: Block = {"type": "search_result", "source": "s", "title": "t", "content": [TEXT]}


BLOCKS: list[tuple[object, list[Block]]] = [
    (TEXT, [TEXT]),
    ([TEXT, IMAGE], [TEXT, IMAGE]),
    ((IMAGE,), [IMAGE]),
    ([SEARCH, SEARCH], [SEARCH, SEARCH]),
    ([{"type": "text", "text": ""}, TEXT], [TEXT]),
    ({"type": "text", "text": ""}, [{"type": "text", "text": NO_OUTPUT}]),
    ([SimpleNamespace(type="text", text="word")], [TEXT]),
    ({"type": "text", "text": "\ud800"}, [{"type": "text", "text": "\\ud800"}]),
    (
        [{"type": "tool_reference", "tool_name": "f"}],
        [{"type": "tool_reference", "tool_name": "f"}],
    ),
]


@pytest.mark.parametrize(("value", "blocks"), BLOCKS, ids=range(len(BLOCKS)))
def test_blocks_stay_blocks(value: object, blocks: list[Block]) -> None:
    assert said(value) == (blocks, False)


REFUSED: list[object] = [
    use("toolu_2"),
    [TEXT, use("toolu_2")],
    {"type": "thinking", "thinking": "word", "signature": "sig"},
    {"type": "image_url", "image_url": {"url": "https://example.com"}},
    {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
    {"type": "container_upload", "file_id": "file_1"},
    [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}, TEXT],
    {"type": "text", "text": 7},
    [SEARCH, TEXT],
    [SEARCH, IMAGE],
    {**IMAGE, "held": b"x"},
    {**IMAGE, "held": float("inf")},
    {**IMAGE, "held": {1: 2}},
    {**IMAGE, "held": deep(300)},
    {**IMAGE, "held": circle()},
]


@pytest.mark.parametrize("value", REFUSED, ids=range(len(REFUSED)))
def test_a_block_that_may_not_stand_in_a_result_is_an_error(value: object) -> None:
    content, is_error = said(value)
    assert content.startswith("f ran, but returned what the API does not take as a result: ")
    assert is_error is True


def test_an_error_result_holds_text_only() -> None:
    def fail() -> None:
        raise OSError("disk")

    for shaped in [IMAGE, [TEXT, IMAGE], [SEARCH], b"GIF89a.."]:
        (result,) = run([use("toolu_1")], {"f": fail}, on_error=lambda *_: shaped)  # noqa: B023
        assert result["is_error"] is True


# --- ready results and answers of MCP's ----------------------------------------------------------

READY: Block = {"type": "tool_result", "tool_use_id": "toolu_1"}
RESULTS: list[tuple[Block, object, bool]] = [
    (READY | {"content": "a"}, "a", False),
    (READY | {"content": [TEXT]}, [TEXT], False),
    (READY | {"content": "no", "is_error": True}, "no", True),
    (READY, NO_OUTPUT, False),
    (READY | {"is_error": True}, "The tool failed without a message.", True),
    (READY | {"content": "", "is_error": True}, "The tool failed without a message.", True),
]


@pytest.mark.parametrize(("ready", "content", "is_error"), RESULTS, ids=range(len(RESULTS)))
def test_a_ready_result_is_taken(ready: Block, content: object, is_error: bool) -> None:
    assert said(ready) == (content, is_error)


def test_a_ready_result_keeps_its_cache_control() -> None:
    marked = READY | {"content": "a", "cache_control": {"type": "ephemeral"}}
    assert run([use("toolu_1")], lambda *_: marked) == [marked]


def test_no_more_results_are_marked_than_a_request_may_hold() -> None:
    def marked(name: str, given: object, id: str) -> Block:
        return {"type": "tool_result", "tool_use_id": id, "cache_control": {"type": "ephemeral"}}

    results = run([use(f"toolu_{number}") for number in range(6)], marked)
    assert ["cache_control" in result for result in results] == [False] * 2 + [True] * 4


def test_the_result_of_another_call_is_an_error() -> None:
    content, is_error = said(READY | {"tool_use_id": "toolu_9", "content": "a"})
    assert content.endswith("a result of toolu_9, which is another call. It says: a")
    assert is_error is True


def test_an_answer_of_mcp_is_read() -> None:
    image = SimpleNamespace(type="image", data="aGk=", mimeType="image/gif", annotations=None)
    word = SimpleNamespace(type="text", text="word", annotations=None)
    source = {"type": "base64", "media_type": "image/gif", "data": "aGk="}
    answer = SimpleNamespace(content=[word, image], isError=False, structuredContent=None)
    assert said(answer) == ([TEXT, {"type": "image", "source": source}], False)
    assert said({"content": [vars(word)], "isError": True})[1] is True
    assert said(SimpleNamespace(content=[], isError=False)) == (NO_OUTPUT, False)
    failed = SimpleNamespace(content=[], isError=True)
    assert said(failed) == ("The tool failed without a message.", True)
    link = SimpleNamespace(type="resource_link", uri="file:///a")
    assert said(SimpleNamespace(content=[link], isError=False))[1] is True


def test_the_server_s_code_is_given_text_only() -> None:
    def result(value: object) -> tuple[object, bool]:
        (made,) = run([CODE, use("toolu_1") | CALLER], lambda *_: value)
        return made["content"], made.get("is_error", False)

    assert result({"a": 1}) == ('{"a": 1}', False)
    assert result([TEXT]) == ([TEXT], False)
    for value in [IMAGE], [TEXT, IMAGE], b"GIF89a..", [SEARCH]:
        content, is_error = result(value)
        assert isinstance(content, str)
        assert is_error is True


def test_nothing_that_a_tool_returned_is_changed() -> None:
    value = [{"type": "text", "text": "a\ud800"}, {"type": "text", "text": ""}, dict(IMAGE)]
    before = repr(value)
    said(value)
    assert repr(value) == before
