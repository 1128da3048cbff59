"""From star alleles to advice: definitions, diplotypes in either order, recommendations, and whole pages."""

from typing import Any

import pytest

from mcp_server.platforms.clinpgx import platform
from tests.mcp_server.played import Played, call

NONE = {"status": "fail", "data": {"errors": [{"message": "No results matching criteria."}]}}
CYP2C19 = {"objCls": "Gene", "id": "PA124", "symbol": "CYP2C19", "name": "CYP2C19"}
CLOPIDOGREL = {"objCls": "Chemical", "id": "PA449053", "name": "clopidogrel"}


def listed(*records: dict[str, Any]) -> dict[str, Any]:
    """Return a list as ClinPGx wraps it."""
    return {"data": list(records), "status": "success"}


NUDT15 = {
    "id": 779068,
    "name": "*3",
    "genesymbol": "NUDT15",
    "allele_location_value": [
        {"variantallele": "T", "sequence_location": {"dbsnpid": "rs116855232", "chromosomelocation": "g.48045719C>T"}}
    ],
}
SEQUENCES = {"symbol": "NUDT15", "chromosequenceid": "NC_000013.11"}


@pytest.mark.parametrize("allele", ["*3", "NUDT15*3", "nudt15 *3"])
async def test_a_definition_says_variants_and_sequence(allele: str) -> None:
    played = Played().answer("/v1/allele_definition?", [NUDT15]).answer("/v1/gene?", [SEQUENCES])
    envelope = await call(platform, played, "get_allele_definition", gene_symbol="NUDT15", allele=allele)
    asked, data = played.query(), envelope.content["data"]
    assert (asked["name"], asked["select"]) == ("eq.*3", "*,allele_location_value(*,sequence_location(*))")
    assert (data["assembly"], data["chromosequenceid"], data["species"]) == ("GRCh38", "NC_000013.11", "Homo sapiens")
    assert data["locations"][0]["dbsnpid"] == "rs116855232"
    assert [cited["kind"] for cited in envelope.meta["burp/citations"]] == ["star_allele", "rsid"]


async def test_a_definition_without_places_says_so() -> None:
    bare = {**NUDT15, "name": "*2", "allele_location_value": []}
    played = Played().answer("/v1/allele_definition?", [bare]).answer("/v1/gene?", [SEQUENCES])
    envelope = await call(platform, played, "get_allele_definition", gene_symbol="NUDT15", allele="*2")
    assert envelope.content["note"].startswith("CPIC lists no place for NUDT15*2")


ABSENT = [
    ("get_allele_definition", {"gene_symbol": "CYP2C19", "allele": "*999"}, "allele_definition"),
    ("get_diplotype_phenotype", {"gene_symbol": "CYP2C19", "diplotype": "*1/*999"}, "diplotype"),
    ("recommend_for_genotype", {"genotypes": ["CYP2C19*1/*999"]}, "diplotype"),
]


@pytest.mark.parametrize(("tool", "arguments", "table"), ABSENT)
@pytest.mark.parametrize(
    ("known", "outcome", "words"),
    [
        ([{"name": "*1"}], "unknown_id", "no allele CYP2C19*999"),
        ([], "empty", "names no alleles of CYP2C19"),
        ([{"name": "*1"}, {"name": "*999"}], "empty", "CYP2C19"),
    ],
    ids=["unknown allele", "unknown gene", "known but without row"],
)
async def test_unknown_alleles_are_told_from_missing_rows(
    tool: str, arguments: dict[str, Any], table: str, known: list[Any], outcome: str, words: str
) -> None:
    played = Played().answer(f"/v1/{table}?", []).answer("/v1/allele?", known)
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["outcome"] == outcome
    assert words in envelope.content["note"]


@pytest.mark.parametrize(("tool", "arguments", "table"), ABSENT)
async def test_rows_of_another_gene_are_refused(tool: str, arguments: dict[str, Any], table: str) -> None:
    played = Played().answer(f"/v1/{table}?", [{"genesymbol": "CYP2D6", "name": "*999"}])
    envelope = await call(platform, played, tool, **arguments)
    assert "asked for CYP2C19, got a row of CYP2D6" in envelope.content["error"]["message"]


def diplotype(pair: str, result: str, gene: str = "CYP2C19", key: Any = None) -> dict[str, Any]:
    """Return a row of the diplotype view."""
    key = {gene: result} if key is None else key
    return {"genesymbol": gene, "diplotype": pair, "generesult": result, "lookupkey": key, "totalactivityscore": "n/a"}


@pytest.mark.parametrize("asked", ["*2/*1", "CYP2C19*2 / CYP2C19*1"])
async def test_a_diplotype_is_found_in_either_order(asked: str) -> None:
    played = Played().answer("/v1/diplotype?", [diplotype("*1/*2", "Intermediate Metabolizer")])
    envelope = await call(platform, played, "get_diplotype_phenotype", gene_symbol="CYP2C19", diplotype=asked)
    assert played.query()["diplotype"] == 'in.("*2/*1","*1/*2")'
    assert envelope.content["data"]["rows"][0]["generesult"] == "Intermediate Metabolizer"


def advice(number: int, **key: str) -> dict[str, Any]:
    """Return a recommendation."""
    return {"recommendationid": number, "lookupkey": key, "population": "general", "phenotypes": key}


POOR = {"CYP2C19": "Poor Metabolizer"}
ADVICE = [
    advice(1, **POOR),
    advice(2, CYP2C19="Normal Metabolizer"),
    advice(3, **POOR, CYP2D6="0.25"),
    advice(4, CYP2D6="0.25"),
]


@pytest.mark.parametrize("key", [None, "Poor Metabolizer"], ids=["by gene", "as text"])
async def test_advice_follows_from_two_alleles(key: Any) -> None:
    played = Played().answer("/v1/diplotype?", [diplotype("*2/*2", "Poor Metabolizer", key=key)])
    played.answer("/v1/recommendation_view?drugname=eq.amitriptyline", ADVICE)
    arguments = {"genotypes": ["cyp2c19 *2/*2"], "drug_name": "Amitriptyline"}
    envelope = await call(platform, played, "recommend_for_genotype", **arguments)
    data = envelope.content["data"]
    assert [row["recommendationid"] for row in data["recommendations"]] == [1]
    assert data["phenotypes"][0]["phenotype"] == "Poor Metabolizer"
    assert envelope.content["note"] == "Others also need the genotype of CYP2D6."


@pytest.mark.parametrize(
    ("genotype", "gene", "asked"),
    [
        ("DPYD Reference/c.1905+1G>A (*2A)", "DPYD", "Reference/c.1905+1G>A (*2A)"),
        ("HLA-B*57:01/HLA-B*58:01", "HLA-B", "*57:01/*58:01"),
        ("cyp2c19 *1 / *2", "CYP2C19", "*1/*2"),
    ],
)
async def test_alleles_are_asked_for_as_cpic_names_them(genotype: str, gene: str, asked: str) -> None:
    played = Played().answer("/v1/diplotype?", [diplotype(asked, "a result", gene)]).answer("/v1/recommendation", [])
    await call(platform, played, "recommend_for_genotype", genotypes=[genotype])
    assert played.query()["genesymbol"] == f"eq.{gene}"
    assert f'"{asked}"' in played.query()["diplotype"]


async def test_two_genes_are_taken_together() -> None:
    played = Played().answer("eq.CYP2C19&", [diplotype("*2/*2", "Poor Metabolizer")])
    played.answer("eq.CYP2D6&", [diplotype("*4/*10", "Intermediate Metabolizer", "CYP2D6", {"CYP2D6": "0.25"})])
    played.answer("/v1/recommendation_view?", ADVICE)
    arguments = {"genotypes": ["CYP2C19*2/*2", "CYP2D6*4/*10"], "drug_name": "amitriptyline"}
    envelope = await call(platform, played, "recommend_for_genotype", **arguments)
    assert [row["recommendationid"] for row in envelope.content["data"]["recommendations"]] == [1, 3, 4]


async def test_advice_on_other_genes_alone_is_not_offered_as_missing_a_genotype() -> None:
    played = Played().answer("/v1/diplotype?", [diplotype("*2/*2", "Poor Metabolizer")])
    played.answer("/v1/recommendation_view?", [advice(4, CYP2D6="0.25")])
    arguments = {"genotypes": ["CYP2C19*2/*2"], "drug_name": "codeine"}
    envelope = await call(platform, played, "recommend_for_genotype", **arguments)
    assert (envelope.content["outcome"], "Others" in envelope.content["note"]) == ("empty", False)


async def test_without_a_drug_all_advice_on_the_phenotype_is_listed() -> None:
    played = Played().answer("/v1/diplotype?", [diplotype("*2/*2", "Poor Metabolizer")])
    played.answer("/v1/recommendation_view?lookupkey-%3E%3ECYP2C19=eq.Poor+Metabolizer", ADVICE)
    envelope = await call(platform, played, "recommend_for_genotype", genotypes=["CYP2C19*2/*2"])
    assert envelope.content["total"] == 1


async def test_a_genotype_without_advice_is_empty() -> None:
    played = Played().answer("/v1/diplotype?", [diplotype("*1/*1", "Rapid")]).answer("/v1/recommendation_view?", ADVICE)
    arguments = {"genotypes": ["CYP2C19*1/*1"], "drug_name": "amitriptyline"}
    envelope = await call(platform, played, "recommend_for_genotype", **arguments)
    assert envelope.content["outcome"] == "empty"
    assert "no recommendation for CYP2C19*1/*1 and amitriptyline" in envelope.content["note"]


async def test_recommendations_are_kept_by_phenotype() -> None:
    played = Played().answer("/v1/recommendation_view?", ADVICE)
    arguments = {"drug_name": "amitriptyline", "phenotype": "poor metabolizer"}
    envelope = await call(platform, played, "get_cpic_recommendations", **arguments)
    assert [row["recommendationid"] for row in envelope.content["data"]] == [1, 3]
    played = Played().answer("/v1/recommendation_view?", ADVICE)
    arguments = {"drug_name": "amitriptyline", "gene_symbol": "CYP2C19", "phenotype": "Slow"}
    envelope = await call(platform, played, "get_cpic_recommendations", **arguments)
    assert "its phenotypes here are 0.25, Normal Metabolizer, Poor Metabolizer" in envelope.content["note"]


async def test_alleles_are_kept_by_function_and_frequencies_by_allele() -> None:
    alleles = [{"name": "*1", "clinicalfunctionalstatus": "Normal function"}]
    alleles += [{"name": "*2", "clinicalfunctionalstatus": "No function"}]
    played = Played().answer("/v1/allele?", alleles)
    envelope = await call(platform, played, "search_star_alleles", gene_symbol="CYP2C19", function="no function")
    assert [row["name"] for row in envelope.content["data"]["alleles"]] == ["*2"]
    played = Played().answer("/v1/allele?", alleles)
    envelope = await call(platform, played, "search_star_alleles", gene_symbol="CYP2C19", function="odd")
    assert "its functions are No function, Normal function" in envelope.content["note"]
    frequencies = [{"genesymbol": "CYP2C19", "name": name, "population_group": "European"} for name in ("*1", "*2")]
    played = Played().answer("/v1/population_frequency_view?", frequencies)
    envelope = await call(platform, played, "get_allele_frequencies", gene_symbol="CYP2C19", allele="CYP2C19*2")
    assert [row["name"] for row in envelope.content["data"]["rows"]] == ["*2"]


def clinical(number: int, level: str, symbol: str = "CYP2C19") -> dict[str, Any]:
    """Return a clinical annotation."""
    return {
        "id": number,
        "levelOfEvidence": {"term": level},
        "location": {"displayName": f"{symbol}*2", "genes": [{"id": "PA1", "symbol": symbol}]},
        "relatedChemicals": [CLOPIDOGREL],
        "types": ["Efficacy"],
    }


GUIDE = {"id": "PA166104948", "source": "CPIC", "recommendation": True, "relatedGenes": [CYP2C19]}
LABEL = {"id": "PA166104777", "source": "FDA", "testing": {"term": "Actionable PGx"}, "relatedGenes": [CYP2C19]}
PAIR = {"genesymbol": "CYP2C19", "drugname": "clopidogrel", "cpiclevel": "A"}


def page(**failing: int) -> Played:
    """Play the lists of a page."""
    played = Played().answer("/data/chemical?", listed(CLOPIDOGREL))
    annotations = listed(clinical(1, "3", "CES1"), clinical(2, "1A"), clinical(3, "3"))
    played.answer("/data/summaryAnnotation?", annotations)
    played.answer("/data/guidelineAnnotation?", listed(GUIDE), status=failing.get("guidelines", 200))
    return played.answer("/data/label?", listed(LABEL))


async def test_a_page_on_a_pair_joins_what_both_databases_hold() -> None:
    played = page().answer("/data/gene?", listed(CYP2C19)).answer("/v1/pair_view?", [PAIR])
    played.answer("/v1/recommendation_view?", ADVICE)
    arguments = {"gene_symbol": "cyp2c19", "drug_name": "clopidogrel"}
    envelope = await call(platform, played, "gene_drug_report", **arguments)
    data = envelope.content["data"]
    assert (data["best_level"], data["clinical_annotations"]["total"]) == ("1A", 2)
    assert [row["recommendationid"] for row in data["recommendations"]["rows"]] == [1, 2, 3]
    states = {name: data[name]["status"] for name in ("guidelines", "labels", "cpic_pairs")}
    assert states == dict.fromkeys(states, "complete")


async def test_a_list_that_failed_does_not_hide_the_others() -> None:
    played = page(guidelines=400).answer("/data/gene?", listed(CYP2C19)).answer("/v1/pair_view?", [PAIR])
    played.answer("/v1/recommendation_view?", ADVICE)
    arguments = {"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"}
    envelope = await call(platform, played, "gene_drug_report", **arguments)
    data = envelope.content["data"]
    assert (data["guidelines"]["status"], data["labels"]["status"]) == ("failed", "complete")
    assert envelope.content["note"] == "No answer for guidelines: nothing is known about them here."


async def test_a_page_of_which_nothing_could_be_asked_is_a_failure() -> None:
    played = Played().answer("/data/chemical?", listed(CLOPIDOGREL))
    for route in ("/data/summaryAnnotation?", "/data/guidelineAnnotation?", "/data/label?", "/v1/pair_view?"):
        played.answer(route, {"message": "not now"}, status=400)
    envelope = await call(platform, played, "drug_pgx_profile", drug_name="clopidogrel")
    assert envelope.content["error"]["code"] == "upstream_refused"
    assert "not now" in envelope.content["error"]["message"]


async def test_genes_of_a_drug_come_strongest_first() -> None:
    played = page().answer("/v1/pair_view?", [PAIR, {**PAIR, "drugname": "clopidogrel / aspirin", "cpiclevel": "D"}])
    envelope = await call(platform, played, "drug_pgx_profile", drug_name="clopidogrel")
    genes = envelope.content["data"]["genes"]
    assert [(gene["symbol"], gene["best_level"], gene["cpic_level"]) for gene in genes] == [
        ("CYP2C19", "1A", "A"),
        ("CES1", "3", None),
    ]
    assert genes[0]["labels"] == [{"id": "PA166104777", "source": "FDA", "testing": "Actionable PGx"}]
    assert (genes[0]["annotation_count"], envelope.content["data"]["sources"]["labels"]["total"]) == (2, 1)


@pytest.mark.case("C080")
async def test_a_drug_that_nobody_annotated_has_an_empty_page() -> None:
    played = Played().answer("/data/chemical?", listed({"id": "PA1", "name": "tucatinib"}))
    for route in ("summaryAnnotation", "guidelineAnnotation", "label"):
        played.answer(f"/data/{route}?", NONE, status=404)
    played.answer("/v1/pair_view?", [])
    envelope = await call(platform, played, "drug_pgx_profile", drug_name="tucatinib")
    assert (envelope.content["outcome"], envelope.content["data"]["genes"]) == ("empty", [])
    assert "holds anything on tucatinib" in envelope.content["note"]


@pytest.mark.parametrize("tool", ["gene_drug_report", "drug_pgx_profile"])
async def test_a_page_on_a_name_that_nobody_has_is_empty(tool: str) -> None:
    played = Played().answer("/data/chemical?", NONE, status=404).answer("/data/chemical?", NONE, status=404)
    arguments = {"drug_name": "FK506"}
    if tool == "gene_drug_report":
        played.answer("/data/gene?", listed(CYP2C19))
        arguments["gene_symbol"] = "CYP2C19"
    envelope = await call(platform, played, tool, **arguments)
    assert "no chemical called 'FK506'" in envelope.content["note"]
