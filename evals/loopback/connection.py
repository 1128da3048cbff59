"""One HTTP connection: read a request, write an answer, notice when the client goes away."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import h11

CHUNK_BYTES = 65536


@dataclass(frozen=True)
class Call:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """A status line, headers, and the pieces of a body; `cut` drops the connection after them."""

    status: int
    headers: dict[str, str]
    pieces: AsyncIterator[bytes]
    cut: asyncio.Event = field(default_factory=asyncio.Event)


class Connection:
    """An accepted connection that carries one request. `client_left` is set when the client closes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER)
        self.client_left = asyncio.Event()

    async def read(self) -> Call | None:
        """Return the request; None if the client left before it was complete."""
        head: h11.Request | None = None
        body = b""
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(CHUNK_BYTES))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                headers = {name.decode(): value.decode() for name, value in head.headers}
                return Call(head.method.decode(), head.target.decode(), headers, body)
            else:
                return None

    async def write(self, answer: Answer) -> None:
        """Send an answer piece by piece, stopping when the client leaves."""
        watcher = asyncio.create_task(self.left())
        try:
            headers = [*answer.headers.items(), ("connection", "close")]
            await self._send(h11.Response(status_code=answer.status, headers=headers))
            async for piece in answer.pieces:
                if self.client_left.is_set():
                    return
                await self._send(h11.Data(data=piece))
            if answer.cut.is_set():
                self._writer.transport.abort()
            elif not self.client_left.is_set():
                await self._send(h11.EndOfMessage())
        except ConnectionError:
            self.client_left.set()
        finally:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)

    async def close(self) -> None:
        """Close the connection from this side."""
        self._writer.close()
        await asyncio.gather(self._writer.wait_closed(), return_exceptions=True)

    async def _send(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        data = self._http.send(event)
        self._writer.write(data or b"")
        await self._writer.drain()

    async def left(self) -> None:
        """Wait until the client closes."""
        try:
            while await self._reader.read(CHUNK_BYTES):
                pass
        except ConnectionError:
            pass
        self.client_left.set()
