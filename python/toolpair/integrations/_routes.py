"""Which requests carry a history to the Messages API, and who will receive them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from toolpair._types import Endpoint

__all__ = ["Kind", "Route", "endpoint_of_client", "endpoint_of_host", "route_of"]

Kind = Literal["messages", "count_tokens", "batches"]
"""What is asked of the API: a reply, a number of tokens, or many replies later."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: what it asks, and of whom."""

    kind: Kind
    endpoint: Endpoint


_OWN = re.compile(r"(?:^|/)v1/messages(?:/(count_tokens|batches))?/?$")
_KINDS: dict[str | None, Kind] = {
    None: "messages",
    "count_tokens": "count_tokens",
    "batches": "batches",
}
_BEDROCK = re.compile(r"(?:^|/)model/[^/]+/invoke(?:-with-response-stream)?$")
_VERTEX = re.compile(r"/publishers/anthropic/models/([^/:]+):(?:stream)?[rR]awPredict$")

_HOSTS: tuple[tuple[str, Endpoint], ...] = (
    (r"bedrock[\w-]*\.[\w.-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws)", "bedrock"),
    (r"(?:[\w-]+\.)*aiplatform(?:\.[\w-]+\.rep)?\.googleapis\.com", "vertex"),
    (r"(?:[\w-]+\.)*deepseek\.com", "deepseek"),
    (r"(?:[\w-]+\.)*(?:moonshot\.(?:ai|cn)|kimi\.com)", "kimi"),
)


def route_of(method: str, url: str, body: bytes = b"") -> Route | None:
    """The route of an HTTP request; None if it takes no history to the Messages API.

    Any host and any prefix will do: gateways have their own. A Bedrock model is Anthropic's if its
    body says `anthropic_version`: an inference profile need not have the name in its id.

    >>> route_of("POST", "https://api.anthropic.com/v1/messages?beta=true")
    Route(kind='messages', endpoint='anthropic')
    >>> route_of("GET", "https://api.anthropic.com/v1/messages/batches") is None
    True
    """
    if method.upper() != "POST":
        return None
    parts = urlsplit(url)
    if found := _OWN.search(parts.path):
        return Route(_KINDS[found[1]], endpoint_of_host(parts.hostname))
    if found := _VERTEX.search(parts.path):
        return Route("count_tokens" if found[1] == "count-tokens" else "messages", "vertex")
    if _BEDROCK.search(parts.path) and b'"anthropic_version"' in body:
        return Route("messages", "bedrock")
    return None


def endpoint_of_host(host: str | None) -> Endpoint:
    """Who listens there, by the name of the host.

    >>> endpoint_of_host("api.deepseek.com")
    'deepseek'
    """
    for pattern, endpoint in _HOSTS:
        if host is not None and re.fullmatch(pattern, host, re.IGNORECASE):
            return endpoint
    return "anthropic"


def endpoint_of_client(client: object) -> Endpoint:
    """Who listens to a client of the SDK: by its class, else by the host of its `base_url`."""
    names = " ".join(base.__name__ for base in type(client).__mro__)
    if "Bedrock" in names:
        return "bedrock"
    if "Vertex" in names:
        return "vertex"
    return endpoint_of_host(urlsplit(str(getattr(client, "base_url", ""))).hostname)
