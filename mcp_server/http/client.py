"""What a tool uses to ask its database: one `Api` a tool call.

It resolves paths against the platform's base, waits for the rate limit, retries what is worth
retrying within the call's time, checks that the answer is what was asked for, and keeps the list
of requests for the provenance of the result.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from mcp_server.http.breaker import Breakers
from mcp_server.http.cache import ResponseCache
from mcp_server.http.errors import (
    UpstreamBadResponse,
    UpstreamError,
    UpstreamNotFound,
    UpstreamRateLimited,
    UpstreamRefused,
    UpstreamUnavailable,
)
from mcp_server.http.messages import Origin, Request, Response, Transport, redact
from mcp_server.http.rate_limit import Rate, RateLimits
from mcp_server.http.retry import ATTEMPTS, attempts, retry_after_seconds
from mcp_server.http.waits import Waits

Json = Any
Parameters = Mapping[str, Any]
MESSAGE_MAX_CHARS = 600
READ_FOR_MESSAGE_CHARS = 20_000
TELL_AFTER_S = 1.0


@dataclass
class CallTrace:
    """What happened upstream during one tool call."""

    requests: list[dict[str, Json]] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    release: str = ""
    waits: Waits = field(default_factory=Waits)
    fresh: list[tuple[Request, Response]] = field(default_factory=list, repr=False)

    @property
    def answered(self) -> bool:
        """Whether any request got an answer of success."""
        return any(request["status"] == 200 for request in self.requests)

    def add(self, other: "CallTrace") -> None:
        """Take over what happened during a call within this one; what was understood there is kept there."""
        self.requests += other.requests
        self.origins += other.origins
        self.waits.spans += other.waits.spans


@dataclass
class Api:
    """A platform's address and manners, bound to one tool call.

    `deadline` is on the monotonic clock. `progress` tells a waiting person about retries. `credentials`
    are sent to `base_url` only. `pause_s` reads from an answer's headers how long to leave the upstream alone.
    """

    platform: str
    base_url: str
    rate: Rate
    transport: Transport
    limits: RateLimits
    deadline: float
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    pause_s: Callable[[Mapping[str, str]], float] = lambda headers: 0.0
    progress: Callable[[str], None] = lambda message: None
    trace: CallTrace = field(default_factory=CallTrace)
    breakers: Breakers = field(default_factory=Breakers)
    cache: ResponseCache | None = None

    async def get(
        self,
        path: str,
        parameters: Parameters | None = None,
        *,
        base: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Json:
        """Return the JSON at `path`. Parameters that are None are left out, lists are joined by commas."""
        return self._json(await self.fetch("GET", path, parameters, base=base, headers=headers), base)

    async def get_page(self, path: str, parameters: Parameters | None = None) -> tuple[Json, Mapping[str, str]]:
        """Return the JSON at `path` and the headers, where totals and the link to the next page stand."""
        response = await self.fetch("GET", path, parameters)
        return self._json(response), response.headers

    async def get_text(
        self,
        path: str,
        parameters: Parameters | None = None,
        *,
        base: str | None = None,
        accept: str = "*/*",
        starts_with: str = "",
    ) -> str:
        """Return the text at `path`; with `starts_with`, any other beginning is a bad response."""
        response = await self.fetch("GET", path, parameters, base=base, headers={"Accept": accept})
        text = response.text()
        if starts_with and not text.lstrip("\ufeff \r\n\t").startswith(starts_with):
            raise UpstreamBadResponse(self._host(base), f"expected {starts_with!r}, got {self._words(text)!r}")
        return text

    async def post(
        self,
        path: str,
        body: Json,
        parameters: Parameters | None = None,
        *,
        base: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Json:
        """Send JSON and return JSON."""
        return self._json(await self.fetch("POST", path, parameters, body=body, base=base, headers=headers), base)

    async def post_form(self, path: str, form: Parameters) -> Json:
        """Send form fields and return JSON."""
        text = urlencode([(name, _as_text(value)) for name, value in form.items() if value is not None])
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._json(await self.fetch("POST", path, text=text, headers=headers))

    async def graphql(self, operation: str, query: str, variables: Mapping[str, Json], *, path: str = "") -> Json:
        """Run a named GraphQL operation and return its `data`; errors in the body are raised."""
        body = {"operationName": operation, "query": " ".join(query.split()), "variables": dict(variables)}
        answer = await self.post(path, body)
        if not isinstance(answer, dict) or "data" not in answer or answer.get("errors"):
            errors = answer.get("errors") if isinstance(answer, dict) else None
            code = str((errors or [{}])[0].get("extensions", {}).get("code", ""))
            message = "; ".join(str(error.get("message", error)) for error in errors or []) or "no data in the answer"
            kind = UpstreamUnavailable if code.startswith("SOURCE_UNAVAILABLE") else UpstreamRefused
            raise kind(self._host(None), self._words(message), body=answer)
        return answer["data"]

    async def fetch(
        self,
        method: str,
        path: str,
        parameters: Parameters | None = None,
        *,
        body: Json = None,
        text: str | None = None,
        base: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send a request, with retries, and return the 2xx response; raise `UpstreamError` otherwise."""
        request = Request(method, self._url(path, parameters, base), headers or {}, body, text)
        record: dict[str, Json] = {"method": method, "url": request.public_url, "status": None, "attempts": 0}
        self.trace.requests.append(record)
        started = time.monotonic()
        limited_at: float | None = None
        try:
            if kept := await self._kept(request, record):
                return kept
            async for attempt in attempts(self._remaining_s, self.progress):
                with attempt:
                    if limited_at is not None:
                        self.trace.waits.add(limited_at, time.monotonic())
                        limited_at = None
                    record["attempts"] = attempt.num
                    if attempt.num > 1:
                        self.progress(f"{request.host} did not answer; attempt {attempt.num} of {ATTEMPTS}")
                    try:
                        return await self._attempt(request, record)
                    except UpstreamRateLimited:
                        limited_at = time.monotonic()
                        raise
            raise UpstreamUnavailable(request.host, "no attempt was possible in the time left")
        finally:
            record["seconds"] = round(time.monotonic() - started, 3)

    async def _kept(self, request: Request, record: dict[str, Json]) -> Response | None:
        """Return the answer that an earlier call has left, if it is still fresh enough."""
        kept = await self.cache.get(request) if self.cache else None
        if kept is not None:
            record.update(status=kept.status, bytes=len(kept.content), cached=True)
            self.trace.origins.extend([kept.origin] if kept.origin else [])
        return kept

    async def _attempt(self, request: Request, record: dict[str, Json]) -> Response:
        self.breakers.check(request.host)
        try:
            response = await self._sent(request, record)
        except UpstreamError as error:
            self.breakers.note(error)
            raise
        except BaseException:
            self.breakers.note_cancelled(request.host)
            raise
        self.breakers.note_success(request.host)
        if response.origin is None and response.status == 200:
            self.trace.fresh.append((request, response))
        return response

    async def _sent(self, request: Request, record: dict[str, Json]) -> Response:
        held_s = self.limits.held_s(self.platform, self.rate)
        if held_s > self._remaining_s():
            raise UpstreamRateLimited(request.host, f"it asks for a pause of {held_s:.0f} s", retry_after_s=held_s)
        await self._my_turn(request.host)
        response = await self.transport.send(request)
        record["status"] = response.status
        record["bytes"] = len(response.content)
        if response.origin:
            self.trace.origins.append(response.origin)
        if pause_s := self.pause_s(response.headers):
            self.limits.hold(self.platform, self.rate, pause_s)
        if response.status >= 300:
            error = self._error(request.host, response)
            if isinstance(error, UpstreamRateLimited) and error.retry_after_s:
                self.limits.hold(self.platform, self.rate, error.retry_after_s)
            raise error
        return response

    async def _my_turn(self, host: str) -> None:
        """Wait until one more request is allowed; tell a waiting person when that takes a while."""
        tell = asyncio.get_running_loop().call_later(
            TELL_AFTER_S, self.progress, f"waiting for the rate limit of {host}"
        )
        began = time.monotonic()
        try:
            await self.limits.wait(self.platform, self.rate)
        finally:
            tell.cancel()
            self.trace.waits.add(began, time.monotonic())

    def _error(self, host: str, response: Response) -> UpstreamError:
        status = response.status
        body: Json
        try:
            body = json.loads(response.content)
        except ValueError:
            body = response.text()
        retry_after = retry_after_seconds(response.headers.get("retry-after"))
        message = self._words(self._said(body))
        if status in (404, 410):
            return UpstreamNotFound(host, message, status=status, body=body)
        if status == 429:
            return UpstreamRateLimited(host, message, status=status, retry_after_s=retry_after, body=body)
        if status >= 500 or status == 408:
            return UpstreamUnavailable(host, message, status=status, retry_after_s=retry_after, body=body)
        return UpstreamRefused(host, message, status=status, body=body)

    @staticmethod
    def _said(body: Json) -> str:
        """Pick the upstream's own words out of an error body."""
        if isinstance(body, dict):
            for name in ("error", "message", "messages", "errors", "error_message", "detail", "Fault", "data"):
                if body.get(name):
                    return body[name] if isinstance(body[name], str) else json.dumps(body[name], ensure_ascii=False)
        return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)

    def _words(self, text: str) -> str:
        """Shorten an upstream's text to what a person or a model can use: no markup, no keys."""
        for secret in self.credentials.values():
            text = text.replace(secret, "…")
        head = text[:READ_FOR_MESSAGE_CHARS]
        plain = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", head, flags=re.DOTALL | re.IGNORECASE)
        return " ".join(redact(plain).split())[:MESSAGE_MAX_CHARS] or "(empty answer)"

    def _json(self, response: Response, base: str | None = None) -> Json:
        """Read a response's JSON; anything else is a bad response of the host."""
        text = response.text().strip()
        if not text:
            raise UpstreamBadResponse(self._host(base), "an empty body where JSON was promised", status=response.status)
        try:
            # NCBI and PubChem put raw line ends and control characters into strings.
            return json.loads(text, strict=False)
        except ValueError as error:
            message = f"not JSON where JSON was promised: {self._words(text)}"
            raise UpstreamBadResponse(self._host(base), message, status=response.status) from error

    def _url(self, path: str, parameters: Parameters | None, base: str | None) -> str:
        url = (base or self.base_url).rstrip("/") + (f"/{path.lstrip('/')}" if path else "")
        pairs = [(name, _as_text(value)) for name, value in (parameters or {}).items() if value is not None]
        if base is None:
            pairs += self.credentials.items()
        query = urlencode(pairs)
        return f"{url}{'&' if '?' in url else '?'}{query}" if query else url

    def _host(self, base: str | None) -> str:
        return urlsplit(base or self.base_url).netloc

    def _remaining_s(self) -> float:
        return self.deadline - time.monotonic()


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return str(value)
