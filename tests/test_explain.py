"""`explain`: codes, slugs, the server's texts old and new, and what wraps them."""

from __future__ import annotations

from typing import Any

import pytest

import toolpair

MISSING = (
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: "
    "toolu_A, toolu_B. Each `tool_use` block must have a corresponding `tool_result` block in "
    "the next message."
)

TEXTS: list[tuple[str, str, tuple[str, ...], str | None]] = [
    (MISSING, "tool-use-without-result", ("toolu_A", "toolu_B"), "messages[2]"),
    (
        "messages.1:`tool_use` ids were found without `tool_result` blocks immediately after: c_1",
        "tool-use-without-result",
        ("c_1",),
        "messages[1]",
    ),
    (
        "tool_use ids were found without tool_result blocks immediately after: ID. Each tool call "
        "in a message must have a corresponding tool_result in the next message.",
        "tool-use-without-result",
        ("ID",),
        None,
    ),
    (
        "messages.156: Did not find 1 `tool_result` block(s) at the beginning of this message. "
        "Messages following `tool_use` blocks must begin with a matching number of `tool_result` "
        "blocks.",
        "tool-use-without-result",
        (),
        "messages[156]",
    ),
    (
        "messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_X. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous "
        "message.",
        "orphan-tool-result",
        ("toolu_X",),
        "messages[48].content[1]",
    ),
    (
        "messages.0: `tool_result` block(s) provided when previous message does not contain any "
        "`tool_use` blocks",
        "orphan-tool-result",
        (),
        "messages[0]",
    ),
    (
        "messages.3: `tool_result` block(s) provided for tool use ids that were not found: ID. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous "
        "message.",
        "orphan-tool-result",
        ("ID",),
        "messages[3]",
    ),
    ("messages.3: unexpected `tool_result`...", "orphan-tool-result", (), "messages[3]"),
    (
        "messages.30.content.1: each tool_use must have a single result. Found multiple "
        "`tool_result` blocks with id: toolu_X",
        "duplicate-tool-result",
        ("toolu_X",),
        "messages[30].content[1]",
    ),
    (
        "messages.1.content.1: `tool_use` ids must be unique",
        "duplicate-tool-use-id",
        (),
        "messages[1].content[1]",
    ),
    ("messages: `tool_use` ids must be unique", "duplicate-tool-use-id", (), None),
    (
        "messages.1: `tool_result` blocks can only be in `user` messages",
        "tool-block-in-wrong-role",
        (),
        "messages[1]",
    ),
    (
        "messages.52: `tool_use` blocks can only be in `assistant` messages",
        "tool-block-in-wrong-role",
        (),
        "messages[52]",
    ),
    (
        "messages.3: Messages containing `tool_use` blocks must be followed by a user message "
        "with `tool_result` blocks",
        "pending-tool-use",
        (),
        "messages[3]",
    ),
    (
        "messages.33: `web_fetch` tool use with id `srvtoolu_01Hx` was found without a "
        "corresponding `web_fetch_tool_result` block",
        "server-tool-use-without-result",
        ("srvtoolu_01Hx",),
        "messages[33]",
    ),
    (
        "messages.7.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: "
        "srvtoolu_X. Each `advisor_tool_result` block must have a corresponding "
        "`server_tool_use` block before it.",
        "orphan-server-tool-result",
        ("srvtoolu_X",),
        "messages[7].content[0]",
    ),
    (
        "messages.1.content.0.server_tool_use.id: String should match pattern "
        "'^srvtoolu_[a-zA-Z0-9_]+$'",
        "malformed-server-tool-id",
        (),
        "messages[1].content[0]",
    ),
    (
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "malformed-tool-use-id",
        (),
        "messages[1].content[1]",
    ),
    (
        "messages.2.content.0.tool_result.tool_use_id: Field required",
        "malformed-tool-block",
        (),
        "messages[2].content[0]",
    ),
    (
        "messages.35.content.0.tool_use.input: Input should be a valid dictionary",
        "malformed-tool-block",
        (),
        "messages[35].content[0]",
    ),
    (
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
        "unknown-role",
        (),
        None,
    ),
    (
        "messages.12.content.1: Input tag 'image_url' found using 'type' does not match any of "
        "the expected tags: 'document', 'image', ...",
        "malformed-content",
        (),
        "messages[12].content[1]",
    ),
    ("messages: at least one message is required", "empty-history", (), None),
    ("messages: Field required", "empty-history", (), None),
    ("messages: Input should be a valid array", "empty-history", (), None),
    (
        "messages.1.content.0.mcp_tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "malformed-tool-use-id",
        (),
        "messages[1].content[0]",
    ),
]


def wrapped(text: str) -> list[str]:
    """The forms in which a text reaches people."""
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    escaped = text.replace('"', '\\"')
    return [
        text,
        f"Error code: 400 - {body}",
        f'{{"message":"{escaped}"}}',
        f"ValidationException: {text}",
        text.replace("`", ""),
        text.replace(" ", "\n", 1),
    ]


@pytest.mark.parametrize(("text", "slug", "ids", "place"), TEXTS, ids=range(len(TEXTS)))
def test_a_text_of_the_server(
    text: str, slug: str, ids: tuple[str, ...], place: str | None
) -> None:
    for form in wrapped(text):
        found = toolpair.explain(form)
        assert found.rule is not None, form
        assert (found.rule.slug, found.ids) == (slug, ids), form
        assert (found.place and str(found.place)) == place, form


def test_what_logs_cut_off_is_still_known() -> None:
    cut = MISSING[: MISSING.index(". Each") + 12]
    assert toolpair.explain(cut).ids == ("toolu_A", "toolu_B")


def test_an_exception_of_the_sdk() -> None:
    anthropic = pytest.importorskip("anthropic")
    httpx = pytest.importorskip("httpx2")
    request = httpx.Request("POST", "https://api.anthropic.com/v1/messages")
    body: dict[str, Any] = {"type": "error", "error": {"message": MISSING}}
    response = httpx.Response(400, request=request, json=body)
    error = anthropic.BadRequestError(f"Error code: 400 - {body}", response=response, body=body)
    found = toolpair.explain(error)
    assert found.rule is not None
    assert found.rule.slug == "tool-use-without-result"
    assert found.ids == ("toolu_A", "toolu_B")


@pytest.mark.parametrize("rule", toolpair.RULES, ids=lambda rule: rule.slug)
def test_a_code_or_a_slug(rule: toolpair.Rule) -> None:
    for name in (rule.code, rule.slug, f" {rule.slug}\n"):
        found = toolpair.explain(name)
        assert found.rule is rule
        assert rule.what in str(found)
        assert rule.mend in str(found)


ELSEWHERE = [
    "tools.0: Input tag 'foo' found using 'type' does not match any of the expected tags: 'bash'",
    "tool_choice.type: Field required",
    "thinking.type: Field required",
    "system.0.type: Field required",
    "tools.0.input_schema.type: Field required",
    "metadata: Input should be an object",
]
"""Errors of other parts of a request, in words that `messages` shares."""


@pytest.mark.parametrize(
    "text", ["", "hello", "rate limited", "messages.3", "`tool_use`", "\ud800", *ELSEWHERE]
)
def test_what_is_not_known_has_no_rule(text: str) -> None:
    found = toolpair.explain(text)
    assert found.rule is None
    assert "not know" in str(found)


def test_its_own_error_and_its_own_lines() -> None:
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9"}]}
    with pytest.raises(toolpair.ToolPairingError) as raised:
        toolpair.validate_tool_pairing([orphan])
    found = toolpair.explain(raised.value)
    assert found.rule is not None
    assert (found.rule.code, found.ids, str(found.place)) == (
        "TP103",
        ("toolu_9",),
        "messages[0].content[0]",
    )
    line = str(raised.value.report.violations[0])
    assert toolpair.explain(line).rule is found.rule


def test_what_an_exception_came_from_is_looked_at() -> None:
    agent = RuntimeError("the agent failed")
    agent.__cause__ = ValueError(MISSING)
    assert toolpair.explain(agent).ids == ("toolu_A", "toolu_B")
    circle = RuntimeError("round")
    circle.__context__ = ValueError("and round")
    circle.__context__.__context__ = circle
    assert toolpair.explain(circle).rule is None


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="explain takes a text or an exception, not int"):
        toolpair.explain(5)  # type: ignore[arg-type]
