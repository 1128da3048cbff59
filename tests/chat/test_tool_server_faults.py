"""A turn over live upstreams, real child process included: the child is killed, the turn is stopped."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from chat import selectors, services, turns
from chat.following import follow_turn
from chat.models import Session
from chat.providers.base import ToolResultsEntry
from chat.providers.scripted import Reply, call
from tests.chat.scripted_model import KEY, script, scripted_model
from tests.upstreams.server import FakeUpstreams
from tools_catalog.runtime import close_tool_servers, get_tool_servers
from usage.models import User

pytestmark = pytest.mark.django_db(transaction=True)
Json = Any
HOST, PATH = "rest.uniprot.org", "/uniprotkb/P04626"
ENTRY = {
    "entryType": "UniProtKB reviewed (Swiss-Prot)",
    "primaryAccession": "P04626",
    "uniProtkbId": "ERBB2_HUMAN",
    "organism": {"scientificName": "Homo sapiens", "taxonId": 9606},
    "genes": [{"geneName": {"value": "ERBB2"}}],
    "sequence": {"length": 1255},
}
GET_PROTEIN = call("uniprot__get_protein", accession="P04626")


@pytest.fixture
async def upstreams(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeUpstreams]:
    """A gateway that stands for all databases."""
    async with FakeUpstreams() as fake:
        monkeypatch.setenv("BURP_UPSTREAM_GATEWAY", fake.url)
        await get_tool_servers().get("live")
        yield fake
        await turns.shutdown()
        turns._stopping = False
        await close_tool_servers()


@pytest.fixture
async def session(upstreams: FakeUpstreams) -> AsyncIterator[Session]:
    """A session over live upstreams."""
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    with scripted_model():
        yield await sync_to_async(services.session_create)(owner_id=user.pk, model=KEY, upstreams="live")


async def start(session: Session) -> UUID:
    return await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question="What is P04626?")


async def read(turn_id: UUID) -> list[dict[str, Json]]:
    async with asyncio.timeout(30):
        return [event async for event in follow_turn(turn_id)]


@pytest.mark.case("C045")
async def test_killing_the_child_in_mid_turn_fails_its_call_and_the_turn_goes_on(
    session: Session, upstreams: FakeUpstreams
) -> None:
    upstreams.play(HOST, PATH, ENTRY, held=asyncio.Event())
    upstreams.play(HOST, PATH, ENTRY)
    script(Reply(calls=[GET_PROTEIN]), Reply(calls=[GET_PROTEIN]), Reply("P04626 is the protein of ERBB2."))
    turn_id = await start(session)
    reading = asyncio.create_task(read(turn_id))
    await upstreams.arrived(1)
    before = get_tool_servers().states()["live"].pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    events = await reading
    ends = [event for event in events if event["type"] == "tool_end"]
    assert [(end["ok"], end["error_code"]) for end in ends] == [(False, "tool_server_down"), (True, "")]
    assert events[-1]["outcome"] == "completed"
    assert [m["identifier"] for m in events[-1]["grounding"]["grounded"]] == ["P04626"]
    assert get_tool_servers().states()["live"].pid != before


@pytest.mark.case("C062")
async def test_stop_closes_the_connection_to_the_database(session: Session, upstreams: FakeUpstreams) -> None:
    upstreams.play(HOST, PATH, ENTRY, held=asyncio.Event())
    provider = script(Reply(calls=[GET_PROTEIN]), Reply("never"))
    turn_id = await start(session)
    reading = asyncio.create_task(read(turn_id))
    await upstreams.arrived(1)
    await turns.stop_turn(turn_id=turn_id, owner_id=session.owner_id)
    await upstreams.left_alone(1)
    events = await reading
    assert events[-1]["outcome"] == "aborted_by_user"
    assert [event["error_code"] for event in events if event["type"] == "tool_end"] == ["tool_cancelled"]
    assert provider.unplayed == 1
    history = await sync_to_async(selectors.transcript)(session_id=session.pk)
    assert isinstance(history[-1], ToolResultsEntry)


@pytest.mark.case("C042")
async def test_a_throttled_database_is_a_failure_and_never_nothing_found(
    session: Session, upstreams: FakeUpstreams
) -> None:
    upstreams.play(HOST, PATH, "too many requests", status=429, headers={"Retry-After": "3600"})
    provider = script(Reply(calls=[GET_PROTEIN]), Reply("UniProt could not be asked."))
    events = await read(await start(session))
    (end,) = [event for event in events if event["type"] == "tool_end"]
    assert (end["outcome"], end["error_code"]) == ("failed", "upstream_rate_limited")
    result = provider.requests[1].entries[-1]
    assert isinstance(result, ToolResultsEntry)
    assert '"outcome":"failed"' in result.results[0].text
