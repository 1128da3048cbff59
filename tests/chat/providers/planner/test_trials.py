"""Trials of an answer: which come first, what counts as naming a marker, what stands where a field is missing."""

from typing import Any

import pytest

from chat.providers.planner.parts import trials
from chat.providers.planner.parts.trials import read_trials, trials_call
from chat.providers.planner.results import Call, Result
from mcp_server.codes import ResultOutcome

Json = Any
ASKED = trials_call("lapatinib", "breast cancer")


def data(content: Json, asked: Call = ASKED, **facts: Json) -> Result:
    return Result(asked, ResultOutcome.DATA, data=content, **facts)


def test_trials_that_name_the_marker_come_first_then_the_higher_phase_then_open_ones() -> None:
    asked = trials_call("lapatinib", "breast cancer")
    rows = [
        {"nctId": "NCT00000001", "briefTitle": "A", "phases": ["PHASE3"], "overallStatus": "COMPLETED"},
        {"nctId": "NCT00000002", "briefTitle": "HER2 B", "phases": ["PHASE1", "PHASE2"], "overallStatus": "COMPLETED"},
        {"nctId": "NCT00000003", "briefTitle": "C", "phases": ["PHASE3"], "overallStatus": "RECRUITING"},
    ]
    found = read_trials(data(rows, asked), ["HER2"])
    assert [trial.nct_id[-1] for trial in found] == ["2", "3", "1"]
    assert [trial.phase for trial in found] == ["1/2", "3", "3"]


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("HER2-positive breast cancer", True),
        ("HER2+ disease", True),
        ("HER2-directed therapy", True),
        ("after HER2 therapy", True),
        ("HR+/HER2- breast cancer", False),
        ("HR[+]/HER2[-] breast cancer", False),
        ("HER2-negative", False),
        ("HER2 negative", False),
        ("HER2-low", False),
        ("HER21", False),
    ],
)
def test_a_marker_that_is_absent_is_not_taken_for_one_that_is_named(title: str, named: bool) -> None:
    (trial,) = read_trials(data([{"nctId": "NCT00000001", "briefTitle": title}]))
    assert trial.mentions(["HER2"]) is named


def test_the_official_title_stands_in_and_an_acronym_stands_before() -> None:
    rows = [{"nctId": "NCT1", "officialTitle": "Official"}, {"nctId": "NCT2", "briefTitle": "T", "acronym": "FLAURA"}]
    assert [trial.title for trial in read_trials(data(rows))] == ["Official", "FLAURA: T"]


def test_open_trials_come_first_where_they_are_asked_for() -> None:
    rows = [
        {"nctId": "NCT1", "phases": ["PHASE3"], "overallStatus": "COMPLETED"},
        {"nctId": "NCT2", "phases": ["PHASE1"], "overallStatus": "RECRUITING"},
    ]
    assert [trial.nct_id for trial in read_trials(data(rows), open_first=True)] == ["NCT2", "NCT1"]
    assert [trial.nct_id for trial in read_trials(data(rows))] == ["NCT1", "NCT2"]


def test_active_not_recruiting_is_written_with_its_comma() -> None:
    found = read_trials(data([{"nctId": "NCT00000001", "overallStatus": "ACTIVE_NOT_RECRUITING"}]))
    assert found[0].status_words == "active, not recruiting"


# --- the section --------------------------------------------------------------------------------

BOTH = {"nctId": "NCT00000001", "briefTitle": "Both"}
OTHER = {"nctId": "NCT00000002", "briefTitle": "Other", "interventions": [{"name": "CT Scan"}, {"name": "Drug X"}]}


def test_a_trial_of_two_drugs_is_shown_once_with_both_names() -> None:
    text = trials.section([("a", data([BOTH])), ("b", data([BOTH, OTHER]))], "", ())
    assert text.count("[NCT00000001]") == 1
    assert "| a and b | [NCT00000001](" in text and "| b | [NCT00000002](" in text


def test_of_one_drug_the_table_says_with_what_it_is_tested() -> None:
    text = trials.section([("b", data([OTHER]))], "", ())
    assert "| Tested | Trial |" in text and "| Drug X | [NCT00000002](" in text


def test_open_trials_are_counted_only_where_they_are_asked_for() -> None:
    rows = [{"nctId": "NCT00000001", "overallStatus": "RECRUITING"}, {"nctId": "NCT00000002"}]
    assert trials.in_short([("a", data(rows, total=2))], "", with_open=True).endswith("a (2, 1 open).")
    assert trials.in_short([("a", data(rows[1:], total=1))], "", with_open=True).endswith("(1, none recorded as open).")
    assert trials.in_short([("a", data(rows, total=2))], "").endswith("a 2.")
