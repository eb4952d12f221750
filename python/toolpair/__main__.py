"""`python -m toolpair`: check, repair, trim and explain histories in JSON files.

Exit codes: 0, all is well; 1, a history has errors (or a text is not known); 2, a file or an
argument could not be read.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any, cast

from toolpair import _core
from toolpair._files import (
    UnreadableError,
    context_of,
    messages_in,
    printable,
    standard_input,
    write,
)
from toolpair._repair import RepairPlan, plan_repair
from toolpair._report import RULES, Report
from toolpair._request import check_request
from toolpair._types import Endpoint
from toolpair._verbs import check_tool_pairing, explain, plan_trim

FINE, FAULTY, UNREADABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is no reason to stop.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        code = cast("int", options.run(options))
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # Who reads has enough. Nothing more may be written when the process ends. What was not
        # told may be a fault.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAULTY
    except (UnreadableError, TypeError, ValueError) as error:
        print(f"toolpair: {printable(str(error))}", file=sys.stderr)
        return UNREADABLE
    except OSError as error:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(f"toolpair: standard output: {error.strerror or error}", file=sys.stderr)
        return UNREADABLE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m toolpair",
        description="Check and mend histories for the Anthropic Messages API. A file holds a list "
        "of messages or a whole request body, as JSON; - is the standard input.",
        epilog="exit codes: 0 all is well, 1 a history has errors, 2 something cannot be read",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="say what is wrong")
    check.add_argument("files", nargs="+", metavar="FILE")
    _add_rules(check)
    check.add_argument(
        "--json", action="store_true", help="print reports as JSON, one a line, each with its file"
    )
    check.set_defaults(run=_check)

    repair = commands.add_parser("repair", help="print the mended history, or what would change")
    repair.add_argument("file", metavar="FILE")
    _add_rules(repair)
    repair.add_argument(
        "--on-missing",
        choices=["placeholder", "drop"],
        default="placeholder",
        help="what becomes of a call without a result",
    )
    repair.add_argument(
        "--orphans",
        choices=["drop", "text"],
        default="drop",
        help="what becomes of a result without a call",
    )
    repair.add_argument(
        "--thinking",
        choices=["auto", "keep", "strip"],
        default="auto",
        help="what becomes of thinking after the first change",
    )
    _add_output(repair)
    repair.set_defaults(run=_repair)

    trim = commands.add_parser("trim", help="print the newest messages, cut where no pair is split")
    trim.add_argument("file", metavar="FILE")
    trim.add_argument("--keep-recent", type=int, metavar="N", help="keep N messages, or a few more")
    trim.add_argument("--max-messages", type=int, metavar="N", help="keep N messages at most")
    trim.add_argument("--keep-task", action="store_true", help="keep the first user message")
    trim.add_argument("--endpoint", choices=_core.endpoints(), default="anthropic")
    _add_output(trim)
    trim.set_defaults(run=_trim)

    explained = commands.add_parser("explain", help="say what a code or an error text means")
    explained.add_argument("text", nargs="+", metavar="TEXT", help="- reads the standard input")
    explained.set_defaults(run=_explain)
    return parser


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--endpoint", choices=_core.endpoints(), default="anthropic", help="who will receive it"
    )
    parser.add_argument(
        "--ignore",
        action="extend",
        type=_names,
        default=[],
        metavar="RULE[,RULE]",
        help="leave rules out, by code or slug",
    )
    parser.add_argument(
        "--select",
        action="extend",
        type=_names,
        default=[],
        metavar="RULE[,RULE]",
        help="switch rules on that are off by default",
    )
    parser.add_argument(
        "--allow-pending",
        action="store_true",
        help="calls at the very end may wait for their results",
    )


def _names(given: str) -> list[str]:
    return given.split(",")


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--diff", action="store_true", help="print what would change, and why")
    output.add_argument("-o", "--output", metavar="FILE", help="write there; - is standard output")


def _check(options: argparse.Namespace) -> int:
    codes = [_check_file(name, options) for name in options.files]
    return max(codes)


def _check_file(name: str, options: argparse.Namespace) -> int:
    try:
        report = _report(name, options)
    except UnreadableError as error:
        # The other files are checked all the same.
        if sys.stdout is not None:
            sys.stdout.flush()
        print(f"toolpair: {printable(str(error))}", file=sys.stderr)
        return UNREADABLE
    if options.json:
        print(json.dumps({"file": name, **json.loads(report.to_json())}))
    else:
        print(f"{printable(name)}: {report.to_text()}")
        if not report.ok:
            command = shlex.join(["python", "-m", "toolpair", "repair", "--diff", "--", name])
            print(f"{printable(command)} tells how it would be mended.")
    return FINE if report.ok else FAULTY


def _report(name: str, options: argparse.Namespace) -> Report:
    rules: dict[str, Any] = {
        "endpoint": options.endpoint,
        "ignore": options.ignore,
        "select": options.select,
        "allow_pending": options.allow_pending,
    }
    messages, request = messages_in(name)
    try:
        return check_request(request, **rules) if request else check_tool_pairing(messages, **rules)
    except (TypeError, ValueError) as error:
        raise UnreadableError(f"{name}: {error}") from error


def _repair(options: argparse.Namespace) -> int:
    messages, request = messages_in(options.file)
    plan: RepairPlan[Any] = plan_repair(
        messages,
        endpoint=options.endpoint,
        ignore=options.ignore,
        select=options.select,
        allow_pending=options.allow_pending,
        context=context_of(request),
        on_missing=options.on_missing,
        orphans=options.orphans,
        thinking=options.thinking,
    )
    if options.diff:
        print(plan)
        if plan.edits:
            print(plan.diff())
    else:
        write(options.output, plan.messages, request)
        print(plan, file=sys.stderr)
    return FINE if plan.remaining.ok else FAULTY


def _trim(options: argparse.Namespace) -> int:
    messages, request = messages_in(options.file)
    plan = plan_trim(
        messages,
        options.keep_recent,
        max_messages=options.max_messages,
        keep_task=options.keep_task,
        endpoint=cast("Endpoint", options.endpoint),
        context=context_of(request),
    )
    if options.diff:
        print(plan)
    else:
        write(options.output, plan.messages, request)
        print(plan, file=sys.stderr)
    return FINE


def _explain(options: argparse.Namespace) -> int:
    words = [standard_input().decode(errors="replace")] if options.text == ["-"] else options.text
    names = {name.lower() for rule in RULES for name in (rule.code, rule.slug)}
    # Several codes, or a text that the shell took apart.
    texts = words if names.issuperset(map(str.lower, words)) else [" ".join(words)]
    explanations = [explain(text) for text in texts]
    print(*explanations, sep="\n")
    return FINE if all(found.rule is not None for found in explanations) else FAULTY


if __name__ == "__main__":
    raise SystemExit(main())
