"""Long-running tools: a result that says "submitted", and a tool that tells how it goes."""

from __future__ import annotations

import copy
import gc
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pytest

import toolpair
from toolpair import (
    MemoryTaskStore,
    SQLiteTaskStore,
    StatusTool,
    Task,
    TaskStore,
    check_tool_pairing,
    pending_result,
    status_tool,
)

CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "build", "input": {}}
SURROGATE = "a\ud800b"


def answered(result: dict[str, Any], call: dict[str, Any] = CALL) -> toolpair.Report:
    """What is said of a history in which this result answers the call."""
    return check_tool_pairing(
        [
            {"role": "user", "content": "Build it."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    )


# --- the placeholder -----------------------------------------------------------------------------


def test_a_pending_result_says_that_it_was_submitted_and_where_to_ask() -> None:
    result = pending_result("toolu_1")
    assert result.keys() == {"type", "tool_use_id", "content"}
    assert result["type"] == "tool_result"
    assert result["tool_use_id"] == "toolu_1"
    for part in ("submitted", "toolu_1", "not finished", "task_status"):
        assert part in result["content"]
    assert not answered(result).violations


def test_a_task_may_have_a_handle_of_its_own() -> None:
    result = pending_result("toolu_1", task_id="job-7")
    assert "job-7" in result["content"]
    assert "toolu_1" not in result["content"]
    assert result["tool_use_id"] == "toolu_1"


def test_a_result_of_a_toolset_carries_its_name() -> None:
    result = pending_result("toolu_1", toolset_name="computer")
    assert result["toolset_name"] == "computer"
    assert not answered(result, {**CALL, "toolset_name": "computer"}).violations


@pytest.mark.parametrize("text", ["It is task 7, wait.", "7", "ask for '7'"])
def test_a_text_that_has_the_handle_stays_as_it_is(text: str) -> None:
    assert pending_result("toolu_1", text, task_id="7")["content"] == text


@pytest.mark.parametrize("text", ["Wait a minute.", "It takes 17 minutes.", "a-7", "7_b"])
def test_a_text_without_the_handle_gets_it(text: str) -> None:
    content = pending_result("toolu_1", text, task_id="7")["content"]
    assert content.startswith(text)
    assert content.endswith("(task 7)")


@pytest.mark.parametrize("text", ["", " \n", None])
def test_a_blank_text_is_none(text: str | None) -> None:
    assert pending_result("toolu_1", text) == pending_result("toolu_1")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: pending_result(""), ValueError),
        (lambda: pending_result("toolu_1", task_id=" "), ValueError),
        (lambda: pending_result(None), TypeError),  # type: ignore[arg-type]
        (lambda: pending_result("toolu_1", 7), TypeError),  # type: ignore[arg-type]
        (lambda: pending_result("toolu_1", task_id=7), TypeError),  # type: ignore[arg-type]
    ],
    ids=["blank call", "blank task", "no call", "text", "task"],
)
def test_what_is_no_id_or_no_text_is_refused(
    wrong: Callable[[], object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        wrong()


# --- the stores: one meaning, two ways to keep it ------------------------------------------------


@pytest.fixture(params=["memory", "sqlite", "sqlite in memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TaskStore]:
    if request.param == "memory":
        yield MemoryTaskStore()
        return
    path = tmp_path / "tasks.db" if request.param == "sqlite" else ":memory:"
    with SQLiteTaskStore(path) as opened:
        yield opened


def test_a_task_goes_from_submitted_to_done(store: TaskStore) -> None:
    store.submit("a")
    assert store.get("a") == Task("a", "submitted", None)
    store.update("a", "running")
    assert store.get("a") == Task("a", "running", None)
    store.update("a", "done", "42")
    assert store.get("a") == Task("a", "done", "42")


def test_tasks_come_in_the_order_of_submission(store: TaskStore) -> None:
    assert store.tasks() == []
    for id in ("c", "a", "b"):
        store.submit(id)
    store.update("a", "failed", "no space")
    expected = [Task("c", "submitted"), Task("a", "failed", "no space"), Task("b", "submitted")]
    assert store.tasks() == expected


def test_what_tasks_gives_is_the_callers(store: TaskStore) -> None:
    store.submit("a")
    store.tasks().clear()
    assert [task.id for task in store.tasks()] == ["a"]


def test_an_unknown_task_is_none_to_get_and_an_error_to_update(store: TaskStore) -> None:
    assert store.get("a") is None
    with pytest.raises(KeyError, match="no task 'a b' was submitted"):
        store.update("a b", "running")
    assert store.tasks() == []


def test_an_id_is_submitted_once(store: TaskStore) -> None:
    store.submit("a")
    store.update("a", "running", "half")
    with pytest.raises(ValueError, match="task a was submitted before"):
        store.submit("a")
    assert store.tasks() == [Task("a", "running", "half")]


@pytest.mark.parametrize("end", ["done", "failed"])
@pytest.mark.parametrize("other", ["submitted", "running", "done", "failed"])
def test_what_is_over_does_not_change(
    store: TaskStore, end: Literal["done", "failed"], other: Literal["running", "done"]
) -> None:
    store.submit("a")
    store.update("a", end, "first")
    with pytest.raises(ValueError, match=f"task a is {end}"):
        store.update("a", other, "second")
    assert store.get("a") == Task("a", end, "first")


@pytest.mark.parametrize("text", ["", "two\nlines", "nul\0byte", "ü 你 🙂", SURROGATE, "'; --"])
def test_any_text_comes_back_as_it_was(store: TaskStore, text: str) -> None:
    id = f"id {text}"
    store.submit(id)
    store.submit(f"{id}.")
    store.update(id, "done", text)
    assert store.get(id) == Task(id, "done", text)
    assert [task.id for task in store.tasks()] == [id, f"{id}."]


@pytest.mark.parametrize("id", ["", " ", 7, None, b"a"])
def test_an_id_is_a_text(store: TaskStore, id: Any) -> None:
    with pytest.raises(ValueError if isinstance(id, str) else TypeError):
        store.submit(id)
    assert store.tasks() == []


def test_a_state_and_a_result_are_what_they_should_be(store: TaskStore) -> None:
    store.submit("a")
    with pytest.raises(ValueError, match="'finished' is no state of a task"):
        store.update("a", "finished")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="result must be a str or None, not int"):
        store.update("a", "done", 42)  # type: ignore[arg-type]
    assert store.get("a") == Task("a", "submitted")


def test_both_stores_are_stores(store: TaskStore) -> None:
    assert isinstance(store, TaskStore)
    assert not isinstance({}, TaskStore)


def test_eight_threads_submit_and_finish(store: TaskStore) -> None:
    gate = threading.Barrier(8)
    refused: list[str] = []

    def work(number: int) -> None:
        gate.wait()
        for turn in range(10):
            own, shared = f"{number}-{turn}", f"shared-{turn}"
            store.submit(own)
            try:
                store.submit(shared)
            except ValueError:
                refused.append(shared)
            store.update(own, "running")
            store.update(own, "done", own)
            assert store.get(own) == Task(own, "done", own)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    tasks = store.tasks()
    assert len({task.id for task in tasks}) == len(tasks) == 8 * 10 + 10
    assert len(refused) == 7 * 10
    assert all(task == Task(task.id, "done", task.id) for task in tasks if task.id[0] != "s")


def test_of_eight_threads_that_finish_one_task_one_does(store: TaskStore) -> None:
    store.submit("a")
    gate = threading.Barrier(8)

    def finish(number: int) -> str | None:
        gate.wait()
        try:
            store.update("a", "done", str(number))
        except ValueError:
            return None
        return str(number)

    with ThreadPoolExecutor(8) as pool:
        winners = [number for number in pool.map(finish, range(8)) if number is not None]
    assert len(winners) == 1
    assert store.get("a") == Task("a", "done", winners[0])


# --- the file ------------------------------------------------------------------------------------


def child(program: str, path: Path) -> subprocess.Popen[str]:
    """A process that runs a program with `store` open on this path."""
    start = "import sys; from toolpair import SQLiteTaskStore; store = SQLiteTaskStore(sys.argv[1])"
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", f"{start}\n{program}", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_file_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    with SQLiteTaskStore(path) as first:
        first.submit("b")
        first.submit("a")
        first.update("a", "done", "42")
    with SQLiteTaskStore(str(path)) as second:
        assert second.tasks() == [Task("b", "submitted"), Task("a", "done", "42")]
        with pytest.raises(ValueError, match="submitted before"):
            second.submit("b")


def test_two_stores_on_one_file_see_each_other(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    with SQLiteTaskStore(path) as one, SQLiteTaskStore(path) as other:
        one.submit("a")
        other.update("a", "done", "42")
        assert one.get("a") == Task("a", "done", "42")


def test_two_processes_share_one_file(tmp_path: Path) -> None:
    program = (
        "sys.stdin.readline()\n"
        "for number in range(60):\n"
        "    store.submit(f'{name}{number}')\n"
        "    store.update(f'{name}{number}', 'done', name)\n"
    )
    path = tmp_path / "tasks.db"
    workers = [child(f"name = {name!r}\n{program}", path) for name in "xy"]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        worker.communicate(timeout=60)
        assert worker.returncode == 0
    with SQLiteTaskStore(path) as store:
        tasks = store.tasks()
    for name in "xy":
        expected = [Task(f"{name}{number}", "done", name) for number in range(60)]
        assert [task for task in tasks if task.id[0] == name] == expected


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_what_was_told_before_a_kill_is_kept(tmp_path: Path) -> None:
    program = (
        "import itertools\n"
        "for number in itertools.count():\n"
        "    store.submit(str(number))\n"
        "    store.update(str(number), 'done', 'r' * 5000)\n"
        "    print(number, flush=True)\n"
    )
    path = tmp_path / "tasks.db"
    writer = child(program, path)
    assert writer.stdout is not None
    for _ in range(20):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate(timeout=60)
    told = 20 + rest.count("\n")
    with SQLiteTaskStore(path) as store:
        tasks = store.tasks()
        store.submit("after")
    assert len(tasks) in (told, told + 1)
    assert tasks[:told] == [Task(str(number), "done", "r" * 5000) for number in range(told)]


def test_a_process_that_was_forked_must_open_its_own(tmp_path: Path) -> None:
    program = (
        "import os\n"
        "pid = os.fork()\n"
        "try:\n"
        "    store.submit(str(pid))\n"
        "except RuntimeError as error:\n"
        "    print(error, flush=True)\n"
        "if pid == 0:\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
    )
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    path = tmp_path / "tasks.db"
    said, _ = child(program, path).communicate(timeout=60)
    assert said.splitlines() == [
        "another process opened this store: open one of your own on the same path"
    ]
    with SQLiteTaskStore(path) as store:
        assert len(store.tasks()) == 1


def test_a_closed_store_is_closed(tmp_path: Path) -> None:
    store = SQLiteTaskStore(tmp_path / "tasks.db")
    store.close()
    store.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        store.tasks()


def test_a_store_that_nobody_closed_is_closed_when_it_is_gone(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        store = SQLiteTaskStore(tmp_path / "tasks.db")
        store.submit("a")
        connection = vars(store)["_connection"]
        del store
        gc.collect()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    assert caught == []


def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database " * 100, encoding="utf-8")
    with pytest.raises(sqlite3.DatabaseError):
        SQLiteTaskStore(path)
    assert path.read_text(encoding="utf-8") == "no database " * 100


def test_a_store_leaves_other_tables_alone(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as app:
        app.execute("CREATE TABLE tasks (id TEXT)")
        app.execute("INSERT INTO tasks VALUES ('mine')")
    app.close()
    with SQLiteTaskStore(path) as store:
        store.submit("a")
    with sqlite3.connect(path) as app:
        assert app.execute("SELECT id FROM tasks").fetchall() == [("mine",)]
    app.close()


def test_texts_survive_whatever_the_encoding_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as app:
        app.execute("PRAGMA encoding = 'UTF-16'")
        app.execute("CREATE TABLE mine (id TEXT)")
    app.close()
    with SQLiteTaskStore(path) as store:
        for id in ("toolu_1", "ü 你 🙂", SURROGATE):
            store.submit(id)
            store.update(id, "done", id)
        assert store.tasks() == [Task(id, "done", id) for id in ("toolu_1", "ü 你 🙂", SURROGATE)]


# --- the tool ------------------------------------------------------------------------------------


def test_the_definition_is_a_tool_of_the_api(store: TaskStore) -> None:
    tool = status_tool(store)
    assert isinstance(tool, StatusTool)
    assert tool.definition.keys() == {"name", "description", "input_schema"}
    assert tool.definition["name"] == "task_status"
    schema = tool.definition["input_schema"]
    assert schema["type"] == "object"
    assert schema["properties"].keys() == {"task_id"}
    assert schema["properties"]["task_id"]["type"] == "string"
    assert "task_id" not in schema.get("required", [])
    known = get_type_hints(pytest.importorskip("anthropic").types.ToolParam)
    assert tool.definition.keys() <= known.keys()


@pytest.mark.parametrize("name", ["", "task status", "a.b", "ü", "x" * 129, "a\n"])
def test_a_name_that_the_api_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        status_tool(MemoryTaskStore(), name)


def test_a_model_follows_one_task(store: TaskStore) -> None:
    definition, call = status_tool(store, name="jobs")
    tools = {definition["name"]: call}
    store.submit("toolu_1")
    assert tools["jobs"](task_id="toolu_1") == "Task toolu_1 was submitted."
    store.update("toolu_1", "running", "3 of 9")
    assert call("toolu_1") == "Task toolu_1 is running: 3 of 9"
    store.update("toolu_1", "done", "line 1\nline 2" + "." * 500)
    assert call("toolu_1") == "Task toolu_1 is done: line 1\nline 2" + "." * 500


@pytest.mark.parametrize("nothing", [None, "", " "])
def test_without_an_id_all_tasks_are_listed(store: TaskStore, nothing: str | None) -> None:
    call = status_tool(store).call
    assert call(nothing) == "No task was submitted."
    store.submit("a")
    store.submit("b")
    store.update("b", "failed", "no\nspace")
    assert call(nothing).splitlines() == ["Task a was submitted.", "Task b failed: no space"]
    assert call() == call(nothing)


def test_an_unknown_id_is_told_with_those_that_exist(store: TaskStore) -> None:
    call = status_tool(store).call
    assert call("x y") == "No task 'x y' was submitted, nor any other."
    store.submit("a")
    store.submit("b")
    assert call("x") == "No task x was submitted. These were: a, b"


def test_lists_are_bounded_and_say_what_they_leave_out() -> None:
    store = MemoryTaskStore()
    for number in range(1000):
        store.submit(f"t{number}")
    call = status_tool(store).call
    unknown, everything = call("x"), call()
    assert "t999" in unknown
    assert "t1," not in unknown
    assert "950 earlier" in unknown
    lines = everything.splitlines()
    assert len(lines) == 51
    assert "950 earlier" in lines[0]
    assert lines[-1] == "Task t999 was submitted."


def test_an_id_that_a_model_gives_as_a_number_is_found() -> None:
    store = MemoryTaskStore()
    store.submit("7")
    assert status_tool(store).call(7) == "Task 7 was submitted."


def test_a_task_prints_as_one_line() -> None:
    assert str(Task("a", "submitted")) == "Task a was submitted."
    long = str(Task("a b\n", "done", "x\n\n y" + "z" * 5000))
    assert long.startswith("Task 'a b\\n' is done: x yz")
    assert long.endswith("...")
    assert len(long.splitlines()) == 1
    assert len(long) < 200


def test_a_long_id_is_told_whole() -> None:
    store = MemoryTaskStore()
    id = "arn:aws:states:eu-central-1:123456789012:execution:" + "x" * 100
    store.submit(id)
    call = status_tool(store).call
    for text in (call(), call(id), call("unknown"), pending_result(id)["content"]):
        assert id in text


def test_a_task_does_not_change() -> None:
    task = Task("a", "submitted")
    with pytest.raises(AttributeError):
        task.state = "done"  # type: ignore[misc]
    assert not hasattr(task, "__dict__")


def test_a_store_of_ones_own_serves_as_well() -> None:
    class Rows:
        """A store that only reads."""

        def submit(self, task_id: str) -> None:
            raise NotImplementedError

        def update(self, task_id: str, state: str, result: str | None = None) -> None:
            raise NotImplementedError

        def get(self, task_id: str) -> Task | None:
            return Task(task_id, "done", "yes")

        def tasks(self) -> list[Task]:
            return []

    assert status_tool(Rows()).call("a") == "Task a is done: yes"


def test_a_whole_round_is_a_legal_history(store: TaskStore) -> None:
    definition, call = status_tool(store)
    store.submit("toolu_1")
    asks = {"type": "tool_use", "id": "toolu_2", "name": definition["name"], "input": {}}
    asks["input"] = {"task_id": "toolu_1"}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Build it."},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [pending_result("toolu_1")]},
        {"role": "assistant", "content": [asks]},
    ]
    store.update("toolu_1", "done", "built")
    before = copy.deepcopy(history)
    text = call(**asks["input"])
    history.append(
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": text}],
        }
    )
    assert check_tool_pairing(history).ok
    assert history[:-1] == before
    assert "built" in text


@pytest.mark.parametrize("store", [MemoryTaskStore, {}, None])
def test_what_is_no_store_is_told_of(store: Any) -> None:
    with pytest.raises(TypeError, match="a store has submit, update, get and tasks; "):
        status_tool(store)


def test_a_pending_result_names_the_tool_that_tells() -> None:
    told = pending_result("toolu_1", status_tool="job_state")["content"]
    assert "Ask the tool job_state about task_id toolu_1" in told
