"""How a scripted answer goes wrong: before it begins, or in the middle of its stream."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal

from evals.loopback.connection import Connection

Json = Any
DRIP_INTERVAL_S = 0.02
# Where an event stands in its stream: a block's number or a named point, and the deltas of it so far.
Place = tuple[int | str, int]


@dataclass(frozen=True)
class Break:
    """Where and how a stream goes wrong.

    `block` is the number of the block in which it happens, `deltas` how many deltas of it were
    sent before; `block=None` breaks before the first event, `"start"` after the first one,
    `"end"` after all blocks, `"stop"` before the very last event.
    """

    how: Literal["error", "close", "cut", "silence", "drip"]
    block: int | Literal["start", "end", "stop"] | None = None
    deltas: int = 1
    error_type: str = "overloaded_error"
    message: str = "Overloaded"


@dataclass(frozen=True)
class Failure:
    """An HTTP error before any stream."""

    status: int
    error_type: str
    message: str = "scripted failure"
    headers: dict[str, str] = field(default_factory=dict)
    details: dict[str, Json] | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Unanswered:
    """No status line at all: the service stays silent, or drops the connection."""

    how: Literal["silence", "cut"] = "silence"


def is_due(broken: Break, at: Place, *, opens_block: bool) -> bool:
    """Whether a stream breaks before the event at this place; the first event stands at `("first", 0)`."""
    where, deltas_sent = at
    if broken.block is None:
        return True
    if broken.block == "start":
        return where != "first"
    if isinstance(where, str):
        return where == broken.block
    return where == broken.block and not opens_block and deltas_sent >= broken.deltas


async def broken_off(
    broken: Break, connection: Connection, cut: asyncio.Event, *, error: bytes, drip: bytes
) -> AsyncIterator[bytes]:
    """Yield how a stream ends that breaks: `error` is the service's event for it, `drip` what keeps a line open."""
    if broken.how == "error":
        yield error
    elif broken.how == "cut":
        cut.set()
    elif broken.how in {"silence", "drip"}:
        while not await _is_set(connection.client_left, within_s=DRIP_INTERVAL_S):
            if broken.how == "drip":
                yield drip


async def _is_set(event: asyncio.Event, within_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), within_s)
    except TimeoutError:
        return False
    return True
