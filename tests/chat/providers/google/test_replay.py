"""What goes back to Google's models over a session: what they signed, or its projection where that is not taken."""

from dataclasses import replace
from typing import Any

import pytest

from chat.providers.base import ModelFailure, ModelNotice, ModelReply, TextDelta, UserEntry
from chat.providers.google import GoogleProvider
from chat.providers.google_progress import usage_by_tier
from chat.providers.google_wire import UNSIGNED
from mcp_server.codes import TurnOutcome
from tests.chat.providers.contract.conversation import QUESTION, TARGETS, Conversation, collect, reply, results, turn_of
from tests.chat.providers.contract.harnesses.google import GoogleHarness
from tests.chat.providers.google.conftest import Make, asked
from tests.strict_generate import FunctionCall, Reply, StrictGenerate, Text

Json = Any
CALL = FunctionCall(TARGETS.name, {"query": "HER2"})


@pytest.mark.case("C053")
async def test_signatures_that_the_service_no_longer_takes_are_left_out_and_a_reader_is_told(
    make: Make, strict_generate: StrictGenerate
) -> None:
    """The account's key was exchanged for another one; the session goes on from its text."""
    strict_generate.accept_key("other-key")
    strict_generate.script(Reply(CALL), Reply(Text("ERBB2.")), Reply(CALL), Reply(Text("Yes.")))
    first = await reply(make(strict_generate), asked())
    provider, entries = make(strict_generate, api_key="other-key"), [QUESTION, first.entry, results(first.entry)]

    notice, *deltas, last = await collect(provider, asked(*entries))
    assert isinstance(last, ModelReply)
    entries += [last.entry, UserEntry("And EGFR?")]
    again = await reply(provider, asked(*entries))
    await reply(provider, asked(*entries, again.entry, results(again.entry)))

    assert isinstance(notice, ModelNotice)
    assert deltas == [TextDelta("ERBB2.")]
    assert last.entry.starts_afresh
    requests = strict_generate.requests
    assert [request.status for request in requests] == [200, 400, 200, 200, 200]
    assert "Corrupted thought signature" in requests[1].error
    assert requests[2].json["contents"][1]["parts"][0]["thoughtSignature"] == UNSIGNED
    # What came since then goes back as it came.
    assert requests[4].json["contents"][3]["parts"] == [*last.entry.raw]
    assert last.usage.input > 0


async def test_an_ending_for_missing_signatures_starts_afresh_too_and_is_paid(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(CALL), Reply(finish="MISSING_THOUGHT_SIGNATURE"), Reply(Text("ERBB2.")))
    first = await reply(provider, asked())

    notice, delta, last = await collect(provider, asked(QUESTION, first.entry, results(first.entry)))

    assert isinstance(notice, ModelNotice)
    assert isinstance(last, ModelReply)
    assert (delta, last.entry.starts_afresh) == (TextDelta("ERBB2."), True)
    once = usage_by_tier(last.entry.usage_raw)
    assert last.usage.input + last.usage.cache_read > 1.5 * (once.input + once.cache_read)


async def test_nothing_starts_afresh_once_a_reader_has_seen_a_part_of_it(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    strict_generate.script(Reply(CALL), Reply(Text("HER2 is"), finish="MISSING_THOUGHT_SIGNATURE"))
    first = await reply(provider, asked())

    with pytest.raises(ModelFailure) as caught:
        await collect(provider, asked(QUESTION, first.entry, results(first.entry)))

    assert (caught.value.outcome, caught.value.shown) == (TurnOutcome.MODEL_BAD_REQUEST, True)
    assert len(strict_generate.requests) == 2


async def test_a_message_that_the_sdk_does_not_take_back_starts_afresh_before_any_request(
    provider: GoogleProvider, strict_generate: StrictGenerate
) -> None:
    """It was stored by a newer release, with a field that this one refuses."""
    strict_generate.script(Reply(CALL), Reply(Text("ERBB2.")))
    first = await reply(provider, asked())
    newer = replace(first.entry, raw=tuple({**part, "future": 1} for part in first.entry.raw))

    last = (await collect(provider, asked(QUESTION, newer, results(newer))))[-1]

    assert isinstance(last, ModelReply)
    assert last.entry.starts_afresh
    assert [request.status for request in strict_generate.requests] == [200, 200]


async def test_a_long_session_is_read_from_the_cache() -> None:
    async with GoogleHarness() as harness:
        harness.script(*turn_of(0), *turn_of(1))
        provider, conversation = harness.provider(), Conversation()
        long = "Answer from records only. " * 2000

        said = await conversation.turn(harness, provider, "Question 0?", system=long)
        said += await conversation.turn(harness, provider, "Question 1?", system=long)

    usages = [usage_by_tier(entry.usage_raw) for entry in said]
    # The found tool joins the list before everything else: one call reads nothing from the cache.
    assert [usage.cache_read > 0 for usage in usages] == [False, False, True, True, True, True]


@pytest.mark.parametrize("finished", [1, 2])
async def test_a_turn_whose_context_changes_on_the_way_goes_on_unsigned(finished: int) -> None:
    """Older results were exchanged for references: what was signed before belongs to another context."""
    async with GoogleHarness() as harness:
        harness.script(*turn_of(0)[:finished], *turn_of(1)[2:])
        provider, model = harness.provider(), harness.models[0]
        entries: list[Any] = [UserEntry("Question 0?")]
        for _ in range(finished):
            said = await reply(provider, asked(*entries, context_version="v1"))
            entries += [said.entry, results(said.entry)]

        last = await reply(provider, asked(*entries, context_version="v1-1"))

        assert (last.entry.text, model) == ("Answer 1.", last.entry.model)
        assert harness.statuses == [200] * (finished + 1)
        assert harness.requests[-1].body.decode().count(UNSIGNED) == finished
