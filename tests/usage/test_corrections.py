"""What was booked wrong is put right by another row, never by a change."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.usage.conftest import USD
from usage.budgets import budget_settle, budget_standing
from usage.config import ModelPrice
from usage.ledger import entry_correct
from usage.models import LedgerEntry, User
from usage.selectors import totals_of_turn, totals_of_user

pytestmark = pytest.mark.postgres
Reserve = Callable[..., UUID]
REPORT = {"provider": "p", "outcome": "end"}


@pytest.fixture
def entry(reserve: Reserve) -> LedgerEntry:
    """Give a booking of ten micro-dollars."""
    budget_settle(reservation_id=reserve(1), tokens={"output": 10}, **REPORT)
    return LedgerEntry.objects.get()


def test_a_correction_is_the_difference_and_the_old_row_stands(entry: LedgerEntry, user: User) -> None:
    correction = entry_correct(entry=entry, cost_pico_usd=4 * 10**6, tokens={"output": 4}, note="counted twice")

    assert correction is not None
    assert (correction.cost_pico_usd, correction.output_tokens, correction.corrects) == (-6 * 10**6, -6, entry)
    entry.refresh_from_db()
    assert entry.cost_pico_usd == 10 * 10**6
    totals = totals_of_user(user.pk)
    assert (totals.calls, totals.output, totals.cost_pico_usd) == (1, 4, 4 * 10**6)
    assert totals == totals_of_turn(entry.turn_id)
    assert budget_standing(user_id=user.pk)[0].spent_pico_usd == 4 * 10**6


def test_a_second_correction_starts_from_the_first(entry: LedgerEntry, user: User) -> None:
    entry_correct(entry=entry, cost_pico_usd=4 * 10**6, note="once")
    second = entry_correct(entry=entry, cost_pico_usd=5 * 10**6, note="twice")

    assert second is not None
    assert second.cost_pico_usd == 10**6
    assert entry_correct(entry=entry, cost_pico_usd=5 * 10**6, note="again") is None
    assert totals_of_user(user.pk).cost_pico_usd == 5 * 10**6


def test_an_estimate_is_corrected_when_the_report_comes_after_all(reserve: Reserve, user: User) -> None:
    call = {"reservation_id": reserve(60), "provider": "p"}
    budget_settle(**call, tokens={"input": 100, "output": 9}, outcome="aborted_shutdown", estimated=True)

    cost = budget_settle(**call, tokens={"input": 120, "output": 5}, outcome="end")

    assert cost == totals_of_user(user.pk).cost_pico_usd == 125 * 10**6
    assert list(LedgerEntry.objects.values_list("kind", "input_tokens", "output_tokens", "estimated")) == [
        ("call", 100, 9, True),
        ("correction", 20, -4, False),
    ]
    assert budget_settle(**call, tokens={"input": 1}, outcome="end") == cost


def test_tools_that_the_service_ran_are_rows_of_their_own(reserve: Reserve, settings: Settings, user: User) -> None:
    usage = settings.BURP.usage
    (band,) = usage.prices[1].bands
    paid = replace(usage.prices[1], bands=(replace(band, requests={"web_search": USD // 100, "web_fetch": 0}),))
    settings.BURP = replace(settings.BURP, usage=replace(usage, prices=(usage.prices[0], paid)))
    turn_id = uuid4()

    cost = budget_settle(
        reservation_id=reserve(60, turn_id=turn_id),
        tokens={"output": 10},
        requests={"web_search": 3, "web_fetch": 2},
        **REPORT,
    )

    assert cost == totals_of_turn(turn_id).cost_pico_usd == 3 * USD // 100 + 10 * 10**6
    assert list(LedgerEntry.objects.values_list("kind", "tool", "requests", "cost_pico_usd")) == [
        ("call", "", 0, 10 * 10**6),
        ("tool", "web_search", 3, 3 * USD // 100),
        ("tool", "web_fetch", 2, 0),
    ]


def test_calls_booked_at_a_wrong_price_are_found_and_corrected_once(
    entry: LedgerEntry, settings: Settings, user: User, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = settings.BURP.usage
    dearer = tuple(double(price) if price.model_key == "dollar" else price for price in usage.prices)
    settings.BURP = replace(settings.BURP, usage=replace(usage, prices=dearer))

    call_command("usage", "reprice")
    assert f"entry {entry.pk}: dollar, booked $0.000010, now $0.000020" in capsys.readouterr().out
    assert totals_of_user(user.pk).cost_pico_usd == 10 * 10**6
    call_command("usage", "reprice", "--apply")
    call_command("usage", "reprice", "--apply")

    assert capsys.readouterr().out.endswith("0 calls, $0.000000 in all\n")
    assert totals_of_user(user.pk).cost_pico_usd == 20 * 10**6


def double(price: ModelPrice) -> ModelPrice:
    """Return a price twice as high."""
    (band,) = price.bands
    tiers = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")
    return replace(price, bands=(replace(band, **{tier: 2 * getattr(band, tier) for tier in tiers}),))


def test_an_operator_corrects_an_entry(entry: LedgerEntry, capsys: pytest.CaptureFixture[str]) -> None:
    correct = ("usage", "correct", str(entry.pk), "--cost-usd", "0.000025", "--note", "the bill says so")
    call_command(*correct)
    assert "Booked $0.000015" in capsys.readouterr().out
    call_command(*correct)
    assert "already stands" in capsys.readouterr().out

    correction = LedgerEntry.objects.get(kind="correction")
    assert correction.note == "the bill says so"
    with pytest.raises(CommandError, match=f"correct entry {entry.pk}"):
        call_command("usage", "correct", str(correction.pk), "--cost-usd", "1", "--note", "no")
    with pytest.raises(CommandError, match="no ledger entry 999"):
        call_command("usage", "correct", "999", "--cost-usd", "1", "--note", "no")
    with pytest.raises(CommandError, match="--cost-usd"):
        call_command("usage", "correct", str(entry.pk), "--cost-usd", "much", "--note", "no")
