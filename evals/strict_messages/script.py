"""What the server is told to answer: finished messages, broken streams, failures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.loopback.faults import Break, Failure, Unanswered

Json = Any


@dataclass(frozen=True)
class Text:
    """A text block; `pieces` are its deltas, by default eight characters each."""

    text: str
    pieces: Sequence[str] = ()


@dataclass(frozen=True)
class Thinking:
    """A thinking block. The server signs it, unless it is left `unsigned`."""

    text: str = ""
    unsigned: bool = False


@dataclass(frozen=True)
class Redacted:
    """A redacted thinking block: opaque, signed data only."""


@dataclass(frozen=True)
class ToolUse:
    """A tool call. `sent` is the text of its arguments as streamed, by default the JSON of `arguments`."""

    name: str
    arguments: dict[str, Json] = field(default_factory=dict)
    id: str = ""
    sent: str | None = None
    extra: dict[str, Json] = field(default_factory=dict)

    @property
    def argument_text(self) -> str:
        """The arguments as they go over the wire."""
        return json.dumps(self.arguments) if self.sent is None else self.sent


@dataclass(frozen=True)
class ServerToolUse:
    """A call that the service runs itself, and its result when that is there already."""

    name: str
    arguments: dict[str, Json] = field(default_factory=dict)
    result: dict[str, Json] | None = None


@dataclass(frozen=True)
class Unknown:
    """A block of a type that no client knows yet, with deltas of unknown types."""

    block: dict[str, Json]
    deltas: Sequence[dict[str, Json]] = ()


Content = Text | Thinking | Redacted | ToolUse | ServerToolUse | Unknown


class Reply:
    """A message to stream. The stop reason follows from the content unless it is given."""

    def __init__(
        self,
        *content: Content,
        stop_reason: str = "",
        stop_details: dict[str, Json] | None = None,
        output_tokens: int | None = None,
        usage: dict[str, Json] | None = None,
        pings: bool = False,
        extra_events: Sequence[tuple[str, dict[str, Json]]] = (),
        broken: Break | None = None,
    ) -> None:
        self.content = content
        calls = any(isinstance(block, ToolUse) for block in content)
        self.stop_reason = stop_reason or ("tool_use" if calls else "end_turn")
        self.stop_details = stop_details
        self.output_tokens = output_tokens
        self.usage = usage
        self.pings = pings
        self.extra_events = extra_events
        self.broken = broken


Step = Reply | Failure | Unanswered
