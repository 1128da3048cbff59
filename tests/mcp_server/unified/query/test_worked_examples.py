"""The worked examples of the language: each query becomes exactly these legs, remarks or mistakes."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from mcp_server.unified.query import Plan, QueryErrors, Request, build_plan

TODAY = date(2026, 11, 30)
EXAMPLES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("worked_examples.json").read_text())
PLANNED = [example for example in EXAMPLES if "legs" in example]
REFUSED = [example for example in EXAMPLES if "error" in example]


def named(example: dict[str, Any]) -> str:
    return str(example["name"])


def planned(example: dict[str, Any]) -> Plan:
    return build_plan(Request(query=example["query"], **example.get("arguments", {})), TODAY)


@pytest.mark.parametrize("example", PLANNED, ids=named)
def test_a_query_becomes_its_legs(example: dict[str, Any]) -> None:
    plan = planned(example)
    expected = [{"branch": 0, "enrich": [], "soft": [], "post_filters": []} | leg for leg in example["legs"]]

    assert [{name: leg.wire()[name] for name in expected[0]} for leg in plan.legs] == expected
    assert [notice.code for notice in plan.notices] == example.get("notices", [])
    assert plan.not_applied == ()


@pytest.mark.parametrize("example", PLANNED, ids=named)
def test_the_normalised_query_has_the_same_legs(example: dict[str, Any]) -> None:
    plan = planned(example)

    again = build_plan(Request(query=plan.normalised), TODAY)

    assert (again.legs, again.hash, again.normalised) == (plan.legs, plan.hash, plan.normalised)


@pytest.mark.parametrize("example", REFUSED, ids=named)
def test_a_query_is_refused_with_the_place_of_its_mistake(example: dict[str, Any]) -> None:
    with pytest.raises(QueryErrors) as refused:
        planned(example)

    assert len(refused.value.errors) == 1
    shown = refused.value.errors[0].wire()
    assert {name: shown[name] for name in example["error"]} == example["error"]
    assert shown["hint"]


def test_the_plan_is_shown_in_its_documented_form() -> None:
    plan = build_plan(Request(query="gene:BRAF AND disease:melanoma"), TODAY)

    shown = json.loads(json.dumps(plan.wire()))

    assert list(shown) == ["query", "normalised", "notices", "legs", "not_applied"]
    assert shown["normalised"] == "gene:BRAF AND disease:melanoma"
    assert shown["legs"][0] == {
        "domain": "article",
        "tools": ["pubtator3__search_literature", "europepmc__search_articles"],
        "params": {"genes": ["BRAF"], "diseases": ["melanoma"]},
        "enrich": ["cbioportal:BRAF"],
        "post_filters": [],
        "soft": [],
        "branch": 0,
    }


def test_equal_legs_have_equal_hashes_and_others_not() -> None:
    one, same, other = (
        build_plan(Request(query=text), TODAY) for text in ("gene:braf", "genes:BRAF", "gene:BRAF AND phase:2")
    )

    assert one.hash == same.hash
    assert one.hash != other.hash
