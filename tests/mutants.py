"""Takes each rule away, one at a time, and asks whether the pages of tests/rules notice.

For each rule the body of its `check` is emptied in a copy of the sources; then cargo builds the
core and runs every page. A mutant survives if no page fails, and then the exit code is 1. One that
does not build proves nothing, and stops the run. The copies and their builds stay in
target/mutants, so that another run takes less time.

    python tests/mutants.py [slug ...] [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
TESTED = ("Cargo.toml", "Cargo.lock", "src", "tests/rules")
"""All that cargo needs to build the core and to run the pages."""

BODY = re.compile(r"^(?P<head>fn check\([^{]*\) \{)\n.*?^\}$", re.MULTILINE | re.DOTALL)
NOTICED = re.compile(r"^(TP\d{3})-\S+: .+$", re.MULTILINE)
"""How the pages name a history that gave another report."""


class NotMutated(Exception):
    """A mutant that could not be made or built, and so says nothing."""


@dataclass(frozen=True)
class Rule:
    """A rule, and the file that finds it."""

    code: str
    slug: str
    file: Path

    def without_its_body(self) -> str:
        """The source of the rule, which finds nothing any more."""
        source = (ROOT / self.file).read_text("utf-8")
        mutant, count = BODY.subn(r"\g<head>}", source)
        if count != 1:
            raise NotMutated(f"{self.file} has {count} functions of the name check")
        return mutant


def rules() -> list[Rule]:
    """Every rule of the registry, in its order."""
    registry = (ROOT / "src/core/rules.rs").read_text("utf-8")
    listed = registry.partition("rules! {\n")[2].partition("}")[0].split()
    found = []
    for name in listed:
        file = Path("src/core/rules", f"{name}.rs")
        source = (ROOT / file).read_text("utf-8")
        code = re.search(r'code: "(TP\d{3})"', source)
        if code is None:
            raise NotMutated(f"{file} has no code")
        found.append(Rule(code[1], name.replace("_", "-"), file))
    return found


@dataclass(frozen=True)
class Copy:
    """A copy of the sources, where rules may be broken."""

    folder: Path

    def refresh(self) -> None:
        """Make it like the original; what is the same is left alone, so that cargo builds less."""
        names = {file.relative_to(ROOT) for name in TESTED for file in files(ROOT / name)}
        for file in list(files(self.folder)):
            if file.relative_to(self.folder) not in names:
                file.unlink()
        for name in sorted(names):
            self.write(name, (ROOT / name).read_bytes())

    def write(self, name: Path, content: bytes) -> None:
        """Write a file, unless it says this already."""
        file = self.folder / name
        if not file.exists() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def noticed(self) -> list[str]:
        """The codes of the pages that fail, once for each history; [] if all is well."""
        built = self.cargo("--no-run")
        if built.returncode:
            raise NotMutated(built.stderr)
        run = self.cargo("--", "every_history_gives_its_report")
        said = run.stdout + run.stderr
        if bool(run.returncode) is not ("test result: FAILED. 0 passed; 1 failed" in said):
            raise NotMutated(said)
        found = NOTICED.findall(said)
        if run.returncode and not found:  # it panicked, which no page names
            raise NotMutated(said)
        return found

    def cargo(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `cargo test` on the pages."""
        command = ["cargo", "test", "--locked", "--quiet", "-p", "toolpair", "--test", "pages"]
        return subprocess.run(
            [*command, *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                "CARGO_TARGET_DIR": str(self.folder.with_suffix(".build")),
                "CARGO_TERM_COLOR": "never",
                "RUSTFLAGS": "-Awarnings",  # what a mutant no longer uses is no fault of it
            },
            capture_output=True,
            text=True,
            check=False,
        )


def files(path: Path) -> Iterator[Path]:
    """A file, or every file of a folder."""
    return iter([path]) if path.is_file() else filter(Path.is_file, path.rglob("*"))


@dataclass(frozen=True)
class Outcome:
    """What the pages said of a mutant."""

    rule: Rule
    noticed: list[str]

    def __str__(self) -> str:
        own = self.noticed.count(self.rule.code)
        others = len(self.noticed) - own
        verdict = "killed" if self.noticed else "SURVIVED"
        return f"{self.rule.code} {self.rule.slug:36} {verdict:8} {own:4} {others:6}"


def outcomes(asked: list[Rule], jobs: int) -> Iterable[Outcome]:
    """Try each mutant, some at a time, and each worker in a copy of its own."""
    copies: SimpleQueue[Copy] = SimpleQueue()
    for number in range(jobs):
        copy = Copy(ROOT / "target" / "mutants" / str(number))
        copy.refresh()
        if copy.noticed():
            raise NotMutated("the pages fail as they are: run cargo test first")
        copies.put(copy)

    def outcome(rule: Rule) -> Outcome:
        copy = copies.get()
        try:
            copy.write(rule.file, rule.without_its_body().encode())
            return Outcome(rule, copy.noticed())
        finally:
            copy.write(rule.file, (ROOT / rule.file).read_bytes())
            copies.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(outcome, asked)


def main() -> int:
    """Try the rules that were asked for, or all, and print what became of each."""
    parser = argparse.ArgumentParser(description="Take rules away, and see whether a test notices.")
    parser.add_argument("slugs", nargs="*", metavar="slug", help="only these rules")
    parser.add_argument("--jobs", type=int, default=2, help="how many builds at a time")
    parser.add_argument("--fresh", action="store_true", help="build all anew")
    options = parser.parse_args()
    known = {rule.slug: rule for rule in rules()}
    unknown = set(options.slugs) - set(known)
    if unknown:
        parser.error(f"no rule of the registry: {' '.join(sorted(unknown))}")
    if options.fresh:
        shutil.rmtree(ROOT / "target" / "mutants", ignore_errors=True)
    asked = [known[slug] for slug in options.slugs] or list(known.values())
    survivors = 0
    print(f"{'histories that noticed, on its page and elsewhere':>64}")
    try:
        for outcome in outcomes(asked, max(1, options.jobs)):
            print(outcome, flush=True)
            survivors += not outcome.noticed
    except NotMutated as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    print(f"{len(asked) - survivors} of {len(asked)} killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
