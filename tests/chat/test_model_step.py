"""Model calls that fail: tried again while nothing was shown, booked each time, told to whoever waits."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from chat.events import Notice, Text, Usage
from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.scripted import Fail, call
from chat.providers.scripted import Reply as Said
from chat.stopping import StopSignal
from evals.strict_messages import Break, Failure, Reply, StrictMessages, ToolUse
from evals.strict_messages import Text as Streamed
from mcp_server.codes import TurnOutcome
from tests.chat.loop_kit import Clock, Run, kinds
from tests.strict_messages.fixture import strict_messages as strict_messages

SONNET = "claude-sonnet-5-5"
BUSY = Fail(TurnOutcome.MODEL_OVERLOADED, retryable=True)


def patient(*steps: Any, **settings: Any) -> tuple[Run, Clock]:
    """Return a run whose pauses take no time."""
    clock = Clock()
    return Run.of(*steps, stop=clock.stop_signal(), clock=clock, **settings), clock


async def test_an_overloaded_service_is_asked_again_and_the_wait_is_told_and_counted_apart() -> None:
    run, clock = patient(BUSY, BUSY, Said("HER2 is ERBB2."))
    end = await run.play()
    assert (end.outcome, clock.pauses) == ("completed", [1.5, 2.5])
    assert (end.waited_s, end.seconds) == (4.0, 4.0)
    notices = run.of_type(Notice)
    assert [notice.code for notice in notices] == ["model_retry"] * 2
    assert notices[0].message == "The model's service is overloaded: trying again in 2 s (2 of 4)."
    assert notices[1].detail == {
        "outcome": "model_overloaded", "cause": "scripted failure", "wait_s": 2.5, "attempt": 3, "attempts": 4
    }  # fmt: skip
    assert kinds(run.transcript.entries) == ["User", "Assistant"]


async def test_every_attempt_is_booked_before_the_next_one_is_reserved() -> None:
    run, _ = patient(BUSY, Said(calls=[call("gene")]), BUSY, Said("Done."))
    end = await run.play()
    assert [outcome for _, outcome, _ in run.ledger.settled] == [
        "model_overloaded", "tool_use", "model_overloaded", "end"
    ]  # fmt: skip
    assert [usage.step for usage in run.of_type(Usage)] == [1, 1, 2, 2]
    assert end.turn_cost_pico_usd == sum(cost for cost, _, _ in run.ledger.settled)
    assert run.ledger.open == {}


async def test_once_something_was_shown_the_turn_ends_with_what_there_is() -> None:
    run, clock = patient(Fail(TurnOutcome.MODEL_OVERLOADED, after="HER2 is ", retryable=True), Said("never"))
    end = await run.play()
    assert (end.outcome, end.offers, clock.pauses) == ("model_overloaded", ["continue", "other_model"], [])
    assert "".join(event.text for event in run.of_type(Text)) == "HER2 is "
    assert len(run.provider.requests) == 1


async def test_a_service_that_stays_away_ends_the_turn_after_the_last_attempt() -> None:
    run, clock = patient(*[BUSY] * 4, Said("never"))
    end = await run.play()
    assert (end.outcome, len(run.provider.requests), len(clock.pauses)) == ("model_overloaded", 4, 3)
    assert run.ledger.open == {}


async def test_a_wait_longer_than_the_turn_is_not_begun() -> None:
    limited = Fail(TurnOutcome.MODEL_RATE_LIMITED, retryable=True, retry_after_s=30)
    run, clock = patient(BUSY, limited, Said("never"), timeout_s=32.0)
    end = await run.play()
    assert (end.outcome, clock.pauses) == ("model_rate_limited", [1.5])


class Watched(StopSignal):
    """A signal that tells when a pause has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Event()

    async def pause(self, seconds: float) -> None:
        self.waiting.set()
        await super().pause(seconds)


async def test_a_stop_ends_the_wait_at_once() -> None:
    stop = Watched()
    run = Run.of(BUSY, Said("never"), stop=stop)
    end = await run.play_and(stop.waiting, lambda: stop.give(TurnOutcome.ABORTED_BY_USER))
    assert (end.outcome, len(run.provider.requests)) == ("aborted_by_user", 1)
    assert end.waited_s < 1.0
    assert run.ledger.open == {}


async def test_a_pause_lasts_as_long_as_it_was_given_and_ends_nothing() -> None:
    stop, loop = StopSignal(), asyncio.get_running_loop()
    began = loop.time()
    async with asyncio.timeout(5):
        await stop.pause(0.05)
    assert loop.time() - began >= 0.049
    assert stop.outcome is None


# --- the real SDK against the strict server ------------------------------------------------------


@pytest.fixture
async def provider(strict_messages: StrictMessages) -> AsyncIterator[AnthropicProvider]:
    """Give a provider on the strict server."""
    provider = AnthropicProvider(
        AnthropicModel(SONNET), api_key=strict_messages.api_key, base_url=strict_messages.base_url
    )
    yield provider
    await provider.aclose()


def strict(provider: AnthropicProvider, **settings: Any) -> tuple[Run, Clock]:
    """Return a run on the strict server whose pauses take no time."""
    clock = Clock()
    return Run.with_provider(provider, model=SONNET, stop=clock.stop_signal(), clock=clock, **settings), clock


async def test_the_sdk_itself_never_retries_and_retry_after_is_kept(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    limited = Failure(429, "rate_limit_error", headers={"retry-after": "7"})
    strict_messages.script(limited, Failure(529, "overloaded_error"), Reply(Streamed("Done.")))
    run, clock = strict(provider)
    end = await run.play()
    assert (end.outcome, clock.pauses) == ("completed", [7.5, 2.5])
    assert [request.status for request in strict_messages.requests] == [429, 529, 200]
    assert [(cost, estimated) for cost, _, estimated in run.ledger.settled][:2] == [(0, False)] * 2


async def test_an_hour_of_retry_after_is_not_slept(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Failure(429, "rate_limit_error", headers={"retry-after": "3600"}), Reply(Streamed("No.")))
    run, clock = strict(provider)
    end = await run.play()
    assert (end.outcome, clock.pauses, len(strict_messages.requests)) == ("model_rate_limited", [], 1)


@pytest.mark.case("C055")
@pytest.mark.parametrize("how", ["error", "close", "cut"])
async def test_a_stream_that_breaks_before_anything_was_shown_is_asked_again(
    provider: AnthropicProvider, strict_messages: StrictMessages, how: Any
) -> None:
    strict_messages.script(
        Reply(Streamed("never"), broken=Break(how)),
        Reply(ToolUse("gene", {"n": 1}), broken=Break(how, 0)),
        Reply(Streamed("Done.")),
    )
    run, clock = strict(provider)
    end = await run.play()
    assert (end.outcome, len(clock.pauses), run.tools.calls) == ("completed", 2, [])
    assert "".join(event.text for event in run.of_type(Text)) == "Done."
    assert [outcome for _, outcome, _ in run.ledger.settled][2] == "end"
    assert run.ledger.settled[1][2], "what the cut message had used can only be estimated"


@pytest.mark.case("C055")
async def test_a_stream_that_breaks_after_text_was_shown_is_not_asked_again(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(
        Reply(Streamed("HER2 is ERBB2."), broken=Break("error", 0)), Reply(Streamed("It is a receptor."))
    )
    run, clock = strict(provider)
    end = await run.play()
    again = Run.with_provider(provider, model=SONNET, history=tuple(run.transcript.entries))
    after = await again.play("Continue.")
    assert (end.outcome, clock.pauses) == ("model_overloaded", [])
    assert (after.outcome, [request.status for request in strict_messages.requests]) == ("completed", [200, 200])


@pytest.mark.case("C057")
@pytest.mark.parametrize("said", ["", "As a"], ids=["before any output", "in the middle"])
async def test_a_refusal_is_asked_exactly_once_and_offers_another_model(
    provider: AnthropicProvider, strict_messages: StrictMessages, said: str
) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "Declined."}
    content = [Streamed(said)] if said else []
    strict_messages.script(
        Reply(*content, stop_reason="refusal", stop_details=details), Reply(Streamed("HER2 is ERBB2."))
    )
    run, clock = strict(provider)
    end = await run.play()
    assert (end.outcome, end.offers, len(strict_messages.requests)) == ("refused", ["other_model"], 1)
    assert clock.pauses == []
    again = Run.with_provider(provider, model=SONNET, history=tuple(run.transcript.entries))
    assert (await again.play("What is ERBB2?")).outcome == "completed"
    question = {"type": "text", "text": "What is ERBB2?"}
    assert strict_messages.requests[1].messages == [{"role": "user", "content": [question]}]
