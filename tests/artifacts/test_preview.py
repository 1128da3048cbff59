"""What a model reads of a result that is too large to be read."""

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from artifacts.jq import JqEngine
from artifacts.preview import existing_paths, preview
from artifacts.shape import shapes
from artifacts.tokens import tokens
from tests.artifacts.json_values import DOCUMENTS

TRIALS = {
    "total": 480,
    "studies": [
        {
            "nct_id": f"NCT0{n:07d}",
            "status": "RECRUITING" if n % 3 else "COMPLETED",
            "phase": n % 4,
            "sites": [{"n": n}] * 9,
        }
        for n in range(480)
    ],
}


def filters_of(text: str) -> list[str]:
    """Return the ready filters of a preview."""
    _, _, told = text.partition("For inspect_artifact:\n")
    return [found for line in told.splitlines() for found in re.findall(r"\? `(.*)`$", line)]


def test_the_text_tells_paths_values_sizes_items_and_ready_filters() -> None:
    assert preview(TRIALS, 600, size=60_000) == (
        "JSON of 60,000 bytes. Its jq paths; those further in go on from the one above.\n"
        ". object\n"
        ".total number, e.g. 480\n"
        ".studies array, 480 items, 100% of all\n"
        " [] object\n"
        '  .nct_id string, e.g. "NCT00000000", "NCT00000001"\n'
        '  .status string, "RECRUITING" | "COMPLETED" seen\n'
        "  .phase number, 0 to 3\n"
        "  .sites array, 9 items, 60% of all\n"
        "   []? object\n"
        "    .n? number, 0 to 479\n"
        ".studies begins:\n"
        '{"nct_id": "NCT00000000", "status": "COMPLETED", "phase": 0, "sites": [{"n": 0}, "… 8 more"]}\n'
        '{"nct_id": "NCT00000001", "status": "RECRUITING", "phase": 1, "sites": [{"n": 1}, "… 8 more"]}\n'
        '{"nct_id": "NCT00000002", "status": "RECRUITING", "phase": 2, "sites": [{"n": 2}, "… 8 more"]}\n'
        "For inspect_artifact:\n"
        "How many, which? `(.studies | length), [.studies[] | objects | {nct_id, status, phase}]`\n"
        'Only some, by status? `[.studies[] | objects | select(.status == "RECRUITING") | {nct_id, status, phase}]`\n'
        "How many of each status? `[.studies[] | objects] | group_by(.status) | map([(.[0] | .status), length])`"
    )


def test_ready_filters_bring_what_they_say(jq: JqEngine) -> None:
    document = json.dumps(TRIALS).encode()
    which, some, each = filters_of(preview(TRIALS, 600, size=1))
    found = [
        json.loads(jq.run(f"[{one}]", document, timeout_s=2, output_max_bytes=10**6).results[0])
        for one in (which, some, each)
    ]
    assert found[0][0] == 480 and found[0][1][0] == {"nct_id": "NCT00000000", "status": "COMPLETED", "phase": 0}
    assert len(found[1][0]) == 320
    assert found[2][0] == [["COMPLETED", 160], ["RECRUITING", 320]]


def test_without_enumerations_the_highest_are_asked_for() -> None:
    value = [{"symbol": f"G{n}", "score": n / 7} for n in range(30)]
    assert filters_of(preview(value, 600, size=1)) == [
        "(. | length), [.[] | {symbol, score}]",
        "[.[]] | sort_by(.score) | reverse[:10] | map({symbol, score})",
        '[.[] | select(tostring | test("WORD"; "i")) | {symbol, score}]',
    ]


def test_what_is_left_out_is_what_lies_deepest() -> None:
    value = {"deep": {"deeper": {f"k{number}": {"x": 1} for number in range(20)}}, "total": 5}
    text = preview(value, 160, size=999)
    assert ".total number, e.g. 5" in text and " .deeper object" in text
    assert "… and " in text and " more paths" in text


def test_noise_is_not_listed_but_the_whole_is_described() -> None:
    whole = {"hits": [{"id": number, "xrefs": ["a"]} for number in range(60)]}
    focus = {"hits": [{"id": number} for number in range(60)]}
    text = preview(whole, 600, size=5000, focus=focus)
    assert ".hits array, 60 items" in text and ".xrefs" not in text


@given(DOCUMENTS, st.integers(min_value=0, max_value=600))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_preview_is_bounded_and_deterministic(value: Any, max_tokens: int) -> None:
    text = preview(value, max_tokens, size=10)
    assert tokens(text) <= max_tokens
    assert text == preview(json.loads(json.dumps(value)), max_tokens, size=10)
    assert tokens(existing_paths(value, max_tokens, near=".hits[].id")) <= max_tokens


@given(value=DOCUMENTS)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_ready_filter_runs_on_the_value(jq: JqEngine, value: Any) -> None:
    document = json.dumps(value).encode()
    for one in filters_of(preview(value, 600, size=1)):
        ran = jq.run(one, document, timeout_s=5.0, output_max_bytes=1_000_000)
        assert ran.cut is None, one


@pytest.mark.parametrize("value", [None, 1, "x" * 100_000, [], {}, [[[[1]]]], 10**400, {"k" * 5_000: 1}, ["\ud800"]])
def test_any_value_has_a_preview(value: Any) -> None:
    text = preview(value, 600, size=1)
    assert text.startswith("JSON of 1 bytes.") and tokens(text) <= 600


def test_a_huge_value_is_described_in_bounds() -> None:
    value = {f"list{n}": [{"rows": [{"x": i, "y": "text"} for i in range(200)]} for _ in range(50)] for n in range(20)}
    text = preview(value, 600, size=10_000_000)
    assert tokens(text) <= 600
    assert ".list0 array, 50 items" in text and "more paths" in text


def test_close_paths_come_first() -> None:
    value = {"results": [{"accession": "P1", "geneSymbol": "A"}], "meta": {"count": 1}}
    text = existing_paths(value, 200, near="[.results[] | {genesymbl, acession}]")
    assert text.startswith("Close to it: .results  .results[].geneSymbol  .results[].accession. Paths that exist: .  ")


def test_the_worker_says_the_same_as_this_process(jq: JqEngine) -> None:
    document = json.dumps(TRIALS).encode()
    text = preview(TRIALS, 600, size=len(document))
    assert jq.preview(document, max_tokens=600, timeout_s=5) == text
    assert shapes(TRIALS)[1].path in jq.paths(document, max_tokens=100, timeout_s=5, near="")
