"""OpenAI's models on the strict Responses API."""

import json
from typing import Any

from chat.providers.base import AssistantEntry, TokenUsage
from chat.providers.openai import OpenAIModel, OpenAIProvider
from evals.loopback.faults import Failure
from evals.loopback.server import Recorded
from tests.chat.providers.contract.conversation import SEARCH
from tests.chat.providers.contract.harness import PLACES, Harness
from tests.chat.providers.contract.script import Answer, Call, Declined, Part, Say, Think
from tests.strict_responses import FunctionCall, Reasoning, Refusal, Reply, StrictResponses, Text, ToolSearch
from tests.strict_responses.script import Content

Json = Any
INVALID = "invalid_request_error"
FAILURES: dict[str, tuple[int, str, str]] = {
    "bad_request": (400, INVALID, "invalid_value"),
    "auth": (401, INVALID, "invalid_api_key"),
    "billing": (402, INVALID, ""),
    "permission": (403, INVALID, "unsupported_country_region_territory"),
    "not_found": (404, INVALID, "model_not_found"),
    "too_large": (413, INVALID, ""),
    "overflow": (400, INVALID, "context_length_exceeded"),
    "rate_limit": (429, "tokens", "rate_limit_exceeded"),
    "quota": (429, "insufficient_quota", "insufficient_quota"),
    "server": (500, "server_error", ""),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded"),
    "gateway_page": (502, "", ""),
}


class OpenAIHarness(Harness):
    """The `openai` provider."""

    server: StrictResponses
    name = "openai"
    models = ("gpt-6.2-sol", "gpt-6.1-terra")
    # The last event holds the reason why the response ended.
    places = {name: place for name, place in PLACES.items() if name != "before the final event"}

    def __init__(self) -> None:
        super().__init__()
        self.server = StrictResponses()

    def reply(self, answer: Answer) -> Reply:
        content = [_item(part) for part in answer.parts]
        if answer.stop == "refusal":
            content.append(Refusal("I can't help with that."))
        return Reply(
            *content,
            incomplete="max_output_tokens" if answer.stop == "max_tokens" else "",
            usage=_usage(answer.usage) if answer.usage else None,
            strange=answer.strange,
            broken=answer.broken,
        )

    def failure(self, declined: Declined) -> Failure:
        status, error_type, code = FAILURES[declined.problem]
        body = b"<html>Bad gateway</html>" if declined.problem == "gateway_page" else None
        return Failure(status, error_type, declined.message, declined.headers, {"code": code or None}, body)

    def create(self, *, model: str, api_key: str, base_url: str, read_timeout_s: float) -> OpenAIProvider:
        return OpenAIProvider(OpenAIModel(model), api_key=api_key, base_url=base_url, read_timeout_s=read_timeout_s)

    def said(self, request: Recorded) -> list[str]:
        return [json.dumps(item) for item in request.json["input"]]

    def offered(self, request: Recorded) -> list[str]:
        loaded = [SEARCH.name if tool["type"] == "tool_search" else tool["name"] for tool in request.json["tools"]]
        outputs = [item for item in request.json["input"] if item["type"] == "tool_search_output"]
        return [*dict.fromkeys(loaded + [tool["name"] for item in outputs for tool in item["tools"]])]

    def system(self, request: Recorded) -> str:
        return str(request.json.get("instructions", ""))

    def sealed(self, entry: AssistantEntry) -> list[str]:
        return [item["encrypted_content"] for item in entry.raw if item["type"] == "reasoning"]

    def effort(self, request: Recorded) -> str:
        return str(request.json["reasoning"]["effort"])


def _item(part: Part) -> Content:
    match part:
        case Say(text):
            return Text(text, {"phase": "commentary"})
        case Think(text):
            return Reasoning((text,))
        case Call(name=SEARCH.name):
            return ToolSearch(part.arguments)
        case Call():
            return FunctionCall(part.name, part.arguments, sent=part.sent)


def _usage(usage: TokenUsage) -> Json:
    written = usage.cache_write_5m + usage.cache_write_1h
    total = usage.input + usage.cache_read + written
    return {
        "input_tokens": total,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": written,
            "cache_write_tokens_details": {
                "ttl_30m_tokens": usage.cache_write_5m,
                "ttl_12h_tokens": usage.cache_write_1h,
            },
        },
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.output // 2},
        "total_tokens": total + usage.output,
    }
