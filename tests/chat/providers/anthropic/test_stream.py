"""One streamed message: what is shown, what is stored, what is counted, what a stop leaves."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from chat.config import ModelRow, Service
from chat.providers.anthropic import AnthropicModel, AnthropicProvider, create
from chat.providers.anthropic_progress import usage_by_tier
from chat.providers.base import (
    ModelFailure,
    ModelReply,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCall,
    UserEntry,
)
from evals.strict_messages import Break, Reply, ServerToolUse, StrictMessages, Text, Thinking, ToolUse, Unknown
from mcp_server.codes import TurnOutcome
from tests.chat.providers.anthropic.conftest import SONNET, TARGETS, collect, reply, request, results

Json = Any
ROW = ModelRow(
    key="claude",
    provider="anthropic",
    model="",
    label="Claude",
    context_window=200_000,
    max_output_tokens=128_000,
    inline_max_tokens=5_000,
)


async def test_reasoning_and_text_are_streamed_as_they_come(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Thinking("A synonym."), Text("", pieces=["HER2 ", "is", " ERBB2."]), pings=True))

    *deltas, last = await collect(provider, request())

    assert deltas == [
        ReasoningDelta("A synony"),
        ReasoningDelta("m."),
        TextDelta("HER2 "),
        TextDelta("is"),
        TextDelta(" ERBB2."),
    ]
    assert isinstance(last, ModelReply)
    entry = last.entry
    assert (entry.text, entry.stop_reason, last.stop_reason) == ("HER2 is ERBB2.", "end", "end")
    assert (entry.provider, entry.model, entry.context_version) == ("anthropic", SONNET.id, "v1")
    assert [block["type"] for block in entry.raw] == ["thinking", "text"]
    assert entry.raw[0]["signature"]
    assert entry.request_id.startswith("req_")
    assert not entry.interrupted


async def test_parallel_calls_come_with_strictly_parsed_arguments(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    exact = '{"query": "HER2", "n": 1.50, "big": 12345678901234567890}'
    strict_messages.script(Reply(Text("I look."), ToolUse(TARGETS.name, sent=exact, id="toolu_a"), ToolUse("think")))

    last = await reply(provider, request())

    first, second = last.entry.tool_calls
    assert first == ToolCall("toolu_a", TARGETS.name, {"query": "HER2", "n": 1.5, "big": 12345678901234567890})
    assert (second.name, second.arguments, second.problem) == ("think", {}, "")
    assert last.stop_reason == "tool_use"


async def test_unknown_blocks_and_fields_are_stored_untouched(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    found = {"type": "tool_search_tool_result", "content": {"type": "tool_search_tool_search_result"}}
    strict_messages.script(
        Reply(
            ServerToolUse("tool_search_tool_bm25", {"query": "gene"}, result=found),
            Unknown({"type": "future_block", "payload": {"k": 1}}, deltas=[{"type": "future_delta", "z": 1}]),
            ToolUse("think", id="toolu_1", extra={"future_field": {"a": [1, 2]}}),
            extra_events=[("future_event", {"type": "future_event", "x": 1})],
            pings=True,
        )
    )

    last = await reply(provider, request())

    assert [block["type"] for block in last.entry.raw] == [
        "server_tool_use",
        "tool_search_tool_result",
        "future_block",
        "tool_use",
    ]
    assert last.entry.raw[2] == {"type": "future_block", "payload": {"k": 1}}
    assert last.entry.raw[3] == {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "think",
        "input": {},
        "caller": {"type": "direct"},
        "future_field": {"a": [1, 2]},
    }
    assert [call.id for call in last.entry.tool_calls] == ["toolu_1"]


@pytest.mark.case("C056")
@pytest.mark.parametrize(
    "sent",
    ['{"query":"BRCA1 AND (olap', '{"query":', '{"query":"BRCA1"}'],
    ids=["in a value", "before a value", "valid by chance"],
)
async def test_a_call_cut_by_the_output_limit_does_not_run_and_the_session_goes_on(
    provider: AnthropicProvider, strict_messages: StrictMessages, sent: str
) -> None:
    strict_messages.script(
        Reply(ToolUse(TARGETS.name, sent=sent), stop_reason="max_tokens"), Reply(Text("Shorter then."))
    )

    last = await reply(provider, request())
    await reply(provider, request(UserEntry("What is HER2?"), last.entry, results(last.entry, "cut off")))

    assert last.stop_reason == "max_tokens"
    assert "cut off by the output limit" in last.entry.tool_calls[0].problem


@pytest.mark.case("C056")
@pytest.mark.parametrize("sent", ['{"query":"BRCA1 AND (olap', '["BRCA1"]', "3"], ids=["cut", "list", "number"])
async def test_arguments_that_are_no_json_object_do_not_run(
    provider: AnthropicProvider, strict_messages: StrictMessages, sent: str
) -> None:
    strict_messages.script(Reply(ToolUse(TARGETS.name, sent=sent)), Reply(Text("Once more.")))

    last = await reply(provider, request())
    await reply(provider, request(UserEntry("What is HER2?"), last.entry, results(last.entry, "not JSON")))

    assert "not a complete JSON object" in last.entry.tool_calls[0].problem
    assert last.entry.tool_calls[0].arguments == {}


async def test_a_call_in_a_message_that_did_not_stop_for_it_does_not_run(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(ToolUse(TARGETS.name, {"query": "x"}), stop_reason="model_context_window_exceeded"))

    last = await reply(provider, request())

    assert last.stop_reason == "context_overflow"
    assert "did not run" in last.entry.tool_calls[0].problem


@pytest.mark.case("C057")
async def test_a_refusal_is_a_reply_with_its_category_and_is_asked_once(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "Declined."}
    strict_messages.script(Reply(stop_reason="refusal", stop_details=details, output_tokens=0), Reply(Text("Yes.")))

    refused = await reply(provider, request())
    assert len(strict_messages.requests) == 1
    await reply(provider, request(UserEntry("No."), refused.entry, UserEntry("What is HER2?")))

    assert (refused.stop_reason, refused.entry.text, refused.entry.stop_details) == ("refusal", "", details)
    question = {"type": "text", "text": "What is HER2?"}
    assert strict_messages.requests[1].messages == [{"role": "user", "content": [question]}]


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("raw", "expected", "micro_usd"),
    [
        (
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 12304,
                "cache_read_input_tokens": 0,
                "output_tokens": 550,
            },
            TokenUsage(input=3, cache_write_5m=12304, output=550),
            54_399,
        ),
        (
            {"input_tokens": 100, "cache_creation_input_tokens": 700, "cache_read_input_tokens": 200},
            TokenUsage(input=100, cache_write_5m=700, cache_read=200),
            2_985,
        ),
    ],
)
def test_cache_tokens_are_counted_once(raw: Json, expected: TokenUsage, micro_usd: int) -> None:
    usage = usage_by_tier(raw)

    assert usage == expected
    pico_usd = usage.input * 3_000_000 + usage.cache_write_5m * 3_750_000 + usage.cache_read * 300_000
    assert pico_usd + usage.output * 15_000_000 == micro_usd * 1_000_000


def test_cache_writes_are_split_by_lifetime() -> None:
    split = {"ephemeral_5m_input_tokens": 48, "ephemeral_1h_input_tokens": 2000}

    assert usage_by_tier({"cache_creation_input_tokens": 2048, "cache_creation": split}) == TokenUsage(
        cache_write_5m=48, cache_write_1h=2000
    )
    assert usage_by_tier({"cache_creation_input_tokens": 2048, "cache_creation": None}).cache_write_5m == 2048


def test_tools_that_the_service_ran_are_counted_apart() -> None:
    usage = usage_by_tier({"output_tokens": 5, "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0}})

    assert usage == TokenUsage(output=5, tool_requests={"web_search": 2})
    assert usage_by_tier({"server_tool_use": None}) == TokenUsage()


async def test_usage_is_what_was_reported_and_the_raw_report_is_kept(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("Yes."), output_tokens=55, usage={"future_counter": 7}))

    last = await reply(provider, request(system="Answer from records only. " * 200))

    reported = strict_messages.requests[0].usage
    split = reported["cache_creation"]
    assert split["ephemeral_1h_input_tokens"] > 1000
    assert last.usage == TokenUsage(
        output=55,
        input=reported["input_tokens"],
        cache_write_5m=split["ephemeral_5m_input_tokens"],
        cache_write_1h=split["ephemeral_1h_input_tokens"],
        cache_read=0,
    )
    assert last.entry.usage_raw["future_counter"] == 7
    assert last.entry.usage_raw["cache_creation"] == split
    assert last.entry.usage_raw["output_tokens_details"] == {"thinking_tokens": 0}


@pytest.mark.case("C062")
async def test_a_cancelled_stream_is_closed_within_a_second_and_leaves_what_had_come(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(
        Reply(Thinking("A synonym."), Text("HER2 is ERBB2, a kinase."), broken=Break("silence", block=1, deltas=2))
    )
    shown = asyncio.Event()

    async def consume() -> None:
        async with aclosing(provider.stream(request())) as events:
            async for event in events:
                if event == TextDelta("ERBB2, a"):
                    shown.set()

    running = asyncio.create_task(consume())
    await asyncio.wait_for(shown.wait(), timeout=5)
    running.cancel()
    cancelled_at = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await strict_messages.requests[0].client_closed() - cancelled_at < 1
    entry, usage = provider.partial()
    assert entry is not None
    assert (entry.text, entry.interrupted, entry.tool_calls) == ("HER2 is ERBB2, a", True, ())
    assert [block["type"] for block in entry.raw] == ["thinking", "text"]
    started = strict_messages.requests[0].usage
    assert usage.input + usage.cache_write_1h + usage.cache_write_5m == sum(
        started[name] for name in ("input_tokens", "cache_creation_input_tokens")
    )
    assert usage.output == 9  # 26 characters at three to a token


@pytest.mark.case("C062")
async def test_a_stream_that_is_closed_by_its_reader_is_closed_on_the_wire(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("HER2 is ERBB2."), broken=Break("drip", block=0)))

    async with aclosing(provider.stream(request())) as events:
        assert await anext(events) == TextDelta("HER2 is ")
    closed_at = time.monotonic()

    assert await strict_messages.requests[0].client_closed() - closed_at < 1


@pytest.mark.case("C062")
async def test_a_stop_before_the_first_event_is_booked_as_an_estimate_of_the_prompt(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("Yes."), broken=Break("silence")))
    asked = request(system="Answer from records only. " * 200)
    running = asyncio.create_task(collect(provider, asked))
    sent = await strict_messages.request()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await sent.client_closed()
    entry, usage = provider.partial()
    assert entry is None
    assert usage.input > 1000
    assert usage == TokenUsage(input=usage.input)


def test_before_any_stream_nothing_was_used(provider: AnthropicProvider) -> None:
    assert provider.partial() == (None, TokenUsage())


async def test_worst_case_is_above_what_the_service_counts(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("Yes."), output_tokens=1000))
    asked = request(UserEntry("Wie heißt das Gen für HER2? " * 300), system="Answer from records only. " * 300)

    ceiling = provider.worst_case(asked)
    used = (await reply(provider, asked)).usage

    assert ceiling.cache_write_1h > used.cache_write_1h > 1000
    assert ceiling.cache_write_5m > used.cache_write_5m > 1000
    assert ceiling.output == used.output == 1000
    assert (ceiling.input, ceiling.cache_read) == (0, 0)


def test_a_missing_key_is_said_before_any_request() -> None:
    with pytest.raises(ModelFailure, match="set LAB_CLAUDE_KEY") as caught:
        AnthropicProvider(SONNET, api_key=" ", key_variable="LAB_CLAUDE_KEY")

    assert caught.value.outcome is TurnOutcome.MODEL_AUTH


@pytest.mark.parametrize(
    ("row", "sent"),
    [
        (
            replace(
                ROW, model="claude-sonnet-5-5", efforts=("low", "high"), default_effort="low", thinking=("adaptive",)
            ),
            {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "low"}},
        ),
        (replace(ROW, model="claude-haiku-4-5", max_output_tokens=64_000), {"thinking": None, "output_config": None}),
    ],
    ids=["current", "older"],
)
async def test_a_configured_model_is_asked_as_it_accepts(
    strict_messages: StrictMessages, row: ModelRow, sent: Json
) -> None:
    strict_messages.script(Reply(Text("Yes.")))
    provider = create(row, Service("anthropic", base_url=strict_messages.base_url, api_key=strict_messages.api_key))

    last = await reply(provider, request(model=row.model, effort=row.default_effort))

    assert last.entry.text == "Yes."
    assert {name: strict_messages.requests[0].json.get(name) for name in sent} == sent
    await provider.aclose()


async def test_an_effort_that_the_model_lacks_is_refused_before_any_request(
    strict_messages: StrictMessages,
) -> None:
    model = AnthropicModel(SONNET.id, effort_levels=("low", "high"))
    provider = AnthropicProvider(model, api_key=strict_messages.api_key, base_url=strict_messages.base_url)

    with pytest.raises(ModelFailure, match="has no effort 'max'; use one of low, high") as caught:
        await reply(provider, request(effort="max"))

    assert caught.value.outcome is TurnOutcome.MODEL_BAD_REQUEST
    assert strict_messages.requests == []
    await provider.aclose()
