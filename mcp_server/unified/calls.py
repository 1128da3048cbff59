"""The upstream calls of one search or fetch: side by side, equal ones once, with all their provenance kept."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mcp_server.codes import ResultOutcome, ToolCode
from mcp_server.envelope import Envelope
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError
from mcp_server.tool import Platform
from mcp_server.unified.tool import Desk

Json = Any
AT_ONCE = 12
Got = TypeVar("Got")
RETRYABLE = (
    ToolCode.UPSTREAM_RATE_LIMITED,
    ToolCode.UPSTREAM_UNAVAILABLE,
    ToolCode.UPSTREAM_BAD_RESPONSE,
    ToolCode.TOOL_TIMEOUT,
)


class SourceFailed(Exception):
    """A source that brought no usable answer. It is never the same as an answer without hits."""

    def __init__(self, source: str, code: ToolCode, message: str, http_status: int | None = None) -> None:
        super().__init__(f"{source}: {message}")
        self.source = source
        self.code = code
        self.message = message
        self.http_status = http_status

    def wire(self, domain: str) -> dict[str, Json]:
        """Return the entry for a list of errors."""
        facts: dict[str, Json] = {
            "domain": domain,
            "source": self.source,
            "code": self.code.value,
            "message": self.message,
            "retryable": self.code in RETRYABLE,
        }
        return facts | ({"http_status": self.http_status} if self.http_status else {})


@dataclass(frozen=True)
class Found:
    """What a source answered. Nothing found and an unknown identifier have no `data` to show."""

    outcome: ResultOutcome
    data: Json
    total: int | None
    next: Mapping[str, Json] | None
    note: str
    citations: tuple[Mapping[str, Json], ...]

    @property
    def has_data(self) -> bool:
        """Whether there is a record."""
        return self.outcome == ResultOutcome.DATA

    def rows(self, *path: str) -> list[Json]:
        """Return the list at `path` in the data; nothing found gives none."""
        value = self.data if self.has_data else None
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return list(value) if isinstance(value, list) else []


@dataclass
class _Shared:
    """A call that several legs wait for; the last one that leaves ends it."""

    task: asyncio.Task[Envelope]
    waiting: int = 0


@dataclass
class Calls:
    """Calls the tools of the platforms for one search or fetch, and collects what they cite."""

    desk: Desk
    citations: list[Mapping[str, Json]] = field(default_factory=list)
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _shared: dict[str, _Shared] = field(default_factory=dict)

    def platform(self, name: str) -> Platform:
        """Return a database by its name."""
        return next(platform for platform in self.desk.platforms if platform.name == name)

    def title(self, name: str) -> str:
        """Return the name of a database as people know it."""
        return self.platform(name).title

    async def __call__(self, tool: str, **arguments: Json) -> Found:
        """Call a tool; arguments that are None or empty are left out. Raises `SourceFailed`."""
        given = {name: value for name, value in arguments.items() if value not in (None, [], "")}
        envelope = await self._once(tool, given)
        content = envelope.content
        if envelope.is_error:
            error = content["error"]
            source = self.title(tool.partition("__")[0])
            raise SourceFailed(source, ToolCode(error["code"]), str(error["message"]), _status(envelope))
        cited = tuple(envelope.meta.get("burp/citations", ()))
        self.citations += cited
        return Found(
            ResultOutcome(content["outcome"]),
            content["data"],
            content.get("total"),
            content.get("next"),
            content.get("note") or "",
            cited,
        )

    async def ask(self, platform: str, operation: Callable[[Api], Awaitable[Got]]) -> Got:
        """Run an operation of a platform that is no tool. Raises `SourceFailed`."""
        try:
            async with self._gate:
                return await operation(self.desk.api_for(self.platform(platform), self.desk.trace))
        except UpstreamError as error:
            raise SourceFailed(self.title(platform), error.code, str(error), error.status) from error

    async def _once(self, tool: str, arguments: dict[str, Json]) -> Envelope:
        key = f"{tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = _Shared(asyncio.create_task(self._called(tool, arguments)))
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            if not shared.waiting and not shared.task.done():
                self._shared.pop(key, None)
                shared.task.cancel()
                with suppress(asyncio.CancelledError):
                    await shared.task

    async def _called(self, tool: str, arguments: dict[str, Json]) -> Envelope:
        async with self._gate:
            return await self.desk.call_tool(tool, arguments)


def _status(envelope: Envelope) -> int | None:
    statuses = [request.get("status") for request in envelope.meta.get("burp/requests", [])]
    bad = [status for status in statuses if isinstance(status, int) and status >= 400]
    return bad[-1] if bad else None
