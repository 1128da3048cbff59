"""What the service decides about a request: refuse it, count it, or play the next step of the script."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evals.loopback.answers import Streamed
from evals.loopback.faults import Failure, Unanswered
from evals.loopback.tokens import canonical
from evals.strict_messages.conversation import THINKING, Asked
from evals.strict_messages.events import Played, message_events, play
from evals.strict_messages.models import MODELS, ModelRules
from evals.strict_messages.organisation import Organisation
from evals.strict_messages.parts import cache_blocks, prompt_tokens
from evals.strict_messages.rules import first_breach
from evals.strict_messages.rules.thinking import is_readable, prefix, signature_of
from evals.strict_messages.script import Reply, Step

Json = Any
Block = dict[str, Json]
MAX_BODY_BYTES = 32 * 1024 * 1024
MESSAGES, COUNT_TOKENS = "/v1/messages", "/v1/messages/count_tokens"


@dataclass(frozen=True)
class Counted:
    """The answer to a request that only asks for its size."""

    input_tokens: int


Decided = Failure | Streamed | Counted | Unanswered


class Service:
    """The rules, the script, and all that the service remembers between requests."""

    def __init__(self, script: list[Step], *, api_key: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.models: dict[str, ModelRules] = dict(MODELS)
        self._script = script
        self._clock = clock
        self._organisations: dict[str, Organisation] = {}
        self._ids = 0
        self.accept_key(api_key)

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation; a key that was known belongs to another one from now on."""
        self._organisations[api_key] = Organisation(secrets.token_hex())

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes, body: Block) -> Decided:
        """Return what a request gets. One that is refused or only counted uses up no step."""
        organisation = self._organisations.get(headers.get("authorization", "").removeprefix("Bearer "))
        if (method, path) not in {("POST", MESSAGES), ("POST", COUNT_TOKENS)}:
            return Failure(404, "not_found_error", "Not found")
        if organisation is None:
            return Failure(401, "authentication_error", "Invalid bearer token")
        refusal = self._refusal(headers, raw, body)
        if refusal is not None:
            return refusal
        if path == COUNT_TOKENS:
            body = {"max_tokens": 1, "stream": True, **body}
        asked = self._asked(body, organisation)
        if breach := first_breach(asked):
            return Failure(400, "invalid_request_error", breach)
        if path == COUNT_TOKENS:
            return Counted(prompt_tokens(asked))
        if not self._script:
            return Failure(500, "api_error", "the script is used up")
        step = self._script.pop(0)
        return self._stream(step, asked, organisation) if isinstance(step, Reply) else step

    def new_id(self, kind: str) -> str:
        """Return the next id of a kind."""
        self._ids += 1
        return f"{kind}_{self._ids:06d}"

    def _refusal(self, headers: dict[str, str], raw: bytes, body: Block) -> Failure | None:
        if "anthropic-version" not in headers:
            return Failure(400, "invalid_request_error", "anthropic-version: header is required")
        if len(raw) > MAX_BODY_BYTES:
            return Failure(413, "request_too_large", "Request exceeds the maximum size")
        if not body:
            return Failure(400, "invalid_request_error", "The request body is not valid JSON")
        if body.get("model") and body["model"] not in self.models:
            return Failure(404, "not_found_error", f"model: {body['model']}")
        return None

    def _asked(self, body: Block, organisation: Organisation) -> Asked:
        rules = self.models.get(body.get("model", "")) or ModelRules(frozenset())
        lenders = frozenset(name for name, model in self.models.items() if model.lends_thinking)
        return Asked(body, rules, organisation.memory, lenders)

    def _stream(self, reply: Reply, asked: Asked, organisation: Organisation) -> Streamed:
        played = self._played(reply, asked)
        usage = self._usage(reply, asked, organisation)
        message_id = self.new_id("msg")
        message = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "diagnostics": organisation.sent.diagnose(asked, message_id, usage["cache_read_input_tokens"]),
        }
        return Streamed([*message_events(reply, played, message, usage)], reply.broken, usage)

    def _played(self, reply: Reply, asked: Asked) -> list[Played]:
        """Sign and number a reply's blocks, and remember what was given out."""
        memory, last_seal = asked.memory, self._last_seal(asked)

        def seal(text: str, before: Sequence[Block]) -> str:
            nonlocal last_seal
            messages = [*asked.messages, {"role": "assistant", "content": [*before]}]
            signature, last_seal = memory.signer.seal(
                model=asked.body["model"],
                text=text,
                prefix=prefix(asked, messages, len(asked.messages), len(before)),
                before=last_seal,
            )
            return signature

        played = play(reply.content, seal, self.new_id)
        blocks = [block.final for block in played]
        signatures = tuple(signature_of(block) for block in blocks if block["type"] in THINKING)
        memory.issued_blocks.update(canonical(block) for block in blocks)
        calls = (block["id"] for block in blocks if block["type"] == "tool_use")
        memory.thinking_of_call.update(dict.fromkeys(calls, signatures))
        return played

    def _last_seal(self, asked: Asked) -> str:
        """Return the id of the last thinking block that this model can read in a request."""
        signatures = [signature_of(block) for *_, block in asked.blocks() if block["type"] in THINKING]
        seals = [asked.memory.signer.open(signature) for signature in signatures]
        return next((seal.id for seal in reversed(seals) if seal and is_readable(asked, seal)), "")

    def _usage(self, reply: Reply, asked: Asked, organisation: Organisation) -> Block:
        blocks = cache_blocks(asked)
        use = organisation.cache.use(blocks, minimum_tokens=asked.rules.min_cacheable_tokens, now=self._clock())
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
