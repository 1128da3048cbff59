"""What has arrived of one streamed message: the source of its reply, its partial form, its usage."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletionChunk

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
from chat.providers.openai_compatible_wire import PROVIDER, REASONING_FIELDS, Message
from chat.providers.openai_errors import StreamError
from chat.providers.progress import Progress

# Some servers say `stop` where the message ends with calls.
STOP_REASONS = {
    "stop": "end",
    "tool_calls": "end",
    "function_call": "end",
    "length": "max_tokens",
    "content_filter": "refusal",
}


@dataclass
class _Call:
    """A call as far as it has come."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


class StreamProgress(Progress):
    """Follow the chunks of one stream. The service never sends the whole message: it is put together here."""

    provider = PROVIDER

    def __init__(self, request: ModelRequest, prompt_estimate: int) -> None:
        super().__init__(request, prompt_estimate)
        self._text = ""
        self._refusal = ""
        self._reasoning: dict[str, str] = {}
        self._calls: list[_Call] = []
        self._finish_reason = ""

    def feed(self, chunk: ChatCompletionChunk) -> Iterator[ReasoningDelta | TextDelta]:
        """Take one chunk of the stream; yield what a reader should see of it. Raises `StreamError`."""
        self.has_begun = True
        self.message_id = chunk.id or self.message_id
        if chunk.usage:
            self.reported = chunk.usage.to_dict(warnings=False)
        for choice in chunk.choices or ():
            if choice.index:
                continue
            self._finish_reason = choice.finish_reason or self._finish_reason
            if self._finish_reason and self._finish_reason not in STOP_REASONS:
                raise StreamError("", f"The model's service stopped the message: {self._finish_reason}.")
            if choice.delta:
                yield from self._taken(choice.delta)

    @property
    def is_finished(self) -> bool:
        """Whether all of it has come: why it ended, and what it used."""
        return bool(self._finish_reason and self.reported)

    @property
    def stop_reason(self) -> str:
        """The loop's word for why the message ended."""
        if self._refusal:
            return "refusal"
        reason = STOP_REASONS.get(self._finish_reason, "end")
        return "tool_use" if reason == "end" and self._calls else reason

    def reply(self) -> ModelReply:
        """Return the finished message."""
        stop_reason = self.stop_reason
        calls = tuple(self._finished(call, number) for number, call in enumerate(self._calls))
        if stop_reason == "refusal":
            calls = ()
        details = {"explanation": self._refusal} if self._refusal else {}
        said, raw = self._text or self._refusal, (self._message(calls),)
        entry = self.entry(said, calls, raw, stop_reason=stop_reason, stop_details=details)
        return ModelReply(entry=entry, usage=self.usage(), stop_reason=stop_reason)

    def partial(self) -> AssistantEntry | None:
        """Return what may be stored of an unfinished message: its text."""
        if not self._text.strip():
            return None
        raw = ({"role": "assistant", "content": self._text},)
        return self.entry(self._text, raw=raw, interrupted=True)

    @property
    def is_estimate(self) -> bool:
        """Whether usage was not reported: it usually is only behind the message."""
        return not self.reported and self.may_cost

    def usage(self) -> TokenUsage:
        """Return the tokens as reported, or as far as they can be known by now."""
        return usage_by_tier(self.reported) if self.reported else self.estimate()

    def _taken(self, delta: Any) -> Iterator[ReasoningDelta | TextDelta]:
        for name in REASONING_FIELDS:
            text = (delta.model_extra or {}).get(name)
            if isinstance(text, str) and (thought := self.shown(ReasoningDelta(text))):
                self._reasoning[name] = self._reasoning.get(name, "") + text
                yield thought
        if isinstance(delta.content, str) and (said := self.shown(TextDelta(delta.content))):
            self._text += delta.content
            yield said
        self._refusal += delta.refusal or ""
        self.streamed_characters += len(delta.refusal or "")
        for piece in delta.tool_calls or ():
            self._add(piece)

    def _add(self, piece: Any) -> None:
        """Take a piece of a call. Servers that number all calls alike still give each an id of its own."""
        index, call_id = piece.index or 0, piece.id or ""
        call = next((call for call in reversed(self._calls) if call.index == index), None)
        if call is None or (call_id and call.id and call_id != call.id):
            call = _Call(index)
            self._calls.append(call)
        call.id = call_id or call.id
        if piece.function:
            name = piece.function.name or ""
            # A name may come in pieces, or again and longer.
            call.name = name if name.startswith(call.name) else call.name + name
            arguments = piece.function.arguments or ""
            call.arguments += arguments
            self.streamed_characters += len(arguments)

    def _finished(self, call: _Call, number: int) -> ToolCall:
        call_id = call.id or f"call_{number}_{self.message_id}"
        return finished_call(call_id, call.name, parsed_arguments(call.arguments), self.stop_reason)

    def _message(self, calls: tuple[ToolCall, ...]) -> Message:
        message: Message = {"role": "assistant", "content": self._text if self._text.strip() else None}
        message |= self._reasoning
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": arrived.arguments or "{}"},
                }
                for call, arrived in zip(calls, self._calls, strict=True)
            ]
        return message


def usage_by_tier(raw: dict[str, Json]) -> TokenUsage:
    """Map reported usage to price tiers: here the prompt holds what was read from the cache, the output the reasoning.

    Nothing is said of writing to the cache: local servers keep what they read last, at no price.
    """
    prompt = raw.get("prompt_tokens") or 0
    cached = min((raw.get("prompt_tokens_details") or {}).get("cached_tokens") or 0, prompt)
    return TokenUsage(input=prompt - cached, output=raw.get("completion_tokens") or 0, cache_read=cached)
