"""Each way in which a call of the model fails, as the loop gets to know it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from chat.providers.anthropic import AnthropicProvider
from chat.providers.base import ModelFailure, TextDelta, TokenUsage, UserEntry
from evals.strict_messages import Break, Failure, Reply, StrictMessages, Text, Thinking, ToolUse
from mcp_server.codes import TurnOutcome
from tests.chat.providers.anthropic.conftest import SONNET, TARGETS, collect, reply, request

Json = Any
UNREACHABLE, OVERLOADED = TurnOutcome.MODEL_UNREACHABLE, TurnOutcome.MODEL_OVERLOADED


async def failure_of(provider: AnthropicProvider) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        await collect(provider, request())
    return caught.value


PLACES: dict[str, tuple[int | str | None, int, str, bool]] = {
    "before everything": (None, 0, "", False),
    "after the start": ("start", 0, "", False),
    "in text": (0, 1, "HER2 is ", True),
    "in arguments": (1, 2, "HER2 is ERBB2.", True),
    "before the stop reason": ("end", 0, "HER2 is ERBB2.", True),
    "before the final event": ("stop", 0, "HER2 is ERBB2.", True),
}


@pytest.mark.case("C055")
@pytest.mark.parametrize(
    ("how", "outcome"),
    [("error", OVERLOADED), ("close", UNREACHABLE), ("cut", UNREACHABLE)],
    ids=["error event", "plain close", "cut connection"],
)
@pytest.mark.parametrize(("block", "deltas", "text", "shown"), PLACES.values(), ids=PLACES.keys())
async def test_only_the_final_event_makes_a_message(
    provider: AnthropicProvider,
    strict_messages: StrictMessages,
    how: Any,
    outcome: TurnOutcome,
    block: Any,
    deltas: int,
    text: str,
    shown: bool,
) -> None:
    strict_messages.script(
        Reply(
            Text("HER2 is ERBB2."),
            ToolUse(TARGETS.name, {"query": "ERBB2"}),
            broken=Break(how, block=block, deltas=deltas),
            output_tokens=77,
        )
    )

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable, failure.shown) == (outcome, True, shown)
    partial = failure.partial
    assert (partial.text if partial else "") == text
    if partial:
        assert (partial.interrupted, partial.tool_calls) == (True, ())
        assert [part["type"] for part in partial.raw] == ["text"]
    assert failure.usage is not None
    started = strict_messages.requests[0].usage["input_tokens"] if block is not None else 0
    if block == "stop":
        assert (failure.usage, failure.estimated) == (TokenUsage(input=started, output=77), False)
    elif block is not None:
        assert (failure.usage.input, failure.estimated) == (started, True)
    elif how == "error":
        assert (failure.usage, failure.estimated) == (TokenUsage(), False)
    else:
        assert failure.usage.input > 100
        assert failure.estimated
    assert len(strict_messages.requests) == 1


@pytest.mark.case("C055")
async def test_a_broken_message_can_be_stored_and_the_session_goes_on(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(
        Reply(Thinking("Whole."), Text("HER2 is"), ToolUse("think"), broken=Break("error", block=2)),
        Reply(Text("ERBB2.")),
    )
    failure = await failure_of(provider)
    assert failure.partial is not None

    last = await reply(provider, request(UserEntry("What is HER2?"), failure.partial, UserEntry("Go on.")))

    assert last.entry.text == "ERBB2."


async def test_silence_ends_at_the_read_timeout(strict_messages: StrictMessages) -> None:
    strict_messages.script(Reply(Text("HER2 is ERBB2."), broken=Break("silence", block=0)))
    provider = AnthropicProvider(
        SONNET, api_key=strict_messages.api_key, base_url=strict_messages.base_url, read_timeout_s=0.2
    )

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (UNREACHABLE, True)
    assert failure.message == "The connection to the model's service failed (ReadTimeout)."
    assert await strict_messages.requests[0].client_closed()
    await provider.aclose()


async def test_a_service_that_is_not_there_is_unreachable_and_nothing_was_used() -> None:
    provider = AnthropicProvider(SONNET, api_key="k", base_url="http://127.0.0.1:9")

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable, failure.shown) == (UNREACHABLE, True, False)
    assert (failure.usage, failure.estimated, failure.partial) == (TokenUsage(), False, None)
    await provider.aclose()


@pytest.mark.parametrize(
    ("status", "error_type", "outcome", "retryable"),
    [
        (400, "invalid_request_error", TurnOutcome.MODEL_BAD_REQUEST, False),
        (401, "authentication_error", TurnOutcome.MODEL_AUTH, False),
        (402, "billing_error", TurnOutcome.MODEL_AUTH, False),
        (403, "permission_error", TurnOutcome.MODEL_AUTH, False),
        (404, "not_found_error", TurnOutcome.MODEL_BAD_REQUEST, False),
        (413, "request_too_large", TurnOutcome.CONTEXT_OVERFLOW, False),
        (429, "rate_limit_error", TurnOutcome.MODEL_RATE_LIMITED, True),
        (500, "api_error", OVERLOADED, True),
        (504, "timeout_error", OVERLOADED, True),
        (529, "overloaded_error", OVERLOADED, True),
        (529, "a_new_error", OVERLOADED, True),
        (422, "a_new_error", TurnOutcome.MODEL_BAD_REQUEST, False),
    ],
)
async def test_errors_before_the_stream(
    provider: AnthropicProvider,
    strict_messages: StrictMessages,
    status: int,
    error_type: str,
    outcome: TurnOutcome,
    retryable: bool,
) -> None:
    strict_messages.script(Failure(status, error_type, "The service's own words."))

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable, failure.shown) == (outcome, retryable, False)
    assert failure.message.startswith(f"The service's own words. [{error_type}, req_")
    assert (failure.usage, failure.estimated, failure.partial) == (TokenUsage(), False, None)
    assert len(strict_messages.requests) == 1


@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 208310 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
    ],
)
async def test_a_prompt_above_the_window_is_a_context_overflow(
    provider: AnthropicProvider, strict_messages: StrictMessages, message: str
) -> None:
    strict_messages.script(Failure(400, "invalid_request_error", message))

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (TurnOutcome.CONTEXT_OVERFLOW, False)


async def test_a_gateway_page_is_the_services_fault(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Failure(502, "", body=b"<html>Bad gateway</html>"))

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (OVERLOADED, True)


@pytest.mark.case("C044")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("9999999999", 9999999999.0), ("Fri, 31 Dec 99999 23:59:59 GMT", None), ("-5", None), ("soon", None)],
)
async def test_retry_after_is_handed_on_and_never_slept(
    provider: AnthropicProvider, strict_messages: StrictMessages, header: str, seconds: float | None
) -> None:
    strict_messages.script(Failure(429, "rate_limit_error", "Slow down.", headers={"retry-after": header}))

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_RATE_LIMITED, True)
    assert failure.retry_after_s == seconds
    assert len(strict_messages.requests) == 1


@pytest.mark.case("C044")
async def test_a_retry_after_date_is_counted_from_now(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    year = datetime.now(UTC).year + 1
    headers = {"retry-after": f"Fri, 01 Jan {year} 00:00:00 GMT"}
    strict_messages.script(Failure(429, "rate_limit_error", headers=headers))

    failure = await failure_of(provider)

    left_s = (datetime(year, 1, 1, tzinfo=UTC) - datetime.now(UTC)).total_seconds()
    assert failure.retry_after_s == pytest.approx(left_s, abs=30)


@pytest.mark.parametrize(
    ("headers", "details"),
    [({}, {"error_code": "enforced_spend_limit_reached"}), ({"x-should-retry": "false"}, None)],
    ids=["spend limit", "the service says so"],
)
async def test_a_limit_that_time_does_not_lift_is_not_retried(
    provider: AnthropicProvider, strict_messages: StrictMessages, headers: dict[str, str], details: Json
) -> None:
    strict_messages.script(Failure(429, "rate_limit_error", "Limit.", headers=headers, details=details))

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_RATE_LIMITED, False)


@pytest.mark.case("C076")
async def test_the_key_never_shows_in_a_failure(strict_messages: StrictMessages) -> None:
    strict_messages.script(Failure(400, "invalid_request_error", f"bad header {strict_messages.api_key}"))
    provider = AnthropicProvider(SONNET, api_key=strict_messages.api_key, base_url=strict_messages.base_url)

    failure = await failure_of(provider)

    assert failure.message.startswith("bad header [key]")
    assert strict_messages.api_key not in f"{failure!s} {failure!r} {provider!r} {vars(failure)}"
    await provider.aclose()


async def test_a_wrong_key_is_said(strict_messages: StrictMessages) -> None:
    provider = AnthropicProvider(SONNET, api_key="wrong", base_url=strict_messages.base_url)

    failure = await failure_of(provider)

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_AUTH, False)
    await provider.aclose()


async def test_an_event_that_is_not_json_is_a_failure_not_a_crash(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Text("HER2 is"), ToolUse(TARGETS.name, sent='{"query": nonsense}')))

    events: list[object] = []
    with pytest.raises(ModelFailure) as caught:
        async for event in provider.stream(request()):
            events.append(event)

    assert (caught.value.outcome, caught.value.retryable) == (UNREACHABLE, True)
    assert events == [TextDelta("HER2 is")]
