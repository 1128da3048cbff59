"""One variant from four sources: several changes under one rsID, names that nobody gives, sources that are late."""

import asyncio
from typing import Any

import pytest

from mcp_server.unified.domains import variant_naming, variant_record
from tests.mcp_server.platforms import cbioportal_cases, gdc_cases, myvariant_cases
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import CBIOPORTAL, HOTSPOTS, MYVARIANT, Answer, Sources, call
from tests.mcp_server.unified.test_fetch import ENSEMBL, GDC, PREDICTED, V600E, of_variant

Json = Any
CANCER = frozenset({CBIOPORTAL, HOTSPOTS})
NOTHING = myvariant_cases.NO_HITS
V600A = {
    **myvariant_cases.V600E_HG38,
    "_id": "chr7:g.140753336A>G",
    "vcf": {"ref": "A", "alt": "G"},
    "clinvar": {"variant_id": 40389, "rsid": "rs113488022", "gene": {"symbol": "BRAF"}},
    "dbnsfp": {"genename": ["BRAF"], "hgvsp": ["p.Val600Ala"], "hgvsc": ["c.1799T>C"]},
    "snpeff": {"ann": {**myvariant_cases.V600E_EFFECT, "hgvs_p": "p.Val600Ala"}},
}


def codes(content: Json) -> list[str]:
    return [notice["code"] for notice in content["_meta"]["notices"]]


async def test_each_change_of_one_rsid_is_asked_for_and_told_apart() -> None:
    answers = of_variant() | {
        f"{MYVARIANT}/v1/query?assembly=hg38": myvariant_cases.hits(myvariant_cases.V600E_HG38, V600A),
        f"{MYVARIANT}/v1/query?assembly=hg19": NOTHING,
        f"{GDC}/ssms": lambda query: gdc_cases.page() if "V600A" in query else gdc_cases.page(gdc_cases.V600E),
    }
    sources = Sources(answers)
    content = (await call(sources, "fetch", id="rs113488022")).content
    assert content["title"] == "BRAF V600E, BRAF V600A"
    assert "BRAF V600E Variant: chr7:g.140753336A>T (GRCh38)" in content["text"]
    assert "BRAF V600A Variant: chr7:g.140753336A>G (GRCh38)" in content["text"]
    assert "GDC, BRAF V600E: TCGA-SKCM 238 of 469 cases" in content["text"]
    assert list(content["metadata"]["gdc"]["data"]) == ["BRAF V600E"]
    told = [notice["message"] for notice in content["_meta"]["notices"]]
    assert any("on BRAF V600A" in message for message in told)
    assert content["metadata"]["myvariant"]["assembly"] == "hg38"


async def test_of_a_variant_between_genes_only_what_goes_by_place_is_asked() -> None:
    nameless = {"_id": "chr1:g.1000A>T", "hg38": {"start": 1000, "end": 1000}, "dbsnp": {"rsid": "rs1"}}
    answers = of_variant() | {
        f"{MYVARIANT}/v1/query?assembly=hg38": myvariant_cases.hits(nameless),
        f"{GDC}/ssms": gdc_cases.page(),
    }
    sources = Sources(answers, down=CANCER)
    content = (await call(sources, "fetch", id="chr1:g.1000A>T@hg38")).content
    assert content["title"] == "chr1:g.1000A>T" and content["url"]
    assert set(content["metadata"]) == {"myvariant"}
    assert any("chr1:g.1000A>T" in str(request.body) + request.url for request in sources.requests
               if request.host == GDC)  # fmt: skip
    assert not [request for request in sources.requests if request.host in CANCER]
    assert "N_NOT_ASKED" in codes(content)


async def test_a_gene_without_a_change_of_its_protein_is_shown_as_a_whole_and_said_so() -> None:
    silent = {
        **myvariant_cases.V600E_HG38,
        "clinvar": {"variant_id": 1, "gene": {"symbol": "BRAF"}},
        "dbnsfp": {"genename": ["BRAF"]},
        "snpeff": {"ann": {"effect": "intron_variant", "genename": "BRAF"}},
    }
    answers = of_variant() | {
        f"{MYVARIANT}/v1/query?assembly=hg38": myvariant_cases.hits(silent),
        f"{GDC}/ssms": gdc_cases.page(),
    }
    content = (await call(Sources(answers), "fetch", id="chr7:g.140753336A>T@hg38")).content
    assert content["title"] == "BRAF" and "cBioPortal (BRAF as a whole):" in content["text"]
    assert "N_WHOLE_GENE" in codes(content)


@pytest.mark.parametrize(("identifier", "assembly"), [("hg38", "GRCh38"), ("hg19", "GRCh37")])
async def test_ensembl_names_what_myvariant_does_not_know_on_the_right_assembly(identifier: str, assembly: str) -> None:
    predicted = {**PREDICTED, "assembly_name": assembly, "input": "7 140753336 140753336 A/T 1"}
    hosts = {"GRCh38": ENSEMBL, "GRCh37": "grch37.rest.ensembl.org"}
    answers: dict[str, Answer] = of_variant() | {
        f"{MYVARIANT}/v1/query?assembly=hg38": NOTHING,
        f"{MYVARIANT}/v1/query?assembly=hg19": NOTHING,
        f"{hosts[assembly]}/vep": Played([predicted]),
    }
    content = (await call(Sources(answers), "fetch", id=f"chr7:g.140753336A>T@{identifier}")).content
    assert content["title"] == "BRAF V600E" and set(content["metadata"]) >= {"gdc", "cbioportal"}


async def test_a_source_that_is_late_leaves_time_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (variant_record, variant_naming):
        monkeypatch.setattr(module, "NAMES_S", 0.5)
    answers = of_variant() | {f"{ENSEMBL}/vep": Played([PREDICTED]), **cbioportal_cases.ATLAS}
    sources = Sources(answers, silent=frozenset({MYVARIANT}))
    content = (await call(sources, "fetch", id="rs113488022")).content
    assert set(content["metadata"]) == {"gdc", "cbioportal"}
    assert [(error["source"], error["code"]) for error in content["_meta"]["errors"]] == [
        ("MyVariant.info", "tool_timeout")
    ]
    assert set(sources.cancelled) == {MYVARIANT}


async def test_where_nobody_can_be_reached_the_rest_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variant_record, "NOBODY_S", 0.0)
    sources = Sources({}, down=frozenset({MYVARIANT, ENSEMBL}), silent=frozenset({GDC}))
    result = await asyncio.wait_for(call(sources, "fetch", id="chr7:g.140753336A>T@hg38"), 5.0)
    assert result.is_error
    assert {error["source"] for error in result.content["_meta"]["errors"]} == {"MyVariant.info", "Ensembl", "GDC"}


async def test_ensembl_is_asked_beside_a_slow_source_and_its_fault_is_none_if_the_slow_one_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(variant_naming, "SECOND_AFTER_S", 0.0)
    sources = Sources(of_variant(), down=frozenset({ENSEMBL}))
    content = (await call(sources, "fetch", id=V600E)).content
    assert "/vep" in " ".join(sources.asked(ENSEMBL)) and content["title"] == "BRAF V600E"
    assert [error["source"] for error in content["_meta"]["errors"]] == ["1000 Genomes"]


@pytest.mark.parametrize(
    ("identifier", "gene"),
    [("BRAF V600E", "BRAF"), ("BRAF:p.V600E", "BRAF"), ("HLA-A V1L", "HLA-A"), ("chr7:g.1A>T", ""), ("rs1", ""),
     ("NC_000007.14:g.1A>T", ""), ("NM_004333.6:c.1799T>A", "")],
)  # fmt: skip
def test_gene_and_change_are_told_from_a_place(identifier: str, gene: str) -> None:
    found = variant_naming.spelt(identifier)
    assert (found.gene if found else "") == gene
