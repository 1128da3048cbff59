"""Turns with the real database, channel layer and tool server: lock, readers, stop, restart."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from chat import following, selectors, services, turns
from chat.following import follow_turn
from chat.models import Session, StoredEvent, Turn
from chat.providers.scripted import Hold, Reply, call
from mcp_server.codes import TurnOutcome
from tests.chat.scripted_model import KEY, script, scripted_model, turn_limits
from tools_catalog.runtime import close_tool_servers
from usage.models import LedgerEntry, Reservation, User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
Json = Any


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """A session of its own user, over the offline snapshot."""
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    with scripted_model():
        yield await sync_to_async(services.session_create)(owner_id=user.pk, model=KEY, upstreams="snapshot")
        await turns.shutdown()
        turns._stopping = False
        await close_tool_servers()


async def start(session: Session, question: str = "What is HER2?") -> UUID:
    return await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question=question)


async def read(turn_id: UUID, after_seq: int = 0) -> list[dict[str, Json]]:
    async with asyncio.timeout(20):
        return [event async for event in follow_turn(turn_id, after_seq)]


def answer(events: list[dict[str, Json]]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "text")


async def test_a_turn_runs_a_real_tool_and_leaves_answer_ledger_and_transcript(session: Session) -> None:
    script(Reply(calls=[call("ensembl__lookup_gene", gene_symbol="HER2")]), Reply("HER2 is ENSG00000141736."))
    events = await read(await start(session))
    tool_end = next(event for event in events if event["type"] == "tool_end")
    assert (tool_end["outcome"], tool_end["ok"]) == ("data", True)
    assert events[-1]["outcome"] == "completed"
    assert [m["identifier"] for m in events[-1]["grounding"]["grounded"]] == ["ENSG00000141736"]
    turn = await Turn.objects.aget()
    assert (turn.status, turn.outcome, turn.answer) == ("ended", "completed", "HER2 is ENSG00000141736.")
    booked = LedgerEntry.objects.filter(turn_id=turn.pk).order_by("pk")
    assert [(entry.kind, entry.step, entry.tool, entry.requests) async for entry in booked] == [
        ("call", 1, "", 0),
        ("tool", 1, "ensembl__lookup_gene", 1),
        ("call", 2, "", 0),
    ]
    assert not await Reservation.objects.filter(state=Reservation.State.OPEN).aexists()
    assert len(await sync_to_async(selectors.transcript)(session_id=session.pk)) == 4


async def test_a_late_reader_gets_what_an_early_one_got(session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the everyday name ")
    script(hold, Reply("of ERBB2, a receptor tyrosine kinase."))
    turn_id = await start(session)
    early = asyncio.create_task(read(turn_id))
    async with asyncio.timeout(10):
        await hold.reached.wait()
    late = asyncio.create_task(read(turn_id))
    hold.event.set()
    first, second, afterwards = await early, await late, await read(turn_id)
    assert answer(first) == "HER2 is the everyday name of ERBB2, a receptor tyrosine kinase."
    assert first == second == afterwards


async def test_a_reader_that_finds_the_end_in_the_store_waits_for_nothing_more(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(Reply("HER2 is ERBB2."))
    turn_id = await start(session)
    everything = await read(turn_id)

    async def not_yet(turn_id: UUID) -> bool:
        return False  # as a reader sees it that asked a moment before the end

    monkeypatch.setattr(following, "_is_over", not_yet)
    async with asyncio.timeout(following.FOLLOW_POLL_S / 2):
        assert [event async for event in follow_turn(turn_id)] == everything


async def test_a_reader_that_comes_back_gets_only_what_it_missed(session: Session) -> None:
    script(Reply(calls=[call("ensembl__lookup_gene", gene_symbol="HER2")]), Reply("Done."))
    turn_id = await start(session)
    everything = await read(turn_id)
    middle = everything[len(everything) // 2]["seq"]
    assert await read(turn_id, middle) == [event for event in everything if event["seq"] > middle]
    assert await read(turn_id, everything[-1]["seq"]) == []


@pytest.mark.case("C059")
async def test_of_many_questions_at_once_exactly_one_runs(session: Session) -> None:
    hold = Hold(asyncio.Event())
    script(hold, Reply("Done."))

    async def try_to_start(number: int) -> UUID | Exception:
        try:
            return await start(session, f"Question {number}")
        except services.TurnAlreadyRunning as error:
            return error

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(try_to_start(number)) for number in range(20)]
    results = [task.result() for task in tasks]
    started = [result for result in results if isinstance(result, UUID)]
    assert len(started) == 1
    hold.event.set()
    assert (await read(started[0]))[-1]["outcome"] == "completed"
    script(Reply("And again."))
    assert answer(await read(await start(session))) == "And again."


@pytest.mark.case("C062")
async def test_stop_ends_the_turn_and_keeps_the_partial_answer(session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the ")
    provider = script(hold, Reply("never"))
    turn_id = await start(session)
    async with asyncio.timeout(10):
        await hold.reached.wait()
    await turns.stop_turn(turn_id=turn_id, owner_id=session.owner_id)
    events = await read(turn_id)
    assert (events[-1]["outcome"], answer(events)) == ("aborted_by_user", "HER2 is the ")
    assert provider.open_streams == 0
    entry = await LedgerEntry.objects.aget(turn_id=turn_id)
    assert (entry.estimated, entry.outcome) == (True, "aborted_by_user")
    assert not await Turn.objects.filter(status="running").aexists()


@pytest.mark.case("C073")
async def test_nobody_else_can_stop_or_see_a_turn(session: Session) -> None:
    hold = Hold(asyncio.Event())
    script(hold, Reply("Done."))
    turn_id = await start(session)
    other = await User.objects.acreate(username="other")
    with pytest.raises(Turn.DoesNotExist):
        await turns.stop_turn(turn_id=turn_id, owner_id=other.pk)
    with pytest.raises(Session.DoesNotExist):
        await turns.start_turn(session_id=session.pk, owner_id=other.pk, question="Mine?")
    with pytest.raises(Session.DoesNotExist):
        await sync_to_async(selectors.session_get)(owner_id=other.pk, session_id=session.pk)
    hold.event.set()
    assert (await read(turn_id))[-1]["outcome"] == "completed"


async def test_a_turn_ends_when_its_last_reader_is_gone_for_the_grace_period(session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("never"))
    with turn_limits(disconnect_grace_s=0.0):
        turn_id = await start(session)
        reader = follow_turn(turn_id)
        async with asyncio.timeout(10):
            async for event in reader:
                if event["type"] == "text":
                    break
            await reader.aclose()
        events = await read(turn_id)
    assert events[-1]["outcome"] == "aborted_disconnect"


async def test_shutdown_ends_turns_with_their_ledger_written(session: Session) -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    script(hold, Reply("never"))
    turn_id = await start(session)
    async with asyncio.timeout(10):
        await hold.reached.wait()
    await turns.shutdown()
    assert (await read(turn_id))[-1]["outcome"] == "aborted_shutdown"
    assert await LedgerEntry.objects.filter(turn_id=turn_id).acount() == 1
    with pytest.raises(turns.ServerStopping):
        await start(session)


async def test_a_turn_of_a_dead_process_is_closed_by_whoever_looks_next(session: Session) -> None:
    dead = await Turn.objects.acreate(
        session=session, number=1, question="q", model=KEY, lease_until=timezone.now() - timedelta(seconds=1)
    )
    await StoredEvent.objects.acreate(
        turn=dead, seq=7, type="text", data='{"type": "text", "seq": 7, "step": 1, "text": "HER2"}'
    )
    events = await read(dead.pk)
    assert [event["seq"] for event in events] == [7, 8]
    assert events[-1]["outcome"] == TurnOutcome.ABORTED_SHUTDOWN.value
    script(Reply("Done."))
    assert (await read(await start(session)))[-1]["outcome"] == "completed"


async def test_a_question_of_blanks_is_refused(session: Session) -> None:
    with pytest.raises(services.BlankQuestion):
        await start(session, " \n ")


async def test_the_second_question_goes_on_with_the_first_ones_history(session: Session) -> None:
    script(Reply("First."))
    await read(await start(session, "One?"))
    second = script(Reply("Second."))
    events = await read(await start(session, "Two?"))
    texts = [getattr(entry, "text", "") for entry in second.requests[0].entries]
    assert texts == ["One?", "First.", "Two?"]
    assert not [event for event in events if event["type"] == "notice"]


async def test_a_model_that_is_no_longer_configured_ends_the_turn_with_the_known_ones(session: Session) -> None:
    await Session.objects.filter(pk=session.pk).aupdate(model="gone-1")
    session.model = "gone-1"
    events = await read(await start(session))
    assert events[-1]["outcome"] == "model_bad_request"
    assert "claude-sonnet-5-5" in events[-1]["detail"]
