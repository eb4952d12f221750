"""Tools that run for long: a result that says so, and a tool that tells how it goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toolpair._report import shown_id
from toolpair._results import checked_id, result_block
from toolpair._task_stores import Task, TaskStore, in_words, whole

__all__ = ["StatusTool", "pending_result", "status_tool"]

_MOST_LISTED = 50
_DESCRIPTION = (
    "Tells the state of tasks that were submitted and run in the background: submitted, running, "
    "done or failed, with the result or the error of those that ended. Use it when an earlier "
    "tool result says that a task was submitted and you need to know whether it has ended."
)


class StatusTool(NamedTuple):
    """A tool's definition for the request, and the callable that a harness runs for it."""

    definition: dict[str, Any]
    """A member of the request's `tools`: name, description and input schema."""
    call: Callable[..., str]
    """Takes `task_id` as a keyword or nothing, as the model's input has it; gives a text."""


def pending_result(
    tool_use_id: str,
    text: str | None = None,
    *,
    task_id: str | None = None,
    status_tool: str = "task_status",
    toolset_name: str | None = None,
) -> dict[str, Any]:
    """Make a result for a call whose tool still runs: it was submitted, and as what.

    The call is answered with it right away, so that the conversation goes on. The real result
    comes later, by `status_tool`. Nothing is stored and nothing is called.

    Args:
        tool_use_id: The id of the call that is answered.
        text: What to tell the model. The handle is added where the text lacks it. A blank text
            is none: a default says that the task has not finished, and which tool tells its
            state.
        task_id: The handle of the task; the call's id if there is none.
        status_tool: The name of that tool, for the default text.
        toolset_name: That of the call, if it has one.

    Returns:
        A new `tool_result` block, no error, with a string as its content.

    Raises:
        TypeError: An id or the text is no string.
        ValueError: An id is blank.

    >>> pending_result("toolu_1", "The build has begun.", task_id="build-7")["content"]
    'The build has begun. (task build-7)'

    Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls
    """
    answered = checked_id(tool_use_id, "tool_use_id")
    task = answered if task_id is None else checked_id(task_id, "task_id")
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text must be a str or None, not {type(text).__name__}")
    if text is None or not text.strip():
        text = (
            f"This was submitted as task {task}. It has not finished yet: no result is known. "
            f"Ask the tool {status_tool} about task_id {task} for its state."
        )
    elif not re.search(rf"(?<![\w-]){re.escape(task)}(?![\w-])", text):
        text = f"{text} (task {task})"
    return result_block(answered, text, toolset_name=toolset_name)


def status_tool(store: TaskStore, name: str = "task_status") -> StatusTool:
    """Make the tool by which the model asks for the state of submitted tasks.

    Put `definition` into the request's `tools`, and `call` where your loop finds its callables.
    `call(task_id=...)` tells the state of one task and its whole result. Without an id it lists
    the tasks, a line each, the 50 latest at most. An id that the store does not know is told
    with those that it does. The store is only read; what it raises comes through.

    Raises:
        TypeError: It is no store.
        ValueError: The API takes no tool of this name.

    >>> from toolpair import MemoryTaskStore
    >>> store = MemoryTaskStore()
    >>> store.submit("toolu_1")
    >>> definition, call = status_tool(store)
    >>> definition["name"], call(task_id="toolu_1")
    ('task_status', 'Task toolu_1 was submitted.')

    Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
    """
    given: object = store
    if isinstance(given, type) or not isinstance(given, TaskStore):
        kind = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
        raise TypeError(f"a store has submit, update, get and tasks; {kind} is none")
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name):
        raise ValueError(f"{name!r} is no name of a tool: 1 to 128 letters, digits, _ and -")

    def call(task_id: str | None = None) -> str:
        asked = "" if task_id is None else str(task_id)  # a model may take 7 for a number
        if not asked.strip():
            lines, left_out = _latest(store.tasks(), str)
            return "\n".join(left_out + lines) or "No task was submitted."
        task = store.get(asked)
        if task is not None:
            return in_words(task, task.result or "")
        ids, left_out = _latest(store.tasks(), lambda task: whole(task.id))
        if not ids:
            return f"No task {shown_id(asked)} was submitted, nor any other."
        others = ", ".join(left_out + ids)
        return f"No task {shown_id(asked)} was submitted. These were: {others}"

    about = "The id of one task, as the result of its call gave it. Leave it out to list all."
    schema = {
        "type": "object",
        "properties": {"task_id": {"type": "string", "description": about}},
        "required": [],
    }
    definition = {"name": name, "description": _DESCRIPTION, "input_schema": schema}
    return StatusTool(definition, call)


def _latest(tasks: Sequence[Task], line: Callable[[Task], str]) -> tuple[list[str], list[str]]:
    """The latest tasks, and what is to be said of those before them."""
    more = len(tasks) - _MOST_LISTED
    left_out = [f"({more:,} earlier tasks are not listed)"] if more > 0 else []
    return [line(task) for task in tasks[-_MOST_LISTED:]], left_out
