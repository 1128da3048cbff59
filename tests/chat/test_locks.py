"""The session's lock: taken whole or not at all, held while the process lives, let go by those who slept."""

import asyncio
import sys
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.utils import timezone

from chat import assembly, dead_turns, selectors, services, turns
from chat.bookings import TurnTranscript
from chat.event_log import EventLog
from chat.events import Text, TurnEnd
from chat.following import follow_turn
from chat.lease import Lease, LeaseLost
from chat.models import Session, Turn
from chat.providers.base import UserEntry
from chat.providers.scripted import Hold, Reply, ScriptedProvider
from tests.chat.scripted_model import script, turn_limits
from tests.chat.test_turns import read, start
from tests.chat.test_turns import session as session
from tools_catalog import runtime

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
WITHIN_S = 5.0
# The tool server of a first turn starts cold.
START_S = 30.0
# A child that takes messages and answers none.
DUMB = [sys.executable, "-c", "import sys; sys.stdin.read()"]


async def begun(session: Session, **limits: float) -> Turn:
    """Return a turn that holds the lock while nothing runs it."""
    with turn_limits(**limits):
        turn: Turn = await sync_to_async(services.turn_begin)(
            session_id=session.pk, owner_id=session.owner_id, question="What is HER2?"
        )
    return turn


async def until_begun() -> None:
    async with asyncio.timeout(WITHIN_S):
        while turns._beginning:
            await asyncio.wait(turns._beginning)


@pytest.mark.case("C059")
async def test_whoever_asks_and_leaves_at_once_leaves_no_lock_that_nobody_holds(session: Session) -> None:
    script(Reply("HER2 is ERBB2."))
    asking = asyncio.create_task(start(session))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await until_begun()
    assert (await read((await Turn.objects.aget()).pk))[-1]["outcome"] == "completed"


async def test_a_question_that_comes_with_the_shutdown_is_ended_by_it(session: Session) -> None:
    asking = asyncio.create_task(start(session))
    await asyncio.sleep(0)
    await turns.shutdown()
    events = await read(await asking)
    assert [(event["type"], event.get("outcome")) for event in events] == [
        ("turn_started", None),
        ("turn_end", "aborted_shutdown"),
    ]


@pytest.mark.case("C062")
async def test_stop_is_heard_while_the_tool_server_still_starts(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "server_command", lambda upstreams: DUMB)
    provider = script(Reply("never"))
    turn_id = await start(session)
    await turns.stop_turn(turn_id=turn_id, owner_id=session.owner_id)
    async with asyncio.timeout(WITHIN_S):
        events = [event async for event in follow_turn(turn_id)]
    assert [event["type"] for event in events] == ["turn_started", "turn_end"]
    assert (events[-1]["outcome"], provider.requests, provider.is_closed) == ("aborted_by_user", [], True)
    assert not await Turn.objects.filter(status="running").aexists()


async def test_nobody_waits_while_the_sdk_of_a_model_is_loaded(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, loaded, provider = threading.Event(), threading.Event(), ScriptedProvider([Reply("Done.")])

    def slow(row: object, service: object) -> ScriptedProvider:
        loading.set()
        assert loaded.wait(WITHIN_S), "the event loop waits for the SDK"
        return provider

    monkeypatch.setattr(assembly, "create_provider", slow)
    turn_id = await start(session)
    assert await asyncio.to_thread(loading.wait, WITHIN_S)
    loaded.set()
    assert (await read(turn_id))[-1]["outcome"] == "completed"


@pytest.mark.case("C059")
async def test_who_slept_beyond_the_lease_writes_nothing_into_a_turn_that_others_closed(session: Session) -> None:
    turn = await begun(session, lease_s=0.0)
    lease = Lease(turn)
    log, transcript = EventLog(lease), TurnTranscript(lease)
    transcript.append(UserEntry("What is HER2?"))
    await transcript.flush()  # nobody has closed it yet: the lease is taken anew
    await Turn.objects.aupdate(lease_until=timezone.now() - timedelta(seconds=1))
    lease._until = timezone.now()

    assert await sync_to_async(dead_turns.turns_close_dead)() == [turn.pk]
    script(Reply("Another."))
    await read(await start(session, "And now?"))

    before = await left(session)
    log.add(Text(seq=90, step=1, text="too late"))
    transcript.append(UserEntry("too late"))
    with pytest.raises(LeaseLost):
        await transcript.flush()
    for _ in range(2):
        with pytest.raises(LeaseLost):
            await log.close(TurnEnd(seq=91, outcome="completed", message=""), answer="too late")
    assert await left(session) == before


async def test_a_turn_that_lost_its_lock_ends_itself(session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is ")
    provider = script(hold, Reply("never"))
    with turn_limits(lease_s=0.6):
        turn_id = await start(session)
        async with asyncio.timeout(START_S):
            await hold.reached.wait()
        await sync_to_async(dead_turns.turn_close_broken)(turn_id=turn_id)
        task = turns._running[turn_id].task
        assert task is not None
        await asyncio.wait_for(task, WITHIN_S)
    assert (provider.open_streams, provider.is_closed) == (0, True)
    events = await read(turn_id)
    assert [event["type"] for event in events].count("turn_end") == 1
    assert events[-1]["outcome"] == "internal"


async def test_the_heartbeat_survives_a_database_that_fails_for_a_moment(
    session: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    renew: Callable[..., object] = services.turn_renew
    renewed: list[bool] = []

    def failing_once(**call: object) -> object:
        renewed.append(True)
        if len(renewed) == 1:
            raise OperationalError("the database is being restarted")
        return renew(**call)

    monkeypatch.setattr(services, "turn_renew", failing_once)
    monkeypatch.setattr(turns, "RECOVER_S", 0.01)
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("never"))
    with turn_limits(lease_s=0.06):
        turn_id = await start(session)
        async with asyncio.timeout(START_S):
            await hold.reached.wait()
        # As another process asks that hears of no message: by the row alone.
        await sync_to_async(services.turn_stop_request)(turn_id=turn_id)
        events = await read(turn_id)
    assert events[-1]["outcome"] == "aborted_by_user"
    assert "it is tried again" in caplog.text


async def left(session: Session) -> object:
    """Return all that is stored of a session."""
    rows = [row async for row in Turn.objects.filter(session=session).values("number", "status", "outcome", "answer")]
    events = [
        await sync_to_async(selectors.turn_events)(turn_id=turn.pk)
        async for turn in Turn.objects.filter(session=session)
    ]
    return rows, events, await sync_to_async(selectors.transcript)(session_id=session.pk)
