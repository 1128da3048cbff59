"""The pytest fixture. A conftest takes it over by importing it."""

from collections.abc import Iterator

import pytest

from tests.strict_chat.server import StrictChat


@pytest.fixture
def strict_chat() -> Iterator[StrictChat]:
    """Run a strict server of Chat Completions for one test."""
    with StrictChat() as server:
        yield server
