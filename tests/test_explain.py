"""`explain`: codes, slugs, the server's texts old and new, and what wraps them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from histories import assistant, call, says

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
    found = toolpair.explain("messages.3: `tool_use` ids were found without …")
    assert found.rule is not None
    assert (found.rule.slug, str(found.place)) == ("tool-use-without-result", "messages[3]")


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


# --- every text of the catalogue ------------------------------------------------------------------

CATALOGUE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "conformance" / "rules.json").read_text(encoding="utf-8")
)

SHARED: dict[str, set[str]] = {
    # The server does not say why it did not find the results: they are missing, or not first.
    "`tool_use` ids were found without": {"tool-use-without-result"},
    # Split results, where they are refused, are refused as orphans.
    "unexpected `tool_use_id` found in `tool_result` blocks": {"orphan-tool-result"},
    # Also told where something stands beside the results that an open server call waits for.
    "` was found without a corresponding `": {"server-tool-use-without-result"},
    # Also seen, misleading, where content stood behind a call.
    "does not support assistant message prefill": {"assistant-prefill"},
    # One text for a system message that stands wrong: between call and result, or elsewhere.
    "role 'system' must follow": {"misplaced-system-message", "message-between-use-and-result"},
    # The role is unknown to models that do not support it.
    'Unexpected role "system"': {"unknown-role", "system-role-not-supported"},
    # Quoted with the other members of a call; names have a rule of their own.
    "tool_use.name: String should have at least 1 character": {"malformed-tool-name"},
    # It spoke of all roles once.
    "all messages must have non-empty content": {"empty-user-turn", "empty-assistant-message"},
    # The text on unknown members, about one that has a rule of its own.
    "clear_at: Extra inputs are not permitted": {"unknown-member", "misplaced-clear-at"},
    "cache_control: Extra inputs are not permitted": {
        "unknown-member",
        "cache-control-on-thinking",
    },
}
"""Texts that the catalogue quotes for more rules than one, and what may be said of them."""

UNTOLD = {
    "messages.3.content.3.text: …",  # a place, and nothing else
    # Models of others behind Converse; here, text behind results is fine.
    "Conversation blocks and tool result blocks cannot be provided in the same turn",
}
"""Texts that tell of no rule."""

ANYWHERE = (
    "Extra inputs are not permitted",
    "Field required",
    "Input should be ",
    "Input tag ",
    "String should ",
)
"""How a text begins that is said of any member of a request: it needs its place to be known."""

ELSEWHERES: dict[str, set[str]] = {
    # DeepSeek
    "`tool_use` ids were found without": {"tool-use-without-result"},
    "tool_use_id` found in `tool_result` blocks": {"orphan-tool-result"},
    "in the thinking mode must be passed back": {"thinking-missing-before-tool-use"},
    "all messages must have non-empty content": {"empty-user-turn", "empty-assistant-message"},
    # Kimi
    "tool_call_id  is not found": {"orphan-tool-result"},
    "with role 'assistant' must not be empty": {"empty-assistant-message"},
    "must be followed by tool messages responding": {"tool-use-without-result"},
    # MiniMax
    "tool result's tool id(": {"orphan-tool-result"},
    # Bedrock
    "tool_use ids must be unique": {"duplicate-tool-use-id"},
    "Expected toolResult blocks at": {"tool-use-without-result"},
    "exceeds the number of toolUse blocks of previous turn": {"orphan-tool-result"},
    "must alternate between user and assistant roles": {"roles-do-not-alternate"},
    "must start with a user message": {"first-message-not-user"},
    "The text field in the ContentBlock object at": {"empty-text-block", "whitespace-text-block"},
    "The content field in the Message object at": {"empty-user-turn", "empty-assistant-message"},
    "The toolConfig field must be defined": {"tools-not-declared"},
}
"""What other endpoints' own texts mean."""


def code_spans(markdown: str) -> list[tuple[int, str]]:
    """The code spans of a line, and where each begins: as many ticks close it as opened it."""
    ticks = [match.span() for match in re.finditer("`+", markdown)]
    spans: list[tuple[int, str]] = []
    index = 0
    while index < len(ticks):
        start, text = ticks[index]
        closing = range(index + 1, len(ticks))
        end = next((at for at in closing if ticks[at][1] - ticks[at][0] == text - start), None)
        if end is not None:
            code = markdown[text : ticks[end][0]]
            if code.startswith(" ") and code.endswith(" "):  # what keeps ticks apart from ticks
                code = code[1:-1]
            spans.append((start, code))
            index = end
        index += 1
    return spans


def numbered(text: str) -> str:
    """A text as a server sends it: with a number where the catalogue has a letter."""
    text = re.sub(r"\b(messages|content)\.[KMN]\b", r"\1.3", text)
    return text.removeprefix("… ")


def quoted(row: dict[str, Any]) -> list[str]:
    """The server's texts in a row.

    They stand in ticks at the front of each piece of evidence; a note may name more.
    """
    evidence = [code_spans(part) for part in row["evidence"].split("<br>")]
    texts = [spans[0][1] for spans in evidence if spans and spans[0][0] == 0]
    known = re.match(r"explain must also know the wordings?: (?P<texts>.*)", row.get("note", ""))
    if known is not None:
        texts += known["texts"].split(" And the cut form: ")
    return [numbered(text) for text in texts]


def of_the_rules() -> list[Any]:
    """Every text that the catalogue quotes for a rule, and the slugs that are right for it."""
    params: list[Any] = []
    for row in CATALOGUE["rules"]:
        for position, text in enumerate(quoted(row) if row["slug"] else []):
            slugs = [accepted for part, accepted in SHARED.items() if part in text]
            assert len(slugs) <= 1, text
            if text not in UNTOLD:
                name = f"{row['id']}-{position}"
                params.append(pytest.param(text, slugs[0] if slugs else {row["slug"]}, id=name))
    return params


def of_other_endpoints() -> list[Any]:
    """Every text that the catalogue quotes from another endpoint, and what it means."""
    params: list[Any] = []
    for endpoint in CATALOGUE["endpoints"]:
        own = [numbered(text) for _, text in code_spans(endpoint["errors"])]
        named = [numbered(text) for _, text in code_spans(endpoint["differs"])]
        for text in own + named:
            slugs = [accepted for part, accepted in ELSEWHERES.items() if part in text]
            if text not in UNTOLD and (slugs or text in own):
                assert len(slugs) == 1, text
                name = f"{endpoint['id']}-{len(params)}"
                params.append(pytest.param(text, slugs[0], id=name))
    return params


def carried(text: str) -> list[str]:
    """A text as it comes from the SDK, and from two hosts that wrap it."""
    error = {"type": "invalid_request_error", "message": text}
    body = {"type": "error", "error": error, "request_id": "req_x"}
    inner = json.dumps({"message": text}, ensure_ascii=False)
    outer = {"error_code": "BAD_REQUEST", "message": inner}
    operation = "when calling the InvokeModel operation"
    return [
        text,
        f"Error code: 400 - {body}",
        f"An error occurred (ValidationException) {operation}: {inner}",
        json.dumps(outer, ensure_ascii=False),
    ]


def without_place(text: str) -> str | None:
    """The text without the place before it, if it has one and tells its rule without it, too."""
    bare = re.sub(r"^messages[\w.]*:\s*", "", text)
    return None if bare == text or bare.startswith(ANYWHERE) else bare


@pytest.mark.parametrize(("text", "slugs"), [*of_the_rules(), *of_other_endpoints()])
def test_every_text_of_the_catalogue(text: str, slugs: set[str]) -> None:
    for known in filter(None, (text, without_place(text))):
        for form in carried(known):
            found = toolpair.explain(form)
            assert found.rule is not None, form
            assert found.rule.slug in slugs, form


WHOLE: list[tuple[str, str]] = [
    (
        "messages.1: `web_fetch` tool use with id `srvtoolu_1` was found without a corresponding "
        "`web_fetch_tool_result` block, but no `web_fetch` tool was provided",
        "open-server-tool-not-declared",
    ),
    (
        "messages.1.content.0.server_tool_use.name: Input should be 'web_search', 'web_fetch', "
        "'code_execution', 'bash_code_execution', 'text_editor_code_execution', "
        "'tool_search_tool_regex', 'tool_search_tool_bm25' or 'advisor'",
        "unknown-server-tool",
    ),
    (
        "messages.3.clear_at: Input should be 'next_user_message' or 'never'",
        "misplaced-clear-at",
    ),
    (
        "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
        "cache-control-on-thinking",
    ),
]
"""Texts that the catalogue quotes in part."""


@pytest.mark.parametrize(("text", "slug"), WHOLE)
def test_a_text_that_was_quoted_in_part(text: str, slug: str) -> None:
    for form in carried(text):
        found = toolpair.explain(form)
        assert found.rule is not None, form
        assert found.rule.slug == slug, form


def test_the_catalogue_is_read_whole() -> None:
    """Each table says something of some text, and no text was overlooked."""
    rules = [param.values[0] for param in of_the_rules()]
    endpoints = [param.values[0] for param in of_other_endpoints()]
    assert len(rules) == 82
    assert len(endpoints) == 16
    assert all(any(part in text for text in rules) for part in SHARED)
    assert all(any(part in text for text in endpoints) for part in ELSEWHERES)
    assert "tool_use ids were found without tool_result blocks immediately after: ID" in {
        text.partition(". ")[0] for text in rules
    }


def test_a_servers_text_lists_the_ids_of_one_message_and_no_more_than_can_be_read() -> None:
    for calls in (2, 16, 17, 3_000):
        made = [call(f"t{number}") for number in range(calls)]
        messages = [says("user"), assistant(*made), says("user")]
        texts = {found.server_text for found in toolpair.check_tool_pairing(messages).errors}
        (text,) = texts
        assert text is not None
        listed = text.split("after: ")[1].split(". Each")[0].split(", ")
        expected = [f"t{number}" for number in range(min(calls, 16))]
        assert listed == expected + ["..."] * (calls > 16)
        assert text.startswith("messages.1: ")


def test_the_servers_result_is_named_by_its_type() -> None:
    orphan = {"type": "bash_code_execution_tool_result", "tool_use_id": "srvtoolu_x", "content": {}}
    messages = [says("user"), assistant(orphan)]
    body = json.dumps({"messages": messages})
    for report in (toolpair.check_tool_pairing(messages), toolpair.check_request(body)):
        (found,) = report.errors
        assert found.server_text is not None
        assert "`bash_code_execution_tool_result` blocks: srvtoolu_x." in found.server_text


def test_a_code_or_a_slug_may_be_in_any_case() -> None:
    for name in ("tp101", "Tp101", "TOOL-USE-WITHOUT-RESULT", "tp101: so it was said"):
        rule = toolpair.explain(name).rule
        assert rule is not None
        assert rule.code == "TP101"
    assert toolpair.explain("TP999").rule is None
