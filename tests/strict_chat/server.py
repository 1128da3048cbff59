"""The server: Chat Completions on a loopback port, and a record of every request."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from evals.loopback.connection import Answer, Call, Connection
from evals.loopback.faults import Failure, Unanswered, broken_off, is_due
from evals.loopback.server import LoopbackServer, Recorded, once
from tests.strict_chat.dialects import LLAMA_CPP, Dialect
from tests.strict_chat.events import KEEP_ALIVE
from tests.strict_chat.models import ModelRules
from tests.strict_chat.script import Step
from tests.strict_chat.service import Playing, Service

Json = Any


class StrictChat(LoopbackServer[Recorded]):
    """Chat Completions on loopback; use it as a context manager. Its address is `{base_url}/v1`.

    With `api_key=""` it asks for none, as local servers do unless they are told to.
    """

    recorded = Recorded

    def __init__(self, *, api_key: str = "test-key", dialect: Dialect = LLAMA_CPP) -> None:
        super().__init__()
        self._service = Service(api_key, dialect)

    @property
    def api_key(self) -> str:
        """The key that is accepted; empty where none is asked for."""
        return self._service.api_key

    @property
    def models(self) -> dict[str, ModelRules]:
        """The models on offer; a test may narrow one."""
        return self._service.models

    def refuse_reasoning(self) -> None:
        """Take no reasoning back in messages, as some gateways do."""
        self._service.takes_reasoning = False

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
            return self._refused(decided, recorded)
        recorded.status, recorded.usage = 200, decided.usage
        cut = asyncio.Event()
        return Answer(200, {"content-type": "text/event-stream"}, self._pieces(decided, connection, cut), cut)

    def fault(self, text: str, recorded: Recorded) -> Answer:
        """Return a fault of this server as a 500."""
        return self._refused(Failure(500, "server_error", text), recorded)

    async def _pieces(self, playing: Playing, connection: Connection, cut: asyncio.Event) -> AsyncIterator[bytes]:
        for event in playing.events:
            if playing.broken and is_due(playing.broken, event.at, opens_block=event.opens):
                error = self._service.dialect.error_event(playing.broken)
                async for piece in broken_off(playing.broken, connection, cut, error=error, drip=KEEP_ALIVE):
                    yield piece
                return
            yield event.encoded

    def _refused(self, failure: Failure, recorded: Recorded) -> Answer:
        recorded.status, recorded.error = failure.status, failure.message
        kind = "application/json" if failure.body is None else "text/html"
        headers = {"content-type": kind, **failure.headers}
        return Answer(failure.status, headers, once(self._service.dialect.error_body(failure)))
