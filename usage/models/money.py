"""The ledger, the reservations that guard the budgets, and the quotas. All money is integer pico-USD.

Sessions and turns are plain UUIDs: the ledger outlives them.
"""

import uuid
from datetime import datetime
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q, Sum

TIERS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")


class AppendOnlyError(TypeError):
    """Somebody tried to change what was booked."""

    def __init__(self) -> None:
        super().__init__("the ledger is append-only: a correction is a new entry, never a change of an old one")


class LedgerQuerySet(models.QuerySet["LedgerEntry"]):
    """Bookings by whom, when and for what."""

    def for_user(self, user_id: int) -> "LedgerQuerySet":
        """Return what `user_id` spent."""
        return self.filter(user_id=user_id)

    def for_turn(self, turn_id: uuid.UUID) -> "LedgerQuerySet":
        """Return what one turn spent."""
        return self.filter(turn_id=turn_id)

    def for_session(self, session_id: uuid.UUID) -> "LedgerQuerySet":
        """Return what one session spent."""
        return self.filter(session_id=session_id)

    def since(self, at: datetime) -> "LedgerQuerySet":
        """Return what was booked at or after `at`."""
        return self.filter(created_at__gte=at)

    def cost_pico_usd(self) -> int:
        """Return the sum of the costs."""
        return int(self.aggregate(total=Sum("cost_pico_usd"))["total"] or 0)

    def totals(self) -> dict[str, int]:
        """Return calls, tokens by tier and cost."""
        sums = self.aggregate(
            calls=models.Count("id"),
            cost_pico_usd=Sum("cost_pico_usd"),
            **{tier: Sum(f"{tier}_tokens") for tier in TIERS},
        )
        return {name: int(value or 0) for name, value in sums.items()}

    def costs_by(self, field: str) -> dict[Any, int]:
        """Return the costs grouped by a field."""
        rows = self.order_by(field).values_list(field).annotate(total=Sum("cost_pico_usd"))
        return {value: int(total) for value, total in rows}

    def update(self, **_: Any) -> NoReturn:
        """Refuse."""
        raise AppendOnlyError

    def delete(self) -> NoReturn:
        """Refuse."""
        raise AppendOnlyError


class LedgerEntry(models.Model):
    """One model call that was paid for (or was free): its tokens by price tier and its cost."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ledger_entries")
    reservation_id = models.UUIDField(unique=True)
    session_id = models.UUIDField(db_index=True)
    turn_id = models.UUIDField(db_index=True)
    step = models.PositiveIntegerField()
    model_key = models.CharField(max_length=80)
    provider = models.CharField(max_length=40)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_5m_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_1h_tokens = models.PositiveBigIntegerField(default=0)
    cache_read_tokens = models.PositiveBigIntegerField(default=0)
    cost_pico_usd = models.BigIntegerField()
    estimated = models.BooleanField(default=False)
    outcome = models.CharField(max_length=40)
    created_at = models.DateTimeField()

    objects = LedgerQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "ledger entries"
        indexes = [models.Index(fields=["user", "created_at"], name="usage_ledger_user_time")]
        constraints = [
            models.CheckConstraint(condition=Q(cost_pico_usd__gte=0), name="usage_ledger_cost_not_negative"),
        ]

    def __str__(self) -> str:
        return f"turn {self.turn_id} step {self.step}: {self.model_key}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; refuse to change what stands."""
        if not self._state.adding:
            raise AppendOnlyError
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse."""
        raise AppendOnlyError


class ReservationQuerySet(models.QuerySet["Reservation"]):
    """Reservations by whether they still bind money."""

    def open_since(self, at: datetime) -> "ReservationQuerySet":
        """Return the open ones made at or after `at`; older ones belong to processes that died."""
        return self.filter(state=Reservation.State.OPEN, created_at__gte=at)

    def amount_pico_usd(self) -> int:
        """Return the sum of the amounts."""
        return int(self.aggregate(total=Sum("amount_pico_usd"))["total"] or 0)


class Reservation(models.Model):
    """The worst case of a model call that is under way, held against the budgets."""

    class State(models.TextChoices):
        """What became of it."""

        OPEN = "open"
        SETTLED = "settled"
        RELEASED = "released"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reservations")
    session_id = models.UUIDField()
    turn_id = models.UUIDField(db_index=True)
    step = models.PositiveIntegerField()
    model_key = models.CharField(max_length=80)
    amount_pico_usd = models.BigIntegerField()
    worst_case = models.JSONField(default=dict, help_text="Tokens by price tier that are held.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = ReservationQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user", "created_at"], condition=Q(state="open"), name="usage_reservation_open"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount_pico_usd__gte=0), name="usage_reservation_not_negative"),
            models.CheckConstraint(
                condition=Q(state="open", closed_at=None) | (~Q(state="open") & Q(closed_at__isnull=False)),
                name="usage_reservation_closed_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.turn_id} step {self.step}: {self.state}"


class Quota(models.Model):
    """One user's own caps; an empty one means the configured default."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="quota")
    daily_pico_usd = models.BigIntegerField(null=True, blank=True)
    monthly_pico_usd = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(Q(daily_pico_usd=None) | Q(daily_pico_usd__gte=0))
                & (Q(monthly_pico_usd=None) | Q(monthly_pico_usd__gte=0)),
                name="usage_quota_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"quota of {self.user}"
