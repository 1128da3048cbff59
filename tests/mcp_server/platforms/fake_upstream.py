"""An upstream that plays prepared answers and keeps what it was asked."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus, urlsplit

import stamina

from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope
from mcp_server.http.messages import Request, Response
from mcp_server.server import ToolServer
from mcp_server.tool import Platform

Json = Any


@dataclass(frozen=True)
class Played:
    """One answer: JSON data, or a text as it is."""

    body: Json = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def response(self) -> Response:
        """Return the answer as the transport gives it."""
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return Response(self.status, {"content-type": "application/json", **self.headers}, text.encode())


@dataclass
class FakeUpstream:
    """Answers by path: `/lookup/id/X` (any query) or `/search?term=a b` (these words in the query).

    A list of answers is played one after the other. An unexpected request fails the call.
    """

    answers: dict[str, Played | list[Played]]
    requests: list[Request] = field(default_factory=list)

    async def send(self, request: Request) -> Response:
        """Play the first answer whose path and query words fit."""
        self.requests.append(request)
        parts = urlsplit(request.url)
        for pattern, played in self.answers.items():
            path, _, words = pattern.partition("?")
            if parts.path.endswith(path) and words in unquote_plus(parts.query):
                return (played.pop(0) if isinstance(played, list) else played).response()
        raise AssertionError(f"unexpected request {request.method} {request.url}")

    async def aclose(self) -> None:
        """Hold nothing."""

    @property
    def asked(self) -> list[str]:
        """The paths and queries asked for, readable."""
        return [unquote_plus(request.url.partition("//")[2].partition("/")[2]) for request in self.requests]


async def call(platform: Platform, upstream: FakeUpstream, tool: str, **arguments: Json) -> Envelope:
    """Call a tool through the server, as the protocol does; nothing is tried twice."""
    server = ToolServer([platform], ServerConfig(upstreams="snapshot"), upstream)
    with stamina.set_testing(True):
        return await server.call(f"{platform.name}__{tool}", arguments)
