"""What has arrived of one streamed message: the source of its reply, its partial form, its usage."""

from collections.abc import Iterator, Mapping

from google.genai import types

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
from chat.providers.calls import finished_call
from chat.providers.google_errors import StreamError
from chat.providers.google_wire import PROVIDER, Part
from chat.providers.progress import Progress

# Why a message ended. All that is in none of these is an error: see `google_errors`.
STOP_REASONS = {"STOP": "end", "MAX_TOKENS": "max_tokens", "CONTINUATION": "max_tokens"}
# The model called a tool in a way that the service could not read: it may go on from there.
UNREAD = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
DECLINED = frozenset(
    [
        "BLOCKLIST",
        "ESCALATION",
        "IMAGE_OTHER",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "IMAGE_SAFETY",
        "LANGUAGE",
        "MODEL_ARMOR",
        "PROHIBITED_CONTENT",
        "RECITATION",
        "SAFETY",
        "SPII",
    ]
)
# Parts of nothing but this may be put together: a signature belongs to its own part.
PLAIN = ({"text"}, {"text", "thought"})


class StreamProgress(Progress):
    """Follow the chunks of one stream. Each brings whole parts, and the usage up to then."""

    provider = PROVIDER

    def __init__(self, request: ModelRequest, prompt_estimate: int, spent: TokenUsage | None = None) -> None:
        super().__init__(request, prompt_estimate)
        self.reason = ""
        # What attempts before this one have used.
        self._spent = spent or TokenUsage()
        self._parts: list[Part] = []
        self._block_reason = ""

    def feed(self, chunk: types.GenerateContentResponse) -> Iterator[ReasoningDelta | TextDelta]:
        """Take one chunk of the stream; yield what a reader should see of it. Raises `StreamError`."""
        self.has_begun = True
        self.message_id = chunk.response_id or self.message_id
        if chunk.usage_metadata:
            self.reported = _dumped(chunk.usage_metadata)
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            self._block_reason = str(chunk.prompt_feedback.block_reason.value)
        for candidate in chunk.candidates or ():
            if candidate.index:
                continue
            for part in (candidate.content and candidate.content.parts) or ():
                yield from self._taken(_dumped(part))
            if candidate.finish_reason:
                self._end(str(candidate.finish_reason.value))

    @property
    def is_finished(self) -> bool:
        """Whether the service said why the message ended, or that it will not answer."""
        return bool(self.reason or self._block_reason)

    @property
    def stop_reason(self) -> str:
        """The loop's word for why the message ended."""
        if self._block_reason or self.reason in DECLINED:
            return "refusal"
        has_calls = any("functionCall" in part for part in self._parts)
        if self.reason in UNREAD:
            # A call of a tool that was not offered is read all the same: its result says where to find it.
            return "tool_use" if has_calls and self.reason == "UNEXPECTED_TOOL_CALL" else "pause"
        reason = STOP_REASONS.get(self.reason, "end")
        return "tool_use" if reason == "end" and has_calls else reason

    def reply(self) -> ModelReply:
        """Return the finished message."""
        stop_reason = self.stop_reason
        if stop_reason == "refusal":
            details = {"category": self._block_reason or self.reason}
            entry = self.entry("", stop_reason=stop_reason, stop_details=details)
        else:
            entry = self.entry(self._text, self._calls(stop_reason), tuple(self._parts), stop_reason=stop_reason)
        return ModelReply(entry=entry, usage=self.usage(), stop_reason=stop_reason)

    def partial(self) -> AssistantEntry | None:
        """Return what may be stored of an unfinished message: its text. Signatures are for whole messages."""
        return self.entry(self._text, interrupted=True) if self._text.strip() else None

    @property
    def is_estimate(self) -> bool:
        """Whether the usage may not be the last word: each chunk brings what was used up to then."""
        return not self.is_finished and self.may_cost

    def usage(self) -> TokenUsage:
        """Return the tokens as reported, or as far as they can be known by now."""
        reported = usage_by_tier(self.reported)
        prompt, output = reported.input, reported.output
        if self.is_estimate:
            prompt = prompt if self.reported else self.prompt_estimate
            output = max(output, self.streamed_tokens)
        spent = self._spent
        return TokenUsage(
            input=spent.input + prompt,
            output=spent.output + output,
            cache_read=spent.cache_read + reported.cache_read,
        )

    def afresh(self) -> "StreamProgress":
        """Return the progress of the next attempt at the same request, from the projection."""
        following = StreamProgress(self.request, self.prompt_estimate, self.usage() if self.reported else None)
        following.starts_afresh = True
        return following

    def _end(self, reason: str) -> None:
        if reason not in STOP_REASONS and reason not in UNREAD | DECLINED:
            raise StreamError(reason)
        self.reason = reason

    def _taken(self, part: Part) -> Iterator[ReasoningDelta | TextDelta]:
        """Keep one part; what is blank and not signed says nothing, nor does a part of an unknown kind."""
        text = part.get("text") or ""
        is_thought = bool(part.get("thought"))
        if set(part) <= {"text", "thought"} and not text:
            return
        self.streamed_characters += len(str(part.get("functionCall") or text))
        last = self._parts[-1] if self._parts else {}
        if set(part) in PLAIN and set(last) == set(part):
            last["text"] += text
        else:
            self._parts.append(part)
        if text:
            self.was_shown = True
            yield ReasoningDelta(text) if is_thought else TextDelta(text)

    @property
    def _text(self) -> str:
        return "".join(part.get("text") or "" for part in self._parts if not part.get("thought"))

    def _calls(self, stop_reason: str) -> tuple[ToolCall, ...]:
        calls: list[ToolCall] = []
        for part in self._parts:
            if "functionCall" in part:
                call = part["functionCall"]
                taken = {earlier.id for earlier in calls}
                call_id = call.get("id") or f"call_{len(calls)}_{self.message_id}"
                call_id = f"{call_id}_{len(calls)}" if call_id in taken else call_id
                calls.append(finished_call(call_id, call.get("name") or "", call.get("args") or {}, stop_reason))
        return tuple(calls)


def usage_by_tier(raw: Mapping[str, Json]) -> TokenUsage:
    """Map reported usage to price tiers: here the prompt holds what was read from the cache, and the output does not
    hold the thoughts, which are paid as output. What tools of the service itself add to the prompt is counted apart.

    Nothing is said of writing to the cache: the service does so by itself, at no price.
    """
    prompt = (raw.get("promptTokenCount") or 0) + (raw.get("toolUsePromptTokenCount") or 0)
    cached = min(raw.get("cachedContentTokenCount") or 0, prompt)
    output = (raw.get("candidatesTokenCount") or 0) + (raw.get("thoughtsTokenCount") or 0)
    return TokenUsage(input=prompt - cached, output=output, cache_read=cached)


def _dumped(value: types.Part | types.GenerateContentResponseUsageMetadata) -> dict[str, Json]:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)
