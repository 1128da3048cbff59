"""The server: the Messages API on a loopback port, and a record of every request."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Break, Failure, Unanswered, broken_off, is_due
from evals.loopback.server import LoopbackServer, once
from evals.loopback.server import Recorded as AnyRecorded
from evals.strict_messages.conversation import unmarked
from evals.strict_messages.events import Event
from evals.strict_messages.models import ModelRules
from evals.strict_messages.script import Step
from evals.strict_messages.service import Counted, Service, Stream, error_body

Json = Any


@dataclass
class Recorded(AnyRecorded):
    """One request and what became of it."""

    @property
    def messages(self) -> list[dict[str, Json]]:
        """The messages without cache marks."""
        return list(unmarked(self.json.get("messages", [])))


class StrictMessages(LoopbackServer[Recorded]):
    """A Messages API on loopback; use it as a context manager."""

    recorded = Recorded

    def __init__(self, *, api_key: str = "test-key", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._service = Service(api_key=api_key, clock=clock)

    @property
    def api_key(self) -> str:
        """The key that is accepted from the start."""
        return self._service.api_key

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation, which shares neither signatures nor cache with others.

        A key that was known belongs to another organisation from now on.
        """
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

    def answer(self, call: Call, recorded: Recorded, connection: Connection) -> Answer | Unanswered:
        """Refuse a request, count it, or play the next step of the script."""
        decided = self._service.answer(call.method, call.path, call.headers, call.body, recorded.json)
        if isinstance(decided, Unanswered):
            return decided
        request_id = self._service.new_id("req")
        if isinstance(decided, Failure):
            return _refused(decided, recorded, request_id)
        if isinstance(decided, Counted):
            recorded.status = 200
            counted = json.dumps({"input_tokens": decided.input_tokens}).encode()
            return Answer(200, {"content-type": "application/json", "request-id": request_id}, once(counted))
        recorded.status, recorded.usage = 200, decided.usage
        headers = {"content-type": "text/event-stream; charset=utf-8", "request-id": request_id}
        cut = asyncio.Event()
        return Answer(200, headers, self._pieces(decided, connection, cut), cut)

    def fault(self, text: str, recorded: Recorded) -> Answer:
        """Return a fault of this server as a 500."""
        return _refused(Failure(500, "api_error", text), recorded, "req_fault")

    async def _pieces(self, stream: Stream, connection: Connection, cut: asyncio.Event) -> AsyncIterator[bytes]:
        for event in stream.events:
            opens_block = event.name == "content_block_start"
            if stream.broken and is_due(stream.broken, event.at, opens_block=opens_block):
                error = self._error_event(stream.broken)
                ping = Event("ping", {"type": "ping"}).encoded()
                async for piece in broken_off(stream.broken, connection, cut, error=error, drip=ping):
                    yield piece
                return
            yield event.encoded()

    def _error_event(self, broken: Break) -> bytes:
        error = {"type": broken.error_type, "message": broken.message}
        data = {"type": "error", "error": error, "request_id": self._service.new_id("req")}
        return Event("error", data).encoded()


def _refused(failure: Failure, recorded: Recorded, request_id: str) -> Answer:
    recorded.status, recorded.error = failure.status, failure.message
    kind = "application/json" if failure.body is None else "text/html"
    headers = {"content-type": kind, "request-id": request_id, **failure.headers}
    return Answer(failure.status, headers, once(error_body(failure, request_id)))
