"""Claude on the strict Messages API."""

import json
from typing import Any

from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import AssistantEntry, TokenUsage
from evals.loopback.faults import Failure
from evals.loopback.server import Recorded
from evals.strict_messages import Reply, StrictMessages, Text, Thinking, ToolUse, Unknown
from tests.chat.providers.contract.harness import Harness
from tests.chat.providers.contract.script import Answer, Call, Declined, Part, Say, Think

Json = Any
FAILURES = {
    "bad_request": (400, "invalid_request_error"),
    "auth": (401, "authentication_error"),
    "billing": (402, "billing_error"),
    "permission": (403, "permission_error"),
    "not_found": (404, "not_found_error"),
    "too_large": (413, "request_too_large"),
    "overflow": (400, "invalid_request_error"),
    "rate_limit": (429, "rate_limit_error"),
    "quota": (429, "rate_limit_error"),
    "server": (500, "api_error"),
    "overloaded": (529, "overloaded_error"),
    "gateway_page": (502, ""),
}
STOPS = {"end": "end_turn", "context_overflow": "model_context_window_exceeded"}


class AnthropicHarness(Harness):
    """The `anthropic` provider."""

    server: StrictMessages
    name = "anthropic"
    models = ("claude-sonnet-5-5", "claude-opus-5-5")

    def __init__(self) -> None:
        super().__init__()
        self.server = StrictMessages()

    def reply(self, answer: Answer) -> Reply:
        strange = [Unknown({"type": "future_block", "payload": {"k": 1}}, [{"type": "future_delta", "z": 1}])]
        return Reply(
            *(_block(part) for part in answer.parts),
            *(strange if answer.strange else ()),
            stop_reason=STOPS.get(answer.stop, answer.stop),
            usage=_usage(answer.usage) if answer.usage else None,
            broken=answer.broken,
            extra_events=[("future_event", {"type": "future_event", "x": 1})] if answer.strange else (),
            pings=answer.strange,
        )

    def failure(self, declined: Declined) -> Failure:
        status, error_type = FAILURES[declined.problem]
        message = f"prompt is too long: {declined.message}" if declined.problem == "overflow" else declined.message
        details = {"error_code": "enforced_spend_limit_reached"} if declined.problem == "quota" else None
        body = b"<html>Bad gateway</html>" if declined.problem == "gateway_page" else None
        return Failure(status, error_type, message, declined.headers, details, body)

    def create(self, *, model: str, api_key: str, base_url: str, read_timeout_s: float) -> AnthropicProvider:
        model_rules = AnthropicModel(model, effort_levels=("low", "medium", "high"))
        return AnthropicProvider(model_rules, api_key=api_key, base_url=base_url, read_timeout_s=read_timeout_s)

    def said(self, request: Recorded) -> list[str]:
        return [
            json.dumps([message["role"], {name: value for name, value in block.items() if name != "cache_control"}])
            for message in request.json["messages"]
            for block in message["content"]
        ]

    def offered(self, request: Recorded) -> list[str]:
        tools = request.json.get("tools", [])
        found = [
            part["tool_name"]
            for message in request.json["messages"]
            for block in message["content"]
            if block["type"] == "tool_result" and isinstance(block["content"], list)
            for part in block["content"]
        ]
        return [*dict.fromkeys([tool["name"] for tool in tools if not tool.get("defer_loading")] + found)]

    def system(self, request: Recorded) -> str:
        return "".join(block["text"] for block in request.json.get("system", []))

    def sealed(self, entry: AssistantEntry) -> list[str]:
        return [block["signature"] for block in entry.raw if block["type"] == "thinking"]

    def effort(self, request: Recorded) -> str:
        return str(request.json["output_config"]["effort"])


def _block(part: Part) -> Text | Thinking | ToolUse:
    match part:
        case Say(text):
            return Text(text)
        case Think(text):
            return Thinking(text)
        case Call():
            return ToolUse(part.name, part.arguments, sent=part.sent)


def _usage(usage: TokenUsage) -> Json:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write_5m + usage.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
    }
