"""A conversation that would outgrow the model's window goes on with references, under a new context version."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from chat.context import build_prefix, build_request
from chat.events import Notice
from chat.providers.anthropic import AnthropicModel, AnthropicProvider
from chat.providers.base import (
    AssistantEntry,
    Entry,
    ExchangeEntry,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.history import active_tools
from chat.providers.scripted import Reply as Said
from chat.providers.scripted import call
from chat.transcript import from_json, kind_of, to_json
from chat.window import Window, as_sent, exchange
from evals.strict_messages import Failure, Reply, StrictMessages, Text, Thinking, ToolUse
from tests.chat.loop_kit import Run, kinds
from tests.chat.test_step_size import rows
from tests.strict_messages.fixture import strict_messages as strict_messages

Json = Any
SONNET = "claude-sonnet-5-5"
PREFIX = build_prefix([], model="m", effort="")


def result(number: int, text: str, **facts: Any) -> Entry:
    return ToolResultsEntry((ToolResult(f"c{number}", "gene", text, **facts),))


def asked(number: int) -> Entry:
    return AssistantEntry("", (ToolCall(f"c{number}", "gene", {}),))


def envelope(**content: Json) -> str:
    return f"[fetched_at: 2026-11-30T12:00:00Z]\n{json.dumps({'outcome': 'data', 'total': 3, **content})}"


LARGE = [envelope(data=[number, "x" * 2_000]) for number in range(3)]


class Shelf:
    """Keeps what is stored."""

    def __init__(self) -> None:
        self.kept: list[tuple[Json, str]] = []

    async def keep(self, data: Json, tool: str) -> str:
        self.kept.append((data, tool))
        return f"a{len(self.kept)}"


def session(*texts: str) -> list[Entry]:
    """Return a history with one call a text, all of them answered to."""
    entries: list[Entry] = [UserEntry("q")]
    for number, text in enumerate(texts):
        entries += [asked(number), result(number, text)]
    return [*entries, AssistantEntry("Done.")]


async def test_the_oldest_results_go_first_and_no_more_than_needed() -> None:
    shelf = Shelf()
    entries = session(*LARGE)
    entry = await exchange(entries, excess_bytes=3_000, keep=shelf.keep)
    assert entry is not None and len(entry.texts) == 2
    assert shelf.kept == [([number, "x" * 2_000], "gene") for number in (0, 1)]
    sent, exchanges = as_sent([*entries, entry, UserEntry("next")])
    texts = [result.text for one in sent if isinstance(one, ToolResultsEntry) for result in one.results]
    assert (exchanges, texts[2], kinds(sent)[-1]) == (1, LARGE[2], "User")
    head, _, content = texts[0].partition("\n")
    reference = json.loads(content)
    assert (head, reference["artifact_id"], reference["total"]) == ("[fetched_at: 2026-11-30T12:00:00Z]", "a1", 3)
    assert "inspect_artifact" in reference["note"] and "data" not in reference
    assert entries == session(*LARGE), "what was stored is not edited"


async def test_what_the_model_has_not_read_and_what_holds_nothing_stays() -> None:
    shelf = Shelf()
    unread = [UserEntry("q"), asked(0), result(0, LARGE[0])]
    assert await exchange(unread, excess_bytes=9_000, keep=shelf.keep) is None
    small = envelope(data="x")
    failed = f"[fetched_at: x]\n{json.dumps({'outcome': 'failed', 'error': {'message': 'x' * 2_000}})}"
    odd = ["not JSON " * 400, "[fetched_at: x]\n[" + "1," * 1_000 + "1]", small, failed]
    assert await exchange(session(*odd), excess_bytes=9_000, keep=shelf.keep) is None
    assert shelf.kept == []


async def test_what_is_stored_already_is_not_stored_again() -> None:
    shelf = Shelf()
    entry = await exchange(
        session(envelope(artifact_id="a9", preview="x" * 2_000)), excess_bytes=9_000, keep=shelf.keep
    )
    assert entry is not None and shelf.kept == []
    assert '"artifact_id":"a9"' in next(iter(entry.texts.values()))


async def test_what_can_not_be_stored_stays() -> None:
    async def full(data: Json, tool: str) -> str:
        return ""

    assert await exchange(session(*LARGE), excess_bytes=9_000, keep=full) is None


async def test_each_exchange_begins_another_context_version_and_the_same_entries_give_the_same_request() -> None:
    shelf = Shelf()
    entries = session(*LARGE)
    first = await exchange(entries, excess_bytes=1_000, keep=shelf.keep)
    assert first is not None
    once = [*entries, first, UserEntry("more")]
    second = await exchange([*once, AssistantEntry("ok")], excess_bytes=9_000, keep=shelf.keep)
    assert second is not None and len(second.texts) == 2
    twice = [*once, AssistantEntry("ok"), second]
    requests = [build_request(PREFIX, some, max_output_tokens=10) for some in (entries, once, twice)]
    assert [request.context_version for request in requests] == [
        PREFIX.version, f"{PREFIX.version}-1", f"{PREFIX.version}-2"
    ]  # fmt: skip
    assert build_request(PREFIX, once, max_output_tokens=10) == requests[1]
    assert not any(isinstance(entry, ExchangeEntry) for request in requests for entry in request.entries)
    assert from_json(kind_of(first), to_json(first)) == first


async def test_a_result_that_comes_again_after_an_exchange_is_whole() -> None:
    entries = session(LARGE[0])
    first = await exchange(entries, excess_bytes=1_000, keep=Shelf().keep)
    assert first is not None
    sent, _ = as_sent([*entries, first, asked(7), result(7, LARGE[0])])
    texts = [result.text for one in sent if isinstance(one, ToolResultsEntry) for result in one.results]
    assert (texts[0] != LARGE[0], texts[1] == LARGE[0]) == (True, True)


def test_a_window_learns_how_tokens_are_counted() -> None:
    window = Window(tokens=1_000, max_output_tokens=100)
    worst = TokenUsage(cache_write_1h=600, cache_write_5m=900)
    assert window.is_over(worst)
    window.learn(worst, TokenUsage(input=10, cache_read=500, cache_write_5m=90, output=50))
    assert (window.share, window.used(worst), window.is_over(worst)) == (0.4, 700.0, False)
    assert window.is_nearly_full(TokenUsage(input=1_900)) and not window.is_over(TokenUsage(input=1_900))
    window.learn_refusal(worst)
    assert window.used(worst) == 1_000
    assert window.excess_bytes(worst) > 0
    window.learn(TokenUsage(), TokenUsage())
    assert window.used(TokenUsage()) == 100


async def test_a_turn_makes_room_before_the_call_that_would_not_fit_and_tells() -> None:
    calls = [Said(calls=[call("gene", n=n)]) for n in range(6)]
    run = Run.of(*calls, Said("Done."), context_window=9_000)
    run.tools.answers = [rows(9_000) for _ in range(6)]
    end = await run.play()
    notices = run.of_type(Notice)
    assert (end.outcome, {notice.code for notice in notices}) == ("completed", {"context_exchanged"})
    assert notices[0].detail["results"] >= 1
    assert "Exchange" in kinds(run.transcript.entries)


async def test_a_turn_that_cannot_make_room_ends_with_the_offer_of_a_new_session() -> None:
    run = Run.of(Said("never"), context_window=1_100)
    end = await run.play("x" * 4_000)
    assert (end.outcome, end.offers, run.provider.requests) == ("context_overflow", ["new_session"], [])


# --- the real SDK against the strict server ------------------------------------------------------


@pytest.fixture
async def provider(strict_messages: StrictMessages) -> AsyncIterator[AnthropicProvider]:
    """Give a model with a small window on the strict server."""
    strict_messages.models[SONNET] = replace(strict_messages.models[SONNET], context_window=40_000)
    model = AnthropicModel(SONNET, max_output=1_000)
    provider = AnthropicProvider(model, api_key=strict_messages.api_key, base_url=strict_messages.base_url)
    yield provider
    await provider.aclose()


def thinking_turn(number: int) -> list[Reply]:
    """Return a turn of two calls with thinking and an answer."""
    return [
        Reply(Thinking("look"), ToolUse("gene", {"n": number})),
        Reply(Thinking("once more"), ToolUse("gene", {"n": number + 0.5})),
        Reply(Thinking("good"), Text(f"Answer {number}.")),
    ]


@pytest.mark.case("C058")
async def test_a_long_session_of_signed_thinking_never_overflows_nor_is_refused(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    history: tuple[Entry, ...] = ()
    outcomes, codes = [], []
    for number in range(6):
        strict_messages.script(*thinking_turn(number))
        run = Run.with_provider(provider, model=SONNET, history=history, context_window=40_000)
        run.tools.answers = [rows(20_000) for _ in range(2)]
        outcomes.append((await run.play(f"Question {number}?")).outcome)
        codes += [notice.code for notice in run.of_type(Notice)]
        history = (*history, *run.transcript.entries)
    assert outcomes == ["completed"] * 6
    assert {request.status for request in strict_messages.requests} == {200}
    assert 1 <= codes.count("context_exchanged") <= 4
    # Within a version each request extends the one before it.
    extended = [
        after.messages[: len(before.messages)] == before.messages
        for before, after in zip(strict_messages.requests, strict_messages.requests[1:], strict=False)
    ]
    assert extended.count(False) == codes.count("context_exchanged")


async def test_a_request_that_the_service_finds_too_long_is_made_smaller_and_sent_again(
    provider: AnthropicProvider, strict_messages: StrictMessages
) -> None:
    strict_messages.script(
        Reply(ToolUse("gene", {"n": 1})),
        Reply(ToolUse("gene", {"n": 2})),
        Failure(400, "invalid_request_error", "prompt is too long: 41000 tokens > 40000 maximum"),
        Reply(Text("Done.")),
    )
    run = Run.with_provider(provider, model=SONNET, context_window=40_000)
    run.tools.answers = [rows(20_000), rows(20_000)]
    end = await run.play()
    assert (end.outcome, [notice.code for notice in run.of_type(Notice)]) == ("completed", ["context_exchanged"])
    assert len(strict_messages.requests[3].body) < len(strict_messages.requests[2].body)
    assert run.ledger.open == {}


async def test_found_tools_stay_found_when_results_make_room() -> None:
    tools = [
        ToolDefinition("gene", "", {"type": "object"}),
        ToolDefinition("late", "", {"type": "object"}, deferred=True),
    ]
    search = ToolResultsEntry((ToolResult("c9", "search", envelope(data=["late"] * 500), tool_references=("late",)),))
    entries = [UserEntry("?"), asked(9), search, asked(0), result(0, LARGE[0]), AssistantEntry("Yes.")]
    exchanged = await exchange(entries, excess_bytes=10_000, keep=Shelf().keep)
    assert exchanged is not None

    request = build_request(build_prefix(tools, model="m", effort=""), [*entries, exchanged], max_output_tokens=10)

    assert request.context_version.endswith("-1")
    assert [tool.name for tool in active_tools(request.tools, request.entries)] == ["gene", "late"]
