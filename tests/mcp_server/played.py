"""A transport that plays given answers, and a call through the whole server on top of it."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope
from mcp_server.http.messages import Request, Response
from mcp_server.http.rate_limit import RateLimits
from mcp_server.server import ToolServer
from mcp_server.tool import Platform

DATA = Path(__file__).parent.parent / "data"


class Played:
    """Answers each request with the first answer left whose mark is part of the address."""

    def __init__(self) -> None:
        self._answers: list[tuple[str, Response]] = []
        self.requests: list[Request] = []

    def answer(self, mark: str, body: Any = None, status: int = 200, **headers: str) -> "Played":
        """Play `body` once: bytes and text as they are, anything else as JSON."""
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        content = text.encode() if isinstance(text, str) else text
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._answers.append((mark, Response(status, named, content)))
        return self

    @property
    def left(self) -> list[str]:
        """The marks of the answers that nobody asked for."""
        return [mark for mark, _ in self._answers]

    def query(self, number: int = 0) -> dict[str, str]:
        """The parameters of a request, by name."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.requests[number].url).query).items()}

    async def send(self, request: Request) -> Response:
        """Play the next fitting answer; an unexpected request fails the call."""
        self.requests.append(request)
        for number, (mark, response) in enumerate(self._answers):
            if mark in request.url:
                del self._answers[number]
                return response
        raise AssertionError(f"nobody expected {request.method} {request.url}")

    async def aclose(self) -> None:
        """Nothing is held open."""


async def call(platform: Platform, played: Played, tool: str, *, paced: bool = False, **arguments: Any) -> Envelope:
    """Call a tool through the server; every answer must have been asked for. `paced` keeps the rate limits."""
    server = ToolServer([platform], ServerConfig(upstreams="live"), played)
    if not paced:
        server.limits = RateLimits(unlimited=True)
    envelope = await server.call(f"{platform.name}__{tool}", arguments)
    assert played.left == []
    return envelope


def data(platform: str, name: str) -> bytes:
    """Read a fixture."""
    return (DATA / platform / name).read_bytes()
