"""Work that several wait for: done once, ended when the last of them leaves, forgotten where it failed."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Got = TypeVar("Got")


@dataclass
class _Shared(Generic[Got]):
    task: asyncio.Task[Got]
    waiting: int = 0


class Once(Generic[Got]):
    """Results by key. `is_kept` tells which of them answer a later question as well; failures never do."""

    def __init__(self, is_kept: Callable[[Got], bool] = lambda got: True) -> None:
        self._is_kept = is_kept
        self._shared: dict[str, _Shared[Got]] = {}

    async def __call__(self, key: str, work: Callable[[], Awaitable[Got]]) -> Got:
        """Return what `work` brings, or brought when somebody asked the same."""
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = _Shared(asyncio.ensure_future(_run(work)))
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            await self._left(key, shared)

    async def _left(self, key: str, shared: _Shared[Got]) -> None:
        """End what nobody waits for, and forget what is no use to anybody else."""
        task = shared.task
        if not task.done() and not shared.waiting:
            self._forget(key, shared)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        elif task.done() and (task.cancelled() or task.exception() or not self._is_kept(task.result())):
            self._forget(key, shared)

    def _forget(self, key: str, shared: _Shared[Got]) -> None:
        if self._shared.get(key) is shared:
            del self._shared[key]


async def _run(work: Callable[[], Awaitable[Got]]) -> Got:
    return await work()
