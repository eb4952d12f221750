"""A history that is judged while it grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

from toolpair import _core
from toolpair._report import Report, ToolUse, report_of, tool_uses_of
from toolpair._types import Context, Endpoint

__all__ = ["ToolPairingTracker"]


class ToolPairingTracker:
    """The same rules as `check_tool_pairing`, fed one message at a time.

    What one more message costs does not depend on those before it. A message is read when it is
    appended; later changes to it are not seen, and it is not kept: after a trim, begin a new
    tracker and extend it. Threads may share a tracker.

    >>> tracker = ToolPairingTracker()
    >>> tracker.append({"role": "user", "content": "What is the weather?"})
    >>> tracker.report().ok
    True
    """

    __slots__ = ("_endpoint", "_tracker")

    def __init__(
        self,
        *,
        endpoint: Endpoint = "anthropic",
        ignore: Iterable[str] = (),
        select: Iterable[str] = (),
        allow_pending: bool = False,
        context: Context | None = None,
    ) -> None:
        """Begin with an empty history. The keywords are those of `check_tool_pairing`.

        `context` is read now; later changes to it are not seen.
        """
        self._tracker = _core.Tracker(endpoint, ignore, select, allow_pending, context)
        self._endpoint = str.__str__(endpoint)

    def __repr__(self) -> str:
        pending = len(self.pending)
        return f"<ToolPairingTracker: {len(self)} messages, {pending} calls without a result yet>"

    def append(self, message: object) -> None:
        """Take one message in.

        Raises:
            TypeError: It is no message, with the place it would have had. Nothing is taken in.
        """
        self._tracker.append(message)

    def extend(self, messages: Sequence[object]) -> None:
        """Take several messages in: all of them, or none if one is no message (`TypeError`).

        Takes what `check_tool_pairing` takes; append the messages of an iterator one by one.
        """
        self._tracker.extend(messages)

    @property
    def pending(self) -> tuple[ToolUse, ...]:
        """The calls at the very end that nobody has answered yet."""
        return tool_uses_of(self._tracker.pending())

    def report(self) -> Report:
        """Report on what was taken in, as if nothing more came: what `check_tool_pairing` says."""
        return report_of(self._tracker.report(), self._endpoint)

    def __len__(self) -> int:
        """How many messages were taken in."""
        return len(self._tracker)

    def __copy__(self) -> ToolPairingTracker:
        """Make a tracker of its own that has taken the same in."""
        copied = object.__new__(ToolPairingTracker)
        copied._endpoint = self._endpoint
        copied._tracker = self._tracker.copy()
        return copied

    def __deepcopy__(self, memo: object) -> ToolPairingTracker:
        """Make a tracker of its own that has taken the same in: it holds nothing to share."""
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a tracker keeps no messages that could be stored."""
        raise TypeError("a tracker cannot be pickled: store the messages, and extend a new one")
