"""The one shape of every tool result: outcome, data, how much of it, and where it comes from."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mcp_server.codes import TOOL_SENTENCES, ResultOutcome, ToolCode
from mcp_server.http.client import CallTrace
from mcp_server.http.errors import NotInSnapshot, UpstreamError
from mcp_server.identifiers import record_url

Json = Any
# Less than this is the time that any request takes to find out that it may go.
SHORTEST_WAIT_S = 0.05


@dataclass(frozen=True)
class Citation:
    """A record that a result rests on. Without `url`, the kind's own page is linked."""

    kind: str
    identifier: str
    label: str = ""
    url: str = ""

    def wire(self) -> dict[str, str]:
        """Return plain data with the link filled in."""
        return {
            "kind": self.kind,
            "identifier": self.identifier,
            "label": self.label,
            "url": self.url or record_url(self.kind, self.identifier),
        }


@dataclass(frozen=True)
class Answer:
    """What a tool function returns when it knows more than the bare data.

    `total` is how many the upstream has, `returned` how many are here, `next` the arguments that go on.
    """

    data: Json = None
    outcome: ResultOutcome = ResultOutcome.DATA
    total: int | None = None
    returned: int | None = None
    next: dict[str, Json] | None = None
    note: str = ""
    citations: Sequence[Citation] = ()


def rows(
    items: Sequence[Json],
    *,
    total: int | None = None,
    next: dict[str, Json] | None = None,
    note: str = "",
    data: Json = None,
    citations: Sequence[Citation] = (),
) -> Answer:
    """Answer with a list: `data`, or the items themselves, and an honest count. No items is `empty`."""
    return Answer(
        data=items if data is None else data,
        outcome=ResultOutcome.DATA if items else ResultOutcome.EMPTY,
        total=len(items) if total is None else total,
        returned=len(items),
        next=next,
        note=note,
        citations=citations,
    )


def empty(note: str, data: Json = None) -> Answer:
    """Answer that the upstream was asked and has nothing; `note` says what was looked for."""
    return Answer(data=data, outcome=ResultOutcome.EMPTY, total=0, returned=0, note=note)


def unknown_id(identifier: str, note: str, replacement: Json = None) -> Answer:
    """Answer that the upstream does not know the identifier; name its replacement where there is one."""
    data = {"identifier": identifier, "replacement": replacement} if replacement else {"identifier": identifier}
    return Answer(data=data, outcome=ResultOutcome.UNKNOWN_ID, note=note)


class InvalidArguments(Exception):
    """An argument that must be corrected before anything is asked."""

    def __init__(self, argument: str, message: str, example: Json = None) -> None:
        super().__init__(f"{argument}: {message}")
        self.argument = argument
        self.message = message
        self.example = example


def envelope_schema(*, spooled: bool = False) -> dict[str, Json]:
    """Return the JSON Schema of every envelope; `spooled` names the form of one that is handed over as a file.

    It stands beside each tool in the list, so it says what readers rely on and not a word more.
    """
    number, object_ = {"type": "integer"}, {"type": "object"}
    properties: dict[str, Json] = {
        "outcome": {"type": "string", "enum": [outcome.value for outcome in ResultOutcome]},
        "data": {},
        "total": number,
        "returned": number,
        "next": object_,
        "note": {"type": "string"},
        "error": object_,
    }
    if spooled:
        properties["spooled"] = object_
    return {"type": "object", "properties": properties, "required": ["outcome"]}


@dataclass(frozen=True)
class Envelope:
    """A finished result: what goes into `structuredContent`, and what into `_meta`."""

    content: dict[str, Json]
    meta: dict[str, Json] = field(default_factory=dict)

    @property
    def is_error(self) -> bool:
        """Whether the call failed or was refused."""
        return bool(self.content["outcome"] == ResultOutcome.FAILED)


def success(answer: Answer, citations: Sequence[Citation], trace: CallTrace) -> Envelope:
    """Build the envelope of an answer."""
    partial = any(origin.partial for origin in trace.origins)
    note = answer.note
    if partial:
        note = f"{note} The offline snapshot holds only a part of what the database lists here.".strip()
    # Of a part, the rows at hand are no total: a cut list is never taken for the whole.
    total = None if partial and answer.returned and answer.total == answer.returned else answer.total
    content: dict[str, Json] = {"outcome": answer.outcome.value, "data": answer.data}
    optional = {"total": total, "returned": answer.returned, "next": answer.next, "note": note or None}
    content |= {name: value for name, value in optional.items() if value is not None}
    unique = {(c.kind, c.identifier): c for c in (*answer.citations, *citations)}
    return Envelope(content, {"burp/citations": [c.wire() for c in unique.values()], **provenance(trace)})


def failure(code: ToolCode, message: str, trace: CallTrace | None = None, **facts: Json) -> Envelope:
    """Build the envelope of a failed or refused call; `facts` are e.g. `argument`, `example`, `near`."""
    error = {"code": code.value, "message": message, "next_step": TOOL_SENTENCES[code]}
    error |= {name: value for name, value in facts.items() if value not in (None, [], "")}
    content = {"outcome": ResultOutcome.FAILED.value, "error": error}
    return Envelope(content, {"burp/citations": [], **provenance(trace or CallTrace())})


def upstream_failure(error: UpstreamError, trace: CallTrace) -> Envelope:
    """Build the envelope of an upstream's failure, with its own words and near records where known."""
    near = error.body if isinstance(error, NotInSnapshot) else None
    return failure(error.code, str(error), trace, near=near)


def provenance(trace: CallTrace) -> dict[str, Json]:
    """Return when and where the data was fetched; records and kept answers keep their own time."""
    meta: dict[str, Json] = {"burp/requests": trace.requests}
    if (waited_s := round(trace.waits.seconds, 3)) >= SHORTEST_WAIT_S:
        meta["burp/waited_s"] = waited_s
    if trace.release:
        meta["burp/release"] = trace.release
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    # A result is as old as its oldest part.
    meta["burp/fetched_at"] = min([now, *(origin.fetched_at for origin in trace.origins)])
    records = [origin for origin in trace.origins if origin.origin != "cache"]
    if records:
        meta["burp/snapshot"] = {
            "origin": "curated" if any(o.origin == "curated" for o in records) else "recorded",
            "date": min(origin.date for origin in records),
            "partial": any(origin.partial for origin in records),
        }
    return meta


def compact(content: Json) -> str:
    """Return the JSON text that a model reads."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def walk(data: Json, path: str) -> Iterator[Json]:
    """Yield what a path like `.studies[].id` points at, in order; missing parts yield nothing."""
    if path in ("", "."):
        yield data
        return
    head, _, rest = path.removeprefix(".").partition(".")
    name = head.removesuffix("[]")
    found = data.get(name) if name and isinstance(data, dict) else (data if not name else None)
    if head.endswith("[]"):
        for item in found if isinstance(found, list) else ():
            yield from walk(item, f".{rest}" if rest else "")
    elif found is not None:
        yield from walk(found, f".{rest}" if rest else "")
