"""A fast stream is read in batches that lose nothing, and closing them closes the stream."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from chat.batches import batches


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


async def test_everything_comes_in_order() -> None:
    gathered = [batch async for batch in batches(numbers(100), 0.0)]
    assert [number for batch in gathered for number in batch] == list(range(100))


async def test_the_first_item_does_not_wait_for_the_window() -> None:
    more = asyncio.Event()

    async def source() -> AsyncIterator[str]:
        yield "first"
        await more.wait()
        yield "second"

    reading = batches(source(), 0.01)
    async with asyncio.timeout(5):
        assert await anext(reading) == ["first"]
        more.set()
        assert await anext(reading) == ["second"]
        assert [batch async for batch in reading] == []


async def test_what_gathers_in_a_window_comes_together() -> None:
    gathered = [batch async for batch in batches(numbers(50), 0.05)]
    assert len(gathered) <= 2


async def test_an_error_comes_after_the_items_before_it() -> None:
    async def source() -> AsyncIterator[int]:
        yield 1
        raise ValueError("broken")

    seen = []
    with pytest.raises(ValueError, match="broken"):
        async for batch in batches(source(), 0.0):
            seen.extend(batch)
    assert seen == [1]


async def test_closing_closes_the_source_and_leaves_no_task() -> None:
    closed = asyncio.Event()

    async def source() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            closed.set()

    before = asyncio.all_tasks()
    reading = batches(source(), 0.0)
    assert await anext(reading) == [1]
    await reading.aclose()
    assert closed.is_set()
    assert asyncio.all_tasks() == before
