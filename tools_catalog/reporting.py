"""Tell operators, through the database, how the tool servers of this process are.

Each worker has children of its own; an operator's page is answered by any of them and must show all.
"""

import asyncio
import logging
import os
import socket
from contextlib import suppress
from datetime import UTC, datetime

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from tools_catalog import services
from tools_catalog.runtime import ToolServers, get_tool_servers

log = logging.getLogger(__name__)

# A row that is older than three of these is of a process that has nothing to say any more.
EVERY_S = 30.0
# Several changes at once are one report.
GATHER_S = 0.2


class Reporter:
    """Writes the states of one process's tool servers: at each change, and now and then as a sign of life."""

    def __init__(self, servers: ToolServers, *, process: str, every_s: float = EVERY_S) -> None:
        self._servers = servers
        self._process = process
        self._every_s = every_s
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to report."""
        self._task = asyncio.create_task(self._report(), name="tool server reports")

    async def stop(self) -> None:
        """End, and take the rows away."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._stored([])

    async def _report(self) -> None:
        while True:
            self._servers.changed.clear()
            await self._stored(self._states())
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._servers.changed.wait()
            await asyncio.sleep(GATHER_S)

    def _states(self) -> list[services.ServerReport]:
        counts = self._servers.tool_counts()
        return [
            services.ServerReport(
                upstreams=upstreams,
                word=state.word,
                generation=state.generation,
                pid=state.pid,
                tools=counts.get(upstreams, 0),
                last_error=state.last_error,
                since=datetime.fromtimestamp(state.since, UTC),
            )
            for upstreams, state in self._servers.states().items()
        ]

    async def _stored(self, states: list[services.ServerReport]) -> None:
        try:
            await sync_to_async(services.server_states_store)(process=self._process, states=states)
        except DatabaseError:
            log.warning("the state of the tool servers could not be stored", exc_info=True)


_reporters: dict[asyncio.AbstractEventLoop, Reporter] = {}


async def start_reporting() -> None:
    """Report on the tool servers of the running event loop."""
    reporter = Reporter(get_tool_servers(), process=f"{socket.gethostname()}:{os.getpid()}")
    _reporters[asyncio.get_running_loop()] = reporter
    reporter.start()


async def stop_reporting() -> None:
    """End the reports of the running event loop."""
    reporter = _reporters.pop(asyncio.get_running_loop(), None)
    if reporter is not None:
        await reporter.stop()
