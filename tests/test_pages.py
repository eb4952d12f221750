"""The pages of tests/rules, read by pytest: Python objects must give what JSON gives cargo."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import toolpair

PAGES = sorted((Path(__file__).parent / "rules").glob("*.md"))
CASE = re.compile(
    r"^## (?P<title>.+?)\n.*?^```json(?P<options>[^\n]*)\n(?P<history>.*?)^```\n"
    r".*?^```report\n(?P<report>.*?)^```\n",
    re.MULTILINE | re.DOTALL,
)
REPEATED = re.compile(r"(?P<messages>\[.*\]) \* (?P<times>\d+)\s*", re.DOTALL)


def cases(*pages: Path) -> list[Any]:
    """The histories of these pages, or of all."""
    return [
        pytest.param(case, id=f"{page.stem}: {case['title']}")
        for page in pages or PAGES
        for case in (match.groupdict() for match in CASE.finditer(page.read_text("utf-8")))
    ]


def keywords(options: str) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for option in options.split():
        name, _, value = option.partition("=")
        if name in ("ignore", "select"):
            known.setdefault(name, []).append(value)
        elif name == "endpoint":
            known[name] = value
        else:
            assert option == "allow_pending", f"an option that no page may have: {option}"
            known[name] = True
    return known


def parsed(written: str) -> Any:
    """A list of messages, perhaps so many times over, or a whole request body."""
    repeated = REPEATED.fullmatch(written)
    if repeated is not None:
        return json.loads(repeated["messages"]) * int(repeated["times"])
    return json.loads(written)


def lines(report: toolpair.Report) -> list[str]:
    found = [
        " ".join(filter(None, (found.severity, str(found.place), found.slug, found.tool_use_id)))
        for found in report.violations
    ]
    return found or ["fine"]


def test_there_is_a_page_for_each_rule() -> None:
    assert [page.stem for page in PAGES] == [f"{rule.code}-{rule.slug}" for rule in toolpair.RULES]
    assert len(cases()) == sum(page.read_text("utf-8").count("\n## ") for page in PAGES)


@pytest.mark.parametrize("case", cases())
def test_every_history_gives_its_report(case: dict[str, str]) -> None:
    given, options = parsed(case["history"]), keywords(case["options"])
    if isinstance(given, dict):
        report = toolpair.check_request(given, **options)
        assert toolpair.check_request(case["history"], **options) == report
        assert toolpair.check_request(case["history"].encode(), **options) == report
        context = {name: value for name, value in given.items() if name != "messages"}
        messages = given["messages"]
        assert toolpair.check_tool_pairing(messages, context=context, **options) == report
    else:
        report = toolpair.check_tool_pairing(given, **options)
    assert lines(report) == case["report"].splitlines()
    assert report.ok is not bool(report.errors)


@pytest.mark.parametrize("rule", toolpair.RULES, ids=lambda rule: rule.slug)
def test_an_example_breaks_its_rule_and_no_other(rule: toolpair.Rule) -> None:
    request = rule.example_request
    assert request["messages"] == rule.example
    report = toolpair.check_request(request, select=[rule.slug])
    assert {found.slug for found in report.violations} == {rule.slug}
    assert {found.hint for found in report.violations} == {rule.mend}
    for name in (rule.code, rule.slug):
        silenced = toolpair.check_request(request, select=[rule.slug], ignore=[name])
        assert not silenced.violations


@pytest.mark.parametrize("rule", toolpair.RULES, ids=lambda rule: rule.slug)
def test_select_changes_nothing_for_a_rule_that_is_on(rule: toolpair.Rule) -> None:
    report = toolpair.check_request(rule.example_request)
    if report.violations:
        assert toolpair.check_request(rule.example_request, select=[rule.code]) == report


def test_a_report_lists_calls_that_wait_once() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}]
    assert str(toolpair.check_tool_pairing(messages)).count("toolu_1") == 1
    allowed = str(toolpair.check_tool_pairing(messages, allow_pending=True))
    assert "1 call without a result yet: toolu_1" in allowed


def test_a_late_result_and_its_call_tell_of_each_other() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    late = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": "well?"},
        {"role": "assistant", "content": "One moment."},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1"}]},
    ]
    lost, orphan = toolpair.check_tool_pairing(late).violations
    assert (lost.slug, orphan.slug) == ("tool-use-without-result", "orphan-tool-result")
    assert orphan.related == (lost.place,)
    assert lost.related == (orphan.place,)
    assert str(lost.place) in orphan.text
    assert str(orphan.place) in lost.text
    tracker = toolpair.ToolPairingTracker()
    tracker.extend(late)
    assert tracker.report() == toolpair.check_tool_pairing(late)
