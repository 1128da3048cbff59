"""The planner as a provider: deterministic, free, and a pure function of the transcript."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace

from chat.providers.base import (
    AssistantEntry,
    ModelEvent,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCall,
    UserEntry,
)
from chat.providers.planner import compose
from chat.providers.planner.recipes import recipe_for
from chat.providers.planner.recognise import recognise
from chat.providers.planner.replay import Finished, Pending, play, question_of, recorded_in

NAME = "recipes"
FREE = TokenUsage()


class RecipeProvider:
    """Answers questions of known shapes by recipes; says so when a question has none."""

    def __init__(self, *, name: str = NAME) -> None:
        self.name = name
        self._partial: AssistantEntry | None = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield what the recipe says next, then the message: tool calls, or the answer."""
        self._partial = None
        state = next_step(request)
        entry = self._entry(request)
        if isinstance(state, Pending):
            yield ReasoningDelta(f"{state.why}\n")
            yield ModelReply(
                replace(entry, tool_calls=_numbered(request, state), stop_reason="tool_use"), FREE, "tool_use"
            )
            return
        shown = ""
        for line in _lines(state.answer):
            shown += line
            self._partial = replace(entry, text=shown, interrupted=True)
            await asyncio.sleep(0)  # a stop or another task gets its chance between two lines
            yield TextDelta(line)
        yield ModelReply(replace(entry, text=state.answer, stop_reason="end"), FREE, "end")

    @property
    def replay_scope(self) -> dict[str, str]:
        """Nothing: a recipe has no notes of its own."""
        return {}

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return nothing: a recipe uses no tokens."""
        return FREE

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return the part of the answer that was shown."""
        return self._partial, FREE

    async def aclose(self) -> None:
        """Nothing is held open."""

    def _entry(self, request: ModelRequest) -> AssistantEntry:
        return AssistantEntry(text="", provider=self.name, model=request.model, context_version=request.context_version)


def next_step(request: ModelRequest) -> Pending | Finished:
    """Return what the transcript asks for next: calls to make, or the finished answer."""
    question = recognise(question_of(request.entries))
    state = play(recipe_for(question), recorded_in(request.entries))
    if isinstance(state, Pending):
        return state
    closing = (compose.gaps(state.results), compose.provenance(state.results))
    return replace(state, answer=compose.document(state.answer, *closing))


def _numbered(request: ModelRequest, state: Pending) -> tuple[ToolCall, ...]:
    """Give the calls ids that are unique in the session and the same on every replay."""
    turn = sum(isinstance(entry, UserEntry) and not entry.is_note for entry in request.entries)
    made = sum(len(entry.tool_calls) for entry in request.entries if isinstance(entry, AssistantEntry))
    return tuple(
        ToolCall(f"call_{turn}_{made + number}", wanted.tool, dict(wanted.arguments))
        for number, wanted in enumerate(state.calls, start=1)
    )


def _lines(text: str) -> Iterator[str]:
    yield from text.splitlines(keepends=True)
