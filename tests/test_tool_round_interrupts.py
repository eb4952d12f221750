"""An interrupt at any moment: the list is as it was, or holds both messages and has no fault."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeAlias

import pytest
from children import isolated
from rounds import QUESTION, RUNS, answered, turn, use

import toolpair
from toolpair import ToolRound, check_tool_pairing

Body: TypeAlias = Callable[[list[Any], list[str]], None]

PACKAGE = str(Path(toolpair.__file__).parent)
CALLS = [use(f"toolu_{number}") for number in range(3)]
IDS = [call["id"] for call in CALLS]
CLOSES = 12
"""Opcodes at most that a `with` statement itself takes to leave its block."""


def records(messages: list[Any], recorded: list[str]) -> None:
    with ToolRound(messages, turn(*CALLS)) as round:
        for call in round:
            round.record(call, "real")
            recorded.append(call.id)


def fails(messages: list[Any], recorded: list[str]) -> None:
    with ToolRound(messages, turn(*CALLS)) as round:
        for call in list(round)[:2]:
            round.record(call, "real")
            recorded.append(call.id)
        raise KeyError


def runs(messages: list[Any], recorded: list[str]) -> None:
    with ToolRound(messages, turn(*CALLS)) as round:
        for name in IDS:
            round.run(lambda *_: "real", only=name, skip=set(recorded) | set(IDS[-1:]))
            recorded.extend(it["tool_use_id"] for it in round.results if it["content"] == "real")
            break


def awaits(messages: list[Any], recorded: list[str]) -> None:
    async def block() -> None:
        async with ToolRound(messages, turn(*CALLS)) as round:
            for call in round:
                round.record(call, "real")
                recorded.append(call.id)

    step = block()
    with pytest.raises(StopIteration):
        step.send(None)


class Interrupt:
    """Raises `KeyboardInterrupt` at one opcode of the package's, or of a body."""

    def __init__(self, body: Body, at: int) -> None:
        self.codes = [body.__code__]
        self.codes += [it for it in body.__code__.co_consts if isinstance(it, CodeType)]
        self.left = at
        self.count = 0
        self.where = ""

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        if code not in self.codes and not code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.count += 1
            if self.count == self.left:
                self.where = code.co_name
                raise KeyboardInterrupt
        return self


def interrupted(body: Body, at: int) -> tuple[list[Any], list[str], Interrupt]:
    """What a list holds, and what had been recorded, when a body is interrupted there."""
    messages, recorded, interrupt = [QUESTION], list[str](), Interrupt(body, at)
    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        body(messages, recorded)
    except (KeyboardInterrupt, KeyError):
        pass
    finally:
        sys.settrace(before)
    return messages, recorded, interrupt


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("body", [records, fails, runs, awaits])
def test_an_interrupt_at_every_opcode(body: Body) -> None:
    lost: list[str] = []
    interrupted(body, 0)  # 3.12 counts opcodes only once some were asked for
    _, _, whole = interrupted(body, 0)
    assert whole.count > 1000
    step = 1 if RUNS > 100 else 13
    for at in [*range(1, whole.count, step), *range(whole.count - 100, whole.count + 1)]:
        messages, recorded, interrupt = interrupted(body, at)
        if not interrupt.where:  # newer versions take fewer opcodes each time
            assert at > whole.count // 2
            assert len(messages) == 3
        if messages == [QUESTION]:
            lost += [interrupt.where] * bool(recorded)
            continue
        assert len(messages) == 3
        results = answered(messages, calls=3)
        real = {it["tool_use_id"] for it in results if it["content"] == "real"}
        assert real >= set(recorded), interrupt.where
    # A trace function can raise while the statement itself is at work, where no signal is handled.
    assert len(lost) <= CLOSES
    assert set(lost) <= {body.__name__, "block"}


# --- real signals --------------------------------------------------------------------------------


def child_with_alarms() -> None:
    draws = random.Random(RUNS)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    outcomes = {"as it was": 0, "cut short": 0, "whole": 0, "lost": 0}
    began = time.perf_counter()
    for _ in range(20):
        records([QUESTION], [])
    once = (time.perf_counter() - began) / 20
    for _ in range(RUNS * 3):
        messages: list[Any] = [QUESTION]
        recorded: list[str] = []
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, draws.uniform(1e-6, once * 1.2))
                draws.choice([records, runs])(messages, recorded)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            pass
        if messages == [QUESTION]:
            outcomes["lost" if recorded else "as it was"] += 1
            continue
        assert len(messages) == 3
        results = answered(messages, calls=3)
        real = {it["tool_use_id"] for it in results if it["content"] == "real"}
        assert real >= set(recorded)
        outcomes["whole" if len(real) == 3 else "cut short"] += 1
    print(json.dumps(outcomes))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_an_interrupt_by_a_real_signal() -> None:
    outcomes = json.loads(isolated(child_with_alarms))
    assert sum(outcomes.values()) == RUNS * 3
    assert outcomes["as it was"] > 0
    assert outcomes["lost"] == 0
    assert outcomes["whole"] + outcomes["cut short"] > 0


def child_with_alarms_in_threads() -> None:
    """While tools run in threads: what had ended when the interrupt came is recorded."""
    draws = random.Random(RUNS)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for _ in range(max(10, RUNS // 2)):
        messages: list[Any] = [QUESTION]
        ended: dict[str, float] = {}

        def tool(name: str, input: object, id: str, ended: dict[str, float] = ended) -> str:
            time.sleep(draws.uniform(0, 0.002))
            ended[id] = time.monotonic()
            return "real"

        until = float("inf")
        try:
            with ToolRound(messages, turn(*CALLS)) as round:
                signal.setitimer(signal.ITIMER_REAL, draws.uniform(1e-6, 0.004))
                round.run(tool)
                time.sleep(0.01)
        except KeyboardInterrupt:
            until = time.monotonic() - 0.05  # threads may wait for their turn so long
        real = {it["tool_use_id"] for it in answered(messages, calls=3) if it["content"] == "real"}
        assert real >= {id for id, at in ended.items() if at < until}
    print("done")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_an_interrupt_while_tools_run_in_threads() -> None:
    assert isolated(child_with_alarms_in_threads) == "done\n"


# --- a forced end --------------------------------------------------------------------------------


def child_that_saves_after_each_round() -> None:
    path = Path(os.environ["TOOLPAIR_SAVED"])
    messages: list[Any] = json.loads(path.read_text())

    def tool(*_: object) -> str:
        time.sleep(0.0005)
        return "real"

    print("ready", flush=True)
    while True:
        number = len(messages)
        calls = [use(f"toolu_{number}_{each}") for each in range(4)]
        with ToolRound(messages, turn(*calls)) as round:
            round.run(tool, max_concurrency=4)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(messages))
        fresh.replace(path)


def test_a_process_that_is_killed_leaves_a_history_without_a_fault(tmp_path: Path) -> None:
    draws = random.Random(RUNS)
    path = tmp_path / "history.json"
    path.write_text(json.dumps([QUESTION]))
    module = Path(__file__).stem
    lengths = []
    for _ in range(min(100, max(3, RUNS // 20))):
        child = subprocess.Popen(
            [sys.executable, "-c", f"import {module} as m; m.child_that_saves_after_each_round()"],
            cwd=Path(__file__).parent,
            env={**os.environ, "TOOLPAIR_SAVED": str(path)},
            stdout=subprocess.PIPE,
        )
        with child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            time.sleep(draws.uniform(0, 0.03))
            child.kill()
        loaded = json.loads(path.read_text())
        lengths.append(len(loaded))
        assert check_tool_pairing(loaded).ok
        results = [it for message in loaded[2::2] for it in message["content"]]
        assert [it["content"] for it in results] == ["real"] * 4 * (len(loaded) // 2)
    assert lengths == sorted(lengths)
    assert lengths[-1] > 1


# --- what a tool had returned --------------------------------------------------------------------


class Told:
    """Is interrupted when it is put into words, once."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = [KeyboardInterrupt()]

    def __str__(self) -> str:
        while self.errors:
            raise self.errors.pop()
        return "real"


def test_an_interrupt_while_a_result_is_put_into_words_loses_none() -> None:
    messages, told = [QUESTION], Told()
    with pytest.raises(KeyboardInterrupt), ToolRound(messages, turn(CALLS[0])) as round:
        round.run(lambda *_: told)  # in this thread, where interrupts come
    assert answered(messages, calls=1)[0]["content"] == "real"


def test_an_interrupt_on_the_way_to_the_record_loses_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors: list[BaseException] = [KeyboardInterrupt()]

    def as_raised(error: BaseException | None) -> BaseException | None:
        while errors:
            raise errors.pop()
        return error

    monkeypatch.setattr("toolpair._rounds.work._as_raised", as_raised)
    messages = [QUESTION]
    with pytest.raises(KeyboardInterrupt), ToolRound(messages, turn(CALLS[0])) as round:
        round.run(lambda *_: "real", timeout=30.0)
    assert answered(messages, calls=1)[0]["content"] == "real"
