"""What every provider does with a transcript before it is put into a wire format.

A stored history may be broken: a turn that was aborted, a process that died between a call and
its result. `repaired` makes it valid again without touching what is sound, and always in the
same way, so that a replayed prefix stays the same.
"""

from collections.abc import Iterable, Iterator, Sequence

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)

# What the pages ask to let a turn that ended early go on.
CONTINUE = "Continue."
NO_OPENING = "(The beginning of this conversation was not kept.)"
NOT_RUN = "This call was not run: the turn was stopped before. Call again if the result is still wanted."


def is_continuation(question: str) -> bool:
    """Whether a question only says to go on with the one before."""
    return question.strip(" .!…").casefold() in ("continue", "go on", "please continue")


def repaired(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries with each call answered exactly once, directly after its message.

    Missing results are filled in as not run, results without a call are dropped, and so are
    blank questions, empty messages and turns that the model refused: their content would be
    refused again. A history that does not begin with a question gets a neutral one.
    """
    kept = [*_answered(_without_refused_turns(entries))]
    if kept and not isinstance(kept[0], UserEntry):
        kept.insert(0, UserEntry(NO_OPENING))
    return tuple(kept)


def active_tools(tools: Sequence[ToolDefinition], entries: Iterable[Entry]) -> tuple[ToolDefinition, ...]:
    """Return the tools of a provider that can't defer: the loaded ones, then those found, in order.

    The list only ever grows at its end, so what was cached of it stays cached.
    """
    by_name = {tool.name: tool for tool in tools}
    names = {tool.name: None for tool in tools if not tool.deferred}
    for entry in entries:
        if isinstance(entry, ToolResultsEntry):
            found = (name for result in entry.results for name in result.tool_references)
            names |= {name: None for name in found if name in by_name and name not in names}
    return tuple(by_name[name] for name in names)


def _without_refused_turns(entries: Iterable[Entry]) -> list[Entry]:
    kept: list[Entry] = []
    turn_start = 0
    for entry in entries:
        if isinstance(entry, UserEntry) and not entry.is_note:
            turn_start = len(kept)
        if isinstance(entry, AssistantEntry) and entry.stop_reason == "refusal":
            del kept[turn_start:]
        else:
            kept.append(entry)
    return kept


def _answered(entries: Sequence[Entry]) -> Iterator[Entry]:
    for position, entry in enumerate(entries):
        if isinstance(entry, UserEntry) and entry.text.strip():
            yield entry
        elif isinstance(entry, AssistantEntry) and (entry.text.strip() or entry.tool_calls or entry.raw):
            yield entry
            if entry.tool_calls:
                yield ToolResultsEntry(_matched(entry.tool_calls, _results_after(entries, position)))


def _results_after(entries: Sequence[Entry], position: int) -> list[ToolResult]:
    found: list[ToolResult] = []
    for entry in entries[position + 1 :]:
        if not isinstance(entry, ToolResultsEntry):
            break
        found.extend(entry.results)
    return found


def _matched(calls: Sequence[ToolCall], results: list[ToolResult]) -> tuple[ToolResult, ...]:
    matched = []
    for call in calls:
        result = next((result for result in results if result.call_id == call.id), None)
        if result is None:
            result = ToolResult(call_id=call.id, name=call.name, text=NOT_RUN, is_error=True)
        else:
            results.remove(result)
        matched.append(result)
    return tuple(matched)
