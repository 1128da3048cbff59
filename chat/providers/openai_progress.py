"""What has arrived of one streamed response: the source of its reply, its partial form, its usage."""

from collections.abc import Sequence
from typing import Any

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
from chat.providers.progress import Progress

# Why a response may be incomplete: what is not named here has an ending that the loop goes on from.
INCOMPLETE = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}
REASONING = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


class StreamProgress(Progress):
    """Follow the events of one stream. What is stored are the items as they were when they were done."""

    provider = PROVIDER

    def __init__(self, request: ModelRequest, prompt_estimate: int, search_name: str) -> None:
        super().__init__(request, prompt_estimate)
        self.is_finished = False
        self._search_name = search_name
        self._items: dict[int, Item] = {}
        self._text = ""
        self._incomplete = ""

    def feed(self, event: Any) -> ReasoningDelta | TextDelta | None:
        """Take one event of the stream; return what a reader should see of it. Raises `StreamError`.

        An event of an unknown type is an object of some other one: only its `type` tells.
        """
        kind: str = event.type
        self.has_begun = True
        if kind == "response.output_text.delta":
            self._text += event.delta
            return self.shown(TextDelta(event.delta))
        if kind in REASONING:
            return self.shown(ReasoningDelta(event.delta))
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
        entry = self.entry(text, calls, tuple(items), stop_reason=stop_reason)
        return ModelReply(entry=entry, usage=self.usage(), stop_reason=stop_reason)

    def declined(self, code: str, message: str) -> ModelReply:
        """Return the reply of a service that would not let the model answer."""
        entry = self.entry(message, stop_reason="refusal", stop_details={"category": code})
        return ModelReply(entry=entry, usage=self.usage(), stop_reason="refusal")

    def partial(self) -> AssistantEntry | None:
        """Return what may be stored of an unfinished message: its text. Sealed reasoning is for whole messages."""
        return self.entry(self._text, interrupted=True) if self._text.strip() else None

    @property
    def is_estimate(self) -> bool:
        """Whether usage was not reported: it is only in the last event."""
        return not self.reported and self.may_cost

    def usage(self) -> TokenUsage:
        """Return the tokens as reported, or as far as they can be known by now."""
        return usage_by_tier(self.reported) if self.reported else self.estimate()

    def _keep(self, kind: str, event: Any) -> None:
        match kind:
            case "response.created":
                self.message_id = event.response.id
            case "response.function_call_arguments.delta":
                self.streamed_characters += len(event.delta)
            case "response.output_item.done":
                self._items[event.output_index] = event.item.to_dict(warnings=False)
            case "response.completed" | "response.incomplete" | "response.failed":
                self._finish(kind, event.response)
            case "error":
                raise StreamError(event.code or "", event.message or "")

    def _finish(self, kind: str, response: Any) -> None:
        if response.usage:
            self.reported = response.usage.to_dict(warnings=False)
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
        return self.shown(ReasoningDelta("\n\n")) if event.summary_index else None

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
