"""The server: Chat Completions on a loopback port, and a record of every request."""

from typing import Any

from evals.loopback.answers import Streamed, refused, streamed
from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Failure
from evals.loopback.server import LoopbackServer, Recorded
from tests.strict_chat.dialects import LLAMA_CPP, Dialect
from tests.strict_chat.events import KEEP_ALIVE
from tests.strict_chat.script import Step
from tests.strict_chat.service import Decided, Service

Json = Any


class StrictChat(LoopbackServer[Recorded, Step]):
    """Chat Completions on loopback; use it as a context manager. Its address is `{base_url}/v1`.

    With `api_key=""` it asks for none, as local servers do unless they are told to.
    """

    recorded = Recorded
    fault_type = "server_error"

    def __init__(self, *, api_key: str = "test-key", dialect: Dialect = LLAMA_CPP) -> None:
        super().__init__(api_key)
        self._service = Service(api_key, dialect, self.steps)
        # A test may narrow one.
        self.models = self._service.models

    def refuse_reasoning(self) -> None:
        """Take no reasoning back in messages, as some gateways do."""
        self._service.takes_reasoning = False

    def answer(self, call: Call, body: dict[str, Json]) -> Decided:
        """Refuse a request, or play the next step of the script."""
        return self._service.answer(call.method, call.path, call.headers, body)

    def streamed(self, stream: Streamed, connection: Connection) -> Answer:
        """Return a stream as server-sent chunks."""
        headers = {"content-type": "text/event-stream"}
        return streamed(stream, connection, headers, error=self._service.dialect.error_event, drip=KEEP_ALIVE)

    def refused(self, failure: Failure) -> Answer:
        """Return an error in the server's own form."""
        return refused(failure, self._service.dialect.error(failure), {})
