"""Sessions over several turns: every request extends the one before it, and is accepted."""

import json
from dataclasses import replace
from typing import Any

import pytest

from chat.providers.anthropic import AnthropicProvider
from chat.providers.base import (
    AssistantEntry,
    ModelFailure,
    ModelNotice,
    ModelReply,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from evals.strict_messages import Break, Redacted, Reply, ServerToolUse, StrictMessages, Text, Thinking, ToolUse
from tests.chat.providers.anthropic.conftest import (
    SEARCH,
    TARGETS,
    TRIALS,
    Conversation,
    collect,
    reply,
    request,
)

Json = Any
SYSTEM = "Answer from records only. " * 200


def turn_of(number: int) -> list[Reply]:
    """Return the replies of one turn: a search, two parallel calls, an answer."""
    return [
        Reply(Thinking(f"{number}: find a tool."), ToolUse(SEARCH.name, {"query": "trials"})),
        Reply(
            Thinking(f"{number}: both at once."),
            Text("I look."),
            ToolUse(TRIALS.name, {"query": f"HER2 {number}"}),
            ToolUse(TARGETS.name, {"query": "ERBB2", "n": 1}),
        ),
        Reply(Redacted(), Text(f"Answer {number}.")),
    ]


def answer(entry: AssistantEntry) -> ToolResultsEntry:
    """Answer searches with a reference, and all else with text."""
    return ToolResultsEntry(
        tuple(
            ToolResult(call.id, call.name, f"result of {call.id}", tool_references=(TRIALS.name,))
            if call.name == SEARCH.name
            else ToolResult(call.id, call.name, "[fetched_at: 2026-11-30T12:00:00Z]\nfound")
            for call in entry.tool_calls
        )
    )


def blocks(messages: list[Json]) -> list[str]:
    """Return each block of a conversation with its role, as bytes would show it."""
    return [json.dumps([message["role"], block]) for message in messages for block in message["content"]]


@pytest.mark.case("C060")
@pytest.mark.parametrize("turns", [2, 10])
async def test_each_request_extends_the_one_before_it(
    provider: AnthropicProvider, strict_messages: StrictMessages, turns: int
) -> None:
    conversation = Conversation(provider, request(system=SYSTEM))
    for number in range(turns):
        strict_messages.script(*turn_of(number))
        await conversation.turn(f"Question {number}?", answer)

    requests = strict_messages.requests
    assert [sent.status for sent in requests] == [200] * (3 * turns)
    for earlier, later in zip(requests, requests[1:], strict=False):
        before, after = blocks(earlier.messages), blocks(later.messages)
        assert after[: len(before)] == before
        assert len(after) > len(before)
        for part in ("system", "tools", "thinking"):
            assert json.dumps(earlier.json[part]) == json.dumps(later.json[part])


async def test_from_the_second_call_on_the_prefix_is_read_from_the_cache(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    conversation = Conversation(provider, request(system=SYSTEM))
    for number in range(3):
        strict_messages.script(*turn_of(number))
        await conversation.turn(f"Question {number}?", answer)

    for earlier, later in zip(strict_messages.requests, strict_messages.requests[1:], strict=False):
        written = earlier.usage["cache_creation_input_tokens"] + earlier.usage["cache_read_input_tokens"]
        assert later.usage["cache_read_input_tokens"] == written
        assert later.usage["input_tokens"] == 0
        assert later.usage["cache_creation"]["ephemeral_1h_input_tokens"] == 0


async def test_twelve_parallel_calls_do_not_lose_the_cache(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    wide = [ToolUse(TARGETS.name, {"query": f"gene {n}"}) for n in range(12)]
    strict_messages.script(Reply(Thinking("All."), *wide), Reply(Thinking("Again."), *wide), Reply(Text("Done.")))

    await Conversation(provider, request(system=SYSTEM)).turn("Twelve genes?")

    first, second, third = (sent.usage for sent in strict_messages.requests)
    assert second["cache_read_input_tokens"] == first["cache_creation_input_tokens"]
    assert third["cache_read_input_tokens"] == (
        second["cache_read_input_tokens"] + second["cache_creation_input_tokens"]
    )


async def test_at_most_four_cache_marks_however_long_the_session(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    conversation = Conversation(provider)
    for number in range(3):
        strict_messages.script(*turn_of(number))
        await conversation.turn(f"Question {number}?", answer)

    counts = [sent.body.count(b'"cache_control"') for sent in strict_messages.requests]
    assert counts == [3] + [4] * 8


@pytest.mark.case("C053")
@pytest.mark.parametrize(
    "changes",
    [{"system": "Answer briefly."}, {"tools": (TARGETS, SEARCH)}],
    ids=["prompt", "catalogue"],
)
async def test_a_new_context_goes_on_without_the_old_thinking(
    provider: AnthropicProvider, strict_messages: StrictMessages, changes: Json
) -> None:
    conversation = Conversation(provider)
    strict_messages.script(*turn_of(0))
    await conversation.turn("Question 0?", answer)

    conversation.asked = request(context_version="v2", **changes)
    strict_messages.script(Reply(Thinking("New."), ToolUse(TARGETS.name, {"query": "x"})), Reply(Text("Done.")))
    await conversation.turn("Question 1?")

    assert [sent.status for sent in strict_messages.requests] == [200] * 5
    sent = [block for message in strict_messages.requests[-1].messages for block in message["content"]]
    assert [block["thinking"] for block in sent if block["type"] == "thinking"] == ["New."]
    assert "Answer 0." in [block.get("text") for block in sent]


@pytest.mark.case("C053")
async def test_the_server_would_have_refused_the_old_thinking(
    provider: AnthropicProvider, strict_messages: StrictMessages, caplog: pytest.LogCaptureFixture
) -> None:
    """The same change under the old version: the service says no, and the turn goes on from the projection."""
    conversation = Conversation(provider)
    strict_messages.script(*turn_of(0))
    await conversation.turn("Question 0?", answer)

    conversation.asked = request(system="Answer briefly.")
    strict_messages.script(Reply(Thinking("New."), ToolUse(TARGETS.name, {"query": "x"})), Reply(Text("Done.")))
    last = await conversation.turn("Question 1?")

    assert last.entry.text == "Done."
    assert [sent.status for sent in strict_messages.requests] == [200, 200, 200, 400, 200, 200]
    assert "bound to a different conversation" in strict_messages.requests[3].error
    assert "context v1 was refused and starts afresh" in caplog.text
    starts = [entry.starts_afresh for entry in conversation.entries if isinstance(entry, AssistantEntry)]
    assert starts == [False] * 3 + [True, False]


async def test_a_request_that_is_wrong_in_itself_is_not_sent_twice(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    provider.model = replace(provider.model, effort_levels=("extreme",))
    with pytest.raises(ModelFailure, match="is not supported"):
        await reply(provider, request(effort="extreme"))

    assert [sent.status for sent in strict_messages.requests] == [400]


async def test_a_fresh_start_is_said_before_any_text(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    conversation = Conversation(provider)
    strict_messages.script(*turn_of(0), Reply(Text("Done.")))
    await conversation.turn("Question 0?", answer)
    strict_messages.accept_key(strict_messages.api_key)

    entries = (*conversation.entries, UserEntry("Question 1?"))
    events = await collect(provider, request(*entries))

    assert [type(event) for event in events] == [ModelNotice, TextDelta, ModelReply]
    assert isinstance(events[0], ModelNotice)
    assert events[0].code == "context_degraded"


async def test_going_back_to_an_earlier_context_replays_its_thinking_again(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    conversation = Conversation(provider)
    for version, system in (("v1", "One."), ("v2", "Two."), ("v1", "One."), ("v2", "Two.")):
        conversation.asked = request(context_version=version, system=system)
        strict_messages.script(*turn_of(0))
        await conversation.turn("Question?", answer)

    assert {sent.status for sent in strict_messages.requests} == {200}
    kinds = [block["type"] for message in strict_messages.requests[-1].messages for block in message["content"]]
    assert kinds.count("thinking") == 2 + 2


@pytest.mark.case("C051")
@pytest.mark.parametrize("finished", [0, 1, 2], ids=["none", "one", "two"])
async def test_a_stop_among_three_calls_leaves_a_session_that_goes_on(
    provider: AnthropicProvider, strict_messages: StrictMessages, finished: int
) -> None:
    calls = [ToolUse(TARGETS.name, {"query": f"gene {n}"}) for n in range(3)]
    strict_messages.script(Reply(Thinking("All."), *calls), Reply(Text("Going on.")))
    question = UserEntry("Three genes?")
    entry = (await reply(provider, request(question))).entry
    stored = [ToolResultsEntry(answer(entry).results[:finished])] if finished else []

    last = await reply(provider, request(question, entry, *stored, UserEntry("Go on.")))

    assert last.entry.text == "Going on."
    *sent, follow_up = strict_messages.requests[1].messages[-1]["content"]
    assert [block.get("is_error", False) for block in sent] == [False] * finished + [True] * (3 - finished)
    assert "was not run" in sent[-1]["content"]
    assert follow_up == {"type": "text", "text": "Go on."}


@pytest.mark.case("C052")
@pytest.mark.parametrize("deltas", [0, 1, 2], ids=["at its start", "in its text", "before its signature"])
async def test_a_stream_that_broke_while_thinking_leaves_a_session_that_goes_on(
    provider: AnthropicProvider, strict_messages: StrictMessages, deltas: int
) -> None:
    broken = Reply(
        Thinking("Whole."), Text("HER2 is"), Thinking("Broken off"), broken=Break("close", block=2, deltas=deltas)
    )
    strict_messages.script(broken, Reply(Thinking("New."), Text("ERBB2.")), Reply(Text("Yes.")))
    conversation = Conversation(provider)
    with pytest.raises(Exception, match="ended before"):
        await conversation.turn("What is HER2?")
    entry, _ = provider.partial()
    assert entry is not None
    assert [block["type"] for block in entry.raw] == ["thinking", "text"]
    conversation.entries.append(entry)

    await conversation.turn("Go on.")
    await conversation.turn("Really?")

    assert [sent.status for sent in strict_messages.requests] == [200, 200, 200]


@pytest.mark.case("C052")
async def test_a_partial_message_of_nothing_but_thinking_is_not_stored(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(Reply(Thinking("Whole."), ToolUse("think"), broken=Break("close", block=1)))

    with pytest.raises(Exception, match="ended before"):
        await reply(provider, request())

    assert provider.partial()[0] is None


@pytest.mark.case("C054")
@pytest.mark.parametrize("blank", ["", "\n\n"], ids=["empty", "line breaks"])
async def test_blank_text_that_the_service_sent_does_not_go_back(
    provider: AnthropicProvider, strict_messages: StrictMessages, blank: str
) -> None:
    strict_messages.script(
        Reply(Thinking("One."), Text(blank), Thinking("Two."), ToolUse(TARGETS.name, {"query": "x"})),
        Reply(Text(blank)),
        Reply(Text("Yes.")),
    )
    conversation = Conversation(provider)

    await conversation.turn("What is HER2?")
    await conversation.turn("Well?")

    assert [sent.status for sent in strict_messages.requests] == [200, 200, 200]


async def test_a_session_that_began_with_another_provider_goes_on(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    planner = AssistantEntry("", (ToolCall("call.1", "think", {"a": 1}),), provider="planner")
    found = ToolResultsEntry((ToolResult("call.1", "think", "noted"),))
    conversation = Conversation(
        provider, entries=[UserEntry("Hi."), planner, found, replace(planner, text="Again."), found]
    )
    strict_messages.script(*turn_of(0))

    await conversation.turn("Question?", answer)

    assert [sent.status for sent in strict_messages.requests] == [200, 200, 200]


async def test_a_paused_reply_is_sent_back_as_it_is(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(
        Reply(Thinking("Wait."), ServerToolUse("web_search", {"query": "HER2"}), stop_reason="pause_turn"),
        Reply(Text("ERBB2.")),
    )
    question = UserEntry("What is HER2?")

    paused = await reply(provider, request(question))
    last = await reply(provider, request(question, paused.entry))

    assert (paused.stop_reason, last.entry.text) == ("pause", "ERBB2.")
    assert strict_messages.requests[1].messages[1]["content"] == [*paused.entry.raw]


async def test_tools_that_the_service_would_refuse_are_left_out_and_logged_once(
    provider: AnthropicProvider, strict_messages: StrictMessages, caplog: pytest.LogCaptureFixture
) -> None:
    bad = replace(TARGETS, name="open-targets.search")
    strict_messages.script(Reply(Text("Yes.")), Reply(Text("Yes.")))

    for _ in range(2):
        await reply(provider, request(tools=(bad, TARGETS)))

    assert [tool["name"] for tool in strict_messages.requests[1].json["tools"]] == [TARGETS.name]
    assert caplog.text.count("name 'open-targets.search' must be") == 1
