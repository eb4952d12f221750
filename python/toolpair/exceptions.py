"""What toolpair raises.

```text
ToolPairError(Exception)                 all of them
├── ToolPairingError(…, ValueError)      a history breaks a rule; carries the report
└── TrimError(…, ValueError)             no legal list is as short as asked
```

What is no history at all (a string, a one-shot iterator, a message without a role, an object
whose members raise) is a plain `TypeError` that names the place; a list that changes while it is
read is a `RuntimeError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair._report import Report

__all__ = ["ToolPairError", "ToolPairingError", "TrimError"]


class ToolPairError(Exception):
    """The base of all errors that toolpair defines."""


class ToolPairingError(ToolPairError, ValueError):
    """A history that the API would refuse. Its text is the printed report."""

    report: Report
    """All that was found, not only the first fault."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return str(self.report)


class TrimError(ToolPairError, ValueError):
    """What must stay does not fit into `max_messages`."""

    smallest: int
    """The smallest `max_messages` that can be met, in messages."""

    def __init__(self, text: str, smallest: int) -> None:
        super().__init__(text, smallest)
        self.smallest = smallest

    def __str__(self) -> str:
        return str(self.args[0])
