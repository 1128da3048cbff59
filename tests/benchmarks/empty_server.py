"""An MCP server on the bare SDK with N tools that do nothing: what a start costs at least."""

import asyncio
import sys

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "description": "A name."}}}


async def list_tools(
    context: ServerRequestContext, params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    """List the tools."""
    return types.ListToolsResult(
        tools=[
            types.Tool(name=f"tool_{number}", description="Does nothing.", input_schema=SCHEMA)
            for number in range(int(sys.argv[1]))
        ]
    )


async def main() -> None:
    """Serve until stdin closes."""
    server = Server("empty", on_list_tools=list_tools)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


asyncio.run(main())
