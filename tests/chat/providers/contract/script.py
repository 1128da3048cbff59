"""What a model says in a test, in no provider's terms."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from chat.providers.base import TokenUsage
from evals.loopback.faults import Break

Json = Any
Problem = Literal[
    "bad_request",
    "auth",
    "billing",
    "permission",
    "not_found",
    "too_large",
    "overflow",
    "rate_limit",
    "quota",
    "server",
    "overloaded",
    "gateway_page",
]


@dataclass(frozen=True)
class Think:
    """Reasoning: `text` is what shows of it, and the service seals it where it can."""

    text: str


@dataclass(frozen=True)
class Say:
    """Text."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call; `sent` is the text of its arguments where that is not simply their JSON."""

    name: str
    arguments: dict[str, Json] = field(default_factory=dict)
    sent: str | None = None

    @property
    def argument_text(self) -> str:
        """The arguments as they go over the wire."""
        return json.dumps(self.arguments) if self.sent is None else self.sent


Part = Think | Say | Call


class Answer:
    """One streamed message. `stop` is the loop's word for its stop reason, by default what follows from the parts.

    `usage` is what the loop should get to know: the harness reports it as its service would. `strange` mixes in
    events and fields that no client knows. In `broken`, a block's number is that of the part.
    """

    def __init__(
        self,
        *parts: Part,
        stop: str = "",
        usage: TokenUsage | None = None,
        broken: Break | None = None,
        strange: bool = False,
    ) -> None:
        self.parts: Sequence[Part] = parts
        self.stop = stop or ("tool_use" if any(isinstance(part, Call) for part in parts) else "end")
        self.usage = usage
        self.broken = broken
        self.strange = strange


@dataclass(frozen=True)
class Declined:
    """An HTTP error before any stream, in the words of the service."""

    problem: Problem
    message: str = "The service's own words."
    headers: dict[str, str] = field(default_factory=dict)


Step = Answer | Declined
