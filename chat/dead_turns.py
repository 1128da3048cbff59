"""Close turns that their own process will not close any more.

What readers saw is kept as the answer so far and in the transcript, each open call gets a result, and what the
open model call has used is booked as an estimate.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from chat import liveness, services
from chat.config import UnknownModel
from chat.dispatch import cancelled
from chat.endings import turn_end
from chat.events import Event, Reasoning, Text, ToolEnd, ToolStart, TurnEnd, TurnStarted, Usage, from_wire, to_wire
from chat.models import StoredEvent, TranscriptEntry, Turn
from chat.providers.base import AssistantEntry, Entry, ToolCall, ToolResultsEntry, UserEntry
from chat.transcript import from_json
from mcp_server.codes import TurnOutcome
from usage import budgets

Json = Any
BY_RESTART = "the server stopped before its result was kept; call again if it is still wanted"


def turns_close_dead(*, session_id: UUID | None = None) -> list[UUID]:
    """Close the turns, of a session or of all, whose lease has run out or whose process is gone; return them."""
    running = Turn.objects.filter(status=Turn.Status.RUNNING)
    if session_id is not None:
        running = running.filter(session_id=session_id)
    return [turn.pk for turn in running.only("lease_until", "runner") if _is_dead(turn) and _close_if(turn.pk)]


@transaction.atomic
def turn_close_broken(*, turn_id: UUID) -> None:
    """End a turn of this process whose loop could not say how it ended."""
    turn = _locked(turn_id)
    if turn is not None:
        _close(turn, TurnOutcome.INTERNAL)


@transaction.atomic
def _close_if(turn_id: UUID) -> bool:
    """Close a turn unless others did, or it came back to life meanwhile."""
    turn = _locked(turn_id)
    if turn is None or not _is_dead(turn):
        return False
    _close(turn, TurnOutcome.ABORTED_SHUTDOWN)
    return True


def _locked(turn_id: UUID) -> Turn | None:
    running: QuerySet[Turn] = Turn.objects.filter(pk=turn_id, status=Turn.Status.RUNNING)
    return running.select_for_update().first()


def _is_dead(turn: Turn) -> bool:
    return turn.lease_until <= timezone.now() or liveness.is_gone(turn.runner)


# --- one turn --------------------------------------------------------------------------------


@dataclass
class _Left:
    """What a turn left behind: its events and its entries."""

    events: Sequence[Event]
    entries: Sequence[Entry]

    @classmethod
    def by(cls, turn: Turn) -> "_Left":
        events = StoredEvent.objects.filter(turn=turn).order_by("seq").values_list("data", flat=True)
        entries = TranscriptEntry.objects.filter(turn=turn).order_by("position")
        return cls(
            [from_wire(json.loads(data)) for data in events],
            [from_json(entry.kind, json.loads(entry.data)) for entry in entries],
        )

    @property
    def step(self) -> int:
        """The step whose message was never completed, or that never began."""
        return 1 + sum(isinstance(entry, AssistantEntry) for entry in self.entries)

    @property
    def last(self) -> Event | None:
        return self.events[-1] if self.events else None

    @property
    def answer(self) -> str:
        """The text of the last step that wrote any, as readers saw it."""
        last_step = max((event.step for event in self.events if isinstance(event, Text)), default=0)
        return self.text(last_step)

    def text(self, step: int) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Text) and event.step == step)

    def shown_characters(self) -> dict[int, int]:
        """How many characters of each step's output readers saw."""
        shown: dict[int, int] = {}
        for event in self.events:
            if isinstance(event, Text | Reasoning):
                shown[event.step] = shown.get(event.step, 0) + len(event.text)
        return shown

    def open_calls(self) -> list[ToolStart]:
        """The calls that readers saw begin and not end."""
        ended = {event.call_id for event in self.events if isinstance(event, ToolEnd)}
        return [event for event in self.events if isinstance(event, ToolStart) and event.call_id not in ended]

    def turn_cost_pico_usd(self) -> int:
        costs = [event.turn_cost_pico_usd for event in self.events if isinstance(event, Usage)]
        return costs[-1] if costs else 0

    def missing_entries(self, question: str) -> Iterator[Entry]:
        """Yield what the transcript lacks: results of its last message's calls, or the beginning of the next one."""
        if not self.entries:
            yield UserEntry(question)
        last = self.entries[-1] if self.entries else None
        if isinstance(last, AssistantEntry) and last.tool_calls:
            results = [cancelled(call, self.step - 1, BY_RESTART).result for call in last.tool_calls]
            yield ToolResultsEntry(tuple(results))
        partial = self.text(self.step)
        if partial.strip():
            yield AssistantEntry(partial, interrupted=True)


def _close(turn: Turn, outcome: TurnOutcome) -> None:
    """End a turn with the entries and events that it owes."""
    left = _Left.by(turn)
    for position, entry in enumerate(left.missing_entries(turn.question), len(left.entries) + 1):
        services.entry_append(turn_id=turn.pk, position=position, entry=entry)
    lost = budgets.budget_settle_lost(
        turn_id=turn.pk,
        shown_characters=left.shown_characters(),
        provider=_model(turn)[0],
        outcome=outcome.value,
    )
    events: list[Event] = [] if left.events else [_started(turn)]
    events += [
        cancelled(ToolCall(call.call_id, call.tool, call.arguments), call.step, BY_RESTART).event
        for call in left.open_calls()
    ]
    events += [
        Usage(
            step=call.step,
            tokens=call.tokens,
            cost_pico_usd=call.cost_pico_usd,
            turn_cost_pico_usd=call.turn_cost_pico_usd,
            estimated=True,
        )
        for call in lost
    ]
    cost = lost[-1].turn_cost_pico_usd if lost else left.turn_cost_pico_usd()
    events.append(_end(turn, outcome, left, cost))
    first_seq = (left.last.seq if left.last else 0) + 1
    at = timezone.now().isoformat(timespec="milliseconds")
    wires = [to_wire(replace(event, seq=seq, at=at)) for seq, event in enumerate(events, first_seq)]
    services.events_append(turn_id=turn.pk, events=wires[:-1])
    services.turn_finish(turn_id=turn.pk, end=wires[-1], answer=left.answer)


def _end(turn: Turn, outcome: TurnOutcome, left: _Left, cost_pico_usd: int) -> TurnEnd:
    # When the process died nobody knows; the last sign of life is the best guess, not the hour of the clearing up.
    last_at = datetime.fromisoformat(left.last.at) if left.last and left.last.at else turn.created_at
    return turn_end(
        outcome,
        seconds=round(max(last_at - turn.created_at, timedelta()).total_seconds(), 3),
        tool_calls=sum(isinstance(event, ToolStart) for event in left.events),
        turn_cost_pico_usd=cost_pico_usd,
    )


def _started(turn: Turn) -> TurnStarted:
    provider, label = _model(turn)
    return TurnStarted(
        session_id=str(turn.session_id),
        turn_id=str(turn.pk),
        question=turn.question,
        provider=provider,
        model=turn.model,
        model_label=label,
        upstreams=turn.session.upstreams,
        effort=turn.effort,
        budget_pico_usd=turn.budget_pico_usd or 0,
    )


def _model(turn: Turn) -> tuple[str, str]:
    """Return provider and label of the turn's model, as far as it is still configured."""
    try:
        row = settings.BURP.chat.model(turn.model)
    except UnknownModel:
        return "", turn.model
    return row.provider, row.label
