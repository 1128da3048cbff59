"""What the server is told to answer: finished responses, broken streams, failures."""

import json
from dataclasses import dataclass, field
from typing import Any

from evals.loopback.faults import Break, Failure, Unanswered

Json = Any


@dataclass(frozen=True)
class Text:
    """A message of one text part, streamed eight characters at a time."""

    text: str
    extra: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Refusal:
    """A message in which the model declines in its own words."""

    text: str


@dataclass(frozen=True)
class Reasoning:
    """A reasoning item with its summaries, sealed unless it is left `unsealed`."""

    summaries: tuple[str, ...] = ()
    unsealed: bool = False


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function. `sent` is the text of its arguments as streamed, by default their JSON."""

    name: str
    arguments: dict[str, Json] = field(default_factory=dict)
    call_id: str = ""
    sent: str | None = None
    extra: dict[str, Json] = field(default_factory=dict)

    @property
    def argument_text(self) -> str:
        """The arguments as they go over the wire."""
        return json.dumps(self.arguments) if self.sent is None else self.sent


@dataclass(frozen=True)
class ToolSearch:
    """A call of the client's tool search; its arguments come whole. Some services write them as text."""

    arguments: Json
    call_id: str = ""


@dataclass(frozen=True)
class Unknown:
    """An item of a type that no client knows yet."""

    item: dict[str, Json]


Content = Text | Refusal | Reasoning | FunctionCall | ToolSearch | Unknown


@dataclass(frozen=True)
class Failed:
    """The end of a response that failed on the way."""

    code: str
    message: str = "The response failed."


class Reply:
    """A response to stream. `incomplete` is the reason why it ends early; the last item is then unfinished."""

    def __init__(
        self,
        *content: Content,
        incomplete: str = "",
        failed: Failed | None = None,
        usage: dict[str, Json] | None = None,
        strange: bool = False,
        last_item_done: bool = True,
        broken: Break | None = None,
    ) -> None:
        self.content = content
        self.incomplete = incomplete
        self.failed = failed
        self.usage = usage
        self.strange = strange
        self.last_item_done = last_item_done
        self.broken = broken


Step = Reply | Failure | Unanswered
