"""What a scripted service answers, whatever its wire format: events up to where they break, or an error."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from evals.loopback.connection import Answer, Connection
from evals.loopback.faults import Break, Failure, Place, Unanswered, broken_off, is_due

Json = Any


class Event(Protocol):
    """One event of a stream: its place for a `Break`, and whether it only opens a block."""

    @property
    def at(self) -> Place: ...

    @property
    def opens_block(self) -> bool: ...

    def encoded(self) -> bytes:
        """Return the event as server-sent bytes."""
        ...


@dataclass(frozen=True)
class Streamed:
    """An accepted request's events, where they break off, and the usage that they report."""

    events: Sequence[Event]
    broken: Break | None
    usage: dict[str, Json] = field(default_factory=dict)


Answered = Answer | Streamed | Failure | Unanswered


def streamed(
    stream: Streamed, connection: Connection, headers: dict[str, str], *, error: Callable[[Break], bytes], drip: bytes
) -> Answer:
    """Return a stream as it is sent: `error` writes what goes wrong in it, `drip` keeps a line open."""
    cut = asyncio.Event()

    async def pieces() -> AsyncIterator[bytes]:
        for event in stream.events:
            broken = stream.broken
            if broken and is_due(broken, event.at, opens_block=event.opens_block):
                async for piece in broken_off(broken, connection, cut, error=error(broken), drip=drip):
                    yield piece
                return
            yield event.encoded()

    return Answer(200, headers, pieces(), cut)


def refused(failure: Failure, said: Json, headers: dict[str, str]) -> Answer:
    """Return an error as it is sent: `said` as JSON, unless the script has a page in its place."""
    if failure.body is not None:
        headers = {**headers, "content-type": "text/html"}
    body = json.dumps(said).encode() if failure.body is None else failure.body
    return Answer(failure.status, {"content-type": "application/json", **headers, **failure.headers}, once(body))


async def once(body: bytes) -> AsyncIterator[bytes]:
    """Yield a body that comes in one piece."""
    yield body
