"""Rules about tool definitions, also of those that a search loaded."""

import re
from collections.abc import Iterator

from tests.strict_responses.asked import Asked, Breach

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
FIELDS = frozenset({"type", "name", "description", "parameters", "strict", "defer_loading"})
SEARCH_FIELDS = frozenset({"type", "execution", "description", "parameters"})
UNFIT = ("oneOf", "anyOf", "allOf", "enum", "not")
MAX_TOOLS = 128


def kinds(asked: Asked) -> Iterator[Breach]:
    """Functions and one tool search, of known fields."""
    for i, tool in enumerate(asked.tools):
        known = {"function": FIELDS, "tool_search": SEARCH_FIELDS}.get(tool.get("type", ""))
        if known is None:
            yield Breach(f"Invalid value: '{tool.get('type')}'.", f"tools[{i}]", "invalid_value")
            continue
        for name in tool.keys() - known:
            yield Breach(f"Unknown parameter: 'tools[{i}].{name}'.", f"tools[{i}].{name}", "unknown_parameter")
    if len(asked.tools) > MAX_TOOLS:
        yield Breach(
            f"Invalid 'tools': array too long. Expected an array with maximum length {MAX_TOOLS}, "
            f"but got an array with length {len(asked.tools)} instead.",
            "tools",
            "array_above_max_length",
        )


def names(asked: Asked) -> Iterator[Breach]:
    """Names are plain words."""
    for path, tool in asked.functions():
        if not NAME.fullmatch(tool.get("name", "")):
            yield Breach(
                f"Invalid '{path}.name': string does not match pattern. "
                "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
                f"{path}.name",
                "invalid_value",
            )


def unique_names(asked: Asked) -> Iterator[Breach]:
    """No name twice in the tool list."""
    found = [tool["name"] for tool in asked.tools if tool["type"] == "function"]
    if len(set(found)) < len(found):
        yield Breach("Function names must be unique.", "tools")


def schemas(asked: Asked) -> Iterator[Breach]:
    """Parameters are an object; strict ones, which is the default, name every property as required."""
    for path, tool in asked.functions():
        schema = tool.get("parameters") or {}
        start = f"Invalid schema for function '{tool['name']}':"
        code = "invalid_function_parameters"
        if schema.get("type") != "object" or any(name in schema for name in UNFIT):
            yield Breach(
                f"{start} schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' "
                "at the top level.",
                f"{path}.parameters",
                code,
            )
        elif tool.get("strict") is not False:
            missing = schema.get("properties", {}).keys() - set(schema.get("required", ()))
            if schema.get("additionalProperties") is not False or missing:
                yield Breach(
                    f"{start} In context=(), 'additionalProperties' is required to be supplied and to be false, "
                    "and 'required' to hold every key in properties.",
                    f"{path}.parameters",
                    code,
                )


def search(asked: Asked) -> Iterator[Breach]:
    """Deferred tools need a search to find them, and a model that has it."""
    searches = [tool for tool in asked.tools if tool["type"] == "tool_search"]
    deferred = [tool for tool in asked.tools if tool.get("defer_loading")]
    if deferred and not searches:
        yield Breach("Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.", "tools")
    if len(searches) > 1:
        yield Breach("Only one tool_search tool may be provided.", "tools")
    for tool in searches:
        if not asked.rules.tool_search:
            model = asked.body["model"]
            yield Breach(f"Tool 'tool_search' is not supported with {model}.", "tools", "unsupported_value")
        if tool.get("execution") != "client":
            yield Breach("This stand-in runs no searches itself.", "tools")
        elif not tool.get("description") or not tool.get("parameters"):
            yield Breach("A client-executed tool_search needs a description and parameters.", "tools")


def loaded(asked: Asked) -> Iterator[Breach]:
    """What a search loads are deferred functions, with a search in the tool list."""
    searches = any(tool["type"] == "tool_search" for tool in asked.tools)
    for i, item in enumerate(asked.items):
        if item["type"] != "tool_search_output":
            continue
        if not searches:
            yield Breach("Invalid Value: 'tool_search_output' requires tools.tool_search.", f"input[{i}]")
        for tool in item["tools"]:
            if tool.get("type") != "function" or tool.get("defer_loading") is not True:
                yield Breach("Tools of a tool_search_output must be deferred functions.", f"input[{i}].tools")
