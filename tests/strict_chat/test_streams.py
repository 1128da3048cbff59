"""Streams come in the order and form of each server, and break where and how they were told to."""

import json
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.strict_chat import (
    LLAMA_CPP,
    OLLAMA,
    VLLM,
    Break,
    Dialect,
    FunctionCall,
    Reasoning,
    Reply,
    StrictChat,
    Text,
    Unanswered,
)
from tests.strict_chat.test_refusals import http, valid

Json = Any
SAID = (Reasoning("A synonym."), Text("I look."), FunctionCall("search", {"query": "HER2"}))


def stream(server: StrictChat, reply: Any, **changes: Any) -> str:
    """Return the whole text of one stream."""
    server.script(reply)
    with http(server) as client:
        response = client.post("/chat/completions", json={**valid(), **changes})
        assert response.status_code == 200, response.text
        return response.text


def chunks(text: str) -> list[Json]:
    """Return the events of a stream, the final mark left out."""
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def deltas(text: str) -> list[Json]:
    return [choice["delta"] for chunk in chunks(text) for choice in chunk.get("choices", ()) if choice["index"] == 0]


@pytest.mark.parametrize("dialect", [LLAMA_CPP, VLLM, OLLAMA], ids=lambda dialect: dialect.name)
def test_a_message_comes_in_the_form_of_its_server(dialect: Dialect) -> None:
    with StrictChat(dialect=dialect) as server:
        text = stream(server, Reply(*SAID))

    found = deltas(text)
    assert "".join(delta.get(dialect.reasoning_field, "") for delta in found) == "A synonym."
    assert "".join(delta.get("content") or "" for delta in found) == "I look."
    calls = [call for delta in found for call in delta.get("tool_calls", ())]
    assert len(calls) == (1 if dialect.whole_calls else 4)
    assert "".join(call["function"]["arguments"] for call in calls) == '{"query": "HER2"}'
    assert [call["id"] for call in calls if "id" in call] == ["call_chatcmpl-000001_0"]
    *_, end, usage = chunks(text)
    assert (end["choices"][0]["finish_reason"], usage["choices"]) == ("tool_calls", [])
    assert ("prompt_tokens_details" in usage["usage"]) == dialect.reports_cache
    assert text.endswith("data: [DONE]\n\n")


def test_usage_comes_only_where_it_was_asked_for(strict_chat: StrictChat) -> None:
    text = stream(strict_chat, Reply(Text("Yes.")), stream_options={})

    assert all("usage" not in chunk for chunk in chunks(text))


def test_the_beginning_that_a_prompt_shares_with_the_last_one_is_cached(strict_chat: StrictChat) -> None:
    first = chunks(stream(strict_chat, Reply(Text("Yes."))))[-1]["usage"]
    again = chunks(stream(strict_chat, Reply(Text("Yes."))))[-1]["usage"]
    other = chunks(stream(strict_chat, Reply(Text("Yes.")), messages=valid()["messages"][:2]))[-1]["usage"]
    tools = valid()["tools"] * 1
    tools[0]["function"]["description"] = "Another."
    changed = chunks(stream(strict_chat, Reply(Text("Yes.")), tools=tools))[-1]["usage"]

    cached = [usage["prompt_tokens_details"]["cached_tokens"] for usage in (first, again, other, changed)]
    assert cached == [0, first["prompt_tokens"], other["prompt_tokens"], 0]
    assert other["prompt_tokens"] < first["prompt_tokens"]


def test_what_no_client_knows_is_mixed_in(strict_chat: StrictChat) -> None:
    text = stream(strict_chat, Reply(Text("Yes."), strange=True))

    assert ": keep-alive\n\n" in text
    assert "event: future\n" in text
    assert "".join(delta.get("content") or "" for delta in deltas(text)) == "Yes."
    assert any(choice["index"] for chunk in chunks(text) for choice in chunk.get("choices", ()))


@pytest.mark.parametrize(
    ("broken", "said", "ends"),
    [
        (Break("close"), "", False),
        (Break("close", block="start"), "", False),
        (Break("close", block=1, deltas=1), "0123456701234567", False),
        (Break("close", block=2, deltas=1), '01234567012345678{"query"', False),
        (Break("close", block="end"), '01234567012345678{"query": 1}', False),
        (Break("close", block="stop"), '01234567012345678{"query": 1}', True),
        (Break("error", block=1, deltas=0), "01234567", False),
    ],
    ids=["first", "start", "text", "arguments", "end", "stop", "error"],
)
def test_a_stream_breaks_where_it_was_told_to(strict_chat: StrictChat, broken: Break, said: str, ends: bool) -> None:
    parts = (Text("01234567"), Text("012345678"), FunctionCall("search", {"query": 1}))

    text = stream(strict_chat, Reply(*parts, broken=broken))

    found = deltas(text)
    pieces = [delta.get("content") or "" for delta in found]
    pieces += [call["function"]["arguments"] for delta in found for call in delta.get("tool_calls", ())]
    assert "".join(pieces) == said
    assert any(choice["finish_reason"] for chunk in chunks(text) for choice in chunk.get("choices", ())) == ends
    assert ("error" in chunks(text)[-1] if text else False) == (broken.how == "error")
    assert "[DONE]" not in text


def test_an_error_in_a_stream_of_vllm_is_followed_by_the_final_mark() -> None:
    with StrictChat(dialect=VLLM) as server:
        text = stream(server, Reply(Text("HER2 is ERBB2."), broken=Break("error", block=0)))

    assert chunks(text)[-1] == {
        "error": {"message": "Overloaded", "type": "overloaded_error", "code": 500, "param": None}
    }
    assert text.endswith("data: [DONE]\n\n")


def test_a_cut_connection_is_no_clean_end(strict_chat: StrictChat) -> None:
    with pytest.raises(httpx2.HTTPError):
        stream(strict_chat, Reply(Text("HER2 is ERBB2."), broken=Break("cut", block=0)))


def test_silence_lasts_until_the_client_leaves(strict_chat: StrictChat) -> None:
    strict_chat.script(Reply(Text("HER2 is ERBB2."), broken=Break("silence", block=0)))
    body = json.dumps(valid()).encode()
    address = urlsplit(strict_chat.base_url)
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: {address.netloc}\r\nauthorization: Bearer test-key\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=5) as connection:
        connection.sendall(head.encode() + body)
        received = b""
        while b"HER2 is " not in received:
            received += connection.recv(65536)

    assert strict_chat.requests[0].ended.wait(5)
    assert strict_chat.requests[0].client_closed_at is not None


def test_a_service_may_not_answer_at_all(strict_chat: StrictChat) -> None:
    strict_chat.script(Unanswered("cut"))

    with http(strict_chat) as client, pytest.raises(httpx2.RemoteProtocolError):
        client.post("/chat/completions", json=valid())
