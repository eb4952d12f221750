"""A harness in thirty lines. Press Ctrl-C whenever you like: the history stays whole.

    python examples/harness.py history.json "How long are the parts of this?"

The model is a script, so that it runs without a key. With one, it is
`client_model(anthropic.Anthropic(), model=..., max_tokens=..., tools=...)`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from toolpair import ToolRound, resume, validate_tool_pairing
from toolpair.testing import calls


def main(path: Path, prompt: str) -> None:
    stored: list[Any] = json.loads(path.read_text()) if path.exists() else []
    messages = [*resume(stored), {"role": "user", "content": prompt}]
    validate_tool_pairing(messages)  # a blank prompt is refused here, and never stored
    try:
        talk(messages)
        print(messages[-1]["content"])
    finally:
        save(path, messages)


def talk(messages: list[Any]) -> None:
    while True:
        validate_tool_pairing(messages)
        with ToolRound(messages, model(messages)) as round:
            round.run(TOOLS, timeout=10)
        if not round.calls:
            return


def save(path: Path, messages: list[Any]) -> None:
    new = path.with_suffix(".new")
    # An SDK's blocks are stored as the dicts that they are.
    new.write_text(json.dumps(messages, default=lambda it: it.model_dump(exclude_none=True)))
    new.replace(path)


def measure(text: str) -> int:
    time.sleep(0.5)  # slow enough to be interrupted
    return len(text)


TOOLS = {"measure": measure}


def model(messages: list[Any]) -> Any:
    """Measure each word of a prompt, and then say how long they are."""
    last = messages[-1]["content"]
    if isinstance(last, str):
        words = [("measure", {"text": word}) for word in last.split()]
        return {"role": "assistant", "content": calls(*words, first=1000 * len(messages))}
    lengths = " ".join(str(result["content"]) for result in last)
    return {"role": "assistant", "content": f"They are {lengths} long."}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]), sys.argv[2])
    except KeyboardInterrupt:
        sys.exit("interrupted; the history is stored, and whole")
