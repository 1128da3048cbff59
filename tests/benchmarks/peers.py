"""Public peers' MCP servers, each installed into a folder of its own, beside ours: only with `--peers`."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.benchmarks.report import Row

RUNS = 3
CALL_MAX_S = 180
ROOT = Path(__file__).parents[2]
# Everything is asked through a port that nobody listens on.
NO_NETWORK = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")


@dataclass(frozen=True)
class Server:
    """A server, how it is started, and how it is asked for articles on BRAF in melanoma."""

    name: str
    command: tuple[str, ...]
    question: tuple[str, dict[str, Any]] | None = None


@dataclass(frozen=True)
class Peer:
    """A public package with a server."""

    package: str
    program: str
    arguments: tuple[str, ...]
    question: tuple[str, dict[str, Any]] | None = None

    def installed(self, folder: Path) -> Server:
        """Install it into a folder of its own: two of them have commands of one name."""
        home = folder / self.package.partition("==")[0]
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*pip, self.package], check=True, stdout=sys.stderr)
        return Server(self.package, (str(home / "bin" / self.program), *self.arguments), self.question)


OWN = Server(
    "BURP's child",
    (sys.executable, "-m", "mcp_server"),
    ("search", {"query": "gene:BRAF AND disease:melanoma", "domains": ["article"]}),
)
PEERS = (
    Peer("tooluniverse==1.5.7", "tooluniverse-smcp-stdio", ("--compact-mode",)),
    Peer("biomcp-python==0.7.3", "biomcp", ("run",), ("search", {"query": "gene:BRAF AND disease:melanoma"})),
    Peer(
        "biomcp-cli==0.9.3",
        "biomcp",
        ("serve",),
        ("search", {"entity": "article", "gene": "BRAF", "disease": "melanoma"}),
    ),
)


async def _start(server: Server) -> tuple[float, int]:
    """Return seconds from spawn to the first tools/list, and the number of tools."""
    began = time.perf_counter()
    async with Client(_parameters(server.command, BURP_UPSTREAMS="snapshot"), mode="legacy") as client:
        tools = (await client.list_tools()).tools
        return time.perf_counter() - began, len(tools)


async def _asked_without_network(server: Server) -> tuple[float, str]:
    """Return how long a search takes when nothing can be reached, and what is said then."""
    assert server.question is not None
    with tempfile.TemporaryDirectory(prefix="burp-bench-peer-") as folder:
        live = {"BURP_UPSTREAMS": "live", "BURP_DATA_DIR": folder, "HOME": folder}
        command, variables = (
            (_isolated(server.command), live) if _can_isolate() else (server.command, live | NO_NETWORK)
        )
        async with Client(_parameters(command, **variables), mode="legacy", read_timeout_seconds=CALL_MAX_S) as client:
            await client.list_tools()
            began = time.perf_counter()
            result = await client.call_tool(*server.question)
            return time.perf_counter() - began, "an error" if result.is_error else "a result, as if nothing was found"


def _parameters(command: Sequence[str], **variables: str) -> StdioServerParameters:
    # The peers speak the older protocol only; asked in it, ours starts in the same way.
    return StdioServerParameters(command=command[0], args=list(command[1:]), env={"PYTHONPATH": str(ROOT), **variables})


def _isolated(command: Sequence[str]) -> tuple[str, ...]:
    return ("unshare", "--map-root-user", "--net", *command)


def _can_isolate() -> bool:
    """Tell whether a process can be started here without any network."""
    try:
        return subprocess.run(_isolated(["true"]), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _starts(own: Server, peer: Server) -> list[Row]:
    """Alternate starts of both servers, so that a noisy moment hits both."""
    own_runs, peer_runs, tools, peer_tools = [], [], 0, 0
    for _ in range(RUNS):
        seconds, tools = asyncio.run(_start(own))
        own_runs.append(seconds)
        seconds, peer_tools = asyncio.run(_start(peer))
        peer_runs.append(seconds)
    ours, theirs = statistics.median(own_runs), statistics.median(peer_runs)
    bound = "< 0.5" if peer.name.startswith("tooluniverse") else ""
    return [
        Row(f"{peer.name}, lists {peer_tools} tools: start to first tools/list", f"{theirs:.2f} s", ""),
        Row(f"{own.name}, {tools} tools, in the same run: ratio", f"{ours / theirs:.2f}", bound),
    ]


def _without_network(server: Server) -> Row:
    seconds, said = asyncio.run(_asked_without_network(server))
    bound = "≤ 10 s, an error" if server is OWN else ""
    return Row(f"{server.name} without a network: articles on BRAF in melanoma", f"{seconds:.1f} s, {said}", bound)


def measure(folder: Path) -> list[Row]:
    """Measure all peers, one after the other."""
    servers = [peer.installed(folder) for peer in PEERS]
    rows = [row for server in servers for row in _starts(OWN, server)]
    return rows + [_without_network(server) for server in (OWN, *servers) if server.question is not None]
