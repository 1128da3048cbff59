"""A loopback port in a thread of its own, and a record of every request; a wire format says what is answered."""

import asyncio
import json
import threading
import time
import traceback
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from evals.loopback.answers import Answered, Streamed
from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Failure, Unanswered

Json = Any
WAIT_S = 5.0


@dataclass
class Recorded:
    """One request and what became of it. `client_closed_at` (monotonic seconds) is for streams that break."""

    number: int
    headers: dict[str, str]
    body: bytes
    json: dict[str, Json]
    path: str = ""
    status: int = 0
    error: str = ""
    usage: dict[str, Json] = field(default_factory=dict)
    client_closed_at: float | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    async def client_closed(self) -> float:
        """Wait until the connection has ended; return when the client closed it."""
        await asyncio.to_thread(self.ended.wait, WAIT_S)
        assert self.client_closed_at is not None, f"the client did not close request {self.number}"
        return self.client_closed_at


R = TypeVar("R", bound=Recorded)
Step = TypeVar("Step")


class LoopbackServer(ABC, Generic[R, Step]):
    """A scripted HTTP service on loopback; use it as a context manager.

    `recorded` is the kind of its records, `fault_type` its name for a fault of its own. `api_key` is accepted from the
    start; `steps` are what is left of the script.
    """

    recorded: type[R]
    fault_type: str

    def __init__(self, api_key: str) -> None:
        self.api_key = api_key
        self.steps: list[Step] = []
        self.requests: list[R] = []
        self.base_url = ""
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._started = threading.Event()
        self._arrival = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)

    @abstractmethod
    def answer(self, call: Call, body: dict[str, Json]) -> Answered:
        """Refuse a request, or play the next step of the script. `body` is empty where it was no JSON object."""

    @abstractmethod
    def streamed(self, stream: Streamed, connection: Connection) -> Answer:
        """Return a stream as this service sends it."""

    @abstractmethod
    def refused(self, failure: Failure) -> Answer:
        """Return an error as this service writes it."""

    def script(self, *steps: Step) -> None:
        """Add what the next accepted requests are answered with."""
        self.steps.extend(steps)

    @property
    def unplayed(self) -> int:
        """How many steps of the script are left."""
        return len(self.steps)

    async def request(self, number: int = 0) -> R:
        """Wait until a request has come in, and return it."""
        await asyncio.to_thread(self._wait_for, number)
        return self.requests[number]

    def __enter__(self) -> Self:
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
            recorded = self.recorded(len(self.requests), call.headers, call.body, read_json(call.body), call.path)
            with self._arrival:
                self.requests.append(recorded)
                self._arrival.notify_all()
            answer = self._answered(call, recorded, connection)
            if isinstance(answer, Answer):
                await connection.write(answer)
            elif answer.how == "silence":
                await connection.left()
            if connection.client_left.is_set():
                recorded.client_closed_at = time.monotonic()
            recorded.ended.set()
        finally:
            await connection.close()

    def _answered(self, call: Call, recorded: R, connection: Connection) -> Answer | Unanswered:
        try:
            found = self.answer(call, recorded.json)
        except Exception:
            # It must show in the test, not as a closed connection.
            found = Failure(500, self.fault_type, traceback.format_exc())
        if isinstance(found, Unanswered):
            return found
        if isinstance(found, Failure):
            recorded.error = found.message
            found = self.refused(found)
        elif isinstance(found, Streamed):
            recorded.usage = found.usage
            found = self.streamed(found, connection)
        recorded.status = found.status
        return found


def read_json(body: bytes) -> dict[str, Json]:
    """Return a body that is a JSON object; empty if it is none."""
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
