"""What only a new process can tell: the cost of the first call, and the extra peak memory.

Rust allocates behind tracemalloc's back, so the kernel is asked for the peak, and a process is
measured once only: `python fresh.py SUBJECT RESULT_BYTES` prints bytes for each block.
"""

from __future__ import annotations

import ctypes
import gc
import json
import re
import subprocess
import sys
from pathlib import Path

from histories import agent_loop

__all__ = ["IMPORTS", "extra_peak", "first_call"]

MESSAGES = 20_000

IMPORTS = {
    "plain": "from plain import validate_plain as check",
    "toolpair": "from toolpair import validate_tool_pairing as check",
    "tool-call-repair": "from toolrepair import validate as check",
    "tessera": "from tessera import inspect as check",
    "turnsafe": "from turnsafe import validate as check",
}

FIRST_CALL = """
import json, sys, time
history = json.load(sys.stdin)
start = time.process_time_ns()
{statement}
imported = time.process_time_ns()
check(history)
print(imported - start, time.process_time_ns() - imported)
"""


def first_call(subject: str) -> tuple[int, int]:
    """Processor time in ns: of the import, and then of the first call on ten messages."""
    program = FIRST_CALL.format(statement=IMPORTS[subject])
    imported, called = _run(["-c", program], json.dumps(agent_loop(10))).split()
    return int(imported), int(called)


def extra_peak(subject: str, result_bytes: int) -> float:
    """Bytes for each block that a call adds to the peak of a new process."""
    return float(_run([__file__, subject, str(result_bytes)]))


def _run(arguments: list[str], stdin: str = "") -> str:
    """A Python's output; RuntimeError with the last line of what it complains of."""
    here = Path(__file__).parent
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=here, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
    return done.stdout


def _measure(name: str, result_bytes: int) -> float:
    from subjects import SUBJECTS

    # Chinese, since to ask such a text for its UTF-8 makes CPython keep a second copy of it.
    history = agent_loop(MESSAGES, result_bytes, character="字")
    blocks = sum(len(m["content"]) for m in history if isinstance(m["content"], list))
    check = SUBJECTS[name]().check
    check(agent_loop(10))
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now what is resident
    before = _resident_peak()
    check(history)
    return (_resident_peak() - before) / blocks


def _resident_peak() -> int:
    status = Path("/proc/self/status").read_text()
    found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


if __name__ == "__main__":
    print(_measure(sys.argv[1], int(sys.argv[2])))
