"""The model's context window: how full it is, and how older results make room in it.

Nothing that was sent is edited. An exchange is an entry of its own in the transcript: from there on
the conversation goes out under a new context version, with references in place of the older results.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.providers.base import AssistantEntry, Entry, ExchangeEntry, TokenUsage, ToolResult, ToolResultsEntry

Json = Any
# Stores data of a tool, whole, and returns the artifact's id; empty if it can't be stored.
Keep = Callable[[Json, str], Awaitable[str]]
# What a prompt comes to of its worst case, as long as no call of the turn has told.
LIKELY_SHARE = 2 / 3
# An exchange voids what was cached: it makes room for a while, not for the next call only.
ROOM_SHARE = 0.5
NEARLY_FULL_SHARE = 0.85
SMALLEST_EXCHANGED_BYTES = 1_000
BYTES_PER_WORST_TOKEN = 2
WHY = (
    "This result was exchanged for its artifact to make room in the conversation. "
    "Look into it with inspect_artifact, or call the tool again."
)


@dataclass
class Window:
    """How many tokens a request may have, and what the turn has learned of how they are counted."""

    tokens: int
    max_output_tokens: int
    share: float = LIKELY_SHARE

    def used(self, worst_case: TokenUsage) -> float:
        """Return the tokens that a request will likely need, its answer included."""
        return _prompt(worst_case) * self.share + self.max_output_tokens

    def is_over(self, worst_case: TokenUsage) -> bool:
        """Whether a request would not fit."""
        return self.used(worst_case) > self.tokens

    def is_nearly_full(self, worst_case: TokenUsage) -> bool:
        """Whether the model should come to an end."""
        return self.used(worst_case) > self.tokens * NEARLY_FULL_SHARE

    def learn(self, worst_case: TokenUsage, real: TokenUsage) -> None:
        """Take in how many tokens a request really had."""
        if _prompt(worst_case) and _prompt(real):
            self.share = _prompt(real) / _prompt(worst_case)

    def learn_refusal(self, worst_case: TokenUsage) -> None:
        """Take in that a request was refused as too long."""
        if _prompt(worst_case):
            self.share = max(self.share, (self.tokens - self.max_output_tokens) / _prompt(worst_case))

    def excess_bytes(self, worst_case: TokenUsage) -> int:
        """Return how much text should go, so that there is room for a while."""
        excess = self.used(worst_case) - self.tokens * ROOM_SHARE
        return int(excess / max(self.share, 0.01) * BYTES_PER_WORST_TOKEN)


def _prompt(usage: TokenUsage) -> int:
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


async def exchange(entries: Sequence[Entry], *, excess_bytes: int, keep: Keep) -> ExchangeEntry | None:
    """Return the exchange that makes room, the oldest results first; None where there is nothing to exchange.

    What the model has not read yet stays.
    """
    texts: dict[str, str] = {}
    for result in _read(as_sent(entries)[0]):
        if excess_bytes <= 0:
            break
        reference = await _reference(result, keep)
        if reference:
            texts[_digest(result.text)] = reference
            excess_bytes -= len(result.text.encode()) - len(reference.encode())
    return ExchangeEntry(texts) if texts else None


def as_sent(entries: Sequence[Entry]) -> tuple[list[Entry], int]:
    """Return the entries as they go out, and how many exchanges there were."""
    exchanges = [position for position, entry in enumerate(entries) if isinstance(entry, ExchangeEntry)]
    if not exchanges:
        return [*entries], 0
    texts: dict[str, str] = {}
    for position in exchanges:
        texts |= entries[position].texts  # type: ignore[union-attr]
    before = (_exchanged(entry, texts) for entry in entries[: exchanges[-1]] if not isinstance(entry, ExchangeEntry))
    return [*before, *entries[exchanges[-1] + 1 :]], len(exchanges)


def _exchanged(entry: Entry, texts: Mapping[str, str]) -> Entry:
    if not isinstance(entry, ToolResultsEntry):
        return entry
    return ToolResultsEntry(
        tuple(replace(result, text=texts.get(_digest(result.text), result.text)) for result in entry.results)
    )


def _read(entries: Sequence[Entry]) -> list[ToolResult]:
    """Return the results that the model has answered to, as far as an exchange of them makes room."""
    replies = [position for position, entry in enumerate(entries) if isinstance(entry, AssistantEntry)]
    return [
        result
        for entry in entries[: replies[-1] if replies else 0]
        if isinstance(entry, ToolResultsEntry)
        for result in entry.results
        if not result.tool_references and len(result.text.encode()) >= SMALLEST_EXCHANGED_BYTES
    ]


async def _reference(result: ToolResult, keep: Keep) -> str:
    """Return the text that stands for a result from now on; empty if there is nothing to refer to."""
    head, _, content = result.text.partition("\n")
    try:
        envelope = json.loads(content)
    except ValueError:
        return ""
    if not isinstance(envelope, dict) or (envelope.get("data") is None and "preview" not in envelope):
        return ""
    artifact_id = envelope.get("artifact_id") or await keep(envelope.get("data"), result.name)
    if not artifact_id:
        return ""
    rest = {name: value for name, value in envelope.items() if name not in ("data", "preview", "note")}
    reference = {**rest, "artifact_id": artifact_id, "note": WHY}
    return f"{head}\n{json.dumps(reference, ensure_ascii=False, separators=(',', ':'))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
