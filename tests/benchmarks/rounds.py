"""Who runs the calls of a reply: toolpair, the loop that people write, and the SDK's runner.

All run the same tools on the same scripted replies. The SDK's clients talk to a transport in this
process, for toolpair's loop as for the SDK's own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from histories import History
from subjects import peer

__all__ = ["SLOW_S", "loops", "runners"]

SLOW_S = 0.01
"""How long a slow tool waits, in seconds."""


def reply(count: int, name: str = "add") -> dict[str, Any]:
    """An assistant message with so many calls."""
    calls = [
        {"type": "tool_use", "id": f"toolu_{n:05}", "name": name, "input": {"a": n, "b": 1}}
        for n in range(count)
    ]
    return {"role": "assistant", "content": calls}


def add(a: int, b: int) -> str:
    return str(a + b)


def wait(a: int, b: int) -> str:
    time.sleep(SLOW_S)
    return str(a + b)


TOOLS = {"add": add, "wait": wait}


def plain(message: dict[str, Any]) -> dict[str, Any]:
    """The loop that people write, with its exception path."""
    results = []
    for block in message["content"]:
        if block["type"] == "tool_use":
            result = {"type": "tool_result", "tool_use_id": block["id"]}
            try:
                result["content"] = TOOLS[block["name"]](**block["input"])
            except Exception as error:  # noqa: BLE001
                result |= {"content": f"{type(error).__name__}: {error}", "is_error": True}
            results.append(result)
    return {"role": "user", "content": results}


def runners(count: int, name: str = "add") -> dict[str, Callable[[History], object]]:
    """Answer one reply of so many calls."""
    toolpair, message = peer("toolpair"), reply(count, name)
    asked = [{"role": "user", "content": "q"}]

    def in_round(_: History) -> object:
        messages = list(asked)
        with toolpair.ToolRound(messages, message) as opened:
            opened.run(TOOLS)
        return messages

    return {
        "plain loop": lambda _: plain(message),
        "run_tool_calls, one at a time": lambda _: toolpair.run_tool_calls(
            message, TOOLS, max_concurrency=1
        ),
        "run_tool_calls": lambda _: toolpair.run_tool_calls(message, TOOLS),
        "ToolRound": in_round,
    }


def loops(
    count: int, name: str = "add"
) -> tuple[dict[str, Callable[[History], object]], list[str]]:
    """A whole loop of two requests, the first answered with so many calls; and who is left out."""
    try:
        import anthropic
        import httpx2
    except ImportError as error:
        return {}, [f"the SDK's loops ({error})"]
    toolpair, message = peer("toolpair"), reply(count, name)

    def served(request: Any) -> Any:
        is_first = isinstance(json.loads(request.content)["messages"][-1]["content"], str)
        content = message["content"] if is_first else [{"type": "text", "text": "Done."}]
        body = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "stop_reason": "tool_use" if is_first else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=body)

    client: Any = anthropic.Anthropic(
        api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(served))
    )
    request = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
    runnable = [anthropic.beta_tool(tool) for tool in TOOLS.values()]
    asked = [{"role": "user", "content": "q"}]

    def ours(_: History) -> object:
        model = toolpair.client_model(client, **request, tools=[])
        return toolpair.run_agent(model, list(asked), TOOLS)

    def theirs(_: History) -> object:
        runner = client.beta.messages.tool_runner(**request, messages=asked, tools=runnable)
        return runner.until_done()

    def by_hand(_: History) -> object:
        messages = list(asked)
        while True:
            said = client.messages.create(**request, messages=messages, tools=[])
            calls = [block.model_dump() for block in said.content if block.type == "tool_use"]
            messages.append({"role": "assistant", "content": said.content})
            if not calls:
                return messages
            messages.append(plain({"content": calls}))

    return {"plain loop": by_hand, "run_agent": ours, "the SDK's tool_runner": theirs}, []
