"""Several requests of one tool call at the same time."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

Found = TypeVar("Found")


async def together(asked: Iterable[Awaitable[Found]]) -> list[Found]:
    """Return all results in order; the first failure is raised and ends the requests that are still under way."""
    tasks = [asyncio.ensure_future(one) for one in asked]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
