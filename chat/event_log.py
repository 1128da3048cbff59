"""The durable event log of one turn: events gathered for a moment, stored together, then told to the readers.

A reader gets each event with the number of the one before it; a gap means that messages were
dropped on the way, and the reader takes the missing ones from the store.
"""

import asyncio
import json
import logging
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer

from chat import services
from chat.database import in_database
from chat.events import Event, Reasoning, Text, TurnEnd, to_wire
from chat.lease import Lease, LeaseLost

log = logging.getLogger(__name__)
# Long enough to write some twenty times a second, short enough not to be felt.
GATHER_S = 0.05


def group_name(turn_id: UUID) -> str:
    """Return the channel group of a turn's readers."""
    return f"turn.{turn_id}"


class EventLog:
    """Takes the events of a running turn in order. `run_writer` must run beside `add`."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._turn_id = lease.turn_id
        self._pending: list[Event] = []
        self._previous = 0
        self._dirty = asyncio.Event()
        # Guards the order of writes between the writer and `close`.
        self._writing = asyncio.Lock()

    def add(self, event: Event) -> None:
        """Take one event; pieces of one text are joined."""
        last = self._pending[-1] if self._pending else None
        if isinstance(event, Reasoning | Text) and isinstance(last, Reasoning | Text) and _continues(last, event):
            self._pending[-1] = replace(event, text=last.text + event.text)
        else:
            self._pending.append(event)
        self._dirty.set()

    async def close(self, end: TurnEnd, *, answer: str) -> None:
        """Store the last event and release the session's lock in one step, then tell the readers.

        Raises `LeaseLost` when others have closed the turn: they have told its end.
        """
        async with self._writing:
            await self._write_pending()
            wire = to_wire(end)
            if not await in_database(services.turn_finish)(turn_id=self._turn_id, end=wire, answer=answer):
                raise LeaseLost(f"turn {self._turn_id} was closed by others")
            await self._tell(wire["seq"], json.dumps(wire))

    async def run_writer(self) -> None:
        """Write what was gathered, again and again, until cancelled."""
        while True:
            await self._dirty.wait()
            await asyncio.sleep(GATHER_S)
            try:
                await _finished(self.flush())
            except LeaseLost:
                return
            except Exception:
                # What could not be stored now stays pending; `close` tries again and fails aloud.
                log.exception("events of turn %s could not be stored", self._turn_id)

    async def flush(self) -> None:
        """Store and tell what was gathered by now."""
        async with self._writing:
            await self._write_pending()

    async def _write_pending(self) -> None:
        self._dirty.clear()
        events, self._pending = self._pending, []
        if not events:
            return
        wires = [to_wire(event) for event in events]
        try:
            await self._lease.ensure()
            texts = await in_database(services.events_append)(turn_id=self._turn_id, events=wires)
        except BaseException:
            self._pending = [*events, *self._pending]
            raise
        for wire, text in zip(wires, texts, strict=True):
            await self._tell(wire["seq"], text)

    async def _tell(self, seq: int, text: str) -> None:
        # As text: what carries the messages between processes can't hold every number that JSON can.
        message = {"type": "turn.event", "seq": seq, "previous": self._previous, "event": text}
        self._previous = seq
        try:
            await get_channel_layer().group_send(group_name(self._turn_id), message)
        except Exception:
            # It is stored: the readers look there when they hear nothing.
            log.exception("an event of turn %s could not be told", self._turn_id)


async def _finished(work: Coroutine[Any, Any, None]) -> None:
    """Await work to its end, even when cancelled meanwhile: half a write would be told twice."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _continues(last: Reasoning | Text, event: Reasoning | Text) -> bool:
    return type(last) is type(event) and last.step == event.step
