"""The server: the Gemini API on a loopback port, and a record of every request."""

import json
from typing import Any

from evals.loopback.answers import Streamed, refused, streamed
from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Break, Failure
from evals.loopback.server import LoopbackServer, Recorded
from tests.strict_generate.script import Step
from tests.strict_generate.service import Decided, Service

Json = Any

# How the service writes what goes wrong in a stream, by the name that a `Break` has for it.
IN_STREAM = {
    "overloaded_error": (503, "UNAVAILABLE"),
    "internal": (500, "INTERNAL"),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "cancelled": (499, "CANCELLED"),
}
DRIP = b'data: {"modelVersion": "gemini"}\r\n\r\n'


class StrictGenerate(LoopbackServer[Recorded, Step]):
    """A Gemini API on loopback; use it as a context manager. `base_url` stands for `https://host`."""

    recorded = Recorded
    fault_type = "INTERNAL"

    def __init__(self, *, api_key: str = "test-key") -> None:
        super().__init__(api_key)
        self._service = Service(api_key, self.steps)
        # A test may narrow one.
        self.models = self._service.models

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more account."""
        self._service.accept_key(api_key)

    def answer(self, call: Call, body: dict[str, Json]) -> Decided:
        """Refuse a request, or play the next step of the script."""
        return self._service.answer(call.method, call.path, call.headers, body)

    def streamed(self, stream: Streamed, connection: Connection) -> Answer:
        """Return a stream as server-sent chunks."""
        return streamed(stream, connection, {"content-type": "text/event-stream"}, error=_error_chunk, drip=DRIP)

    def refused(self, failure: Failure) -> Answer:
        """Return an error with its number and its name."""
        error = {"code": failure.status, "message": failure.message, "status": failure.error_type}
        said = {"error": {**error, **(failure.details or {})}}
        return refused(failure, said, {"content-type": "application/json; charset=UTF-8"})


def _error_chunk(broken: Break) -> bytes:
    code, status = IN_STREAM[broken.error_type]
    error = {"code": code, "message": broken.message, "status": status}
    return f"data: {json.dumps({'error': error})}\r\n\r\n".encode()
