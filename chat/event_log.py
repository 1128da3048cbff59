"""The durable event log of one turn: pieces of text joined, stored, then told to whoever follows.

A reader gets each event with the number of the one before it; a gap means that messages were
dropped on the way, and the reader takes the missing ones from the store.
"""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from chat import services
from chat.events import Event, Reasoning, Text, TurnEnd, to_wire

Json = Any
JOIN_S = 0.08
JOINED_MAX_CHARS = 2_000


def group_name(turn_id: UUID) -> str:
    """Return the channel group of a turn's readers."""
    return f"turn.{turn_id}"


class EventLog:
    """Takes the events of a running turn in order. `run_flusher` must run beside `add`."""

    def __init__(self, turn_id: UUID) -> None:
        self._turn_id = turn_id
        self._pending: Reasoning | Text | None = None
        self._previous = 0
        self._dirty = asyncio.Event()
        # Guards the order of writes between the turn and the flusher.
        self._writing = asyncio.Lock()

    async def add(self, event: Event) -> None:
        """Take one event; a piece of text may wait a moment for the next one."""
        async with self._writing:
            pending = self._pending
            if isinstance(event, Reasoning | Text):
                if pending is not None and type(pending) is type(event) and pending.step == event.step:
                    event = replace(event, text=pending.text + event.text)
                elif pending is not None:
                    await self._write(pending)
                self._pending = event
                self._dirty.set()
                if len(event.text) >= JOINED_MAX_CHARS:
                    await self._flush()
                return
            await self._flush(event)

    async def close(self, end: TurnEnd, *, answer: str) -> None:
        """Store the last event and release the session's lock in one step, then tell the readers."""
        async with self._writing:
            await self._flush()
            wire = to_wire(end)
            await sync_to_async(services.turn_finish)(turn_id=self._turn_id, end=wire, answer=answer)
            await self._tell(wire)

    async def flush(self) -> None:
        """Write what is waiting."""
        async with self._writing:
            await self._flush()

    async def run_flusher(self) -> None:
        """Write waiting text after a moment, until cancelled."""
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            await asyncio.sleep(JOIN_S)
            await asyncio.shield(self.flush())

    async def _flush(self, *more: Event) -> None:
        events = [event for event in (self._pending, *more) if event is not None]
        self._pending = None
        if events:
            await self._write(*events)

    async def _write(self, *events: Event) -> None:
        wires = [to_wire(event) for event in events]
        await sync_to_async(services.events_append)(turn_id=self._turn_id, events=wires)
        for wire in wires:
            await self._tell(wire)

    async def _tell(self, wire: dict[str, Json]) -> None:
        message = {"type": "turn.event", "event": wire, "previous": self._previous}
        self._previous = wire["seq"]
        await get_channel_layer().group_send(group_name(self._turn_id), message)
