"""The public functions."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence

from toolpair import _core
from toolpair._plan import TrimPlan, plan_of
from toolpair._report import Explanation, Place, Report, ToolUse, report_of, rule_of, tool_uses_of
from toolpair._types import Context, Endpoint, M
from toolpair.exceptions import ToolPairingError

__all__ = [
    "check_tool_pairing",
    "explain",
    "pending_tool_uses",
    "plan_trim",
    "trim_messages_safely",
    "unpaired_tool_use_ids",
    "validate_tool_pairing",
]

_DEFAULT_KEEP_RECENT = 10
_MOST = 2**32 - 1


def validate_tool_pairing(
    messages: Sequence[object],
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    allow_pending: bool = False,
    context: Context | None = None,
) -> None:
    """Raise if the API would refuse this history. Call it before each request.

    `messages` is what you send: dicts, other mappings, SDK objects or dataclasses, in a list or
    tuple; content is a string or a list of blocks. Nothing is changed or copied.

    Args:
        messages: The history.
        endpoint: Who will receive it: `"anthropic"`, `"bedrock"`, `"vertex"`, `"deepseek"`,
            `"kimi"` or `"strict"`, the sum of all.
        ignore: Codes or slugs of rules to leave out; a single one may be a string.
        select: Codes or slugs of rules to ask that are off by default.
        allow_pending: Calls that wait for their results at the very end are fine.
        context: The rest of the request, as the keyword arguments of `messages.create`. Read are
            `model`, `thinking`, `tools`, `container`, `system`, `cache_control`, `betas` and
            `extra_headers`; what is absent is not known, and rules that need it are silent.

    Raises:
        ToolPairingError: It breaks a rule (a `ValueError`); `.report` holds every violation.
            Warnings alone do not raise.
        TypeError: It is no history, with the place; or one of its objects raised; or the context
            is no mapping.
        RuntimeError: It changed while it was read.
        ValueError: A keyword names no endpoint or no rule.

    >>> validate_tool_pairing([{"role": "user", "content": "What is the weather?"}])

    Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls
    """
    found = _core.check(messages, endpoint, ignore, select, allow_pending, context)
    if found is None:
        return
    report = report_of(found, str.__str__(endpoint))
    if not report.ok:
        raise ToolPairingError(report)


def check_tool_pairing(
    messages: Sequence[object],
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    allow_pending: bool = False,
    context: Context | None = None,
) -> Report:
    """Report all that is wrong with a history; a fault in it is never an exception.

    Takes what `validate_tool_pairing` takes. Each fault is reported once, at its place in the
    list as given, in the order of the list.

    Raises:
        TypeError: It is no history, with the place; or one of its objects raised; or the context
            is no mapping.
        RuntimeError: It changed while it was read.
        ValueError: A keyword names no endpoint or no rule.

    >>> check_tool_pairing([]).violations[0].slug
    'empty-history'
    """
    found = _core.check(messages, endpoint, ignore, select, allow_pending, context)
    return report_of(found, str.__str__(endpoint))


def unpaired_tool_use_ids(messages: Sequence[object]) -> list[str]:
    """List the ids of calls that no later result names: what your loop forgot.

    Roles and distance do not matter here, so it also reads a harness's own form, such as messages
    of role `tool`. A result claims the earliest unclaimed call of its id before it. Each id comes
    once, in the order of its first call. Whether the API would take the history is another
    question: ask `check_tool_pairing`.

    Raises:
        TypeError: It is no history, with the place.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    >>> unpaired_tool_use_ids([{"role": "assistant", "content": [call]}])
    ['toolu_1']
    """
    return _core.unpaired(messages)


def pending_tool_uses(messages: Sequence[object]) -> list[ToolUse]:
    """List the calls at the very end that nobody has answered yet: what is to be run now.

    These are the unanswered calls of the last assistant turn, if nothing but results stands
    after it. Once something else follows they are not pending but broken. A call's input stands
    where the call does: in the block at `message_index` and `block_index`.

    Raises:
        TypeError: It is no history, with the place.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    >>> [use.name for use in pending_tool_uses([{"role": "assistant", "content": [call]}])]
    ['weather']
    """
    return list(tool_uses_of(_core.pending(messages)))


def trim_messages_safely(
    messages: Sequence[M],
    keep_recent: int | None = None,
    *,
    max_messages: int | None = None,
    keep_task: bool = False,
    endpoint: Endpoint = "anthropic",
    context: Context | None = None,
) -> list[M]:
    """Return the newest messages, cut where no pair is split.

    System messages at the head stay. The cut lies at the asked place or before it, at an edge:
    before a user turn without results, or before an assistant turn, then with the user message
    that it answers in front. So the list starts with a user message wherever the input has one.
    Only results that answer nothing move the cut after them: they cannot lead the list. Other
    old damage does not move it. Calls in flight at the end stay.

    Args:
        messages: The history, as `validate_tool_pairing` takes it.
        keep_recent: How many of the newest messages to keep, in messages; more where the cut must
            move back. 10 if neither this nor `max_messages` is given; 0 keeps the newest step or
            turn.
        max_messages: How many to keep at most, in messages, all counted: as many of the newest
            steps as fit. Beside it, `keep_recent` is a floor.
        keep_task: Also keep the first user message that holds no results.
        endpoint: Who will receive it.
        context: The rest of the request, as `validate_tool_pairing` takes it. Where it enables
            thinking, a tool loop that runs keeps the thinking that it must begin with; a plan says
            by it whether the model binds thinking.

    Returns:
        A new list of the same message objects; at least one, if there was one. Neither the list
        nor a message is changed.

    Raises:
        TrimError: What must stay and the newest step do not fit into `max_messages`.
        ValueError: A number is negative, or the floor is above the cap.
        TypeError: A number is no integer; or it is no history, with the place; or the context is
            no mapping.

    >>> chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    >>> trim_messages_safely([*chat, {"role": "user", "content": "c"}], keep_recent=1)
    [{'role': 'user', 'content': 'c'}]
    """
    keep_recent, max_messages = _wish(keep_recent, max_messages)
    return _core.trim(
        messages, _capped(keep_recent), _capped(max_messages), keep_task, endpoint, context
    )


def plan_trim(
    messages: Sequence[M],
    keep_recent: int | None = None,
    *,
    max_messages: int | None = None,
    keep_task: bool = False,
    endpoint: Endpoint = "anthropic",
    context: Context | None = None,
) -> TrimPlan[M]:
    """Tell what `trim_messages_safely` would do, and why. Takes and raises the same.

    >>> chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    >>> print(plan_trim([*chat, {"role": "user", "content": "c"}], keep_recent=1))
    keeps 1 of 3 messages (keep_recent=1)
      drops messages[0:2]
    """
    keep_recent, max_messages = _wish(keep_recent, max_messages)
    part, source = _core.plan_trim(
        messages, _capped(keep_recent), _capped(max_messages), keep_task, endpoint, context
    )
    return plan_of(part, source, keep_recent, max_messages)


def explain(error: str | BaseException) -> Explanation:
    """Explain a code, a slug, an error text of the server, or an exception that carries one.

    Texts are recognised with or without their `messages.N` prefix, in old wordings, inside the
    text of an SDK's exception, and in what caused an exception. What is not known gives an
    explanation without a rule. The server's text does not tell all faults apart:
    `check_tool_pairing` does.

    Raises:
        TypeError: It is neither a string nor an exception.

    >>> explain("TP103").rule.slug
    'orphan-tool-result'
    """
    if isinstance(error, ToolPairingError):
        first = (error.report.errors or error.report.violations)[0]
        own_ids = () if first.tool_use_id is None else (first.tool_use_id,)
        return Explanation(rule_of(first.code), own_ids, first.place)
    if not isinstance(error, (str, BaseException)):
        raise TypeError(f"explain takes a text or an exception, not {type(error).__name__}")
    for text in _texts(error):
        found = _core.explain(text.encode("utf-8", "replace").decode())
        if found is not None:
            code, ids, message, block = found
            place = None if message is None else Place(message, block)
            return Explanation(rule_of(code), tuple(ids), place)
    return Explanation(rule=None, ids=(), place=None)


def _texts(error: str | BaseException) -> Iterator[str]:
    """The text itself; or that of an exception, then those of what it came from."""
    if isinstance(error, str):
        yield str.__str__(error)
        return
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is earlier for earlier in seen):
        yield str(cause)
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__


def _wish(keep_recent: int | None, max_messages: int | None) -> tuple[int | None, int | None]:
    """The numbers of a trim, checked, with the default filled in."""
    keep = _number("keep_recent", keep_recent)
    most = _number("max_messages", max_messages)
    if keep is None and most is None:
        return _DEFAULT_KEEP_RECENT, None
    if keep is not None and most is not None and keep > most:
        text = f"keep_recent={keep} is a floor, and above the cap max_messages={most}"
        raise ValueError(text)
    return keep, most


def _number(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not bool")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if number < 0:
        raise ValueError(f"{name} must not be negative, but is {number}")
    return number


def _capped(number: int | None) -> int | None:
    """The number, or the largest that the compiled module takes: no list is so long."""
    return None if number is None else min(number, _MOST)
