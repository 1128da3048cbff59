"""The whole catalogue, listed in this process: what a child lists is the same."""

from functools import cache
from pathlib import Path

from mcp_server.config import ServerConfig
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from tools_catalog.catalog import Catalog, RawTool

QUERIES = Path(__file__).parents[1] / "data" / "tool_search" / "queries.jsonl"


@cache
def whole_catalog() -> Catalog:
    """Return all tools of all platforms."""
    listing = ToolServer(discover(), ServerConfig(), SnapshotTransport((PACKAGED,))).listing()
    return Catalog.from_tools(
        RawTool(tool.name, tool.title or "", tool.description or "", tool.input_schema, dict(tool.meta or {}))
        for tool in listing
    )
