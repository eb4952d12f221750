"""The smallest honest loop: ask the model, run what it calls, until it calls nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, MutableSequence
from copy import deepcopy
from typing import Any, TypeAlias

from toolpair._messages import member
from toolpair._report import Report
from toolpair._rounds.calls import ToolCall
from toolpair._rounds.jobs import Tools
from toolpair._rounds.ledger import Ledger, OnError
from toolpair._rounds.run import Run
from toolpair._rounds.tool_round import SENT_LAST, ToolRound
from toolpair._rounds.work import MAX_CONCURRENCY, Options, Work, positive
from toolpair._types import Context, Endpoint, EndReason
from toolpair._verbs import check_tool_pairing
from toolpair.exceptions import ToolPairingError

__all__ = ["arun_agent", "client_model", "run_agent"]

Model: TypeAlias = Callable[[list[Any]], object]
"""Is given the history, and returns the assistant message: a dict, an SDK's `Message`, a content
list, or a text; for `arun_agent`, what it returns may be to be awaited."""


def client_model(client: Any, **request: Any) -> Callable[[list[Any]], Any]:  # noqa: ANN401
    """An Anthropic client as the model of `run_agent`, or an async client for `arun_agent`.

    `request` is the rest of each request, as `client.messages.create` takes it: `model`,
    `max_tokens`, `tools`, ...

    >>> model = client_model(client, model="claude-sonnet-5-5", max_tokens=1024)  # doctest: +SKIP
    """
    return lambda messages: client.messages.create(messages=messages, **request)


def run_agent(
    model: Model,
    messages: MutableSequence[Any],
    tools: Tools,
    *,
    max_rounds: int = 20,
    max_repeats: int = 2,
    max_concurrency: int = MAX_CONCURRENCY,
    timeout: float | None = None,
    on_error: OnError | None = None,
    endpoint: Endpoint = "anthropic",
    context: Context | None = None,
) -> Run:
    """Ask the model and run what it calls, until it calls nothing more.

    Each request is checked before it is sent, and each round enters `messages` whole, so that
    the list is valid at any moment: also when this is interrupted, or the model raises.

    Args:
        model: Is called with the history; see `client_model`.
        messages: The history, a list; it is extended.
        tools: What runs the calls, as for `run_tool_calls`.
        max_rounds: How many replies of the model there may be.
        max_repeats: How often the same calls (names and inputs) may be run in consecutive rounds.
            When they come once more they are answered, but not run, and the run ends.
        max_concurrency: How many calls of a round run at once.
        timeout: Seconds that each call may take.
        on_error: Shapes the result of a tool that raised.
        endpoint: Who receives the requests.
        context: The rest of the request, as `check_tool_pairing` takes it.

    Returns:
        What was done, and why it ended: `"finished"`, `"max_rounds"`, `"repeated_plan"`, or
        `"refused"` (the history or a reply would be refused, and `run.report` says why; or the
        model ended with the stop reason `refusal`).

    Raises:
        TypeError: An argument is of the wrong type, or the model returned no message.
        ValueError: A number is out of range, there is no such endpoint, or a reply has another
            role.
        ToolRoundError: A tool changed `messages`.
        Exception: What the model raises goes on.

    >>> run = run_agent(lambda messages: "Hello!", [{"role": "user", "content": "Hi."}], {})
    >>> run.end_reason, run.final_text
    ('finished', 'Hello!')
    """
    options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
    _must_be_runnable(model, messages, tools, options)
    agent = _Agent(messages, (max_rounds, max_repeats), endpoint, context)
    while agent.goes_on():
        reply = model(list(messages))
        try:
            with agent.takes(reply) as round_:
                if agent.runs(round_, reply):
                    round_.run(tools, **options)
        except ToolPairingError as fault:
            agent.refuses(fault.report)
    return agent.as_run()


async def arun_agent(
    model: Model,
    messages: MutableSequence[Any],
    tools: Tools,
    *,
    max_rounds: int = 20,
    max_repeats: int = 2,
    max_concurrency: int = MAX_CONCURRENCY,
    timeout: float | None = None,
    on_error: OnError | None = None,
    endpoint: Endpoint = "anthropic",
    context: Context | None = None,
) -> Run:
    """Do what `run_agent` does, with a model that may be async, and async tools as well.

    A model that is not async, such as one of a sync client, holds up all other tasks of the loop.
    """
    options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
    _must_be_runnable(model, messages, tools, options)
    agent = _Agent(messages, (max_rounds, max_repeats), endpoint, context)
    while agent.goes_on():
        said = model(list(messages))
        reply = await said if inspect.isawaitable(said) else said
        try:
            async with agent.takes(reply) as round_:
                if agent.runs(round_, reply):
                    await round_.arun(tools, **options)
        except ToolPairingError as fault:
            agent.refuses(fault.report)
    return agent.as_run()


def _must_be_runnable(
    model: Any,  # noqa: ANN401 - whatever its type says
    messages: MutableSequence[Any],
    tools: Tools,
    options: Options,
) -> None:
    """Say what is wrong with the arguments before a request is paid for."""
    if not callable(model):
        kind = type(model).__name__
        hint = "; client_model makes one of a client" if hasattr(model, "messages") else ""
        raise TypeError(f"model must be a callable, not {kind}{hint}")
    ToolRound(messages, [])
    Work(Ledger([]), tools, options)


_RESUMES = ("pause_turn", "compaction")
"""Stop reasons after which the same history is sent again, and the server goes on."""

_CUT = ("max_tokens", "model_context_window_exceeded")
"""Stop reasons after which the last call may be incomplete."""


class _Agent:
    """What the loop knows between its requests."""

    def __init__(
        self,
        messages: MutableSequence[Any],
        limits: tuple[int, int],
        endpoint: Endpoint,
        context: Context | None,
    ) -> None:
        self.messages = messages
        self.max_rounds = positive("max_rounds", limits[0])
        self.max_repeats = positive("max_repeats", limits[1])
        self.endpoint: Endpoint = endpoint
        self.context = context
        self.rounds: list[ToolRound] = []
        self.replies = 0
        self.plan: list[tuple[str, Any]] = []
        self.repeats = 0
        self.is_paused = False
        self.stop_reason: str | None = None
        self.end: EndReason | None = None
        self.report: Report | None = None

    def goes_on(self) -> bool:
        """Whether another request is to be sent. It is checked first."""
        if self.end is None and self.replies >= self.max_rounds:
            self.end = "max_rounds"
        if self.end is None:
            report = check_tool_pairing(
                self.messages,
                endpoint=self.endpoint,
                ignore=SENT_LAST if self.is_paused else (),  # the server goes on from its own words
                context=self.context,
            )
            if not report.ok:
                self.refuses(report)
        return self.end is None

    def takes(self, reply: object) -> ToolRound:
        """A round for what the model said."""
        self.replies += 1
        return ToolRound(self.messages, reply, endpoint=self.endpoint, context=self.context)

    def runs(self, round_: ToolRound, reply: object) -> bool:
        """Whether its calls are to be run. Where not, they are answered, or there are none."""
        self.rounds.append(round_)
        reason = self.stop_reason = member(reply, "stop_reason")
        plan = deepcopy([(call.name, call.input) for call in round_.calls])  # tools may change it
        self.repeats = self.repeats + 1 if plan == self.plan else 0
        self.plan = plan
        self.is_paused = not plan and reason in _RESUMES
        why = ""
        if reason == "refusal":
            self.end, why = "refused", "Not run: the model refused to go on."
        elif not plan and not self.is_paused:
            self.end = "finished"
        elif plan and self.repeats >= self.max_repeats:
            self.end = "repeated_plan"
            why = f"Not run: the same calls came {self.repeats + 1} times in a row."
        elif reason in _CUT:
            why = f"Not run: the reply was cut off ({reason}), and a call may be incomplete."
        if why:
            for call in round_:
                round_.refuse(call, why)
        return not why

    def refuses(self, report: Report) -> None:
        """End because of what was found in the history, or in a reply."""
        self.end, self.report = "refused", report

    def as_run(self) -> Run:
        """What was done."""
        executed: list[ToolCall] = []
        gone: list[ToolCall] = []
        for round_ in self.rounds:
            begun = round_.executed
            ids = {call.id for call in begun}
            executed += begun
            gone += [call for call in round_.calls if call.id not in ids]
        return Run(
            end_reason=self.end or "finished",
            rounds=self.replies,
            executed=tuple(executed),
            dropped=tuple(gone),
            messages=tuple(self.messages),
            report=self.report,
            stop_reason=self.stop_reason,
        )
