"""The request body: what is sealed, what is loaded, what is left out."""

import json
from dataclasses import replace
from typing import Any

import pytest

from chat.providers.base import AssistantEntry, Entry, ToolCall, ToolResult, ToolResultsEntry, UserEntry
from chat.providers.openai_wire import OpenAIModel, request_body, tool_problem
from tests.chat.providers.contract.conversation import MOLECULES, QUESTION, SEARCH, TARGETS, TOOLS, TRIALS, request
from tests.chat.providers.openai.conftest import SOL

Json = Any
OLDER = OpenAIModel("gpt-4.1", max_output=32_768, effort_levels=(), supports_deferral=False)
REASONING: Json = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAA"}
CALL: Json = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_a",
    "name": TARGETS.name,
    "arguments": '{"query": 1.50}',
}


def message(text: str = "I look.") -> Json:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "phase": "commentary", "content": [part]}


def called(*raw: Json, name: str = TARGETS.name, **changes: Any) -> AssistantEntry:
    """Return a message with one call, as this provider would have stored it."""
    entry = AssistantEntry(
        text="I look.",
        tool_calls=(ToolCall("call_a", name, {"query": "HER2"}),),
        provider="openai",
        model=SOL.id,
        raw=raw or (REASONING, message(), CALL),
        context_version="v1",
        stop_reason="tool_use",
    )
    return replace(entry, **changes)


def answered(name: str = TARGETS.name, text: str = "found", **changes: Any) -> ToolResultsEntry:
    return ToolResultsEntry((ToolResult("call_a", name, text, **changes),))


def items(*entries: Entry, model: OpenAIModel = SOL, **changes: Any) -> list[Json]:
    """Return the conversation of a request."""
    return list(request_body(request(model.id, *entries, **changes), model)["input"])


def projected(name: str = TARGETS.name) -> list[Json]:
    call = {"type": "function_call", "call_id": "call_a", "name": name, "arguments": '{"query": "HER2"}'}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
    return [said, call]


def test_nothing_is_stored_and_reasoning_comes_sealed() -> None:
    body = request_body(request(SOL.id, effort="low", max_output_tokens=500_000), SOL)

    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])
    assert body["reasoning"] == {"effort": "low", "summary": "auto"}
    assert (body["max_output_tokens"], body["service_tier"], body["prompt_cache_key"]) == (128_000, "default", "v1")


def test_a_model_that_does_not_reason_is_asked_for_nothing_of_it() -> None:
    body = request_body(request(OLDER.id, effort="low", max_output_tokens=1), OLDER)

    assert "reasoning" not in body
    assert body["max_output_tokens"] == 16


def test_found_tools_are_loaded_by_the_answer_to_the_search_and_the_list_stays_as_it_is() -> None:
    search = called(name=SEARCH.name, raw=())
    found = answered(SEARCH.name, tool_references=(TRIALS.name, "gone", TARGETS.name, TRIALS.name))

    body = request_body(request(SOL.id, QUESTION, search, found), SOL)

    kinds = [(tool["type"], tool.get("name"), tool.get("strict")) for tool in body["tools"]]
    assert kinds == [("function", TARGETS.name, False), ("tool_search", None, None)]
    assert SEARCH.name in body["tools"][1]["description"]
    assert body["input"][2] == {
        "type": "tool_search_call",
        "call_id": "call_a",
        "execution": "client",
        "status": "completed",
        "arguments": {"query": "HER2"},
    }
    output = body["input"][3]
    assert (output["type"], output["call_id"], output["execution"]) == ("tool_search_output", "call_a", "client")
    assert [(tool["name"], tool["defer_loading"]) for tool in output["tools"]] == [(TRIALS.name, True)]


@pytest.mark.parametrize(
    "result",
    [answered(SEARCH.name, "No tool fits."), answered(SEARCH.name, "No tool fits.", is_error=True)],
    ids=["nothing found", "failed"],
)
def test_a_search_without_hits_says_why(result: ToolResultsEntry) -> None:
    output, remark = items(QUESTION, called(name=SEARCH.name, raw=()), result)[-2:]

    assert output["tools"] == []
    assert remark == {
        "type": "message",
        "role": "developer",
        "content": [{"type": "input_text", "text": "No tool fits."}],
    }


def test_a_model_without_tool_search_gets_what_was_found_in_its_list() -> None:
    found = answered(SEARCH.name, tool_references=(TRIALS.name,))

    body = request_body(request(OLDER.id, QUESTION, called(name=SEARCH.name, raw=()), found), OLDER)

    assert [tool["name"] for tool in body["tools"]] == [TARGETS.name, SEARCH.name, TRIALS.name]
    assert [item["type"] for item in body["input"][2:]] == ["function_call", "function_call_output"]
    assert "defer_loading" not in json.dumps(body)


def test_a_message_of_this_context_is_replayed_as_it_came() -> None:
    raw = (REASONING, message(), {"type": "future_item", "id": "x_1", "payload": 1}, CALL)

    assert items(QUESTION, called(*raw), answered())[1:-1] == [*raw]


@pytest.mark.parametrize(
    "changes",
    [
        {"context_version": "v0"},
        {"model": "gpt-6-sol"},
        {"provider": "anthropic"},
        {"raw": ()},
        {"stop_reason": "max_tokens"},
        {"raw": ({**REASONING, "encrypted_content": ""}, message(), CALL)},
        {"raw": (REASONING, message())},
    ],
    ids=["other context", "other model", "other provider", "not kept", "cut", "not sealed", "other calls"],
)
def test_any_other_message_is_replayed_from_its_projection(changes: Json) -> None:
    assert items(QUESTION, called(**changes), answered())[1:-1] == projected()


@pytest.mark.case("C056")
def test_arguments_that_can_t_be_read_do_not_go_back() -> None:
    broken = called(
        REASONING, {**CALL, "arguments": '{"query":'}, tool_calls=(ToolCall("call_a", TARGETS.name, {}, "not JSON"),)
    )

    call = items(QUESTION, broken, answered())[-2]

    assert (call["type"], call["arguments"], call.get("id")) == ("function_call", "{}", None)


@pytest.mark.case("C052")
def test_reasoning_that_led_to_nothing_is_left_out() -> None:
    only = called(REASONING, tool_calls=(), text="", stop_reason="end")

    assert [item["role"] for item in items(QUESTION, only, UserEntry("Well?"))] == ["user", "user"]


@pytest.mark.case("C054")
@pytest.mark.parametrize("blank", ["", "\n"], ids=["empty", "line break"])
def test_blank_text_is_left_out_of_replayed_and_projected_messages(blank: str) -> None:
    raw = called(REASONING, message(blank), CALL, text=blank)

    assert items(QUESTION, raw, answered())[1:-1] == [REASONING, CALL]
    assert [item["type"] for item in items(QUESTION, replace(raw, raw=()), answered())[1:-1]] == ["function_call"]


def test_an_error_says_so_and_an_empty_result_too() -> None:
    failed, silent = answered(text="no such gene", is_error=True), answered(text=" ")

    assert items(QUESTION, called(), failed)[-1]["output"] == "The call failed. no such gene"
    assert items(QUESTION, called(), silent)[-1]["output"] == "(no output)"


@pytest.mark.case("C050")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": "open-targets.search"}, "must be 1 to 64"),
        ({"input_schema": {"type": "array"}}, "must have the type 'object'"),
        ({"input_schema": {"type": "object", "anyOf": []}}, "has 'anyOf' at its top level"),
    ],
)
def test_a_tool_that_would_be_refused_is_left_out_and_the_others_stay(change: Json, problem: str) -> None:
    bad = replace(TARGETS, **change)

    assert problem in tool_problem(bad)
    tools = request_body(request(SOL.id, tools=(bad, MOLECULES, *TOOLS[1:])), SOL)["tools"]
    assert [tool["type"] for tool in tools] == ["tool_search"]
