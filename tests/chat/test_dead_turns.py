"""Turns whose process died: what was shown is kept and booked, open calls get a result, the session is free."""

import json
import subprocess
import sys
from datetime import UTC, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.utils import timezone

from chat import dead_turns, liveness, selectors, services
from chat.events import Event, Reasoning, Text, ToolEnd, ToolStart, TurnStarted, from_wire, to_wire
from chat.models import Session, StoredEvent, Turn
from chat.providers.base import AssistantEntry, Entry, ToolCall, ToolResultsEntry, UserEntry
from chat.providers.history import repaired
from tests.usage.conftest import budgets as budgets  # prices in round dollars
from usage.budgets import budget_reserve
from usage.models import LedgerEntry, Reservation, User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
WAIT_S = 30.0
ASKED = UserEntry("What is HER2?")
LOOKING = AssistantEntry("I look.", (ToolCall("a", "gene", {"symbol": "HER2"}), ToolCall("b", "slow", {})))


@pytest.fixture
def session() -> Session:
    """An empty session of a user of its own."""
    user = User.objects.create(username=f"user-{uuid4().hex[:8]}")
    return services.session_create(owner_id=user.pk, model="dollar", upstreams="snapshot")


def left_behind(session: Session, events: list[Event], entries: list[Entry], *, lease_s: float = -1) -> Turn:
    """Return a running turn as a process leaves it that dies at this moment."""
    turn = services.turn_begin(session_id=session.pk, owner_id=session.owner_id, question="What is HER2?")
    began = turn.created_at.astimezone(UTC)
    wires = [
        to_wire(event) | {"seq": 3 * number, "at": (began + timedelta(seconds=number)).isoformat()}
        for number, event in enumerate(events, 1)
    ]
    services.events_append(turn_id=turn.pk, events=wires)
    for position, entry in enumerate(entries, 1):
        services.entry_append(turn_id=turn.pk, position=position, entry=entry)
    Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() + timedelta(seconds=lease_s))
    return turn


def reserve(turn: Turn, step: int) -> None:
    budget_reserve(
        user_id=turn.session.owner_id,
        session_id=turn.session_id,
        turn_id=turn.pk,
        step=step,
        model_key="dollar",
        worst_case={"input": 2_000, "output": 32_000},
    )


def began(turn_id: str = "t") -> TurnStarted:
    return TurnStarted(
        session_id="s", turn_id=turn_id, question="q", provider="p", model="m", model_label="M", upstreams="snapshot"
    )


def look(call_id: str, tool: str) -> ToolStart:
    return ToolStart(step=1, call_id=call_id, tool=tool, title=tool, platform="Ensembl", arguments={})


def closed(turn: Turn) -> tuple[Turn, list[Event]]:
    """Close the turn; return it with its events."""
    assert dead_turns.turns_close_dead() == [turn.pk]
    turn.refresh_from_db()
    return turn, [from_wire(event) for event in selectors.turn_events(turn_id=turn.pk)]


@pytest.mark.case("C051")
def test_the_words_that_were_shown_are_kept_marked_and_booked(session: Session, budgets: object) -> None:
    events = [began(), Reasoning(step=1, text="It is "), Text(step=1, text="HER2 is "), Text(step=1, text="the ")]
    turn = left_behind(session, events, [ASKED])
    reserve(turn, 1)

    turn, told = closed(turn)

    assert (turn.status, turn.outcome, turn.answer) == ("ended", "aborted_shutdown", "HER2 is the ")
    usage, end = told[-2:]
    assert [event.seq for event in told] == [3, 6, 9, 12, 13, 14]
    # Half of the worst prompt, and a token for every three of the 18 characters that were shown.
    assert (usage.tokens, usage.estimated) == ({"input": 1_000, "output": 6}, True)
    assert end.turn_cost_pico_usd == usage.cost_pico_usd == LedgerEntry.objects.get().cost_pico_usd == 1_006 * 10**6
    assert end.seconds == pytest.approx(4.0)
    assert not Reservation.objects.filter(state=Reservation.State.OPEN).exists()
    partial = AssistantEntry("HER2 is the ", interrupted=True)
    assert selectors.transcript(session_id=session.pk) == (ASKED, partial)


@pytest.mark.case("C051")
def test_calls_that_ran_get_a_result_and_an_end(session: Session, budgets: object) -> None:
    done = ToolEnd(step=1, call_id="a", tool="gene", ok=True, outcome="data", seconds=0.1)
    events = [began(), Text(step=1, text="I look."), look("a", "gene"), look("b", "slow"), done]
    turn = left_behind(session, events, [ASKED, LOOKING])

    turn, told = closed(turn)

    ended = [(event.call_id, event.error_code) for event in told if isinstance(event, ToolEnd)]
    assert ended == [("a", ""), ("b", "tool_cancelled")]
    assert (told[-1].type, told[-1].tool_calls) == ("turn_end", 2)
    transcript = selectors.transcript(session_id=session.pk)
    assert repaired(transcript) == transcript
    results = transcript[-1]
    assert isinstance(results, ToolResultsEntry)
    assert [(result.call_id, result.is_error) for result in results.results] == [("a", True), ("b", True)]
    assert "server stopped" in results.results[0].text


def test_a_turn_that_had_hardly_begun_tells_its_beginning_and_its_end(session: Session) -> None:
    turn, told = closed(left_behind(session, [], []))
    assert [(event.seq, event.type) for event in told] == [(1, "turn_started"), (2, "turn_end")]
    assert selectors.transcript(session_id=session.pk) == (ASKED,)


def test_a_turn_that_lives_is_left_alone(session: Session) -> None:
    turn = left_behind(session, [began()], [ASKED], lease_s=30)
    Turn.objects.update(runner=liveness.own_name())
    assert dead_turns.turns_close_dead() == []
    Turn.objects.update(runner="of another machine")
    assert dead_turns.turns_close_dead() == []
    turn.refresh_from_db()
    assert turn.status == Turn.Status.RUNNING


def test_a_turn_that_is_closed_twice_ends_once(session: Session) -> None:
    turn = left_behind(session, [began()], [ASKED])
    closed(turn)
    assert dead_turns.turns_close_dead() == []
    dead_turns.turn_close_broken(turn_id=turn.pk)
    assert [event["type"] for event in selectors.turn_events(turn_id=turn.pk)] == ["turn_started", "turn_end"]


CLAIM = """
import django
django.setup()
from chat import liveness
print(liveness.own_name(), flush=True)
input()
"""


@pytest.mark.case("C059")
def test_a_process_that_was_killed_is_known_to_be_gone_before_its_lease_ends(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "burp_site.settings")
    process = subprocess.Popen(
        [sys.executable, "-c", CLAIM],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    turn = left_behind(session, [began()], [ASKED], lease_s=30)
    Turn.objects.update(runner=name)
    assert dead_turns.turns_close_dead() == []

    process.kill()
    process.communicate(timeout=WAIT_S)

    assert liveness.is_gone(name)
    assert dead_turns.turns_close_dead() == [turn.pk]
    liveness.forget_the_gone()
    assert not liveness.is_gone(name)
    assert not liveness.is_gone(liveness.own_name())


def test_what_no_column_can_hold_is_left_out_of_question_and_answer(session: Session) -> None:
    turn = services.turn_begin(session_id=session.pk, owner_id=session.owner_id, question="HER2\x00?")
    end = {"type": "turn_end", "seq": 1, "outcome": "completed", "message": "HER2\x00 \ud800"}
    assert services.turn_finish(turn_id=turn.pk, end=end, answer="HER2\x00 \ud800")
    turn.refresh_from_db()
    assert (turn.question, turn.answer) == ("HER2?", "HER2 ?")
    assert selectors.turn_events(turn_id=turn.pk) == [end]


def test_stored_events_keep_their_bytes(session: Session) -> None:
    turn = services.turn_begin(session_id=session.pk, owner_id=session.owner_id, question="q")
    event = {"type": "notice", "seq": 1, "zz": 1, "a": [1.0, 1e300, 12345678901234567890], "\x00": "é\ud800"}
    services.events_append(turn_id=turn.pk, events=[event])
    assert json.dumps(selectors.turn_events(turn_id=turn.pk)[0]) == json.dumps(event)
    assert StoredEvent.objects.get().data == json.dumps(event)
