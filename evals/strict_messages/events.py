"""The event stream of a scripted reply, as the real service would send it."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evals.loopback.tokens import count
from evals.strict_messages.conversation import THINKING
from evals.strict_messages.script import Content, Redacted, Reply, ServerToolUse, Text, Thinking, ToolUse, Unknown

Json = Any
Block = dict[str, Json]
PIECE_CHARACTERS = 8
# Seal(text, blocks before it in this message) -> signature
Seal = Callable[[str, Sequence[Block]], str]
NewId = Callable[[str], str]


@dataclass(frozen=True)
class Event:
    """One event; `at` is its place for a `Break`: the block's number or a named point, and a count."""

    name: str
    data: Block
    at: tuple[int | str, int] = ("", 0)

    @property
    def opens_block(self) -> bool:
        """Whether it only announces a block."""
        return self.name == "content_block_start"

    def encoded(self) -> bytes:
        """Return the event as server-sent bytes."""
        return f"event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


@dataclass(frozen=True)
class Played:
    """A block as it ends up, and how it is streamed."""

    final: Block
    start: Block
    deltas: Sequence[Block] = ()


def play(content: Sequence[Content], seal: Seal, new_id: NewId) -> list[Played]:
    """Give ids and signatures to a reply's blocks."""
    played: list[Played] = []
    for item in content:
        before = [block.final for block in played]
        match item:
            case Text():
                played.append(_text(item))
            case Thinking():
                played.append(_thinking(item, "" if item.unsigned else seal(item.text, before)))
            case Redacted():
                block = {"type": "redacted_thinking", "data": seal("", before)}
                played.append(Played(block, block))
            case ToolUse():
                played.append(_tool_use(item, item.id or new_id("toolu")))
            case ServerToolUse():
                played.extend(_server_tool_use(item, new_id("srvtoolu")))
            case Unknown():
                played.append(Played(item.block, item.block, item.deltas))
    return played


def message_events(reply: Reply, played: Sequence[Played], message: Block, usage: Block) -> Iterator[Event]:
    """Yield every event of a whole message."""
    yield Event("message_start", {"type": "message_start", "message": {**message, "usage": usage}}, ("first", 0))
    if reply.pings:
        yield Event("ping", {"type": "ping"}, ("start", 0))
    for name, data in reply.extra_events:
        yield Event(name, data, ("start", 0))
    for i, block in enumerate(played):
        yield Event(
            "content_block_start", {"type": "content_block_start", "index": i, "content_block": block.start}, (i, 0)
        )
        for n, delta in enumerate(block.deltas):
            yield Event("content_block_delta", {"type": "content_block_delta", "index": i, "delta": delta}, (i, n))
            if reply.pings:
                yield Event("ping", {"type": "ping"}, (i, n))
        yield Event("content_block_stop", {"type": "content_block_stop", "index": i}, (i, len(block.deltas)))
    stop = {"stop_reason": reply.stop_reason, "stop_sequence": None, "stop_details": reply.stop_details}
    yield Event(
        "message_delta", {"type": "message_delta", "delta": stop, "usage": _end_usage(reply, played, usage)}, ("end", 0)
    )
    yield Event("message_stop", {"type": "message_stop"}, ("stop", 0))


def _end_usage(reply: Reply, played: Sequence[Played], usage: Block) -> Block:
    """Return the cumulative usage, which leaves out the split of the cache writes."""
    thinking = sum(count(block.final) for block in played if block.final["type"] in THINKING)
    total = sum(count(block.final) for block in played)
    given = {} if reply.output_tokens is None else {"output_tokens": reply.output_tokens}
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return {
        "output_tokens": total,
        **{name: usage[name] for name in names if name in usage},
        "output_tokens_details": {"thinking_tokens": thinking},
        **(reply.usage or {}),
        **given,
    }


def _text(item: Text) -> Played:
    pieces = item.pieces or _pieces(item.text)
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return Played({"type": "text", "text": "".join(pieces)}, {"type": "text", "text": ""}, deltas)


def _thinking(item: Thinking, signature: str) -> Played:
    deltas: list[Block] = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(item.text)]
    if signature:
        deltas.append({"type": "signature_delta", "signature": signature})
    start = {"type": "thinking", "thinking": "", "signature": ""}
    return Played({"type": "thinking", "thinking": item.text, "signature": signature}, start, deltas)


def _tool_use(item: ToolUse, call_id: str) -> Played:
    start = {
        "type": "tool_use",
        "id": call_id,
        "name": item.name,
        "input": {},
        "caller": {"type": "direct"},
        **item.extra,
    }
    try:
        arguments = json.loads(item.argument_text or "{}")
    except ValueError:
        arguments = {}
    pieces = ["", *_pieces(item.argument_text)]
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return Played({**start, "input": arguments}, start, deltas)


def _server_tool_use(item: ServerToolUse, call_id: str) -> Iterator[Played]:
    start = {"type": "server_tool_use", "id": call_id, "name": item.name, "input": {}, "caller": {"type": "direct"}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(json.dumps(item.arguments))]
    yield Played({**start, "input": item.arguments}, start, deltas)
    if item.result is not None:
        result = {**item.result, "tool_use_id": call_id}
        yield Played(result, result)


def _pieces(text: str) -> list[str]:
    return [text[i : i + PIECE_CHARACTERS] for i in range(0, len(text), PIECE_CHARACTERS)]
