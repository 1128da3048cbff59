"""The ledger is append-only and adds up."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from usage.budgets import budget_settle
from usage.models import LedgerEntry, User
from usage.models.money import AppendOnlyError
from usage.selectors import Totals, costs_by_turn, totals_of_session, totals_of_turn, totals_of_user

pytestmark = pytest.mark.postgres


@pytest.fixture
def entry(reserve: Callable[..., UUID]) -> LedgerEntry:
    """Give a booking."""
    budget_settle(reservation_id=reserve(1), tokens={"output": 10}, provider="p", outcome="completed")
    return LedgerEntry.objects.get()


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry.save(),
        lambda entry: entry.delete(),
        lambda entry: LedgerEntry.objects.all().delete(),
        lambda entry: LedgerEntry.objects.update(cost_pico_usd=0),
        lambda entry: LedgerEntry.objects.bulk_update([entry], ["cost_pico_usd"]),
    ],
    ids=["save", "delete", "delete all", "update", "bulk update"],
)
def test_what_is_booked_stays(entry: LedgerEntry, change: Callable[[LedgerEntry], object]) -> None:
    entry.cost_pico_usd = 0

    with pytest.raises(AppendOnlyError, match="append-only"), transaction.atomic():
        change(entry)

    entry.refresh_from_db()
    assert entry.cost_pico_usd == 10 * 10**6


def test_totals_by_user_session_and_turn(reserve: Callable[..., UUID], user: User) -> None:
    session_id, first, second = uuid4(), uuid4(), uuid4()
    for turn_id, tokens in ((first, {"input": 1, "cache_read": 2}), (first, {"output": 4}), (second, {"output": 8})):
        reservation_id = reserve(1, session_id=session_id, turn_id=turn_id)
        budget_settle(reservation_id=reservation_id, tokens=tokens, provider="p", outcome="completed")

    assert totals_of_turn(first) == Totals(2, 1, 4, 0, 0, 2, 7 * 10**6)
    assert totals_of_session(session_id) == totals_of_user(user.pk) == Totals(3, 1, 12, 0, 0, 2, 15 * 10**6)
    assert costs_by_turn(session_id) == {first: 7 * 10**6, second: 8 * 10**6}
    assert totals_of_user(user.pk + 1) == Totals(0, 0, 0, 0, 0, 0, 0)
