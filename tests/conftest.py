"""Hypothesis profiles, and one line that counts what of the conformance suite holds."""

from __future__ import annotations

import os
from collections import Counter

from hypothesis import HealthCheck, settings
from pytest import TerminalReporter

EXAMPLES = {"quick": 25, "ci": 200, "nightly": 25_000}
for name, examples in EXAMPLES.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        derandomize=name != "nightly" and "CI" in os.environ,  # a build server says the same twice
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
settings.load_profile(os.environ.get("TOOLPAIR_PROFILE", "ci"))

KINDS = {"test_row": "rows", "test_case": "cases", "test_recorded": "recorded"}
VERDICTS = {"passed": "passed", "xfailed": "waiting", "failed": "failed"}


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how many catalogue rows, cases and recorded requests pass, wait or fail."""
    counts: dict[str, Counter[str]] = {}
    for outcome, verdict in VERDICTS.items():
        for report in terminalreporter.stats.get(outcome, []):
            file, _, test = report.nodeid.rpartition("::")
            kind = KINDS.get(test.partition("[")[0])
            if file.endswith("test_conformance.py") and kind is not None:
                counts.setdefault(kind, Counter())[verdict] += 1
    parts = [
        f"{kind} {', '.join(f'{count} {verdict}' for verdict, count in counts[kind].items())}"
        for kind in KINDS.values()
        if kind in counts
    ]
    if parts:
        terminalreporter.write_line(f"conformance: {'; '.join(parts)}")
