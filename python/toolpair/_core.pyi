from collections.abc import Awaitable, Iterable, Sequence
from types import TracebackType
from typing import final

from typing_extensions import Self

from toolpair._types import Context, M, Origins, PlanPart, RepairPart, ReportPart, RulePart

__all__ = [
    "Guard",
    "Tracker",
    "check",
    "check_request",
    "endpoints",
    "explain",
    "pending",
    "plan_repair",
    "plan_trim",
    "rules",
    "shown",
    "trim",
    "unpaired",
]

class Guard:
    def __new__(cls, *_args: object, **_kwargs: object) -> Self: ...
    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _at: TracebackType | None,
    ) -> None: ...
    def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> Awaitable[None]: ...

@final
class Tracker:
    def __new__(
        cls,
        endpoint: str,
        ignore: Iterable[str],
        select: Iterable[str],
        allow_pending: bool,
        context: Context | None,
    ) -> Tracker: ...
    def __len__(self) -> int: ...
    def append(self, message: object) -> None: ...
    def copy(self) -> Tracker: ...
    def extend(self, messages: object) -> None: ...
    def pending(self) -> list[tuple[str, str | None, int, int]]: ...
    def report(self) -> ReportPart | None: ...

def check(
    messages: object,
    endpoint: str,
    ignore: Iterable[str],
    select: Iterable[str],
    allow_pending: bool,
    context: Context | None,
) -> ReportPart | None: ...
def check_request(
    request: object,
    endpoint: str,
    ignore: Iterable[str],
    select: Iterable[str],
    allow_pending: bool,
) -> ReportPart | None: ...
def endpoints() -> list[str]: ...
def explain(text: str) -> tuple[str, list[str], int | None, int | None] | None: ...
def pending(messages: object) -> list[tuple[str, str | None, int, int]]: ...
def plan_repair(
    messages: Sequence[M],
    endpoint: str,
    ignore: Iterable[str],
    select: Iterable[str],
    allow_pending: bool,
    context: Context | None,
    on_missing: object,
    orphans: str,
    thinking: str,
    tells: bool,
) -> tuple[RepairPart | None, tuple[M, ...], list[M], Origins | None]: ...
def plan_trim(
    messages: Sequence[M],
    keep_recent: int | None,
    max_messages: int | None,
    keep_task: bool,
    endpoint: str,
    context: Context | None,
) -> tuple[PlanPart, tuple[M, ...]]: ...
def rules() -> list[RulePart]: ...
def shown(text: str) -> str: ...
def trim(
    messages: Sequence[M],
    keep_recent: int | None,
    max_messages: int | None,
    keep_task: bool,
    endpoint: str,
    context: Context | None,
) -> list[M]: ...
def unpaired(messages: object) -> list[str]: ...
