"""Sessions with every provider: each request extends the one before it, and broken histories are accepted."""

from dataclasses import replace

import pytest

from chat.providers.base import AssistantEntry, Entry, ToolCall, ToolResult, ToolResultsEntry, UserEntry
from tests.chat.providers.contract.conversation import (
    FOUND,
    QUESTION,
    SEARCH,
    TARGETS,
    TRIALS,
    Conversation,
    reply,
    request,
    results,
    turn_of,
)
from tests.chat.providers.contract.harness import Harness, for_each
from tests.chat.providers.contract.script import Answer, Call, Say, Think


@pytest.mark.case("C060")
@pytest.mark.parametrize("turns", [2, 10])
@for_each()
async def test_each_request_extends_the_one_before_it(harness: Harness, turns: int) -> None:
    conversation, provider = Conversation(), harness.provider()
    for number in range(turns):
        harness.script(*turn_of(number))
        await conversation.turn(harness, provider, f"Question {number}?")

    assert harness.statuses == [200] * (3 * turns)
    for earlier, later in zip(harness.requests, harness.requests[1:], strict=False):
        before, after = harness.said(earlier), harness.said(later)
        assert after[: len(before)] == before
        assert len(after) > len(before)
        assert harness.system(earlier) == harness.system(later)
        names = harness.offered(earlier)
        assert harness.offered(later)[: len(names)] == names


@for_each()
async def test_a_deferred_tool_is_offered_once_it_was_found_and_stays_so(harness: Harness) -> None:
    harness.script(*turn_of(0), *turn_of(1))
    conversation, provider = Conversation(), harness.provider()

    await conversation.turn(harness, provider, "Question 0?")
    await conversation.turn(harness, provider, "Question 1?")

    loaded = [TARGETS.name, SEARCH.name]
    assert harness.offered(harness.requests[0]) == loaded
    assert [harness.offered(asked) for asked in harness.requests[1:]] == [[*loaded, TRIALS.name]] * 5


@for_each("sealed")
async def test_sealed_reasoning_goes_back_as_it_came(harness: Harness) -> None:
    harness.script(*turn_of(0))

    said = await Conversation().turn(harness, harness.provider(), "Question 0?")

    seals = [seal for entry in said[:2] for seal in harness.sealed(entry)]
    assert len(seals) == 2
    body = harness.requests[2].body.decode()
    assert all(seal in body for seal in seals)


@pytest.mark.case("C053")
@for_each("sealed")
@pytest.mark.parametrize("change", ["context", "model"])
async def test_under_another_context_or_model_it_stays_away_and_text_and_results_remain(
    harness: Harness, change: str
) -> None:
    harness.script(*turn_of(0), *turn_of(1), *turn_of(2))
    conversation, provider = Conversation(), harness.provider()
    said = await conversation.turn(harness, provider, "Question 0?")
    seals = [seal for entry in said for seal in harness.sealed(entry)]

    if change == "context":
        await conversation.turn(harness, provider, "Question 1?", context_version="v2", system="Answer briefly.")
    else:
        other = harness.models[1]
        await conversation.turn(harness, harness.provider(model=other), "Question 1?", model=other)
    await conversation.turn(harness, provider, "Question 2?")

    assert harness.statuses == [200] * 9
    changed, back = (harness.requests[n].body.decode() for n in (3, 8))
    assert seals
    assert not any(seal in changed for seal in seals)
    for kept in ("Question 0?", "I look.", "Answer 0.", "ENSG00000141736"):
        assert kept in changed
    assert all(seal in back for seal in seals)


@pytest.mark.case("C051")
@pytest.mark.parametrize("finished", [0, 1, 2], ids=["none", "one", "two"])
@for_each()
async def test_a_stop_among_three_calls_leaves_a_session_that_goes_on(harness: Harness, finished: int) -> None:
    calls = [Call(TARGETS.name, {"query": f"gene {n}"}) for n in range(3)]
    harness.script(Answer(Think("All."), *calls), Answer(Say("Going on.")))
    provider, model = harness.provider(), harness.models[0]
    entry = (await reply(provider, request(model))).entry
    stored = [ToolResultsEntry(results(entry).results[:finished])] if finished else []

    last = await reply(provider, request(model, QUESTION, entry, *stored, UserEntry("Go on.")))

    assert last.entry.text == "Going on."
    assert harness.requests[1].body.decode().count("was not run") == 3 - finished


@pytest.mark.case("C051")
@for_each()
async def test_a_history_that_was_stored_broken_is_accepted(harness: Harness) -> None:
    """Results without a call, a result twice, a call whose id another provider gave out, neighbours of one role."""
    model = harness.models[0]
    foreign = AssistantEntry("", (ToolCall("call.1 ü", "no such tool!", {"a": 1}),), provider="planner")
    result = ToolResult("call.1 ü", "no such tool!", "noted")
    entries: list[Entry] = [
        ToolResultsEntry((ToolResult("lost", TARGETS.name, "of nothing"),)),
        UserEntry("Hi."),
        UserEntry("Hi again."),
        foreign,
        ToolResultsEntry((result, result)),
        replace(foreign, text="Again."),
        ToolResultsEntry((result,)),
        AssistantEntry("Half an answer", interrupted=True),
        AssistantEntry("and another.", interrupted=True),
        QUESTION,
    ]
    harness.script(Answer(Say("Yes.")))

    last = await reply(harness.provider(), request(model, *entries))

    assert (last.entry.text, harness.statuses) == ("Yes.", [200])


@pytest.mark.case("C054")
@pytest.mark.parametrize("blank", ["", "\n\n"], ids=["empty", "line breaks"])
@for_each()
async def test_blank_text_never_goes_out(harness: Harness, blank: str) -> None:
    model = harness.models[0]
    silent = AssistantEntry(blank, (ToolCall("call_1", TARGETS.name, {"query": "x"}),), provider="other")
    entries = (
        UserEntry(blank),
        QUESTION,
        silent,
        ToolResultsEntry((ToolResult("call_1", TARGETS.name, blank),)),
        AssistantEntry(blank, provider="other"),
        UserEntry("Well?"),
    )
    harness.script(Answer(Say(blank), Call(TARGETS.name, {"query": "x"})), Answer(Say("Yes.")))
    provider = harness.provider()

    first = await reply(provider, request(model, *entries, system=blank))
    await reply(provider, request(model, *entries, first.entry, results(first.entry), system=blank))

    assert harness.statuses == [200, 200]


@for_each()
async def test_results_are_read_as_they_were_stored(harness: Harness) -> None:
    harness.script(Answer(Call(TARGETS.name, {"query": "HER2"})), Answer(Say("Yes.")))
    conversation, provider = Conversation(), harness.provider()

    await conversation.turn(harness, provider, "Question?")

    said = "\n".join(harness.said(harness.requests[1]))
    assert all(line in said for line in FOUND.splitlines())


@for_each("key", "sealed")
async def test_what_a_message_is_bound_to_tells_accounts_apart_and_shows_no_key(harness: Harness) -> None:
    one, again, other = (harness.provider(api_key=key).replay_scope for key in ("key-one", "key-one", "key-two"))

    assert one == again != other
    assert "key-one" not in str(one)
