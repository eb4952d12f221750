"""A slow, obvious checker and trimmer in plain Python: what the compiled core is judged by.

It reads dicts only, walks the history as often as it likes, and is written from the rules alone.
Where it and the core disagree, one of them is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from reference_content import content_rules
from reference_history import (
    ALTERNATES,
    CODES,
    ERRORS_BY_ENDPOINT,
    FOREIGN,
    KNOWN,
    MEDIA,
    NOT_JOINED,
    ONLY_STRICT,
    SERVER_CALLS,
    THINKING,
    WARNINGS,
    Block,
    Complaint,
    Finding,
    History,
    Message,
    id_of,
    is_result,
    is_server_result,
    is_tool_type,
    raw_blocks,
    side_of,
    wrong_role_slug,
)
from reference_results import is_malformed_result, is_plain_text, result_rules
from reference_thinking import thinking_rules

__all__ = [
    "CODES",
    "Finding",
    "NothingFits",
    "Open",
    "reference_check",
    "reference_pending",
    "reference_trim",
    "reference_unpaired",
]

CLIENT_ID = re.compile("[a-zA-Z0-9_-]+")
SERVER_ID = re.compile("srvtoolu_[a-zA-Z0-9_]+")
SERVER_TOOLS = {
    "web_search",
    "web_fetch",
    "code_execution",
    "bash_code_execution",
    "text_editor_code_execution",
    "tool_search_tool_regex",
    "tool_search_tool_bm25",
    "advisor",
}
LONGEST_NAME = 200


class Open(NamedTuple):
    """A client call at the end of the list that nobody has answered yet."""

    id: str
    message_index: int
    block_index: int | None


@dataclass(eq=False)
class Exchange:
    """An assistant turn (empty for the leading zone) and all that follows before the next one."""

    turn: list[Message]
    zone: list[Message]


class Fault(NamedTuple):
    """A misplaced result; one that equals an earlier one is the same fault."""

    slug: str
    once: int
    intruder: Message | None = None


@dataclass
class Judgement:
    """All that is wrong, all that is pending, and the pairs of messages that belong together."""

    findings: list[Finding] = field(default_factory=list)
    pending: list[Open] = field(default_factory=list)
    bonds: list[tuple[int, int]] = field(default_factory=list)
    orphans: set[tuple[int, int | None]] = field(default_factory=set)


def reference_check(
    messages: History, *, endpoint: str = "anthropic", allow_pending: bool = False
) -> list[Finding]:
    """Every broken rule, in report order."""
    findings = judge(messages, endpoint=endpoint).findings
    return [f for f in findings if not (allow_pending and f.slug == "pending-tool-use")]


def reference_pending(messages: History, *, endpoint: str = "anthropic") -> list[Open]:
    """The calls in flight at the end."""
    return judge(messages, endpoint=endpoint).pending


def reference_unpaired(messages: History) -> list[str]:
    """Ids with a call that no later result claims; distance and role do not matter."""
    called: list[str] = []
    unclaimed: list[str] = []
    for block in (block for message in messages for block in raw_blocks(message)):
        call, result = block.get("id"), block.get("tool_use_id")
        if block.get("type") == "tool_use" and isinstance(call, str):
            called.append(call)
            unclaimed.append(call)
        if block.get("type") == "tool_result" and result in unclaimed:
            unclaimed.remove(str(result))
    return [id for id in dict.fromkeys(called) if id in unclaimed]


class Judge:
    """Walks a history and writes down what it sees."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.joined = endpoint not in NOT_JOINED
        self.out = Judgement()
        self.earlier_calls: dict[str, list[Block]] = {}
        self.answered: dict[Block, Block] = {}
        self.open_calls: list[Block] = []
        self.closed_calls: list[Block] = []
        self.called_by_programs: list[Block] = []

    def report(
        self, slug: str, place: Block | Message | None, id: str | None = None, level: str = ""
    ) -> None:
        """Write a finding down, at the level that the endpoint gives it."""
        level = level or ("warning" if slug in WARNINGS else "error")
        if self.endpoint == "strict" or slug in ERRORS_BY_ENDPOINT[self.endpoint]:
            level = "error"
        elif slug in ONLY_STRICT:
            return
        message = block = None
        if isinstance(place, Block):
            message, block = place.message, place.index
        elif place is not None:
            message = place.index
        self.out.findings.append(Finding(CODES[slug], slug, level, message, block, id))

    def report_all(self, complaints: Iterable[Complaint]) -> None:
        """Write down what a rule complains of."""
        for complaint in complaints:
            self.report(*complaint)

    def reported(self, slug: str) -> set[int]:
        """The messages where a rule was found broken so far."""
        found = [f.message_index for f in self.out.findings if f.slug == slug]
        return {index for index in found if index is not None}

    # --- schema: each message and block on its own ---

    def read(self, index: int, raw: Mapping[str, object]) -> Message:
        """Check one message's shape; keep the blocks that may take part in other rules."""
        content = raw.get("content")
        message = Message(index, raw["role"], side_of(raw), raw)
        if raw["role"] not in ("user", "assistant", "system"):
            self.report("unknown-role", message)
        if isinstance(content, str):
            if content:
                text = {"type": "text", "text": content}
                message.blocks.append(Block(index, None, "text", text))
                message.standing = message.blocks
        elif isinstance(content, (list, tuple)):
            for position, block in enumerate(content):
                self.read_block(message, position, block)
        else:
            self.report("malformed-content", message)
        return message

    def read_block(self, message: Message, position: int, raw: object) -> None:
        """Check one block's shape."""
        type = raw.get("type") if isinstance(raw, Mapping) else None
        if not isinstance(raw, Mapping) or not isinstance(type, str):
            block = Block(message.index, position, "")
            message.standing.append(block)
            self.report("malformed-content", block)
            return
        block = Block(message.index, position, type, raw, id_of(raw))
        wrong = wrong_role_slug(type, message.side)
        if wrong and message.role in ("user", "assistant", "system"):
            self.report(wrong, block, block.id)
            return
        if not wrong:
            message.standing.append(block)
            message.blocks.append(block)
        if type in FOREIGN:
            self.report("malformed-content", block)
        elif type not in KNOWN and not is_result(type):
            self.report("malformed-content", block, level="warning")
        if is_tool_type(type):
            named = isinstance(raw.get("name"), str) and isinstance(raw.get("input"), Mapping)
            misshapen = type == "tool_result" and is_malformed_result(raw)
            if block.id is None or misshapen or not (is_result(type) or named):
                self.report("malformed-tool-block", block, block.id)
            self.read_ids(block, raw)
            self.read_name(block, raw.get("name"))
        if type == "tool_result":
            self.report_all(result_rules(block))

    def read_ids(self, block: Block, raw: Mapping[str, object]) -> None:
        """Check how the ids of a call or a result are spelt."""
        block.toolset = raw.get("toolset_name")
        is_client = block.type in ("tool_use", "tool_result", "mcp_tool_use", "mcp_tool_result")
        if block.id is not None:
            if is_client and not CLIENT_ID.fullmatch(block.id):
                self.report("malformed-tool-use-id", block, block.id)
            if not is_client and not SERVER_ID.fullmatch(block.id):
                self.report("malformed-server-tool-id", block, block.id)
        caller = raw.get("caller")
        if block.type == "tool_use" and isinstance(caller, Mapping):
            tool_id = caller.get("tool_id")
            if isinstance(tool_id, str):
                block.caller = tool_id
                if not SERVER_ID.fullmatch(tool_id):
                    self.report("malformed-server-tool-id", block, block.id)

    def read_name(self, block: Block, name: object) -> None:
        """Check what a call calls."""
        if not isinstance(name, str):
            return
        if block.type == "tool_use" and not 1 <= len(name) <= LONGEST_NAME:
            self.report("malformed-tool-name", block, block.id)
        if block.type == "server_tool_use" and name not in SERVER_TOOLS:
            self.report("unknown-server-tool", block, block.id)

    # --- exchanges: an assistant turn against what follows it ---

    def judge_exchange(self, exchange: Exchange, *, is_last: bool) -> None:
        """Pair the calls of a turn with the results behind it."""
        calls = [b for m in exchange.turn for b in m.blocks if is_call(b)]
        demanded = self.judge_call_ids(calls)
        self.judge_server_blocks(exchange.turn)
        not_first = self.judge_results(exchange, calls)

        unanswered = [call for call in demanded if call not in self.answered]
        may_go_on = is_last and all(is_results_only(m) for m in exchange.zone)
        pending = [c for c in unanswered if may_go_on and self.can_be_answered(c, exchange.turn)]
        for call in unanswered:
            assert call.id is not None
            if call in pending:
                self.report("pending-tool-use", call, call.id)
                self.out.pending.append(Open(call.id, call.message, call.index))
            else:
                self.report("tool-use-without-result", call, call.id)

        twins = [call for call in calls if call not in demanded and call not in self.answered]
        waiting = pending + [
            c for c in twins if may_go_on and self.can_be_answered(c, exchange.turn)
        ]
        self.judge_gaps(exchange.turn, waiting)
        self.judge_open_calls(exchange, calls, not_first=not_first)
        self.closed_calls = []

    def can_be_answered(self, call: Block, turn: list[Message]) -> bool:
        """Whether a result may come: where turns are not joined, for the last message only."""
        return self.joined or call.message == turn[-1].index

    def judge_call_ids(self, calls: list[Block]) -> list[Block]:
        """Report repeated ids; give back the calls that demand a result."""
        demanded: list[Block] = []
        here: set[str] = set()
        for call in calls:
            assert call.id is not None
            earlier = self.earlier_calls.get(call.id, [])
            if call.id in here:
                self.report("duplicate-tool-use-id", call, call.id)
                continue
            if earlier:
                answered = all(before in self.answered for before in earlier)
                level = "warning" if answered else "error"
                self.report("duplicate-tool-use-id", call, call.id, level=level)
            here.add(call.id)
            demanded.append(call)
        for call in demanded:
            self.earlier_calls.setdefault(str(call.id), []).append(call)
        return demanded

    def judge_results(self, exchange: Exchange, calls: list[Block]) -> bool:
        """Give each result to its call and judge where it stands; True if one was not first."""
        server_ids = {call.id for call in self.open_calls}
        server_ids |= {b.id for m in exchange.turn for b in m.blocks if b.type in SERVER_CALLS}
        reported: set[Fault] = set()
        for turn in user_turns(exchange.zone, joined=self.joined):
            blocks = [block for message in turn for block in message.blocks]
            for position, result in enumerate(blocks):
                if result.type != "tool_result" or result.id is None:
                    continue
                call = self.answer(result, calls, server_ids)
                if call is None:
                    continue
                if call.toolset != result.toolset:
                    self.report("toolset-name-mismatch", result, result.id)
                fault = self.misplacement(exchange, call, result, before=blocks[:position])
                if fault is not None and fault not in reported:
                    reported.add(fault)
                    place = fault.intruder or result
                    self.report(fault.slug, place, call.id)
        return any(fault.slug == "tool-result-not-first" for fault in reported)

    def answer(
        self, result: Block, calls: list[Block], server_ids: set[str | None]
    ) -> Block | None:
        """The call that this result answers, or None and a finding."""
        assert result.id is not None
        same_id = [call for call in calls if call.id == result.id]
        if not same_id:
            of_server = result.id.startswith("srvtoolu_") or result.id in server_ids
            slug = "client-result-for-server-tool" if of_server else "orphan-tool-result"
            self.report(slug, result, result.id)
            if not of_server:
                self.out.orphans.add((result.message, result.index))
            answered = [call for call in self.open_calls if call.id == result.id]
            self.out.bonds += [(call.message, result.message) for call in answered]
            return None
        self.out.bonds += [(call.message, result.message) for call in same_id]
        unanswered = [call for call in same_id if call not in self.answered]
        if not unanswered:
            self.report("duplicate-tool-result", result, result.id)
            return None
        self.answered[unanswered[0]] = result
        return unanswered[0]

    def misplacement(
        self, exchange: Exchange, call: Block, result: Block, before: list[Block]
    ) -> Fault | None:
        """What is wrong with the place of a result, given the blocks before it in its turn."""
        if not self.joined:
            later = [m for m in exchange.turn if m.index > call.message]
            if later:
                return Fault("message-between-use-and-result", later[0].index, later[0])
        between = [m for m in exchange.zone if m.index < result.message]
        if not self.joined or any(m.side == "system" for m in between):
            intruders = [
                m for m in between if (not self.joined and not m.blocks) or not is_results_only(m)
            ]
            if self.joined:
                intruders = [m for m in intruders if m not in answering_turn(exchange.zone)]
            if intruders:
                return Fault("message-between-use-and-result", -1, intruders[0])
            if between:
                return Fault("split-tool-results", result.message)
        if any(block.type != "tool_result" for block in before):
            return Fault("tool-result-not-first", -1)
        if any(block.message < result.message for block in before):
            return Fault("split-tool-results", result.message)
        return None

    def judge_gaps(self, turn: list[Message], pending: list[Block]) -> None:
        """Look at what stands between a call and the next call, or the end of the turn."""
        parts = [turn] if self.joined else [[message] for message in turn]
        for part in parts:
            call: Block | None = None
            gap: list[Block] = []
            for block in [b for m in part for b in m.blocks]:
                if is_call(block):
                    self.judge_gap(call, gap, pending)
                    call, gap = block, []
                else:
                    gap.append(block)
            self.judge_gap(call, gap, pending)

    def judge_gap(self, call: Block | None, gap: list[Block], pending: list[Block]) -> None:
        """Thinking alone may follow a call; anything that is shown may not."""
        counted = [b for b in gap if b.type in THINKING or is_shown(b.type)]
        shown = [b for b in counted if is_shown(b.type)]
        if call is None or not shown:
            return
        is_lost = call not in self.answered and call not in pending
        if shown[0].message != call.message and is_lost:
            return
        self.report("content-after-tool-use", counted[0], call.id)

    # --- server calls: ids that stay open from one assistant turn to the next ---

    def judge_server_blocks(self, turn: list[Message]) -> None:
        """Open and close the server calls of an assistant turn."""
        self.called_by_programs = []
        for block in [b for m in turn for b in m.blocks if b.id is not None]:
            assert block.id is not None
            if block.type in SERVER_CALLS:
                self.open_calls = [c for c in self.open_calls if c.id != block.id]
                self.open_calls.append(block)
            elif block.type == "tool_use":
                callers = [c for c in self.open_calls if c.id == block.caller]
                self.called_by_programs += [block] if callers else []
                self.out.bonds += [(caller.message, block.message) for caller in callers]
            elif is_server_result(block.type):
                matching = [c for c in self.open_calls if c.id == block.id]
                self.open_calls = [c for c in self.open_calls if c.id != block.id]
                self.closed_calls += matching
                again = [c for c in self.closed_calls if c.id == block.id][-1:]
                self.out.bonds += [(call.message, block.message) for call in again]
                if not again:
                    self.report("orphan-server-tool-result", block, block.id)

    def judge_open_calls(self, exchange: Exchange, calls: list[Block], *, not_first: bool) -> None:
        """Decide whether what follows the turn leaves its open server calls open."""
        zone = exchange.zone
        open_ids = {call.id for call in self.open_calls}
        programmatic = [call for call in self.called_by_programs if call.caller in open_ids]
        answered = [call for call in programmatic if call in self.answered]
        self.judge_programmatic(exchange, answered)
        if stays_open(zone) or not_first:
            return
        is_led = begins_with_result(zone, joined=self.joined)
        of_server = [call for call in self.open_of(exchange.turn) if call.type == "server_tool_use"]
        if calls and of_server and is_led:
            if not answered:
                beside = next(b for b in blocks_of_users(zone) if b.type != "tool_result")
                self.report("content-beside-open-server-call", beside, of_server[0].id)
            return
        # A program whose calls are being answered goes on; what stands beside is told of by now.
        running = {call.caller for call in (programmatic if is_led else answered)}
        for call in self.open_calls:
            if call.id not in running:
                kind = "mcp" if call.type == "mcp_tool_use" else "server"
                self.report(f"{kind}-tool-use-without-result", call, call.id)
        self.open_calls = [call for call in self.open_calls if call.id in running]

    def judge_programmatic(self, exchange: Exchange, answered: list[Block]) -> None:
        """What answers the calls of a running program: plain text, and nothing behind it."""
        if not answered:
            return
        slug = "content-beside-programmatic-result"
        for call in answered:
            if not is_plain_text(self.answered[call].raw):
                self.report(slug, self.answered[call], call.id)
        blocks = blocks_of_users(exchange.zone)
        answers = [*self.answered.values()]
        last = max(position for position, block in enumerate(blocks) if block in answers)
        for block in blocks[last:]:
            if block.type != "tool_result":
                self.report(slug, block, answered[0].id)

    def open_of(self, turn: list[Message]) -> list[Block]:
        """The open server calls that this turn made."""
        here = {message.index for message in turn}
        return [call for call in self.open_calls if call.message in here]


def is_call(block: Block) -> bool:
    """A client call with an id to answer to."""
    return block.type == "tool_use" and block.id is not None


def is_shown(type: str) -> bool:
    """Text, media and server blocks: what may not stand behind a client call."""
    return type == "text" or type in MEDIA or type in SERVER_CALLS or is_server_result(type)


def is_results_only(message: Message) -> bool:
    """Holds results or nothing, and speaks for the user."""
    return message.side == "user" and all(b.type == "tool_result" for b in message.blocks)


def answering_turn(zone: list[Message]) -> list[Message]:
    """The messages right behind an assistant turn, if results stand among them."""
    turn = list(takewhile(lambda message: message.side == "user", zone))
    return turn if any(b.type == "tool_result" for m in turn for b in m.blocks) else []


def blocks_of_users(zone: list[Message]) -> list[Block]:
    """What users say behind the turn; system messages do not count."""
    return [block for message in zone if message.side == "user" for block in message.blocks]


def stays_open(zone: list[Message]) -> bool:
    """Nothing but results behind the turn; system messages and empty ones do not count."""
    return all(block.type == "tool_result" for block in blocks_of_users(zone))


def begins_with_result(zone: list[Message], *, joined: bool) -> bool:
    """The user turn right behind the assistant turn begins with a result."""
    if not zone or zone[0].side != "user":
        return False
    blocks = [block for message in user_turns(zone, joined=joined)[0] for block in message.blocks]
    return bool(blocks) and blocks[0].type == "tool_result"


def user_turns(zone: list[Message], *, joined: bool) -> list[list[Message]]:
    """The user messages of a zone as the endpoint sees them; a system message ends a turn."""
    turns: list[list[Message]] = []
    previous: Message | None = None
    for message in zone:
        if message.side == "user":
            if joined and previous is not None and previous.side == "user":
                turns[-1].append(message)
            else:
                turns.append([message])
        previous = message
    return turns


def exchanges(messages: Iterable[Message]) -> list[Exchange]:
    """The leading zone, then each assistant turn with what follows it."""
    found = [Exchange([], [])]
    for message in messages:
        if message.side == "nobody":
            continue
        if message.side != "assistant":
            found[-1].zone.append(message)
        elif found[-1].zone or not found[-1].turn:
            found.append(Exchange([message], []))
        else:
            found[-1].turn.append(message)
    return found


def judge(messages: History, *, endpoint: str = "anthropic") -> Judgement:
    """Walk the whole history."""
    judge = Judge(endpoint)
    if not messages:
        judge.report("empty-history", None)
    read = [judge.read(index, raw) for index, raw in enumerate(messages)]
    found = exchanges(read)
    for exchange in found:
        judge.judge_exchange(exchange, is_last=exchange is found[-1])
    between = judge.reported("message-between-use-and-result")
    split = judge.reported("split-tool-results")
    judge.report_all(content_rules(read, joined=judge.joined, between=between, split=split))
    judge.report_all(thinking_rules(read, joined=judge.joined))
    last = len(messages) - 1
    open_calls = judge.open_of(found[-1].turn) if found else []
    judge.out.bonds += [(call.message, last + 1) for call in open_calls]

    tool_messages = {message.index for message in read if message.role == "tool"}
    findings = [
        finding
        for finding in judge.out.findings
        if finding.slug == "unknown-role" or finding.message_index not in tool_messages
    ]
    judge.out.findings = sorted(findings, key=report_order)
    return judge.out


def report_order(finding: Finding) -> tuple[int, int, str]:
    """By message, block and code; what has no place comes first."""
    message, block = finding.message_index, finding.block_index
    return (-1 if message is None else message, -1 if block is None else block, finding.code)


# --- trimming ------------------------------------------------------------------------------------


class NothingFits(Exception):
    """No legal cut keeps to `max_messages`; `smallest` is the least that would do."""

    def __init__(self, smallest: int) -> None:
        super().__init__(smallest)
        self.smallest = smallest


@dataclass(frozen=True)
class Run:
    """A turn, or adjacent system messages: the indices of its messages."""

    side: str
    indices: tuple[int, ...]


def reference_trim(
    messages: History,
    *,
    keep_recent: int | None = None,
    max_messages: int | None = None,
    keep_task: bool = False,
    endpoint: str = "anthropic",
) -> list[int]:
    """The indices of the messages that a trim keeps."""
    if keep_recent is None and max_messages is None:
        keep_recent = 10
    if keep_recent is not None and max_messages is not None and keep_recent > max_messages:
        raise ValueError(f"keep_recent={keep_recent} is more than max_messages={max_messages}")
    trim = Trim(messages, keep_task=keep_task, endpoint=endpoint)
    latest = None if keep_recent is None else trim.cut_for(keep_recent)
    if max_messages is None:
        assert latest is not None
        return trim.kept(latest)
    cuts = [cut for cut in trim.edges or [trim.head] if latest is None or cut <= latest]
    fitting = [cut for cut in cuts if len(trim.kept(cut)) <= max_messages]
    if not fitting:
        raise NothingFits(min(len(trim.kept(cut)) for cut in cuts))
    return trim.kept(fitting[0])


class Trim:
    """Where a history may be cut, and what each cut keeps."""

    def __init__(self, messages: History, *, keep_task: bool, endpoint: str) -> None:
        reader = Judge(endpoint)
        self.read = [reader.read(index, raw) for index, raw in enumerate(messages)]
        self.size = len(messages)
        leading = (m.index for m in self.read if m.role not in ("system", "developer"))
        self.head = next(leading, self.size)
        self.prompts = [
            m.index
            for m in self.read
            if m.role == "user"
            and not m.is_empty
            and not any(b.type == "tool_result" for b in m.blocks)
        ]
        self.task = self.prompts[0] if keep_task and self.prompts else None
        self.alternates = endpoint in ALTERNATES
        judged = judge(messages, endpoint=endpoint)
        self.orphans = judged.orphans
        self.runs = runs_of(self.read[self.head :])
        self.needing_opener: set[int] = set()
        self.edges = sorted(
            edge
            for edge in self.possible_edges()
            if not any(first < edge <= last for first, last in judged.bonds) and self.takes(edge)
        )

    def possible_edges(self) -> set[int]:
        """Before a user turn without results; before an assistant turn and its system run."""
        edges: set[int] = set()
        for position, run in enumerate(self.runs):
            if run.side == "user" and not self.results_in(run):
                edges.add(run.indices[0])
                if not any(self.read[index].role == "user" for index in run.indices):
                    self.needing_opener.add(run.indices[0])
            if run.side == "assistant":
                edge = run.indices[0]
                before = self.runs[position - 1] if position else None
                if (
                    before
                    and before.side == "system"
                    and self.opener(before.indices[0]) is not None
                ):
                    edge = before.indices[0]
                edges.add(edge)
                self.needing_opener.add(edge)
        return edges

    def takes(self, cut: int) -> bool:
        """Where users may not speak twice in a row, the task stands before the assistant only."""
        if not self.alternates or self.task is None or self.task >= cut:
            return True
        return cut in self.needing_opener

    def results_in(self, run: Run) -> list[Block]:
        """The results that a turn holds."""
        blocks = [block for index in run.indices for block in self.read[index].blocks]
        return [block for block in blocks if block.type == "tool_result"]

    def opener(self, cut: int) -> int | None:
        """What the model was asked before the cut."""
        return max((index for index in self.prompts if index < cut), default=None)

    def kept(self, cut: int) -> list[int]:
        """All that stays when the list is cut before this message."""
        kept = {*range(self.head), *range(cut, self.size)}
        opener = self.opener(cut)
        if self.task is not None:
            kept.add(self.task)
            opener = None if self.alternates else opener  # the task stands for it
        if cut > self.head and cut in self.needing_opener and opener is not None:
            kept.add(opener)
        return sorted(kept)

    def cut_for(self, keep_recent: int) -> int:
        """The cut that keeps about this many of the last messages."""
        if not self.edges:
            return self.head
        if keep_recent == 0:
            return self.edges[-1]
        asked = max(self.head, self.size - keep_recent)
        before = [edge for edge in self.edges if edge <= asked]
        after = [edge for edge in self.edges if edge > asked]
        if after and (self.stands_in_orphans(asked) or not before):
            return after[0]
        return before[-1]

    def stands_in_orphans(self, index: int) -> bool:
        """The message is part of a user turn whose results all answer nothing."""
        before = [run for run in self.runs if run.indices[0] <= index]
        if not before or before[-1].side != "user":
            return False
        results = self.results_in(before[-1])
        answer_nothing = [r.id is None or (r.message, r.index) in self.orphans for r in results]
        return bool(results) and all(answer_nothing)


def runs_of(messages: list[Message]) -> list[Run]:
    """Adjacent messages of one side, as the endpoint joins them."""
    runs: list[Run] = []
    for message in messages:
        if message.side == "nobody":
            continue
        if runs and runs[-1].side == message.side:
            runs[-1] = Run(message.side, (*runs[-1].indices, message.index))
        else:
            runs.append(Run(message.side, (message.index,)))
    return runs
