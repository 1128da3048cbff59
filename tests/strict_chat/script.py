"""What the server is told to answer: finished messages, broken streams, failures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.loopback.faults import Break, Failure, Unanswered

Json = Any


@dataclass(frozen=True)
class Text:
    """Text, streamed eight characters at a time unless its `pieces` are given."""

    text: str
    pieces: Sequence[str] = ()


@dataclass(frozen=True)
class Reasoning:
    """Reasoning, which such servers show as it is."""

    text: str


@dataclass(frozen=True)
class FunctionCall:
    """A call. `sent` is the text of its arguments as streamed, by default their JSON; `id=""` sends none."""

    name: str
    arguments: dict[str, Json] = field(default_factory=dict)
    sent: str | None = None
    id: str | None = None
    index: int | None = None

    @property
    def argument_text(self) -> str:
        """The arguments as they go over the wire."""
        return json.dumps(self.arguments) if self.sent is None else self.sent


Content = Text | Reasoning | FunctionCall


class Reply:
    """A message to stream. `finish` is its finish reason, by default what follows from the content.

    `usage` replaces what is counted; `keeps_count=False` sends none at all.
    """

    def __init__(
        self,
        *content: Content,
        finish: str = "",
        refusal: str = "",
        usage: dict[str, Json] | None = None,
        keeps_count: bool = True,
        strange: bool = False,
        broken: Break | None = None,
    ) -> None:
        self.content = content
        has_calls = any(isinstance(part, FunctionCall) for part in content)
        self.finish = finish or ("tool_calls" if has_calls else "stop")
        self.refusal = refusal
        self.usage = usage
        self.keeps_count = keeps_count
        self.strange = strange
        self.broken = broken


Step = Reply | Failure | Unanswered
