"""`python -m mcp_server`: read the environment and serve over stdio until the parent is gone, or over HTTP.

`python -m mcp_server contracts …` and `snapshot …` are tools for those who keep the databases' answers in view.
"""

import argparse
import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_server.config import MODES, ServerConfig
from mcp_server.stdio import protocol_streams

if TYPE_CHECKING:
    from mcp_server.server import ToolServer

MakeTools = Callable[[ServerConfig], "ToolServer"]
COMMANDS = ("contracts", "snapshot")
PARENT_CHECK_S = 1.0


async def _until_orphaned(parent: int) -> None:
    """Return when the parent process is another one than at the start."""
    while os.getppid() == parent:  # noqa: ASYNC110 - there is no event for the death of a parent
        await asyncio.sleep(PARENT_CHECK_S)


async def serve_stdio(make: MakeTools, config: ServerConfig) -> None:
    """Serve until stdin closes or the parent dies."""
    parent = os.getppid()
    # The streams come first: what a module prints while it is loaded goes to stderr then.
    async with protocol_streams() as (reading, writing):
        from mcp_server.protocol import protocol_server

        tools = loaded(make, config)
        protocol = protocol_server(tools)
        try:
            run = asyncio.create_task(protocol.run(reading, writing, protocol.create_initialization_options()))
            orphaned = asyncio.create_task(_until_orphaned(parent))
            await asyncio.wait([run, orphaned], return_when=asyncio.FIRST_COMPLETED)
            if not run.done():
                # Stdin may still be held open by a process that will never write again.
                os._exit(0)
            orphaned.cancel()
            await run
        finally:
            await tools.aclose()


async def serve_http(make: MakeTools, config: ServerConfig, given: argparse.Namespace) -> None:
    """Serve streamable HTTP until a signal ends it."""
    # Loaded here: over stdio nothing of it is needed.
    from mcp_server import web

    try:
        options = web.HttpOptions(given.host, given.port, tuple(given.name), config.http_token)
        # A file of this machine says nothing to a client elsewhere.
        tools = loaded(make, replace(config, spool_dir=None))
        try:
            await web.serve(tools, options)
        finally:
            await tools.aclose()
    except web.BadOptions as problem:
        sys.exit(f"python -m mcp_server --http: {problem}")


def loaded(make: MakeTools, config: ServerConfig) -> "ToolServer":
    """Load the tools, for good: what is loaded the garbage collector need not look through, now or at any answer."""
    tools = make(config)
    gc.freeze()
    gc.enable()
    return tools


def all_tools(config: ServerConfig) -> "ToolServer":
    """Load every database."""
    from mcp_server.registry import discover
    from mcp_server.server import ToolServer

    return ToolServer(discover(), config)


def _command(name: str) -> Callable[[Sequence[str]], int]:
    """Return a command. They are loaded here: serving needs none of them."""
    from mcp_server import records
    from mcp_server.contracts import command as contracts

    return {"contracts": contracts.main, "snapshot": records.main}[name]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mcp_server", description=__doc__)
    parser.add_argument("--upstreams", choices=MODES, help="where records come from (default: BURP_UPSTREAMS)")
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp in place of stdio")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; beyond loopback BURP_MCP_TOKEN is a must"
    )
    parser.add_argument("--port", type=int, default=8765, help="port to listen on; 0 takes a free one (default: 8765)")
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST", help="a further name by which clients reach this server"
    )
    return parser


def main(make: MakeTools = all_tools) -> None:
    """Parse the command line and serve."""
    if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
        sys.exit(_command(sys.argv[1])(sys.argv[2:]))
    given = _options().parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    config = ServerConfig.from_environment(os.environ, given.upstreams)
    gc.disable()
    asyncio.run(serve_http(make, config, given) if given.http else serve_stdio(make, config))


if __name__ == "__main__":
    main()
