"""The Messages API request of a `ModelRequest`, as plain dicts: pure, no SDK.

Two things are guaranteed. The same entries always give the same blocks, so each request of a
session extends the one before it and its prompt cache holds. And nothing goes out that the API
would refuse for ever after: blank text, unsigned thinking, calls without exactly one result.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chat.providers.base import (
    AssistantEntry,
    Entry,
    Json,
    ModelRequest,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.calls import valid_ids, valid_name
from chat.providers.history import active_tools, repaired
from chat.providers.replay import is_of_context, last_start

Block = dict[str, Json]

PROVIDER = "anthropic"
NO_OUTPUT = "(no output)"
THINKING = frozenset({"thinking", "redacted_thinking"})
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# The prefix outlives a coffee break; messages are read again within one turn. The API wants
# longer lifetimes before shorter ones, and tools come before system and messages.
PREFIX_CACHE: Block = {"type": "ephemeral", "ttl": "1h"}
MESSAGE_CACHE: Block = {"type": "ephemeral", "ttl": "5m"}


@dataclass(frozen=True)
class AnthropicModel:
    """What one model accepts; a row of the model table in `burp.toml`.

    `thinking` is `adaptive` (visible as summaries) or `none` (the parameter is left out).
    Without `effort_levels` the model has no such setting and none is sent. Without
    `supports_deferral` tools that were found join the tool list instead.
    """

    id: str
    max_output: int = 128_000
    thinking: Literal["adaptive", "none"] = "adaptive"
    effort_levels: tuple[str, ...] = ("low", "medium", "high", "xhigh", "max")
    supports_deferral: bool = True


def request_body(request: ModelRequest, model: AnthropicModel, *, is_afresh: bool = False) -> Block:
    """Return the keyword arguments of `messages.stream`; `is_afresh` sends all messages as projection."""
    body: Block = {
        "model": model.id,
        "max_tokens": min(request.max_output_tokens, model.max_output),
        "messages": wire_messages(request, model, is_afresh=is_afresh),
    }
    if request.system.strip():
        body["system"] = [{"type": "text", "text": request.system, "cache_control": PREFIX_CACHE}]
    if tools := wire_tools(request, model):
        body["tools"] = tools
    if model.thinking == "adaptive":
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    if request.effort and model.effort_levels:
        body["output_config"] = {"effort": request.effort}
    return body


def diagnosed(body: Block, request: ModelRequest) -> Block:
    """Return the body with the wish to be told where it differs from the last one that was answered."""
    ids = [
        e.message_id for e in request.entries if isinstance(e, AssistantEntry) and is_of_context(e, PROVIDER, request)
    ]
    return {**body, "diagnostics": {"previous_message_id": next(filter(None, reversed(ids)), None)}}


def tool_problem(tool: ToolDefinition) -> str:
    """Say why the API would refuse a request with this tool; empty if it would not."""
    if not TOOL_NAME.fullmatch(tool.name):
        return f"name {tool.name!r} must be 1 to 64 letters, digits, '_' or '-'"
    if tool.input_schema.get("type") != "object":
        return f"input schema of {tool.name!r} must have the type 'object'"
    if unions := sorted({"anyOf", "oneOf", "allOf"} & tool.input_schema.keys()):
        return f"input schema of {tool.name!r} has {unions[0]!r} at its top level"
    return ""


def wire_tools(request: ModelRequest, model: AnthropicModel) -> list[Block]:
    """Return the tools in the given order, the last one of the cached prefix marked.

    A tool that the API would refuse is left out: it would take all the others with it.
    """
    usable = [tool for tool in request.tools if not tool_problem(tool)]
    if not model.supports_deferral:
        usable = [*active_tools(usable, request.entries)]
    tools: list[Block] = []
    for tool in usable:
        wire: Block = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        if tool.deferred and model.supports_deferral:
            wire["defer_loading"] = True
        tools.append(wire)
    if visible := [tool for tool in tools if "defer_loading" not in tool]:
        visible[-1]["cache_control"] = PREFIX_CACHE
    return tools


def wire_messages(request: ModelRequest, model: AnthropicModel, *, is_afresh: bool = False) -> list[Block]:
    """Return the transcript as alternating messages with the two message breakpoints set."""
    references = _references(request, model)
    start = len(request.entries) if is_afresh else last_start(PROVIDER, request)
    if not model.supports_deferral:
        start = max(start, _last_growth(request))
    older, newer = request.entries[:start], request.entries[start:]
    writer = _MessageWriter()
    for entry in repaired([*map(_projected, older), *newer]):
        match entry:
            case UserEntry(text=text):
                writer.add("user", [{"type": "text", "text": text}])
            case ToolResultsEntry(results=results):
                call_ids = writer.last_call_ids
                writer.add("user", [_result(r, i, references) for r, i in zip(results, call_ids, strict=True)])
            case AssistantEntry():
                blocks, call_ids = _assistant(entry, request, writer.used_ids)
                writer.add("assistant", blocks, call_ids)
    _mark(writer.messages)
    return writer.messages


def prompt_bytes(body: Mapping[str, Json]) -> tuple[int, int]:
    """Return the bytes of the prompt's prefix (tools, system) and of its messages.

    A deferred tool counts where a reference loads it; the API keeps the others out of the prompt.
    """
    tools = {tool["name"]: tool for tool in body.get("tools", ())}
    visible = [tool for tool in tools.values() if "defer_loading" not in tool]
    referenced = {
        reference["tool_name"]
        for message in body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result" and isinstance(block["content"], list)
        for reference in block["content"]
    }
    loaded = [tools[name] for name in sorted(referenced)]
    return _size([visible, body.get("system", [])]), _size([body["messages"], loaded])


class _MessageWriter:
    """Collect blocks into messages; neighbours of the same role become one message."""

    def __init__(self) -> None:
        self.messages: list[Block] = []
        self.used_ids: set[str] = set()
        self.last_call_ids: Sequence[str] = ()

    def add(self, role: str, blocks: Sequence[Block], call_ids: Sequence[str] = ()) -> None:
        if not blocks:
            return
        if self.messages and self.messages[-1]["role"] == role:
            self.messages[-1]["content"].extend(blocks)
        else:
            self.messages.append({"role": role, "content": [*blocks]})
        self.last_call_ids = call_ids
        self.used_ids.update(call_ids)


def _assistant(entry: AssistantEntry, request: ModelRequest, used_ids: set[str]) -> tuple[list[Block], list[str]]:
    """Return an assistant entry's blocks and the ids under which its calls go out."""
    call_ids = [call.id for call in entry.tool_calls]
    if _is_replayable(entry, request):
        return without_trailing_thinking([block for block in entry.raw if _may_be_sent(block)]), call_ids
    blocks: list[Block] = [{"type": "text", "text": entry.text}] if entry.text.strip() else []
    call_ids = valid_ids(entry.tool_calls, used_ids)
    for call, call_id in zip(entry.tool_calls, call_ids, strict=True):
        blocks.append({"type": "tool_use", "id": call_id, "name": valid_name(call.name), "input": call.arguments})
    return blocks, call_ids


def _is_replayable(entry: AssistantEntry, request: ModelRequest) -> bool:
    """Whether the raw message may go back: made by this API under this very prefix, and whole."""
    raw_ids = [block.get("id") for block in entry.raw if block.get("type") == "tool_use"]
    is_whole = bool(entry.raw) and raw_ids == [call.id for call in entry.tool_calls]
    return is_whole and is_of_context(entry, PROVIDER, request)


def _may_be_sent(block: Block) -> bool:
    match block.get("type"):
        case "text":
            return bool(block.get("text", "").strip())
        case "thinking":
            return bool(block.get("signature"))
        case "redacted_thinking":
            return bool(block.get("data"))
    return True


def _projected(entry: Entry) -> Entry:
    return replace(entry, raw=()) if isinstance(entry, AssistantEntry) else entry


def without_trailing_thinking(blocks: list[Block]) -> list[Block]:
    """Drop thinking that nothing follows: the API refuses a message that ends with it."""
    end = len(blocks)
    while end and blocks[end - 1].get("type") in THINKING:
        end -= 1
    return blocks[:end]


def _references(request: ModelRequest, model: AnthropicModel) -> frozenset[str]:
    """Return the names that a result may refer to: only deferred tools that are sent can be loaded."""
    if not model.supports_deferral:
        return frozenset()
    return frozenset(tool.name for tool in request.tools if tool.deferred and not tool_problem(tool))


def _result(result: ToolResult, call_id: str, references: frozenset[str]) -> Block:
    found = [name for name in dict.fromkeys(result.tool_references) if name in references]
    block: Block = {"type": "tool_result", "tool_use_id": call_id}
    if found and not result.is_error:
        return {**block, "content": [{"type": "tool_reference", "tool_name": name} for name in found]}
    block["content"] = result.text if result.text.strip() else NO_OUTPUT
    if result.is_error:
        block["is_error"] = True
    return block


def _last_growth(request: ModelRequest) -> int:
    """Return the position up to which entries were written under a shorter tool list."""
    entries, last, names = request.entries, 0, len(active_tools(request.tools, ()))
    for position in range(len(entries)):
        grown = len(active_tools(request.tools, entries[: position + 1]))
        if grown > names:
            last, names = position + 1, grown
    return last


def _mark(messages: list[Block]) -> None:
    """Set a breakpoint on the last message, and on the one that ended the previous request.

    The second is where that request wrote its cache entry: a step of many parallel calls would
    put it out of reach of the 20 blocks that a lookup goes back.
    """
    ends = [position for position, message in enumerate(messages) if message["role"] == "user"]
    replies = [position for position, message in enumerate(messages) if message["role"] == "assistant"]
    previous = [position for position in ends if replies and position < replies[-1]]
    for position in {*ends[-1:], *previous[-1:]}:
        content = messages[position]["content"]
        content[-1] = {**content[-1], "cache_control": MESSAGE_CACHE}


def _size(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())
