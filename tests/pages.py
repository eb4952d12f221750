"""Pages whose code is run: the README and docs/. What they show is what is printed.

`python tests/pages.py` writes what they show anew.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import toolpair

__all__ = ["CODE", "OTHER", "PAGES", "ROOT", "renewed"]

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
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


def renewed(page: Path) -> str:
    """The page with what its code really prints, and with the real rules."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {}

    def run(block: re.Match[str]) -> str:
        printed = io.StringIO()
        line = text[: block.start()].count("\n") + 1
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block[1], page.name, "exec"), names)  # noqa: S102
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{block[1]}```\n{shown}"

    with local_api(), at_the_root(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the model's name may grow old
        return TABLE.sub(lambda _: table(), CODE.sub(run, text))


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


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page), encoding="utf-8")
