"""Numbers as Markdown."""

from __future__ import annotations

from clock import Timing

__all__ = ["count", "skipped", "table", "timing"]


def count(number: int) -> str:
    return f"{number:,}"


def timing(timing: Timing, parts: int) -> str:
    """Best / median of a call, for each of its parts; only the one time if it is too slow."""
    if timing.too_slow:
        return f"skipped ({timing.best / 1e9:.1f} s a call)"
    return f"{_short(timing.best / parts)} / {_short(timing.median / parts)}"


def skipped(notes: list[str]) -> str:
    """Who is not in the table, as a paragraph below it."""
    return f"\n\nSkipped: {'; '.join(notes)}." if notes else ""


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table that is readable as text: the first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    dashes = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [header, dashes, *rows]
    return "\n".join(f"| {' | '.join(_padded(line, widths))} |" for line in lines)


def _padded(cells: list[str], widths: list[int]) -> list[str]:
    first, *others = zip(cells, widths, strict=True)
    return [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2f}"
