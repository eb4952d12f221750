"""What would collide or break if one history were pasted after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolpair._namespace import client_call_ids
from toolpair._passes import listed
from toolpair._report import Report, Violation, count, shown_id
from toolpair._types import Context, Endpoint
from toolpair._verbs import check_tool_pairing

__all__ = ["Splice", "splice_check"]


@dataclass(frozen=True, slots=True)
class Splice:
    """What happens if one history is pasted after another.

    `ok`: no id collides, and no error is new; warnings may be. `colliding_ids` are the ids of
    client calls that both have. `violations` are those that neither list has on its own, at their
    places in the joined list.

    >>> print(splice_check([], [{"role": "user", "content": "q"}]))
    nothing collides and nothing breaks
    """

    ok: bool
    colliding_ids: tuple[str, ...]
    violations: tuple[Violation, ...]

    def __str__(self) -> str:
        if self.ok and not self.violations:
            return "nothing collides and nothing breaks"
        severities = Counter(found.severity for found in self.violations)
        counts = (
            count(len(self.colliding_ids), "colliding id"),
            count(severities["error"], "new error"),
            count(severities["warning"], "new warning"),
        )
        lines = [", ".join(filter(None, counts))]
        if self.colliding_ids:
            lines.append(f"  ids of both: {' '.join(map(shown_id, self.colliding_ids))}")
        lines += [f"  {found}" for found in self.violations]
        if self.ok:
            return "\n".join(lines)
        lines.append("Do not paste it in:")
        lines.append("  subagent_result(id, sub) answers the parent's call with the conclusion.")
        if self.colliding_ids:
            lines.append("  namespace_tool_ids(sub, prefix) gives its calls ids of their own.")
        return "\n".join(lines)


def splice_check(
    parent: Sequence[object],
    sub: Sequence[object],
    *,
    endpoint: Endpoint = "anthropic",
    ignore: Iterable[str] = (),
    select: Iterable[str] = (),
    context: Context | None = None,
) -> Splice:
    """Tell what would collide or break if `sub` were pasted after `parent`.

    Takes two histories and the keywords of `check_tool_pairing`. Calls that wait at the parent's
    end are parted from their results by what is pasted, which is an error. Nothing is pasted,
    and neither list is changed.

    Raises:
        TypeError: One of them is no history, with the place; or one of its objects raised; or
            the context is no mapping.
        RuntimeError: It changed while it was read.
        ValueError: A keyword names no endpoint or no rule.

    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "agent", "input": {}}
    >>> waiting = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}]
    >>> splice_check(waiting, [{"role": "user", "content": "q"}]).violations[0].slug
    'tool-use-without-result'
    """
    ignore, select = listed(ignore), listed(select)

    def check(messages: Sequence[object]) -> Report:
        return check_tool_pairing(
            messages, endpoint=endpoint, ignore=ignore, select=select, context=context
        )

    known = {_key(found, 0) for found in check(parent).violations}
    known |= {_key(found, len(parent)) for found in check(sub).violations}
    joined = check([*parent, *sub])
    new = tuple(found for found in joined.violations if _key(found, 0) not in known)
    theirs = client_call_ids(sub)
    colliding = tuple(id_ for id_ in client_call_ids(parent) if id_ in theirs)
    breaks = any(found.severity == "error" for found in new)
    return Splice(not colliding and not breaks, colliding, new)


def _key(found: Violation, offset: int) -> tuple[object, ...]:
    """What makes a violation of one list the same in the joined list."""
    at = found.message_index
    return found.code, None if at is None else at + offset, found.block_index, found.tool_use_id
