"""Providers on the strict server."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from chat.config import ModelRow, Service
from chat.providers.base import ModelRequest
from chat.providers.openai_compatible import OpenAICompatibleProvider, create
from tests.chat.providers.contract.conversation import request
from tests.strict_chat import StrictChat
from tests.strict_chat.fixture import strict_chat as strict_chat

ROW = ModelRow(
    "gpt-oss",
    provider="local",
    model="gpt-oss:20b",
    label="gpt-oss 20b",
    context_window=131_072,
    max_output_tokens=8_000,
    inline_max_tokens=5_000,
    efforts=("low", "medium", "high"),
)
Make = Callable[..., OpenAICompatibleProvider]


def asked(*entries: Any, **changes: Any) -> ModelRequest:
    """Return a request to the model of the row."""
    return request(ROW.model, *entries, **changes)


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """Give a function that makes a provider of a server's model, with changes to the row."""
    async with AsyncExitStack() as stack:

        def made(server: StrictChat, **changes: Any) -> OpenAICompatibleProvider:
            service = Service("local", base_url=f"{server.base_url}/v1", api_key=server.api_key)
            provider = create(replace(ROW, **changes), service)
            stack.push_async_callback(provider.aclose)
            return provider

        yield made


@pytest.fixture
def provider(make: Make, strict_chat: StrictChat) -> OpenAICompatibleProvider:
    """Give a provider whose requests go to the strict server."""
    return make(strict_chat)
