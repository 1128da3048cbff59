"""The two statements that every model call needs beside its inserts: what is spent by now, and settle once.

Written as SQL, one round trip each: the same through the ORM is six queries, each written anew for each call.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from usage.models import DayTotal, LedgerEntry, Quota, Reservation
from usage.models.totals import day_of
from usage.prepared import db_value, table

_SUMS = """
SELECT q.daily_pico_usd, q.monthly_pico_usd, spent.of_day, spent.of_month, turn.cost, held.of_user, held.of_turn
FROM (
    SELECT SUM(CASE WHEN day >= %s THEN cost_pico_usd END) AS of_day, SUM(cost_pico_usd) AS of_month
    FROM {total} WHERE user_id = %s AND day >= %s
) AS spent
CROSS JOIN (SELECT SUM(cost_pico_usd) AS cost FROM {ledger} WHERE turn_id = %s) AS turn
CROSS JOIN (
    SELECT SUM(amount_pico_usd) AS of_user, SUM(CASE WHEN turn_id = %s THEN amount_pico_usd END) AS of_turn
    FROM {reservation} WHERE user_id = %s AND state = 'open' AND created_at >= %s
) AS held
LEFT JOIN {quota} AS q ON q.user_id = %s
"""
_SETTLE = "UPDATE {reservation} SET state = %s, closed_at = %s WHERE id = %s AND state <> %s"


@dataclass(frozen=True)
class StandingSums:
    """What a user spent and holds, in pico-USD, and the user's own caps where there are any."""

    daily_cap: int | None
    monthly_cap: int | None
    spent_day: int
    spent_month: int
    spent_turn: int
    held: int
    held_turn: int


def standing_sums(
    *, user_id: int, turn_id: UUID | None, day: datetime, month: datetime, held_since: datetime
) -> StandingSums:
    """Return what counts against the caps of a user, of the day, of the month and of a turn."""
    begin_day, begin_month = (db_value(DayTotal, "day", day_of(at)) for at in (day, month))
    since = db_value(Reservation, "created_at", held_since)
    turn = db_value(LedgerEntry, "turn_id", turn_id)
    with connection.cursor() as cursor:
        cursor.execute(
            _SUMS.format(
                total=table(DayTotal), ledger=table(LedgerEntry), reservation=table(Reservation), quota=table(Quota)
            ),
            [begin_day, user_id, begin_month, turn, turn, user_id, since, user_id],
        )
        caps_and_sums: tuple[Any, ...] = cursor.fetchone()
    daily_cap, monthly_cap, *sums = caps_and_sums
    return StandingSums(daily_cap, monthly_cap, *(int(value or 0) for value in sums))


def reservation_settle(reservation_id: UUID, at: datetime) -> bool:
    """Mark a reservation as settled; tell whether it was not before."""
    settled = Reservation.State.SETTLED.value
    key, closed_at = db_value(Reservation, "id", reservation_id), db_value(Reservation, "closed_at", at)
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE.format(reservation=table(Reservation)), [settled, closed_at, key, settled])
        return bool(cursor.rowcount)
