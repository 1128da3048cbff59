"""ClinVar: filters of searches, submissions, conditions, links."""

from typing import Any

import pytest

from mcp_server.platforms.clinvar import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.test_clinvar_outcomes import NO_RECORD, SUMMARY, archive, hits, summaries

Json = Any


def term_of(upstream: FakeUpstream, number: int = 0) -> str:
    return upstream.asked[number].partition("term=")[2].partition("&")[0]


async def test_all_filters_are_joined_by_and() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": hits("13961"), "/esummary.fcgi": summaries(SUMMARY)})
    await call(
        platform,
        upstream,
        "search_variants",
        gene_symbol="her2",
        classification="pathogenic or likely pathogenic",
        min_stars=2,
        consequence='"missense variant"',
        variant_type="single nucleotide variant",
        region="chr17:39,687,914-39,730,426",
        assembly="GRCh37",
        text="breast (hereditary)",
    )
    assert term_of(upstream).split(" AND ") == [
        "HER2[gene]",
        "single_gene[prop]",
        "17[chr]",
        "39687914:39730426[chrpos37]",
        '("clinsig pathogenic"[Properties] OR "clinsig likely pathogenic"[Properties])',
        '("criteria provided, multiple submitters, no conflicts"[Review status]'
        ' OR "reviewed by expert panel"[Review status] OR "practice guideline"[Review status])',
        '"missense variant"[Molecular consequence]',
        '"single nucleotide variant"[Type of variation]',
        "(breast (hereditary))",
    ]


@pytest.mark.case("C040")
@pytest.mark.parametrize("kind", ["phrasesnotfound", "fieldsnotfound"])
async def test_filter_that_was_ignored_fails_the_search(kind: str) -> None:
    ignored = hits("13961", errorlist={kind: ['"odd"[Molecular consequence]']})
    result = await call(
        platform, FakeUpstream({"/esearch.fcgi": ignored}), "search_variants", gene_symbol="BRAF", consequence="odd"
    )
    assert result.content["error"]["code"] == "upstream_refused"
    assert "odd" in result.content["error"]["message"]


@pytest.mark.case("C040")
async def test_variants_of_another_type_are_refused() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": hits("13961"), "/esummary.fcgi": summaries(SUMMARY)})
    result = await call(platform, upstream, "search_variants", gene_symbol="BRAF", variant_type="Deletion")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_one_unknown_review_status_of_several_is_only_told() -> None:
    errors = {"errorlist": {"phrasesnotfound": ['"practice guideline"[Review status]']}}
    upstream = FakeUpstream({"/esearch.fcgi": hits("13961", **errors), "/esummary.fcgi": summaries(SUMMARY)})
    result = await call(platform, upstream, "search_variants", gene_symbol="BRAF", min_stars=3)
    assert result.content["outcome"] == "data"
    assert "practice guideline" in result.content["note"]


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("search_variants", {}, "gene_symbol"),
        ("search_variants", {"region": "7:1-9"}, "assembly"),
        ("search_variants", {"gene_symbol": "BRAF", "assembly": "GRCh38"}, "region"),
        ("search_variants", {"region": "7:1-2000000", "assembly": "GRCh38"}, "region"),
        ("search_variants", {"region": "7:9-2", "assembly": "GRCh38"}, "region"),
        ("search_variants", {"gene_symbol": "BRAF", "min_stars": 5}, "min_stars"),
        ("search_somatic_variants", {"tier": "Tier I"}, "gene_symbol"),
        ("search_dbsnp", {"function": "missense variant"}, "gene_symbol"),
        ("search_dbsnp", {"gene_symbol": "LPL", "maf_min": 0.2, "maf_max": 0.1}, "maf_max"),
        ("get_linked_records", {"source": "medgen", "uid": "336867", "target": "medgen"}, "target"),
        ("get_linked_records", {"source": "medgen", "uid": "C1845167", "target": "gene"}, "uid"),
        ("list_submissions", {"accession": "RCV000067669"}, "accession"),
        ("get_condition_record", {"accession": "VCV000013961"}, "accession"),
        ("get_refsnp", {"rsid": "3043"}, "rsid"),
        ("convert_variant", {"variant": "7-140753336-A-T"}, "assembly"),
        ("convert_variant", {"variant": "NM_000518.5:c.20A>T", "assembly": "GRCh38"}, "assembly"),
        ("convert_variant", {"variant": "BRAF V600E"}, "variant"),
        ("convert_variant", {"variant": "NM_000518:c.20A>T"}, "variant"),
    ],
)
async def test_arguments_that_mean_nothing_are_refused(tool: str, arguments: Json, argument: str) -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, tool, **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments", result.content
    assert result.content["error"]["argument"] == argument
    assert not upstream.requests


async def test_somatic_search_sorts_out_and_goes_on_behind_what_it_examined() -> None:
    tiered = {**SUMMARY, "uid": "1", "clinical_impact_classification": {"description": "Tier II - Potential"}}
    germline = {**SUMMARY, "uid": "2", "oncogenicity_classification": {"description": ""}}
    answers = {
        "/esearch.fcgi": Played({"esearchresult": {"count": "500", "idlist": ["1", "2", "13961"]}}),
        "/esummary.fcgi": summaries(tiered, germline, SUMMARY),
    }
    upstream = FakeUpstream(answers)
    result = await call(platform, upstream, "search_somatic_variants", gene_symbol="BRAF", condition="melanoma")
    assert [row["variation_id"] for row in result.content["data"]["variants"]] == ["1", "13961"]
    assert (result.content["next"], result.content["returned"]) == ({"offset": 3}, 2)
    assert "total" not in result.content and "2 of 3 examined" in result.content["note"]
    assert term_of(upstream).endswith('"melanoma"[dis] AND somatic[origin]')
    for arguments, left in (({"tier": "Tier II"}, ["1"]), ({"tier": "Tier I"}, []), ({"oncogenicity": "Oncogenic"}, 2)):
        result = await call(platform, FakeUpstream(answers), "search_somatic_variants", gene_symbol="BRAF", **arguments)
        rows = result.content["data"]["variants"]
        assert len(rows) == left if isinstance(left, int) else [row["variation_id"] for row in rows] == left


async def test_counts_of_a_gene_tell_ignored_terms_from_zero() -> None:
    odd = hits("1", errorlist={"phrasesnotfound": ["clinsig drug response"]})
    upstream = FakeUpstream(
        {
            "/esearch.fcgi?clinsig drug response": odd,
            '/esearch.fcgi?"practice guideline"': hits(),
            "/esearch.fcgi": hits("1", "2"),
        }
    )
    result = await call(platform, upstream, "summarize_gene_variants", gene_symbol="braf")
    data = result.content["data"]
    assert (data["gene_symbol"], data["total"]) == ("BRAF", 2)
    assert data["by_classification"]["drug response"] is None
    assert (data["by_stars"]["4"], data["by_stars"]["2"]) == (0, 2)
    assert all("single_gene[prop]" in asked and "retmax=0" in asked for asked in upstream.asked)


def assertion(number: int, kind: str, said: str, status: str, date: str, more: str = "") -> str:
    return f"""<ClinicalAssertion>
      <ClinVarAccession Accession="SCV{number:09d}" Version="2" SubmitterName="Lab {number}"/>
      <Classification DateLastEvaluated="{date}"><ReviewStatus>{status}</ReviewStatus><{kind} {more}>{said}</{kind}>
      <Citation><ID Source="PubMed">25265492</ID></Citation><Comment>Recommended.</Comment></Classification>
      <AttributeSet><Attribute Type="AssertionMethod">AMP/ASCO/CAP Guidelines, 2017</Attribute></AttributeSet>
      <ObservedInList><ObservedIn><Sample><Origin>somatic</Origin></Sample><Method><MethodType>curation</MethodType>
      </Method></ObservedIn></ObservedInList><TraitSet><Trait><Name>
      <ElementValue Type="Preferred">Melanoma</ElementValue></Name></Trait>
      <Trait><XRef DB="MedGen" ID="C0027651"/></Trait></TraitSet></ClinicalAssertion>"""


GUIDED, SINGLE, NONE = "practice guideline", "criteria provided, single submitter", "no assertion criteria provided"
SUBMISSIONS = (
    assertion(1, "GermlineClassification", "Pathogenic", NONE, "2014-10-02")
    + assertion(2, "GermlineClassification", "Benign", SINGLE, "2020-01-01")
    + assertion(3, "GermlineClassification", "Pathogenic", SINGLE, "2021-01-01")
    + assertion(
        4,
        "SomaticClinicalImpact",
        "Tier I - Strong",
        GUIDED,
        "2018-05-15",
        'ClinicalImpactAssertionType="therapeutic" ClinicalImpactClinicalSignificance="sensitivity/response"'
        ' DrugForTherapeuticAssertion="Dabrafenib;Trametinib"',
    )
)


async def test_submissions_come_best_first_with_what_submitters_disagree_on() -> None:
    upstream = FakeUpstream({"/efetch.fcgi?id=13961": archive(SUBMISSIONS)})
    result = await call(platform, upstream, "list_submissions", accession="13961", limit=3)
    data = result.content["data"]
    assert [row["submitter"] for row in data["submissions"]] == ["Lab 4", "Lab 3", "Lab 2"]
    assert data["tally"] == {
        "germline": {"Pathogenic": 2, "Benign": 1},
        "somatic_clinical_impact": {"Tier I - Strong": 1},
    }
    assert result.content["note"] == "Submitters say different things (germline): Pathogenic 2, Benign 1"
    assert (result.content["total"], result.content["next"]) == (4, {"offset": 3})
    assert data["submissions"][0] == {
        "accession_version": "SCV000000004.2",
        "submitter": "Lab 4",
        "kind": "somatic_clinical_impact",
        "classification": "Tier I - Strong",
        "stars": 4,
        "review_status": "practice guideline",
        "last_evaluated": "2018-05-15",
        "conditions": ["Melanoma", "MedGen:C0027651"],
        "method": ["curation"],
        "origin": ["somatic"],
        "assertion_method": "AMP/ASCO/CAP Guidelines, 2017",
        "pmids": ["25265492"],
        "comment": "Recommended.",
        "clinical_impact": {
            "assertion_type": "therapeutic",
            "significance": "sensitivity/response",
            "drugs": "Dabrafenib;Trametinib",
        },
    }
    only = await call(platform, upstream, "list_submissions", accession="VCV000013961", kind="somatic_clinical_impact")
    assert only.content["total"] == 1


async def test_one_submission_is_found_by_its_accession() -> None:
    upstream = FakeUpstream({"/esearch.fcgi?term=SCV000000002": hits("13961"), "/efetch.fcgi": archive(SUBMISSIONS)})
    result = await call(platform, upstream, "list_submissions", accession="scv000000002.1")
    (row,) = result.content["data"]["submissions"]
    assert (row["accession_version"], row["classification"]) == ("SCV000000002.2", "Benign")
    other = await call(platform, upstream, "list_submissions", accession="SCV000000002", kind="oncogenicity")
    assert other.content["outcome"] == "empty" and "kind germline" in other.content["note"]
    gone = FakeUpstream({"/esearch.fcgi": hits("13961"), "/efetch.fcgi": archive(SUBMISSIONS)})
    result = await call(platform, gone, "list_submissions", accession="SCV000000099")
    assert result.content["outcome"] == "unknown_id" and "withdrawn" in result.content["note"]


async def test_record_of_another_variant_is_refused() -> None:
    upstream = FakeUpstream({"/efetch.fcgi": archive(SUBMISSIONS)})
    result = await call(platform, upstream, "list_submissions", accession="29000")
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "asked for variant 29000, it answered 13961" in result.content["error"]["message"]


CONDITION = """<ClinVarResult-Set><ClinVarSet><RecordStatus>{status}</RecordStatus><Replaces>RCV000014991</Replaces>
 <Title>NM_004333.6(BRAF):c.1799T&gt;A (p.Val600Glu) AND Melanoma</Title><ReferenceClinVarAssertion>
 <ClinVarAccession Acc="{accession}" Version="27" DateUpdated="2024-05-01"/><Classifications>
 <SomaticClinicalImpact><ReviewStatus>criteria provided, single submitter</ReviewStatus>
 <Description ClinicalImpactAssertionType="therapeutic" SubmissionCount="1">Tier I - Strong</Description>
 </SomaticClinicalImpact></Classifications><MeasureSet ID="13961" Acc="VCV000013961"/><TraitSet><Trait><Name>
 <ElementValue Type="Preferred">Melanoma</ElementValue></Name><XRef ID="MONDO:0005105" DB="MONDO"/>
 <XRef ID="C0025202" DB="MedGen"/></Trait></TraitSet></ReferenceClinVarAssertion><ClinVarAssertion>
 <ClinVarSubmissionID submitter="OMIM"/><ClinVarAccession Acc="SCV000035247" Version="13"/><Classification>
 <ReviewStatus>no assertion criteria provided</ReviewStatus><GermlineClassification>Pathogenic</GermlineClassification>
 </Classification></ClinVarAssertion></ClinVarSet></ClinVarResult-Set>"""


async def test_record_of_one_condition_is_read_with_its_submissions() -> None:
    text = CONDITION.format(status="current", accession="RCV000067669")
    upstream = FakeUpstream({"/efetch.fcgi?rettype=clinvarset&id=RCV000067669": Played(text)})
    result = await call(platform, upstream, "get_condition_record", accession="rcv000067669.27")
    data = result.content["data"]
    assert data["conditions"] == [{"name": "Melanoma", "medgen": "C0025202", "mondo": "MONDO:0005105"}]
    (impact,) = data["classifications"]["somatic_clinical_impact"]
    assert (impact["description"], impact["assertion_type"], impact["stars"]) == ("Tier I - Strong", "therapeutic", 1)
    assert (data["variation_id"], data["replaces"]) == ("13961", ["RCV000014991"])
    assert (data["submissions"][0]["submitter"], data["submissions"][0]["kind"]) == ("OMIM", "germline")
    cited = [row["identifier"] for row in result.meta["burp/citations"]]
    assert cited == ["RCV000067669.27", "SCV000035247.13"]


async def test_record_of_another_condition_or_of_the_past_is_told() -> None:
    other = CONDITION.format(status="current", accession="RCV000000001")
    result = await call(
        platform, FakeUpstream({"/efetch.fcgi": Played(other)}), "get_condition_record", accession="RCV000067669"
    )
    assert result.content["error"]["code"] == "upstream_bad_response"
    old = CONDITION.format(status="secondary", accession="RCV000067669")
    result = await call(
        platform, FakeUpstream({"/efetch.fcgi": Played(old)}), "get_condition_record", accession="RCV000067669"
    )
    assert "'secondary'" in result.content["note"]


async def test_articles_are_those_cited_and_those_linked() -> None:
    cited = '<Citation><ID Source="PubMed">12068308</ID><ID Source="pmc">8057998</ID></Citation>'
    linked = {"linkname": "clinvar_pubmed", "links": ["12068308", "31019283"]}
    upstream = FakeUpstream(
        {
            "/efetch.fcgi": archive(cited),
            "/elink.fcgi?linkname=clinvar_pubmed": Played({"linksets": [{"ids": ["13961"], "linksetdbs": [linked]}]}),
            "/esummary.fcgi?db=pubmed": summaries({"uid": "31019283", "title": "Newer"}),
        }
    )
    result = await call(platform, upstream, "get_variant_literature", variation_id="13961", limit=1)
    (article,) = result.content["data"]["articles"]
    assert (article["pmid"], article["cited"], article["linked"]) == ("31019283", False, True)
    assert (result.content["total"], result.content["next"]) == (2, {"offset": 1})


async def test_links_of_another_record_are_refused() -> None:
    upstream = FakeUpstream({"/elink.fcgi": Played({"linksets": [{"ids": ["5"], "linksetdbs": []}]})})
    result = await call(platform, upstream, "get_linked_records", source="clinvar", uid="13961", target="omim")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_condition_lists_its_ids_and_puts_exact_names_first() -> None:
    meta = (
        '<Names><Name SDUI="300555" SAB="OMIM">DENT DISEASE 2</Name>'
        '<Name SDUI="MONDO:0010359" SAB="MONDO">Dent disease type 2</Name></Names><Definitions></Definitions>'
    )
    other = {"uid": "1", "conceptid": "C1", "title": "Other", "conceptmeta": "<broken", "definition": "text"}
    dent = {"uid": "2", "conceptid": "C1845167", "title": "Dent disease type 2", "conceptmeta": meta, "merged": "C9"}
    upstream = FakeUpstream({"/esearch.fcgi": hits("1", "2"), "/esummary.fcgi": summaries(other, dent)})
    result = await call(platform, upstream, "find_condition", condition="dent disease 2")
    first, second = result.content["data"]
    assert (first["cui"], first["exact"], first["merged_into"]) == ("C1845167", True, "C9")
    assert first["xrefs"] == {"omim": ["300555"], "mondo": ["MONDO:0010359"]}
    assert (second["definition"], second["xrefs"]) == ("text", {})


async def test_unknown_submission_record_stays_unknown() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": hits("13961"), "/efetch.fcgi": NO_RECORD})
    result = await call(platform, upstream, "list_submissions", accession="SCV000000001")
    assert result.content["outcome"] == "unknown_id"
