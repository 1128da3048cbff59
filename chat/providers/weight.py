"""What a request shows the model before anything was asked, counted from the bytes that go out. Pure.

Deferred tools may be in a request but not in what the model reads; each provider knows which of its parts are.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from chat.providers.base import ModelRequest

Json = Any
# Public tokenizers make a token of 4.4 bytes of our prose and of 3.5 bytes of our tool schemas; newer ones make
# up to 30 % more tokens of the same text.
BYTES_PER_TOKEN = 3
# English runs at about 4 bytes a token, JSON full of identifiers at 2.5; no ordinary text gets to 2.
TYPICAL_BYTES_PER_TOKEN = 4
WORST_BYTES_PER_TOKEN = 2
# Room for what a service, or a model's template, says to the model of its tools.
HIDDEN_PROMPT_TOKENS = 1000


@dataclass(frozen=True)
class Weight:
    """How many tools the model sees, and the bytes of them and of the prompt."""

    tools: int
    bytes: int

    @property
    def tokens(self) -> int:
        """What the model reads."""
        return tokens_of(self.bytes)


@runtime_checkable
class Weighing(Protocol):
    """A provider that can tell what its requests show up front."""

    def up_front(self, request: ModelRequest) -> Weight:
        """Weigh all that the model reads of a request beside the conversation."""
        ...


def weigh(prompt: Json, shown: Sequence[Json]) -> Weight:
    """Weigh the parts of a request's body that the model reads: its prompt and its tools."""
    return Weight(len(shown), wire_bytes(prompt) + wire_bytes([*shown]))


def wire_bytes(value: Json) -> int:
    """Return the bytes of a part of a request's body."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def tokens_of(count_bytes: int) -> int:
    """Return how many tokens so many bytes come to."""
    return -(-count_bytes // BYTES_PER_TOKEN)


def typical_tokens(count_bytes: int) -> int:
    """Return about how many tokens a prompt of so many bytes has, where nobody counted them."""
    return count_bytes // TYPICAL_BYTES_PER_TOKEN


def worst_tokens(count_bytes: int) -> int:
    """Return the most tokens that so many bytes may be, for a reservation."""
    return -(-count_bytes // WORST_BYTES_PER_TOKEN)
