"""Rules about tool definitions and references to them."""

import re
from collections.abc import Iterator

from evals.strict_messages.conversation import Asked
from evals.strict_messages.rules.texts import text

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
FIELDS = frozenset(
    [
        "name",
        "description",
        "input_schema",
        "defer_loading",
        "strict",
        "cache_control",
        "input_examples",
        "eager_input_streaming",
        "allowed_callers",
        "type",
    ]
)
UNIONS = frozenset({"oneOf", "allOf", "anyOf"})
MAX_DEFERRED = 10_000


def known_fields(asked: Asked) -> Iterator[str]:
    """A tool has only known fields, and those it needs."""
    for i, tool in enumerate(asked.tools):
        for name in tool.keys() - FIELDS:
            yield text("unknown_field", path=f"tools.{i}.custom.{name}")
        for name in ("name", "input_schema"):
            if name not in tool:
                yield text("required", path=f"tools.{i}.custom.{name}")


def names(asked: Asked) -> Iterator[str]:
    """Names are plain words."""
    for i, tool in enumerate(asked.tools):
        if not NAME.fullmatch(tool["name"]):
            yield text("tool_name", path=f"tools.{i}")


def unique_names(asked: Asked) -> Iterator[str]:
    """No name twice."""
    if len({tool["name"] for tool in asked.tools}) < len(asked.tools):
        yield text("tool_twice")


def schemas(asked: Asked) -> Iterator[str]:
    """A schema is an object without a union at its top."""
    for i, tool in enumerate(asked.tools):
        if tool["input_schema"].get("type") != "object":
            yield text("schema_type", path=f"tools.{i}")
        if UNIONS & tool["input_schema"].keys():
            yield text("schema_union", path=f"tools.{i}")


def not_all_deferred(asked: Asked) -> Iterator[str]:
    """One tool at least can be called without a search."""
    deferred = [tool for tool in asked.tools if tool.get("defer_loading")]
    if deferred and len(deferred) == len(asked.tools):
        yield text("all_deferred")
    if len(deferred) > MAX_DEFERRED:
        yield text("too_many_deferred", found=len(deferred))


def references(asked: Asked) -> Iterator[str]:
    """A reference names a deferred tool of this request, and stands among references only."""
    deferred = {tool["name"] for tool in asked.tools if tool.get("defer_loading")}
    for i, j, _, block in asked.blocks():
        content = block.get("content") if block["type"] == "tool_result" else None
        inner = content if isinstance(content, list) else []
        kinds = {part["type"] for part in inner}
        if "tool_reference" in kinds and len(kinds) > 1:
            yield text("reference_mixed", path=f"messages.{i}.content.{j}.tool_result")
        for part in inner:
            if part["type"] == "tool_reference" and part.get("tool_name") not in deferred:
                yield text("reference", path=f"messages.{i}.content.{j}.tool_result", name=part.get("tool_name"))


def called_names(asked: Asked) -> Iterator[str]:
    """Names in replayed calls are plain words too."""
    for i, j, _, block in asked.blocks():
        if block["type"] == "tool_use" and not NAME.fullmatch(block["name"]):
            yield text("tool_name", path=f"messages.{i}.content.{j}.tool_use")
