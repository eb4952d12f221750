"""What `toolpair` costs beside what it replaces: `python tests/benchmarks/bench.py --help`.

All subjects of a table are timed in one run, in turns; nothing is asserted on time.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

import plain
from aims import AIMS, FASTEST, FROM_SIZE, RATIOS, ratio, reached
from clock import Timings, race
from fresh import IMPORTS, extra_peak, first_call
from histories import DAMAGES, FORMS, History, agent_loop, parallel_calls, with_lost_results
from machine import describe
from repairers import errors, repairers, results_lost
from report import count, skipped, table, timing
from rounds import SLOW_S, loops, runners
from subjects import Subject, in_form, peer
from trimmers import trimmers

MOST_TO_REPAIR = 10_000
"""Messages of the longest history that is repaired: some peers take seconds for it."""


def main() -> None:
    options = _options()
    rounds, size, calls, results = 25, 10_000, 20_000, [200, 2_000, 20_000]
    if options.quick:
        rounds, size, calls, results = 9, 1_000, 2_000, [200, 2_000]
    machine = describe()
    print("# toolpair, measured\n")
    print("\n".join(f"- {line}" for line in machine))
    print("- processor time, best / median of the rounds; ratios are of the best")

    by_form = {form: validate(form, options.sizes, rounds) for form in FORMS}
    subjects, _ = in_form("dicts")
    repair_sizes = [size for size in options.sizes if size <= MOST_TO_REPAIR]
    repairs = {damage: repair(damage, repair_sizes, rounds) for damage in DAMAGES}
    record: dict[str, Any] = {
        "machine": machine,
        "validate": {form: _plain_data(timings) for form, timings in by_form.items()},
        "request": _plain_data(request(options.sizes, rounds)),
        "repair": {damage: _plain_data(timings) for damage, timings in repairs.items()},
        "parallel": _plain_data(parallel(subjects, calls, rounds)),
        "broken": _plain_data(broken(subjects, size, rounds)),
        "trim": _plain_data(trim(size, rounds)),
        "tool rounds": _plain_data(tool_rounds(rounds)),
        "first call": first_calls(min(rounds, 9)),
        "memory": memory(subjects, results),
        "aims": aims(by_form | repairs),
    }
    print(f"\n{_noise(by_form)} Load average at the end: {os.getloadavg()[0]:.1f}.")
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")


def validate(form: str, sizes: list[int], rounds: int) -> Timings:
    """Each subject on a sound agent loop of each size, in one form."""
    description, build = FORMS[form]
    print(f"\n## Validate {description}: ns per message\n")
    try:
        subjects, notes = in_form(form)
    except ImportError as error:
        print(f"Skipped: {error}.")
        return {}
    timings: Timings = {}
    for size in sizes:
        history = build(agent_loop(size))
        checks = {name: subject.check for name, subject in subjects.items()}
        if form == "json":
            checks["json.loads"] = partial(_parse, json.dumps(history))
        timings[size] = race(checks, history, rounds)
    rows = _rows(timings) + _ratios(timings, RATIOS)
    print(table(["", *map(count, sizes)], rows) + skipped(notes))
    return timings


def request(sizes: list[int], rounds: int) -> Timings:
    """A whole request, as a dict and as JSON, beside what JSON costs without it."""
    print("\n## Check a request: ns per message\n")
    toolpair = peer("toolpair")
    timings: Timings = {}
    for size in sizes:
        history = FORMS["json"][1](agent_loop(size))
        body = {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": history}
        data = json.dumps(body).encode()
        subjects: dict[str, Callable[[History], object]] = {
            "check_tool_pairing(list)": toolpair.check_tool_pairing,
            "check_request(dict)": _on(toolpair.check_request, body),
            "check_request(bytes)": _on(toolpair.check_request, data),
            "json.loads + check_request": _on(
                lambda data: toolpair.check_request(json.loads(data)), data
            ),
            "json.loads": _on(json.loads, data),
        }
        timings[size] = race(subjects, history, rounds)
    rows = _rows(timings)
    rows += _ratios(timings, [("json.loads + check_request", "check_request(bytes)")])
    print(table(["", *map(count, sizes)], rows))
    return timings


def repair(damage: str, sizes: list[int], rounds: int) -> Timings:
    """Each repair of one kind of history, of each size; and what it is worth."""
    description, build = DAMAGES[damage]
    print(f"\n## Repair {description}: ns per message\n")
    repairs, notes = repairers()
    check = peer("toolpair").check_tool_pairing
    timings: Timings = {}
    for size in sizes:
        history = build(agent_loop(size))
        timings[size] = race({"toolpair check": check, **repairs}, history, rounds)
    pairs = [("toolpair repair", "toolpair check"), (FASTEST, "toolpair repair")]
    pairs += [(name, "toolpair repair") for name in repairs if not name.startswith("toolpair")]
    print(table(["", *map(count, sizes)], _rows(timings) + _ratios(timings, pairs)))
    broken = build(agent_loop(sizes[-1]))
    rows = []
    for name, mend in repairs.items():
        mended = mend(broken)
        lost = results_lost(broken, mended)
        rows.append([name, count(errors(mended)), count(lost), count(len(mended))])
    header = [f"of {count(len(broken))} messages, {count(errors(broken))} errors", "errors left"]
    print("\n" + table([*header, "real results lost", "messages"], rows) + skipped(notes))
    return timings


def parallel(subjects: dict[str, Subject], most: int, rounds: int) -> Timings:
    """One step of many parallel calls: the time of each must not grow with their number."""
    print("\n## One step of parallel calls: ns per call\n")
    checks = {name: subject.check for name, subject in subjects.items()}
    sizes = [most // 8, most // 4, most // 2, most]
    timings = {n: race(checks, parallel_calls(n), rounds) for n in sizes}
    rows = []
    for name in checks:
        growth = timings[most][name].best / timings[sizes[0]][name].best / 8
        rows.append([name, *(timing(timings[n][name], n) for n in sizes), f"{growth:.2f}"])
    print(table(["", *map(count, sizes), "growth"], rows))
    return timings


def broken(subjects: dict[str, Subject], size: int, rounds: int) -> Timings:
    """A history that has lost one result of a hundred: reporting is part of the work."""
    print(f"\n## {count(size)} messages, 1% of the results lost: µs per call\n")
    history = with_lost_results(agent_loop(size))
    checks = {name: s.faults for name, s in subjects.items() if s.faults is not None}
    timings = race(checks, history, rounds)
    rows = [[name, timing(timings[name], 1_000), count(f(history))] for name, f in checks.items()]
    print(table(["", "time", "faults found"], rows))
    print("\nplain and plain_more stop at the first fault.")
    return {size: timings}


def trim(size: int, rounds: int) -> Timings:
    """Keep the last ten, and the last half."""
    print(f"\n## Trim {count(size)} messages: µs per call\n")
    history = agent_loop(size)
    trims, notes = trimmers(history)
    timings = race(trims, history, rounds)
    rows = [[name, timing(timings[name], 1_000), *_kept(f(history))] for name, f in trims.items()]
    print(table(["", "time", "kept", "pairing", "first role"], rows) + skipped(notes))
    return {size: timings}


def tool_rounds(rounds: int) -> Timings:
    """Answer a reply; and a whole loop of two requests through the SDK's client."""
    print("\n## Run the calls of a reply, tools that add two numbers: µs of processor time\n")
    counts = [1, 2, 8, 32]
    timings = {n: race(runners(n), [], rounds, process_time_ns) for n in counts}
    print(table(["calls", *map(count, counts)], _rows_of_replies(timings)))
    waiting, notes = loops(8, "wait")
    quick, _ = loops(8)
    print("\n## A loop of two requests, 8 calls, through a client of the anthropic SDK: µs\n")
    adds, waits = race(quick, [], rounds, process_time_ns), race(waiting, [], 5, perf_counter_ns)
    rows = [[name, timing(adds[name], 1_000), timing(waits[name], 1_000)] for name in adds]
    header = ["", "processor time, quick tools", f"elapsed, tools that wait {SLOW_S * 1e3:.0f} ms"]
    print(table(header, rows) + skipped(notes))
    return timings


def _rows_of_replies(timings: Timings) -> list[list[str]]:
    names = next(iter(timings.values()))
    return [[name, *(timing(row[name], 1_000) for row in timings.values())] for name in names]


def first_calls(rounds: int) -> dict[str, tuple[float, float]]:
    """What a new process pays before its first verdict; the best of some processes."""
    print("\n## The first call, in a new process: ms\n")
    best, notes = {}, []
    for name in IMPORTS:
        try:
            imports, calls = zip(*(first_call(name) for _ in range(rounds)), strict=True)
            best[name] = (min(imports) / 1e6, min(calls) / 1e6)
        except RuntimeError as error:
            notes.append(f"{name} ({error})")
    rows = [[name, f"{imported:.2f}", f"{call:.3f}"] for name, (imported, call) in best.items()]
    print(table(["", "import", "first call on 10 messages"], rows) + skipped(notes))
    return best


def memory(subjects: dict[str, Subject], results: list[int]) -> dict[str, list[float]]:
    """The extra peak of one call, with results of several lengths."""
    print("\n## Extra peak memory: bytes per block, by the length of each result\n")
    try:
        peaks = {name: [extra_peak(name, length) for length in results] for name in subjects}
    except RuntimeError as error:
        print(f"Skipped: it needs Linux and glibc ({error}).")
        return {}
    rows = [[name, *(f"{peak:.1f}" for peak in row)] for name, row in peaks.items()]
    print(table(["", *(f"{count(length)} B" for length in results)], rows))
    return peaks


def aims(tables: dict[str, Timings]) -> list[list[str]]:
    """What was aimed at, beside the worst that was reached."""
    print(f"\n## Aimed at, and reached (the worst size from {FROM_SIZE} messages on)\n")
    rows = []
    for aim in AIMS:
        for name in aim.tables:
            worst = reached(tables[name], aim)
            shown = f"{worst[0]:.2f} (at {count(worst[1])})" if worst else "not measured"
            rows.append([" / ".join(aim.pair), name, str(aim), shown])
    print(table(["", "on", "aim", "reached"], rows))
    return rows


def _rows(timings: Timings) -> list[list[str]]:
    """A row for each subject: its time for a message, by size."""
    names = dict.fromkeys(name for row in timings.values() for name in row)
    return [[name, *(timing(row[name], n) for n, row in timings.items())] for name in names]


def _ratios(timings: Timings, pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """A row for each pair of subjects that were measured."""
    rows = []
    for pair in pairs:
        ratios = [x for row in timings.values() if (x := ratio(row, pair)) is not None]
        if ratios:
            rows.append([" / ".join(pair), *(f"**{x:.2f}**" for x in ratios)])
    return rows


def _on(work: Callable[[Any], object], given: object) -> Callable[[History], object]:
    """Work on this, whatever history it is asked for."""
    return lambda _history: work(given)


def _parse(text: str, _history: History) -> object:
    return json.loads(text)


def _kept(trimmed: History | None) -> list[str]:
    if trimmed is None:
        return ["", "", ""]
    try:
        plain.validate_plain_more(trimmed)
        pairing = "whole"
    except ValueError:
        pairing = "broken"
    return [count(len(trimmed)), pairing, trimmed[0]["role"]]


def _noise(by_form: dict[str, Timings]) -> str:
    rows = [row for timings in by_form.values() for row in timings.values()]
    spread = [t.median / t.best - 1 for row in rows for t in row.values()]
    return f"Noise: a median lies up to {max(spread, default=0):.0%} above its best."


def _plain_data(timings: Timings) -> dict[int, dict[str, tuple[float, float]]]:
    """Nanoseconds a call, best and median, for JSON."""
    return {n: {name: (t.best, t.median) for name, t in row.items()} for n, row in timings.items()}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, up to 1,000 messages")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")
    parser.add_argument("--sizes", metavar="N,N", help="messages of the histories to validate")
    options = parser.parse_args()
    default = "10,100,1000" if options.quick else "10,100,1000,10000,100000"
    options.sizes = [int(size) for size in (options.sizes or default).split(",")]
    return options


if __name__ == "__main__":
    main()
