"""A real jq engine, shared by the tests of a run."""

from collections.abc import Iterator

import pytest

from artifacts.config import ArtifactLimits
from artifacts.jq import JqEngine


@pytest.fixture(scope="session")
def jq() -> Iterator[JqEngine]:
    """The engine with the default memory limit."""
    engine = JqEngine(ArtifactLimits().jq_memory_mb)
    yield engine
    engine.close()
