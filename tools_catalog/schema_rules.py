"""What the model services accept as a tool: one bad name or schema makes them refuse the whole request.

The rules are the strictest of all services, so that one list of tools fits every model: Anthropic and OpenAI
refuse names beyond `[a-zA-Z0-9_-]{1,64}` and combinators at the top; OpenAI refuses arrays without items and
descriptions over 1,024 characters; Google refuses required arguments that are not declared and enumerations
that are not texts. Pure.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Json = Any
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ARGUMENT_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
DESCRIPTION_MAX_CHARACTERS = 1024
SCHEMA_MAX_BYTES = 32 * 1024
NESTING_MAX = 8
TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
NOT_AT_TOP = ("anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "if")
_COMBINATORS = ("anyOf", "oneOf", "allOf")
_NUMBERS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


def schema_problems(name: str, description: str, schema: Json) -> list[str]:
    """Return why a service would refuse this tool; an empty list means that all accept it."""
    problems = []
    if not NAME.fullmatch(name):
        problems.append("the name may hold letters, digits, _ and - only, at most 64")
    if not description.strip():
        problems.append("there is no description")
    if len(description) > DESCRIPTION_MAX_CHARACTERS:
        problems.append(f"the description has over {DESCRIPTION_MAX_CHARACTERS:,} characters")
    return problems + list(_root_problems(schema))


def _root_problems(schema: Json) -> Iterator[str]:
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        yield "the input schema must be an object of type 'object'"
        return
    for keyword in NOT_AT_TOP:
        if keyword in schema:
            yield f"{keyword!r} is not allowed at the top of an input schema"
    try:
        size = len(json.dumps(schema))
    except (TypeError, ValueError) as problem:
        yield f"the input schema is no JSON: {problem}"
        return
    if size > SCHEMA_MAX_BYTES:
        yield f"the input schema has over {SCHEMA_MAX_BYTES:,} bytes"
        return
    yield from _problems(schema, "input", 0)


def _problems(schema: Json, at: str, depth: int) -> Iterator[str]:
    """Yield the problems of a schema and of all within it."""
    if schema is True or schema == {}:
        return
    if not isinstance(schema, Mapping):
        yield f"{at}: {schema!r} is no schema"
        return
    if depth > NESTING_MAX:
        yield f"{at}: nested over {NESTING_MAX} levels"
        return
    if "$ref" in schema and depth:
        yield f"{at}: '$ref' is not understood everywhere; write the schema out"
    yield from _type_problems(schema, at)
    yield from _object_problems(schema, at, depth)
    if isinstance(schema.get("items"), Mapping):
        yield from _problems(schema["items"], f"{at}[]", depth + 1)
    for keyword in _COMBINATORS:
        for branch in schema.get(keyword, ()):
            yield from _problems(branch, at, depth + 1)


def _type_problems(schema: Mapping[str, Json], at: str) -> Iterator[str]:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if kind is None and not any(keyword in schema for keyword in (*_COMBINATORS, "$ref", "const", "enum")):
        yield f"{at}: there is no type"
    if kind is not None and not all(isinstance(k, str) and k in TYPES for k in kinds):
        yield f"{at}: {kind!r} is no type"
    if "array" in kinds and not isinstance(schema.get("items"), Mapping):
        yield f"{at}: an array needs 'items'"
    values = schema.get("enum")
    if values is not None and not (isinstance(values, list) and values and all(isinstance(v, str) for v in values)):
        yield f"{at}: the values of 'enum' must be texts"
    for keyword in _NUMBERS:
        if keyword in schema and (isinstance(schema[keyword], bool) or not isinstance(schema[keyword], int | float)):
            yield f"{at}: {keyword!r} must be a number"
    yield from _pattern_problems(schema, at)


def _pattern_problems(schema: Mapping[str, Json], at: str) -> Iterator[str]:
    pattern = schema.get("pattern")
    if pattern is None:
        return
    try:
        re.compile(pattern)
    except (re.error, TypeError) as problem:
        yield f"{at}: the pattern {pattern!r} is not usable: {problem}"


def _object_problems(schema: Mapping[str, Json], at: str, depth: int) -> Iterator[str]:
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        yield f"{at}: 'properties' must be an object"
        return
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield f"{at}: 'required' must be a list of names"
        return
    for name in required:
        if name not in properties:
            yield f"{at}: {name!r} is required but not declared"
    for name, inner in properties.items():
        if not ARGUMENT_NAME.fullmatch(name):
            yield f"{at}: the argument name {name!r} may hold letters, digits, _ . and - only, at most 64"
        yield from _problems(inner, f"{at}.{name}", depth + 1)
