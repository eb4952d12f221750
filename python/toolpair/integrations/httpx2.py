"""httpx2, and what is built on it: a transport that checks requests, or mends them; event hooks.

```python
client = httpx2.Client(transport=ToolPairingTransport("repair"))
```
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import httpx2

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
class ToolPairingTransport(Wire, httpx2.BaseTransport):
    """Checks each request to a Messages endpoint before `transport` sends it; others pass.

    `transport` is by default a new `httpx2.HTTPTransport`: what `Client` takes for its own one
    (`verify`, `proxy`, `limits`) is to be given to that. The other arguments are those of the
    base class `Gate`. Below an SDK of Anthropic's, a history that would be refused is its
    `BadRequestError`, not retried; else it is a `ToolPairingError`.
    """

    transport: httpx2.BaseTransport = field(default_factory=httpx2.HTTPTransport, kw_only=True)
    _response: ClassVar = httpx2.Response


@dataclass(frozen=True, eq=False)
class AsyncToolPairingTransport(AsyncWire, httpx2.AsyncBaseTransport):
    """The same for an `AsyncClient`."""

    transport: httpx2.AsyncBaseTransport = field(
        default_factory=httpx2.AsyncHTTPTransport, kw_only=True
    )
    _response: ClassVar = httpx2.Response
