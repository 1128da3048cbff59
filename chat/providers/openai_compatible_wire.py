"""The Chat Completions request of a `ModelRequest`, as plain dicts: pure, no SDK.

Local servers put the messages through the model's own chat template, and templates differ: many want questions and
answers to alternate, or parse the arguments of earlier calls again. What goes out here is what the strictest of them
take. The same entries always give the same messages, so that a server's cache of the prompt's beginning holds.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chat.providers.base import (
    AssistantEntry,
    Entry,
    Json,
    ModelRequest,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.calls import valid_ids, valid_name
from chat.providers.history import active_tools, repaired
from chat.providers.replay import is_of_context, last_start

Message = dict[str, Json]

PROVIDER = "openai_compatible"
NO_OUTPUT = "(no output)"
FAILED = "The call failed. "
# Between the results of a turn that was stopped and the next question.
STOPPED = "(The answer was stopped here.)"
# The two names that servers have for visible reasoning; it goes back under the name it came with.
REASONING_FIELDS = ("reasoning_content", "reasoning")
WHOLE = frozenset({"end", "tool_use"})
# Between English and JSON full of identifiers.
LIKELY_BYTES_PER_TOKEN = 3
MIN_OUTPUT_TOKENS = 256


@dataclass(frozen=True)
class CompatibleModel:
    """What one model accepts; a row of the model table in `burp.toml`.

    Without `effort_levels` the model has no such setting and none is sent.
    """

    id: str
    context_window: int
    max_output: int
    effort_levels: tuple[str, ...] = ()


def request_body(request: ModelRequest, model: CompatibleModel, *, is_afresh: bool = False) -> Message:
    """Return the keyword arguments of `chat.completions.create`; `is_afresh` sends all messages as projection."""
    body: Message = {
        "model": model.id,
        "messages": wire_messages(request, is_afresh=is_afresh),
        "stream_options": {"include_usage": True},
    }
    if tools := wire_tools(request):
        # Without being asked, some servers hold the model to one call a message.
        body |= {"tools": tools, "parallel_tool_calls": True}
    if request.effort and model.effort_levels:
        body["reasoning_effort"] = request.effort
    # The older name of the limit is the one that every server knows.
    body["max_tokens"] = _output_limit(request, model, prompt_bytes(body))
    return body


def tool_problem(tool: ToolDefinition) -> str:
    """Say why a server would refuse a request with this tool; empty if it would not."""
    if valid_name(tool.name) != tool.name:
        return f"name {tool.name!r} must be 1 to 64 letters, digits, '_' or '-'"
    if tool.input_schema.get("type") != "object":
        return f"input schema of {tool.name!r} must have the type 'object'"
    return ""


def wire_tools(request: ModelRequest) -> list[Message]:
    """Return the loaded tools, then those that the session found, in the order of discovery.

    One that a server would refuse is left out: it would take all the others with it.
    """
    usable = [tool for tool in request.tools if not tool_problem(tool)]
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
        }
        for tool in active_tools(usable, request.entries)
    ]


def wire_messages(request: ModelRequest, *, is_afresh: bool = False) -> list[Message]:
    """Return system prompt and transcript; without calls and results, questions and answers alternate."""
    start = len(request.entries) if is_afresh else last_start(PROVIDER, request)
    older, newer = request.entries[:start], request.entries[start:]
    writer = _MessageWriter(request)
    for entry in repaired([*map(_without_raw, older), *newer]):
        match entry:
            case UserEntry(text=text):
                writer.add_question(text)
            case AssistantEntry():
                writer.add_answer(entry)
            case ToolResultsEntry(results=results):
                writer.add_results(results)
    return writer.messages


def prompt_bytes(body: Mapping[str, Json]) -> int:
    """Return the bytes of all that the model reads."""
    return len(json.dumps([body.get("tools", []), body["messages"]], ensure_ascii=False).encode())


def _output_limit(request: ModelRequest, model: CompatibleModel, prompt_bytes: int) -> int:
    """Return the output limit: a server may refuse one that does not fit in its window beside the prompt."""
    room = model.context_window - prompt_bytes // LIKELY_BYTES_PER_TOKEN
    return min(request.max_output_tokens, model.max_output, max(room, MIN_OUTPUT_TOKENS))


class _MessageWriter:
    """Collect messages; know the ids under which the last calls went out, for their results."""

    def __init__(self, request: ModelRequest) -> None:
        self.messages: list[Message] = []
        self._request = request
        self._used_ids: set[str] = set()
        self._last_ids: list[str] = []
        if request.system.strip():
            self.messages.append({"role": "system", "content": request.system})

    def add_question(self, text: str) -> None:
        if self._last_role == "tool":
            self.messages.append({"role": "assistant", "content": STOPPED})
        if self._last_role == "user":
            self.messages[-1]["content"] += f"\n\n{text}"
        else:
            self.messages.append({"role": "user", "content": text})

    def add_answer(self, entry: AssistantEntry) -> None:
        """Add a message as it came, or as text and calls."""
        self._last_ids = valid_ids(entry.tool_calls, self._used_ids)
        self._used_ids.update(self._last_ids)
        message = _replayable(entry, self._request) or _projected(entry)
        for call, call_id in zip(message.get("tool_calls", ()), self._last_ids, strict=True):
            call["id"] = call_id
        if not message["content"] and "tool_calls" not in message:
            return
        if self._last_role == "assistant":
            texts = [text for text in (self.messages.pop()["content"], message["content"]) if text]
            message["content"] = "\n\n".join(texts)
        self.messages.append(message)

    def add_results(self, results: Sequence[ToolResult]) -> None:
        """Answer the calls of the last message."""
        for result, call_id in zip(results, self._last_ids, strict=True):
            text = result.text if result.text.strip() else NO_OUTPUT
            # The format has no mark for a failed call.
            content = FAILED + text if result.is_error else text
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": content})

    @property
    def _last_role(self) -> str:
        return str(self.messages[-1]["role"]) if self.messages else ""


def _replayable(entry: AssistantEntry, request: ModelRequest) -> Message | None:
    """Return a copy of a message as it came, if it was made under this very prefix, and is whole.

    Servers parse the arguments of earlier calls: what is no object would be refused for ever after.
    """
    if not is_of_context(entry, PROVIDER, request) or entry.stop_reason not in WHOLE:
        return None
    calls = entry.raw[0].get("tool_calls", []) if len(entry.raw) == 1 else []
    if len(entry.raw) != 1 or len(calls) != len(entry.tool_calls) or any(call.problem for call in entry.tool_calls):
        return None
    message = dict(entry.raw[0])
    if calls:
        message["tool_calls"] = [dict(call) for call in calls]
    return message


def _without_raw(entry: Entry) -> Entry:
    return replace(entry, raw=()) if isinstance(entry, AssistantEntry) else entry


def _projected(entry: AssistantEntry) -> Message:
    message: Message = {"role": "assistant", "content": entry.text if entry.text.strip() else None}
    if entry.tool_calls:
        message["tool_calls"] = [_call(call) for call in entry.tool_calls]
    return message


def _call(call: ToolCall) -> Message:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": valid_name(call.name), "arguments": arguments}}
