"""What all tests share: a clean environment, and real databases and browsers where they are installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import environment, programs

environment.prepare()
environment.block_network()
environment.start_django()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Start a PostgreSQL server of the run's own and give the URL of an empty database."""
    programs.require("postgres")
    with programs.postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Start a Redis server of the run's own and give its URL."""
    programs.require("redis-server")
    with programs.redis_server() as url:
        yield url


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """Give the path of an installed Chromium."""
    return programs.require("chromium")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what asks real upstreams unless it is asked for with `-m live`."""
    if "live" in (config.option.markexpr or ""):
        return
    skip = pytest.mark.skip(reason="asks real upstreams; run with -m live")
    for item in items:
        if item.get_closest_marker("live"):
            item.add_marker(skip)
