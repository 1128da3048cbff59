"""The catalogue as the tool page shows it: plain, ready data for templates. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tools_catalog.catalog import Catalog, CatalogTool
from tools_catalog.search import Hit

Json = Any


@dataclass(frozen=True)
class ArgumentView:
    """One argument of a tool, in words."""

    name: str
    kind: str
    is_required: bool
    description: str
    default: str = ""


@dataclass(frozen=True)
class ToolView:
    """One tool. `why` says why a search found it."""

    name: str
    title: str
    description: str
    platform: str
    is_core: bool
    arguments: tuple[ArgumentView, ...]
    example: str
    why: str = ""


@dataclass(frozen=True)
class PlatformView:
    """A database and its tools."""

    title: str
    anchor: str
    tools: tuple[ToolView, ...]


def platform_views(catalog: Catalog) -> tuple[PlatformView, ...]:
    """Return all tools by their database."""
    return tuple(
        PlatformView(title, tools[0].platform_key, tuple(tool_view(tool) for tool in tools))
        for title, tools in catalog.platforms().items()
    )


def hit_views(catalog: Catalog, hits: Sequence[Hit]) -> tuple[ToolView, ...]:
    """Return what a search found, best first."""
    return tuple(tool_view(catalog.by_name[hit.name], hit.why) for hit in hits)


def tool_view(tool: CatalogTool, why: str = "") -> ToolView:
    """Return one tool for display."""
    required = tool.input_schema.get("required", [])
    arguments = tuple(
        _argument_view(name, schema, name in required)
        for name, schema in tool.input_schema.get("properties", {}).items()
    )
    return ToolView(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        platform=tool.platform,
        is_core=tool.core,
        arguments=arguments,
        example=json.dumps(tool.example, ensure_ascii=False, indent=2) if tool.example else "",
        why=why,
    )


def _argument_view(name: str, schema: Json, is_required: bool) -> ArgumentView:
    if not isinstance(schema, Mapping):
        return ArgumentView(name, "anything", is_required, "")
    default = json.dumps(schema["default"], ensure_ascii=False) if "default" in schema else ""
    return ArgumentView(name, kind_text(schema), is_required, str(schema.get("description", "")), default)


def kind_text(schema: Mapping[str, Json]) -> str:
    """Say in words what a schema accepts."""
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        kind = " or ".join(str(name) for name in kind)
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        return f"list of {kind_text(schema['items'])}"
    words = {"string": "text", "integer": "whole number", "boolean": "yes or no"}
    text = words.get(str(kind), str(kind))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text += f", {low} to {high}"
    return text
