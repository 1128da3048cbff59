"""ClinVar: dbSNP records, frequencies, exact names of variants."""

from typing import Any

import pytest

from mcp_server.platforms.clinvar import platform
from mcp_server.platforms.clinvar.conversion import _assembly
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.test_clinvar_outcomes import SUMMARY, hits, summaries
from tests.mcp_server.platforms.test_clinvar_records import term_of

Json = Any


SNP = {
    "uid": "268",
    "snp_id": 268,
    "global_mafs": [{"study": "GnomAD", "freq": "G=0.0145/450"}, {"study": "Odd", "freq": ""}],
    "clinical_significance": "pathogenic,other",
    "genes": [{"name": "LPL", "gene_id": "4023"}],
    "fxn_class": "coding_sequence_variant,missense_variant",
    "docsum": "HGVS=NC_000008.11:g.19956018A>G,NP_000228.1:p.Asn318Ser|SEQ=[A/G]|GENE=LPL:4023",
    "chrpos": "8:19956018",
    "chrpos_prev_assm": "8:19813529",
}


@pytest.mark.case("C014")
async def test_short_facts_split_lists_and_tell_of_merges() -> None:
    merged = {**SNP, "uid": "3168321", "snp_id": 334}
    upstream = FakeUpstream({"/esummary.fcgi?db=snp": summaries(SNP, merged)})
    result = await call(platform, upstream, "get_dbsnp_summaries", rsids=["RS268", "rs3168321", "rs5"])
    row = result.content["data"][0]
    assert row["frequencies"][0] == {"study": "GnomAD", "allele": "G", "frequency": 0.0145, "alleles_counted": 450}
    assert row["frequencies"][1]["frequency"] is None
    assert row["clinical_terms"] == ["pathogenic", "other"]
    assert row["hgvs"] == ["NC_000008.11:g.19956018A>G", "NP_000228.1:p.Asn318Ser"]
    assert row["locations"] == {"GRCh38": "8:19956018", "GRCh37": "8:19813529"}
    assert "no rs5" in result.content["note"] and "rs3168321 was merged into rs334" in result.content["note"]


async def test_search_of_numbers_uses_whole_fields() -> None:
    upstream = FakeUpstream({"/esearch.fcgi": hits("268"), "/esummary.fcgi": summaries(SNP)})
    await call(
        platform,
        upstream,
        "search_dbsnp",
        gene_symbol="lpl",
        function="missense variant",
        significance="pathogenic",
        maf_min=0.001,
    )
    assert term_of(upstream) == (
        'LPL[Gene Name] AND "missense variant"[Function Class] AND "pathogenic"[Clinical Significance]'
        " AND 0.0010:0.5000[Global Minor Allele Frequency]"
    )


def placement(accession: str, assembly: str, position: int, *, first: bool = False, chromosome: bool = True) -> Json:
    alleles = [
        {
            "hgvs": f"{accession}:g.{position}{'A=' if base == 'A' else f'A>{base}'}",
            "allele": {
                "spdi": {
                    "seq_id": accession,
                    "position": position - 1,
                    "deleted_sequence": "A",
                    "inserted_sequence": base,
                }
            },
        }
        for base in "AGT"
    ]
    traits = [{"assembly_name": assembly, "is_chromosome": chromosome}]
    return {
        "seq_id": accession,
        "is_ptlp": first,
        "placement_annot": {"seq_id_traits_by_assembly": traits},
        "alleles": alleles,
    }


def refsnp(number: str) -> Json:
    protein = {
        "variant": {
            "spdi": {
                "seq_id": "NP_000228.1",
                "position": 317,
                "deleted_sequence": "N",
                "inserted_sequence": "S",
            }
        },
        "sequence_ontology": [{"name": "missense_variant"}],
    }
    gene = {"locus": "LPL", "id": 4023, "name": "lipoprotein lipase", "rnas": [{"id": "NM_1.2", "protein": protein}]}
    clinical = {"accession_version": "RCV000001615.2", "clinical_significances": ["pathogenic"]}
    return {
        "refsnp_id": number,
        "dbsnp1_merges": [{"merged_rsid": "17850737"}],
        "primary_snapshot_data": {
            "placements_with_allele": [
                placement("NC_000008.11", "GRCh38.p14", 19956018, first=True),
                placement("NC_000008.10", "GRCh37.p13", 19813529),
                placement("NG_008855.1", "", 21948, chromosome=False),
            ],
            "allele_annotations": [{}, {"clinical": [clinical], "assembly_annotation": [{"genes": [gene]}]}, {}],
        },
    }


@pytest.mark.case("C015")
async def test_number_with_several_alleles_names_each_on_both_assemblies() -> None:
    result = await call(platform, FakeUpstream({"/refsnp/268": Played(refsnp("268"))}), "get_refsnp", rsid="rs268")
    reference, changed, further = result.content["data"]["alleles"]
    assert (reference["is_reference"], changed["is_reference"], further["allele"]) == (True, False, "T")
    assert changed["hgvs"] == {"GRCh38": "NC_000008.11:g.19956018A>G", "GRCh37": "NC_000008.10:g.19813529A>G"}
    assert changed["spdi"] == "NC_000008.11:19956017:A:G"
    assert (changed["proteins"], changed["consequences"]) == (["NP_000228.1:N318S"], ["missense_variant"])
    assert changed["clinical"][0]["accession"] == "RCV000001615.2"
    assert result.content["data"]["genes"] == [{"symbol": "LPL", "gene_id": "4023", "name": "lipoprotein lipase"}]
    assert result.content["data"]["merged_here"] == ["rs17850737"]


@pytest.mark.case("C014")
async def test_merged_number_is_followed_and_told() -> None:
    merged = {"refsnp_id": "3168321", "merged_snapshot_data": {"merged_into": ["334"]}}
    upstream = FakeUpstream({"/refsnp/3168321": Played(merged), "/refsnp/334": Played(refsnp("334"))})
    result = await call(platform, upstream, "get_refsnp", rsid="rs3168321")
    assert (result.content["data"]["query"], result.content["data"]["rsid"]) == ("rs3168321", "rs334")
    assert "merged into rs334" in result.content["note"]
    assert result.meta["burp/citations"][0]["identifier"] == "rs334"


async def test_withdrawn_other_and_empty_numbers_are_told_apart() -> None:
    outcomes = []
    for record in (
        {"refsnp_id": "100", "withdrawn_snapshot_data": {}},
        {"refsnp_id": "101", "primary_snapshot_data": {}},
        {"refsnp_id": "100"},
    ):
        result = await call(platform, FakeUpstream({"/refsnp/100": Played(record)}), "get_refsnp", rsid="rs100")
        outcomes.append(result.content.get("error", {}).get("code") or result.content["outcome"])
    assert outcomes == ["unknown_id", "upstream_bad_response", "upstream_bad_response"]


async def test_frequencies_are_counted_out_by_population() -> None:
    counts = {"ref": "C", "counts": {"PRJNA507278": {"allele_counts": {"SAMN10492695": {"C": 90, "G": 10}}}}}
    names = [{"populations": [{"biosample_id": "SAMN1", "name": "Total", "subs": [
        {"biosample_id": "SAMN10492695", "name": "European"}]}]}]  # fmt: skip
    answers = {"/refsnp/328/frequency": Played({"results": {"1@5": counts}})}
    upstream = FakeUpstream({**answers, "/metadata/frequency": Played(names)})
    result = await call(platform, upstream, "get_allele_frequencies", rsid="rs328")
    assert result.content["data"]["frequencies"][1] == {
        "study": "ALFA",
        "population": "European",
        "population_id": "SAMN10492695",
        "allele": "G",
        "is_reference": False,
        "frequency": 0.1,
        "allele_count": 10,
        "total_count": 100,
    }
    unnamed = FakeUpstream({**answers, "/metadata/frequency": Played("down", 503)})
    result = await call(platform, unnamed, "get_allele_frequencies", rsid="rs328")
    assert result.content["data"]["frequencies"][0]["population"] is None
    assert "have no names" in result.content["note"]


HBB = {"seq_id": "NC_000011.10", "position": 5227001, "deleted_sequence": "T", "inserted_sequence": "A"}
HBB_PATH = "/spdi/NC_000011.10:5227001:T:A"


@pytest.mark.parametrize(
    ("written", "path", "arguments"),
    [
        ("NC_000011.10(HBB):g.5227002T>A", "/hgvs/NC_000011.10:g.5227002T%3EA/contextuals", {}),
        ("NC_000011.10:5227001:T:A", f"{HBB_PATH}/contextual", {}),
        ("chr11-5227002-T-A", "/vcf/11/5227002/T/A/contextuals?GCF_000001405.40", {"assembly": "GRCh38"}),
    ],
)
async def test_every_form_of_a_name_is_written_in_all_the_others(written: str, path: str, arguments: Json) -> None:
    upstream = FakeUpstream(
        {
            path: Played({"data": HBB if path.endswith("contextual") else {"spdis": [HBB]}}),
            f"{HBB_PATH}/hgvs": Played({"data": {"hgvs": "NC_000011.10:g.5227002T>A"}}),
            f"{HBB_PATH}/rsids": Played({"data": {"rsids": [334]}}),
            f"{HBB_PATH}/vcf_fields": Played({"data": {"chrom": "11", "pos": 5227002, "ref": "T", "alt": "A"}}),
        }
    )
    result = await call(platform, upstream, "convert_variant", variant=written, **arguments)
    (form,) = result.content["data"]["forms"]
    assert form == {
        "spdi": "NC_000011.10:5227001:T:A",
        "hgvs": "NC_000011.10:g.5227002T>A",
        "rsids": ["rs334"],
        "assembly_name": "GRCh38",
        "vcf": {"chrom": "11", "pos": 5227002, "ref": "T", "alt": "A"},
    }
    assert {request.host for request in upstream.requests} == {"api.ncbi.nlm.nih.gov"}


async def test_form_that_could_not_be_had_is_null_and_named() -> None:
    upstream = FakeUpstream(
        {
            "/contextual": Played({"data": HBB}),
            f"{HBB_PATH}/hgvs": Played({"error": {"code": 500, "message": "Internal error"}}, 500),
            f"{HBB_PATH}/rsids": Played({"error": {"code": 404, "message": "RSID not found"}}, 404),
            f"{HBB_PATH}/vcf_fields": Played({"error": {"code": 400, "message": "No such sequence"}}, 400),
        }
    )
    result = await call(platform, upstream, "convert_variant", variant="NC_000011.10:5227001:T:A")
    (form,) = result.content["data"]["forms"]
    assert (form["hgvs"], form["rsids"], form["vcf"]) == (None, [], None)
    assert "HGVS are missing" in result.content["note"] and "No VCF fields" in result.content["note"]


async def test_wrong_name_is_refused_in_the_words_of_the_service() -> None:
    refusal = Played({"error": {"code": 400, "message": "Reference base does not match"}}, 400)
    upstream = FakeUpstream({"/contextuals": refusal})
    result = await call(platform, upstream, "convert_variant", variant="NM_000518.5:c.20G>T")
    assert result.content["error"]["code"] == "upstream_refused"
    assert "Reference base does not match" in result.content["error"]["message"]
    other = FakeUpstream({"/contextuals": Played({"data": {"spdis": [HBB]}})})
    result = await call(platform, other, "convert_variant", variant="NM_000518.5:c.20A>T")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("spdi", "assembly"),
    [
        ("NC_000008.11:1:A:T", "GRCh38"),
        ("NC_000008.10:1:A:T", "GRCh37"),
        ("NC_000023.11:1:A:T", "GRCh38"),
        ("NC_000007.99:1:A:T", None),
        ("NM_000518.5:69:A:T", None),
    ],
)
def test_assembly_follows_from_the_version_of_a_chromosome(spdi: str, assembly: str | None) -> None:
    assert _assembly(spdi) == assembly


@pytest.mark.parametrize(
    ("rsids", "term"),
    [
        (Played({"data": {"rsids": [113488022]}}), "rs113488022"),
        (Played({"error": {"message": "RSID not found"}}, 404), '"NC_000007.14:140753335:A:T"'),
    ],
    ids=["by number", "by itself"],
)
async def test_exact_name_leads_to_the_record_that_carries_it(rsids: Played, term: str) -> None:
    records = [
        {**SUMMARY, "uid": uid, "variation_set": [{"canonical_spdi": f"NC_000007.14:140753335:A:{base}"}]}
        for uid, base in (("40389", "G"), ("13961", "T"))
    ]
    upstream = FakeUpstream(
        {
            "/spdi/NC_000007.14:140753335:A:T/rsids": rsids,
            "/esearch.fcgi": hits("40389", "13961"),
            "/esummary.fcgi": summaries(*records),
        }
    )
    result = await call(platform, upstream, "resolve_variant", variant="NC_000007.14:140753335:a:t")
    assert [row["variation_id"] for row in result.content["data"]["candidates"]] == ["13961"]
    assert term_of(upstream, 1) == term
