"""Transcript entries as plain JSON and back, and the repair of a history that was cut off.

Pure. What was stored is never edited: a repair only adds the results that a crash kept from
being written, so that the history can be sent again.
"""

from collections.abc import Iterable
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
NOT_FINISHED = "This call was not finished: the answer was interrupted. Call again if the result is still wanted."


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


def missing_results(entry: AssistantEntry, given: Iterable[ToolResult] = ()) -> list[ToolResult]:
    """Return an error result for each call of `entry` that has none among `given`."""
    answered = {result.call_id for result in given}
    return [
        ToolResult(call.id, call.name, NOT_FINISHED, is_error=True)
        for call in entry.tool_calls
        if call.id not in answered
    ]


def repaired(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return a history in which every call has exactly one result right after its message."""
    result: list[Entry] = []
    open_message: AssistantEntry | None = None
    for entry in entries:
        if open_message is not None:
            results = entry.results if isinstance(entry, ToolResultsEntry) else ()
            wanted = {call.id: call for call in open_message.tool_calls}
            kept = {r.call_id: r for r in results if r.call_id in wanted}
            closing = [*kept.values(), *missing_results(open_message, kept.values())]
            result.append(ToolResultsEntry(tuple(sorted(closing, key=lambda r: list(wanted).index(r.call_id)))))
            open_message = None
            if isinstance(entry, ToolResultsEntry):
                continue
        elif isinstance(entry, ToolResultsEntry):
            continue  # results of nothing: no message asked for them
        result.append(entry)
        if isinstance(entry, AssistantEntry) and entry.tool_calls:
            open_message = entry
    if open_message is not None:
        result.append(ToolResultsEntry(tuple(missing_results(open_message))))
    return tuple(result)
