"""One reply with two calls, and what becomes of it in two loops.

A user asks for the weather and the exchange rate, and the model calls both tools at once. Shown
are a loop that answers all calls, and one that answers the first: with a model that asks again for
what is missing, and with one that leaves it out. Then each once more in the API's form, where
results stand in user messages: what the API would say to the next request.
"""

from __future__ import annotations

from functools import partial

from toolpair import Run, run_agent
from toolpair.testing import (
    ScriptedModel,
    all_calls,
    answer,
    ask_again,
    calls,
    drive,
    first_call_only,
)

QUESTION = "What will the weather be in Tokyo, and how many yen do I get for 500 euros?"
PLAN = calls(
    ("get_weather", {"city": "Tokyo"}),
    ("get_exchange_rate", {"base": "EUR", "quote": "JPY"}),
)
SAYS = {
    "get_weather": "It will rain in the morning.",
    "get_exchange_rate": "You get 82,500 yen.",
}
TOOLS = {
    "get_weather": lambda city: "light rain until noon",
    "get_exchange_rate": lambda base, quote: 165.0,
}
COMPLETE = LEAVES_OUT = answer(PLAN, SAYS)
ASKS_AGAIN = ask_again(PLAN, COMPLETE)

ROWS = [
    (all_calls, "complete", COMPLETE),
    (first_call_only, "asks again", ASKS_AGAIN),
    (first_call_only, "leaves it out", LEAVES_OUT),
]
ENDS = {"finished": "no more calls", "max_rounds": "limit reached"}


def main() -> None:
    runs = {
        (loop.__name__, behaviour): drive(
            partial(loop, role="tool"), ScriptedModel([PLAN, reply]), QUESTION, TOOLS
        )
        for loop, behaviour, reply in ROWS
    }
    title = "One reply with two calls, and what two loops make of it"
    print(f"\n\n{title}\n{'=' * len(title)}\n")
    print(table(runs))
    for (name, behaviour), run in runs.items():
        print(f"\n{name}, the model {behaviour}")
        print(f"  roles: {' '.join(run.role_sequence)}")
        print(f"  without a result: {' '.join(run.unpaired_ids) or 'none'}")

    print("\nThe same in the API's form:")
    for loop, behaviour, reply in ROWS:
        run = drive(loop, ScriptedModel([PLAN, reply]), QUESTION, TOOLS)
        print(f"\n{loop.__name__}, the model {behaviour}")
        print(f"  roles: {' '.join(run.role_sequence)}")
        first = run.report.errors[0] if run.report else "each request is fine"
        print(f"  {first}")

    print("\nrun_agent, with the model that asks again:\n")
    print(
        run_agent(ScriptedModel([PLAN, ASKS_AGAIN]), [{"role": "user", "content": QUESTION}], TOOLS)
    )


def table(runs: dict[tuple[str, str], Run]) -> str:
    lines = [
        "| loop | model | rounds | tools run | unpaired | ends because | weather / rate |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, behaviour), run in runs.items():
        told = " / ".join("yes" if said in run.final_text else "no" for said in SAYS.values())
        cells = [
            name.replace("_", " "),
            behaviour,
            run.rounds,
            len(run.executed),
            len(run.unpaired_ids),
            ENDS[run.end_reason],
            told,
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
