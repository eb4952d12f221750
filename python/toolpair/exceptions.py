"""What toolpair raises.

```text
ToolPairError(Exception)                 all of them
├── ToolPairingError(…, ValueError)      a history breaks a rule; carries the report
├── ToolCancelledError                   a tool was cancelled, not its round; it becomes a result
├── ToolRoundError(…, ValueError)        a tool round is used in a way that would lose something
├── ToolTimeoutError(…, TimeoutError)    a tool did not finish in time; it becomes a result
├── TrimError(…, ValueError)             no legal list is as short as asked
└── UnknownToolError(…, LookupError)     a call names no tool that there is; it becomes a result
```

What is no history at all (a string, a one-shot iterator, a message without a role, an object
whose members raise) is a plain `TypeError` that names the place; a list that changes while it is
read is a `RuntimeError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolpair._report import Report

__all__ = [
    "ToolCancelledError",
    "ToolPairError",
    "ToolPairingError",
    "ToolRoundError",
    "ToolTimeoutError",
    "TrimError",
    "UnknownToolError",
]


class ToolPairError(Exception):
    """The base of all errors that toolpair defines."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""  # the others are what it carries


class ToolPairingError(ToolPairError, ValueError):
    """A history that the API would refuse. Its text is the printed report."""

    report: Report
    """All that was found, not only the first fault."""

    where: str
    """Which of several histories it is, such as `requests[3]` of a batch; empty if there is one."""

    def __init__(self, report: Report, where: str = "") -> None:
        super().__init__(report, where)
        self.report = report
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.report}" if self.where else str(self.report)


class ToolCancelledError(ToolPairError):
    """A tool was cancelled, and its round was not. `on_error` is given it; nothing raises it."""


class ToolRoundError(ToolPairError, ValueError):
    """A result for no call, a second result for a call, or a list that changed under a round.

    Where a round could not enter its list, `messages` are those that it would have entered: the
    assistant message, and the user message with all results.
    """

    messages: list[Any]
    """What did not enter; empty where nothing was lost."""

    def __init__(self, text: str, messages: Sequence[Any] = ()) -> None:
        super().__init__(text, messages)
        self.messages = list(messages)


class ToolTimeoutError(ToolPairError, TimeoutError):
    """A tool did not finish within its timeout. `on_error` is given it; nothing raises it."""

    seconds: float
    """The timeout."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(text, seconds)
        self.seconds = seconds


class TrimError(ToolPairError, ValueError):
    """What must stay does not fit into `max_messages`."""

    smallest: int
    """The smallest `max_messages` that can be met, in messages."""

    def __init__(self, text: str, smallest: int) -> None:
        super().__init__(text, smallest)
        self.smallest = smallest


class UnknownToolError(ToolPairError, LookupError):
    """A call names a tool that there is not. `on_error` is given it; nothing raises it."""
