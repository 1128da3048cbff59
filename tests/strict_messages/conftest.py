"""A raw client for the server, so that each refusal is seen as it goes over the wire."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from evals.strict_messages.server import StrictMessages
from tests.strict_messages.fixture import strict_messages as strict_messages

Json = Any

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
TOOL: Json = {"name": "opentargets__search_targets", "description": "Find targets.", "input_schema": SCHEMA}
DEFERRED: Json = {"name": "chembl__search_molecules", "description": "Find drugs.", "input_schema": SCHEMA}


class Client:
    """Send bodies, read answers whole."""

    def __init__(self, server: StrictMessages) -> None:
        self._server = server
        self._http = httpx2.Client(base_url=server.base_url, timeout=5)

    def post(self, body: Json, headers: dict[str, str] | None = None, path: str = "") -> httpx2.Response:
        """Send a body with a good key and version, unless other headers are given."""
        good = {"authorization": f"Bearer {self._server.api_key}", "anthropic-version": "2026-10-21"}
        return self._http.post(
            f"/v1/messages/{path}".rstrip("/"), json=body, headers=good if headers is None else headers
        )

    def refusal(self, body: Json) -> str:
        """Send a body that must be refused; return the error text."""
        response = self.post(body)
        assert response.status_code == 400, response.text
        error = response.json()
        assert (error["type"], error["error"]["type"]) == ("error", "invalid_request_error")
        assert error["request_id"] == response.headers["request-id"]
        return str(error["error"]["message"])

    def events(self, body: Json) -> list[tuple[str, Json]]:
        """Send a body that must be accepted; return the events of the stream."""
        response = self.post(body)
        assert response.status_code == 200, response.text
        return [*parsed(response.text)]

    def reply(self, body: Json) -> list[Json]:
        """Send a body; return the blocks of the reply, put together from its deltas."""
        blocks: list[Json] = []
        for name, data in self.events(body):
            if name == "content_block_start":
                blocks.append({**data["content_block"], "sent": ""})
            elif name == "content_block_delta":
                _grow(blocks[-1], data["delta"])
        for block in blocks:
            sent = block.pop("sent")
            if block["type"] == "tool_use":
                block["input"] = json.loads(sent or "{}")
        return blocks

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def parsed(stream: str) -> Iterator[tuple[str, Json]]:
    """Yield name and data of each server-sent event."""
    for record in filter(None, stream.split("\n\n")):
        name, data = record.split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def valid_body() -> Json:
    """Return a request that every rule accepts: a call, its result, one more question to answer."""
    return copy.deepcopy(
        {
            "model": "claude-sonnet-5-5",
            "max_tokens": 1000,
            "stream": True,
            "system": [{"type": "text", "text": "Answer from records."}],
            "tools": [TOOL, {**DEFERRED, "defer_loading": True}],
            "messages": [
                {"role": "user", "content": "What is HER2?"},
                {"role": "assistant", "content": [{"type": "text", "text": "I look."}, call("toolu_a")]},
                {"role": "user", "content": [result("toolu_a")]},
            ],
        }
    )


def call(call_id: str) -> Json:
    """Return a call block."""
    return {"type": "tool_use", "id": call_id, "name": TOOL["name"], "input": {"query": "HER2"}}


def result(call_id: str, content: Json = "ENSG00000141736") -> Json:
    """Return a result block."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


@pytest.fixture
def client(strict_messages: StrictMessages) -> Iterator[Client]:
    """Give a raw client of the running server."""
    client = Client(strict_messages)
    yield client
    client.close()


def _grow(block: Json, delta: Json) -> None:
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "signature_delta":
            block["signature"] = delta["signature"]
        case "input_json_delta":
            block["sent"] += delta["partial_json"]
