"""The README and the pages of docs/ are true: their code is run, what they show is what is printed.

`python tests/pages.py` writes what they show anew.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import CODE, OTHER, PAGES, ROOT, renewed

import toolpair

README = PAGES[0]


def other_blocks(kind: str) -> list[str]:
    """The lines of the blocks of a kind that are no output of code."""
    rest = CODE.sub("", README.read_text(encoding="utf-8"))
    return [
        line for found, block in OTHER.findall(rest) if found == kind for line in block.splitlines()
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_prints_what_the_page_shows(page: Path) -> None:
    pytest.importorskip("anthropic")
    assert renewed(page).splitlines() == page.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), target


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_kind_of_block_is_looked_at(page: Path) -> None:
    kinds = re.findall(r"^```(\w*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(kinds) <= {"python", "text", "sh", ""}
