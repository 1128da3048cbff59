"""The server: the Gemini API on a loopback port, and a record of every request."""

import asyncio
import json
from collections.abc import AsyncIterator

from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Break, Failure, Unanswered, broken_off, is_due
from evals.loopback.server import LoopbackServer, Recorded, once
from tests.strict_generate.models import ModelRules
from tests.strict_generate.script import Step
from tests.strict_generate.service import Service, Stream, error_body

# How the service writes what goes wrong in a stream, by the name that a `Break` has for it.
IN_STREAM = {
    "overloaded_error": (503, "UNAVAILABLE"),
    "internal": (500, "INTERNAL"),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "cancelled": (499, "CANCELLED"),
}
DRIP = b'data: {"modelVersion": "gemini"}\r\n\r\n'


class StrictGenerate(LoopbackServer[Recorded]):
    """A Gemini API on loopback; use it as a context manager. `base_url` stands for `https://host`."""

    recorded = Recorded

    def __init__(self, *, api_key: str = "test-key") -> None:
        super().__init__()
        self._service = Service(api_key)

    @property
    def api_key(self) -> str:
        """The key that is accepted from the start."""
        return self._service.api_key

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more account."""
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
        """Refuse a request, or play the next step of the script."""
        decided = self._service.answer(call.method, call.path, call.headers, recorded.json)
        if isinstance(decided, Unanswered):
            return decided
        if isinstance(decided, Failure):
            return _refused(decided, recorded)
        recorded.status = 200
        cut = asyncio.Event()
        return Answer(200, {"content-type": "text/event-stream"}, self._pieces(decided, connection, cut), cut)

    def fault(self, text: str, recorded: Recorded) -> Answer:
        """Return a fault of this server as a 500."""
        return _refused(Failure(500, "INTERNAL", text), recorded)

    async def _pieces(self, stream: Stream, connection: Connection, cut: asyncio.Event) -> AsyncIterator[bytes]:
        for event in stream.events:
            if stream.broken and is_due(stream.broken, event.at, opens_block=False):
                error = _error_chunk(stream.broken)
                async for piece in broken_off(stream.broken, connection, cut, error=error, drip=DRIP):
                    yield piece
                return
            yield event.encoded()


def _error_chunk(broken: Break) -> bytes:
    code, status = IN_STREAM[broken.error_type]
    error = {"code": code, "message": broken.message, "status": status}
    return f"data: {json.dumps({'error': error})}\r\n\r\n".encode()


def _refused(failure: Failure, recorded: Recorded) -> Answer:
    recorded.status, recorded.error = failure.status, failure.message
    kind = "application/json; charset=UTF-8" if failure.body is None else "text/html"
    return Answer(failure.status, {"content-type": kind, **failure.headers}, once(error_body(failure)))
