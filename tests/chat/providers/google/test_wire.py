"""Requests to Google's models: pure, from entries to contents."""

from dataclasses import replace
from typing import Any

import pytest

from chat.providers.base import (
    AssistantEntry,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.google_wire import GO_ON, STOPPED, UNSIGNED, output_limit, request_body, wire_contents, wire_tools
from tests.chat.providers.contract.conversation import QUERY_SCHEMA, QUESTION, SEARCH, TARGETS, TRIALS
from tests.chat.providers.google.conftest import HYDROGEN, OLD_PRO, asked

Json = Any
CALLS = (ToolCall("fc_1", TARGETS.name, {"query": "HER2"}), ToolCall("fc_2", TARGETS.name, {"query": "EGFR"}))
FIRST = {"functionCall": {"id": "fc_1", "name": TARGETS.name, "args": {"query": "HER2"}}, "thoughtSignature": "c2ln"}
SECOND = {"functionCall": {"id": "fc_2", "name": TARGETS.name, "args": {"query": "EGFR"}}}
RAW = ({"text": "Both.", "thought": True}, FIRST, SECOND)
OWN = AssistantEntry(
    "", CALLS, provider="google", model=HYDROGEN.id, raw=RAW, context_version="v1", stop_reason="tool_use"
)
FOUND = ToolResultsEntry((ToolResult("fc_1", TARGETS.name, "found"), ToolResult("fc_2", TARGETS.name, "no", True)))


def contents(*entries: Any, **changes: Any) -> list[Json]:
    return wire_contents(asked(*entries, **changes), HYDROGEN)


def said(content: Json) -> list[str]:
    """Return the kinds and texts of a content's parts."""
    return [part.get("text") or next(iter(part)) for part in content["parts"]]


def test_a_message_goes_back_part_by_part_with_its_signature_in_place() -> None:
    model = contents(QUESTION, OWN, FOUND)[1]

    assert model == {"role": "model", "parts": [*RAW]}


def test_results_come_in_the_order_of_their_calls_with_id_and_name() -> None:
    answer = contents(QUESTION, OWN, ToolResultsEntry(FOUND.results[::-1]))[2]

    assert answer == {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "fc_1", "name": TARGETS.name, "response": {"output": "found"}}},
            {"functionResponse": {"id": "fc_2", "name": TARGETS.name, "response": {"error": "no"}}},
        ],
    }


def test_calls_that_came_without_ids_are_answered_without() -> None:
    raw = tuple({"functionCall": {"name": TARGETS.name, "args": call.arguments}} for call in CALLS)
    entry = replace(OWN, raw=raw)

    sent = contents(QUESTION, entry, FOUND)

    assert sent[1]["parts"] == [*raw]
    assert [part["functionResponse"].keys() for part in sent[2]["parts"]] == [{"name", "response"}] * 2


@pytest.mark.case("C053")
@pytest.mark.parametrize(
    "change",
    [{"provider": "openai"}, {"model": "gemini-3.8-flash"}, {"context_version": "v0"}, {"stop_reason": "max_tokens"}],
    ids=["provider", "model", "context", "cut"],
)
def test_what_belongs_to_another_setting_goes_as_text_and_calls(change: dict[str, str]) -> None:
    entry = replace(OWN, text="I look.", **change)

    model = contents(QUESTION, entry, FOUND)[1]

    assert model["parts"] == [{"text": "I look."}, {**FIRST, "thoughtSignature": UNSIGNED}, SECOND]


def test_models_that_check_no_signatures_get_none_for_calls_of_others() -> None:
    entry = replace(OWN, provider="openai")

    model = wire_contents(asked(QUESTION, entry, FOUND), OLD_PRO)[1]

    assert not any("thoughtSignature" in part for part in model["parts"])


def test_a_message_with_a_call_that_must_not_run_goes_as_projection() -> None:
    broken = replace(OWN, tool_calls=(replace(CALLS[0], problem="cut off"), CALLS[1]))

    assert contents(QUESTION, broken, FOUND)[1]["parts"][0]["thoughtSignature"] == UNSIGNED


def test_a_message_that_started_afresh_keeps_all_before_it_as_projection() -> None:
    second = replace(OWN, starts_afresh=True, raw=({"text": "Yes."},), text="Yes.", tool_calls=(), stop_reason="end")

    sent = contents(QUESTION, OWN, FOUND, second, UserEntry("And?"))

    assert sent[1]["parts"][0]["thoughtSignature"] == UNSIGNED
    assert sent[3]["parts"] == [{"text": "Yes."}]


def test_a_note_stands_behind_the_results_and_a_question_in_a_turn_of_its_own() -> None:
    note = contents(QUESTION, OWN, FOUND, UserEntry("Conclude now.", is_note=True))
    question = contents(QUESTION, OWN, FOUND, UserEntry("Conclude now.", is_note=True), UserEntry("Go on."))

    assert said(note[2]) == ["functionResponse", "functionResponse", "Conclude now."]
    assert question[: len(note)] == note
    assert [said(content) for content in question[3:]] == [[STOPPED], ["Go on."]]


def test_neighbours_of_one_role_are_joined() -> None:
    half = AssistantEntry("Half", interrupted=True, provider="openai")

    sent = contents(UserEntry("Hi."), UserEntry("Hello?"), half, replace(half, text="and more."), QUESTION)

    assert [content["role"] for content in sent] == ["user", "model", "user"]
    assert said(sent[0]) == ["Hi.", "Hello?"]
    assert said(sent[1]) == ["Half", "and more."]


@pytest.mark.case("C054")
def test_thoughts_alone_are_not_sent() -> None:
    thinking = replace(OWN, tool_calls=(), raw=({"text": "Hm.", "thought": True},), stop_reason="end")

    assert contents(QUESTION, thinking, UserEntry("And?")) == [
        {"role": "user", "parts": [{"text": QUESTION.text}, {"text": "And?"}]}
    ]


def test_a_message_whose_call_could_not_be_read_is_followed_by_a_word_on_it() -> None:
    unread = replace(OWN, tool_calls=(), raw=({"text": "I look."},), text="I look.", stop_reason="pause")

    sent = contents(QUESTION, unread)

    assert [said(content) for content in sent] == [[QUESTION.text], ["I look."], [GO_ON]]
    assert contents(QUESTION, unread, replace(OWN, text="x"), FOUND)[:3] == sent


def test_names_that_another_model_invented_are_made_acceptable() -> None:
    entry = AssistantEntry("", (ToolCall("1", "9 lives!", {}),), provider="openai")

    sent = contents(QUESTION, entry)

    assert sent[1]["parts"][0]["functionCall"]["name"] == "_9_lives_"
    assert sent[2]["parts"][0]["functionResponse"]["name"] == "_9_lives_"


def test_tools_are_offered_in_the_order_of_discovery() -> None:
    found = ToolResult("fc_1", SEARCH.name, "Found.", tool_references=(TRIALS.name,))
    search = AssistantEntry("", (ToolCall("fc_1", SEARCH.name, {"query": "trials"}),), provider="google")

    offered = [tool["name"] for tool in wire_tools(asked(QUESTION, search, ToolResultsEntry((found,))))]

    assert [tool["name"] for tool in wire_tools(asked())] == [TARGETS.name, SEARCH.name]
    assert offered == [TARGETS.name, SEARCH.name, TRIALS.name]


@pytest.mark.case("C050")
def test_a_tool_that_the_service_would_refuse_is_left_out() -> None:
    tools = (TARGETS, ToolDefinition("9lives", "Bad.", QUERY_SCHEMA), ToolDefinition("list", "Bad.", {"type": "array"}))

    assert [tool["name"] for tool in wire_tools(asked(tools=tools))] == [TARGETS.name]


def test_without_tools_and_system_prompt_neither_is_sent() -> None:
    body = request_body(asked(tools=(), system=" \n"), HYDROGEN)

    assert body.keys() == {"contents", "generationConfig"}


@pytest.mark.parametrize(
    ("model", "effort", "thinking"),
    [
        (HYDROGEN, "xhigh", {"thinkingLevel": "XHIGH"}),
        (HYDROGEN, "", {}),
        (OLD_PRO, "medium", {"thinkingBudget": 8192}),
        (OLD_PRO, "", {}),
        (replace(HYDROGEN, effort_levels=()), "high", {}),
    ],
)
def test_the_effort_is_a_level_or_a_budget(model: Any, effort: str, thinking: dict[str, Json]) -> None:
    body = request_body(asked(effort=effort), model)

    assert body["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, **thinking}


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    assert "thinkingConfig" not in request_body(asked(), replace(HYDROGEN, thinking=""))["generationConfig"]


def test_the_output_limit_is_that_of_the_model_at_most() -> None:
    assert output_limit(asked(max_output_tokens=200_000), HYDROGEN) == 65_536
    assert output_limit(asked(max_output_tokens=10), HYDROGEN) == 10


def test_the_stored_message_is_not_changed_by_sending_it() -> None:
    before = [dict(part) for part in OWN.raw]

    contents(QUESTION, OWN, FOUND, replace(OWN, tool_calls=(), raw=({"text": "a"},), text="a", stop_reason="end"))

    assert [*OWN.raw] == before
