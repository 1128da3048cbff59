"""Arguments beside the query hold together with it, are checked like it, and open a domain without one."""

from datetime import date
from typing import Any

import pytest

from mcp_server.unified.query import Plan, QueryError, QueryErrors, Request, build_plan

TODAY = date(2026, 11, 30)
OPEN = ["RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "AVAILABLE"]


def planned(query: str = "", **arguments: Any) -> Plan:
    return build_plan(Request(query=query, **arguments), TODAY)


def params(plan: Plan, domain: str) -> dict[str, Any]:
    found = [dict(leg.params) for leg in plan.legs if leg.domain == domain]
    assert len(found) == 1
    return found[0]


def mistakes(query: str = "", **arguments: Any) -> list[QueryError]:
    with pytest.raises(QueryErrors) as refused:
        planned(query, **arguments)
    return list(refused.value.errors)


def test_lists_beside_the_query_hold_together_with_it() -> None:
    plan = planned(
        "disease:melanoma", genes=["BRAF"], drugs=["vemurafenib"], variants=["V600E"], keywords=["resistance"]
    )

    assert params(plan, "article") == {
        "diseases": ["melanoma"],
        "genes": ["BRAF"],
        "drugs": ["vemurafenib"],
        "variants": ["BRAF V600E"],
        "keywords": ["resistance"],
    }
    assert plan.normalised == (
        "disease:melanoma AND gene:BRAF AND drug:vemurafenib AND variant:V600E AND keyword:resistance"
    )


def test_conditions_are_diseases_and_chemicals_are_drugs() -> None:
    plan = planned("gene:BRAF", conditions=["melanoma"], chemicals=["vemurafenib"])

    assert (params(plan, "trial")["condition"], params(plan, "trial")["intervention"]) == (
        ["melanoma"],
        ["vemurafenib"],
    )


def test_a_bar_in_an_argument_is_any_of() -> None:
    assert params(planned("gene:PTEN", keywords=["R173|Arg173"]), "article")["keywords_any"] == ["R173", "Arg173"]


@pytest.mark.parametrize("keyword", ["head and neck", "a:b", "(x)", 'say "x y" now', "a,b c", "-x y", "not this"])
def test_words_of_an_argument_are_never_read_as_the_language(keyword: str) -> None:
    plan = planned("gene:BRAF", keywords=[keyword])

    assert params(plan, "article")["keywords"] == [keyword]
    assert planned(plan.normalised).legs == plan.legs


def test_phase_and_status_beside_the_query_narrow_trials() -> None:
    plan = planned("disease:melanoma", phase="PHASE3", recruiting_status="OPEN")

    assert params(plan, "trial") == {"condition": ["melanoma"], "phases": ["PHASE3"], "status": OPEN}


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (2, {"phases": ["PHASE2"]}),
        ("2..3", {"phases": ["PHASE2", "PHASE3"]}),
        (["PHASE1", "PHASE2"], {"phases": ["PHASE1", "PHASE2"]}),
        ("PHASE1/PHASE2", {"phases_all": ["PHASE1", "PHASE2"]}),
        (">= 3", {"phases": ["PHASE3", "PHASE4"]}),
    ],
)
def test_a_phase_is_accepted_in_every_form(phase: Any, expected: dict[str, Any]) -> None:
    assert params(planned("disease:x", phase=phase), "trial") == {"condition": ["x"]} | expected


def test_an_argument_narrows_what_the_query_allows() -> None:
    plan = planned("disease:x AND phase:2..4", phase="3..4")

    assert params(plan, "trial")["phases"] == ["PHASE3", "PHASE4"]


@pytest.mark.parametrize(
    ("query", "arguments", "position"),
    [
        ("disease:x AND phase:2", {"phase": "3"}, 14),
        ("disease:x AND status:completed", {"recruiting_status": "OPEN"}, 14),
        ("disease:x AND near:10,10", {"lat": 20, "long": 20}, 14),
    ],
    ids=["phase", "status", "place"],
)
def test_an_argument_against_the_query_is_a_conflict_at_its_place(
    query: str, arguments: dict[str, Any], position: int
) -> None:
    errors = mistakes(query, **arguments)

    assert [(error.code, error.position) for error in errors] == [("E_CONFLICT", position)]
    assert next(iter(arguments)) in errors[0].hint


def test_a_domain_outside_the_domains_is_a_conflict() -> None:
    errors = mistakes("gene:BRAF", domain="gene", domains=["article"])

    assert [(error.code, error.argument) for error in errors] == [("E_CONFLICT", "domains")]


@pytest.mark.parametrize(
    ("arguments", "code", "argument"),
    [
        ({"lat": 41.5}, "E_BAD_PLACE", "long"),
        ({"long": -81.7}, "E_BAD_PLACE", "lat"),
        ({"distance": 30}, "E_BAD_PLACE", "lat"),
        ({"lat": 91, "long": 0}, "E_BAD_PLACE", "lat"),
        ({"lat": 0, "long": 181}, "E_BAD_PLACE", "long"),
        ({"lat": 0, "long": 0, "distance": 0}, "E_BAD_PLACE", "distance"),
        ({"lat": float("nan"), "long": 0}, "E_BAD_PLACE", "lat"),
        ({"phase": "5"}, "E_BAD_VALUE", "phase"),
        ({"recruiting_status": "maybe"}, "E_BAD_VALUE", "recruiting_status"),
        ({"genes": ["two words"]}, "E_BAD_VALUE", "genes"),
        ({"genes": [" "]}, "E_BAD_VALUE", "genes"),
        ({"variants": ["nothing"]}, "E_BAD_VALUE", "variants"),
        ({"domain": "genome"}, "E_BAD_VALUE", "domain"),
        ({"domains": ["article", "paper"]}, "E_BAD_VALUE", "domains"),
        ({"page": 0}, "E_BAD_VALUE", "page"),
        ({"page_size": 101}, "E_BAD_VALUE", "page_size"),
    ],
)
def test_a_bad_argument_is_named(arguments: dict[str, Any], code: str, argument: str) -> None:
    errors = mistakes("disease:melanoma", **arguments)

    assert [(error.code, error.argument) for error in errors] == [(code, argument)]
    assert errors[0].hint


def test_mistakes_of_query_and_arguments_are_shown_together() -> None:
    errors = mistakes("phase:9", genes=["two words"])

    assert [(error.code, error.argument) for error in errors] == [("E_BAD_VALUE", None), ("E_BAD_VALUE", "genes")]


def test_a_distance_may_be_given_with_the_point() -> None:
    plan = planned("disease:NSCLC", lat=41.4993, long=-81.6944, distance=10)

    assert params(plan, "trial")["geo"] == {"lat": 41.4993, "long": -81.6944, "distance_mi": 10}


def test_arguments_without_query_and_domain_are_shown_as_a_query() -> None:
    error = mistakes(genes=["BRAF"], conditions=["lung cancer"])[0]

    assert error.code == "E_EMPTY"
    assert error.suggestions[0] == 'gene:BRAF AND disease:"lung cancer"'


def test_a_domain_needs_no_query() -> None:
    plan = planned(domain="article", genes=["BRAF"], diseases=["melanoma"])

    assert [(leg.domain, dict(leg.params)) for leg in plan.legs] == [
        ("article", {"genes": ["BRAF"], "diseases": ["melanoma"]})
    ]


def test_a_domain_alone_is_not_enough() -> None:
    assert [error.code for error in mistakes(domain="trials")] == ["E_NO_LEG"]


def test_a_domain_keeps_one_leg_of_a_query_and_reports_what_it_leaves_out() -> None:
    plan = planned("gene:BRAF AND disease:melanoma AND trials.phase:3", domain="variants")

    assert [leg.domain for leg in plan.legs] == ["variant"]
    assert [one.field for one in plan.not_applied] == ["trials.phase"]


def test_a_domain_that_the_query_only_narrows_is_searched_when_it_is_asked_for() -> None:
    assert params(planned("gene:BRAF", domain="trial", recruiting_status="any"), "trial") == {"term": ["BRAF"]}
    assert params(planned("gene:BRAF", domains=["protein"]), "protein") == {"genes": ["BRAF"]}
    assert params(planned("gene:EGFR", domains=["drug"]), "drug") == {"genes": ["EGFR"]}


def test_a_card_asked_for_by_domain_may_be_found_without_the_gene() -> None:
    leg = planned("drug:osimertinib AND gene:EGFR", domain="drug").legs[0]

    assert (dict(leg.params), leg.soft) == ({"drugs": ["osimertinib"], "genes": ["EGFR"]}, ("gene",))
    assert leg.relaxed_params == {"drugs": ["osimertinib"]}


def test_trials_asked_for_by_domain_are_open_unless_said_otherwise() -> None:
    by_default = planned("melanoma", domain="trial")
    all_of_them = planned("melanoma", domain="trial", recruiting_status="ANY")
    one = planned("NCT01808573", domain="trial")
    unified = planned("disease:melanoma")

    assert params(by_default, "trial") == {"term": ["melanoma"], "status": OPEN}
    assert [notice.code for notice in by_default.notices] == ["N_DEFAULT_STATUS"]
    assert params(all_of_them, "trial") == {"term": ["melanoma"]}
    assert params(one, "trial") == {"nct": ["NCT01808573"]}
    assert params(unified, "trial") == {"condition": ["melanoma"]}


@pytest.mark.parametrize(
    ("domain", "words", "expected"),
    [
        ("article", "BRAF melanoma", {"keywords": ["BRAF melanoma"]}),
        ("article", "rs113488022", {"variants": ["rs113488022"]}),
        ("article", "PMID 38768446", {"pmid": ["38768446"]}),
        ("variant", "BRAF V600E", {"gene": "BRAF", "protein": "p.V600E"}),
        ("variant", "V600E braf", {"gene": "BRAF", "protein": "p.V600E"}),
        ("variant", "TP53", {"gene": "TP53"}),
        ("gene", "braf", {"genes": ["BRAF"]}),
        ("gene", "androgen receptor", {"name": ["androgen receptor"]}),
        ("gene", "ENSG00000157764", {"genes": ["ENSG00000157764"]}),
        ("drug", "imatinib mesylate", {"drugs": ["imatinib mesylate"]}),
        ("drug", "CHEMBL941", {"id": ["CHEMBL941"]}),
        ("disease", "lung cancer", {"diseases": ["lung cancer"]}),
        ("disease", "MONDO:0005105", {"mondo": ["MONDO:0005105"]}),
        ("protein", "P15056", {"accession": ["P15056"]}),
        ("protein", "EGFR", {"genes": ["EGFR"]}),
        ("protein", "tyrosine kinase", {"name": ["tyrosine kinase"]}),
        ("pathway", "apoptosis", {"name": ["apoptosis"]}),
        ("pathway", "R-HSA-5633007", {"id": ["R-HSA-5633007"]}),
        ("pgx", "CYP2C19", {"genes": ["CYP2C19"]}),
        ("pgx", "clopidogrel", {"drugs": ["clopidogrel"]}),
        ("pgx", "CYP2C19*2", {"variants": ["CYP2C19*2"]}),
        ("gene", "BRAF OR NRAS", {"genes": ["BRAF", "NRAS"]}),
    ],
)
def test_plain_words_mean_what_their_domain_holds(domain: str, words: str, expected: dict[str, Any]) -> None:
    plan = planned(words, domain=domain)

    assert params(plan, domain) == expected
    assert planned(plan.normalised, domain=domain).legs == plan.legs


def test_words_that_no_variant_is_called_by_are_refused() -> None:
    error = mistakes("BRAF somatic!", domain="variant")[0]

    assert (error.code, error.position, error.length) == ("E_BAD_VALUE", 0, 13)
