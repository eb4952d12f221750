"""What was found in a request, and how it is told: to a callback, in a log, in a trace."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolpair._repair import RepairPlan
from toolpair._report import Explanation, Report, count
from toolpair._types import Endpoint
from toolpair.integrations._routes import Kind

__all__ = ["Action", "Finding", "OnReport", "error_text", "tell", "unread"]

Action: TypeAlias = Literal["raised", "repaired", "warned", "noted", "refused"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found in one request, and what was done about it.

    `action`: `"raised"`, the request was not sent; `"repaired"`, it was sent mended by `plan`;
    `"warned"`, it was sent with its errors; `"noted"`, it was sent, and there are warnings only;
    `"refused"`, the server refused it with a text about pairing, which `explanation` explains:
    where `report` is ok, that is a gap in the rules, and worth a bug report.

    `report` is about the history that the request was to send, after a trim and before a repair.
    `where` is `requests[3]` for the fourth request of a batch, and empty elsewhere.
    """

    action: Action
    kind: Kind
    endpoint: Endpoint
    report: Report
    plan: RepairPlan[Any] | None = None
    explanation: Explanation | None = None
    where: str = ""

    def __str__(self) -> str:
        """One line: what was done, the rules and places, the counts; nothing of the contents."""
        return f"{self.where or 'a request'} to {self.endpoint} was {_DONE[self.action]}: " + (
            self._explained if self.action == "refused" else self._found
        )

    @property
    def _found(self) -> str:
        shown = [f"{it.code} {it.slug} at {it.place}" for it in self.report.violations[:_MOST]]
        rest = len(self.report.violations) - len(shown)
        edits = count(len(self.plan.edits), "edit") if self.plan is not None else ""
        parts = ["; ".join(shown), f"and {rest:,} more" if rest else "", edits]
        return ", ".join(filter(None, parts))

    @property
    def _explained(self) -> str:
        rule = self.explanation.rule if self.explanation is not None else None
        text = f"{rule.code} {rule.slug}" if rule is not None else "an unknown fault"
        return text if not self.report.ok else f"{text}. {_GAP}"

    @property
    def attributes(self) -> dict[str, Any]:
        """The same as plain values, for a structured log or a span; nothing of the contents."""
        shown = self.report.violations[:_MOST]
        rule = self.explanation.rule if self.explanation is not None else None
        return {
            "toolpair.action": self.action,
            "toolpair.kind": self.kind,
            "toolpair.endpoint": self.endpoint,
            "toolpair.where": self.where,
            "toolpair.codes": [it.code for it in shown] if rule is None else [rule.code],
            "toolpair.places": [str(it.place) for it in shown],
            "toolpair.errors": len(self.report.errors),
            "toolpair.warnings": len(self.report.warnings),
            "toolpair.edits": 0 if self.plan is None else len(self.plan.edits),
        }


OnReport: TypeAlias = Callable[[Finding], object]
"""Is given each finding, in the thread or task that sends the request."""

_MOST = 10
_DONE = {
    "raised": "not sent",
    "repaired": "repaired",
    "warned": "sent with errors",
    "noted": "sent with warnings",
    "refused": "refused by the server",
}
_LEVELS = {"raised": logging.INFO, "noted": logging.INFO}
_GAP = (
    "toolpair had found no error: that is a gap in its rules. "
    "Its README says where to report it ('If the server disagrees')"
)
_log = logging.getLogger("toolpair")


def tell(finding: Finding, on_report: OnReport | None) -> None:
    """Hand a finding on. A fault in who is told never loses the request: it is logged."""
    _safely(_in_log, finding)
    _safely(_in_span, finding)
    if on_report is not None:
        _safely(on_report, finding)


def unread(error: Exception) -> None:
    """Say that a request was sent without a check; what the error says holds no contents."""
    with contextlib.suppress(Exception):
        _log.warning("a request was sent unchecked: %s", error)


def error_text(content: bytes) -> str:
    """The sentence in the body of an error of the API; the body itself if it has another form."""
    text = content.decode("utf-8", "replace")
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return text


def _in_log(finding: Finding) -> None:
    level = _LEVELS.get(finding.action, logging.WARNING)
    _log.log(level, "%s", finding, extra={"toolpair": finding.attributes})


def _in_span(finding: Finding) -> None:
    try:
        from opentelemetry import trace  # noqa: PLC0415 - only if there is something to tell
    except ImportError:
        return
    trace.get_current_span().add_event("toolpair.finding", finding.attributes)


def _safely(told: OnReport, finding: Finding) -> None:
    """A fault's text may hold what was said: its type is all that is logged."""
    try:
        told(finding)
    except Exception as error:  # noqa: BLE001 - whatever it is, the request goes on
        name = getattr(told, "__qualname__", type(told).__name__)
        with contextlib.suppress(Exception):  # the log itself may be what fails
            _log.error("%s raised %s; the request goes on", name, type(error).__name__)
