"""Tools over all databases."""

from mcp_server.unified import about
from mcp_server.unified.tool import UnifiedTool

TOOLS: tuple[UnifiedTool, ...] = (about.tool,)
