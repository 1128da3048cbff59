"""ClinPGx and CPIC: a 404 that means nothing, renamed routes, exact names, levels, unordered rows."""

from typing import Any

import pytest

from mcp_server.platforms.clinpgx import platform
from tests.mcp_server.played import Played, call

NONE = {"status": "fail", "data": {"errors": [{"message": "No results matching criteria."}]}}
UNKNOWN = {
    "status": "fail",
    "data": {"errors": [{"code": "notFound", "message": "No Gene with ID 'PA999999' found.", "objectId": "PA999999"}]},
}
NO_ROUTE = {"error": "HTTP 404 Not Found"}
CYP2C19 = {
    "objCls": "Gene",
    "id": "PA124",
    "symbol": "CYP2C19",
    "name": "cytochrome P450 family 2 subfamily C member 19",
}
CLOPIDOGREL = {"objCls": "Chemical", "id": "PA449053", "name": "clopidogrel"}


def found(*records: dict[str, Any]) -> dict[str, Any]:
    """Return a list as ClinPGx wraps it."""
    return {"data": list(records), "status": "success"}


def annotation(
    id: int, level: str, drug: str = "clopidogrel", gene: str = "CYP2C19", score: float = 1.0
) -> dict[str, Any]:
    """Return a summary annotation."""
    return {
        "id": id,
        "accessionId": f"PA{id}",
        "levelOfEvidence": {"id": 827923052, "term": level, "resource": "Level of Evidence"},
        "location": {"id": 1, "displayName": f"{gene}*2", "genes": [{"objCls": "Gene", "id": "PA124", "symbol": gene}]},
        "name": f"{gene}*2; {drug} (level {level} Efficacy)",
        "relatedChemicals": [{"objCls": "Chemical", "id": "PA449053", "name": drug}],
        "types": ["Efficacy"],
        "score": score,
    }


async def test_a_gene_is_found_with_its_accession_and_page() -> None:
    played = Played().answer("/v1/data/gene?symbol=CYP2C19&view=min", found(CYP2C19))
    envelope = await call(platform, played, "resolve_entity", query="cyp2c19", type="gene")
    assert envelope.content["data"] == {"query": "cyp2c19", "type": "gene", "records": [CYP2C19]}
    assert envelope.meta["burp/citations"] == [
        {
            "kind": "clinpgx",
            "identifier": "PA124",
            "label": "CYP2C19",
            "url": "https://www.clinpgx.org/gene/PA124",
        }
    ]


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("RS4244285", ["/data/variant/?symbol=rs4244285"]),
        ("cyp2c19*2", ["/data/haplotype?symbol=CYP2C19%2A2"]),
        ("Clopidogrel", ["/data/gene?symbol=CLOPIDOGREL", "/data/chemical?name=clopidogrel"]),
    ],
    ids=["rsID", "star allele", "gene first, then drug"],
)
async def test_the_form_of_a_name_decides_where_it_is_looked_up(query: str, asked: list[str]) -> None:
    played = Played()
    for mark in asked[:-1]:
        played.answer(mark, NONE, status=404)
    played.answer(asked[-1], found(CLOPIDOGREL))
    envelope = await call(platform, played, "resolve_entity", query=query)
    assert envelope.content["outcome"] == "data"


@pytest.mark.case("C027")
async def test_a_drug_name_that_nobody_has_says_that_names_are_exact() -> None:
    played = Played().answer("name=fk506", NONE, status=404).answer("name=Fk506", NONE, status=404)
    envelope = await call(platform, played, "resolve_entity", query="FK506", type="chemical")
    assert envelope.content["outcome"] == "empty"
    assert "exactly: resolve the name first" in envelope.content["note"]


async def test_an_accession_is_looked_up_as_one() -> None:
    played = Played().answer("/data/gene/PA449053", UNKNOWN, status=404)
    played.answer("/data/chemical/PA449053?view=min", {"data": CLOPIDOGREL, "status": "success"})
    envelope = await call(platform, played, "resolve_entity", query="pa449053")
    assert (envelope.content["data"]["type"], envelope.content["data"]["records"]) == ("chemical", [CLOPIDOGREL])


async def test_an_unknown_accession_is_no_empty_list() -> None:
    played = Played().answer("/data/gene/PA999999", UNKNOWN, status=404)
    envelope = await call(platform, played, "resolve_entity", query="PA999999", type="gene")
    assert envelope.content["outcome"] == "unknown_id"


async def test_annotations_come_strongest_first_and_once() -> None:
    records = [
        annotation(3, "3"),
        annotation(1, "1A", score=2),
        annotation(2, "1A", score=9),
        annotation(1, "1A", score=2),
    ]
    played = Played().answer("/v1/data/summaryAnnotation?", found(*records))
    envelope = await call(
        platform, played, "search_clinical_annotations", gene_symbol="cyp2c19", drug_name="Clopidogrel", limit=2
    )
    assert played.query() == {
        "location.genes.symbol": "CYP2C19",
        "relatedChemicals.name": "clopidogrel",
        "view": "min",
    }
    assert [row["id"] for row in envelope.content["data"]] == [2, 1]
    assert (envelope.content["total"], envelope.content["next"]) == (3, {"offset": 2})
    assert envelope.content["data"][0] == {
        "id": 2,
        "accessionId": "PA2",
        "name": "CYP2C19*2; clopidogrel (level 1A Efficacy)",
        "types": ["Efficacy"],
        "score": 9,
        "levelOfEvidence": {"term": "1A"},
        "location": {"displayName": "CYP2C19*2", "genes": [{"id": "PA124", "symbol": "CYP2C19"}]},
        "relatedChemicals": [{"id": "PA449053", "name": "clopidogrel"}],
        "url": "https://www.clinpgx.org/clinicalAnnotation/2",
    }
    assert envelope.meta["burp/citations"][0]["kind"] == "clinpgx_annotation"


async def test_levels_and_drugs_that_were_not_asked_for_are_left_out() -> None:
    records = [annotation(1, "1A"), annotation(2, "3"), annotation(4, "1A", drug="prasugrel")]
    played = Played().answer("/data/summaryAnnotation?", found(*records))
    envelope = await call(platform, played, "search_clinical_annotations", drug_name="clopidogrel", level=["1A", "1B"])
    assert [row["id"] for row in envelope.content["data"]] == [1]


@pytest.mark.case("C080")
async def test_no_annotation_is_empty_and_not_a_failure() -> None:
    played = Played().answer("/data/summaryAnnotation?", NONE, status=404)
    envelope = await call(platform, played, "search_clinical_annotations", drug_name="tucatinib")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)
    assert "no clinical annotation for tucatinib" in envelope.content["note"]


async def test_the_former_route_is_asked_once_where_the_new_one_is_missing() -> None:
    played = Played().answer("/data/summaryAnnotation?", NO_ROUTE, status=404)
    played.answer("/data/clinicalAnnotation?relatedChemicals.name=clopidogrel", found(annotation(1, "1A")))
    envelope = await call(platform, played, "search_clinical_annotations", drug_name="clopidogrel")
    assert [row["id"] for row in envelope.content["data"]] == [1]


async def test_a_missing_route_is_a_failure_and_not_an_empty_list() -> None:
    played = Played().answer("/data/summaryAnnotation?", NO_ROUTE, status=404)
    played.answer("/data/clinicalAnnotation?", NO_ROUTE, status=404)
    envelope = await call(platform, played, "search_clinical_annotations", drug_name="clopidogrel")
    assert envelope.content["error"]["code"] == "upstream_not_found"


def guideline(id: str, source: str, **facts: Any) -> dict[str, Any]:
    """Return a guideline annotation."""
    return {
        "objCls": "GuidelineAnnotation",
        "id": id,
        "name": f"Annotation of {source} Guideline for clopidogrel and CYP2C19",
        "source": source,
        "recommendation": True,
        "relatedGenes": [CYP2C19],
        "relatedChemicals": [CLOPIDOGREL],
        "textMarkdown": {"html": "long"},
        **facts,
    }


SUMMARY = "<p>Avoid in <b>poor</b> metabolizers &amp; carriers.</p><table><tr><td>PM</td><td>avoid</td></tr></table>"


async def test_guidelines_are_asked_for_by_accession_and_read_as_text() -> None:
    played = Played().answer("/data/gene?", found(CYP2C19)).answer("/data/chemical?", found(CLOPIDOGREL))
    records = [guideline("PA2", "DPWG"), guideline("PA1", "CPIC", summaryMarkdown={"html": SUMMARY})]
    played.answer("/data/guidelineAnnotation?", found(*records))
    envelope = await call(
        platform, played, "search_guideline_annotations", gene_symbol="CYP2C19", drug_name="clopidogrel"
    )
    assert played.query(2) == {
        "relatedGenes.accessionId": "PA124",
        "relatedChemicals.accessionId": "PA449053",
        "view": "base",
    }
    cpic, dpwg = envelope.content["data"]
    assert cpic["summary"] == "Avoid in poor metabolizers & carriers.\nPM | avoid"
    assert (dpwg["source"], dpwg["url"]) == ("DPWG", "https://www.clinpgx.org/guidelineAnnotation/PA2")
    assert "textMarkdown" not in cpic


async def test_a_source_without_guideline_names_the_sources_that_have_one() -> None:
    played = Played().answer("/data/chemical?", found(CLOPIDOGREL))
    played.answer("/data/guidelineAnnotation?", found(guideline("PA1", "CPIC"), guideline("PA2", "DPWG")))
    envelope = await call(platform, played, "search_guideline_annotations", drug_name="clopidogrel", source="RNPGx")
    assert envelope.content["outcome"] == "empty"
    assert envelope.content["note"].endswith("from RNPGx; there are some from CPIC, DPWG.")


@pytest.mark.case("C027")
async def test_guidelines_of_a_name_that_nobody_has_are_empty_with_the_reason() -> None:
    played = Played().answer("/data/chemical?", NONE, status=404).answer("/data/chemical?", NONE, status=404)
    envelope = await call(platform, played, "search_guideline_annotations", drug_name="FK506")
    assert envelope.content["outcome"] == "empty"
    assert "no chemical called 'FK506'" in envelope.content["note"]


PAIR = {
    "pairid": 110091,
    "drugname": "clopidogrel",
    "genesymbol": "CYP2C19",
    "guidelinename": "CYP2C19 and Clopidogrel",
    "guidelineurl": "https://www.clinpgx.org/guideline/PA166251443",
    "cpiclevel": "A",
    "pmids": ["35034351"],
}


async def test_pairs_come_in_a_stated_order_with_guideline_and_papers_cited() -> None:
    played = Played().answer("https://api.cpicpgx.org/v1/pair_view?", [PAIR])
    envelope = await call(
        platform, played, "search_cpic_pairs", gene_symbol="cyp2c19", drug_name="clopi*dogrel%", cpic_level="A"
    )
    assert envelope.content["data"] == [PAIR]
    assert played.query() == {
        "genesymbol": "eq.CYP2C19",
        "drugname": "ilike.*clopi dogrel*",
        "cpiclevel": "eq.A",
        "select": "*",
        "order": "cpiclevel.asc,genesymbol.asc,drugname.asc",
    }
    assert [(cited["kind"], cited["identifier"]) for cited in envelope.meta["burp/citations"]] == [
        ("clinpgx", "PA166251443"),
        ("pmid", "35034351"),
    ]


def recommendation(number: int, population: str, **lookup: str) -> dict[str, Any]:
    """Return a recommendation row."""
    return {"recommendationid": number, "lookupkey": lookup, "population": population, "classification": "Strong"}


RECOMMENDATIONS = [
    recommendation(1, "general ", CYP2C19="Poor Metabolizer"),
    recommendation(2, "pediatrics", CYP2C19="Poor Metabolizer"),
    recommendation(3, "general ", CYP2D6="0.25"),
]


async def test_recommendations_are_kept_by_gene_and_population() -> None:
    played = Played().answer("/v1/recommendation_view?drugname=eq.amitriptyline&", RECOMMENDATIONS)
    envelope = await call(
        platform,
        played,
        "get_cpic_recommendations",
        drug_name="Amitriptyline",
        gene_symbol="cyp2c19",
        population="General",
    )
    assert [row["recommendationid"] for row in envelope.content["data"]] == [1]
    assert played.query()["order"] == "recommendationid.asc"


async def test_a_population_nobody_has_names_those_there_are() -> None:
    played = Played().answer("/v1/recommendation_view?", RECOMMENDATIONS)
    envelope = await call(
        platform,
        played,
        "get_cpic_recommendations",
        drug_name="amitriptyline",
        gene_symbol="CYP2C19",
        population="elderly",
    )
    assert envelope.content["outcome"] == "empty"
    assert envelope.content["note"].endswith("in 'elderly'; its groups are general, pediatrics.")


def frequency(name: str, group: str, average: float | None) -> dict[str, Any]:
    """Return a frequency row."""
    row = {"genesymbol": "CYP2C19", "name": name, "population_group": group, "subjectcount": 71782}
    return {**row, "freq_weighted_avg": average}


FREQUENCIES = [
    frequency("*10", "European", 0.0),
    frequency("*2", "Oceanian", 0.6),
    frequency("*37", "European", None),
    frequency("*2", "European", 0.147),
]


async def test_alleles_come_in_their_own_order_and_unmeasured_stays_null() -> None:
    played = Played().answer("/v1/population_frequency_view?genesymbol=eq.CYP2C19&", FREQUENCIES)
    envelope = await call(platform, played, "get_allele_frequencies", gene_symbol="CYP2C19", population="european")
    data = envelope.content["data"]
    assert [(row["name"], row["freq_weighted_avg"]) for row in data["rows"]] == [
        ("*2", 0.147),
        ("*10", 0.0),
        ("*37", None),
    ]
    assert data["population_groups"] == ["European", "Oceanian"]
    assert "null was not measured" in envelope.content["note"]
    assert envelope.meta["burp/citations"][0]["identifier"] == "CYP2C19*2"


async def test_a_group_nobody_has_names_those_there_are() -> None:
    played = Played().answer("/v1/population_frequency_view?", FREQUENCIES)
    envelope = await call(platform, played, "get_allele_frequencies", gene_symbol="CYP2C19", population="Martian")
    assert envelope.content["outcome"] == "empty"
    assert envelope.content["note"].endswith("its groups are European, Oceanian.")


ALLELES = [
    {"name": name, "clinicalfunctionalstatus": function}
    for name, function in (("*1", "Normal function"), ("*17", "Increased function"), ("*2", "No function"))
]


@pytest.mark.parametrize(
    ("allele", "names"),
    [(None, ["*1", "*2", "*17"]), ("*2", ["*2"]), ("cyp2c19*17", ["*17"])],
    ids=["all", "bare", "with gene"],
)
async def test_star_alleles_are_listed_with_their_function(allele: str | None, names: list[str]) -> None:
    played = Played().answer("/v1/allele?genesymbol=eq.CYP2C19&", ALLELES)
    envelope = await call(platform, played, "search_star_alleles", gene_symbol="CYP2C19", allele=allele)
    assert [row["name"] for row in envelope.content["data"]["alleles"]] == names


async def test_an_allele_nobody_has_is_empty() -> None:
    played = Played().answer("/v1/allele?", ALLELES)
    envelope = await call(platform, played, "search_star_alleles", gene_symbol="CYP2C19", allele="*999")
    assert envelope.content["note"] == "CPIC has no allele *999 of CYP2C19."


CPIC_TOOLS = {
    "search_cpic_pairs": {"gene_symbol": "NOSUCHGENE"},
    "get_cpic_recommendations": {"drug_name": "nosuchdrug"},
    "get_allele_frequencies": {"gene_symbol": "NOSUCHGENE"},
    "search_star_alleles": {"gene_symbol": "NOSUCHGENE"},
}


@pytest.mark.parametrize("tool", CPIC_TOOLS)
async def test_no_row_of_cpic_is_empty_with_the_name_asked_for(tool: str) -> None:
    played = Played().answer("https://api.cpicpgx.org/v1/", [])
    envelope = await call(platform, played, tool, **CPIC_TOOLS[tool])
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)
    assert "nosuch" in envelope.content["note"].lower()


@pytest.mark.parametrize("tool", ["search_clinical_annotations", "search_guideline_annotations", "search_cpic_pairs"])
async def test_a_search_without_gene_or_drug_is_refused_before_asking(tool: str) -> None:
    played = Played()
    envelope = await call(platform, played, tool)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
    assert played.requests == []


EXAMPLES = [(tool.function.__name__, dict(tool.example)) for tool in platform.tools]


@pytest.mark.parametrize(("tool", "arguments"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
async def test_a_refusal_of_the_service_is_a_failure_in_its_own_words(tool: str, arguments: dict[str, Any]) -> None:
    played = Played().answer("/v1/", "error code: 1010 browser_signature_banned", status=403)
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["error"]["code"] == "upstream_refused"
    assert "browser_signature_banned" in envelope.content["error"]["message"]


@pytest.mark.parametrize(("tool", "arguments"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
async def test_an_answer_of_another_shape_is_a_failure(tool: str, arguments: dict[str, Any]) -> None:
    played = Played().answer("/v1/", {"message": "hello"})
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C026")
async def test_only_the_new_hosts_are_asked_and_linked() -> None:
    assert platform.all_hosts == ("api.clinpgx.org", "api.cpicpgx.org")
    played = Played().answer("/data/gene?", found(CYP2C19))
    envelope = await call(platform, played, "resolve_entity", query="CYP2C19", type="gene")
    assert "pharmgkb" not in str(envelope.content) + str(envelope.meta)
