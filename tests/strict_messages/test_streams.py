"""Streams come in the real order of events, and break where and how they were told to."""

import json
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from evals.strict_messages import (
    Break,
    Failure,
    Reply,
    ServerToolUse,
    StrictMessages,
    Text,
    Thinking,
    ToolUse,
    Unanswered,
    Unknown,
)
from tests.strict_messages.conftest import Client, parsed, valid_body

Json = Any
HEADERS = {"authorization": "Bearer test-key", "anthropic-version": "2026-10-21"}


def names(events: list[tuple[str, Json]]) -> list[str]:
    """Return the names of events, runs of the same name once."""
    found = [name.removeprefix("content_") for name, _ in events]
    return [name for i, name in enumerate(found) if i == 0 or name != found[i - 1]]


def test_a_message_comes_in_the_real_order(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Thinking("A synonym."), Text("I look."), ToolUse("think", {"thought": "HER2"})))

    events = client.events(valid_body())

    block = ["block_start", "block_delta", "block_stop"]
    assert names(events) == ["message_start", *block, *block, *block, "message_delta", "message_stop"]
    deltas = [data["delta"]["type"] for name, data in events if name == "content_block_delta"]
    assert [kind for i, kind in enumerate(deltas) if i == 0 or kind != deltas[i - 1]] == [
        "thinking_delta",
        "signature_delta",
        "text_delta",
        "input_json_delta",
    ]
    assert events[-2][1]["delta"] == {"stop_reason": "tool_use", "stop_sequence": None, "stop_details": None}


def test_parallel_calls_get_ids_of_their_own_and_whole_arguments(
    client: Client, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(ToolUse("think", {"thought": "é" * 20}), ToolUse("think", {"n": 2}), ToolUse("think")))

    blocks = client.reply(valid_body())

    assert [block["input"] for block in blocks] == [{"thought": "é" * 20}, {"n": 2}, {}]
    assert len({block["id"] for block in blocks}) == 3


def test_a_refusal_is_a_whole_message_without_content(client: Client, strict_messages: StrictMessages) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "Declined."}
    strict_messages.script(Reply(stop_reason="refusal", stop_details=details, output_tokens=0))

    events = client.events(valid_body())

    assert names(events) == ["message_start", "message_delta", "message_stop"]
    assert events[1][1]["delta"] == {"stop_reason": "refusal", "stop_sequence": None, "stop_details": details}
    assert events[1][1]["usage"]["output_tokens"] == 0


def test_arguments_can_be_cut_at_the_output_limit(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(ToolUse("think", sent='{"query":"BRCA1 AND (olap'), stop_reason="max_tokens"))

    events = client.events(valid_body())

    sent = [data["delta"]["partial_json"] for name, data in events if name == "content_block_delta"]
    assert "".join(sent) == '{"query":"BRCA1 AND (olap'
    assert events[-2][1]["delta"]["stop_reason"] == "max_tokens"


def test_a_paused_reply_with_blocks_of_the_service_may_be_sent_back_as_it_is(
    client: Client, strict_messages: StrictMessages
) -> None:
    found = {"type": "tool_search_tool_result", "content": {"type": "tool_search_tool_search_result"}}
    reply = Reply(ServerToolUse("tool_search_tool_bm25", {"query": "gene"}, result=found), stop_reason="pause_turn")
    strict_messages.script(reply, Reply(Text("Found.")))
    body = valid_body()
    blocks = client.reply(body)
    blocks[0]["input"] = {"query": "gene"}

    body["messages"].append({"role": "assistant", "content": blocks})

    assert client.reply(body) == [{"type": "text", "text": "Found."}]


def test_unknown_blocks_deltas_and_events_are_sent_and_taken_back(
    client: Client, strict_messages: StrictMessages
) -> None:
    future = {"type": "future_block", "payload": {"k": 1}}
    reply = Reply(
        Unknown(future, deltas=[{"type": "future_delta", "z": 1}]),
        ToolUse("think", id="toolu_1", extra={"future_field": {"a": [1, 2]}}),
        extra_events=[("future_event", {"type": "future_event"})],
        pings=True,
    )
    strict_messages.script(reply, Reply(Text("Yes.")))
    body = valid_body()

    events = client.events(body)
    assert {"ping", "future_event"} < {name for name, _ in events}
    call = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "think",
        "input": {},
        "caller": {"type": "direct"},
        "future_field": {"a": [1, 2]},
    }
    body["messages"].append({"role": "assistant", "content": [future, call]})
    body["messages"].append(
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}]}
    )

    assert client.reply(body) == [{"type": "text", "text": "Yes."}]


BREAKS = {
    "before everything": (Break("error"), []),
    "after the start": (Break("error", block="start"), ["message_start"]),
    "in text": (Break("error", block=0), ["message_start", "block_start", "block_delta"]),
    "in arguments": (
        Break("error", block=1, deltas=2),
        ["message_start", "block_start", "block_delta", "block_stop", "block_start", "block_delta"],
    ),
    "before the stop reason": (
        Break("error", block="end"),
        ["message_start", *["block_start", "block_delta", "block_stop"] * 2],
    ),
    "before the final event": (
        Break("error", block="stop"),
        ["message_start", *["block_start", "block_delta", "block_stop"] * 2, "message_delta"],
    ),
}


@pytest.mark.parametrize(("broken", "before"), BREAKS.values(), ids=BREAKS.keys())
def test_an_error_event_comes_where_it_was_ordered(
    client: Client, strict_messages: StrictMessages, broken: Break, before: list[str]
) -> None:
    strict_messages.script(Reply(Text("I look it up."), ToolUse("think", {"thought": "HER2"}), broken=broken))

    events = client.events(valid_body())

    assert names(events) == [*before, "error"]
    error = events[-1][1]
    assert error["error"] == {"type": "overloaded_error", "message": "Overloaded"}


def test_a_clean_close_ends_the_body_without_an_event(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("I look it up."), broken=Break("close", block=0)))

    assert names(client.events(valid_body())) == ["message_start", "block_start", "block_delta"]


def test_a_cut_connection_is_a_transport_error(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("I look it up."), broken=Break("cut", block=0)))

    with pytest.raises(httpx2.TransportError):
        client.post(valid_body())


@pytest.mark.parametrize("how", ["silence", "drip"])
async def test_the_server_notes_when_a_client_leaves_an_unfinished_stream(
    strict_messages: StrictMessages, how: Any
) -> None:
    strict_messages.script(Reply(Text("I look it up."), broken=Break(how, block=0)))
    async with httpx2.AsyncClient(base_url=strict_messages.base_url, timeout=5, headers=HEADERS) as http:
        async with http.stream("POST", "/v1/messages", json=valid_body()) as response:
            lines = response.aiter_lines()
            seen = [await anext(lines) for _ in range(7)]
            assert "event: content_block_delta" in seen
            if how == "drip":
                while "event: ping" not in seen:
                    seen.append(await anext(lines))

        assert await strict_messages.requests[0].client_closed() > 0


async def test_the_service_may_say_nothing_at_all(strict_messages: StrictMessages) -> None:
    strict_messages.script(Unanswered("silence"))
    async with httpx2.AsyncClient(base_url=strict_messages.base_url, timeout=0.2, headers=HEADERS) as http:
        with pytest.raises(httpx2.ReadTimeout):
            await http.post("/v1/messages", json=valid_body())

        assert await strict_messages.requests[0].client_closed() > 0


def test_the_service_may_drop_the_connection_before_it_answers(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Unanswered("cut"))

    with pytest.raises(httpx2.RemoteProtocolError):
        client.post(valid_body())


def test_failures_have_their_status_headers_and_shape(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(
        Failure(429, "rate_limit_error", "Slow down.", headers={"retry-after": "soon"}, details={"error_code": "x"}),
        Failure(529, "overloaded_error", "Overloaded"),
        Failure(502, "", body=b"<html>Bad gateway</html>"),
    )

    limited, overloaded, gateway = (client.post(valid_body()) for _ in range(3))

    assert (limited.status_code, limited.headers["retry-after"]) == (429, "soon")
    expected = {"type": "rate_limit_error", "message": "Slow down.", "details": {"error_code": "x"}}
    assert limited.json()["error"] == expected
    assert (overloaded.status_code, overloaded.json()["error"]["type"]) == (529, "overloaded_error")
    assert (gateway.status_code, gateway.text) == (502, "<html>Bad gateway</html>")


def test_a_client_that_leaves_before_its_request_is_complete_is_no_request(strict_messages: StrictMessages) -> None:
    address = urlsplit(strict_messages.base_url)
    with socket.create_connection((address.hostname, address.port), timeout=5) as half:
        half.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{")
        half.shutdown(socket.SHUT_WR)
        assert half.recv(1) == b""

    assert strict_messages.requests == []


def test_requests_are_recorded_byte_for_byte(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("Yes.")))
    body = valid_body()

    events = [*parsed(client.post(body).text)]

    recorded = strict_messages.requests[0]
    assert json.loads(recorded.body) == body == recorded.json
    assert recorded.usage == events[0][1]["message"]["usage"]
