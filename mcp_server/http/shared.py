"""The transport of one call that asks many databases: a few requests at once, and equal ones once."""

import asyncio
import json
from dataclasses import dataclass, field

from mcp_server.http.messages import Request, Response, Transport
from mcp_server.http.once import Once


@dataclass
class SharedTransport:
    """Passes requests on, at most `at_once` at a time; who asks what another has asked gets the same answer.

    An answer that is none, such as a busy database's, is not shared with who asks later: they try again.
    """

    inner: Transport
    at_once: int
    _gate: asyncio.Semaphore = field(init=False)
    _answers: Once[Response] = field(default_factory=lambda: Once(lambda response: response.status < 300))

    def __post_init__(self) -> None:
        self._gate = asyncio.Semaphore(self.at_once)

    async def send(self, request: Request) -> Response:
        """Send a request, or wait for the answer to an equal one."""
        parts = (request.method, request.url, dict(request.headers), request.body, request.text)
        return await self._answers(json.dumps(parts, sort_keys=True), lambda: self._sent(request))

    async def _sent(self, request: Request) -> Response:
        async with self._gate:
            return await self.inner.send(request)

    async def aclose(self) -> None:
        """Leave the transport to its owner."""
