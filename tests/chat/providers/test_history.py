"""Broken transcripts become valid, sound ones stay as they are."""

import pytest

from chat.providers.base import (
    AssistantEntry,
    Entry,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultsEntry,
    UserEntry,
)
from chat.providers.history import NO_OPENING, NOT_RUN, active_tools, repaired

ASK = UserEntry("What is HER2?")
CALL_A = ToolCall("a", "think", {})
CALL_B = ToolCall("b", "think", {})
TWO_CALLS = AssistantEntry("I look.", (CALL_A, CALL_B))
ANSWER = AssistantEntry("HER2 is ERBB2.")
SEARCH = ToolDefinition("search_available_tools", "", {"type": "object"})
TARGETS = ToolDefinition("opentargets__search_targets", "", {"type": "object"})
MOLECULES = ToolDefinition("chembl__search_molecules", "", {"type": "object"}, deferred=True)
TRIALS = ToolDefinition("clinicaltrials__search_studies", "", {"type": "object"}, deferred=True)


def result(call_id: str, text: str = "found") -> ToolResult:
    return ToolResult(call_id, "think", text)


def not_run(call_id: str) -> ToolResult:
    return ToolResult(call_id, "think", NOT_RUN, is_error=True)


def test_a_sound_transcript_is_left_alone() -> None:
    entries = (ASK, TWO_CALLS, ToolResultsEntry((result("a"), result("b"))), ANSWER, ASK)

    assert repaired(entries) == entries


@pytest.mark.case("C051")
@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ([], (not_run("a"), not_run("b"))),
        ([ToolResultsEntry((result("b"),))], (not_run("a"), result("b"))),
        ([ToolResultsEntry((result("b"),)), ToolResultsEntry((result("a"),))], (result("a"), result("b"))),
        ([ToolResultsEntry((result("a"), result("a", "again"), result("b")))], (result("a"), result("b"))),
        ([ToolResultsEntry((result("x"), result("a"), result("b")))], (result("a"), result("b"))),
    ],
    ids=["no results", "one missing", "in two entries", "one twice", "one of no call"],
)
def test_each_call_gets_exactly_one_result_in_the_order_of_the_calls(
    stored: list[Entry], expected: tuple[ToolResult, ...]
) -> None:
    assert repaired([ASK, TWO_CALLS, *stored, ASK]) == (ASK, TWO_CALLS, ToolResultsEntry(expected), ASK)


def test_two_calls_of_one_id_get_their_results_in_order() -> None:
    twins = AssistantEntry("", (CALL_A, CALL_A))
    found = (result("a", "first"), result("a", "second"))

    assert repaired([ASK, twins, ToolResultsEntry(found)]) == (ASK, twins, ToolResultsEntry(found))


def test_results_that_come_too_late_or_without_a_call_are_dropped() -> None:
    late = ToolResultsEntry((result("a"), result("b")))

    assert repaired([ASK, ANSWER, late, ASK]) == (ASK, ANSWER, ASK)
    assert repaired([ASK, TWO_CALLS, ASK, late])[2:] == (ToolResultsEntry((not_run("a"), not_run("b"))), ASK)


@pytest.mark.case("C054")
def test_blank_questions_and_empty_messages_are_left_out() -> None:
    assert repaired([ASK, AssistantEntry(" \n"), UserEntry("  "), ASK]) == (ASK, ASK)


@pytest.mark.case("C057")
def test_a_refused_turn_is_left_out_with_its_question_and_calls() -> None:
    refused = AssistantEntry("Partly", stop_reason="refusal")
    found = ToolResultsEntry((result("a"), result("b")))

    assert repaired([ASK, ANSWER, UserEntry("No."), TWO_CALLS, found, refused, ASK]) == (ASK, ANSWER, ASK)


def test_found_tools_join_the_list_at_its_end_in_the_order_of_their_finding() -> None:
    tools = (MOLECULES, SEARCH, TARGETS, TRIALS)
    found = ToolResult("a", SEARCH.name, "found", tool_references=(TRIALS.name, "gone", TARGETS.name))
    later = ToolResult("b", SEARCH.name, "found", tool_references=(MOLECULES.name, TRIALS.name))

    assert active_tools(tools, [ASK]) == (SEARCH, TARGETS)
    assert active_tools(tools, [ASK, ToolResultsEntry((found,))]) == (SEARCH, TARGETS, TRIALS)
    assert active_tools(tools, [ToolResultsEntry((found,)), ToolResultsEntry((later,))]) == (
        SEARCH,
        TARGETS,
        TRIALS,
        MOLECULES,
    )


def test_a_history_that_begins_with_an_answer_gets_a_question() -> None:
    answer = AssistantEntry("HER2 is ERBB2.")

    assert repaired([UserEntry(" "), answer]) == (UserEntry(NO_OPENING), answer)
    assert repaired([]) == ()
