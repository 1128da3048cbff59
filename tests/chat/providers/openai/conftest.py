"""A provider on the strict Responses API."""

from collections.abc import AsyncIterator

import pytest

from chat.providers.openai import OpenAIModel, OpenAIProvider
from tests.strict_responses import StrictResponses
from tests.strict_responses.fixture import strict_responses as strict_responses

SOL = OpenAIModel("gpt-6.2-sol")


@pytest.fixture
async def provider(strict_responses: StrictResponses) -> AsyncIterator[OpenAIProvider]:
    """Give a provider whose requests go to the strict server."""
    provider = OpenAIProvider(SOL, api_key=strict_responses.api_key, base_url=strict_responses.base_url)
    yield provider
    await provider.aclose()
