"""The server: the Messages API on a loopback port, and a record of every request."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evals.loopback.answers import Answered, Streamed, once, refused, streamed
from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Break, Failure
from evals.loopback.server import LoopbackServer
from evals.loopback.server import Recorded as AnyRecorded
from evals.strict_messages.conversation import unmarked
from evals.strict_messages.events import Event
from evals.strict_messages.script import Step
from evals.strict_messages.service import Counted, Service

Json = Any
PING = Event("ping", {"type": "ping"}).encoded()


@dataclass
class Recorded(AnyRecorded):
    """One request and what became of it."""

    @property
    def messages(self) -> list[dict[str, Json]]:
        """The messages without cache marks."""
        return list(unmarked(self.json.get("messages", [])))


class StrictMessages(LoopbackServer[Recorded, Step]):
    """A Messages API on loopback; use it as a context manager."""

    recorded = Recorded
    fault_type = "api_error"

    def __init__(self, *, api_key: str = "test-key", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(api_key)
        self._service = Service(self.steps, api_key=api_key, clock=clock)
        # A test may narrow one.
        self.models = self._service.models

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation, which shares neither signatures nor cache with others.

        A key that was known belongs to another organisation from now on.
        """
        self._service.accept_key(api_key)

    def answer(self, call: Call, body: dict[str, Json]) -> Answered:
        """Refuse a request, count it, or play the next step of the script."""
        decided = self._service.answer(call.method, call.path, call.headers, call.body, body)
        if isinstance(decided, Counted):
            counted = json.dumps({"input_tokens": decided.input_tokens}).encode()
            return Answer(200, {"content-type": "application/json", **self._request_id()}, once(counted))
        return decided

    def streamed(self, stream: Streamed, connection: Connection) -> Answer:
        """Return a stream as server-sent events."""
        headers = {"content-type": "text/event-stream; charset=utf-8", **self._request_id()}
        return streamed(stream, connection, headers, error=self._error_event, drip=PING)

    def refused(self, failure: Failure) -> Answer:
        """Return an error with its type, and the id of the request."""
        headers = self._request_id()
        error: dict[str, Json] = {"type": failure.error_type, "message": failure.message}
        if failure.details:
            error["details"] = failure.details
        return refused(failure, {"type": "error", "error": error, "request_id": headers["request-id"]}, headers)

    def _request_id(self) -> dict[str, str]:
        return {"request-id": self._service.new_id("req")}

    def _error_event(self, broken: Break) -> bytes:
        error = {"type": broken.error_type, "message": broken.message}
        data = {"type": "error", "error": error, "request_id": self._service.new_id("req")}
        return Event("error", data).encoded()
