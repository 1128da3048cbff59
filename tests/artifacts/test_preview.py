"""The shape of what is too large to read."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from artifacts.jq import JqEngine
from artifacts.preview import existing_paths, preview, shapes
from artifacts.tokens import tokens

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=20), inner, max_size=6),
    max_leaves=40,
)


def lines(value: Any) -> list[str]:
    return [shape.line() for shape in shapes(value)]


def test_every_path_is_listed_with_type_count_and_samples() -> None:
    value = {
        "page": {"total_count": 1204},
        "hits": [
            {"id": "CHEMBL554", "phase": 4, "names": ["lapatinib", "Tykerb"]},
            {"id": "CHEMBL1201179", "phase": None, "names": []},
            {"id": "CHEMBL25", "flag": True},
        ],
    }
    assert lines(value) == [
        ". object",
        ".page object",
        ".hits array, 3 items",
        ".page.total_count number, e.g. 1204",
        ".hits[] object",
        '.hits[].id string, e.g. "CHEMBL554", "CHEMBL1201179"',
        ".hits[].phase null|number, in 2 of 3 looked at, e.g. 4",
        ".hits[].names array, 0-2 items, in 2 of 3 looked at",
        ".hits[].flag boolean, in 1 of 3 looked at, e.g. true",
        '.hits[].names[]? string, e.g. "lapatinib", "Tykerb"',
    ]


def test_the_text_tells_size_paths_and_what_to_begin_with() -> None:
    value = {"hits": [{"id": number, "name": "x"} for number in range(50)]}
    assert preview(value, 600, size=1234) == (
        "JSON of 1,234 bytes. The jq paths that exist, with types, counts and samples:\n"
        ". object\n"
        ".hits array, 50 items\n"
        ".hits[] object\n"
        ".hits[].id number, e.g. 0, 1\n"
        '.hits[].name string, e.g. "x"\n'
        "To begin with: `.hits | length`, `.hits[:3]`, `[.hits[] | {id, name}]`."
    )


def test_a_list_at_the_top_has_paths_too() -> None:
    assert lines([{"a": 1}])[1:] == [".[] object", ".[].a number, e.g. 1"]
    assert "`. | length`, `.[:3]`, `[.[] | {a}]`" in preview([{"a": 1}, {"a": 2}], 500, size=10)


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


def test_what_is_left_out_is_what_lies_deepest() -> None:
    value = {"deep": {"deeper": {f"k{number}": {"x": 1} for number in range(20)}}, "total": 5}
    text = preview(value, 130, size=999)
    assert ".total number, e.g. 5" in text and ".deep.deeper object" in text
    assert "… and " in text and " more" in text


def test_noise_is_not_listed_but_the_whole_is_described() -> None:
    whole = {"hits": [{"id": number, "xrefs": ["a"]} for number in range(60)]}
    focus = {"hits": [{"id": number} for number in range(10)]}
    text = preview(whole, 600, size=5000, focus=focus)
    assert ".hits array, 60 items" in text and "xrefs" not in text


def test_a_list_that_some_items_lack_is_gone_through_with_care() -> None:
    value = {"hits": [{"names": ["a"]}, {}, {"names": None}], "long": [{"ids": [1]} for _ in range(200)]}
    paths = [shape.path for shape in shapes(value)]
    assert ".hits[].names[]?" in paths and ".long[].ids[]?" in paths and ".long[]" in paths


@given(JSON_VALUES, st.integers(min_value=30, max_value=600))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_preview_is_bounded_and_deterministic(value: Any, max_tokens: int) -> None:
    text = preview(value, max_tokens, size=10)
    assert tokens(text) <= max_tokens
    assert text == preview(json.loads(json.dumps(value)), max_tokens, size=10)
    assert tokens(existing_paths(value, max_tokens)) <= max_tokens


@given(value=JSON_VALUES)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_path_runs_in_jq_and_finds_something(jq: JqEngine, value: Any) -> None:
    paths = [shape.path for shape in shapes(value)]
    program = ",".join(f"([{path}]|length)" for path in paths)
    output = jq.run(program, json.dumps(value).encode(), timeout_s=5.0, output_max_bytes=1_000_000)
    assert len(output.results) == len(paths)
    assert all(int(result) > 0 for result in output.results)


@pytest.mark.parametrize("value", [None, 1, "x" * 100_000, [], {}, [[[[1]]]], 10**400])
def test_any_value_has_a_preview(value: Any) -> None:
    assert preview(value, 600, size=1).startswith("JSON of 1 bytes.")


def test_a_huge_value_is_described_quickly_and_in_bounds() -> None:
    value = {f"list{n}": [{"rows": [{"x": i, "y": "text"} for i in range(200)]} for _ in range(50)] for n in range(20)}
    text = preview(value, 600, size=10_000_000)
    assert tokens(text) <= 600
    assert ".list0[].rows[].x number" in text or "… and" in text


def test_deep_nesting_ends() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    assert len(shapes(value)) == 13
