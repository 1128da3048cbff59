"""Reserve money before a model call, settle it afterwards.

A reservation holds the worst case of a call against three caps at once: of the turn, of the user's
day, of the user's month (both UTC). Reserving and settling lock the user first, so parallel turns
never see each other's money as free: on PostgreSQL a row lock, on SQLite the write lock that every
transaction takes when it begins. Both stand on the way of every model call, so their statements are
written once (`prepared`, `statements`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from mcp_server.codes import TurnOutcome
from usage import ledger, statements
from usage.config import UsageConfig
from usage.ledger import CallReport
from usage.models import LedgerEntry, Reservation, User
from usage.money import format_usd
from usage.prepared import PreparedInsert
from usage.pricing import PROMPT_TIERS, TIERS, UnknownPrice, band_for, cost_pico_usd, price_on

Scope = Literal["turn", "daily", "monthly"]

# The worst case counts a token for every two bytes of the prompt, where four are usual.
WORST_TO_LIKELY_PROMPT = 2
ESTIMATE_CHARACTERS_PER_TOKEN = 3
WARN_PERCENT = 80
# No model call lasts this long: an open reservation that is older belongs to a process that died.
RESERVATION_LIFETIME = timedelta(hours=1)

_insert = PreparedInsert(Reservation)
# The reservations that this process made and did not close yet. What is forgotten is read from the store.
_made_here: dict[UUID, Reservation] = {}
MADE_HERE_MAX = 1_000


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

    @property
    def is_nearly_spent(self) -> bool:
        """Tell whether a person should be warned."""
        return self.spent_pico_usd * 100 >= self.limit_pico_usd * WARN_PERCENT

    @property
    def outcome(self) -> TurnOutcome:
        """Return how a turn ends for which this cap holds too little."""
        return TurnOutcome(f"budget_{self.scope}")


class BudgetExceeded(Exception):
    """The worst case of a call doesn't fit under a cap. `resets_at` is None for the turn's own."""

    def __init__(self, standing: Standing, wanted_pico_usd: int) -> None:
        self.scope = standing.scope
        self.outcome = standing.outcome
        self.limit_pico_usd = standing.limit_pico_usd
        self.spent_pico_usd = standing.spent_pico_usd
        self.wanted_pico_usd = wanted_pico_usd
        self.resets_at = standing.resets_at
        renewal = f"; it starts anew at {self.resets_at:%Y-%m-%d %H:%M} UTC" if self.resets_at else ""
        super().__init__(
            f"the {self.scope} budget is {format_usd(self.limit_pico_usd)}, of which {format_usd(self.spent_pico_usd)} "
            f"are spent or reserved; this call may cost up to {format_usd(wanted_pico_usd)}{renewal}"
        )


@dataclass(frozen=True)
class CallPrice:
    """What a call costs at its worst, in pico-USD: its prompt, and each token of its output."""

    prompt_pico_usd: int
    output_pico_usd: int


def is_free(model_key: str) -> bool:
    """Tell whether a model costs nothing today, whatever it is asked. Needs no database."""
    price = price_on(_config().prices, model_key, timezone.now().date())
    return not any(getattr(band, tier) for band in price.bands for tier in TIERS)


def call_price(model_key: str, worst_case: Mapping[str, int]) -> CallPrice:
    """Return the price of a call that would be made today. Pure: nothing is looked up, nothing held."""
    day = timezone.now().date()
    prompt = {tier: count for tier, count in worst_case.items() if tier in PROMPT_TIERS}
    band = band_for(price_on(_config().prices, model_key, day), sum(prompt.values()))
    return CallPrice(cost_pico_usd(_config().prices, model_key, prompt, day), band.output)


@dataclass(frozen=True)
class Held:
    """A reservation, and how the caps stood before it; nothing is known of the caps for a free call."""

    id: UUID
    standings: tuple[Standing, ...] = ()


def budget_reserve(
    *,
    user_id: int,
    session_id: UUID,
    turn_id: UUID,
    step: int,
    model_key: str,
    worst_case: Mapping[str, int],
    turn_limit_pico_usd: int | None = None,
) -> Held:
    """Hold the worst case of a call.

    Raises `BudgetExceeded` when it doesn't fit, `UnknownPrice` when the model has none.
    `turn_limit_pico_usd` replaces the configured cap of the turn. A free call always fits.
    """
    now = timezone.now()
    amount = cost_pico_usd(_config().prices, model_key, worst_case, now.date())
    reservation = Reservation(
        user_id=user_id,
        session_id=session_id,
        turn_id=turn_id,
        step=step,
        model_key=model_key,
        amount_pico_usd=amount,
        worst_case=dict(worst_case),
        created_at=now,
    )
    # A refusal writes nothing, so a transaction around this one need not be taken back for it.
    with transaction.atomic(savepoint=False):
        standings = _locked_standings(reservation, turn_limit_pico_usd)
        passed = next((one for one in standings if one.spent_pico_usd + amount > one.limit_pico_usd), None)
        if passed is None:
            _insert([reservation])
    if passed is not None:
        raise BudgetExceeded(passed, amount)
    if len(_made_here) >= MADE_HERE_MAX:
        _made_here.clear()
    _made_here[reservation.id] = reservation
    return Held(reservation.id, tuple(standings))


def _locked_standings(wanted: Reservation, turn_limit_pico_usd: int | None) -> list[Standing]:
    """Return how the caps stand, with the user's sums locked. A free call needs neither the lock nor the sums."""
    if not wanted.amount_pico_usd:
        return []
    _lock_user(wanted.user_id)
    return _standings(wanted.user_id, wanted.turn_id, turn_limit_pico_usd, wanted.created_at)


@transaction.atomic
def budget_settle(*, reservation_id: UUID, **report: Any) -> int:
    """Book what a call really used, close its reservation, and return the cost in pico-USD.

    `report` are the fields of `CallReport`. Safe to repeat: the first booking of a reservation stands, unless
    it was an estimate and this is a report, which corrects it. What was released is booked all the same, for
    it was used. The price is that of the day on which the call began.
    """
    return budget_settle_here(reservation_id=reservation_id, **report)


def budget_settle_here(*, reservation_id: UUID, **report: Any) -> int:
    """Do the same within the caller's transaction, which an error must take back as a whole."""
    told = CallReport(**report)
    # What this process made it need not read: but for its state nothing of a reservation ever changes.
    reservation = _made_here.pop(reservation_id, None) or Reservation.objects.get(pk=reservation_id)
    now = timezone.now()
    # The row's own lock makes a second booking wait for the first one and then close nothing.
    is_first = statements.reservation_settle(reservation_id, now)
    if reservation.amount_pico_usd:
        _lock_user(reservation.user_id)
    if not is_first:
        return _settled_again(reservation, told)
    return ledger.call_book(reservation=reservation, report=told, at=now)


def budget_release(*, reservation_id: UUID) -> bool:
    """Give back what a call that was never sent had reserved; tell whether anything was held."""
    _made_here.pop(reservation_id, None)
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
        # What it stands for may have been changed by hand since it was made.
        _made_here.pop(reservation.pk, None)
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
    if connection.features.has_select_for_update:
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
    sums = statements.standing_sums(
        user_id=user_id, turn_id=turn_id, day=day, month=month, held_since=now - RESERVATION_LIFETIME
    )
    daily = budgets.daily_pico_usd if sums.daily_cap is None else sums.daily_cap
    monthly = budgets.monthly_pico_usd if sums.monthly_cap is None else sums.monthly_cap
    standings = [
        Standing("daily", daily, sums.spent_day + sums.held, day + timedelta(days=1)),
        Standing("monthly", monthly, sums.spent_month + sums.held, (month + timedelta(days=32)).replace(day=1)),
    ]
    if turn_id is not None:
        limit = budgets.turn_pico_usd if turn_limit is None else turn_limit
        standings.insert(0, Standing("turn", limit, sums.spent_turn + sums.held_turn, None))
    return standings
