"""The agent loop: what it yields, stores and books, whatever happens."""

import asyncio
import json

import pytest

from chat.events import Notice, Text, ToolEnd, ToolProgress, ToolStart, Usage, from_wire, to_wire
from chat.providers.base import AssistantEntry, ToolCall, ToolResult, ToolResultsEntry, UserEntry
from chat.providers.history import repaired
from chat.providers.scripted import Fail, Hold, Reply, call
from mcp_server.codes import TurnOutcome
from tests.chat.loop_kit import Ledger, Run, kinds

ANSWER = "HER2 is ERBB2, [ENSG00000141736](https://www.ensembl.org/id/ENSG00000141736)."


async def test_a_turn_calls_tools_and_ends_with_a_grounded_answer() -> None:
    run = Run.of(Reply(reasoning="Resolve it.", calls=[call("gene", symbol="HER2")]), Reply(ANSWER))
    end = await run.play()
    types = [event.type for event in run.events]
    assert [kind for kind, before in zip(types, [None, *types], strict=False) if kind != before] == [
        "turn_started", "reasoning", "usage", "tool_start", "tool_end", "text", "usage", "turn_end",
    ]  # fmt: skip
    assert (end.outcome, end.tool_calls) == ("completed", 1)
    assert [m["identifier"] for m in end.grounding["grounded"]] == ["ENSG00000141736"]
    assert end.grounding["not_in_evidence"] == []
    assert kinds(run.transcript.entries) == ["User", "Assistant", "ToolResults", "Assistant"]


async def test_events_are_numbered_from_one_without_a_gap_and_survive_the_wire() -> None:
    run = Run.of(Reply(calls=[call("gene")]), Reply(ANSWER))
    await run.play()
    assert [event.seq for event in run.events] == list(range(1, len(run.events) + 1))
    assert [from_wire(json.loads(json.dumps(to_wire(event)))) for event in run.events] == run.events


async def test_the_model_reads_when_a_result_was_fetched() -> None:
    run = Run.of(Reply(calls=[call("gene")]), Reply(ANSWER))
    await run.play()
    results = run.provider.requests[1].entries[-1]
    assert isinstance(results, ToolResultsEntry)
    first, second = results.results[0].text.split("\n")
    assert first == "[fetched_at: 2026-11-30T12:00:00Z]"
    assert json.loads(second) == {
        "outcome": "data",
        "total": 1,
        "returned": 1,
        "data": {"id": "ENSG00000141736", "symbol": "ERBB2"},
    }


async def test_calls_of_one_message_run_side_by_side_and_answer_in_their_order() -> None:
    run = Run.of(Reply(calls=[call("slow"), call("gene"), call("gene")]), Reply("Done."))
    run.tools.reached.clear()
    await run.play_and(run.tools.reached, run.tools.release.set)
    assert run.tools.most_running >= 2
    assert [e.tool for e in run.of_type(ToolEnd)] == ["gene", "gene", "slow"]
    results = run.provider.requests[1].entries[-1]
    assert isinstance(results, ToolResultsEntry)
    assert [result.name for result in results.results] == ["slow", "gene", "gene"]
    assert [e.message for e in run.of_type(ToolProgress)] == ["waiting for the rate limit"]


async def test_no_more_calls_run_at_once_than_are_allowed() -> None:
    run = Run.of(Reply(calls=[call("gene")] * 6), Reply("Done."), max_parallel=2)
    await run.play()
    assert run.tools.most_running <= 2
    assert len(run.of_type(ToolStart)) == 6


@pytest.mark.case("C045")
async def test_a_tool_server_that_dies_fails_its_call_and_the_turn_goes_on() -> None:
    run = Run.of(Reply(calls=[call("broken"), call("gene")]), Reply(ANSWER))
    end = await run.play()
    codes = {e.tool: (e.ok, e.error_code) for e in run.of_type(ToolEnd)}
    assert codes == {"broken": (False, "tool_server_down"), "gene": (True, "")}
    assert end.outcome == "completed"


async def test_a_tool_that_raises_anything_hurts_only_its_own_call(caplog: pytest.LogCaptureFixture) -> None:
    run = Run.of(Reply(calls=[call("broken"), call("gene")]), Reply("Done."))
    run.tools.broken = KeyError("data")
    await run.play()
    assert {e.tool: e.error_code for e in run.of_type(ToolEnd)} == {"broken": "internal", "gene": ""}
    assert "tool call broken failed" in caplog.text


async def test_an_unknown_tool_is_refused_with_near_names() -> None:
    run = Run.of(Reply(calls=[call("genes")]), Reply("Done."))
    await run.play()
    (end,) = run.of_type(ToolEnd)
    assert (end.error_code, "Near names: gene." in end.message, run.tools.calls) == ("tool_unknown", True, [])


@pytest.mark.case("C056")
async def test_a_cut_off_call_is_not_run_and_the_model_is_told_why() -> None:
    cut = ToolCall("c1", "gene", {}, problem="cut off by the output limit, send a shorter call")
    run = Run.of(Reply(calls=[cut], stop_reason="max_tokens"), Reply("Done."))
    end = await run.play()
    (failed,) = run.of_type(ToolEnd)
    assert run.tools.calls == []
    assert (failed.ok, failed.message) == (False, "cut off by the output limit, send a shorter call")
    assert end.outcome == "completed"


@pytest.mark.case("C078")
async def test_an_identifier_that_no_result_held_is_not_grounded() -> None:
    text = "See PMID 12345678, NCT0123456 and ENSG00000141736; you asked about CHEMBL554."
    run = Run.of(Reply(calls=[call("gene")]), Reply(text))
    end = await run.play("Is CHEMBL554 lapatinib?")
    assert [m["identifier"] for m in end.grounding["not_in_evidence"]] == ["12345678", "NCT0123456", "CHEMBL554"]
    assert [m["identifier"] for m in end.grounding["grounded"]] == ["ENSG00000141736"]


@pytest.mark.case("C057")
async def test_a_refusal_ends_the_turn_after_one_request() -> None:
    run = Run.of(Reply("", stop_reason="refusal"), Reply("never"))
    end = await run.play()
    assert (end.outcome, len(run.provider.requests)) == ("refused", 1)


async def test_an_answer_cut_by_the_output_limit_says_so_and_is_kept() -> None:
    run = Run.of(Reply("HER2 is", stop_reason="max_tokens"))
    end = await run.play()
    assert end.outcome == "output_truncated"
    assert "".join(e.text for e in run.of_type(Text)) == "HER2 is"


async def test_the_iteration_guard_ends_a_model_that_never_answers() -> None:
    run = Run.of(*[Reply(calls=[call("gene")])] * 3, max_iterations=3)
    end = await run.play()
    assert (end.outcome, end.tool_calls) == ("max_iterations", 3)
    assert repaired(run.transcript.entries) == tuple(run.transcript.entries)


async def test_a_budget_that_is_used_up_ends_the_turn_before_the_call() -> None:
    run = Run.of(Reply(calls=[call("gene")]), Reply("never"), ledger=Ledger(refuse_at_step=2))
    end = await run.play()
    assert (end.outcome, end.detail) == ("budget_turn", "the turn's budget is used up")
    assert len(run.provider.requests) == 1


async def test_every_model_call_is_settled_with_what_it_used() -> None:
    run = Run.of(Reply(calls=[call("gene")]), Reply(ANSWER))
    end = await run.play()
    usages = run.of_type(Usage)
    assert run.ledger.open == {}
    assert [(u.cost_pico_usd, u.estimated) for u in usages] == [(cost, False) for cost, _, _ in run.ledger.settled]
    assert end.turn_cost_pico_usd == usages[-1].turn_cost_pico_usd == sum(cost for cost, _, _ in run.ledger.settled)


@pytest.mark.case("C055")
async def test_a_stream_that_breaks_is_booked_and_its_text_kept_as_interrupted() -> None:
    run = Run.of(Fail(TurnOutcome.MODEL_OVERLOADED, after="HER2 is "))
    end = await run.play()
    assert end.outcome == "model_overloaded"
    assert run.ledger.open == {}
    assert [(outcome, estimated) for _, outcome, estimated in run.ledger.settled] == [("model_overloaded", True)]
    last = run.transcript.entries[-1]
    assert isinstance(last, AssistantEntry)
    assert (last.text, last.interrupted, last.tool_calls) == ("HER2 is ", True, ())


@pytest.mark.case("C051")
@pytest.mark.case("C062")
async def test_stop_while_the_model_streams_books_and_keeps_what_came() -> None:
    hold = Hold(asyncio.Event(), after="HER2 is the ")
    run = Run.of(hold, Reply("never"))
    end = await run.play_and(hold.reached, lambda: run.stop.give(TurnOutcome.ABORTED_BY_USER))
    assert end.outcome == "aborted_by_user"
    assert run.provider.open_streams == 0
    assert run.ledger.open == {}
    assert run.ledger.settled[0][2] is True
    assert kinds(run.transcript.entries) == ["User", "Assistant"]
    assert repaired(run.transcript.entries) == tuple(run.transcript.entries)


@pytest.mark.case("C051")
async def test_stop_while_tools_run_gives_each_open_call_a_result() -> None:
    run = Run.of(Reply(calls=[call("gene"), call("slow"), call("slow")]))
    end = await run.play_and(run.tools.reached, lambda: run.stop.give(TurnOutcome.ABORTED_BY_USER))
    assert end.outcome == "aborted_by_user"
    assert run.tools.running == 0
    results = run.transcript.entries[-1]
    assert isinstance(results, ToolResultsEntry)
    assert [(r.name, r.is_error) for r in results.results] == [("gene", False), ("slow", True), ("slow", True)]
    assert [e.error_code for e in run.of_type(ToolEnd)] == ["", "tool_cancelled", "tool_cancelled"]
    assert repaired(run.transcript.entries) == tuple(run.transcript.entries)


@pytest.mark.case("C051")
async def test_stop_before_the_first_byte_leaves_a_history_that_can_be_sent_again() -> None:
    hold = Hold(asyncio.Event())
    run = Run.of(hold, Reply("never"))
    await run.play_and(hold.reached, lambda: run.stop.give(TurnOutcome.ABORTED_DISCONNECT))
    assert kinds(run.transcript.entries) == ["User"]
    again = Run.of(Reply("HER2 is a gene."), history=tuple(run.transcript.entries))
    assert (await again.play("And now?")).outcome == "completed"
    assert kinds(again.provider.requests[0].entries) == ["User", "User"]


@pytest.mark.case("C051")
@pytest.mark.parametrize("step", [1, 2])
async def test_stop_while_money_is_reserved_asks_nothing_and_books_nothing_twice(step: int) -> None:
    first = Reply("I look.", calls=[call("gene")])
    run = Run.of(first, Reply("never"), ledger=Ledger(wait_at_step=step))

    def stop() -> None:
        run.stop.give(TurnOutcome.ABORTED_BY_USER)
        run.ledger.go_on.set()

    end = await run.play_and(run.ledger.reached, stop)
    assert end.outcome == "aborted_by_user"
    assert len(run.provider.requests) == step - 1
    assert (run.ledger.open, run.ledger.released) == ({}, [str(step)])
    assert [outcome for _, outcome, _ in run.ledger.settled] == ["tool_use"][: step - 1]
    assert kinds(run.transcript.entries) == ["User", "Assistant", "ToolResults"][: 1 if step == 1 else 3]


async def test_a_reader_that_goes_away_leaves_nothing_running_and_nothing_unbooked() -> None:
    hold = Hold(asyncio.Event(), after="HER2 ")
    run = Run.of(hold, Reply("never"))
    playing = asyncio.create_task(run.play())
    async with asyncio.timeout(5):
        await hold.reached.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
    assert run.provider.open_streams == 0
    assert run.ledger.open == {}
    assert run.ledger.settled[0][2] is True


async def test_an_error_nobody_expected_ends_the_turn_as_internal(caplog: pytest.LogCaptureFixture) -> None:
    run = Run.of()  # the script is used up at once
    end = await run.play()
    assert (end.outcome, end.detail) == ("internal", "AssertionError")
    assert run.ledger.open == {}


async def test_notices_come_right_after_the_start() -> None:
    notice = Notice(code="catalog_changed", message="The list of tools has changed.")
    run = Run.of(Reply("Hello."), notices=(notice,))
    await run.play()
    assert [event.type for event in run.events[:2]] == ["turn_started", "notice"]
    assert run.events[1].seq == 2


@pytest.mark.case("C051")
def test_a_history_with_a_missing_result_is_repaired_when_loaded() -> None:
    calls = (ToolCall("a", "gene", {}), ToolCall("b", "gene", {}))
    broken = (
        UserEntry("q"),
        AssistantEntry("", calls),
        ToolResultsEntry((ToolResult("b", "gene", "B"), ToolResult("zz", "gene", "of nothing"))),
        UserEntry("next"),
    )
    user, message, results, after = repaired(broken)
    assert isinstance(results, ToolResultsEntry)
    assert [(r.call_id, r.is_error) for r in results.results] == [("a", True), ("b", False)]
    assert repaired((user, message, results, after)) == (user, message, results, after)


@pytest.mark.case("C051")
def test_a_history_that_ends_with_open_calls_is_closed() -> None:
    entries = repaired((UserEntry("q"), AssistantEntry("", (ToolCall("a", "gene", {}),))))
    assert kinds(entries) == ["User", "Assistant", "ToolResults"]


def test_results_of_nothing_are_left_out() -> None:
    assert kinds(repaired((UserEntry("q"), ToolResultsEntry((ToolResult("a", "gene", "A"),))))) == ["User"]
