"""The snapshot's tools, asked once for all tests of a worker."""

import pytest

from tests.chat.providers.planner.driver import Snapshot


@pytest.fixture(scope="session")
def snapshot() -> Snapshot:
    """Give the tools over the packaged snapshot."""
    return Snapshot()
