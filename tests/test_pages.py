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


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{page.stem}: {case['title']}")
        for page in PAGES
        for case in (match.groupdict() for match in CASE.finditer(page.read_text("utf-8")))
    ]


def keywords(options: str) -> dict[str, Any]:
    given = dict(option.partition("=")[::2] for option in options.split())
    known: dict[str, Any] = {}
    if "endpoint" in given:
        known["endpoint"] = given.pop("endpoint")
    if "ignore" in given:
        known["ignore"] = [given.pop("ignore")]
    if "allow_pending" in given:
        known["allow_pending"] = given.pop("allow_pending") == ""
    assert not given, f"options that no page may have: {given}"
    return known


def test_there_is_a_page_for_each_rule() -> None:
    assert [page.stem for page in PAGES] == [f"{rule.code}-{rule.slug}" for rule in toolpair.RULES]
    assert len(cases()) == sum(page.read_text("utf-8").count("\n## ") for page in PAGES)


@pytest.mark.parametrize("case", cases())
def test_every_history_gives_its_report(case: dict[str, str]) -> None:
    history = json.loads(case["history"])
    report = toolpair.check_tool_pairing(history, **keywords(case["options"]))
    lines = [
        " ".join(filter(None, (found.severity, str(found.place), found.slug, found.tool_use_id)))
        for found in report.violations
    ]
    assert (lines or ["fine"]) == case["report"].splitlines()
    assert report.ok is not bool(report.errors)


@pytest.mark.parametrize("rule", toolpair.RULES, ids=lambda rule: rule.slug)
def test_an_example_breaks_its_rule_and_no_other(rule: toolpair.Rule) -> None:
    report = toolpair.check_tool_pairing(rule.example)
    assert {found.slug for found in report.violations} == {rule.slug}
    assert {found.hint for found in report.violations} == {rule.mend}
    for name in (rule.code, rule.slug):
        assert not toolpair.check_tool_pairing(rule.example, ignore=[name]).violations


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
