"""Reserve money before a model call, settle it afterwards.

A reservation holds the worst case of a call against three caps at once: of the turn, of the user's
day, of the user's month (both UTC). Reserving and settling lock the user first, so parallel turns
never see each other's money as free: on PostgreSQL a row lock, on SQLite the write lock that every
transaction takes when it begins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from mcp_server.codes import TurnOutcome
from usage import ledger
from usage.config import UsageConfig
from usage.ledger import CallReport
from usage.models import LedgerEntry, Quota, Reservation, User
from usage.money import format_usd
from usage.pricing import PROMPT_TIERS, UnknownPrice, cost_pico_usd

Scope = Literal["turn", "daily", "monthly"]

# The worst case counts a token for every two bytes of the prompt, where four are usual.
WORST_TO_LIKELY_PROMPT = 2
ESTIMATE_CHARACTERS_PER_TOKEN = 3
# No model call lasts this long: an open reservation that is older belongs to a process that died.
RESERVATION_LIFETIME = timedelta(hours=1)


@dataclass(frozen=True)
class Standing:
    """How much of one cap is used. `spent_pico_usd` holds what is reserved as well."""

    scope: Scope
    limit_pico_usd: int
    spent_pico_usd: int
    resets_at: datetime | None

    @property
    def left_pico_usd(self) -> int:
        """Return what may still be spent."""
        return max(0, self.limit_pico_usd - self.spent_pico_usd)


class BudgetExceeded(Exception):
    """The worst case of a call doesn't fit under a cap. `resets_at` is None for the turn's own."""

    def __init__(self, standing: Standing, wanted_pico_usd: int) -> None:
        self.scope = standing.scope
        self.limit_pico_usd = standing.limit_pico_usd
        self.spent_pico_usd = standing.spent_pico_usd
        self.wanted_pico_usd = wanted_pico_usd
        self.resets_at = standing.resets_at
        renewal = f"; it starts anew at {self.resets_at:%Y-%m-%d %H:%M} UTC" if self.resets_at else ""
        super().__init__(
            f"the {self.scope} budget is {format_usd(self.limit_pico_usd)}, of which {format_usd(self.spent_pico_usd)} "
            f"are spent or reserved; this call may cost up to {format_usd(wanted_pico_usd)}{renewal}"
        )

    @property
    def outcome(self) -> TurnOutcome:
        """Return how a turn ends because of this."""
        return TurnOutcome(f"budget_{self.scope}")


@transaction.atomic
def budget_reserve(
    *,
    user_id: int,
    session_id: UUID,
    turn_id: UUID,
    step: int,
    model_key: str,
    worst_case: Mapping[str, int],
    turn_limit_pico_usd: int | None = None,
) -> UUID:
    """Hold the worst case of a call and return the reservation's id.

    Raises `BudgetExceeded` when it doesn't fit, `UnknownPrice` when the model has none.
    `turn_limit_pico_usd` replaces the configured cap of the turn. A free call always fits.
    """
    now = timezone.now()
    amount = cost_pico_usd(_config().prices, model_key, worst_case, now.date())
    if amount:
        # A free call takes nobody's money: it needs neither the lock nor the sums.
        _lock_user(user_id)
        for standing in _standings(user_id, turn_id, turn_limit_pico_usd, now):
            if standing.spent_pico_usd + amount > standing.limit_pico_usd:
                raise BudgetExceeded(standing, amount)
    reservation = Reservation.objects.create(
        user_id=user_id,
        session_id=session_id,
        turn_id=turn_id,
        step=step,
        model_key=model_key,
        amount_pico_usd=amount,
        worst_case=dict(worst_case),
        created_at=now,
    )
    return reservation.id


@transaction.atomic
def budget_settle(*, reservation_id: UUID, **report: Any) -> int:
    """Book what a call really used, close its reservation, and return the cost in pico-USD.

    `report` are the fields of `CallReport`. Safe to repeat: the first booking of a reservation stands, unless
    it was an estimate and this is a report, which corrects it. What was released is booked all the same, for
    it was used. The price is that of the day on which the call began.
    """
    told = CallReport(**report)
    # The row's own lock makes a second booking wait for the first one and then find it.
    reservation = Reservation.objects.select_for_update().get(pk=reservation_id)
    if reservation.amount_pico_usd:
        _lock_user(reservation.user_id)
    if reservation.state == Reservation.State.SETTLED:
        return _settled_again(reservation, told)
    now = timezone.now()
    cost = ledger.call_book(reservation=reservation, report=told, at=now)
    Reservation.objects.filter(pk=reservation_id).update(state=Reservation.State.SETTLED, closed_at=now)
    return cost


def budget_release(*, reservation_id: UUID) -> bool:
    """Give back what a call that was never sent had reserved; tell whether anything was held."""
    return _release(Q(pk=reservation_id)) > 0


@dataclass(frozen=True)
class LostCall:
    """A model call whose process died, as it was booked: an estimate."""

    step: int
    tokens: dict[str, int]
    cost_pico_usd: int
    turn_cost_pico_usd: int


@transaction.atomic
def budget_settle_lost(
    *, turn_id: UUID, shown_characters: Mapping[int, int], provider: str, outcome: str
) -> list[LostCall]:
    """Book what the open calls of a dead turn are likely to have used, and return them.

    `shown_characters` says by step how much of the call's output readers saw. What can't be priced any more
    is given back.
    """
    lost = []
    for reservation in Reservation.objects.filter(turn_id=turn_id, state=Reservation.State.OPEN).order_by("step"):
        tokens = _likely(reservation.worst_case, shown_characters.get(reservation.step, 0))
        try:
            cost = budget_settle(
                reservation_id=reservation.pk, tokens=tokens, provider=provider, outcome=outcome, estimated=True
            )
        except UnknownPrice:
            budget_release(reservation_id=reservation.pk)
        else:
            lost.append(LostCall(reservation.step, tokens, cost, LedgerEntry.objects.for_turn(turn_id).cost_pico_usd()))
    return lost


def reservations_release_stale() -> int:
    """Close what processes that died left open, whoever's turn it was; return how many reservations that were."""
    return _release(Q(created_at__lt=timezone.now() - RESERVATION_LIFETIME))


def budget_standing(
    *, user_id: int, turn_id: UUID | None = None, turn_limit_pico_usd: int | None = None
) -> list[Standing]:
    """Return how much of each cap is used; without a turn only the day and the month."""
    return _standings(user_id, turn_id, turn_limit_pico_usd, timezone.now())


def _config() -> UsageConfig:
    config: UsageConfig = settings.BURP.usage
    return config


def _lock_user(user_id: int) -> None:
    """Hold the user's row until the transaction ends: it guards the sums of the ledger and the reservations."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=user_id)


def _likely(worst_case: Mapping[str, int], shown_characters: int) -> dict[str, int]:
    """Return what a call has probably used of its worst case when it was cut off."""
    prompt = sum(worst_case.get(tier, 0) for tier in PROMPT_TIERS)
    output = -(-shown_characters // ESTIMATE_CHARACTERS_PER_TOKEN)
    return {"input": -(-prompt // WORST_TO_LIKELY_PROMPT), "output": min(output, worst_case.get("output", 0))}


def _settled_again(reservation: Reservation, report: CallReport) -> int:
    booked = LedgerEntry.objects.for_reservation(reservation.pk)
    entry = booked.get(kind=LedgerEntry.Kind.CALL)
    if entry.estimated and not report.estimated and not entry.corrections.exists():
        ledger.reported_late(entry=entry, report=report)
    return booked.cost_pico_usd()


def _release(which: Q) -> int:
    return Reservation.objects.filter(which, state=Reservation.State.OPEN).update(
        state=Reservation.State.RELEASED, closed_at=timezone.now()
    )


def _standings(user_id: int, turn_id: UUID | None, turn_limit: int | None, now: datetime) -> list[Standing]:
    """Return the caps from the narrowest to the widest."""
    budgets = _config().budgets
    day = datetime(now.year, now.month, now.day, tzinfo=UTC)
    month = day.replace(day=1)
    quota = Quota.objects.filter(user_id=user_id).first() or Quota()
    daily = budgets.daily_pico_usd if quota.daily_pico_usd is None else quota.daily_pico_usd
    monthly = budgets.monthly_pico_usd if quota.monthly_pico_usd is None else quota.monthly_pico_usd
    spent = LedgerEntry.objects.for_user(user_id).since(month)
    sums = spent.aggregate(month=Sum("cost_pico_usd"), day=Sum("cost_pico_usd", filter=Q(created_at__gte=day)))
    reserved = Reservation.objects.filter(user_id=user_id).open_since(now - RESERVATION_LIFETIME)
    held = reserved.amount_pico_usd()
    standings = [
        Standing("daily", daily, int(sums["day"] or 0) + held, day + timedelta(days=1)),
        Standing("monthly", monthly, int(sums["month"] or 0) + held, (month + timedelta(days=32)).replace(day=1)),
    ]
    if turn_id is not None:
        limit = budgets.turn_pico_usd if turn_limit is None else turn_limit
        in_turn = LedgerEntry.objects.for_turn(turn_id).cost_pico_usd()
        in_turn += reserved.filter(turn_id=turn_id).amount_pico_usd()
        standings.insert(0, Standing("turn", limit, in_turn, None))
    return standings
