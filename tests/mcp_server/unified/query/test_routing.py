"""How clauses become legs: alternatives, what is left out, what may be left out, and what is said about it."""

from datetime import date
from typing import Any

import pytest

from mcp_server.unified.query import Plan, Request, build_plan, notices

TODAY = date(2026, 11, 30)


def planned(query: str, **arguments: Any) -> Plan:
    return build_plan(Request(query=query, **arguments), TODAY)


def params(plan: Plan, domain: str) -> list[dict[str, Any]]:
    return [dict(leg.params) for leg in plan.legs if leg.domain == domain]


def codes(plan: Plan) -> list[str]:
    return [notice.code for notice in plan.notices]


def test_alternatives_that_differ_in_one_field_are_one_search() -> None:
    plan = planned("(gene:BRAF AND disease:melanoma) OR (gene:NRAS AND disease:melanoma)")

    assert params(plan, "article") == [{"genes_any": ["BRAF", "NRAS"], "diseases": ["melanoma"]}]
    assert params(plan, "variant") == [{"gene_any": ["BRAF", "NRAS"], "condition": "melanoma"}]


def test_alternatives_that_differ_in_more_are_searches_of_their_own() -> None:
    plan = planned("(gene:BRAF AND disease:melanoma) OR (gene:NRAS AND disease:glioma)")

    assert params(plan, "article") == [
        {"genes": ["BRAF"], "diseases": ["melanoma"]},
        {"genes": ["NRAS"], "diseases": ["glioma"]},
    ]
    assert params(plan, "gene") == [{"genes": ["BRAF", "NRAS"]}]


def test_what_another_alternative_includes_is_not_searched_again() -> None:
    assert params(planned("gene:BRAF OR (gene:BRAF AND disease:melanoma)"), "article") == [{"genes": ["BRAF"]}]


def test_two_lists_of_one_field_that_must_both_hold_are_split() -> None:
    plan = planned("gene:(A1 OR B1) AND gene:(C1 OR D1)")

    assert params(plan, "article") == [
        {"genes": ["C1"], "genes_any": ["A1", "B1"]},
        {"genes": ["D1"], "genes_any": ["A1", "B1"]},
    ]


def test_days_of_which_any_may_hold_are_searches_of_their_own() -> None:
    plan = planned("articles.title:x AND date:(2020 OR 2022)")

    assert [one["date"]["from"] for one in params(plan, "article")] == ["2020-01-01", "2022-01-01"]


def test_kinds_of_variants_are_asked_for_apart_but_articles_together() -> None:
    plan = planned("variant:(rs113488022 OR V600E OR CYP2C19*2)")

    assert params(plan, "article") == [{"variants_any": ["rs113488022", "V600E", "CYP2C19*2"]}]
    assert params(plan, "variant") == [{"rsid": "rs113488022"}, {"protein": "p.V600E"}]
    assert params(plan, "pgx") == [{"variants": ["rs113488022", "CYP2C19*2"]}]


def test_a_variants_own_gene_is_enriched_with_it() -> None:
    plan = planned('variant:"BRAF V600E"')

    assert params(plan, "article") == [{"variants": ["BRAF V600E"]}]
    assert plan.legs[0].enrich == ("cbioportal:BRAF V600E",)


def test_at_most_three_genes_are_enriched_each_once() -> None:
    plan = planned("(gene:(A1 OR B1 OR C1 OR D1) AND disease:x) OR (gene:A1 AND title:y)")

    assert [one for leg in plan.legs for one in leg.enrich] == ["cbioportal:A1", "cbioportal:B1", "cbioportal:C1"]


def test_articles_without_a_gene_are_not_enriched() -> None:
    assert [leg.enrich for leg in planned("disease:melanoma").legs] == [(), (), ()]


@pytest.mark.parametrize(
    ("query", "domain", "expected"),
    [
        ("disease:x NOT gene:TP53", "article", {"diseases": ["x"], "not_genes": ["TP53"]}),
        ("disease:x NOT gene:TP53", "trial", {"condition": ["x"], "not_term": ["TP53"]}),
        ("title:x NOT (gene:TP53 OR drug:y)", "article", {"title": ["x"], "not_genes": ["TP53"], "not_drugs": ["y"]}),
        ("disease:x NOT gene:(A1 OR B1)", "article", {"diseases": ["x"], "not_genes": ["A1", "B1"]}),
        ("disease:x NOT 'lung cancer'", "trial", {"condition": ["x"], "not_term": ['"lung cancer"']}),
        ("disease:x NOT phase:1/2", "trial", {"condition": ["x"], "not_phases": ["(PHASE1 AND PHASE2)"]}),
        ("disease:x NOT phase:2..3", "trial", {"condition": ["x"], "not_phases": ["PHASE2", "PHASE3"]}),
        ("sponsor:x NOT start_date:2020..", "trial", {"sponsor": ["x"], "start_date": {"to": "2019-12-31"}}),
        ("gene:X NOT significance:benign", "variant", {"gene": "X", "not_significance": ["benign"]}),
        ("gene:X NOT variants.frequency:>=0.1", "variant", {"gene": "X", "not_frequency": [{"min": 0.1}]}),
        ("title:x NOT articles.preprint:true", "article", {"title": ["x"], "preprint": False}),
        ("title:x NOT date:>=2020", "article", {"title": ["x"], "date": {"to": "2019-12-31"}}),
        ("title:x NOT source:(pubmed,biorxiv,medrxiv,pubtator)", "article", {"title": ["x"], "source": ["europepmc"]}),
        ("nct:NCT00000001 NOT sex:female", "trial", {"nct": ["NCT00000001"], "not_sex": ["FEMALE"]}),
    ],
)  # fmt: skip
def test_what_must_not_hold_is_asked_of_the_source(query: str, domain: str, expected: dict[str, Any]) -> None:
    assert params(planned(query), domain) == [expected]


def test_one_of_few_left_out_leaves_the_others() -> None:
    plan = planned("sponsor:x NOT trials.type:observational")

    assert params(plan, "trial") == [{"sponsor": ["x"], "study_type": ["INTERVENTIONAL", "EXPANDED_ACCESS"]}]


def test_days_left_out_are_the_days_before_and_after() -> None:
    plan = planned("articles.title:x AND date:2019.. NOT date:2020-03")

    assert [one["date"] for one in params(plan, "article")] == [
        {"from": "2019-01-01", "to": "2020-02-29"},
        {"from": "2020-04-01"},
    ]


def test_not_of_and_is_either_not() -> None:
    plan = planned("disease:x NOT (gene:A1 AND gene:B1)")

    assert params(plan, "article") == [
        {"diseases": ["x"], "not_genes": ["A1"]},
        {"diseases": ["x"], "not_genes": ["B1"]},
    ]


def test_what_a_source_can_not_leave_out_is_left_to_the_rows_and_said() -> None:
    plan = planned("drug:imatinib NOT drugs.id:CHEMBL941 NOT drugs.name:Gleevec")

    filters = {leg.domain: [dict(one) for one in leg.post_filters] for leg in plan.legs if leg.post_filters}
    assert filters == {
        "drug": [{"field": "drugs.id", "not": ["CHEMBL941"]}, {"field": "drugs.name", "not": ["Gleevec"]}]
    }
    assert [(notice.code, notice.position) for notice in plan.notices] == [
        ("N_POST_FILTERED", 14),
        ("N_POST_FILTERED", 37),
    ]


@pytest.mark.parametrize(
    "clause", ["near:Cleveland", "age:>=65", "proteins.length:<100", "drugs.phase:4"], ids=lambda one: str(one)
)
def test_what_neither_source_nor_rows_can_leave_out_is_reported(clause: str) -> None:
    plan = planned(f"disease:x AND drug:y AND proteins.name:z NOT {clause}")

    assert codes(plan) == ["N_NOT_APPLIED"]
    assert plan.not_applied[0].reason == "the source can't be asked to leave it out, and the rows do not show it"
    assert all(not leg.post_filters for leg in plan.legs)


def test_a_soft_condition_can_be_left_out_only_if_something_is_left() -> None:
    with_disease = {leg.domain: leg for leg in planned("gene:BRAF AND disease:melanoma AND phase:3").legs}
    without = {leg.domain: leg for leg in planned("gene:BRAF AND phase:3").legs}

    assert with_disease["trial"].soft == ("gene",)
    assert with_disease["trial"].relaxed_params == {"condition": ["melanoma"], "phases": ["PHASE3"]}
    assert with_disease["variant"].soft == ("disease",)
    assert with_disease["variant"].relaxed_params == {"gene": "BRAF"}
    assert (without["trial"].soft, without["trial"].relaxed_params) == ((), None)


def test_a_gene_asked_of_trials_themselves_is_not_soft() -> None:
    plan = planned("trials.gene:EGFR AND disease:NSCLC")

    assert [leg.soft for leg in plan.legs if leg.domain == "trial"] == [()]


def test_a_trial_field_brings_trials_to_a_gene() -> None:
    assert params(planned("gene:BRAF AND trials.phase:3"), "trial") == [{"term": ["BRAF"], "phases": ["PHASE3"]}]


def test_a_part_that_no_search_used_is_reported() -> None:
    plan = planned("variants.gene:BRCA1 AND trials.phase:3 AND resistance")

    assert [leg.domain for leg in plan.legs] == ["article", "trial", "variant"]
    narrowed = planned("variants.gene:BRCA1 AND trials.phase:3")
    assert [one.wire() for one in narrowed.not_applied] == [
        {
            "field": "trials.phase",
            "text": "trials.phase:PHASE3",
            "reason": "nothing in the query starts a search for trial that it could narrow",
            "position": 24,
        }
    ]
    assert [(notice.code, notice.position, notice.length) for notice in narrowed.notices] == [("N_NOT_APPLIED", 24, 14)]


def test_an_alternative_that_starts_nothing_is_reported() -> None:
    plan = planned("gene:BRAF OR date:2024")

    assert [one.text for one in plan.not_applied] == ["date:2024-01-01..2024-12-31"]


def test_words_act_on_no_variants_and_that_is_reported_where_nothing_used_them() -> None:
    plan = planned("gene:BRAF AND resistance", domains=["variant"])

    assert [(one.field, one.text) for one in plan.not_applied] == [("keyword", "resistance")]
    assert planned("gene:BRAF AND resistance").not_applied == ()


def test_domains_hold_the_plan_to_themselves() -> None:
    plan = planned("gene:BRAF AND disease:melanoma", domains=["trials", "gene"])

    assert [leg.domain for leg in plan.legs] == ["trial", "gene"]


def test_more_genes_than_calls_are_one_list_of_variants() -> None:
    plan = planned(" AND ".join(f"gene:G{number}" for number in range(5)))

    assert params(plan, "variant") == [{"gene_any": ["G0", "G1", "G2", "G3", "G4"]}]
    assert codes(plan) == ["N_UNION"]


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        ("BRAF melanoma resistance", "gene:BRAF disease:melanoma AND resistance"),
        ("EGFR T790M osimertinib", "gene:EGFR variant:T790M drug:osimertinib"),
        ("resistance in lung cancer", 'disease:"lung cancer" AND resistance'),
        ("KRAS non-small cell lung cancer", 'gene:KRAS disease:"non-small cell lung cancer"'),
        ("what is known", None),
    ],
)
def test_plain_words_are_answered_with_what_they_may_mean(words: str, suggestion: str | None) -> None:
    found = [notice.suggestions for notice in planned(words).notices if notice.code == "N_SUGGESTION"]

    assert found == ([(suggestion,)] if suggestion else [])
    if suggestion:
        assert planned(suggestion).not_applied == ()


def test_the_remarks_of_running_a_plan_have_their_words() -> None:
    assert notices.alias("HER2", "ERBB2").wire() == {"code": "N_ALIAS", "message": "HER2 was read as ERBB2"}
    assert notices.relaxed("trial", ("gene",)).code == "N_RELAXED"
    assert notices.no_hits(("drop the phase",)).wire()["suggestions"] == ["drop the phase"]
