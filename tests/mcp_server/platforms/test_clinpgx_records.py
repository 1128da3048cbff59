"""ClinPGx's records, papers and pages: the right record or none, texts read, one failure that hides nothing else."""

from typing import Any

import pytest

from mcp_server.platforms.clinpgx import platform
from tests.mcp_server.played import Played, call

NONE = {"status": "fail", "data": {"errors": [{"message": "No results matching criteria."}]}}
UNKNOWN = {"status": "fail", "data": {"errors": [{"code": "notFound", "message": "No such record."}]}}
NO_ROUTE = {"error": "HTTP 404 Not Found"}
CYP2C19 = {"objCls": "Gene", "id": "PA124", "symbol": "CYP2C19", "name": "CYP2C19"}
CYP2D6 = {"objCls": "Gene", "id": "PA128", "symbol": "CYP2D6", "name": "CYP2D6"}
CLOPIDOGREL = {"objCls": "Chemical", "id": "PA449053", "name": "clopidogrel"}
VARIANT = {"objCls": "Variant", "id": "PA166154053", "symbol": "rs4244285", "name": "rs4244285"}


def listed(*records: dict[str, Any]) -> dict[str, Any]:
    """Return a list as ClinPGx wraps it."""
    return {"data": list(records), "status": "success"}


def one(**facts: Any) -> dict[str, Any]:
    """Return one record as ClinPGx wraps it."""
    return {"data": facts, "status": "success"}


@pytest.mark.parametrize(
    ("tool", "argument", "kind", "query", "hit"),
    [
        ("get_gene", "gene", "gene", "cyp2c19", CYP2C19),
        ("get_chemical", "drug", "chemical", "Clopidogrel", CLOPIDOGREL),
        ("get_pgx_variant", "variant", "variant", "RS4244285", VARIANT),
    ],
)
async def test_a_record_is_found_by_name_and_by_accession(
    tool: str, argument: str, kind: str, query: str, hit: dict[str, Any]
) -> None:
    by_name = Played().answer(f"/data/{kind}", listed(hit)).answer(f"/data/{kind}/{hit['id']}?view=max", one(**hit))
    by_accession = Played().answer(f"/data/{kind}/{hit['id']}?view=max", one(**hit))
    for played, asked in ((by_name, query), (by_accession, hit["id"].lower())):
        envelope = await call(platform, played, tool, **{argument: asked})
        assert envelope.content["data"]["id"] == hit["id"]
        assert envelope.meta["burp/citations"][0]["url"] == f"https://www.clinpgx.org/{kind}/{hit['id']}"


@pytest.mark.parametrize(
    ("tool", "argument", "kind", "query"),
    [
        ("get_gene", "gene", "gene", "NOSUCH"),
        ("get_chemical", "drug", "chemical", "nosuch"),
        ("get_pgx_variant", "variant", "variant", "rs1800716"),
    ],
)
async def test_a_name_without_record_is_empty_and_an_accession_unknown(
    tool: str, argument: str, kind: str, query: str
) -> None:
    played = Played().answer(f"/data/{kind}", NONE, status=404)
    if kind == "chemical":
        played.answer(f"/data/{kind}", NONE, status=404)
    envelope = await call(platform, played, tool, **{argument: query})
    assert envelope.content["outcome"] == "empty"
    played = Played().answer(f"/data/{kind}/PA999999", UNKNOWN, status=404)
    envelope = await call(platform, played, tool, **{argument: "PA999999"})
    assert envelope.content["outcome"] == "unknown_id"


@pytest.mark.parametrize(
    ("tool", "argument", "kind", "query"),
    [("get_gene", "gene", "gene", "CYP2C19"), ("get_pgx_variant", "variant", "variant", "rs4244285")],
)
async def test_another_record_than_asked_for_is_refused(tool: str, argument: str, kind: str, query: str) -> None:
    played = Played().answer(f"/data/{kind}", listed(CYP2D6)).answer(f"/data/{kind}/PA128", one(**CYP2D6))
    envelope = await call(platform, played, tool, **{argument: query})
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    played = Played().answer(f"/data/{kind}/PA124", one(**CYP2D6))
    envelope = await call(platform, played, tool, **{argument: "PA124"})
    assert "asked for PA124, got PA128" in envelope.content["error"]["message"]


async def test_a_name_of_several_records_gives_candidates() -> None:
    played = Played().answer("/data/chemical", listed(CLOPIDOGREL, {**CLOPIDOGREL, "id": "PA2"}))
    envelope = await call(platform, played, "get_chemical", drug="clopidogrel")
    assert [row["id"] for row in envelope.content["data"]["candidates"]] == ["PA449053", "PA2"]
    assert "several of that name" in envelope.content["note"]


async def test_a_gene_says_assembly_and_species() -> None:
    places = {
        "chrStartPosB37": 1,
        "chrStopPosB37": 2,
        "chrStartPosB38": 3,
        "chrStopPosB38": 4,
        "chr": {"name": "chr10"},
    }
    summary = {"vipSummary": {"html": "<p>A <b>very</b> important gene.</p>"}}
    played = Played().answer("/data/gene/PA124", one(**CYP2C19, **places, **summary))
    data = (await call(platform, played, "get_gene", gene="PA124")).content["data"]
    assert data["locations"] == {
        "GRCh37": {"chromosome": "chr10", "start": 1, "stop": 2},
        "GRCh38": {"chromosome": "chr10", "start": 3, "stop": 4},
    }
    assert (data["species"], data["vipSummary"]) == ("Homo sapiens", "A very important gene.")


@pytest.mark.parametrize("key", ["linkOuts", "crossReferences"])
async def test_ids_of_a_drug_are_read_from_either_list(key: str) -> None:
    link = {"id": 1, "resource": "DrugBank", "resourceId": "DB00758", "_url": "https://example.org"}
    played = Played().answer("/data/chemical/PA449053", one(**CLOPIDOGREL, **{key: [link]}))
    data = (await call(platform, played, "get_chemical", drug="PA449053")).content["data"]
    assert data["crossReferences"] == [{"resource": "DrugBank", "resourceId": "DB00758"}]


async def test_a_variant_has_few_synonyms_and_their_number() -> None:
    names = {"altNames": {"synonym": [f"NC_{n}" for n in range(40)]}, "obsolete": True}
    played = Played().answer("/data/variant/PA166154053", one(**VARIANT, **names))
    envelope = await call(platform, played, "get_pgx_variant", variant="PA166154053")
    data = envelope.content["data"]
    assert (len(data["synonyms"]), data["synonymCount"]) == (10, 40)
    assert "obsolete" in envelope.content["note"]


async def test_a_disease_is_found_only_when_one_is_asked_for() -> None:
    disease = {"id": "PA444863", "name": "Malignant Hyperthermia"}
    played = Played().answer("/data/disease?name=malignant+hyperthermia", NONE, status=404)
    played.answer("/data/disease?name=Malignant+Hyperthermia", listed(disease))
    envelope = await call(platform, played, "resolve_entity", query="malignant hyperthermia", type="disease")
    assert envelope.meta["burp/citations"][0]["url"].endswith("/disease/PA444863")


CONNECTED = [
    {"connectedObject": {"id": "PA1", "name": "one"}, "connectionTypes": ["Literature"]},
    {"connectedObject": CLOPIDOGREL, "connectionTypes": [{"name": "ClinicalAnnotation"}, {"name": "Literature"}]},
]


@pytest.mark.parametrize("body", [CONNECTED, {"data": CONNECTED}], ids=["bare", "wrapped"])
async def test_the_most_connected_come_first(body: Any) -> None:
    played = Played().answer("/report/connectedObjects/PA124/Chemical", body)
    envelope = await call(platform, played, "get_connected_objects", query="PA124", type="Chemical", limit=1)
    row = envelope.content["data"]["connected"][0]
    assert (row["name"], row["connectionTypes"]) == ("clopidogrel", ["ClinicalAnnotation", "Literature"])
    assert (envelope.content["total"], envelope.content["next"]) == (2, {"offset": 1})


REPORTS = {
    "get_connected_objects": {"query": "PA124", "type": "Gene"},
    "get_pair_evidence": {"first": "PA124", "second": "PA449053"},
}


@pytest.mark.parametrize("tool", REPORTS)
@pytest.mark.parametrize(
    ("body", "status"), [([], 200), ("", 204), (NONE, 404)], ids=["empty list", "no content", "nothing found"]
)
async def test_a_report_without_rows_is_empty(tool: str, body: Any, status: int) -> None:
    played = Played().answer("/report/", body, status=status)
    envelope = await call(platform, played, tool, **REPORTS[tool])
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)


@pytest.mark.parametrize("tool", REPORTS)
@pytest.mark.parametrize(
    ("body", "code"), [({"data": {}}, "upstream_bad_response"), ("<p>sorry", "upstream_bad_response")]
)
async def test_a_report_of_another_shape_is_a_failure(tool: str, body: Any, code: str) -> None:
    played = Played().answer("/report/", body)
    assert (await call(platform, played, tool, **REPORTS[tool])).content["error"]["code"] == code


@pytest.mark.parametrize("tool", REPORTS)
async def test_a_report_on_a_name_that_nobody_has_is_empty(tool: str) -> None:
    played = Played().answer("/data/gene", NONE, status=404)
    for _ in range(2):
        played.answer("/data/chemical", NONE, status=404)
    name = "query" if tool == "get_connected_objects" else "first"
    envelope = await call(platform, played, tool, **{**REPORTS[tool], name: "nosuch"})
    assert "nothing called 'nosuch'" in envelope.content["note"]


async def test_evidence_of_a_pair_is_asked_for_by_kind() -> None:
    rows = [{"id": 7, "name": "x", "levelOfEvidence": {"term": "1A"}}, {"id": 7, "name": "x"}]
    played = Played().answer("/data/gene?symbol=CYP2C19", listed(CYP2C19))
    played.answer("/report/pair/PA124/PA449053/summaryAnnotation?view=min", rows[:1])
    envelope = await call(platform, played, "get_pair_evidence", first="CYP2C19", second="PA449053")
    assert envelope.content["data"]["records"] == [{"id": 7, "name": "x", "levelOfEvidence": "1A"}]
    played = Played().answer("/report/pair/PA124/PA449053/label", rows)
    envelope = await call(platform, played, "get_pair_evidence", first="PA124", second="PA449053", kind="label")
    assert envelope.content["total"] == 1


PAPER = {"id": 15101548, "title": "a paper", "crossReferences": [{"resource": "PubMed", "resourceId": "30499100"}]}


async def test_a_curated_paper_is_found_by_its_pmid() -> None:
    played = Played().answer("/report/literatureId/30499100", "15101548")
    played.answer("/data/literature/15101548?view=base", one(**PAPER, history=[1]))
    envelope = await call(platform, played, "get_curated_paper", pmid="30499100")
    assert (envelope.content["data"]["title"], "history" in envelope.content["data"]) == ("a paper", False)
    assert [cited["kind"] for cited in envelope.meta["burp/citations"]] == ["clinpgx", "pmid"]


@pytest.mark.parametrize(
    ("body", "status", "outcome"), [("", 204, "empty"), ("<html>", 200, "failed")], ids=["not curated", "a page"]
)
async def test_a_paper_that_nobody_curated_is_empty(body: str, status: int, outcome: str) -> None:
    played = Played().answer("/report/literatureId/1", body, status=status)
    assert (await call(platform, played, "get_curated_paper", pmid="1")).content["outcome"] == outcome


async def test_the_paper_of_another_pmid_is_refused() -> None:
    played = Played().answer("/report/literatureId/1", "15101548").answer("/data/literature/15101548", one(**PAPER))
    envelope = await call(platform, played, "get_curated_paper", pmid="1")
    assert envelope.content["error"]["code"] == "upstream_bad_response"


def clinical(id: int, level: str = "1A", gene: dict[str, Any] = CYP2C19, name: str = "rs4244285") -> dict[str, Any]:
    """Return a clinical annotation."""
    location = {"displayName": name, "genes": [gene], "buildVersion": "GRCh38", "chromosomeName": "chr10"}
    return {
        "id": id,
        "levelOfEvidence": {"term": level},
        "location": {**location, "gpPosition": 94781859},
        "relatedChemicals": [CLOPIDOGREL],
        "types": ["Efficacy"],
        "allelePhenotypes": [{"id": 1, "allele": "AA", "phenotype": "text", "limitedEvidence": False}],
        "history": ["long"],
    }


async def test_evidence_is_found_by_variant_and_kind_of_effect() -> None:
    toxic = {**clinical(2), "types": ["Toxicity"]}
    played = Played().answer("/data/summaryAnnotation?", listed(clinical(1), toxic, clinical(3, name="rs12248560")))
    arguments = {"variant": "rs4244285", "annotation_type": "Toxicity"}
    envelope = await call(platform, played, "search_clinical_annotations", **arguments)
    assert played.query()["location.fingerprint"] == "rs4244285"
    assert [row["id"] for row in envelope.content["data"]] == [2]


def finding(id: int, **facts: Any) -> dict[str, Any]:
    """Return the finding of one paper."""
    location = {"displayName": "rs4244285", "genes": [CYP2C19]}
    row = {"id": id, "sentence": "less response", "location": location, "relatedChemicals": [CLOPIDOGREL]}
    return {**row, "significance": "yes", "literature": PAPER, "studyParameters": [{"pValue": "= 0.02"}], **facts}


async def test_findings_come_with_their_paper_and_numbers_on_demand() -> None:
    rows = [finding(1), finding(2, significance="no"), finding(3, relatedChemicals=[])]
    played = Played().answer("/data/variantAnnotation?", listed(*rows))
    arguments = {"variant": "rs4244285", "drug_name": "Clopidogrel", "significance": "yes"}
    envelope = await call(platform, played, "search_variant_annotations", **arguments)
    assert [(row["id"], row["papers"][0]["pmid"]) for row in envelope.content["data"]] == [(1, "30499100")]
    assert "studyParameters" not in envelope.content["data"][0]
    played = Played().answer("/data/variantAnnotation?location.genes.symbol=CYP2C19&view=base", listed(finding(1)))
    arguments = {"gene_symbol": "cyp2c19", "with_study_parameters": True}
    envelope = await call(platform, played, "search_variant_annotations", **arguments)
    assert envelope.content["data"][0]["studyParameters"] == [{"pValue": "= 0.02"}]


async def test_a_star_allele_is_looked_for_among_the_rows_of_its_gene() -> None:
    wide = {"displayName": "CYP2C19*1, CYP2C19*2", "genes": [CYP2C19]}
    rows = [{**clinical(1), "location": wide}, clinical(2, name="CYP2C19*17"), clinical(3)]
    played = Played().answer("/data/summaryAnnotation?location.genes.symbol=CYP2C19&", listed(*rows))
    envelope = await call(platform, played, "search_clinical_annotations", variant="cyp2c19 *2")
    assert [row["id"] for row in envelope.content["data"]] == [1]
    rows = [finding(1, sentence="CYP2C19 *1/*2 has less response"), finding(2, sentence="CYP2C19 *21 is rare")]
    played = Played().answer("/data/variantAnnotation?location.genes.symbol=CYP2C19&view=min", listed(*rows))
    envelope = await call(platform, played, "search_variant_annotations", variant="CYP2C19*2")
    assert [row["id"] for row in envelope.content["data"]] == [1]


async def test_findings_on_another_gene_are_refused_and_none_are_empty() -> None:
    played = Played().answer("/data/variantAnnotation?", listed(finding(1)))
    envelope = await call(platform, played, "search_variant_annotations", gene_symbol="CYP2D6")
    assert "asked for CYP2D6, got an annotation of CYP2C19" in envelope.content["error"]["message"]
    played = Played().answer("/data/variantAnnotation?", NONE, status=404)
    envelope = await call(platform, played, "search_variant_annotations", variant="rs1")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_variant_annotations", {}),
        ("search_variant_annotations", {"variant": "rs4244285", "gene_symbol": "CYP2C19"}),
        ("search_drug_labels", {}),
        ("get_pk_pd_pathway", {}),
        ("get_pk_pd_pathway", {"pathway_id": "PA154423674", "drug_name": "clopidogrel"}),
        ("get_pgx_variant", {"variant": "CYP2C19*2"}),
        ("recommend_for_genotype", {"genotypes": ["CYP2C19"]}),
        ("recommend_for_genotype", {"genotypes": ["CYP2C19*1/*2", "CYP2C19*1/*1"]}),
        ("get_diplotype_phenotype", {"gene_symbol": "CYP2C19", "diplotype": "*1"}),
        ("get_diplotype_phenotype", {"gene_symbol": "CYP2C19", "diplotype": '*1/*2","*3'}),
        ("recommend_for_genotype", {"genotypes": ["*1/*2"]}),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_asking(tool: str, arguments: dict[str, Any]) -> None:
    envelope = await call(platform, Played(), tool, **arguments)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"


async def test_an_annotation_says_what_each_genotype_means_and_where() -> None:
    played = Played().answer("/data/summaryAnnotation/1445400894?view=base", one(**clinical(1445400894)))
    data = (await call(platform, played, "get_annotation", annotation_id="1445400894")).content["data"]
    assert data["allelePhenotypes"] == [{"allele": "AA", "phenotype": "text", "limitedEvidence": False}]
    assert (data["kind"], data["location"]["assembly"], data["location"]["position"]) == (
        "clinical",
        "GRCh38",
        94781859,
    )
    assert "history" not in data
    papers = {"variantAnnotations": [finding(7)]}
    played = Played().answer("/data/summaryAnnotation/1445400894?view=max", one(**clinical(1445400894), **papers))
    arguments = {"annotation_id": "1445400894", "with_evidence": True}
    data = (await call(platform, played, "get_annotation", **arguments)).content["data"]
    assert data["variantAnnotations"][0]["sentence"] == "less response"


GUIDE = {
    "id": "PA166104948",
    "source": "CPIC",
    "textMarkdown": {"html": "<p>Long&nbsp;text</p>"},
    "literature": [PAPER],
}
LABEL = {"id": "PA166104916", "source": "FDA", "testing": {"term": "Actionable PGx"}, "relatedGenes": [CYP2D6]}


async def test_the_kind_of_an_annotation_is_found_by_trying() -> None:
    played = Played().answer("/data/guidelineAnnotation/PA166104948?view=base", one(**GUIDE))
    envelope = await call(platform, played, "get_annotation", annotation_id="pa166104948")
    assert (envelope.content["data"]["kind"], envelope.content["data"]["text"]) == ("guideline", "Long text")
    assert envelope.meta["burp/citations"][1]["identifier"] == "30499100"
    played = Played().answer("/data/guidelineAnnotation/", UNKNOWN, status=404)
    played.answer("/data/label/PA166104916", NO_ROUTE, status=404).answer("/data/drugLabel/PA166104916", one(**LABEL))
    envelope = await call(platform, played, "get_annotation", annotation_id="PA166104916")
    assert (envelope.content["data"]["kind"], envelope.content["data"]["testing"]) == ("label", "Actionable PGx")
    played = Played().answer("/data/summaryAnnotation/7", UNKNOWN, status=404)
    played.answer("/data/variantAnnotation/7", one(**finding(7)))
    envelope = await call(platform, played, "get_annotation", annotation_id="7")
    assert envelope.content["data"]["studyParameters"] == [{"pValue": "= 0.02"}]


async def test_an_annotation_that_nobody_has_is_unknown() -> None:
    played = Played().answer("/data/label/PA1", UNKNOWN, status=404)
    envelope = await call(platform, played, "get_annotation", annotation_id="PA1", kind="label")
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["note"] == "ClinPGx has no label annotation PA1."


async def test_labels_are_kept_by_agency_and_level() -> None:
    labels = [LABEL, {**LABEL, "id": "PA2", "source": "PMDA"}]
    played = Played().answer("/data/chemical?name=codeine", listed({"id": "PA449088", "name": "codeine"}))
    played.answer("/data/label?", listed(*labels))
    arguments = {"drug_name": "codeine", "gene_symbol": "cyp2d6", "source": "FDA"}
    envelope = await call(platform, played, "search_drug_labels", **arguments)
    assert played.query(1) == {
        "relatedChemicals.accessionId": "PA449088",
        "relatedGenes.symbol": "CYP2D6",
        "view": "base",
    }
    assert [row["id"] for row in envelope.content["data"]] == ["PA166104916"]
    played = Played().answer("/data/label?", listed(*labels))
    arguments = {"gene_symbol": "CYP2D6", "testing_level": "Testing Required"}
    envelope = await call(platform, played, "search_drug_labels", **arguments)
    assert "there are FDA (Actionable PGx), PMDA (Actionable PGx)" in envelope.content["note"]


async def test_a_drug_without_label_is_empty() -> None:
    played = Played().answer("/data/chemical", listed(CLOPIDOGREL)).answer("/data/label?", NONE, status=404)
    envelope = await call(platform, played, "search_drug_labels", drug_name="clopidogrel")
    assert (envelope.content["outcome"], envelope.content["total"]) == ("empty", 0)


async def test_a_pathway_is_found_by_the_name_of_its_drug() -> None:
    pathway = {"id": "PA154424674", "name": "Clopidogrel Pathway, Pharmacokinetics", "genes": [CYP2C19]}
    played = Played().answer("name=Clopidogrel+Pathway%2C+Pharmacokinetics", listed(pathway))
    played.answer("name=Clopidogrel+Pathway%2C+Pharmacodynamics", NONE, status=404)
    envelope = await call(platform, played, "get_pk_pd_pathway", drug_name="clopidogrel")
    assert envelope.content["data"][0]["genes"] == [{"id": "PA124", "symbol": "CYP2C19", "name": "CYP2C19"}]
    played = Played().answer("/data/pathway/PA1?view=base", UNKNOWN, status=404)
    assert (await call(platform, played, "get_pk_pd_pathway", pathway_id="PA1")).content["outcome"] == "unknown_id"


async def test_all_guidelines_of_cpic_come_with_genes_and_drugs() -> None:
    row = {
        "guideline_name": "CYP2D6 and Tamoxifen",
        "guideline_url": "https://www.clinpgx.org/guideline/PA166251458",
        "drugs": ["tamoxifen"],
        "genes": [{"url": "https://cpicpgx.org/gene/cyp2d6/", "symbol": "CYP2D6"}],
    }
    played = Played().answer("https://api.cpicpgx.org/v1/guideline_summary_view?", [row])
    envelope = await call(platform, played, "search_guideline_annotations", source="cpic")
    assert (envelope.content["data"][0]["genes"], envelope.content["data"][0]["drugs"]) == (["CYP2D6"], ["tamoxifen"])
    assert envelope.meta["burp/citations"][0]["identifier"] == "PA166251458"
    envelope = await call(platform, Played(), "search_guideline_annotations", source="DPWG")
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
