"""A function of a test module in a child: what brings the interpreter down is one failed test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["isolated"]

HANGS = 120
"""Seconds after which a child is given up."""


def isolated(child: Callable[[], object], **environment: str) -> str:
    """Run a function of a test module in a fresh interpreter; what it printed."""
    module = child.__module__.rpartition(".")[2]
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", f"import {module} as m; m.{child.__name__}()"],
        cwd=Path(__file__).parent,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-3000:]
    return done.stdout.decode(errors="replace")
