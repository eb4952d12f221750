"""The README is true: its code is run, what it shows is what is printed, its table is the registry.

`python tests/test_readme.py` writes what the README shows anew.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import toolpair

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
CODE = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
TABLE = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- /rules -->)", re.DOTALL)
OTHER = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)

REPLY = {
    "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [
        {"type": "text", "text": "I'll look it up."},
        {
            "type": "tool_use",
            "id": "toolu_01A09q90qw90lq917835lq9",
            "name": "get_weather",
            "input": {"city": "Tokyo"},
        },
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 12, "output_tokens": 34},
}


class Server(BaseHTTPRequestHandler):
    """Answers every request with one reply, on this machine."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps(REPLY).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def local_api() -> Iterator[None]:
    """A place where the SDK's requests go instead of the network."""
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        where = {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": "none",
            "NO_PROXY": "127.0.0.1",
        }
        with patch.dict(os.environ, where):
            yield
        server.shutdown()


@contextlib.contextmanager
def at_the_root() -> Iterator[None]:
    """Paths on the page are relative to the checkout."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def renewed(readme: str) -> str:
    """The page with what its code really prints, and with the real rules."""
    names: dict[str, Any] = {}

    def run(block: re.Match[str]) -> str:
        printed = io.StringIO()
        line = readme[: block.start()].count("\n") + 1
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block[1], README.name, "exec"), names)  # noqa: S102
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{block[1]}```\n{shown}"

    with local_api(), at_the_root(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the model's name may grow old
        return TABLE.sub(lambda _: table(), CODE.sub(run, readme))


def level(rule: toolpair.Rule) -> str:
    """The severity on the default endpoint, if the rule is on there; and what it must be told."""
    severity = rule.severity if rule.when == "always" else f"off ({rule.severity})"
    alone = toolpair.check_tool_pairing(rule.example, select=[rule.slug])
    is_alone = any(found.slug == rule.slug for found in alone.violations)
    return severity if is_alone else f"{severity}, with context"


def table() -> str:
    rows = [
        f"| {rule.code} | `{rule.slug}` | {level(rule)} | {rule.what} |" for rule in toolpair.RULES
    ]
    return "\n".join(
        ["", "| code | slug | severity | what is wrong |", "|---|---|---|---|", *rows, "", ""]
    )


def other_blocks(kind: str) -> list[str]:
    """The lines of the blocks of a kind that are no output of code."""
    rest = CODE.sub("", README.read_text(encoding="utf-8"))
    return [
        line for found, block in OTHER.findall(rest) if found == kind for line in block.splitlines()
    ]


def test_code_prints_what_the_page_shows() -> None:
    pytest.importorskip("anthropic")
    readme = README.read_text(encoding="utf-8")
    assert renewed(readme).splitlines() == readme.splitlines()


@pytest.mark.parametrize("text", other_blocks("text"))
def test_the_servers_texts_are_explained(text: str) -> None:
    assert toolpair.explain(text).rule is not None


def test_the_page_begins_with_the_errors() -> None:
    first, second = (toolpair.explain(text) for text in other_blocks("text")[:2])
    slugs = [explained.rule.slug for explained in (first, second) if explained.rule]
    assert slugs == ["tool-use-without-result", "orphan-tool-result"]
    assert first.ids == second.ids == ("toolu_01A09q90qw90lq917835lq9",)


def test_shell_lines_are_ones_that_exist(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "q"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    broken = [asked, {"role": "assistant", "content": [call]}, asked]
    (tmp_path / "history.json").write_text(json.dumps(broken), encoding="utf-8")
    for line in other_blocks("sh"):
        program, *words = shlex.split(line)
        if program == "make":
            make = shutil.which("make") or pytest.skip("there is no make")
            subprocess.run([make, "-n", *words], cwd=ROOT, check=True, capture_output=True)
        elif program == "python":
            run = subprocess.run(
                [sys.executable, *words], check=False, cwd=tmp_path, capture_output=True
            )
            assert run.returncode == ("check" in words), line  # only there it is still broken
        else:
            assert line == "pip install ."  # what .ci/run does with the sdist


def test_every_kind_of_block_is_looked_at() -> None:
    kinds = re.findall(r"^```(\w*)$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(kinds) == {"python", "text", "sh", ""}


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
