"""What the tests of the MCP server share."""

from collections.abc import AsyncIterator, Iterator

import pytest
import stamina

from mcp_server.http.retry import ATTEMPTS
from tests.upstreams.server import FakeUpstreams


@pytest.fixture
def no_backoff() -> Iterator[None]:
    """Retry as often as in earnest, without waiting in between."""
    stamina.set_testing(True, attempts=ATTEMPTS)
    yield
    stamina.set_testing(False)


@pytest.fixture
async def upstreams() -> AsyncIterator[FakeUpstreams]:
    """Give a loopback server that stands for all databases; what it did not expect fails the test."""
    async with FakeUpstreams() as fake:
        yield fake
        fake.verify()
