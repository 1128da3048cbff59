"""Rules about tool definitions."""

import re
from collections.abc import Iterator

from tests.strict_chat.asked import Asked, Breach

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
FIELDS = frozenset({"name", "description", "parameters"})


def shape(asked: Asked) -> Iterator[Breach]:
    """A list that is not empty, of functions with known fields only: no other kind, no deferral."""
    if "tools" in asked.body and not asked.tools:
        yield Breach("`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.")
    for tool in asked.tools:
        if tool.keys() != {"type", "function"} or tool["type"] != "function":
            yield Breach(f"Unsupported tool type: {tool}")
        elif tool["function"].keys() != FIELDS:
            yield Breach(f"This stand-in wants exactly {', '.join(sorted(FIELDS))} of a function.")
    if not asked.tools and asked.body.keys() & {"tool_choice", "parallel_tool_calls"}:
        yield Breach("When using `tool_choice`, `tools` must be set.")


def names(asked: Asked) -> Iterator[Breach]:
    """Names are plain words, none twice."""
    found = [tool["function"]["name"] for tool in asked.tools]
    for name in found:
        if not NAME.fullmatch(name):
            yield Breach(f"Invalid function name: '{name}'.")
    if len(set(found)) < len(found):
        yield Breach("Function names must be unique.")


def schemas(asked: Asked) -> Iterator[Breach]:
    """Parameters are an object: templates and grammars are written from its properties."""
    for tool in asked.tools:
        if tool["function"]["parameters"].get("type") != "object":
            yield Breach(f"Unable to generate parser for this template: {tool['function']['name']}: no object")


def supported(asked: Asked) -> Iterator[Breach]:
    """Not every model's template knows tools."""
    if asked.tools and not asked.rules.takes_tools:
        yield Breach(f"{asked.body['model']} does not support tools")
