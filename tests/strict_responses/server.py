"""The server: the Responses API on a loopback port, and a record of every request."""

import json
from typing import Any

from evals.loopback.answers import Streamed, refused, streamed
from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Break, Failure
from evals.loopback.server import LoopbackServer, Recorded
from tests.strict_responses.script import Step
from tests.strict_responses.service import Decided, Service

Json = Any

KEEP_ALIVE = b'event: keepalive\ndata: {"type": "keepalive"}\n\n'


class StrictResponses(LoopbackServer[Recorded, Step]):
    """A Responses API on loopback; use it as a context manager. `base_url` stands for `https://host/v1`."""

    recorded = Recorded
    fault_type = "server_error"

    def __init__(self, *, api_key: str = "test-key") -> None:
        super().__init__(api_key)
        self._service = Service(api_key, self.steps)
        # A test may narrow one.
        self.models = self._service.models

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation."""
        self._service.accept_key(api_key)

    def forbid_summaries(self) -> None:
        """Let this organisation be one that is not verified."""
        self._service.summaries_allowed = False

    def answer(self, call: Call, body: dict[str, Json]) -> Decided:
        """Refuse a request, or play the next step of the script."""
        return self._service.answer(call.method, call.path, call.headers, body)

    def streamed(self, stream: Streamed, connection: Connection) -> Answer:
        """Return a stream as server-sent events."""
        headers = {"content-type": "text/event-stream; charset=utf-8", "x-request-id": self._service.new_id("req")}
        return streamed(stream, connection, headers, error=_error_event, drip=KEEP_ALIVE)

    def refused(self, failure: Failure) -> Answer:
        """Return an error with its parameter and its code."""
        error = {"message": failure.message, "type": failure.error_type, "param": None, "code": None}
        said = {"error": {**error, **(failure.details or {})}}
        return refused(failure, said, {"x-request-id": self._service.new_id("req")})


def _error_event(broken: Break) -> bytes:
    data = {"type": "error", "code": broken.error_type, "message": broken.message, "param": None, "sequence_number": 0}
    return f"event: error\ndata: {json.dumps(data)}\n\n".encode()
