"""Result blocks: their form, and whether the rule book takes what they hold."""

from __future__ import annotations

from typing import Any

from toolpair import _core
from toolpair._report import report_of

__all__ = ["faults_of", "result_block"]

_CODE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}
_CALLER = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}


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
