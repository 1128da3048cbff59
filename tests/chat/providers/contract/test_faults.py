"""Each way in which a call of any model fails, as the loop gets to know it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from chat.providers.base import ModelFailure, Provider, TokenUsage, UserEntry
from evals.loopback.faults import Break
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import QUESTION, TARGETS, collect, reply, request
from tests.chat.providers.contract.harness import Harness, for_each, for_each_break
from tests.chat.providers.contract.script import Answer, Call, Declined, Problem, Say

UNREACHABLE, OVERLOADED = TurnOutcome.MODEL_UNREACHABLE, TurnOutcome.MODEL_OVERLOADED
BROKEN = {"error": OVERLOADED, "close": UNREACHABLE, "cut": UNREACHABLE}
TEXT = "HER2 is ERBB2, a receptor tyrosine kinase."


async def failure_of(harness: Harness, provider: Provider) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        await collect(provider, request(harness.models[0]))
    return caught.value


@pytest.mark.case("C055")
@for_each_break()
async def test_only_the_final_event_makes_a_message(harness: Harness, how: Any, place: str) -> None:
    block, deltas = harness.places[place]
    broken = Break(how, block=block, deltas=deltas)
    harness.script(Answer(Say(TEXT), Call(TARGETS.name, {"query": "ERBB2"}), broken=broken), Answer(Say("Going on.")))
    provider = harness.provider()

    failure = await failure_of(harness, provider)

    is_shown = place not in {"before everything", "after the start"}
    assert (failure.outcome, failure.retryable, failure.shown) == (BROKEN[how], True, is_shown)
    assert failure.usage is not None
    assert len(harness.requests) == 1
    partial = failure.partial
    assert (partial is not None) == is_shown
    if partial is not None:
        assert partial.text
        assert TEXT.startswith(partial.text)
        assert (partial.text == TEXT) == (place != "in text")
        assert (partial.interrupted, partial.tool_calls) == (True, ())
        last = await reply(provider, request(harness.models[0], QUESTION, partial, UserEntry("Go on.")))
        assert last.entry.text == "Going on."
        assert partial.text in harness.requests[1].body.decode()


@for_each()
async def test_silence_ends_at_the_read_timeout(harness: Harness) -> None:
    harness.script(Answer(Say(TEXT), broken=Break("silence", block=0)))

    failure = await failure_of(harness, harness.provider(read_timeout_s=0.3))

    assert (failure.outcome, failure.retryable, failure.shown) == (UNREACHABLE, True, True)
    assert await harness.requests[0].client_closed()


@for_each()
async def test_a_service_that_is_not_there_is_unreachable_and_nothing_was_used(harness: Harness) -> None:
    failure = await failure_of(harness, harness.provider(base_url="http://127.0.0.1:9"))

    assert (failure.outcome, failure.retryable, failure.shown) == (UNREACHABLE, True, False)
    assert (failure.usage, failure.estimated, failure.partial) == (TokenUsage(), False, None)


@pytest.mark.parametrize(
    ("problem", "outcome", "retryable"),
    [
        ("bad_request", TurnOutcome.MODEL_BAD_REQUEST, False),
        ("auth", TurnOutcome.MODEL_AUTH, False),
        ("billing", TurnOutcome.MODEL_AUTH, False),
        ("permission", TurnOutcome.MODEL_AUTH, False),
        ("not_found", TurnOutcome.MODEL_BAD_REQUEST, False),
        ("too_large", TurnOutcome.CONTEXT_OVERFLOW, False),
        ("overflow", TurnOutcome.CONTEXT_OVERFLOW, False),
        ("rate_limit", TurnOutcome.MODEL_RATE_LIMITED, True),
        ("quota", TurnOutcome.MODEL_RATE_LIMITED, False),
        ("server", OVERLOADED, True),
        ("overloaded", OVERLOADED, True),
        ("gateway_page", OVERLOADED, True),
    ],
)
@for_each()
async def test_errors_before_the_stream(
    harness: Harness, problem: Problem, outcome: TurnOutcome, retryable: bool
) -> None:
    harness.script(Declined(problem))

    failure = await failure_of(harness, harness.provider())

    assert (failure.outcome, failure.retryable, failure.shown) == (outcome, retryable, False)
    assert (failure.usage, failure.estimated, failure.partial) == (TokenUsage(), False, None)
    assert failure.message
    assert problem == "gateway_page" or "The service's own words." in failure.message
    assert len(harness.requests) == 1


@pytest.mark.case("C044")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("9999999999", 9999999999.0), ("Fri, 31 Dec 99999 23:59:59 GMT", None), ("-5", None), ("soon", None)],
)
@for_each()
async def test_retry_after_is_handed_on_and_never_slept(harness: Harness, header: str, seconds: float | None) -> None:
    harness.script(Declined("rate_limit", headers={"retry-after": header}))

    failure = await failure_of(harness, harness.provider())

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_RATE_LIMITED, True)
    assert failure.retry_after_s == seconds
    assert len(harness.requests) == 1


@pytest.mark.case("C044")
@for_each()
async def test_a_retry_after_date_is_counted_from_now(harness: Harness) -> None:
    year = datetime.now(UTC).year + 1
    harness.script(Declined("rate_limit", headers={"retry-after": f"Fri, 01 Jan {year} 00:00:00 GMT"}))

    failure = await failure_of(harness, harness.provider())

    left_s = (datetime(year, 1, 1, tzinfo=UTC) - datetime.now(UTC)).total_seconds()
    assert failure.retry_after_s == pytest.approx(left_s, abs=30)


@pytest.mark.case("C076")
@for_each("key")
async def test_the_key_never_shows_in_a_failure(harness: Harness, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    harness.script(Declined("bad_request", message=f"bad header {harness.api_key}"))
    provider = harness.provider()

    failure = await failure_of(harness, provider)

    assert "bad header [key]" in failure.message
    assert harness.api_key not in f"{failure!s} {failure!r} {provider!r} {vars(failure)} {caplog.text}"


@for_each("key")
async def test_a_wrong_key_is_said(harness: Harness) -> None:
    failure = await failure_of(harness, harness.provider(api_key="wrong"))

    assert (failure.outcome, failure.retryable) == (TurnOutcome.MODEL_AUTH, False)
