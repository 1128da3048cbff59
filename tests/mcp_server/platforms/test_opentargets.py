"""Open Targets: fields of release 26.06, exact names before text hits, former ids, stages, honest counts."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from mcp_server.platforms.opentargets import platform
from mcp_server.platforms.opentargets.queries import diseases, drugs, entities, genetics, targets
from tests.mcp_server.platforms.opentargets_answers import answer, played, sent
from tests.mcp_server.played import Played, call, data

ERBB2 = "ENSG00000141736"


def hit(id: str, name: str, entity: str = "target", score: float = 1.0, **record: Any) -> dict[str, Any]:
    """Return a search hit."""
    return {"id": id, "entity": entity, "name": name, "score": score, "object": record}


def candidate(chembl_id: str, name: str, stage: str, reports: int = 0) -> dict[str, Any]:
    """Return a row of a target's drugs."""
    return {
        "id": f"row-{chembl_id}",
        "maxClinicalStage": stage,
        "drug": {"id": chembl_id, "name": name},
        "diseases": [{"disease": {"id": f"MONDO_{n:07}", "name": f"disease {n}"}} for n in range(12)],
        "clinicalReports": [{"id": f"nct{n}"} for n in range(reports)],
    }


def unselected(selection: str, type_name: str, fields: dict[str, dict[str, str]]) -> Iterator[str]:
    """Yield what a selection set asks for and its type does not have."""
    at, depth, parent = type_name, 0, [type_name]
    for token in re.findall(r"\.\.\. on \w+|\([^)]*\)|\w+:(?!\w)|\w+|[{}]", selection):
        if token == "{":
            depth += 1
            parent.append(at)
        elif token == "}":
            depth -= 1
            parent.pop()
        elif token.startswith("..."):
            at = token.removeprefix("... on ")
        elif not token.startswith("(") and not token.endswith(":") and token != "__typename":
            if token in fields[parent[-1]]:
                at = fields[parent[-1]][token]
            else:
                yield f"{parent[-1]}.{token}"


TEXTS = {
    name: text
    for module in (diseases, drugs, entities, genetics, targets)
    for name, text in vars(module).items()
    if isinstance(text, str) and text.lstrip().startswith("query")
}


@pytest.mark.case("C036")
@pytest.mark.parametrize("name", TEXTS)
def test_every_field_asked_for_exists_in_release_26_06(name: str) -> None:
    fields = json.loads(data("opentargets", "fields_26.06.json"))
    head, _, selection = TEXTS[name].partition("{")
    assert re.search(r"query \w+\(", head)
    assert list(unselected("{" + selection, "Query", fields)) == []


def test_a_removed_field_would_be_noticed() -> None:
    fields = json.loads(data("opentargets", "fields_26.06.json"))
    text = "{ target(ensemblId: $id) { id knownDrugs { count } } }"
    assert next(unselected(text, "Query", fields)) == "Target.knownDrugs"


@pytest.mark.case("C001")
async def test_a_former_symbol_beats_a_hit_of_higher_text_score() -> None:
    septin9 = hit("ENSG00000184640", "SEPTIN9", score=12, __typename="Target", approvedSymbol="SEPTIN9")
    kmt2a = hit(
        "ENSG00000118058",
        "KMT2A",
        score=9,
        __typename="Target",
        approvedSymbol="KMT2A",
        symbolSynonyms=[{"label": "MLL"}],
        obsoleteSymbols=[],
    )
    play = played(answer(search={"total": 2, "hits": [septin9, kmt2a]}))
    envelope = await call(platform, play, "search_entities", query="MLL", entity_types=["target"], limit=1)
    assert [(found["id"], found["match"]) for found in envelope.content["data"]["hits"]] == [
        ("ENSG00000118058", "synonym")
    ]
    assert (envelope.content["total"], envelope.content["next"]) == (2, {"offset": 1})
    assert sent(play) == {"query": "MLL", "entityNames": ["target"], "size": 25}
    assert envelope.meta["burp/release"] == "26.06"


async def test_the_exact_disease_name_comes_first_and_each_hit_is_cited() -> None:
    hits = [hit("MONDO_0004989", "breast carcinoma", "disease"), hit("MONDO_0007254", "breast cancer", "disease")]
    play = played(answer(search={"total": 2, "hits": hits}))
    envelope = await call(platform, play, "search_entities", query="Breast  Cancer", entity_types=["disease"])
    assert [found["id"] for found in envelope.content["data"]["hits"]] == ["MONDO_0007254", "MONDO_0004989"]
    assert envelope.meta["burp/citations"][0] == {
        "kind": "ontology",
        "identifier": "MONDO_0007254",
        "label": "breast cancer",
        "url": "https://platform.opentargets.org/disease/MONDO_0007254",
    }


async def test_a_search_without_hits_is_empty() -> None:
    play = played(answer(search={"total": 0, "hits": []}))
    envelope = await call(platform, play, "search_entities", query="zzzz")
    assert envelope.content["outcome"] == "empty"
    assert sent(play)["entityNames"] == ["target", "disease", "drug"]


async def test_hits_that_fit_by_text_only_are_said_to_be_no_exact_match() -> None:
    play = played(answer(search={"total": 1, "hits": [hit("CHEMBL1431", "METFORMIN", "drug")]}))
    envelope = await call(platform, play, "search_entities", query="MET", entity_types=["drug"])
    assert envelope.content["data"]["hits"][0]["match"] == "text"
    assert "'MET' exactly" in envelope.content["note"]


ASSOCIATED = {"score": 0.887, "target": {"id": "ENSG00000139618", "approvedSymbol": "BRCA2"}, "datatypeScores": []}


async def test_targets_of_a_disease_are_counted_and_go_on() -> None:
    disease = {"id": "MONDO_0004989", "name": "breast carcinoma"}
    play = played(answer(disease={**disease, "associatedTargets": {"count": 17963, "rows": [ASSOCIATED]}}))
    envelope = await call(platform, play, "get_disease_associated_targets", disease_id="MONDO:0004989", limit=1)
    assert envelope.content == {
        "outcome": "data",
        "data": {
            "disease": disease,
            "include_subtypes": True,
            "count": 17963,
            "rows": [ASSOCIATED],
            "species": "Homo sapiens",
        },
        "total": 17963,
        "returned": 1,
        "next": {"offset": 1},
    }
    assert sent(play) == {"efoId": "MONDO_0004989", "index": 0, "size": 1, "indirect": True}
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["MONDO_0004989", "ENSG00000139618"]


@pytest.mark.parametrize(
    ("limit", "offset", "asked", "shown"),
    [(50, 100, (2, 50), [0, 1, 2]), (2, 1, (0, 3), [1, 2])],
    ids=["whole pages", "from the middle of a page"],
)
async def test_an_offset_becomes_a_page(limit: int, offset: int, asked: tuple[int, int], shown: list[int]) -> None:
    rows = [{"score": n, "disease": {"id": f"MONDO_{n}", "name": str(n)}, "datatypeScores": []} for n in range(3)]
    target = {"id": ERBB2, "approvedSymbol": "ERBB2", "associatedDiseases": {"count": 500, "rows": rows}}
    play = played(answer(target=target))
    envelope = await call(
        platform, play, "get_target_associated_diseases", ensembl_id=ERBB2, limit=limit, offset=offset
    )
    assert (sent(play)["index"], sent(play)["size"], sent(play)["indirect"]) == (*asked, False)
    assert [row["score"] for row in envelope.content["data"]["rows"]] == shown


async def test_more_rows_than_the_service_lists_are_refused_before_asking() -> None:
    play = played()
    envelope = await call(platform, play, "get_target_associated_diseases", ensembl_id=ERBB2, limit=200, offset=2900)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
    assert play.requests == []


async def test_a_page_past_the_end_is_empty() -> None:
    target = {"id": ERBB2, "approvedSymbol": "ERBB2", "associatedDiseases": {"count": 3, "rows": []}}
    envelope = await call(
        platform, played(answer(target=target)), "get_target_associated_diseases", ensembl_id=ERBB2, offset=25
    )
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 3)


async def test_drugs_come_by_stage_with_counts_instead_of_long_lists() -> None:
    rows = [
        candidate("CHEMBL3545154", "POZIOTINIB", "PHASE_3", reports=20),
        candidate("CHEMBL1614707", "MUBRITINIB", "UNKNOWN"),
        candidate("CHEMBL3989868", "TUCATINIB", "APPROVAL", reports=3),
        candidate("CHEMBL554", "LAPATINIB", "APPROVAL", reports=9),
    ]
    target = {"id": ERBB2, "approvedSymbol": "ERBB2", "drugAndClinicalCandidates": {"count": 4, "rows": rows}}
    envelope = await call(
        platform, played(answer(target=target)), "get_target_drugs", ensembl_id=f"{ERBB2}.14", limit=3
    )
    shown = envelope.content["data"]["rows"]
    assert [row["drug"]["name"] for row in shown] == ["LAPATINIB", "TUCATINIB", "POZIOTINIB"]
    assert (len(shown[0]["diseases"]), shown[0]["diseaseCount"], shown[0]["clinicalReportCount"]) == (10, 12, 9)
    assert "clinicalReports" not in shown[0]
    assert (envelope.content["total"], envelope.content["next"]) == (4, {"offset": 3})
    assert envelope.meta["burp/citations"][1]["url"] == "https://platform.opentargets.org/drug/CHEMBL554"


async def test_what_the_answer_does_not_hold_is_not_filled_in() -> None:
    row = {"drug": {"id": "CHEMBL554", "name": "LAPATINIB"}}
    target = {"id": ERBB2, "approvedSymbol": "ERBB2", "drugAndClinicalCandidates": {"count": 1, "rows": [row]}}
    envelope = await call(platform, played(answer(target=target)), "get_target_drugs", ensembl_id=ERBB2)
    assert envelope.content["data"]["rows"] == [row]


async def test_a_count_that_does_not_fit_the_rows_is_said() -> None:
    rows = [candidate("CHEMBL554", "LAPATINIB", "APPROVAL")]
    target = {"id": ERBB2, "approvedSymbol": "ERBB2", "drugAndClinicalCandidates": {"count": 13, "rows": rows}}
    envelope = await call(platform, played(answer(target=target)), "get_target_drugs", ensembl_id=ERBB2)
    assert envelope.content["note"] == "Open Targets counts 13 rows and sent 1."


@pytest.mark.case("C080")
async def test_a_target_without_drugs_is_empty_and_cites_the_target() -> None:
    target = {"id": "ENSG00000012048", "approvedSymbol": "BRCA1", "drugAndClinicalCandidates": {"count": 0, "rows": []}}
    envelope = await call(platform, played(answer(target=target)), "get_target_drugs", ensembl_id="ENSG00000012048")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["ENSG00000012048"]


async def test_drugs_of_a_disease_tolerate_rows_without_a_drug() -> None:
    rows = [{"id": "a", "maxClinicalStage": "PHASE_2", "drug": None, "clinicalReports": []}]
    disease = {"id": "MONDO_0005313", "name": "necrotizing enterocolitis"}
    body = answer(disease={**disease, "drugAndClinicalCandidates": {"count": 1, "rows": rows}})
    envelope = await call(platform, played(body), "get_disease_drugs", disease_id="MONDO_0005313")
    assert envelope.content["data"]["rows"] == [
        {"id": "a", "maxClinicalStage": "PHASE_2", "drug": None, "clinicalReportCount": 0}
    ]


@pytest.mark.case("C037")
async def test_a_former_disease_id_is_followed_and_the_present_one_named() -> None:
    found = hit("MONDO_0004989", "breast carcinoma", "disease", obsoleteTerms=["EFO_0000305"])
    other = hit("MONDO_0007254", "breast cancer", "disease", obsoleteTerms=["EFO_0009999"])
    disease = {"id": "MONDO_0004989", "name": "breast carcinoma"}
    play = played(
        answer(disease=None), answer(search={"total": 2, "hits": [other, found]}), answer(disease=dict(disease))
    )
    envelope = await call(platform, play, "get_disease_info", disease_id="EFO:0000305")
    assert envelope.content == {
        "outcome": "data",
        "data": disease,
        "note": "EFO_0000305 is a former id; MONDO_0004989 (breast carcinoma) is used.",
    }
    assert [sent(play, n).get("efoId") for n in (0, 2)] == ["EFO_0000305", "MONDO_0004989"]
    assert sent(play, 1)["query"] == "EFO_0000305"


DISEASE_TOOLS = ["get_disease_info", "get_disease_associated_targets", "get_disease_drugs"]
TARGET_TOOLS = ["get_target_info", "get_target_associated_diseases", "get_target_drugs"]
DRUG_TOOLS = ["get_drug_info", "get_drug_pharmacogenomics"]


@pytest.mark.parametrize("tool", DISEASE_TOOLS)
async def test_a_disease_that_no_record_names_is_unknown(tool: str) -> None:
    play = played(answer(disease=None), answer(search={"total": 0, "hits": []}))
    envelope = await call(platform, play, tool, disease_id="EFO_9999999")
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"] == {"identifier": "EFO_9999999"}


@pytest.mark.parametrize("tool", TARGET_TOOLS)
async def test_an_unknown_target_is_no_empty_list(tool: str) -> None:
    envelope = await call(platform, played({"data": {"target": None}}), tool, ensembl_id="ENSG00000000000")
    assert envelope.content["outcome"] == "unknown_id"


@pytest.mark.parametrize("tool", DRUG_TOOLS)
async def test_an_unknown_drug_is_no_empty_list(tool: str) -> None:
    envelope = await call(platform, played({"data": {"drug": None}}), tool, chembl_id="CHEMBL999999999")
    assert envelope.content["outcome"] == "unknown_id"


async def test_a_target_record_keeps_what_answers_need() -> None:
    target = {
        "id": ERBB2,
        "approvedSymbol": "ERBB2",
        "genomicLocation": {"chromosome": "17"},
        "symbolSynonyms": [{"label": "NEU"}, {"label": "HER2"}, {"label": "NEU"}],
        "proteinIds": [{"id": "P04626", "source": "uniprot_swissprot"}, {"id": "X5DNK3", "source": "uniprot_trembl"}],
        "tractability": [{"label": "Approved Drug", "modality": "SM", "value": True}, {"label": "x", "value": False}],
    }
    envelope = await call(platform, played(answer(target=target)), "get_target_info", ensembl_id=ERBB2)
    assert envelope.content["data"] == {
        "id": ERBB2,
        "approvedSymbol": "ERBB2",
        "symbolSynonyms": ["HER2", "NEU"],
        "proteinIds": [{"id": "P04626", "source": "uniprot_swissprot"}],
        "tractability": [{"label": "Approved Drug", "modality": "SM", "value": True}],
        "species": "Homo sapiens",
        "genomicLocation": {"chromosome": "17", "assembly": "GRCh38"},
    }


async def test_long_lists_of_a_disease_are_cut_with_their_count() -> None:
    disease = {"id": "MONDO_0004992", "name": "cancer", "children": [{"id": f"c{n}", "name": ""} for n in range(40)]}
    envelope = await call(platform, played(answer(disease=disease)), "get_disease_info", disease_id="MONDO_0004992")
    assert (len(envelope.content["data"]["children"]), envelope.content["data"]["childrenCount"]) == (30, 40)
    assert "dbXRefsCount" not in envelope.content["data"]


async def test_a_drug_is_cited_with_the_targets_of_its_mechanisms() -> None:
    mechanism = {"mechanismOfAction": "x", "targets": [{"id": ERBB2, "approvedSymbol": "ERBB2"}]}
    drug = {
        "id": "CHEMBL554",
        "name": "LAPATINIB",
        "tradeNames": [{"label": "Tykerb"}],
        "mechanismsOfAction": {"rows": [mechanism]},
    }
    envelope = await call(platform, played(answer(drug=drug)), "get_drug_info", chembl_id="chembl554")
    assert envelope.content["data"]["tradeNames"] == ["Tykerb"]
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["CHEMBL554", ERBB2]


async def test_a_drug_without_mechanisms_is_still_a_record() -> None:
    drug = {"id": "CHEMBL55214", "name": "NERIDRONIC ACID", "mechanismsOfAction": None}
    envelope = await call(platform, played(answer(drug=drug)), "get_drug_info", chembl_id="CHEMBL55214")
    assert envelope.content["outcome"] == "data"


async def test_pharmacogenomic_rows_come_strongest_first() -> None:
    rows = [{"evidenceLevel": level, "variantRsId": f"rs{n}000"} for n, level in enumerate(["3", None, "1A"], 1)]
    drug = {"id": "CHEMBL1464", "name": "WARFARIN", "pharmacogenomics": rows}
    envelope = await call(
        platform, played(answer(drug=drug)), "get_drug_pharmacogenomics", chembl_id="CHEMBL1464", limit=2
    )
    assert [row["evidenceLevel"] for row in envelope.content["data"]["rows"]] == ["1A", "3"]
    assert (envelope.content["total"], envelope.content["next"]) == (3, {"offset": 2})


async def test_a_drug_without_pharmacogenomic_rows_is_empty() -> None:
    drug = {"id": "CHEMBL554", "name": "LAPATINIB", "pharmacogenomics": []}
    envelope = await call(platform, played(answer(drug=drug)), "get_drug_pharmacogenomics", chembl_id="CHEMBL554")
    assert envelope.content["outcome"] == "empty"


EXAMPLES = [(tool.function.__name__, dict(tool.example)) for tool in platform.tools]


@pytest.mark.case("C036")
@pytest.mark.parametrize(("tool", "arguments"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
async def test_the_reason_of_a_refused_query_reaches_the_model(tool: str, arguments: dict[str, Any]) -> None:
    reason = "Cannot query field 'knownDrugs' on type 'Target'."
    play = Played().answer("/graphql", {"errors": [{"message": reason}]}, status=400)
    envelope = await call(platform, play, tool, **arguments)
    assert envelope.content["error"]["code"] == "upstream_refused"
    assert reason in envelope.content["error"]["message"]


async def test_errors_in_an_answer_of_status_200_are_a_failure() -> None:
    body = {"data": {"target": None}, "errors": [{"message": "boom"}]}
    envelope = await call(platform, played(body), "get_target_info", ensembl_id=ERBB2)
    assert envelope.content["error"]["code"] == "upstream_refused"
    assert "boom" in envelope.content["error"]["message"]
