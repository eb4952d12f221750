"""What a check finds, as frozen values."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from toolpair import _core
from toolpair._types import ReportPart, RulePart, Severity, ViolationPart, When

__all__ = ["RULES", "Explanation", "Place", "Report", "Rule", "ToolUse", "Violation"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the list as given. `block_index` is None for a message or for string content."""

    message_index: int | None
    block_index: int | None

    def __str__(self) -> str:
        if self.message_index is None:
            return "messages"
        if self.block_index is None:
            return f"messages[{self.message_index}]"
        return f"messages[{self.message_index}].content[{self.block_index}]"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A client call: its id, the tool's name (None if it has none), and where it stands."""

    id: str
    name: str | None
    message_index: int
    block_index: int


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a rule is broken.

    `text` is one sentence; `hint` says how to mend it; `related` are the other places that belong
    to it (the call of a result, the first of two). `server_text` is what the server would say,
    None if its words are not known; the message that it names may be one off, as the server's is.
    """

    code: str
    slug: str
    severity: Severity
    text: str
    message_index: int | None
    block_index: int | None
    tool_use_id: str | None
    related: tuple[Place, ...]
    hint: str
    server_text: str | None = None

    @property
    def place(self) -> Place:
        """Where it is."""
        return Place(self.message_index, self.block_index)

    def __str__(self) -> str:
        about = "" if self.tool_use_id is None else f"  {shown_id(self.tool_use_id)}"
        kind = "" if self.severity == "error" else "warning "
        return f"{self.place}{about}  {kind}{self.code} {self.slug}: {self.text}"


@dataclass(frozen=True, slots=True)
class Report:
    """All that is wrong with a history, in the order of the list.

    `ok`: there is no error. `pending`: the calls at the very end that nobody has answered yet.
    `notes`: what is to be said of the request as a whole, in sentences: its model is not known.
    """

    ok: bool
    violations: tuple[Violation, ...]
    pending: tuple[ToolUse, ...]
    endpoint: str
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        """The report as JSON: what its members hold."""
        return json.dumps(dataclasses.asdict(self))

    @property
    def errors(self) -> tuple[Violation, ...]:
        """The violations that the endpoint refuses."""
        return tuple(found for found in self.violations if found.severity == "error")

    @property
    def warnings(self) -> tuple[Violation, ...]:
        """Those that are no errors: sources disagree, or only other endpoints refuse them."""
        return tuple(found for found in self.violations if found.severity == "warning")

    def to_text(self) -> str:
        """The report in lines: what is wrong, where, and how to mend it."""
        counts = [count(len(self.errors), "error"), count(len(self.warnings), "warning")]
        summary = ", ".join(filter(None, counts)) or "no violation"
        lines = [f"{summary} (endpoint {self.endpoint})"]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  {found}" for found in self.violations]
        if self.pending and not any(found.slug == "pending-tool-use" for found in self.violations):
            waiting = " ".join(shown_id(call.id) for call in self.pending)
            lines.append(f"  {count(len(self.pending), 'call')} without a result yet: {waiting}")
        if not self.violations:
            return "\n".join(lines)
        hints = {found.code: found.hint for found in self.violations}
        lines += ["How to mend it:"]
        lines += [f"  {code}: {hints[code]}" for code in sorted(hints)]
        return "\n".join(lines)

    def __str__(self) -> str:
        if self.ok:
            return self.to_text()
        return f"{self.to_text()}\n{_WHAT_NEXT}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code and slug, what is wrong, why it is refused, how to mend it.

    `severity` is that on the default endpoint. `when` is `"always"` unless the rule is off by
    default: `"selected"` ones are asked where `select` or the endpoint names them, `"betas-known"`
    ones also where the betas of the request are known. `server_texts` are the server's own words
    for it, newest first, with the parts that vary in braces.
    """

    code: str
    slug: str
    severity: Severity
    what: str
    why: str
    mend: str
    source: str
    server_texts: tuple[str, ...]
    when: When
    _example: str = field(repr=False)

    @property
    def example(self) -> list[dict[str, Any]]:
        """A history that breaks this rule and no other, made anew on each call.

        Some rules are about the rest of the request, too: `example_request` has it.
        """
        messages: list[dict[str, Any]] = self.example_request["messages"]
        return messages

    @property
    def example_request(self) -> dict[str, Any]:
        """The same as a request's body, for `check_request`: the messages, and what else it needs.

        A rule that is off by default must be named by `select` to find it.
        """
        text, _, times = self._example.rpartition(" * ")
        if text and times.isdecimal():
            return {"messages": json.loads(text) * int(times)}
        example = json.loads(self._example)
        return example if isinstance(example, dict) else {"messages": example}

    def __str__(self) -> str:
        return f"{self.code} {self.slug}: {self.what}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an error means.

    `rule` is None if the text is not known. `ids` and `place` are those named in the text; the
    server's place is a hint, off by one message in some wordings.
    """

    rule: Rule | None
    ids: tuple[str, ...]
    place: Place | None

    def __str__(self) -> str:
        if self.rule is None:
            return (
                "toolpair does not know this text: it is no rule's code or slug, and may not be "
                "about calls and results. check_tool_pairing(messages) looks at the list itself."
            )
        lines = [str(self.rule), f"  why: {self.rule.why}", f"  mend: {self.rule.mend}"]
        if self.ids:
            lines.append(f"  ids: {', '.join(map(shown_id, self.ids))}")
        if self.place is not None:
            lines.append(f"  place: {self.place}")
        return "\n".join(lines)


def _rule(part: RulePart) -> Rule:
    return Rule(
        code=part["code"],
        slug=part["slug"],
        severity=part["severity"],
        what=part["what"],
        why=part["why"],
        mend=part["mend"],
        source=part["source"],
        server_texts=tuple(part["server_texts"]),
        when=part["when"],
        _example=part["example"],
    )


RULES: tuple[Rule, ...] = tuple(_rule(part) for part in _core.rules())
"""Every rule, sorted by code."""

_BY_CODE = {rule.code: rule for rule in RULES}


def rule_of(code: str) -> Rule:
    """The rule of a code that the compiled module gave."""
    return _BY_CODE[code]


def report_of(part: ReportPart | None, endpoint: str) -> Report:
    """The report of what the compiled module found; None stands for nothing at all."""
    if part is None:
        return Report(ok=True, violations=(), pending=(), endpoint=endpoint)
    violations = tuple(map(_violation, part["violations"]))
    ok = all(found.severity == "warning" for found in violations)
    pending, notes = tool_uses_of(part["pending"]), tuple(part["notes"])
    return Report(ok, violations, pending, endpoint, notes)


def tool_uses_of(calls: Iterable[tuple[str, str | None, int, int]]) -> tuple[ToolUse, ...]:
    """Calls that the compiled module gave."""
    return tuple(ToolUse(*call) for call in calls)


def _violation(part: ViolationPart) -> Violation:
    rule = _BY_CODE[part["code"]]
    return Violation(
        code=rule.code,
        slug=rule.slug,
        severity=part["severity"],
        text=part["text"],
        message_index=part["message_index"],
        block_index=part["block_index"],
        tool_use_id=part["tool_use_id"],
        related=tuple(Place(**place) for place in part["related"]),
        hint=rule.mend,
        server_text=part["server_text"],
    )


_WHAT_NEXT = "plan_repair, given the same, tells what repair_tool_pairing would do."


def count(number: int, word: str) -> str:
    """So many of something, in words; empty if there are none."""
    return f"{number:,} {word}{'s' if number > 1 else ''}" if number else ""


def shortened(line: str, width: int) -> str:
    """A line of so many characters at the most."""
    return line if len(line) <= width else f"{line[: width - 3]}..."


def shown_id(text: str) -> str:
    """An id as one printable word: as it is if it is a plain one, else in quotes."""
    shown = _core.shown(text)
    if shown and not set(shown) & set(" '\"\\"):
        return shown
    return f'"{shown}"' if "'" in shown else f"'{shown}'"
