"""Writes of sessions and turns: each one short, atomic, and safe to be called from a thread."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from artifacts import store as artifact_store
from chat.choices import Choice, check_effort, chosen
from chat.models import PrefixVersion, Session, StoredEvent, TranscriptEntry, Turn
from chat.providers.base import Entry, ToolResultsEntry
from chat.transcript import kind_of, to_json
from usage.ledger import ToolRequests, tool_requests_book
from usage.prepared import PreparedInsert

Json = Any
TITLE_MAX_CHARS = 80
_insert_entry, _insert_events = PreparedInsert(TranscriptEntry), PreparedInsert(StoredEvent)


@dataclass(frozen=True)
class Renewed:
    """A running turn that was renewed: until when, and whether somebody asked it to stop."""

    lease_until: datetime
    is_stop_requested: bool


class TurnAlreadyRunning(Exception):
    """The session is answering another question."""


class BlankQuestion(ValueError):
    """A question without a word."""


@transaction.atomic
def session_create(*, owner_id: int, model: str, upstreams: str, effort: str = "") -> Session:
    """Start a session; its upstreams stay what they are."""
    return Session.objects.create(owner_id=owner_id, model=model, effort=effort, upstreams=upstreams)


@transaction.atomic
def session_model_set(*, session: Session, model: str, effort: str) -> Session:
    """Choose with what the session's next questions are asked. Raises `UnknownModel` and `BadChoice`."""
    row = settings.BURP.chat.model(model)
    check_effort(row, effort)
    session.model, session.effort = row.key, effort
    session.save(update_fields=["model", "effort"])
    return session


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
def session_prefix_set(*, session_id: UUID, context_version: str, parts: dict[str, Json]) -> dict[str, Json] | None:
    """Note which prefix the session's next request is sent with.

    Returns the parts of the one before, where it is another one and they are known.
    """
    session = Session.objects.select_for_update().get(pk=session_id)
    before = session.context_version
    if before == context_version:
        return None
    PrefixVersion.objects.get_or_create(version=context_version, defaults={"parts": parts})
    session.context_version = context_version
    session.save(update_fields=["context_version"])
    known = PrefixVersion.objects.filter(version=before).first()
    return known.parts if known else None


@transaction.atomic
def turn_begin(
    *, session_id: UUID, owner_id: int, question: str, choice: Choice | None = None, runner: str = ""
) -> Turn:
    """Take the session's lock for a new question, for the process of the name `runner`.

    Raises `BlankQuestion`, `Session.DoesNotExist` (also for somebody else's), `TurnAlreadyRunning`, and for what
    is not there to be chosen `UnknownModel` and `BadChoice`.
    """
    words = _storable(question).strip()
    if not words:
        raise BlankQuestion("write a question first")
    session = Session.objects.select_for_update().get(pk=session_id, owner_id=owner_id)
    asking = _asking(session, choice or Choice())
    number = (Turn.objects.filter(session=session).aggregate(last=Max("number"))["last"] or 0) + 1
    try:
        with transaction.atomic():
            turn = Turn.objects.create(
                session=session,
                number=number,
                question=words,
                **asking,
                lease_until=_lease_end(),
                runner=runner,
            )
    except IntegrityError as error:
        raise TurnAlreadyRunning("this session is answering another question") from error
    if not session.title:
        session.title = words if len(words) <= TITLE_MAX_CHARS else f"{words[: TITLE_MAX_CHARS - 1].rstrip()}…"
    if choice is not None and choice.keep:
        session.model, session.effort = turn.model, choice.effort
    session.save(update_fields=["title", "model", "effort", "updated_at"])
    return turn


@transaction.atomic
def turn_renew(*, turn_id: UUID) -> Renewed | None:
    """Renew the lease of a running turn; None for one that others have closed."""
    lease_until = _lease_end()
    if not Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).update(lease_until=lease_until):
        return None
    return Renewed(lease_until, Turn.objects.filter(pk=turn_id, stop_requested=True).exists())


@transaction.atomic
def turn_stop_request(*, turn_id: UUID) -> None:
    """Ask the process that runs the turn, whichever it is, to stop it."""
    Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).update(stop_requested=True)


@transaction.atomic
def turn_finish(*, turn_id: UUID, end: dict[str, Json], answer: str) -> bool:
    """Store the last event and release the lock together: whoever sees the turn ended finds its end.

    Return False for a turn that others have closed.
    """
    ended = Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING).update(
        status=Turn.Status.ENDED, outcome=end["outcome"], answer=_storable(answer), ended_at=timezone.now()
    )
    if ended:
        events_append(turn_id=turn_id, events=[end])
    return ended > 0


@transaction.atomic(savepoint=False)
def entry_append(*, turn_id: UUID, position: int, entry: Entry, step: int = 0) -> None:
    """Store one entry of the transcript, and book which tools it holds results of, in step `step` if that is known."""
    data = json.dumps(to_json(entry))
    _insert_entry([TranscriptEntry(turn_id=turn_id, position=position, kind=kind_of(entry), data=data)])
    if isinstance(entry, ToolResultsEntry):
        _book_tools(turn_id, entry, step)


@transaction.atomic
def events_append(*, turn_id: UUID, events: Sequence[dict[str, Json]]) -> list[str]:
    """Store events in wire form; return the text of each."""
    stored = [
        StoredEvent(turn_id=turn_id, seq=event["seq"], type=event["type"], data=json.dumps(event)) for event in events
    ]
    _insert_events(stored)
    return [event.data for event in stored]


def _book_tools(turn_id: UUID, entry: ToolResultsEntry, step: int) -> None:
    asked = Counter((result.name, "failed" if result.is_error else "answered") for result in entry.results)
    tool_requests_book(
        **_place(turn_id),
        turn_id=turn_id,
        step=step or TranscriptEntry.objects.filter(turn_id=turn_id, kind=TranscriptEntry.Kind.ASSISTANT).count(),
        requests=[ToolRequests(name, count, outcome) for (name, outcome), count in asked.items()],
    )


@lru_cache(maxsize=256)
def _place(turn_id: UUID) -> dict[str, Any]:
    """Return whose turn it is, where, and with which model: it never changes."""
    turn = Turn.objects.select_related("session").get(pk=turn_id)
    return {"user_id": turn.session.owner_id, "session_id": turn.session_id, "model_key": turn.model}


def _asking(session: Session, choice: Choice) -> dict[str, Any]:
    """Return with what a question is asked in this session, as fields of its turn."""
    burp = settings.BURP
    budget = burp.usage.budgets.turn_pico_usd
    if not choice.model and session.model not in burp.chat.keys:
        # The turn will say so, with the models that there are.
        return {"model": session.model, "budget_pico_usd": budget}
    asking = chosen(burp.chat, choice, Choice(session.model, session.effort), turn_pico_usd=budget)
    return {"model": asking.row.key, "effort": asking.effort, "budget_pico_usd": asking.budget_pico_usd}


def _lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.BURP.chat.turns.lease_s)


def _storable(text: str) -> str:
    """Return text without what PostgreSQL can't hold: NUL, and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
