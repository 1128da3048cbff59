"""What a turn takes goes to the database with its bookings: in order, together, also when it is torn down."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from chat import dead_turns, selectors, services
from chat.bookings import TurnLedger, TurnTranscript
from chat.lease import Lease, LeaseLost
from chat.models import Session, TranscriptEntry, Turn
from chat.ports import SpendRefused
from chat.providers.base import AssistantEntry, TokenUsage, ToolCall, ToolResult, ToolResultsEntry, UserEntry
from usage.models import LedgerEntry, Reservation, User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
PRICED = "claude-haiku-5-5"
WORST = TokenUsage(input=1_000, output=1_000)
CALL = AssistantEntry("", (ToolCall("c1", "gene", {}),))
RESULTS = ToolResultsEntry((ToolResult("c1", "gene", "ENSG00000141736"),))


class Books:
    """A turn's transcript and ledger."""

    def __init__(self, turn: Turn, session: Session, **changes: object) -> None:
        self.turn, self.lease = turn, Lease(turn)
        self.transcript = TurnTranscript(self.lease)
        scope = {"user_id": session.owner_id, "session_id": session.pk, "turn_id": turn.pk}
        self.ledger = TurnLedger(self.transcript, **scope, model_key=PRICED, provider="p", **changes)

    async def kinds(self) -> list[str]:
        """Return the kinds of the stored entries in their order."""
        stored = TranscriptEntry.objects.filter(turn=self.turn).order_by("position")
        return [kind async for kind in stored.values_list("kind", flat=True)]


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """A session of its own user."""
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    yield await sync_to_async(services.session_create)(owner_id=user.pk, model=PRICED, upstreams="snapshot")


@pytest.fixture
async def books(session: Session) -> Books:
    """The books of a turn that runs."""
    begin = sync_to_async(services.turn_begin)
    return Books(await begin(session_id=session.pk, owner_id=session.owner_id, question="q"), session)


async def test_what_was_taken_is_stored_with_the_next_booking_in_its_order(books: Books, session: Session) -> None:
    books.transcript.append(UserEntry("q"))
    assert await books.kinds() == []
    reservation = await books.ledger.reserve(1, WORST)
    assert await books.kinds() == ["user"]
    books.transcript.append(CALL)
    await books.ledger.settle(reservation, TokenUsage(input=10, output=5), "tool_use", estimated=False)
    books.transcript.append(RESULTS)
    await books.ledger.reserve(2, WORST)
    assert await books.kinds() == ["user", "assistant", "tool_results"]
    history = await sync_to_async(selectors.transcript)(session_id=session.pk)
    assert history == (UserEntry("q"), CALL, RESULTS)
    tools = [(entry.tool, entry.step) async for entry in LedgerEntry.objects.filter(kind="tool")]
    assert tools == [("gene", 1)]


async def test_a_budget_that_refuses_a_call_keeps_what_was_taken(books: Books, session: Session) -> None:
    poor = Books(books.turn, session, turn_limit_pico_usd=1)
    poor.transcript.append(UserEntry("q"))
    with pytest.raises(SpendRefused):
        await poor.ledger.reserve(1, WORST)
    assert await books.kinds() == ["user"]
    assert not await Reservation.objects.aexists()


async def test_what_could_not_be_stored_is_stored_later(books: Books) -> None:
    books.transcript.append(UserEntry("q"))

    def broken() -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await books.transcript.stored_with(broken)
    assert await books.kinds() == []
    books.transcript.append(CALL)
    await books.transcript.flush()
    assert await books.kinds() == ["user", "assistant"]


async def test_a_turn_that_is_torn_down_in_the_middle_still_stores_and_books(books: Books) -> None:
    reservation = await books.ledger.reserve(1, WORST)
    books.transcript.append(UserEntry("q"))
    settling = asyncio.create_task(
        books.ledger.settle(reservation, TokenUsage(input=10), "aborted_by_user", estimated=True)
    )
    await asyncio.sleep(0)
    settling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await settling
    await books.transcript.stored_with(lambda: None)  # waits for the thread to be free again
    assert await books.kinds() == ["user"]
    assert await LedgerEntry.objects.filter(kind="call").acount() == 1


async def test_who_lost_the_turn_books_what_was_used_and_stores_nothing(books: Books) -> None:
    reservation = await books.ledger.reserve(1, WORST)
    await Turn.objects.aupdate(lease_until=timezone.now() - timedelta(seconds=1))
    await sync_to_async(dead_turns.turns_close_dead)()
    before = await books.kinds()
    books.lease._until = timezone.now()
    books.transcript.append(CALL)
    with pytest.raises(LeaseLost):
        await books.ledger.settle(reservation, TokenUsage(input=10, output=5), "end", estimated=False)
    assert await books.kinds() == before
    booked = LedgerEntry.objects.filter(reservation_id=reservation)
    assert await sync_to_async(booked.totals)() != {}
    assert [(entry.input_tokens) async for entry in booked.filter(kind="correction")] != []
    with pytest.raises(LeaseLost):
        await books.ledger.reserve(2, WORST)
