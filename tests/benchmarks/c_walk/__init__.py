"""The C floor: `walk` is compiled on first use, into `build/` beside this file."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["load"]

SOURCE = Path(__file__).with_name("c_walk.c")


def load() -> Callable[[list[dict[str, Any]]], int]:
    """Return `walk`, compiled for this interpreter; ImportError if no compiler can build it."""
    build = SOURCE.parent / "build"
    library = build / f"_c_walk{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not library.exists() or library.stat().st_mtime < SOURCE.stat().st_mtime:
        build.mkdir(exist_ok=True)
        (build / ".gitignore").write_text("*\n")
        _compile(library)
    loader = importlib.machinery.ExtensionFileLoader("_c_walk", str(library))
    spec = importlib.util.spec_from_loader("_c_walk", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    walk: Callable[[list[dict[str, Any]]], int] = module.walk
    return walk


def _compile(library: Path) -> None:
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    include = sysconfig.get_path("include")
    options = ["-O3", "-DNDEBUG", "-Wall", "-Wextra", "-shared", "-fPIC", f"-I{include}"]
    if sys.platform == "darwin":
        options += ["-undefined", "dynamic_lookup"]
    command = [*compiler, *options, str(SOURCE), "-o", str(library)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise ImportError(f"no C compiler: {error}") from error
    except subprocess.CalledProcessError as error:
        raise ImportError(f"{shlex.join(command)}\n{error.stderr}") from error
