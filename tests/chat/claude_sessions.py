"""Sessions of Claude models through the real store and tool server, on the strict Messages API.

A module that takes these fixtures runs in one event loop: its tests share one tool server.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest_asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import override_settings

from chat import services, turns
from chat.following import follow_turn
from chat.models import Session
from evals.strict_messages import Redacted, Reply, StrictMessages, Text, Thinking, ToolUse
from tools_catalog.runtime import close_tool_servers
from usage.models import User

Json = Any
SONNET, OPUS, HAIKU = "claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-4-5"


@contextmanager
def claude_service(**changes: str) -> Iterator[None]:
    """Let Claude models be asked with another key, or at another address."""
    burp = settings.BURP
    service = replace(burp.chat.services["anthropic"], **changes)
    services = {**burp.chat.services, "anthropic": service}
    with override_settings(BURP=replace(burp, chat=replace(burp.chat, services=services))):
        yield


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def tool_servers() -> AsyncIterator[None]:
    """End the tool server that the tests of a module shared."""
    yield
    await close_tool_servers()


@pytest_asyncio.fixture(loop_scope="module")
async def session(strict_messages: StrictMessages, tool_servers: None) -> AsyncIterator[Session]:
    """Give a session over the offline snapshot whose model is asked at the strict server."""
    user = await User.objects.acreate(username=f"user-{uuid4().hex[:8]}")
    with claude_service(api_key=strict_messages.api_key, base_url=strict_messages.base_url):
        yield await sync_to_async(services.session_create)(owner_id=user.pk, model=SONNET, upstreams="snapshot")
        await turns.shutdown()
        turns._stopping = False


async def ask(session: Session, question: str) -> list[dict[str, Json]]:
    """Play one turn; return its events."""
    turn_id = await turns.start_turn(session_id=session.pk, owner_id=session.owner_id, question=question)
    return [event async for event in follow_turn(turn_id)]


async def switch_model(session: Session, model: str) -> None:
    """Let the session go on with another model."""
    await Session.objects.filter(pk=session.pk).aupdate(model=model)


def turn_of(number: int, *, thinks: bool = True) -> list[Reply]:
    """Return a turn's replies: a search, a core tool beside the found one, an answer."""
    thought = (lambda text: (Thinking(f"{number}: {text}"),)) if thinks else (lambda text: ())
    return [
        Reply(*thought("find a tool."), ToolUse("search_available_tools", {"query": "ensembl homologs of a gene"})),
        Reply(
            *thought("both at once."),
            Text("I look."),
            ToolUse("ensembl__lookup_gene", {"gene_symbol": "HER2"}),
            ToolUse("ensembl__get_homologs", {"gene_symbol": "ERBB2"}),
        ),
        Reply(*([Redacted()] if thinks else []), Text(f"Answer {number}: HER2 is ENSG00000141736.")),
    ]


def short_turn_of(number: int) -> list[Reply]:
    """Return the replies of a turn with one call."""
    called = ToolUse("ensembl__lookup_gene", {"gene_symbol": "HER2"})
    return [Reply(Thinking(f"{number}: look."), called), Reply(Thinking("Good."), Text(f"Answer {number}."))]


def notices(events: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    """Return the notices of a turn by their code."""
    return {event["code"]: event for event in events if event["type"] == "notice"}
