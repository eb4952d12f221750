"""Each public case and each page that breaks a rule, mended: what is kept, and what cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from mending import edits, mended, outline
from test_pages import PAGES, keywords, parsed
from test_pages import cases as page_cases

import toolpair

CASES: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((Path(__file__).parent / "conformance" / "cases").glob("*.json"))
}
BROKEN = {name for name, case in CASES.items() if case["expect"]["verdict"] != "accepted"}
FINE = set(CASES) - BROKEN


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "endpoint": case["endpoint"],
        "select": case.get("select", []),
        "context": case.get("request"),
    }


# What is left of each case, by its repair notes. `(none)` is a placeholder.
KEPT: dict[str, list[str]] = {
    # "Hoist the text to the top-level system parameter": not ours to write, so behind the user's.
    "aegis-leading-system-message": ["user: hi", "system: Be brief."],
    "aegis-result-on-assistant-turn": [
        "user: Weather?",
        "assistant: call toolu_ae1",
        "user: result toolu_ae1: sun",
        "user: thanks",
    ],
    "aegis-result-without-tool-use-id": [
        "user: Weather?",
        "assistant: call toolu_ae2",
        "user: result toolu_ae2: sun",
    ],
    "agentscope-split-results-strict-endpoint": [
        "user: Two towns.",
        "assistant: call call_00_a | call call_00_b",
        "user: result call_00_a: sun | result call_00_b: rain",
    ],
    "bagofwords-image-before-result": [
        "user: Look at the chart.",
        "assistant: call toolu_im1",
        "user: result toolu_im1: chart loaded | image | What do you see?",
    ],
    "cato-tool-role-in-anthropic-request": [
        "user: Read it.",
        "assistant: call toolu_ca1",
        "user: result toolu_ca1: alpha",
    ],
    # One turn, as it was: both calls answered, and the thinking whole and in its order.
    "cc-abort-then-retry-in-same-assistant-message": [
        "user: Edit the file.",
        "assistant: thinking First try. | Let me retry. | call toolu_a1"
        " | thinking Trying again. | call toolu_a2",
        "user: result toolu_a2: edited | result toolu_a1: (none)",
    ],
    "cc-advisor-result-without-call": [
        "user: Plan it.",
        "assistant: Thinking about a plan.",
        "user: [reminder] still here",
        "assistant: Plan: split the work.",
        "user: Good.",
    ],
    "cc-interrupt-bash-next-prompt": [
        "user: Set up the project folders.",
        "assistant: Creating the folder. | call toolu_bash01",
        "user: result toolu_bash01: (none) | Actually, list the files first.",
    ],
    "cc-parallel-agents-one-of-three": [
        "user: Review this change from three angles.",
        "assistant: call toolu_ag1 | call toolu_ag2 | call toolu_ag3",
        "user: result toolu_ag2: Tests look fine."
        " | result toolu_ag1: (none) | result toolu_ag3: (none)",
    ],
    "cc-rejected-task-call-never-stored": ["assistant: Understood.", "user: What next?"],
    "cc-resume-keeps-last-parallel-result": [
        "user: Read the three notes.",
        "assistant: call toolu_n1 | call toolu_n2 | call toolu_n3",
        "user: result toolu_n3: third note | result toolu_n1: (none) | result toolu_n2: (none)",
        "assistant: I have read the notes.",
        "user: What did the first one say?",
    ],
    "cc-two-reads-both-unanswered": [
        "user: Summarise the two manuals.",
        "assistant: call toolu_read01 | call toolu_read02",
        "user: result toolu_read01: (none) | result toolu_read02: (none) | Hello? Are you there?",
    ],
    "cc-two-results-second-unknown": [
        "user: Check progress.",
        "assistant: call toolu_x1",
        "user: result toolu_x1: 50%",
        "assistant: About half.",
        "user: OK, any progress?",
    ],
    "ccswitch-kimi-id-illegal-characters": [
        "user: List files.",
        "assistant: call functions_ls_0",
        "user: result functions_ls_0: a b",
        "assistant: Two files.",
        "user: Compact this.",
    ],
    "cliproxy-reminder-before-first-result": [
        "assistant: call toolu_cl1",
        "user: result toolu_cl1: Monday | <system-reminder>note</system-reminder>",
    ],
    "gbrain-model-mints-same-ids-each-turn": [
        "user: Work.",
        "assistant: call toolu_01",
        "user: result toolu_01: 1",
        "assistant: call toolu_01_2 | call toolu_02",
        "user: result toolu_01_2: 2 | result toolu_02: 3",
    ],
    "goose-interrupt-pops-tool-result": [
        "user: Check the build.",
        "assistant: call toolu_g1",
        "user: result toolu_g1: (none) | Stop, try something else.",
    ],
    "goose-mcp-call-failed-no-result": [
        "user: Look at the branch.",
        "assistant: call toolu_m1",
        "user: result toolu_m1: src/",
        "assistant: Now the target file. | call toolu_m2",
        "user: result toolu_m2: (none) | Please go on.",
    ],
    "gsd-interrupted-web-search": [
        "user: What is new?",
        "assistant: Searching.",
        "user: Never mind, continue.",
    ],
    "haystack-thinking-lost-before-call": [
        "user: Weather?",
        "assistant: call toolu_h1",
        "user: result toolu_h1: sun",
    ],
    "langchain-filter-human-and-ai-only": [
        "user: Who owns the ticket?",
        "assistant: Let me look.",
        "assistant: call toolu_f1",
        "user: result toolu_f1: (none)",
        "assistant: It is owned by team A.",
        "user: And ticket 8?",
    ],
    "langchain-stream-extra-keys-on-call": [
        "user: Weather?",
        "assistant: call toolu_ex1",
        "user: result toolu_ex1: sun",
    ],
    "langchainjs-string-assistant-loses-call": ["user: Weather?", "assistant: Let me check."],
    "learncc-reminder-inserted-at-front": [
        "user: Do the steps.",
        "assistant: Next step. | call toolu_r3",
        "user: result toolu_r3: a b | <reminder>Update your plan.</reminder>",
    ],
    # "The odd-looking ids are legal characters and must stay."
    "letta-crash-mid-parallel": [
        "user: Run the checks.",
        "assistant: call functions_Bash_3 | call functions_Bash_4 | call functions_Bash_5",
        "user: result functions_Bash_4: all passed | result functions_Bash_3: (none)"
        " | result functions_Bash_5: (none) | Any news?",
    ],
    "mastra-semantic-recall-half-pair": ["assistant: Two rows.", "user: And today?"],
    "msaf-call-collapsed-into-user-message": [
        "user: Do two steps.",
        "assistant: call toolu_af1",
        "user: result toolu_af1: done",
        "assistant: call toolu_af2",
        "user: result toolu_af2: done, too",
    ],
    "openaiagents-result-before-its-call": [
        "user: User request",
        "assistant: thinking Call both. | call toolu_oa1",
        "user: result toolu_oa1: r1",
        "assistant: call toolu_oa2",
        "user: result toolu_oa2: r2 | next",
    ],
    "openclaw-compaction-duplicates-orphan-call": [
        "user: Summary: deploy is half done.",
        "assistant: call tooluse_dup1",
        "user: result tooluse_dup1: (none) | continue",
        "assistant: call tooluse_dup1_2",
        "user: result tooluse_dup1_2: (none) | are you alive?",
    ],
    "openclaw-compaction-pruned-call-kept-result": [
        "user: Summary of earlier work: images were analysed and files written.",
        "assistant: Continuing.",
        "user: Go on.",
    ],
    "openclaw-same-id-in-two-turns": [
        "user: Read the log.",
        "assistant: call call_1",
        "user: result call_1: part one",
        "assistant: call call_1_2",
        "user: result call_1_2: part two",
        "assistant: Done.",
        "user: Thanks, next.",
    ],
    "openclaw-steer-between-call-and-result": [
        "user: Run the long job.",
        "assistant: call call_52000001",
        "user: result call_52000001: job done | [announcement] the helper has finished",
    ],
    "openhands-trim-drops-result": [
        "user: Fix the bug.",
        "assistant: call toolu_t1",
        "user: result toolu_t1: (none)",
        "assistant: Two tests fail; editing.",
        "user: Carry on.",
    ],
    # "Naive 'keep the first result' loses the data."
    "pi-stale-compaction-inside-pair": [
        "user: Start.",
        "assistant: call toolu_p1",
        "user: result toolu_p1: a.txt b.txt",
        "user: Summary of earlier conversation: files were listed.",
        "assistant: Two files.",
        "user: Next?",
    ],
    # "Move the text to a later turn": there is none.
    "programmatic-call-answered-with-text": [
        "user: Totals.",
        "assistant: server call srvtoolu_code3 | call toolu_pq3",
        "user: result toolu_pq3: [1] + What should I do next?",
    ],
    "pydanticai-code-execution-result-dropped": [
        "user: Compute it.",
        "assistant: The result is 2.",
        "user: And now double it.",
    ],
    "qwen-text-before-result": [
        "user: Read it.",
        "assistant: call toolu_q1",
        "user: result toolu_q1: alpha | Here is what the tool said:",
    ],
    "qwen-trailing-call-last-message": [
        "user: Read the file.",
        "assistant: Reading. | call toolu_end1",
        "user: result toolu_end1: (none)",
    ],
    "rivet-history-cannot-hold-results": [
        "user: Plan a trip.",
        "assistant: call toolu_rv1",
        "user: result toolu_rv1: (none) | Cheaper, please.",
    ],
    "sdkpython-pause-turn-kept-then-user-turn": [
        "user: Which series was it?",
        "assistant: I will search.",
        "user: Go on.",
    ],
    # "Beware of sanitising first and then calling the results duplicates."
    "turnstone-subagent-namespaced-ids-collide": [
        "user: Sub task.",
        "assistant: call call_7__call_0",
        "user: result call_7__call_0: a",
        "assistant: call call_7__call_0_2",
        "user: result call_7__call_0_2: text",
    ],
    # "Fold the hint into the error result's content"
    "vellum-deferred-search-text-after-result": [
        "user: Search and list.",
        "assistant: server call srvtoolu_dt1 | call toolu_dt2",
        "user: result toolu_dt2: no such dir + Hint: check the path.",
    ],
    "vellum-server-result-type-confusion": ["user: Search.", "user: go on"],
    "vercel-approval-given-but-no-result": [
        "user: Delete the old file.",
        "assistant: This needs your approval. | call toolu_ap1",
        "user: result toolu_ap1: (none) | Approved, go on.",
    ],
    "vercel-raw-string-input": [
        "user: Save it.",
        "assistant: call toolu_rs1",
        "user: result toolu_rs1: Invalid JSON in tool input",
    ],
    "vercel-server-tool-after-client-call": [
        "user: Find the news and save it.",
        "assistant: Searching and saving. | server call srvtoolu_ws1"
        " | server result srvtoolu_ws1 | call toolu_save1",
        "user: result toolu_save1: saved",
    ],
    "veryfront-second-turn-orphan": [
        "user: What does the article say?",
        "assistant: It says X.",
        "user: And article two?",
    ],
    # Only warned of, so it stays: merging would be harmless, and is not needed.
    "zeroclaw-split-results-500": [
        "user: Check both.",
        "assistant: call toolu_zc1 | call toolu_zc2",
        "user: result toolu_zc1: 1",
        "user: result toolu_zc2: 2",
    ],
    "zoo-image-between-two-results": [
        "user: Two screenshots please.",
        "assistant: call toolu_z1 | call toolu_z2",
        "user: result toolu_z1: first taken | result toolu_z2: second taken | image",
    ],
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_case_keeps_what_its_notes_say(name: str) -> None:
    case = CASES[name]
    remains = ["thinking-missing-before-tool-use"] if name == LOST_THINKING else []
    plan = mended(case["messages"], remains=remains, **options_of(case))
    assert outline(plan.messages) == KEPT[name]
    accepted = {"messages": plan.messages, **case.get("request", {})}
    report = toolpair.check_request(
        accepted, endpoint=case["endpoint"], select=case.get("select", [])
    )
    assert [found.slug for found in report.errors] == remains


LOST_THINKING = "haystack-thinking-lost-before-call"


def test_every_broken_case_says_what_is_kept() -> None:
    assert set(KEPT) == BROKEN
    assert len(BROKEN) == 50


@pytest.mark.parametrize("name", sorted(FINE))
def test_an_accepted_case_comes_back_as_it_is(name: str) -> None:
    case = CASES[name]
    plan = mended(case["messages"], **options_of(case))
    assert plan.edits == ()
    assert plan.first_changed_index is None
    assert list(map(id, plan.messages)) == list(map(id, case["messages"]))


@pytest.mark.parametrize("name", [LOST_THINKING, "zeroclaw-split-results-500"])
def test_what_is_not_mended_is_left_alone_and_told(name: str) -> None:
    case = CASES[name]
    plan = toolpair.plan_repair(case["messages"], **options_of(case))
    assert plan.edits == ()
    assert list(map(id, plan.messages)) == list(map(id, case["messages"]))
    assert len(plan.remaining.violations) == 1
    assert str(plan.remaining.violations[0]) in str(plan)


def case_of(name: str) -> list[Any]:
    messages: list[Any] = CASES[name]["messages"]
    return messages


def test_orphans_of_the_cases_stay_as_text_when_asked() -> None:
    lost = {
        "cc-rejected-task-call-never-stored": "The user doesn't want to proceed",
        "cc-two-results-second-unknown": "60%",
        "langchainjs-string-assistant-loses-call": "sun",
        "mastra-semantic-recall-half-pair": "row 2",
        "openclaw-compaction-pruned-call-kept-result": "inserted by repair",
        "veryfront-second-turn-orphan": "article text",
    }
    for name, words in lost.items():
        plan = mended(case_of(name), orphans="text")
        assert words in json.dumps(plan.messages), name
        assert plan.is_safe, name
        assert len(plan.messages) == len(case_of(name)), name
        dropped = mended(case_of(name))
        assert words not in json.dumps(dropped.messages), name
        assert not dropped.is_safe, name


def test_an_orphan_kept_as_text_stands_before_what_the_user_said_then() -> None:
    plan = mended(case_of("veryfront-second-turn-orphan"), orphans="text")
    assert outline(plan.messages)[2] == "user: [tool_result] article text | And article two?"


def test_a_call_of_a_case_is_left_to_who_can_run_it() -> None:
    name = "qwen-trailing-call-last-message"
    plan = mended(case_of(name), allow_pending=True)
    assert plan.edits == ()
    assert [call.id for call in plan.remaining.pending] == ["toolu_end1"]


def test_a_known_cause_is_told_in_the_words_of_who_knows_it() -> None:
    plan = mended(
        case_of("goose-mcp-call-failed-no-result"),
        on_missing=lambda call: f"{call.name} failed: no such branch",
    )
    assert outline(plan.messages)[4] == (
        "user: result toolu_m2: get_file_contents failed: no such branch | Please go on."
    )


def test_unknown_members_of_a_call_go_and_the_known_ones_stay() -> None:
    name = "langchain-stream-extra-keys-on-call"
    call = mended(case_of(name), select=["unknown-member"]).messages[1]["content"][0]
    assert call == {
        "type": "tool_use",
        "id": "toolu_ex1",
        "name": "weather",
        "input": {"c": "A"},
    }


def test_a_raw_input_becomes_an_object() -> None:
    assert mended(case_of("vercel-raw-string-input")).messages[1]["content"][0]["input"] == {}


def test_a_result_that_a_role_tool_message_was_is_nothing_else() -> None:
    plan = mended(case_of("cato-tool-role-in-anthropic-request"))
    assert plan.is_safe
    assert plan.messages[2] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_ca1", "content": "alpha"}],
    }


def test_the_real_result_wins_and_the_edit_says_that_the_other_went() -> None:
    plan = mended(case_of("pi-stale-compaction-inside-pair"))
    assert edits(plan) == [
        "[2].content[0] !drop duplicate-tool-result",
        "[4].content[0] move message-between-use-and-result",
    ]


# --- the pages -----------------------------------------------------------------------------------

UNMENDABLE = {
    "empty-history": "there is nothing to mend",
    "too-many-messages": "that is what a trim is for",
    "malformed-content": "nobody knows what it was to be",
    "malformed-tool-name": "nobody knows which tool was called",
    "malformed-tool-block": "the same, where the call has no name at all",
    "tools-not-declared": "the request must declare them",
    "open-server-tool-not-declared": "the request must declare it",
    "advisor-tool-not-declared": "the request must declare it",
    "unknown-tool-reference": "the request must declare it",
    "thinking-missing-before-tool-use": "thinking has a signature: none can be made up",
    "content-beside-programmatic-result": "where the request forgot the container",
}
"""Rules of which a page has a history that stays broken, and why."""


def pages(*, broken: bool) -> list[Any]:
    """The histories with an error, or with an id that is used twice; or the others."""

    def is_mended(case: dict[str, str]) -> bool:
        return "error " in case["report"] or "duplicate-tool-use-id" in case["report"]

    return [given for given in page_cases() if is_mended(given.values[0]) is broken]


def mended_page(case: dict[str, str]) -> toolpair.RepairPlan[Any]:
    given, options = parsed(case["history"]), keywords(case["options"])
    if isinstance(given, dict):
        options["context"] = {name: it for name, it in given.items() if name != "messages"}
        given = given["messages"]
    plan = toolpair.plan_repair(given, **options)
    again = toolpair.plan_repair(plan.messages, **options)
    assert again.edits == ()
    assert again.remaining == plan.remaining
    assert list(map(id, again.messages)) == list(map(id, plan.messages))
    return plan


@pytest.mark.parametrize("case", pages(broken=True))
def test_a_page_is_mended_or_its_rule_cannot_be(case: dict[str, str]) -> None:
    before = {line.split()[2] for line in case["report"].splitlines() if line.startswith("error")}
    plan = mended_page(case)
    left = {found.slug for found in plan.remaining.errors}
    assert left <= before & set(UNMENDABLE)
    assert plan.edits or left


def test_what_is_said_to_be_beyond_repair_is_left_on_some_page() -> None:
    left = {
        found.slug
        for given in pages(broken=True)
        for found in mended_page(given.values[0]).remaining.errors
    }
    assert left == set(UNMENDABLE)


@pytest.mark.parametrize("case", pages(broken=False))
def test_a_page_without_an_error_is_left_alone(case: dict[str, str]) -> None:
    plan = mended_page(case)
    assert plan.edits == ()
    assert all(one is other for one, other in zip(plan.messages, plan.source, strict=True))


# --- the pages, damaged --------------------------------------------------------------------------

OTHER_ROLE = {"user": "assistant", "assistant": "user", "system": "user", "tool": "assistant"}


def damaged(messages: list[Any]) -> Iterator[list[Any]]:
    """Each message lost, doubled, swapped with the next, or in another role; or all of them so."""
    for at, message in enumerate(messages):
        before, after = messages[:at], messages[at + 1 :]
        yield [*before, *after]
        yield [*before, message, message, *after]
        yield [*before, *after[:1], message, *after[1:]]
        for role in ("system", OTHER_ROLE.get(message["role"], "user")):
            yield [*before, {**message, "role": role}, *after]
    yield [{**message, "role": OTHER_ROLE.get(message["role"], "user")} for message in messages]


@pytest.mark.parametrize("endpoint", get_args(toolpair.Endpoint))
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_what_is_left_of_a_damaged_page_is_what_a_check_finds(
    page: Path, endpoint: toolpair.Endpoint
) -> None:
    """What a fault hid, say a wrong role, may come to light; the plan says so, and mends it."""
    ways: list[dict[str, Any]] = [{}, {"on_missing": "drop"}, {"orphans": "text"}]
    for case in (given.values[0] for given in page_cases(page)):
        given = parsed(case["history"])
        request = given if isinstance(given, dict) else {"messages": given}
        context = {name: it for name, it in request.items() if name != "messages"} or None
        for messages in damaged(request["messages"][:60]):
            for way in ways:
                plan = toolpair.plan_repair(messages, endpoint=endpoint, context=context, **way)
                found = toolpair.check_tool_pairing(
                    plan.messages, endpoint=endpoint, context=context
                )
                assert plan.remaining == found, (messages, way)
                again = toolpair.plan_repair(
                    plan.messages, endpoint=endpoint, context=context, **way
                )
                assert again.edits == (), (messages, way)
