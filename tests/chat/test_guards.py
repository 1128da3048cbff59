"""Near its limits the model is told to conclude; the note stays in the transcript."""

import math
from typing import Any

import pytest

from chat.guards import concluding_note
from chat.providers.base import AssistantEntry, ToolResultsEntry, UserEntry
from chat.providers.history import repaired
from chat.providers.planner.replay import question_of
from chat.providers.scripted import Reply, call
from chat.transcript import from_json, kind_of, to_json
from mcp_server.codes import TurnOutcome
from tests.chat.loop_kit import Clock, Run, kinds

ROOM: dict[str, Any] = {"calls_left": 9, "left_s": 900.0, "timeout_s": 900.0, "is_window_nearly_full": False}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"left_s": math.inf, "timeout_s": math.inf}, ""),
        ({"calls_left": 2}, "2 more messages"),
        ({"calls_left": 1}, "one more message"),
        ({"left_s": 100.4}, "100 seconds left"),
        ({"is_window_nearly_full": True}, "little room left"),
    ],
    ids=["room", "no time limit", "two calls", "one call", "time", "window"],
)
def test_the_note_says_which_limit_is_near(change: dict[str, Any], words: str) -> None:
    note = concluding_note(**ROOM | change)
    assert (note is not None) == bool(words)
    if note is not None:
        assert (words in note.text, note.is_note, note.text.startswith("[BURP] ")) == (True, True, True)


async def test_the_model_is_told_once_after_the_results_and_the_note_stays() -> None:
    run = Run.of(*[Reply(calls=[call("gene", n=n)]) for n in range(4)], Reply("Done."), max_iterations=5)
    end = await run.play()
    assert end.outcome == "completed"
    assert kinds(run.transcript.entries) == [
        "User", "Assistant", "ToolResults", "Assistant", "ToolResults", "Assistant", "ToolResults", "User",
        "Assistant", "ToolResults", "Assistant",
    ]  # fmt: skip
    requests = run.provider.requests
    for before, after in zip(requests, requests[1:], strict=False):
        assert after.entries[: len(before.entries)] == before.entries
    assert "2 more messages" in requests[3].entries[-1].text


async def test_the_model_is_told_when_the_time_runs_short() -> None:
    clock = Clock()
    run = Run.of(Reply(calls=[call("gene")]), Reply("Done."), clock=clock, timeout_s=100.0)
    run.tools.slow_down = lambda: setattr(clock, "now", 90.0)
    await run.play()
    assert "10 seconds left" in run.provider.requests[1].entries[-1].text


async def test_no_model_call_is_begun_when_the_time_is_over() -> None:
    clock = Clock()
    run = Run.of(Reply(calls=[call("gene")]), Reply("never"), clock=clock, timeout_s=100.0)
    run.tools.slow_down = lambda: setattr(clock, "now", 100.0)
    end = await run.play()
    assert (end.outcome, end.offers, len(run.provider.requests)) == ("time_limit", ["continue"], 1)
    assert repaired(run.transcript.entries) == tuple(run.transcript.entries)


async def test_the_stop_signal_ends_a_turn_at_its_time_limit_too() -> None:
    run = Run.of(Reply(calls=[call("slow")]), Reply("never"))
    end = await run.play_and(run.tools.reached, lambda: run.stop.give(TurnOutcome.TIME_LIMIT))
    assert (end.outcome, end.message.startswith("The answer took longer")) == ("time_limit", True)


def test_a_note_is_no_question() -> None:
    note = UserEntry("[BURP] Conclude.", is_note=True)
    assert question_of([UserEntry("What is HER2?"), note]) == "What is HER2?"
    refused = AssistantEntry("", stop_reason="refusal")
    assert repaired([UserEntry("What is HER2?"), note, refused, UserEntry("And now?")]) == (UserEntry("And now?"),)


def test_a_note_is_stored_as_what_it_is() -> None:
    note = UserEntry("[BURP] Conclude.", is_note=True)
    assert from_json(kind_of(note), to_json(note)) == note
    assert from_json("user", {"text": "What is HER2?"}) == UserEntry("What is HER2?")
    assert isinstance(from_json("tool_results", {"results": []}), ToolResultsEntry)


def test_a_question_that_only_says_to_go_on_means_the_one_before() -> None:
    asked = [UserEntry("What is HER2?"), AssistantEntry("HER2 is", interrupted=True), UserEntry("Continue.")]
    assert question_of(asked) == "What is HER2?"
    assert question_of([UserEntry("continue")]) == "continue"
    assert question_of([]) == ""
