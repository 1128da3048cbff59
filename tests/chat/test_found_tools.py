"""Tools that a search found, over every provider: called, and called again in the next turn without a search."""

import asyncio
from typing import Any

import pytest

from chat.system_tools import SEARCH
from tests.chat.provider_sessions import harnesses as harnesses
from tests.chat.provider_sessions import new_session, play
from tests.chat.provider_sessions import tool_servers as tool_servers
from tests.chat.providers.contract.harness import Harness
from tests.chat.providers.contract.script import Answer, Call, Say
from tools_catalog.models import ToolHour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
Json = Any
MECHANISMS = "chembl__get_drug_mechanisms"
FIND = Answer(Call(SEARCH, {"query": "chembl mechanisms of action of a drug"}))
ASK = Answer(Call(MECHANISMS, {"chembl_id": "CHEMBL554"}))


def ended(events: list[dict[str, Json]]) -> list[tuple[str, bool]]:
    """Return the calls of a turn, each with whether it brought something."""
    return [(event["tool"], event["ok"]) for event in events if event["type"] == "tool_end"]


async def test_a_tool_is_found_called_and_called_again_without_a_search(harnesses: list[Harness]) -> None:
    for harness in harnesses:
        session = await new_session()
        harness.script(FIND, ASK, Answer(Say("It blocks two kinases.")))
        first = await play(session, harness, "How does lapatinib act?")
        harness.script(ASK, Answer(Say("Still two.")))
        second = await play(session, harness, "Again, please.")

        assert (harness.name, harness.statuses) == (harness.name, [200] * 5)
        assert [events[-1]["outcome"] for events in (first, second)] == ["completed"] * 2
        assert ended(first) == [(SEARCH, True), (MECHANISMS, True)]
        assert ended(second) == [(MECHANISMS, True)]
        before, *after = (harness.offered(request) for request in harness.requests)
        # What the scripted model called, a real one could have called: it was there from the search on.
        assert MECHANISMS not in before
        assert all(MECHANISMS in offered and offered[: len(before)] == before for offered in after)
        assert all(offered == after[0] for offered in after)


async def test_calls_of_turns_are_counted_without_a_word_of_their_arguments(harnesses: list[Harness]) -> None:
    harnesses[0].script(ASK, ASK, Answer(Say("It blocks two kinases.")))
    await play(await new_session(), harnesses[0], "How does lapatinib act?")
    # The second call says the same as the first: nobody was asked.
    async with asyncio.timeout(5):
        # Stored once the turn is over, which nobody waits for.
        while (row := await ToolHour.objects.filter(tool=MECHANISMS).afirst()) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert (row.calls, row.failures) == (1, 0) and row.milliseconds >= 0
    assert "CHEMBL554" not in str(vars(row))


async def test_a_service_that_holds_tools_back_gets_the_same_sorted_list_in_every_turn(
    harnesses: list[Harness],
) -> None:
    for harness in [one for one in harnesses if "deferral" in one.abilities]:
        session = await new_session()
        for question in ("How does lapatinib act?", "Again, please."):
            harness.script(FIND, ASK, Answer(Say("It blocks two kinases.")))
            await play(session, harness, question)

        lists = [request.json["tools"] for request in harness.requests]
        assert all(str(one) == str(lists[0]) for one in lists)
        names = [tool.get("name", SEARCH) for tool in lists[0]]
        held = {tool.get("name") for tool in lists[0] if tool.get("defer_loading")}
        assert names == sorted(names, key=lambda name: (name in held, name))


async def test_what_one_model_found_the_next_one_may_call(harnesses: list[Harness]) -> None:
    session = await new_session()
    harnesses[0].script(FIND, Answer(Say("There is a tool.")))
    await play(session, harnesses[0], "Which tool knows how drugs act?")
    for harness in harnesses[1:]:
        harness.script(ASK, Answer(Say("It blocks two kinases.")))

        events = await play(session, harness, "How does lapatinib act?")

        assert (harness.name, ended(events)) == (harness.name, [(MECHANISMS, True)])
        assert all(MECHANISMS in harness.offered(request) for request in harness.requests)
        assert set(harness.statuses) == {200}
