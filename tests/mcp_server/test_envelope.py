"""The one shape of results: outcomes stay apart, counts are honest, provenance is told."""

from typing import Any

import pytest

from mcp_server.codes import TOOL_SENTENCES, ResultOutcome, ToolCode
from mcp_server.envelope import (
    Answer,
    Citation,
    compact,
    empty,
    failure,
    provenance,
    rows,
    success,
    unknown_id,
    upstream_failure,
    walk,
)
from mcp_server.http.client import CallTrace
from mcp_server.http.errors import NotInSnapshot, UpstreamRateLimited
from mcp_server.http.messages import Origin


def test_rows_count_what_is_there_and_what_there_is() -> None:
    envelope = success(rows([1, 2], total=9, next={"offset": 2}, note="n"), [], CallTrace())
    assert envelope.content == {
        "outcome": "data",
        "data": [1, 2],
        "total": 9,
        "returned": 2,
        "next": {"offset": 2},
        "note": "n",
    }
    assert not envelope.is_error


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        (rows([]), {"outcome": "empty", "data": [], "total": 0, "returned": 0}),
        (empty("looked for x"), {"outcome": "empty", "data": None, "total": 0, "returned": 0, "note": "looked for x"}),
        (unknown_id("P1", "n"), {"outcome": "unknown_id", "data": {"identifier": "P1"}, "note": "n"}),
        (
            unknown_id("P1", "n", "P2"),
            {"outcome": "unknown_id", "data": {"identifier": "P1", "replacement": "P2"}, "note": "n"},
        ),
        (Answer({"a": 1}), {"outcome": "data", "data": {"a": 1}}),
    ],
    ids=["no rows", "empty", "unknown", "replaced", "plain"],
)
def test_outcomes_stay_apart_and_absent_fields_are_left_out(answer: Answer, content: dict[str, Any]) -> None:
    envelope = success(answer, [], CallTrace())
    assert envelope.content == content
    assert not envelope.is_error


def test_a_failure_has_code_message_next_step_and_facts_but_no_data() -> None:
    envelope = failure(ToolCode.TOOL_INVALID_ARGUMENTS, "limit: too big", argument="limit", example=None, near=[])
    assert envelope.is_error
    assert envelope.content == {
        "outcome": "failed",
        "error": {
            "code": "tool_invalid_arguments",
            "message": "limit: too big",
            "next_step": TOOL_SENTENCES[ToolCode.TOOL_INVALID_ARGUMENTS],
            "argument": "limit",
        },
    }


def test_every_code_has_a_sentence_for_people() -> None:
    assert set(TOOL_SENTENCES) == set(ToolCode)


def test_an_upstreams_failure_keeps_its_words_and_host() -> None:
    error = UpstreamRateLimited("rest.test", "slow down", status=429, body={"secret": "x"})
    envelope = upstream_failure(error, CallTrace())
    assert envelope.content["error"]["message"] == "rest.test (HTTP 429): slow down"
    assert "secret" not in str(envelope)


def test_a_miss_in_the_snapshot_names_near_records() -> None:
    near = [{"tool": "x__get_y", "arguments": {}}]
    envelope = upstream_failure(NotInSnapshot("rest.test", "no such request", body=near), CallTrace())
    assert envelope.content["error"]["code"] == "not_in_snapshot"
    assert envelope.content["error"]["near"] == near


def test_citations_are_linked_and_each_record_cited_once() -> None:
    answer = Answer({}, citations=[Citation("nct", "NCT01808573", "from the answer")])
    envelope = success(
        answer,
        [Citation("nct", "NCT01808573", "NALA"), Citation("x", "1", url="https://x.test/1"), Citation("x", "2")],
        CallTrace(),
    )
    assert envelope.meta["burp/citations"] == [
        {
            "kind": "nct",
            "identifier": "NCT01808573",
            "label": "NALA",
            "url": "https://clinicaltrials.gov/study/NCT01808573",
        },
        {"kind": "x", "identifier": "1", "label": "", "url": "https://x.test/1"},
        {"kind": "x", "identifier": "2", "label": "", "url": ""},
    ]


def test_live_results_say_when_they_were_fetched() -> None:
    meta = provenance(CallTrace(requests=[{"url": "u"}], release="26.06"))
    assert meta["burp/requests"] == [{"url": "u"}] and meta["burp/release"] == "26.06"
    assert meta["burp/fetched_at"].endswith("Z") and "burp/snapshot" not in meta


def test_offline_results_have_the_date_of_the_oldest_record() -> None:
    trace = CallTrace(origins=[Origin("recorded", "2026-06-17"), Origin("curated", "2025-01-02", partial=True)])
    meta = provenance(trace)
    assert meta["burp/fetched_at"] == "2025-01-02T00:00:00Z"
    assert meta["burp/snapshot"] == {"origin": "curated", "date": "2025-01-02", "partial": True}


def test_a_partial_record_is_told_in_the_note() -> None:
    trace = CallTrace(origins=[Origin("recorded", "2026-06-17", partial=True)])
    content = success(rows([1], note="First."), [], trace).content
    assert content["note"] == "First. The offline snapshot holds only a part of what the database lists here."


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", [{"a": {"b": [{"c": 1}, {"c": None}, {"d": 2}]}, "e": []}]),
        (".", [{"a": {"b": [{"c": 1}, {"c": None}, {"d": 2}]}, "e": []}]),
        (".a.b[].c", [1]),
        (".a.b[].d", [2]),
        (".e[]", []),
        (".x[].y", []),
        (".a.b.c", []),
        (".a[]", []),
    ],
)
def test_paths_yield_what_is_there(path: str, expected: list[Any]) -> None:
    assert list(walk({"a": {"b": [{"c": 1}, {"c": None}, {"d": 2}]}, "e": []}, path)) == expected


def test_a_path_may_begin_with_a_list() -> None:
    assert list(walk([{"id": 1}, {"id": 2}], ".[].id")) == [1, 2]


def test_models_read_compact_json_with_its_letters() -> None:
    assert compact({"a": ["β", 1]}) == '{"a":["β",1]}'


def test_outcomes_are_the_words_of_the_contract() -> None:
    assert [outcome.value for outcome in ResultOutcome] == ["data", "empty", "unknown_id", "failed"]


@pytest.mark.parametrize(("total", "told"), [(2, None), (17963, 17963)], ids=["the rows at hand", "the upstream's"])
def test_a_part_is_never_taken_for_the_whole(total: int, told: int | None) -> None:
    trace = CallTrace(origins=[Origin("curated", "2026-07-16", partial=True)])
    content = success(rows(["ERBB2", "PIK3CA"], total=total), [], trace).content
    assert (content.get("total"), content["returned"]) == (told, 2)


def test_a_whole_list_says_its_total() -> None:
    trace = CallTrace(origins=[Origin("recorded", "2026-07-16")])
    assert success(rows(["ERBB2", "PIK3CA"]), [], trace).content["total"] == 2
