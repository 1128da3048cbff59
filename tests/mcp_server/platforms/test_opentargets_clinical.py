"""Open Targets on drugs, diseases and evidence: stages, forms, warnings, sources, what a row is about."""

from typing import Any

import pytest

from mcp_server.platforms.opentargets import platform
from tests.mcp_server.platforms.opentargets_answers import answer, arguments, example, played, sent
from tests.mcp_server.played import Played, call


async def run(tool: str, **others: Any) -> dict[str, Any]:
    """Call a tool on its example's answer and return the content."""
    envelope = await call(platform, played(example(tool)), tool, **arguments(tool, **others))
    return envelope.content


async def test_diseases_of_a_drug_come_by_stage() -> None:
    content = await run("get_drug_diseases", min_stage=None)
    assert [row["maxClinicalStage"] for row in content["data"]["rows"]] == ["APPROVAL", "PHASE_3", "PHASE_2"]
    assert [row["clinicalReportCount"] for row in content["data"]["rows"]] == [2, 0, 1]


@pytest.mark.parametrize(("stage", "found"), [("APPROVAL", 1), ("PHASE_2", 3), ("WITHDRAWAL", 0)])
async def test_a_lowest_stage_filters_and_the_total_is_of_what_fits(stage: str, found: int) -> None:
    content = await run("get_drug_diseases", min_stage=stage)
    assert (content["total"], content["data"]["count"]) == (found, 3)
    assert content["outcome"] == ("data" if found else "empty")
    assert found or content["note"] == "None of the 3 rows fits the filter."


async def test_whole_lists_bring_the_ids_of_the_reports() -> None:
    content = await run("get_drug_diseases", whole_lists=True)
    assert content["data"]["rows"][0]["clinicalReportIds"] == ["nct2", "nct3"]


@pytest.mark.case("C022")
async def test_the_other_forms_of_a_drug_are_named_with_its_diseases() -> None:
    body = example("get_drug_diseases")
    body["data"]["drug"] |= {"childMolecules": [{"id": "CHEMBL2105712", "name": "AFATINIB DIMALEATE"}]}
    envelope = await call(platform, played(body), "get_drug_diseases", chembl_id="CHEMBL3137343")
    assert envelope.content["note"] == "Other forms have diseases of their own: AFATINIB DIMALEATE (CHEMBL2105712)."
    assert envelope.content["data"]["drug"]["otherForms"][0]["id"] == "CHEMBL2105712"


def candidates(*types: str) -> dict[str, Any]:
    """Return a disease's drugs, one of each type."""
    rows = [
        {
            "id": kind,
            "maxClinicalStage": "PHASE_2",
            "drug": {"id": f"CHEMBL{n}", "name": kind, "drugType": kind},
            "clinicalReports": [],
        }
        for n, kind in enumerate(types, 1)
    ]
    return answer(
        disease={"id": "MONDO_0005313", "name": "x", "drugAndClinicalCandidates": {"count": len(rows), "rows": rows}}
    )


async def test_drugs_of_a_disease_are_filtered_by_type() -> None:
    body = candidates("Antibody", "Small molecule")
    envelope = await call(
        platform, played(body), "get_disease_drugs", disease_id="MONDO_0005313", drug_type="small molecule"
    )
    assert [row["id"] for row in envelope.content["data"]["rows"]] == ["Small molecule"]
    assert envelope.content["total"] == 1 and "note" not in envelope.content


async def test_a_type_that_no_drug_has_answers_with_the_types() -> None:
    body = candidates("Antibody", "Small molecule")
    envelope = await call(platform, played(body), "get_disease_drugs", disease_id="MONDO_0005313", drug_type="Cheese")
    assert envelope.content["outcome"] == "empty"
    assert "Types of drugs listed here: Antibody, Small molecule." in envelope.content["note"]


@pytest.mark.case("C023")
async def test_a_withdrawal_stands_beside_the_side_effects() -> None:
    content = await run("get_drug_safety")
    assert content["data"]["drugWarnings"] == [
        {
            "warningType": "Withdrawn",
            "toxicityClass": "cardiotoxicity",
            "country": "Worldwide",
            "year": 2004,
            "efoTerm": "cardiotoxicity",
        }
    ]
    assert (content["total"], content["returned"], content["next"]) == (40, 3, {"offset": 3})


async def test_a_drug_with_warnings_only_is_no_empty_result() -> None:
    body = example("get_drug_safety")
    body["data"]["drug"]["adverseEvents"] = {"count": 0, "criticalValue": 1.0, "rows": []}
    envelope = await call(platform, played(body), "get_drug_safety", chembl_id="CHEMBL122")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("data", 0)


async def test_reports_are_asked_for_in_lower_case_and_cited_by_trial_number() -> None:
    play = played(example("get_clinical_reports"))
    envelope = await call(
        platform, play, "get_clinical_reports", report_ids=["NCT03045523", "nct03045523", "galicaftor"]
    )
    assert sent(play) == {"ids": ["nct03045523", "galicaftor"]}
    assert envelope.content["data"]["missing"] == ["galicaftor"]
    (cited,) = envelope.meta["burp/citations"]
    assert (cited["kind"], cited["identifier"]) == ("nct", "NCT03045523")
    assert cited["url"] == "https://clinicaltrials.gov/study/NCT03045523"


async def test_rows_of_a_gene_are_filtered_by_drug_and_all_drugs_are_listed_with_their_best_level() -> None:
    content = await run("get_target_pharmacogenomics")
    assert [row["variantRsId"] for row in content["data"]["rows"]] == ["rs1057910"]
    assert (content["total"], content["data"]["count"]) == (1, 2)
    assert content["data"]["drugs"] == [
        {"drugId": "CHEMBL1464", "name": "WARFARIN", "bestLevel": "1A", "rows": 1},
        {"drugId": None, "name": "losartan", "bestLevel": "3", "rows": 1},
    ]


@pytest.mark.parametrize(
    ("tool", "filters"),
    [
        ("get_target_pharmacogenomics", {"drug_name": None, "evidence_levels": ["2A"]}),
        ("get_target_pharmacogenomics", {"drug_name": "aspirin"}),
    ],
)
async def test_rows_that_do_not_fit_the_filter_are_counted(tool: str, filters: dict[str, Any]) -> None:
    content = await run(tool, **filters)
    assert content["outcome"] == "empty"
    assert content["note"] == "None of the 2 rows fits the filter; levels listed: 1A, 3."


async def test_levels_of_a_drugs_variants_can_be_chosen() -> None:
    rows = [{"evidenceLevel": level, "variantRsId": f"rs{n}00"} for n, level in enumerate(["3", "1A"], 1)]
    body = answer(drug={"id": "CHEMBL1464", "name": "WARFARIN", "pharmacogenomics": rows})
    envelope = await call(
        platform, played(body), "get_drug_pharmacogenomics", chembl_id="CHEMBL1464", evidence_levels=["1A"]
    )
    assert [row["variantRsId"] for row in envelope.content["data"]["rows"]] == ["rs200"]
    assert (envelope.content["total"], envelope.content["data"]["count"]) == (1, 2)


async def test_a_phenotype_without_hpo_term_keeps_its_name_and_a_denied_one_is_marked() -> None:
    content = await run("get_disease_phenotypes")
    assert [(row["phenotype"]["id"], row["absent"]) for row in content["data"]["rows"]] == [
        ("HP_0002110", False),
        ("EFO_0003956", False),
        ("HP_0001249", True),
    ]
    assert (content["total"], content["next"]) == (34, {"offset": 3})


@pytest.mark.case("C037")
async def test_a_former_disease_id_is_followed_for_studies_with_their_filter() -> None:
    hit = {"id": "MONDO_0004979", "name": "asthma", "entity": "disease", "object": {"obsoleteTerms": ["EFO_0000270"]}}
    play = played(
        answer(disease=None, studies={"count": 0, "rows": []}),
        answer(search={"total": 1, "hits": [hit]}),
        example("search_gwas_studies"),
    )
    envelope = await call(platform, play, "search_gwas_studies", disease_id="EFO_0000270")
    assert sent(play, 2)["diseaseIds"] == ["MONDO_0004979"]
    assert envelope.content["note"] == "EFO_0000270 is a former id; MONDO_0004979 (asthma) is used."
    assert envelope.content["total"] == 300


async def test_evidence_says_only_what_it_knows_and_counts_its_sentences() -> None:
    play = played(example("get_target_disease_evidence"))
    envelope = await call(
        platform,
        play,
        "get_target_disease_evidence",
        ensembl_id="ENSG00000001626",
        disease_id="MONDO_0009061",
        datasources=["eva", "europepmc"],
        limit=2,
        cursor="here",
    )
    first, second = envelope.content["data"]["rows"]
    assert "urls" not in first and "publicationYear" not in first
    assert ([each["text"] for each in second["sentences"]], second["sentenceCount"]) == (["one", "two"], 3)
    assert (envelope.content["total"], envelope.content["next"]) == (5000, {"cursor": "next-page"})
    assert sent(play) == {
        "efoId": "MONDO_0009061",
        "ensemblId": "ENSG00000001626",
        "ensemblIds": ["ENSG00000001626"],
        "datasourceIds": ["eva", "europepmc"],
        "indirect": True,
        "size": 2,
        "cursor": "here",
    }
    assert envelope.meta["burp/citations"][0]["url"] == (
        "https://platform.opentargets.org/evidence/ENSG00000001626/MONDO_0009061"
    )


@pytest.mark.case("C040")
async def test_evidence_of_another_gene_is_refused() -> None:
    body = example("get_target_disease_evidence")
    body["data"]["disease"]["evidences"]["rows"][0]["target"]["id"] = "ENSG00000146648"
    tool = "get_target_disease_evidence"
    envelope = await call(platform, played(body), tool, **arguments(tool))
    assert envelope.content["error"]["code"] == "upstream_bad_response"


async def test_an_unknown_source_is_refused_with_the_known_ones() -> None:
    tool = "get_target_disease_evidence"
    envelope = await call(platform, Played(), tool, **arguments(tool, datasources=["chembl"]))
    assert envelope.content["error"]["argument"] == "datasources"
    assert "clinical_precedence" in envelope.content["error"]["message"]


async def test_sources_of_a_pair_are_counted_and_the_rest_is_said() -> None:
    content = await run("list_evidence_sources_for_pair")
    assert content["data"]["sources"] == [
        {"datasource": "europepmc", "datatype": "literature", "count": 75},
        {"datasource": "eva", "datatype": "genetic_association", "count": 40},
    ]
    assert content["data"]["evidenceCount"] == 120 and "impc" in content["data"]["without"]
    assert content["note"] == "5 more come from sources that are not counted apart."


async def test_associations_are_filtered_and_ranked_by_one_source() -> None:
    target = {"id": "ENSG00000141736", "approvedSymbol": "ERBB2", "associatedDiseases": {"count": 0, "rows": []}}
    play = played(answer(target=target))
    await call(
        platform,
        play,
        "get_target_associated_diseases",
        ensembl_id="ENSG00000141736",
        name_filter="carcinoma",
        rank_by="clinical_precedence",
        include_measurements=True,
    )
    assert {name: sent(play)[name] for name in ("filter", "orderBy", "measurements")} == {
        "filter": "carcinoma",
        "orderBy": "clinical_precedence desc",
        "measurements": True,
    }


async def test_older_recordings_that_asked_for_less_are_read_and_cite_what_has_an_id() -> None:
    drug = {
        "id": "CHEMBL3137343",
        "name": "PEMBROLIZUMAB",
        "indications": {"rows": [{"maxClinicalStage": "PHASE_3", "disease": {"name": "urothelial carcinoma"}}]},
        "mechanismsOfAction": {"rows": [{"targets": [{"approvedSymbol": "PDCD1"}]}]},
    }
    for tool in ("get_drug_diseases", "get_drug_info"):
        envelope = await call(platform, played(answer(drug=dict(drug))), tool, chembl_id="CHEMBL3137343")
        assert envelope.content["outcome"] == "data"
        assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["CHEMBL3137343"]
