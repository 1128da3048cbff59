"""The ledger, the reservations that guard the budgets, and the quotas. All money is integer pico-USD.

Sessions and turns are plain UUIDs: the ledger outlives them.
"""

import uuid
from datetime import datetime
from typing import Any, NoReturn

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Max, Q, Sum

from usage.models.totals import DayTotal

TIERS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")
TOKEN_FIELDS = tuple(f"{tier}_tokens" for tier in TIERS)


# The outcome of a model call that ended with an answer, and how many turns tell enough of what such turns cost.
ANSWERED = "end"
FINISHED_TURNS = 300


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

    def for_reservation(self, reservation_id: uuid.UUID) -> "LedgerQuerySet":
        """Return what one model call spent, the tools that its service ran and later corrections included."""
        return self.filter(reservation_id=reservation_id)

    def for_session(self, session_id: uuid.UUID) -> "LedgerQuerySet":
        """Return what one session spent."""
        return self.filter(session_id=session_id)

    def since(self, at: datetime) -> "LedgerQuerySet":
        """Return what was booked at or after `at`."""
        return self.filter(created_at__gte=at)

    def until(self, at: datetime) -> "LedgerQuerySet":
        """Return what was booked before `at`."""
        return self.filter(created_at__lt=at)

    def cost_pico_usd(self) -> int:
        """Return the sum of the costs."""
        return int(self.aggregate(total=Sum("cost_pico_usd"))["total"] or 0)

    def totals(self) -> dict[str, int]:
        """Return calls, tokens by tier, requests of tools and cost."""
        return {name: int(value or 0) for name, value in self.aggregate(**_sums()).items()}

    def totals_by(self, key: Any) -> dict[Any, dict[str, int]]:
        """Return the totals grouped by a field or an expression."""
        grouped = self.order_by().annotate(group=F(key) if isinstance(key, str) else key)
        rows: list[dict[str, Any]] = [dict(row) for row in grouped.values("group").annotate(**_sums())]
        return {row.pop("group"): {name: int(value or 0) for name, value in row.items()} for row in rows}

    def costs_by(self, field: str) -> dict[Any, int]:
        """Return the costs grouped by a field."""
        rows = self.order_by(field).values_list(field).annotate(total=Sum("cost_pico_usd"))
        return {value: int(total) for value, total in rows}

    def finished_turns(self) -> list[tuple[str, str, int]]:
        """Return model, effort and cost of each turn that came to an answer, the latest first."""
        turns = (
            self.order_by()
            .values("turn_id", "model_key")
            .annotate(
                level=Max("effort"),
                cost=Sum("cost_pico_usd"),
                answers=models.Count("id", filter=Q(outcome=ANSWERED)),
                last=Max("created_at"),
            )
        )
        found = turns.filter(answers__gt=0).order_by("-last").values_list("model_key", "level", "cost")
        return [(model_key, effort, int(cost)) for model_key, effort, cost in found[:FINISHED_TURNS]]

    def update(self, **_: Any) -> NoReturn:
        """Refuse."""
        raise AppendOnlyError

    def delete(self) -> NoReturn:
        """Refuse."""
        raise AppendOnlyError


def _sums() -> dict[str, Any]:
    return {
        "calls": models.Count("id", filter=Q(kind="call")),
        "tool_requests": Sum("requests"),
        "cost_pico_usd": Sum("cost_pico_usd"),
        **{tier: Sum(f"{tier}_tokens") for tier in TIERS},
    }


class LedgerEntry(models.Model):
    """One booking: a model call, the requests of a tool, or the difference that corrects an earlier booking.

    Sums over all rows are the truth: a correction holds what must be added, below zero where too much was booked.
    """

    class Kind(models.TextChoices):
        """What was booked."""

        CALL = "call", "Model call"
        TOOL = "tool", "Requests of a tool"
        CORRECTION = "correction", "Correction"

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.CALL)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ledger_entries")
    reservation_id = models.UUIDField(null=True, db_index=True, help_text="What held the money of a model call.")
    corrects = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="corrections")
    session_id = models.UUIDField(db_index=True)
    turn_id = models.UUIDField(db_index=True)
    step = models.PositiveIntegerField()
    model_key = models.CharField(max_length=80)
    effort = models.CharField(max_length=20, blank=True)
    provider = models.CharField(max_length=40)
    tool = models.CharField(max_length=100, blank=True, help_text="The tool that was asked; empty for a model call.")
    requests = models.BigIntegerField(default=0, help_text="How often the tool was asked.")
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cache_write_5m_tokens = models.BigIntegerField(default=0)
    cache_write_1h_tokens = models.BigIntegerField(default=0)
    cache_read_tokens = models.BigIntegerField(default=0)
    cost_pico_usd = models.BigIntegerField()
    estimated = models.BooleanField(default=False)
    outcome = models.CharField(max_length=40)
    note = models.CharField(max_length=200, blank=True, help_text="Why it was corrected.")
    began_at = models.DateTimeField(null=True, help_text="When the call began: the price of that day holds.")
    created_at = models.DateTimeField()

    objects = LedgerQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "ledger entries"
        indexes = [
            models.Index(fields=["user", "created_at"], name="usage_ledger_user_time"),
            models.Index(fields=["created_at"], name="usage_ledger_time"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="correction") | Q(cost_pico_usd__gte=0, requests__gte=0),
                name="usage_ledger_cost_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(kind="correction") | Q(**{f"{tier}_tokens__gte": 0 for tier in TIERS}),
                name="usage_ledger_tokens_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(kind="correction", corrects__isnull=False)
                | (~Q(kind="correction") & Q(corrects__isnull=True)),
                name="usage_ledger_correction_names_entry",
            ),
            models.CheckConstraint(
                condition=~Q(kind="call") | Q(reservation_id__isnull=False), name="usage_ledger_call_was_reserved"
            ),
            models.UniqueConstraint(
                fields=["reservation_id"], condition=Q(kind="call"), name="usage_ledger_call_booked_once"
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.turn_id} step {self.step}: {self.tool or self.model_key}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; refuse to change what stands."""
        if not self._state.adding:
            raise AppendOnlyError
        with transaction.atomic():
            super().save(*args, **kwargs)
            DayTotal.objects.add([self])

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse."""
        raise AppendOnlyError


class ReservationQuerySet(models.QuerySet["Reservation"]):
    """Reservations by whether they still bind money."""

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
