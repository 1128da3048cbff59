"""The tool servers of this process: one child for each way to reach the databases, started when first asked for.

`get_tool_servers()` is what everybody uses. A tool server belongs to one event loop; whoever runs that loop
awaits `close_tool_servers()` before it ends.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.conf import settings

from tools_catalog.attaching import Meanings
from tools_catalog.catalog import Catalog
from tools_catalog.config import CatalogConfig, EmbedderChoice
from tools_catalog.embedders.choice import make_embedder
from tools_catalog.embeddings import Embedder
from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import McpProcess, ProcessState
from tools_catalog.search import ToolSearch
from tools_catalog.services import alarm_raise
from tools_catalog.vector_store import DatabaseVectors

log = logging.getLogger(__name__)

KEYWORDS_ONLY_ALARM = "tool_search_keywords_only"
# Where the `mcp_server` package lies beside this one.
PROJECT_ROOT = Path(__file__).resolve().parent.parent


class ToolServer(NamedTuple):
    """A running tool server and what it offers now."""

    process: McpProcess
    catalog: Catalog


class ToolServers:
    """Starts, keeps and ends the tool servers of one event loop, one for each upstreams mode."""

    def __init__(
        self,
        command_for: Callable[[str], list[str]],
        *,
        env_for: Callable[[str], Mapping[str, str]],
        cwd: Path,
        spool_dir: Path,
        config: CatalogConfig | None = None,
        meanings: Meanings | None = None,
    ) -> None:
        self._command_for = command_for
        self._env_for = env_for
        self._cwd = cwd
        self._spool_dir = spool_dir
        self._config = config or CatalogConfig()
        self._meanings = meanings
        self._processes: dict[str, McpProcess] = {}
        self._searches: dict[str, ToolSearch] = {}
        # Two first questions at once must not start two children.
        self._starting = asyncio.Lock()
        # Set whenever a server's state or tools are others; whoever waits for it clears it.
        self.changed = asyncio.Event()

    async def get(self, upstreams: str) -> ToolServer:
        """Return the server of `live` or `snapshot`, started when needed.

        Raises `ToolServerDown` while it can't be started, `ToolCallError` when it does not list its tools.
        """
        search = await self._search(upstreams)
        return ToolServer(self._processes[upstreams], search.catalog)

    async def search(self, upstreams: str) -> ToolSearch:
        """Return the search over the server's present catalogue. Raises like `get`."""
        return await self._search(upstreams)

    def states(self) -> dict[str, ProcessState]:
        """Return the state of each server that was ever asked for, for operators."""
        return {upstreams: process.state for upstreams, process in sorted(self._processes.items())}

    def tool_counts(self) -> dict[str, int]:
        """Return how many tools each server offers, once that is known."""
        return {upstreams: len(search.catalog.tools) for upstreams, search in self._searches.items()}

    async def settled(self) -> None:
        """Wait until every search has all that it can have."""
        if self._meanings is not None:
            await self._meanings.settled()

    def running_upstreams(self) -> str:
        """Return the mode of a server that runs already, or an empty text. All modes have the same tools."""
        return next((upstreams for upstreams, process in self._processes.items() if process.is_running), "")

    async def aclose(self) -> None:
        """End all children, within a bound."""
        if self._meanings is not None:
            await self._meanings.aclose()
        async with self._starting:
            processes, self._processes, self._searches = self._processes, {}, {}
            async with asyncio.TaskGroup() as group:
                for process in processes.values():
                    group.create_task(process.stop())

    async def _search(self, upstreams: str) -> ToolSearch:
        if upstreams in self._searches and self._processes[upstreams].is_running:
            return self._searches[upstreams]
        async with self._starting:
            process = self._processes.get(upstreams)
            if process is None:
                process = self._processes[upstreams] = self._new_process(upstreams)
            await process.start()
            if upstreams not in self._searches:
                await self._refresh(upstreams, process)
            return self._searches[upstreams]

    def _new_process(self, upstreams: str) -> McpProcess:
        async def on_change() -> None:
            await self._refresh(upstreams, process)

        process = McpProcess(
            self._command_for(upstreams),
            dict(self._env_for(upstreams)),
            self._spool_dir,
            cwd=self._cwd,
            label=f"tool server ({upstreams})",
            on_change=on_change,
            on_state=self.changed.set,
        )
        return process

    async def _refresh(self, upstreams: str, process: McpProcess) -> None:
        """Take over the server's tool list. An equal list changes nothing, not even the objects."""
        catalog = Catalog.from_tools(await process.list_tools(), self._config)
        known = self._searches.get(upstreams)
        if known is not None and known.catalog == catalog:
            return
        for problem in catalog.problems:
            log.error("tool %r is left out: %s", problem.name, problem.reason)
        if known is not None:
            log.warning("the tools of %s changed: %s -> %s", upstreams, known.catalog.hash[:12], catalog.hash[:12])
        search = await asyncio.to_thread(ToolSearch, catalog, self._config)
        if self._meanings is not None:
            await self._meanings.attach(search)
        self._searches[upstreams] = search
        self.changed.set()


# A child's pipes belong to a loop; a loop that is gone takes its entry with it.
_servers: WeakKeyDictionary[asyncio.AbstractEventLoop, ToolServers] = WeakKeyDictionary()


def get_tool_servers() -> ToolServers:
    """Return the tool servers of the running event loop, as the site is configured."""
    loop = asyncio.get_running_loop()
    if loop not in _servers:
        _servers[loop] = _configured()
    return _servers[loop]


async def close_tool_servers() -> None:
    """End the tool servers of the running event loop."""
    servers = _servers.pop(asyncio.get_running_loop(), None)
    if servers is not None:
        await servers.aclose()


def server_command(upstreams: str) -> list[str]:
    """Return the command line of BURP's own tool server."""
    return [sys.executable, "-m", "mcp_server", "--upstreams", upstreams]


def _configured() -> ToolServers:
    data_dir = Path(settings.DATA_DIR).resolve()
    config = settings.BURP.catalog
    return ToolServers(
        server_command,
        env_for=lambda upstreams: child_environment(os.environ, BURP_DATA_DIR=str(data_dir)),
        cwd=PROJECT_ROOT,
        spool_dir=data_dir / "spool",
        config=config,
        meanings=Meanings(lambda: configured_embedder(config.embedding), DatabaseVectors(), _report_keywords_only),
    )


@cache
def configured_embedder(choice: EmbedderChoice) -> Embedder:
    """Return the embedder of this process: a model is loaded once, whatever loops and modes there are."""
    return make_embedder(choice, os.environ)


async def _report_keywords_only(problem: str) -> None:
    await sync_to_async(alarm_raise)(code=KEYWORDS_ONLY_ALARM, subject="tool search", text=problem)
