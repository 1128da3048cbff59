"""Reads of sessions and turns. Everything a person may see goes through `owner_id`."""

import json
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from chat.models import Session, StoredEvent, TranscriptEntry, Turn
from chat.providers.base import Entry
from chat.transcript import from_json
from mcp_server.codes import TurnOutcome

Json = Any


def session_list(*, owner_id: int) -> QuerySet[Session]:
    """Return the person's sessions that hold a question, the latest first."""
    return Session.objects.filter(owner_id=owner_id, turns__isnull=False).distinct()


def session_names(*, owner_id: int) -> QuerySet[Session, tuple[UUID, str]]:
    """Return id and title of each of the person's sessions."""
    return Session.objects.filter(owner_id=owner_id).values_list("pk", "title")


def session_get(*, owner_id: int, session_id: UUID) -> Session:
    """Return a session of the person; `Session.DoesNotExist` for anybody else's."""
    return Session.objects.get(pk=session_id, owner_id=owner_id)


def session_turns(*, session_id: UUID) -> QuerySet[Turn]:
    """Return the turns of a session in their order."""
    return Turn.objects.filter(session_id=session_id)


def turn_get(*, owner_id: int, turn_id: UUID) -> Turn:
    """Return a turn of the person with its session; `Turn.DoesNotExist` for anybody else's."""
    return Turn.objects.select_related("session").get(pk=turn_id, session__owner_id=owner_id)


def turn_running(*, session_id: UUID) -> Turn | None:
    """Return the session's running turn."""
    return Turn.objects.filter(session_id=session_id, status=Turn.Status.RUNNING).first()


def turn_events(*, turn_id: UUID, after_seq: int = 0) -> list[dict[str, Json]]:
    """Return the stored events of a turn after a sequence number, in wire form."""
    stored = StoredEvent.objects.filter(turn_id=turn_id, seq__gt=after_seq).order_by("seq")
    return [json.loads(data) for data in stored.values_list("data", flat=True)]


def transcript(*, session_id: UUID) -> tuple[Entry, ...]:
    """Return the history that is replayed to the model; a refused turn is left out, or it would be refused again."""
    stored = (
        TranscriptEntry.objects.filter(turn__session_id=session_id)
        .exclude(turn__outcome=TurnOutcome.REFUSED.value)
        .order_by("turn__number", "position")
    )
    return tuple(from_json(entry.kind, json.loads(entry.data)) for entry in stored)
