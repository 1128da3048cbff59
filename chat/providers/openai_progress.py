"""What has arrived of one streamed response: the source of its reply, its partial form, its usage."""

from collections.abc import Sequence
from typing import Any, TypeVar

from chat.providers.base import (
    AssistantEntry,
    Json,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCall,
)
from chat.providers.calls import finished_call, parsed_arguments
from chat.providers.openai_errors import StreamError
from chat.providers.openai_wire import CALLS, PROVIDER, Item

# Why a response may be incomplete: what is not named here has an ending that the loop goes on from.
INCOMPLETE = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}
REASONING = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
# Fewer characters a token than English has, for an estimate that does not flatter the bill.
ESTIMATE_CHARACTERS_PER_TOKEN = 3

Delta = TypeVar("Delta", ReasoningDelta, TextDelta)


class StreamProgress:
    """Follow the events of one stream. What is stored are the items as they were when they were done."""

    def __init__(self, request: ModelRequest, prompt_estimate: int, search_name: str) -> None:
        self.request = request
        self.request_id = ""
        self.may_have_run = False
        self.has_begun = False
        self.starts_afresh = False
        self.was_shown = False
        self.is_finished = False
        self._prompt_estimate = prompt_estimate
        self._search_name = search_name
        self._items: dict[int, Item] = {}
        self._text = ""
        self._streamed_characters = 0
        self._usage: dict[str, Json] = {}
        self._incomplete = ""
        self._response_id = ""

    def feed(self, event: Any) -> ReasoningDelta | TextDelta | None:
        """Take one event of the stream; return what a reader should see of it. Raises `StreamError`.

        An event of an unknown type is an object of some other one: only its `type` tells.
        """
        kind: str = event.type
        self.has_begun = True
        if kind == "response.output_text.delta":
            self._text += event.delta
            return self._shown(TextDelta(event.delta))
        if kind in REASONING:
            return self._shown(ReasoningDelta(event.delta))
        if kind == "response.reasoning_summary_part.added":
            return self._next_summary(event)
        self._keep(kind, event)
        return None

    def reply(self) -> ModelReply:
        """Return the finished message."""
        items = [self._items[index] for index in sorted(self._items)]
        stop_reason = self._stop_reason(items)
        calls = tuple(self._call(item, stop_reason) for item in items if item["type"] in CALLS)
        text = _refusal(items) or _text(items)
        entry = self._entry(text, calls, tuple(items), stop_reason=stop_reason)
        return ModelReply(entry=entry, usage=self.usage(), stop_reason=stop_reason)

    def declined(self, code: str, message: str) -> ModelReply:
        """Return the reply of a service that would not let the model answer."""
        entry = self._entry(message, (), (), stop_reason="refusal", stop_details={"category": code})
        return ModelReply(entry=entry, usage=self.usage(), stop_reason="refusal")

    def partial(self) -> AssistantEntry | None:
        """Return what may be stored of an unfinished message: its text. Sealed reasoning is for whole messages."""
        return self._entry(self._text, (), (), interrupted=True) if self._text.strip() else None

    @property
    def is_estimate(self) -> bool:
        """Whether usage was not reported: it is only in the last event."""
        return not self._usage and (self.may_have_run or self.has_begun)

    def usage(self) -> TokenUsage:
        """Return the tokens as reported, or as far as they can be known by now."""
        if self._usage:
            return usage_by_tier(self._usage)
        if not self.is_estimate:
            return TokenUsage()
        streamed = -(-self._streamed_characters // ESTIMATE_CHARACTERS_PER_TOKEN)
        return TokenUsage(input=self._prompt_estimate, output=streamed)

    def _keep(self, kind: str, event: Any) -> None:
        match kind:
            case "response.created":
                self._response_id = event.response.id
            case "response.function_call_arguments.delta":
                self._streamed_characters += len(event.delta)
            case "response.output_item.done":
                self._items[event.output_index] = event.item.to_dict(warnings=False)
            case "response.completed" | "response.incomplete" | "response.failed":
                self._finish(kind, event.response)
            case "error":
                raise StreamError(event.code or "", event.message or "")

    def _finish(self, kind: str, response: Any) -> None:
        if response.usage:
            self._usage = response.usage.to_dict(warnings=False)
        if kind == "response.failed":
            error = response.error
            raise StreamError(error.code if error else "", error.message if error else "")
        for index, item in enumerate(response.output or ()):
            self._items.setdefault(index, item.to_dict(warnings=False))
        if kind == "response.incomplete":
            details = response.incomplete_details
            self._incomplete = INCOMPLETE.get((details and details.reason) or "", "pause")
        self.is_finished = True

    def _next_summary(self, event: Any) -> ReasoningDelta | None:
        return self._shown(ReasoningDelta("\n\n")) if event.summary_index else None

    def _shown(self, delta: Delta) -> Delta | None:
        self._streamed_characters += len(delta.text)
        self.was_shown = self.was_shown or bool(delta.text)
        return delta if delta.text else None

    def _stop_reason(self, items: Sequence[Item]) -> str:
        if self._incomplete:
            return self._incomplete
        if _refusal(items):
            return "refusal"
        return "tool_use" if any(item["type"] in CALLS for item in items) else "end"

    def _call(self, item: Item, stop_reason: str) -> ToolCall:
        given = item.get("arguments")
        arguments = given if isinstance(given, dict) else parsed_arguments(given) if isinstance(given, str) else None
        name = self._search_name if item["type"] == "tool_search_call" else item["name"]
        return finished_call(item["call_id"], name, arguments, stop_reason)

    def _entry(
        self, text: str, calls: tuple[ToolCall, ...], raw: tuple[Item, ...], *, stop_reason: str = "", **more: Any
    ) -> AssistantEntry:
        return AssistantEntry(
            text=text,
            tool_calls=calls,
            provider=PROVIDER,
            model=self.request.model,
            raw=raw,
            context_version=self.request.context_version,
            stop_reason=stop_reason,
            usage_raw=self._usage,
            request_id=self.request_id,
            message_id=self._response_id,
            starts_afresh=self.starts_afresh,
            **more,
        )


def usage_by_tier(raw: dict[str, Json]) -> TokenUsage:
    """Map reported usage to price tiers: here `input_tokens` holds what was read from and written to the cache.

    The lifetimes of cache writes are 30 minutes and 12 hours; they fill the tiers for a short and a long one.
    The split may be missing or shorter than their sum: the rest has the short lifetime, which is the default.
    """
    details = raw.get("input_tokens_details") or {}
    read, written = details.get("cached_tokens") or 0, details.get("cache_write_tokens") or 0
    split = details.get("cache_write_tokens_details") or {}
    long = split.get("ttl_12h_tokens") or 0
    return TokenUsage(
        input=max(0, (raw.get("input_tokens") or 0) - read - written),
        output=raw.get("output_tokens") or 0,
        cache_write_5m=max(split.get("ttl_30m_tokens") or 0, written - long),
        cache_write_1h=long,
        cache_read=read,
    )


def _parts(items: Sequence[Item], kind: str, field: str) -> str:
    parts = (part for item in items if item["type"] == "message" for part in item.get("content") or ())
    return "".join(part.get(field) or "" for part in parts if part.get("type") == kind)


def _text(items: Sequence[Item]) -> str:
    return _parts(items, "output_text", "text")


def _refusal(items: Sequence[Item]) -> str:
    return _parts(items, "refusal", "refusal")
