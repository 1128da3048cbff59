"""What the service decides about a request: refuse it, or play the next step of the script."""

from typing import Any

from evals.loopback.answers import Streamed
from evals.loopback.faults import Failure, Unanswered
from tests.strict_responses.asked import Asked
from tests.strict_responses.events import play, response_events, usage_of
from tests.strict_responses.memory import Memory, Sealer
from tests.strict_responses.models import MODELS, ModelRules
from tests.strict_responses.rules import first_breach
from tests.strict_responses.script import Reply, Step

Json = Any
Item = dict[str, Json]
INVALID = "invalid_request_error"


Decided = Failure | Streamed | Unanswered


class Service:
    """The rules, the script, and all that the service remembers between requests."""

    def __init__(self, api_key: str, script: list[Step]) -> None:
        self.models: dict[str, ModelRules] = dict(MODELS)
        self.summaries_allowed = True
        self._script = script
        self._memories: dict[str, Memory] = {}
        self._ids = 0
        self.accept_key(api_key)

    def accept_key(self, api_key: str) -> None:
        """Take the key of one more organisation, which can't read what this service sealed for another."""
        self._memories[api_key] = Memory(Sealer(f"service {id(self)} for {api_key}"))

    def answer(self, method: str, path: str, headers: dict[str, str], body: Item) -> Decided:
        """Return what a request gets. One that is refused uses up no step."""
        if (method, path) != ("POST", "/responses"):
            return Failure(404, INVALID, f"Invalid URL ({method} {path})")
        memory = self._memories.get(headers.get("authorization", "").removeprefix("Bearer "))
        if memory is None:
            return Failure(401, INVALID, "Incorrect API key provided.", details={"code": "invalid_api_key"})
        if not body:
            return Failure(400, INVALID, "We could not parse the JSON body of your request.")
        return self._refusal(Asked(body, self.models.get(body.get("model", "")) or ModelRules(), memory))

    def new_id(self, kind: str) -> str:
        """Return the next id of a kind."""
        self._ids += 1
        return f"{kind}_{self._ids:06d}"

    def _refusal(self, asked: Asked) -> Decided:
        model = asked.body.get("model", "")
        if model and model not in self.models:
            details = {"code": "model_not_found", "param": "model"}
            return Failure(400, INVALID, f"The requested model '{model}' does not exist.", details=details)
        if breach := first_breach(asked):
            details = {"code": breach.code or None, "param": breach.param or None}
            return Failure(breach.status, INVALID, breach.message, details=details)
        if not self.summaries_allowed and (asked.body.get("reasoning") or {}).get("summary"):
            details = {"code": "unsupported_value", "param": "reasoning.summary"}
            message = "Your organization must be verified to generate reasoning summaries."
            return Failure(400, INVALID, message, details=details)
        if not self._script:
            return Failure(500, "server_error", "the script is used up")
        step = self._script.pop(0)
        return self._stream(step, asked) if isinstance(step, Reply) else step

    def _stream(self, reply: Reply, asked: Asked) -> Streamed:
        model = asked.body["model"]
        played = play(reply.content, lambda item_id: asked.memory.sealer.seal(item_id, model), self.new_id)
        items = [item.final for item in played]
        asked.memory.note([item for item in items if item.get("id")])
        prompt = asked.memory.use_cache(asked.prompt(), asked.rules.min_cacheable_tokens)
        usage = {**usage_of(items, prompt), **(reply.usage or {})}
        response = {
            "id": self.new_id("resp"),
            "object": "response",
            "created_at": 1,
            "model": model,
            "error": None,
            "incomplete_details": None,
            "instructions": asked.body.get("instructions"),
            "metadata": {},
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": asked.tools,
            "temperature": 1,
            "top_p": 1,
            "service_tier": asked.body.get("service_tier", "auto"),
        }
        return Streamed([*response_events(reply, played, response, usage)], reply.broken, usage)
