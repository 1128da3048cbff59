"""The two-tier catalogue: core tools that every request carries, deferred ones that are found by search.

Sorted by name, schema keys in one fixed order, hashed: the same tools give the same bytes in every turn and
process, whatever the order in which the server lists them. A tool that a provider would refuse is left out.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tools_catalog.config import CatalogConfig
from tools_catalog.schema_rules import schema_problems

Json = Any
_KEY_ORDER = ("type", "title", "description", "enum", "const", "properties", "required", "additionalProperties")


@dataclass(frozen=True)
class RawTool:
    """A tool as the server lists it."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: Mapping[str, Json] = field(default_factory=dict)
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class CatalogTool:
    """A tool that can be offered to every provider. `platform` is the database's title.

    `normalised` names the arguments whose form the tool itself puts right. `asks` are questions and synonyms
    in users' words, for the search alone. `hash` changes with all that a model reads, `search_hash` with all
    that a search indexes, and neither with anything else.
    """

    name: str
    title: str
    description: str
    input_schema: dict[str, Json]
    platform: str
    platform_key: str
    core: bool
    noise: str | None
    example: dict[str, Json]
    hash: str
    normalised: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    @cached_property
    def search_hash(self) -> str:
        """The hash of the texts under which the tool is found."""
        return _digest([self.name, self.title, self.platform, self.description, self.input_schema, self.asks])


@dataclass(frozen=True)
class ToolProblem:
    """A tool that was left out, or a setting that names none, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class PlatformOff:
    """A database that an operator has switched off: its key and title, why, and how many tools that takes away."""

    key: str
    title: str
    reason: str
    tools: int

    def __str__(self) -> str:
        return f"{self.title} is switched off by the operator" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Catalog:
    """All usable tools, sorted by name. `hash` is equal where and only where all definitions are.

    `off` are the databases whose tools were taken out.
    """

    tools: tuple[CatalogTool, ...] = ()
    problems: tuple[ToolProblem, ...] = ()
    off: tuple[PlatformOff, ...] = ()

    @classmethod
    def from_tools(cls, raw_tools: Iterable[RawTool], config: CatalogConfig | None = None) -> "Catalog":
        """Check, normalise and sort what a server lists."""
        config = config or CatalogConfig()
        tools: dict[str, CatalogTool] = {}
        problems: list[ToolProblem] = []
        for raw in sorted(raw_tools, key=lambda tool: tool.name):
            reasons = schema_problems(raw.name, raw.description, raw.input_schema)
            if raw.name in tools:
                reasons = ["two tools have this name"]
            problems += [ToolProblem(raw.name, reason) for reason in reasons]
            if not reasons:
                tools[raw.name] = _catalog_tool(raw, config)
        for platform_key, names in sorted(config.always_loaded_tools.items()):
            problems += [ToolProblem(n, "always loaded by setting, but unknown") for n in names if n not in tools]
            if not any(tool.platform_key == platform_key for tool in tools.values()):
                problems.append(ToolProblem(platform_key, "named in always_loaded_tools, but no platform of this key"))
        return cls(tuple(tools.values()), tuple(problems))

    @cached_property
    def by_name(self) -> dict[str, CatalogTool]:
        """The tools by name, in the order of the catalogue."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def hash(self) -> str:
        """The hash of all definitions and tiers."""
        return _digest([[tool.name, tool.hash, tool.core] for tool in self.tools])

    @cached_property
    def core(self) -> tuple[CatalogTool, ...]:
        """The tools that every request carries."""
        return tuple(tool for tool in self.tools if tool.core)

    @cached_property
    def deferred(self) -> tuple[CatalogTool, ...]:
        """The tools that are found by search."""
        return tuple(tool for tool in self.tools if not tool.core)

    def get(self, name: str) -> CatalogTool | None:
        """Return the tool of this name."""
        return self.by_name.get(name)

    def definitions(self, found: Sequence[str] = ()) -> tuple[CatalogTool, ...]:
        """Return the core tools, then the found ones in the order in which they were found.

        The list only grows at its end, so that a provider's cached prefix stays. Unknown names are left out.
        """
        names = dict.fromkeys([tool.name for tool in self.core] + list(found))
        return tuple(self.by_name[name] for name in names if name in self.by_name)

    def without(self, platforms_off: Mapping[str, str]) -> "Catalog":
        """Return the catalogue without some databases, given by their keys with the reasons."""
        titles = {tool.platform_key: tool.platform for tool in self.tools if tool.platform_key in platforms_off}
        if not titles:
            return self
        counted = Counter(tool.platform_key for tool in self.tools)
        off = [PlatformOff(key, titles[key], platforms_off[key], counted[key]) for key in sorted(titles)]
        tools = tuple(tool for tool in self.tools if tool.platform_key not in titles)
        return Catalog(tools, self.problems, tuple(off))

    def platforms(self) -> dict[str, tuple[CatalogTool, ...]]:
        """Return the tools by their platform's title, both in alphabetical order."""
        titles = sorted({tool.platform for tool in self.tools}, key=str.casefold)
        return {title: tuple(tool for tool in self.tools if tool.platform == title) for title in titles}


def canonical_schema(schema: Json) -> Json:
    """Return a schema with its keys in one fixed order: required arguments first, then by name."""
    if isinstance(schema, list):
        return [canonical_schema(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    ordered = {key: canonical_schema(schema[key]) for key in sorted(schema, key=_key_rank)}
    required = schema.get("required")
    if isinstance(required, list):
        ordered["required"] = sorted(required)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        first = set(required) if isinstance(required, list) else set()
        names = sorted(properties, key=lambda name: (name not in first, name))
        ordered["properties"] = {name: canonical_schema(properties[name]) for name in names}
    return ordered


def _key_rank(key: str) -> tuple[int, str]:
    return (_KEY_ORDER.index(key) if key in _KEY_ORDER else len(_KEY_ORDER), key)


def _catalog_tool(raw: RawTool, config: CatalogConfig) -> CatalogTool:
    prefix, parted, _ = raw.name.partition("__")
    platform = str(raw.meta.get("burp/platform") or prefix)
    # A tool over all databases has no prefix; its own name is no database's.
    platform_key = prefix if parted else re.sub(r"\W+", "_", platform.casefold())
    chosen = config.always_loaded_tools.get(platform_key)
    schema = canonical_schema(raw.input_schema)
    noise = raw.meta.get("burp/noise")
    example = raw.meta.get("burp/example")
    return CatalogTool(
        name=raw.name,
        title=raw.title or raw.name,
        description=raw.description,
        input_schema=schema,
        platform=platform,
        platform_key=platform_key,
        core=raw.meta.get("burp/core") is True if chosen is None else raw.name in chosen,
        noise=noise if isinstance(noise, str) and noise else None,
        example=dict(example) if isinstance(example, Mapping) else {},
        hash=_digest([raw.name, raw.title, raw.description, schema]),
        normalised=_texts(raw.meta.get("burp/normalised")),
        asks=_texts(raw.meta.get("burp/asks")),
    )


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _digest(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
