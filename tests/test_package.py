"""The laws of the house that no other test holds: what ships, what is imported, what is named."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

import toolpair
from toolpair import _core

ROOT = Path(__file__).parent.parent


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


def program(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"there is no {name}")


def files_in_git() -> list[Path]:
    listed = run(program("git"), "ls-files", "-co", "--exclude-standard", "-z")
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


# --- the public surface --------------------------------------------------------------------------


def test_all_is_sorted_and_complete() -> None:
    # constants, classes, functions
    names = {
        name
        for name, value in vars(toolpair).items()
        if not name.startswith("_") and not isinstance(value, type(sys))
    }
    assert toolpair.__all__ == sorted(names, key=lambda name: (not name.isupper(), name))


def test_every_name_is_documented() -> None:
    aliases = {"Endpoint"}  # types that are no classes hold no text
    documented = set(toolpair.__all__) - aliases
    missing = [name for name in documented if not getattr(toolpair, name).__doc__]
    assert missing == []


def test_what_docstrings_show_is_what_is_printed() -> None:
    modules = [it.name for it in pkgutil.walk_packages(toolpair.__path__, "toolpair.")]
    tried = 0
    for name in modules:
        failed, tried_here = doctest.testmod(importlib.import_module(name))
        assert failed == 0, name
        tried += tried_here
    assert tried > len(modules)


def test_verbs_that_judge_take_the_same_keywords() -> None:
    def keywords(verb: Callable[..., object]) -> dict[str, object]:
        parameters = inspect.signature(verb).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    expected = {
        "endpoint": "anthropic",
        "ignore": (),
        "select": (),
        "allow_pending": False,
        "context": None,
    }
    assert keywords(toolpair.check_tool_pairing) == expected
    assert keywords(toolpair.validate_tool_pairing) == expected
    assert keywords(toolpair.ToolPairingTracker) == expected
    del expected["context"]  # a request is its own
    assert keywords(toolpair.check_request) == expected
    assert keywords(toolpair.validate_request) == expected


def test_the_endpoints_are_those_of_the_compiled_module() -> None:
    assert list(get_args(toolpair.Endpoint)) == _core.endpoints()


def test_the_types_ship() -> None:
    package = importlib.resources.files(toolpair)
    assert (package / "py.typed").is_file()
    assert (package / "_core.pyi").is_file()


def test_the_licences_ship() -> None:
    files = importlib.metadata.files("toolpair") or []
    assert {path.name for path in files} >= {"LICENSE-MIT", "LICENSE-APACHE"}


def test_import_loads_the_standard_library_and_nothing_else() -> None:
    program = (
        "import sys; before = set(sys.modules)\n"
        "import toolpair\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    imported = run(sys.executable, "-c", program)
    assert imported.stderr == ""
    modules = imported.stdout.split()
    assert "toolpair._core" in modules
    assert [name for name in modules if name.startswith("toolpair.integrations")] == []
    others = {name.partition(".")[0] for name in modules} - {"toolpair"}
    assert others <= sys.stdlib_module_names
    assert others & {"asyncio", "logging", "sqlite3", "unittest"} == set()  # slow, and seldom used


def test_there_is_one_version() -> None:
    def first(pattern: str, file: str) -> str:
        found = re.search(pattern, text_of(ROOT / file), re.MULTILINE)
        assert found, file
        return found[1]

    version = first(r'^version = "(.+)"$', "Cargo.toml")
    assert first(r'^version = "(.+)"$', "pyproject.toml") == version
    assert first(r"^## (\S+)", "CHANGELOG.md") == version
    assert importlib.metadata.version("toolpair") == version


# --- the core ------------------------------------------------------------------------------------


def test_the_core_knows_no_python() -> None:
    tree = [program("cargo"), "tree", "--locked", "--edges", "normal", "--invert", "pyo3"]
    assert "toolpair-python" in run(*tree, "--package", "toolpair-python").stdout
    core = run(*tree, "--package", "toolpair")
    assert core.returncode != 0
    assert "did not match any packages" in core.stderr


def test_there_is_no_unsafe_code() -> None:
    workspace = text_of(ROOT / "Cargo.toml")
    assert re.search(r'^unsafe_code = "forbid"$', workspace, re.MULTILINE)
    members = sorted((ROOT / "src").glob("*/Cargo.toml"))
    assert [member.parent.name for member in members] == ["binding", "core"]
    for member in members:
        assert "[lints]\nworkspace = true\n" in text_of(member)
    sources = sorted((ROOT / "src").rglob("*.rs"))
    assert [path for path in sources if re.search(r"\bunsafe\s*(\{|fn|impl)", text_of(path))] == []


# --- the repository ------------------------------------------------------------------------------


def test_no_file_names_a_place_outside_the_repository() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {place}"
        for path in files_in_git()
        for place in places_outside(path)
    ]
    assert named == []


def places_outside(path: Path) -> list[str]:
    """The paths in a file that lead out of the repository: home folders, and `..` above it."""
    text = text_of(path)
    places = re.findall(r"(?<![\w.:/])/(?:home|root|Users|work)/\w[\w./-]*", text)
    if ROOT.parent != Path(ROOT.anchor) and ROOT.parent != Path("/tmp"):  # noqa: S108
        places += re.findall(re.escape(f"{ROOT.parent}/") + r"[\w./-]*", text)
    for relative in re.findall(r"(?<![\w./])(?:\.\./)+[\w.-][\w./-]*", text):
        if not (path.parent / relative).resolve().is_relative_to(ROOT):
            places.append(relative)
    return places
