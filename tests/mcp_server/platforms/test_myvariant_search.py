"""MyVariant's search: every filter reaches the query, joined by AND; what comes back is what was asked for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.envelope import Envelope
from mcp_server.platforms.myvariant import platform
from mcp_server.platforms.myvariant.filters import consequence_form
from mcp_server.platforms.myvariant.names import cdna_form, genomic_form, protein_form
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.myvariant_cases import (
    FUT2_C,
    FUT2_T,
    MULTIPLE,
    NO_CRITERIA,
    NO_HITS,
    PANEL,
    SINGLE,
    V600E_HG19,
    V600E_HG38,
    hits,
    rcv,
)
from tests.mcp_server.platforms.variant_index import VariantIndex

Json = Any


def variant(position: int, gene: str, protein: str, *records: Json, **more: Json) -> Json:
    """Return a variant on hg38 with its ClinVar records."""
    return {
        "_id": f"chr17:g.{position}A>T",
        "chrom": "17",
        "hg38": {"start": position, "end": position},
        "dbnsfp": {"genename": [gene, gene], "hgvsp": [protein], **more.pop("dbnsfp", {})},
        "clinvar": {"variant_id": position, "gene": {"symbol": gene}, "rcv": list(records)},
        **more,
    }


def af(exomes: float | None = None, genomes: float | None = None, **groups: float) -> dict[str, Json]:
    """Return gnomAD's blocks."""
    blocks: dict[str, Json] = {}
    if exomes is not None:
        blocks["gnomad_exome"] = {"af": {"af": exomes, **groups}, "ac": {"ac": 4}, "an": {"an": 251000}}
    if genomes is not None:
        blocks["gnomad_genome"] = {"af": {"af": genomes, **groups}}
    return blocks


BRCA1 = [
    variant(1, "BRCA1", "p.C61G", rcv("RCV000000001", "Pathogenic", PANEL, "Breast-ovarian cancer, familial 1"),
            dbsnp={"rsid": "rs28897672"}, **af(exomes=0.00001), snpeff={"ann": {"effect": "missense_variant"}}),
    variant(2, "BRCA1", "p.M18T", rcv("RCV000000002", "Likely pathogenic", SINGLE, "Breast-ovarian cancer, familial 1"),
            **af(genomes=0.01), dbnsfp={"revel": {"score": [0.3, 0.8]}}),
    variant(3, "BRCA1", "p.S4F", rcv("RCV000000003", "Benign", MULTIPLE, "Familial cancer of breast"),
            rcv("RCV000000004", "Pathogenic", NO_CRITERIA, "Ovarian neoplasm"), **af(exomes=0.2, genomes=0.0001)),
    variant(4, "BRCA1", "p.Q356R", rcv("RCV000000005", "Conflicting classifications of pathogenicity",
            "criteria provided, conflicting classifications", "not provided"), **af(exomes=0.05, af_afr=0.001)),
    variant(5, "TP53", "p.R175H", rcv("RCV000000006", "Pathogenic/Likely pathogenic", MULTIPLE, "Li-Fraumeni syndrome"),
            snpeff={"ann": [{"effect": "splice_donor_variant&intron_variant"}]}),
]  # fmt: skip


async def searched(index: VariantIndex | FakeUpstream, **arguments: Json) -> Envelope:
    return await call(platform, index, "variant_search", **arguments)  # type: ignore[arg-type]


async def found(**arguments: Json) -> list[str]:
    """Return the protein changes that a search over the five variants finds."""
    result = await searched(VariantIndex(BRCA1), **arguments)
    assert result.content["outcome"] in ("data", "empty"), result.content
    return [row["protein_changes"][0] for row in result.content["data"]]


@pytest.mark.case("C017")
@pytest.mark.parametrize("spelling", ["V600E", "p.V600E", "p.Val600Glu", "v600e", "VAL600GLU", "p.(Val600Glu)"])
async def test_every_spelling_of_a_protein_change_asks_for_both_forms(spelling: str) -> None:
    upstream = FakeUpstream({"/query": hits(V600E_HG38)})
    result = await searched(upstream, genes=["braf"], protein_changes=[spelling])
    assert result.content["data"][0]["variant_id"] == "chr7:g.140753336A>T"
    (asked,) = upstream.asked
    assert '(dbnsfp.genename:"BRAF" OR clinvar.gene.symbol:"BRAF") AND (' in asked
    assert 'dbnsfp.hgvsp:"p.V600E" OR dbnsfp.hgvsp:"p.Val600Glu"' in asked


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("p.Glu746_Ala750del", "E746_A750del"),
        ("E746_A750delELREA", "E746_A750del"),
        ("p.Arg228ProfsTer5", "R228fs"),
        ("Q61X", "Q61*"),
        ("p.Gln61Ter", "Q61*"),
        ("p.Asp770_Asn771insSerValAsp", "D770_N771insSVD"),
        ("Val600", "V600"),
        ("p.Val600=", "V600="),
    ],
)
def test_protein_changes_have_one_normal_form(written: str, normal: str) -> None:
    assert protein_form(written) == normal == protein_form(normal)


@pytest.mark.case("C019")
@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("NC_000007.14:g.140753336A>T", "chr7:g.140753336A>T@hg38"),
        ("NC_000007.13:g.140453136A>T", "chr7:g.140453136A>T@hg19"),
        ("7-140753336-A-T", "chr7:g.140753336A>T"),
        ("chr7:140753336a>t@GRCh38", "chr7:g.140753336A>T@hg38"),
        ("chr10:g.87925512delG", "chr10:g.87925512del"),
        ("chrM:g.73A>G", "chrMT:g.73A>G"),
        ("NC_000023.11:g.41345508A>G", "chrX:g.41345508A>G@hg38"),
    ],
)
def test_genomic_names_keep_the_assembly_that_they_tell(written: str, normal: str) -> None:
    assert genomic_form(written) == normal == genomic_form(normal)


def test_other_names_have_one_normal_form() -> None:
    assert cdna_form("NM_007294.4(BRCA1):c.68_69delAG") == "NM_007294.4:c.68_69del"
    assert cdna_form("1799t>a") == "c.1799T>A"
    assert consequence_form("Missense variant") == consequence_form("missense") == "missense_variant"


async def test_a_residue_alone_finds_any_change_of_it_and_no_longer_number() -> None:
    changes = [variant(n, "BRAF", change) for n, change in enumerate(("p.V600E", "p.Val600Lys", "p.V6000E"), 1)]
    frame = variant(4, "BRAF", "p.A1G", snpeff={"ann": {"hgvs_p": "p.Val600fs"}})
    result = await searched(VariantIndex([*changes, frame]), protein_changes=["V600"])
    assert [row["protein_changes"][0] for row in result.content["data"]] == ["V600E", "V600K", "V600fs"]


async def test_several_genes_changes_and_numbers_are_any_of() -> None:
    assert await found(genes=["BRCA1", "TP53"]) == ["C61G", "M18T", "S4F", "Q356R", "R175H"]
    assert await found(protein_changes=["C61G", "p.Arg175His"]) == ["C61G", "R175H"]
    assert await found(rsids=["RS28897672"]) == ["C61G"]
    assert await found(hgvs=["chr17:g.5A>T@hg38"]) == ["R175H"]
    assert await found(region="chr17:2-3", assembly="hg38") == ["M18T", "S4F"]


async def test_what_is_left_out_is_sent_as_not() -> None:
    assert await found(genes=["BRCA1"], exclude_protein_changes=["C61G", "S4"]) == ["M18T", "Q356R"]
    assert await found(region="17:1-9", assembly="hg38", exclude_genes=["BRCA1"]) == ["R175H"]
    assert await found(genes=["BRCA1"], exclude_rsids=["rs28897672"]) == ["M18T", "S4F", "Q356R"]


async def test_pathogenic_is_not_likely_pathogenic() -> None:
    result = await searched(VariantIndex(BRCA1), genes=["BRCA1"], significance=["pathogenic"])
    assert [row["protein_changes"][0] for row in result.content["data"]] == ["C61G", "S4F"]
    assert result.content["total"] == 2
    assert await found(significance=["likely_pathogenic"]) == ["M18T", "R175H"]
    assert await found(significance=["benign", "conflicting"]) == ["S4F", "Q356R"]


async def test_significance_stars_and_condition_must_be_those_of_one_record() -> None:
    # S4F is benign with two stars, and pathogenic with none.
    assert await found(significance=["pathogenic"], min_review_stars=2) == ["C61G", "R175H"]
    assert await found(significance=["benign"], condition="ovarian") == []
    assert await found(condition="breast cancer") == ["C61G", "M18T", "S4F"]
    assert await found(genes=["BRCA1"], min_review_stars=1) == ["C61G", "M18T", "S4F", "Q356R"]
    assert await found(min_review_stars=0) == ["C61G", "M18T", "S4F", "Q356R", "R175H"]


async def test_a_total_that_the_service_cannot_know_is_not_given() -> None:
    likely = [
        variant(n, "BRCA1", f"p.A{n}G", rcv(f"RCV{n:09d}", "Likely pathogenic", SINGLE, "x")) for n in range(9, 99)
    ]
    sure = [variant(n, "BRCA1", f"p.A{n}G", rcv(f"RCV{n:09d}", "Pathogenic", SINGLE, "x")) for n in range(100, 200)]
    index = VariantIndex([*likely, *sure])
    first = await searched(index, genes=["BRCA1"], significance=["pathogenic"], limit=20)
    assert "total" not in first.content and first.content["returned"] == 20
    assert first.content["next"] == {"offset": 110}
    assert "the service counts 190 variants by words" in first.content["note"]
    rest = await searched(index, genes=["BRCA1"], significance=["pathogenic"], limit=200, offset=110)
    ids = [row["variant_id"] for row in (*first.content["data"], *rest.content["data"])]
    assert ids == [record["_id"] for record in sure]


async def test_bounds_count_themselves_unless_told_not_to() -> None:
    assert await found(genes=["BRCA1"], max_frequency=0.01) == ["C61G", "M18T"]
    assert await found(genes=["BRCA1"], max_frequency=0.01, exclusive=["max_frequency"]) == ["C61G"]
    assert await found(genes=["BRCA1"], min_frequency=0.05, exclusive=["min_frequency"]) == ["S4F"]
    assert await found(min_frequency=0.00001, max_frequency=0.05) == ["C61G", "M18T", "Q356R"]
    assert await found(min_revel=0.8) == ["M18T"]
    assert await found(min_revel=0.8, exclusive=["min_revel"]) == []


async def test_the_genomes_count_only_where_the_exomes_have_nothing() -> None:
    # S4F: 0.2 in the exomes, 0.0001 in the genomes.
    assert await found(genes=["BRCA1"], min_frequency=0.1) == ["S4F"]
    result = await searched(VariantIndex(BRCA1), genes=["BRCA1"], max_frequency=0.01)
    assert [row["gnomad"]["dataset"] for row in result.content["data"]] == [
        "gnomAD exomes 2.1.1",
        "gnomAD genomes 3.1.1",
    ]
    first = result.content["data"][0]["gnomad"]
    assert (first["frequency"], first["allele_count"], first["allele_number"]) == (0.00001, 4, 251000)


async def test_variants_without_a_frequency_come_along_only_when_asked() -> None:
    assert "R175H" not in await found(max_frequency=0.5)
    assert "R175H" in await found(max_frequency=0.5, include_unknown_frequency=True)


async def test_a_frequency_is_that_of_the_group_asked_for() -> None:
    assert await found(max_frequency=0.01, population="afr") == ["Q356R"]
    result = await searched(VariantIndex(BRCA1), max_frequency=0.01, population="afr")
    assert result.content["data"][0]["gnomad"]["population"] == "afr"
    assert result.content["data"][0]["gnomad"]["frequency"] == 0.001


async def test_a_consequence_may_stand_beside_another_one() -> None:
    assert await found(consequence="splice_donor") == ["R175H"]
    assert await found(consequence="missense variant") == ["C61G"]
    assert await found(genes=["BRCA1"], consequence="xyzzy") == []


FILTERS: dict[str, st.SearchStrategy[Json]] = {
    "genes": st.lists(st.sampled_from(["BRCA1", "TP53", "XYZZY1"]), min_size=1, max_size=2),
    "protein_changes": st.lists(st.sampled_from(["C61G", "S4", "R175H", "W9999*"]), min_size=1, max_size=2),
    "rsids": st.just(["rs28897672"]),
    "region": st.sampled_from(["17:1-3", "17:4-900", "1:1-9"]),
    "significance": st.lists(st.sampled_from(["pathogenic", "likely_pathogenic", "benign"]), min_size=1, max_size=2),
    "min_review_stars": st.integers(0, 4),
    "condition": st.sampled_from(["breast", "ovarian cancer", "Li-Fraumeni", "xyzzy"]),
    "consequence": st.sampled_from(["missense", "intron_variant", "xyzzy"]),
    "max_frequency": st.sampled_from([0.0, 0.001, 0.01, 1.0]),
    "min_revel": st.sampled_from([0.1, 0.75, 1.0]),
    "exclude_genes": st.just(["TP53"]),
    "exclude_protein_changes": st.lists(st.sampled_from(["C61G", "Q356R"]), min_size=1, max_size=2),
}
POSITIVE = sorted(set(FILTERS) - {"exclude_genes", "exclude_protein_changes"})


@pytest.mark.case("C040")
@given(st.data())
async def test_one_more_filter_never_finds_more(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(FILTERS)), min_size=1, max_size=4, unique=True))
    start = data.draw(st.sampled_from(POSITIVE))
    filters = {name: data.draw(FILTERS[name]) for name in dict.fromkeys([start, *names])}
    earlier: set[str] | None = None
    for count in range(1, len(filters) + 1):
        some = dict(list(filters.items())[:count])
        now = set(await found(**some, assembly="hg38"))
        assert earlier is None or now <= earlier, some
        earlier = now


@pytest.mark.case("C040")
@pytest.mark.parametrize(
    "nonsense",
    [
        {"genes": ["XYZZY1"]},
        {"protein_changes": ["W9999*"]},
        {"rsids": ["rs999999999999"]},
        {"cdna_change": "c.9A>G"},
        {"hgvs": ["chr1:g.1A>T@hg38"]},
        {"condition": "xyzzy"},
        {"consequence": "xyzzy"},
        {"min_review_stars": 4},
        {"region": "1:1-2", "assembly": "hg38"},
        {"min_frequency": 1, "population": "sas"},
        {"min_revel": 1},
    ],
)
async def test_a_filter_that_nothing_fits_finds_nothing(nonsense: dict[str, Json]) -> None:
    arguments = {**({} if "genes" in nonsense else {"genes": ["BRCA1", "TP53"]}), **nonsense}
    assert await found(**arguments) == []


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "genes"),
        ({"exclude_genes": ["TP53"]}, "genes"),
        ({"genes": ["BRAF"], "min_cadd": 20}, "min_cadd"),
        ({"genes": ["BRAF"], "population": "afr"}, "population"),
        ({"genes": ["BRAF"], "max_frequency": 0.1, "population": "eur"}, "population"),
        ({"genes": ["BRAF"], "max_frequency": 1.5}, "max_frequency"),
        ({"genes": ["BRAF"], "include_unknown_frequency": True}, "include_unknown_frequency"),
        ({"genes": ["BRAF"], "min_frequency": 0.5, "max_frequency": 0.1}, "min_frequency"),
        ({"genes": ["BRAF"], "exclusive": ["min_revel"]}, "exclusive"),
        ({"genes": ["BRAF"], "min_review_stars": 5}, "min_review_stars"),
        ({"protein_changes": ["kinase"]}, "protein_changes"),
        ({"genes": ["BRAF"], "exclude_protein_changes": ["600"]}, "exclude_protein_changes"),
        ({"hgvs": ["BRAF V600E"]}, "hgvs"),
        ({"hgvs": ["NC_000007.13:g.140453136A>T"], "assembly": "hg38"}, "hgvs"),
        ({"cdna_change": "c.nothing"}, "cdna_change"),
        ({"region": "7:9-3"}, "region"),
        ({"genes": ["BRAF"], "condition": "!?"}, "condition"),
        ({"genes": ["BRAF"], "offset": 9_999, "limit": 10}, "offset"),
    ],
)
async def test_what_the_service_cannot_do_is_refused_before_it_is_asked(
    arguments: dict[str, Json], argument: str
) -> None:
    upstream = FakeUpstream({})
    result = await searched(upstream, **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments", result.content
    assert result.content["error"]["argument"] == argument
    assert upstream.requests == []


async def test_cadd_is_searched_on_hg19_with_the_bound_as_given() -> None:
    upstream = FakeUpstream({"/query?assembly=hg19": hits(FUT2_T)})
    arguments = {"genes": ["FUT2"], "min_cadd": 20, "max_cadd": 35.5, "exclusive": ["min_cadd"]}
    result = await searched(upstream, **arguments, assembly="hg19")
    assert (
        "AND (cadd.phred:{20.0 TO 35.5]}" not in upstream.asked[0] and "(cadd.phred:{20 TO 35.5])" in upstream.asked[0]
    )
    row = result.content["data"][0]
    assert (row["cadd_phred"], row["cadd_source"], row["assembly"]) == (23.5, "CADD", "hg19")


@pytest.mark.case("C016")
async def test_a_coordinate_without_an_assembly_is_looked_up_in_both() -> None:
    upstream = FakeUpstream({"/query?assembly=hg38": NO_HITS, "/query?assembly=hg19": hits(V600E_HG19)})
    result = await searched(upstream, hgvs=["chr7:g.140453136A>T"])
    assert [(row["variant_id"], row["assembly"]) for row in result.content["data"]] == [("chr7:g.140453136A>T", "hg19")]
    assert "No assembly was given" in result.content["note"]
    only = FakeUpstream({"/query?assembly=hg19": hits(V600E_HG19)})
    await searched(only, hgvs=["NC_000007.13:g.140453136A>T"])
    assert len(only.requests) == 1


@pytest.mark.case("C016")
async def test_an_answer_on_the_other_assembly_is_no_answer() -> None:
    result = await searched(FakeUpstream({"/query": hits(V600E_HG19)}), genes=["BRAF"])
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "asked for hg38" in result.content["error"]["message"]


@pytest.mark.case("C021")
@pytest.mark.parametrize(
    "arguments",
    [{"genes": ["TP53"]}, {"rsids": ["rs1"]}, {"hgvs": ["chr1:g.1A>T@hg19"]}, {"protein_changes": ["V600K"]}],
)
async def test_a_hit_without_what_was_asked_for_is_no_answer(arguments: dict[str, Json]) -> None:
    result = await searched(FakeUpstream({"/query": hits(V600E_HG19)}), **arguments, assembly="hg19")
    assert result.content["error"]["code"] == "upstream_bad_response", result.content


async def test_fields_of_one_value_and_of_many_are_both_read() -> None:
    result = await searched(FakeUpstream({"/query": hits(FUT2_T, FUT2_C)}), rsids=["rs1047781"], assembly="hg19")
    by_id = {row["variant_id"]: row for row in result.content["data"]}
    first = by_id["chr19:g.49206631A>T"]
    assert first["genes"] == ["FUT2"] and first["protein_changes"] == ["I140F"] and first["revel"] == 0.777
    assert first["clinvar"]["classified"][0]["significance"] == "Benign"
    assert first["gnomad"] == {"frequency": 0.036422, "population": "all", "dataset": "gnomAD exomes 2.1.1"}
    assert "clinvar" not in by_id["chr19:g.49206631A>C"]


@pytest.mark.parametrize(
    ("protein", "record", "first"),
    [
        # ClinVar's name, though another transcript's change stands first in dbNSFP and in snpEff.
        (None, {**V600E_HG38, "snpeff": {"ann": {"hgvs_p": "p.Val640Glu"}}}, "V600E"),
        ("V640E", V600E_HG38, "V640E"),
        ("L265P", {**V600E_HG38, "clinvar": None, "snpeff": None,
                   "dbnsfp": {"genename": "BRAF", "hgvsp": ["p.L273P", "p.L265P"]}}, "L265P"),
    ],
)  # fmt: skip
async def test_the_change_that_was_asked_for_or_that_clinvar_names_comes_first(
    protein: str | None, record: Json, first: str
) -> None:
    arguments = {"genes": ["BRAF"], **({"protein_changes": [protein]} if protein else {})}
    result = await searched(FakeUpstream({"/query": hits(record)}), **arguments)
    assert result.content["data"][0]["protein_changes"][0] == first
    assert result.meta["burp/citations"][0]["label"] == f"BRAF {first}"


async def test_a_score_says_that_it_is_the_highest_over_transcripts() -> None:
    with_scores = await searched(FakeUpstream({"/query": hits(V600E_HG38)}), genes=["BRAF"])
    (row,) = with_scores.content["data"]
    assert (row["alphamissense"], row["scores_are"]) == (0.9978, "the highest over transcripts")
    without = await searched(FakeUpstream({"/query": hits(BRCA1[0])}), genes=["BRCA1"])
    assert "scores_are" not in without.content["data"][0]


async def test_a_frequency_above_one_is_an_error() -> None:
    broken = {**V600E_HG38, "gnomad_exome": {"af": {"af": 1.02}}}
    result = await searched(FakeUpstream({"/query": hits(broken)}), genes=["BRAF"])
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_pages_go_on_where_the_last_one_ended() -> None:
    upstream = FakeUpstream({"/query": hits(V600E_HG38, total=4979)})
    result = await searched(upstream, genes=["BRAF"], limit=1, offset=3)
    assert "size=1&from=3" in upstream.asked[0]
    assert (result.content["total"], result.content["next"]) == (4979, {"offset": 4})


async def test_a_transcript_name_is_sent_without_its_version() -> None:
    upstream = FakeUpstream({"/query": hits(V600E_HG38)})
    await searched(upstream, cdna_change="NM_004333.4(BRAF):c.1799T>A")
    assert r"clinvar.hgvs.coding:nm_004333.*\:c.1799t?a" in upstream.asked[0]
    assert 'snpeff.ann.hgvs_c:"c.1799T>A"' in upstream.asked[0]


async def test_no_value_can_leave_its_place_in_the_query() -> None:
    upstream = FakeUpstream({"/query": Played({"took": 0, "total": 0, "hits": []})})
    await searched(upstream, genes=['A" OR *:* OR "'], condition='x" OR chr7:1-9')
    assert '(dbnsfp.genename:"A\\" OR *:* OR \\""' in upstream.asked[0]
    assert "chr7:" not in upstream.asked[0]
