"""The catalogue as the tool page shows it: plain, ready data for templates. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol

from tools_catalog.call_counts import Day
from tools_catalog.catalog import Catalog, CatalogTool
from tools_catalog.search import Hit

Json = Any
NO_DAYS: Mapping[str, Day] = MappingProxyType({})


class Check(Protocol):
    """A contract check of a database."""

    @property
    def kind(self) -> str: ...
    @property
    def checked_at(self) -> datetime: ...
    @property
    def verdicts(self) -> Mapping[str, int]: ...


NO_CHECKS: Mapping[str, Sequence[Check]] = MappingProxyType({})


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
    """One tool. `why` says why a search found it, and the ranks at which place; `day` how its calls went."""

    name: str
    title: str
    description: str
    platform: str
    is_core: bool
    arguments: tuple[ArgumentView, ...]
    example: str
    why: str = ""
    keyword_rank: int | None = None
    meaning_rank: int | None = None
    day: Day | None = None


@dataclass(frozen=True)
class PlatformView:
    """A database and its tools."""

    title: str
    anchor: str
    tools: tuple[ToolView, ...]
    checks: tuple[str, ...] = ()


def platform_views(
    catalog: Catalog, days: Mapping[str, Day] = NO_DAYS, checks: Mapping[str, Sequence[Check]] = NO_CHECKS
) -> tuple[PlatformView, ...]:
    """Return all tools by their database."""
    return tuple(
        PlatformView(
            title,
            tools[0].platform_key,
            tuple(tool_view(tool, days=days) for tool in tools),
            tuple(check_text(check) for check in checks.get(tools[0].platform_key, ())),
        )
        for title, tools in catalog.platforms().items()
    )


def hit_views(catalog: Catalog, hits: Sequence[Hit], days: Mapping[str, Day] = NO_DAYS) -> tuple[ToolView, ...]:
    """Return what a search found, best first."""
    return tuple(tool_view(catalog.by_name[hit.name], hit, days) for hit in hits)


def check_text(check: Check) -> str:
    """Say when a database was checked last, against what, and how that went."""
    what = {"live": "live", "replay": "against recorded responses"}.get(check.kind, check.kind)
    counts = ", ".join(f"{number} {name}" for name, number in check.verdicts.items())
    return f"checked {what} on {check.checked_at:%-d %b %Y}: {counts or 'nothing'}"


def tool_view(tool: CatalogTool, hit: Hit | None = None, days: Mapping[str, Day] = NO_DAYS) -> ToolView:
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
        why=hit.why if hit else "",
        keyword_rank=hit.keyword_rank if hit else None,
        meaning_rank=hit.meaning_rank if hit else None,
        day=days.get(tool.name),
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
