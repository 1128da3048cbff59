"""A small call from the manager through the pipe to a tool and back."""

import asyncio
import os
import statistics
import time
from pathlib import Path

from tests.benchmarks.report import Row
from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import McpProcess
from tools_catalog.runtime import server_command

CALLS = 300
ROOT = Path(__file__).parents[2]


async def _calls() -> list[float]:
    process = McpProcess(server_command("snapshot"), child_environment(os.environ), cwd=ROOT)
    await process.start()
    try:
        seconds = []
        for _ in range(CALLS):
            began = time.perf_counter()
            await process.call("reactome__get_pathway", {"reactome_id": "R-HSA-5633007"}, timeout_s=10)
            seconds.append(time.perf_counter() - began)
        return seconds
    finally:
        await process.stop()


def measure() -> list[Row]:
    """Call one tool again and again, one call after the other."""
    seconds = sorted(asyncio.run(_calls()))
    median, late = statistics.median(seconds), seconds[int(len(seconds) * 0.95)]
    value = f"{median * 1000:.2f} ms (p95 {late * 1000:.2f} ms)"
    return [Row("a small call through manager and pipe, median", value, "≤ 2 ms")]
