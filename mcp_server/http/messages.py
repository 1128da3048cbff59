"""A request and a response as BURP sees them, and what of them may be shown or stored."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

Json = Any

# Parameters that identify the caller, not the record.
SECRET_PARAMETERS = frozenset({"api_key", "apikey", "key", "token", "email", "tool"})
_SECRET_IN_TEXT = re.compile(
    r"((?:api[_-]?key|token|email|password)[\"']?\s*[=:]\s*[\"']?)[^\s&\"'<>,;}]+", re.IGNORECASE
)
_CREDENTIALS_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True)
class Request:
    """One HTTP request. `body` is JSON data; a form or text body goes in `text`."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Json = None
    text: str | None = None

    @property
    def host(self) -> str:
        """The host that is asked."""
        return urlsplit(self.url).netloc

    @property
    def public_url(self) -> str:
        """The canonical address without anything that identifies the caller."""
        return canonical_url(self.url)


@dataclass(frozen=True)
class Origin:
    """Where an answer that was not fetched now comes from: `recorded`, `curated` or `cache`.

    `date` is a day, or for the cache the moment of fetching, both UTC in ISO 8601.
    """

    origin: str
    date: str
    partial: bool = False

    @property
    def fetched_at(self) -> str:
        """The moment of fetching; a day counts from its beginning."""
        return self.date if "T" in self.date else f"{self.date}T00:00:00Z"


@dataclass(frozen=True)
class Response:
    """One HTTP response, read to its end. `origin` is set for answers out of the snapshot."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    origin: Origin | None = None

    def text(self) -> str:
        """Decode the body as UTF-8; wrong bytes become replacement characters."""
        return self.content.decode("utf-8", errors="replace")


class Transport(Protocol):
    """Brings the answer to a request, or raises an `UpstreamError`."""

    async def send(self, request: Request) -> Response:
        """Send one request once."""
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


def canonical_url(url: str) -> str:
    """Return `url` with sorted parameters and without keys, contact details or credentials."""
    parts = urlsplit(url)
    kept = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in SECRET_PARAMETERS
    )
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, host, quote(parts.path, safe="/%:@!$&'()*+,;=~"), urlencode(kept), ""))


def canonical_key(
    method: str, url: str, body: Json = None, text: str | None = None, *, whole_query: bool = False
) -> str:
    """Return what two requests for the same answer have in common.

    GraphQL requests are told apart by operation and variables, so that a changed field list
    finds the same record and is caught by the snapshot's own check instead; with `whole_query`
    the field list counts as well.
    """
    if not whole_query and isinstance(body, dict) and "query" in body and "variables" in body:
        body = {"operationName": body.get("operationName"), "variables": body["variables"]}
    parts = [method.upper(), canonical_url(url)]
    if body is not None:
        parts.append(json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    if text is not None:
        parts.append(text)
    return "\n".join(parts)


def redact(text: str) -> str:
    """Remove keys, addresses and credentials from a text that somebody may read."""
    return _CREDENTIALS_IN_URL.sub("", _SECRET_IN_TEXT.sub(r"\1…", text))
