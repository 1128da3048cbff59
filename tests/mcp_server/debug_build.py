"""The real server with tools that misbehave: `python -m tests.mcp_server.debug_build [--http]`."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import mcp_types as types

from mcp_server.__main__ import main
from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from mcp_server.tool import Arg, Platform
from mcp_server.unified import TOOLS as UNIFIED
from mcp_server.unified.tool import Desk, UnifiedTool, own_form

debug = Platform("debug", "Debug", "https://debug.example", "https://debug.example", "CC0", Rate(15))


@debug.tool(example={"milliseconds": 5})
async def run_sleep(api: Api, milliseconds: Annotated[int, Arg("How long.")]) -> Any:
    """Run for some time, and say for how long."""
    api.progress("asleep")
    await asyncio.sleep(milliseconds / 1000)
    return {"slept": milliseconds}


@debug.tool(example={"size": 5})
async def get_text(api: Api, size: Annotated[int, Arg("How many bytes.")]) -> Any:
    """Get a text of so many bytes, in two-byte characters."""
    return "ä" * (size // 2)


@debug.tool(example={"number": 1})
async def list_records(api: Api, number: Annotated[int, Arg("Which of the answers.")]) -> Any:
    """List what the database answers, as it is."""
    return await api.get("/records", {"number": number})


@debug.tool(example={"text": "hello"})
async def run_print(api: Api, text: Annotated[str, Arg("What to print.")]) -> Any:
    """Run print, as a careless library does, and return its text."""
    print(text, flush=True)
    return text


@debug.tool(example={})
async def run_raise(api: Api) -> Any:
    """Run into an exception, of a kind that no tool should raise."""
    raise RuntimeError("a fault of the tool")


async def tell_conversation(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
    """Tell to which conversation the call belongs."""
    return own_form({"conversation": desk.conversation}, desk)


def listed(platforms: Sequence[Platform]) -> types.Tool:
    """Return the tool that tells the conversation, as the protocol lists it."""
    return types.Tool(name="debug_conversation", description="Tell the conversation.", input_schema={"type": "object"})


def make(config: ServerConfig) -> ToolServer:
    """Return all tools and those of this module."""
    conversation = UnifiedTool("debug_conversation", listed, tell_conversation)
    return ToolServer([*discover(), debug], config, unified=[*UNIFIED, conversation])


if __name__ == "__main__":
    main(make)
