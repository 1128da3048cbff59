"""A request body as the rules read it."""

from dataclasses import dataclass
from typing import Any

from evals.loopback.tokens import count
from tests.strict_chat.models import ModelRules

Json = Any
Message = dict[str, Json]


@dataclass(frozen=True)
class Breach:
    """What a request breaks: the server's words, and the type of the error."""

    message: str
    error_type: str = "invalid_request_error"
    status: int = 400


@dataclass(frozen=True)
class Asked:
    """One request under check. `takes_reasoning`: whether reasoning may come back in messages."""

    body: dict[str, Json]
    rules: ModelRules
    takes_reasoning: bool = True

    @property
    def messages(self) -> list[Message]:
        """The conversation as sent, the system prompt included."""
        return list(self.body["messages"])

    @property
    def tools(self) -> list[Message]:
        """The tool definitions as sent."""
        return list(self.body.get("tools") or [])

    @property
    def prompt_tokens(self) -> int:
        """The tokens that the model reads."""
        return sum(count(part) for part in self.prompt())

    def prompt(self) -> list[Json]:
        """Return the parts of the prompt in the order in which a template writes them."""
        return [*self.tools, *self.messages]
