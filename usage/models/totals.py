"""What each user spent by day (UTC): the ledger's sums kept at hand, so that a cap costs the same to look at in a busy
month as in a new one.

The ledger is the truth. Each booking adds to its day in its own transaction (`ledger.entries_insert`,
`LedgerEntry.save`).
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

from django.conf import settings
from django.db import connection, models
from django.db.models import Sum
from django.db.models.functions import TruncDate

_ADD = """
INSERT INTO {table} (user_id, day, cost_pico_usd) VALUES (%s, %s, %s)
ON CONFLICT (user_id, day) DO UPDATE SET cost_pico_usd = {table}.cost_pico_usd + excluded.cost_pico_usd
"""


def day_of(at: datetime) -> date:
    """Return the day in which a booking counts."""
    return at.astimezone(UTC).date()


class DayTotalQuerySet(models.QuerySet["DayTotal"]):
    """Sums by user and day."""

    def add(self, entries: Iterable[Any]) -> None:
        """Count new ledger entries, in the transaction that books them."""
        costs: dict[tuple[int, date], int] = {}
        for entry in entries:
            key = (entry.user_id, day_of(entry.created_at))
            costs[key] = costs.get(key, 0) + entry.cost_pico_usd
        meta, ops = self.model._meta, connection.ops
        statement = _ADD.format(table=ops.quote_name(meta.db_table))
        with connection.cursor() as cursor:
            for (user_id, day), cost in costs.items():
                if cost:
                    cursor.execute(statement, [user_id, ops.adapt_datefield_value(day), cost])

    def wrong(self) -> dict[tuple[int, date], tuple[int, int]]:
        """Return the days that differ from the ledger: what is kept, and what the ledger says."""
        from usage.models.money import LedgerEntry

        kept = {(one.user_id, one.day): one.cost_pico_usd for one in self}
        days = LedgerEntry.objects.order_by().annotate(day=TruncDate("created_at", tzinfo=UTC)).values("user_id", "day")
        booked = {(row["user_id"], row["day"]): int(row["cost"]) for row in days.annotate(cost=Sum("cost_pico_usd"))}
        return {
            key: (kept.get(key, 0), booked.get(key, 0))
            for key in kept.keys() | booked.keys()
            if kept.get(key, 0) != booked.get(key, 0)
        }


class DayTotal(models.Model):
    """What one user spent on one day, in pico-USD; corrections count on the day on which they were booked."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="day_totals")
    day = models.DateField()
    cost_pico_usd = models.BigIntegerField()

    objects = DayTotalQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="usage_day_total_once")]

    def __str__(self) -> str:
        return f"{self.user} on {self.day}"
