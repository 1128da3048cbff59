"""What the pages show beside a turn: the sessions by day, the model and upstreams in use, a session's turns."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from chat import selectors
from chat.config import UnknownModel
from chat.fragments import LivePage, answer_blocks
from chat.models import Session, StoredEvent, Turn
from chat.presentation import TurnView
from usage.budgets import budget_standing

LISTED_SESSIONS = 200


@dataclass(frozen=True)
class InUse:
    """The model and the upstreams that stand on every page."""

    model_label: str
    is_planner: bool
    upstreams: str

    @property
    def is_snapshot(self) -> bool:
        """Whether answers come from recorded responses."""
        return self.upstreams == Session.Upstreams.SNAPSHOT


@dataclass(frozen=True)
class Listed:
    """A session in the list."""

    id: UUID
    title: str
    is_running: bool


@dataclass(frozen=True)
class Day:
    """The sessions of one day."""

    label: str
    sessions: list[Listed]


@dataclass(frozen=True)
class ShownTurn:
    """A turn with its answer rendered."""

    view: TurnView
    answer_blocks: list[str]


def own_session(user: Any, session_id: UUID) -> Session:
    """Return a session of `user`; `Session.DoesNotExist` for anybody else's, and for nobody."""
    if isinstance(user, AnonymousUser) or user.pk is None or not user.is_active:
        raise Session.DoesNotExist
    return selectors.session_get(owner_id=user.pk, session_id=session_id)


def in_use(model_key: str, upstreams: str) -> InUse:
    """Return what stands on the badges."""
    try:
        row = settings.BURP.chat.model(model_key)
    except UnknownModel:
        return InUse(model_key, False, upstreams)
    return InUse(row.label, row.provider == "planner", upstreams)


def session_days(owner_id: int) -> list[Day]:
    """Return the person's sessions grouped by day, the latest first."""
    sessions = list(selectors.session_list(owner_id=owner_id)[:LISTED_SESSIONS])
    running = set(
        Turn.objects.filter(session__owner_id=owner_id, status=Turn.Status.RUNNING).values_list("session_id", flat=True)
    )
    today = datetime.now(UTC).date()
    days: dict[str, list[Listed]] = {}
    for session in sessions:
        listed = Listed(session.pk, session.title, session.pk in running)
        days.setdefault(day_label(session.updated_at.date(), today), []).append(listed)
    return [Day(label, listed) for label, listed in days.items()]


def day_label(day: date, today: date) -> str:
    """Name a day as one would say it."""
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    return f"{day.day} {day:%B}" if day.year == today.year else f"{day.day} {day:%B %Y}"


def beside_turn(session: Session) -> dict[str, Any]:
    """Return what a session's page shows beside its turns, as it is now."""
    session.refresh_from_db(fields=["title", "model"])
    running = selectors.turn_running(session_id=session.pk)
    return {
        "session": session,
        "use": in_use(session.model, session.upstreams),
        "session_days": session_days(session.owner_id),
        "running_turn_id": str(running.pk) if running else "",
        "standings": budget_standing(user_id=session.owner_id),
    }


def turns_after(session: Session, known: UUID | None) -> list[Turn]:
    """Return the session's turns from the one that a page knows on; all of them if it knows none."""
    turns = selectors.session_turns(session_id=session.pk)
    last = turns.filter(pk=known).first() if known else None
    return list(turns.filter(number__gte=last.number) if last else turns)


def folded(turn: Turn, events: Iterable[dict[str, Any]]) -> TurnView:
    """Fold a turn's events over what its row says, so that a turn without events still shows its question."""
    view = TurnView(turn_id=str(turn.pk), question=turn.question, started_at=turn.created_at)
    for event in events:
        view.apply(event)
    return view


def live_page(owner_id: int, turn_id: UUID) -> LivePage:
    """Return the page's state of a turn from its stored events. `Turn.DoesNotExist` for anybody else's."""
    turn = selectors.turn_get(owner_id=owner_id, turn_id=turn_id)
    return LivePage(folded(turn, selectors.turn_events(turn_id=turn_id)))


def shown_turns(session: Session) -> list[ShownTurn]:
    """Return all turns of a session, with two queries however many there are."""
    by_turn: dict[UUID, list[dict[str, Any]]] = {}
    stored = StoredEvent.objects.filter(turn__session=session).order_by("turn_id", "seq")
    for turn_id, data in stored.values_list("turn_id", "data"):
        by_turn.setdefault(turn_id, []).append(json.loads(data))
    views = [folded(turn, by_turn.get(turn.pk, ())) for turn in selectors.session_turns(session_id=session.pk)]
    return [ShownTurn(view, answer_blocks(view)) for view in views]
