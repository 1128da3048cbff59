"""Sessions, turns, the transcript that is replayed to the model, and the events that readers saw."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class Session(models.Model):
    """A conversation of one person. Its upstreams are fixed: live and snapshot records never mix."""

    class Upstreams(models.TextChoices):
        LIVE = "live", "Live databases"
        SNAPSHOT = "snapshot", "Offline snapshot"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chat_sessions")
    title = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=100, help_text="Key of the model in burp.toml.")
    effort = models.CharField(max_length=20, blank=True, help_text="Level of effort; empty for the model's default.")
    upstreams = models.CharField(max_length=10, choices=Upstreams)
    context_version = models.CharField(max_length=64, blank=True, help_text="Hash of the prefix last sent.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]
        indexes = [models.Index(fields=["owner", "-updated_at"], name="session_by_owner")]
        constraints = [
            models.CheckConstraint(condition=Q(upstreams__in=["live", "snapshot"]), name="session_upstreams_known"),
        ]

    def __str__(self) -> str:
        return self.title or "New session"


class PrefixVersion(models.Model):
    """What a context version stands for, in digests: so that a session can tell what has changed since."""

    version = models.CharField(primary_key=True, max_length=64)
    parts = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.version


class Turn(models.Model):
    """One question and its answer. A running turn holds the session's lock until its lease runs out."""

    class Status(models.TextChoices):
        RUNNING = "running", "Running"
        ENDED = "ended", "Ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    question = models.TextField()
    answer = models.TextField(blank=True)
    model = models.CharField(max_length=100)
    effort = models.CharField(max_length=20, blank=True)
    budget_pico_usd = models.BigIntegerField(null=True, help_text="What it may cost; nothing for old turns.")
    status = models.CharField(max_length=10, choices=Status, default=Status.RUNNING)
    outcome = models.CharField(max_length=40, blank=True)
    lease_until = models.DateTimeField(help_text="A running turn whose lease has run out belongs to a dead process.")
    runner = models.CharField(max_length=32, blank=True, help_text="Name of the process that runs it.")
    stop_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="turn_number_unique"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(status="running"), name="one_running_turn_per_session"
            ),
            models.CheckConstraint(
                condition=Q(status="running", ended_at__isnull=True) | Q(status="ended", ended_at__isnull=False),
                name="turn_ended_when_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.question[:60]}"


class TranscriptEntry(models.Model):
    """One entry of the history as it is sent to the model; written once, never changed."""

    class Kind(models.TextChoices):
        USER = "user", "User"
        ASSISTANT = "assistant", "Assistant"
        TOOL_RESULTS = "tool_results", "Tool results"
        EXCHANGE = "exchange", "Results exchanged for references"

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="entries")
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=20, choices=Kind)
    # Text, not a JSON column: a database that sorts keys would change what is replayed.
    data = models.TextField()

    class Meta:
        ordering = ["turn__number", "position"]
        constraints = [models.UniqueConstraint(fields=["turn", "position"], name="entry_position_unique")]

    def __str__(self) -> str:
        return f"{self.kind} {self.position}"


class StoredEvent(models.Model):
    """One event of a turn as its readers got it, so that a late reader gets the same."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    # Text, not a JSON column: a late reader gets the very bytes that an early one got.
    data = models.TextField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["turn", "seq"], name="event_seq_unique")]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"
