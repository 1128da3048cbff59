"""What the service decides about a request: refuse it, or play the next step of the script."""

from typing import Any

from evals.loopback.answers import Streamed
from evals.loopback.faults import Failure, Unanswered
from evals.loopback.tokens import canonical, count
from tests.strict_chat.asked import Asked
from tests.strict_chat.dialects import Dialect
from tests.strict_chat.events import Stream, output_tokens
from tests.strict_chat.models import MODELS, ModelRules
from tests.strict_chat.rules import first_breach
from tests.strict_chat.script import Reply, Step

Json = Any


Decided = Failure | Streamed | Unanswered


class Service:
    """The rules, the script, and the prompt that was read last."""

    def __init__(self, api_key: str, dialect: Dialect, script: list[Step]) -> None:
        self.api_key = api_key
        self.dialect = dialect
        self.models: dict[str, ModelRules] = dict(MODELS)
        self.takes_reasoning = True
        self._script = script
        self._last_prompt: list[Json] = []
        self._ids = 0

    def answer(self, method: str, path: str, headers: dict[str, str], body: dict[str, Json]) -> Decided:
        """Return what a request gets. One that is refused uses up no step."""
        if method != "POST" or path not in self.dialect.paths:
            return Failure(404, "not_found_error", "", body=b"404 page not found")
        if self.api_key and headers.get("authorization") != f"Bearer {self.api_key}":
            return Failure(401, "authentication_error", "Invalid API Key")
        if not body:
            return Failure(400, "invalid_request_error", "parse error at line 1, column 1")
        if body.get("model") and body["model"] not in self.models:
            return Failure(404, "not_found_error", f"model '{body['model']}' not found")
        rules = self.models.get(body.get("model", "")) or ModelRules()
        return self._played(Asked(body, rules, self.takes_reasoning))

    def new_id(self, kind: str) -> str:
        """Return the next id of a kind."""
        self._ids += 1
        return f"{kind}{self._ids:06d}"

    def _played(self, asked: Asked) -> Decided:
        if breach := first_breach(asked):
            return Failure(breach.status, breach.error_type, breach.message)
        if not self._script:
            return Failure(500, "server_error", "the script is used up")
        step = self._script.pop(0)
        if not isinstance(step, Reply):
            return step
        wants_usage = (asked.body.get("stream_options") or {}).get("include_usage")
        usage = self._usage(step, asked) if wants_usage and step.keeps_count else {}
        stream = Stream(self.new_id("chatcmpl-"), asked.body["model"], self.dialect, usage)
        return Streamed([*stream.events(step)], step.broken, usage)

    def _usage(self, reply: Reply, asked: Asked) -> dict[str, Json]:
        prompt, output = asked.prompt_tokens, output_tokens(reply)
        usage = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
        if self.dialect.reports_cache:
            usage["prompt_tokens_details"] = {"cached_tokens": self._cached(asked)}
        return {**usage, **(reply.usage or {})}

    def _cached(self, asked: Asked) -> int:
        """Return the tokens at the beginning that the prompt shares with the last one, which is kept in memory."""
        prompt, shared = asked.prompt(), 0
        for now, before in zip(prompt, self._last_prompt, strict=False):
            if canonical(now) != canonical(before):
                break
            shared += count(now)
        self._last_prompt = prompt
        return shared
