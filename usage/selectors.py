"""What was spent, read from the ledger alone: never computed anew from tokens and prices."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models.functions import TruncDate

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
    tool_requests: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the prompts, cached or not."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read

    @property
    def cache_share_percent(self) -> int | None:
        """How much of the prompts was read from the cache; None where there was no prompt."""
        return round(100 * self.cache_read / self.prompt) if self.prompt > 0 else None


class Dimension(StrEnum):
    """What sums may be grouped by."""

    DAY = "day"
    USER = "user"
    MODEL = "model"
    TOOL = "tool"
    SESSION = "session"
    TURN = "turn"


@dataclass(frozen=True)
class Line:
    """One row of a report: what was spent on, by or for `key`. For a tool, the empty key are the model calls."""

    key: str
    totals: Totals


@dataclass(frozen=True)
class Report:
    """What was spent in a span of time, all in all and grouped; the lines of each group add up to `totals`."""

    since: datetime | None
    until: datetime | None
    totals: Totals
    lines: Mapping[Dimension, list[Line]]


_EXPRESSIONS: dict[Dimension, Any] = {
    Dimension.DAY: TruncDate("created_at", tzinfo=UTC),
    Dimension.USER: "user__username",
    Dimension.MODEL: "model_key",
    Dimension.TOOL: "tool",
    Dimension.SESSION: "session_id",
    Dimension.TURN: "turn_id",
}


def usage_report(
    *,
    by: Iterable[Dimension] = (),
    user_id: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Report:
    """Return what one user spent, or all did, from `since` on and before `until`."""
    entries = LedgerEntry.objects.all() if user_id is None else LedgerEntry.objects.for_user(user_id)
    entries = entries.since(since) if since else entries
    entries = entries.until(until) if until else entries
    return Report(since, until, _totals(entries), {dimension: _lines(entries, dimension) for dimension in by})


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


def turn_costs(since: datetime) -> dict[tuple[str, str], list[int]]:
    """Return what answered turns cost since a moment, by model and effort: everybody's, for estimates."""
    costs: dict[tuple[str, str], list[int]] = {}
    for model_key, effort, cost in LedgerEntry.objects.since(since).finished_turns():
        costs.setdefault((model_key, effort), []).append(cost)
    return costs


def _totals(entries: LedgerQuerySet) -> Totals:
    return Totals(**entries.totals())


def _lines(entries: LedgerQuerySet, dimension: Dimension) -> list[Line]:
    """Return the sums by one dimension: days from the latest, all else from the dearest."""
    sums = entries.totals_by(_EXPRESSIONS[dimension])
    lines = [Line(str(key), Totals(**totals)) for key, totals in sums.items()]
    if dimension is Dimension.DAY:
        return sorted(lines, key=lambda line: line.key, reverse=True)
    return sorted(lines, key=lambda line: (-line.totals.cost_pico_usd, line.key))
