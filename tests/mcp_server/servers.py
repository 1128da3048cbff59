"""Start the server as its users do, over stdio or HTTP, and connect to it."""

import os
import re
import select
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

ROOT = Path(__file__).parents[2]
WAIT_S = 5.0
# A cold start on a busy machine.
START_S = 30.0
REAL = "mcp_server"
DEBUG = "tests.mcp_server.debug_build"
_ADDRESS = re.compile(r"http://\S+/mcp")


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a server; names get their prefix."""
    defaults = {"BURP_UPSTREAMS": "snapshot", "BURP_UPSTREAM_CACHE": "0"}
    return {"PYTHONPATH": str(ROOT), **defaults, **{f"BURP_{name}": value for name, value in variables.items()}}


@dataclass
class HttpServer:
    """A running server over HTTP."""

    process: subprocess.Popen[bytes]
    url: str


@contextmanager
def http_server(module: str = REAL, *arguments: str, **variables: str) -> Iterator[HttpServer]:
    """Start a server on a free port."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, "--http", "--port", "0", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment(**variables)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield HttpServer(process, _address(process))
    finally:
        process.kill()
        process.communicate()


def _address(process: subprocess.Popen[bytes]) -> str:
    """Read the address from what the server says of itself."""
    assert process.stderr is not None
    ready, _, _ = select.select([process.stderr], [], [], START_S)
    assert ready, "the server says nothing"
    line = process.stderr.readline().decode()
    found = _ADDRESS.search(line)
    assert found, line + process.communicate()[1].decode()
    return found[0]


@asynccontextmanager
async def connected(
    transport: str, module: str = REAL, *, mode: Any = "auto", extra: dict[str, str] | None = None, **variables: str
) -> AsyncIterator[Client]:
    """Give a client of a fresh server over one of the transports."""
    if transport == "stdio":
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", module], env=environment(**variables) | (extra or {}), cwd=ROOT
        )
        async with Client(parameters, read_timeout_seconds=START_S, mode=mode) as client:
            yield client
        return
    with http_server(module, **variables) as server:
        async with Client(server.url, read_timeout_seconds=START_S, mode=mode) as client:
            yield client
