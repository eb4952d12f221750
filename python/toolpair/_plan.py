"""What a trim would do, as a frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic

from toolpair._types import KeptReason, M, PlanPart

__all__ = ["Kept", "TrimPlan"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A message that stays although it is not among those asked for, and why."""

    message_index: int
    reason: KeptReason
    text: str


@dataclass(frozen=True, slots=True)
class TrimPlan(Generic[M]):
    """Which messages go, and why others had to stay.

    `asked` is the `keep_recent` that was asked for (None if only a cap was), `reached` how many
    messages stay; both leave the system messages at the head out of the count. Indices are those
    of the list as given; `first_changed_index` is the first that goes.

    `thinking_after_change`: thinking blocks stand after the first change. Newer models bind
    them to all that precedes them, and may refuse the shorter history. `binds_thinking`: whether
    the model of the context does; None if no context named a model that is known.
    """

    source: tuple[M, ...] = field(repr=False, hash=False)
    dropped_indices: tuple[int, ...]
    asked: int | None
    max_messages: int | None
    reached: int
    first_changed_index: int | None
    thinking_after_change: bool
    starts_with_user: bool
    reasons: tuple[Kept, ...]
    binds_thinking: bool | None = None

    @property
    def kept_indices(self) -> tuple[int, ...]:
        """The indices of the messages that stay."""
        gone = set(self.dropped_indices)
        return tuple(index for index in range(len(self.source)) if index not in gone)

    @property
    def messages(self) -> list[M]:
        """A new list of the messages that stay: the same objects."""
        return [self.source[index] for index in self.kept_indices]

    @property
    def dropped(self) -> list[M]:
        """A new list of the messages that go: the same objects."""
        return [self.source[index] for index in self.dropped_indices]

    def apply(self) -> list[M]:
        """Carry the plan out: what `messages` gives."""
        return self.messages

    def __str__(self) -> str:
        total = len(self.source)
        kept = total - len(self.dropped_indices)
        wishes = []
        if self.asked is not None:
            wishes.append(f"keep_recent={self.asked}")
        if self.max_messages is not None:
            wishes.append(f"max_messages={self.max_messages}")
        lines = [f"keeps {kept:,} of {total:,} messages ({', '.join(wishes)})"]
        if self.dropped_indices:
            lines.append(f"  drops {_runs(self.dropped_indices)}")
        reasons: dict[str, list[int]] = {}
        for stayed in self.reasons:
            reasons.setdefault(stayed.text, []).append(stayed.message_index)
        lines += [f"  keeps {_runs(tuple(indices))}: {text}" for text, indices in reasons.items()]
        if self._is_short():
            lines.append("  fewer than asked: results that answer nothing cannot stand at the head")
        if not self.starts_with_user and self.reached:
            lines.append("  does not start with a user message: there is none to put first")
        if self.thinking_after_change:
            lines += thinking_note(binds=self.binds_thinking)
        return "\n".join(lines)

    def _is_short(self) -> bool:
        """Whether less stays than was asked for, though there was enough."""
        if self.asked is None:
            return False
        systems = sum(stayed.reason == "system" for stayed in self.reasons)
        return self.reached < min(self.asked, len(self.source) - systems)


def thinking_note(*, binds: bool | None) -> list[str]:
    """The line of a plan that changes what precedes thinking blocks, if one is due."""
    if binds is False:
        return []
    who = "the model refuses" if binds else "newer models may refuse"
    return [f"  thinking blocks stand after the change: {who} them"]


def plan_of(
    part: PlanPart, source: tuple[M, ...], asked: int | None, max_messages: int | None
) -> TrimPlan[M]:
    """The plan that the compiled module made for these messages."""
    return TrimPlan(
        source=source,
        dropped_indices=tuple(part["dropped_indices"]),
        asked=asked,
        max_messages=max_messages,
        reached=part["reached"],
        first_changed_index=part["first_changed_index"],
        thinking_after_change=part["thinking_after_change"],
        starts_with_user=part["starts_with_user"],
        reasons=tuple(Kept(**kept) for kept in part["reasons"]),
        binds_thinking=part["binds_thinking"],
    )


def _runs(indices: tuple[int, ...]) -> str:
    """Indices as runs: messages[0], messages[3:7]."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][1] == index:
            runs[-1][1] = index + 1
        else:
            runs.append([index, index + 1])
    return ", ".join(
        f"messages[{start}]" if end == start + 1 else f"messages[{start}:{end}]"
        for start, end in runs
    )
