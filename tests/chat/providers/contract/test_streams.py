"""One streamed message of every provider: what is shown, what is stored, what is counted."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import replace

import pytest

from chat.providers.base import ModelFailure, ModelReply, ReasoningDelta, TextDelta, TokenUsage, UserEntry
from evals.loopback.faults import Break
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import QUESTION, TARGETS, collect, reply, request, results
from tests.chat.providers.contract.harness import Harness, for_each
from tests.chat.providers.contract.script import Answer, Call, Say, Think

LONG = "HER2 is the everyday name of ERBB2, a receptor tyrosine kinase."


@for_each()
async def test_text_is_streamed_as_it_comes_and_ends_with_one_reply(harness: Harness) -> None:
    harness.script(Answer(Say(LONG), strange=True))

    *deltas, last = await collect(harness.provider(), request(harness.models[0]))

    assert len(deltas) > 1
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == LONG
    assert isinstance(last, ModelReply)
    entry = last.entry
    assert (entry.text, entry.stop_reason, last.stop_reason) == (LONG, "end", "end")
    assert (entry.provider, entry.model, entry.context_version) == (harness.name, harness.models[0], "v1")
    assert (entry.tool_calls, entry.interrupted) == ((), False)
    assert entry.raw
    assert entry.usage_raw


@for_each("thinking")
async def test_reasoning_is_shown_before_the_text_and_is_not_part_of_it(harness: Harness) -> None:
    harness.script(Answer(Think("HER2 is a synonym."), Say("ERBB2.")))

    events = await collect(harness.provider(), request(harness.models[0]))

    reasoning = [event.text for event in events if isinstance(event, ReasoningDelta)]
    assert "".join(reasoning) == "HER2 is a synonym."
    last = events[-1]
    assert isinstance(last, ModelReply)
    assert last.entry.text == "ERBB2."
    kinds = [type(event) for event in events]
    assert kinds == sorted(kinds, key=[ReasoningDelta, TextDelta, ModelReply].index)


@for_each()
async def test_parallel_calls_have_ids_of_their_own_and_exact_arguments(harness: Harness) -> None:
    first = {"query": "HER2", "n": 1.5, "big": 12345678901234567890, "nested": {"b": [None, True], "a": "é"}}
    harness.script(Answer(Say("I look."), Call(TARGETS.name, first), Call(TARGETS.name, {"query": "EGFR"})))

    last = await reply(harness.provider(), request(harness.models[0]))

    one, two = last.entry.tool_calls
    assert (one.name, one.arguments, one.problem) == (TARGETS.name, first, "")
    assert (two.name, two.arguments, two.problem) == (TARGETS.name, {"query": "EGFR"}, "")
    assert one.id
    assert two.id
    assert one.id != two.id
    assert list(one.arguments["nested"]) == ["b", "a"]
    assert last.stop_reason == last.entry.stop_reason == "tool_use"


@pytest.mark.case("C056")
@for_each("argument_text")
@pytest.mark.parametrize(
    "sent",
    ['{"query":"BRCA1 AND (olap', '{"query":', '{"query":"BRCA1"}'],
    ids=["in a value", "before a value", "valid by chance"],
)
async def test_a_call_cut_by_the_output_limit_does_not_run_and_the_session_goes_on(harness: Harness, sent: str) -> None:
    harness.script(Answer(Call(TARGETS.name, sent=sent), stop="max_tokens"), Answer(Say("Shorter then.")))
    provider = harness.provider()

    last = await reply(provider, request(harness.models[0]))
    await reply(provider, request(harness.models[0], QUESTION, last.entry, results(last.entry)))

    assert last.stop_reason == "max_tokens"
    assert "cut off by the output limit" in last.entry.tool_calls[0].problem
    assert harness.statuses == [200, 200]


@pytest.mark.case("C056")
@for_each("argument_text")
@pytest.mark.parametrize("sent", ['{"query":"BRCA1 AND (olap', '["BRCA1"]', "3"], ids=["cut", "list", "number"])
async def test_arguments_that_are_no_json_object_do_not_run_and_the_session_goes_on(
    harness: Harness, sent: str
) -> None:
    harness.script(Answer(Call(TARGETS.name, sent=sent)), Answer(Say("Once more.")))
    provider = harness.provider()

    last = await reply(provider, request(harness.models[0]))
    await reply(provider, request(harness.models[0], QUESTION, last.entry, results(last.entry)))

    assert "not a complete JSON object" in last.entry.tool_calls[0].problem
    assert last.entry.tool_calls[0].arguments == {}
    assert harness.statuses == [200, 200]


@pytest.mark.case("C057")
@for_each("refusals")
async def test_a_refusal_is_asked_once_and_the_next_question_leaves_it_out(harness: Harness) -> None:
    harness.script(Answer(stop="refusal"), Answer(Say("Yes.")))
    provider = harness.provider()

    refused = await reply(provider, request(harness.models[0], UserEntry("How is anthrax grown?")))
    assert len(harness.requests) == 1
    entries = (UserEntry("How is anthrax grown?"), refused.entry, QUESTION)
    await reply(provider, request(harness.models[0], *entries))

    assert refused.stop_reason == refused.entry.stop_reason == "refusal"
    assert refused.entry.tool_calls == ()
    assert len(harness.said(harness.requests[1])) == 1
    assert "anthrax" not in harness.requests[1].body.decode()


@pytest.mark.case("C061")
@for_each()
async def test_each_token_is_counted_once_and_in_its_tier(harness: Harness) -> None:
    counts = {"input": 103, "output": 550, "cache_write_5m": 12_304, "cache_write_1h": 701, "cache_read": 2_000}
    usage = TokenUsage(**{tier: count for tier, count in counts.items() if tier in harness.tiers})
    harness.script(Answer(Say("Yes."), usage=usage))

    last = await reply(harness.provider(), request(harness.models[0]))

    assert last.usage == usage


@pytest.mark.case("C062")
@for_each()
async def test_a_cancelled_stream_is_closed_within_a_second_and_leaves_what_had_come(harness: Harness) -> None:
    harness.script(Answer(Say(LONG), Call(TARGETS.name, {"query": "x"}), broken=Break("silence", block=0, deltas=2)))
    provider, shown = harness.provider(), asyncio.Event()

    async def consume() -> None:
        async with aclosing(provider.stream(request(harness.models[0]))) as events:
            async for _ in events:
                shown.set()

    running = asyncio.create_task(consume())
    await asyncio.wait_for(shown.wait(), timeout=5)
    running.cancel()
    cancelled_at = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await harness.requests[0].client_closed() - cancelled_at < 1
    entry, usage = provider.partial()
    assert entry is not None
    assert entry.text
    assert LONG.startswith(entry.text)
    assert (entry.interrupted, entry.tool_calls) == (True, ())
    assert usage.input + usage.cache_write_5m + usage.cache_write_1h + usage.cache_read > 0
    assert usage.output > 0


@pytest.mark.case("C062")
@for_each()
async def test_a_stream_that_its_reader_closes_is_closed_on_the_wire(harness: Harness) -> None:
    harness.script(Answer(Say(LONG), broken=Break("drip", block=0)))

    async with aclosing(harness.provider().stream(request(harness.models[0]))) as events:
        assert isinstance(await anext(events), TextDelta)
    closed_at = time.monotonic()

    assert await harness.requests[0].client_closed() - closed_at < 1


@pytest.mark.case("C062")
@for_each()
async def test_a_stop_before_the_first_event_is_booked_as_an_estimate_of_the_prompt(harness: Harness) -> None:
    harness.script(Answer(Say("Yes."), broken=Break("silence")))
    provider = harness.provider()
    asked = request(harness.models[0], system="Answer from records only. " * 200)
    running = asyncio.create_task(collect(provider, asked))
    sent = await harness.server.request()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await sent.client_closed()
    entry, usage = provider.partial()
    assert entry is None
    assert usage.input > 1000
    assert usage == TokenUsage(input=usage.input)


@for_each()
async def test_before_any_stream_nothing_was_used(harness: Harness) -> None:
    assert harness.provider().partial() == (None, TokenUsage())


@for_each()
async def test_the_worst_case_is_above_what_the_service_counts(harness: Harness) -> None:
    model = harness.models[0]
    harness.script(Answer(Say("Yes. " * 50)))
    provider = harness.provider()
    asked = request(model, UserEntry("Wie heißt das Gen für HER2? " * 300), system="Answer from records only. " * 300)

    ceiling = provider.worst_case(asked)
    used = (await reply(provider, asked)).usage

    prompt, counted = replace(ceiling, output=0), replace(used, output=0)
    assert sum(prompt.as_dict().values()) > sum(counted.as_dict().values()) > 2000
    assert ceiling.output == 1000 > used.output > 0


@for_each("key")
async def test_a_missing_key_is_said_before_any_request(harness: Harness) -> None:
    with pytest.raises(ModelFailure, match=r"set [A-Z]+_API_KEY") as caught:
        harness.provider(api_key=" ")

    assert caught.value.outcome is TurnOutcome.MODEL_AUTH


@for_each("sealed")
async def test_what_is_sealed_is_bound_to_the_account_and_no_key_shows_in_that(harness: Harness) -> None:
    scope, again = harness.provider().replay_scope, harness.provider().replay_scope
    other = harness.provider(api_key="another-key").replay_scope

    assert scope == again != other
    assert not any(key in str(dict(found)) for found in (scope, other) for key in (harness.api_key, "another-key"))


@for_each("effort")
async def test_the_effort_is_sent_and_one_that_the_model_lacks_is_refused_before_any_request(harness: Harness) -> None:
    harness.script(Answer(Say("Yes.")))
    provider, model = harness.provider(), harness.models[0]

    with pytest.raises(ModelFailure, match="has no effort 'extreme'; use one of") as caught:
        await reply(provider, request(model, effort="extreme"))
    assert (caught.value.outcome, harness.statuses) == (TurnOutcome.MODEL_BAD_REQUEST, [])
    await reply(provider, request(model, effort="low"))

    assert harness.effort(harness.requests[0]) == "low"
