"""A session changes its model between questions, over every provider: real turns, real tools, a notice."""

from typing import Any

import pytest

from chat.models import Session
from chat.system_tools import FOUND_TOOLS, SEARCH
from tests.chat.provider_sessions import harnesses as harnesses
from tests.chat.provider_sessions import new_session, play
from tests.chat.provider_sessions import tool_servers as tool_servers
from tests.chat.providers.contract.harness import Harness
from tests.chat.providers.contract.script import Answer, Call, Say, Think

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
Json = Any
LOOKUP = "ensembl__lookup_gene"


async def ask(session: Session, harness: Harness, number: int) -> list[dict[str, Json]]:
    """Ask a question of this harness's model; return the events of the turn."""
    harness.script(
        Answer(Think(f"{number}: resolve it."), Call(LOOKUP, {"gene_symbol": "HER2"})),
        Answer(Say(f"Answer {number}: ENSG00000141736.")),
    )
    return await play(session, harness, f"Question {number}: what is HER2?")


async def test_every_model_finds_tools_in_the_catalogue_and_may_call_them(harnesses: list[Harness]) -> None:
    session = await new_session()
    for harness in harnesses:
        harness.script(Answer(Call(SEARCH, {"query": "clinvar variants of a gene"})), Answer(Say("Found.")))

        events = await play(session, harness, "Which tools know variants?")

        found = next(event for event in events if event["type"] == "tool_end")
        assert (found["tool"], found["ok"], events[-1]["outcome"]) == (SEARCH, True, "completed")
        before, after = (harness.offered(sent) for sent in harness.requests)
        assert after[: len(before)] == before
        if harness is harnesses[0]:
            assert len(before) < len(after) <= len(before) + FOUND_TOOLS
            assert any(name.startswith("clinvar__") for name in after[len(before) :])


async def test_each_switch_is_told_and_the_session_goes_on(harnesses: list[Harness]) -> None:
    session = await new_session()
    order = [*harnesses, *harnesses, harnesses[-1]]

    played = [await ask(session, harness, number) for number, harness in enumerate(order)]

    assert [events[-1]["outcome"] for events in played] == ["completed"] * len(order)
    noticed = [[event["code"] for event in events if event["type"] == "notice"] for events in played]
    # The first question follows none, and the last one stays with its model.
    assert noticed == [[], *[["context_degraded"]] * (len(order) - 2), []]
    assert all(status == 200 for harness in harnesses for status in harness.statuses)
    last = harnesses[-1].requests[-1].body.decode()
    for number in range(len(order) - 1):
        assert f"Question {number}: what is HER2?" in last
        assert f"Answer {number}: ENSG00000141736." in last
    assert last.count("[fetched_at:") >= len(order)
