"""The catalogue's lists, public bug reports and recorded requests, against the checker.

None of them waits for anything: each is judged with all that is known of its request.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toolpair

HERE = Path(__file__).parent / "conformance"
SLUGS = {rule.slug for rule in toolpair.RULES}
ROWS: list[dict[str, Any]] = json.loads((HERE / "rules.json").read_text("utf-8"))["rules"]


def asked(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    """How a row's rule, if it is off by default, is switched on.

    What only other endpoints refuse violates there, and satisfies here.
    """
    if row["level"] != "off":
        return {}
    if "endpoint" in row["needs"]:
        return {"endpoint": "strict"} if kind == "violates" else {}
    return {"select": [row["slug"]]}


def rows() -> list[Any]:
    """Every list of the catalogue that a rule has a verdict on, as a request."""
    params: list[Any] = []
    for row in ROWS:
        kinds = ["violates", "satisfies"] if row["slug"] else []
        if row["level"] == "valid":
            kinds = ["satisfies"]
        for kind in kinds:
            for position, messages in enumerate(row[kind]):
                request = {**row.get("request", {}), "messages": messages}
                name = f"{row['id']}-{kind}-{position}"
                params.append(pytest.param(request, asked(kind, row), kind, row, id=name))
    return params


def cases() -> list[Any]:
    """Every public case, with what else its request held."""
    params: list[Any] = []
    for path in sorted((HERE / "cases").glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        request = {**case.get("request", {}), "messages": case["messages"]}
        keywords = {"endpoint": case["endpoint"], "select": case.get("select", [])}
        params.append(pytest.param(request, keywords, case["expect"], id=path.stem))
    return params


def recorded() -> list[Any]:
    """Every recorded request that was answered with 200, whole."""
    params: list[Any] = []
    for line in (HERE / "recorded.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["status"] != 200:
            continue
        request, beta = record["request"], record["beta"]
        if beta is not None:  # a header, or its parts
            betas = beta.split(",") if isinstance(beta, str) else beta
            request = {**request, "betas": [name.strip() for name in betas]}
        params.append(pytest.param(request, id=f"line-{len(params) + 1}"))
    return params


def requests() -> list[Any]:
    """Every request of all three kinds, and the keywords that go with it."""
    params = [*rows(), *cases(), *recorded()]
    return [
        pytest.param(given.values[0], given.values[1] if given.values[1:] else {}, id=given.id)
        for given in params
    ]


def indices(fault: dict[str, Any]) -> list[int | None]:
    """The messages that are right for an expected fault."""
    message = fault["message"]
    return message if isinstance(message, list) else [message]


@pytest.mark.parametrize(("request_body", "keywords", "kind", "row"), rows())
def test_row(
    request_body: dict[str, Any], keywords: dict[str, Any], kind: str, row: dict[str, Any]
) -> None:
    """A list that violates a rule is reported at its level; one that satisfies it is not."""
    report = toolpair.check_request(request_body, **keywords)
    levels = {found.severity for found in report.violations if found.slug == row["slug"]}
    if kind == "violates":
        assert levels
        if row["level"] in ("error", "warning"):
            assert levels == {row["level"]}
    elif row["level"] == "valid":
        assert report.errors == ()
    else:
        assert not levels


@pytest.mark.parametrize(("request_body", "keywords", "expect"), cases())
def test_case(
    request_body: dict[str, Any], keywords: dict[str, Any], expect: dict[str, Any]
) -> None:
    """The verdict, the fault that the server named, and no false alarm."""
    expected = expect["violations"]
    report = toolpair.check_request(request_body, **keywords)
    if expect["verdict"] == "accepted":
        assert report.errors == ()
    else:
        assert report.ok is (expect["verdict"] == "warned")
        assert report.violations
    found = {(violation.slug, violation.message_index) for violation in report.violations}
    named = {
        (slug, at) for fault in expected[:1] for slug in fault["any_of"] for at in indices(fault)
    }
    assert bool(found & named) is bool(expected)
    listed = {(slug, at) for fault in expected for slug in fault["any_of"] for at in indices(fault)}
    errors = {(violation.slug, violation.message_index) for violation in report.errors}
    assert errors <= listed


@pytest.mark.parametrize("request_body", recorded())
def test_recorded(request_body: dict[str, Any]) -> None:
    """What the API answered with 200 has no error, with all that is known of the request."""
    assert toolpair.check_request(request_body).errors == ()
    assert toolpair.check_request(json.dumps(request_body).encode()).errors == ()
    toolpair.validate_request(request_body)


@pytest.mark.parametrize(("request_body", "keywords"), requests())
def test_a_dict_and_its_json_agree(request_body: dict[str, Any], keywords: dict[str, Any]) -> None:
    """The request body, its JSON, and its messages with the rest as context: one report."""
    report = toolpair.check_request(request_body, **keywords)
    written = json.dumps(request_body, ensure_ascii=False)
    assert toolpair.check_request(written, **keywords) == report
    assert toolpair.check_request(written.encode(), **keywords) == report
    context = {name: value for name, value in request_body.items() if name != "messages"}
    messages = request_body["messages"]
    assert toolpair.check_tool_pairing(messages, context=context, **keywords) == report


def test_the_suite_is_whole() -> None:
    """No file went missing, and every row that names a rule has it."""
    assert {row["slug"] for row in ROWS if row["slug"]} <= SLUGS
    assert len(ROWS) == 84
    assert len(rows()) == 110
    assert len(cases()) == 62
    assert len(recorded()) == 117
    assert len(requests()) == len(rows()) + len(cases()) + len(recorded())


# --- what the server said ------------------------------------------------------------------------

OTHER_WORDS = {
    "goose-interrupt-pops-tool-result": "those of 2024",
    "rivet-history-cannot-hold-results": "those of 2024",
    "pi-stale-compaction-inside-pair": "written down without its numbers",
    "vellum-server-result-type-confusion": "written down without its place and id",
    "zeroclaw-split-results-500": "those of a proxy",
}
"""Cases whose text is not the one that the server has for it today."""


def bare(text: str) -> str:
    """Without the marks that some who wrote it down left out."""
    return text.replace("`", "").replace(" ", "").rstrip(".")


def quoted() -> list[Any]:
    """The cases that quote the server."""
    paths = sorted((HERE / "cases").glob("*.json"))
    cases = {path.stem: json.loads(path.read_text("utf-8")) for path in paths}
    return [
        pytest.param(case, id=name)
        for name, case in cases.items()
        if case["server_error"] is not None and name not in OTHER_WORDS
    ]


@pytest.mark.parametrize("case", quoted())
def test_a_violation_says_what_the_server_said(case: dict[str, Any]) -> None:
    """The same place and the same ids; a text that was cut off where it was written down, too."""
    report = toolpair.check_tool_pairing(
        case["messages"], endpoint=case["endpoint"], context=case.get("request")
    )
    said = bare(case["server_error"])
    ours = [bare(found.server_text) for found in report.violations if found.server_text]
    assert any(said in text or said.startswith(text) for text in ours)
