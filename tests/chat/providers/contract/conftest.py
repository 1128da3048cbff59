"""The harness under test, its server running."""

from collections.abc import AsyncIterator

import pytest

from tests.chat.providers.contract.harness import Harness


@pytest.fixture
async def harness(request: pytest.FixtureRequest) -> AsyncIterator[Harness]:
    """Give the harness that `for_each` chose."""
    async with request.param() as running:
        yield running
