"""What was spent, read from the ledger alone."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from usage.models import LedgerEntry
from usage.models.money import LedgerQuerySet


@dataclass(frozen=True)
class Totals:
    """Model calls, their tokens by price tier, their cost."""

    calls: int
    input: int
    output: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int
    cost_pico_usd: int


def totals_of_user(user_id: int, *, since: datetime | None = None) -> Totals:
    """Return what a user spent, all in all or since a moment."""
    entries = LedgerEntry.objects.for_user(user_id)
    return _totals(entries.since(since) if since else entries)


def totals_of_session(session_id: UUID) -> Totals:
    """Return what a session spent."""
    return _totals(LedgerEntry.objects.for_session(session_id))


def totals_of_turn(turn_id: UUID) -> Totals:
    """Return what a turn spent."""
    return _totals(LedgerEntry.objects.for_turn(turn_id))


def costs_by_turn(session_id: UUID) -> dict[UUID, int]:
    """Return the pico-USD of each turn of a session, in one query."""
    return LedgerEntry.objects.for_session(session_id).costs_by("turn_id")


def _totals(entries: LedgerQuerySet) -> Totals:
    return Totals(**entries.totals())
