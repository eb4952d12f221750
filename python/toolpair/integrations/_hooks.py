"""Event hooks for the clients of httpx and httpx2: they see a request, and cannot change it."""

from __future__ import annotations

from typing import Any

from toolpair.integrations._gate import Gate
from toolpair.integrations._wire import may_carry, read_route

__all__ = ["AsyncToolPairingHook", "ToolPairingHook"]


class _Hook(Gate):
    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode == "repair" or self.trim is not None:
            raise ValueError(
                "an event hook cannot change a request: to repair or trim, "
                "give the client a ToolPairingTransport"
            )

    def _look(self, request: Any) -> None:  # noqa: ANN401 - any library's request
        route = read_route(request)
        if route is not None:
            self._enter_json(request.content, route)


class ToolPairingHook(_Hook):
    """Checks each request: `Client(event_hooks={"request": [ToolPairingHook()]})`.

    Takes what the transport takes, without `"repair"` and `trim`: a hook cannot change a request.
    Below an SDK take the transport: an SDK tries again when a hook raises.
    """

    def __call__(self, request: Any) -> None:  # noqa: ANN401
        """Called by the client with each request.

        Raises:
            ToolPairingError: It would be refused, and the mode is `"raise"`.
            TypeError: It holds no history; not where the mode is `"warn"`.
        """
        if may_carry(request):
            request.read()
            self._look(request)


class AsyncToolPairingHook(_Hook):
    """The same for an `AsyncClient`."""

    async def __call__(self, request: Any) -> None:  # noqa: ANN401
        """Called by the client with each request; raises what `ToolPairingHook` does."""
        if may_carry(request):
            await request.aread()
            self._look(request)
