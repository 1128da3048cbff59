"""Requests side by side: results in order, and none left running when one fails."""

import asyncio

import pytest

from mcp_server.http.together import together


async def test_results_come_in_the_order_asked_for() -> None:
    first_may_end = asyncio.Event()

    async def first() -> str:
        await asyncio.wait_for(first_may_end.wait(), 5)
        return "first"

    async def second() -> str:
        first_may_end.set()
        return "second"

    assert await together([first(), second()]) == ["first", "second"]


async def test_a_failure_ends_what_is_still_under_way() -> None:
    ended = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ValueError("no answer")

    with pytest.raises(ValueError, match="no answer"):
        await together([endless(), failing()])
    await asyncio.wait_for(ended.wait(), 5)
