"""The first page of the manual: four histories that went wrong, how to see it, and what to do.

`make demo` runs this file. It needs no API key and no network. The histories are in transcripts/:
their shapes and the server's texts are those of public bug reports, their words are made up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolpair import (
    check_tool_pairing,
    explain,
    pending_tool_uses,
    plan_repair,
    plan_trim,
    repair_tool_pairing,
    trim_messages_safely,
    unpaired_tool_use_ids,
)

Message = dict[str, Any]


def main() -> None:
    """Show each situation."""
    skipped_call_dropped()
    skipped_call_repeated()
    cut_inside_a_pair()
    interrupted_tool()


def skipped_call_dropped() -> None:
    """Two calls in one turn, one run."""
    title("1. Two calls in one turn, and the harness ran only the first")
    about, history, server_error = transcript("skipped-call-dropped")
    print(about)
    show(history)

    note("Whatever roles a harness uses, this tells what it forgot.")
    say("unpaired_tool_use_ids(history)", *unpaired_tool_use_ids(history))

    note(
        "The API's form has role `user` for role `tool`. Sent as it was kept, it would be refused."
    )
    messages = as_sent(history)
    say("check_tool_pairing(messages)", check_tool_pairing(messages))
    explained(server_error)

    note("A trim to the newest turn leaves the old damage out.")
    trim(messages, keep_recent=2)


def skipped_call_repeated() -> None:
    """The same harness, the other outcome."""
    title("2. The same harness: the model asks again and again")
    about, history, _ = transcript("skipped-call-repeated")
    print(about)
    show(history)
    say("unpaired_tool_use_ids(history)", *unpaired_tool_use_ids(history))
    messages = as_sent(history)
    say("check_tool_pairing(messages)", check_tool_pairing(messages))

    note("A trim splits no pair, but it makes up no result either: the calls were never run.")
    trim(messages, keep_recent=4)

    note("What ends the loop: ask after each round which calls still wait. After the first one:")
    say("pending_tool_uses(messages[:3])", *pending_tool_uses(messages[:3]))
    note("Run it, and put its result beside the other one.")


def cut_inside_a_pair() -> None:
    """A slice that does not look where it cuts."""
    title("3. A trim that cut inside a pair")
    about, messages, server_error = transcript("cut-inside-a-pair")
    print(about)
    show(messages)
    say("check_tool_pairing(messages[-9:])", check_tool_pairing(messages[-9:]))
    explained(server_error)

    note("Asked for nine as well, but the cut moves to an edge, and the prompt comes along.")
    trim(messages, keep_recent=9)


def interrupted_tool() -> None:
    """A call without a result, and the next prompt after it."""
    title("4. An interrupted tool, and the next prompt")
    about, messages, server_error = transcript("interrupted-tool")
    print(about)
    show(messages)
    report = check_tool_pairing(messages)
    say("check_tool_pairing(messages)", report)
    explained(server_error)

    note("Either go on from the new prompt alone ...")
    trim(messages, keep_recent=1)

    note("... or keep everything: the call gets a result that says no more than is known.")
    plan = plan_repair(messages)
    say("plan_repair(messages)", plan)
    say("plan_repair(messages).diff()", plan.diff())
    mended = repair_tool_pairing(messages)
    say("check_tool_pairing(repair_tool_pairing(messages))", check_tool_pairing(mended))

    note("Whoever knows the cause can say so.")
    told = repair_tool_pairing(messages, on_missing=lambda call: f"The user stopped {call.name}.")
    say("repair_tool_pairing(messages, on_missing=...)[-1]", told[-1])


def trim(messages: list[Message], keep_recent: int) -> None:
    """Print what a trim does and why, what is left, and the verdict on it."""
    say(f"plan_trim(messages, keep_recent={keep_recent})", plan_trim(messages, keep_recent))
    trimmed = trim_messages_safely(messages, keep_recent)
    print(f"\ntrim_messages_safely(messages, keep_recent={keep_recent}) returns")
    show(trimmed)
    say("check_tool_pairing(trimmed)", check_tool_pairing(trimmed))


def explained(server_error: str) -> None:
    """Print the words that the server has for it, and what they mean."""
    say("the server's words for it", server_error)
    say("explain(server_error)", explain(server_error))


def as_sent(history: list[Message]) -> list[Message]:
    """The history with its results where the API wants them: in user messages."""
    return [{**message, "role": message["role"].replace("tool", "user")} for message in history]


def transcript(name: str) -> tuple[str, list[Message], str]:
    """A history: what it is about, its messages, and what the server says to such a one."""
    path = Path(__file__).parent / "transcripts" / f"{name}.json"
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return recorded["about"], recorded["messages"], recorded["server_error"]


def title(text: str) -> None:
    print(f"\n\n{text}\n{'=' * len(text)}\n")


def say(question: str, *answers: object) -> None:
    """Print a call, and below it what it gives."""
    print(f"\n{question}")
    for answer in answers:
        print("\n".join(f"  {line}" for line in str(answer).splitlines()))


def note(text: str) -> None:
    print(f"\n{text}")


def show(messages: list[Message], first: int = 0) -> None:
    """Print roles and kinds, one message a line."""
    print()
    for index, message in enumerate(messages, first):
        place = f"[{index}]"
        print(f"  {place:<4} {message['role']:<9}  {', '.join(kinds(message['content']))}")


def kinds(content: str | list[Message]) -> Iterator[str]:
    """Name the blocks of one message."""
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "text":
            text = block["text"]
            yield repr(text if len(text) <= 40 else f"{text[:39]}…")
        elif block["type"] == "tool_use":
            yield f"{block['name']} {short(block['id'])}"
        else:
            yield f"result of {short(block['tool_use_id'])}"


def short(tool_use_id: str) -> str:
    return f"{tool_use_id[:8]}…{tool_use_id[-4:]}"


if __name__ == "__main__":
    main()
