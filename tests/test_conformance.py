"""The catalogue's lists, public bug reports and recorded requests, against the checker.

What waits for a rule is marked so, strictly: the rule's arrival turns its lists and cases on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toolpair

HERE = Path(__file__).parent / "conformance"
SLUGS = {rule.slug for rule in toolpair.RULES}

WAITS = {"aegis-leading-system-message": "misplaced-system-message"}
"""Cases whose fault another rule of theirs, which exists already, cannot see."""


def waits_for(reason: str) -> pytest.MarkDecorator:
    """Expected to fail until something exists, and then to be told so."""
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=f"waits for {reason}")


def rows() -> list[Any]:
    """Every list of the catalogue that a rule, present or awaited, has a verdict on."""
    params = []
    for row in json.loads((HERE / "rules.json").read_text())["rules"]:
        slug, needs = row["slug"], row["needs"]
        missing = [] if slug in SLUGS else [slug]
        missing += [f"the request's {need}" for need in needs]
        for position, messages in enumerate(row["violates"] if slug else []):
            marks = [waits_for(" and ".join(missing))] if missing else []
            name = f"{row['id']}-violates-{position}"
            params.append(pytest.param("violates", row, messages, id=name, marks=marks))
        if slug in SLUGS or row["level"] == "valid":
            for position, messages in enumerate(row["satisfies"]):
                name = f"{row['id']}-satisfies-{position}"
                params.append(pytest.param("satisfies", row, messages, id=name))
    return params


def cases() -> list[Any]:
    """Every public case."""
    params = []
    for path in sorted((HERE / "cases").glob("*.json")):
        case = json.loads(path.read_text())
        needed = {slug for fault in case["expect"]["violations"][:1] for slug in fault["any_of"]}
        if path.stem in WAITS:
            needed = {WAITS[path.stem]}
        waiting = needed and not needed & SLUGS
        marks = [waits_for(" or ".join(sorted(needed)))] if waiting else []
        params.append(pytest.param(case, id=path.stem, marks=marks))
    return params


def recorded() -> list[Any]:
    """Every recorded request that was answered with 200."""
    requests = [json.loads(line) for line in (HERE / "recorded.jsonl").read_text().splitlines()]
    answered = [request for request in requests if request["status"] == 200]
    return [
        pytest.param(request["request"]["messages"], id=f"line-{number}")
        for number, request in enumerate(answered, start=1)
    ]


def indices(fault: dict[str, Any]) -> list[int | None]:
    """The messages that are right for an expected fault."""
    message = fault["message"]
    return message if isinstance(message, list) else [message]


@pytest.mark.parametrize(("kind", "row", "messages"), rows())
def test_row(kind: str, row: dict[str, Any], messages: list[Any]) -> None:
    """A list that violates a rule is reported at its level; one that satisfies it is not."""
    report = toolpair.check_tool_pairing(messages)
    slugs = [violation.slug for violation in report.violations]
    if kind == "violates":
        assert row["slug"] in slugs
        if row["level"] in ("error", "warning"):
            levels = {v.severity for v in report.violations if v.slug == row["slug"]}
            assert levels == {row["level"]}
    elif row["level"] == "valid":
        assert report.errors == ()
    else:
        assert row["slug"] not in slugs


@pytest.mark.parametrize("case", cases())
def test_case(case: dict[str, Any]) -> None:
    """The verdict, the fault that the server named, and no false alarm."""
    expected = case["expect"]["violations"]
    report = toolpair.check_tool_pairing(case["messages"], endpoint=case["endpoint"])
    if case["expect"]["verdict"] == "accepted":
        assert report.errors == ()
    else:
        assert report.ok is (case["expect"]["verdict"] == "warned")
        assert report.violations
    found = {(violation.slug, violation.message_index) for violation in report.violations}
    named = {
        (slug, at) for fault in expected[:1] for slug in fault["any_of"] for at in indices(fault)
    }
    assert bool(found & named) is bool(expected)
    listed = {(slug, at) for fault in expected for slug in fault["any_of"] for at in indices(fault)}
    errors = {(violation.slug, violation.message_index) for violation in report.errors}
    assert errors <= listed


@pytest.mark.parametrize("messages", recorded())
def test_recorded(messages: list[Any]) -> None:
    """What the API answered with 200 has no error."""
    assert toolpair.check_tool_pairing(messages).errors == ()


def test_the_suite_is_whole() -> None:
    """No file went missing, and every awaited case is a case."""
    assert len(rows()) >= 80
    assert len(cases()) == 62
    assert len(recorded()) == 117
    assert set(WAITS) <= {param.id for param in cases()}
