"""All tools of all platforms: each module of `mcp_server.platforms` with a `platform` is found by itself."""

import importlib
import pkgutil
from collections.abc import Iterable

import mcp_server.platforms
from mcp_server.tool import Platform, ToolSpec


def discover() -> list[Platform]:
    """Import every platform module and return the platforms, sorted by name."""
    found = []
    for module in pkgutil.iter_modules(mcp_server.platforms.__path__):
        platform = getattr(importlib.import_module(f"mcp_server.platforms.{module.name}"), "platform", None)
        if isinstance(platform, Platform):
            found.append(platform)
    return sorted(found, key=lambda platform: platform.name)


def tools_by_name(platforms: Iterable[Platform]) -> dict[str, ToolSpec]:
    """Return the tools sorted by name; two of one name are an error in the declarations."""
    tools: dict[str, ToolSpec] = {}
    for platform in platforms:
        for tool in platform.tools:
            if tool.name in tools:
                raise ValueError(f"two tools are called {tool.name!r}")
            tools[tool.name] = tool
    return dict(sorted(tools.items()))
