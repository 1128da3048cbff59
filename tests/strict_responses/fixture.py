"""The pytest fixture. A conftest takes it over by importing it."""

from collections.abc import Iterator

import pytest

from tests.strict_responses.server import StrictResponses


@pytest.fixture
def strict_responses() -> Iterator[StrictResponses]:
    """Run a strict Responses API for one test."""
    with StrictResponses() as server:
        yield server
