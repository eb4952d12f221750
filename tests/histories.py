"""Histories for the property tests: valid, with one known fault, broken by accidents, and wild.

A history here is a list of dicts, as JSON gives it; `as_sdk` turns it into what an agent that uses
the anthropic SDK holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from anthropic import types
from anthropic.types import beta
from hypothesis import strategies as st

Block: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]
History: TypeAlias = list[Message]
Fault: TypeAlias = tuple[str, int | None]
"""A slug and the message where it must be reported."""

TEXT: Block = {"type": "text", "text": "word"}
IMAGE: Block = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
DOCUMENT: Block = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}
UPLOAD: Block = {"type": "container_upload", "file_id": "file_1"}
SEARCH: Block = {"type": "search_result", "source": "s", "title": "word", "content": [TEXT]}
REFERENCE: Block = {"type": "tool_reference", "tool_name": "f"}
BROWSER: Block = {"type": "browser_state", "tabs": []}
THINKING: Block = {"type": "thinking", "thinking": "word", "signature": "sig"}
REDACTED: Block = {"type": "redacted_thinking", "data": "x"}
COMPACTION: Block = {"type": "compaction", "content": "word"}
FALLBACK: Block = {"type": "fallback", "from": {"model": "m"}, "to": {"model": "n"}}
CONNECTOR: Block = {"type": "connector_text", "text": "word"}
ADDITION: Block = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}
REMOVAL: Block = {**ADDITION, "type": "tool_removal"}
EMPTY: Block = {"type": "text", "text": ""}
BLANK: Block = {"type": "text", "text": " \n"}
CODE = "code_execution_20250825"
DIRECTIVE: Message = {"role": "system", "content": [], "output_config": {"effort": "low"}}
MARKER = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


class Mint:
    """Gives out ids that were never given before."""

    def __init__(self) -> None:
        self.count = 0

    def id(self, prefix: str) -> str:
        """The next id with this prefix."""
        self.count += 1
        return f"{prefix}_{self.count}"


def call(id: object, **members: Any) -> Block:
    """A client call."""
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **members}


def result(id: object, **members: Any) -> Block:
    """A client result."""
    return {"type": "tool_result", "tool_use_id": id, "content": "r", **members}


def server_call(id: object, name: str = "web_search", **members: Any) -> Block:
    """A server tool's call."""
    return {"type": "server_tool_use", "id": id, "name": name, "input": {"query": "q"}, **members}


def server_result(id: object, name: str = "web_search") -> Block:
    """A server tool's result."""
    return {"type": f"{name}_tool_result", "tool_use_id": id, "content": []}


def mcp_call(id: object) -> Block:
    """An MCP connector's call."""
    return {"type": "mcp_tool_use", "id": id, "name": "f", "server_name": "s", "input": {}}


def mcp_result(id: object) -> Block:
    """An MCP connector's result."""
    return {"type": "mcp_tool_result", "tool_use_id": id, "is_error": False, "content": [TEXT]}


def user(*blocks: Block) -> Message:
    """A user message of blocks."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Block) -> Message:
    """An assistant message of blocks."""
    return {"role": "assistant", "content": list(blocks)}


def says(role: str, text: str = "word") -> Message:
    """A message of one string."""
    return {"role": role, "content": text}


# --- valid histories -----------------------------------------------------------------------------


def chance(draw: st.DrawFn, sides: int = 2) -> bool:
    """True once in so many draws; shrinks to False."""
    return draw(st.integers(0, sides - 1)) == sides - 1


def fresh(value: Any) -> Any:
    """The same lists and dicts anew, with no part in common."""
    return json.loads(json.dumps(value))


def prompt(draw: st.DrawFn) -> History:
    """What a user asks, in one message or two."""
    shapes = [says("user"), user(TEXT), user(IMAGE, TEXT), user(DOCUMENT, TEXT), user(UPLOAD, TEXT)]
    if chance(draw, 8):
        shapes = [user(SEARCH, SEARCH, TEXT)]
    return draw(st.lists(st.sampled_from(shapes).map(dict), min_size=1, max_size=2))


def answer(draw: st.DrawFn) -> History:
    """What an assistant says without calling anything."""
    rare = [assistant(COMPACTION, TEXT), assistant(TEXT, FALLBACK, TEXT)]
    shapes = [says("assistant"), assistant(TEXT), assistant(THINKING, TEXT), *rare]
    return [dict(draw(st.sampled_from(shapes)))]


def opening(draw: st.DrawFn) -> list[Block]:
    """What may stand before a call in an assistant message."""
    plain: list[list[Block]] = [[], [TEXT], [THINKING], [THINKING, TEXT], [REDACTED]]
    rare: list[list[Block]] = [[THINKING, REDACTED, TEXT], [COMPACTION], [FALLBACK, THINKING]]
    return list(draw(st.sampled_from([*plain, *plain, *rare])))


RESULT_SHAPES: list[dict[str, Any]] = [
    {"content": "r"},
    {"content": "r"},
    {"content": [TEXT]},
    {"content": [TEXT, IMAGE]},
    {"content": [DOCUMENT, TEXT]},
    {"content": [SEARCH, SEARCH]},
    {"content": [REFERENCE]},
    {"content": ""},
    {"content": []},
    {},
    {"content": "no", "is_error": True},
    {"content": [TEXT], "is_error": True},
]
TOOLSET_SHAPES: list[dict[str, Any]] = [
    {"content": "r"},
    {"content": [TEXT, IMAGE, BROWSER]},
    {"content": [IMAGE]},
    {"content": [TEXT], "is_error": True},
]


def client_pair(draw: st.DrawFn, mint: Mint, **members: Any) -> tuple[Block, Block]:
    """A call and its result."""
    id = mint.id(draw(st.sampled_from(["toolu", "call", "functions-f"])))
    if not members and chance(draw, 8):
        toolset = {"toolset_name": draw(st.sampled_from(["computer", "browser"]))}
        shape = draw(st.sampled_from(TOOLSET_SHAPES))
        return call(id, **toolset), result(id, **toolset, **shape)
    shape = draw(st.sampled_from(RESULT_SHAPES))
    return call(id, **members), {"type": "tool_result", "tool_use_id": id, **shape}


def client_step(draw: st.DrawFn, mint: Mint) -> History:
    """Parallel calls, perhaps split over messages, and a turn that answers them."""
    pairs = [client_pair(draw, mint) for _ in range(draw(st.integers(1, 4)))]
    messages = [assistant(*opening(draw))]
    thinks = any(block in (THINKING, REDACTED) for block in messages[0]["content"])
    for position, (each, _) in enumerate(pairs):
        if position and chance(draw, 4):
            messages.append(assistant())
        elif position and thinks and len(messages) == 1 and chance(draw, 4):
            messages[-1]["content"].append(THINKING)
        messages[-1]["content"].append(each)
    results = draw(st.permutations([answering for _, answering in pairs]))
    after = draw(st.sampled_from([[], [], [TEXT], [IMAGE, TEXT], [DOCUMENT]]))
    messages.append(user(*results, *after))
    if chance(draw, 6):
        messages.append(says("user"))
    return messages


def server_step(draw: st.DrawFn, mint: Mint) -> History:
    """Server calls that are answered in the same message, perhaps before a client call."""
    blocks = opening(draw)
    for _ in range(draw(st.integers(1, 2))):
        if chance(draw, 3):
            id = mint.id("mcptoolu")
            blocks += [mcp_call(id), mcp_result(id)]
        else:
            id = mint.id("srvtoolu")
            name = draw(st.sampled_from(["web_search", "web_fetch", "bash_code_execution"]))
            blocks += [server_call(id, name), server_result(id, name)]
    if TEXT not in blocks and chance(draw, 4):
        blocks.append(THINKING)
    end = draw(st.integers(0, 3))
    if end == 0:
        return [assistant(*blocks, TEXT)]
    if end == 1 and blocks[-1] != THINKING:
        return [assistant(*blocks), says("system"), assistant(TEXT)]
    each, answering = client_pair(draw, mint)
    return [assistant(*blocks, each), user(answering)]


def deferred_step(draw: st.DrawFn, mint: Mint) -> History:
    """A server call that stays open while the client answers its own calls, once or twice."""
    if chance(draw, 3):
        id = mint.id("mcptoolu")
        opened, closed = mcp_call(id), mcp_result(id)
    else:
        id = mint.id("srvtoolu")
        opened, closed = server_call(id), server_result(id)
    return around(draw, mint, opened, closed, {})


def programmatic_step(draw: st.DrawFn, mint: Mint) -> History:
    """A code execution that calls client tools while it runs."""
    id = mint.id("srvtoolu")
    opened, closed = server_call(id, "code_execution"), server_result(id, "code_execution")
    return around(draw, mint, opened, closed, {"caller": {"type": CODE, "tool_id": id}})


def around(
    draw: st.DrawFn, mint: Mint, opened: Block, closed: Block, members: dict[str, Any]
) -> History:
    """Client calls and results-only turns between a server call and its result."""
    messages: History = []
    before = [*opening(draw), opened]
    for _ in range(draw(st.integers(1, 2))):
        pairs = [client_pair(draw, mint, **members) for _ in range(draw(st.integers(1, 2)))]
        calls, results = [each for each, _ in pairs], [answering for _, answering in pairs]
        plain: list[Any] = ["r", [TEXT], [TEXT, TEXT]]
        if members:
            results = [{**each, "content": draw(st.sampled_from(plain))} for each in results]
        messages += [assistant(*before, *calls), user(*results)]
        before = []
    if chance(draw, 3):
        each, answering = client_pair(draw, mint)
        return [*messages, assistant(closed, TEXT, each), user(answering)]
    return [*messages, assistant(closed, TEXT)]


def scene(draw: st.DrawFn, mint: Mint, *, fewest: int = 0) -> History:
    """A prompt, some steps, and perhaps a last word."""
    steps = [client_step, client_step, server_step, deferred_step, programmatic_step]
    messages = prompt(draw)
    for step in draw(st.lists(st.sampled_from(steps), min_size=fewest, max_size=4)):
        messages += step(draw, mint)
    if chance(draw):
        messages += answer(draw)
    return messages


def scenes(draw: st.DrawFn, mint: Mint, *, most: int = 3) -> History:
    """Several prompts and what came of them."""
    messages: History = []
    for _ in range(draw(st.integers(0, most))):
        messages += scene(draw, mint)
    return messages


def a_system_run(draw: st.DrawFn) -> History:
    """One or two system messages, perhaps with a directive between."""
    shapes = [says("system"), {"role": "system", "content": [TEXT]}]
    shapes.append({"role": "system", "content": [TEXT, draw(st.sampled_from([ADDITION, REMOVAL]))]})
    run = draw(st.lists(st.sampled_from(shapes), min_size=1, max_size=2))
    return [*run[:1], *([DIRECTIVE] if chance(draw, 4) else []), *run[1:]]


def with_system_messages(draw: st.DrawFn, messages: History) -> History:
    """The same history with system messages where they may stand."""
    placed: History = []
    for message in messages:
        follows_user = bool(placed) and placed[-1]["role"] == "user"
        if follows_user and message["role"] == "assistant" and chance(draw, 8):
            placed += a_system_run(draw)
        if chance(draw, 16):
            placed.append(DIRECTIVE)
        placed.append(message)
    return [dict(message) for message in placed]


def with_markers(draw: st.DrawFn, messages: History) -> History:
    """The same history with at most four `cache_control`s, those of an hour in front."""
    messages = fresh(messages)
    kinds = {"text", "image", "document", "tool_use", "tool_result", "tool_addition"}
    blocks = [block for message in messages for block in blocks_of(message)]
    markable = [
        block
        for outer in blocks
        for block in [*(blocks_of(outer) if outer["type"] == "tool_result" else []), outer]
        if block["type"] in kinds
    ]
    if markable:
        places = draw(st.sets(st.integers(0, len(markable) - 1), max_size=4))
        hours = draw(st.integers(0, 2))
        for position, place in enumerate(sorted(places)):
            markable[place]["cache_control"] = dict(HOUR if position < hours else MARKER)
    return messages


def blocks_of(holder: dict[str, Any]) -> list[Block]:
    """The blocks in the content of a message or of a result; none where it is a string."""
    content = holder.get("content")
    return content if isinstance(content, list) else []


@st.composite
def valid_histories(
    draw: st.DrawFn, *, leading_system: bool = False, fewest: int = 0, long: bool = True
) -> History:
    """Histories without any violation; with a leading, misplaced system message only on request.

    The first scene has at least `fewest` steps; a `long` one goes on after it.
    """
    mint = Mint()
    messages = scene(draw, mint, fewest=fewest) + scenes(draw, mint, most=3 if long else 1)
    if long and chance(draw, 6):
        for _ in range(draw(st.integers(5, 20))):
            messages += client_step(draw, mint) if messages[-1]["role"] == "user" else prompt(draw)
    if chance(draw, 6):
        messages += [says("user"), assistant(TEXT, server_call(mint.id("srvtoolu")))]
    messages = with_system_messages(draw, messages)
    if messages[-1]["role"] == "user" and chance(draw, 6):
        messages += [dict(message) for message in a_system_run(draw)]
    if chance(draw, 4):
        messages = with_markers(draw, messages)
    if leading_system and chance(draw):
        messages = [says("system"), *messages]
    return messages


# --- the same history as SDK objects -------------------------------------------------------------

SDK_BLOCKS: dict[str, Any] = {
    "text": types.TextBlock,
    "thinking": types.ThinkingBlock,
    "redacted_thinking": types.RedactedThinkingBlock,
    "tool_use": types.ToolUseBlock,
    "server_tool_use": types.ServerToolUseBlock,
    "web_search_tool_result": types.WebSearchToolResultBlock,
    "web_fetch_tool_result": types.WebFetchToolResultBlock,
    "code_execution_tool_result": types.CodeExecutionToolResultBlock,
    "bash_code_execution_tool_result": types.BashCodeExecutionToolResultBlock,
    "container_upload": types.ContainerUploadBlock,
    "mcp_tool_use": beta.BetaMCPToolUseBlock,
    "mcp_tool_result": beta.BetaMCPToolResultBlock,
    "compaction": beta.BetaCompactionBlock,
}


def as_sdk(history: History) -> list[Any]:
    """The same history as an agent holds it: responses and their blocks beside plain dicts."""
    return [sdk_message(index, message) for index, message in enumerate(history)]


def sdk_message(index: int, message: Message) -> Any:
    """An assistant message as a response, as a dict of SDK blocks, or as a dict of both."""
    content = message.get("content")
    if message["role"] != "assistant" or not isinstance(content, (list, tuple)):
        return message
    shape = index % 3
    blocks = [
        block if shape == 2 and position % 2 else sdk_block(block)
        for position, block in enumerate(content)
    ]
    if shape:
        return {**message, "content": blocks}
    return types.Message.model_construct(
        id="msg_1", type="message", role="assistant", model="claude", content=blocks
    )


def sdk_block(block: Any) -> Any:
    """A block as the SDK returns it, or as it was where the SDK has no class for it."""
    kind = block.get("type") if isinstance(block, dict) else None
    model = SDK_BLOCKS.get(kind) if isinstance(kind, str) else None
    return block if model is None else model.model_construct(**block)


# --- one fault at a known place ------------------------------------------------------------------


@dataclass(frozen=True)
class Damaged:
    """A history with one fault, and exactly what must be reported for it."""

    history: History
    expected: frozenset[Fault]


Damage: TypeAlias = tuple[History, set[Fault]]
"""A damaged scene and its faults, which count messages from the start of the scene."""

Corruption: TypeAlias = Callable[[st.DrawFn, Mint], Damage]

CORRUPTIONS: dict[str, Corruption] = {}
AT_THE_END: set[str] = set()


def corruption(make: Corruption) -> Corruption:
    """Register a corruption by its name."""
    CORRUPTIONS[make.__name__.replace("_", "-")] = make
    return make


def at_the_end(make: Corruption) -> Corruption:
    """Register a corruption that only is one where nothing follows."""
    AT_THE_END.add(make.__name__.replace("_", "-"))
    return corruption(make)


@st.composite
def damaged_histories(draw: st.DrawFn, name: str) -> Damaged:
    """A valid history with one scene damaged as the name says."""
    mint = Mint()
    before = with_system_messages(draw, scenes(draw, mint, most=2))
    if before and before[-1]["role"] == "user":
        before.append(says("assistant"))
    scene, faults = CORRUPTIONS[name](draw, mint)
    after = [] if name in AT_THE_END else with_system_messages(draw, scenes(draw, mint, most=2))
    shifted = {(slug, None if at is None else at + len(before)) for slug, at in faults}
    return Damaged([*before, *scene, *after], frozenset(shifted))


PROMPT, CALLS, RESULTS, REPLY = 0, 1, 2, 3
"""Where things stand in the scenes that the corruptions damage."""


def client_scene(draw: st.DrawFn, mint: Mint) -> History:
    """Prompt, an assistant message that ends in two to four calls, all results, and a reply."""
    pairs = [client_pair(draw, mint, name="g") for _ in range(draw(st.integers(2, 4)))]
    calls = assistant(*draw(st.sampled_from([[TEXT], [THINKING, TEXT]])), *[c for c, _ in pairs])
    results = user(*[answering for _, answering in pairs])
    if chance(draw):
        results["content"].append(TEXT)
    return [says("user"), calls, results, says("assistant")]


def server_scene(mint: Mint) -> History:
    """Prompt, a server call and its result in one message, a second prompt, and a reply."""
    id = mint.id("srvtoolu")
    searching = assistant(TEXT, server_call(id), server_result(id), TEXT)
    return [says("user"), searching, says("user"), says("assistant")]


def mcp_scene(mint: Mint) -> History:
    """As `server_scene`, by the MCP connector."""
    id = mint.id("mcptoolu")
    return [
        says("user"),
        assistant(TEXT, mcp_call(id), mcp_result(id), TEXT),
        says("user"),
        says("assistant"),
    ]


def deferred_scene(mint: Mint) -> History:
    """Prompt, an open server call beside a client call, its result, then the server's result."""
    server, client = mint.id("srvtoolu"), mint.id("toolu")
    return [
        says("user"),
        assistant(server_call(server), call(client)),
        user(result(client)),
        assistant(server_result(server), TEXT),
    ]


def of_type(message: Message, type: str) -> list[Block]:
    """The blocks of a message that have this type."""
    return [block for block in message["content"] if block["type"] == type]


def a_call(draw: st.DrawFn, scene: History) -> Block:
    """One of the calls of a client scene."""
    return draw(st.sampled_from(of_type(scene[CALLS], "tool_use")))


def result_of(scene: History, call: Block) -> Block:
    """The result of a call of a client scene."""
    results = of_type(scene[RESULTS], "tool_result")
    return next(block for block in results if block["tool_use_id"] == call["id"])


def put_first(message: Message, block: Block) -> None:
    """Insert a block at the front."""
    message["content"].insert(0, block)


def rename(scene: History, old: str, new: object) -> None:
    """Give a call and its result another id."""
    for message in scene:
        for block in message["content"] if isinstance(message["content"], list) else []:
            for key in ("id", "tool_use_id"):
                if block.get(key) == old:
                    block[key] = new


@corruption
def dropped_result(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS]["content"].remove(result_of(scene, a_call(draw, scene)))
    return scene, {("tool-use-without-result", CALLS)}


@corruption
def dropped_results_message(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS] = says("user")
    return scene, {("tool-use-without-result", CALLS)}


@corruption
def dropped_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[CALLS]["content"].remove(a_call(draw, scene))
    return scene, {("orphan-tool-result", RESULTS)}


@corruption
def dropped_calls_message(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    del scene[CALLS]
    return scene, {("orphan-tool-result", CALLS)}


@corruption
def content_before_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    put_first(scene[RESULTS], draw(st.sampled_from([TEXT, IMAGE, DOCUMENT])))
    return scene, {("tool-result-not-first", RESULTS)}


@corruption
def content_between_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS]["content"].insert(1, draw(st.sampled_from([TEXT, IMAGE])))
    return scene, {("tool-result-not-first", RESULTS)}


@corruption
def user_message_before_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene.insert(RESULTS, says("user"))
    return scene, {("tool-result-not-first", RESULTS + 1)}


@corruption
def result_twice(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    put_first(scene[RESULTS], dict(result_of(scene, a_call(draw, scene))))
    return scene, {("duplicate-tool-result", RESULTS)}


@corruption
def result_again_in_next_message(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene.insert(REPLY, user(dict(result_of(scene, a_call(draw, scene)))))
    return scene, {("duplicate-tool-result", REPLY)}


@corruption
def call_twice(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    again = dict(a_call(draw, scene))
    scene[CALLS]["content"].append(again)
    if chance(draw):
        put_first(scene[RESULTS], dict(result_of(scene, again)))
    return scene, {("duplicate-tool-use-id", CALLS)}


@corruption
def id_reused_in_later_turn(draw: st.DrawFn, mint: Mint) -> Damage:
    first, second = client_scene(draw, mint), client_scene(draw, mint)
    rename(second, a_call(draw, second)["id"], a_call(draw, first)["id"])
    return first + second, {("duplicate-tool-use-id", len(first) + CALLS)}


@corruption
def unanswered_id_reused(draw: st.DrawFn, mint: Mint) -> Damage:
    first, second = client_scene(draw, mint), client_scene(draw, mint)
    reused = a_call(draw, first)
    first[RESULTS]["content"].remove(result_of(first, reused))
    rename(second, a_call(draw, second)["id"], reused["id"])
    later = len(first) + CALLS
    return first + second, {("tool-use-without-result", CALLS), ("duplicate-tool-use-id", later)}


@corruption
def result_two_turns_late(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    late = result_of(scene, a_call(draw, scene))
    scene[RESULTS]["content"].remove(late)
    scene += [user(late, TEXT), says("assistant")]
    return scene, {("tool-use-without-result", CALLS), ("orphan-tool-result", REPLY + 1)}


@corruption
def result_before_its_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    early = result_of(scene, a_call(draw, scene))
    scene[RESULTS]["content"].remove(early)
    scene[PROMPT] = user(early, TEXT)
    return scene, {("tool-use-without-result", CALLS), ("orphan-tool-result", PROMPT)}


@corruption
def result_in_assistant(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[CALLS]["content"].append(dict(result_of(scene, a_call(draw, scene))))
    return scene, {("tool-block-in-wrong-role", CALLS)}


@corruption
def call_in_user(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS]["content"].insert(0, call(mint.id("toolu")))
    return scene, {("tool-block-in-wrong-role", RESULTS)}


@corruption
def tool_block_in_system(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    wrong = draw(st.sampled_from([call(mint.id("toolu")), result(mint.id("toolu"))]))
    scene.insert(CALLS, {"role": "system", "content": [TEXT, wrong]})
    return scene, {("tool-block-in-wrong-role", CALLS)}


@corruption
def malformed_client_id(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    bad = draw(st.sampled_from(["functions.f:0", "", "a b", "id\n", "aufruf_ä", "\ud800"]))
    rename(scene, a_call(draw, scene)["id"], bad)
    return scene, {("malformed-tool-use-id", CALLS), ("malformed-tool-use-id", RESULTS)}


@corruption
def id_misspelt_in_result(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    answering = result_of(scene, a_call(draw, scene))
    answering["tool_use_id"] += ":0"
    return scene, {
        ("tool-use-without-result", CALLS),
        ("orphan-tool-result", RESULTS),
        ("malformed-tool-use-id", RESULTS),
    }


@corruption
def system_between(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene.insert(RESULTS, says("system"))
    return scene, {("message-between-use-and-result", RESULTS)}


@corruption
def split_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    blocks = scene[RESULTS]["content"]
    scene[RESULTS : RESULTS + 1] = [user(blocks[0]), user(*blocks[1:])]
    return scene, {("split-tool-results", RESULTS + 1)}


@corruption
def content_after_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    added = draw(st.sampled_from([TEXT, IMAGE, DOCUMENT]))
    scene[CALLS]["content"].append(added)
    media = {("block-in-wrong-role", CALLS)} if added != TEXT else set()
    return scene, {("content-after-tool-use", CALLS), *media}


@corruption
def content_between_calls(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    calls = of_type(scene[CALLS], "tool_use")
    scene[CALLS]["content"].insert(scene[CALLS]["content"].index(calls[1]), TEXT)
    return scene, {("content-after-tool-use", CALLS)}


@corruption
def server_pair_after_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    id = mint.id("srvtoolu")
    scene[CALLS]["content"] += [server_call(id), server_result(id)]
    return scene, {("content-after-tool-use", CALLS)}


@corruption
def assistant_message_after_calls(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene.insert(RESULTS, says("assistant"))
    return scene, {("content-after-tool-use", RESULTS)}


@corruption
def toolset_forgotten(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    side = draw(st.sampled_from([CALLS, RESULTS]))
    of_type(scene[RESULTS], "tool_result")[0]["content"] = "r"
    block = of_type(scene[side], "tool_use" if side == CALLS else "tool_result")[0]
    block["toolset_name"] = "computer"
    return scene, {("toolset-name-mismatch", RESULTS)}


@corruption
def toolset_swapped(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    each = a_call(draw, scene)
    result_of(scene, each).update(toolset_name="browser", content="r")
    each["toolset_name"] = "computer"
    return scene, {("toolset-name-mismatch", RESULTS)}


@at_the_end
def calls_without_anything_after(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    return scene[:RESULTS], {("pending-tool-use", CALLS)}


@at_the_end
def calls_partly_answered_at_the_end(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    first, *_ = of_type(scene[RESULTS], "tool_result")
    return [*scene[:RESULTS], user(first)], {("pending-tool-use", CALLS)}


@corruption
def dropped_server_result(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = server_scene(mint)
    del scene[CALLS]["content"][2]
    return scene, {("server-tool-use-without-result", CALLS)}


@corruption
def dropped_server_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = server_scene(mint)
    del scene[CALLS]["content"][1]
    return scene, {("orphan-server-tool-result", CALLS)}


@corruption
def server_result_before_its_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = server_scene(mint)
    content = scene[CALLS]["content"]
    content[1], content[2] = content[2], content[1]
    return scene, {("orphan-server-tool-result", CALLS), ("server-tool-use-without-result", CALLS)}


@corruption
def server_result_after_a_prompt(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = server_scene(mint)
    scene[REPLY] = assistant(scene[CALLS]["content"].pop(2), TEXT)
    return scene, {("server-tool-use-without-result", CALLS), ("orphan-server-tool-result", REPLY)}


@corruption
def deferred_call_never_closed(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    scene[REPLY] = says("assistant")
    scene += [says("user"), says("assistant")]
    return scene, {("server-tool-use-without-result", CALLS)}


@corruption
def text_beside_open_server_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    scene[RESULTS]["content"].append(TEXT)
    return scene, {("content-beside-open-server-call", RESULTS)}


@corruption
def prompt_beside_open_server_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    scene.insert(REPLY, says("user"))
    return scene, {("content-beside-open-server-call", REPLY)}


@corruption
def text_before_result_of_mixed_turn(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    put_first(scene[RESULTS], TEXT)
    return scene, {("tool-result-not-first", RESULTS)}


@corruption
def client_result_for_server_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    server = of_type(scene[CALLS], "server_tool_use")[0]
    scene[RESULTS]["content"].append(result(server["id"]))
    return scene, {("client-result-for-server-tool", RESULTS)}


@corruption
def client_result_for_mcp_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = mcp_scene(mint)
    scene[CALLS + 1] = user(result(scene[CALLS]["content"][1]["id"]), TEXT)
    return scene, {("client-result-for-server-tool", CALLS + 1)}


@corruption
def server_block_in_user(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    id = mint.id("srvtoolu")
    wrong = draw(st.sampled_from([server_call(id), server_result(id), mcp_call(id)]))
    put_first(scene[RESULTS], wrong)
    return scene, {("server-block-in-wrong-role", RESULTS)}


@corruption
def dropped_mcp_result(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = mcp_scene(mint)
    del scene[CALLS]["content"][2]
    return scene, {("mcp-tool-use-without-result", CALLS)}


@corruption
def dropped_mcp_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = mcp_scene(mint)
    del scene[CALLS]["content"][1]
    return scene, {("orphan-server-tool-result", CALLS)}


@corruption
def malformed_server_id(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    id = of_type(scene[CALLS], "server_tool_use")[0]["id"]
    bad = draw(st.sampled_from(["call_1", "srvtoolu_", "srvtoolu-1", "srvtoolu_a-b", ""]))
    rename(scene, id, bad)
    return scene, {("malformed-server-tool-id", CALLS), ("malformed-server-tool-id", REPLY)}


@corruption
def malformed_mcp_id(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = mcp_scene(mint)
    rename(scene, scene[CALLS]["content"][1]["id"], "mcp:1")
    return scene, {("malformed-tool-use-id", CALLS)}


@corruption
def malformed_caller_id(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = deferred_scene(mint)
    of_type(scene[CALLS], "tool_use")[0]["caller"] = {"type": CODE, "tool_id": "call_1"}
    return scene, {("malformed-server-tool-id", CALLS)}


@corruption
def role_tool(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS]["role"] = "tool"
    return scene, {("unknown-role", RESULTS)}


@corruption
def role_tool_with_a_string(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS] = {"role": "tool", "tool_call_id": "toolu_0", "content": "r"}
    return scene, {("unknown-role", RESULTS), ("tool-use-without-result", CALLS)}


@corruption
def unknown_role(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    roles: dict[int, list[Any]] = {
        PROMPT: ["human", "developer", "", None, 7],
        CALLS: ["model", "ai", None],
        RESULTS: ["human", "function", None],
    }
    place = draw(st.sampled_from([*roles]))
    scene[place]["role"] = draw(st.sampled_from(roles[place]))
    return scene, {("unknown-role", place)}


@corruption
def foreign_block(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    tags = ["image_url", "input_text", "output_text", "function_call", "tool_call", "reasoning"]
    scene[PROMPT] = user(TEXT, {"type": draw(st.sampled_from(tags))})
    return scene, {("malformed-content", PROMPT)}


@corruption
def block_of_unknown_type(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    place = draw(st.sampled_from([CALLS, RESULTS]))
    scene[place]["content"].append({"type": "hologram"})
    return scene, {("malformed-content", place)}


@corruption
def block_that_is_no_block(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    place = draw(st.sampled_from([CALLS, RESULTS]))
    shapes: list[Any] = [None, "text", 7, [], {}, {"text": "word"}, {"type": None}, {"type": 7}]
    scene[place]["content"].insert(0, draw(st.sampled_from(shapes)))
    return scene, {("malformed-content", place)}


@corruption
def content_missing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    del scene[PROMPT]["content"]
    return scene, {("malformed-content", PROMPT)}


@corruption
def content_of_another_kind(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[PROMPT]["content"] = draw(st.sampled_from([None, 7, {"type": "text", "text": "word"}]))
    return scene, {("malformed-content", PROMPT)}


@corruption
def input_that_is_no_object(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    shapes: list[Any] = ['{"path": "a', "{}", None, [], 7]
    a_call(draw, scene)["input"] = draw(st.sampled_from(shapes))
    return scene, {("malformed-tool-block", CALLS)}


@corruption
def member_of_call_missing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    each = a_call(draw, scene)
    for member in draw(st.sampled_from([["name"], ["input"], ["name", "input"]])):
        del each[member]
    return scene, {("malformed-tool-block", CALLS)}


@corruption
def member_of_server_call_missing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = draw(st.sampled_from([server_scene, mcp_scene]))(mint)
    del scene[CALLS]["content"][1][draw(st.sampled_from(["name", "input"]))]
    return scene, {("malformed-tool-block", CALLS)}


@corruption
def call_without_id(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    each = a_call(draw, scene)
    orphaned = result_of(scene, each)
    if chance(draw):
        del each["id"]
    else:
        each["id"] = draw(st.sampled_from([None, 7]))
    assert orphaned["tool_use_id"]
    return scene, {("malformed-tool-block", CALLS), ("orphan-tool-result", RESULTS)}


@corruption
def result_without_id(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    answering = result_of(scene, a_call(draw, scene))
    if chance(draw):
        del answering["tool_use_id"]
    else:
        answering["tool_use_id"] = draw(st.sampled_from([None, 7]))
    return scene, {("malformed-tool-block", RESULTS), ("tool-use-without-result", CALLS)}


@corruption
def content_of_a_result_of_another_kind(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    result_of(scene, a_call(draw, scene))["content"] = draw(st.sampled_from([TEXT, 7, {}, False]))
    return scene, {("malformed-tool-block", RESULTS)}


@corruption
def name_of_a_call_too_short_or_long(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    a_call(draw, scene)["name"] = draw(st.sampled_from(["", "f" * 201, "ä" * 500]))
    return scene, {("malformed-tool-name", CALLS)}


@corruption
def server_tool_nobody_knows(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = server_scene(mint)
    names = ["analyze_image", "WebSearch", "", "web_search_20250305"]
    scene[CALLS]["content"][1]["name"] = draw(st.sampled_from(names))
    return scene, {("unknown-server-tool", CALLS)}


def programmatic_scene(mint: Mint) -> History:
    """Prompt, a program that calls twice, both results, another round, and the program's end."""
    program = mint.id("srvtoolu")
    caller = {"type": CODE, "tool_id": program}
    ids = [mint.id("toolu") for _ in range(3)]
    calls = [call(id, caller=caller) for id in ids]
    return [
        says("user"),
        assistant(THINKING, server_call(program, "code_execution"), *calls[:2]),
        user(*[result(id) for id in ids[:2]]),
        assistant(calls[2]),
        user(result(ids[2])),
        assistant(server_result(program, "code_execution"), TEXT),
    ]


@corruption
def content_behind_programmatic_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = programmatic_scene(mint)
    place = draw(st.sampled_from([RESULTS, RESULTS + 2]))
    scene[place]["content"] += draw(st.sampled_from([[TEXT], [IMAGE], [TEXT, DOCUMENT]]))
    return scene, {("content-beside-programmatic-result", place)}


@corruption
def content_before_programmatic_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = programmatic_scene(mint)
    scene[RESULTS]["content"].insert(draw(st.integers(0, 1)), TEXT)
    return scene, {("tool-result-not-first", RESULTS)}


@corruption
def prompt_behind_programmatic_results(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = programmatic_scene(mint)
    scene.insert(RESULTS + 1, says("user"))
    return scene, {("content-beside-programmatic-result", RESULTS + 1)}


@corruption
def media_in_a_programmatic_result(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = programmatic_scene(mint)
    place = draw(st.sampled_from([RESULTS, RESULTS + 2]))
    contents = [[IMAGE], [TEXT, DOCUMENT], [REFERENCE]]
    scene[place]["content"][0]["content"] = draw(st.sampled_from(contents))
    return scene, {("content-beside-programmatic-result", place)}


@corruption
def user_turn_of_nothing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    blank = [user(), says("user", "")]
    scene[PROMPT : PROMPT + 1] = draw(st.lists(st.sampled_from(blank), min_size=1, max_size=2))
    return scene, {("empty-user-turn", PROMPT)}


@corruption
def assistant_message_of_nothing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[REPLY] = draw(st.sampled_from([assistant(), says("assistant", "")]))
    return [*scene, says("user")], {("empty-assistant-message", REPLY)}


def insert(draw: st.DrawFn, message: Message, block: Block) -> None:
    """Insert a block anywhere in a message of blocks."""
    content = message["content"]
    content.insert(draw(st.integers(0, len(content))), dict(block))


@corruption
def text_of_nothing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    place = draw(st.sampled_from([PROMPT, RESULTS, REPLY]))
    scene[place] = message = user(TEXT) if place == PROMPT else scene[place]
    if place == REPLY:
        scene[place] = message = assistant(TEXT)
    if place == RESULTS:
        message["content"].append(EMPTY)
    else:
        insert(draw, message, EMPTY)
    return scene, {("empty-text-block", place)}


@corruption
def text_of_white_space(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    blank = draw(st.sampled_from([" ", "\n\t \n", "\u2003\u00a0"]))
    block = {"type": "text", "text": blank}
    scene[PROMPT] = draw(st.sampled_from([says("user", blank), user(TEXT, block), user(block)]))
    return scene, {("whitespace-text-block", PROMPT)}


@corruption
def reply_of_white_space(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    replies = [says("assistant", " "), assistant(BLANK), assistant(TEXT, BLANK)]
    scene[REPLY] = draw(st.sampled_from(replies))
    return scene, {("whitespace-text-block", REPLY)}


@corruption
def white_space_before_calls(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    content = scene[CALLS]["content"]
    content[content.index(TEXT)] = BLANK
    return scene, {("whitespace-text-block", CALLS)}


@corruption
def marker_on_a_text_of_nothing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[PROMPT] = user(TEXT, {**EMPTY, "cache_control": MARKER})
    return scene, {("cache-control-on-empty-text", PROMPT)}


@corruption
def system_after_assistant(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    run = draw(st.lists(st.just(says("system")), min_size=1, max_size=2))
    scene += [*run, draw(st.sampled_from([says("assistant"), says("user")]))]
    return scene, {("misplaced-system-message", REPLY + 1)}


@corruption
def system_before_user(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    run = draw(st.lists(st.just(says("system")), min_size=1, max_size=2))
    scene[CALLS:CALLS] = [*run, says("user")]
    return scene, {("misplaced-system-message", PROMPT + len(run))}


@corruption
def system_after_calls(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[RESULTS] = says("system")
    return scene, {("misplaced-system-message", RESULTS), ("tool-use-without-result", CALLS)}


@corruption
def system_message_of_nothing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    empty: Message = {"role": "system", "content": draw(st.sampled_from([[], ""]))}
    place = draw(st.sampled_from([CALLS, REPLY + 1]))
    scene.insert(place, empty)
    return scene, {("malformed-system-message", place)}


@corruption
def system_message_of_white_space(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    contents = [" ", [TEXT, BLANK], [EMPTY, BLANK]]
    blank: Message = {"role": "system", "content": draw(st.sampled_from(contents))}
    place, slug = draw(
        st.sampled_from([(CALLS, "malformed-system-message"), (4, "misplaced-system-message")])
    )
    scene.insert(place, blank)
    return scene, {(slug, place)}


@corruption
def media_in_system(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    wrong = draw(st.sampled_from([IMAGE, DOCUMENT, THINKING, COMPACTION]))
    place = draw(st.sampled_from([CALLS, REPLY + 1]))
    scene.insert(place, {"role": "system", "content": [TEXT, wrong, BLANK]})
    return scene, {("malformed-system-message", place)}


@corruption
def tool_change_outside_system(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    place = draw(st.sampled_from([PROMPT, CALLS]))
    scene[PROMPT] = user(TEXT)
    scene[place]["content"].insert(0, draw(st.sampled_from([ADDITION, REMOVAL])))
    return scene, {("misplaced-tool-change", place)}


@corruption
def thinking_of_a_user(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[PROMPT] = user(TEXT)
    insert(draw, scene[PROMPT], draw(st.sampled_from([THINKING, REDACTED])))
    return scene, {("block-in-wrong-role", PROMPT)}


@corruption
def media_of_an_assistant(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    put_first(scene[CALLS], draw(st.sampled_from([IMAGE, DOCUMENT, SEARCH, UPLOAD])))
    return scene, {("block-in-wrong-role", CALLS)}


@corruption
def thinking_behind_a_text_or_call(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    calls = of_type(scene[CALLS], "tool_use")
    before = draw(st.sampled_from([[TEXT], [calls[0]]]))
    rest = calls if before == [TEXT] else calls[1:]
    thinking = draw(st.sampled_from([THINKING, REDACTED]))
    scene[CALLS] = assistant(*before, thinking, *rest)
    return scene, {("thinking-not-first", CALLS)}


@corruption
def thinking_at_the_end_of_a_turn(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[REPLY] = assistant(draw(st.sampled_from([THINKING, REDACTED])))
    if chance(draw):
        scene.insert(REPLY, assistant(THINKING, TEXT))
    return [*scene, says("user")], {("thinking-block-last", len(scene) - 1)}


@at_the_end
def thinking_twice_in_the_last_message(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    thinking = [THINKING] * draw(st.integers(2, 3))
    scene[REPLY] = assistant(*thinking, TEXT)
    scene += [says("user")] * draw(st.integers(0, 1))
    return scene, {("adjacent-thinking-blocks", REPLY)}


@corruption
def member_of_thinking_missing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    block = dict(draw(st.sampled_from([THINKING, REDACTED])))
    member = draw(st.sampled_from(sorted({*block} - {"type"})))
    if chance(draw):
        block[member] = draw(st.sampled_from([None, 7]))
    else:
        del block[member]
    put_first(scene[CALLS], block)
    return scene, {("malformed-thinking-block", CALLS)}


@corruption
def marker_on_thinking(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    block = draw(st.sampled_from([THINKING, REDACTED]))
    put_first(scene[CALLS], {**block, "cache_control": MARKER})
    return scene, {("cache-control-on-thinking", CALLS)}


@corruption
def blocks_of_a_model_that_stepped_back(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    blocks = draw(
        st.sampled_from([[THINKING], [REDACTED, TEXT], [CONNECTOR], [FALLBACK, CONNECTOR]])
    )
    scene[REPLY] = assistant(*blocks, FALLBACK, TEXT)
    return scene, {("blocks-before-fallback", REPLY)}


@corruption
def calls_of_a_model_that_stepped_back(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    scene[CALLS]["content"] = of_type(scene[CALLS], "tool_use")
    scene[CALLS]["content"].append(FALLBACK)
    return scene, {("blocks-before-fallback", CALLS)}


@corruption
def server_call_open_at_a_fallback(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = server_scene(mint)
    content = scene[CALLS]["content"]
    content.insert(draw(st.sampled_from([2, 3])), FALLBACK)
    broken = content[2] == FALLBACK
    return scene, {("blocks-before-fallback", CALLS)} if broken else set()


@corruption
def error_without_a_word(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    answering = result_of(scene, a_call(draw, scene))
    answering["is_error"] = True
    answering.pop("content", None)
    if chance(draw):
        answering["content"] = draw(st.sampled_from([None, "", []]))
    return scene, {("empty-error-result", RESULTS)}


@corruption
def block_that_no_result_may_hold(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    wrong: list[Any] = [
        *[call("t"), result("t"), server_call("t"), THINKING, UPLOAD, COMPACTION],
        *[{"type": "image_url"}, {"type": "input_text"}, {"type": "hologram"}],
        *[None, "text", {}, {"type": None}],
    ]
    nested = draw(st.lists(st.sampled_from(wrong), min_size=1, max_size=2))
    content = [*draw(st.sampled_from([[], [TEXT]])), *nested]
    result_of(scene, a_call(draw, scene))["content"] = content
    return scene, {("block-not-allowed-in-result", RESULTS)}


@corruption
def search_results_and_something_else(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    content = [*[SEARCH] * draw(st.integers(1, 2)), draw(st.sampled_from([TEXT, IMAGE]))]
    result_of(scene, a_call(draw, scene))["content"] = draw(st.permutations(content))
    return scene, {("mixed-search-results", RESULTS)}


@corruption
def five_markers(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    marked = {**TEXT, "cache_control": MARKER}
    scene[PROMPT] = user(*[marked] * draw(st.integers(2, 4)))
    first, *_ = of_type(scene[RESULTS], "tool_result")
    first["content"] = [{**IMAGE, "cache_control": MARKER}]
    missing = 5 - len(scene[PROMPT]["content"]) - 1
    scene[REPLY] = assistant(*[marked] * 3)
    return scene, {("too-many-cache-breakpoints", REPLY if missing else RESULTS)}


@corruption
def marker_of_an_hour_behind_a_shorter_one(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    shorter = draw(st.sampled_from([MARKER, {**MARKER, "ttl": "5m"}]))
    scene[PROMPT] = user({**TEXT, "cache_control": shorter})
    of_type(scene[RESULTS], "tool_result")[-1]["cache_control"] = HOUR
    return scene, {("too-many-cache-breakpoints", RESULTS)}


@corruption
def result_that_no_toolset_gives(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    each = a_call(draw, scene)
    shapes: list[dict[str, Any]] = [
        {"content": [DOCUMENT]},
        {"content": [REFERENCE, TEXT]},
        {"content": [BROWSER, BROWSER]},
        {"content": [TEXT, BROWSER], "is_error": True},
    ]
    result_of(scene, each).update(toolset_name="browser", **draw(st.sampled_from(shapes)))
    each["toolset_name"] = "browser"
    return scene, {("malformed-toolset-result", RESULTS)}


@corruption
def compaction_of_nothing(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    put_first(scene[CALLS], {**COMPACTION, "content": ""})
    return scene, {("empty-compaction", CALLS)}


# --- histories broken by accidents ---------------------------------------------------------------

WORD = re.compile(r"mk_\d+")
"""What tells texts, inputs and results apart: each holds a word of its own."""

SERVER_CALLS = {"server_tool_use", "mcp_tool_use"}
BAD_IDS = [
    "functions.f:0",
    "functions_f:0",
    "",
    "a b",
    "id\n",
    "aufruf_ä",
    "\ud800",
    "srvtoolu_a-b",
]


def told_apart(history: History, mint: Mint) -> History:
    """The same history anew, with a word of its own in all that is said, asked and answered."""
    history = fresh(history)
    for message in history:
        if isinstance(message["content"], str):
            message["content"] = mint.id("mk")
        for block in blocks_of(message):
            put_word(block, mint)
    return history


def put_word(block: Block, mint: Mint) -> None:
    """Give a block its word; thinking and directives are nobody's words."""
    kind, content = block["type"], block.get("content")
    named = {"text": "text", "container_upload": "file_id", "search_result": "title"}
    if kind in named:
        block[named[kind]] = mint.id("mk")
    elif kind in {"image", "document"}:
        block["source"] = {"type": "url", "url": f"https://example.com/{mint.id('mk')}"}
    elif kind in {"tool_use"} | SERVER_CALLS:
        block["input"] = {"word": mint.id("mk")}
    elif isinstance(content, str) and content:
        block["content"] = mint.id("mk")
    elif kind == "web_search_tool_result":
        block["content"] = [{"type": "web_search_result", "title": mint.id("mk")}]
    elif kind in {"tool_result", "mcp_tool_result"}:
        for nested in blocks_of(block):
            put_word(nested, mint)


def words_of(value: Any) -> set[str]:
    """All words in a message, a block or a list of them."""
    return set(WORD.findall(json.dumps(plain(value))))


def plain(value: Any) -> Any:
    """SDK objects as the dicts that they stand for."""
    if hasattr(value, "model_dump"):
        return value.model_dump(warnings=False)
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


Breakage: TypeAlias = Callable[[st.DrawFn, Mint, History], History]
"""Changes a history that is its own to change, or gives another."""

BREAKAGES: dict[str, Breakage] = {}


def breakage(make: Breakage) -> Breakage:
    """Register an accident by its name."""
    BREAKAGES[make.__name__] = make
    return make


@st.composite
def broken_histories(draw: st.DrawFn, *, sdk: bool = True) -> list[Any]:
    """A valid history after one to four accidents, perhaps as SDK objects; never empty."""
    mint = Mint()
    whole = valid_histories(leading_system=True, fewest=2, long=chance(draw, 4))
    history = told_apart(draw(whole), mint)
    for _ in range(draw(st.sampled_from([2, 1, 3, 2, 4]))):
        accident = BREAKAGES[draw(st.sampled_from([*BREAKAGES]))]
        history = accident(draw, mint, history)
    return as_sdk(history) if sdk and chance(draw, 4) else history


def some_index(draw: st.DrawFn, items: list[Any]) -> int:
    """A place in a list, or behind it."""
    return draw(st.integers(0, len(items)))


Spot: TypeAlias = tuple[Message, int]
"""A block's place: its message, and its position there."""


def spots(history: History, *types: str) -> list[Spot]:
    """Where blocks of these types stand; all blocks if none is named."""
    return [
        (message, position)
        for message in history
        for position, block in enumerate(blocks_of(message))
        if not types or block["type"] in types or ("server" in types and is_of_server(block))
    ]


def is_of_server(block: Block) -> bool:
    """A server call or a server's result."""
    return block["type"] in SERVER_CALLS or block["type"].endswith("_tool_result")


def some_spots(
    draw: st.DrawFn, history: History, *types: str, fewest: int = 1, most: int = 1
) -> list[Spot]:
    """Some places of such blocks, the last first; none if there are too few."""
    found = spots(history, *types)
    if len(found) < fewest:
        return []
    indices = st.integers(0, len(found) - 1)
    chosen = draw(st.sets(indices, min_size=fewest, max_size=max(fewest, most)))
    return [found[index] for index in sorted(chosen, reverse=True)]


def drop_in(draw: st.DrawFn, history: History, block: Block, *roles: str) -> None:
    """Put a block anywhere into any message, or one of these roles."""
    holders = [m for m in history if (not roles or m["role"] in roles) and m != DIRECTIVE]
    if not holders:
        history.append({"role": roles[0] if roles else "user", "content": [block]})
        return
    message = draw(st.sampled_from(holders))
    in_blocks(message).insert(some_index(draw, blocks_of(message)), block)


def in_blocks(message: Message) -> list[Block]:
    """The blocks of a message whose string becomes one."""
    if isinstance(message["content"], str):
        text = {"type": "text", "text": message["content"]}
        message["content"] = [text] if message["content"] else []
    return blocks_of(message)


def some_block(draw: st.DrawFn, mint: Mint) -> Block:
    """A text with a word, an image, or a text of nothing."""
    block = fresh(draw(st.sampled_from([TEXT, TEXT, TEXT, IMAGE, EMPTY, BLANK])))
    if block not in (EMPTY, BLANK):
        put_word(block, mint)
    return dict(block)


@breakage
def cut_head(draw: st.DrawFn, mint: Mint, history: History) -> History:
    return history[draw(st.integers(0, len(history) - 1)) :]


@breakage
def cut_tail(draw: st.DrawFn, mint: Mint, history: History) -> History:
    return history[: draw(st.integers(1, len(history)))]


@breakage
def cut_middle(draw: st.DrawFn, mint: Mint, history: History) -> History:
    start, end = sorted([some_index(draw, history), some_index(draw, history)])
    return history[:start] + history[end:] or history


@breakage
def swap_messages(draw: st.DrawFn, mint: Mint, history: History) -> History:
    indices = st.integers(0, len(history) - 1)
    first, second = draw(indices), draw(indices)
    history[first], history[second] = history[second], history[first]
    return history


@breakage
def swap_blocks(draw: st.DrawFn, mint: Mint, history: History) -> History:
    chosen = some_spots(draw, history, fewest=2, most=2)
    if chosen:
        (message, at), (other, there) = chosen
        first, second = message["content"][at], other["content"][there]
        message["content"][at], other["content"][there] = second, first
    return history


@breakage
def double_message(draw: st.DrawFn, mint: Mint, history: History) -> History:
    again = fresh(draw(st.sampled_from(history)))
    history.insert(some_index(draw, history), again)
    return history


@breakage
def double_block(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history):
        again = fresh(message["content"][at])
        if chance(draw):
            message["content"].insert(some_index(draw, message["content"]), again)
        else:
            drop_in(draw, history, again)
    return history


@breakage
def double_result(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "tool_result"):
        again = fresh(message["content"][at])
        if chance(draw):
            put_word(again, mint)
        drop_in(draw, history, again, "user")
    return history


@breakage
def lose_results(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "tool_result", most=4):
        del message["content"][at]
    return history


@breakage
def move_result(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "tool_result", most=2):
        drop_in(draw, history, message["content"].pop(at), "user")
    return history


@breakage
def move_call(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "tool_use"):
        drop_in(draw, history, message["content"].pop(at))
    return history


@breakage
def add_message(draw: st.DrawFn, mint: Mint, history: History) -> History:
    role = draw(st.sampled_from(["user", "assistant", "system"]))
    contents: list[Any] = [mint.id("mk"), [some_block(draw, mint)], "", [], " "]
    content = draw(st.sampled_from([*contents[:2], *contents]))
    history.insert(some_index(draw, history), {"role": role, "content": content})
    return history


@breakage
def add_block(draw: st.DrawFn, mint: Mint, history: History) -> History:
    drop_in(draw, history, some_block(draw, mint))
    return history


@breakage
def reuse_id(draw: st.DrawFn, mint: Mint, history: History) -> History:
    calls = [message["content"][at] for message, at in spots(history, "tool_use")]
    if len(calls) > 1:
        first, second = draw(st.permutations(calls))[:2]
        if chance(draw):
            rename_all(history, second["id"], first["id"])
        else:
            second["id"] = first["id"]
    return history


@breakage
def spoil_id(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "tool_use", "tool_result", "server"):
        block = message["content"][at]
        key = "id" if "id" in block else "tool_use_id"
        bad = draw(st.sampled_from(BAD_IDS))
        if chance(draw):
            rename_all(history, block[key], bad)
        else:
            block[key] = bad
    return history


def rename_all(history: History, old: str, new: str) -> None:
    """Give an id another name wherever it stands."""
    for message, at in spots(history):
        block = message["content"][at]
        for holder, key in (block, "id"), (block, "tool_use_id"), (block.get("caller"), "tool_id"):
            if holder and holder.get(key) == old:
                holder[key] = new


@breakage
def change_role(draw: st.DrawFn, mint: Mint, history: History) -> History:
    message = draw(st.sampled_from(history))
    others = {"user", "assistant", "system", "tool"} - {message["role"]}
    message["role"] = draw(st.sampled_from(sorted(others)))
    return history


@breakage
def speak_as_a_tool(draw: st.DrawFn, mint: Mint, history: History) -> History:
    """Give a result the form that another API knows."""
    for message, at in some_spots(draw, history, "tool_result"):
        block = message["content"].pop(at)
        place = next(i for i, each in enumerate(history) if each is message)
        told = {"role": "tool", "tool_call_id": block["tool_use_id"], "content": mint.id("mk")}
        history[place : place + (not message["content"])] = [told]
    return history


@breakage
def split_turn(draw: st.DrawFn, mint: Mint, history: History) -> History:
    long = [message for message in history if len(blocks_of(message)) > 1]
    if long:
        message = draw(st.sampled_from(long))
        place = next(i for i, each in enumerate(history) if each is message)
        at = draw(st.integers(1, len(message["content"]) - 1))
        history.insert(place + 1, {"role": message["role"], "content": message["content"][at:]})
        del message["content"][at:]
    return history


@breakage
def join_turns(draw: st.DrawFn, mint: Mint, history: History) -> History:
    if len(history) > 1:
        at = draw(st.integers(0, len(history) - 2))
        joined = [*in_blocks(history[at]), *in_blocks(history.pop(at + 1))]
        history[at] = {"role": history[at]["role"], "content": joined}
    return history


@breakage
def lose_server_blocks(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "server", most=2):
        del message["content"][at]
    return history


@breakage
def move_server_block(draw: st.DrawFn, mint: Mint, history: History) -> History:
    for message, at in some_spots(draw, history, "server"):
        drop_in(draw, history, message["content"].pop(at), "assistant")
    return history


# --- wild histories ------------------------------------------------------------------------------

CLIENT_IDS: list[Any] = ["t1", "t1", "t1", "t2", "t2", "srvtoolu_1", "mcp_1", "bad id", "", None]
SERVER_IDS: list[Any] = ["srvtoolu_1", "srvtoolu_1", "srvtoolu_2", "mcp_1", "t1", "bad id", None]
SERVER_RESULTS = ["web_search", "code_execution", "mcp", "novel"]

WILD_NESTED: list[Any] = [
    *[TEXT, TEXT, IMAGE, DOCUMENT, REFERENCE, BROWSER, BROWSER, EMPTY, BLANK, *[SEARCH] * 6],
    *[call("t1"), result("t1"), server_result("srvtoolu_1"), THINKING, COMPACTION],
    *[{"type": type} for type in ["hologram", "image_url", "function_call"]],
    *[{**TEXT, "cache_control": MARKER}, {**IMAGE, "cache_control": HOUR}],
    *[None, "text", 7, {}, {"type": None}],
]
WILD_CALLS = [
    *[call(id) for id in CLIENT_IDS],
    call("t1", toolset_name="computer"),
    call("t2", input="{}"),
    {"type": "tool_use", "id": "t1", "input": {}},
    {"type": "tool_use", "name": "f", "input": {}},
    *[call("t1", caller={"type": CODE, "tool_id": id}) for id in SERVER_IDS],
    call("t2", caller={"type": "direct"}),
    *[call("t2", name=name) for name in ["", "f" * 201, "ä" * 150]],
]
WILD_RESULTS: list[Any] = [
    *[result(id) for id in CLIENT_IDS],
    result("t1", toolset_name="computer"),
    result("t2", content=[TEXT]),
    {"type": "tool_result"},
]
ODD_CONTENTS: list[Any] = [None, "", [], 7, False, {}, TEXT, (TEXT, IMAGE), " "]
WILD_SERVER_BLOCKS = [
    *[server_call(id) for id in SERVER_IDS],
    *[server_result(id, name) for id in SERVER_IDS[:4] for name in SERVER_RESULTS[:2]],
    *[mcp_call(id) for id in ["mcp_1", "mcp_1", "srvtoolu_1", "bad id", None]],
    *[mcp_result(id) for id in ["mcp_1", "srvtoolu_1", None]],
    server_result("srvtoolu_1", "novel"),
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": None, "input": {}},
    *[server_call("srvtoolu_2", name) for name in ["advisor", "novel", "", "tool_search_tool"]],
]
WILD_REST: list[Any] = [
    *[TEXT, TEXT, IMAGE, DOCUMENT, THINKING, REDACTED],
    *[{"type": type} for type in ["compaction", "fallback", "search_result", "container_upload"]],
    *[{"type": type} for type in ["hologram", "image_url", "function_call", "reasoning"]],
    *[None, "text", {}, {"type": None}],
]
WILD_THOUGHTS: list[Any] = [
    *[THINKING, THINKING, REDACTED, TEXT, FALLBACK, FALLBACK, CONNECTOR, COMPACTION],
    *[{"type": "thinking", "thinking": "word"}, {"type": "thinking", "signature": "sig"}],
    *[{**THINKING, "thinking": ""}, {**THINKING, "signature": None}, {**REDACTED, "data": None}],
    *[{"type": "redacted_thinking"}, {**THINKING, "cache_control": MARKER}],
    *[{**COMPACTION, "content": content} for content in ["", None]],
]
WILD_TEXTS: list[Any] = [
    *[TEXT, EMPTY, BLANK, {"type": "text", "text": "\u00a0\u2003"}, {"type": "text"}],
    *[{"type": "text", "text": None}, {**EMPTY, "cache_control": MARKER}, ADDITION, REMOVAL],
    *[{**EMPTY, "cache_control": None}, {**BLANK, "cache_control": MARKER}],
]
WILD_ROLES: list[Any] = [
    *["user"] * 12,
    *["assistant"] * 12,
    *["system"] * 4,
    *["tool", "developer", "human", None],
]


def pool(*weighted: tuple[int, list[Any]]) -> st.SearchStrategy[Any]:
    """One of several lists, as often as its weight says, then one of its members."""
    lists = [st.sampled_from(members) for weight, members in weighted for _ in range(weight)]
    return st.one_of(lists)


@st.composite
def wild_results(draw: st.DrawFn) -> Block:
    """A result that holds anything."""
    nested = st.lists(st.sampled_from(WILD_NESTED), max_size=3)
    content = draw(nested if chance(draw) else st.sampled_from(ODD_CONTENTS))
    block = result(draw(st.sampled_from(CLIENT_IDS)), content=content)
    if chance(draw, 3):
        block["is_error"] = draw(st.sampled_from([True, True, False, None, 1]))
    if chance(draw, 4):
        block["toolset_name"] = draw(st.sampled_from(["computer", "computer", None]))
    return block


WILD_BLOCKS: dict[object, st.SearchStrategy[Any]] = {
    "user": st.one_of(
        pool((8, WILD_RESULTS), (2, WILD_REST), (1, WILD_SERVER_BLOCKS), (1, WILD_CALLS)),
        pool((4, WILD_RESULTS), (4, WILD_TEXTS), (1, WILD_REST), (1, WILD_THOUGHTS)),
        *[wild_results()] * 8,
    ),
    "assistant": st.one_of(
        pool((6, WILD_CALLS), (5, WILD_SERVER_BLOCKS), (3, WILD_REST), (1, WILD_RESULTS)),
        pool((3, WILD_CALLS), (3, WILD_SERVER_BLOCKS), (6, WILD_THOUGHTS), (3, WILD_TEXTS)),
    ),
    "system": pool((3, [TEXT]), (3, WILD_TEXTS), (1, WILD_REST), (1, WILD_CALLS), (1, [THINKING])),
}
ANY_BLOCK = st.one_of(
    pool((2, WILD_RESULTS), (2, WILD_CALLS), (1, WILD_SERVER_BLOCKS), (2, WILD_REST)),
    pool((1, WILD_TEXTS), (1, WILD_THOUGHTS)),
)


@st.composite
def wild_messages(draw: st.DrawFn) -> Message:
    """A message of any role and any shape, more often of a likely one."""
    role = draw(st.sampled_from(WILD_ROLES))
    blocks = st.lists(WILD_BLOCKS.get(role, ANY_BLOCK), max_size=4)
    shape = draw(st.integers(0, 11))
    if shape < 9:
        return {"role": role, "content": draw(blocks)}
    if shape == 9:
        return {"role": role, "content": draw(st.sampled_from(["", "word", "word", " \n"]))}
    if shape == 10:
        return dict(DIRECTIVE)
    odd: list[Message] = [{}, {"content": None}, {"content": 7}, {"content": (TEXT, result("t1"))}]
    return {"role": role, **draw(st.sampled_from(odd))}


@st.composite
def wild_steps(draw: st.DrawFn) -> History:
    """An assistant turn with calls and what follows it: sound blocks in any arrangement."""
    opened = [call("t1"), call("t2"), server_call("srvtoolu_1"), mcp_call("mcp_1"), TEXT, THINKING]
    closed = [server_result("srvtoolu_1"), mcp_result("mcp_1")]
    answering = [result("t1"), result("t2"), result("t1"), result("t2"), TEXT, IMAGE]
    if chance(draw, 3):
        caller = {"caller": {"type": CODE, "tool_id": "srvtoolu_1"}}
        opened[:2] = [call("t1", **caller), call("t2", **caller)]
        answering.append(result("t1", content=[TEXT, IMAGE]))
    turn = st.lists(st.sampled_from([*opened[:2], *opened, *closed]), min_size=1, max_size=4)
    zone = st.lists(st.sampled_from(answering), max_size=3)
    messages = [assistant(*blocks) for blocks in draw(st.lists(turn, min_size=1, max_size=2))]
    messages += [user(*blocks) for blocks in draw(st.lists(zone, max_size=3))]
    if chance(draw, 4):
        messages.insert(draw(st.integers(0, len(messages))), says("system"))
    return messages


@st.composite
def wild_histories(draw: st.DrawFn, *, most: int = 6) -> History:
    """Anything that has the shape of a history, over so few ids that blocks meet."""
    parts = st.one_of(wild_messages().map(lambda message: [message]), wild_steps())
    messages = [message for part in draw(st.lists(parts, max_size=most)) for message in part]
    return marked(draw, messages) if chance(draw, 8) else messages


def marked(draw: st.DrawFn, messages: History) -> History:
    """The same history with a `cache_control` on any block, those within results apart."""
    controls = st.sampled_from([None, MARKER, MARKER, HOUR, {**MARKER, "ttl": "5m"}])
    return [
        {
            **message,
            "content": [
                {**block, "cache_control": draw(controls)}
                if isinstance(block, dict) and "type" in block and chance(draw)
                else block
                for block in message["content"]
            ],
        }
        if isinstance(message.get("content"), list)
        else message
        for message in messages
    ]
