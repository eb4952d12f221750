"""Histories for the property tests: valid ones, ones with a single known fault, and wild ones.

A history here is a list of dicts, as JSON gives it; `as_sdk` turns it into what an agent that uses
the anthropic SDK holds.
"""

from __future__ import annotations

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
THINKING: Block = {"type": "thinking", "thinking": "word", "signature": "sig"}
REDACTED: Block = {"type": "redacted_thinking", "data": "x"}
CODE = "code_execution_20250825"


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


def prompt(draw: st.DrawFn) -> History:
    """What a user asks, in one message or two."""
    shapes = [says("user"), user(TEXT), user(IMAGE, TEXT), user(DOCUMENT, TEXT)]
    return draw(st.lists(st.sampled_from(shapes).map(dict), min_size=1, max_size=2))


def answer(draw: st.DrawFn) -> History:
    """What an assistant says without calling anything."""
    shapes = [says("assistant"), assistant(TEXT), assistant(THINKING, TEXT)]
    return [dict(draw(st.sampled_from(shapes)))]


def opening(draw: st.DrawFn) -> list[Block]:
    """What may stand before a call in an assistant message."""
    return list(draw(st.sampled_from([[], [TEXT], [THINKING], [THINKING, TEXT], [REDACTED]])))


def client_pair(draw: st.DrawFn, mint: Mint, **members: Any) -> tuple[Block, Block]:
    """A call and its result."""
    id = mint.id(draw(st.sampled_from(["toolu", "call", "functions-f"])))
    if not members and chance(draw, 8):
        return call(id, toolset_name="computer"), result(id, toolset_name="computer")
    shapes: list[dict[str, Any]] = [
        {"content": "r"},
        {"content": [TEXT]},
        {"content": [TEXT, IMAGE]},
        {"content": ""},
        {"content": "no", "is_error": True},
    ]
    return call(id, **members), result(id, **draw(st.sampled_from(shapes)))


def client_step(draw: st.DrawFn, mint: Mint) -> History:
    """Parallel calls, perhaps split over messages, and a turn that answers them."""
    pairs = [client_pair(draw, mint) for _ in range(draw(st.integers(1, 4)))]
    messages = [assistant(*opening(draw))]
    for position, (each, _) in enumerate(pairs):
        if position and chance(draw, 4):
            messages.append(assistant())
        elif position and chance(draw, 4):
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
    if chance(draw):
        return [assistant(*blocks, TEXT)]
    each, answering = client_pair(draw, mint)
    return [assistant(*blocks, each), user(answering)]


def deferred_step(draw: st.DrawFn, mint: Mint) -> History:
    """A server call that stays open while the client answers its own call, once or twice."""
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
    each, answering = client_pair(draw, mint, **members)
    messages = [assistant(*opening(draw), opened, each), user({**answering, "content": "r"})]
    if chance(draw):
        each, answering = client_pair(draw, mint, **members)
        messages += [assistant(each), user({**answering, "content": "r"})]
    return [*messages, assistant(closed, TEXT)]


def scene(draw: st.DrawFn, mint: Mint) -> History:
    """A prompt, some steps, and perhaps a last word."""
    steps = [client_step, client_step, server_step, deferred_step, programmatic_step]
    messages = prompt(draw)
    for step in draw(st.lists(st.sampled_from(steps), max_size=4)):
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


def with_system_messages(draw: st.DrawFn, messages: History) -> History:
    """The same history with system messages where they may stand."""
    placed: History = []
    for message in messages:
        follows_user = bool(placed) and placed[-1]["role"] == "user"
        if follows_user and message["role"] == "assistant" and chance(draw, 8):
            placed += [says("system")] * draw(st.integers(1, 2))
        if chance(draw, 16):
            placed.append({"role": "system", "content": [], "output_config": {"effort": "low"}})
        placed.append(dict(message))
    return [dict(message) for message in placed]


@st.composite
def valid_histories(draw: st.DrawFn, *, leading_system: bool = False) -> History:
    """Histories that the API takes as they are; a leading system message only when asked for."""
    mint = Mint()
    messages = scene(draw, mint) + scenes(draw, mint)
    if chance(draw, 6):
        for _ in range(draw(st.integers(5, 20))):
            messages += client_step(draw, mint) if messages[-1]["role"] == "user" else prompt(draw)
    if chance(draw, 6):
        paused = server_call(mint.id("srvtoolu"))
        messages += [says("user"), assistant(TEXT, paused)]
    messages = with_system_messages(draw, messages)
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
    scene[CALLS]["content"].append(draw(st.sampled_from([TEXT, IMAGE, DOCUMENT])))
    return scene, {("content-after-tool-use", CALLS)}


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
    block = of_type(scene[side], "tool_use" if side == CALLS else "tool_result")[0]
    block["toolset_name"] = "computer"
    return scene, {("toolset-name-mismatch", RESULTS)}


@corruption
def toolset_swapped(draw: st.DrawFn, mint: Mint) -> Damage:
    scene = client_scene(draw, mint)
    each = a_call(draw, scene)
    result_of(scene, each)["toolset_name"] = "browser"
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


# --- wild histories ------------------------------------------------------------------------------

CLIENT_IDS: list[Any] = ["t1", "t1", "t1", "t2", "t2", "srvtoolu_1", "mcp_1", "bad id", "", None]
SERVER_IDS: list[Any] = ["srvtoolu_1", "srvtoolu_1", "srvtoolu_2", "mcp_1", "t1", "bad id", None]
SERVER_RESULTS = ["web_search", "code_execution", "mcp", "novel"]

WILD_CALLS = [
    *[call(id) for id in CLIENT_IDS],
    call("t1", toolset_name="computer"),
    call("t2", input="{}"),
    {"type": "tool_use", "id": "t1", "input": {}},
    {"type": "tool_use", "name": "f", "input": {}},
    *[call("t1", caller={"type": CODE, "tool_id": id}) for id in SERVER_IDS],
    call("t2", caller={"type": "direct"}),
]
WILD_RESULTS = [
    *[result(id) for id in CLIENT_IDS],
    result("t1", toolset_name="computer"),
    result("t2", content=[TEXT]),
    {"type": "tool_result"},
]
WILD_SERVER_BLOCKS = [
    *[server_call(id) for id in SERVER_IDS],
    *[server_result(id, name) for id in SERVER_IDS[:4] for name in SERVER_RESULTS[:2]],
    *[mcp_call(id) for id in ["mcp_1", "mcp_1", "srvtoolu_1", "bad id", None]],
    *[mcp_result(id) for id in ["mcp_1", "srvtoolu_1", None]],
    server_result("srvtoolu_1", "novel"),
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": None, "input": {}},
]
WILD_REST: list[Any] = [
    *[TEXT, TEXT, IMAGE, DOCUMENT, THINKING, REDACTED],
    *[{"type": type} for type in ["compaction", "fallback", "search_result", "container_upload"]],
    *[{"type": type} for type in ["hologram", "image_url", "function_call", "reasoning"]],
    *[None, "text", {}, {"type": None}],
]
WILD_ROLES: list[Any] = [
    *["user"] * 12,
    *["assistant"] * 12,
    *["system", "system", "tool", "developer", "human", None],
]
DIRECTIVE: Message = {"role": "system", "content": [], "output_config": {"effort": "low"}}


def pool(*weighted: tuple[int, list[Any]]) -> st.SearchStrategy[Any]:
    """One of several lists, as often as its weight says, then one of its members."""
    lists = [st.sampled_from(members) for weight, members in weighted for _ in range(weight)]
    return st.one_of(lists)


WILD_BLOCKS: dict[object, st.SearchStrategy[Any]] = {
    "user": pool((8, WILD_RESULTS), (2, WILD_REST), (1, WILD_SERVER_BLOCKS), (1, WILD_CALLS)),
    "assistant": pool((6, WILD_CALLS), (5, WILD_SERVER_BLOCKS), (3, WILD_REST), (1, WILD_RESULTS)),
}
ANY_BLOCK = pool((2, WILD_RESULTS), (2, WILD_CALLS), (1, WILD_SERVER_BLOCKS), (2, WILD_REST))


@st.composite
def wild_messages(draw: st.DrawFn) -> Message:
    """A message of any role and any shape, more often of a likely one."""
    role = draw(st.sampled_from(WILD_ROLES))
    blocks = st.lists(WILD_BLOCKS.get(role, ANY_BLOCK), max_size=4)
    shape = draw(st.integers(0, 11))
    if shape < 9:
        return {"role": role, "content": draw(blocks)}
    if shape == 9:
        return {"role": role, "content": draw(st.sampled_from(["", "word", "word"]))}
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
    turn = st.lists(st.sampled_from([*opened[:2], *opened, *closed]), min_size=1, max_size=4)
    zone = st.lists(st.sampled_from(answering), max_size=3)
    messages = [assistant(*blocks) for blocks in draw(st.lists(turn, min_size=1, max_size=2))]
    messages += [user(*blocks) for blocks in draw(st.lists(zone, max_size=3))]
    if chance(draw, 4):
        messages.insert(draw(st.integers(0, len(messages))), says("system"))
    return messages


def wild_histories(*, most: int = 6) -> st.SearchStrategy[History]:
    """Anything that has the shape of a history, over so few ids that blocks meet."""
    parts = st.one_of(wild_messages().map(lambda message: [message]), wild_steps())
    return st.lists(parts, max_size=most).map(lambda lists: [m for part in lists for m in part])
