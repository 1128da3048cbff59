"""The scripted provider: what a test of the loop may rely on."""

import asyncio
from contextlib import aclosing

import pytest

from chat.providers.base import (
    ModelFailure,
    ModelReply,
    ModelRequest,
    Provider,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    UserEntry,
)
from chat.providers.scripted import Fail, Hold, Reply, ScriptedProvider, call
from mcp_server.codes import TurnOutcome

REQUEST = ModelRequest(
    model="scripted-1",
    system="Answer from records.",
    tools=(),
    entries=(UserEntry("What is HER2?"),),
    context_version="v1",
    max_output_tokens=1000,
)


async def collect(provider: Provider) -> list[object]:
    async with aclosing(provider.stream(REQUEST)) as events:
        return [event async for event in events]


async def test_a_reply_streams_its_reasoning_and_words_and_ends_with_the_whole_message() -> None:
    provider = ScriptedProvider([Reply("HER2 is  ERBB2.", reasoning="A synonym.")])

    *deltas, reply = await collect(provider)

    assert deltas == [ReasoningDelta("A synonym."), TextDelta("HER2 "), TextDelta("is  "), TextDelta("ERBB2.")]
    assert isinstance(reply, ModelReply)
    assert (reply.entry.text, reply.stop_reason, reply.entry.model) == ("HER2 is  ERBB2.", "end", "scripted-1")
    assert reply.usage == TokenUsage(input=9, output=7)
    assert provider.requests == [REQUEST]


async def test_calls_are_numbered_through_the_whole_script() -> None:
    provider = ScriptedProvider(
        [Reply(calls=[call("ensembl__lookup_gene", gene_symbol="ERBB2"), call("think")]), Reply(calls=[call("think")])]
    )

    first, second = (await collect(provider))[-1], (await collect(provider))[-1]

    assert isinstance(first, ModelReply)
    assert isinstance(second, ModelReply)
    assert [item.id for item in first.entry.tool_calls] == ["call_1", "call_2"]
    assert first.entry.tool_calls[0].arguments == {"gene_symbol": "ERBB2"}
    assert [item.id for item in second.entry.tool_calls] == ["call_3"]
    assert first.stop_reason == "tool_use"


async def test_a_step_may_be_made_from_the_request() -> None:
    provider = ScriptedProvider([lambda request: Reply(f"{len(request.entries)} entry")])

    reply = (await collect(provider))[-1]

    assert isinstance(reply, ModelReply)
    assert reply.entry.text == "1 entry"


async def test_a_failure_brings_the_text_that_was_shown() -> None:
    provider = ScriptedProvider([Fail(TurnOutcome.MODEL_OVERLOADED, after="HER2 is", retryable=True)])

    with pytest.raises(ModelFailure) as caught:
        await collect(provider)

    failure = caught.value
    assert (failure.outcome, failure.retryable, failure.shown) == (TurnOutcome.MODEL_OVERLOADED, True, True)
    assert failure.partial is not None
    assert (failure.partial.text, failure.partial.interrupted) == ("HER2 is", True)
    assert provider.open_streams == 0


async def test_a_hold_waits_for_its_event_and_goes_on_with_the_next_step() -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    provider = ScriptedProvider([hold, Reply("is ERBB2.")])
    running = asyncio.create_task(collect(provider))

    await asyncio.wait_for(hold.reached.wait(), timeout=5)
    assert provider.open_streams == 1
    hold.event.set()
    reply = (await asyncio.wait_for(running, timeout=5))[-1]

    assert isinstance(reply, ModelReply)
    assert reply.entry.text == "HER2 is ERBB2."


async def test_a_cancelled_stream_is_closed_and_leaves_its_partial_message() -> None:
    hold = Hold(asyncio.Event(), after="HER2 is")
    provider = ScriptedProvider([hold])
    running = asyncio.create_task(collect(provider))
    await asyncio.wait_for(hold.reached.wait(), timeout=5)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    entry, usage = provider.partial()
    assert entry is not None
    assert (entry.text, entry.interrupted) == ("HER2 is", True)
    assert usage == TokenUsage(input=9, output=2)
    assert provider.open_streams == 0


async def test_a_used_up_script_says_so() -> None:
    with pytest.raises(AssertionError, match="used up after 1 requests"):
        await collect(ScriptedProvider([]))
