"""The examples run, and do what they are there to show."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolpair import check_tool_pairing

EXAMPLES = Path(__file__).parent.parent / "examples"
PYTHON = (sys.executable, "-X", "utf8", "-W", "error")

TABLE = """\
| loop | model | rounds | tools run | unpaired | ends because | weather / rate |
|---|---|---|---|---|---|---|
| all calls | complete | 2 | 2 | 0 | no more calls | yes / yes |
| first call only | asks again | 6 | 6 | 1 | limit reached | no / no |
| first call only | leaves it out | 2 | 1 | 1 | no more calls | yes / no |
"""


def printed(example: str, *words: str | Path) -> str:
    """What an example prints; it says nothing on stderr."""
    command = (*PYTHON, EXAMPLES / example, *words)
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert ran.stderr == ""
    assert ran.returncode == 0
    return ran.stdout


def test_the_histories_of_the_quickstart_are_found_out_and_mended() -> None:
    shown = printed("quickstart.py")
    for code in ("TP101", "TP103", "TP107"):
        assert f"{code} " in shown
    assert "does not know" not in shown
    assert "no violation" in shown


def test_the_experiment_gives_the_published_figures() -> None:
    shown = printed("experiment.py")
    assert TABLE in shown
    assert shown.count("without a result: toolu_02") == 2


def test_the_harness_goes_on_with_its_history(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    assert printed("harness.py", path, "one two three") == "They are 3 3 5 long.\n"
    assert printed("harness.py", path, "fourth") == "They are 6 long.\n"
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert [message["role"] for message in stored] == ["user", "assistant"] * 4
    assert check_tool_pairing(stored).violations == ()


def test_the_harness_stores_nothing_that_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    command = (*PYTHON, EXAMPLES / "harness.py", path, " ")
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert "TP404 whitespace-text-block" in ran.stderr
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
@pytest.mark.parametrize("seed", range(8))
def test_ctrl_c_at_any_moment_leaves_the_harness_a_whole_history(tmp_path: Path, seed: int) -> None:
    path, chance = tmp_path / "history.json", random.Random(seed)
    for prompt in ("one two", "three four"):
        harness = subprocess.Popen(
            (*PYTHON, EXAMPLES / "harness.py", path, prompt),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            harness.communicate(timeout=chance.uniform(0.0, 0.9))
        except subprocess.TimeoutExpired:
            harness.send_signal(signal.SIGINT)
            harness.communicate()
        stored: list[Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        if stored:
            report = check_tool_pairing(stored)
            assert report.ok, report
            assert report.pending == ()
