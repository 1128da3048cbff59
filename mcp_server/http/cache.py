"""Answers that a tool has understood, kept on disk for a time that fits their source.

Nothing that failed is ever kept: an answer goes in only after the tool that asked for it has read it
without an error. Keys hold no secrets and are the same after a restart. The store is hishel's.
"""

import logging
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp_server.http.messages import Origin, Request, Response, canonical_key

log = logging.getLogger(__name__)
FETCHED_AT = "x-burp-fetched-at"
MAX_BYTES = 512 * 1024 * 1024
MAX_ANSWER_BYTES = 16 * 1024 * 1024


class ResponseCache:
    """The store of one server process; several processes may share its file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "responses.sqlite3"
        self._storage: Any = None

    def _opened(self) -> Any:
        if self._storage is None:
            # Imported here: a server that answers from the snapshot never needs it.
            from hishel import AsyncSqliteStorage

            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._storage = AsyncSqliteStorage(database_path=self._path, max_size=MAX_BYTES)
        return self._storage

    async def get(self, request: Request) -> Response | None:
        """Return a kept answer that has not expired."""
        entries = await self._opened().get_entries(_key(request))
        if not entries:
            return None
        stored = entries[0].response
        content = b"".join([chunk async for chunk in stored.stream])
        headers = {name: ", ".join(stored.headers.get_list(name) or []) for name in stored.headers}
        fetched_at = headers.pop(FETCHED_AT)
        return Response(stored.status_code, headers, content, Origin("cache", fetched_at))

    async def keep(self, request: Request, response: Response, ttl_s: float) -> None:
        """Keep an answer for `ttl_s` seconds; a fault of the store costs the cache, never the call."""
        if len(response.content) > MAX_ANSWER_BYTES:
            return
        try:
            await self._keep(request, response, ttl_s)
        except Exception:
            log.exception("an answer of %s could not be kept", request.host)

    async def _keep(self, request: Request, response: Response, ttl_s: float) -> None:
        import hishel

        fetched_at = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        headers = {**response.headers, FETCHED_AT: fetched_at}
        entry = await self._opened().create_entry(
            hishel.Request(method=request.method, url=request.public_url),
            hishel.Response(response.status, hishel.Headers(headers), _once(response.content)),
            _key(request),
            ttl=ttl_s,
        )
        async for _ in entry.response.stream:
            pass  # the store writes what passes through

    async def aclose(self) -> None:
        """Close the file."""
        if self._storage is not None:
            await self._storage.close()


def _key(request: Request) -> str:
    return canonical_key(request.method, request.url, request.body, request.text, whole_query=True)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
