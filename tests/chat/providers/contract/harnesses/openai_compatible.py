"""A local server's models on strict Chat Completions."""

import json
from typing import Any

from chat.config import ModelRow, Service
from chat.providers.base import AssistantEntry, Provider, TokenUsage
from chat.providers.openai_compatible import create
from evals.loopback.faults import Failure
from evals.loopback.server import Recorded
from tests.chat.providers.contract.harness import ALL, Harness
from tests.chat.providers.contract.script import Answer, Call, Declined, Part, Say, Think
from tests.strict_chat import FunctionCall, Reasoning, Reply, StrictChat, Text
from tests.strict_chat.script import Content

Json = Any
FAILURES = {
    "bad_request": (400, "invalid_request_error"),
    "auth": (401, "authentication_error"),
    "billing": (402, "billing_error"),
    "permission": (403, "permission_error"),
    "not_found": (404, "not_found_error"),
    "too_large": (413, "invalid_request_error"),
    "overflow": (400, "exceed_context_size_error"),
    "rate_limit": (429, "rate_limit_error"),
    "quota": (429, "insufficient_quota"),
    "server": (500, "server_error"),
    "overloaded": (503, "unavailable_error"),
    "gateway_page": (502, ""),
}
STOPS = {"end": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


class OpenAICompatibleHarness(Harness):
    """The `openai_compatible` provider."""

    server: StrictChat
    name = "openai_compatible"
    models = ("gpt-oss:20b", "qwen3:8b")
    # Such a server seals nothing and defers nothing, and keeps its cache for itself.
    abilities = ALL - {"sealed", "deferral"}
    tiers = frozenset({"input", "output", "cache_read"})

    def __init__(self) -> None:
        super().__init__()
        self.server = StrictChat()

    def reply(self, answer: Answer) -> Reply:
        return Reply(
            *(_content(part) for part in answer.parts),
            finish=STOPS[answer.stop],
            usage=_usage(answer.usage) if answer.usage else None,
            strange=answer.strange,
            broken=answer.broken,
        )

    def failure(self, declined: Declined) -> Failure:
        status, error_type = FAILURES[declined.problem]
        details = {"code": "insufficient_quota"} if declined.problem == "quota" else None
        body = b"<html>Bad gateway</html>" if declined.problem == "gateway_page" else None
        return Failure(status, error_type, declined.message, declined.headers, details, body)

    def create(self, *, model: str, api_key: str, base_url: str, read_timeout_s: float) -> Provider:
        row = ModelRow(
            model,
            provider="local",
            model=model,
            label=model,
            context_window=self.server.models[model].context_window,
            max_output_tokens=8_000,
            inline_max_tokens=5_000,
            efforts=("low", "medium", "high"),
        )
        service = Service(
            "local",
            key_variable="LOCAL_API_KEY",
            base_url=f"{base_url}/v1",
            read_timeout_s=read_timeout_s,
            api_key=api_key,
        )
        return create(row, service)

    def said(self, request: Recorded) -> list[str]:
        return [json.dumps(message) for message in request.json["messages"] if message["role"] != "system"]

    def offered(self, request: Recorded) -> list[str]:
        return [tool["function"]["name"] for tool in request.json.get("tools", [])]

    def system(self, request: Recorded) -> str:
        return "".join(message["content"] for message in request.json["messages"] if message["role"] == "system")

    def sealed(self, entry: AssistantEntry) -> list[str]:
        return []

    def effort(self, request: Recorded) -> str:
        return str(request.json["reasoning_effort"])


def _content(part: Part) -> Content:
    match part:
        case Say(text):
            return Text(text)
        case Think(text):
            return Reasoning(text)
        case Call():
            return FunctionCall(part.name, part.arguments, sent=part.sent)


def _usage(usage: TokenUsage) -> Json:
    prompt = usage.input + usage.cache_read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.output // 2},
    }
