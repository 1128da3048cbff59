"""The request body: what is marked, what is replayed, what is left out."""

import json
from dataclasses import replace
from typing import Any

import pytest

from chat.providers.anthropic_wire import AnthropicModel, request_body, tool_problem
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from tests.chat.providers.anthropic.conftest import MOLECULES, QUERY_SCHEMA, SEARCH, SONNET, TARGETS, TRIALS, request

Json = Any
HOUR = {"type": "ephemeral", "ttl": "1h"}
MINUTES = {"type": "ephemeral", "ttl": "5m"}
ASK = UserEntry("What is HER2?")
THOUGHT: Json = {"type": "thinking", "thinking": "A synonym.", "signature": "sig"}
TEXT: Json = {"type": "text", "text": "I look."}


def tool_use(call_id: str, name: str = TARGETS.name) -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"query": "HER2"}, "caller": {"type": "direct"}}


def called(call_id: str, *raw: Json, **changes: Any) -> AssistantEntry:
    """Return a message with one call, as this provider would have stored it."""
    entry = AssistantEntry(
        text="I look.",
        tool_calls=(ToolCall(call_id, TARGETS.name, {"query": "HER2"}),),
        provider="anthropic",
        model=SONNET.id,
        raw=raw or (THOUGHT, TEXT, tool_use(call_id)),
        context_version="v1",
    )
    return replace(entry, **changes)


def answered(*call_ids: str, **changes: Any) -> ToolResultsEntry:
    return ToolResultsEntry(tuple(ToolResult(call_id, TARGETS.name, "found", **changes) for call_id in call_ids))


def messages(*entries: Entry, model: AnthropicModel = SONNET, **changes: Any) -> list[Json]:
    """Return the messages of a request without cache marks."""
    body = request_body(request(*entries, **changes), model)
    return [
        {"role": m["role"], "content": [{k: v for k, v in b.items() if k != "cache_control"} for b in m["content"]]}
        for m in body["messages"]
    ]


def marks(body: Json) -> list[tuple[str, Json]]:
    """Return where the body is marked, and with what."""
    places = [(f"tools.{tool['name']}", tool) for tool in body["tools"]]
    places += [(f"system.{i}", block) for i, block in enumerate(body["system"])]
    for i, message in enumerate(body["messages"]):
        places += [(f"messages.{i}.{j}", block) for j, block in enumerate(message["content"])]
    return [(place, block["cache_control"]) for place, block in places if "cache_control" in block]


def test_parameters_follow_the_model() -> None:
    body = request_body(request(effort="low", max_output_tokens=500_000), SONNET)

    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "low"}
    assert body["max_tokens"] == 128_000
    assert body.keys() == {"model", "max_tokens", "messages", "system", "tools", "thinking", "output_config"}


def test_a_model_without_thinking_and_effort_is_sent_neither() -> None:
    model = AnthropicModel("claude-haiku-4-5", max_output=64_000, thinking="none", effort_levels=())

    assert request_body(request(effort="low"), model).keys() == {"model", "max_tokens", "messages", "system", "tools"}


def test_tools_keep_their_order_and_the_last_visible_one_is_marked() -> None:
    tools = request_body(request(), SONNET)["tools"]

    assert [(tool["name"], tool.get("defer_loading"), tool.get("cache_control")) for tool in tools] == [
        (MOLECULES.name, True, None),
        (TARGETS.name, None, None),
        (SEARCH.name, None, HOUR),
        (TRIALS.name, True, None),
    ]


def test_the_first_request_is_marked_at_tools_system_and_question() -> None:
    assert marks(request_body(request(), SONNET)) == [
        (f"tools.{SEARCH.name}", HOUR),
        ("system.0", HOUR),
        ("messages.0.0", MINUTES),
    ]


def test_later_requests_are_also_marked_where_the_previous_one_ended() -> None:
    twelve = tuple(f"toolu_{n}" for n in range(12))
    calls = tuple(ToolCall(call_id, TARGETS.name, {"query": "HER2"}) for call_id in twelve)
    wide = called("x", *(tool_use(call_id) for call_id in twelve), tool_calls=calls)

    body = request_body(request(ASK, called("toolu_a"), answered("toolu_a"), wide, answered(*twelve)), SONNET)

    assert marks(body)[2:] == [("messages.2.0", MINUTES), ("messages.4.11", MINUTES)]


def test_search_results_are_references_only_and_to_deferred_tools_only() -> None:
    found = answered("toolu_a", tool_references=(TRIALS.name, "gone", TARGETS.name, TRIALS.name))

    content = messages(ASK, called("toolu_a"), found)[-1]["content"]

    reference = {"type": "tool_reference", "tool_name": TRIALS.name}
    assert content == [{"type": "tool_result", "tool_use_id": "toolu_a", "content": [reference]}]


@pytest.mark.parametrize(
    "changes",
    [{"tool_references": ("gone",)}, {"tool_references": ()}],
    ids=["of no tool that is sent", "none"],
)
def test_a_search_without_hits_is_text(changes: Json) -> None:
    content = messages(ASK, called("toolu_a"), answered("toolu_a", **changes))[-1]["content"]

    assert content[0]["content"] == "found"


def test_an_error_is_marked_as_one_and_an_empty_result_says_so() -> None:
    failed = ToolResultsEntry((ToolResult("toolu_a", TARGETS.name, " ", is_error=True),))

    assert messages(ASK, called("toolu_a"), failed)[-1]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_a", "content": "(no output)", "is_error": True}
    ]


def test_a_message_of_this_context_is_replayed_as_it_came() -> None:
    raw = (THOUGHT, TEXT, {"type": "future_block", "payload": 1}, tool_use("toolu_a"))

    assert messages(ASK, called("toolu_a", *raw), answered("toolu_a"))[1]["content"] == [*raw]


@pytest.mark.parametrize(
    "changes",
    [{"context_version": "v0"}, {"model": "claude-opus-5-5"}, {"provider": "openai"}, {"raw": ()}],
    ids=["other context", "other model", "other provider", "not kept"],
)
def test_any_other_message_is_replayed_from_its_projection(changes: Json) -> None:
    assert messages(ASK, called("toolu_a", **changes), answered("toolu_a"))[1]["content"] == [
        TEXT,
        {"type": "tool_use", "id": "toolu_a", "name": TARGETS.name, "input": {"query": "HER2"}},
    ]


@pytest.mark.case("C051")
def test_a_raw_message_that_does_not_fit_its_calls_is_not_trusted() -> None:
    kinds = [block["type"] for block in messages(ASK, called("toolu_a", TEXT), answered("toolu_a"))[1]["content"]]

    assert kinds == ["text", "tool_use"]


@pytest.mark.case("C052")
@pytest.mark.parametrize("signature", ["", None], ids=["empty", "none"])
def test_unsigned_thinking_is_never_sent(signature: str | None) -> None:
    half = {"type": "thinking", "thinking": "Half", "signature": signature}
    entry = called("toolu_a", half, TEXT, tool_use("toolu_a"))

    assert messages(ASK, entry, answered("toolu_a"))[1]["content"] == [TEXT, tool_use("toolu_a")]


@pytest.mark.case("C052")
def test_a_message_of_nothing_but_thinking_is_left_out() -> None:
    only = AssistantEntry("", provider="anthropic", model=SONNET.id, raw=(THOUGHT,), context_version="v1")

    assert messages(ASK, only, UserEntry("Well?")) == [
        {"role": "user", "content": [{"type": "text", "text": "What is HER2?"}, {"type": "text", "text": "Well?"}]}
    ]


@pytest.mark.case("C054")
@pytest.mark.parametrize("blank", ["", "\n"], ids=["empty", "line break"])
def test_blank_text_is_left_out_of_replayed_and_projected_messages(blank: str) -> None:
    raw = called("toolu_a", {"type": "text", "text": blank}, tool_use("toolu_a"), text=blank)
    projected = replace(raw, raw=())

    for entry in (raw, projected):
        kinds = [block["type"] for block in messages(ASK, entry, answered("toolu_a"))[1]["content"]]
        assert kinds == ["tool_use"]


@pytest.mark.case("C054")
def test_a_blank_system_prompt_is_left_out() -> None:
    assert "system" not in request_body(request(system="  "), SONNET)


def test_neighbouring_questions_become_one_message_after_the_results() -> None:
    content = messages(ASK, called("toolu_a"), answered("toolu_a"), UserEntry("Stop."), UserEntry("Go on."))[-1]

    assert [block["type"] for block in content["content"]] == ["tool_result", "text", "text"]


def test_ids_and_names_of_another_provider_are_made_fit() -> None:
    calls = (ToolCall("call.1", "open-targets.search", {}), ToolCall("call_1", "think", {}), ToolCall("", "think", {}))
    foreign = AssistantEntry("", calls, provider="planner")
    found = ToolResultsEntry(tuple(ToolResult(call.id, call.name, f"result {n}") for n, call in enumerate(calls)))

    first = messages(ASK, foreign, found, ASK)
    twice = messages(ASK, foreign, found, ASK, foreign, found)

    sent = [(block["id"], block["name"]) for block in first[1]["content"]]
    assert [name for _, name in sent] == ["open-targets_search", "think", "think"]
    ids = [call_id for call_id, _ in sent]
    assert ids[1] == "call_1"
    assert all(ids)
    assert [block["tool_use_id"] for block in first[2]["content"][:3]] == ids
    assert [block["content"] for block in first[2]["content"][:3]] == ["result 0", "result 1", "result 2"]
    all_ids = [block["id"] for message in twice[1::2] for block in message["content"]]
    assert len({*all_ids}) == 6
    assert json.dumps(twice[:2]) == json.dumps(first[:2])


@pytest.mark.case("C050")
@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        (ToolDefinition("open-targets.search", "", QUERY_SCHEMA), "name 'open-targets.search' must be"),
        (ToolDefinition("x" * 65, "", QUERY_SCHEMA), "must be 1 to 64"),
        (ToolDefinition("a", "", {"type": "object", "anyOf": []}), "'anyOf' at its top level"),
        (ToolDefinition("a", "", {"type": "string"}), "must have the type 'object'"),
    ],
    ids=["dotted name", "long name", "union at the top", "no object"],
)
def test_a_tool_that_would_be_refused_is_left_out_and_the_others_stay(tool: ToolDefinition, problem: str) -> None:
    assert problem in tool_problem(tool)
    tools = request_body(request(tools=(TARGETS, tool)), SONNET)["tools"]

    assert [entry["name"] for entry in tools] == [TARGETS.name]
    assert tools[0]["cache_control"] == HOUR


def test_without_deferral_found_tools_join_the_list_and_older_messages_go_as_text_and_calls() -> None:
    model = replace(SONNET, supports_deferral=False)
    search = called("toolu_a", THOUGHT, tool_use("toolu_a"))
    found = answered("toolu_a", tool_references=(TRIALS.name,))
    after = called("toolu_b", THOUGHT, tool_use("toolu_b"))
    asked = request(ASK, search, found, after, answered("toolu_b"))

    body = request_body(asked, model)

    assert [tool["name"] for tool in body["tools"]] == [TARGETS.name, SEARCH.name, TRIALS.name]
    kinds = [[block["type"] for block in message["content"]] for message in body["messages"]]
    assert kinds == [["text"], ["text", "tool_use"], ["tool_result"], ["thinking", "tool_use"], ["tool_result"]]
    assert body["messages"][2]["content"][0]["content"] == "found"


def test_what_precedes_a_fresh_start_stays_a_projection_ever_after() -> None:
    before, start, after = called("toolu_a"), called("toolu_b", starts_afresh=True), called("toolu_c")
    asked = [ASK, before, answered("toolu_a"), start, answered("toolu_b"), after, answered("toolu_c")]

    sent = [
        [block["type"] for block in message["content"]] for message in messages(*asked) if message["role"] != "user"
    ]

    assert sent == [["text", "tool_use"], ["thinking", "text", "tool_use"], ["thinking", "text", "tool_use"]]


def test_a_fresh_start_of_another_context_means_nothing_in_this_one() -> None:
    start = called("toolu_b", starts_afresh=True, context_version="v2")

    sent = messages(ASK, called("toolu_a"), answered("toolu_a"), start, answered("toolu_b"))

    assert [block["type"] for block in sent[1]["content"]] == ["thinking", "text", "tool_use"]
