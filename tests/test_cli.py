"""`python -m toolpair`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from histories import assistant, call, result, says, user

import toolpair
from toolpair.__main__ import main

ASKED = says("user", "q")
FINE = [ASKED, says("assistant", "x")]
LOST = [ASKED, assistant(call("a")), says("user", "\u00fc \U0001f600")]
WAITS = [ASKED, assistant(call("a"))]
NAMELESS = [ASKED, assistant(call("a", name="")), user(result("a"))]
ORPHAN = [ASKED, says("assistant", "x"), user(result("lost"), {"type": "text", "text": "u"})]
REQUEST = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "messages": LOST,
    "metadata": {"user_id": "u"},
    "stream": False,
}


def run(
    *arguments: str, given: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own; no error of it may be a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "toolpair", *arguments],
        input=given,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return done


def as_bytes(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.fixture
def file(tmp_path: Path) -> Any:
    """Writes values as JSON, and bytes as they are."""

    def write(value: object, name: str = "history.json") -> str:
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else as_bytes(value))
        return str(path)

    return write


# --- how it ends ---------------------------------------------------------------------------------

ENDS: dict[str, tuple[list[str], object, int]] = {
    "check, fine": (["check", "-"], FINE, 0),
    "check, fine request": (["check", "-"], {"messages": FINE}, 0),
    "check, faulty": (["check", "-"], LOST, 1),
    "check, faulty request": (["check", "-"], REQUEST, 1),
    "check, waiting": (["check", "-"], WAITS, 1),
    "check, allowed to wait": (["check", "--allow-pending", "-"], WAITS, 0),
    "check, only a warning": (["check", "-"], [ASKED, says("assistant", ""), ASKED], 0),
    "check, ignored": (["check", "--ignore", "TP101", "-"], LOST, 0),
    "check, selected": (["check", "--select", "TP005", "-"], [{**ASKED, "at": 1}], 1),
    "check, an endpoint": (["check", "--endpoint", "strict", "-"], [ASKED, ASKED], 1),
    "check, nothing": (["check", "-"], [], 1),
    "repair, fine": (["repair", "-"], FINE, 0),
    "repair, mended": (["repair", "-"], LOST, 0),
    "repair, mended diff": (["repair", "--diff", "-"], LOST, 0),
    "repair, beyond repair": (["repair", "-"], NAMELESS, 1),
    "repair, beyond repair diff": (["repair", "--diff", "-"], NAMELESS, 1),
    "trim": (["trim", "-"], LOST, 0),
    "trim, a cap": (["trim", "--max-messages", "1", "-"], LOST, 0),
    "trim, a cap too low": (["trim", "--max-messages", "0", "-"], LOST, 2),
    "trim, less than nothing": (["trim", "--keep-recent", "-1", "-"], LOST, 2),
    "explain, a code": (["explain", "TP101"], None, 0),
    "explain, a slug": (["explain", "orphan-tool-result"], None, 0),
    "explain, anything": (["explain", "the", "weather"], None, 1),
    "no rule": (["check", "--ignore", "TP999", "-"], FINE, 2),
    "no list": (["check", "-"], 3, 2),
    "no list to repair": (["repair", "-"], "abc", 2),
    "no list to trim": (["trim", "-"], None, 2),
    "an object without messages": (["check", "-"], {"model": "m"}, 2),
    "an object without messages to repair": (["repair", "-"], {"messages": 3}, 2),
    "no message": (["check", "-"], [ASKED, 3], 2),
    "no message to repair": (["repair", "-"], [ASKED, 3], 2),
    "no message to trim": (["trim", "-"], [ASKED, 3], 2),
    "no JSON": (["check", "-"], b"[{", 2),
    "no JSON to repair": (["repair", "-"], b"[{", 2),
    "no JSON to trim": (["trim", "-"], b"", 2),
    "no text": (["check", "-"], b"\x80\x81", 2),
}


@pytest.mark.parametrize(("arguments", "given", "code"), ENDS.values(), ids=ENDS)
def test_it_ends_with_a_code_and_one_line_of_what_cannot_be_read(
    arguments: list[str], given: object, code: int
) -> None:
    done = run(*arguments, given=given if isinstance(given, bytes) else as_bytes(given))
    assert done.returncode == code
    if code == 2:
        assert done.stdout == b""
        assert done.stderr.startswith(b"toolpair: ")
        assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(("arguments", "given", "code"), ENDS.values(), ids=ENDS)
def test_called_from_python_it_returns_the_same_code(
    arguments: list[str],
    given: object,
    code: int,
    file: Any,
    capfd: pytest.CaptureFixture[str],
) -> None:
    name = file(given)
    assert main([name if it == "-" else it for it in arguments]) == code
    out, err = capfd.readouterr()
    assert bool(out) is (code != 2)
    assert err.startswith("toolpair: ") is (code == 2)


USAGE: dict[str, list[str]] = {
    "no command": [],
    "unknown command": ["mend", "-"],
    "no file": ["check"],
    "two files to repair": ["repair", "-", "-"],
    "unknown endpoint": ["check", "--endpoint", "moon", "-"],
    "unknown wish": ["repair", "--on-missing", "guess", "-"],
    "a diff into a file": ["repair", "--diff", "-o", "out.json", "-"],
    "no number": ["trim", "--keep-recent", "few", "-"],
    "no text": ["explain"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_wrong_usage_ends_with_2_and_says_how_to_use_it(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    out, err = capsys.readouterr()
    assert raised.value.code == 2
    assert out == ""
    assert err.startswith("usage: python -m toolpair")


@pytest.mark.parametrize("command", [None, "check", "repair", "trim", "explain"])
def test_help_is_there_for_each_command(
    command: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main([*([] if command is None else [command]), "--help"])
    out, err = capsys.readouterr()
    assert (raised.value.code, err) == (0, "")
    assert out.startswith(f"usage: python -m toolpair {command or '[-h]'}")


@pytest.mark.parametrize("command", ["check", "repair", "trim"])
def test_a_file_that_cannot_be_read_is_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, why in [(tmp_path / "none.json", "No such file"), (tmp_path, "directory")]:
        assert main([command, str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"toolpair: {path}: ")
        assert why in err


# --- check ---------------------------------------------------------------------------------------


def test_a_check_names_each_file_and_says_what_the_report_says(
    file: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fine, lost = file(FINE, "fine.json"), file(LOST, "lost.json")
    assert main(["check", fine, lost]) == 1
    assert capsys.readouterr().out == (
        f"{fine}: {toolpair.check_tool_pairing(FINE)}\n"
        f"{lost}: {toolpair.check_tool_pairing(LOST).to_text()}\n"
        f"python -m toolpair repair --diff -- {lost} tells how it would be mended.\n"
    )
    assert main(["check", lost, fine]) == 1


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_file_that_cannot_be_read_does_not_hide_the_others(
    file: Any, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    fine, lost, odd = file(FINE, "fine"), file(LOST, "lost"), file({"a": 1}, "odd")
    assert main(["check", *options, fine, "none.json", odd, lost]) == 2
    out, err = capsys.readouterr()
    assert out.count(fine) == 1
    assert "tool-use-without-result" in out
    assert err == (
        "toolpair: none.json: No such file or directory\n"
        f"toolpair: {odd}: neither a list of messages nor an object with one\n"
    )


def test_json_lines_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(ASKED)}\n{json.dumps(ASKED)}\n")
    assert main(["check", str(tmp_path / "a.jsonl")]) == 2
    assert capsys.readouterr().err.endswith("; is it JSON Lines? jq -s . makes one list\n")


def test_a_check_of_a_request_uses_all_of_it(file: Any, capsys: pytest.CaptureFixture[str]) -> None:
    prefill = {"model": "claude-opus-5-5", "messages": FINE}
    assert main(["check", file(FINE)]) == 0
    assert main(["check", file(prefill)]) == 1
    assert "assistant-prefill" in capsys.readouterr().out


def test_a_check_as_json_is_a_report_a_line(file: Any, capsys: pytest.CaptureFixture[str]) -> None:
    files = [file(LOST, "1"), file(REQUEST, "2"), file(FINE, "3")]
    assert main(["check", "--json", *files]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    reports = [
        toolpair.check_tool_pairing(LOST),
        toolpair.check_request(REQUEST),
        toolpair.check_tool_pairing(FINE),
    ]
    assert lines == [
        {"file": name, **json.loads(report.to_json())}
        for name, report in zip(files, reports, strict=True)
    ]


# --- repair --------------------------------------------------------------------------------------


def test_a_repair_prints_the_mended_list_and_says_elsewhere_what_it_did() -> None:
    done = run("repair", "-", given=as_bytes(LOST))
    plan = toolpair.plan_repair(LOST)
    assert json.loads(done.stdout) == plan.messages
    assert done.stderr.decode() == f"{plan}\n"


def test_a_repair_of_a_request_keeps_the_rest_of_it_in_its_order() -> None:
    done = run("repair", "-", given=as_bytes(REQUEST))
    mended = json.loads(done.stdout)
    context = {name: value for name, value in REQUEST.items() if name != "messages"}
    assert mended == {**REQUEST, "messages": toolpair.plan_repair(LOST, context=context).messages}
    assert list(mended) == list(REQUEST)
    assert toolpair.check_request(done.stdout).ok


def test_a_repair_uses_the_context_of_the_request() -> None:
    system = [ASKED, says("system", "Be brief."), says("assistant", "x"), ASKED]
    kept = json.loads(run("repair", "-", given=as_bytes(system)).stdout)
    assert kept == system
    request = {"model": "claude-sonnet-4-5", "messages": system}
    mended = json.loads(run("repair", "-", given=as_bytes(request)).stdout)
    assert [message["role"] for message in mended["messages"]] == [
        "user",
        "user",
        "assistant",
        "user",
    ]


def test_what_is_fine_is_printed_as_it_is() -> None:
    done = run("repair", "-", given=as_bytes({"messages": FINE, "model": None}))
    assert json.loads(done.stdout) == {"messages": FINE, "model": None}
    assert done.stderr == b"0 edits (endpoint anthropic)\n"


def test_a_repair_may_write_to_a_file_even_the_one_that_it_read(
    file: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, other = file(LOST), tmp_path / "out.json"
    assert main(["repair", name, "-o", str(other)]) == 0
    assert json.loads(other.read_bytes()) == toolpair.repair_tool_pairing(LOST)
    assert json.loads(Path(name).read_bytes()) == LOST
    assert main(["repair", name, "--output", name]) == 0
    assert Path(name).read_bytes() == other.read_bytes()
    assert capsys.readouterr().out == ""
    assert main(["repair", name]) == 0
    assert json.loads(capsys.readouterr().out) == toolpair.repair_tool_pairing(LOST)


def test_a_file_that_cannot_be_written_is_named(
    file: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "none" / "out.json")
    assert main(["repair", file(LOST), "-o", target]) == 2
    assert main(["trim", file(LOST), "-o", target]) == 2
    assert capsys.readouterr().err.count(f"toolpair: {target}: No such file") == 2


def test_a_diff_shows_the_plan_and_writes_nothing(
    file: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    name = file(LOST)
    assert main(["repair", "--diff", name]) == 0
    plan = toolpair.plan_repair(LOST)
    assert capsys.readouterr().out == f"{plan}\n{plan.diff()}\n"
    assert json.loads(Path(name).read_bytes()) == LOST
    assert main(["repair", "--diff", file(FINE)]) == 0
    assert capsys.readouterr().out == "0 edits (endpoint anthropic)\n"


@pytest.mark.parametrize(
    ("arguments", "messages", "options"),
    [
        (["--on-missing", "drop"], LOST, {"on_missing": "drop"}),
        (["--orphans", "text"], ORPHAN, {"orphans": "text"}),
        (["--allow-pending"], WAITS, {"allow_pending": True}),
        (["--endpoint", "strict"], [ASKED, *LOST], {"endpoint": "strict"}),
        (["--ignore", "TP103"], ORPHAN, {"ignore": ["TP103"]}),
        (["--select", "unknown-member"], [{**ASKED, "at": 1}], {"select": ["TP005"]}),
        (
            ["--thinking", "strip"],
            [
                *LOST,
                assistant(
                    {"type": "thinking", "thinking": "hm", "signature": "SIG"},
                    {"type": "text", "text": "x"},
                ),
                ASKED,
            ],
            {"thinking": "strip"},
        ),
    ],
)
def test_each_option_of_a_repair_does_what_its_keyword_does(
    arguments: list[str],
    messages: list[Any],
    options: dict[str, Any],
    file: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["repair", *arguments, file(messages)])
    printed = json.loads(capsys.readouterr().out)
    assert printed == toolpair.repair_tool_pairing(messages, **options)
    assert printed != toolpair.repair_tool_pairing(messages)


# --- trim ----------------------------------------------------------------------------------------

LONG = [it for n in range(9) for it in (says("user", f"q{n}"), says("assistant", f"a{n}"))]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--keep-recent", "4"], {"keep_recent": 4}),
        (["--max-messages", "6"], {"max_messages": 6}),
        (["--keep-recent", "2", "--keep-task"], {"keep_recent": 2, "keep_task": True}),
    ],
)
def test_a_trim_prints_what_is_kept(
    arguments: list[str],
    options: dict[str, Any],
    file: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = toolpair.plan_trim(LONG, **options)
    assert main(["trim", *arguments, file(LONG)]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == plan.messages
    assert err == f"{plan}\n"
    assert main(["trim", *arguments, "--diff", file(LONG)]) == 0
    assert capsys.readouterr().out == f"{plan}\n"


def test_a_trim_of_a_request_keeps_the_rest_of_it(
    file: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"model": "m", "messages": LONG, "max_tokens": 5}
    target = tmp_path / "out.json"
    assert main(["trim", "--keep-recent", "2", file(request), "-o", str(target)]) == 0
    assert json.loads(target.read_bytes()) == {**request, "messages": LONG[-2:]}
    assert capsys.readouterr().out == ""


def test_a_trim_of_a_request_knows_its_model(file: Any, capsys: pytest.CaptureFixture[str]) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "SIG"}
    steps = [ASKED, assistant(thought, {"type": "text", "text": "x"})] * 3
    for model, says_so in (
        ("claude-sonnet-5-5", "the model refuses them"),
        ("claude-sonnet-4-5", None),
        ("my-own", "newer models may refuse them"),
    ):
        name = file({"model": model, "messages": steps})
        assert main(["trim", name, "--keep-recent", "2", "--diff"]) == 0
        out = capsys.readouterr().out
        assert ("thinking blocks stand after the change" in out) is (says_so is not None)
        assert says_so is None or says_so in out


# --- explain -------------------------------------------------------------------------------------

REFUSED = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1"


def test_explain_takes_words_or_the_standard_input() -> None:
    expected = f"{toolpair.explain(REFUSED)}\n".encode()
    assert run("explain", REFUSED).stdout == expected
    assert run("explain", *REFUSED.split(" ")).stdout == expected
    assert run("explain", "-", given=f"{REFUSED}\n".encode()).stdout == expected
    assert b"TP101" in expected


def test_explain_takes_an_input_that_is_no_text() -> None:
    done = run("explain", "-", given=b"\xff\xfe " + REFUSED.encode(), PYTHONUTF8="1")
    assert done.returncode in (0, 2)


# --- whatever a file holds -----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "repair", "trim"])
@pytest.mark.parametrize("value", [LOST, REQUEST], ids=["list", "request"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_each_command_reads_what_the_others_read(
    command: str, value: object, encoding: str, file: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Editors and shells of Windows write a mark first, or another encoding."""
    name = file(json.dumps(value).encode(encoding))
    assert main([command, name]) == (1 if command == "check" else 0)
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "repair", "trim"])
@pytest.mark.parametrize(
    "deep",
    [
        pytest.param(b"[" * 200_000, id="open"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="lists"),
        pytest.param(b'{"messages":' * 50_000 + b"1" + b"}" * 50_000, id="objects"),
        pytest.param(
            b'[{"role":"user","content":' + b"[" * 50_000 + b"]" * 50_000 + b"}]", id="content"
        ),
    ],
)
def test_deep_nesting_is_told_and_not_a_crash(command: str, deep: bytes) -> None:
    done = run(command, "-", given=deep)
    assert done.returncode == 2
    assert done.stderr.startswith(b"toolpair: -: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("command", [["check"], ["repair"], ["repair", "--diff"], ["trim"]])
@pytest.mark.parametrize("depth", [100, 400, 900, 990, 5_000])
def test_nesting_that_can_be_read_can_be_mended_and_written(command: list[str], depth: int) -> None:
    given = as_bytes([ASKED, assistant(call("a", input={"x": "NESTED"}))])
    given = given.replace(b'"NESTED"', b"[" * depth + b"]" * depth)
    done = run(*command, "-", given=given)
    if done.returncode == 2:  # too deep for this interpreter: it says so
        assert depth >= 990
        assert done.stderr.startswith(b"toolpair: ")
    elif command in (["repair"], ["trim"]):
        assert done.returncode == 0
        assert done.stdout.count(b"[") >= depth


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_output_does_not_depend_on_the_encoding_of_the_terminal(encoding: str) -> None:
    done = run("repair", "-", given=as_bytes(LOST), PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert json.loads(done.stdout.decode("utf-8")) == toolpair.repair_tool_pairing(LOST)
    for command in (["check"], ["repair", "--diff"], ["trim", "--diff"]):
        done = run(*command, "-", given=as_bytes(LOST), PYTHONIOENCODING=encoding)
        assert done.returncode == (1 if command == ["check"] else 0)
        assert done.stdout.isascii()


def test_a_name_that_the_terminal_cannot_show_is_no_error(file: Any) -> None:
    name = file(LOST, "h\u00fc.json")
    done = run("check", name, PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert b"TP101" in done.stdout


def test_lone_surrogates_are_mended_and_written_so_that_they_can_be_read() -> None:
    odd = [ASKED, assistant(call("a\ud800", input={"x": "\ud800"})), user(result("a\ud800"))]
    for command in (["check"], ["repair"], ["repair", "--diff"], ["trim"]):
        done = run(*command, "-", given=as_bytes(odd), PYTHONIOENCODING="ascii")
        assert done.returncode == (1 if command == ["check"] else 0)
        if command == ["repair"]:
            assert json.loads(done.stdout) == toolpair.repair_tool_pairing(odd)


def test_numbers_that_python_has_no_name_for_do_not_break_the_json() -> None:
    """`1e999` is JSON, and `Infinity` is not."""
    given = b'[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": '
    given += b'"tool_use", "id": "a", "name": "f", "input": {"x": 1e999}}]}]'
    done = run("repair", "-", given=given)
    if done.returncode != 2:
        json.loads(done.stdout, parse_constant=pytest.fail)


def test_several_codes_are_explained_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "TP101", "orphan-tool-result", "tp102"]) == 0
    out = capsys.readouterr().out
    assert [line[:5] for line in out.splitlines() if line.startswith("TP")] == [
        "TP101",
        "TP103",
        "TP102",
    ]
    assert main(["explain", "see", "TP101", "there"]) == 0
    assert capsys.readouterr().out.count("\n  why: ") == 1


# --- pipes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["check"], ["repair"], ["repair", "--diff"], ["trim"]])
@pytest.mark.parametrize("size", [1, 1_000_000], ids=["short", "long"])
def test_nobody_who_listens_is_no_error(command: list[str], size: int) -> None:
    """As `| head` does: the reader is gone before all is written."""
    given = [ASKED, assistant({"type": "text", "text": "x" * size}, call("a")), says("user", "")]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "toolpair", *command, "-"],
            input=as_bytes(given),
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writer)
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
    assert done.returncode in (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
@pytest.mark.parametrize("command", ["check -", "repair -", "trim -", "explain -"])
def test_a_closed_stream_is_told_and_not_a_crash(command: str, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m toolpair {command} {closed}', sys.executable],
        input=as_bytes(LOST),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("command", [["check"], ["repair"], ["repair", "--diff"], ["trim"]])
def test_a_full_disk_is_told_and_not_a_crash(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "toolpair", *command, "-"],
            input=as_bytes(LOST),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    assert done.returncode == 2


def test_rules_are_named_one_by_one_or_together(
    file: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    name = file(ORPHAN)
    for options in (["--ignore", "TP103,TP101"], ["--ignore", "TP101", "--ignore", "TP103"]):
        assert main(["check", *options, name]) == 0
    assert main(["check", "--ignore", "TP103,TP9", name]) == 2
    assert "'TP9'" in capsys.readouterr().err


def test_what_comes_next_can_be_pasted_into_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.json", "-x.json", "it's.json"):
        Path(name).write_bytes(as_bytes(LOST))
        assert main(["check", "--", name]) == 1
        command = (
            capsys.readouterr().out.splitlines()[-1].removesuffix(" tells how it would be mended.")
        )
        python, module, toolpair_, *arguments = shlex.split(command)
        assert (python, module, toolpair_) == ("python", "-m", "toolpair")
        assert main(arguments) == 0
        assert "1 edit" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_name_cannot_move_the_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a\x1b[31m\nb").write_bytes(as_bytes(LOST))
    assert main(["check", "a\x1b[31m\nb", "no\rne"]) == 2
    out, err = capsys.readouterr()
    assert "\x1b" not in out
    assert out.startswith("a\\x1b[31m\\nb: 1 error")
    assert err == "toolpair: no\\rne: No such file or directory\n"


def test_a_dash_is_the_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lost").write_bytes(as_bytes(LOST))
    assert main(["repair", "lost", "-o", "-"]) == 0
    assert json.loads(capfdbinary.readouterr().out) == toolpair.repair_tool_pairing(LOST)
    assert [path.name for path in tmp_path.iterdir()] == ["lost"]
