"""The shape of a JSON value."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from artifacts.jq import JqEngine
from artifacts.shape import shapes
from tests.artifacts.json_values import JSON_VALUES


def lines(value: Any) -> list[str]:
    return [f"{shape.path} {shape.line}" for shape in shapes(value)]


def test_every_path_is_listed_with_type_count_and_samples() -> None:
    value = {
        "page": {"total_count": 1204},
        "hits": [
            {"id": "CHEMBL554", "phase": 4, "names": ["lapatinib", "Tykerb"]},
            {"id": "CHEMBL1201179", "phase": None, "names": []},
            {"id": "CHEMBL25", "phase": 1, "flag": True},
        ],
    }
    assert lines(value) == [
        ". object",
        ".page object",
        ".hits array, 3 items",
        ".page.total_count number, e.g. 1204",
        ".hits[] object",
        '.hits[].id string, e.g. "CHEMBL554", "CHEMBL1201179"',
        ".hits[].phase null|number, 1 to 4",
        ".hits[].names array, 0-2 items, in 2 of 3 looked at",
        ".hits[].flag boolean, in 1 of 3 looked at, e.g. true",
        '.hits[].names[]? string, e.g. "lapatinib", "Tykerb"',
    ]


def test_texts_that_come_back_are_an_enumeration() -> None:
    value = [{"status": status, "id": f"NCT{n}"} for n, status in enumerate(["OPEN", "CLOSED", "OPEN", "OPEN"])]
    assert lines(value)[2:] == [
        '.[].status string, "OPEN" | "CLOSED"',
        '.[].id string, e.g. "NCT0", "NCT1"',
    ]
    assert lines(value * 100)[2] == '.[].status string, "OPEN" | "CLOSED" seen'


def test_sizes_of_branches_are_close_to_what_they_are() -> None:
    value = {"small": [1] * 50, "large": [{"id": n, "text": "x" * 90, "refs": [{"pmid": n}] * 3} for n in range(5_000)]}
    by_path = {shape.path: shape.size_bytes for shape in shapes(value)}
    for path, part in ((".", value), (".large", value["large"]), (".small", value["small"])):
        assert by_path[path] == pytest.approx(len(json.dumps(part, separators=(",", ":"))), rel=0.15)


def test_a_list_at_the_top_has_paths_too() -> None:
    assert lines([{"a": 1}])[1:] == [".[] object", ".[].a number, e.g. 1"]


def test_an_object_with_many_keys_is_a_map() -> None:
    value = {f"ENSG{number:011d}": {"symbol": f"G{number}"} for number in range(500)}
    assert lines(value) == [
        '. map, 500 keys, e.g. "ENSG00000000000", "ENSG00000000001"',
        ".[] object",
        '.[].symbol string, e.g. "G0", "G1"',
    ]


def test_long_texts_are_cut_and_their_length_is_told() -> None:
    assert lines({"sequence": "ACGT" * 300})[1] == (
        '.sequence string, up to 1,200 characters, e.g. "ACGTACGTACGTACGTACGTACGT…"'
    )


def test_keys_with_special_characters_are_quoted() -> None:
    value = {"Full InChI": 1, "a.b": {"c-d": 2}, 'q"': 3, "1": 4}
    assert [shape.path for shape in shapes(value)] == [
        ".",
        '.["Full InChI"]',
        '.["a.b"]',
        '.["q\\""]',
        '.["1"]',
        '.["a.b"]["c-d"]',
    ]


def test_rare_fields_at_the_end_of_a_long_list_are_seen() -> None:
    value = [{"a": 1} for _ in range(5_000)] + [{"late": True}]
    assert ".[].late boolean, in 1 of 100 looked at, e.g. true" in lines(value)


def test_a_list_that_some_items_lack_is_gone_through_with_care() -> None:
    value = {"hits": [{"names": ["a"]}, {}, {"names": None}], "long": [{"ids": [1]} for _ in range(200)]}
    paths = [shape.path for shape in shapes(value)]
    assert ".hits[].names[]?" in paths and ".long[].ids[]?" in paths and ".long[]" in paths


@given(value=JSON_VALUES)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_path_runs_in_jq_and_finds_something(jq: JqEngine, value: Any) -> None:
    paths = [shape.path for shape in shapes(value)]
    program = ",".join(f"([{path}]|length)" for path in paths)
    output = jq.run(program, json.dumps(value).encode(), timeout_s=5.0, output_max_bytes=1_000_000)
    assert len(output.results) == len(paths)
    assert all(int(result) > 0 for result in output.results)


def test_deep_nesting_ends() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    assert len(shapes(value)) == 13
