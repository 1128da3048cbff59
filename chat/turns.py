"""Running turns: start, follow, stop, and what happens when readers or the server go away.

A turn runs in a task of this process, whoever asked for it; readers come and go through the
channel layer, also from other processes. The session's lock is a database constraint with a lease.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.utils import timezone

from chat import selectors, services
from chat.assembly import CannotStart, assemble, failed_start
from chat.event_log import EventLog, group_name
from chat.events import Event, Text, TurnEnd
from chat.loop import run_turn
from chat.models import Turn
from chat.stopping import StopSignal
from mcp_server.codes import TurnOutcome

Json = Any
log = logging.getLogger(__name__)

RENEW_S = 5.0
READER_PING_S = 4.0
READER_LOST_S = 12.0
FIRST_READER_S = 20.0
FOLLOW_POLL_S = 5.0
SHUTDOWN_S = 6.0


class ServerStopping(Exception):
    """No new turns: the server is being restarted."""


@dataclass
class _Running:
    """A turn that runs in this process. `readers` is by channel, with the time of the last sign of life."""

    turn: Turn
    stop: StopSignal = field(default_factory=StopSignal)
    readers: dict[str, float] = field(default_factory=dict)
    alone_since: float = field(default_factory=time.monotonic)
    had_reader: bool = False
    task: asyncio.Task[None] | None = None


_running: dict[UUID, _Running] = {}
_stopping = False


def _control_group(turn_id: UUID) -> str:
    return f"control.{turn_id}"


# --- what pages, API and commands call ---------------------------------------------------------


async def start_turn(*, session_id: UUID, owner_id: int, question: str) -> UUID:
    """Take the session's lock and run the question; return the turn's id at once.

    Raises what `services.turn_begin` raises, and `ServerStopping`.
    """
    if _stopping:
        raise ServerStopping("the server is being restarted; ask again in a moment")
    turn = await sync_to_async(services.turn_begin)(session_id=session_id, owner_id=owner_id, question=question)
    running = _running[turn.pk] = _Running(turn)
    running.task = asyncio.create_task(_drive(running), name=f"turn {turn.pk}")
    return turn.pk


async def stop_turn(*, turn_id: UUID, owner_id: int) -> None:
    """Stop a turn of this person, in whichever process it runs; `Turn.DoesNotExist` for anybody else's."""
    turn = await sync_to_async(selectors.turn_get)(owner_id=owner_id, turn_id=turn_id)
    if turn.pk in _running:
        _running[turn.pk].stop.give(TurnOutcome.ABORTED_BY_USER)
        return
    await sync_to_async(services.turn_stop_request)(turn_id=turn.pk)
    await get_channel_layer().group_send(_control_group(turn.pk), {"type": "turn.stop"})


async def follow_turn(turn_id: UUID, after_seq: int = 0) -> AsyncIterator[dict[str, Json]]:
    """Yield the turn's events after `after_seq`: the stored ones, then live ones, to its end.

    While this is being read, the turn has a reader; close the iterator to leave.
    """
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(group_name(turn_id), channel)
    seq = after_seq
    try:
        async with _presence(turn_id, channel):
            while True:
                # Asked first: what is over has all its events in the store, the last one too.
                over = await _is_over(turn_id)
                for event in await sync_to_async(selectors.turn_events)(turn_id=turn_id, after_seq=seq):
                    seq = event["seq"]
                    yield event
                if over:
                    return
                async for event in _live_events(channel, seq):
                    seq = event["seq"]
                    yield event
                    if event["type"] == TurnEnd.type:
                        return
    finally:
        await layer.group_discard(group_name(turn_id), channel)


async def close_dead_turns() -> None:
    """Close what an earlier process left running; called at start."""
    for turn_id in await sync_to_async(services.turns_close_dead)():
        log.warning("turn %s was left by a process that is gone; closed", turn_id)


async def shutdown() -> None:
    """End all turns of this process with their ledgers written; no new ones are taken."""
    global _stopping
    _stopping = True
    for running in list(_running.values()):
        running.stop.give(TurnOutcome.ABORTED_SHUTDOWN)
    tasks = [running.task for running in _running.values() if running.task is not None]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=SHUTDOWN_S)
        for task in late:
            task.cancel()


# --- one turn ------------------------------------------------------------------------------------


async def _drive(running: _Running) -> None:
    """Run a turn from its assembly to the release of its lock."""
    turn = running.turn
    event_log = EventLog(turn.pk)
    answers: dict[int, str] = {}
    try:
        async with _kept(running, event_log):
            async for event in _events(running):
                if isinstance(event, Text):
                    answers[event.step] = answers.get(event.step, "") + event.text
                if isinstance(event, TurnEnd):
                    await event_log.close(event, answer=answers[max(answers)] if answers else "")
                else:
                    event_log.add(event)
    except Exception:
        log.exception("turn %s broke", turn.pk)
    finally:
        _running.pop(turn.pk, None)
        await asyncio.shield(sync_to_async(services.turn_close_broken)(turn_id=turn.pk))


async def _events(running: _Running) -> AsyncIterator[Event]:
    timeout_s = settings.BURP.chat.turns.turn_timeout_s
    deadline = asyncio.get_running_loop().call_later(timeout_s, running.stop.give, TurnOutcome.MAX_ITERATIONS)
    try:
        question, deps = await assemble(running.turn, running.stop)
    except CannotStart as problem:
        deadline.cancel()
        for event in failed_start(running.turn, problem):
            yield event
        return
    try:
        async for event in run_turn(question, deps):
            yield event
    finally:
        deadline.cancel()
        await deps.provider.aclose()


@asynccontextmanager
async def _kept(running: _Running, event_log: EventLog) -> AsyncIterator[None]:
    """Beside the turn: write waiting text, renew the lease, listen for stop and for readers."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(_control_group(running.turn.pk), channel)
    tasks = [
        asyncio.create_task(event_log.run_writer()),
        asyncio.create_task(_renew_lease(running)),
        asyncio.create_task(_listen(running, channel)),
        asyncio.create_task(_watch_readers(running)),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await layer.group_discard(_control_group(running.turn.pk), channel)


async def _renew_lease(running: _Running) -> None:
    while True:
        if await sync_to_async(services.turn_renew)(turn_id=running.turn.pk):
            running.stop.give(TurnOutcome.ABORTED_BY_USER)
        await asyncio.sleep(RENEW_S)


async def _listen(running: _Running, channel: str) -> None:
    layer = get_channel_layer()
    while True:
        message = await layer.receive(channel)
        if message["type"] == "turn.stop":
            running.stop.give(TurnOutcome.ABORTED_BY_USER)
        elif message["type"] == "turn.reader":
            running.readers[message["reader"]] = time.monotonic()
            running.had_reader = True
        elif message["type"] == "turn.reader_left":
            running.readers.pop(message["reader"], None)
            if not running.readers:
                running.alone_since = time.monotonic()
                if settings.BURP.chat.turns.disconnect_grace_s == 0:
                    running.stop.give(TurnOutcome.ABORTED_DISCONNECT)


async def _watch_readers(running: _Running) -> None:
    """End the turn when nobody has followed it for the grace period."""
    grace_s = settings.BURP.chat.turns.disconnect_grace_s
    while True:
        await asyncio.sleep(min(1.0, max(grace_s / 4, 0.05)))
        now = time.monotonic()
        for reader, seen in list(running.readers.items()):
            if now - seen > READER_LOST_S:
                del running.readers[reader]
                running.alone_since = seen
        patience_s = grace_s if running.had_reader else max(grace_s, FIRST_READER_S)
        if not running.readers and now - running.alone_since > patience_s:
            running.stop.give(TurnOutcome.ABORTED_DISCONNECT)


# --- one reader ----------------------------------------------------------------------------------


@asynccontextmanager
async def _presence(turn_id: UUID, channel: str) -> AsyncIterator[None]:
    """Tell the turn, again and again, that somebody reads; and when they leave."""
    layer = get_channel_layer()
    group = _control_group(turn_id)

    async def announce() -> None:
        while True:
            await layer.group_send(group, {"type": "turn.reader", "reader": channel})
            await asyncio.sleep(READER_PING_S)

    announcing = asyncio.create_task(announce())
    try:
        yield
    finally:
        announcing.cancel()
        await asyncio.wait([announcing])
        await layer.group_send(group, {"type": "turn.reader_left", "reader": channel})


async def _live_events(channel: str, seq: int) -> AsyncIterator[dict[str, Json]]:
    """Yield events as they are told, until there is a gap or a long silence: then the store knows more."""
    layer = get_channel_layer()
    while True:
        try:
            async with asyncio.timeout(FOLLOW_POLL_S):
                message = await layer.receive(channel)
        except TimeoutError:
            return
        event = message["event"]
        if event["seq"] <= seq:
            continue
        if message["previous"] > seq:
            return
        seq = event["seq"]
        yield event


async def _is_over(turn_id: UUID) -> bool:
    """Tell whether the turn has ended, closing it first if its process is gone."""
    turn = await Turn.objects.only("status", "lease_until").aget(pk=turn_id)
    if turn.status == Turn.Status.RUNNING and turn.lease_until <= timezone.now():
        await close_dead_turns()
        return True
    return turn.status == Turn.Status.ENDED
