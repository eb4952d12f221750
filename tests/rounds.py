"""What the tests of tool rounds share: calls, tools, and what must hold of a list after a round."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import pytest
from conftest import EXAMPLES

from toolpair import check_tool_pairing, run_tool_calls

__all__ = [
    "BACKENDS",
    "CALLER",
    "CODE",
    "HANGS",
    "QUESTION",
    "RUNS",
    "Block",
    "answered",
    "circle",
    "contents",
    "deep",
    "never",
    "run",
    "said",
    "turn",
    "under",
    "use",
]

Block: TypeAlias = dict[str, Any]

QUESTION: Block = {"role": "user", "content": "?"}
RUNS = EXAMPLES[os.environ.get("TOOLPAIR_PROFILE", "ci")]
"""How often to draw at random, as the profile has it."""

CODE: Block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}
"""The server's code."""
CALLER: Block = {"caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}}
"""What a call of that code has."""

HANGS = 30.0
"""Seconds that a tool sleeps which hangs; no test waits for it."""
BACKENDS = ["asyncio", "trio"]


def use(id: str, name: str = "f", /, **input: Any) -> Block:
    """A client call."""
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def turn(*blocks: Block) -> Block:
    """An assistant message."""
    return {"role": "assistant", "content": list(blocks)}


def answered(messages: Sequence[Any], *, calls: int) -> list[Block]:
    """The results in the last message of a history, which has no fault."""
    report = check_tool_pairing(messages)
    assert report.ok, str(report)
    results = list(messages[-1]["content"])
    assert [block["type"] for block in results] == ["tool_result"] * calls
    return results


def run(blocks: Sequence[Any], tools: Any, **options: Any) -> list[Block]:
    """The results of the calls of a message; the history with them has no fault."""
    message = {"role": "assistant", "content": list(blocks)}
    answer = run_tool_calls(message, tools, **options)
    assert answer is not None
    return answered([QUESTION, message, answer], calls=len(answer["content"]))


def said(value: object, call: Block | None = None, **options: Any) -> tuple[Any, bool]:
    """What the result holds of a tool that returned this, and whether it is an error."""
    (result,) = run([call or use("toolu_1")], lambda *_: value, **options)
    return result["content"], result.get("is_error", False)


def never(*_: object, **__: object) -> None:
    """A tool that may not be run."""
    pytest.fail("no tool may run")


def under(backend: str, function: Callable[[], Awaitable[Any]]) -> Any:
    """Run it under a library, through anyio."""
    anyio = pytest.importorskip("anyio")
    pytest.importorskip(backend)
    return anyio.run(function, backend=backend)


def contents(results: list[Block]) -> list[Any]:
    """What results hold, in a word where they were late."""
    return ["late" if "timed out" in it["content"] else it["content"] for it in results]


def circle() -> list[object]:
    """A list that holds itself."""
    held: list[object] = []
    held.append(held)
    return held


def deep(levels: int) -> object:
    """Lists in lists."""
    held: object = 1
    for _ in range(levels):
        held = [held]
    return held
