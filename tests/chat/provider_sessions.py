"""Sessions over every provider at once: real turns, store and tool server, each model on its strict server.

A module that takes these fixtures runs in one event loop: its tests share one tool server.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest_asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import override_settings

from chat import services, turns
from chat.config import ModelRow, Service
from chat.following import follow_turn
from chat.models import Session
from tests.chat.providers.contract.harness import Harness, all_harnesses
from tools_catalog.runtime import close_tool_servers
from usage.models import User

Json = Any


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def tool_servers() -> AsyncIterator[None]:
    """End the tool server that the tests of a module shared."""
    yield
    await close_tool_servers()


@pytest_asyncio.fixture(loop_scope="module")
async def harnesses(tool_servers: None) -> AsyncIterator[list[Harness]]:
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


def row_of(harness: Harness) -> ModelRow:
    """Return a row for a harness's first model, under a key of its own."""
    return ModelRow(
        key=f"{harness.name}-under-test",
        provider=harness.name,
        model=harness.models[0],
        label=harness.name,
        context_window=200_000,
        max_output_tokens=4_000,
        inline_max_tokens=5_000,
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


async def play(session: Session, harness: Harness, question: str) -> list[dict[str, Json]]:
    """Play a turn with this harness's model; return its events."""
    await Session.objects.filter(pk=session.pk).aupdate(model=f"{harness.name}-under-test")
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question=question)
    return [event async for event in follow_turn(turn_id, 0)]


async def new_session() -> Session:
    """Return a session of a new user over the offline snapshot."""
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    return await sync_to_async(services.session_create)(owner_id=user.pk, model="recipes", upstreams="snapshot")
