"""The server: a loopback port in a thread of its own, and a record of every request."""

import asyncio
import json
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from evals.strict_messages.connection import Answer, Call, Connection
from evals.strict_messages.conversation import unmarked
from evals.strict_messages.events import Event
from evals.strict_messages.models import ModelRules
from evals.strict_messages.script import Break, Failure, Step, Unanswered
from evals.strict_messages.service import Counted, Decided, Service, Stream, error_body

Json = Any
DRIP_INTERVAL_S = 0.02
WAIT_S = 5.0


@dataclass
class Recorded:
    """One request and what became of it. `client_closed_at` (monotonic seconds) is for streams that break."""

    number: int
    headers: dict[str, str]
    body: bytes
    json: dict[str, Json]
    status: int = 0
    error: str = ""
    usage: dict[str, Json] = field(default_factory=dict)
    client_closed_at: float | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, Json]]:
        """The messages without cache marks."""
        return list(unmarked(self.json.get("messages", [])))

    async def client_closed(self) -> float:
        """Wait until the connection has ended; return when the client closed it."""
        await asyncio.to_thread(self.ended.wait, WAIT_S)
        assert self.client_closed_at is not None, f"the client did not close request {self.number}"
        return self.client_closed_at


class StrictMessages:
    """A Messages API on loopback; use it as a context manager."""

    def __init__(self, *, api_key: str = "test-key", clock: Callable[[], float] = time.monotonic) -> None:
        self.requests: list[Recorded] = []
        self.base_url = ""
        self._service = Service(api_key=api_key, clock=clock)
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._started = threading.Event()
        self._arrival = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="strict-messages", daemon=True)

    @property
    def api_key(self) -> str:
        """The key that is accepted from the start."""
        return self._service.api_key

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation, which shares neither signatures nor cache with others."""
        self._service.accept_key(api_key)

    @property
    def models(self) -> dict[str, ModelRules]:
        """The models on offer; a test may narrow one."""
        return self._service.models

    @property
    def unplayed(self) -> int:
        """How many steps of the script are left."""
        return len(self._service.script)

    def script(self, *steps: Step) -> None:
        """Add what the next accepted requests are answered with."""
        self._service.script.extend(steps)

    async def request(self, number: int = 0) -> Recorded:
        """Wait until a request has come in, and return it."""
        await asyncio.to_thread(self._wait_for, number)
        return self.requests[number]

    def __enter__(self) -> "StrictMessages":
        self._thread.start()
        assert self._started.wait(WAIT_S), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(WAIT_S)
        self._loop.close()

    def _wait_for(self, number: int) -> None:
        with self._arrival:
            assert self._arrival.wait_for(lambda: len(self.requests) > number, WAIT_S), "no such request came in"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        running: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(self._converse(Connection(reader, writer)))
            running.add(task)
            task.add_done_callback(running.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        self.base_url = "http://{}:{}".format(*server.sockets[0].getsockname()[:2])
        self._started.set()
        await self._stopping.wait()
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _converse(self, connection: Connection) -> None:
        try:
            call = await connection.read()
            if call is None:
                return
            recorded = Recorded(len(self.requests), call.headers, call.body, _json(call.body))
            with self._arrival:
                self.requests.append(recorded)
                self._arrival.notify_all()
            decided = self._decided(call, recorded)
            if not isinstance(decided, Unanswered):
                await connection.write(self._answer(decided, recorded, connection))
            elif decided.how == "silence":
                await connection.left()
            if connection.client_left.is_set():
                recorded.client_closed_at = time.monotonic()
            recorded.ended.set()
        finally:
            await connection.close()

    def _decided(self, call: Call, recorded: Recorded) -> Decided:
        try:
            return self._service.answer(call.method, call.path, call.headers, call.body, recorded.json)
        except Exception:
            # A fault of this server must show in the test, not as a connection that closes.
            return Failure(500, "api_error", traceback.format_exc())

    def _answer(self, decided: Failure | Stream | Counted, recorded: Recorded, connection: Connection) -> Answer:
        request_id = self._service.new_id("req")
        if isinstance(decided, Failure):
            recorded.status, recorded.error = decided.status, decided.message
            kind = "application/json" if decided.body is None else "text/html"
            headers = {"content-type": kind, "request-id": request_id, **decided.headers}
            return Answer(decided.status, headers, _once(error_body(decided, request_id)))
        if isinstance(decided, Counted):
            recorded.status = 200
            counted = json.dumps({"input_tokens": decided.input_tokens}).encode()
            return Answer(200, {"content-type": "application/json", "request-id": request_id}, _once(counted))
        recorded.status, recorded.usage = 200, decided.usage
        headers = {"content-type": "text/event-stream; charset=utf-8", "request-id": request_id}
        cut = asyncio.Event()
        return Answer(200, headers, self._pieces(decided, connection, cut), cut)

    async def _pieces(self, stream: Stream, connection: Connection, cut: asyncio.Event) -> AsyncIterator[bytes]:
        for event in stream.events:
            if stream.broken and _is_due(stream.broken, event):
                async for piece in self._broken(stream.broken, connection, cut):
                    yield piece
                return
            yield event.encoded()

    async def _broken(self, broken: Break, connection: Connection, cut: asyncio.Event) -> AsyncIterator[bytes]:
        if broken.how == "error":
            error = {"type": broken.error_type, "message": broken.message}
            data = {"type": "error", "error": error, "request_id": self._service.new_id("req")}
            yield Event("error", data).encoded()
        elif broken.how == "cut":
            cut.set()
        elif broken.how in {"silence", "drip"}:
            while not await _is_set(connection.client_left, within_s=DRIP_INTERVAL_S):
                if broken.how == "drip":
                    yield Event("ping", {"type": "ping"}).encoded()


def _is_due(broken: Break, event: Event) -> bool:
    """Whether a stream breaks before this event."""
    where, deltas_sent = event.at
    if broken.block is None:
        return True
    if broken.block == "start":
        return where != "first"
    if isinstance(where, str):
        return where == broken.block
    return where == broken.block and event.name != "content_block_start" and deltas_sent >= broken.deltas


async def _is_set(event: asyncio.Event, within_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), within_s)
    except TimeoutError:
        return False
    return True


def _json(body: bytes) -> dict[str, Json]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body
