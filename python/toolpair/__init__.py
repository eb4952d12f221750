"""toolpair keeps every `tool_use` paired with its `tool_result`.

Call `validate_tool_pairing(messages)` before each request to the Anthropic Messages API, and
`trim_messages_safely(messages, keep_recent=10)` when the history grows. `ToolRound` and
`run_tool_calls` run tools so that no call is left without a result. `toolpair.testing` is for the
tests of a loop.
"""

from toolpair._namespace import namespace_tool_ids
from toolpair._plan import Kept, TrimPlan
from toolpair._repair import Edit, RepairPlan, plan_repair, repair_tool_pairing
from toolpair._report import RULES, Explanation, Place, Report, Rule, ToolUse, Violation
from toolpair._request import check_request, validate_request
from toolpair._rounds.agent import arun_agent, client_model, run_agent
from toolpair._rounds.calls import ToolCall
from toolpair._rounds.resuming import aresume, resume
from toolpair._rounds.run import Run
from toolpair._rounds.running import arun_tool_calls, run_tool_calls
from toolpair._rounds.tool_round import ToolRound
from toolpair._splice import Splice, splice_check
from toolpair._sqlite_store import SQLiteTaskStore
from toolpair._subagents import subagent_result
from toolpair._task_stores import MemoryTaskStore, Task, TaskStore
from toolpair._tasks import StatusTool, pending_result, status_tool
from toolpair._tracker import ToolPairingTracker
from toolpair._types import Endpoint
from toolpair._verbs import (
    check_tool_pairing,
    explain,
    pending_tool_uses,
    plan_trim,
    trim_messages_safely,
    unpaired_tool_use_ids,
    validate_tool_pairing,
)
from toolpair.exceptions import (
    ToolCancelledError,
    ToolPairError,
    ToolPairingError,
    ToolRoundError,
    ToolTimeoutError,
    TrimError,
    UnknownToolError,
)

__all__ = [
    "RULES",
    "Edit",
    "Endpoint",
    "Explanation",
    "Kept",
    "MemoryTaskStore",
    "Place",
    "RepairPlan",
    "Report",
    "Rule",
    "Run",
    "SQLiteTaskStore",
    "Splice",
    "StatusTool",
    "Task",
    "TaskStore",
    "ToolCall",
    "ToolCancelledError",
    "ToolPairError",
    "ToolPairingError",
    "ToolPairingTracker",
    "ToolRound",
    "ToolRoundError",
    "ToolTimeoutError",
    "ToolUse",
    "TrimError",
    "TrimPlan",
    "UnknownToolError",
    "Violation",
    "aresume",
    "arun_agent",
    "arun_tool_calls",
    "check_request",
    "check_tool_pairing",
    "client_model",
    "explain",
    "namespace_tool_ids",
    "pending_result",
    "pending_tool_uses",
    "plan_repair",
    "plan_trim",
    "repair_tool_pairing",
    "resume",
    "run_agent",
    "run_tool_calls",
    "splice_check",
    "status_tool",
    "subagent_result",
    "trim_messages_safely",
    "unpaired_tool_use_ids",
    "validate_request",
    "validate_tool_pairing",
]
