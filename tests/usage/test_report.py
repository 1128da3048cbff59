"""The sums of the ledger: by every dimension, in the command and in the exports, to the pico-dollar."""

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from usage.budgets import budget_settle
from usage.ledger import ToolRequests, tool_requests_book
from usage.models import LedgerEntry, User
from usage.selectors import Dimension, Totals, usage_report

pytestmark = pytest.mark.postgres
Book = Callable[..., None]


@pytest.fixture
def book(reserve: Callable[..., UUID], monkeypatch: pytest.MonkeyPatch) -> Book:
    """Give a function that books so many output tokens of a model at a time."""

    def book_call(tokens: dict[str, int], at: datetime, **changes: Any) -> None:
        monkeypatch.setattr("usage.budgets.timezone.now", lambda: at)
        reservation_id = reserve(1, **changes)
        budget_settle(reservation_id=reservation_id, tokens=tokens, provider="p", outcome="end")

    return book_call


@pytest.fixture
def ledger(book: Book, user: User) -> dict[str, UUID]:
    """Give a ledger of two users, two models, two days, two sessions, and a tool."""
    other = User.objects.create_user("grace")
    sessions = {"first": uuid4(), "second": uuid4()}
    monday, tuesday = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
    book({"input": 7, "cache_read": 93}, monday, session_id=sessions["first"])
    book({"output": 11}, monday, session_id=sessions["second"], model_key="sonnet")
    book({"output": 3, "cache_write_1h": 1}, tuesday, session_id=sessions["first"], model_key="sonnet")
    book({"output": 1000}, tuesday, user_id=other.pk)
    asked = [ToolRequests("ensembl__lookup_gene", 2, "data"), ToolRequests("ensembl__lookup_gene", 1, "failed")]
    same = {"user_id": user.pk, "session_id": sessions["first"], "turn_id": uuid4(), "model_key": "dollar"}
    tool_requests_book(**same, step=1, requests=asked)
    return sessions


def costs(by: Dimension, **which: Any) -> dict[str, int]:
    """Return the costs of a report by key, in its order."""
    return {line.key: line.totals.cost_pico_usd for line in usage_report(by=[by], **which).lines[by]}


def test_each_dimension_adds_up_to_the_total(ledger: dict[str, UUID]) -> None:
    report = usage_report(by=Dimension)

    assert report.totals.cost_pico_usd == 100 * 10**6 + 11 * 15_000_000 + 3 * 15_000_000 + 6_000_000 + 1000 * 10**6
    for lines in report.lines.values():
        for name in vars(report.totals):
            assert sum(getattr(line.totals, name) for line in lines) == getattr(report.totals, name)


def test_sums_by_each_dimension(ledger: dict[str, UUID], user: User) -> None:
    assert costs(Dimension.DAY, user_id=user.pk, until=datetime(2026, 12, 1, tzinfo=UTC)) == {"2026-11-30": 265_000_000}
    assert costs(Dimension.DAY)["2026-12-01"] == 1_051_000_000
    assert costs(Dimension.USER) == {"grace": 10**9, "ada": 316_000_000}
    assert costs(Dimension.MODEL, user_id=user.pk) == {"sonnet": 216_000_000, "dollar": 100_000_000}
    assert costs(Dimension.SESSION, user_id=user.pk) == {
        str(ledger["second"]): 165_000_000,
        str(ledger["first"]): 151_000_000,
    }
    assert len(costs(Dimension.TURN)) == 5


def test_tools_are_counted_beside_the_model_calls(ledger: dict[str, UUID]) -> None:
    lines = {line.key: line.totals for line in usage_report(by=[Dimension.TOOL]).lines[Dimension.TOOL]}

    assert (lines[""].calls, lines[""].tool_requests) == (4, 0)
    assert lines["ensembl__lookup_gene"] == Totals(0, 0, 0, 0, 0, 0, 0, tool_requests=3)


def test_the_share_of_the_cache_is_of_the_whole_prompt() -> None:
    assert Totals(1, 7, 50, 0, 0, 93, 0).cache_share_percent == 93
    assert Totals(1, 0, 50, 0, 0, 0, 0).cache_share_percent is None


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command prints."""
    call_command("usage", "report", *arguments)
    return capsys.readouterr().out


def test_the_command_tells_the_same_in_every_form(ledger: dict[str, UUID], capsys: pytest.CaptureFixture[str]) -> None:
    expected = usage_report(by=[Dimension.MODEL, Dimension.DAY])

    as_json = json.loads(told(capsys, "--by", "model", "day", "--json"))
    rows = list(csv.DictReader(io.StringIO(told(capsys, "--by", "model", "day", "--csv"))))
    text = told(capsys, "--by", "model", "day")

    assert as_json["total"] == vars(expected.totals)
    assert int(rows[0]["cost_pico_usd"]) == expected.totals.cost_pico_usd
    for dimension, lines in expected.lines.items():
        assert as_json["by"][dimension] == [{"key": line.key, **vars(line.totals)} for line in lines]
        assert {r["key"]: int(r["cost_pico_usd"]) for r in rows if r["group"] == dimension} == {
            line.key: line.totals.cost_pico_usd for line in lines
        }
    assert text.count("$0.001316") == 2
    assert "sonnet" in text


def test_the_command_narrows_to_a_user_and_to_days(ledger: dict[str, UUID], capsys: pytest.CaptureFixture[str]) -> None:
    days = ("--since", "2026-12-01", "--until", "2026-12-01")
    report = json.loads(told(capsys, "--user", "ada", *days, "--by", "model", "--json"))

    assert [line["key"] for line in report["by"]["model"] if line["calls"]] == ["sonnet"]
    assert report["total"]["cost_pico_usd"] == 51_000_000


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless(book: Book, capsys: pytest.CaptureFixture[str]) -> None:
    villain = User.objects.create_user("=1+2")
    book({"output": 1}, datetime(2026, 11, 30, tzinfo=UTC), user_id=villain.pk)

    assert "\nuser,'=1+2," in told(capsys, "--by", "user", "--csv")


@pytest.mark.parametrize("arguments", [("--user", "nobody"), ("--since", "yesterday")])
def test_what_can_not_be_reported_is_named(db: None, arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match=arguments[1]):
        call_command("usage", "report", *arguments)


def test_the_number_of_queries_does_not_grow_with_the_ledger(
    ledger: dict[str, UUID], book: Book, django_assert_num_queries: Any
) -> None:
    for number in range(5):
        book({"output": 1}, datetime(2026, 11, 1 + number, tzinfo=UTC))

    with django_assert_num_queries(3):
        usage_report(by=[Dimension.DAY, Dimension.MODEL])
    assert LedgerEntry.objects.count() == 11
