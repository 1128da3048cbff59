"""Google's models on the strict Gemini API."""

import json
from typing import Any

from chat.config import ModelRow, Service
from chat.providers.base import AssistantEntry, Provider, TokenUsage
from chat.providers.google import create
from evals.loopback.faults import Failure
from evals.loopback.server import Recorded
from tests.chat.providers.contract.harness import ALL, PLACES, Harness
from tests.chat.providers.contract.script import Answer, Call, Declined, Part, Say, Think
from tests.strict_generate import FunctionCall, Reply, StrictGenerate, Text, Thought
from tests.strict_generate.script import Content

Json = Any
INVALID = "INVALID_ARGUMENT"
FAILURES: dict[str, tuple[int, str]] = {
    "bad_request": (400, INVALID),
    "auth": (401, "UNAUTHENTICATED"),
    "billing": (402, ""),
    "permission": (403, "PERMISSION_DENIED"),
    "not_found": (404, "NOT_FOUND"),
    "too_large": (413, ""),
    "overflow": (400, INVALID),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "quota": (429, "RESOURCE_EXHAUSTED"),
    "server": (500, "INTERNAL"),
    "overloaded": (503, "UNAVAILABLE"),
    "gateway_page": (502, ""),
}
TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
DAILY = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "20"}],
}
FINISHES = {"end": "STOP", "tool_use": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "PROHIBITED_CONTENT"}


class GoogleHarness(Harness):
    """The `google` provider."""

    server: StrictGenerate
    name = "google"
    models = ("gemini-4-hydrogen", "gemini-3.8-flash")
    # Calls come whole, and nothing is deferred.
    abilities = ALL - {"argument_text", "deferral"}
    # Caching is the service's own affair: nothing is said or paid of what is written.
    tiers = frozenset({"input", "output", "cache_read"})
    # The last chunk holds the reason.
    places = {
        **{
            name: PLACES[name] for name in ("before everything", "after the start", "in text", "before the stop reason")
        },
        "before the call": (1, 0),
    }

    def __init__(self) -> None:
        super().__init__()
        self.server = StrictGenerate()

    def reply(self, answer: Answer) -> Reply:
        return Reply(
            *(_content(part) for part in answer.parts),
            finish=FINISHES[answer.stop],
            usage=_usage(answer.usage) if answer.usage else None,
            strange=answer.strange,
            broken=answer.broken,
        )

    def failure(self, declined: Declined) -> Failure:
        status, name = FAILURES[declined.problem]
        message = f"{declined.message} {TOO_LONG}" if declined.problem == "overflow" else declined.message
        details = {"details": [DAILY]} if declined.problem == "quota" else None
        body = b"<html>Bad gateway</html>" if declined.problem == "gateway_page" else None
        return Failure(status, name, message, declined.headers, details, body)

    def create(self, *, model: str, api_key: str, base_url: str, read_timeout_s: float) -> Provider:
        rules = self.server.models[model]
        row = ModelRow(
            model,
            provider="google",
            model=model,
            label=model,
            context_window=rules.context_window,
            max_output_tokens=rules.max_output,
            inline_max_tokens=5_000,
            efforts=("low", "medium", "high"),
            thinking=("level",),
        )
        service = Service(
            "google",
            key_variable="GEMINI_API_KEY",
            base_url=base_url,
            read_timeout_s=read_timeout_s,
            api_key=api_key,
        )
        return create(row, service)

    def said(self, request: Recorded) -> list[str]:
        return [
            json.dumps([content["role"], part]) for content in request.json["contents"] for part in content["parts"]
        ]

    def offered(self, request: Recorded) -> list[str]:
        return [one["name"] for tool in request.json.get("tools", []) for one in tool["functionDeclarations"]]

    def system(self, request: Recorded) -> str:
        return "".join(part["text"] for part in request.json.get("systemInstruction", {}).get("parts", []))

    def sealed(self, entry: AssistantEntry) -> list[str]:
        return [part["thoughtSignature"] for part in entry.raw if "thoughtSignature" in part]

    def effort(self, request: Recorded) -> str:
        return str(request.json["generationConfig"]["thinkingConfig"]["thinking_level"]).lower()


def _content(part: Part) -> Content:
    match part:
        case Say(text):
            return Text(text)
        case Think(text):
            return Thought(text)
        case Call(name, arguments):
            return FunctionCall(name, arguments)


def _usage(usage: TokenUsage) -> Json:
    thoughts = usage.output // 2
    return {
        "promptTokenCount": usage.input + usage.cache_read,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output - thoughts,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": usage.input + usage.cache_read + usage.output,
    }
