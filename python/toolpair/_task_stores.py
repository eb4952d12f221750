"""Two ways to keep the state of tasks: in memory, and in a file."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NoReturn, final, get_args

from toolpair._report import shown_id
from toolpair._tasks import Task, handle
from toolpair._types import TaskState

__all__ = ["MemoryTaskStore", "SQLiteTaskStore"]

_OVER = ("done", "failed")
_PATIENCE = 30.0
"""Seconds that a process waits while another one writes."""


class MemoryTaskStore:
    """Tasks of this process, gone with it. Threads may share it.

    >>> store = MemoryTaskStore()
    >>> store.submit("toolu_1")
    >>> store.update("toolu_1", "done", "42")
    >>> store.tasks()
    [Task(id='toolu_1', state='done', result='42')]
    """

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._lock = threading.Lock()

    def submit(self, task_id: str) -> None:
        """Note a new task.

        Raises:
            ValueError: The id was submitted before, or is blank.
            TypeError: It is no string.
        """
        task = Task(handle(task_id), "submitted")
        with self._lock:
            if self._tasks.setdefault(task_id, task) is not task:
                _refuse_again(task_id)

    def update(self, task_id: str, state: TaskState, result: str | None = None) -> None:
        """Set state and result of a task; a result that is not given is none.

        Raises:
            KeyError: No task of this id was submitted.
            ValueError: The task is done or failed and does not change any more, or the state is
                none of the four.
            TypeError: The id or the result is no string.
        """
        task = _checked(task_id, state, result)
        with self._lock:
            known = self._tasks.get(task_id)
            if known is None or known.state in _OVER:
                _refuse_change(task_id, known)
            self._tasks[task_id] = task

    def get(self, task_id: str) -> Task | None:
        """The task of this id; None if there is none."""
        with self._lock:
            return self._tasks.get(task_id)

    def tasks(self) -> list[Task]:
        """All tasks in the order of submission, in a new list."""
        with self._lock:
            return list(self._tasks.values())


@final
class SQLiteTaskStore:
    """Tasks in a SQLite file, which outlive the process, and its end by force.

    Threads may share a store; each process opens its own on the same path, and waits up to 30
    seconds while another one writes. The file may hold other tables: the store's own is
    `toolpair_tasks`. What was not closed is closed when the store is collected.

    Args:
        path: The file, made if there is none; `":memory:"` is gone with the store.

    Raises:
        sqlite3.Error: The file cannot be opened, is no database, or the store was closed.
        RuntimeError: Another process opened this store, and this one was forked from it.

    >>> with SQLiteTaskStore(":memory:") as store:
    ...     store.submit("toolu_1")
    ...     print(store.get("toolu_1"))
    Task toolu_1 was submitted.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import sqlite3  # noqa: PLC0415 - a Python can be built without it, and most need no file

        self._lock = threading.Lock()
        self._process = os.getpid()
        # Without an isolation level each statement is a transaction: written when it returns.
        self._connection = sqlite3.connect(
            path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        self._closed = weakref.finalize(self, self._connection.close)
        self._connection.text_factory = _text
        self._run(
            "CREATE TABLE IF NOT EXISTS toolpair_tasks (place INTEGER PRIMARY KEY,"
            " id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, result TEXT)"
        )

    def submit(self, task_id: str) -> None:
        """Note a new task. Raises what `MemoryTaskStore.submit` does."""
        added, _ = self._run(
            "INSERT OR IGNORE INTO toolpair_tasks (id, state)"
            " VALUES (CAST(? AS TEXT), 'submitted')",
            handle(task_id),
        )
        if not added:
            _refuse_again(task_id)

    def update(self, task_id: str, state: TaskState, result: str | None = None) -> None:
        """Set state and result of a task. Raises what `MemoryTaskStore.update` does."""
        task = _checked(task_id, state, result)
        # One statement that both asks and sets, so that of two that end a task one does.
        changed, _ = self._run(
            "UPDATE toolpair_tasks SET state = CAST(? AS TEXT), result = CAST(? AS TEXT)"
            " WHERE id = CAST(? AS TEXT) AND state NOT IN ('done', 'failed')",
            *(task.state, task.result, task_id),
        )
        if not changed:
            _refuse_change(task_id, self.get(task_id))

    def get(self, task_id: str) -> Task | None:
        """The task of this id; None if there is none."""
        _, rows = self._run(f"{_SELECT} WHERE id = CAST(? AS TEXT)", task_id)
        return Task(*rows[0]) if rows else None

    def tasks(self) -> list[Task]:
        """All tasks in the order of submission, in a new list."""
        _, rows = self._run(f"{_SELECT} ORDER BY place")
        return [Task(*row) for row in rows]

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        with self._lock:
            self._closed()

    def __enter__(self) -> SQLiteTaskStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, statement: str, *texts: str | None) -> tuple[int, Sequence[Any]]:
        """How many rows a statement changed, and those that it gave."""
        if os.getpid() != self._process:  # asked before the lock: a fork may have taken it along
            raise RuntimeError(
                "another process opened this store: open one of your own on the same path"
            )
        values = [None if text is None else text.encode("utf-8", _LONE) for text in texts]
        with self._lock:
            cursor = self._connection.execute(statement, values)
            rows = cursor.fetchall()
            return cursor.rowcount, rows


_SELECT = "SELECT id, state, result FROM toolpair_tasks"
_LONE = "surrogatepass"
"""JSON can hold half a surrogate pair, which SQLite takes only as bytes."""


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", _LONE)


def _checked(task_id: str, state: TaskState, result: str | None) -> Task:
    if state not in get_args(TaskState):
        raise ValueError(f"{state!r} is no state of a task: {', '.join(get_args(TaskState))}")
    if result is not None and not isinstance(result, str):
        raise TypeError(f"result must be a str or None, not {type(result).__name__}")
    return Task(handle(task_id), state, result)


def _refuse_again(task_id: str) -> NoReturn:
    raise ValueError(f"task {shown_id(task_id)} was submitted before")


def _refuse_change(task_id: str, known: Task | None) -> NoReturn:
    if known is None:
        raise KeyError(f"no task {shown_id(task_id)} was submitted")
    raise ValueError(f"task {shown_id(task_id)} is {known.state} and does not change any more")
