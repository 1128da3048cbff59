"""Tools in the terminal: arguments written as `name=value`, and results in lines that people can read."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools_catalog.calls import RawToolResult
from tools_catalog.catalog import CatalogTool

Json = Any
CITATIONS_SHOWN = 10


class BadArgument(ValueError):
    """An argument that can't be read; the message says how to write it."""


def read_arguments(tool: CatalogTool, pairs: Iterable[str]) -> dict[str, Json]:
    """Return the arguments of `name=value` texts, in the types of the tool's schema. Lists are split at commas."""
    properties = tool.input_schema.get("properties", {})
    arguments = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in properties:
            known = ", ".join(properties) or "none"
            raise BadArgument(f"{pair!r}: write name=value; arguments of {tool.name}: {known}")
        arguments[name] = _value(name, text, properties[name])
    return arguments


def _value(name: str, text: str, schema: Mapping[str, Json]) -> Json:
    kind = schema.get("type")
    if kind == "string":
        return text
    if kind == "array" and not text.startswith("["):
        return [_value(name, part.strip(), schema.get("items", {"type": "string"})) for part in text.split(",")]
    try:
        # JSON has the literals of all other types.
        return json.loads(text)
    except ValueError as error:
        raise BadArgument(f"{name}={text}: this argument is of type {kind}") from error


def tool_lines(tools: Iterable[CatalogTool]) -> Iterator[str]:
    """Yield the tools under their platforms, one a line."""
    platform = ""
    for tool in sorted(tools, key=lambda one: (one.platform.casefold(), one.name)):
        if tool.platform != platform:
            platform = tool.platform
            yield platform
        core = " (always loaded)" if tool.core else ""
        yield f"  {tool.name}{core}"
        yield f"      {tool.description}"


def result_lines(result: RawToolResult) -> Iterator[str]:
    """Yield a result: what came of the call, the data, and where it is from."""
    envelope, meta = result.envelope, result.meta
    counts = [f"{name} {envelope[name]}" for name in ("returned", "total") if name in envelope]
    yield " · ".join([f"outcome {envelope.get('outcome', '?')}", *counts])
    if error := envelope.get("error"):
        yield f"{error['code']}: {error['message']}"
        yield from [f"  {name}: {json.dumps(error[name], ensure_ascii=False)}" for name in error if name in _FACTS]
        yield error.get("next_step", "")
    if note := envelope.get("note"):
        yield f"note: {note}"
    if envelope.get("data") is not None:
        yield json.dumps(envelope["data"], ensure_ascii=False, indent=2)
    if following := envelope.get("next"):
        yield f"next: {json.dumps(following, ensure_ascii=False)}"
    yield from _origin_lines(meta)


_FACTS = ("argument", "example", "near")


def _origin_lines(meta: Mapping[str, Json]) -> Iterator[str]:
    citations = meta.get("burp/citations", [])
    for one in citations[:CITATIONS_SHOWN]:
        yield f"cites {one['kind']} {one['identifier']} {one['label']} {one['url']}".replace("  ", " ").rstrip()
    if len(citations) > CITATIONS_SHOWN:
        yield f"cites {len(citations) - CITATIONS_SHOWN} more"
    for one in meta.get("burp/requests", []):
        yield f"asked {one['method']} {one['url']} → {one['status'] or 'no answer'}"
    if snapshot := meta.get("burp/snapshot"):
        partial = ", partial" if snapshot["partial"] else ""
        yield f"from the offline snapshot: {snapshot['origin']}, {snapshot['date']}{partial}"
    elif citations:
        yield f"fetched at {meta['burp/fetched_at']}"
