"""A prefix, a simulator, and providers that spoil the cache."""

from collections.abc import Callable
from typing import Any

from chat.context import Prefix, build_prefix
from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import ModelRequest, TokenUsage, ToolDefinition
from evals.prompt_cache.play import Asked, play
from evals.prompt_cache.report import Result, judged
from evals.prompt_cache.scripts import TOOL, Script, replies
from evals.strict_messages import Reply, StrictMessages, Thinking

Json = Any
SONNET = AnthropicModel("claude-sonnet-5-5")
SCHEMA: Json = {"type": "object", "properties": {"gene_symbol": {"type": "string"}}}
TOOLS = [
    *(ToolDefinition(f"core__tool_{n:02}", "A core tool. " * 40, SCHEMA) for n in range(12)),
    ToolDefinition(TOOL, "Find a gene.", SCHEMA),
    ToolDefinition("found__later", "A tool that is found by search.", SCHEMA, deferred=True),
]
Spoil = Callable[[Json, int], Json]


def prefix() -> Prefix:
    """Return a prefix of about the size of the real one."""
    return build_prefix(TOOLS, model=SONNET.id, effort="high", system="Answer from records only. " * 300)


def price(usage: TokenUsage) -> int:
    """Return the price in hundredths of an input token: of the kind that holds for current models."""
    dear = 100 * usage.input + 500 * usage.output
    return dear + 125 * usage.cache_write_5m + 200 * usage.cache_write_1h + 5 * usage.cache_read


class SpoilingProvider(AnthropicProvider):
    """A provider that spoils each body before it is sent; it is told how many entries the request has."""

    spoil: Spoil

    def body(self, request: ModelRequest, *, is_afresh: bool = False) -> Json:
        return self.spoil(super().body(request, is_afresh=is_afresh), len(request.entries))


def unsigned(script: Script) -> list[Reply]:
    """Return a script's replies without thinking: what is spoilt would be refused with it."""
    return [Reply(*(block for block in reply.content if not isinstance(block, Thinking))) for reply in replies(script)]


async def played(script: Script, spoil: Spoil | None = None, **settings: Any) -> list[Asked]:
    """Play a script at a simulator of its own."""
    clock = settings.pop("clock", None)
    with StrictMessages(**({"clock": clock} if clock else {})) as simulator:
        simulator.script(*(unsigned(script) if spoil else replies(script)))
        kind = SpoilingProvider if spoil else AnthropicProvider
        provider = kind(SONNET, api_key=simulator.api_key, base_url=simulator.base_url, diagnoses_cache=True)
        if isinstance(provider, SpoilingProvider) and spoil:
            provider.spoil = spoil
        try:
            return await play(script, prefix(), provider, **({"clock": clock} if clock else {}))
        finally:
            await provider.aclose()


async def result_of(script: Script, spoil: Spoil | None = None, **settings: Any) -> Result:
    """Play a script and judge it."""
    return judged(script, await played(script, spoil, **settings), price)
