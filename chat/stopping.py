"""Ending a turn from outside: one signal, and work that ends as soon as it is given.

Cancelling the turn's task would also cancel its tidying up. So the loop runs its work (a model
stream, a batch of tool calls) in a task of its own and ends that task when the signal comes.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from mcp_server.codes import TurnOutcome

Item = TypeVar("Item")


class TurnStopped(Exception):
    """The turn was ended from outside; `outcome` says by whom."""

    def __init__(self, outcome: TurnOutcome) -> None:
        super().__init__(outcome.value)
        self.outcome = outcome


class StopSignal:
    """Given once; the first reason counts."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._outcome: TurnOutcome | None = None
        self._working: set[asyncio.Task[Any]] = set()

    @property
    def outcome(self) -> TurnOutcome | None:
        """Why the turn is to end, or None while it may go on."""
        return self._outcome

    def give(self, outcome: TurnOutcome) -> None:
        """End the turn with this outcome."""
        if self._outcome is None:
            self._outcome = outcome
            self._event.set()
            for task in self._working:
                task.cancel()

    async def wait(self) -> None:
        """Wait until the signal is given."""
        await self._event.wait()

    @contextmanager
    def ending(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """Cancel the task when the signal is given meanwhile."""
        self._working.add(task)
        try:
            yield
        finally:
            self._working.discard(task)

    async def pause(self, seconds: float) -> None:
        """Wait for so long; raise `TurnStopped` at once when the signal is given."""
        try:
            async with asyncio.timeout(seconds):
                await self.wait()
        except TimeoutError:
            return
        self.check()

    def check(self) -> None:
        """Raise `TurnStopped` if the signal was given."""
        if self._outcome is not None:
            raise TurnStopped(self._outcome)


async def unless_stopped(work: Coroutine[Any, Any, Item], stop: StopSignal) -> Item:
    """Return what `work` returns. When the stop signal comes first, end the work and raise `TurnStopped`."""
    if stop.outcome is not None:
        work.close()
    stop.check()
    working, watching = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            stop.check()
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.wait([working, watching])


async def emitted(work: Callable[[Callable[[Item], None]], Awaitable[None]], stop: StopSignal) -> AsyncIterator[Item]:
    """Run `work(emit)` in a task and yield what it emits, in order.

    Errors of the work are raised after all that was emitted before. When the stop signal comes, the
    work is cancelled and awaited, then `TurnStopped` is raised; so it is when the reader goes away.
    """
    stop.check()
    queue: asyncio.Queue[Item | None] = asyncio.Queue()

    async def run() -> None:
        try:
            await work(queue.put_nowait)
        finally:
            queue.put_nowait(None)

    working = asyncio.create_task(run())
    try:
        with stop.ending(working):
            while (item := await queue.get()) is not None:
                yield item
            if not working.done():
                await asyncio.wait([working])
        if working.cancelled():
            stop.check()
        working.result()
    finally:
        if not working.done():
            working.cancel()
            await asyncio.wait([working])
