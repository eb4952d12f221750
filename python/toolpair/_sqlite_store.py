"""Tasks in a file."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any, final

from toolpair._results import checked_id
from toolpair._task_stores import Task, checked, refuse_again, refuse_change
from toolpair._types import TaskState

__all__ = ["SQLiteTaskStore"]

_PATIENCE = 30.0
"""Seconds that a process waits while another one writes."""
_SELECT = "SELECT id, state, result FROM toolpair_tasks"


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
        self._run(
            "CREATE TABLE IF NOT EXISTS toolpair_tasks (place INTEGER PRIMARY KEY,"
            " id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, result TEXT)"
        )

    def submit(self, task_id: str) -> None:
        """Note a new task. Raises what `MemoryTaskStore.submit` does."""
        added, _ = self._run(
            "INSERT OR IGNORE INTO toolpair_tasks (id, state) VALUES (?, 'submitted')",
            checked_id(task_id, "task_id"),
        )
        if not added:
            refuse_again(task_id)

    def update(self, task_id: str, state: TaskState, result: str | None = None) -> None:
        """Set state and result of a task. Raises what `MemoryTaskStore.update` does."""
        task = checked(task_id, state, result)
        # One statement that both asks and sets, so that of two that end a task one does.
        changed, _ = self._run(
            "UPDATE toolpair_tasks SET state = ?, result = ?"
            " WHERE id = ? AND state NOT IN ('done', 'failed')",
            *(task.state, task.result, task_id),
        )
        if not changed:
            refuse_change(task_id, self.get(task_id))

    def get(self, task_id: str) -> Task | None:
        """The task of this id; None if there is none."""
        _, rows = self._run(f"{_SELECT} WHERE id = ?", task_id)
        return _task(rows[0]) if rows else None

    def tasks(self) -> list[Task]:
        """All tasks in the order of submission, in a new list."""
        _, rows = self._run(f"{_SELECT} ORDER BY place")
        return [_task(row) for row in rows]

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
        with self._lock:
            cursor = self._connection.execute(statement, tuple(map(_stored, texts)))
            rows = cursor.fetchall()
            return cursor.rowcount, rows


def _stored(text: str | None) -> str | bytes | None:
    """A text as SQLite takes it: with half a surrogate pair, which JSON can hold, as bytes."""
    if text is None or text.isascii():
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return text if raw.decode("utf-8", "ignore") == text else raw


def _task(row: Sequence[Any]) -> Task:
    id_, state, result = row
    return Task(_read(id_), state, None if result is None else _read(result))


def _read(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")
