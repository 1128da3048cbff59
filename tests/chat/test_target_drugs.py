"""A list of drugs is read in few tokens, and nothing of it is lost."""

import pytest

from chat.models import Session
from evals.strict_messages import StrictMessages
from tests.chat.claude_sessions import session as session
from tests.chat.claude_sessions import tool_servers as tool_servers
from tests.chat.target_drugs import played
from tests.strict_messages.fixture import strict_messages as strict_messages

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.django_db(transaction=True)]


async def test_what_drugs_target_egfr_takes_three_rounds_and_few_tokens(
    session: Session, strict_messages: StrictMessages
) -> None:
    cost = await played(session, strict_messages)
    ends = {event["tool"]: event for event in cost.events if event["type"] == "tool_end"}
    assert cost.events[-1]["outcome"] == "completed"
    assert cost.rounds <= 3 and cost.input_tokens <= 25_000
    drugs = ends["opentargets__get_target_drugs"]
    assert drugs["total"] == 82 and drugs["pipeline"] == "reduced" and drugs["artifact_id"]
    grounding = cost.events[-1]["grounding"]
    assert len(grounding["grounded"]) == 3 and grounding["not_in_evidence"] == []
    sent = strict_messages.requests[-1].body.decode()
    assert all(name in sent for name in ("OSIMERTINIB", "GEFITINIB", "ERLOTINIB", "INHIBITOR"))
