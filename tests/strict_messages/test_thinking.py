"""Thinking goes back as it came, where it was, or not at all."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from evals.strict_messages import Redacted, Reply, StrictMessages, Text, Thinking, ToolUse
from tests.strict_messages.conftest import TOOL, Client, result, valid_body

Json = Any


def opening() -> Json:
    return valid_body() | {"messages": [{"role": "user", "content": "What is HER2?"}]}


def play(client: Client, server: StrictMessages, *replies: Reply, **changes: Json) -> Json:
    """Let the server reply several times, each call answered; return the body that goes on from there."""
    body = opening() | changes
    server.script(*replies)
    for _ in replies:
        blocks = client.reply(body)
        results = [result(block["id"]) for block in blocks if block["type"] == "tool_use"]
        body["messages"].append({"role": "assistant", "content": blocks})
        body["messages"].append({"role": "user", "content": results or "Go on."})
    server.script(Reply(Text("Yes.")))
    return body


def step(thought: str, call_id: str) -> Reply:
    return Reply(Thinking(thought), ToolUse(TOOL["name"], {"query": "HER2"}, id=call_id))


def accepts(client: Client, body: Json) -> bool:
    return client.reply(body) == [{"type": "text", "text": "Yes."}]


def test_thinking_is_taken_back_unchanged(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"), step("Second.", "toolu_b"))

    assert accepts(client, body)


def test_redacted_thinking_is_taken_back(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, Reply(Redacted(), Text("HER2 is ERBB2.")))

    assert accepts(client, body)


def test_interleaved_thinking_is_bound_to_what_came_before_it_in_its_message(
    client: Client, strict_messages: StrictMessages
) -> None:
    reply = Reply(Thinking("First."), Text("I look."), Thinking("Second."), ToolUse(TOOL["name"], id="toolu_a"))
    body = play(client, strict_messages, reply)
    edited = json.loads(json.dumps(body))
    edited["messages"][1]["content"][1]["text"] = "I looked."

    assert "bound to a different conversation" in client.refusal(edited)
    assert accepts(client, body)


@pytest.mark.parametrize("signature", ["", "SIGaaa==", "bm90IGpzb24="], ids=["empty", "not base64", "not a seal"])
def test_thinking_without_a_signature_of_the_service_is_refused(
    client: Client, strict_messages: StrictMessages, signature: str
) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))
    body["messages"][1]["content"][0]["signature"] = signature

    assert client.refusal(body) == "messages.1.content.0: Invalid `signature` in `thinking` block"


def test_thinking_of_another_service_is_refused(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))
    seal = json.loads(base64.b64decode(body["messages"][1]["content"][0]["signature"]))
    seal["check"] = "0" * len(seal["check"])
    body["messages"][1]["content"][0]["signature"] = base64.b64encode(json.dumps(seal).encode()).decode()

    assert client.refusal(body) == "messages.1.content.0: Invalid `signature` in `thinking` block"


def test_edited_thinking_is_refused(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))
    body["messages"][1]["content"][0]["thinking"] = "Worst."

    assert client.refusal(body) == "messages.1.content.0: Invalid `signature` in `thinking` block"


@pytest.mark.parametrize("part", ["system", "tools", "messages"])
def test_thinking_does_not_fit_another_conversation(client: Client, strict_messages: StrictMessages, part: str) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))
    changed = {
        "system": [{"type": "text", "text": "Answer from memory."}],
        "tools": [*body["tools"], {**TOOL, "name": "think"}],
        "messages": [{"role": "user", "content": "What is HER3?"}, *body["messages"][1:]],
    }

    refusal = client.refusal(body | {part: changed[part]})

    assert refusal.startswith("messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to")


def test_moving_a_cache_mark_is_no_edit(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))
    body["system"][0]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}

    assert accepts(client, body)


def test_the_oldest_thinking_may_be_left_out_but_none_from_the_middle(
    client: Client, strict_messages: StrictMessages
) -> None:
    body = play(client, strict_messages, *(step(f"{n}.", f"toolu_{n}") for n in range(3)))
    thoughts = [body["messages"][i]["content"] for i in (1, 3, 5)]

    middle = thoughts[1].pop(0)
    assert "cannot be modified" in client.refusal(body)
    thoughts[1].insert(0, middle)
    thoughts[0].pop(0)
    assert accepts(client, body)


def test_the_last_message_keeps_all_its_thinking_while_any_is_sent(
    client: Client, strict_messages: StrictMessages
) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"), step("Second.", "toolu_b"))
    thoughts = [body["messages"][i]["content"] for i in (1, 3)]

    thoughts[1].pop(0)
    assert "cannot be modified" in client.refusal(body)
    thoughts[0].pop(0)
    assert accepts(client, body)


def test_thinking_of_another_model_is_dropped_without_a_word(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))

    assert accepts(client, body | {"model": "claude-opus-5-5"})


def test_thinking_of_a_model_that_lends_it_is_read_by_others_but_not_the_other_way(
    client: Client, strict_messages: StrictMessages
) -> None:
    haiku = play(client, strict_messages, step("First.", "toolu_a"), model="claude-haiku-5-5")
    haiku["messages"][0]["content"] = "What is HER3?"

    assert "bound to a different conversation" in client.refusal(haiku | {"model": "claude-sonnet-5-5"})
    strict_messages.models["claude-haiku-5-5"] = replace(
        strict_messages.models["claude-haiku-5-5"], lends_thinking=False
    )
    assert accepts(client, haiku | {"model": "claude-sonnet-5-5"})


def test_another_organisation_reads_no_thinking(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.accept_key("other-key")
    body = play(client, strict_messages, step("First.", "toolu_a"))

    response = client.post(body, {"authorization": "Bearer other-key", "anthropic-version": "2026-10-21"})

    assert response.status_code == 400
    assert "Invalid `signature` in `thinking` block" in response.text


def test_a_message_may_not_end_with_thinking(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, Reply(Thinking("Only a thought.")))

    assert client.refusal(body) == "messages.1: The final block in an assistant message cannot be `thinking`."


def test_thinking_can_not_carry_a_cache_mark(client: Client, strict_messages: StrictMessages) -> None:
    body = play(client, strict_messages, step("First.", "toolu_a"))
    body["messages"][1]["content"][0]["cache_control"] = {"type": "ephemeral"}

    assert "`thinking` blocks cannot be marked" in client.refusal(body)
