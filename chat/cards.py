"""The steps and tool calls of a turn as a page shows them."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from chat.events import ToolEnd, ToolStart
from mcp_server.codes import TOOL_SENTENCES, ToolCode

GIST_MAX_CHARACTERS = 90
# How much was asked for says nothing about what was asked.
UNTOLD_ARGUMENTS = frozenset({"limit", "cursor"})


class CardState(StrEnum):
    """How a call stands. No two of them look alike."""

    RUNNING = "running"
    DATA = "data"
    EMPTY = "empty"
    UNKNOWN_ID = "unknown_id"
    ABSENT = "absent"
    FAILED = "failed"
    STOPPED = "stopped"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(value: Any) -> str:
    return ", ".join(map(_plain, value)) if isinstance(value, list) else _plain(value)


def _size(count: int) -> str:
    return f"{count} B" if count < 1000 else f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1e6:.1f} MB"


@dataclass
class ToolCard:
    """One tool call. `start_s` counts from the start of the turn."""

    number: int
    start: ToolStart
    start_s: float
    progress: list[str] = field(default_factory=list)
    end: ToolEnd | None = None
    stopped_after_s: float | None = None

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.start.tool

    @property
    def platform(self) -> str:
        """The database that was asked."""
        return self.start.platform

    @property
    def title(self) -> str:
        """What the tool does, in a person's words."""
        title = (self.start.title or self.tool).removeprefix(f"{self.platform}: ")
        return title[:1].upper() + title[1:]

    @property
    def is_running(self) -> bool:
        """Whether the call is still under way."""
        return self.end is None and self.stopped_after_s is None

    @property
    def seconds(self) -> float:
        """How long the call took; 0 while it runs."""
        return self.end.seconds if self.end else self.stopped_after_s or 0.0

    @property
    def state(self) -> CardState:
        """How the call stands."""
        if self.end is None:
            return CardState.RUNNING if self.is_running else CardState.STOPPED
        if self.end.error_code == ToolCode.TOOL_CANCELLED:
            return CardState.STOPPED
        if self.end.error_code == ToolCode.NOT_IN_SNAPSHOT:
            return CardState.ABSENT
        if not self.end.ok:
            return CardState.FAILED
        known = {CardState.DATA, CardState.EMPTY, CardState.UNKNOWN_ID, CardState.FAILED}
        return CardState(self.end.outcome) if self.end.outcome in known else CardState.DATA

    @property
    def attempts(self) -> int:
        """How often the most stubborn request was tried."""
        return max(
            (int(request.get("attempts") or 1) for request in (self.end.requests if self.end else [])), default=1
        )

    @property
    def result(self) -> str:
        """What came of it, in a few words."""
        match self.state:
            case CardState.RUNNING:
                return "running"
            case CardState.STOPPED:
                return f"stopped after {self.seconds:.1f} s"
            case CardState.EMPTY:
                return "nothing found"
            case CardState.UNKNOWN_ID:
                return "identifier not known"
            case CardState.ABSENT:
                return "not in the snapshot"
            case CardState.FAILED:
                return f"failed after {self.attempts} tries" if self.attempts > 1 else "failed"
            case _:
                return self._counted()

    def _counted(self) -> str:
        if self.end is not None and self.end.repeats:
            return "as before"
        total, returned = (self.end.total, self.end.returned) if self.end else (None, None)
        if returned is not None and total is not None and total > returned:
            return f"{returned:,} of {total:,} records"
        count = returned if returned is not None else total
        return "found" if count is None else f"{count:,} record{'s' if count != 1 else ''}"

    @property
    def explanation(self) -> str:
        """What the reader should know beyond `result`: the message of a failure, or the result's note."""
        if self.end is None:
            return ""
        known = {code.value: sentence for code, sentence in TOOL_SENTENCES.items()}
        failed = self.end.message or known.get(self.end.error_code, "")
        return failed if self.state in (CardState.FAILED, CardState.ABSENT) else self.end.note

    @property
    def gist(self) -> str:
        """The arguments on one line."""
        shown = (value for name, value in self.start.arguments.items() if name not in UNTOLD_ARGUMENTS)
        text = ", ".join(_short(value) for value in shown if value not in (None, "", [], {}))
        return text if len(text) <= GIST_MAX_CHARACTERS else f"{text[: GIST_MAX_CHARACTERS - 1]}…"

    @property
    def arguments(self) -> list[tuple[str, str]]:
        """The arguments by name."""
        return [(name, _plain(value)) for name, value in self.start.arguments.items()]

    @property
    def size(self) -> str:
        """What was downloaded and what of it the model read."""
        if self.end is None or not self.end.bytes_before:
            return ""
        before, after = _size(self.end.bytes_before), _size(self.end.bytes_after)
        how = {"reduced": f"{before} reduced to {after}", "stored": f"{before} stored, {after} preview read"}
        return how.get(self.end.pipeline, before)


@dataclass(frozen=True)
class Group:
    """The calls of one step to one database."""

    platform: str
    cards: list[ToolCard]


@dataclass
class Step:
    """One call of the model: what it thought, what it wrote, which tools it called."""

    number: int
    reasoning: str = ""
    text: str = ""
    cards: list[ToolCard] = field(default_factory=list)
    thinking_since: datetime | None = None
    thinking_s: float = 0.0
    is_thinking: bool = False

    def add_reasoning(self, text: str, at: str) -> None:
        """Take in a piece of reasoning."""
        self.reasoning += text
        if not self.is_thinking:
            self.is_thinking = True
            self.thinking_since = datetime.fromisoformat(at) if at else None

    def close_reasoning(self, at: str) -> None:
        """Note that the model went on to something else."""
        if not self.is_thinking:
            return
        self.is_thinking = False
        if self.thinking_since and at:
            self.thinking_s += max(0.0, (datetime.fromisoformat(at) - self.thinking_since).total_seconds())

    @property
    def groups(self) -> list[Group]:
        """The calls by database, in the order of each one's first call."""
        platforms = dict.fromkeys(card.platform for card in self.cards)
        return [Group(name, [card for card in self.cards if card.platform == name]) for name in platforms]

    @property
    def is_shown(self) -> bool:
        """Whether there is anything of it beside the answer."""
        return bool(self.reasoning or self.cards)
