"""Write the ledger: model calls, requests of tools, corrections. Nothing that was booked is ever changed.

Whoever books a model call holds the user's lock (`budgets`), for it moves money from the reservations here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from usage.config import ModelPrice
from usage.models import DayTotal, LedgerEntry, Reservation, User
from usage.models.money import TOKEN_FIELDS
from usage.prepared import PreparedInsert
from usage.pricing import TIERS, cost_of

_insert = PreparedInsert(LedgerEntry)
CORRECTED = "corrected"
# What a correction has in common with the entry that it corrects.
PLACE = ("reservation_id", "user_id", "session_id", "turn_id", "step")
SAME = (*PLACE, "model_key", "effort", "provider", "tool", "began_at")


@dataclass(frozen=True)
class CallReport:
    """What a model call used, and how it ended. `requests` are those of tools that the model's service ran."""

    tokens: Mapping[str, int]
    provider: str
    outcome: str
    estimated: bool = False
    requests: Mapping[str, int] = field(default_factory=dict)
    effort: str = ""


@dataclass(frozen=True)
class ToolRequests:
    """How often a tool was asked in one step, with one outcome."""

    tool: str
    count: int
    outcome: str


def entries_insert(entries: Sequence[LedgerEntry]) -> None:
    """Book new entries and count them in their day; the caller has a transaction open."""
    _insert(entries)
    DayTotal.objects.add(entries)


def call_book(*, reservation: Reservation, report: CallReport, at: datetime) -> int:
    """Book a model call and the tools that its service ran, at the prices of the day it began; return the cost."""
    cost = cost_of(_prices(), reservation.model_key, report.tokens, reservation.created_at.date(), report.requests)
    call = {
        "reservation_id": reservation.id,
        "user_id": reservation.user_id,
        "session_id": reservation.session_id,
        "turn_id": reservation.turn_id,
        "step": reservation.step,
        "model_key": reservation.model_key,
        "effort": report.effort,
        "provider": report.provider,
        "estimated": report.estimated,
        "outcome": report.outcome,
        "began_at": reservation.created_at,
        "created_at": at,
    }
    rows = [
        LedgerEntry(
            **call,
            cost_pico_usd=cost.tokens_pico_usd,
            **{f"{tier}_tokens": report.tokens.get(tier, 0) for tier in TIERS},
        )
    ]
    for tool, cost_pico_usd in cost.requests_pico_usd.items():
        requests = {"tool": tool, "requests": report.requests[tool], "cost_pico_usd": cost_pico_usd}
        rows.append(LedgerEntry(**call, kind=LedgerEntry.Kind.TOOL, **requests))
    entries_insert(rows)
    return cost.pico_usd


def tool_requests_book(
    *, user_id: int, session_id: UUID, turn_id: UUID, step: int, model_key: str, requests: Sequence[ToolRequests]
) -> None:
    """Book what was asked of BURP's own tools; the public databases behind them cost nothing."""
    now = timezone.now()
    rows = [
        LedgerEntry(
            kind=LedgerEntry.Kind.TOOL,
            user_id=user_id,
            session_id=session_id,
            turn_id=turn_id,
            step=step,
            model_key=model_key,
            tool=asked.tool,
            requests=asked.count,
            cost_pico_usd=0,
            outcome=asked.outcome,
            created_at=now,
        )
        for asked in requests
    ]
    entries_insert(rows)


@transaction.atomic
def entry_correct(
    *, entry: LedgerEntry, cost_pico_usd: int, note: str, tokens: Mapping[str, int] | None = None
) -> LedgerEntry | None:
    """Book the difference between what an entry stands at and what it should be; None where there is none.

    `tokens` replaces the counts by tier; left out, they stay as they are.
    """
    # Two that correct one entry together must not both book the difference.
    LedgerEntry.objects.select_for_update().get(pk=entry.pk)
    stands = _standing_of(entry)
    wanted = dict(stands, cost_pico_usd=cost_pico_usd)
    if tokens is not None:
        wanted |= {f"{tier}_tokens": tokens.get(tier, 0) for tier in TIERS}
    difference = {name: wanted[name] - stands[name] for name in stands}
    if not any(difference.values()):
        return None
    return LedgerEntry.objects.create(
        kind=LedgerEntry.Kind.CORRECTION,
        corrects=entry,
        outcome=CORRECTED,
        note=note,
        created_at=timezone.now(),
        **{name: getattr(entry, name) for name in SAME},
        **difference,
    )


def reported_late(*, entry: LedgerEntry, report: CallReport) -> None:
    """Replace an estimate by what was reported after all, with a correction."""
    began_at = entry.began_at or entry.created_at
    cost = cost_of(_prices(), entry.model_key, report.tokens, began_at.date())
    entry_correct(entry=entry, cost_pico_usd=cost.pico_usd, tokens=report.tokens, note="the service reported it late")


@transaction.atomic
def day_totals_repair() -> dict[tuple[int, date], tuple[int, int]]:
    """Set the sums by day to what the ledger says; return what was wrong."""
    # Nobody books meanwhile: who books a call holds the user, who corrects one adds to a row of this table.
    list(User.objects.select_for_update().values_list("pk"))
    list(DayTotal.objects.select_for_update().values_list("pk"))
    wrong = DayTotal.objects.wrong()
    for (user_id, day), (_, booked) in wrong.items():
        DayTotal.objects.update_or_create(user_id=user_id, day=day, defaults={"cost_pico_usd": booked})
    return wrong


@dataclass(frozen=True)
class Repriced:
    """A model call that was booked at another price than the one that is configured now."""

    entry: LedgerEntry
    booked_pico_usd: int
    right_pico_usd: int


def wrongly_priced(*, model_key: str = "", since: datetime | None = None) -> list[Repriced]:
    """Return the model calls whose cost differs from what the configured prices say."""
    calls = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.CALL)
    if model_key:
        calls = calls.filter(model_key=model_key)
    if since is not None:
        calls = calls.since(since)
    known = {price.model_key for price in _prices()}
    found = []
    for entry in calls.filter(model_key__in=known).prefetch_related("corrections").order_by("id"):
        stands = _standing_of(entry)
        tokens = {tier: stands[f"{tier}_tokens"] for tier in TIERS}
        right = cost_of(_prices(), entry.model_key, tokens, (entry.began_at or entry.created_at).date()).pico_usd
        if right != stands["cost_pico_usd"]:
            found.append(Repriced(entry, stands["cost_pico_usd"], right))
    return found


def _standing_of(entry: LedgerEntry) -> dict[str, int]:
    """Return an entry's numbers with all its corrections."""
    rows = [entry, *entry.corrections.all()]
    return {name: sum(getattr(row, name) for row in rows) for name in (*TOKEN_FIELDS, "cost_pico_usd")}


def _prices() -> tuple[ModelPrice, ...]:
    prices: tuple[ModelPrice, ...] = settings.BURP.usage.prices
    return prices
