"""What has arrived of one streamed message: the source of its reply, its partial form, its usage."""

from collections.abc import Sequence
from typing import Any

from anthropic.lib.streaming import ParsedMessageStreamEvent
from anthropic.types import Message

from chat.providers.anthropic_wire import PROVIDER, THINKING, Block, without_trailing_thinking
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
from chat.providers.progress import Progress

STOP_REASONS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
    "model_context_window_exceeded": "context_overflow",
}


class StreamProgress(Progress):
    """Follow the events of one stream.

    The SDK keeps the message; here is what it does not keep: the text of tool arguments as it
    came, the usage exactly as reported, and whether the final event was seen.
    """

    provider = PROVIDER

    def __init__(self, request: ModelRequest, prompt_estimate: int) -> None:
        super().__init__(request, prompt_estimate)
        self.message: Message | None = None
        self.is_finished = False
        self._arguments: dict[int, str] = {}
        self._start_usage: dict[str, Json] = {}
        self._last_usage: dict[str, Json] = {}

    def feed(self, event: ParsedMessageStreamEvent) -> ReasoningDelta | TextDelta | None:
        """Take one event of the stream; return what a reader should see of it."""
        if event.type == "message_start":
            self.has_begun = True
            self.message_id = event.message.id
            self._start_usage = self.reported = event.message.usage.to_dict()
        elif event.type == "message_delta":
            self._last_usage = event.usage.to_dict()
            counted = {name: value for name, value in self._last_usage.items() if value is not None}
            self.reported = {**self._start_usage, **counted}
        elif event.type == "message_stop":
            self.is_finished = self.message is not None and self.message.stop_reason is not None
        elif event.type == "content_block_delta":
            delta = event.delta
            if delta.type == "text_delta":
                return self.shown(TextDelta(delta.text))
            if delta.type == "thinking_delta":
                return self.shown(ReasoningDelta(delta.thinking))
            if delta.type == "input_json_delta":
                self._arguments[event.index] = self._arguments.get(event.index, "") + delta.partial_json
                self.streamed_characters += len(delta.partial_json)
        return None

    def reply(self) -> ModelReply:
        """Return the finished message."""
        reason = self.message.stop_reason if self.message else None
        stop_reason = STOP_REASONS.get(reason or "", "end")
        blocks = self._blocks()
        calls = tuple(
            self._call(i, block, stop_reason) for i, block in enumerate(blocks) if block["type"] == "tool_use"
        )
        entry = self._entry(blocks, calls, stop_reason=stop_reason)
        return ModelReply(entry=entry, usage=self.usage(), stop_reason=stop_reason)

    def partial(self) -> AssistantEntry | None:
        """Return what may be stored of an unfinished message: its text, and thinking that was signed."""
        # Blocks come one after the other, so thinking that was broken off stands last.
        kept = without_trailing_thinking([block for block in self._blocks() if _may_be_kept(block)])
        return self._entry(kept, (), interrupted=True) if kept else None

    @property
    def is_estimate(self) -> bool:
        """Whether the output was not reported: it is only when the message is about to end."""
        return not self._last_usage and self.may_cost

    def usage(self) -> TokenUsage:
        """Return the tokens as reported, or as far as they can be known by now."""
        if self._last_usage:
            return usage_by_tier(self.reported)
        if not self._start_usage:
            return self.estimate()
        output = max(self._start_usage.get("output_tokens") or 0, self.streamed_tokens)
        return usage_by_tier({**self._start_usage, "output_tokens": output})

    def _blocks(self) -> list[Block]:
        """Return the message's blocks as they came, unknown fields and all."""
        blocks = [block.to_dict(warnings=False) for block in self.message.content] if self.message else []
        for block in blocks:
            # Arguments that are no object would make the message unfit to be sent back.
            if block["type"] == "tool_use" and not isinstance(block["input"], dict):
                block["input"] = {}
        return blocks

    def _entry(self, blocks: Sequence[Block], calls: tuple[ToolCall, ...], **ending: Any) -> AssistantEntry:
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        details = self.message.stop_details if self.message else None
        return self.entry(text, calls, tuple(blocks), stop_details=details.to_dict() if details else {}, **ending)

    def _call(self, index: int, block: Block, stop_reason: str) -> ToolCall:
        arguments = parsed_arguments(self._arguments.get(index, ""))
        return finished_call(block["id"], block["name"], arguments, stop_reason)


def usage_by_tier(raw: dict[str, Json]) -> TokenUsage:
    """Map reported usage to price tiers; `input_tokens` never holds cached tokens here.

    The split of cache writes may be missing or shorter than their sum: the rest has the
    default lifetime of five minutes.
    """
    split = raw.get("cache_creation") or {}
    write_1h = split.get("ephemeral_1h_input_tokens") or 0
    write_5m = split.get("ephemeral_5m_input_tokens") or 0
    written = raw.get("cache_creation_input_tokens") or 0
    return TokenUsage(
        input=raw.get("input_tokens") or 0,
        output=raw.get("output_tokens") or 0,
        cache_write_5m=max(write_5m, written - write_1h),
        cache_write_1h=write_1h,
        cache_read=raw.get("cache_read_input_tokens") or 0,
        tool_requests=_tool_requests(raw.get("server_tool_use") or {}),
    )


def _tool_requests(raw: dict[str, Json]) -> dict[str, int]:
    """Return how often the service ran each of its own tools: `web_search_requests: 2` is `web_search: 2`."""
    suffix = "_requests"
    return {name.removesuffix(suffix): count for name, count in raw.items() if name.endswith(suffix) and count}


def _may_be_kept(block: Block) -> bool:
    if block["type"] == "text":
        return bool(block["text"].strip())
    return block["type"] in THINKING and bool(block.get("signature") or block.get("data"))
