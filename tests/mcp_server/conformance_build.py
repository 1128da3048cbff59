"""The real server with the tools that the protocol's conformance suite asks for by name."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import mcp_types as types

from mcp_server.__main__ import main
from mcp_server.codes import ResultOutcome
from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope
from mcp_server.server import ToolServer
from mcp_server.tool import Platform
from mcp_server.unified.tool import Desk, UnifiedTool, own_form

Work = Callable[[Desk, Mapping[str, Any]], Awaitable[Envelope]]
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
DIALECT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


async def say(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
    """Answer with a text."""
    return own_form({"text": "This is a simple text response for testing."}, desk)


async def fail(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
    """Answer that the call failed."""
    return own_form({"error": "This tool intentionally returns an error."}, desk, outcome=ResultOutcome.FAILED)


async def report(desk: Desk, arguments: Mapping[str, Any]) -> Envelope:
    """Tell of progress three times."""
    for step in ("begun", "half way", "done"):
        desk.progress(step)
        await asyncio.sleep(0)
    return own_form({"text": "done"}, desk)


TOOLS: dict[str, tuple[Work, dict[str, Any]]] = {
    "test_simple_text": (say, NOTHING),
    "test_error_handling": (fail, NOTHING),
    "test_tool_with_progress": (report, NOTHING),
    "json_schema_2020_12_tool": (say, DIALECT),
}


def unified(name: str, work: Work, schema: dict[str, Any]) -> UnifiedTool:
    """Return one of the tools."""

    def listed(platforms: Sequence[Platform]) -> types.Tool:
        return types.Tool(name=name, description=(work.__doc__ or name), input_schema=schema)

    return UnifiedTool(name, listed, work)


def make(config: ServerConfig) -> ToolServer:
    """Return these tools alone."""
    return ToolServer([], config, unified=[unified(name, *rest) for name, rest in TOOLS.items()])


if __name__ == "__main__":
    main(make)
