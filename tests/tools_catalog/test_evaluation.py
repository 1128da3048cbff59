"""The measures of a search, by hand."""

import json
from pathlib import Path

import pytest

from tools_catalog.evaluation import Labelled, evaluate, read_labelled, tables

PLATFORM_OF = {"a__x": "A", "a__y": "A", "b__z": "B"}


def labelled(query: str, kind: str, best: str = "", acceptable: str = "") -> Labelled:
    return Labelled(query, kind, frozenset(best.split()), frozenset(acceptable.split()))


def test_strict_counts_the_best_alone_and_wide_all_labels() -> None:
    ranked = {"one": ["a__x", "a__y"], "two": ["a__y", "b__z", "a__x"], "three": ["b__z"], "none": []}
    queries = [
        labelled("one", "keyword", "a__x"),
        labelled("two", "namespace", "a__x", "a__y"),
        labelled("three", "user_words", "a__x"),
        labelled("none", "negative"),
    ]
    report = evaluate("by hand", lambda query: ranked[query], queries, PLATFORM_OF)
    assert report.all.hit(1) == pytest.approx(1 / 3)
    assert report.all.hit(3) == report.all.hit(1, wide=True) == pytest.approx(2 / 3)
    assert report.all.mrr() == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert (report.negatives, report.empty_negatives, report.empty_positives) == (1, 1, 0)
    assert report.platform_share == pytest.approx(2 / 3)
    assert len(report.milliseconds) == 4 and report.p95_ms >= report.median_ms > 0
    shown = tables([report])
    assert "| by hand | 0.333 | 0.667 | 0.667 |" in shown and "| user_words | 1 | 0.00 / 0.00 (0.00) |" in shown


def test_labels_of_tools_that_are_no_more_count_for_their_successors(tmp_path: Path) -> None:
    entries = [
        {"query": "q1", "kind": "keyword", "best": ["cbioportal__get_study"], "acceptable": ["gone__tool"]},
        {"query": "q2", "kind": "keyword", "best": ["gone__tool"], "acceptable": ["a__x"]},
        {"query": "q3", "kind": "negative", "best": [], "acceptable": []},
    ]
    path = tmp_path / "queries.jsonl"
    path.write_text("\n".join(map(json.dumps, entries)) + "\n\n")
    queries, left_out = read_labelled(path, ["cbioportal__get_cancer_study", "a__x"])
    assert [one.best for one in queries] == [frozenset({"cbioportal__get_cancer_study"}), frozenset()]
    assert left_out == 1 and queries[1].is_negative
