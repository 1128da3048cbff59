"""Tool schemas as Google's models take them: the keywords that the API documents, the rest in words. Pure.

The API takes JSON Schema, but only a part of it is documented, and one keyword that it does not know may make it refuse
the whole request. What is left out here still holds: arguments are checked against the whole schema before a tool runs.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from chat.providers.base import ToolDefinition

Json = Any
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
# Beside these: descriptions, choices of texts, and some formats.
KEYWORDS = frozenset(
    [
        "additionalProperties",
        "anyOf",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
    ]
)
# Keywords that say something a model can use, and how it is said in a description.
IN_WORDS = {
    "default": "Default: {}.",
    "const": "Always {}.",
    "enum": "One of {}.",
    "format": "Format: {}.",
    "pattern": "Pattern: {}",
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "uniqueItems": "No item twice.",
    "examples": "Examples: {}.",
}
AS_IT_IS = frozenset({"format", "pattern"})
FORMATS = frozenset({"date-time", "date", "time"})


def tool_problem(tool: ToolDefinition) -> str:
    """Say why the API would refuse a request with this tool; empty if it would not."""
    if not NAME.fullmatch(tool.name):
        return f"name {tool.name!r} must begin with a letter or '_' and have up to 64 letters, digits, '_' or '-'"
    if tool.input_schema.get("type") != "object":
        return f"input schema of {tool.name!r} must have the type 'object'"
    return ""


def accepted(schema: Json) -> Json:
    """Return a schema with what the API documents; what else it says stands in its description."""
    if not isinstance(schema, dict):
        return schema
    kept = {name: _kept(name, value) for name, value in schema.items() if _is_documented(name, value)}
    if "oneOf" in schema:
        kept["anyOf"] = _kept("anyOf", schema["oneOf"])
    said = " ".join([*filter(None, [schema.get("description")]), *_in_words(schema, kept)])
    return {**kept, "description": said} if said else kept


def _is_documented(name: str, value: Json) -> bool:
    if name == "enum":
        return all(isinstance(choice, str) and choice for choice in value)
    if name == "format":
        return value in FORMATS
    return name in KEYWORDS and not (name == "required" and not value)


def _kept(name: str, value: Json) -> Json:
    if name == "properties":
        return {key: accepted(inner) for key, inner in value.items()}
    if name in {"anyOf", "prefixItems"}:
        return [accepted(inner) for inner in value]
    return accepted(value) if name in {"items", "additionalProperties"} else value


def _in_words(schema: dict[str, Json], kept: dict[str, Json]) -> Iterator[str]:
    for name, words in IN_WORDS.items():
        value = schema.get(name)
        if name not in kept and value is not None and not (name == "uniqueItems" and not value):
            yield words.format(value if name in AS_IT_IS else json.dumps(value, ensure_ascii=False))
