"""Why a prompt could not be read whole from the cache: it is compared with the one sent before."""

from dataclasses import dataclass, field
from typing import Any

from evals.loopback.tokens import canonical
from evals.strict_messages.conversation import Asked, as_blocks, unmarked

Json = Any
Block = dict[str, Json]
OTHER_SETTINGS = ("thinking", "output_config", "tool_choice")


@dataclass(frozen=True)
class _Sent:
    """A prompt as it is compared, part by part, with the tokens that it had."""

    model: Json
    tools: str
    system: str
    messages: tuple[str, ...]
    settings: str
    tokens: int

    @classmethod
    def of(cls, asked: Asked) -> "_Sent":
        body = asked.body
        return cls(
            model=(body["model"], body.get("speed")),
            tools=canonical(unmarked(asked.tools)),
            system=canonical(unmarked(asked.system)),
            messages=tuple(
                canonical([message["role"], unmarked(block)])
                for message in asked.messages
                for block in as_blocks(message["content"])
            ),
            settings=canonical({name: body.get(name) for name in OTHER_SETTINGS}),
            tokens=sum(tokens for _, tokens in asked.parts),
        )

    def change_since(self, before: "_Sent") -> str:
        """Name the first part that differs; empty where this prompt only goes on from the one before."""
        if self.model != before.model:
            return "model_changed"
        if self.tools != before.tools:
            return "tools_changed"
        if self.system != before.system:
            return "system_changed"
        if self.messages[: len(before.messages)] != before.messages:
            return "messages_changed"
        return "unavailable" if self.settings != before.settings else ""


@dataclass
class SentPrompts:
    """The prompts of an account by the id of the message that answered them."""

    _by_message: dict[str, _Sent] = field(default_factory=dict)

    def diagnose(self, asked: Asked, message_id: str, tokens_read: int) -> Block | None:
        """Remember a prompt, and return the diagnosis that it asked for."""
        sent = self._by_message[message_id] = _Sent.of(asked)
        wanted = asked.body.get("diagnostics")
        if wanted is None or wanted.get("previous_message_id") is None:
            return None
        before = self._by_message.get(wanted["previous_message_id"])
        if before is None:
            return {"cache_miss_reason": {"type": "previous_message_not_found"}}
        kind = sent.change_since(before)
        if not kind:
            return None
        reason: Block = {"type": kind}
        if kind != "unavailable":
            reason["cache_missed_input_tokens"] = max(0, before.tokens - tokens_read)
        return {"cache_miss_reason": reason}
