"""A model that says what a script tells it to."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from toolpair._messages import blocks_in, member
from toolpair._verbs import check_tool_pairing
from toolpair.exceptions import ToolPairingError
from toolpair.testing._script import Reply, Script, as_body, as_message

__all__ = ["ScriptedModel", "answer", "ask_again", "calls", "client_of"]


_PAIR = 2


class ScriptedModel:
    """A model without a network: called with the history, it returns the next reply.

    A reply is a text, a list of content blocks (see `calls`), an assistant message, or a function
    that is given the history and returns one of these. When the script is at its end, a function
    that stands last answers all further requests, and anything else raises a `ScriptError`.

    `requests` are the histories that it was asked with, as they were. `client` stands in for an
    SDK's client, and gives its `Message` objects: `client.messages.create(messages=...)`.

    >>> model = ScriptedModel(["Hello!"])
    >>> model([{"role": "user", "content": "Hi."}])["content"]
    [{'type': 'text', 'text': 'Hello!'}]
    """

    def __init__(
        self, replies: Sequence[Reply], *, strict: bool = False, as_sdk: bool = False
    ) -> None:
        """Take the script.

        Args:
            replies: What it says, in order.
            strict: Refuse what the API would: a broken history raises its `ToolPairingError`.
            as_sdk: Return `anthropic.types.Message` objects, as the SDK does, instead of dicts.
        """
        self._script = Script(replies)
        self.replies = self._script.replies
        self.requests: list[list[Any]] = []
        self._strict = strict
        self._as_sdk = as_sdk

    @property
    def client(self) -> Any:  # noqa: ANN401 - it has the shape of any SDK's client
        """An object whose `messages.create(messages=..., **anything)` asks this model."""
        return client_of(self)

    def __call__(self, messages: Sequence[Any]) -> Any:  # noqa: ANN401 - a dict, or the SDK's type
        """The next reply: an assistant message.

        Raises:
            ScriptError: There is none.
            ToolPairingError: It is strict, and the API would refuse the history.
        """
        history = list(messages)
        if self._strict and not (report := check_tool_pairing(history)).ok:
            raise ToolPairingError(report)
        index = len(self.requests)
        self.requests.append(deepcopy(history))
        reply = self._script.at(index)
        message = as_message(reply(history) if callable(reply) else reply)
        return _as_sdk(message, index) if self._as_sdk and isinstance(message, Mapping) else message


def client_of(model: Callable[[Sequence[Any]], Any]) -> SimpleNamespace:
    """A model in the shape of an SDK's client: sync or async as the model is."""
    numbers = itertools.count()

    def create(*, messages: Sequence[Any], **_: object) -> Any:  # noqa: ANN401 - what the model says
        said = model(messages)
        return later(said) if inspect.isawaitable(said) else as_sdk(said)

    async def later(said: Awaitable[Any]) -> Any:  # noqa: ANN401
        return as_sdk(await said)

    def as_sdk(message: Any) -> Any:  # noqa: ANN401
        return _as_sdk(message, next(numbers)) if isinstance(message, Mapping) else message

    return SimpleNamespace(messages=SimpleNamespace(create=create))


def calls(*asked: tuple[str, Mapping[str, Any]], text: str = "", first: int = 1) -> list[Any]:
    """Content blocks that call tools: `calls(("get_weather", {"city": "Tokyo"}))`.

    Ids are `toolu_01`, `toolu_02`, ...; `first` is the number of the first. `text` goes before.

    >>> [block["id"] for block in calls(("f", {}), ("g", {}))]
    ['toolu_01', 'toolu_02']
    """
    if any(len(pair) != _PAIR or not isinstance(pair[0], str) for pair in asked):
        raise TypeError('calls takes pairs of a name and an input: calls(("name", {...}), ...)')
    blocks: list[Any] = [{"type": "text", "text": text}] if text else []
    for number, (name, given) in enumerate(asked, first):
        block = {"type": "tool_use", "id": f"toolu_{number:02}", "name": name, "input": dict(given)}
        blocks.append(block)
    return blocks


def answer(plan: Sequence[Any], says: Mapping[str, str]) -> Callable[[list[Any]], str]:
    """A reply that says what it was told, and leaves out what it was not.

    `says` has a sentence for each tool; a result that is an error, or none, has no sentence. Where
    none is left, it says that it does not know.

    >>> plan = calls(("f", {}), ("g", {}))
    >>> result = {"type": "tool_result", "tool_use_id": "toolu_02", "content": "7"}
    >>> answer(plan, {"f": "f is 3.", "g": "g is 7."})([{"role": "user", "content": [result]}])
    'g is 7.'
    """

    def reply(history: list[Any]) -> str:
        told = _answered(history)
        known = [says[it["name"]] for it in _calls_in(plan) if it["id"] in told]
        return " ".join(known) or "I do not know."

    return reply


def ask_again(plan: Sequence[Any], then: Reply) -> Callable[[list[Any]], Any]:
    """A reply that sends the same calls again until each has a result, and then says `then`.

    Results that are errors do not count.

    >>> plan = calls(("f", {}))
    >>> ask_again(plan, "Done.")([{"role": "user", "content": "q"}]) is plan
    True
    """

    def reply(history: list[Any]) -> Any:  # noqa: ANN401 - any reply
        told = _answered(history)
        if any(it["id"] not in told for it in _calls_in(plan)):
            return plan
        return then(history) if callable(then) else then

    return reply


def _calls_in(plan: Sequence[Any]) -> list[Any]:
    return [block for block in plan if member(block, "type") == "tool_use"]


def _answered(history: Sequence[Any]) -> set[Any]:
    """The ids of the results in a history that are no errors, in whatever role they stand."""
    return {
        member(block, "tool_use_id")
        for message in history
        for block in blocks_in(message)
        if member(block, "type") == "tool_result" and not member(block, "is_error")
    }


def _as_sdk(message: Mapping[str, Any], index: int) -> Any:  # noqa: ANN401
    from anthropic.types import Message  # noqa: PLC0415 - only who asks for it needs the SDK

    return Message.model_validate(as_body(message, index))
