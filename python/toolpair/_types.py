"""Types of the public functions."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, TypeVar

Endpoint: TypeAlias = Literal["anthropic", "deepseek", "strict"]
"""Who will receive the history; `strict` is the sum of all."""

Severity: TypeAlias = Literal["error", "warning"]
"""`error`: the endpoint refuses it. `warning`: sources disagree, or other endpoints refuse it."""

KeptReason: TypeAlias = Literal[
    "system", "task", "opener", "turn", "step", "server-call", "programmatic-call"
]
"""Why a trim keeps a message that the wish alone would not."""

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
    related: list[PlacePart]
    tool_use_id: str | None


class ReportPart(TypedDict):
    """A report, as the compiled module gives it."""

    violations: list[ViolationPart]
    pending: list[tuple[str, str | None, int, int]]


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
    reasons: list[KeptPart]


class RulePart(TypedDict):
    """A rule, as the compiled module gives it."""

    code: str
    slug: str
    severity: Severity
    what: str
    why: str
    mend: str
    example: str
    source: str
    server_texts: list[str]
