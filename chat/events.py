"""The typed events of a turn: the one stream that pages, API, terminal and evaluations read.

Every event is frozen and JSON-serialisable, each field says what it holds; docs/events.md and the
JSON schema are made from that. `to_wire` and `from_wire` are inverse.
"""

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

Json = Any

# Raised when a field or a type goes, changes its meaning or its form. What is only added does not
# raise it: readers leave out what they do not know.
EVENTS_VERSION = 1


def told(help_text: str, **schema: Json) -> Any:
    """Declare a field that every event has. `schema` adds to what its annotation says of its form."""
    return field(metadata={"help": help_text, "schema": schema})


def may(default: Json, help_text: str, **schema: Json) -> Any:
    """Declare a field with a default; a list or object begins empty."""
    metadata = {"help": help_text, "schema": schema}
    if default in ([], {}):
        return field(default_factory=type(default), metadata=metadata)
    return field(default=default, metadata=metadata)


STEP = "Number of the model call in the turn, from 1."
CALL_ID = "Id of the call, unique in the turn."
PICO_USD = "in pico-USD (10⁻¹² USD)"


@dataclass(frozen=True, kw_only=True)
class Event:
    """What all events share."""

    type: ClassVar[str] = ""
    seq: int = may(0, "Number of the event: grows within a turn; joined pieces of text keep the last one.", minimum=0)
    at: str = may("", "When it happened: ISO 8601, UTC.")


@dataclass(frozen=True, kw_only=True)
class TurnStarted(Event):
    """The turn has begun: always the first event."""

    type: ClassVar[str] = "turn_started"
    session_id: str = told("Id of the session.")
    turn_id: str = told("Id of the turn.")
    question: str = told("What was asked.")
    provider: str = told("The provider that answers; empty if the turn could not begin.")
    model: str = told("The provider's own id of the model.")
    model_label: str = told("The model's name on the pages.")
    upstreams: str = told("Where records come from.", enum=["live", "snapshot"])
    effort: str = may("", "The level of effort; empty for a model that has none.")
    budget_pico_usd: int = may(0, f"What the turn may cost, {PICO_USD}; 0 where it is not known.", minimum=0)
    estimate_low_pico_usd: int = may(0, f"Most such turns cost at least this, {PICO_USD}.", minimum=0)
    estimate_high_pico_usd: int = may(0, f"Most such turns cost at most this, {PICO_USD}; 0: it is free.", minimum=0)
    events_version: int = may(EVENTS_VERSION, "Version of these events.", minimum=1)


@dataclass(frozen=True, kw_only=True)
class Reasoning(Event):
    """A piece of the model's visible reasoning."""

    type: ClassVar[str] = "reasoning"
    step: int = told(STEP, minimum=1)
    text: str = told("The piece.")


@dataclass(frozen=True, kw_only=True)
class Text(Event):
    """A piece of the model's text. The answer is the text of the last step."""

    type: ClassVar[str] = "text"
    step: int = told(STEP, minimum=1)
    text: str = told("The piece.")


@dataclass(frozen=True, kw_only=True)
class ToolStart(Event):
    """A tool call began."""

    type: ClassVar[str] = "tool_start"
    step: int = told(STEP, minimum=1)
    call_id: str = told(CALL_ID)
    tool: str = told("The tool's name.")
    title: str = told("What it does, for people.")
    platform: str = told("The database's title, `BURP` for BURP's own tools.")
    arguments: dict[str, Json] = told("The arguments as the model gave them.")


@dataclass(frozen=True, kw_only=True)
class ToolProgress(Event):
    """Something a waiting person should know: a retry, a wait for a rate limit."""

    type: ClassVar[str] = "tool_progress"
    call_id: str = told(CALL_ID)
    message: str = told("The sentence.")


CITATION: dict[str, Json] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("kind", "identifier", "label", "url")},
    "required": ["kind", "identifier"],
}
REQUEST: dict[str, Json] = {
    "type": "object",
    "properties": {
        "method": {"type": "string"},
        "url": {"type": "string"},
        "status": {"type": ["integer", "null"]},
        "attempts": {"type": "integer"},
        "seconds": {"type": "number"},
        "bytes": {"type": "integer"},
    },
    "required": ["method", "url"],
}
MENTION: dict[str, Json] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("kind", "identifier", "url", "label")},
        "call_ids": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["kind", "identifier"],
}


@dataclass(frozen=True, kw_only=True)
class ToolEnd(Event):
    """A tool call ended."""

    type: ClassVar[str] = "tool_end"
    step: int = told(STEP, minimum=1)
    call_id: str = told(CALL_ID)
    tool: str = told("The tool's name.")
    ok: bool = told("Whether the call brought an answer: a record, nothing, or that an identifier is not known.")
    outcome: str = told("What it brought.", enum=["data", "empty", "unknown_id", "failed"])
    seconds: float = told("How long it took.")
    waited_s: float = may(0.0, "How much of that it waited until it might ask the database again.", minimum=0)
    error_code: str = may("", "Why it failed: a `ToolCode` word.")
    message: str = may("", "Why it failed, in a sentence.")
    note: str = may("", "What the reader of the result should know.")
    total: int | None = may(None, "How many records there are.")
    returned: int | None = may(None, "How many of them the result holds.")
    bytes_before: int = may(0, "Size of the whole result as JSON.")
    bytes_after: int = may(0, "Size of what the model reads of it.")
    pipeline: str = may("inline", "What became of the result on its way.", enum=["inline", "reduced", "stored"])
    artifact_id: str = may("", "Id of the stored whole.")
    fetched_at: str = may("", "When the record was fetched: ISO 8601, UTC.")
    citations: list[dict[str, Json]] = may([], "The records that the result names, at most 60.", items=CITATION)
    requests: list[dict[str, Json]] = may([], "The requests to the database.", items=REQUEST)
    repeats: str = may("", "Id of an earlier call of the turn that said the same: its result was given again.")


@dataclass(frozen=True, kw_only=True)
class ToolStored(Event):
    """A result was exchanged for its artifact: the results of its step were too large together."""

    type: ClassVar[str] = "tool_stored"
    step: int = told(STEP, minimum=1)
    call_id: str = told(CALL_ID)
    tool: str = told("The tool's name.")
    artifact_id: str = told("Id of the stored whole.")
    bytes_before: int = told("Size of what the model would have read.")
    bytes_after: int = told("Size of what it reads instead.")


@dataclass(frozen=True, kw_only=True)
class Usage(Event):
    """One attempt of a model call was settled."""

    type: ClassVar[str] = "usage"
    step: int = told(STEP, minimum=1)
    tokens: dict[str, int] = told(
        "Tokens by price tier: `input` (uncached), `output`, `cache_write_5m`, `cache_write_1h`, `cache_read`."
    )
    cost_pico_usd: int = told(f"What the attempt cost, {PICO_USD}.")
    turn_cost_pico_usd: int = told(f"What the turn has cost so far, {PICO_USD}.")
    estimated: bool = may(False, "Whether the call ended before its usage was reported.")


@dataclass(frozen=True, kw_only=True)
class Notice(Event):
    """Something the reader should know that is not an error."""

    type: ClassVar[str] = "notice"
    code: str = told("Machine-readable kind of the notice: see below.")
    message: str = told("The sentence.")
    detail: dict[str, Json] = may({}, "Facts that depend on the code.")


@dataclass(frozen=True, kw_only=True)
class TurnEnd(Event):
    """The turn is over: always the last event."""

    type: ClassVar[str] = "turn_end"
    outcome: str = told("How it ended: a `TurnOutcome` word, see below.")
    message: str = told("The sentence for the reader.")
    detail: str = may("", "More for whoever looks into it, such as the service's own words.")
    stop_reason: str = may("", "Why the model stopped, in the loop's words.")
    seconds: float = may(0.0, "How long the turn took.")
    waited_s: float = may(0.0, "How much of that went by waiting to call the model's service again.")
    databases_waited_s: float = may(0.0, "How much longer its tool calls took for waiting so.", minimum=0)
    tool_calls: int = may(0, "How many tool calls the model asked for.")
    turn_cost_pico_usd: int = may(0, f"What the turn cost, {PICO_USD}.")
    resets_at: str = may("", "When the budget that ended it starts anew: ISO 8601, UTC; empty for the turn's own.")
    grounding: dict[str, Json] = may(
        {},
        "Identifiers of the answer, by whether the evidence held them.",
        properties={name: {"type": "array", "items": MENTION} for name in ("grounded", "not_in_evidence")},
    )
    offers: list[str] = may([], "What a person may do next: `TurnOffer` words, see below.")


@dataclass(frozen=True, kw_only=True)
class Unknown(Event):
    """An event of a type that this version does not know; readers pass over it."""

    type: ClassVar[str] = "unknown"


EVENT_TYPES: dict[str, type[Event]] = {
    kind.type: kind
    for kind in (TurnStarted, Reasoning, Text, ToolStart, ToolProgress, ToolEnd, ToolStored, Usage, Notice, TurnEnd)
}
# What notices tell, by their code.
NOTICES = {
    "catalog_changed": "The list of tools differs from that of the session's last question; `detail` says how.",
    "context_degraded": "Earlier answers are passed on as text: the model's own notes belong to another setting.",
    "context_exchanged": "Older results were exchanged for references to their artifacts to make room in the window.",
    "budget_near": "A budget holds but one more model call: the model is told to conclude.",
    "platform_off": "An operator has switched a database off; `detail` has its key, title, reason and number of tools.",
    "model_retry": "A model call failed and is made again after `wait_s` seconds: attempt `attempt` of `attempts`.",
}


def to_wire(event: Event) -> dict[str, Json]:
    """Return the event as plain JSON data, its `type` first. What it holds is shared, not copied."""
    return {"type": event.type, **vars(event)}


def from_wire(data: dict[str, Json]) -> Event:
    """Rebuild an event; types and fields of a newer version that are not known here are left out."""
    kind = EVENT_TYPES.get(data["type"], Unknown)
    known = {f.name for f in fields(kind)}
    return kind(**{name: value for name, value in data.items() if name in known})
