"""A history that was loaded while calls at its end wait: run them, or close them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from toolpair._mend import changed_message
from toolpair._messages import blocks_in, member
from toolpair._rounds.choosing import Chosen
from toolpair._rounds.jobs import Tools
from toolpair._rounds.ledger import Ledger, OnError
from toolpair._rounds.tool_round import SENT_LAST
from toolpair._rounds.work import MAX_CONCURRENCY, Options, Reason, Work
from toolpair._types import Context, Endpoint, M
from toolpair._verbs import check_tool_pairing
from toolpair.exceptions import ToolPairingError

__all__ = ["aresume", "resume"]


def resume(
    messages: Sequence[M],
    tools: Tools | None = None,
    *,
    max_concurrency: int = MAX_CONCURRENCY,
    timeout: float | None = None,
    on_error: OnError | None = None,
    only: Chosen | None = None,
    skip: Chosen | None = None,
    reason: Reason = "lost",
    endpoint: Endpoint = "anthropic",
    context: Context | None = None,
) -> list[M]:
    """Return a loaded history with the calls at its end answered.

    The calls are those that `pending_tool_uses` lists: of the last assistant turn, all or some of
    them without a result. Results that there are stay; all stand in the order of the calls, in
    one user message. A call may have been run before the process ended: name with `only` or
    `skip` what may not run twice, and it is closed with the reason.

    Args:
        messages: The history, as `check_tool_pairing` takes it.
        tools: What runs the calls, as for `run_tool_calls`; None closes all of them.
        max_concurrency: How many calls run at once.
        timeout: Seconds that each call may take.
        on_error: Shapes the result of a tool that raised.
        only: The calls to run: ids, names of tools, or a function of a `ToolCall`.
        skip: The calls not to run.
        reason: What a call that is not run is told: `"lost"` (its result was not recorded, and
            whether it had effects is unknown), or what `run_tool_calls` takes.
        endpoint: Who will receive it.
        context: The rest of the request, as `check_tool_pairing` takes it.

    Returns:
        A new list; messages without results of the last turn are the same objects. Nothing given
        is changed.

    Raises:
        ToolPairingError: It is broken, not merely half written: `plan_repair` tells what to do.
            No tool is run.
        TypeError: It is no history, with the place; or an argument is of the wrong type.
        ValueError: A number is out of range, or there is no such endpoint.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2}}
    >>> loaded = [{"role": "user", "content": "?"}, {"role": "assistant", "content": [call]}]
    >>> resume(loaded, {"add": lambda a, b: a + b})[2]["content"][0]["content"]
    '3'
    """
    end = _End(messages, endpoint, context)
    options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
    if tools is None:
        tools, only = {}, ()
    work = Work(end.ledger, tools, options, only, skip, reason)
    work.run()
    return cast("list[M]", end.messages())


async def aresume(
    messages: Sequence[M],
    tools: Tools | None = None,
    *,
    max_concurrency: int = MAX_CONCURRENCY,
    timeout: float | None = None,
    on_error: OnError | None = None,
    only: Chosen | None = None,
    skip: Chosen | None = None,
    reason: Reason = "lost",
    endpoint: Endpoint = "anthropic",
    context: Context | None = None,
) -> list[M]:
    """Do what `resume` does, in tasks: it takes the same, and async tools as well."""
    end = _End(messages, endpoint, context)
    options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
    if tools is None:
        tools, only = {}, ()
    work = Work(end.ledger, tools, options, only, skip, reason)
    await work.arun()
    return cast("list[M]", end.messages())


class _End:
    """The last assistant turn of a history, and the results that it has."""

    def __init__(
        self, messages: Sequence[object], endpoint: Endpoint, context: Context | None
    ) -> None:
        report = check_tool_pairing(
            messages,
            endpoint=endpoint,
            ignore=("empty-history", *SENT_LAST),  # nothing is sent yet
            context=context,
            allow_pending=True,
        )
        if not report.ok:
            raise ToolPairingError(report)
        self.given = list(messages)
        self.after = len(self.given)  # where the turn ends, and its results begin
        if not report.pending:
            self.ledger = Ledger([])
            return
        while member(self.given[self.after - 1], "role") != "assistant":
            self.after -= 1
        start = report.pending[0].message_index
        while start and member(self.given[start - 1], "role") != "user":
            start -= 1  # a directive may stand in a turn
        turn = self.given[start : self.after]
        said = [message for message in turn if member(message, "role") == "assistant"]
        self.ledger = Ledger([block for message in said for block in blocks_in(message)])
        answered = [block for message in self.given[self.after :] for block in blocks_in(message)]
        for block in answered:
            if member(block, "type") == "tool_result":
                self.ledger.enter(self.ledger.call(member(block, "tool_use_id")), block)

    def messages(self) -> list[Any]:
        """The history with all results in one message."""
        results = self.ledger.message()
        if results is None:
            return self.given
        answered = self.given[self.after :]
        users = [message for message in answered if member(message, "role") == "user"]
        rest = [message for message in answered if member(message, "role") != "user"]
        made = changed_message(users[0], {"content": results["content"]}, ()) if users else results
        return [*self.given[: self.after], made, *rest]
