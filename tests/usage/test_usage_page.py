"""The usage page of each user says what the ledger says, to the pico-dollar."""

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from usage.budgets import budget_settle
from usage.models import User
from usage.selectors import usage_report

pytestmark = pytest.mark.postgres
NOVEMBER = ("--since", "2026-11-01", "--until", "2026-11-30")
ROW = re.compile(r'<tr data-key="([^"]*)">.*?<data value="(-?\d+)">', re.DOTALL)


@pytest.fixture
def spent(reserve: Callable[..., UUID], user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Book odd amounts in two months, for two users."""
    other = User.objects.create_user("grace")
    for number, (model_key, tokens) in enumerate(
        [
            ("sonnet", {"input": 3, "cache_read": 12_304, "output": 551}),
            ("dollar", {"output": 1}),
            ("free", {"input": 9}),
        ]
    ):
        for user_id in (user.pk, other.pk):
            for month in (10, 11):
                at = datetime(2026, month, 1 + number, 23, 59, 59, 999_999, tzinfo=UTC)
                monkeypatch.setattr("usage.budgets.timezone.now", lambda at=at: at)
                call = {"user_id": user_id, "model_key": model_key, "session_id": uuid4(), "worst_case": {"output": 9}}
                budget_settle(reservation_id=reserve(0, **call), tokens=tokens, provider="p", outcome="end")


def costs_of_page(html: str) -> dict[str, dict[str, int]]:
    """Return the costs by table and key."""
    tables = re.findall(r'<table id="by-(\w+)">(.*?)</table>', html, re.DOTALL)
    return {name: {key: int(cost) for key, cost in ROW.findall(body)} for name, body in tables}


def test_ledger_report_export_and_page_agree_to_the_pico_dollar(
    spent: None, client: Client, user: User, capsys: pytest.CaptureFixture[str]
) -> None:
    client.force_login(user)
    shown = costs_of_page(client.get("/usage/?month=2026-11").content.decode())
    call_command("usage", "report", "--user", "ada", *NOVEMBER, "--by", *shown, "--json")
    reported = json.loads(capsys.readouterr().out)
    exported = list(csv.DictReader(io.StringIO(client.get("/usage/report.csv?month=2026-11").content.decode())))
    total = usage_report(
        user_id=user.pk, since=datetime(2026, 11, 1, tzinfo=UTC), until=datetime(2026, 12, 1, tzinfo=UTC)
    ).totals.cost_pico_usd

    assert total == 3 * 3_000_000 + 12_304 * 300_000 + 551 * 15_000_000 + 10**6
    assert shown.keys() == {"day", "model", "session", "tool"}
    for name, costs in shown.items():
        assert costs == {line["key"]: line["cost_pico_usd"] for line in reported["by"][name]}
        assert costs == {row["key"]: int(row["cost_pico_usd"]) for row in exported if row["group"] == name}
        assert sum(costs.values()) == total == reported["total"]["cost_pico_usd"]
    assert shown["day"].keys() == {"2026-11-01", "2026-11-02", "2026-11-03"}


def test_the_page_shows_what_is_left_of_the_caps(
    client: Client, user: User, reserve: Callable[..., UUID], budgets: Callable[..., None]
) -> None:
    budgets(daily=5, monthly=50)
    reserve(120)
    client.force_login(user)

    page = client.get("/usage/").content.decode()

    assert "$1.200000</data> of $5.00" in page
    assert "$1.200000</data> of $50.00" in page
    assert "Nothing was asked in this month." in page
    assert "Nearly used up" not in page
    reserve(280)
    page = client.get("/usage/").content.decode()
    assert page.count("Nearly used up") == 1


def test_a_month_that_is_none_is_this_one(client: Client, user: User) -> None:
    client.force_login(user)

    assert f"<h2>{datetime.now(UTC):%B %Y}</h2>" in client.get("/usage/?month=yesterday").content.decode()


@pytest.mark.parametrize("address", ["/usage/", "/usage/report.csv"])
def test_nobody_sees_it_without_signing_in(client: Client, db: None, address: str) -> None:
    assert client.get(address).status_code == 302


def test_the_page_costs_as_many_queries_for_a_year_as_for_a_day(
    spent: None, client: Client, user: User, django_assert_max_num_queries: Any, settings: Settings
) -> None:
    client.force_login(user)

    with django_assert_max_num_queries(14):
        page = client.get("/usage/?month=2026-11").content.decode()
    assert costs_of_page(page)["day"].keys() == {"2026-11-01", "2026-11-02", "2026-11-03"}
