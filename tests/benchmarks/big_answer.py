"""A large answer of a database: what it costs on its way to the caller beyond its download and its parsing."""

import asyncio
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mcp_server.http.live import LiveTransport
from mcp_server.http.messages import Request
from tests.benchmarks.report import Row
from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import McpProcess

RUNS = 15
MEGABYTES = 5
HOST = "debug.example"
ROOT = Path(__file__).parents[2]
UPSTREAM = Path(__file__).parent / "big_upstream.py"


@contextlib.contextmanager
def _upstream() -> Iterator[str]:
    """Run the database in a process of its own, and give its address."""
    command = [sys.executable, str(UPSTREAM), str(MEGABYTES * 1_000_000)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


async def _bare(transport: LiveTransport, number: int) -> float:
    """Download and parse, and nothing else."""
    began = time.perf_counter()
    response = await transport.send(Request("GET", f"https://{HOST}/records?number={number}"))
    json.loads(response.content)
    return time.perf_counter() - began


async def _called(process: McpProcess, number: int) -> float:
    """Call the tool that gives the same answer, and have its data here."""
    began = time.perf_counter()
    result = await process.call("debug__list_records", {"number": number}, timeout_s=30)
    assert len(result.envelope["data"]) > 1_000
    return time.perf_counter() - began


async def _measured(gateway: str, *, cache: bool) -> tuple[float, float]:
    """Return the medians of both, taken in turns."""
    with tempfile.TemporaryDirectory(prefix="burp-bench-big-") as folder:
        env = child_environment(
            os.environ,
            PYTHONPATH=str(ROOT),
            BURP_UPSTREAMS="live",
            BURP_UPSTREAM_GATEWAY=gateway,
            BURP_UPSTREAM_CACHE=str(int(cache)),
            BURP_DATA_DIR=folder,
        )
        command = [sys.executable, "-m", "tests.mcp_server.debug_build"]
        process = McpProcess(command, env, Path(folder) / "spool", cwd=ROOT)
        transport = LiveTransport([HOST], user_agent="BURP/bench", gateway=gateway)
        await process.start()
        # As in the server: what is loaded must not slow down the parsing.
        gc.collect()
        gc.freeze()
        try:
            bare, called = [], []
            for number in range(RUNS):
                bare.append(await _bare(transport, number))
                called.append(await _called(process, number))
            return statistics.median(bare), statistics.median(called)
        finally:
            gc.unfreeze()
            await process.stop()
            await transport.aclose()


def measure() -> list[Row]:
    """Measure without the disk cache of answers and with it, which writes each of them."""
    with _upstream() as gateway:
        bare, called = asyncio.run(_measured(gateway, cache=False))
        bare_again, kept = asyncio.run(_measured(gateway, cache=True))
    return [
        Row(f"a {MEGABYTES} MB answer: download and parsing alone", f"{bare * 1000:.0f} ms", ""),
        Row("beyond that, until the caller has its data", f"{(called - bare) * 1000:.0f} ms", "≤ 100 ms"),
        Row("the same when the answer is kept on disk as well", f"{(kept - bare_again) * 1000:.0f} ms", ""),
    ]
