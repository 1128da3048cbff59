"""The sums by day that caps are looked at in are those of the ledger."""

from datetime import UTC, datetime
from importlib import import_module
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from usage.ledger import entry_correct
from usage.models import DayTotal, LedgerEntry, User

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
LAST_MOMENT = datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=UTC)
NEXT_DAY = datetime(2026, 12, 1, tzinfo=UTC)


def booked(user: User, cost_pico_usd: int, at: datetime) -> LedgerEntry:
    """Store a booking."""
    return LedgerEntry.objects.create(
        kind=LedgerEntry.Kind.TOOL, user=user, turn_id=uuid4(), session_id=uuid4(), step=1, model_key="m",
        provider="p", outcome="end", cost_pico_usd=cost_pico_usd, created_at=at,
    )  # fmt: skip


def kept() -> dict[tuple[str, str], int]:
    """Return the sums by name and day."""
    return {(one.user.username, f"{one.day}"): one.cost_pico_usd for one in DayTotal.objects.select_related("user")}


@pytest.fixture
def ledger(user: User) -> LedgerEntry:
    """Give bookings of two users on two days, and return the first one."""
    first = booked(user, 5, LAST_MOMENT)
    booked(user, 7, LAST_MOMENT)
    booked(user, 11, NEXT_DAY)
    booked(user, 0, NEXT_DAY)
    booked(User.objects.create(username="grace"), 13, NEXT_DAY)
    return first


def test_each_booking_counts_in_its_day(ledger: LedgerEntry, user: User) -> None:
    name = user.username
    assert kept() == {(name, "2026-11-30"): 12, (name, "2026-12-01"): 11, ("grace", "2026-12-01"): 13}
    assert DayTotal.objects.wrong() == {}


def test_a_correction_counts_on_the_day_it_is_booked(
    ledger: LedgerEntry, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("usage.ledger.timezone.now", lambda: NEXT_DAY)
    entry_correct(entry=ledger, cost_pico_usd=1, note="as billed")

    assert kept()[user.username, "2026-11-30"] == 12
    assert kept()[user.username, "2026-12-01"] == 11 - 4
    assert DayTotal.objects.wrong() == {}


def test_sums_that_are_wrong_are_told_and_set_right(
    ledger: LedgerEntry, user: User, capsys: pytest.CaptureFixture[str]
) -> None:
    DayTotal.objects.filter(user=user, day="2026-11-30").update(cost_pico_usd=99)
    DayTotal.objects.filter(day="2026-12-01").delete()

    with pytest.raises(CommandError, match="3 sums differ from the ledger"):
        call_command("usage", "check")
    assert f"user {user.pk}, 2026-11-30: kept 99, booked 12 pico-USD" in capsys.readouterr().out

    call_command("usage", "check", "--repair")
    assert "3 sums were set right" in capsys.readouterr().out
    call_command("usage", "check")
    assert "All sums agree with the ledger." in capsys.readouterr().out


def test_what_was_booked_before_there_were_sums_is_counted(ledger: LedgerEntry) -> None:
    DayTotal.objects.all().delete()

    migration = import_module("usage.migrations.0005_day_totals")
    migration.sum_up(apps, None)

    assert DayTotal.objects.count() == 3
    assert DayTotal.objects.wrong() == {}
