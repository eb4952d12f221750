"""One round of tools: an assistant message and all its results enter a list together, or not."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, MutableSequence
from operator import is_
from typing import Any, final

from toolpair._core import Guard
from toolpair._messages import member
from toolpair._results import result_block
from toolpair._rounds.calls import ToolCall
from toolpair._rounds.choosing import Chosen
from toolpair._rounds.jobs import Tools
from toolpair._rounds.ledger import Ledger, OnError
from toolpair._rounds.work import MAX_CONCURRENCY, Options, Reason, Work, refuse
from toolpair._types import Context, Endpoint
from toolpair._verbs import check_tool_pairing
from toolpair.exceptions import ToolPairingError, ToolRoundError

__all__ = ["SENT_LAST", "ToolRound"]

SENT_LAST = ("assistant-prefill", "trailing-whitespace", "thinking-when-disabled")
"""Rules for an assistant message that is sent as the last one: none for one that was received."""


@final
class ToolRound(Guard):
    """The calls of one assistant message, answered in a `with` block.

    While the block runs, nothing enters `messages`. When it is left, in whatever way, the
    assistant message and one user message with a result for each call enter by one `extend`. A
    call without a recorded result gets a placeholder that says what is known: that the round was
    cancelled, that it crashed, or that nothing was recorded. What left the block goes on. So at
    no moment does the list hold a call without its result: a process that is killed leaves the
    list as it was before the round.

    `async with` does the same. Threads may record results of one round.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2}}
    >>> messages = [{"role": "user", "content": "What is 1 + 2?"}]
    >>> with ToolRound(messages, {"role": "assistant", "content": [call]}) as round:
    ...     for call in round:
    ...         round.record(call, call.input["a"] + call.input["b"])
    >>> messages[2]["content"]
    [{'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '3'}]
    """

    def __init__(
        self,
        messages: MutableSequence[Any],
        response: object,
        *,
        endpoint: Endpoint = "anthropic",
        ignore: Iterable[str] = (),
        select: Iterable[str] = (),
        context: Context | None = None,
    ) -> None:
        """Take the list, and what the model answered.

        Args:
            messages: The history, a list: it is extended, and not touched otherwise.
            response: The assistant message: a dict, an SDK's `Message`, or its content list. Of
                what an API returned, role and content enter the history.
            endpoint: Who will receive the history; this and the following are for the check on
                entering, as `check_tool_pairing` takes them.
            ignore: Codes or slugs of rules to leave out.
            select: Codes or slugs of rules to ask that are off by default.
            context: The rest of the request.

        Raises:
            ToolPairingError: A call lacks its id, name or input, or two have one id.
            TypeError: `messages` cannot be extended, or the response is no message.
            ValueError: The response has another role.
        """
        if not callable(getattr(messages, "extend", None)):
            kind = type(messages).__name__
            raise TypeError(f"messages must be a list, which the round can extend, not {kind}")
        self._messages = messages
        self._ledger = Ledger(response)
        self._rules = (endpoint, ignore, select, context)
        self._found: list[Any] | None = None  # what the list held when the block began
        self._made: list[Any] = []  # what enters it, once that is settled: the round is over

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The client calls of the assistant message, in order."""
        return self._ledger.calls

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """Those that have no result yet."""
        return tuple(self._ledger.open_calls())

    @property
    def results(self) -> list[dict[str, Any]]:
        """The `tool_result` blocks that there are, in the order of the calls."""
        taken = self._ledger.results
        return [taken[call.id] for call in self._ledger.calls if call.id in taken]

    @property
    def executed(self) -> tuple[ToolCall, ...]:
        """The calls whose tools `run` has run, or begun to run, in the order of the calls."""
        return tuple(call for call in self._ledger.calls if call.id in self._ledger.executed)

    def __iter__(self) -> Iterator[ToolCall]:
        """The calls that have no result when their turn comes."""
        ledger = self._open()
        return (call for call in ledger.calls if call.id not in ledger.results)

    def __len__(self) -> int:
        """How many client calls there are."""
        return len(self._ledger.calls)

    def record(self, call: object, result: object, *, is_error: bool = False) -> None:
        """Take down the result of a call.

        Args:
            call: The call: a `ToolCall`, its block, or its id.
            result: What a tool may return, as for `run_tool_calls`; or the exception it raised.
            is_error: The result is an error; an exception is one in any case.

        Raises:
            ToolRoundError: There is no such call, or it has a result, or the round is not open.
        """
        found = self._open().call(call)
        self._ledger.returned(found, result, is_error=is_error)

    def refuse(self, call: object, reason: str = "denied") -> None:
        """Take down why a call is not run: `"denied"`, `"deferred"`, or a text.

        Raises:
            ToolRoundError: There is no such call, or it has a result, or the round is not open.
            TypeError: The reason is no text.
        """
        ledger = self._open()
        refuse(ledger, [ledger.call(call)], reason)

    def run(
        self,
        tools: Tools,
        *,
        max_concurrency: int = MAX_CONCURRENCY,
        timeout: float | None = None,
        on_error: OnError | None = None,
        only: Chosen | None = None,
        skip: Chosen | None = None,
        reason: Reason = "denied",
    ) -> None:
        """Run the calls that have no result, as `run_tool_calls` does, and record each as it ends.

        So an interrupt loses no result that there was. Takes and raises what `run_tool_calls` does.
        """
        options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
        work = Work(self._open(), tools, options, only, skip, reason)
        work.run()

    async def arun(
        self,
        tools: Tools,
        *,
        max_concurrency: int = MAX_CONCURRENCY,
        timeout: float | None = None,
        on_error: OnError | None = None,
        only: Chosen | None = None,
        skip: Chosen | None = None,
        reason: Reason = "denied",
    ) -> None:
        """Do what `run` does, in tasks: async tools as well. Takes the same."""
        options = Options(max_concurrency=max_concurrency, timeout=timeout, on_error=on_error)
        work = Work(self._open(), tools, options, only, skip, reason)
        await work.arun()

    def __enter__(self) -> ToolRound:
        """Begin.

        Raises:
            ToolPairingError: The history with the assistant message would be refused, whatever
                the results are: it was broken, or calls before this message wait for theirs.
            ToolRoundError: The round was begun before, or the response is in the list already.
            TypeError: `messages` is no history, with the place; or it gives copies of its messages,
                or drops old ones, so that nothing can be kept whole in it.
            ValueError: There is no such endpoint or rule.
        """
        if self._found is not None:
            raise ToolRoundError("a round is entered once: make a new one for each response")
        endpoint, ignore, select, context = self._rules
        found = list(self._messages)
        if not all(map(is_, self._messages, found)) or getattr(self._messages, "maxlen", None):
            kind = type(self._messages).__name__
            raise TypeError(f"messages must be a list that keeps what it is given; {kind} does not")
        if found and _is_same(found[-1], self._ledger.assistant):
            raise ToolRoundError("the response is in the list already: the round adds it itself")
        report = check_tool_pairing(
            [*found, self._ledger.assistant],
            endpoint=endpoint,
            ignore=[*([ignore] if isinstance(ignore, str) else ignore), *SENT_LAST],
            select=select,
            context=context,
            allow_pending=True,
        )
        if not report.ok:
            raise ToolPairingError(report)
        if [call.id for call in report.pending] != [call.id for call in self.calls]:
            raise ToolPairingError(check_tool_pairing(found, endpoint=endpoint))
        self._found = found
        return self

    async def __aenter__(self) -> ToolRound:
        """Begin, as `__enter__` does."""
        return self.__enter__()

    def _open(self) -> Ledger:
        if self._found is None or self._made:
            state = "is over" if self._made else "has not begun: use it in a with statement"
            raise ToolRoundError(f"the round {state}")
        return self._ledger

    def _leave(self, error: BaseException | None) -> None:
        """Enter the list, whatever left the block. Doing it again changes nothing.

        `Guard` calls it, for `with` and `async with`; once more if an interrupt comes meanwhile.

        Raises:
            ToolRoundError: The list is not as it was found. Its `messages` are those that did not
                enter. It does not take the place of a cancellation or an interrupt.
        """
        is_again = bool(self._made)
        if not is_again:
            for call in self._ledger.open_calls():
                block = self._placeholder(call, error)
                self._ledger.results.setdefault(call.id, block)  # a thread may record right now
            results = self._ledger.message()
            self._made = [self._ledger.assistant] + ([] if results is None else [results])
        made, messages, found = self._made, self._messages, self._found or []
        if len(messages) >= len(made) and messages[-1] is made[-1]:
            return
        # A list in Python, such as `MutableSequence` makes, may be interrupted after the first.
        entered = len(messages) - len(found) if is_again else 0
        is_as_found = len(messages) == len(found) + entered and all(
            map(is_, messages, [*found, *made])
        )
        if is_as_found and 0 <= entered < len(made):
            messages.extend(made[entered:])
            return
        fault = ToolRoundError(
            f"the list changed during the round (it had {len(found)} messages, now "
            f"{len(messages)}): the round adds both messages itself, and others belong after "
            "it. Nothing was added; `messages` of this error are the two",
            made,
        )
        if error is None or issubclass(type(error), Exception):  # its __class__ may raise
            raise fault from error
        if sys.version_info >= (3, 11):
            error.add_note(f"{type(fault).__name__}: {fault}")

    def _placeholder(self, call: ToolCall, error: BaseException | None) -> dict[str, Any]:
        """The result of a call without one: what is known of it, and no more."""
        ledger, kind = self._ledger, type(error).__name__
        what = "crashed" if issubclass(type(error), Exception) else "was cancelled"
        if call.id in ledger.taken and not ledger.begun.setdefault(call.id, False):
            why = "its run was stopped" if error is None else f"the round {what} ({kind})"
            text = f"This call was not run: {why} before it was begun."
        elif error is None:
            known = "had effects" if ledger.begun.get(call.id) else "was run"
            text = f"No result was recorded for this call. Whether it {known} is unknown."
        else:
            text = (
                f"The round {what} ({kind}) before a result was recorded for this call. "
                "Whether it had effects is unknown."
            )
        return result_block(call.id, text, is_error=True, toolset_name=call.toolset_name)


def _is_same(message: object, response: object) -> bool:
    """Whether an assistant message is this response, or holds the same."""
    if message is response:
        return True
    content = member(message, "content")
    return bool(
        member(message, "role") == "assistant"
        and content
        and content == member(response, "content")
    )
