"""What must hold when many turns of one user run at the same time, on SQLite and on PostgreSQL."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from tests.usage.conftest import USD
from usage.budgets import BudgetExceeded, budget_settle
from usage.models import DayTotal, LedgerEntry, Reservation, User
from usage.services import one_time_link_create, one_time_link_redeem

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
PARALLEL = 8
TURNS = 200
WAIT_S = 5.0
Reserve = Callable[..., UUID]


def at_once(action: Callable[..., Any], parallel: int = 0) -> list[Any]:
    """Run `action` in threads that begin together, each with its own connection; with numbers if asked for many."""
    barrier = threading.Barrier(parallel or PARALLEL, timeout=WAIT_S)

    def run(number: int) -> Any:
        barrier.wait()
        try:
            return action(number) if parallel else action()
        except BudgetExceeded as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(parallel or PARALLEL) as pool:
        return [future.result() for future in [pool.submit(run, number) for number in range(parallel or PARALLEL)]]


@pytest.mark.case("C063")
@pytest.mark.parametrize(("cents", "that_fit"), [(60, 1), (25, 4)])
def test_parallel_turns_never_reserve_more_than_the_cap(
    reserve: Reserve, budgets: Callable[..., None], cents: int, that_fit: int
) -> None:
    budgets(daily=1)

    answers = at_once(lambda: reserve(cents))

    refusals = [answer for answer in answers if isinstance(answer, BudgetExceeded)]
    assert len(refusals) == PARALLEL - that_fit
    assert {refusal.scope for refusal in refusals} == {"daily"}
    assert Reservation.objects.all().amount_pico_usd() == that_fit * cents * USD // 100


@pytest.mark.case("C063")
def test_two_hundred_turns_together_never_pass_the_cap(
    reserve: Reserve, budgets: Callable[..., None], user: User
) -> None:
    budgets(daily=1)

    def turn(number: int) -> int:
        """Make two calls; every fourth turn's second call ends without a report, or never."""
        made = 0
        for step in (1, 2):
            try:
                reservation_id = reserve(3, step=step)
            except BudgetExceeded:
                continue
            made += 1
            if step == 2 and number % 4 == 0:
                continue
            tokens = {"output": 1_000 * (number % 30)}
            lost = step == 2 and number % 4 == 1
            budget_settle(reservation_id=reservation_id, tokens=tokens, provider="p", outcome="end", estimated=lost)
        return made

    made = sum(at_once(turn, TURNS))

    spent = LedgerEntry.objects.for_user(user.pk).cost_pico_usd()
    held = Reservation.objects.filter(state=Reservation.State.OPEN).amount_pico_usd()
    assert USD // 2 < spent + held <= USD
    assert LedgerEntry.objects.count() + Reservation.objects.filter(state=Reservation.State.OPEN).count() == made


@pytest.mark.case("C063")
@pytest.mark.case("C068")
def test_parallel_turns_never_spend_more_than_the_cap(
    reserve: Reserve, budgets: Callable[..., None], user: User
) -> None:
    budgets(daily=1)

    def calls_until_refused() -> int:
        for number in range(100):
            try:
                reservation_id = reserve(10)
            except BudgetExceeded:
                return number
            budget_settle(reservation_id=reservation_id, tokens={"output": 50_000}, provider="p", outcome="completed")
        return 100

    calls = at_once(calls_until_refused)

    spent = LedgerEntry.objects.for_user(user.pk).cost_pico_usd()
    assert spent == sum(calls) * 5 * USD // 100
    assert DayTotal.objects.wrong() == {}
    assert USD // 5 < spent <= USD


def test_a_call_settled_twice_at_once_is_booked_once(reserve: Reserve) -> None:
    reservation_id = reserve(60)

    costs = at_once(
        lambda: budget_settle(reservation_id=reservation_id, tokens={"output": 7}, provider="p", outcome="completed")
    )

    assert costs == [7 * 10**6] * PARALLEL
    assert LedgerEntry.objects.count() == 1


def test_a_link_redeemed_twice_at_once_signs_in_once(user: User) -> None:
    secret = one_time_link_create(user=user)

    redeemed = at_once(lambda: one_time_link_redeem(secret=secret))

    assert redeemed.count(user) == 1
    assert redeemed.count(None) == PARALLEL - 1


@pytest.mark.case("C068")
def test_writers_wait_for_another_process_that_holds_the_lock(reserve: Reserve) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has one lock for all writers")
    holder = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    release = threading.Timer(1.0, holder.execute, ["COMMIT"])
    release.start()

    answers = at_once(lambda: reserve(1))

    release.join(WAIT_S)
    holder.close()
    assert all(isinstance(answer, UUID) for answer in answers)
