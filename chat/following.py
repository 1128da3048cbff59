"""Follow a turn: its stored events, then live ones, to its end; in whichever process it runs."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer
from django.utils import timezone

from chat import dead_turns, selectors
from chat.database import in_database
from chat.event_log import group_name
from chat.events import TurnEnd
from chat.models import Turn

Json = Any
Message = dict[str, Json]
log = logging.getLogger(__name__)

READER_PING_S = 4.0
FOLLOW_POLL_S = 5.0
RECOVER_S = 1.0


def control_group(turn_id: UUID) -> str:
    """Return the channel group that the process which runs a turn listens to."""
    return f"control.{turn_id}"


async def follow_turn(turn_id: UUID, after_seq: int = 0) -> AsyncIterator[dict[str, Json]]:
    """Yield the turn's events after `after_seq`: the stored ones, then live ones, to its end.

    While this is being read, the turn has a reader; close the iterator to leave.
    """
    seq = after_seq
    async with _heard(turn_id) as (channel, heard), _presence(turn_id, channel):
        while True:
            # Asked first: what is over has all its events in the store, the last one too.
            over = await _is_over(turn_id)
            for event in await in_database(selectors.turn_events)(turn_id=turn_id, after_seq=seq):
                seq = event["seq"]
                yield event
                # It may have ended since it was asked whether it had: what was told of that is known by now.
                over = over or event["type"] == TurnEnd.type
            if over:
                return
            async for event in _live_events(heard, seq):
                seq = event["seq"]
                yield event
                if event["type"] == TurnEnd.type:
                    return


@asynccontextmanager
async def _heard(turn_id: UUID) -> AsyncIterator[tuple[str, "asyncio.Queue[Message]"]]:
    """Listen to a turn: yield the channel and what comes over it.

    The channel is read in a task that lasts as long as the reader: to some layers a read that is called
    off means that nobody listens any more.
    """
    layer = get_channel_layer()
    channel = await layer.new_channel()
    heard: asyncio.Queue[Message] = asyncio.Queue()

    async def listen() -> None:
        while True:
            try:
                heard.put_nowait(await layer.receive(channel))
            except Exception:
                log.exception("events of turn %s could not be heard", turn_id)
                await asyncio.sleep(RECOVER_S)

    listening = asyncio.create_task(listen())
    try:
        await layer.group_add(group_name(turn_id), channel)
        yield channel, heard
    finally:
        await layer.group_discard(group_name(turn_id), channel)
        listening.cancel()
        await asyncio.wait([listening])


@asynccontextmanager
async def _presence(turn_id: UUID, channel: str) -> AsyncIterator[None]:
    """Tell the turn, again and again, that somebody reads; and when they leave."""

    async def say(kind: str) -> None:
        try:
            await get_channel_layer().group_send(control_group(turn_id), {"type": kind, "reader": channel})
        except Exception:
            log.exception("turn %s could not be told of a reader", turn_id)

    async def announce() -> None:
        while True:
            await say("turn.reader")
            await asyncio.sleep(READER_PING_S)

    announcing = asyncio.create_task(announce())
    try:
        yield
    finally:
        announcing.cancel()
        await asyncio.wait([announcing])
        await say("turn.reader_left")


async def _live_events(heard: "asyncio.Queue[Message]", seq: int) -> AsyncIterator[dict[str, Json]]:
    """Yield events as they are told, until there is a gap or a long silence: then the store knows more."""
    while True:
        try:
            async with asyncio.timeout(FOLLOW_POLL_S):
                message = await heard.get()
        except TimeoutError:
            return
        if message["seq"] <= seq:
            continue
        if message["previous"] > seq:
            return
        seq = message["seq"]
        yield json.loads(message["event"])


async def _is_over(turn_id: UUID) -> bool:
    """Tell whether the turn has ended, closing it first if its process is gone."""
    turn = await Turn.objects.only("status", "lease_until").aget(pk=turn_id)
    if turn.status == Turn.Status.RUNNING and turn.lease_until <= timezone.now():
        await in_database(dead_turns.turns_close_dead)()
        await turn.arefresh_from_db(fields=["status"])
    return turn.status == Turn.Status.ENDED
