"""What operators see of the tool servers of a process: real children, the real table."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from django.utils import timezone

from tools_catalog.environment import child_environment
from tools_catalog.models import ServerState
from tools_catalog.reporting import Reporter
from tools_catalog.runtime import ToolServers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest_asyncio.fixture
async def servers(fake_command: list[str], tmp_path: Path) -> AsyncIterator[ToolServers]:
    """Tool servers whose children are faulty on purpose."""
    servers = ToolServers(
        lambda upstreams: fake_command,
        env_for=lambda upstreams: child_environment(os.environ),
        cwd=tmp_path,
        spool_dir=tmp_path / "spool",
    )
    yield servers
    await servers.aclose()


async def seen(condition: Callable[[list[ServerState]], bool]) -> list[ServerState]:
    """Wait until the table is as it should be; return its rows."""
    async with asyncio.timeout(5):
        while not condition(rows := await sync_to_async(list)(ServerState.objects.all())):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return rows


async def test_a_death_and_a_restart_are_seen_from_elsewhere(servers: ToolServers) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    await ServerState.objects.acreate(
        process="gone:1", upstreams="live", word="ready", since=yesterday, seen_at=yesterday
    )
    reporter = Reporter(servers, process="here:7")
    reporter.start()
    process, catalog = await servers.get("snapshot")
    (row,) = await seen(lambda rows: [(r.word, r.tools) for r in rows] == [("ready", len(catalog.tools))])
    assert (row.process, row.upstreams, row.generation, row.pid) == ("here:7", "snapshot", 1, process.state.pid)
    assert row.pid is not None

    os.kill(row.pid, signal.SIGKILL)

    (row,) = await seen(lambda rows: [(r.word, r.generation) for r in rows] == [("ready", 2)])
    assert "exit code -9" in row.last_error
    await reporter.stop()
    assert await ServerState.objects.acount() == 0


async def test_a_quiet_process_gives_signs_of_life(servers: ToolServers) -> None:
    await servers.get("snapshot")
    reporter = Reporter(servers, process="here:7", every_s=0.05)
    reporter.start()
    (first,) = await seen(bool)
    (later,) = await seen(lambda rows: rows[0].seen_at > first.seen_at)
    await reporter.stop()
    assert (later.word, later.pid, later.generation) == (first.word, first.pid, first.generation)
