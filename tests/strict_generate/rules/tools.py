"""Rules about tools: function declarations, their schemas, and how they may be chosen."""

import re
from collections.abc import Iterator
from typing import Any

from tests.strict_generate.asked import Asked, Breach
from tests.strict_generate.rules.parameters import unknown

Json = Any
TOOL = frozenset({"functionDeclarations"})
DECLARATION = frozenset({"name", "description", "parametersJsonSchema"})
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
ARGUMENT = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
FORMATS = frozenset({"date-time", "date", "time", "enum", "int32", "int64", "float", "double"})
# What the documentation lists of JSON Schema.
KEYWORDS = frozenset(
    [
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "prefixItems",
        "properties",
        "propertyOrdering",
        "required",
        "title",
        "type",
    ]
)
MODES = frozenset({"AUTO", "ANY", "NONE", "VALIDATED"})
NESTING_MAX = 8


def fields(asked: Asked) -> Iterator[Breach]:
    """Functions of known fields, and nothing that the service would run itself."""
    for i, tool in enumerate(asked.body.get("tools") or []):
        yield from unknown(tool, TOOL, f"tools[{i}]")
        if not tool.get("functionDeclarations"):
            yield Breach(f"* GenerateContentRequest.tools[{i}].tool_type: required one_of 'tool_type' is missing")
    for i, declaration in enumerate(asked.declarations):
        yield from unknown(declaration, DECLARATION, f"tools[0].function_declarations[{i}]")
        if not (declaration.get("description") or "").strip():
            yield Breach(f"This stand-in refuses functions without a description: {declaration.get('name')}.")


def names(asked: Asked) -> Iterator[Breach]:
    """Names begin with a letter or an underscore."""
    for i, declaration in enumerate(asked.declarations):
        if not NAME.fullmatch(declaration.get("name") or ""):
            path = f"GenerateContentRequest.tools[0].function_declarations[{i}].name"
            yield Breach(f"* {path}: Invalid function name. Must start with a letter or an underscore.")


def unique_names(asked: Asked) -> Iterator[Breach]:
    """No name twice."""
    seen: set[str] = set()
    for declaration in asked.declarations:
        if declaration["name"] in seen:
            yield Breach(f"Duplicate function declaration found: {declaration['name']}")
        seen.add(declaration["name"])


def schemas(asked: Asked) -> Iterator[Breach]:
    """Schemas are of documented keywords, and of an object at the top."""
    for declaration in asked.declarations:
        for problem in schema_problems(declaration.get("parametersJsonSchema", {"type": "object"})):
            yield Breach(f"Invalid schema of function {declaration['name']}: {problem}.")


def choice(asked: Asked) -> Iterator[Breach]:
    """A known mode, and only functions that are declared."""
    config = (asked.body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    if config.get("mode", "AUTO") not in MODES:
        yield Breach("Invalid value at 'tool_config.function_calling_config.mode'.")
    allowed = set(config.get("allowedFunctionNames") or ())
    if allowed - {declaration["name"] for declaration in asked.declarations}:
        yield Breach("allowed_function_names should be a subset of the declared functions.")


def schema_problems(schema: Json) -> Iterator[str]:
    """Yield what the service would not take of a schema."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield "parameters must be of type object"
        return
    yield from _problems(schema, "parameters", 0)


def _problems(schema: Json, at: str, depth: int) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    for name in sorted(schema.keys() - KEYWORDS):
        yield f"Unknown name {name!r} at {at!r}"
    if depth > NESTING_MAX:
        yield f"{at} is nested too deep"
        return
    yield from _value_problems(schema, at)
    yield from _object_problems(schema, at)
    for path, inner in _inner(schema, at):
        yield from _problems(inner, path, depth + 1)


def _inner(schema: dict[str, Json], at: str) -> Iterator[tuple[str, Json]]:
    for name, inner in schema.get("properties", {}).items():
        yield f"{at}.{name}", inner
    for name in ("items", "additionalProperties"):
        if name in schema:
            yield f"{at}.{name}", schema[name]
    for name in ("anyOf", "prefixItems"):
        for inner in schema.get(name, ()):
            yield f"{at}.{name}", inner


def _object_problems(schema: dict[str, Json], at: str) -> Iterator[str]:
    properties, required = schema.get("properties", {}), schema.get("required")
    if required == []:
        yield f"{at}.required: empty"
    for name in required or ():
        if name not in properties:
            yield f"{at}.required: property {name!r} is not defined"
    for name in properties:
        if not ARGUMENT.fullmatch(name):
            yield f"{at}: invalid property name {name!r}"


def _value_problems(schema: dict[str, Json], at: str) -> Iterator[str]:
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if not set(kinds) <= TYPES:
        yield f"{at}.type: {kinds}"
    if not kinds and "anyOf" not in schema and "enum" not in schema:
        yield f"{at}: no type"
    if "array" in kinds and not ({"items", "prefixItems"} & schema.keys()):
        yield f"{at}.items: missing field"
    if not all(isinstance(value, str) and value for value in schema.get("enum", ())):
        yield f"{at}.enum: only texts that are not empty"
    if schema.get("format", "date") not in FORMATS:
        yield f"{at}.format: {schema['format']}"
