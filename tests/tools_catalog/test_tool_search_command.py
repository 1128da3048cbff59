"""`manage.py tool_search eval`."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.django_db(transaction=True)
def test_a_file_of_labelled_queries_is_measured_beside_plain_searches(tmp_path: Path) -> None:
    entries = [
        {"query": "rsid merged into another", "kind": "keyword", "best": ["clinvar__get_refsnp"], "acceptable": []},
        {"query": "weather forecast", "kind": "negative", "best": [], "acceptable": []},
        {"query": "gone", "kind": "keyword", "best": ["gone__tool"], "acceptable": []},
    ]
    path = tmp_path / "queries.jsonl"
    path.write_text("\n".join(map(json.dumps, entries)))
    out = StringIO()
    call_command("tool_search", "eval", "--queries", str(path), "--json", stdout=out)
    reports = {report["search"]: report for report in json.loads(out.getvalue())}
    # The tests run without an embedder.
    assert list(reports) == ["plain BM25", "plain FTS5", "keywords only"]
    assert reports["keywords only"]["parts"]["all"]["hit@5"] == 1.0
    assert reports["keywords only"]["empty_negatives"] == 1

    out = StringIO()
    call_command("tool_search", "eval", "--queries", str(path), "--misses", stdout=out)
    assert "2 queries over" in out.getvalue() and "1 left out" in out.getvalue()
    assert "search by keywords only: no embedder is configured" in out.getvalue()


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="there is no file"):
        call_command("tool_search", "eval", "--queries", str(tmp_path / "none.jsonl"))
