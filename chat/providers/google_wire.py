"""The generateContent request of a `ModelRequest`, as plain dicts in the API's own names: pure, no SDK.

Nothing is kept by the service. A message goes back part by part as it came, each thought signature on the very part
that brought it. The same entries always give the same contents, so each request of a session extends the one before it
and what was cached of it stays so.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chat.providers.base import (
    AssistantEntry,
    Entry,
    Json,
    ModelRequest,
    ToolCall,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.calls import valid_ids, valid_name
from chat.providers.google_schema import NAME, accepted, tool_problem
from chat.providers.history import active_tools, repaired
from chat.providers.replay import is_of_context, last_start

Part = dict[str, Json]
Body = dict[str, Json]

PROVIDER = "google"
NO_OUTPUT = "(no output)"
# Between the results of a turn that was stopped and the next question.
STOPPED = "(The answer was stopped here.)"
# After a message that the service ended because its call could not be read.
GO_ON = "(Your last message ended before it was whole: its call could not be read and did not run. Go on from there.)"
# What the API documents for calls that it has not signed itself: those of other models, or of another time.
UNSIGNED = "skip_thought_signature_validator"
# Models before thinking levels take a number of tokens; these are the ones that the service itself puts for the levels.
BUDGETS = {"low": 1024, "medium": 8192, "high": 24_576}
WHOLE = frozenset({"end", "tool_use", "pause"})


@dataclass(frozen=True)
class GoogleModel:
    """What one model accepts; a row of the model table in `burp.toml`.

    `thinking` is `level` or `budget`, the two ways to say how much; empty for a model that does not think.
    """

    id: str
    max_output: int = 65_536
    effort_levels: tuple[str, ...] = ("low", "medium", "high")
    thinking: Literal["level", "budget", ""] = "level"

    @property
    def checks_signatures(self) -> bool:
        """Whether it refuses calls of the running turn that are not signed."""
        return self.thinking == "level"


def request_body(request: ModelRequest, model: GoogleModel, *, is_afresh: bool = False) -> Body:
    """Return the body of `models.streamGenerateContent`; `is_afresh` sends all messages as projection."""
    body: Body = {
        "contents": wire_contents(request, model, is_afresh=is_afresh),
        "generationConfig": {"maxOutputTokens": output_limit(request, model)},
    }
    if request.system.strip():
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if declarations := wire_tools(request):
        body["tools"] = [{"functionDeclarations": declarations}]
    if model.thinking:
        body["generationConfig"]["thinkingConfig"] = _thinking(request.effort, model)
    return body


def output_limit(request: ModelRequest, model: GoogleModel) -> int:
    """Return the output limit of a request; what the model thinks counts against it."""
    return max(1, min(request.max_output_tokens, model.max_output))


def wire_tools(request: ModelRequest) -> list[Part]:
    """Return the loaded tools, then those that the session found, in the order of discovery.

    One that the API would refuse is left out: it would take all the others with it.
    """
    usable = [tool for tool in request.tools if not tool_problem(tool)]
    return [
        {"name": tool.name, "description": tool.description, "parametersJsonSchema": accepted(tool.input_schema)}
        for tool in active_tools(usable, request.entries)
    ]


def wire_contents(request: ModelRequest, model: GoogleModel, *, is_afresh: bool = False) -> list[Body]:
    """Return the transcript as contents in which user and model alternate."""
    start = len(request.entries) if is_afresh else last_start(PROVIDER, request)
    older, newer = request.entries[:start], request.entries[start:]
    writer = _ContentWriter(request, model)
    for entry in repaired([*map(_without_raw, older), *newer]):
        match entry:
            case UserEntry():
                writer.add_question(entry)
            case AssistantEntry():
                writer.add_message(entry)
            case ToolResultsEntry(results=results):
                writer.add_results(results)
    return writer.contents


def prompt_bytes(body: Mapping[str, Json]) -> int:
    """Return the bytes of all that the model reads, signatures included."""
    parts = [body.get("systemInstruction", ""), body.get("tools", []), body["contents"]]
    return len(json.dumps(parts, ensure_ascii=False).encode())


class _ContentWriter:
    """Collect contents; know how the calls of the last message went out, for their results."""

    def __init__(self, request: ModelRequest, model: GoogleModel) -> None:
        self.contents: list[Body] = []
        self._request = request
        self._model = model
        self._used_ids: set[str] = set()
        self._last_calls: list[Part] = []

    def add_question(self, entry: UserEntry) -> None:
        """Add a question; one that follows on results belongs to another turn, a note does not."""
        if not entry.is_note and self._has_open_results:
            self._add("model", [{"text": STOPPED}])
        self._add("user", [{"text": entry.text}])

    def add_message(self, entry: AssistantEntry) -> None:
        """Add a message as it came, or what can be said of it without its own form."""
        parts = _replayable(entry, self._request) or self._projected(entry)
        self._last_calls = [part["functionCall"] for part in parts if "functionCall" in part]
        self._used_ids.update(call["id"] for call in self._last_calls if call.get("id"))
        self._add("model", parts)
        if entry.stop_reason == "pause" and not entry.tool_calls:
            self._add("user", [{"text": GO_ON}])

    def add_results(self, results: Sequence[ToolResult]) -> None:
        """Answer the calls of the last message, in their order; with an id where the call has one."""
        parts: list[Part] = []
        for result, call in zip(results, self._last_calls, strict=True):
            text = result.text if result.text.strip() else NO_OUTPUT
            known = {"id": call["id"]} if call.get("id") else {}
            response = {"error" if result.is_error else "output": text}
            parts.append({"functionResponse": {**known, "name": call["name"], "response": response}})
        self._add("user", parts)

    @property
    def _has_open_results(self) -> bool:
        return bool(self.contents) and any("functionResponse" in part for part in self.contents[-1]["parts"])

    def _add(self, role: Literal["user", "model"], parts: Sequence[Part]) -> None:
        if not parts:
            return
        if self.contents and self.contents[-1]["role"] == role:
            self.contents[-1]["parts"] += parts
        else:
            self.contents.append({"role": role, "parts": [*parts]})

    def _projected(self, entry: AssistantEntry) -> list[Part]:
        parts: list[Part] = [{"text": entry.text}] if entry.text.strip() else []
        ids = valid_ids(entry.tool_calls, self._used_ids)
        calls = [_call(call, call_id) for call, call_id in zip(entry.tool_calls, ids, strict=True)]
        if calls and self._model.checks_signatures:
            # Of calls side by side only the first is signed.
            calls[0]["thoughtSignature"] = UNSIGNED
        return parts + calls


def _replayable(entry: AssistantEntry, request: ModelRequest) -> list[Part]:
    """Return a message's own parts, if it was made by this API under this very prefix, and is whole."""
    if not is_of_context(entry, PROVIDER, request) or entry.stop_reason not in WHOLE:
        return []
    names = [part["functionCall"].get("name") for part in entry.raw if "functionCall" in part]
    if names != [call.name for call in entry.tool_calls] or any(call.problem for call in entry.tool_calls):
        return []
    # Of thoughts alone nothing is left to be read.
    is_said = any(not part.get("thought") for part in entry.raw)
    return [dict(part) for part in entry.raw] if is_said else []


def _without_raw(entry: Entry) -> Entry:
    return replace(entry, raw=()) if isinstance(entry, AssistantEntry) else entry


def _call(call: ToolCall, call_id: str) -> Part:
    name = valid_name(call.name)
    # A name may not begin with a digit or a dash here.
    name = name if NAME.fullmatch(name) else f"_{name}"[:64]
    return {"functionCall": {"id": call_id, "name": name, "args": call.arguments}}


def _thinking(effort: str, model: GoogleModel) -> Part:
    if not effort or not model.effort_levels:
        return {"includeThoughts": True}
    if model.thinking == "budget":
        return {"includeThoughts": True, "thinkingBudget": BUDGETS[effort]}
    return {"includeThoughts": True, "thinkingLevel": effort.upper()}
