"""The upstream calls of one search or fetch: side by side, equal ones once, with all their provenance kept."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from mcp_server.codes import ResultOutcome, ToolCode
from mcp_server.envelope import Envelope
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError
from mcp_server.http.messages import redact
from mcp_server.http.once import Once
from mcp_server.tool import Platform
from mcp_server.unified.tool import Desk

Json = Any
MESSAGE_MAX_CHARS = 240
# What stands behind is quoted from the answer.
_BODY = re.compile(r": |,? (?:got|in) ?['\"(\[{]|['\"(\[{]")
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
        self.source = source
        self.code = code
        self.message = worded(message, code, http_status)
        super().__init__(f"{source}: {self.message}")
        self.http_status = http_status

    @property
    def is_retryable(self) -> bool:
        """Whether the same question may be answered later."""
        return self.code in RETRYABLE

    def wire(self, domain: str) -> dict[str, Json]:
        """Return the entry for a list of errors."""
        facts: dict[str, Json] = {
            "domain": domain,
            "source": self.source,
            "code": self.code.value,
            "message": self.message,
            "retryable": self.is_retryable,
        }
        return facts | ({"http_status": self.http_status} if self.http_status else {})


def worded(message: str, code: ToolCode, http_status: int | None) -> str:
    """Return a message as one short line: no markup, no keys, and of a faulty answer none of its body."""
    plain = " ".join(redact(re.sub(r"<[^<>]+>", " ", message)).split())
    host, colon, said = plain.partition(": ")
    if http_status and http_status >= 500:
        plain = f"{host}{colon}it reports a fault of its own"
    elif code == ToolCode.UPSTREAM_BAD_RESPONSE:
        plain = f"{host}{colon}{re.split(_BODY, said, maxsplit=1)[0]}"
    return plain if len(plain) <= MESSAGE_MAX_CHARS else f"{plain[: MESSAGE_MAX_CHARS - 1].rstrip()}…"


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
class Calls:
    """Calls the tools of the platforms for one search or fetch, and collects what they cite.

    `until`, on the monotonic clock, is when each of its calls ends at the latest.
    """

    desk: Desk
    until: float = float("inf")
    citations: list[Mapping[str, Json]] = field(default_factory=list)
    _envelopes: Once[Envelope] = field(default_factory=Once)

    def by(self, moment: float) -> "Calls":
        """Return the same calls, ended at `moment` at the latest."""
        return replace(self, until=min(self.until, moment))

    @property
    def left_s(self) -> float:
        """How long a call may take from now on."""
        return max(0.0, min(self.until, self.desk.deadline) - time.monotonic())

    def platform(self, name: str) -> Platform:
        """Return a database by its name."""
        return next(platform for platform in self.desk.platforms if platform.name == name)

    def title(self, name: str) -> str:
        """Return the name of a database, or of a tool's database, as people know it."""
        return self.platform(name.partition("__")[0]).title

    async def __call__(self, tool: str, **arguments: Json) -> Found:
        """Call a tool; arguments that are None or empty are left out. Raises `SourceFailed`."""
        given = {name: value for name, value in arguments.items() if value not in (None, [], "")}
        envelope = await self._once(tool, given)
        content = envelope.content
        if envelope.is_error:
            error = content["error"]
            raise SourceFailed(self.title(tool), ToolCode(error["code"]), str(error["message"]), _status(envelope))
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
        if platform in self.desk.platforms_off:
            why = self.platform(platform).switched_off(self.desk.platforms_off[platform])
            raise SourceFailed(self.title(platform), ToolCode.PLATFORM_OFF, why)
        api = self.desk.api_for(self.platform(platform), self.desk.trace)
        left_s = self.left_s
        try:
            async with asyncio.timeout(left_s):
                return await operation(replace(api, deadline=time.monotonic() + left_s))
        except UpstreamError as error:
            raise SourceFailed(self.title(platform), error.code, str(error), error.status) from error
        except TimeoutError as error:
            raise SourceFailed(self.title(platform), ToolCode.TOOL_TIMEOUT, late(left_s)) from error

    async def _once(self, tool: str, arguments: dict[str, Json]) -> Envelope:
        key = f"{tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"
        left_s = self.left_s
        try:
            async with asyncio.timeout(left_s):
                return await self._envelopes(key, lambda: self.desk.call_tool(tool, arguments, within_s=left_s))
        except TimeoutError as error:
            raise SourceFailed(self.title(tool), ToolCode.TOOL_TIMEOUT, late(left_s)) from error


def late(within_s: float) -> str:
    """Say that an answer did not come in time."""
    return f"no answer within {within_s:.2g} s; the request was ended"


def _status(envelope: Envelope) -> int | None:
    statuses = [request.get("status") for request in envelope.meta.get("burp/requests", [])]
    bad = [status for status in statuses if isinstance(status, int) and status >= 400]
    return bad[-1] if bad else None
