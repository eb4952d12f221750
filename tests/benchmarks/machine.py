"""Where the numbers come from."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from subjects import PEERS

__all__ = ["describe"]


def describe() -> list[str]:
    """The processor, the interpreter and the versions of all who are measured."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return [
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}; load average {load}",
        f"{python} ({platform.python_compiler()})",
        ", ".join(f"{name} {_version(name)}" for name in (*PEERS, "anthropic")),
    ]


def _processor() -> str:
    """Its name, and the model's number, since a hypervisor may give many one name."""
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(re.findall(r"^(model name|model)\s*: (.+)$", described, re.MULTILINE))
    name = fields.get("model name", platform.machine())
    return f"{name} (model {fields['model']})" if "model" in fields else name


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "is not installed"
