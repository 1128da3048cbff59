"""Questions with known answers, each a real turn: planner, loop, one tool server over the packaged snapshot."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chat import services, turns
from chat.following import follow_turn
from chat.models import Session
from tools_catalog.runtime import close_tool_servers
from usage.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
QUESTIONS = json.loads((Path(__file__).parents[1] / "data" / "known_questions.json").read_text(encoding="utf-8"))
Json = Any


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """A session of the recipe planner over the offline snapshot."""
    user = await User.objects.acreate(username="asker")
    yield await sync_to_async(services.session_create)(owner_id=user.pk, model="recipes", upstreams="snapshot")
    await turns.shutdown()
    turns._stopping = False
    await close_tool_servers()


async def asked(session: Session, question: str) -> tuple[str, dict[str, Json]]:
    """Ask a question; return the answer and the event that ended the turn."""
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question=question)
    async with asyncio.timeout(30):
        events = [event async for event in follow_turn(turn_id)]
    return "".join(event["text"] for event in events if event["type"] == "text"), events[-1]


def seen(answer: str) -> str:
    """Return an answer as a reader sees it, without addresses and the marks of Markdown."""
    return re.sub(r"\]\(https?://[^)]*\)", "]", answer).replace("\\", "").casefold()


async def test_each_question_is_answered_with_its_facts_and_every_identifier_is_grounded(session: Session) -> None:
    faults = []
    for item in QUESTIONS:
        answer, end = await asked(session, item["question"])
        text = seen(answer)
        faults += [
            f"{item['question'][:60]}: no {fact}"
            for fact in item["facts"]
            if not re.search(rf"(?<![\w.]){re.escape(fact.casefold())}(?!\w)", text)
        ]
        unfounded = [mention["identifier"] for mention in end["grounding"]["not_in_evidence"]]
        if end["outcome"] != "completed" or unfounded:
            faults.append(f"{item['question'][:60]}: {end['outcome']}, not in the evidence: {unfounded}")
    assert faults == []
    assert len(QUESTIONS) > 40
