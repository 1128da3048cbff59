"""Transcript entries as plain JSON and back.

Pure. A provider's own message is kept key by key in the order in which it came.
"""

from collections.abc import ItemsView
from dataclasses import fields, is_dataclass
from typing import Any

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ExchangeEntry,
    ToolCall,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)

Json = Any
KINDS: dict[type[Entry], str] = {
    UserEntry: "user",
    AssistantEntry: "assistant",
    ToolResultsEntry: "tool_results",
    ExchangeEntry: "exchange",
}


def kind_of(entry: Entry) -> str:
    """Return the stored name of an entry's kind."""
    return KINDS[type(entry)]


def to_json(entry: Entry) -> dict[str, Json]:
    """Return an entry as JSON data; `from_json` is its inverse. What it holds is shared, not copied."""
    return {name: [_plain(one) for one in value] if isinstance(value, tuple) else value for name, value in _of(entry)}


def _plain(value: Json) -> Json:
    return dict(_of(value)) if is_dataclass(value) else value


def _of(value: Json) -> ItemsView[str, Json]:
    return vars(value).items()


def from_json(kind: str, data: dict[str, Json]) -> Entry:
    """Rebuild an entry of the given kind; a field that only a later version knows is left out."""
    if kind == "user":
        return UserEntry(data["text"], is_note=data.get("is_note", False))
    if kind == "exchange":
        return ExchangeEntry(data["texts"])
    if kind == "assistant":
        calls = tuple(ToolCall(**_known(ToolCall, call)) for call in data["tool_calls"])
        return AssistantEntry(**{**_known(AssistantEntry, data), "tool_calls": calls, "raw": tuple(data["raw"])})
    return ToolResultsEntry(tuple(_result(result) for result in data["results"]))


def _result(data: dict[str, Json]) -> ToolResult:
    return ToolResult(**{**_known(ToolResult, data), "tool_references": tuple(data["tool_references"])})


def _known(kind: type[AssistantEntry | ToolCall | ToolResult], data: dict[str, Json]) -> dict[str, Json]:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in data.items() if name in names}
