"""The last event of a turn: one place that knows its sentence and what it offers."""

from typing import Any

from chat.events import TurnEnd
from mcp_server.codes import TURN_OFFERS, TURN_SENTENCES, TurnOutcome


def turn_end(outcome: TurnOutcome, **facts: Any) -> TurnEnd:
    """Return the event of a turn that ended this way."""
    offers = [offer.value for offer in TURN_OFFERS[outcome]]
    return TurnEnd(outcome=outcome.value, message=TURN_SENTENCES[outcome], offers=offers, **facts)
