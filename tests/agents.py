"""`run_agent` and `arun_agent` as one thing to test, and what their tests talk about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from histories import says

from toolpair import Run, arun_agent, run_agent
from toolpair.testing import calls

Agent = Callable[..., Run]
TWO = calls(("get_weather", {"city": "Tokyo"}), ("get_rate", {"to": "JPY"}))
ONE = calls(("f", {}))
TOOLS = {"get_weather": lambda city: f"rain in {city}", "get_rate": lambda to: 165.0}


def awaited(model: Callable[[list[Any]], Any], *args: Any, **options: Any) -> Run:
    """Run `arun_agent` as if it were `run_agent`."""

    async def reply(messages: list[Any]) -> Any:
        return model(messages)

    return asyncio.run(arun_agent(reply, *args, **options))


AGENTS = pytest.mark.parametrize("agent", [run_agent, awaited], ids=["run_agent", "arun_agent"])
"""For tests that take an `agent`: what is true of one is true of the other."""


def asked() -> list[Any]:
    return [says("user", "q")]


def same(count: int, *plan: tuple[str, dict[str, Any]]) -> list[Any]:
    """The same calls again and again, each time with ids of their own, as models send them."""
    return [calls(*plan, first=1 + index * len(plan)) for index in range(count)]


def results(message: Any) -> list[Any]:
    return [block["content"] for block in message["content"]]
