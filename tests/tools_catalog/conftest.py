"""A real child process with every fault, and the parent side under test."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import McpProcess

FAKE_CHILD = Path(__file__).with_name("fake_child.py")
MakeProcess = Callable[..., McpProcess]


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(condition: Callable[[], bool], within_s: float = 5.0) -> None:
    """Wait until something holds, at most `within_s`."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - a process tells nobody when it is gone
            await asyncio.sleep(0.01)


@pytest.fixture
def fake_command() -> list[str]:
    """The command line of the faulty tool server."""
    return [sys.executable, str(FAKE_CHILD)]


@pytest_asyncio.fixture
async def make_process(fake_command: list[str], tmp_path: Path) -> AsyncIterator[MakeProcess]:
    """Make parents of faulty tool servers; all are stopped at the end."""
    made: list[McpProcess] = []

    def make(*, on_change: Callable[[], Awaitable[None]] | None = None, **options: Any) -> McpProcess:
        faults = {name.upper(): str(value) for name, value in options.items() if name.startswith("fake_")}
        others = {name: value for name, value in options.items() if not name.startswith("fake_")}
        env = child_environment(os.environ, **faults)
        process = McpProcess(fake_command, env, tmp_path / "spool", label="fake", on_change=on_change, **others)
        made.append(process)
        return process

    yield make
    for process in made:
        await process.stop()


@pytest_asyncio.fixture
async def process(make_process: MakeProcess) -> McpProcess:
    """A faulty tool server that is ready."""
    process = make_process()
    await process.start()
    return process
