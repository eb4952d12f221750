"""What httpx and httpx2 have in common: requests as bytes, and a transport that checks them."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar

from toolpair.exceptions import ToolPairingError
from toolpair.integrations._gate import Gate, Passage
from toolpair.integrations._routes import Route, route_of

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["AsyncWire", "Wire", "may_carry", "read_route"]


def may_carry(request: Any) -> bool:  # noqa: ANN401 - any library's request
    """Whether its body is worth reading, by all that is known of it without."""
    is_plain = "content-encoding" not in request.headers
    return is_plain and route_of(request.method, str(request.url), _BEDROCK_BODY) is not None


def read_route(request: Any) -> Route | None:  # noqa: ANN401
    """The route of a request whose body has been read."""
    return route_of(request.method, str(request.url), request.content)


@dataclass(frozen=True, eq=False)
class _Wire(Gate):
    transport: Any = field(kw_only=True)
    _response: ClassVar[Any]
    """The class of the library's responses."""

    def _admitted(self, request: Any) -> tuple[Any, Passage | None]:  # noqa: ANN401
        """The request to send, and what was found in it; None if it carries no history."""
        route = read_route(request)
        if route is None:
            return request, None
        is_first = request.headers.get("x-stainless-retry-count", "0") == "0"
        passage = self._enter_json(request.content, route, tells=is_first)
        if passage.body is None:
            return request, passage
        if request.headers.get("authorization", "").startswith("AWS4-"):
            raise ValueError(
                "the request is signed, so a transport must not change its body: "
                "repair or trim the history before the request is made"
            )
        made = type(request)(
            request.method,
            request.url,
            headers=[pair for pair in request.headers.raw if pair[0].lower() not in _OF_THE_BODY],
            content=_json(passage.body),
            extensions=request.extensions,
        )
        return made, passage

    def _answer(self, request: Any, error: Exception) -> Any:  # noqa: ANN401
        """Raise the error; if an SDK is on top, give it an error 400 in the API's form instead.

        An SDK takes an exception of its transport for a lost connection: it would try again twice,
        and then say that there was none.
        """
        if "x-stainless-lang" not in request.headers:
            raise error
        found = error.report.errors[0] if isinstance(error, ToolPairingError) else error
        text = f"toolpair did not send this request: {found}"
        body = {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
        headers = {"x-should-retry": "false"}
        return self._response(HTTPStatus.BAD_REQUEST, headers=headers, json=body, request=request)


class Wire(_Wire):
    """A transport around another one."""

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401
        """Check a request, and send it; called by the library's client."""
        if not may_carry(request):
            return self.transport.handle_request(request)
        request.read()
        try:
            sent, passage = self._admitted(request)
        except _FOUND as error:
            return self._answer(request, error)
        response = self.transport.handle_request(sent)
        if passage is not None and response.status_code == HTTPStatus.BAD_REQUEST:
            with contextlib.suppress(Exception):  # who reads it next will see what is wrong
                self._refused(passage, response.read())
        return response

    def close(self) -> None:
        """Close the transport inside."""
        self.transport.close()

    def __enter__(self) -> Self:
        self.transport.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.transport.__exit__(kind, error, traceback)


class AsyncWire(_Wire):
    """The same around an asynchronous one."""

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401
        """Check a request, and send it; called by the library's client."""
        if not may_carry(request):
            return await self.transport.handle_async_request(request)
        await request.aread()
        try:
            sent, passage = self._admitted(request)
        except _FOUND as error:
            return self._answer(request, error)
        response = await self.transport.handle_async_request(sent)
        if passage is not None and response.status_code == HTTPStatus.BAD_REQUEST:
            with contextlib.suppress(Exception):
                self._refused(passage, await response.aread())
        return response

    async def aclose(self) -> None:
        """Close the transport inside."""
        await self.transport.aclose()

    async def __aenter__(self) -> Self:
        await self.transport.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.transport.__aexit__(kind, error, traceback)


_BEDROCK_BODY = b'"anthropic_version"'  # as good as any, while the body is not read
_OF_THE_BODY = {b"content-length", b"transfer-encoding"}  # these are made from the content
_FOUND = (ToolPairingError, TypeError, ValueError, RuntimeError)


def _json(body: dict[str, Any]) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8
        return json.dumps(body).encode()
