"""Start of a public peer's MCP server, installed into a folder of its own: only with `--peers`."""

import asyncio
import statistics
import subprocess
import sys
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from tests.benchmarks.report import Row

PEER = "tooluniverse==1.5.7"
RUNS = 3


def _installed(folder: Path) -> Path:
    """Install the peer and return its command."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, PEER], check=True, stdout=sys.stderr)
    return folder / "bin" / "tooluniverse-smcp-stdio"


async def _start(command: str, arguments: list[str]) -> tuple[float, int]:
    began = time.perf_counter()
    # The peer speaks the older protocol only; asked in it, ours starts in the same way.
    async with Client(StdioServerParameters(command=command, args=arguments), mode="legacy") as client:
        tools = (await client.list_tools()).tools
        return time.perf_counter() - began, len(tools)


def measure(folder: Path) -> list[Row]:
    """Alternate starts of both servers."""
    peer = _installed(folder)
    own_runs, peer_runs, tools, peer_tools = [], [], 0, 0
    for _ in range(RUNS):
        seconds, tools = asyncio.run(_start(sys.executable, ["-m", "mcp_server", "--upstreams", "snapshot"]))
        own_runs.append(seconds)
        seconds, peer_tools = asyncio.run(_start(str(peer), ["--compact-mode"]))
        peer_runs.append(seconds)
    own, other = statistics.median(own_runs), statistics.median(peer_runs)
    return [
        Row(f"{PEER} (compact, lists {peer_tools} tools): start to first tools/list", f"{other:.2f} s", ""),
        Row(f"child, {tools} tools, in the same run: ratio", f"{own / other:.2f}", "< 0.5"),
    ]
