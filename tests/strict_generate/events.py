"""The chunks of a scripted message, as the real service would send them."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evals.loopback.faults import Place
from evals.loopback.tokens import count
from tests.strict_generate.script import Content, FunctionCall, OtherPart, Reply, Text, Thought

Json = Any
Object = dict[str, Json]
PIECE_CHARACTERS = 8
# Sign(part) -> the part with its signature
Sign = Callable[[Object], Object]


@dataclass(frozen=True)
class Event:
    """One chunk and its place for a `Break`; each brings whole parts, so none only opens one."""

    data: Object
    at: Place
    opens_block: bool = False

    def encoded(self) -> bytes:
        """Return the chunk as server-sent bytes."""
        return f"data: {json.dumps(self.data, ensure_ascii=False)}\r\n\r\n".encode()


def play(reply: Reply, sign: Sign, new_id: Callable[[], str]) -> list[list[Object]]:
    """Return a message's parts, as the pieces in which each comes.

    Of calls side by side the first is signed; a message without calls is signed at its end, with a part of no text
    where its last text is not to carry the signature.
    """
    played = [_pieces(item, reply, new_id) for item in reply.content]
    calls = [pieces for item, pieces in zip(reply.content, played, strict=True) if isinstance(item, FunctionCall)]
    texts = [(item, pieces) for item, pieces in zip(reply.content, played, strict=True) if isinstance(item, Text)]
    if calls:
        calls[0][-1] = sign(calls[0][-1])
    elif texts and texts[-1][0].signed:
        texts[-1][1][-1] = sign(texts[-1][1][-1])
    elif texts:
        played.append([sign({"text": ""})])
    return played


def chunks(reply: Reply, played: Sequence[Sequence[Object]], base: Object, prompt: tuple[int, int]) -> Iterator[Event]:
    """Yield every chunk of a whole message."""
    sent: list[Object] = []

    def chunk(at: Place, parts: list[Object], **candidate: Json) -> Event:
        sent.extend(parts)
        content = {"content": {"parts": parts, "role": "model"}} if parts else {}
        is_final = bool(candidate) and not reply.late_usage
        usage = reply.usage if is_final and reply.usage else usage_of(sent, prompt)
        return Event({"candidates": [{**content, **candidate, "index": 0}], "usageMetadata": usage, **base}, at)

    if reply.blocked:
        usage = reply.usage or usage_of([], prompt)
        yield Event({"promptFeedback": {"blockReason": reply.blocked}, "usageMetadata": usage, **base}, ("first", 0))
        return
    yield chunk(("first", 0), [{"text": ""}])
    if reply.strange:
        yield _strange(base)
    ending = {"finishReason": reply.finish} if reply.finish else {}
    if reply.finish == "CONTINUATION":
        ending["continuationToken"] = "Z28gb24="
    flat = [(i, n, piece) for i, pieces in enumerate(played) for n, piece in enumerate(pieces)]
    for number, (i, n, piece) in enumerate(flat):
        is_last = reply.at_once and number + 1 == len(flat)
        # What signs a message after its last block comes with its end.
        at: Place = (i, n) if i < len(reply.content) else ("end", 0)
        yield chunk(at, [piece], **(ending if is_last else {}))
    if ending and not (reply.at_once and flat):
        yield chunk(("end", 0), [], **ending)
    if reply.late_usage:
        yield Event({"usageMetadata": reply.usage or usage_of(sent, prompt), **base}, ("stop", 0))


def usage_of(parts: Sequence[Object], prompt: tuple[int, int]) -> Object:
    """Return what is reported: the prompt with what was cached of it, and the thoughts beside the answer."""
    total, cached = prompt
    thoughts = sum(count(part) for part in parts if part.get("thought"))
    candidates = sum(count(part) for part in parts if not part.get("thought"))
    usage = {
        "promptTokenCount": total,
        "candidatesTokenCount": candidates,
        "totalTokenCount": total + candidates + thoughts,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": total}],
    }
    return (
        usage
        | ({"cachedContentTokenCount": cached} if cached else {})
        | ({"thoughtsTokenCount": thoughts} if thoughts else {})
    )


def _strange(base: Object) -> Event:
    parts = [{"hologram": {"points": 3}}, {"text": "", "mood": "calm"}]
    candidate = {"content": {"parts": parts, "role": "model", "tone": 1}, "index": 0, "certainty": 0.5}
    other = {"content": {"parts": [{"text": "Not asked for."}], "role": "model"}, "index": 1, "finishReason": "OTHER"}
    return Event({"candidates": [candidate, other], "weather": {"k": 1}, **base}, ("start", 0))


def _pieces(item: Content, reply: Reply, new_id: Callable[[], str]) -> list[Object]:
    match item:
        case Text(text):
            return [{"text": piece} for piece in _cut(text)]
        case Thought(text):
            return [{"text": piece, "thought": True} for piece in _cut(text)]
        case FunctionCall(name, arguments, call_id):
            identity = {"id": call_id or new_id()} if reply.with_ids else {}
            given = {} if arguments is None else {"args": arguments}
            return [{"functionCall": {**identity, "name": name, **given}}]
        case OtherPart(part):
            return [dict(part)]


def _cut(text: str) -> list[str]:
    return [text[i : i + PIECE_CHARACTERS] for i in range(0, len(text), PIECE_CHARACTERS)] or [""]
