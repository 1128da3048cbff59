"""Ensembl: variants in batches, all names, consequences with scores, features, linkage."""

from typing import Any

import pytest

from mcp_server.platforms.ensembl import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any


def variant(name: str, **more: Json) -> Json:
    place = {"location": "11:5227002-5227002", "assembly_name": "GRCh38", "allele_string": "T/A"}
    return {"name": name, "mappings": [place], "synonyms": [], **more}


@pytest.mark.case("C014")
async def test_batch_finds_a_merged_number_by_its_synonym() -> None:
    answer = {"rs334": variant("rs334", synonyms=["rs77121243"]), "rs67521280": variant("rs67521280", failed="mapping")}
    upstream = FakeUpstream({"/variation/homo_sapiens": Played(answer)})
    rsids = ["RS77121243", "rs67521280", "rs999999999"]
    result = await call(platform, upstream, "get_variants_batch", rsids=rsids)
    data = result.content["data"]
    assert [(row["query"], row["name"]) for row in data["variants"]] == [
        ("rs77121243", "rs334"),
        ("rs67521280", "rs67521280"),
    ]
    assert data["not_found"] == ["rs999999999"]
    note = result.content["note"]
    assert "merged into rs334" in note and "as failed: mapping" in note and "no variant rs999999999" in note
    assert upstream.requests[0].body == {"ids": ["rs77121243", "rs67521280", "rs999999999"]}


async def test_further_parts_of_a_variant_are_asked_for_by_name() -> None:
    record = variant("rs334", populations=[{"population": "gnomADg:ALL", "allele": "A", "frequency": 0.01}])
    upstream = FakeUpstream({"/variation/homo_sapiens/rs334": Played(record), "/id/rs334": Played([])})
    parts = ["populations", "phenotypes", "population_genotypes"]
    result = await call(platform, upstream, "get_variant", rsid="rs334", include=parts)
    assert all(part in upstream.asked[0] for part in ("pops=1", "phenotypes=1", "population_genotypes=1"))
    assert result.content["data"]["populations"][0]["frequency"] == 0.01


@pytest.mark.parametrize(
    ("written", "name", "page"),
    [
        ("cosv64184214", "COSV64184214", "Variation/Explore?v"),
        ("ESV93078", "esv93078", "StructuralVariation/Explore?sv"),
    ],
)
async def test_other_kinds_of_variants_have_pages_of_their_own(written: str, name: str, page: str) -> None:
    upstream = FakeUpstream({f"/variation/homo_sapiens/{name}": Played(variant(name)), f"/id/{name}": Played([])})
    result = await call(platform, upstream, "get_variant", rsid=written)
    (cited,) = result.meta["burp/citations"]
    assert cited["url"] == f"https://www.ensembl.org/Homo_sapiens/{page}={name}"
    upstream = FakeUpstream({"/variation/homo_sapiens": Played({name: variant(name)})})
    result = await call(platform, upstream, "get_variants_batch", rsids=[written])
    assert result.content["data"]["variants"][0]["query"] == name


async def test_variant_of_another_assembly_is_refused() -> None:
    upstream = FakeUpstream({"/variation/homo_sapiens/rs334": Played(variant("rs334"))})
    result = await call(platform, upstream, "get_variant", rsid="rs334", assembly="GRCh37")
    assert upstream.requests[0].host == "grch37.rest.ensembl.org"
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(("paper", "path"), [("PMID 26318936", "/pmid/26318936"), ("pmc4567890", "/pmcid/PMC4567890")])
async def test_paper_is_recognised_by_its_number(paper: str, path: str) -> None:
    upstream = FakeUpstream({path: Played([variant("rs334")])})
    result = await call(platform, upstream, "get_variants_in_paper", paper=paper)
    assert result.content["data"][0]["name"] == "rs334"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("ENST00000366667:c.803C>T", "ENST00000366667:c.803C>T"),
        ("1-230710021-G-A", "1:230710020:G:A"),
        ("NC_000001.11:230710020:G:A", "NC_000001.11:230710020:G:A"),
    ],
)
async def test_names_of_a_variant_come_for_each_allele(written: str, sent: str) -> None:
    names = {"input": sent, "id": ["COSV1", "rs1260447"], "hgvsg": ["NC_000001.11:g.230710021G>A"], "hgvsp": []}
    upstream = FakeUpstream({f"/variant_recoder/homo_sapiens/{sent.replace('>', '%3E')}": Played([{"T": names}])})
    result = await call(platform, upstream, "recode_variant", variant=written, assembly="GRCh38")
    (allele,) = result.content["data"]["alleles"]
    assert (allele["allele"], allele["rsid"]) == ("T", "rs1260447")
    assert "hgvsp" not in allele
    assert result.content["data"]["assembly_name"] == "GRCh38"
    assert [row["identifier"] for row in result.meta["burp/citations"]] == ["rs1260447"]


async def test_names_of_another_variant_are_refused() -> None:
    upstream = FakeUpstream({"/rs334": Played([{"A": {"input": "rs335", "id": ["rs335"]}}])})
    result = await call(platform, upstream, "recode_variant", variant="rs334")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_dossier_names_the_part_that_failed() -> None:
    upstream = FakeUpstream(
        {
            "/variation/homo_sapiens/rs334": Played(variant("rs334")),
            "/vep/homo_sapiens/id/rs334": Played("down", 503),
            "/variant_recoder/homo_sapiens/rs334": Played([{"A": {"input": "rs334", "id": ["rs334"]}}]),
        }
    )
    result = await call(platform, upstream, "variant_dossier", rsid="rs334")
    data = result.content["data"]
    assert (data["consequences"], data["names"][0]["rsid"]) == (None, "rs334")
    assert "consequences are missing" in result.content["note"] and "HTTP 503" in result.content["note"]


TRANSCRIPTS = [
    {
        "transcript_id": "ENST00000376590",
        "gene_id": "ENSG00000177000",
        "gene_symbol": "MTHFR",
        "canonical": 1,
        "revel": 0.842,
        "alphamissense": {"am_class": "likely_pathogenic", "am_pathogenicity": 0.6324},
    },
    {"transcript_id": "ENST00000376486", "gene_id": "ENSG00000177000", "gene_symbol": "MTHFR", "revel": 0.842},
]
MTHFR = {
    "input": "1 11796321 1:11796321:G:A G A . . .",
    "assembly_name": "GRCh38",
    "transcript_consequences": TRANSCRIPTS,
}


async def test_batch_sends_each_kind_of_name_to_its_own_route() -> None:
    upstream = FakeUpstream(
        {
            "/vep/homo_sapiens/id": Played([{"id": "rs699", "input": "rs699", "assembly_name": "GRCh38"}]),
            "/vep/homo_sapiens/hgvs": Played([]),
            "/vep/homo_sapiens/region": Played([MTHFR]),
        }
    )
    variants = ["rs699", "chr1-11796321-G-A", "AGT:c.803T>C"]
    arguments = {"variants": variants, "assembly": "GRCh38", "scores": ["REVEL", "AlphaMissense"]}
    result = await call(platform, upstream, "predict_variants_batch", **arguments)
    data = result.content["data"]
    assert [row["query"] for row in data["predictions"]] == ["rs699", "chr1-11796321-G-A"]
    assert data["not_found"] == ["AGT:c.803T>C"] and "AGT:c.803T>C" in result.content["note"]
    (transcript,) = data["predictions"][1]["transcript_consequences"]
    assert (transcript["revel"], transcript["alphamissense"]["am_pathogenicity"]) == (0.842, 0.6324)
    assert [request.body for request in upstream.requests] == [
        {"ids": ["rs699"]},
        {"hgvs_notations": ["AGT:c.803T>C"]},
        {"variants": ["1 11796321 1:11796321:G:A G A . . ."]},
    ]
    assert all("REVEL=1" in asked and "AlphaMissense=1" in asked for asked in upstream.asked)


async def test_prediction_is_known_by_its_id_and_keeps_other_consequences() -> None:
    regulatory = [{"regulatory_feature_id": "ENSR00001183653", "consequence_terms": ["regulatory_region_ablation"]}]
    place = {"id": "1:11796321:G:A", "assembly_name": "GRCh38", "regulatory_feature_consequences": regulatory}
    upstream = FakeUpstream({"/vep/homo_sapiens/region": Played([place])})
    arguments = {"variants": ["1-11796321-G-A"], "assembly": "GRCh38"}
    result = await call(platform, upstream, "predict_variants_batch", **arguments)
    (row_found,) = result.content["data"]["predictions"]
    assert (row_found["query"], row_found["regulatory_feature_consequences"]) == ("1-11796321-G-A", regulatory)
    nameless = FakeUpstream({"/vep/homo_sapiens/region": Played([{"assembly_name": "GRCh38"}])})
    result = await call(platform, nameless, "predict_variants_batch", **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_all_transcripts_come_on_request() -> None:
    upstream = FakeUpstream({"/region/1:11796321-11796321:1/A": Played([MTHFR])})
    arguments = {"variant": "1-11796321-G-A", "assembly": "GRCh38", "canonical_only": False}
    result = await call(platform, upstream, "predict_variant", **arguments)
    assert len(result.content["data"][0]["transcript_consequences"]) == 2


async def test_prediction_for_something_else_is_refused() -> None:
    other = FakeUpstream({"/vep/homo_sapiens/region": Played([{**MTHFR, "input": "2 5 . G A . . ."}])})
    arguments = {"variants": ["1-11796321-G-A"], "assembly": "GRCh38"}
    result = await call(platform, other, "predict_variants_batch", **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"
    old = FakeUpstream({"/vep/homo_sapiens/region": Played([{**MTHFR, "assembly_name": "GRCh37"}])})
    result = await call(platform, old, "predict_variants_batch", **arguments)
    assert "it answered GRCh37" in result.content["error"]["message"]


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("predict_variants_batch", {"variants": ["rs699", "7-140753336-A-T"]}, "assembly"),
        ("predict_variants_batch", {"variants": ["hello"]}, "variants"),
        ("predict_variants_batch", {"variants": ["rs1"] * 26}, "variants"),
        ("recode_variant", {"variant": "7:g.140753336A>T"}, "assembly"),
        ("recode_variant", {"variant": "hello"}, "variant"),
        ("get_ld_pairwise", {"rsid_1": "rs334", "rsid_2": "RS334"}, "rsid_2"),
        ("get_ld", {"rsid": "rs334", "window_kb": 2000}, "window_kb"),
        ("get_ld", {"rsid": "rs334", "population": "CEU"}, "population"),
        ("get_gene_features", {"ensembl_id": "ENSG00000012048", "features": ["gene"], "so_term": "x"}, "so_term"),
        (
            "get_gene_features",
            {"ensembl_id": "ENSG00000012048", "features": ["exon"], "clinical_only": True},
            "clinical_only",
        ),
        (
            "get_region_features",
            {"region": "7:1-9", "features": ["variation"], "biotype": "lncRNA", "assembly": "GRCh38"},
            "biotype",
        ),
        ("get_region_features", {"region": "7:1-60000", "features": ["variation"], "assembly": "GRCh38"}, "region"),
        ("get_region_features", {"region": "7:1-9", "features": ["wibble"], "assembly": "GRCh38"}, "features"),
        (
            "get_protein_features",
            {"protein_id": "ENSP00000288602", "feature": "translation_exon", "type": "Pfam"},
            "type",
        ),
        ("get_protein_features", {"protein_id": "ENSP00000288602", "so_term": "missense_variant"}, "so_term"),
    ],
)
async def test_arguments_that_would_be_ignored_or_mean_nothing_are_refused(
    tool: str, arguments: Json, argument: str
) -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, tool, **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments", result.content
    assert result.content["error"]["argument"] == argument
    assert not upstream.requests


def row(identifier: str, **more: Json) -> Json:
    return {"id": identifier, "seq_region_name": "17", "start": 5, "end": 6, "assembly_name": "GRCh38", **more}


async def test_kinds_of_features_are_repeated_in_the_request() -> None:
    upstream = FakeUpstream({"/overlap/region/homo_sapiens/17:1-9": Played([row("ENSR1", logic_name="x", score=None)])})
    arguments = {"region": "chr17:1-9", "features": ["gene", "regulatory"], "assembly": "GRCh38"}
    result = await call(platform, upstream, "get_region_features", **arguments)
    assert upstream.asked == ["overlap/region/homo_sapiens/17:1-9?feature=gene&feature=regulatory"]
    assert result.content["data"]["features"] == [row("ENSR1")]


@pytest.mark.parametrize("wrong", [{"seq_region_name": "18"}, {"start": 90, "end": 99}, {"assembly_name": "GRCh37"}])
async def test_features_of_another_place_are_refused(wrong: Json) -> None:
    upstream = FakeUpstream({"/17:1-9": Played([{**row("ENSG00000012048"), **wrong}])})
    arguments = {"region": "17:1-9", "features": ["gene"], "assembly": "GRCh38"}
    result = await call(platform, upstream, "get_region_features", **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_features_of_a_gene_put_clinical_rows_first() -> None:
    found = [row("rs1", clinical_significance=[]), row("rs2", clinical_significance=["pathogenic"])]
    upstream = FakeUpstream({"/overlap/id/ENSG00000012048": Played(found)})
    arguments = {"ensembl_id": "ENSG00000012048", "features": ["variation"]}
    result = await call(platform, upstream, "get_gene_features", **arguments)
    assert [one["id"] for one in result.content["data"]["features"]] == ["rs2", "rs1"]
    result = await call(platform, upstream, "get_gene_features", **arguments, clinical_only=True)
    assert (result.content["total"], result.content["note"]) == (1, "1 of 2 rows have a clinical significance.")


async def test_variants_among_features_are_cited() -> None:
    upstream = FakeUpstream({"/overlap/id/ENSG00000012048": Played([row("rs1"), row("rs2"), row("ENSR00000105157")])})
    arguments = {"ensembl_id": "ENSG00000012048", "features": ["variation", "regulatory"], "limit": 1}
    result = await call(platform, upstream, "get_gene_features", **arguments)
    assert [one["identifier"] for one in result.meta["burp/citations"]] == ["ENSG00000012048", "rs1"]
    assert result.content["data"]["assembly_name"] == "GRCh38"


async def test_features_of_another_protein_are_refused() -> None:
    upstream = FakeUpstream({"/overlap/translation/ENSP00000288602": Played([{"seq_region_name": "ENSP00000000001"}])})
    result = await call(platform, upstream, "get_protein_features", protein_id="ENSP00000288602.7")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_linkage_comes_as_numbers_strongest_first_in_both_shapes() -> None:
    with_place = [
        {
            "variation": "rs1333049",
            "r2": "0.850071",
            "d_prime": "0.999871",
            "chr": 9,
            "start": 22125503,
            "end": 22125503,
        },
        {
            "variation": "rs4977575",
            "r2": "1.000000",
            "d_prime": "1.000000",
            "chr": 9,
            "start": 22124744,
            "end": 22124744,
        },
    ]
    names_only = [
        {"variation1": "rs72655407", "variation2": "rs1333047", "r2": "0.9", "d_prime": "1", "population_name": "x"}
    ]
    upstream = FakeUpstream({"/rs1333047/1000GENOMES:phase_3:CEU": [Played(with_place), Played(names_only)]})
    result = await call(platform, upstream, "get_ld", rsid="rs1333047", r2=0.5, d_prime=0.1, window_kb=100)
    data = result.content["data"]
    assert [(one["rsid"], one["r2"]) for one in data["linked"]] == [("rs4977575", 1.0), ("rs1333049", 0.850071)]
    assert (data["population"], data["assembly_name"]) == ("1000GENOMES:phase_3:CEU", "GRCh38")
    assert all(part in upstream.asked[0] for part in ("r2=0.5", "d_prime=0.1", "window_size=100"))
    result = await call(platform, upstream, "get_ld", rsid="rs1333047")
    assert result.content["data"]["linked"] == [{"rsid": "rs72655407", "r2": 0.9, "d_prime": 1.0}]


async def test_unknown_population_is_told_in_the_words_of_the_source() -> None:
    refusal = Played({"error": "Could not get population 1000GENOMES:phase_9:XXX"}, 400)
    upstream = FakeUpstream({"/rs334/1000GENOMES:phase_9:XXX": refusal})
    result = await call(platform, upstream, "get_ld", rsid="rs334", population="1000GENOMES:phase_9:XXX")
    assert result.content["error"]["code"] == "upstream_refused"
    assert "phase_9" in result.content["error"]["message"]
