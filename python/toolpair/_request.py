"""The public functions over a whole request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolpair import _core
from toolpair._report import Report, report_of
from toolpair._types import Endpoint
from toolpair.exceptions import ToolPairingError

__all__ = ["check_request", "validate_request"]


def check_request(
    request: Mapping[str, object] | bytes | bytearray | str,
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    allow_pending: bool = False,
) -> Report:
    """Report all that is wrong with a whole request; a fault in it is never an exception.

    `request` is what `messages.create` takes, as a mapping with `messages` among its keys; or the
    body of a request, as JSON in bytes or in a string: that is read without making Python objects
    of it. What `check_tool_pairing` calls the context is the rest of the request. Nothing is
    changed or copied.

    Args:
        request: The request.
        endpoint: Who will receive it.
        ignore: Codes or slugs of rules to leave out; a single one may be a string.
        select: Codes or slugs of rules to ask that are off by default.
        allow_pending: Calls that wait for their results at the very end are fine.

    Raises:
        TypeError: It is no request: no mapping with messages, or messages that are no history,
            with the place; or one of its objects raised.
        RuntimeError: It changed while it was read.
        ValueError: It is not JSON, with the line and the column; or a keyword names no endpoint or
            no rule.

    >>> check_request({"model": "claude-sonnet-5-5", "messages": []}).violations[0].slug
    'empty-history'
    >>> check_request(b'{"messages": [{"role": "user", "content": "q"}]}').ok
    True

    Source: https://docs.claude.com/en/api/messages
    """
    found = _core.check_request(request, endpoint, ignore, select, allow_pending)
    return report_of(found, str.__str__(endpoint))


def validate_request(
    request: Mapping[str, object] | bytes | bytearray | str,
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    allow_pending: bool = False,
) -> None:
    """Raise if the API would refuse this request. Takes and raises what `check_request` does.

    Raises:
        ToolPairingError: It breaks a rule (a `ValueError`); `.report` holds every violation.
            Warnings alone do not raise.

    >>> validate_request({"messages": [{"role": "user", "content": "What is the weather?"}]})
    """
    found = _core.check_request(request, endpoint, ignore, select, allow_pending)
    if found is None:
        return
    report = report_of(found, str.__str__(endpoint))
    if not report.ok:
        raise ToolPairingError(report)
