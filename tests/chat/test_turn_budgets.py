"""Turns against real budgets: of the question, the day and the month, alone and side by side."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import AsyncClient
from django.test.utils import override_settings

from chat import services, turns
from chat.choices import Choice
from chat.following import follow_turn
from chat.models import Session, Turn
from chat.providers.base import TokenUsage
from chat.providers.scripted import Hold, Reply, call
from tests.chat.scripted_model import KEY, played, script, scripted_model
from tools_catalog.runtime import close_tool_servers
from usage.budgets import budget_reserve
from usage.config import Budgets, ModelPrice, PriceBand, UsageConfig
from usage.models import LedgerEntry, Reservation, User

pytestmark = [pytest.mark.django_db(transaction=True)]
USD = 10**12
WITHIN_S = 20
# A dollar for a thousand output tokens, nothing for the prompt: worst cases are easy to tell.
PRICE = ModelPrice(KEY, date(2026, 1, 1), (PriceBand(0, USD // 1000, 0, 0, 0),))
LOOK_UP = call("ensembl__lookup_gene", gene_symbol="HER2")


@contextmanager
def caps(*, turn: int = 10_000, daily: int = 10_000, monthly: int = 10_000) -> Iterator[None]:
    """Set the caps in USD."""
    usage = UsageConfig((PRICE,), Budgets(turn * USD, daily * USD, monthly * USD))
    with override_settings(BURP=replace(settings.BURP, usage=usage)):
        yield


@pytest.fixture
async def owner(transactional_db: None) -> Any:
    """Give somebody who may ask a scripted model."""
    with scripted_model():
        yield await User.objects.acreate(username=f"owner-{uuid4().hex[:8]}")
        await turns.shutdown()
        turns._stopping = False
        await close_tool_servers()


async def new_session(owner: User) -> Session:
    """Open a session."""
    return await sync_to_async(services.session_create)(owner_id=owner.pk, model=KEY, upstreams="snapshot")


async def ask(owner: User, choice: Choice | None = None) -> list[dict[str, Any]]:
    """Ask in a new session and return the events."""
    session = await new_session(owner)
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=owner.pk, question="HER2?", choice=choice)
    async with asyncio.timeout(WITHIN_S):
        return [event async for event in follow_turn(turn_id)]


def uses(output: int, text: str = "", *, calls: bool = False) -> Reply:
    """Return a reply of so many output tokens."""
    return Reply(text, calls=[LOOK_UP] if calls else (), usage=TokenUsage(output=output))


async def test_the_budget_that_somebody_set_before_asking_ends_the_turn(owner: User) -> None:
    with caps():
        script(uses(3_000, "HER2 is a gene.", calls=True), uses(2_900, "So far: ERBB2.", calls=True))
        events = await ask(owner, Choice(budget_pico_usd=6 * USD))

    end = events[-1]
    assert (end["outcome"], end["resets_at"]) == ("budget_turn", "")
    assert (events[0]["budget_pico_usd"], end["turn_cost_pico_usd"]) == (6 * USD, 5_900 * USD // 1000)
    assert [event["code"] for event in events if event["type"] == "notice"] == ["budget_near"]
    assert "its budget" not in end["detail"]
    assert "the turn budget is $6.000000" in end["detail"]
    assert "before the answer was complete" in end["message"]
    turn = await Turn.objects.aget()
    assert turn.answer == "So far: ERBB2."


@pytest.mark.parametrize("scope", ["daily", "monthly"])
async def test_a_cap_that_ends_a_turn_says_when_there_is_new_money(owner: User, scope: str) -> None:
    with caps(**{scope: 3}):
        script(uses(2_900, "ERBB2 is", calls=True))
        events = await ask(owner)

    now = datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    anew = (
        midnight + timedelta(days=1)
        if scope == "daily"
        else (midnight.replace(day=1) + timedelta(days=32)).replace(day=1)
    )
    assert (events[-1]["outcome"], events[-1]["resets_at"]) == (f"budget_{scope}", anew.isoformat())


async def test_turns_side_by_side_share_one_cap_and_leave_nothing_held(owner: User) -> None:
    """Five turns of three calls each would cost 15; the day holds 8."""
    with caps(daily=8):
        for _ in range(5):
            script(*[uses(1_000, "Some text. ", calls=True) for _ in range(2)], uses(1_000, "ERBB2."))
        ends = [events[-1] for events in await asyncio.gather(*(ask(owner) for _ in range(5)))]

    assert {end["outcome"] for end in ends} <= {"completed", "budget_daily"}
    spent = sum([entry.cost_pico_usd async for entry in LedgerEntry.objects.all()])
    assert spent == sum(end["turn_cost_pico_usd"] for end in ends) <= 8 * USD
    assert "budget_daily" in {end["outcome"] for end in ends}


async def test_a_stopped_turn_frees_what_it_held_for_another(owner: User) -> None:
    with caps(daily=40):
        hold = Hold(asyncio.Event(), after="HER2 is ")
        script(hold, uses(1_000, "never"))
        session = await new_session(owner)
        turn_id = await turns.start_turn(session_id=session.pk, owner_id=owner.pk, question="HER2?")
        async with asyncio.timeout(WITHIN_S):
            await hold.reached.wait()
            await turns.stop_turn(turn_id=turn_id, owner_id=owner.pk)
            stopped = [event async for event in follow_turn(turn_id)]
        script(uses(1_000, "ERBB2."))
        other = await ask(owner)

    assert stopped[-1]["outcome"] == "aborted_by_user"
    assert (await LedgerEntry.objects.aget(turn_id=turn_id)).estimated
    assert other[-1]["outcome"] == "completed"
    assert played[-1].requests[0].max_output_tokens > 30_000


async def test_the_ledger_outlives_the_session_that_it_paid_for(owner: User) -> None:
    with caps():
        script(uses(1_000, calls=True), uses(500, "ERBB2."))
        await ask(owner)
        session = await Session.objects.aget()
        session_id = session.pk
        await sync_to_async(services.session_delete)(session=session)

    rows = [entry async for entry in LedgerEntry.objects.order_by("pk")]
    assert [(row.kind, row.tool, row.session_id) for row in rows] == [
        ("call", "", session_id),
        ("tool", "ensembl__lookup_gene", session_id),
        ("call", "", session_id),
    ]
    browser = AsyncClient()
    await browser.aforce_login(owner)
    page = (await browser.get("/usage/")).content.decode()
    assert "A deleted session" in page
    assert f'<data value="{sum(row.cost_pico_usd for row in rows)}">$1.500000</data>' in page


async def test_what_a_process_left_open_is_closed_at_the_start_of_the_next(owner: User) -> None:
    with caps():
        held = {"session_id": uuid4(), "turn_id": uuid4(), "step": 1, "model_key": KEY, "worst_case": {"output": 10}}
        await sync_to_async(budget_reserve)(user_id=owner.pk, **held)
        await sync_to_async(budget_reserve)(user_id=owner.pk, **held)
        an_hour_ago = datetime.now(UTC) - timedelta(minutes=61)
        first = await Reservation.objects.afirst()
        assert first is not None
        await Reservation.objects.filter(pk=first.pk).aupdate(created_at=an_hour_ago)
        await turns.keep_watch()

    assert sorted([row.state async for row in Reservation.objects.all()]) == ["open", "released"]
