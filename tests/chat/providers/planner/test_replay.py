"""A recipe has no memory: it runs from its start against the transcript, and always comes to the same."""

import json
from dataclasses import replace

import pytest

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ModelReply,
    ReasoningDelta,
    TokenUsage,
    ToolCall,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.history import NOT_RUN
from chat.providers.planner import create
from chat.providers.planner.artifact_calls import INSPECT
from chat.providers.planner.provider import RecipeProvider
from chat.providers.planner.replay import Batch, Finished, Pending, Recipe, ask, play, recorded_in
from chat.providers.planner.results import Result, call, call_key, read_result
from mcp_server.codes import ResultOutcome, ToolCode
from tests.chat.providers.planner.driver import Snapshot, envelope_text, request, run, stream
from tests.chat.providers.planner.test_questions import ALLELES, IDENTIFIERS
from tests.chat.providers.planner.test_target_drugs import QUESTION

FIRST = call("one__get", "the first", id=1)
SECOND = call("two__get", "the second", id=2)


def recipe() -> Recipe[str]:
    """Ask for two records one after the other."""
    (first,) = yield from ask("first", FIRST)
    (second,) = yield from ask("second", SECOND)
    return f"{first.text('name')} {second.text('name')}"


def recorded(name: str, text: str) -> ToolResult:
    return ToolResult("x", name, text)


def test_a_recipe_stops_at_the_first_call_without_a_result() -> None:
    assert play(recipe(), {}) == Pending("first", (FIRST,), 0)
    one = recorded("one__get", envelope_text({"outcome": "data", "data": {"name": "A"}}))
    assert play(recipe(), {FIRST.key: one}) == Pending("second", (SECOND,), 1)


def test_a_recipe_with_all_results_is_finished() -> None:
    results = {
        FIRST.key: recorded("one__get", envelope_text({"outcome": "data", "data": {"name": "A"}})),
        SECOND.key: recorded("two__get", envelope_text({"outcome": "empty", "data": None})),
    }
    state = play(recipe(), results)
    assert isinstance(state, Finished)
    assert state.answer == "A "
    assert [result.outcome for result in state.results] == [ResultOutcome.DATA, ResultOutcome.EMPTY]


def test_equal_calls_are_made_once() -> None:
    def twice() -> Recipe[str]:
        results = yield Batch("twice", (FIRST, FIRST))
        return str(len(results))

    assert play(twice(), {}) == Pending("twice", (FIRST,), 0)


def test_arguments_in_another_order_make_the_same_call() -> None:
    assert call_key("t__get", {"a": 1, "b": 2}) == call_key("t__get", {"b": 2, "a": 1})


@pytest.mark.parametrize("question", [QUESTION, ALLELES, IDENTIFIERS], ids=["target_drugs", "alleles", "identifiers"])
async def test_the_same_entries_give_the_same_bytes(question: str, snapshot: Snapshot) -> None:
    turn = await run(question, snapshot)
    before_answer = turn.entries[:-1]
    first, second = await stream(before_answer), await stream(before_answer)
    assert first == second
    for end in range(1, len(turn.entries), 2):
        reply = (await stream(turn.entries[:end]))[-1]
        assert isinstance(reply, ModelReply)
        assert reply.entry == turn.entries[end]


async def test_every_reply_is_free_and_says_whose_it_is(snapshot: Snapshot) -> None:
    turn = await run(IDENTIFIERS, snapshot)
    provider = RecipeProvider()
    assert provider.worst_case(request(turn.entries[:1])) == TokenUsage()
    for entry in turn.entries:
        if isinstance(entry, AssistantEntry):
            assert (entry.provider, entry.model, entry.context_version) == ("recipes", "recipes", "v1")
    assert all(event.usage == TokenUsage() for event in await stream(turn.entries[:1]) if isinstance(event, ModelReply))


async def test_a_step_says_what_it_does_before_it_calls() -> None:
    said, reply = await stream([UserEntry(IDENTIFIERS)])
    assert said == ReasoningDelta("Resolve “HER2” to a gene.\n")
    assert isinstance(reply, ModelReply) and reply.stop_reason == "tool_use"
    assert reply.entry.tool_calls == (ToolCall("call_1_1", "ensembl__lookup_gene", {"gene_symbol": "HER2"}),)


async def test_an_interrupted_answer_keeps_what_was_shown(snapshot: Snapshot) -> None:
    turn = await run(IDENTIFIERS, snapshot)
    provider = RecipeProvider()
    events = provider.stream(request(turn.entries[:-1]))
    first = await anext(events)
    partial, usage = provider.partial()
    await events.aclose()
    assert partial is not None and partial.interrupted
    assert turn.answer.startswith(partial.text) and partial.text == getattr(first, "text", "")
    assert usage == TokenUsage()


def test_only_the_results_of_this_turn_count() -> None:
    old = ToolCall("call_1_1", "one__get", {"id": 1})
    entries: list[Entry] = [
        UserEntry("before"),
        AssistantEntry("", (old,)),
        ToolResultsEntry((ToolResult("call_1_1", "one__get", envelope_text({"outcome": "empty"})),)),
        UserEntry("now"),
    ]
    assert recorded_in(entries) == {}


async def test_call_ids_differ_between_turns_of_a_session(snapshot: Snapshot) -> None:
    turn = await run(IDENTIFIERS, snapshot)
    reply = (await stream([*turn.entries, UserEntry(IDENTIFIERS)]))[-1]
    assert isinstance(reply, ModelReply)
    assert [item.id for item in reply.entry.tool_calls] == ["call_2_4"]


async def test_a_call_that_an_interruption_kept_from_running_is_made_once_more() -> None:
    first = (await stream([UserEntry(IDENTIFIERS)]))[-1]
    assert isinstance(first, ModelReply)
    marked = ToolResult(first.entry.tool_calls[0].id, "ensembl__lookup_gene", NOT_RUN, is_error=True)
    entries: list[Entry] = [UserEntry(IDENTIFIERS), first.entry, ToolResultsEntry((marked,))]
    again = (await stream(entries))[-1]
    assert isinstance(again, ModelReply)
    assert again.entry.tool_calls == (replace(first.entry.tool_calls[0], id="call_1_2"),)
    entries += [again.entry, ToolResultsEntry((replace(marked, call_id="call_1_2"),))]
    end = (await stream(entries))[-1]
    assert isinstance(end, ModelReply) and end.stop_reason == "end"
    assert "Ensembl was not asked to the end: the call was stopped: the gene called HER2." in end.entry.text


# --- results -----------------------------------------------------------------------------------


def test_a_result_is_read_with_its_counts_note_and_time() -> None:
    content = {"outcome": "data", "data": [{"a": 1}], "total": 9, "returned": 1, "next": {"offset": 1}, "note": "n"}
    result = read_result(FIRST, recorded("one__get", envelope_text(content, "2026-01-05T00:00:00Z")))
    assert (result.total, result.returned, result.next, result.note) == (9, 1, {"offset": 1}, "n")
    assert result.date == "2026-01-05"
    assert result.rows() == [{"a": 1}]


@pytest.mark.parametrize("text", ["", "{", "not JSON", "[1]", '{"data": 1}', '{"outcome": "wonderful"}', "null"])
def test_a_result_that_is_no_envelope_is_a_failure(text: str) -> None:
    result = read_result(FIRST, recorded("one__get", text))
    assert (result.outcome, result.error_code) == (ResultOutcome.FAILED, ToolCode.UPSTREAM_BAD_RESPONSE)


def test_only_the_code_tells_a_gap_of_the_snapshot_from_a_failure() -> None:
    def failed(code: str) -> Result:
        content = {"outcome": "failed", "error": {"code": code, "message": "m"}}
        return read_result(FIRST, recorded("one__get", envelope_text(content)))

    assert failed("not_in_snapshot").is_missing
    assert not failed("upstream_unavailable").is_missing and failed("upstream_unavailable").is_failed


# --- results that lie in an artifact -------------------------------------------------------------

STORED = envelope_text(
    {"outcome": "data", "total": 300, "returned": 200, "note": "n", "artifact_id": "a1b2", "preview": "rows: …"}
)


def one_list() -> Recipe[str]:
    (result,) = yield from ask("list", call("opentargets__get_target_drugs", "drugs", ensembl_id="ENSG1"))
    return f"{len(result.rows('rows'))} {result.returned} {result.total} {result.error_code}"


WANTED = call("opentargets__get_target_drugs", "drugs", ensembl_id="ENSG1")


def test_a_stored_result_is_read_with_a_filter() -> None:
    state = play(one_list(), {WANTED.key: recorded(WANTED.tool, STORED)})
    assert isinstance(state, Pending)
    (look,) = state.calls
    assert (look.tool, look.arguments["artifact_id"]) == (INSPECT, "a1b2")


def test_the_part_of_a_stored_result_counts_as_a_part() -> None:
    state = play(one_list(), {WANTED.key: recorded(WANTED.tool, STORED)})
    assert isinstance(state, Pending)
    text = json.dumps({"rows": [{"id": "r"}] * 100})
    looked = recorded(INSPECT, envelope_text({"outcome": "data", "data": text}))
    finished = play(one_list(), {WANTED.key: recorded(WANTED.tool, STORED), state.calls[0].key: looked})
    assert isinstance(finished, Finished) and finished.answer == "100 100 300 "


@pytest.mark.parametrize(
    "content",
    [
        {"outcome": "failed", "error": {"code": "tool_invalid_arguments", "message": "filter: no such path"}},
        {"outcome": "data", "data": "not JSON"},
    ],
)
def test_a_stored_result_that_cannot_be_read_is_a_failure(content: dict[str, object]) -> None:
    state = play(one_list(), {WANTED.key: recorded(WANTED.tool, STORED)})
    assert isinstance(state, Pending)
    looked = recorded(INSPECT, envelope_text(content))
    finished = play(one_list(), {WANTED.key: recorded(WANTED.tool, STORED), state.calls[0].key: looked})
    assert isinstance(finished, Finished)
    assert finished.results[0].is_failed and finished.results[0].call == WANTED


def test_the_planner_is_created_from_its_row_without_a_key() -> None:
    from chat.config import ModelRow, Service

    row = ModelRow("recipes", "planner", "recipes", "Recipe planner", 1, 1, 1)
    assert create(row, Service("planner")).name == "recipes"
