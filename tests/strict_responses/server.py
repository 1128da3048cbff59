"""The server: the Responses API on a loopback port, and a record of every request."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Break, Failure, Unanswered, broken_off, is_due
from evals.loopback.server import LoopbackServer, Recorded, once
from tests.strict_responses.models import ModelRules
from tests.strict_responses.script import Step
from tests.strict_responses.service import Service, Stream, error_body

Json = Any


class StrictResponses(LoopbackServer[Recorded]):
    """A Responses API on loopback; use it as a context manager. `base_url` stands for `https://host/v1`."""

    recorded = Recorded

    def __init__(self, *, api_key: str = "test-key") -> None:
        super().__init__()
        self._service = Service(api_key)

    @property
    def api_key(self) -> str:
        """The key that is accepted from the start."""
        return self._service.api_key

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation."""
        self._service.accept_key(api_key)

    @property
    def models(self) -> dict[str, ModelRules]:
        """The models on offer; a test may narrow one."""
        return self._service.models

    def forbid_summaries(self) -> None:
        """Let this organisation be one that is not verified."""
        self._service.summaries_allowed = False

    @property
    def unplayed(self) -> int:
        """How many steps of the script are left."""
        return len(self._service.script)

    def script(self, *steps: Step) -> None:
        """Add what the next accepted requests are answered with."""
        self._service.script.extend(steps)

    def answer(self, call: Call, recorded: Recorded, connection: Connection) -> Answer | Unanswered:
        """Refuse a request, or play the next step of the script."""
        decided = self._service.answer(call.method, call.path, call.headers, recorded.json)
        if isinstance(decided, Unanswered):
            return decided
        request_id = self._service.new_id("req")
        if isinstance(decided, Failure):
            return _refused(decided, recorded, request_id)
        recorded.status, recorded.usage = 200, decided.usage
        headers = {"content-type": "text/event-stream; charset=utf-8", "x-request-id": request_id}
        cut = asyncio.Event()
        return Answer(200, headers, self._pieces(decided, connection, cut), cut)

    def fault(self, text: str, recorded: Recorded) -> Answer:
        """Return a fault of this server as a 500."""
        return _refused(Failure(500, "server_error", text), recorded, "req_fault")

    async def _pieces(self, stream: Stream, connection: Connection, cut: asyncio.Event) -> AsyncIterator[bytes]:
        for event in stream.events:
            opens_block = event.data["type"] == "response.output_item.added"
            if stream.broken and is_due(stream.broken, event.at, opens_block=opens_block):
                error, drip = _error_event(stream.broken), b'event: keepalive\ndata: {"type": "keepalive"}\n\n'
                async for piece in broken_off(stream.broken, connection, cut, error=error, drip=drip):
                    yield piece
                return
            yield event.encoded()


def _error_event(broken: Break) -> bytes:
    data = {"type": "error", "code": broken.error_type, "message": broken.message, "param": None, "sequence_number": 0}
    return f"event: error\ndata: {json.dumps(data)}\n\n".encode()


def _refused(failure: Failure, recorded: Recorded, request_id: str) -> Answer:
    recorded.status, recorded.error = failure.status, failure.message
    kind = "application/json" if failure.body is None else "text/html"
    headers = {"content-type": kind, "x-request-id": request_id, **failure.headers}
    return Answer(failure.status, headers, once(error_body(failure)))
