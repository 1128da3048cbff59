"""What the service decides about a request: refuse it, or play the next step of the script."""

import re
from typing import Any

from evals.loopback.answers import Streamed
from evals.loopback.faults import Failure, Unanswered
from tests.strict_generate.asked import Asked, in_api_names
from tests.strict_generate.events import chunks, play
from tests.strict_generate.memory import Memory, Signer
from tests.strict_generate.models import MODELS, ModelRules
from tests.strict_generate.rules import first_breach
from tests.strict_generate.script import Reply, Step

Json = Any
PATH = re.compile(r"/v1beta/models/([^/:]+):streamGenerateContent\?alt=sse")
KEY_HEADER = "x-goog-api-key"


Decided = Failure | Streamed | Unanswered


class Service:
    """The rules, the script, and all that the service remembers between requests."""

    def __init__(self, api_key: str, script: list[Step]) -> None:
        self.models: dict[str, ModelRules] = dict(MODELS)
        self._script = script
        self._memories: dict[str, Memory] = {}
        self._ids = 0
        self.accept_key(api_key)

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more account, which can't use what this service signed for another."""
        self._memories[api_key] = Memory(Signer(f"service {id(self)} for {api_key}"))

    def answer(self, method: str, path: str, headers: dict[str, str], body: dict[str, Json]) -> Decided:
        """Return what a request gets. One that is refused uses up no step."""
        if "key=" in path:
            return Failure(400, "INVALID_ARGUMENT", "This stand-in refuses keys in addresses.")
        found = PATH.fullmatch(path)
        if method != "POST" or found is None:
            return Failure(404, "NOT_FOUND", f"No such method: {method} {path}")
        key = headers.get(KEY_HEADER, "")
        if not key:
            return Failure(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.")
        memory = self._memories.get(key)
        if memory is None:
            info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
            message = "API key not valid. Please pass a valid API key."
            return Failure(400, "INVALID_ARGUMENT", message, details={"details": [info]})
        rules = self.models.get(found[1])
        if rules is None:
            return Failure(404, "NOT_FOUND", f"models/{found[1]} is not found for API version v1beta.")
        return self._decided(Asked(found[1], in_api_names(body), rules, memory))

    def _decided(self, asked: Asked) -> Decided:
        if breach := first_breach(asked):
            return Failure(breach.code, breach.status, breach.message)
        if not self._script:
            return Failure(500, "INTERNAL", "the script is used up")
        step = self._script.pop(0)
        return self._stream(step, asked) if isinstance(step, Reply) else step

    def _stream(self, reply: Reply, asked: Asked) -> Streamed:
        signer = asked.memory.signer

        def sign(part: dict[str, Json]) -> dict[str, Json]:
            return signer.signed(part, asked.model) if asked.rules.checks_signatures else part

        played = play(reply, sign, lambda: self._new_id("fc"))
        prompt = asked.memory.cache.use(asked.prompt(), asked.rules.min_cacheable_tokens)
        base = {"modelVersion": asked.model, "responseId": self._new_id("resp")}
        return Streamed([*chunks(reply, played, base, prompt)], reply.broken)

    def _new_id(self, kind: str) -> str:
        self._ids += 1
        return f"{kind}_{self._ids:06d}"
