"""What the loop and a model provider owe each other.

A provider turns a `ModelRequest` into its own wire format, streams the answer as model events,
and ends with exactly one `ModelReply` that holds the message as the provider returned it.
Adding a provider means adding one module and its rows in `burp.toml`; what all of them need alike
stands in `preconditions`, `progress`, `failing` and `weight`.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from chat.providers.troubles import Trouble, trouble_of
from mcp_server.codes import TurnOutcome

Json = Any


@dataclass(frozen=True)
class ToolDefinition:
    """A tool as the model may see it. `deferred` tools are found by search, not shown up front.

    `finds_tools` marks that search, for services that have a kind of tool of their own for it.
    """

    name: str
    description: str
    input_schema: dict[str, Json]
    deferred: bool = False
    finds_tools: bool = False


@dataclass(frozen=True)
class ToolCall:
    """A model's wish to call a tool. `problem` says why it must not run (cut off, not JSON)."""

    id: str
    name: str
    arguments: dict[str, Json]
    problem: str = ""


@dataclass(frozen=True)
class ToolResult:
    """The answer to one tool call, as the model reads it.

    `text` starts with the line `[fetched_at: …Z]` for anything that was fetched.
    `tool_references` names the tools that a catalogue search found, best first.
    """

    call_id: str
    name: str
    text: str
    is_error: bool = False
    tool_references: tuple[str, ...] = ()


@dataclass(frozen=True)
class TokenUsage:
    """Tokens of one model call by price tier. `input` excludes all cached tokens.

    `tool_requests` counts the paid tools that the model's service ran itself, such as `web_search`.
    """

    input: int = 0
    output: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0
    tool_requests: Mapping[str, int] = field(default_factory=dict, hash=False)

    def as_dict(self) -> dict[str, int]:
        """Return the counts by tier name."""
        return {
            "input": self.input,
            "output": self.output,
            "cache_write_5m": self.cache_write_5m,
            "cache_write_1h": self.cache_write_1h,
            "cache_read": self.cache_read,
        }


# --- transcript entries: the neutral projection plus the provider's own message -------------


@dataclass(frozen=True)
class UserEntry:
    """What the user asked, or what BURP itself has to say in between (`is_note`)."""

    text: str
    is_note: bool = False


@dataclass(frozen=True)
class AssistantEntry:
    """One model message. `raw` is replayed as is while `provider`, `model` and
    `context_version` are those of the request; else the projection is sent.

    `starts_afresh`: all before it went out as projection, because the service refused to take it
    back as it was; so it goes out ever after.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    provider: str = ""
    model: str = ""
    raw: tuple[dict[str, Json], ...] = ()
    context_version: str = ""
    stop_reason: str = ""
    interrupted: bool = False
    usage_raw: dict[str, Json] = field(default_factory=dict)
    request_id: str = ""
    message_id: str = ""
    starts_afresh: bool = False
    stop_details: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolResultsEntry:
    """The results of one message's calls, in the order of the calls."""

    results: tuple[ToolResult, ...]


@dataclass(frozen=True)
class ExchangeEntry:
    """From here on the results before it go out as `texts` says, by digest of what they were.

    It starts a new context version. No provider ever sees it: see `chat.window`.
    """

    texts: dict[str, str]


Entry = UserEntry | AssistantEntry | ToolResultsEntry | ExchangeEntry


@dataclass(frozen=True)
class ModelRequest:
    """One call of the model. `entries` ends with a user or a tool results entry."""

    model: str
    system: str
    tools: tuple[ToolDefinition, ...]
    entries: tuple[Entry, ...]
    context_version: str
    max_output_tokens: int
    effort: str = ""


# --- what a provider's stream yields ---------------------------------------------------------


@dataclass(frozen=True)
class ReasoningDelta:
    """A piece of visible reasoning."""

    text: str


@dataclass(frozen=True)
class TextDelta:
    """A piece of text."""

    text: str


@dataclass(frozen=True)
class ModelReply:
    """The end of a stream: the whole message as returned, its usage by tier, its stop reason.

    `stop_reason` is one of `end`, `tool_use`, `max_tokens`, `refusal`, `pause`, `context_overflow`.
    """

    entry: AssistantEntry
    usage: TokenUsage
    stop_reason: str


@dataclass(frozen=True)
class ModelNotice:
    """Something that a reader should know of this call, before any of its text: see `chat.events.Notice`."""

    code: str
    message: str


ModelEvent = ReasoningDelta | TextDelta | ModelNotice | ModelReply


class ModelFailure(Exception):
    """A model call failed. `usage` and `partial` are what had arrived by then.

    `retry_after_s` is the service's own wish; `retryable` says whether the same request
    may succeed later. `shown` says whether any delta was already yielded. `trouble` is what is
    wrong, finer than the outcome, as far as the service told.
    """

    def __init__(
        self,
        outcome: TurnOutcome,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        usage: TokenUsage | None = None,
        estimated: bool = False,
        partial: AssistantEntry | None = None,
        shown: bool = False,
        trouble: Trouble | None = None,
    ) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.trouble = trouble or trouble_of(outcome)
        self.message = message
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.usage = usage
        self.estimated = estimated
        self.partial = partial
        self.shown = shown


class Provider(Protocol):
    """A model service. `name` is the key in `burp.toml`. One instance serves one turn at a time."""

    name: str

    @property
    def replay_scope(self) -> Mapping[str, str]:
        """What else a message's own form is bound to, beside system prompt, tools, model and effort.

        By name of the setting; it becomes part of the context version. No secret can be read from it.
        """
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one model message; raise `ModelFailure` for every failure.

        When the consumer closes or cancels the iterator, the connection is closed at once;
        `partial()` then tells what had been used. Consume it under `contextlib.aclosing`: a
        generator that is merely dropped closes its connection only when it is collected.
        """
        ...

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return the most that `request` can use, for the reservation before the call."""
        ...

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return what the last stream had brought up to now: a message that may be stored
        (text and signed thinking; no open calls) and its usage so far, an estimate."""
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...
