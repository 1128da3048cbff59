"""The pytest fixture. A conftest takes it over by importing it."""

from collections.abc import Iterator

import pytest

from tests.strict_generate.server import StrictGenerate


@pytest.fixture
def strict_generate() -> Iterator[StrictGenerate]:
    """Run a strict Gemini API for one test."""
    with StrictGenerate() as server:
        yield server
