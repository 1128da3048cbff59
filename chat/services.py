"""Writes of sessions and turns: each one short, atomic, and safe to be called from a thread."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from artifacts import store as artifact_store
from chat.events import TurnEnd, to_wire
from chat.models import Session, StoredEvent, TranscriptEntry, Turn
from chat.providers.base import Entry
from chat.transcript import kind_of, to_json
from mcp_server.codes import TURN_SENTENCES, TurnOutcome
from usage import budgets

Json = Any
LEASE_S = 30.0
TITLE_MAX_CHARS = 80


class TurnAlreadyRunning(Exception):
    """The session is answering another question."""


class BlankQuestion(ValueError):
    """A question without a word."""


@transaction.atomic
def session_create(*, owner_id: int, model: str, upstreams: str) -> Session:
    """Start a session; its upstreams stay what they are."""
    return Session.objects.create(owner_id=owner_id, model=model, upstreams=upstreams)


@transaction.atomic
def session_rename(*, session: Session, title: str) -> Session:
    """Give a session another title; blanks alone change nothing."""
    words = " ".join(title.split())[: Session._meta.get_field("title").max_length]
    if words:
        session.title = words
        session.save(update_fields=["title"])
    return session


@transaction.atomic
def session_delete(*, session: Session) -> None:
    """Delete a session with its turns and its stored results. The ledger keeps its rows."""
    if Turn.objects.filter(session=session, status=Turn.Status.RUNNING, lease_until__gt=timezone.now()).exists():
        raise TurnAlreadyRunning("stop the running answer before deleting the session")
    artifact_store.session_artifacts_delete(session_id=session.pk)
    session.delete()


@transaction.atomic
def session_prefix_set(*, session_id: UUID, context_version: str, catalog_hash: str) -> None:
    """Note which prefix the session's next request is sent with."""
    Session.objects.filter(pk=session_id).update(context_version=context_version, catalog_hash=catalog_hash)


@transaction.atomic
def turn_begin(*, session_id: UUID, owner_id: int, question: str) -> Turn:
    """Take the session's lock for a new question.

    Raises `BlankQuestion`, `Session.DoesNotExist` (also for somebody else's), `TurnAlreadyRunning`.
    """
    words = question.strip()
    if not words:
        raise BlankQuestion("write a question first")
    session = Session.objects.select_for_update().get(pk=session_id, owner_id=owner_id)
    for dead in Turn.objects.filter(session=session, status=Turn.Status.RUNNING, lease_until__lte=timezone.now()):
        _close(dead, TurnOutcome.ABORTED_SHUTDOWN)
    number = (Turn.objects.filter(session=session).aggregate(last=Max("number"))["last"] or 0) + 1
    try:
        with transaction.atomic():
            turn = Turn.objects.create(
                session=session,
                number=number,
                question=words,
                model=session.model,
                lease_until=timezone.now() + timedelta(seconds=LEASE_S),
            )
    except IntegrityError as error:
        raise TurnAlreadyRunning("this session is answering another question") from error
    if not session.title:
        session.title = words if len(words) <= TITLE_MAX_CHARS else f"{words[: TITLE_MAX_CHARS - 1].rstrip()}…"
    session.save(update_fields=["title", "updated_at"])
    return turn


@transaction.atomic
def turn_renew(*, turn_id: UUID) -> bool:
    """Renew the lease of a running turn; return whether somebody asked it to stop."""
    lease_until = timezone.now() + timedelta(seconds=LEASE_S)
    Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).update(lease_until=lease_until)
    return Turn.objects.filter(pk=turn_id, stop_requested=True).exists()


@transaction.atomic
def turn_stop_request(*, turn_id: UUID) -> None:
    """Ask the process that runs the turn, whichever it is, to stop it."""
    Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).update(stop_requested=True)


@transaction.atomic
def turn_finish(*, turn_id: UUID, end: dict[str, Json], answer: str) -> None:
    """Store the last event and release the lock together: whoever sees the turn ended finds its end."""
    ended = Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).update(
        status=Turn.Status.ENDED, outcome=end["outcome"], answer=answer, ended_at=timezone.now()
    )
    if ended:
        events_append(turn_id=turn_id, events=[end])


@transaction.atomic
def turn_close_broken(*, turn_id: UUID) -> None:
    """End a turn of this process whose loop could not say how it ended."""
    turn = Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).first()
    if turn is not None:
        _close(turn, TurnOutcome.INTERNAL)


@transaction.atomic
def turns_close_dead() -> list[UUID]:
    """Close the turns whose process is gone, and return them."""
    dead = list(Turn.objects.select_for_update().filter(status=Turn.Status.RUNNING, lease_until__lte=timezone.now()))
    for turn in dead:
        _close(turn, TurnOutcome.ABORTED_SHUTDOWN)
    return [turn.pk for turn in dead]


@transaction.atomic
def entry_append(*, turn_id: UUID, position: int, entry: Entry) -> None:
    """Store one entry of the transcript."""
    TranscriptEntry.objects.create(
        turn_id=turn_id, position=position, kind=kind_of(entry), data=json.dumps(to_json(entry), ensure_ascii=False)
    )


@transaction.atomic
def events_append(*, turn_id: UUID, events: Sequence[dict[str, Json]]) -> None:
    """Store events in wire form."""
    StoredEvent.objects.bulk_create(
        StoredEvent(turn_id=turn_id, seq=event["seq"], type=event["type"], data=event) for event in events
    )


def _close(turn: Turn, outcome: TurnOutcome) -> None:
    """End a turn that its own loop will not end, with the event that says so."""
    last = StoredEvent.objects.filter(turn=turn).aggregate(seq=Max("seq"))["seq"] or 0
    now = timezone.now()
    end = TurnEnd(
        seq=last + 1,
        at=now.isoformat(timespec="milliseconds"),
        outcome=outcome.value,
        message=TURN_SENTENCES[outcome],
        seconds=round((now - turn.created_at).total_seconds(), 3),
    )
    budgets.budget_release_turn(turn_id=turn.pk)
    turn_finish(turn_id=turn.pk, end=to_wire(end), answer="")
