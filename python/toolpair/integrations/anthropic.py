"""The anthropic SDK: a middleware that sees each request of a client before it is sent.

```python
client = guard(anthropic.Anthropic(), "repair")
```
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol, TypeVar

from anthropic import (
    APIRequest,
    APIResponse,
    AsyncAPIResponse,
    AsyncCallNext,
    CallNext,
    Middleware,
    MiddlewareInput,
)
from typing_extensions import Unpack

from toolpair.integrations._findings import Finding
from toolpair.integrations._gate import Gate, Passage
from toolpair.integrations._options import GateOptions, Mode
from toolpair.integrations._routes import endpoint_of_client, route_of

__all__ = ["Finding", "ToolPairingMiddleware", "guard"]


class _TakesMiddleware(Protocol):
    def with_middleware(self, *middleware: MiddlewareInput) -> Any: ...  # noqa: ANN401


C = TypeVar("C", bound=_TakesMiddleware)


def guard(client: C, mode: Mode = "raise", **options: Unpack[GateOptions]) -> C:
    """A client like this one that checks its requests; the one given is not changed.

    Takes what `ToolPairingMiddleware` takes. The endpoint is that of the client's class (Bedrock,
    Vertex) or of the host of its `base_url`, unless one is named.

    >>> import anthropic
    >>> client = guard(anthropic.AnthropicVertex(region="global", project_id="p"), "repair")
    >>> client.middleware[-1].endpoint
    'vertex'
    """
    options.setdefault("endpoint", endpoint_of_client(client))
    guarded: C = client.with_middleware(ToolPairingMiddleware(mode, **options))
    return guarded


class ToolPairingMiddleware(Gate, Middleware):
    """Checks each request: `Anthropic(middleware=[ToolPairingMiddleware("repair")])`.

    It sees `messages.create` and `messages.stream`, `count_tokens`, each request of a batch, and
    the beta forms, and knows the whole request: model, tools, thinking, betas. The arguments are
    those of its base class; it does not know its client, so the endpoint is Anthropic's unless it
    is named. `guard` knows it.
    """

    def handle(self, request: APIRequest, call_next: CallNext) -> APIResponse[Any]:
        """Called by the SDK's clients, for each attempt."""
        sent, passage = self._admitted(request)
        response = call_next(sent)
        if passage is not None and _is_refused(response):
            with contextlib.suppress(Exception):  # the SDK reads it too, and says what is wrong
                self._refused(passage, response.http_response.read())
        return response

    async def handle_async(
        self, request: APIRequest, call_next: AsyncCallNext
    ) -> AsyncAPIResponse[Any]:
        """Called by the SDK's async clients, for each attempt."""
        sent, passage = self._admitted(request)
        response = await call_next(sent)
        if passage is not None and _is_refused(response):
            with contextlib.suppress(Exception):
                self._refused(passage, await response.http_response.aread())
        return response

    def _admitted(self, request: APIRequest) -> tuple[APIRequest, Passage | None]:
        """The request to send, and what was found in it; None if it carries no history."""
        route, body = route_of(request.method, request.url), request.json
        if route is None or not isinstance(body, Mapping):
            return request, None
        headers = request.headers.items()
        betas = [text for name, text in headers if name.lower() == _BETA and isinstance(text, str)]
        passage = self._enter(body, route, betas=betas, tells=request.retries_taken == 0)
        if passage.body is None:
            return request, passage
        return request.copy(body=passage.body), passage  # copies the old body, too


_BETA = "anthropic-beta"


def _is_refused(response: object) -> bool:
    """Whether it is an error 400; another middleware may have put anything in its place."""
    return getattr(response, "status_code", None) == HTTPStatus.BAD_REQUEST
