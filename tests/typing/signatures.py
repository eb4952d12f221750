"""Compare two stubs by their names and parameters: `signatures.py SHIPPED GENERATED`.

Annotations are left out: a generated stub does not know what a dict, a list or a callable holds.
"""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path


def main() -> None:
    shipped, generated = map(Path, sys.argv[1:])
    ours, theirs = (
        sorted(signatures(ast.parse(stub.read_text()).body)) for stub in (shipped, generated)
    )
    difference = list(difflib.unified_diff(theirs, ours, str(generated), str(shipped), lineterm=""))
    print("\n".join(difference) or f"{shipped} has all {len(ours)} names, with the same parameters")
    sys.exit(bool(difference))


def signatures(body: Iterable[ast.stmt], owner: str = "") -> Iterator[str]:
    """Each class, method and function as one line."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield f"class {node.name}"
            yield from signatures(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield f"{owner}{node.name}({', '.join(parameters(node.args))})"


def parameters(takes: ast.arguments) -> Iterator[str]:
    """The parameters by name, without `self` or `cls`."""
    for parameter in [*takes.posonlyargs, *takes.args]:
        if parameter.arg not in {"self", "cls"}:
            yield parameter.arg
    if takes.vararg or takes.kwonlyargs:
        yield f"*{takes.vararg.arg if takes.vararg else ''}"
    yield from (parameter.arg for parameter in takes.kwonlyargs)
    if takes.kwarg:
        yield f"**{takes.kwarg.arg}"


if __name__ == "__main__":
    main()
