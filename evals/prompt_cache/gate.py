"""Play all scripts against the simulator or the real service, with the prefix that sessions are sent with."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from django.conf import settings

from chat.assembly import prefix_of
from chat.config import ModelRow, Service
from chat.context import Prefix
from chat.providers import anthropic
from chat.providers.anthropic import AnthropicProvider
from chat.providers.base import ModelFailure, TokenUsage
from evals.prompt_cache.play import Asked, play
from evals.prompt_cache.report import SMALLEST_PROMPT_TOKENS, Result, judged
from evals.prompt_cache.scripts import Script, replies
from evals.strict_messages import StrictMessages
from mcp_server.codes import TurnOutcome
from tools_catalog.runtime import close_tool_servers, get_tool_servers
from usage.pricing import cost_pico_usd


async def measured(model_key: str, scripts: Sequence[Script], *, is_live: bool) -> list[Result]:
    """Return what each script says. Raises `UnknownModel`, and `ModelFailure` like the provider."""
    row = settings.BURP.chat.model(model_key)
    service = settings.BURP.chat.service(row)
    try:
        return [await _measured(row, service, script, is_live=is_live) for script in scripts]
    finally:
        await close_tool_servers()


async def _measured(row: ModelRow, service: Service, script: Script, *, is_live: bool) -> Result:
    def price(usage: TokenUsage) -> int:
        return cost_pico_usd(settings.BURP.usage.prices, row.key, usage.as_dict(), datetime.now(UTC).date())

    # Both ways to reach the databases list the same tools; none of them is called.
    catalog = (await get_tool_servers().get("snapshot")).catalog
    async with _provider(row, service, script, is_live=is_live) as provider:
        asked = await _played(script, prefix_of(row, provider, catalog), provider)
    return judged(script, asked, price, smallest_tokens=row.min_cacheable_tokens or SMALLEST_PROMPT_TOKENS)


async def _played(script: Script, prefix: Prefix, provider: AnthropicProvider) -> list[Asked]:
    """Play a script; once more without asking for a diagnosis where the service does not know that."""
    try:
        return await play(script, prefix, provider)
    except ModelFailure as failure:
        if failure.outcome is not TurnOutcome.MODEL_BAD_REQUEST or not provider.diagnoses_cache:
            raise
        provider.diagnoses_cache = False
        return await play(script, prefix, provider)


@asynccontextmanager
async def _provider(
    row: ModelRow, service: Service, script: Script, *, is_live: bool
) -> AsyncIterator[AnthropicProvider]:
    """Give the provider of a model, at the real service or at a simulator that plays the script."""
    with StrictMessages() as simulator:
        if not is_live:
            simulator.script(*replies(script))
            service = replace(service, api_key=simulator.api_key, base_url=simulator.base_url)
        provider = anthropic.create(row, service, diagnoses_cache=True)
        try:
            yield provider
        finally:
            await provider.aclose()
