"""Requests and conversations as the loop makes them."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelEvent,
    ModelReply,
    ModelRequest,
    Provider,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from tests.chat.providers.contract.harness import Harness
from tests.chat.providers.contract.script import Answer, Call, Say, Think

Json = Any

QUERY_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "n": {"type": "number"}},
    "required": ["query"],
}
SEARCH = ToolDefinition("search_available_tools", "Find more tools by what they do.", QUERY_SCHEMA, finds_tools=True)
TARGETS = ToolDefinition("opentargets__search_targets", "Find targets by gene.", QUERY_SCHEMA)
MOLECULES = ToolDefinition("chembl__search_molecules", "Find molecules by drug name.", QUERY_SCHEMA, deferred=True)
TRIALS = ToolDefinition("clinicaltrials__search_studies", "Find clinical trials.", QUERY_SCHEMA, deferred=True)
# In the loop's order: those that are loaded first, each group by name.
TOOLS = (TARGETS, SEARCH, MOLECULES, TRIALS)
QUESTION = UserEntry("What is HER2?")
FOUND = "[fetched_at: 2026-11-30T12:00:00Z]\nENSG00000141736"


def request(model: str, *entries: Entry, **changes: Any) -> ModelRequest:
    """Return a request over four tools, two of them deferred."""
    base = ModelRequest(
        model=model,
        system="Answer from records only.",
        tools=TOOLS,
        entries=entries or (QUESTION,),
        context_version="v1",
        max_output_tokens=1000,
    )
    return replace(base, **changes)


def results(entry: AssistantEntry) -> ToolResultsEntry:
    """Answer a message's calls: searches with a reference, all else with text."""
    return ToolResultsEntry(
        tuple(
            ToolResult(call.id, call.name, "Found 1 tool.", tool_references=(TRIALS.name,))
            if call.name == SEARCH.name
            else ToolResult(call.id, call.name, FOUND)
            for call in entry.tool_calls
        )
    )


def turn_of(number: int) -> list[Answer]:
    """Return what a model says in one turn: a search, two parallel calls, an answer."""
    return [
        Answer(Think(f"{number}: find a tool."), Call(SEARCH.name, {"query": "trials"})),
        Answer(
            Think(f"{number}: both at once."),
            Say("I look."),
            Call(TRIALS.name, {"query": f"HER2 {number}", "n": 1.5}),
            Call(TARGETS.name, {"query": "ERBB2"}),
        ),
        Answer(Say(f"Answer {number}.")),
    ]


async def collect(provider: Provider, asked: ModelRequest) -> list[ModelEvent]:
    """Return all events of one stream."""
    async with aclosing(provider.stream(asked)) as events:
        return [event async for event in events]


async def reply(provider: Provider, asked: ModelRequest) -> ModelReply:
    """Return the end of one stream."""
    last = (await collect(provider, asked))[-1]
    assert isinstance(last, ModelReply)
    return last


@dataclass
class Conversation:
    """A session as the loop drives it, over any number of providers: ask, answer calls, ask again."""

    entries: list[Entry] = field(default_factory=list)

    async def turn(
        self,
        harness: Harness,
        provider: Provider,
        question: str,
        *,
        answer: Callable[[AssistantEntry], ToolResultsEntry] = results,
        **changes: Any,
    ) -> list[AssistantEntry]:
        """Play a whole turn; return its messages."""
        said: list[AssistantEntry] = []
        self.entries.append(UserEntry(question))
        model = changes.pop("model", harness.models[0])
        while True:
            last = await reply(provider, request(model, *self.entries, **changes))
            said.append(last.entry)
            self.entries.append(last.entry)
            if not last.entry.tool_calls:
                return said
            self.entries.append(answer(last.entry))
