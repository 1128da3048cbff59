"""Play a script: ask the model call by call, answer its tool calls, and keep what each request cost."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from chat.context import Prefix, build_request
from chat.providers.anthropic import AnthropicProvider
from chat.providers.anthropic_wire import Block
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelReply,
    ModelRequest,
    TokenUsage,
    ToolResultsEntry,
    UserEntry,
)
from evals.prompt_cache.scripts import Script, question, result

Json = Any
OUTPUT_TOKENS = 2_000
GO_ON = "Go on with the next step."


@dataclass(frozen=True)
class Asked:
    """One model call: what was sent, when, what it used, and what the service says of a cache miss.

    `tool_calls` is how many calls the reply made.
    """

    body: Block
    began_s: float
    usage: TokenUsage
    tool_calls: int = 0
    diagnosis: dict[str, Json] = field(default_factory=dict)

    @property
    def prompt_tokens(self) -> int:
        """All tokens of the prompt."""
        used = self.usage
        return used.input + used.cache_read + self.written_tokens

    @property
    def written_tokens(self) -> int:
        """The tokens that were written to the cache."""
        return self.usage.cache_write_5m + self.usage.cache_write_1h


async def play(
    script: Script, prefix: Prefix, provider: AnthropicProvider, clock: Callable[[], float] = time.monotonic
) -> list[Asked]:
    """Play a conversation to its end. Raises `ModelFailure` like the provider."""
    entries: list[Entry] = []
    asked: list[Asked] = []
    for number, turn in enumerate(script.turns, start=1):
        entries.append(UserEntry(question(turn, number)))
        for sizes in (*turn, ()):
            request = build_request(prefix, entries, max_output_tokens=OUTPUT_TOKENS)
            began_s, body = clock(), provider.body(request)
            reply = await _reply(provider, request)
            asked.append(Asked(body, began_s, reply.usage, len(reply.entry.tool_calls), provider.cache_diagnosis))
            entries += [reply.entry, *_answers(reply.entry, sizes)]
    return asked


async def _reply(provider: AnthropicProvider, request: ModelRequest) -> ModelReply:
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            if isinstance(event, ModelReply):
                return event
    raise AssertionError("a provider's stream ends with its reply")


def _answers(message: AssistantEntry, sizes: Sequence[int]) -> Iterator[Entry]:
    """Yield what follows a message, so that the next request is longer also when a model does not call tools."""
    if message.tool_calls:
        sizes = sizes or (1,)
        results = [result(call, sizes[n % len(sizes)]) for n, call in enumerate(message.tool_calls)]
        yield ToolResultsEntry(tuple(results))
    elif sizes:
        yield UserEntry(GO_ON)
