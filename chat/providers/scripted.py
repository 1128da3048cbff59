"""A provider that replies from a list: for tests of the loop, free, deterministic, without a network.

    provider = ScriptedProvider([
        Reply(reasoning="Resolve the gene first.", calls=[call("ensembl__lookup_gene", gene_symbol="ERBB2")]),
        Fail(TurnOutcome.MODEL_OVERLOADED, after="HER2 is "),
        Hold(event, after="HER2 "),
        Reply("HER2 is ERBB2."),
    ])

Each call of `stream` plays the next step; a `Hold` is played before the step that follows it.
A step may be a function of the request. Usage is counted from characters, four to a token.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from chat.providers.base import (
    AssistantEntry,
    Entry,
    Json,
    ModelEvent,
    ModelFailure,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResultsEntry,
    UserEntry,
)
from mcp_server.codes import TurnOutcome

CHARACTERS_PER_TOKEN = 4


def call(name: str, /, **arguments: Json) -> ToolCall:
    """Return a tool call whose id the provider gives out when it plays it."""
    return ToolCall(id="", name=name, arguments=arguments)


@dataclass(frozen=True)
class Reply:
    """One finished message. The stop reason follows from the calls unless it is given."""

    text: str = ""
    calls: Sequence[ToolCall] = ()
    reasoning: str = ""
    stop_reason: str = ""
    usage: TokenUsage | None = None


@dataclass(frozen=True)
class Fail:
    """A failure, after the text `after` was streamed."""

    outcome: TurnOutcome
    after: str = ""
    message: str = "scripted failure"
    retryable: bool = False
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Hold:
    """Stream `reasoning` and `after`, then wait for `event`. `reached` is set when the waiting begins."""

    event: asyncio.Event
    after: str = ""
    reasoning: str = ""
    reached: asyncio.Event = field(default_factory=asyncio.Event)


Ending = Reply | Fail
Step = Ending | Hold | Callable[[ModelRequest], Ending]


class ScriptedProvider:
    """Play `steps` in order; keep every request, and count the streams that are open."""

    def __init__(self, steps: Iterable[Step], *, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self.open_streams = 0
        self.is_closed = False
        self._steps = list(steps)
        self._calls_given = 0
        self._prefix: tuple[str, tuple[ToolDefinition, ...]] | None = None
        self._prefix_characters = self._entry_characters = 0
        self._counted: tuple[Entry, ...] = ()
        self._partial: tuple[AssistantEntry | None, TokenUsage] = (None, TokenUsage())

    @property
    def unplayed(self) -> int:
        """How many steps are left."""
        return len(self._steps)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Play the next step."""
        self.requests.append(request)
        self.open_streams += 1
        prompt_tokens, shown = self._prompt_tokens(request), ""
        try:
            while True:
                self._remember(request, prompt_tokens, shown)
                step = self._next(request)
                for delta in _deltas(step):
                    shown += delta.text if isinstance(delta, TextDelta) else ""
                    self._remember(request, prompt_tokens, shown)
                    await asyncio.sleep(0)  # other tasks run between two deltas, as they do on a network
                    yield delta
                if not isinstance(step, Hold):
                    break
                step.reached.set()
                await step.event.wait()
            if isinstance(step, Fail):
                raise self._failure(step, shown=bool(shown))
            yield self._reply(request, step, prompt_tokens, shown)
        finally:
            self.open_streams -= 1

    @property
    def replay_scope(self) -> dict[str, str]:
        """Nothing: a scripted message has no form of its own."""
        return {}

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return the tokens of the request and its output limit."""
        return TokenUsage(input=self._prompt_tokens(request), output=request.max_output_tokens)

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return the text and usage of the last stream up to now."""
        return self._partial

    async def aclose(self) -> None:
        """Note that the provider was released."""
        self.is_closed = True

    def _prompt_tokens(self, request: ModelRequest) -> int:
        """Count a prompt; what was counted before is not counted again."""
        prefix = (request.system, request.tools)
        if prefix != self._prefix:
            tools = sum(len(f"{tool.name}{tool.description}{tool.input_schema}") for tool in request.tools)
            self._prefix, self._prefix_characters = prefix, len(request.system) + tools
            self._counted, self._entry_characters = (), 0
        known = len(self._counted)
        if request.entries[:known] != self._counted:
            known = self._entry_characters = 0
        self._entry_characters += sum(map(_characters, request.entries[known:]))
        self._counted = request.entries
        return -(-(self._prefix_characters + self._entry_characters) // CHARACTERS_PER_TOKEN)

    def _next(self, request: ModelRequest) -> Reply | Fail | Hold:
        if not self._steps:
            raise AssertionError(f"the script of {self.name!r} is used up after {len(self.requests)} requests")
        step = self._steps.pop(0)
        return step if isinstance(step, Reply | Fail | Hold) else step(request)

    def _remember(self, request: ModelRequest, prompt_tokens: int, shown: str) -> None:
        entry = self._entry(request, shown, interrupted=True) if shown.strip() else None
        self._partial = (entry, TokenUsage(input=prompt_tokens, output=_tokens(shown)))

    def _failure(self, step: Fail, *, shown: bool) -> ModelFailure:
        partial, usage = self._partial
        return ModelFailure(
            step.outcome,
            step.message,
            retryable=step.retryable,
            retry_after_s=step.retry_after_s,
            usage=usage,
            estimated=True,
            partial=partial,
            shown=shown,
        )

    def _reply(self, request: ModelRequest, step: Reply, prompt_tokens: int, text: str) -> ModelReply:
        calls = tuple(self._numbered(item) for item in step.calls)
        stop_reason = step.stop_reason or ("tool_use" if calls else "end")
        entry = replace(self._entry(request, text), tool_calls=calls, stop_reason=stop_reason)
        said = f"{text}{step.reasoning}{''.join(f'{item.name}{item.arguments}' for item in calls)}"
        usage = step.usage or TokenUsage(input=prompt_tokens, output=_tokens(said))
        self._partial = (self._partial[0], usage)
        return ModelReply(entry=entry, usage=usage, stop_reason=stop_reason)

    def _entry(self, request: ModelRequest, text: str, *, interrupted: bool = False) -> AssistantEntry:
        return AssistantEntry(
            text=text,
            provider=self.name,
            model=request.model,
            context_version=request.context_version,
            interrupted=interrupted,
        )

    def _numbered(self, item: ToolCall) -> ToolCall:
        if item.id:
            return item
        self._calls_given += 1
        return replace(item, id=f"call_{self._calls_given}")


def _deltas(step: Reply | Fail | Hold) -> Iterator[ReasoningDelta | TextDelta]:
    """Yield a step's reasoning at once and its text word by word."""
    if not isinstance(step, Fail) and step.reasoning:
        yield ReasoningDelta(step.reasoning)
    text = step.text if isinstance(step, Reply) else step.after
    for word in re.findall(r"\S*\s*", text):
        if word:
            yield TextDelta(word)


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _characters(entry: Entry) -> int:
    """Return how much of a prompt an entry makes up."""
    if isinstance(entry, UserEntry):
        return len(entry.text)
    if isinstance(entry, ToolResultsEntry):
        return sum(len(result.text) for result in entry.results)
    if isinstance(entry, AssistantEntry):
        return len(entry.text) + sum(len(f"{item.name}{item.arguments}") for item in entry.tool_calls)
    return 0
