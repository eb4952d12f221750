"""What is known of submitted tasks, and where it is kept."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NoReturn, Protocol, get_args, runtime_checkable

from toolpair._report import shortened, shown_id
from toolpair._results import checked_id
from toolpair._types import TaskState

__all__ = [
    "MemoryTaskStore",
    "Task",
    "TaskStore",
    "checked",
    "in_words",
    "refuse_again",
    "refuse_change",
    "whole",
]

_WIDTH = 80
_PHRASES: dict[str, str] = {
    "submitted": "was submitted",
    "running": "is running",
    "done": "is done",
    "failed": "failed",
}
_OVER = ("done", "failed")


@dataclass(frozen=True, slots=True)
class Task:
    """A submitted task: its id, its state, and the text of its result or of its error.

    As a string it is one line for a model to read; a long result is cut there, never in `result`.

    >>> print(Task("toolu_1", "failed", "no space left"))
    Task toolu_1 failed: no space left
    """

    id: str
    state: TaskState
    result: str | None = None

    def __str__(self) -> str:
        said = " ".join((self.result or "").split())
        return in_words(self, shortened(said, _WIDTH))


@runtime_checkable
class TaskStore(Protocol):
    """Where the state of tasks is kept. Any object with these four methods is one.

    `MemoryTaskStore` and `SQLiteTaskStore` are ready-made. Threads may share a store.

    >>> isinstance(MemoryTaskStore(), TaskStore)
    True
    """

    def submit(self, task_id: str) -> None:
        """Note a new task. An id that was submitted before is a `ValueError`."""

    def update(self, task_id: str, state: TaskState, result: str | None = None) -> None:
        """Set state and result of a task.

        An unknown id is a `KeyError`. A task that is done or failed does not change any more: a
        `ValueError`.
        """

    def get(self, task_id: str) -> Task | None:
        """The task of this id; None if there is none."""

    def tasks(self) -> list[Task]:
        """All tasks in the order of submission, in a new list."""


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
        task = Task(checked_id(task_id, "task_id"), "submitted")
        with self._lock:
            if self._tasks.setdefault(task_id, task) is not task:
                refuse_again(task_id)

    def update(self, task_id: str, state: TaskState, result: str | None = None) -> None:
        """Set state and result of a task; a result that is not given is none.

        Raises:
            KeyError: No task of this id was submitted.
            ValueError: The task is done or failed and does not change any more, or the state is
                none of the four.
            TypeError: The id or the result is no string.
        """
        task = checked(task_id, state, result)
        with self._lock:
            known = self._tasks.get(task_id)
            if known is None or known.state in _OVER:
                refuse_change(task_id, known)
            self._tasks[task_id] = task

    def get(self, task_id: str) -> Task | None:
        """The task of this id; None if there is none."""
        with self._lock:
            return self._tasks.get(task_id)

    def tasks(self) -> list[Task]:
        """All tasks in the order of submission, in a new list."""
        with self._lock:
            return list(self._tasks.values())


def whole(task_id: str) -> str:
    """An id as one printable word, never cut short: the model must be able to give it back."""
    return task_id if task_id.isprintable() and " " not in task_id else repr(task_id)


def in_words(task: Task, said: str) -> str:
    """A task as a sentence, with what its result says."""
    head = f"Task {whole(task.id)} {_PHRASES.get(task.state, task.state)}"
    return f"{head}: {said}" if said else f"{head}."


def checked(task_id: str, state: TaskState, result: str | None) -> Task:
    """A task in a new state, if all of it is what it should be."""
    if state not in get_args(TaskState):
        raise ValueError(f"{state!r} is no state of a task: {', '.join(get_args(TaskState))}")
    if result is not None and not isinstance(result, str):
        raise TypeError(f"result must be a str or None, not {type(result).__name__}")
    return Task(checked_id(task_id, "task_id"), state, result)


def refuse_again(task_id: str) -> NoReturn:
    """Say that an id is taken."""
    raise ValueError(f"task {shown_id(task_id)} was submitted before")


def refuse_change(task_id: str, known: Task | None) -> NoReturn:
    """Say why a task does not change: it is not known, or it is over."""
    if known is None:
        raise KeyError(f"no task {shown_id(task_id)} was submitted")
    raise ValueError(f"task {shown_id(task_id)} is {known.state} and does not change any more")
