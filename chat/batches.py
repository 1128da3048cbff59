"""Read a fast stream in batches: the first item at once, then what has gathered in each window."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import TypeVar

Item = TypeVar("Item")


async def batches(source: AsyncIterator[Item], window_s: float) -> AsyncGenerator[list[Item], None]:
    """Yield the items of `source` in order, no batch sooner than `window_s` after the one before.

    Closing this closes `source`. An error of `source` is raised after the items before it.
    """
    waiting: asyncio.Queue[Item | None] = asyncio.Queue()

    async def pump() -> None:
        try:
            async for item in source:
                waiting.put_nowait(item)
        finally:
            waiting.put_nowait(None)

    pumping = asyncio.create_task(pump())
    try:
        is_open = True
        while is_open:
            batch = [await waiting.get()]
            while not waiting.empty():
                batch.append(waiting.get_nowait())
            is_open = batch[-1] is not None
            items = [item for item in batch if item is not None]
            if items:
                yield items
            if is_open:
                await asyncio.sleep(window_s)
        await pumping
    finally:
        pumping.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait([pumping])
        if isinstance(source, AsyncGenerator):
            await source.aclose()
