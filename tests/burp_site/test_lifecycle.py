"""Start and drain of a process."""

import asyncio
import logging

import pytest

from chat.lifecycle import Lifecycle


@pytest.fixture
def process() -> Lifecycle:
    """Give the lifecycle of a process that hardly waits."""
    return Lifecycle(drain_s=0.1)


async def test_the_last_that_registered_is_ended_first(process: Lifecycle) -> None:
    ended: list[str] = []

    @process.on_shutdown
    async def end_child() -> None:
        ended.append("child")

    @process.on_shutdown
    async def end_turns() -> None:
        assert process.is_draining()
        ended.append("turns")

    assert not process.is_draining()
    await process.drain()

    assert ended == ["turns", "child"]


async def test_draining_happens_once_and_everybody_waits_for_it(process: Lifecycle) -> None:
    release, runs = asyncio.Event(), 0

    @process.on_shutdown
    async def end() -> None:
        nonlocal runs
        runs += 1
        await release.wait()

    first, second = asyncio.ensure_future(process.drain()), asyncio.ensure_future(process.drain())
    done, _ = await asyncio.wait([first, second], timeout=0)
    assert not done
    release.set()
    await asyncio.gather(first, second)

    assert runs == 1


async def test_one_that_hangs_or_fails_costs_no_other_its_turn(
    process: Lifecycle, caplog: pytest.LogCaptureFixture
) -> None:
    ended = []

    @process.on_shutdown
    async def end_well() -> None:
        ended.append("well")

    @process.on_shutdown
    async def fail() -> None:
        raise RuntimeError("broken")

    @process.on_shutdown
    async def hang() -> None:
        await asyncio.Event().wait()

    with caplog.at_level(logging.ERROR):
        async with asyncio.timeout(5):
            await process.drain()

    assert ended == ["well"]
    assert ["hang did not end" in caplog.text, "fail failed" in caplog.text] == [True, True]


async def test_a_start_that_fails_does_not_keep_the_others_from_starting(
    process: Lifecycle, caplog: pytest.LogCaptureFixture
) -> None:
    started = []

    @process.on_start
    async def fail() -> None:
        raise RuntimeError("broken")

    @process.on_start
    async def begin() -> None:
        started.append("begun")

    await process.start()

    assert started == ["begun"]
    assert "fail failed" in caplog.text
