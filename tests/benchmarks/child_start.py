"""Start of the tool server against an empty server of the same SDK with as many tools, and their memory."""

import asyncio
import statistics
import sys
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from tests.benchmarks.report import Row

RUNS = 7
EMPTY = Path(__file__).parent / "empty_server.py"


async def _start(arguments: list[str]) -> tuple[float, int, float]:
    """Return seconds from spawn to the first tools/list, the number of tools, and resident MB."""
    began = time.perf_counter()
    async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
        tools = (await client.list_tools()).tools
        seconds = time.perf_counter() - began
        return seconds, len(tools), _child_memory_mb(arguments)


def _child_memory_mb(arguments: list[str]) -> float:
    """Return the resident memory of the child that runs these arguments."""
    wanted = "\0".join(arguments)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "cmdline").read_text():
                status = (folder / "status").read_text()
                return int(status.partition("VmRSS:")[2].split()[0]) / 1024
        except OSError:
            continue
    return float("nan")


def measure() -> list[Row]:
    """Alternate starts of both servers, so that a noisy moment hits both."""
    ours = ["-m", "mcp_server", "--upstreams", "snapshot"]
    own_runs, empty_runs, memory, tools = [], [], [], 0
    for _ in range(RUNS):
        seconds, tools, megabytes = asyncio.run(_start(ours))
        own_runs.append(seconds)
        memory.append(megabytes)
        empty_runs.append(asyncio.run(_start([str(EMPTY), str(tools)]))[0])
    own, empty = statistics.median(own_runs), statistics.median(empty_runs)
    return [
        Row(f"child: start to first tools/list, {tools} tools", f"{own:.2f} s", ""),
        Row(f"empty server of the same SDK, {tools} tools", f"{empty:.2f} s", ""),
        Row("ratio", f"{own / empty:.2f}", "≤ 1.5"),
        Row("child: resident memory", f"{statistics.median(memory):.0f} MB", "≤ 120 MB"),
    ]
