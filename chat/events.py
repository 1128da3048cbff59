"""The typed events of a turn: the one stream that pages, API, terminal and evaluations read.

Every event is frozen and JSON-serialisable. `seq` increases within a turn (joined pieces keep the last one);
`at` is UTC in ISO 8601. `to_wire` and `from_wire` are inverse.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

Json = Any


@dataclass(frozen=True, kw_only=True)
class Event:
    """What all events share."""

    type: ClassVar[str] = ""
    seq: int = 0
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnStarted(Event):
    """The turn has begun. `upstreams` is `live` or `snapshot`."""

    type: ClassVar[str] = "turn_started"
    session_id: str
    turn_id: str
    question: str
    provider: str
    model: str
    model_label: str
    upstreams: str


@dataclass(frozen=True, kw_only=True)
class Reasoning(Event):
    """A piece of the model's visible reasoning in step `step` (1 = first model call)."""

    type: ClassVar[str] = "reasoning"
    step: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Text(Event):
    """A piece of the model's text in step `step`. The answer is the text of the last step."""

    type: ClassVar[str] = "text"
    step: int
    text: str


@dataclass(frozen=True, kw_only=True)
class ToolStart(Event):
    """A tool call was sent. `platform` is the database's title (or "BURP" for system tools)."""

    type: ClassVar[str] = "tool_start"
    step: int
    call_id: str
    tool: str
    title: str
    platform: str
    arguments: dict[str, Json]


@dataclass(frozen=True, kw_only=True)
class ToolProgress(Event):
    """Something a waiting person should know: a retry, a wait for a rate limit."""

    type: ClassVar[str] = "tool_progress"
    call_id: str
    message: str


@dataclass(frozen=True, kw_only=True)
class ToolEnd(Event):
    """A tool call ended.

    `outcome` is a `ResultOutcome` word; `error_code` a `ToolCode` word when it failed.
    `pipeline` is `inline`, `reduced` or `stored`; bytes are of the result's JSON.
    A citation is `{"kind", "identifier", "label", "url"}`; a request is
    `{"method", "url", "status", "attempts", "seconds", "bytes"}`.
    `repeats` is the id of an earlier call of the turn that said the same: its result was given again.
    """

    type: ClassVar[str] = "tool_end"
    step: int
    call_id: str
    tool: str
    ok: bool
    outcome: str
    seconds: float
    error_code: str = ""
    message: str = ""
    note: str = ""
    total: int | None = None
    returned: int | None = None
    bytes_before: int = 0
    bytes_after: int = 0
    pipeline: str = "inline"
    artifact_id: str = ""
    fetched_at: str = ""
    citations: list[dict[str, Json]] = field(default_factory=list)
    requests: list[dict[str, Json]] = field(default_factory=list)
    repeats: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolStored(Event):
    """A result was exchanged for its artifact: the results of its step were too large together."""

    type: ClassVar[str] = "tool_stored"
    step: int
    call_id: str
    tool: str
    artifact_id: str
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True, kw_only=True)
class Usage(Event):
    """One model call was settled. Token counts by price tier; costs in pico-USD."""

    type: ClassVar[str] = "usage"
    step: int
    tokens: dict[str, int]
    cost_pico_usd: int
    turn_cost_pico_usd: int
    estimated: bool = False


@dataclass(frozen=True, kw_only=True)
class Notice(Event):
    """Something the reader should know that is not an error: `code` is machine-readable."""

    type: ClassVar[str] = "notice"
    code: str
    message: str
    detail: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TurnEnd(Event):
    """The turn is over. `grounding` is a `chat.grounding.Grounding` as a dict.

    `waited_s` of its `seconds` went by waiting for the model's service before calls were made again.
    `offers` are `TurnOffer` words: what a person may do next.
    """

    type: ClassVar[str] = "turn_end"
    outcome: str
    message: str
    detail: str = ""
    stop_reason: str = ""
    seconds: float = 0.0
    waited_s: float = 0.0
    tool_calls: int = 0
    turn_cost_pico_usd: int = 0
    grounding: dict[str, Json] = field(default_factory=dict)
    offers: list[str] = field(default_factory=list)


EVENT_TYPES: dict[str, type[Event]] = {
    kind.type: kind
    for kind in (TurnStarted, Reasoning, Text, ToolStart, ToolProgress, ToolEnd, ToolStored, Usage, Notice, TurnEnd)
}


def to_wire(event: Event) -> dict[str, Json]:
    """Return the event as plain JSON data, its `type` first."""
    return {"type": event.type, **asdict(event)}


def from_wire(data: dict[str, Json]) -> Event:
    """Rebuild an event; fields of a newer version that are not known here are left out."""
    kind = EVENT_TYPES[data["type"]]
    known = {f.name for f in fields(kind)}
    return kind(**{name: value for name, value in data.items() if name in known})
