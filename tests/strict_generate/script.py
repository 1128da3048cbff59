"""What the server is told to answer: finished messages, broken streams, failures."""

from dataclasses import dataclass, field
from typing import Any

from evals.loopback.faults import Break, Failure, Unanswered

Json = Any


@dataclass(frozen=True)
class Text:
    """Text, streamed eight characters at a time. `signed`: its last piece carries the signature."""

    text: str
    signed: bool = False


@dataclass(frozen=True)
class Thought:
    """What shows of the model's thinking."""

    text: str


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function; it comes whole. The service gives it an id, unless the reply has none."""

    name: str
    arguments: dict[str, Json] | None = field(default_factory=dict)
    call_id: str = ""


@dataclass(frozen=True)
class OtherPart:
    """A part of a kind that the client does not use, or does not know."""

    part: dict[str, Json]


Content = Text | Thought | FunctionCall | OtherPart


class Reply:
    """A message to stream.

    `blocked` is why the prompt is not answered at all; `finish` why the message ends (empty: it never says). With
    `at_once`, the reason comes with the last part. `with_ids=False`: calls have no ids, as of older models.
    `usage` is reported in place of what was counted. `late_usage`: it comes in a chunk of its own, after the reason.
    """

    def __init__(
        self,
        *content: Content,
        finish: str = "STOP",
        blocked: str = "",
        at_once: bool = False,
        late_usage: bool = False,
        with_ids: bool = True,
        usage: dict[str, Json] | None = None,
        strange: bool = False,
        broken: Break | None = None,
    ) -> None:
        self.content = content
        self.finish = finish
        self.blocked = blocked
        self.at_once = at_once
        self.late_usage = late_usage
        self.with_ids = with_ids
        self.usage = usage
        self.strange = strange
        self.broken = broken


Step = Reply | Failure | Unanswered
