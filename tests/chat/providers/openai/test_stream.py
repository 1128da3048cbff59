"""What is OpenAI's own in a stream: sealed items, summaries, refusals by policy, usage that counts the cache in."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.conf import settings

from chat.config import ModelRow, Service
from chat.providers.base import (
    ModelFailure,
    ModelNotice,
    ModelReply,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    UserEntry,
)
from chat.providers.openai import OpenAIProvider, create
from chat.providers.openai_progress import usage_by_tier
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import (
    QUESTION,
    SEARCH,
    TARGETS,
    Conversation,
    collect,
    reply,
    request,
    results,
)
from tests.chat.providers.contract.harnesses.openai import OpenAIHarness
from tests.chat.providers.openai.conftest import SOL
from tests.strict_responses import (
    Break,
    Failed,
    Failure,
    FunctionCall,
    Reasoning,
    Refusal,
    Reply,
    StrictResponses,
    Text,
    ToolSearch,
    Unknown,
)
from usage.pricing import cost_pico_usd

Json = Any
PRICES = settings.BURP.usage.prices
POLICY = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."


def asked(*entries: Any, **changes: Any) -> Any:
    return request(SOL.id, *entries, **changes)


async def test_items_are_stored_as_they_were_when_done(
    provider: OpenAIProvider, strict_responses: StrictResponses
) -> None:
    exact = '{"query": "HER2", "n": 1.50, "big": 12345678901234567890}'
    future = {"id": "fut_1", "type": "future_item", "payload": {"k": 1}}
    strict_responses.script(
        Reply(
            Reasoning(("Look.",)),
            Text("I look.", {"phase": "commentary"}),
            Unknown(future),
            FunctionCall(TARGETS.name, sent=exact, extra={"future": 1}),
            strange=True,
        ),
        Reply(Text("Yes.")),
    )

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, results(first.entry)))

    reasoning, message, unknown, call = first.entry.raw
    assert len(reasoning["encrypted_content"]) > 20
    assert message["phase"] == "commentary"
    assert unknown == future
    assert (call["arguments"], call["future"]) == (exact, 1)
    assert first.entry.tool_calls[0].arguments["big"] == 12345678901234567890
    assert first.entry.request_id.startswith("req_")
    assert strict_responses.requests[1].json["input"][1:5] == [*first.entry.raw]


async def test_summaries_of_reasoning_are_told_apart(
    provider: OpenAIProvider, strict_responses: StrictResponses
) -> None:
    strict_responses.script(Reply(Reasoning(("First.", "Second.")), Text("Yes.")))

    *deltas, _ = await collect(provider, asked())

    assert deltas == [
        ReasoningDelta("First."),
        ReasoningDelta("\n\n"),
        ReasoningDelta("Second."),
        TextDelta("Yes."),
    ]


@pytest.mark.parametrize("arguments", [{"query": "trials"}, '{"query": "trials"}'], ids=["object", "text"])
async def test_a_search_by_the_model_is_a_call_of_the_catalogue(
    provider: OpenAIProvider, strict_responses: StrictResponses, arguments: Json
) -> None:
    strict_responses.script(Reply(ToolSearch(arguments)))

    last = await reply(provider, asked())

    (call,) = last.entry.tool_calls
    assert (call.name, call.arguments, last.stop_reason) == (SEARCH.name, {"query": "trials"}, "tool_use")


@pytest.mark.case("C056")
async def test_a_call_that_was_never_finished_does_not_run(
    provider: OpenAIProvider, strict_responses: StrictResponses
) -> None:
    cut = FunctionCall(TARGETS.name, sent='{"query": "BRC')
    strict_responses.script(
        Reply(Reasoning(), cut, incomplete="max_output_tokens", last_item_done=False), Reply(Text("Shorter."))
    )

    first = await reply(provider, asked())
    await reply(provider, asked(QUESTION, first.entry, results(first.entry)))

    assert first.stop_reason == "max_tokens"
    assert "cut off by the output limit" in first.entry.tool_calls[0].problem
    sent = strict_responses.requests[1].json["input"]
    assert [item["type"] for item in sent] == ["message", "function_call", "function_call_output"]


REFUSALS: dict[str, tuple[Any, str]] = {
    "in words": (Reply(Reasoning(), Refusal("I can't help with that.")), "I can't help with that."),
    "filtered": (Reply(Text("HER2 is"), incomplete="content_filter"), "HER2 is"),
    "failed by policy": (Reply(Text("HER2"), failed=Failed("bio_policy", "Not allowed.")), "Not allowed. [bio_policy]"),
    "before the stream": (
        Failure(400, "invalid_request_error", "Not allowed.", details={"code": "bio_policy"}),
        "Not allowed. [invalid_request_error, bio_policy, req_000001]",
    ),
    "as a flagged prompt": (
        Failure(400, "invalid_request_error", POLICY, details={"code": "invalid_prompt"}),
        f"{POLICY} [invalid_request_error, invalid_prompt, req_000001]",
    ),
}


@pytest.mark.case("C057")
@pytest.mark.parametrize(("step", "said"), REFUSALS.values(), ids=REFUSALS.keys())
async def test_every_way_to_decline_is_one_refusal(
    provider: OpenAIProvider, strict_responses: StrictResponses, step: Any, said: str
) -> None:
    strict_responses.script(step, Reply(Text("Yes.")))

    refused = await reply(provider, asked(UserEntry("How is anthrax grown?")))
    await reply(provider, asked(UserEntry("How is anthrax grown?"), refused.entry, QUESTION))

    assert (refused.stop_reason, refused.entry.stop_reason, refused.entry.tool_calls) == ("refusal", "refusal", ())
    assert len(strict_responses.requests) == 2
    assert [item["content"][0]["text"] for item in strict_responses.requests[1].json["input"]] == ["What is HER2?"]
    assert refused.entry.text.startswith(said[:40])


async def test_a_prompt_that_is_merely_misshapen_is_no_refusal(
    provider: OpenAIProvider, strict_responses: StrictResponses
) -> None:
    strict_responses.script(Failure(400, "invalid_request_error", "Invalid input.", details={"code": "invalid_prompt"}))

    with pytest.raises(ModelFailure) as caught:
        await reply(provider, asked())

    assert (caught.value.outcome, caught.value.retryable) == (TurnOutcome.MODEL_BAD_REQUEST, False)


@pytest.mark.parametrize(
    ("code", "outcome", "retryable"),
    [
        ("server_error", TurnOutcome.MODEL_OVERLOADED, True),
        ("rate_limit_exceeded", TurnOutcome.MODEL_RATE_LIMITED, True),
        ("insufficient_quota", TurnOutcome.MODEL_RATE_LIMITED, False),
        ("context_length_exceeded", TurnOutcome.CONTEXT_OVERFLOW, False),
        ("a_new_code", TurnOutcome.MODEL_OVERLOADED, True),
    ],
)
@pytest.mark.parametrize("how", ["response failed", "error event"])
async def test_errors_inside_a_stream_are_told_by_their_code(
    provider: OpenAIProvider,
    strict_responses: StrictResponses,
    how: str,
    code: str,
    outcome: TurnOutcome,
    retryable: bool,
) -> None:
    broken = Break("error", block="end", error_type=code, message="The service's own words.")
    failed = Failed(code, "The service's own words.")
    is_event = how == "error event"
    strict_responses.script(
        Reply(Text("HER2 is"), broken=broken) if is_event else Reply(Text("HER2 is"), failed=failed)
    )

    with pytest.raises(ModelFailure) as caught:
        await reply(provider, asked())

    failure = caught.value
    assert (failure.outcome, failure.retryable, failure.shown) == (outcome, retryable, True)
    assert failure.message == f"The service's own words. [{code}]"
    assert failure.partial is not None
    assert (failure.partial.text, failure.estimated) == ("HER2 is", True)


@pytest.mark.case("C044")
async def test_a_wait_in_milliseconds_comes_first(provider: OpenAIProvider, strict_responses: StrictResponses) -> None:
    headers = {"retry-after-ms": "1500", "retry-after": "7"}
    strict_responses.script(Failure(429, "tokens", headers=headers, details={"code": "rate_limit_exceeded"}))

    with pytest.raises(ModelFailure) as caught:
        await reply(provider, asked())

    assert caught.value.retry_after_s == 1.5


async def test_reasoning_that_another_organisation_sealed_goes_as_text_then_and_ever_after(
    provider: OpenAIProvider, strict_responses: StrictResponses, caplog: pytest.LogCaptureFixture
) -> None:
    strict_responses.script(Reply(Reasoning(), FunctionCall(TARGETS.name, {"query": "x"})), *[Reply(Text("Yes."))] * 2)
    first = await reply(provider, asked())
    strict_responses.accept_key("other-key")
    other = OpenAIProvider(SOL, api_key="other-key", base_url=strict_responses.base_url)
    entries = (QUESTION, first.entry, results(first.entry))

    notice, *_, second = await collect(other, asked(*entries))
    assert isinstance(second, ModelReply)
    await reply(other, asked(*entries, second.entry, UserEntry("Sure?")))
    await other.aclose()

    assert isinstance(notice, ModelNotice)
    assert (notice.code, second.entry.starts_afresh) == ("context_degraded", True)
    assert [sent.status for sent in strict_responses.requests] == [200, 400, 200, 200]
    afresh, later = (sent.json["input"] for sent in strict_responses.requests[2:])
    assert [item["type"] for item in afresh] == ["message", "function_call", "function_call_output"]
    assert later[: len(afresh)] == afresh
    assert "was refused and is sent otherwise" in caplog.text


async def test_an_account_that_may_not_see_summaries_does_without(
    provider: OpenAIProvider, strict_responses: StrictResponses
) -> None:
    strict_responses.forbid_summaries()
    strict_responses.script(*[Reply(Text("Yes."))] * 2)

    for _ in range(2):
        assert (await reply(provider, asked(effort="low"))).entry.text == "Yes."

    assert [sent.status for sent in strict_responses.requests] == [400, 200, 200]
    assert strict_responses.requests[2].json["reasoning"] == {"effort": "low"}


@pytest.mark.case("C061")
@pytest.mark.parametrize(
    ("raw", "expected", "pico_usd"),
    [
        # 100 tokens of which 64 were read and 36 written: nothing is left at the full price
        (
            {
                "input_tokens": 100,
                "input_tokens_details": {
                    "cached_tokens": 64,
                    "cache_write_tokens": 36,
                    "cache_write_tokens_details": {"ttl_30m_tokens": 36, "ttl_12h_tokens": 0},
                },
                "output_tokens": 9,
                "output_tokens_details": {"reasoning_tokens": 4},
            },
            TokenUsage(cache_read=64, cache_write_5m=36, output=9),
            93_200_000,
        ),
        # without a split, what was written has the short lifetime; reasoning is part of the output
        (
            {
                "input_tokens": 1000,
                "input_tokens_details": {"cached_tokens": 200, "cache_write_tokens": 700},
                "output_tokens": 50,
                "output_tokens_details": {"reasoning_tokens": 50},
            },
            TokenUsage(input=100, cache_read=200, cache_write_5m=700, output=50),
            1_235_000_000,
        ),
        ({"input_tokens": 3, "output_tokens": 1}, TokenUsage(input=3, output=1), 8_000_000),
        (
            {
                "input_tokens": 500,
                "input_tokens_details": {
                    "cache_write_tokens": 500,
                    "cache_write_tokens_details": {"ttl_12h_tokens": 400},
                },
            },
            TokenUsage(cache_write_5m=100, cache_write_1h=400),
            1_125_000_000,
        ),
    ],
)
def test_what_came_from_the_cache_is_taken_out_of_the_input(raw: Json, expected: TokenUsage, pico_usd: int) -> None:
    usage = usage_by_tier(raw)

    assert usage == expected
    assert cost_pico_usd(PRICES, "gpt-6.1-terra", usage.as_dict(), date(2026, 11, 30)) == pico_usd


async def test_from_the_second_call_on_the_prompt_is_read_from_the_cache() -> None:
    async with OpenAIHarness() as harness:
        provider, conversation = harness.provider(), Conversation()
        harness.server.script(
            Reply(Reasoning(), ToolSearch({"query": "trials"})),
            Reply(Reasoning(), FunctionCall(TARGETS.name, {"query": "x"})),
            Reply(Text("Yes.")),
        )

        await conversation.turn(harness, provider, "Question?", system="Answer from records only. " * 200)

        usages = [usage_by_tier(sent.usage) for sent in harness.server.requests]
        for earlier, later in zip(usages, usages[1:], strict=False):
            assert later.cache_read == earlier.cache_read + earlier.cache_write_5m > 1000
            assert later.input == 0


ROW = ModelRow(
    key="gpt",
    provider="openai",
    model="gpt-6-luna",
    label="GPT",
    context_window=1_050_000,
    max_output_tokens=128_000,
    inline_max_tokens=5_000,
    efforts=("low", "high"),
    default_effort="low",
    deferred_tools=True,
)


@pytest.mark.parametrize(
    ("row", "kinds", "effort"),
    [
        (ROW, {"function", "tool_search"}, {"effort": "low", "summary": "auto"}),
        (
            replace(ROW, model="gpt-4.1", efforts=(), default_effort="", deferred_tools=False, max_output_tokens=9000),
            {"function"},
            None,
        ),
    ],
    ids=["current", "older"],
)
async def test_a_configured_model_is_asked_as_it_accepts(
    strict_responses: StrictResponses, row: ModelRow, kinds: set[str], effort: Json
) -> None:
    strict_responses.script(Reply(Text("Yes.")))
    service = Service("openai", base_url=strict_responses.base_url, api_key=strict_responses.api_key)
    provider = create(row, service)

    await reply(provider, request(row.model, effort=row.default_effort))
    await provider.aclose()

    body = strict_responses.requests[0].json
    assert {tool["type"] for tool in body["tools"]} == kinds
    assert body.get("reasoning") == effort
