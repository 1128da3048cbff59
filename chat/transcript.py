"""Transcript entries as plain JSON and back.

Pure. A provider's own message is kept key by key in the order in which it came.
"""

from dataclasses import asdict
from typing import Any

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ToolCall,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)

Json = Any


def kind_of(entry: Entry) -> str:
    """Return the stored name of an entry's kind."""
    return {UserEntry: "user", AssistantEntry: "assistant", ToolResultsEntry: "tool_results"}[type(entry)]


def to_json(entry: Entry) -> dict[str, Json]:
    """Return an entry as JSON data; `from_json` is its inverse."""
    return asdict(entry)


def from_json(kind: str, data: dict[str, Json]) -> Entry:
    """Rebuild an entry of the given kind."""
    if kind == "user":
        return UserEntry(**data)
    if kind == "assistant":
        calls = tuple(ToolCall(**call) for call in data["tool_calls"])
        return AssistantEntry(**{**data, "tool_calls": calls, "raw": tuple(data["raw"])})
    results = tuple(
        ToolResult(**{**result, "tool_references": tuple(result["tool_references"])}) for result in data["results"]
    )
    return ToolResultsEntry(results)
