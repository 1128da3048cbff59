"""What the service decides about a request: refuse it, or play the next step of the script."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evals.strict_messages.conversation import THINKING, Asked, Memory, unmarked
from evals.strict_messages.events import Event, Played, message_events, play
from evals.strict_messages.models import MODELS, ModelRules
from evals.strict_messages.prompt_cache import PromptBlock, PromptCache
from evals.strict_messages.rules import first_breach
from evals.strict_messages.rules.parameters import prompt_parts
from evals.strict_messages.rules.thinking import prefix, signature_of
from evals.strict_messages.script import Break, Failure, Reply, Step
from evals.strict_messages.signing import Signer
from evals.strict_messages.tokens import canonical

Json = Any
Block = dict[str, Json]
MAX_BODY_BYTES = 32 * 1024 * 1024
CACHE_SETTINGS = ("thinking", "output_config", "tool_choice")


@dataclass(frozen=True)
class Stream:
    """An accepted request's events, and where they break off."""

    events: Sequence[Event]
    usage: Block
    broken: Break | None


class Service:
    """The rules, the script, and all that the service remembers between requests."""

    def __init__(self, *, api_key: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.api_key = api_key
        self.models: dict[str, ModelRules] = dict(MODELS)
        self.script: list[Step] = []
        self._clock = clock
        self._memory = Memory(Signer(f"key of service {id(self)}"))
        self._cache = PromptCache()
        self._ids = 0

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes, body: Block) -> Failure | Stream:
        """Return what a request gets. One that is refused uses up no step."""
        refusal = self._refusal(method, path, headers, raw, body)
        if refusal is not None:
            return refusal
        if not self.script:
            return Failure(500, "api_error", "the script is used up")
        step = self.script.pop(0)
        return step if isinstance(step, Failure) else self._stream(step, self._asked(body))

    def new_id(self, kind: str) -> str:
        """Return the next id of a kind."""
        self._ids += 1
        return f"{kind}_{self._ids:06d}"

    def _refusal(self, method: str, path: str, headers: dict[str, str], raw: bytes, body: Block) -> Failure | None:
        if (method, path) != ("POST", "/v1/messages"):
            return Failure(404, "not_found_error", "Not found")
        if headers.get("authorization") != f"Bearer {self.api_key}":
            return Failure(401, "authentication_error", "Invalid bearer token")
        if "anthropic-version" not in headers:
            return Failure(400, "invalid_request_error", "anthropic-version: header is required")
        if len(raw) > MAX_BODY_BYTES:
            return Failure(413, "request_too_large", "Request exceeds the maximum size")
        if not body:
            return Failure(400, "invalid_request_error", "The request body is not valid JSON")
        if body.get("model") and body["model"] not in self.models:
            return Failure(404, "not_found_error", f"model: {body['model']}")
        breach = first_breach(self._asked(body))
        return Failure(400, "invalid_request_error", breach) if breach else None

    def _asked(self, body: Block) -> Asked:
        return Asked(body, self.models.get(body.get("model", "")) or ModelRules(frozenset()), self._memory)

    def _stream(self, reply: Reply, asked: Asked) -> Stream:
        played = self._played(reply, asked)
        usage = self._usage(reply, asked)
        message = {
            "id": self.new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        return Stream([*message_events(reply, played, message, usage)], usage, reply.broken)

    def _played(self, reply: Reply, asked: Asked) -> list[Played]:
        """Sign and number a reply's blocks, and remember what was given out."""
        last_seal = self._last_seal(asked)

        def seal(text: str, before: Sequence[Block]) -> str:
            nonlocal last_seal
            messages = [*asked.messages, {"role": "assistant", "content": [*before]}]
            extended = Asked({**asked.body, "messages": messages}, asked.rules, asked.memory)
            signature, last_seal = self._memory.signer.seal(
                model=asked.body["model"],
                text=text,
                prefix=prefix(extended, len(asked.messages), len(before)),
                before=last_seal,
            )
            return signature

        played = play(reply.content, seal, self.new_id)
        blocks = [block.final for block in played]
        signatures = tuple(signature_of(block) for block in blocks if block["type"] in THINKING)
        self._memory.issued_blocks.update(canonical(block) for block in blocks)
        calls = (block["id"] for block in blocks if block["type"] == "tool_use")
        self._memory.thinking_of_call.update(dict.fromkeys(calls, signatures))
        return played

    def _last_seal(self, asked: Asked) -> str:
        """Return the id of the last thinking block that this model can read in a request."""
        signatures = [signature_of(block) for *_, block in asked.blocks() if block["type"] in THINKING]
        seals = [self._memory.signer.open(signature) for signature in signatures]
        return next((seal.id for seal in reversed(seals) if seal and seal.model == asked.body["model"]), "")

    def _usage(self, reply: Reply, asked: Asked) -> Block:
        settings = {name: asked.body.get(name) for name in CACHE_SETTINGS}
        prefix_blocks = sum(not tool.get("defer_loading") for tool in asked.tools) + len(asked.system)
        blocks = []
        for i, (block, tokens) in enumerate(prompt_parts(asked)):
            mark = block.get("cache_control")
            # Thinking and effort are part of what a message is cached under, not of tools and system.
            content = [unmarked(block), settings if i >= prefix_blocks else None]
            blocks.append(PromptBlock(content, tokens, mark.get("ttl", "5m") if mark else ""))
        use = self._cache.use(blocks, minimum_tokens=asked.rules.min_cacheable_tokens, now=self._clock())
        return {
            "input_tokens": use.uncached,
            "cache_creation_input_tokens": use.write_5m + use.write_1h,
            "cache_read_input_tokens": use.read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": use.write_5m,
                "ephemeral_1h_input_tokens": use.write_1h,
            },
            "output_tokens": 1,
            "service_tier": "standard",
            **(reply.usage or {}),
        }


def error_body(failure: Failure, request_id: str) -> bytes:
    """Return the JSON of an error, or the scripted body in its place."""
    if failure.body is not None:
        return failure.body
    error: Block = {"type": failure.error_type, "message": failure.message}
    if failure.details:
        error["details"] = failure.details
    return json.dumps({"type": "error", "error": error, "request_id": request_id}).encode()
