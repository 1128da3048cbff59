"""Requests, conversations and a provider on the strict server."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelReply,
    ModelRequest,
    Provider,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from evals.strict_messages.server import StrictMessages
from tests.chat.providers.contract.conversation import collect as collect
from tests.chat.providers.contract.conversation import reply as reply
from tests.strict_messages.fixture import strict_messages as strict_messages

Json = Any

SONNET = AnthropicModel("claude-sonnet-5-5")
QUERY_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
}
SEARCH = ToolDefinition("search_available_tools", "Find more tools by what they do.", QUERY_SCHEMA)
TARGETS = ToolDefinition("opentargets__search_targets", "Find targets by gene.", QUERY_SCHEMA)
MOLECULES = ToolDefinition("chembl__search_molecules", "Find molecules by drug name.", QUERY_SCHEMA, deferred=True)
TRIALS = ToolDefinition("clinicaltrials__search_studies", "Find clinical trials.", QUERY_SCHEMA, deferred=True)


def request(*entries: Entry, **changes: Any) -> ModelRequest:
    """Return a request over four tools, two of them deferred."""
    base = ModelRequest(
        model=SONNET.id,
        system="Answer from records only.",
        tools=(MOLECULES, TARGETS, SEARCH, TRIALS),
        entries=entries or (UserEntry("What is HER2?"),),
        context_version="v1",
        max_output_tokens=1000,
    )
    return replace(base, **changes)


def results(entry: AssistantEntry, text: str = "ENSG00000141736") -> ToolResultsEntry:
    """Return a plain result for each call of a message."""
    return ToolResultsEntry(tuple(ToolResult(call.id, call.name, text) for call in entry.tool_calls))


@dataclass
class Conversation:
    """A session as the loop drives it: ask, answer calls, ask again, all in one transcript."""

    provider: Provider
    asked: ModelRequest = field(default_factory=request)
    entries: list[Entry] = field(default_factory=list)

    async def turn(self, question: str, answer: Callable[[AssistantEntry], ToolResultsEntry] = results) -> ModelReply:
        """Play a whole turn; return its last message."""
        self.entries.append(UserEntry(question))
        while True:
            last = await reply(self.provider, replace(self.asked, entries=tuple(self.entries)))
            self.entries.append(last.entry)
            if not last.entry.tool_calls:
                return last
            self.entries.append(answer(last.entry))


@pytest.fixture
async def provider(strict_messages: StrictMessages) -> AsyncIterator[AnthropicProvider]:
    """Give a provider whose requests go to the strict server."""
    provider = AnthropicProvider(SONNET, api_key=strict_messages.api_key, base_url=strict_messages.base_url)
    yield provider
    await provider.aclose()
