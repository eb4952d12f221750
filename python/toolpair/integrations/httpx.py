"""httpx, and what is built on it: a transport that checks requests, or mends them; event hooks.

```python
client = httpx.Client(transport=ToolPairingTransport("repair"))
```
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import httpx

from toolpair.integrations._findings import Finding
from toolpair.integrations._hooks import AsyncToolPairingHook, ToolPairingHook
from toolpair.integrations._wire import AsyncWire, Wire

__all__ = [
    "AsyncToolPairingHook",
    "AsyncToolPairingTransport",
    "Finding",
    "ToolPairingHook",
    "ToolPairingTransport",
]


@dataclass(frozen=True, eq=False)
class ToolPairingTransport(Wire, httpx.BaseTransport):
    """Checks each request to a Messages endpoint before `transport` sends it; others pass.

    `transport` is by default a new `httpx.HTTPTransport`: what `Client` takes for its own one
    (`verify`, `proxy`, `limits`) is to be given to that. The other arguments are those of the
    base class `Gate`. Below an SDK of Anthropic's, a history that would be refused is its
    `BadRequestError`, not retried; else it is a `ToolPairingError`.
    """

    transport: httpx.BaseTransport = field(default_factory=httpx.HTTPTransport, kw_only=True)
    _response: ClassVar = httpx.Response


@dataclass(frozen=True, eq=False)
class AsyncToolPairingTransport(AsyncWire, httpx.AsyncBaseTransport):
    """The same for an `AsyncClient`."""

    transport: httpx.AsyncBaseTransport = field(
        default_factory=httpx.AsyncHTTPTransport, kw_only=True
    )
    _response: ClassVar = httpx.Response
