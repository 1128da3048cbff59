"""What a session's first request shows the model before anything was asked, by provider: bytes as they go out."""

import asyncio
from dataclasses import replace

from django.conf import settings

from chat.assembly import prefix_of
from chat.config import ModelRow, Service
from chat.providers.registry import create_provider
from chat.upfront import UpFront, up_front
from tests.benchmarks.report import Row
from tools_catalog.runtime import close_tool_servers, get_tool_servers

MODELS = ("claude-sonnet-5-5", "gpt-6.2-sol", "gemini-4-neon")
LOCAL = "local model"


def measure() -> list[Row]:
    """Weigh the first request of each kind of provider. No request is sent."""
    return asyncio.run(_all())


async def _all() -> list[Row]:
    limit = settings.BURP.catalog.up_front_max_tokens
    rows = []
    try:
        for row, service in _models():
            found = await _weighed(row, service)
            weight = found.weight
            what = f"up front, {row.label}: {weight.tools} tools and the instructions, {len(found.held_back)} held back"
            whole = weight.tokens + found.held_back_tokens
            value = f"{weight.tokens:,} tokens ({weight.bytes:,} bytes); the whole catalogue: {whole:,}"
            rows.append(Row(what, value, f"≤ {limit:,} tokens"))
    finally:
        await close_tool_servers()
    return rows


def _models() -> list[tuple[ModelRow, Service]]:
    chat = settings.BURP.chat
    chosen = [chat.model(key) for key in MODELS]
    found = [(row, replace(chat.service(row), api_key="of-no-use")) for row in chosen]
    local = replace(chosen[0], provider="openai_compatible", label=LOCAL, deferred_tools=False, efforts=())
    return [*found, (local, Service("openai_compatible", base_url="http://127.0.0.1:9/v1"))]


async def _weighed(row: ModelRow, service: Service) -> UpFront:
    catalog = (await get_tool_servers().get("snapshot")).catalog
    provider = create_provider(row, service)
    try:
        limit = settings.BURP.catalog.up_front_max_tokens
        found = up_front(provider, prefix_of(row, provider, catalog), subject=row.key, max_tokens=limit)
    finally:
        await provider.aclose()
    assert found is not None
    return found
