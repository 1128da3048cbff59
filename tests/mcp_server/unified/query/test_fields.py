"""Every field by every one of its names, what it searches and narrows, and what the schema says about it."""

import json
from datetime import date
from typing import Any

import pytest

from mcp_server.unified.query import DOMAINS, Plan, Request, build_plan, parse, schema
from mcp_server.unified.query.fields import FIELDS, PLURALS, Field, names, resolve

TODAY = date(2026, 11, 30)


def planned(query: str, **arguments: Any) -> Plan:
    return build_plan(Request(query=query, **arguments), TODAY)


def domains(query: str) -> list[str]:
    return list(dict.fromkeys(leg.domain for leg in planned(query).legs))


STARTED = {
    "gene:BRAF": ["article", "variant", "gene"],
    "disease:melanoma": ["article", "trial", "disease"],
    "variant:V600E": ["article", "variant"],
    "variant:rs113488022": ["article", "variant", "pgx"],
    "variant:CYP2C19*2": ["article", "pgx"],
    "drug:imatinib": ["article", "trial", "drug", "pgx"],
    "keyword:resistance": ["article", "trial"],
    "resistance": ["article", "trial"],
    "title:melanoma": ["article"],
    "doi:10.1056/NEJMoa1103782": ["article"],
    "nct:NCT01808573": ["trial"],
    "sponsor:Novartis": ["trial"],
    "near:Cleveland": ["trial"],
    "rsid:rs113488022": ["variant"],
    "mondo:MONDO:0005105": ["disease"],
    "genes.symbol:BRAF": ["gene"],
    "proteins.gene:BRAF": ["protein"],
    "pathways.name:apoptosis": ["pathway"],
    "pgx.drug:clopidogrel": ["pgx"],
}


@pytest.mark.parametrize("query", STARTED)
def test_a_field_starts_its_domains_in_their_order(query: str) -> None:
    assert domains(query) == STARTED[query]


# Every alias that BioMCP documents, and what it becomes here.
BIOMCP = {
    "trials.condition:melanoma": ("trial", {"condition": ["melanoma"]}),
    "trials.intervention:imatinib": ("trial", {"intervention": ["imatinib"]}),
    "trials.condition:x AND trials.phase:3": ("trial", {"condition": ["x"], "phases": ["PHASE3"]}),
    "trials.condition:x AND trials.phase:PHASE3": ("trial", {"condition": ["x"], "phases": ["PHASE3"]}),
    "trials.condition:x AND trials.status:recruiting": ("trial", {"condition": ["x"], "status": ["RECRUITING"]}),
    "articles.title:melanoma": ("article", {"title": ["melanoma"]}),
    'articles.author:"Flaherty KT"': ("article", {"author": ["Flaherty KT"]}),
    "articles.journal:Nature": ("article", {"journal": ["Nature"]}),
    "articles.title:x AND articles.date:>2023": ("article", {"title": ["x"], "date": {"from": "2024-01-01"}}),
    "variants.rsid:rs113488022": ("variant", {"rsid": "rs113488022"}),
    "variants.rsID:RS113488022": ("variant", {"rsid": "rs113488022"}),
    "variants.gene:TP53": ("variant", {"gene": "TP53"}),
    "variants.gene:TP53 AND variants.significance:pathogenic": (
        "variant",
        {"gene": "TP53", "significance": "pathogenic"},
    ),
    "variants.gene:TP53 AND variants.significance:uncertain_significance": (
        "variant",
        {"gene": "TP53", "significance": "uncertain"},
    ),
    "variants.gene:TP53 AND variants.frequency:<0.01": (
        "variant",
        {"gene": "TP53", "max_frequency": 0.01, "max_frequency_exclusive": True},
    ),
    "variants.hgvs:NM_004333.4:c.1799T>A": ("variant", {"hgvs": "NM_004333.4:c.1799T>A"}),
    "genes.symbol:BRAF": ("gene", {"genes": ["BRAF"]}),
    'genes.name:"tumor protein p53"': ("gene", {"name": ["tumor protein p53"]}),
    "genes.symbol:BRAF AND genes.type:protein_coding": ("gene", {"genes": ["BRAF"], "type": ["protein-coding"]}),
    "drugs.name:imatinib": ("drug", {"name": ["imatinib"]}),
    "drugs.tradename:Gleevec": ("drug", {"tradename": ["Gleevec"]}),
    "drugs.indication:leukemia": ("drug", {"indication": ["leukemia"]}),
    "diseases.name:melanoma": ("disease", {"name": ["melanoma"]}),
    "diseases.mondo:MONDO:0005105": ("disease", {"mondo": ["MONDO:0005105"]}),
    "diseases.synonym:ALS": ("disease", {"synonym": ["ALS"]}),
}


@pytest.mark.parametrize("query", BIOMCP)
def test_what_biomcp_documents_is_understood(query: str) -> None:
    (leg,) = planned(query).legs

    assert (leg.domain, dict(leg.params)) == BIOMCP[query]


@pytest.mark.parametrize("one", FIELDS, ids=lambda one: one.key)
def test_every_name_of_a_field_means_that_field_in_either_number_and_case(one: Field) -> None:
    prefixes = [f"{one.domain}.", f"{PLURALS[one.domain]}."] if one.domain else [""]

    for name in names(one):
        for prefix in prefixes:
            assert resolve(prefix + name) is one
            assert resolve((prefix + name).upper()) is one


@pytest.mark.parametrize("one", FIELDS, ids=lambda one: one.key)
def test_the_example_of_a_field_is_used_by_a_search(one: Field) -> None:
    beside = " AND ".join(f"{PLURALS[domain]}.{strong}" for domain, strong in _STRONG.items() if domain in one.reach)

    plan = planned(f"{one.example} AND {beside}")

    assert plan.not_applied == ()
    assert any(reach.param in " ".join(_params(plan)) for reach in one.reach.values()) or one.type == "variant"


_STRONG = {
    "article": "title:x",
    "trial": "sponsor:x",
    "variant": "gene:BRAF",
    "gene": "name:x",
    "drug": "mechanism:x",
    "disease": "synonym:x",
    "protein": "name:x",
    "pathway": "name:x",
    "pgx": "gene:BRAF",
}


def _params(plan: Plan) -> list[str]:
    return [name for leg in plan.legs for name in leg.params]


@pytest.mark.parametrize("one", [one for one in FIELDS if one.is_weak], ids=lambda one: one.key)
def test_a_filter_alone_lists_nothing(one: Field) -> None:
    with pytest.raises(Exception, match="E_NO_LEG"):
        planned(one.example)


def test_a_bare_name_of_several_domains_must_say_which_but_a_phase_is_a_trial() -> None:
    assert resolve("type") is None
    assert resolve("name") is None
    assert resolve("phase") is resolve("trials.phase")
    assert resolve("trials.gene") is not resolve("gene")


def test_since_and_until_are_bounds() -> None:
    plan = planned("articles.title:x since:2015 until:2020-06")

    assert plan.legs[0].params["date"] == {"from": "2015-01-01", "to": "2020-06-30"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("PMID:38768446", "articles.pmid:38768446"),
        ("pmid 38768446", "articles.pmid:38768446"),
        ("PMC9984800", "articles.pmcid:PMC9984800"),
        ("DOI:10.1101/2020.01.01", "articles.doi:10.1101/2020.01.01"),
        ("10.1056/NEJMoa1103782", "articles.doi:10.1056/nejmoa1103782"),
        ("nct01808573", "trials.nct:NCT01808573"),
        ("rs113488022", "variant:rs113488022"),
        ("RCV000067669", "variant:RCV000067669"),
        ("VCV000013961.5", "variant:VCV000013961"),
        ("NM_004333.4:c.1799T>A", "variant:NM_004333.4:c.1799T>A"),
        ("chrX:g.30718532C>T", "variant:chrX:g.30718532C>T"),
        ("NC_000007.13:g.140453136A>T", "variant:chr7:g.140453136A>T@hg19"),
        ("c.1799T>A", "variant:c.1799T>A"),
        ("p.Val600Glu", "variant:V600E"),
        ("ENSG00000157764.14", "gene:ENSG00000157764"),
        ("CHEMBL941", "drugs.id:CHEMBL941"),
        ("DB00619", "drugs.id:DB00619"),
        ("MONDO:0005105", "diseases.mondo:MONDO:0005105"),
        ("DOID:14323", "diseases.doid:DOID:14323"),
        ("EFO_0000756", "diseases.efo:EFO:0000756"),
        ("EFO:0000756", "diseases.efo:EFO:0000756"),
        ("OMIM:155600", "diseases.omim:OMIM:155600"),
        ("OMIM155600", "diseases.omim:OMIM:155600"),
        ("R-HSA-5633007", "pathways.id:R-HSA-5633007"),
        ("P15056", "proteins.accession:P15056"),
        ("PA449053", "pgx.id:PA449053"),
    ],
)
def test_an_identifier_alone_is_what_it_identifies(text: str, written: str) -> None:
    plan = planned(text)

    assert plan.normalised == written
    assert planned(written).legs == plan.legs


def test_an_identifier_among_words_stays_a_word_but_a_name_with_a_colon_does_not() -> None:
    assert parse("rs113488022 resistance").normalised == "rs113488022 resistance"
    assert parse("melanoma NM_004333.4:c.1799T>A").normalised == "melanoma AND variant:NM_004333.4:c.1799T>A"


def test_the_schema_shows_all_that_there_is() -> None:
    shown = json.loads(json.dumps(schema()))

    assert [one["field"] for one in shown["fields"]] == [one.key for one in FIELDS]
    assert list(shown["domains"]) == list(DOMAINS)
    assert {one["type"] for one in shown["fields"]} == set(shown["types"])
    by_name = {one["field"]: one for one in shown["fields"]}
    assert by_name["gene"] == {
        "field": "gene",
        "aliases": ["genes", "symbol"],
        "type": "gene",
        "starts": ["article", "variant", "gene"],
        "narrows": ["trial", "drug", "disease", "protein", "pathway", "pgx"],
        "example": "gene:BRAF",
    }
    assert by_name["trials.phase"]["allowed"] == ["EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA"]
    assert by_name["trials.phase"]["narrows"] == ["trial"]
    assert by_name["variants.frequency"]["needs_comparison"] is True


def test_the_six_examples_of_the_schema_are_understood() -> None:
    examples = schema()["examples"]

    assert len(examples) == 6
    for example in examples:
        plan = planned(example["query"])
        assert plan.legs and plan.not_applied == ()
