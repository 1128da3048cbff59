"""The pytest fixture. A conftest takes it over by importing it."""

from collections.abc import Iterator

import pytest

from evals.strict_messages.server import StrictMessages


@pytest.fixture
def strict_messages() -> Iterator[StrictMessages]:
    """Run a strict Messages API for one test."""
    with StrictMessages() as server:
        yield server
