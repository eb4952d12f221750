"""Types of the public functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypedDict, TypeVar

Endpoint: TypeAlias = Literal["anthropic", "bedrock", "vertex", "deepseek", "kimi", "strict"]
"""Who will receive the history; `strict` is the sum of all."""

Context: TypeAlias = Mapping[str, object]
"""The rest of a request: the keyword arguments of `messages.create`, without the messages."""

When: TypeAlias = Literal["always", "selected", "betas-known"]
"""When a rule is asked: always; where `select` or the endpoint names it; or also where the betas
of the request are known."""

Severity: TypeAlias = Literal["error", "warning"]
"""`error`: the endpoint refuses it. `warning`: sources disagree, or other endpoints refuse it."""

KeptReason: TypeAlias = Literal[
    "system", "task", "opener", "turn", "step", "server-call", "programmatic-call", "thinking"
]
"""Why a trim keeps a message that the wish alone would not."""

TaskState: TypeAlias = Literal["submitted", "running", "done", "failed"]
"""How it goes with a task; one that is done or failed does not change any more."""

EndReason: TypeAlias = Literal[
    "finished", "max_rounds", "repeated_plan", "refused", "stopped", "crashed", "hung"
]
"""Why a loop ended: the model called nothing more; the limit was reached; the model sent the same
calls again; the history or the reply would be refused, or the model refused; and for somebody
else's loop under test: it ended although the model had called tools, it raised, or it did not
come back."""

M = TypeVar("M")
"""The caller's own type of messages; it comes back unchanged."""


class PlacePart(TypedDict):
    """A place, as the compiled module gives it."""

    message_index: int | None
    block_index: int | None


class ViolationPart(PlacePart):
    """A violation, as the compiled module gives it."""

    code: str
    severity: Severity
    text: str
    server_text: str | None
    related: list[PlacePart]
    tool_use_id: str | None


class ReportPart(TypedDict):
    """A report, as the compiled module gives it."""

    violations: list[ViolationPart]
    pending: list[tuple[str, str | None, int, int]]
    notes: list[str]


class KeptPart(TypedDict):
    """A kept message, as the compiled module gives it."""

    message_index: int
    reason: KeptReason
    text: str


class PlanPart(TypedDict):
    """A plan, as the compiled module gives it."""

    dropped_indices: list[int]
    reached: int
    first_changed_index: int | None
    thinking_after_change: bool
    starts_with_user: bool
    binds_thinking: bool | None
    reasons: list[KeptPart]


class RulePart(TypedDict):
    """A rule, as the compiled module gives it."""

    code: str
    slug: str
    severity: Severity
    when: When
    what: str
    why: str
    mend: str
    example: str
    source: str
    server_texts: list[str]


EditAction: TypeAlias = Literal[
    "answer",
    "drop",
    "move",
    "rename",
    "recast",
    "split",
    "join",
    "change",
    "quote",
    "insert",
]
"""What an edit does."""


class EditPart(PlacePart):
    """An edit, as the compiled module gives it."""

    code: str
    action: EditAction
    text: str
    safe: bool
    tool_use_id: str | None


Origins: TypeAlias = list[tuple[int | None, list[tuple[int | None, int | None] | None]]]
"""For each message of a mended list: the message that it was, and for each block its place."""


class RepairPart(TypedDict):
    """A repair, as the compiled module gives it."""

    edits: list[EditPart]
    remaining: ReportPart | None
    first_changed_index: int | None
    thinking_after_change: bool
    binds_thinking: bool | None
