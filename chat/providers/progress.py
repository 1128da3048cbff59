"""What every provider keeps of a message while it comes: how far it is, and what can be said of it by now.

A wire format's `StreamProgress` takes the events; here is what all of them count alike.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

from chat.providers.base import AssistantEntry, Json, ModelRequest, ReasoningDelta, TextDelta, TokenUsage, ToolCall

# Fewer characters a token than English has, for an estimate that does not flatter the bill.
ESTIMATE_CHARACTERS_PER_TOKEN = 3

Delta = TypeVar("Delta", ReasoningDelta, TextDelta)


class Progress(ABC):
    """One message on its way. `prompt_estimate` is what its prompt may have in tokens.

    `reported` is the usage as the service gave it, by the service's own names.
    """

    provider: ClassVar[str]

    def __init__(self, request: ModelRequest, prompt_estimate: int) -> None:
        self.request = request
        self.prompt_estimate = prompt_estimate
        self.request_id = ""
        self.message_id = ""
        self.reported: dict[str, Json] = {}
        self.streamed_characters = 0
        self.may_have_run = False
        self.has_begun = False
        self.starts_afresh = False
        self.was_shown = False

    @abstractmethod
    def partial(self) -> AssistantEntry | None:
        """Return what may be stored of an unfinished message."""

    @abstractmethod
    def usage(self) -> TokenUsage:
        """Return the tokens as reported, or as far as they can be known by now."""

    @property
    @abstractmethod
    def is_estimate(self) -> bool:
        """Whether the usage is not the service's last word."""

    @property
    def may_cost(self) -> bool:
        """Whether the service may have read the prompt."""
        return self.may_have_run or self.has_begun

    @property
    def streamed_tokens(self) -> int:
        """About how many tokens have come."""
        return -(-self.streamed_characters // ESTIMATE_CHARACTERS_PER_TOKEN)

    def estimate(self) -> TokenUsage:
        """Return what was probably used while nothing is reported."""
        return TokenUsage(input=self.prompt_estimate, output=self.streamed_tokens) if self.may_cost else TokenUsage()

    def shown(self, delta: Delta) -> Delta | None:
        """Count a piece that came; return it if there is anything for a reader to see."""
        self.streamed_characters += len(delta.text)
        self.was_shown = self.was_shown or bool(delta.text)
        return delta if delta.text else None

    def entry(
        self, text: str, calls: tuple[ToolCall, ...] = (), raw: tuple[dict[str, Json], ...] = (), **more: Any
    ) -> AssistantEntry:
        """Return a message for the transcript: `raw` as it goes back, `more` what else is to be kept of it."""
        return AssistantEntry(
            text=text,
            tool_calls=calls,
            provider=self.provider,
            model=self.request.model,
            raw=raw,
            context_version=self.request.context_version,
            usage_raw=self.reported,
            request_id=self.request_id,
            message_id=self.message_id,
            starts_afresh=self.starts_afresh,
            **more,
        )


def so_far(progress: Progress | None) -> tuple[AssistantEntry | None, TokenUsage]:
    """Return what a provider's last stream had brought up to now; nothing where there was none."""
    return (progress.partial(), progress.usage()) if progress else (None, TokenUsage())
