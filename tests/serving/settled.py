"""What must hold of a turn that was ended from outside, whoever did it and at whatever moment."""

from evals.strict_messages import Reply, StrictMessages, Text
from tests.serving.phases import Moment
from tests.serving.site import START_S, Home, Running

AFTERWARDS = "The session goes on."


def settled(site: Running, moment: Moment, session_id: str, outcome: str) -> None:
    """Check what readers were told, the books, the lock and the history."""
    phase, following = moment.phase, moment.following
    assert (following.events[-1]["type"], following.events[-1]["outcome"]) == ("turn_end", outcome), phase
    assert following.answer == phase.shown
    starts = [event["call_id"] for event in following.events if event["type"] == "tool_start"]
    ends = [event["call_id"] for event in following.events if event["type"] == "tool_end"]
    assert (len(starts), sorted(ends)) == (phase.calls, sorted(starts)), phase
    books(site.home, following.turn_id, phase.model_calls)
    goes_on(site, moment, session_id)


def books(home: Home, turn_id: str, model_calls: int) -> None:
    """Check that the turn has ended, holds no money, and was booked once for each call of the model."""
    key = home.key(turn_id)
    assert home.status(turn_id) == "ended"
    states = home.rows("SELECT state, count(*) FROM usage_reservation WHERE turn_id = ? GROUP BY state", key)
    assert [(state, count) for state, count in states if state != "released"] == [("settled", model_calls)]
    assert home.rows("SELECT count(*) FROM usage_ledgerentry WHERE turn_id = ? AND kind = 'call'", key) == [
        (model_calls,)
    ]


def said(model: StrictMessages) -> str:
    """Return what the model is told that it said before."""
    sent = model.requests[-1].messages
    blocks = [block for message in sent if message["role"] == "assistant" for block in message["content"]]
    return "".join(block["text"] for block in blocks if block["type"] == "text")


def goes_on(site: Running, moment: Moment, session_id: str) -> None:
    """Ask again: the lock is free, and the strict service takes the history, with the words that were shown."""
    model = moment.world.model
    model.script(Reply(Text(AFTERWARDS)))
    again = site.device().ask(session_id, "And now?")
    # After a restart the tool server comes up only now.
    assert again.ended(START_S)["outcome"] == "completed", again.events[-1]
    assert model.requests[-1].status == 200
    assert said(model) == moment.phase.shown, moment.phase
    assert (again.answer, model.unplayed) == (AFTERWARDS, 0)
