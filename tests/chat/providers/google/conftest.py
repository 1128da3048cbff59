"""Providers on the strict Gemini API."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from chat.providers.base import ModelRequest
from chat.providers.google import GoogleModel, GoogleProvider
from tests.chat.providers.contract.conversation import request
from tests.strict_generate import StrictGenerate
from tests.strict_generate.fixture import strict_generate as strict_generate

HYDROGEN = GoogleModel("gemini-4-hydrogen", effort_levels=("low", "medium", "high", "xhigh"))
# Of the models before thinking levels: it signs nothing.
OLD_PRO = GoogleModel("gemini-2.5-pro", thinking="budget")
Make = Callable[..., GoogleProvider]


def asked(*entries: Any, model: GoogleModel = HYDROGEN, **changes: Any) -> ModelRequest:
    """Return a request, to the newer model by default."""
    return request(model.id, *entries, **changes)


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """Give a function that makes a provider of a server's model."""
    async with AsyncExitStack() as stack:

        def made(server: StrictGenerate, model: GoogleModel = HYDROGEN, **changes: Any) -> GoogleProvider:
            settings = {"api_key": server.api_key, "base_url": server.base_url, "read_timeout_s": 5.0, **changes}
            provider = GoogleProvider(model, **settings)
            stack.push_async_callback(provider.aclose)
            return provider

        yield made


@pytest.fixture
def provider(make: Make, strict_generate: StrictGenerate) -> GoogleProvider:
    """Give a provider whose requests go to the strict server."""
    return make(strict_generate)
