"""Runs the planner against a tool server in this process, as the loop would: call, result, call, …, answer."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chat.grounding import Evidence, Grounding, ground
from chat.providers.base import (
    Entry,
    ModelEvent,
    ModelReply,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.planner.provider import RecipeProvider
from chat.providers.planner.results import body_of, call_key
from mcp_server.config import ServerConfig
from mcp_server.envelope import compact
from mcp_server.registry import discover
from mcp_server.server import ToolServer

Json = Any
Change = Callable[[int, ToolCall, ToolResult], ToolResult]
STEPS_MAX = 20


@dataclass
class Turn:
    """A finished turn: the answer, and every call with its result in order."""

    answer: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    evidence: Evidence = field(default_factory=Evidence)
    steps: int = 0

    @property
    def grounding(self) -> Grounding:
        """The answer's identifiers, checked as the loop checks them."""
        return ground(self.answer, self.evidence)

    def outcome(self, number: int) -> str:
        """Return the outcome of a call."""
        return str(json.loads(body_of(self.results[number])).get("outcome"))

    def called(self, tool: str) -> list[dict[str, Json]]:
        """Return the arguments of each call of a tool."""
        return [dict(call.arguments) for call in self.calls if call.name == tool]

    @property
    def opening(self) -> str:
        """Return the lead and its list: what stands before the first heading."""
        return self.answer.partition("\n\n###")[0]

    def section(self, title: str) -> str:
        """Return the text under a heading, or an empty string."""
        _, _, rest = self.answer.partition(f"### {title}")
        return rest.partition("\n### ")[0]


class Snapshot:
    """The tools over the packaged snapshot; each call is asked once and remembered."""

    def __init__(self) -> None:
        self._server = ToolServer(discover(), ServerConfig(upstreams="snapshot"))
        self._known: dict[str, tuple[str, bool, list[dict[str, Json]]]] = {}

    async def ask(self, call: ToolCall) -> tuple[ToolResult, list[dict[str, Json]]]:
        """Return the result as the loop writes it into the transcript, and what it cites."""
        key = call_key(call.name, call.arguments)
        if key not in self._known:
            envelope = await self._server.call(call.name, call.arguments)
            text = f"[fetched_at: {envelope.meta.get('burp/fetched_at', '')}]\n{compact(envelope.content)}"
            self._known[key] = (text, envelope.is_error, envelope.meta["burp/citations"])
        text, is_error, citations = self._known[key]
        return ToolResult(call.id, call.name, text, is_error=is_error), citations


def request(entries: list[Entry]) -> ModelRequest:
    """Return the request that the loop would make of these entries."""
    return ModelRequest("recipes", "", (), tuple(entries), "v1", 100_000)


async def stream(entries: list[Entry]) -> list[ModelEvent]:
    """Return what the planner streams for these entries."""
    return [event async for event in RecipeProvider().stream(request(entries))]


async def run(question: str, tools: Snapshot, change: Change | None = None) -> Turn:
    """Play a whole turn; `change` may replace the result of the n-th call."""
    turn = Turn(entries=[UserEntry(question)])
    while turn.steps < STEPS_MAX:
        turn.steps += 1
        *deltas, reply = await stream(turn.entries)
        assert isinstance(reply, ModelReply)
        turn.entries.append(reply.entry)
        if reply.stop_reason == "end":
            turn.answer = reply.entry.text
            assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == turn.answer
            return turn
        results = []
        for call in reply.entry.tool_calls:
            result, citations = await tools.ask(call)
            changed = change(len(turn.results), call, result) if change else result
            turn.evidence.add(call.id, changed.text, citations if changed == result else ())
            turn.calls.append(call)
            turn.results.append(changed)
            results.append(changed)
        turn.entries.append(ToolResultsEntry(tuple(results)))
    raise AssertionError(f"no answer after {STEPS_MAX} steps")


def envelope_text(content: Json, fetched_at: str = "2026-11-30T12:00:00Z") -> str:
    """Return a result's text as the loop writes it."""
    return f"[fetched_at: {fetched_at}]\n{compact(content)}"
