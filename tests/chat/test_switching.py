"""A session changes its model between questions, over every provider: real turns, real tools, a notice."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import override_settings

from chat import services, turns
from chat.config import ModelRow, Service
from chat.following import follow_turn
from chat.models import Session
from chat.system_tools import FOUND_TOOLS, SEARCH
from tests.chat.providers.contract.harness import Harness, all_harnesses
from tests.chat.providers.contract.script import Answer, Call, Say, Think
from tools_catalog.runtime import close_tool_servers
from usage.models import User

pytestmark = pytest.mark.django_db(transaction=True)
Json = Any
LOOKUP = "ensembl__lookup_gene"


@pytest.fixture
async def harnesses() -> AsyncIterator[list[Harness]]:
    """Give every harness, its server running, with the configuration pointed at them."""
    chat = settings.BURP.chat
    async with AsyncExitStack() as stack:
        running = [await stack.enter_async_context(kind()) for kind in all_harnesses().values()]
        places = {h.name: Service(h.name, api_key=h.api_key, base_url=h.server.base_url) for h in running}
        rows = (*chat.models, *(row_of(harness) for harness in running))
        changed = replace(chat, models=rows, services={**chat.services, **places})
        with override_settings(BURP=replace(settings.BURP, chat=changed, usage=priced(rows))):
            yield running
            await turns.shutdown()
            turns._stopping = False
            await close_tool_servers()


def row_of(harness: Harness) -> ModelRow:
    """Return a row for a harness's first model, under a key of its own."""
    return ModelRow(
        key=f"{harness.name}-under-test",
        provider=harness.name,
        model=harness.models[0],
        label=harness.name,
        context_window=200_000,
        max_output_tokens=4_000,
        inline_max_bytes=24_000,
        efforts=("low",) if "effort" in harness.abilities else (),
        default_effort="low" if "effort" in harness.abilities else "",
        thinking=("adaptive",) if "thinking" in harness.abilities else (),
        deferred_tools="deferral" in harness.abilities,
    )


def priced(rows: tuple[ModelRow, ...]) -> Any:
    """Return prices that know the new rows too: those of the free model."""
    usage = settings.BURP.usage
    free = next(price for price in usage.prices if price.model_key == "recipes")
    more = (replace(free, model_key=row.key) for row in rows if row.key.endswith("-under-test"))
    return replace(usage, prices=(*usage.prices, *more))


async def ask(session: Session, harness: Harness, number: int) -> list[dict[str, Json]]:
    """Ask a question of this harness's model; return the events of the turn."""
    harness.script(
        Answer(Think(f"{number}: resolve it."), Call(LOOKUP, {"gene_symbol": "HER2"})),
        Answer(Say(f"Answer {number}: ENSG00000141736.")),
    )
    return await play(session, harness, f"Question {number}: what is HER2?")


async def play(session: Session, harness: Harness, question: str) -> list[dict[str, Json]]:
    """Play a turn with this harness's model; return its events."""
    await Session.objects.filter(pk=session.pk).aupdate(model=f"{harness.name}-under-test")
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question=question)
    return [event async for event in follow_turn(turn_id, 0)]


async def test_every_model_finds_tools_in_the_catalogue_and_may_call_them(harnesses: list[Harness]) -> None:
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    session = await sync_to_async(services.session_create)(owner_id=user.pk, model="recipes", upstreams="snapshot")
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
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    session = await sync_to_async(services.session_create)(owner_id=user.pk, model="recipes", upstreams="snapshot")
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
