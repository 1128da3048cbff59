"""Answers that a tool has understood, kept on disk for a time that fits their source.

Nothing that failed is ever kept: an answer goes in only after the tool that asked for it has read it
without an error. Keys hold no secrets and are the same after a restart. The store is hishel's.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import replace
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
        self._unwritten: dict[str, Response] = {}
        self._writing: set[asyncio.Task[None]] = set()

    def _opened(self) -> Any:
        if self._storage is None:
            # Imported here: a server that answers from the snapshot never needs it.
            from hishel import AsyncSqliteStorage

            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._storage = AsyncSqliteStorage(database_path=self._path, max_size=MAX_BYTES)
        return self._storage

    async def get(self, request: Request) -> Response | None:
        """Return a kept answer that has not expired; a fault of the store costs the cache, never the call."""
        key = _key(request)
        if key in self._unwritten:
            return self._unwritten[key]
        try:
            return await self._read(key)
        except Exception:
            log.exception("the kept answers can't be read")
            return None

    async def _read(self, key: str) -> Response | None:
        entries = await self._opened().get_entries(key)
        if not entries:
            return None
        stored = entries[0].response
        content = b"".join([chunk async for chunk in stored.stream])
        headers = {name: ", ".join(stored.headers.get_list(name) or []) for name in stored.headers}
        fetched_at = headers.pop(FETCHED_AT)
        return Response(stored.status_code, headers, content, Origin("cache", fetched_at))

    def keep(self, request: Request, response: Response, ttl_s: float) -> None:
        """Keep an answer for `ttl_s` seconds. It is written while the call goes on: nobody waits for the disk."""
        if ttl_s <= 0 or len(response.content) > MAX_ANSWER_BYTES:
            return
        key, fetched_at = _key(request), datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._unwritten[key] = replace(response, origin=Origin("cache", fetched_at))
        writing = asyncio.create_task(self._write(key, request, fetched_at, ttl_s))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)

    async def _write(self, key: str, request: Request, fetched_at: str, ttl_s: float) -> None:
        response = self._unwritten[key]
        try:
            import hishel

            entry = await self._opened().create_entry(
                hishel.Request(method=request.method, url=request.public_url),
                hishel.Response(
                    response.status,
                    hishel.Headers({**response.headers, FETCHED_AT: fetched_at}),
                    _once(response.content),
                ),
                key,
                ttl=ttl_s,
            )
            async for _ in entry.response.stream:
                pass  # the store writes what passes through
        except Exception:
            log.exception("an answer of %s could not be kept", request.host)
        finally:
            self._unwritten.pop(key, None)

    async def aclose(self) -> None:
        """Write what is left and close the file."""
        if self._writing:
            await asyncio.wait(self._writing)
        if self._storage is not None:
            await self._storage.close()


def _key(request: Request) -> str:
    return canonical_key(request.method, request.url, request.body, request.text, whole_query=True)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
