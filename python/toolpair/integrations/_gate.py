"""The gate that a request passes before it is sent: one for all clients."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from toolpair._passes import listed
from toolpair._repair import plan_repair
from toolpair._report import Report
from toolpair._request import check_request
from toolpair._types import Endpoint
from toolpair._verbs import explain, trim_messages_safely
from toolpair.exceptions import ToolPairingError
from toolpair.integrations._findings import Action, Finding, OnReport, error_text, tell, unread
from toolpair.integrations._options import Mode, Trim, check_callback, check_mode, check_trim
from toolpair.integrations._routes import Route

__all__ = ["Gate", "Passage"]

T = TypeVar("T")

_FINE = Report(ok=True, violations=(), pending=(), endpoint="")


@dataclass(frozen=True, slots=True)
class Passage:
    """A request that may be sent: with another body, if there is one; and what was found in it."""

    route: Route
    body: dict[str, Any] | None = None
    report: Report = _FINE


@dataclass(frozen=True, eq=False)
class Gate:
    """Says what becomes of a request that the API would refuse. Your own list is never changed.

    `mode`: `"raise"` raises a `ToolPairingError` instead of sending it; `"repair"` sends what
    `repair_tool_pairing` makes of it, and raises where that would be a guess; `"warn"` sends it
    as it is.

    `trim`: send fewer messages. A number is how many stay at least: between so many and twice as
    many are sent, and the cut moves only every so many messages, so that the prompt cache holds.
    A function is given the history and returns a shorter one.

    `on_report` is given a `Finding` for each history in which something was found: once, whatever
    the number of retries. What it raises is logged, and the request goes on.

    `endpoint` is who will receive it; None: by the request's host. `ignore` and `select` are codes
    or slugs of rules to leave out, and to ask that are off by default.

    It has no state: one object serves any number of clients, threads and tasks. An argument that
    means nothing is a `ValueError`, one of the wrong type a `TypeError`.
    """

    mode: Mode = "raise"
    _: KW_ONLY
    trim: Trim | None = None
    on_report: OnReport | None = None
    endpoint: Endpoint | None = None
    ignore: Iterable[str] = ()
    select: Iterable[str] = ()

    def __post_init__(self) -> None:
        check_mode(self.mode)
        check_trim(self.trim)
        check_callback(self.on_report)
        for name in ("ignore", "select"):
            object.__setattr__(self, name, listed(getattr(self, name)))
        prompt = {"role": "user", "content": "q"}  # are the names of rules and endpoint known?
        self._checked({"messages": [prompt]}, Route("messages", "anthropic"))

    def _enter(
        self,
        body: Mapping[str, Any],
        route: Route,
        *,
        betas: Sequence[str] | None = None,
        tells: bool = True,
    ) -> Passage:
        """Check a body before it is sent; nothing of it is changed.

        Args:
            body: What the API takes, as plain data.
            route: Where it goes. For batches, each of its requests is checked.
            betas: The header `anthropic-beta`; None if it is not known.
            tells: Whether anybody is told: once for a request, not again for its retries.

        Raises:
            ToolPairingError: It would be refused, and the mode is to raise; or a repair could not
                mend it without guessing.
            TypeError: A list of messages is no history, with the place; not where the mode is to
                warn.
        """
        requests = body.get("requests")
        if route.kind != "batches" or not isinstance(requests, (list, tuple)):
            return self._single(body, route, "", betas, tells=tells)
        passages = self._each(requests, route, betas, tells=tells)
        changed = any(passage.body is not None for passage in passages)
        worst = next((it.report for it in passages if not it.report.ok), _FINE)
        if not changed:
            return Passage(route, None, worst)
        sent = [
            request if passage.body is None else {**request, "params": passage.body}
            for request, passage in zip(requests, passages, strict=True)
        ]
        return Passage(route, {**body, "requests": sent}, worst)

    def _enter_json(self, content: bytes, route: Route, *, tells: bool = True) -> Passage:
        """The same for a body of JSON: as long as all is well, no Python object is made of it.

        What is not JSON passes: the server says what it thinks of that.
        """
        try:
            if self.trim is None and route.kind != "batches":
                report = self._checked(content, route)
                if report is None or not report.violations:
                    return Passage(route)
            body = json.loads(content)
        except ValueError:
            return Passage(route)
        if not isinstance(body, dict):
            return Passage(route)
        return self._enter(body, route, tells=tells)

    def _refused(self, passage: Passage, content: bytes) -> None:
        """Tell of a server's refusal, if its text is about pairing and not of an ignored rule."""
        explanation = explain(error_text(content))
        rule = explanation.rule
        if rule is None or rule.code in self.ignore or rule.slug in self.ignore:
            return
        self._tell("refused", passage.route, passage.report, explanation=explanation)

    def _each(
        self, requests: Sequence[Any], route: Route, betas: Sequence[str] | None, *, tells: bool
    ) -> list[Passage]:
        """The requests of a batch: all are checked, and told of, before the first error raises."""
        passages: list[Passage] = []
        errors: list[ToolPairingError] = []
        for index, request in enumerate(requests):
            params = request.get("params") if isinstance(request, Mapping) else None
            passage = Passage(route)
            if isinstance(params, Mapping):
                try:
                    passage = self._single(params, route, f"requests[{index}]", betas, tells=tells)
                except ToolPairingError as error:
                    errors.append(error)
            passages.append(passage)
        if errors:
            raise errors[0]
        return passages

    def _single(
        self,
        body: Mapping[str, Any],
        route: Route,
        where: str,
        betas: Sequence[str] | None,
        *,
        tells: bool,
    ) -> Passage:
        request = dict(body) if betas is None else {**body, "betas": betas}
        given = body.get("messages")
        if self.trim is not None and isinstance(given, list):
            request["messages"] = self._trimmed(given, request, route)
        report = self._checked(request, route)
        if report is None:
            return Passage(route)
        plan = None
        if not report.ok and self.mode == "repair":
            plan = plan_repair(
                request["messages"],
                endpoint=self.endpoint or route.endpoint,
                ignore=self.ignore,
                select=self.select,
                context=request,
            )
            request["messages"] = plan.messages
        is_mended = plan is not None and plan.remaining.ok
        if tells and report.violations:
            action = self._action(report, is_mended=is_mended)
            self._tell(action, route, report, plan=plan, where=where)
        if not report.ok and not is_mended and self.mode != "warn":
            raise ToolPairingError(report, where)
        if request.get("messages") is given:
            return Passage(route, None, report)
        return Passage(route, {**body, "messages": request["messages"]}, report)

    def _action(self, report: Report, *, is_mended: bool) -> Action:
        if report.ok:
            return "noted"
        if self.mode == "warn":
            return "warned"
        return "repaired" if is_mended else "raised"

    def _checked(self, request: Mapping[str, Any] | bytes, route: Route) -> Report | None:
        """The report; None where it is no history, and the mode is to warn."""
        endpoint = self.endpoint or route.endpoint
        return self._read(
            lambda: check_request(
                request, endpoint=endpoint, ignore=self.ignore, select=self.select
            )
        )

    def _trimmed(self, messages: list[Any], request: Mapping[str, Any], route: Route) -> list[Any]:
        """The history cut; the same list if nothing is to be cut."""
        if callable(self.trim):
            kept = list(self.trim(list(messages)))
            return messages if kept == messages else kept
        fewest = self.trim or 1
        if len(messages) < 2 * fewest:
            return messages
        keep, endpoint = fewest + len(messages) % fewest, self.endpoint or route.endpoint
        cut = self._read(
            lambda: trim_messages_safely(messages, keep, endpoint=endpoint, context=request)
        )
        return messages if cut is None or len(cut) == len(messages) else cut

    def _read(self, reads: Callable[[], T]) -> T | None:
        """What comes of reading a history. What is none raises, unless the mode is to warn."""
        try:
            return reads()
        except (TypeError, RuntimeError) as error:
            if self.mode != "warn":
                raise
            unread(error)
            return None

    def _tell(self, action: Action, route: Route, report: Report, **found: Any) -> None:  # noqa: ANN401
        endpoint = self.endpoint or route.endpoint
        tell(Finding(action, route.kind, endpoint, report, **found), self.on_report)
