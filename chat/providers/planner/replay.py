"""How a recipe runs without memory: from its start, against the results that the transcript holds.

A recipe is a generator that yields batches of calls, is sent their results, and returns its answer. On
every model call it is run anew; the first batch with a call that has no result yet is what to do next.
So the transcript is the only state, and a turn that was interrupted goes on where it stood.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chat.providers.base import AssistantEntry, Entry, ToolResult, ToolResultsEntry, UserEntry
from chat.providers.history import is_continuation
from chat.providers.planner.artifact_calls import artifact_id, inspect_call, inspected
from chat.providers.planner.results import Call, Result, call_key, read_result, was_not_run

Recorded = Mapping[str, ToolResult]
Results = tuple[Result, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Batch:
    """Calls that can run side by side, and why they are made."""

    why: str
    calls: tuple[Call, ...]


# What recipes and their parts are: `results = yield batch`, and `answer = yield from part(...)`.
Recipe = Generator[Batch, Results, T]


def ask(why: str, *calls: Call) -> Recipe[Results]:
    """Ask for a batch; no calls bring no results."""
    if not calls:
        return ()
    results = yield Batch(why, tuple(calls))
    return results


@dataclass(frozen=True)
class Pending:
    """What to call next."""

    why: str
    calls: tuple[Call, ...]
    batches_done: int


@dataclass(frozen=True)
class Finished:
    """The answer, and every result it could rest on, in the order of the calls."""

    answer: str
    results: Results


def play(recipe: Recipe[str], recorded: Recorded) -> Pending | Finished:
    """Run a recipe as far as the recorded results reach."""
    seen: dict[str, Result] = {}
    done = 0
    try:
        batch = next(recipe)
        while True:
            results, missing = _results(batch, recorded)
            if missing:
                return Pending(batch.why, missing, done)
            seen |= {result.call.key: result for result in results}
            done += 1
            batch = recipe.send(results)
    except StopIteration as stop:
        return Finished(stop.value, tuple(seen.values()))


def _results(batch: Batch, recorded: Recorded) -> tuple[Results, tuple[Call, ...]]:
    """Return the batch's results, and the calls that are still to make for them."""
    results: list[Result] = []
    missing: dict[str, Call] = {}
    for wanted in batch.calls:
        result = recorded.get(wanted.key)
        if result is None:
            missing[wanted.key] = wanted
            continue
        stored = artifact_id(result)
        if not stored:
            results.append(read_result(wanted, result))
            continue
        look = inspect_call(wanted, stored)
        if look.key in recorded:
            results.append(inspected(wanted, result, recorded[look.key]))
        else:
            missing[look.key] = look
    return tuple(results), tuple(missing.values())


def question_of(entries: Sequence[Entry]) -> str:
    """Return what was asked last, or before that if the last question only says to go on."""
    asked = [entry.text for entry in entries if isinstance(entry, UserEntry) and not entry.is_note]
    return next((text for text in reversed(asked) if not is_continuation(text)), asked[-1] if asked else "")


def recorded_in(entries: Sequence[Entry]) -> dict[str, ToolResult]:
    """Return the results of this turn by the call they answer.

    Earlier turns don't count: their results may be old. A call that an interruption kept from being run
    is made once more; if that marks it again, the mark is its result.
    """
    recorded: dict[str, ToolResult] = {}
    keys: dict[str, str] = {}
    not_run: set[str] = set()
    for entry in entries:
        if isinstance(entry, UserEntry) and not entry.is_note:
            recorded, keys, not_run = {}, {}, set()
        elif isinstance(entry, AssistantEntry):
            keys |= {item.id: call_key(item.name, item.arguments) for item in entry.tool_calls}
        elif isinstance(entry, ToolResultsEntry):
            for result in entry.results:
                key = keys.get(result.call_id, "")
                if was_not_run(result) and key not in not_run:
                    not_run.add(key)
                elif key:
                    recorded[key] = result
    return recorded
