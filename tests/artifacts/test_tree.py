"""A stored document as a page shows it."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactError
from artifacts.jq import JqEngine
from artifacts.tree import CHILDREN_SHOWN, HITS_SHOWN, Document, Table, read_path
from tests.artifacts.json_values import DOCUMENTS

DATA = {
    "total": 12345678901234567890,
    "rows": [{"id": f"NCT{n}", "status": "OPEN" if n % 2 else "closed", "p": 0.05} for n in range(250)],
    "a b": {"x": None, "y": [], "long": "é" * 1_000},
}


def document(jq: JqEngine, value: Any = DATA) -> Document:
    content = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    return Document(content, ArtifactLimits(jq_timeout_s=2.0), jq)


def table(jq: JqEngine, value: Any, path: tuple[str | int, ...] = ()) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(document(jq, value).csv(path)))))


def test_a_branch_tells_its_children_and_how_many_there_are(jq: JqEngine) -> None:
    branch = document(jq).branch()
    told = [(node.key, node.kind, node.summary, node.is_branch) for node in branch.children]
    assert told == [
        ("total", "number", "12345678901234567890", False),
        ("rows", "array", "250 items", True),
        ("a b", "object", "3 keys", True),
    ]
    assert [node.summary for node in document(jq).branch(("a b",)).children][:2] == ["null", "empty"]
    assert document(jq).branch(("a b",)).children[2].summary == f'"{"é" * 400}"…'


def test_a_long_list_comes_in_parts(jq: JqEngine) -> None:
    first = document(jq).branch(("rows",))
    assert (len(first.children), first.rest, first.children[0].jq_path) == (CHILDREN_SHOWN, 150, ".rows[0]")
    last = document(jq).branch(("rows",), 200)
    assert ([node.key for node in last.children][::49], last.rest) == (["200", "249"], 0)
    assert document(jq).branch(("rows",), 900).children == ()
    assert [node.summary for node in document(jq).branch(("rows", 3)).children] == ['"NCT3"', '"OPEN"', "0.05"]


@pytest.mark.parametrize("path", [("rows", "x"), ("total", "x"), ("rows", 0, "id", 3)])
def test_a_place_that_can_not_be_is_refused(jq: JqEngine, path: tuple[str | int, ...]) -> None:
    with pytest.raises(ArtifactError, match="Cannot"):
        document(jq).branch(path)


@pytest.mark.parametrize("text", ["{}", "[null]", "[true]", "[1.5]", "[[]]", "x", json.dumps(["a"] * 65)])
def test_a_path_is_a_short_list_of_keys_and_positions(text: str) -> None:
    with pytest.raises(ValueError):
        read_path(text)


def test_a_search_finds_keys_and_values_in_any_case(jq: JqEngine) -> None:
    hits = document(jq).search("nct24")
    assert [node.jq_path for node in hits.nodes][:2] == [".rows[24].id", ".rows[240].id"] and not hits.is_cut
    assert [node.jq_path for node in document(jq).search("A B").nodes] == ['.["a b"]']
    assert [node.jq_path for node in document(jq).search("12345678901234567890").nodes] == [".total"]
    cut = document(jq).search("open")
    assert len(cut.nodes) == HITS_SHOWN and cut.is_cut
    assert document(jq).search("nowhere").nodes == ()


@pytest.mark.parametrize("words", ['"', "\\(env)", '") | env | ("', "'", "$__loc__", "."])
def test_what_is_searched_for_is_never_a_program(jq: JqEngine, words: str) -> None:
    found = document(jq, [words, 'x" | env']).search(words)
    assert found.nodes[0].jq_path == ".[0]"


def test_tables_are_lists_of_objects(jq: JqEngine) -> None:
    assert document(jq).tables() == [Table(("rows",), 250)]
    assert document(jq, [{"a": 1}]).tables() == [Table((), 1)]
    assert document(jq, {"data": {"hits": [{"a": 1}], "ids": [1, 2], "none": []}}).tables() == [
        Table(("data", "hits"), 1)
    ]
    assert document(jq, 5).tables() == []


def test_a_table_has_all_columns_in_their_order_and_every_digit(jq: JqEngine) -> None:
    rows = b'[{"b":1.50,"a":"x"},{"a":null,"c":[1,{"d":true}]},{"b":12345678901234567890}]'
    assert table(jq, rows) == [
        ["b", "a", "c"],
        ["1.50", "x", ""],
        ["", "", '[1,{"d":true}]'],
        ["12345678901234567890", "", ""],
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x")'])
def test_no_cell_is_a_formula(jq: JqEngine, text: str) -> None:
    assert table(jq, [{text: text, "n": -5}]) == [[f"'{text}", "n"], [f"'{text}", "-5"]]


@pytest.mark.parametrize(("value", "path"), [({"a": 1}, ()), ({"a": [1]}, ("a",)), ([], ()), ({"a": 1}, ("b",))])
def test_what_is_no_table_is_refused(jq: JqEngine, value: Any, path: tuple[str | int, ...]) -> None:
    with pytest.raises(ArtifactError, match="no rows"):
        table(jq, value, path)


@given(value=DOCUMENTS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_document_has_a_tree_and_its_tables_have_all_rows(jq: JqEngine, value: Any) -> None:
    shown = document(jq, json.dumps(value).encode())
    for node in shown.branch().children:
        assert shown.branch(node.path).node == node
    for found in shown.tables():
        rows = list(csv.reader(io.StringIO("".join(shown.csv(found.path)) if any_keys(value, found) else "")))
        assert not rows or len(rows) >= 2


def any_keys(value: Any, found: Table) -> bool:
    """Tell whether a list has any object with a key."""
    for step in found.path:
        value = value[step]
    return any(item for item in value if isinstance(item, dict))
