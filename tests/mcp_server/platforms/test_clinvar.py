"""ClinVar: every spelling of a variant, three classifications apart, the whole record, honest searches."""

from typing import Any

import pytest

from mcp_server.platforms.clinvar import names, platform, review
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any


def found(*ids: str, count: int | None = None, **more: Json) -> Played:
    return Played({"esearchresult": {"count": str(len(ids) if count is None else count), "idlist": list(ids), **more}})


def summary(uid: str, title: str, changes: str, rs_number: str = "", scvs: int = 1, **more: Json) -> Json:
    references = [{"db_source": "dbSNP", "db_id": rs_number}, {"db_source": "ClinGen", "db_id": "CA123643"}]
    place = {"assembly_name": "GRCh38", "chr": "7", "start": "140753336", "stop": "140753336", "ref": "", "alt": ""}
    return {
        "uid": uid,
        "obj_type": "single nucleotide variant",
        "accession_version": f"VCV{int(uid):09d}.143",
        "title": title,
        "variation_set": [
            {"variation_xrefs": references if rs_number else [], "variation_loc": [place], "canonical_spdi": "NC:1:A:T"}
        ],
        "supporting_submissions": {"scv": [f"SCV{number}" for number in range(scvs)]},
        "germline_classification": {
            "description": "Conflicting classifications of pathogenicity",
            "last_evaluated": "2026/03/11 00:00",
            "review_status": "criteria provided, conflicting classifications",
            "trait_set": [{"trait_name": "Melanoma"}],
        },
        "clinical_impact_classification": {
            "description": "Tier I - Strong",
            "review_status": "criteria provided, multiple submitters",
        },
        "oncogenicity_classification": {"description": "", "review_status": "", "last_evaluated": "1/01/01 00:00"},
        "genes": [{"symbol": "BRAF", "geneid": "673"}],
        "molecular_consequence_list": ["missense variant"],
        "protein_change": changes,
        **more,
    }


def summaries(*records: Json) -> Played:
    return Played({"result": {"uids": [record["uid"] for record in records], **{r["uid"]: r for r in records}}})


V600E = summary("13961", "NM_004333.6(BRAF):c.1799T>A (p.Val600Glu)", "V600E, V512E, V640E", "113488022", scvs=45)
V600G = summary("40389", "NM_004333.6(BRAF):c.1799T>G (p.Val600Gly)", "V600G, V640G", "113488022", scvs=9)
OTHER_ISOFORM = summary("555", "NM_004333.6(BRAF):c.1679T>A (p.Val560Glu)", "V560E, V600E", "1", scvs=99)
DELINS = summary("666", "NM_004333.6(BRAF):c.1799_1800delinsAA (p.Val600Glu)", "V600E", "2", scvs=3)


@pytest.mark.case("C017")
@pytest.mark.parametrize(
    "text", ["BRAF V600E", "BRAF p.Val600Glu", "BRAF:p.V600E", "braf v600e", "BRAF VAL600GLU", "V600E BRAF"]
)
async def test_every_spelling_of_a_change_makes_the_same_search(text: str) -> None:
    upstream = FakeUpstream(
        {
            "/esearch.fcgi?BRAF[gene] AND single_gene[prop] AND (V600E[variant name] OR Val600Glu": found(
                "40389", "555", "666", "13961"
            ),
            "/esummary.fcgi?id=40389,555,666,13961": summaries(V600G, OTHER_ISOFORM, DELINS, V600E),
        }
    )
    result = await call(platform, upstream, "resolve_variant", variant=text)
    data = result.content["data"]
    assert data["read_as"] == "BRAF V600E (p.Val600Glu)"
    # The named change in the title first, the most submitted of those before; V600G doesn't carry the name.
    assert [row["variation_id"] for row in data["candidates"]] == ["13961", "666", "555"]
    assert data["candidates"][0]["rsid"] == "rs113488022"
    assert "3 ClinVar records fit" in result.content["note"]
    assert result.meta["burp/citations"][0] == {
        "kind": "clinvar_variation",
        "identifier": "VCV000013961.143",
        "label": "NM_004333.6(BRAF):c.1799T>A (p.Val600Glu)",
        "url": "https://www.ncbi.nlm.nih.gov/clinvar/variation/13961/",
    }


@pytest.mark.case("C017")
@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("p.Val600Glu", "protein", "V600E (p.Val600Glu)"),
        ("v600e", "protein", "V600E (p.Val600Glu)"),
        ("VAL600GLU", "protein", "V600E (p.Val600Glu)"),
        ("A1234P", "protein", "A1234P (p.Ala1234Pro)"),
        ("TP53 R213X", "protein", "TP53 R213* (p.Arg213Ter)"),
        ("CFTR p.(Phe508del)", "protein", "CFTR F508del (p.Phe508del)"),
        ("BRAF c.1799T>A", "coding", "BRAF c.1799T>A"),
        ("NM_004333.6(BRAF):c.1799T>A", "hgvs", "NM_004333.6:c.1799T>A"),
        ("RS113488022", "rsid", "rs113488022"),
        ("VCV000013961.132", "variation_id", "13961"),
    ],
)
def test_names_are_read_into_one_form(text: str, kind: str, words: str) -> None:
    name = names.read(text)
    assert name is not None
    assert (name.kind, name.words) == (kind, words)


@pytest.mark.parametrize("text", ["hello", "BRAF mutation", "CYP2C19*2", "13961"])
async def test_text_that_names_no_variant_is_refused(text: str) -> None:
    result = await call(platform, FakeUpstream({}), "resolve_variant", variant=text)
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert result.content["error"]["example"] == "BRAF V600E"


@pytest.mark.case("C015")
async def test_one_rs_number_may_stand_for_several_variants() -> None:
    upstream = FakeUpstream(
        {
            "/esearch.fcgi?term=rs113488022": found("40389", "13961", "666"),
            "/esummary.fcgi": summaries(V600G, V600E, DELINS),
        }
    )
    result = await call(platform, upstream, "resolve_variant", variant="rs113488022")
    assert [row["variation_id"] for row in result.content["data"]["candidates"]] == ["13961", "40389"]


@pytest.mark.case("C014")
async def test_merged_rs_number_is_told() -> None:
    upstream = FakeUpstream({"/esearch.fcgi?rs77121243": found("13961"), "/esummary.fcgi": summaries(V600E)})
    result = await call(platform, upstream, "resolve_variant", variant="rs77121243")
    assert result.content["data"]["candidates"][0]["rsid"] == "rs113488022"
    assert "rs77121243 was merged" in result.content["note"]


async def test_accession_needs_no_search() -> None:
    upstream = FakeUpstream({"/esummary.fcgi?id=13961": summaries(V600E)})
    result = await call(platform, upstream, "resolve_variant", variant="VCV000013961.132")
    assert result.content["data"]["candidates"][0]["accession_version"] == "VCV000013961.143"
    assert len(upstream.requests) == 1


async def test_variant_that_clinvar_does_not_hold() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": found()})
    result = await call(platform, upstream, "resolve_variant", variant="EGFR T999M")
    assert result.content["outcome"] == "unknown_id"
    assert "EGFR T999M (p.Thr999Met)" in result.content["note"]


@pytest.mark.case("C018")
async def test_three_classifications_stay_apart() -> None:
    upstream = FakeUpstream({"/esummary.fcgi?id=13961": summaries(V600E)})
    result = await call(platform, upstream, "get_variant_summaries", variation_ids=["13961", "vcv000013961.2"])
    (row,) = result.content["data"]
    assert row["germline"] == {
        "description": "Conflicting classifications of pathogenicity",
        "review_status": "criteria provided, conflicting classifications",
        "stars": 1,
        "last_evaluated": "2026-03-11",
        "conditions": ["Melanoma"],
    }
    assert row["somatic_clinical_impact"]["description"] == "Tier I - Strong"
    assert row["somatic_clinical_impact"]["stars"] == 2
    assert row["oncogenicity"] is None
    assert row["protein_changes"] == ["V600E", "V512E", "V640E"]
    assert row["locations"] == {
        "GRCh38": {"chr": "7", "start": "140753336", "stop": "140753336", "ref": None, "alt": None}
    }
    assert (row["submissions"], row["caid"]) == (45, "CA123643")


@pytest.mark.case("C018")
async def test_former_field_is_read_as_germline_and_none_at_all_is_a_fault() -> None:
    bare = {name: value for name, value in V600E.items() if "classification" not in name}
    former = {
        **bare,
        "clinical_significance": {"description": "Pathogenic", "review_status": "reviewed by expert panel"},
        "trait_set": [{"trait_name": "Melanoma"}],
    }
    read = await call(
        platform, FakeUpstream({"/esummary.fcgi": summaries(former)}), "get_variant_summaries", variation_ids=["13961"]
    )
    (row,) = read.content["data"]
    assert (row["germline"]["description"], row["germline"]["stars"], row["oncogenicity"]) == ("Pathogenic", 3, None)
    fault = await call(
        platform, FakeUpstream({"/esummary.fcgi": summaries(bare)}), "get_variant_summaries", variation_ids=["13961"]
    )
    assert fault.content["error"]["code"] == "upstream_bad_response"


def test_unknown_review_status_has_no_stars() -> None:
    read = review.classification("Pathogenic", "a status of tomorrow", None)
    assert (read["stars"], read["last_evaluated"]) == (None, None)


async def test_summaries_tell_which_ids_are_missing() -> None:
    answer = summaries(V600E)
    answer.body["result"]["999"] = {"uid": "999", "error": "cannot get document summary"}
    upstream = FakeUpstream({"/esummary.fcgi": answer})
    some = await call(platform, upstream, "get_variant_summaries", variation_ids=["13961", "999"])
    assert (some.content["returned"], some.content["note"]) == (1, "ClinVar has no variant 999.")
    none = await call(platform, upstream, "get_variant_summaries", variation_ids=["999"])
    assert none.content["outcome"] == "unknown_id"


@pytest.mark.case("C038")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_variant_summaries", {"variation_ids": ["13961"]}),
        ("search_variants", {"gene_symbol": "BRAF"}),
        ("get_variant_record", {"variation_id": "13961"}),
    ],
)
async def test_error_text_with_status_200_is_a_failure(tool: str, arguments: Json) -> None:
    text = "<eSummaryResult><ERROR>NCBI C++ Exception: dtd: Cannot open file</ERROR></eSummaryResult>"
    upstream = FakeUpstream(
        {"/esummary.fcgi": Played(text), "/esearch.fcgi": Played(text), "/efetch.fcgi": Played(text)}
    )
    result = await call(platform, upstream, tool, **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "Cannot open file" in result.content["error"]["message"]


VCV = """<?xml version="1.0" encoding="UTF-8" ?>
<ClinVarResult-Set><VariationArchive VariationID="13961" Accession="VCV000013961" Version="143"
 VariationName="NM_004333.6(BRAF):c.1799T&gt;A (p.Val600Glu)" VariationType="single nucleotide variant"
 RecordType="classified" NumberOfSubmissions="45" NumberOfSubmitters="22" DateLastUpdated="2026-09-22">
 <RecordStatus>current</RecordStatus>
 <ClassifiedRecord>
  <SimpleAllele AlleleID="29000" VariationID="13961">
   <GeneList><Gene Symbol="BRAF" GeneID="673"/></GeneList>
   <Name>NM_004333.6(BRAF):c.1799T&gt;A (p.Val600Glu)</Name>
   <CanonicalSPDI>NC_000007.14:140753335:A:T</CanonicalSPDI>
   <Location>
    <SequenceLocation Assembly="GRCh38" Chr="7" start="140753336" stop="140753336" positionVCF="140753336"
      referenceAlleleVCF="A" alternateAlleleVCF="T"/>
    <SequenceLocation Assembly="NCBI36" Chr="7" start="140099605" stop="140099605"/>
   </Location>
   <ProteinChange>V600E</ProteinChange><ProteinChange>V640E</ProteinChange>
   <HGVSlist>
    <HGVS Assembly="NCBI36" Type="genomic, top-level"><NucleotideExpression>
      <Expression>NC_000007.12:g.140099605A&gt;T</Expression></NucleotideExpression></HGVS>
    <HGVS Assembly="GRCh38" Type="genomic, top-level"><NucleotideExpression>
      <Expression>NC_000007.14:g.140753336A&gt;T</Expression></NucleotideExpression></HGVS>
    <HGVS Type="coding"><NucleotideExpression MANESelect="true"><Expression>NM_004333.6:c.1799T&gt;A</Expression>
      </NucleotideExpression><ProteinExpression><Expression>NP_004324.2:p.Val600Glu</Expression></ProteinExpression>
      <MolecularConsequence Type="missense variant"/></HGVS>
    <HGVS Type="coding"><NucleotideExpression><Expression>NM_001354609.2:c.1799T&gt;A</Expression>
      </NucleotideExpression><MolecularConsequence Type="missense variant"/></HGVS>
   </HGVSlist>
   <XRefList><XRef Type="rs" ID="113488022" DB="dbSNP"/><XRef ID="CA123643" DB="ClinGen"/></XRefList>
  </SimpleAllele>
  <RCVList><RCVAccession Accession="RCV000067669" Version="29">
    <ClassifiedConditionList><ClassifiedCondition DB="MedGen" ID="C0025202">Melanoma</ClassifiedCondition>
    </ClassifiedConditionList>
    <RCVClassifications>
     <GermlineClassification><ReviewStatus>no assertion criteria provided</ReviewStatus>
      <Description DateLastEvaluated="2016-03-10" SubmissionCount="2">Pathogenic</Description></GermlineClassification>
     <SomaticClinicalImpact><ReviewStatus>criteria provided, multiple submitters</ReviewStatus>
      <Description ClinicalImpactAssertionType="therapeutic" SubmissionCount="2" DateLastEvaluated="2018-05-15"
       ClinicalImpactClinicalSignificance="sensitivity/response">Tier I - Strong</Description>
      <Description ClinicalImpactAssertionType="prognostic" SubmissionCount="1"
       ClinicalImpactClinicalSignificance="poor outcome">Tier II - Potential</Description></SomaticClinicalImpact>
    </RCVClassifications></RCVAccession></RCVList>
  <Classifications>
   <GermlineClassification DateLastEvaluated="2026-03-11" NumberOfSubmissions="22">
    <ReviewStatus>criteria provided, conflicting classifications</ReviewStatus>
    <Description>Conflicting classifications of pathogenicity</Description></GermlineClassification>
   <SomaticClinicalImpact NumberOfSubmissions="21"><ReviewStatus>criteria provided, multiple submitters</ReviewStatus>
    <Description>Tier I - Strong</Description></SomaticClinicalImpact>
  </Classifications>
 </ClassifiedRecord></VariationArchive></ClinVarResult-Set>"""


async def test_whole_record_is_read_by_kind_and_condition() -> None:
    upstream = FakeUpstream({"/efetch.fcgi?rettype=vcv&is_variationid=true&id=13961": Played(VCV)})
    result = await call(platform, upstream, "get_variant_record", variation_id="VCV000013961.132")
    data = result.content["data"]
    assert (data["accession_version"], data["genes"], data["rsid"]) == ("VCV000013961.143", ["BRAF"], "rs113488022")
    assert list(data["locations"]) == ["GRCh38"]
    assert data["hgvs"] == [
        "NC_000007.14:g.140753336A>T",
        "NM_004333.6:c.1799T>A",
        "NP_004324.2:p.Val600Glu",
    ]
    kinds = data["classifications"]
    assert (kinds["germline"]["stars"], kinds["germline"]["submissions"]) == (1, 22)
    assert kinds["somatic_clinical_impact"]["description"] == "Tier I - Strong"
    assert kinds["oncogenicity"] is None
    (condition,) = data["conditions"]
    assert (condition["accession"], condition["conditions"]) == ("RCV000067669.29", ["Melanoma"])
    assert [(row["assertion_type"], row["significance"]) for row in condition["somatic_clinical_impact"]] == [
        ("therapeutic", "sensitivity/response"),
        ("prognostic", "poor outcome"),
    ]
    assert "oncogenicity" not in condition
    assert (data["number_of_submissions"], data["last_updated"]) == (45, "2026-09-22")


async def test_included_record_says_where_it_belongs() -> None:
    text = """<ClinVarResult-Set><VariationArchive VariationID="25511" Accession="VCV000025511" Version="1"
      VariationName="NM_001337.4(CX3CR1):c.839C&gt;T (p.Thr280Met)" RecordType="included"><IncludedRecord>
      <SimpleAllele><Name>x</Name></SimpleAllele><ClassifiedVariationList><ClassifiedVariation
      VariationID="8152" Accession="VCV000008152" Version="1"/></ClassifiedVariationList></IncludedRecord>
      </VariationArchive></ClinVarResult-Set>"""
    result = await call(
        platform, FakeUpstream({"/efetch.fcgi": Played(text)}), "get_variant_record", variation_id="25511"
    )
    assert result.content["data"]["included_in"] == ["VCV000008152"]
    assert "no classification of its own" in result.content["note"]


async def test_haplotype_lists_its_alleles() -> None:
    text = """<ClinVarResult-Set><VariationArchive VariationID="40200" Accession="VCV000040200" Version="3"
      VariationName="NM_000492.3(CFTR):c.[1075C&gt;A;1079C&gt;A]" RecordType="classified"><ClassifiedRecord><Haplotype>
      <SimpleAllele><GeneList><Gene Symbol="CFTR"/></GeneList><ProteinChange>Q359K</ProteinChange></SimpleAllele>
      <SimpleAllele><GeneList><Gene Symbol="CFTR"/></GeneList><ProteinChange>T360K</ProteinChange></SimpleAllele>
      </Haplotype></ClassifiedRecord></VariationArchive></ClinVarResult-Set>"""
    result = await call(
        platform, FakeUpstream({"/efetch.fcgi": Played(text)}), "get_variant_record", variation_id="40200"
    )
    data = result.content["data"]
    assert [allele["protein_changes"] for allele in data["alleles"]] == [["Q359K"], ["T360K"]]
    assert data["genes"] == ["CFTR"]


@pytest.mark.parametrize(
    ("text", "outcome", "code"),
    [
        ('<?xml version="1.0"?><ClinVarResult-Set><set/></ClinVarResult-Set>', "unknown_id", None),
        ("<ClinVarResult-Set><VariationArchive>", "failed", "upstream_bad_response"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><ClinVarResult-Set/>', "failed", "upstream_bad_response"),
        ("API rate limit exceeded", "failed", "upstream_bad_response"),
    ],
    ids=["unknown", "cut", "entities", "text"],
)
async def test_answers_that_hold_no_record(text: str, outcome: str, code: str | None) -> None:
    result = await call(platform, FakeUpstream({"/efetch.fcgi": Played(text)}), "get_variant_record", variation_id="1")
    assert result.content["outcome"] == outcome
    assert result.content.get("error", {}).get("code") == code


async def test_gene_search_combines_its_filters_and_pages() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": found("13961", count=120), "/esummary.fcgi": summaries(V600E)})
    result = await call(
        platform,
        upstream,
        "search_variants",
        gene_symbol="braf",
        condition='"melanoma"',
        classification="uncertain significance",
        limit=1,
        offset=2,
    )
    assert upstream.asked[0] == (
        'entrez/eutils/esearch.fcgi?db=clinvar&term=BRAF[gene] AND single_gene[prop] AND "melanoma"[dis]'
        ' AND "clinsig vus"[Properties]&retmode=json&retmax=1&retstart=2'
    )
    assert (result.content["total"], result.content["returned"], result.content["next"]) == (120, 1, {"offset": 3})


async def test_gene_search_without_hits_and_with_a_filter_that_was_ignored() -> None:
    errors = {"errorlist": {"phrasesnotfound": ['"nonsense"[dis]']}}
    nothing = await call(
        platform,
        FakeUpstream({"/esearch.fcgi": found(**errors)}),
        "search_variants",
        gene_symbol="BRAF",
        condition="nonsense",
    )
    assert nothing.content["outcome"] == "empty"
    assert 'does not know "nonsense"[dis]' in nothing.content["note"]
    ignored = await call(
        platform,
        FakeUpstream({"/esearch.fcgi": found("1", count=900, **errors)}),
        "search_variants",
        gene_symbol="BRAF",
        condition="nonsense",
    )
    assert ignored.content["error"]["code"] == "upstream_refused"


async def test_busy_service_is_told_as_such() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": Played({"error": "API rate limit exceeded", "count": "4"}, 429)})
    result = await call(platform, upstream, "resolve_variant", variant="BRAF V600E")
    assert result.content["error"]["code"] == "upstream_rate_limited"
    backend = FakeUpstream({"/esearch.fcgi": Played({"esearchresult": {"ERROR": "Search Backend failed"}})})
    result = await call(platform, backend, "search_variants", gene_symbol="BRAF")
    assert result.content["error"]["code"] == "upstream_unavailable"
    assert "Search Backend failed" in result.content["error"]["message"]
