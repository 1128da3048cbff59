"""Statements that are written once write and read what the ORM would."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.forms.models import model_to_dict

from usage.models import LedgerEntry, Quota, Reservation, User
from usage.prepared import PreparedInsert
from usage.statements import reservation_settle, standing_sums

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
NOW = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def reservation(user: User, **changes: object) -> Reservation:
    """Return one that is not stored yet."""
    facts = {"turn_id": uuid4(), "session_id": uuid4(), "amount_pico_usd": 7, "created_at": NOW}
    return Reservation(user=user, step=1, model_key="m", worst_case={"input": 3}, **facts | changes)


def booked(user: User, **changes: object) -> LedgerEntry:
    """Store a booking."""
    facts = {"turn_id": uuid4(), "session_id": uuid4(), "cost_pico_usd": 5, "created_at": NOW}
    kind = {"kind": LedgerEntry.Kind.TOOL, "provider": "p", "outcome": "end"}
    return LedgerEntry.objects.create(user=user, step=1, model_key="m", **kind | facts | changes)


def test_an_insert_stores_what_the_orm_would(user: User) -> None:
    one, two, three = (reservation(user, amount_pico_usd=amount) for amount in (1, 2, 3))
    insert = PreparedInsert(Reservation)
    insert([one])
    insert([two, three])
    found = {stored.pk: stored for stored in Reservation.objects.all()}
    assert found.keys() == {one.pk, two.pk, three.pk}
    for made in (one, two, three):
        assert model_to_dict(found[made.pk]) == model_to_dict(made)
        assert (found[made.pk].created_at, found[made.pk].worst_case) == (NOW, {"input": 3})


def test_a_key_of_the_database_is_left_to_it(user: User) -> None:
    entry = LedgerEntry(
        kind="tool", user=user, turn_id=uuid4(), session_id=uuid4(), step=1, model_key="m", provider="p",
        outcome="end", cost_pico_usd=5, created_at=NOW,
    )  # fmt: skip
    PreparedInsert(LedgerEntry)([entry])
    stored = LedgerEntry.objects.get()
    assert stored.pk is not None and entry.pk is None
    same = [field.attname for field in LedgerEntry._meta.concrete_fields if field.attname != "id"]
    assert [getattr(stored, name) for name in same] == [getattr(entry, name) for name in same]


def test_sums_count_day_month_turn_and_what_is_held(user: User) -> None:
    turn_id, other = uuid4(), User.objects.create(username="other")
    day, month = NOW.replace(hour=0, minute=0, second=0, microsecond=0), datetime(2026, 11, 1, tzinfo=UTC)
    booked(user, turn_id=turn_id, cost_pico_usd=1)
    booked(user, cost_pico_usd=10, created_at=day - timedelta(seconds=1))
    booked(user, cost_pico_usd=100, created_at=month - timedelta(seconds=1))
    booked(user, turn_id=turn_id, cost_pico_usd=1_000, created_at=month - timedelta(seconds=1))
    booked(other, cost_pico_usd=10_000)
    reservation(user, turn_id=turn_id, amount_pico_usd=3).save()
    reservation(user, amount_pico_usd=30).save()
    reservation(user, amount_pico_usd=300, created_at=NOW - timedelta(hours=2)).save()
    reservation(user, amount_pico_usd=3_000, state="released", closed_at=NOW).save()
    reservation(other, amount_pico_usd=30_000).save()
    Quota.objects.create(user=user, daily_pico_usd=77)
    since = NOW - timedelta(hours=1)
    sums = standing_sums(user_id=user.pk, turn_id=turn_id, day=day, month=month, held_since=since)
    assert (sums.spent_day, sums.spent_month, sums.spent_turn) == (1, 11, 1_001)
    assert (sums.held, sums.held_turn, sums.daily_cap, sums.monthly_cap) == (33, 3, 77, None)
    nobody = standing_sums(user_id=other.pk, turn_id=None, day=day, month=month, held_since=since)
    assert (nobody.spent_day, nobody.spent_turn, nobody.held, nobody.held_turn) == (10_000, 0, 30_000, 0)


def test_a_reservation_is_settled_once_also_after_its_release(user: User) -> None:
    one = reservation(user)
    one.save()
    assert [reservation_settle(one.pk, NOW), reservation_settle(one.pk, NOW)] == [True, False]
    two = reservation(user, state="released", closed_at=NOW)
    two.save()
    assert reservation_settle(two.pk, NOW)
    assert not reservation_settle(uuid4(), NOW)
    assert {stored.state for stored in Reservation.objects.all()} == {"settled"}
