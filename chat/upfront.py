"""Watch what the model gets before it has asked anything: counted, logged, and reported when it is too much.

A catalogue that is shown whole costs twenty times as much and makes the model choose worse, and nothing
fails: so the request is weighed before it goes out, and the service's own count is compared with that.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from chat.context import Prefix, build_request
from chat.providers.base import Provider, TokenUsage, ToolDefinition
from chat.providers.weight import Weighing, Weight, tokens_of, wire_bytes

log = logging.getLogger(__name__)

TOO_HEAVY = "up_front_too_heavy"
NOT_HELD_BACK = "deferral_off"
# A service adds instructions of its own to a prompt with tools, and counts tokens in its own way.
SERVICE_TOKENS = 1_000
COUNTED_OTHERWISE = 1.5
# Whether the rest of the catalogue is there or not can't be mistaken for that.
NOTABLE_SHARE = 0.5
# Code, subject, text.
Raise = Callable[[str, str, str], None]
_logged: set[tuple[str, str]] = set()


@dataclass(frozen=True)
class UpFront:
    """What the first request of a session shows the model. `subject` is the model's key."""

    subject: str
    prefix: Prefix
    weight: Weight
    max_tokens: int

    @cached_property
    def held_back(self) -> list[ToolDefinition]:
        """The tools that a search must find first."""
        return [tool for tool in self.prefix.tools if tool.deferred]

    @cached_property
    def held_back_tokens(self) -> int:
        """What the model would read on top if nothing were held back."""
        return tokens_of(wire_bytes([[tool.name, tool.description, tool.input_schema] for tool in self.held_back]))

    def problems(self) -> dict[str, str]:
        """Return what is wrong with the request, by code."""
        found = {}
        weight, meant = self.weight, len(self.prefix.tools) - len(self.held_back)
        if weight.tokens > self.max_tokens:
            found[TOO_HEAVY] = (
                f"{weight.tools} tools and the instructions come to about {weight.tokens:,} tokens; "
                f"{self.max_tokens:,} are allowed. Load fewer tools: [catalog.always_loaded_tools]."
            )
        if weight.tools > meant:
            found[NOT_HELD_BACK] = f"The model is shown {weight.tools} tools at once, {meant} are meant."
        return found

    def billed_problem(self, usage: TokenUsage, said_bytes: int) -> str:
        """Say what is wrong with the service's own count of a session's first prompt; empty if nothing is."""
        billed = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
        expected = (self.weight.tokens + tokens_of(said_bytes)) * COUNTED_OTHERWISE + SERVICE_TOKENS
        if billed <= expected + self.held_back_tokens * NOTABLE_SHARE:
            return ""
        return (
            f"The service counted {billed:,} tokens for a first prompt of about {self.weight.tokens:,}: it seems to "
            f"show the model all {len(self.prefix.tools)} tools at once."
        )


def up_front(provider: Provider, prefix: Prefix, *, subject: str, max_tokens: int) -> UpFront | None:
    """Weigh what a session's requests begin with; None for a provider that sends no requests."""
    if not isinstance(provider, Weighing):
        return None
    weight = provider.up_front(build_request(prefix, (), max_output_tokens=1))
    return UpFront(subject, prefix, weight, max_tokens)


def report(found: UpFront, alarm: Raise) -> None:
    """Log a weight once for each prefix of a model, and raise its alarms."""
    key = (found.subject, found.prefix.version)
    if key in _logged:
        return
    _logged.add(key)
    log.info(
        "%s is shown %d tools up front, %d bytes with the instructions, about %d tokens; %d tools are held back",
        found.subject,
        found.weight.tools,
        found.weight.bytes,
        found.weight.tokens,
        len(found.held_back),
    )
    for code, text in found.problems().items():
        log.error("%s: %s: %s", code, found.subject, text)
        alarm(code, found.subject, text)


def compare(found: UpFront, usage: TokenUsage, said_bytes: int, alarm: Raise) -> None:
    """Compare a session's first model call, as the service counted it, with what was weighed."""
    if text := found.billed_problem(usage, said_bytes):
        log.error("%s: %s: %s", NOT_HELD_BACK, found.subject, text)
        alarm(NOT_HELD_BACK, found.subject, text)
