"""`fetch`: every id that `search` gives opens; a variant joins its sources, and one that is down is named."""

from typing import Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.server import ToolServer
from tests.mcp_server.platforms import cbioportal_cases, europepmc_cases, gdc_cases, myvariant_cases, registry_studies
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.played import DATA
from tests.mcp_server.unified.sources import (
    CBIOPORTAL,
    EUROPE_PMC,
    HOTSPOTS,
    MELANOMA,
    MYDISEASE,
    MYGENE,
    MYVARIANT,
    OPEN_TARGETS,
    PLATFORMS,
    TRIALS,
    Answer,
    Sources,
    article,
    call,
    preprint,
    usual,
)

Json = Any
ENSEMBL, GDC = "rest.ensembl.org", "api.gdc.cancer.gov"
ALL_HOSTS = frozenset(host for platform in PLATFORMS for host in platform.all_hosts)
V600E = "chr7:g.140753336A>T@hg38"


def of_variant() -> dict[str, Answer]:
    """Return what the four sources say of BRAF V600E."""
    thousand = {
        "name": "rs113488022", "var_class": "SNP", "MAF": None, "minor_allele": None, "ambiguity": "W",
        "mappings": [{"location": "7:140753336-140753336", "assembly_name": "GRCh38", "allele_string": "A/C/G/T",
                      "seq_region_name": "7", "start": 140753336, "end": 140753336, "strand": 1}],
        "populations": [],
    }  # fmt: skip
    records = {
        "chr7": myvariant_cases.V600E_HG38,
    }
    return {
        f"{MYVARIANT}/v1/query?assembly=hg38": myvariant_cases.hits(records["chr7"]),
        f"{MYVARIANT}/v1/query?assembly=hg19": myvariant_cases.hits(myvariant_cases.V600E_HG19),
        f"{ENSEMBL}/variation": Played(thousand),
        f"{GDC}/genes": gdc_cases.page(gdc_cases.BRAF),
        f"{GDC}/ssms": gdc_cases.page(gdc_cases.V600E),
        f"{GDC}/v0/graphql": gdc_cases.cases_by_project({"TCGA-SKCM": 238}, {"TCGA-SKCM": 469}),
        f"{GDC}/": gdc_cases.cases_by_project({"TCGA-SKCM": 238}, {"TCGA-SKCM": 469}),
        **cbioportal_cases.ATLAS,
        **cbioportal_cases.ATLAS_CALLS,
        f"{HOTSPOTS}/api/hotspots": Played([cbioportal_cases.V600]),
    }


async def test_a_variant_joins_its_sources_each_block_with_source_assembly_and_page() -> None:
    result = await call(Sources(of_variant()), "fetch", id=V600E)
    content = result.content
    assert content["_meta"]["status"] == "complete", content["_meta"]
    blocks = content["metadata"]
    assert {"myvariant", "gdc", "cbioportal"} <= set(blocks)
    for block in blocks.values():
        assert block["source"] and block["assembly"] and block["url"].startswith("https://")
    assert blocks["gdc"]["data"]["projects"][0] == {
        **blocks["gdc"]["data"]["projects"][0], "project_id": "TCGA-SKCM", "affected_cases": 238, "tested_cases": 469,
    }  # fmt: skip
    assert content["title"] == "BRAF V600E"
    assert "238 of 469 cases" in content["text"] and "GRCh38" in content["text"]


@pytest.mark.parametrize(
    ("host", "block"), [(MYVARIANT, "myvariant"), (GDC, "gdc"), (CBIOPORTAL, "cbioportal")], ids=lambda name: str(name)
)
async def test_one_source_that_is_down_leaves_the_others_and_is_named(host: str, block: str) -> None:
    down = frozenset({host, HOTSPOTS} if host == CBIOPORTAL else {host})
    answers = of_variant() | {f"{ENSEMBL}/vep": Played([PREDICTED])}
    whole = (await call(Sources(answers), "fetch", id="rs113488022")).content
    content = (await call(Sources(answers, down=down), "fetch", id="rs113488022")).content
    assert set(content["metadata"]) == set(whole["metadata"]) - {block}
    assert content["_meta"]["status"] == "partial"
    assert block in content["_meta"]["errors"][0]["source"].lower().replace(".info", "")
    assert "No answer from" in content["text"]


PREDICTED = {
    "id": "rs113488022", "input": "rs113488022", "assembly_name": "GRCh38", "seq_region_name": "7", "strand": 1,
    "start": 140753336, "end": 140753336, "allele_string": "A/T", "most_severe_consequence": "missense_variant",
    "transcript_consequences": [
        {"gene_id": "ENSG00000157764", "gene_symbol": "BRAF", "transcript_id": "ENST00000646891", "canonical": 1,
         "consequence_terms": ["missense_variant"], "hgvsp": "ENSP00000493543.1:p.Val600Glu", "variant_allele": "T",
         "biotype": "protein_coding", "protein_start": 600, "protein_end": 600, "amino_acids": "V/E"}],
    "colocated_variants": [{"id": "rs113488022", "allele_string": "A/C/G/T"}],
}  # fmt: skip


async def test_nobody_who_answers_is_a_failure_and_not_an_unknown_variant() -> None:
    result = await call(Sources(of_variant(), down=ALL_HOSTS), "fetch", id="rs113488022")
    assert result.is_error and "No source answered" in result.content["error"]["message"]


async def test_every_id_that_search_returns_can_be_opened() -> None:
    found = (await call(Sources(), "search", query="gene:BRAF AND disease:melanoma")).content
    record = {**article(), "source": "MED"}
    answers = {
        **of_variant(),
        f"{EUROPE_PMC}/europepmc/webservices/rest/article": europepmc_cases.one(record, number="22663011"),
        f"{EUROPE_PMC}/europepmc/webservices/rest/search": europepmc_cases.hits(preprint()),
        f"{TRIALS}/api/v2/studies/NCT01245062": Played(registry_studies.study("NCT01245062")),
        f"{MYGENE}/v3/query": usual()[f"{MYGENE}/v3/query"],
        f"{MYDISEASE}/v1/query": myvariant_cases.hits(MELANOMA),
    }
    assert len(found["results"]) >= 6
    for row in found["results"]:
        sources = Sources(answers, down=frozenset({OPEN_TARGETS}))
        content = (await call(sources, "fetch", id=row["id"])).content
        assert content.get("title") and content["text"] and content["url"], (row["id"], content)


async def test_what_nobody_has_is_unknown_and_not_a_failure() -> None:
    nobody = {f"{MYGENE}/v3/query": myvariant_cases.NO_HITS}
    result = await call(Sources(nobody), "fetch", id="GENE:999999999")
    assert result.meta["burp/outcome"] == "unknown_id" and not result.is_error
    assert result.content["error"]["code"] == "E_NOT_FOUND"


@pytest.mark.parametrize("identifier", ["38768446", "no such thing", "gene:BRAF"])
async def test_what_is_no_id_is_refused_with_examples(identifier: str) -> None:
    sources = Sources({})
    result = await call(sources, "fetch", id=identifier)
    assert result.content["error"]["code"] == "tool_invalid_arguments" and not sources.requests
    assert "PMID38768446" in result.content["error"]["message"]


@pytest.mark.parametrize(
    ("identifier", "domain"), [("22663011", "article"), ("PMID: 22663011", None), ("pmid22663011", "articles")]
)
async def test_a_bare_number_opens_once_its_domain_is_said(identifier: str, domain: str | None) -> None:
    record = europepmc_cases.one(article(), number="22663011")
    sources = Sources({f"{EUROPE_PMC}/europepmc/webservices/rest/article/MED/22663011": record})
    content = (await call(sources, "fetch", id=identifier, **({"domain": domain} if domain else {}))).content
    assert content["id"] == "PMID22663011" and content["url"] == "https://pubmed.ncbi.nlm.nih.gov/22663011/"


async def test_the_frequency_of_each_allele_is_told_apart() -> None:
    tools = ToolServer(PLATFORMS, ServerConfig(), SnapshotTransport((PACKAGED, DATA / "examples")))
    content = (await tools.call("fetch", {"id": "rs1047781"})).content
    block = content["metadata"]["thousand_genomes"]
    frequencies = {
        each["allele"]: each["populations"]["EAS"]["frequency"] for each in block["data"]["alleles"] if each["observed"]
    }
    assert frequencies == {"A": 0.56052, "T": 0.43948} and block["assembly"] == "GRCh38"
    assert "allele T: ALL 0.090" in content["text"] and "EAS 0.439" in content["text"]


async def test_a_source_that_can_not_be_asked_is_not_passed_over() -> None:
    tools = ToolServer(PLATFORMS, ServerConfig(), SnapshotTransport((PACKAGED, DATA / "examples")))
    meta = (await tools.call("fetch", {"id": "rs1047781"})).content["_meta"]
    told = [each["message"] for each in meta["notices"] if each["code"] == "N_NOT_ASKED"]
    assert len(told) == 2 and told[0].startswith("GDC was not asked")
