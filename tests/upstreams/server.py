"""A strict HTTP server on loopback that plays given answers for any host, and keeps a log.

It stands behind `BURP_UPSTREAM_GATEWAY`: `https://HOST/PATH` arrives as `/HOST/PATH`. A request that
nobody announced is answered with 599 and fails the test at the end, and so does an answer that nobody
asked for.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

WAIT_S = 5.0
HEAD_MAX_BYTES = 64 * 1024
UNEXPECTED = 599


@dataclass(frozen=True)
class Answer:
    """What to play once. `cut_at` closes the connection after so many bytes of the body; `held` delays it."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_at: int | None = None
    held: asyncio.Event | None = None


@dataclass(frozen=True)
class Arrival:
    """A request as it came in. `at_s` is on the loop's clock."""

    at_s: float
    method: str
    host: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes


class FakeUpstreams:
    """The server; use it as an async context manager."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], list[Answer]] = {}
        self._unexpected: list[str] = []
        self._changed = asyncio.Condition()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.arrivals: list[Arrival] = []
        # When clients left before their answer was complete, on the loop's clock.
        self.hang_ups_s: list[float] = []

    @property
    def url(self) -> str:
        """The address to use as the gateway."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def hung_up(self) -> int:
        """How many clients left before their answer was complete."""
        return len(self.hang_ups_s)

    def play(
        self,
        host: str,
        path: str,
        body: Any = None,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        times: int = 1,
        cut_at: int | None = None,
        held: asyncio.Event | None = None,
    ) -> None:
        """Announce `times` requests and their answer; bytes and text are sent as they are, the rest as JSON."""
        content = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        answer = Answer(status, content, headers or {}, cut_at, held)
        self._answers.setdefault((method, host, path), []).extend([answer] * times)

    def verify(self) -> None:
        """Fail for what was not announced and for what was announced and never asked for."""
        left = [f"{method} {host}{path}" for (method, host, path), answers in self._answers.items() if answers]
        assert self._unexpected == [], f"unexpected requests: {self._unexpected}"
        assert left == [], f"never asked for: {left}"

    async def arrived(self, count: int) -> None:
        """Wait until so many requests have come in."""
        await self._until(lambda: len(self.arrivals) >= count)

    async def left_alone(self, count: int = 1) -> None:
        """Wait until so many clients have hung up before their answer was complete."""
        await self._until(lambda: self.hung_up >= count)

    async def _until(self, condition: Any) -> None:
        async with asyncio.timeout(WAIT_S), self._changed:
            await self._changed.wait_for(condition)

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def __aenter__(self) -> "FakeUpstreams":
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=WAIT_S)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while arrival := await self._read(reader):
                self.arrivals.append(arrival)
                await self._note()
                if not await self._answer(self._next(arrival), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hang_ups_s.append(asyncio.get_running_loop().time())
            await self._note()
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Arrival | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        line, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = line.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in lines if each)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        parts = urlsplit(target)
        host, _, path = parts.path.lstrip("/").partition("/")
        now_s = asyncio.get_running_loop().time()
        return Arrival(now_s, method, host, f"/{path}", parse_qs(parts.query, keep_blank_values=True), headers, body)

    def _next(self, arrival: Arrival) -> Answer:
        answers = self._answers.get((arrival.method, arrival.host, arrival.path))
        if answers:
            return answers.pop(0)
        self._unexpected.append(f"{arrival.method} {arrival.host}{arrival.path}")
        return Answer(UNEXPECTED, b"nobody announced this request")

    async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send the answer; return whether the connection goes on."""
        if answer.held and not await self._released(answer.held, reader):
            self.hang_ups_s.append(asyncio.get_running_loop().time())
            await self._note()
            return False
        headers = {"content-length": str(len(answer.body)), **answer.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {answer.status} Played\r\n{lines}\r\n".encode())
        writer.write(answer.body if answer.cut_at is None else answer.body[: answer.cut_at])
        await writer.drain()
        return answer.cut_at is None

    @staticmethod
    async def _released(held: asyncio.Event, reader: asyncio.StreamReader) -> bool:
        """Wait for the event; return False when the client hangs up first."""
        released, gone = asyncio.ensure_future(held.wait()), asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((released, gone), return_when=asyncio.FIRST_COMPLETED)
            return released.done()
        finally:
            for task in (released, gone):
                task.cancel()
            await asyncio.wait((released, gone))
