"""The event stream of a scripted response, as the real service would send it."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evals.loopback.faults import Place
from evals.loopback.tokens import count
from tests.strict_responses.script import (
    Content,
    FunctionCall,
    Reasoning,
    Refusal,
    Reply,
    Text,
    ToolSearch,
    Unknown,
)

Json = Any
Item = dict[str, Json]
PIECE_CHARACTERS = 8
# Seal(id) -> encrypted content; NewId(kind) -> id
Seal = Callable[[str], str]
NewId = Callable[[str], str]


@dataclass(frozen=True)
class Event:
    """One event and its place for a `Break`."""

    data: Item
    at: Place = ("", 0)

    @property
    def opens_block(self) -> bool:
        """Whether it only announces an item."""
        return bool(self.data["type"] == "response.output_item.added")

    def encoded(self) -> bytes:
        """Return the event as server-sent bytes."""
        return f"event: {self.data['type']}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


@dataclass(frozen=True)
class Played:
    """An item as it ends up, as it is announced, and the events in between: type, delta and more fields."""

    final: Item
    start: Item
    deltas: Sequence[Item] = ()


def play(content: Sequence[Content], seal: Seal, new_id: NewId) -> list[Played]:
    """Give ids and seals to a response's items."""
    return [_played(item, seal, new_id) for item in content]


def response_events(reply: Reply, played: Sequence[Played], response: Item, usage: Item) -> Iterator[Event]:
    """Yield every event of a whole response."""
    number = 0

    def event(kind: str, at: Place, **data: Json) -> Event:
        nonlocal number
        number += 1
        return Event({"type": kind, "sequence_number": number, **data}, at)

    shell = {**response, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", ("first", 0), response=shell)
    yield event("response.in_progress", ("start", 0), response=shell)
    if reply.strange:
        yield event("keepalive", ("start", 0))
        yield event("response.future.delta", ("start", 0), delta={"k": 1})
    for i, item in enumerate(played):
        is_done = reply.last_item_done or i + 1 < len(played)
        yield event("response.output_item.added", (i, 0), output_index=i, item=item.start)
        for n, delta in enumerate(item.deltas):
            fields = {"item_id": item.final.get("id", ""), "output_index": i, **delta}
            yield event(fields.pop("type"), (i, n), **fields)
        if is_done:
            yield event("response.output_item.done", (i, len(item.deltas)), output_index=i, item=item.final)
    status, whole = _ending(reply, [item.final for item in played], response, usage)
    yield event(f"response.{status}", ("end", 0), response=whole)


def _ending(reply: Reply, items: list[Item], response: Item, usage: Item) -> tuple[str, Item]:
    status = "failed" if reply.failed else "incomplete" if reply.incomplete else "completed"
    whole = {**response, "status": status, "output": items, "usage": usage}
    if reply.failed:
        whole |= {"error": {"code": reply.failed.code, "message": reply.failed.message}, "usage": None}
    if reply.incomplete:
        whole |= {"incomplete_details": {"reason": reply.incomplete}}
        whole["output"] = [*items[:-1], {**items[-1], "status": "incomplete"}] if items else []
    return status, whole


def usage_of(items: Sequence[Item], prompt: tuple[int, int, int]) -> Item:
    """Return what a response reports: the prompt as total, read from and written to the cache; its items as output."""
    total, read, written = prompt
    output = sum(count(item) for item in items)
    reasoning = sum(count(item) for item in items if item["type"] == "reasoning")
    return {
        "input_tokens": total,
        "input_tokens_details": {
            "cached_tokens": read,
            "cache_write_tokens": written,
            "cache_write_tokens_details": {"ttl_30m_tokens": written, "ttl_12h_tokens": 0},
        },
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": total + output,
    }


def _played(item: Content, seal: Seal, new_id: NewId) -> Played:
    match item:
        case Text(text, extra):
            return _message(new_id("msg"), {"type": "output_text", "text": text, "annotations": []}, "text", extra)
        case Refusal(text):
            return _message(new_id("msg"), {"type": "refusal", "refusal": text}, "refusal", {})
        case Reasoning():
            return _reasoning(item, new_id("rs"), seal)
        case FunctionCall():
            return _function_call(item, new_id("fc"), item.call_id or new_id("call"))
        case ToolSearch():
            return _tool_search(item, new_id("tsc"), item.call_id or new_id("call"))
        case Unknown(final):
            return Played(final, final)


def _message(item_id: str, part: Item, field: str, extra: Item) -> Played:
    final = {"id": item_id, "type": "message", "role": "assistant", "status": "completed", "content": [part], **extra}
    kind = "response.output_text.delta" if field == "text" else "response.refusal.delta"
    deltas = [{"type": kind, "content_index": 0, "delta": piece} for piece in _pieces(part[field])]
    return Played(final, {**final, "status": "in_progress", "content": []}, deltas)


def _reasoning(item: Reasoning, item_id: str, seal: Seal) -> Played:
    summary = [{"type": "summary_text", "text": text} for text in item.summaries]
    final: Item = {"id": item_id, "type": "reasoning", "summary": summary}
    # What the first event holds may be a part only.
    start = {**final, "summary": [], "encrypted_content": "gAAAA"}
    if not item.unsealed:
        final["encrypted_content"] = seal(item_id)
    deltas: list[Item] = []
    for n, text in enumerate(item.summaries):
        part = {"type": "summary_text", "text": ""}
        deltas.append({"type": "response.reasoning_summary_part.added", "summary_index": n, "part": part})
        kind = "response.reasoning_summary_text.delta"
        deltas += [{"type": kind, "summary_index": n, "delta": piece} for piece in _pieces(text)]
    return Played(final, start, deltas)


def _function_call(item: FunctionCall, item_id: str, call_id: str) -> Played:
    final = {
        "id": item_id,
        "type": "function_call",
        "status": "completed",
        "call_id": call_id,
        "name": item.name,
        "arguments": item.argument_text,
        **item.extra,
    }
    kind = "response.function_call_arguments.delta"
    deltas = [{"type": kind, "delta": piece} for piece in _pieces(item.argument_text)]
    return Played(final, {**final, "status": "in_progress", "arguments": ""}, deltas)


def _tool_search(item: ToolSearch, item_id: str, call_id: str) -> Played:
    final = {
        "id": item_id,
        "type": "tool_search_call",
        "execution": "client",
        "status": "completed",
        "call_id": call_id,
        "arguments": item.arguments,
    }
    return Played(final, {**final, "status": "in_progress", "arguments": {}})


def _pieces(text: str) -> list[str]:
    return [text[i : i + PIECE_CHARACTERS] for i in range(0, len(text), PIECE_CHARACTERS)]
