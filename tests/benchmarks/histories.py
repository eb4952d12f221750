"""The histories that are measured: the same for every subject, and the same every time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle
from typing import Any

__all__ = [
    "DAMAGES",
    "FORMS",
    "History",
    "agent_loop",
    "from_json",
    "parallel_calls",
    "with_lost_results",
    "with_sdk_objects",
]

Message = dict[str, Any]
History = list[Message]

TASK = 48
"""Messages from one prompt to the next; it divides no round size, so no blind cut is lucky."""

CALLS_PER_STEP = (1, 1, 2, 4)
"""Over and over: most steps make one call, some make several at once."""


def agent_loop(size: int, result_bytes: int = 2_000, character: str = "x") -> History:
    """An agent at work: `size` valid messages, each result `result_bytes` of UTF-8 long.

    Each result is a string of its own, as it is in life; a call and its result share the id
    object, as they do where a harness writes `"tool_use_id": block.id`.
    """
    serials = count()
    groups = cycle(CALLS_PER_STEP)
    filler = character * (result_bytes // len(character.encode()))
    history: History = []
    while (room := size - len(history)) > 0:
        task: History = [{"role": "user", "content": "Find the slow test and make it fast."}]
        for _ in range((min(TASK, room) - 2) // 2):
            task += _step([next(serials) for _ in range(next(groups))], filler)
        task.append({"role": "assistant", "content": [{"type": "text", "text": "It is fast."}]})
        history += task[:room]
    return history


def parallel_calls(calls: int) -> History:
    """One step of so many parallel calls, all answered."""
    prompt = {"role": "user", "content": "Read them all."}
    return [prompt, *_step(list(range(calls)), "x" * 200)]


def from_json(history: History) -> History:
    """The same history as `json.loads` builds it: nothing interned, no string shared."""
    loaded: History = json.loads(json.dumps(history))
    return loaded


def with_sdk_objects(history: History) -> History:
    """The same history as a loop over the SDK holds it: `{"role": ..., "content": reply.content}`.

    ImportError if `anthropic` is not installed.
    """
    from anthropic.types import Message as Reply

    def replied(message: Message) -> Message:
        reply = Reply.model_validate(
            {
                "id": "msg_01",
                "type": "message",
                "model": "claude",
                "stop_reason": "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
                **message,
            }
        )
        return {"role": "assistant", "content": reply.content}

    return [replied(m) if m["role"] == "assistant" else m for m in history]


def with_lost_results(history: History, every: int = 100) -> History:
    """The same history, but one result of `every` is lost, the first one first."""
    results = count()
    broken: History = []
    for message in history:
        if message["role"] == "user" and isinstance(message["content"], list):
            kept = [block for block in message["content"] if next(results) % every]
            broken.append({"role": "user", "content": kept or "Go on."})
        else:
            broken.append(message)
    return broken


def with_damage(history: History, period: int) -> History:
    """The same history, but of each `period` steps four are damaged, each in a way of its own.

    A result is lost; a text stands before the results; one comes twice; one answers nothing.
    """
    steps = count()
    broken: History = []
    for message in history:
        if message["role"] == "user" and isinstance(message["content"], list):
            step, results = next(steps), message["content"]
            first = results[0]
            ways: dict[int, Any] = {
                0: results[1:] or "Go on.",
                period // 4: [{"type": "text", "text": "Go on."}, *results],
                period // 2: [*results, first],
                period * 3 // 4: [*results, {**first, "tool_use_id": f"toolu_gone_{step}"}],
            }
            broken.append({"role": "user", "content": ways.get(step % period, results)})
        else:
            broken.append(message)
    return broken


DAMAGES: dict[str, tuple[str, Callable[[History], History]]] = {
    "sound": ("a sound history", list),
    "damaged": ("a history with four damages in each ten steps", partial(with_damage, period=10)),
    "all damaged": ("a history with a damage in every step", partial(with_damage, period=4)),
}
"""Each kind of damage: its description, and how it is made from `agent_loop`."""

FORMS: dict[str, tuple[str, Callable[[History], History]]] = {
    "dicts": ("dicts built in Python", list),
    "json": ("dicts from `json.loads`", from_json),
    "sdk": ("SDK objects in the assistant's content", with_sdk_objects),
}
"""Each form's description, and how it is made from `agent_loop`."""


def _step(serials: list[int], filler: str) -> Iterator[Message]:
    ids = [f"toolu_01{serial * 0x9E3779B97F4A7C15F39CC0 % 2**88:022x}" for serial in serials]
    calls = [
        {"type": "tool_use", "id": id, "name": "read", "input": {"path": f"src/module_{n}.py"}}
        for id, n in zip(ids, serials, strict=True)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": f"{n}{filler}"[: len(filler)]}
        for id, n in zip(ids, serials, strict=True)
    ]
    text = [{"type": "text", "text": f"Reading module {serials[0]}."}] if serials[0] % 2 else []
    yield {"role": "assistant", "content": [*text, *calls]}
    yield {"role": "user", "content": results}
