"""Stored tool results: who may read them, until when, and where their content lies.

Content is stored once however many results hold it: artifacts point at it by its hash.
"""

import uuid
from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q


class ArtifactContent(models.Model):
    """The bytes of one or more artifacts. The row is the lock of the file."""

    content_hash = models.CharField(primary_key=True, max_length=64, editable=False)
    size_bytes = models.PositiveBigIntegerField()
    stored_bytes = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(size_bytes__gt=0), name="artifact_content_is_not_empty"),
        ]

    def __str__(self) -> str:
        return self.content_hash


class ArtifactQuerySet(models.QuerySet["Artifact"]):
    """Artifacts, in the words of the pipeline."""

    def for_session(self, session_id: uuid.UUID) -> Self:
        """Return those of one session."""
        return self.filter(session_id=session_id)

    def expired(self, now: datetime) -> Self:
        """Return those that are to be deleted."""
        return self.filter(expires_at__lte=now)

    def readable(self, *, session_id: uuid.UUID, owner_id: int, now: datetime) -> Self:
        """Return those that this owner may read in this session."""
        return self.filter(session_id=session_id, owner_id=owner_id, expires_at__gt=now)


class Artifact(models.Model):
    """One stored result of a tool call. It belongs to a session and its owner, and outlives neither for long."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # A plain id: sessions belong to a part of the house that this one does not know.
    session_id = models.UUIDField(db_index=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    tool = models.CharField(max_length=128)
    content = models.ForeignKey(ArtifactContent, on_delete=models.PROTECT, related_name="artifacts")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    objects = ArtifactQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session_id", "owner", "tool", "content"], name="artifact_is_stored_once_a_session"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.pk}"
