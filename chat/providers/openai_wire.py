"""The Responses API request of a `ModelRequest`, as plain dicts: pure, no SDK.

Nothing is kept by the service: reasoning comes back encrypted and goes out again as it came. The
same entries always give the same items, so each request of a session extends the one before it and
its prompt cache holds. Where the model has tool search, the catalogue's search is that tool, run by
us: what it found is loaded by its answer, behind everything that is cached already.
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
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.calls import valid_ids, valid_name
from chat.providers.history import active_tools, repaired
from chat.providers.replay import is_of_context, last_start

Item = dict[str, Json]

PROVIDER = "openai"
NO_OUTPUT = "(no output)"
FAILED = "The call failed. "
MIN_OUTPUT_TOKENS = 16
CALLS = frozenset({"function_call", "tool_search_call"})
WHOLE = frozenset({"end", "tool_use"})


@dataclass(frozen=True)
class OpenAIModel:
    """What one model accepts; a row of the model table in `burp.toml`.

    Without `effort_levels` the model does not reason and neither effort nor summary is asked for.
    Without `supports_deferral` tools that were found join the tool list instead.
    """

    id: str
    max_output: int = 128_000
    effort_levels: tuple[str, ...] = ("low", "medium", "high")
    supports_deferral: bool = True


def request_body(
    request: ModelRequest, model: OpenAIModel, *, is_afresh: bool = False, with_summary: bool = True
) -> Item:
    """Return the keyword arguments of `responses.create`; `is_afresh` sends all messages as projection."""
    body: Item = {
        "model": model.id,
        "input": wire_input(request, model, is_afresh=is_afresh),
        "max_output_tokens": output_limit(request, model),
        "store": False,
        "include": ["reasoning.encrypted_content"],
        # Without the count of exchanges: what is sent before the messages stays the same.
        "prompt_cache_key": request.context_version.partition("-")[0][:64],
        # Prices are those of this tier; the account's own default might cost more.
        "service_tier": "default",
    }
    if request.system.strip():
        body["instructions"] = request.system
    if tools := wire_tools(request, model):
        body["tools"] = tools
    if model.effort_levels:
        reasoning = {"effort": request.effort} if request.effort else {}
        body["reasoning"] = {**reasoning, "summary": "auto"} if with_summary else reasoning
    return body


def output_limit(request: ModelRequest, model: OpenAIModel) -> int:
    """Return the output limit of a request, which the API wants to be at least 16."""
    return max(MIN_OUTPUT_TOKENS, min(request.max_output_tokens, model.max_output))


def tool_problem(tool: ToolDefinition) -> str:
    """Say why the API would refuse a request with this tool; empty if it would not."""
    if valid_name(tool.name) != tool.name:
        return f"name {tool.name!r} must be 1 to 64 letters, digits, '_' or '-'"
    if tool.input_schema.get("type") != "object":
        return f"input schema of {tool.name!r} must have the type 'object'"
    if unfit := sorted({"anyOf", "oneOf", "allOf", "enum", "not"} & tool.input_schema.keys()):
        return f"input schema of {tool.name!r} has {unfit[0]!r} at its top level"
    return ""


def wire_tools(request: ModelRequest, model: OpenAIModel) -> list[Item]:
    """Return the tools in the given order; one that the API would refuse is left out, it would take all along."""
    usable = [tool for tool in request.tools if not tool_problem(tool)]
    if not model.supports_deferral:
        return [_function(tool) for tool in active_tools(usable, request.entries)]
    return [_search_tool(tool) if tool.finds_tools else _function(tool) for tool in usable if not tool.deferred]


def wire_input(request: ModelRequest, model: OpenAIModel, *, is_afresh: bool = False) -> list[Item]:
    """Return the transcript as a flat list of items."""
    start = len(request.entries) if is_afresh else last_start(PROVIDER, request)
    older, newer = request.entries[:start], request.entries[start:]
    writer = _InputWriter(request, model)
    for entry in repaired([*map(_projected, older), *newer]):
        match entry:
            case UserEntry(text=text):
                writer.items.append(_message("developer" if entry.is_note else "user", text))
            case AssistantEntry():
                writer.add_message(entry)
            case ToolResultsEntry(results=results):
                writer.add_results(results)
    return writer.items


def prompt_bytes(body: Mapping[str, Json]) -> int:
    """Return the bytes of all that the model reads."""
    parts = [body.get("instructions", ""), body.get("tools", []), body["input"]]
    return len(json.dumps(parts, ensure_ascii=False).encode())


class _InputWriter:
    """Collect items; know how the calls of the last message went out, for their results."""

    def __init__(self, request: ModelRequest, model: OpenAIModel) -> None:
        self.items: list[Item] = []
        self._request = request
        self._used_ids: set[str] = set()
        self._last_calls: list[tuple[str, str]] = []
        has_search = model.supports_deferral
        self._searches = {tool.name for tool in request.tools if has_search and tool.finds_tools}
        self._deferred = {tool.name: tool for tool in request.tools if tool.deferred and not tool_problem(tool)}

    def add_message(self, entry: AssistantEntry) -> None:
        """Add a message as it came, or what can be said of it without its own form."""
        items = _replayable(entry, self._request) or self._projected(entry)
        self.items += items
        self._last_calls = [(item["type"], item["call_id"]) for item in items if item["type"] in CALLS]
        self._used_ids.update(call_id for _, call_id in self._last_calls)

    def add_results(self, results: Sequence[ToolResult]) -> None:
        """Answer the calls of the last message."""
        remarks: list[Item] = []
        for result, (kind, call_id) in zip(results, self._last_calls, strict=True):
            if kind == "function_call":
                text = result.text if result.text.strip() else NO_OUTPUT
                # The API has no mark for a failed call.
                output = FAILED + text if result.is_error else text
                self.items.append({"type": "function_call_output", "call_id": call_id, "output": output})
            else:
                found = self._found(result)
                self.items.append(_search_output(call_id, found))
                if not found and result.text.strip():
                    remarks.append(_message("developer", result.text))
        self.items += remarks

    def _found(self, result: ToolResult) -> list[ToolDefinition]:
        names = () if result.is_error else dict.fromkeys(result.tool_references)
        return [self._deferred[name] for name in names if name in self._deferred]

    def _projected(self, entry: AssistantEntry) -> list[Item]:
        items = [_message("assistant", entry.text)] if entry.text.strip() else []
        for call, call_id in zip(entry.tool_calls, valid_ids(entry.tool_calls, self._used_ids), strict=True):
            items.append(self._call(call, call_id))
        return items

    def _call(self, call: ToolCall, call_id: str) -> Item:
        if call.name in self._searches:
            return {
                "type": "tool_search_call",
                "call_id": call_id,
                "execution": "client",
                "status": "completed",
                "arguments": call.arguments,
            }
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        return {"type": "function_call", "call_id": call_id, "name": valid_name(call.name), "arguments": arguments}


def _replayable(entry: AssistantEntry, request: ModelRequest) -> list[Item]:
    """Return a message's own items, if it was made by this API under this very prefix, and is whole.

    A message that the output limit cut, or whose calls can't be read, goes as its projection: what
    the service sealed belongs to items that can't be sent.
    """
    if not is_of_context(entry, PROVIDER, request) or entry.stop_reason not in WHOLE:
        return []
    items = _without_trailing_reasoning([item for item in entry.raw if not _is_blank(item)])
    unsealed = any(item["type"] == "reasoning" and not item.get("encrypted_content") for item in items)
    call_ids = [item["call_id"] for item in items if item["type"] in CALLS]
    is_whole = call_ids == [call.id for call in entry.tool_calls] and not any(call.problem for call in entry.tool_calls)
    return items if is_whole and not unsealed else []


def _without_trailing_reasoning(items: list[Item]) -> list[Item]:
    """Drop reasoning that nothing follows: the API wants the item that it led to."""
    end = len(items)
    while end and items[end - 1]["type"] == "reasoning":
        end -= 1
    return items[:end]


def _is_blank(item: Item) -> bool:
    if item["type"] != "message":
        return False
    return not any(str(part.get("text") or part.get("refusal") or "").strip() for part in item.get("content", ()))


def _projected(entry: Entry) -> Entry:
    return replace(entry, raw=()) if isinstance(entry, AssistantEntry) else entry


def _message(role: Literal["user", "assistant", "developer"], text: str) -> Item:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _function(tool: ToolDefinition, **more: Json) -> Item:
    # Not strict: strict mode knows only a part of JSON Schema and has no optional arguments.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        "strict": False,
        **more,
    }


def _search_tool(tool: ToolDefinition) -> Item:
    """Return the catalogue's search as the API's own tool, which has no name: the prompt calls it by ours."""
    return {
        "type": "tool_search",
        "execution": "client",
        "description": f"{tool.description} Elsewhere it is called `{tool.name}`.",
        "parameters": tool.input_schema,
    }


def _search_output(call_id: str, found: Sequence[ToolDefinition]) -> Item:
    return {
        "type": "tool_search_output",
        "call_id": call_id,
        "execution": "client",
        "status": "completed",
        "tools": [_function(tool, defer_loading=True) for tool in found],
    }
