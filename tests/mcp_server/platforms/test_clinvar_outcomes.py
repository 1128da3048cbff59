"""ClinVar: for each tool a hit, nothing found, an unknown id and a broken source stay four different things."""

from dataclasses import dataclass
from typing import Any

import pytest

from mcp_server.platforms.clinvar import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any

NO_RECORD = Played("<ClinVarResult-Set><set/></ClinVarResult-Set>")
NO_SUMMARY = Played({"result": {"uids": [], "13961": {"uid": "13961", "error": "cannot get document summary"}}})
NOT_FOUND = Played({"error": {"code": 404, "message": "RefSNP not found"}}, 404)
SUMMARY = {
    "uid": "13961",
    "title": "NM_004333.6(BRAF):c.1799T>A (p.Val600Glu)",
    "obj_type": "single nucleotide variant",
    "germline_classification": {"description": "Pathogenic"},
    "oncogenicity_classification": {"description": "Oncogenic"},
    "genes": [{"symbol": "BRAF"}],
}
GERMLINE_ONLY = {**SUMMARY, "oncogenicity_classification": {"description": ""}}


def hits(*ids: str, **more: Json) -> Played:
    return Played({"esearchresult": {"count": str(len(ids)), "idlist": list(ids), **more}})


def summaries(*records: Json) -> Played:
    return Played({"result": {"uids": [row["uid"] for row in records], **{row["uid"]: row for row in records}}})


def archive(inside: str = "") -> Played:
    return Played(
        '<ClinVarResult-Set><VariationArchive VariationID="13961" Accession="VCV000013961" Version="143"'
        f' VariationName="BRAF V600E"><ClassifiedRecord><SimpleAllele/>{inside}</ClassifiedRecord></VariationArchive>'
        "</ClinVarResult-Set>"
    )


SUBMISSION = """<ClinicalAssertion><ClinVarAccession Accession="SCV000504248" Version="1" SubmitterName="DoCM"/>
  <Classification><ReviewStatus>no assertion criteria provided</ReviewStatus>
  <GermlineClassification>Pathogenic</GermlineClassification></Classification></ClinicalAssertion>"""
RCV = """<ClinVarResult-Set><ClinVarSet><ReferenceClinVarAssertion><ClinVarAccession Acc="RCV000067669" Version="27"/>
  </ReferenceClinVarAssertion></ClinVarSet></ClinVarResult-Set>"""
REFSNP = {"refsnp_id": "268", "primary_snapshot_data": {"variant_type": "snv"}}
COUNTS = {"results": {"1@5": {"ref": "C", "counts": {"PRJNA507278": {"allele_counts": {"SAMN1": {"C": 3, "G": 1}}}}}}}
SPDI = {"seq_id": "NM_000518.5", "position": 69, "deleted_sequence": "A", "inserted_sequence": "T"}


def links(*ids: str) -> Played:
    sets = [{"linkname": "clinvar_gene", "links": list(ids)}] if ids else []
    return Played({"linksets": [{"ids": ["13961"], **({"linksetdbs": sets} if sets else {})}]})


@dataclass(frozen=True)
class Case:
    """What a tool is asked and what the services answer; None where an outcome cannot be."""

    tool: str
    arguments: dict[str, Json]
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None


CASES = [
    Case("resolve_variant", {"variant": "BRAF V600E"},
         {"/esearch.fcgi": hits("13961"), "/esummary.fcgi": summaries({**SUMMARY, "protein_change": "V600E"})}, None,
         {"/esearch.fcgi": hits()}),
    Case("get_variant_record", {"variation_id": "13961"}, {"/efetch.fcgi": archive()}, None,
         {"/efetch.fcgi": NO_RECORD}),
    Case("get_variant_summaries", {"variation_ids": ["13961"]}, {"/esummary.fcgi": summaries(SUMMARY)}, None,
         {"/esummary.fcgi": NO_SUMMARY}),
    Case("search_variants", {"condition": "melanoma"},
         {"/esearch.fcgi": hits("13961"), "/esummary.fcgi": summaries(SUMMARY)}, {"/esearch.fcgi": hits()}, None),
    Case("search_somatic_variants", {"gene_symbol": "BRAF"},
         {"/esearch.fcgi": hits("13961"), "/esummary.fcgi": summaries(SUMMARY)},
         {"/esearch.fcgi": hits("13961"), "/esummary.fcgi": summaries(GERMLINE_ONLY)}, None),
    Case("summarize_gene_variants", {"gene_symbol": "BRAF"}, {"/esearch.fcgi": hits("1", "2")}, None,
         {"/esearch.fcgi": hits()}),
    Case("list_submissions", {"accession": "VCV000013961.143"}, {"/efetch.fcgi": archive(SUBMISSION)},
         {"/efetch.fcgi": archive()}, {"/efetch.fcgi": NO_RECORD}),
    Case("list_submissions", {"accession": "SCV000504248", "kind": "germline"},
         {"/esearch.fcgi": hits("13961"), "/efetch.fcgi": archive(SUBMISSION)}, None, {"/esearch.fcgi": hits()}),
    Case("get_condition_record", {"accession": "RCV000067669.27"}, {"/efetch.fcgi": Played(RCV)}, None,
         {"/efetch.fcgi": NO_RECORD}),
    Case("get_variant_literature", {"variation_id": "13961"},
         {"/efetch.fcgi": archive(), "/elink.fcgi": links("12068308"),
          "/esummary.fcgi": summaries({"uid": "12068308", "title": "Mutations of the BRAF gene"})},
         {"/efetch.fcgi": archive(), "/elink.fcgi": links()}, {"/efetch.fcgi": NO_RECORD}),
    Case("get_linked_records", {"source": "clinvar", "uid": "13961", "target": "gene"},
         {"/elink.fcgi": links("673"), "/esummary.fcgi": summaries({"uid": "673", "name": "BRAF"})},
         {"/elink.fcgi": links(), "/esummary.fcgi": summaries(SUMMARY)},
         {"/elink.fcgi": links(), "/esummary.fcgi": NO_SUMMARY}),
    Case("find_condition", {"condition": "OCRL"},
         {"/esearch.fcgi?db=medgen": hits("336867"),
          "/esummary.fcgi": summaries({"uid": "336867", "conceptid": "C1845167", "title": "Dent disease type 2"})},
         {"/esearch.fcgi?db=medgen": hits()}, None),
    Case("get_refsnp", {"rsid": "rs268"}, {"/refsnp/268": Played(REFSNP)}, None, {"/refsnp/268": NOT_FOUND}),
    Case("get_allele_frequencies", {"rsid": "rs268"},
         {"/refsnp/268/frequency": Played(COUNTS), "/metadata/frequency": Played([])},
         {"/refsnp/268/frequency": Played({"results": {}}), "/metadata/frequency": Played([])},
         {"/refsnp/268/frequency": NOT_FOUND}),
    Case("get_dbsnp_summaries", {"rsids": ["rs13961"]},
         {"/esummary.fcgi": summaries({"uid": "13961", "snp_id": 13961})},
         None, {"/esummary.fcgi": NO_SUMMARY}),
    Case("search_dbsnp", {"gene_symbol": "LPL"},
         {"/esearch.fcgi?db=snp": hits("268"), "/esummary.fcgi": summaries({"uid": "268"})},
         {"/esearch.fcgi?db=snp": hits()}, None),
    Case("convert_variant", {"variant": "NM_000518.5:c.20A>T"},
         {"/contextuals": Played({"data": {"spdis": [SPDI]}}),
          "/hgvs": Played({"data": {"hgvs": "NM_000518.5:c.20A>T"}}),
          "/rsids": Played({"data": {"rsids": [334]}})},
         None, None),
]  # fmt: skip


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: f"{case.tool}-{'-'.join(case.arguments)}")


@over(CASES)
async def test_a_hit_is_data(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.arguments)
    assert result.content["outcome"] == "data", result.content
    assert result.content["data"] and result.meta["burp/citations"]


@over([case for case in CASES if case.nothing is not None])
async def test_nothing_found_is_empty_and_says_so(case: Case) -> None:
    assert case.nothing is not None
    result = await call(platform, FakeUpstream(case.nothing), case.tool, **case.arguments)
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0), result.content
    assert result.content["note"]


@over([case for case in CASES if case.unknown is not None])
async def test_an_identifier_that_is_not_known_is_told_apart(case: Case) -> None:
    assert case.unknown is not None
    result = await call(platform, FakeUpstream(case.unknown), case.tool, **case.arguments)
    assert result.content["outcome"] == "unknown_id", result.content
    assert result.content["note"] and result.content["data"]["identifier"]


@pytest.mark.case("C042")
@over(CASES)
@pytest.mark.parametrize(
    ("answer", "codes"),
    [
        (Played("<html>502 Bad Gateway</html>", 502), {"upstream_unavailable"}),
        (Played({"error": "API rate limit exceeded", "count": "11"}, 429), {"upstream_rate_limited"}),
        (Played("<html>An error page with status 200</html>"), {"upstream_bad_response"}),
        (
            Played("<eSummaryResult><ERROR>NCBI C++ Exception: backend</ERROR></eSummaryResult>"),
            {"upstream_bad_response"},
        ),
    ],
    ids=["down", "rate", "page", "exception"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, codes: set[str]) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.arguments)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] in codes


def test_every_tool_is_tried() -> None:
    assert {case.tool for case in CASES} == {tool.function.__name__ for tool in platform.tools}
