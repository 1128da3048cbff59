"""What the loop asks of the world around it; `chat.turns` fills these in, tests hand in their own."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from chat.providers.base import Entry, TokenUsage
from chat.spending import SpendRoom
from mcp_server.codes import TurnOutcome

Json = Any


class SpendRefused(Exception):
    """A budget doesn't hold the worst case of the next model call."""

    def __init__(self, outcome: TurnOutcome, message: str, resets_at: str = "") -> None:
        super().__init__(message)
        self.outcome = outcome
        self.message = message
        self.resets_at = resets_at


class Ledger(Protocol):
    """Money: reserved before a model call, settled after it, whatever happened."""

    async def room(self, worst_case: TokenUsage) -> SpendRoom | None:
        """Return what the budgets hold for a call; None for one that costs nothing."""
        ...

    async def reserve(self, step: int, worst_case: TokenUsage) -> str:
        """Reserve the worst case of a call; raise `SpendRefused` when a budget doesn't hold it."""
        ...

    async def settle(self, reservation: str, usage: TokenUsage, outcome: str, *, estimated: bool) -> int:
        """Book what was used and return its cost in pico-USD."""
        ...

    async def release(self, reservation: str) -> None:
        """Give back what a call that was never sent had reserved."""
        ...


class Transcript(Protocol):
    """The append-only history of a session."""

    def append(self, entry: Entry) -> None:
        """Take one entry. It is stored with the next reservation or booking, or by `flush`."""
        ...

    async def flush(self) -> None:
        """Store what was taken by now."""
        ...


@dataclass(frozen=True)
class RawToolResult:
    """What a tool call brought: the envelope, its `_meta`, and the envelope's size in bytes.

    Data in bytes is JSON that nobody has read yet.
    """

    envelope: dict[str, Json]
    meta: dict[str, Json] = field(default_factory=dict)
    bytes: int = 0


class ToolFailed(Exception):
    """A call that never got an envelope: the tool server is down, or the time ran out."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Progress(Protocol):
    """Takes what a waiting person should know."""

    def __call__(self, message: str) -> None: ...


class ToolGateway(Protocol):
    """The way to the MCP server's tools."""

    async def call(
        self, name: str, arguments: dict[str, Json], *, timeout_s: float, on_progress: Progress
    ) -> RawToolResult:
        """Call a tool; raise `ToolFailed` if no envelope came back. Cancelling ends the call."""
        ...


@dataclass(frozen=True)
class Shrunk:
    """A tool's data as small as it needs to be: `text` is JSON (`inline`, `reduced`) or a preview (`stored`)."""

    how: str
    text: str
    bytes_before: int
    bytes_after: int
    artifact_id: str = ""
    warning: str = ""


class Shrinker(Protocol):
    """The large-output pipeline."""

    async def shrink(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        """Reduce or store what is too large for the model to read whole."""
        ...

    async def store(self, data: Json, *, tool: str, noise: str | None) -> Shrunk:
        """Store data whatever its size and return its preview."""
        ...


@dataclass(frozen=True)
class SystemAnswer:
    """What one of BURP's own tools answers: an envelope and, for a catalogue search, the tools found."""

    envelope: dict[str, Json]
    tool_references: tuple[str, ...] = ()


class SystemTools(Protocol):
    """BURP's own tools, which run in this process."""

    def __contains__(self, name: str) -> bool: ...

    async def call(self, name: str, arguments: dict[str, Json]) -> SystemAnswer:
        """Run one of them."""
        ...
