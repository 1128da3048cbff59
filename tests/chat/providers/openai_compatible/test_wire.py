"""What a transcript becomes in Chat Completions: pure, and as the strict server sees it."""

import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelFailure,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.openai_compatible import CompatibleModel, OpenAICompatibleProvider
from chat.providers.openai_compatible_wire import FAILED, STOPPED, request_body, wire_messages
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import (
    MOLECULES,
    QUESTION,
    SEARCH,
    TARGETS,
    TOOLS,
    TRIALS,
    reply,
    results,
)
from tests.chat.providers.openai_compatible.conftest import Make, asked
from tests.strict_chat import FunctionCall, Reasoning, Reply, StrictChat, Text

Json = Any
MODEL = CompatibleModel("gpt-oss:20b", context_window=4_000, max_output=1_500)
CALL = AssistantEntry("", (ToolCall("call_1", TARGETS.name, {"query": "HER2"}),), provider="planner")


def found(*names: str) -> list[Entry]:
    """Return a search of the catalogue and what it found."""
    call = ToolCall(f"call_{names[0]}", SEARCH.name, {"query": "x"})
    return [
        AssistantEntry("", (call,), provider="planner"),
        ToolResultsEntry((ToolResult(call.id, SEARCH.name, "Found.", tool_references=names),)),
    ]


def tool_names(body: Json) -> list[str]:
    return [tool["function"]["name"] for tool in body["tools"]]


def roles(body: Json) -> list[str]:
    return [message["role"] for message in body["messages"]]


def test_found_tools_follow_the_loaded_ones_in_the_order_of_their_discovery() -> None:
    entries = (QUESTION, *found(TRIALS.name, "no_such_tool"), *found(MOLECULES.name, TRIALS.name))

    body = request_body(asked(*entries), MODEL)

    assert tool_names(body) == [TARGETS.name, SEARCH.name, TRIALS.name, MOLECULES.name]
    assert all(tool.keys() == {"type", "function"} for tool in body["tools"])


async def test_another_process_knows_what_was_found_from_the_transcript_alone(
    make: Make, strict_chat: StrictChat
) -> None:
    strict_chat.script(
        Reply(FunctionCall(SEARCH.name, {"query": "trials"})), Reply(Text("Found.")), Reply(Text("Still there."))
    )
    entries: list[Entry] = [QUESTION]
    first = (await reply(make(strict_chat), asked(*entries))).entry
    entries += [first, results(first)]
    entries += [(await reply(make(strict_chat), asked(*entries))).entry, UserEntry("And now?")]

    await reply(make(strict_chat), asked(*entries))

    assert tool_names(strict_chat.requests[0].json) == [TARGETS.name, SEARCH.name]
    for later in strict_chat.requests[1:]:
        assert tool_names(later.json) == [TARGETS.name, SEARCH.name, TRIALS.name]


def test_questions_and_answers_alternate_also_behind_a_turn_that_was_stopped() -> None:
    entries = (
        UserEntry("Hi."),
        UserEntry("Hi again."),
        CALL,
        ToolResultsEntry((ToolResult("call_1", TARGETS.name, "found"),)),
        QUESTION,
        AssistantEntry("Half", interrupted=True),
        AssistantEntry("and half."),
        UserEntry("Go on."),
    )

    messages = wire_messages(asked(*entries))

    assert [(message["role"], message["content"]) for message in messages] == [
        ("system", "Answer from records only."),
        ("user", "Hi.\n\nHi again."),
        ("assistant", None),
        ("tool", "found"),
        ("assistant", STOPPED),
        ("user", "What is HER2?"),
        ("assistant", "Half\n\nand half."),
        ("user", "Go on."),
    ]


async def test_a_message_goes_back_as_it_came(provider: OpenAICompatibleProvider, strict_chat: StrictChat) -> None:
    exact = '{"query": "HER2", "n": 1.50, "big": 12345678901234567890}'
    call = FunctionCall(TARGETS.name, sent=exact)
    strict_chat.script(Reply(Reasoning("A synonym."), Text("I look."), call), Reply(Text("Yes.")))

    first = (await reply(provider, asked())).entry
    await reply(provider, asked(QUESTION, first, results(first)))

    sent = strict_chat.requests[1].json["messages"][2]
    assert sent == first.raw[0]
    assert sent["reasoning_content"] == "A synonym."
    assert sent["tool_calls"][0]["function"]["arguments"] == exact


@pytest.mark.parametrize("change", [{"context_version": "v2"}, {"model": "qwen3:8b"}], ids=["context", "model"])
@pytest.mark.case("C053")
async def test_under_another_context_or_model_reasoning_stays_away(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, change: dict[str, str]
) -> None:
    strict_chat.script(Reply(Reasoning("A synonym."), Text("I look."), FunctionCall(TARGETS.name, {"query": "x"})))
    first = (await reply(provider, asked())).entry

    _, _, sent, _ = wire_messages(replace(asked(QUESTION, first, results(first)), **change))  # type: ignore[arg-type]

    assert sent.keys() == {"role", "content", "tool_calls"}
    assert sent["content"] == "I look."


@pytest.mark.case("C056")
@pytest.mark.parametrize("sent", ["", "null", "[1]", '{"query": "BRC'])
async def test_arguments_that_are_no_object_go_back_as_an_empty_one(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, sent: str
) -> None:
    strict_chat.script(Reply(FunctionCall(TARGETS.name, sent=sent)), Reply(Text("Once more.")))

    first = (await reply(provider, asked())).entry
    await reply(provider, asked(QUESTION, first, results(first)))

    call = strict_chat.requests[1].json["messages"][2]["tool_calls"][0]
    assert call["function"]["arguments"] == "{}"
    assert bool(first.tool_calls[0].problem) == bool(sent)


async def test_calls_without_ids_or_with_the_same_one_are_told_apart(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat
) -> None:
    strict_chat.script(
        Reply(FunctionCall(TARGETS.name, {"query": "1"}, id=""), FunctionCall(TARGETS.name, {"query": "2"}, id="")),
        Reply(FunctionCall(TARGETS.name, {"query": "3"}, id="call_a")),
        Reply(FunctionCall(TARGETS.name, {"query": "4"}, id="call_a")),
        Reply(Text("Yes.")),
    )
    entries: list[Entry] = [QUESTION]
    for _ in range(4):
        entry = (await reply(provider, asked(*entries))).entry
        entries += [entry, results(entry)]

    messages = strict_chat.requests[3].json["messages"]
    called = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len({*called}) == 4
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == called


def test_a_failed_call_says_so() -> None:
    failed = ToolResultsEntry((ToolResult("call_1", TARGETS.name, "No such gene.", is_error=True),))

    assert wire_messages(asked(QUESTION, CALL, failed))[-1]["content"] == FAILED + "No such gene."


def test_a_tool_that_a_server_would_refuse_is_left_out() -> None:
    unfit = (
        ToolDefinition("two words", "Bad name.", TARGETS.input_schema),
        ToolDefinition("no_object", "Bad schema.", {"anyOf": [TARGETS.input_schema]}),
    )

    assert tool_names(request_body(asked(tools=(*unfit, *TOOLS)), MODEL)) == [TARGETS.name, SEARCH.name]
    assert "tools" not in request_body(asked(tools=unfit), MODEL)


async def test_what_is_left_out_is_logged_once(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    strict_chat.script(Reply(Text("Yes.")), Reply(Text("Yes.")))
    tools = (ToolDefinition("two words", "Bad name.", TARGETS.input_schema), *TOOLS)

    for _ in range(2):
        await reply(provider, asked(tools=tools))

    assert [record.message for record in caplog.records if "two words" in record.message] == [
        "a tool is not offered to gpt-oss:20b: name 'two words' must be 1 to 64 letters, digits, '_' or '-'"
    ]


@pytest.mark.parametrize(
    ("question_bytes", "wanted", "limit"),
    [(100, 10_000, 1_500), (100, 1_000, 1_000), (9_000, 10_000, 720), (11_900, 10_000, 256)],
    ids=["the model's", "the request's", "what is left", "never nothing"],
)
def test_the_output_limit_fits_in_the_window_beside_the_prompt(question_bytes: int, wanted: int, limit: int) -> None:
    body = request_body(asked(UserEntry("x" * question_bytes), max_output_tokens=wanted), MODEL)

    assert body["max_tokens"] == pytest.approx(limit, abs=300 if limit == 720 else 0)


@pytest.mark.case("C058")
async def test_a_prompt_that_cannot_fit_is_refused_here(make: Make, strict_chat: StrictChat) -> None:
    provider = make(strict_chat, context_window=2_000)

    with pytest.raises(
        ModelFailure, match=r"about 5,\d\d\d tokens does not fit the window of .*, which has 2,000"
    ) as caught:
        await reply(provider, asked(UserEntry("word " * 4_000)))

    assert caught.value.outcome is TurnOutcome.CONTEXT_OVERFLOW
    assert strict_chat.requests == []


async def test_a_session_that_finds_nothing_new_is_read_from_the_server_s_cache(
    provider: OpenAICompatibleProvider, strict_chat: StrictChat
) -> None:
    strict_chat.script(Reply(FunctionCall(TARGETS.name, {"query": "x"})), Reply(Text("Yes.")), Reply(Text("No.")))
    entries: list[Entry] = [QUESTION]
    for question in ("And EGFR?", "Thanks?", ""):
        entry = (await reply(provider, asked(*entries))).entry
        entries += [entry, results(entry) if entry.tool_calls else UserEntry(question)]

    used = [request.usage for request in strict_chat.requests]
    for before, after in zip(used, used[1:], strict=False):
        assert after["prompt_tokens_details"]["cached_tokens"] == before["prompt_tokens"]


def test_the_same_entries_always_give_the_same_bytes() -> None:
    entries = (QUESTION, *found(TRIALS.name), UserEntry("More?"))

    assert json.dumps(request_body(asked(*entries), MODEL)) == json.dumps(request_body(asked(*entries), MODEL))
