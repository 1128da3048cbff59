"""Prompts are counted as they would be billed, and differences from the one before are named."""

import copy
from typing import Any

import httpx2
import pytest

from evals.strict_messages import Reply, StrictMessages, Text
from tests.strict_messages.conftest import TOOL, Client, valid_body

Json = Any


def counted(client: Client, body: Json) -> httpx2.Response:
    return client.post({k: v for k, v in body.items() if k not in {"stream", "max_tokens"}}, path="count_tokens")


def test_a_prompt_is_counted_as_it_is_billed_and_uses_up_no_step(
    client: Client, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("Yes.")))
    body = valid_body()

    tokens = counted(client, body).json()["input_tokens"]
    client.reply(body)

    assert tokens == strict_messages.requests[1].usage["input_tokens"] > 50


def test_counting_refuses_what_sending_refuses(client: Client) -> None:
    body = valid_body()
    del body["messages"][2]

    refused = counted(client, body)

    assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")


def longer(body: Json) -> Json:
    body["messages"] += [{"role": "assistant", "content": "ERBB2."}, {"role": "user", "content": "And HER3?"}]
    return body


CHANGES: dict[str, tuple[Json, str | None]] = {
    "only longer": ({}, None),
    "another model": ({"model": "claude-opus-5-5"}, "model_changed"),
    "a tool more": ({"tools": [TOOL, {**TOOL, "name": "think"}]}, "tools_changed"),
    "another prompt": ({"system": "Answer from memory."}, "system_changed"),
    "an edited question": ({"messages": [{"role": "user", "content": "What is HER4?"}]}, "messages_changed"),
    "another effort": ({"output_config": {"effort": "low"}}, "unavailable"),
}


@pytest.mark.parametrize(("changes", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_the_first_part_that_differs_from_the_prompt_before_is_named(
    client: Client, strict_messages: StrictMessages, changes: Json, expected: str | None
) -> None:
    strict_messages.script(Reply(Text("ERBB2.")), Reply(Text("Yes.")))
    body = valid_body() | {"diagnostics": {"previous_message_id": None}}
    message = client.events(body)[0][1]["message"]
    after = longer(copy.deepcopy(body)) | changes | {"diagnostics": {"previous_message_id": message["id"]}}

    diagnostics = client.events(after)[0][1]["message"]["diagnostics"]

    assert message["diagnostics"] is None
    assert (diagnostics and diagnostics["cache_miss_reason"]["type"]) == expected


def test_a_prompt_that_the_service_does_not_know_is_said(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("Yes.")))
    body = valid_body() | {"diagnostics": {"previous_message_id": "msg_gone"}}

    message = client.events(body)[0][1]["message"]

    assert message["diagnostics"] == {"cache_miss_reason": {"type": "previous_message_not_found"}}
