"""Reserving, settling and releasing."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command

from tests.usage.conftest import USD
from usage.budgets import (
    BudgetExceeded,
    budget_release,
    budget_settle,
    budget_settle_lost,
    budget_standing,
)
from usage.models import LedgerEntry, Quota, Reservation, User
from usage.pricing import UnknownPrice

Reserve = Callable[..., UUID]
CENT = USD // 100

pytestmark = pytest.mark.postgres


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Give a function that sets the clock of the budgets."""

    def set_clock(now: datetime) -> None:
        monkeypatch.setattr("usage.budgets.timezone.now", lambda: now)

    return set_clock


def test_settlement_books_what_was_used_and_frees_the_rest(reserve: Reserve, user: User) -> None:
    turn_id, session_id = uuid4(), uuid4()
    reservation_id = reserve(60, turn_id=turn_id, session_id=session_id, step=3)

    cost = budget_settle(
        reservation_id=reservation_id, tokens={"input": 100_000}, provider="anthropic", outcome="completed"
    )

    entry = LedgerEntry.objects.get()
    assert cost == entry.cost_pico_usd == 10 * CENT
    assert (entry.session_id, entry.turn_id, entry.step) == (session_id, turn_id, 3)
    assert (entry.input_tokens, entry.output_tokens, entry.estimated, entry.outcome) == (100_000, 0, False, "completed")
    assert [s.spent_pico_usd for s in budget_standing(user_id=user.pk, turn_id=turn_id)] == [10 * CENT] * 3


def test_settling_again_changes_nothing(reserve: Reserve) -> None:
    reservation_id = reserve(60)
    book = {"reservation_id": reservation_id, "provider": "anthropic", "outcome": "completed"}

    costs = [budget_settle(tokens={"input": 100}, **book), budget_settle(tokens={"input": 999}, **book)]

    assert costs == [100 * 10**6] * 2
    assert LedgerEntry.objects.count() == 1


def test_a_late_settlement_of_a_released_call_is_booked_all_the_same(reserve: Reserve) -> None:
    reservation_id = reserve(60)
    budget_release(reservation_id=reservation_id)

    budget_settle(reservation_id=reservation_id, tokens={"output": 5}, provider="p", outcome="internal", estimated=True)

    assert LedgerEntry.objects.get().estimated
    assert Reservation.objects.get().state == Reservation.State.SETTLED


@pytest.mark.parametrize(
    ("caps", "scope", "outcome"),
    [
        ({"turn": 1}, "turn", "budget_turn"),
        ({"daily": 1}, "daily", "budget_daily"),
        ({"monthly": 1}, "monthly", "budget_monthly"),
    ],
)
def test_what_does_not_fit_under_a_cap_is_refused(
    reserve: Reserve, budgets: Callable[..., None], caps: dict[str, int], scope: str, outcome: str
) -> None:
    budgets(**caps)
    turn_id = uuid4()
    reserve(60, turn_id=turn_id)

    with pytest.raises(BudgetExceeded) as refusal:
        reserve(41, turn_id=turn_id)

    assert (refusal.value.scope, refusal.value.outcome) == (scope, outcome)
    assert (refusal.value.limit_pico_usd, refusal.value.spent_pico_usd) == (USD, 60 * CENT)
    assert Reservation.objects.count() == 1
    reserve(40, turn_id=turn_id)


def test_the_refusal_says_when_the_budget_starts_anew(
    reserve: Reserve, budgets: Callable[..., None], at: Callable[[datetime], None]
) -> None:
    at(datetime(2026, 12, 31, 23, 50, tzinfo=UTC))
    budgets(daily=0)
    with pytest.raises(BudgetExceeded, match=r"daily budget is \$0\.000000.*2027-01-01 00:00 UTC") as daily:
        reserve(1)
    budgets(monthly=0)
    with pytest.raises(BudgetExceeded) as monthly:
        reserve(1)

    assert daily.value.resets_at == monthly.value.resets_at == datetime(2027, 1, 1, tzinfo=UTC)


def test_yesterdays_spending_counts_for_the_month_only(
    reserve: Reserve, user: User, at: Callable[[datetime], None]
) -> None:
    at(datetime(2026, 11, 29, 23, 59, tzinfo=UTC))
    budget_settle(reservation_id=reserve(60), tokens={"output": 600_000}, provider="p", outcome="completed")
    at(datetime(2026, 11, 30, 0, 0, tzinfo=UTC))

    spent = {standing.scope: standing.spent_pico_usd for standing in budget_standing(user_id=user.pk)}

    assert spent == {"daily": 0, "monthly": 60 * CENT}


def test_a_users_own_quota_replaces_the_default(reserve: Reserve, user: User) -> None:
    Quota.objects.create(user=user, daily_pico_usd=50 * CENT)

    with pytest.raises(BudgetExceeded, match="the daily budget is"):
        reserve(51)


def test_a_turn_may_have_a_cap_of_its_own(reserve: Reserve) -> None:
    with pytest.raises(BudgetExceeded, match="the turn budget is"):
        reserve(11, turn_limit_pico_usd=10 * CENT)


def test_a_free_call_fits_even_when_all_is_spent(reserve: Reserve, budgets: Callable[..., None]) -> None:
    budgets(turn=0, daily=0, monthly=0)

    reservation_id = reserve(0, model_key="free", worst_case={"output": 10**9})

    assert (
        budget_settle(reservation_id=reservation_id, tokens={"output": 7}, provider="planner", outcome="completed") == 0
    )
    assert LedgerEntry.objects.get().output_tokens == 7


def test_a_released_reservation_holds_nothing(reserve: Reserve, user: User) -> None:
    reservation_id = reserve(60)

    assert budget_release(reservation_id=reservation_id)
    assert not budget_release(reservation_id=reservation_id)
    assert budget_standing(user_id=user.pk)[0].spent_pico_usd == 0


def test_what_a_dead_turn_had_open_is_booked_as_an_estimate(reserve: Reserve, user: User) -> None:
    turn_id = uuid4()
    worst_case = {"cache_write_1h": 20_000, "cache_write_5m": 4_001, "output": 32_000}
    reservation_id = reserve(0, turn_id=turn_id, step=1, worst_case=worst_case)
    budget_settle(reservation_id=reservation_id, tokens={"output": 5}, provider="p", outcome="tool_use")
    reserve(0, turn_id=turn_id, step=2, worst_case=worst_case)
    reserve(5)

    (lost,) = budget_settle_lost(turn_id=turn_id, shown_characters={2: 301}, provider="p", outcome="aborted_shutdown")

    # Half of the worst prompt, a token for three characters; a million tokens are a dollar here.
    assert (lost.step, lost.tokens) == (2, {"input": 12_001, "output": 101})
    assert (lost.cost_pico_usd, lost.turn_cost_pico_usd) == (12_102 * 10**6, 12_107 * 10**6)
    entry = LedgerEntry.objects.get(step=2)
    assert (entry.estimated, entry.outcome, entry.input_tokens) == (True, "aborted_shutdown", 12_001)
    assert Reservation.objects.filter(state=Reservation.State.OPEN).count() == 1
    assert budget_settle_lost(turn_id=turn_id, shown_characters={}, provider="p", outcome="aborted_shutdown") == []


def test_a_lost_call_is_never_booked_above_what_it_held(reserve: Reserve) -> None:
    turn_id = uuid4()
    reserve(0, turn_id=turn_id, worst_case={"input": 3, "output": 10})

    (lost,) = budget_settle_lost(turn_id=turn_id, shown_characters={1: 10**6}, provider="p", outcome="internal")

    assert lost.tokens == {"input": 2, "output": 10}


def test_a_lost_call_without_a_price_is_given_back(reserve: Reserve, user: User) -> None:
    turn_id = uuid4()
    reserve(60, turn_id=turn_id)
    Reservation.objects.update(model_key="gone")

    assert budget_settle_lost(turn_id=turn_id, shown_characters={}, provider="p", outcome="internal") == []
    assert budget_standing(user_id=user.pk)[0].spent_pico_usd == 0


def test_a_reservation_of_a_process_that_died_holds_nothing_after_an_hour(
    reserve: Reserve, user: User, at: Callable[[datetime], None]
) -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    at(noon)
    reserve(60)
    at(noon + timedelta(minutes=59))
    assert budget_standing(user_id=user.pk)[0].left_pico_usd == 1000 * USD - 60 * CENT
    at(noon + timedelta(minutes=61))

    assert budget_standing(user_id=user.pk)[0].left_pico_usd == 1000 * USD


def test_an_operator_frees_what_dead_processes_hold(
    reserve: Reserve, at: Callable[[datetime], None], capsys: pytest.CaptureFixture[str]
) -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    at(noon)
    reserve(60)
    at(noon + timedelta(minutes=61))
    reserve(5)

    call_command("usage", "release")

    assert capsys.readouterr().out == "1 reservations of dead processes were released.\n"
    assert Reservation.objects.get(state="open").amount_pico_usd == 5 * CENT


def test_a_model_without_a_price_reserves_nothing(reserve: Reserve) -> None:
    with pytest.raises(UnknownPrice):
        reserve(1, model_key="gpt")

    assert not Reservation.objects.exists()


def test_a_settlement_that_fails_leaves_the_reservation_open(reserve: Reserve) -> None:
    reservation_id = reserve(60)

    with (
        patch("usage.ledger._insert", side_effect=RuntimeError("disk full")),
        pytest.raises(RuntimeError, match="disk full"),
    ):
        budget_settle(reservation_id=reservation_id, tokens={"output": 1}, provider="p", outcome="completed")

    assert Reservation.objects.get().state == Reservation.State.OPEN
