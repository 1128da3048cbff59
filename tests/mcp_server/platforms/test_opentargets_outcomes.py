"""Every Open Targets tool: nothing found, an unknown id and a failed source never turn into one another."""

from typing import Any

import pytest

from mcp_server.platforms.opentargets import platform
from mcp_server.platforms.opentargets.queries.diseases import EVIDENCE_SOURCES
from tests.mcp_server.platforms.opentargets_answers import TOOLS, answer, arguments, played
from tests.mcp_server.played import Played, call

EGFR = {"id": "ENSG00000146648", "approvedSymbol": "EGFR"}
CFTR = {"id": "ENSG00000001626", "approvedSymbol": "CFTR"}
FIBROSIS = {"id": "MONDO_0009061", "name": "cystic fibrosis"}
NONE = {"count": 0, "rows": []}
NO_EVIDENCE = {**NONE, "cursor": None}


def target(tool: str, **fields: Any) -> dict[str, Any]:
    """Return the target of a tool's example with nothing in it."""
    return {"target": {"id": TOOLS[tool].example["ensembl_id"], "approvedSymbol": "X", **fields}}


EMPTY: dict[str, dict[str, Any]] = {
    "search_entities": {"search": {"total": 0, "hits": []}},
    "search_entities_batch": {"mapIds": {"total": 0, "mappings": [{"term": "CFTR", "hits": []}]}},
    "get_entity_literature": {
        "target": {**CFTR, "literatureOcurrences": {"count": 9, "filteredCount": 0, "cursor": None, "rows": []}}
    },
    "get_similar_entities": {"target": {"id": "ENSG00000141736", "approvedSymbol": "ERBB2", "similarEntities": []}},
    "get_target_disease_evidence": {"target": CFTR, "disease": {**FIBROSIS, "evidences": NO_EVIDENCE}},
    "list_evidence_sources_for_pair": {
        "target": CFTR,
        "disease": {**FIBROSIS, **{name: {"count": 0} for name in ("all", *EVIDENCE_SOURCES)}},
    },
    "get_drug_diseases": {"drug": {"id": "CHEMBL3137343", "name": "PEMBROLIZUMAB", "indications": NONE}},
    "get_drug_safety": {"drug": {"id": "CHEMBL122", "name": "ROFECOXIB", "drugWarnings": [], "adverseEvents": NONE}},
    "get_drug_pharmacogenomics": {"drug": {"id": "CHEMBL1464", "name": "WARFARIN", "pharmacogenomics": []}},
    "get_target_pharmacogenomics": target("get_target_pharmacogenomics", pharmacogenomics=[]),
    "get_disease_phenotypes": {"disease": {**FIBROSIS, "phenotypes": NONE}},
    "get_target_druggability": {
        "target": {**EGFR, "tractability": [], "chemicalProbes": [], "targetClass": [], "tep": None}
    },
    "get_target_safety": {"target": {**EGFR, "safetyLiabilities": []}},
    "get_target_expression": target("get_target_expression", baselineExpression=NONE),
    "get_target_interactions": target("get_target_interactions", interactions=None),
    "get_target_constraint": target("get_target_constraint", geneticConstraint=[]),
    "get_target_prioritisation": {"target": {**EGFR, "prioritisation": None}},
    "get_target_essentiality": {"target": {**EGFR, "isEssential": None, "depMapEssentiality": None}},
    "get_target_mouse_phenotypes": target("get_target_mouse_phenotypes", mousePhenotypes=[]),
    "get_target_credible_sets": target("get_target_credible_sets", credibleSets=NONE),
    "get_target_drugs": target("get_target_drugs", drugAndClinicalCandidates=NONE),
    "get_target_associated_diseases": target("get_target_associated_diseases", associatedDiseases=NONE),
    "get_disease_associated_targets": {
        "disease": {"id": "MONDO_0004989", "name": "breast carcinoma", "associatedTargets": NONE}
    },
    "get_disease_drugs": {"disease": {"id": "MONDO_0005313", "name": "x", "drugAndClinicalCandidates": NONE}},
    "get_variant_evidence": {
        "variant": {"id": "19_44908822_C_T", "rsIds": [], "evidences": NO_EVIDENCE, "pharmacogenomics": []}
    },
    "get_variant_credible_sets": {"variant": {"id": "1_154453788_C_T", "rsIds": [], "credibleSets": NONE}},
    "search_gwas_studies": {"disease": {"id": "MONDO_0004979", "name": "asthma"}, "studies": NONE},
    "run_graphql_query": {"target": None},
}
# A record that exists is data, however little it says.
RECORDS = {"get_target_info", "get_targets_batch", "get_disease_info", "get_drug_info", "get_clinical_reports"}
RECORDS |= {"get_variant_info", "get_gwas_study", "get_credible_set"}
# They look for words, or pass on whatever is asked.
WITHOUT_IDS = {"search_entities", "search_entities_batch", "run_graphql_query"}
NULL_ROOTS: dict[str, Any] = {
    "meta": None, "target": None, "disease": None, "drug": None, "variant": None, "study": None, "credibleSet": None,
    "targets": [], "clinicalReports": [], "studies": NONE,
}  # fmt: skip
NO_HIT = answer(search={"total": 0, "hits": []})


def test_each_tool_is_shown_with_nothing_found_or_is_a_record() -> None:
    assert set(EMPTY) | RECORDS == set(TOOLS) and not set(EMPTY) & RECORDS


@pytest.mark.parametrize("tool", EMPTY)
async def test_nothing_found_is_empty_and_says_what_was_looked_for(tool: str) -> None:
    envelope = await call(platform, played(answer(**EMPTY[tool])), tool, **TOOLS[tool].example)
    assert envelope.content["outcome"] == "empty", envelope.content
    assert len(envelope.content["note"]) > 15
    assert envelope.content.get("next") is None


@pytest.mark.parametrize("tool", sorted(set(TOOLS) - WITHOUT_IDS))
async def test_an_unknown_id_is_neither_empty_nor_data(tool: str) -> None:
    play = Played().answer("graphql", {"data": NULL_ROOTS})
    if "disease_id" in TOOLS[tool].example:
        play.answer("graphql", NO_HIT)
    envelope = await call(platform, play, tool, **TOOLS[tool].example)
    assert envelope.content["outcome"] == "unknown_id", envelope.content
    assert envelope.content["note"]
    assert envelope.meta["burp/citations"] == []


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_database_that_is_down_is_a_failure(tool: str, no_backoff: None) -> None:
    body = {"errors": [{"message": "clickhouse", "extensions": {"code": "SOURCE_UNAVAILABLE_CLICKHOUSE"}}]}
    envelope = await call(platform, Played().answer("graphql", body), tool, **TOOLS[tool].example)
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "upstream_unavailable"


@pytest.mark.case("C040")
@pytest.mark.parametrize(
    "tool",
    [
        "get_target_info", "get_target_safety", "get_drug_safety", "get_disease_phenotypes", "get_variant_info",
        "get_gwas_study", "get_entity_literature", "get_target_disease_evidence", "get_credible_set",
        "get_targets_batch", "search_gwas_studies",
    ],
)  # fmt: skip
async def test_a_record_of_another_id_is_refused(tool: str) -> None:
    other = {"id": "OTHER", "name": "x", "approvedSymbol": "x", "studyLocusId": "0" * 32, "evidences": NO_EVIDENCE}
    body = answer(**dict.fromkeys(("target", "disease", "drug", "variant", "study", "credibleSet"), other))
    body["data"] |= {"targets": [other], "studies": NONE}
    envelope = await call(platform, played(body), tool, **arguments(tool))
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "upstream_bad_response"
