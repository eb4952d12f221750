"""What the tests of tool rounds share: calls, and what must hold of a list after a round."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from conftest import EXAMPLES

from toolpair import check_tool_pairing, run_tool_calls

__all__ = ["QUESTION", "RUNS", "Block", "answered", "run", "said", "turn", "use"]

Block: TypeAlias = dict[str, Any]

QUESTION: Block = {"role": "user", "content": "?"}
RUNS = EXAMPLES[os.environ.get("TOOLPAIR_PROFILE", "ci")]
"""How often to draw at random, as the profile has it."""


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
