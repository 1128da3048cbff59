"""Folding the events of a turn gives what the page shows, live and from history alike."""

import pytest

from chat.cards import CardState
from chat.presentation import fold
from mcp_server.codes import TURN_SENTENCES, TurnOutcome
from tests.chat.turn_logs import TurnLog, answered, citation, looked_up, mention


def test_a_turn_that_began_shows_its_question_and_what_is_in_use():
    view = fold(TurnLog("What is HER2?").events)
    assert (view.question, view.upstreams, view.provider) == ("What is HER2?", "snapshot", "planner")
    assert view.is_running
    assert view.activity == "Reading the question"


def test_every_event_seen_twice_changes_nothing():
    events = answered().events
    assert fold([event for event in events for _ in range(2)]) == fold(events)


def test_events_of_the_log_and_of_the_live_stream_may_overlap():
    events = answered().events
    assert fold([*events[:12], *events[8:]]) == fold(events)


def test_the_same_view_comes_of_one_piece_of_text_or_of_many():
    whole = fold(TurnLog().text(1, "HER2 is ERBB2.").end().events)
    pieces = TurnLog().text(1, "HER2 ").text(1, "is ").text(1, "ERBB2.").end().events
    assert fold(pieces).answer == whole.answer == "HER2 is ERBB2."


def test_text_of_earlier_steps_is_narration_and_text_of_the_last_the_answer():
    view = fold(answered().events)
    assert view.narration(view.steps[1]) == "First the gene and the disease."
    assert view.answer.startswith("Lapatinib (CHEMBL554)")
    assert view.narration(view.steps[3]) == ""


def test_text_is_the_answer_only_until_its_step_calls_a_tool():
    log = TurnLog().text(1, "Let me look.")
    assert fold(log.events).answer == "Let me look."
    view = fold(log.start("c1", "ensembl__lookup_gene", "Ensembl").events)
    assert view.answer == ""
    assert view.narration(view.steps[1]) == "Let me look."


def test_text_that_was_there_when_a_turn_was_stopped_stays():
    view = fold(TurnLog().text(1, "HER2 is").end("aborted_by_user", "You stopped this answer.").events)
    assert view.answer == "HER2 is"
    assert view.is_stopped
    assert not view.is_failed
    assert view.message == "You stopped this answer."


def test_a_turn_without_a_message_gets_the_sentence_of_its_outcome():
    view = fold(TurnLog().end("model_overloaded").events)
    assert view.is_failed
    assert view.message == TURN_SENTENCES[TurnOutcome.MODEL_OVERLOADED]


def test_calls_are_grouped_by_step_and_database():
    view = fold(looked_up().events)
    assert [[group.platform for group in step.groups] for step in view.shown_steps] == [
        ["Ensembl", "Open Targets"],
        ["ChEMBL", "ClinicalTrials.gov", "ClinPGx", "PubMed"],
    ]


@pytest.mark.parametrize(
    ("call_id", "state", "result"),
    [
        ("c1", CardState.DATA, "1 record"),
        ("c2", CardState.DATA, "10 of 42 records"),
        ("c3", CardState.DATA, "found"),
        ("c4", CardState.EMPTY, "nothing found"),
        ("c6", CardState.FAILED, "failed after 4 tries"),
        ("c7", CardState.UNKNOWN_ID, "identifier not known"),
    ],
)
def test_no_outcome_of_a_call_looks_like_another(call_id, state, result):
    card = fold(answered().events).cards[call_id]
    assert (card.state, card.result) == (state, result)


def test_what_the_snapshot_lacks_is_no_failure_of_a_database():
    log = TurnLog().start("c1", "x__get_y", "X").done("c1", "x__get_y", ok=False, error_code="not_in_snapshot")
    card = fold(log.events).cards["c1"]
    assert (card.state, card.result) == (CardState.ABSENT, "not in the snapshot")
    assert card.explanation.startswith("The offline snapshot does not hold this request.")


def test_a_title_does_not_repeat_its_database():
    log = TurnLog().start("c1", "chembl__get_target", "ChEMBL")
    log.events[-1]["title"] = "ChEMBL: get target"
    assert fold(log.events).cards["c1"].title == "Get target"


def test_arguments_are_told_in_short_without_how_much_was_asked_for():
    log = TurnLog().start("c1", "x__get_y", "X", query="breast cancer", kinds=["disease", "drug"], limit=10, cursor="")
    card = fold(log.events).cards["c1"]
    assert card.gist == "breast cancer, disease, drug"
    assert ("limit", "10") in card.arguments
    long = fold(TurnLog().start("c1", "x__get_y", "X", query="x" * 200).events).cards["c1"].gist
    assert (len(long), long[-1]) == (90, "…")


def test_a_failed_call_says_what_to_do_and_an_odd_one_its_note():
    view = fold(answered().events)
    assert view.cards["c6"].explanation.startswith("The database could not be reached")
    assert view.cards["c7"].explanation == "Did you mean something else?"


def test_a_call_that_was_running_when_the_turn_ended_does_not_look_alive():
    log = TurnLog().start("c1", "ensembl__lookup_gene", "Ensembl").end("aborted_by_user")
    card = fold(log.events).cards["c1"]
    assert card.state is CardState.STOPPED
    assert card.result == "stopped after 0.5 s"
    assert not card.is_running


def test_a_cancelled_call_is_stopped_not_failed():
    log = TurnLog().start("c1", "x__get_y", "X")
    log.done("c1", "x__get_y", ok=False, outcome="failed", error_code="tool_cancelled", seconds=1.25)
    assert fold(log.events).cards["c1"].result == "stopped after 1.2 s"


def test_progress_counts_calls_databases_and_money():
    view = fold(looked_up().events)
    assert (view.calls_done, len(view.cards)) == (4, 7)
    assert view.activity == "Asking ClinicalTrials.gov, ClinPGx and PubMed"
    assert view.announcement == "Searching 6 databases."
    ended = fold(answered().events)
    assert ended.activity == "7 look-ups in 6 databases"
    assert ended.cost_pico_usd == 12_345_678_901
    assert ended.tokens == {"input": 2000, "output": 400}


def test_searching_the_own_catalogue_is_no_database():
    log = TurnLog().start("c1", "search_available_tools", "BURP", query="drug labels")
    assert fold(log.events).activity == "Searching the tool catalogue"
    assert fold(log.done("c1", "search_available_tools").end().events).activity == "1 look-up"


def test_more_than_three_databases_are_counted_not_listed():
    log = TurnLog()
    for number, name in enumerate(["A", "B", "C", "D"]):
        log.start(f"c{number}", "x__get_y", name)
    assert fold(log.events).activity == "Asking 4 databases"


def test_reasoning_tells_how_long_it_took():
    step = fold(looked_up().events).steps[1]
    assert step.reasoning == "Resolve HER2 to ERBB2, then the disease."
    assert step.thinking_s == pytest.approx(1.0)
    assert not step.is_thinking


def test_only_records_that_the_answer_names_are_cited_each_once_with_its_state():
    view = fold(answered().events)
    assert [(cited.key, cited.state) for cited in view.citations] == [
        ("chembl:CHEMBL554", "grounded"),
        ("ensembl:ENSG00000141736", "grounded"),
        ("pmid:99999999", "missing"),
    ]
    assert [cited.identifier for cited in view.missing] == ["99999999"]


def test_a_citation_says_where_and_when_its_record_was_read():
    cited = fold(answered().events).citations[0]
    assert (cited.label, cited.seen_in, cited.tool) == ("lapatinib", "ChEMBL", "chembl__search_mechanisms")
    assert cited.fetched_at == "2026-11-30T12:00:00Z"
    assert fold(answered().events).fetched_on == "30 Nov 2026"


def test_while_a_turn_runs_what_is_not_in_the_citations_is_unchecked_not_missing():
    log = looked_up().text(3, "CHEMBL554 and CHEMBL1873475 differ.")
    assert [cited.state for cited in fold(log.events).citations] == ["grounded", "unchecked"]


def test_grounding_overrules_what_the_citations_alone_would_say():
    log = looked_up().text(3, "CHEMBL554 ")
    log.end(grounding={"grounded": [], "not_in_evidence": [mention("chembl", "CHEMBL554")]})
    assert [cited.state for cited in fold(log.events).citations] == ["missing"]


def test_an_identifier_that_markdown_had_to_escape_is_the_same_identifier():
    log = TurnLog().text(1, r"HLA-DQA1\*02:01 raises the risk.")
    log.end(grounding={"grounded": [mention("star_allele", "HLA-DQA1*02:01", "c1")], "not_in_evidence": []})
    assert [(cited.identifier, cited.state) for cited in fold(log.events).citations] == [("HLA-DQA1*02:01", "grounded")]


def test_versions_of_an_identifier_are_one_record():
    log = TurnLog().start("c1", "ensembl__lookup_gene", "Ensembl")
    log.done("c1", "ensembl__lookup_gene", citations=[citation("ensembl", "ENSG00000141736.14", "ERBB2")])
    assert fold(log.text(2, "ENSG00000141736 ").events).citations[0].label == "ERBB2"


def test_a_finished_answer_is_announced_with_its_records():
    assert fold(answered().events).announcement == "Answer complete, 3 records cited."


def test_a_call_that_ends_without_having_begun_is_no_call():
    assert fold(TurnLog().done("ghost", "x__get_y").events).cards == {}


def test_an_event_touches_only_its_own_parts_of_the_page():
    log = looked_up()
    view = fold(log.events)
    log.done("c5", "clinicaltrials__search_studies", 2)
    assert view.apply(log.events[-1]) == {"head", "card:5"}
    log.text(3, "Lapatinib")
    assert view.apply(log.events[-1]) == {"head", "answer", "step:2", "step:3"}
    log.text(3, " binds")
    assert view.apply(log.events[-1]) == {"head", "answer"}


def test_a_result_that_was_exchanged_for_its_artifact_shows_what_of_it_was_read():
    log = TurnLog().start("c1", "x__get_y", "X").done("c1", "x__get_y", bytes_before=120_000, bytes_after=120_100)
    stored = {"artifact_id": "a1", "bytes_before": 120_100, "bytes_after": 2_400}
    view = fold(log.events)
    parts = view.apply(log.add("tool_stored", step=1, call_id="c1", tool="x__get_y", **stored).events[-1])
    assert view.cards["c1"].size == "120 kB stored, 2 kB preview read"
    assert parts == {"card:1"}


def test_a_call_that_was_answered_from_an_earlier_one_says_so():
    log = TurnLog().start("c1", "x__get_y", "X").done("c1", "x__get_y").start("c2", "x__get_y", "X")
    assert fold(log.done("c2", "x__get_y", repeats="c1").events).cards["c2"].result == "as before"
