"""`python -m mcp_server`: read the environment and serve over stdio until the parent is gone.

`python -m mcp_server contracts …` and `snapshot …` are tools for those who keep the databases' answers in view.
"""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable, Sequence

from mcp_server.config import MODES, ServerConfig
from mcp_server.stdio import protocol_streams

COMMANDS = ("contracts", "snapshot")
PARENT_CHECK_S = 1.0


async def _until_orphaned(parent: int) -> None:
    """Return when the parent process is another one than at the start."""
    while os.getppid() == parent:  # noqa: ASYNC110 - there is no event for the death of a parent
        await asyncio.sleep(PARENT_CHECK_S)


async def serve(config: ServerConfig) -> None:
    """Serve until stdin closes or the parent dies."""
    parent = os.getppid()
    # The streams come first: what a module prints while it is loaded goes to stderr then.
    async with protocol_streams() as (reading, writing):
        from mcp_server.protocol import protocol_server
        from mcp_server.registry import discover
        from mcp_server.server import ToolServer

        server = ToolServer(discover(), config)
        protocol = protocol_server(server)
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
            await server.aclose()


def _command(name: str) -> Callable[[Sequence[str]], int]:
    """Return a command. They are loaded here: serving needs none of them."""
    from mcp_server import records
    from mcp_server.contracts import command as contracts

    return {"contracts": contracts.main, "snapshot": records.main}[name]


def main() -> None:
    """Parse the command line and serve."""
    if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
        sys.exit(_command(sys.argv[1])(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m mcp_server", description=__doc__)
    parser.add_argument("--upstreams", choices=MODES, help="where records come from (default: BURP_UPSTREAMS)")
    options = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    asyncio.run(serve(ServerConfig.from_environment(os.environ, options.upstreams)))


if __name__ == "__main__":
    main()
