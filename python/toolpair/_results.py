"""Result blocks: their form, and whether the rule book takes what they hold."""

from __future__ import annotations

from typing import Any

from toolpair import _core
from toolpair._report import report_of

__all__ = ["HELD", "checked_id", "faults_of", "result_block"]

HELD = {
    "text": ("text",),
    "image": ("source", "data"),
    "document": ("source",),
    "search_result": ("content",),
    "tool_reference": ("tool_name",),
    "browser_state": ("tabs", "active_tab", "type"),
}
"""What a result may hold: each type with members of which one must be there."""

_CODE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}
_CALLER = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}


def checked_id(given: str, name: str) -> str:
    """An id that can be told to a model and given back by it."""
    if not isinstance(given, str):
        raise TypeError(f"{name} must be a str, not {type(given).__name__}")
    if not given.strip():
        raise ValueError(f"{name} must not be blank")
    return given


def result_block(
    tool_use_id: str,
    content: object,
    *,
    is_error: bool = False,
    toolset_name: str | None = None,
) -> dict[str, Any]:
    """A `tool_result` block; `is_error` and `toolset_name` are in it only if they say something."""
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
    if is_error:
        block["is_error"] = True
    if toolset_name is not None:
        block["toolset_name"] = toolset_name
    return block


def faults_of(
    content: object,
    *,
    is_error: bool = False,
    toolset_name: str | None = None,
    is_programmatic: bool = False,
) -> str:
    """What the API would refuse in a result that holds this, in words; empty if nothing.

    The rules decide: they are asked about a history of one call and this result.
    """
    call: dict[str, Any] = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    if toolset_name is not None:
        call["toolset_name"] = toolset_name
    made = [_CODE, call | {"caller": _CALLER}] if is_programmatic else [call]
    result = result_block("t", content, is_error=is_error, toolset_name=toolset_name)
    history = [{"role": "assistant", "content": made}, {"role": "user", "content": [result]}]
    part = _core.check(history, "anthropic", (), (), allow_pending=False, context=None)
    if part is None:
        return ""
    return "; ".join(fault.text for fault in report_of(part, "anthropic").errors)
