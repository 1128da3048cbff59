"""Gives each search its half by meaning: at once where all vectors are kept, else when they are made.

Keyword search never waits for it. One embedder serves all searches of a process.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tools_catalog.embeddings import Embedder, EmbedderUnavailable
from tools_catalog.search import ToolSearch
from tools_catalog.vectors import Preparation, VectorStore

log = logging.getLogger(__name__)

PREPARING = "search by keywords only until all tools are embedded"
CHANGED_MODEL = "search by keywords only: the embedder gives vectors of another length now, and all are made anew"


class Meanings:
    """Attaches vectors to the searches of one event loop. `report` tells operators what needs them."""

    def __init__(
        self, make: Callable[[], Embedder], store: VectorStore, report: Callable[[str], Awaitable[None]] | None = None
    ) -> None:
        self._make = make
        self._store = store
        self._report = report
        self._tasks: set[asyncio.Task[None]] = set()

    async def attach(self, search: ToolSearch) -> None:
        """Let a search use meaning: before this returns if all vectors are kept, else in a while."""
        try:
            embedder = self._make()
        except EmbedderUnavailable as problem:
            search.without_meaning(f"search by keywords only: {problem}")
            return
        preparation = Preparation(search.catalog, embedder, self._store)
        index = await preparation.kept()
        if index is not None:
            search.use_meaning(embedder, index)
        else:
            search.without_meaning(PREPARING)
            self._start(search, embedder, preparation)
        loop = asyncio.get_running_loop()
        # Called in the thread of a search: another length shows only when a query is embedded.
        search.on_other_length = lambda: loop.call_soon_threadsafe(self._make_anew, search, embedder, preparation)

    async def settled(self) -> None:
        """Wait until nothing is being made any more."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def aclose(self) -> None:
        """Stop making vectors; what is made already is kept."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    def _make_anew(self, search: ToolSearch, embedder: Embedder, preparation: Preparation) -> None:
        if self._tasks:
            return
        search.without_meaning(CHANGED_MODEL)
        preparation.forget()
        self._start(search, embedder, preparation)

    def _start(self, search: ToolSearch, embedder: Embedder, preparation: Preparation) -> None:
        task = asyncio.create_task(self._prepare(search, embedder, preparation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _prepare(self, search: ToolSearch, embedder: Embedder, preparation: Preparation) -> None:
        try:
            search.use_meaning(embedder, await preparation.made())
        except EmbedderUnavailable as problem:
            await self._failed(search, str(problem))
        except Exception as error:
            # Keyword search goes on whatever happened here.
            log.exception("the tools could not be embedded with %s", embedder.name)
            await self._failed(search, f"the tools could not be embedded ({type(error).__name__})")

    async def _failed(self, search: ToolSearch, problem: str) -> None:
        log.warning("tool search by keywords only: %s", problem)
        search.without_meaning(f"search by keywords only: {problem}")
        if self._report is not None:
            await self._report(problem)
