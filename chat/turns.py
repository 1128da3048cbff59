"""Running turns: start, follow, stop, and what happens when readers or the server go away.

A turn runs in a task of this process, whoever asked for it; readers come and go through the
channel layer, also from other processes. The session's lock is a database constraint with a lease.
"""

import asyncio
import contextvars
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connections

from chat import dead_turns, liveness, selectors, services
from chat.assembly import CannotStart, assemble, failed_start
from chat.choices import Choice
from chat.database import in_database
from chat.event_log import EventLog
from chat.events import Event, Text, TurnEnd
from chat.following import control_group
from chat.lease import Lease, LeaseLost
from chat.loop import run_turn
from chat.models import Turn
from chat.stopping import StopSignal, TurnStopped, unless_stopped
from mcp_server.codes import TurnOutcome
from tools_catalog.timings import get_timings
from usage import budgets

log = logging.getLogger(__name__)

# Renewed so many times before it would run out.
RENEWALS_A_LEASE = 6
READER_LOST_S = 12.0
FIRST_READER_S = 20.0
# Less than half of what the process has to end: the tool servers come after the turns.
SHUTDOWN_S = 2.0
CANCELLED_S = 0.4
RECOVER_S = 1.0


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
_beginning: set[asyncio.Task[UUID]] = set()
_background: set[asyncio.Task[None]] = set()
_stopping = False


# --- what pages, API and commands call ---------------------------------------------------------


async def start_turn(*, session_id: UUID, owner_id: int, question: str, choice: Choice | None = None) -> UUID:
    """Take the session's lock and run the question; return the turn's id at once.

    Raises what `services.turn_begin` raises, and `ServerStopping`.
    """
    if _stopping:
        raise ServerStopping("the server is being restarted; ask again in a moment")
    # Whoever asked may leave at any moment; a turn that holds the lock must be driven all the same.
    beginning = asyncio.create_task(_begin(session_id, owner_id, question, choice))
    _beginning.add(beginning)
    beginning.add_done_callback(_beginning.discard)
    return await asyncio.shield(beginning)


async def stop_turn(*, turn_id: UUID, owner_id: int) -> None:
    """Stop a turn of this person, in whichever process it runs; `Turn.DoesNotExist` for anybody else's."""
    turn = await sync_to_async(selectors.turn_get)(owner_id=owner_id, turn_id=turn_id)
    if turn.pk in _running:
        _running[turn.pk].stop.give(TurnOutcome.ABORTED_BY_USER)
        return
    await sync_to_async(services.turn_stop_request)(turn_id=turn.pk)
    await get_channel_layer().group_send(control_group(turn.pk), {"type": "turn.stop"})


async def close_dead_turns() -> None:
    """Close what processes that are gone left running."""
    for turn_id in await in_database(dead_turns.turns_close_dead)():
        log.warning("turn %s was left by a process that is gone; closed", turn_id)


async def keep_watch() -> None:
    """Close what an earlier process left running, and from now on what others leave. Called at start."""
    await close_dead_turns()
    await sync_to_async(liveness.forget_the_gone)()
    await sync_to_async(budgets.reservations_release_stale)()

    async def watch() -> None:
        while True:
            await asyncio.sleep(settings.BURP.chat.turns.lease_s)
            await _surviving(close_dead_turns)

    task = asyncio.create_task(watch(), name="watch for dead turns")
    _background.add(task)
    task.add_done_callback(_background.discard)


async def shutdown() -> None:
    """End all turns of this process with their ledgers written; no new ones are taken."""
    global _stopping
    _stopping = True
    for task in _background:
        task.cancel()
    for running in _running.values():
        running.stop.give(TurnOutcome.ABORTED_SHUTDOWN)
    try:
        async with asyncio.timeout(SHUTDOWN_S):
            while tasks := _tasks():
                await asyncio.wait(tasks)
    except TimeoutError:
        log.error("%d turns did not end within %.1f s", len(_running), SHUTDOWN_S)
    finally:
        late = _tasks()
        for late_task in late:
            late_task.cancel()
    if late:
        await asyncio.wait(late, timeout=CANCELLED_S)


def _tasks() -> list[asyncio.Task[UUID] | asyncio.Task[None]]:
    """Return what has to end before the process may."""
    return [*_beginning, *(running.task for running in _running.values() if running.task is not None)]


# --- one turn ------------------------------------------------------------------------------------


async def _begin(session_id: UUID, owner_id: int, question: str, choice: Choice | None) -> UUID:
    """Take the lock and let the turn run."""
    await sync_to_async(dead_turns.turns_close_dead)(session_id=session_id)
    turn = await sync_to_async(services.turn_begin)(
        session_id=session_id, owner_id=owner_id, question=question, choice=choice, runner=liveness.own_name()
    )
    running = _running[turn.pk] = _Running(turn)
    if _stopping:
        running.stop.give(TurnOutcome.ABORTED_SHUTDOWN)
    # In a context of its own: it outlives the request that began it.
    running.task = asyncio.create_task(_drive(running), name=f"turn {turn.pk}", context=contextvars.Context())
    return turn.pk


async def _drive(running: _Running) -> None:
    """Run a turn from its assembly to the release of its lock, with a database connection of its own."""
    turn = running.turn
    async with ThreadSensitiveContext():
        try:
            await _run(running)
        except LeaseLost as lost:
            log.error("%s", lost)
        except Exception:
            log.exception("turn %s broke", turn.pk)
        finally:
            _running.pop(turn.pk, None)
            await asyncio.shield(in_database(_tidied)(turn.pk))


def _tidied(turn_id: UUID) -> None:
    """Leave neither a lock nor a connection behind."""
    try:
        dead_turns.turn_close_broken(turn_id=turn_id)
    finally:
        connections.close_all()


async def _run(running: _Running) -> None:
    lease = Lease(running.turn)
    event_log = EventLog(lease)
    answers: dict[int, str] = {}
    async with _kept(running, event_log, lease), aclosing(_events(running, lease)) as events:
        async for event in events:
            if isinstance(event, Text):
                answers[event.step] = answers.get(event.step, "") + event.text
            if isinstance(event, TurnEnd):
                is_answered = answers and event.outcome != TurnOutcome.REFUSED
                await event_log.close(event, answer=answers[max(answers)] if is_answered else "")
            else:
                event_log.add(event)


async def _events(running: _Running, lease: Lease) -> AsyncGenerator[Event, None]:
    timeout_s = settings.BURP.chat.turns.turn_timeout_s
    deadline = asyncio.get_running_loop().call_later(timeout_s, running.stop.give, TurnOutcome.TIME_LIMIT)
    try:
        question, deps = await unless_stopped(assemble(running.turn, running.stop, lease), running.stop)
    except (CannotStart, TurnStopped) as problem:
        deadline.cancel()
        for event in failed_start(running.turn, problem.outcome, getattr(problem, "detail", "")):
            yield event
        return
    try:
        async with aclosing(run_turn(question, deps)) as events:
            async for event in events:
                yield event
    finally:
        deadline.cancel()
        await deps.provider.aclose()
        await get_timings().store()


@asynccontextmanager
async def _kept(running: _Running, event_log: EventLog, lease: Lease) -> AsyncIterator[None]:
    """Beside the turn: write waiting text, renew the lease, listen for stop and for readers."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(control_group(running.turn.pk), channel)
    tasks = [
        asyncio.create_task(event_log.run_writer()),
        asyncio.create_task(_renew_lease(running, lease)),
        asyncio.create_task(_listen(running, channel)),
        asyncio.create_task(_watch_readers(running)),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await layer.group_discard(control_group(running.turn.pk), channel)


async def _renew_lease(running: _Running, lease: Lease) -> None:
    async def renew() -> None:
        try:
            if await lease.renew():
                running.stop.give(TurnOutcome.ABORTED_BY_USER)
        except LeaseLost:
            running.stop.give(TurnOutcome.ABORTED_SHUTDOWN)

    while True:
        await _surviving(renew)
        await asyncio.sleep(settings.BURP.chat.turns.lease_s / RENEWALS_A_LEASE)


async def _listen(running: _Running, channel: str) -> None:
    layer = get_channel_layer()

    async def hear() -> None:
        _take(running, await layer.receive(channel))

    while True:
        await _surviving(hear)


def _take(running: _Running, message: dict[str, str]) -> None:
    """Take one message of a reader, or of somebody who stops the turn."""
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


async def _surviving(work: Callable[[], Awaitable[None]]) -> None:
    """Do `work`; what goes wrong with the database or the channel layer is logged, and a moment waited."""
    try:
        await work()
    except Exception:
        log.exception("%s failed; it is tried again", work.__qualname__)
        await asyncio.sleep(RECOVER_S)


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
