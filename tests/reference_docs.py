"""Write docs/data-sources.md and docs/tools.md from the declarations: `python -m tests.reference_docs`."""

import sys
from collections.abc import Container, Iterable
from pathlib import Path

from mcp_server.registry import discover
from mcp_server.tool import Platform, ToolSpec
from mcp_server.unified import TOOLS as UNIFIED
from mcp_server.unified.tool import UnifiedTool

DOCS = Path(__file__).parents[1] / "docs"
SOURCES_HEAD = """# Data sources

Written by `python -m tests.reference_docs` from the platform modules; `about_sources` tells the same at run time,
with the present release. BURP asks politely: it names itself in the User-Agent (with `BURP_CONTACT`, when set), keeps
to each source's rate, keeps answers on disk for a while, and leaves a source alone that fails again and again.

Answers that quote ChEMBL, ClinPGx or cBioPortal carry share-alike data: whoever passes them on keeps the licence.
"""
TOOLS_HEAD = """# Tools

Written by `python -m tests.reference_docs`. Core tools are always loaded; the others are found by search.
"""
TOOLS_TABLE = "| tool | what it gives | arguments |\n|---|---|---|"


def data_sources(platforms: list[Platform]) -> str:
    """Return the page about the sources."""
    return "\n".join([SOURCES_HEAD, *(_source(platform) for platform in platforms)])


def tools(platforms: list[Platform]) -> str:
    """Return the page about the tools."""
    count = sum(len(platform.tools) for platform in platforms)
    over_all = sorted(UNIFIED, key=lambda tool: tool.name)
    parts = [f"{TOOLS_HEAD}\n{count} tools of {len(platforms)} platforms, and {len(over_all)} over all of them.\n"]
    parts.append(f"## Over all platforms\n\n{TOOLS_TABLE}")
    parts += [*(_unified_tool(tool, platforms) for tool in over_all), ""]
    for platform in platforms:
        parts.append(f"## {platform.title}\n\n{TOOLS_TABLE}")
        parts += [_tool(tool) for tool in sorted(platform.tools, key=lambda tool: tool.name)]
        parts.append("")
    return "\n".join(parts)


def _source(platform: Platform) -> str:
    source = platform.source
    assert source is not None, f"{platform.name} does not say whose data it gives"
    plural = "" if platform.rate.requests == 1 else "s"
    rate = f"{platform.rate.requests:g} request{plural} in {platform.rate.seconds:g} s"
    keyed = f", {platform.rate.with_key:g} with a key" if platform.rate.with_key else ""
    shared = f" (shared by all of `{platform.rate.group}`)" if platform.rate.group else ""
    rows = {
        "provider": f"{source.provider}, <{source.homepage}>",
        "licence": f"{platform.licence}{'; share-alike' if source.share_alike else ''}",
        "attribution": source.attribution,
        "cite": source.cite,
        "the source asks": source.limits,
        "BURP asks at most": f"{rate}{keyed}{shared}",
        "answers are kept": f"{platform.keep_s / 3600:g} h",
        "hosts": ", ".join(f"`{host}`" for host in platform.all_hosts),
        "documentation": f"<{platform.docs}>",
        "tools": str(len(platform.tools)),
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    return f"## {platform.title}\n\n| | |\n|---|---|\n{table}\n"


def _tool(tool: ToolSpec) -> str:
    core = " (core)" if tool.core else ""
    needed = {name for name, parameter in tool.parameters.items() if parameter.required}
    return _row(f"`{tool.name}`{core}", tool.description, tool.parameters, needed)


def _unified_tool(tool: UnifiedTool, platforms: list[Platform]) -> str:
    listed = tool.listed(platforms)
    schema = listed.input_schema
    return _row(f"`{listed.name}`", listed.description or "", schema["properties"], set(schema.get("required", ())))


def _row(name: str, description: str, arguments: Iterable[str], needed: Container[str]) -> str:
    named = ", ".join(f"`{argument}`{'' if argument in needed else '?'}" for argument in arguments)
    text = description.replace("|", "\\|")
    return f"| {name} | {text} | {named or '–'} |"


def main() -> None:
    """Write both pages."""
    platforms = discover()
    (DOCS / "data-sources.md").write_text(data_sources(platforms), encoding="utf-8")
    (DOCS / "tools.md").write_text(tools(platforms), encoding="utf-8")
    sys.stdout.write("docs/data-sources.md and docs/tools.md are written\n")


if __name__ == "__main__":
    main()
