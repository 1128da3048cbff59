"""The chunks of a scripted message, as each server would send them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evals.loopback.faults import Place
from evals.loopback.tokens import count
from tests.strict_chat.dialects import Dialect
from tests.strict_chat.script import Content, FunctionCall, Reasoning, Reply, Text

Json = Any
Chunk = dict[str, Json]
PIECE_CHARACTERS = 8
KEEP_ALIVE = b": keep-alive\n\n"


@dataclass(frozen=True)
class Event:
    """One event as bytes, its place for a `Break`, and whether it only opens a part."""

    sent: bytes
    at: Place = ("", 0)
    opens_block: bool = False

    def encoded(self) -> bytes:
        """Return the event as it goes out."""
        return self.sent


@dataclass(frozen=True)
class Stream:
    """Whose message it is and what it cost."""

    message_id: str
    model: str
    dialect: Dialect
    usage: Chunk

    def events(self, reply: Reply) -> Iterator[Event]:
        """Yield every event of a whole message."""
        yield self._chunk(("first", 0), {"role": "assistant", "content": None})
        if reply.strange:
            yield from self._strange()
        calls = 0
        for i, part in enumerate(reply.content):
            for n, (delta, opens) in enumerate(self._deltas(part, calls)):
                # What opens a part is none of its deltas.
                yield self._chunk((i, n if not isinstance(part, FunctionCall) else max(0, n - 1)), delta, opens=opens)
            calls += isinstance(part, FunctionCall)
        if reply.refusal:
            yield self._chunk(("refusal", 0), {"refusal": reply.refusal})
        yield self._chunk(("end", 0), {}, finish=reply.finish)
        if self.usage:
            yield self._event(("stop", 0), {"choices": [], "usage": self.usage})
        yield Event(b"data: [DONE]\n\n", ("done", 0))

    def _deltas(self, part: Content, number: int) -> Iterator[tuple[Chunk, bool]]:
        match part:
            case Text():
                yield from (({"content": piece}, False) for piece in part.pieces or _pieces(part.text))
            case Reasoning(text):
                yield from (({self.dialect.reasoning_field: piece}, False) for piece in _pieces(text))
            case FunctionCall():
                yield from self._call(part, number)

    def _call(self, part: FunctionCall, number: int) -> Iterator[tuple[Chunk, bool]]:
        index = number if part.index is None else part.index
        call_id = f"call_{self.message_id}_{number}" if part.id is None else part.id
        head: Chunk = {"index": index, "id": call_id, "type": "function"}
        if self.dialect.whole_calls:
            function = {"name": part.name, "arguments": part.argument_text}
            yield {"tool_calls": [{**head, "function": function}]}, False
            return
        yield {"tool_calls": [{**head, "function": {"name": part.name, "arguments": ""}}]}, True
        for piece in _pieces(part.argument_text):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, False

    def _strange(self) -> Iterator[Event]:
        """Yield what no client asked for: a comment, an unknown event, unknown fields, a second choice."""
        at = ("start", 0)
        yield Event(KEEP_ALIVE, at)
        yield Event(b'event: future\ndata: {"object": "future.chunk", "x": 1}\n\n', at)
        yield self._chunk(at, {"future_field": {"k": 1}})
        yield self._event(at, {"choices": [{"index": 1, "delta": {"content": "Other."}, "finish_reason": None}]})

    def _chunk(self, at: Place, delta: Chunk, *, finish: str | None = None, opens: bool = False) -> Event:
        return self._event(at, {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}, opens=opens)

    def _event(self, at: Place, data: Chunk, *, opens: bool = False) -> Event:
        shell = {"id": self.message_id, "object": "chat.completion.chunk", "created": 1, "model": self.model}
        return Event(f"data: {json.dumps({**shell, **data}, ensure_ascii=False)}\n\n".encode(), at, opens)


def output_tokens(reply: Reply) -> int:
    """Count what a message says, its reasoning included."""
    return sum(
        count(part.name + part.argument_text) if isinstance(part, FunctionCall) else count(part.text)
        for part in reply.content
    )


def _pieces(text: str) -> list[str]:
    return [text[i : i + PIECE_CHARACTERS] for i in range(0, len(text), PIECE_CHARACTERS)]
