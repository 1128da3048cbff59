"""Ensembl: which gene a name means, retired ids, genes of variants, consequences."""

from typing import Any

import pytest

from mcp_server.platforms.ensembl import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any


def gene(ensembl_id: str, symbol: str, region: str = "17", **more: Json) -> Json:
    return {
        "id": ensembl_id,
        "display_name": symbol,
        "seq_region_name": region,
        "start": 39687914,
        "end": 39730426,
        "strand": 1,
        "assembly_name": "GRCh38",
        "biotype": "protein_coding",
        "species": "homo_sapiens",
        "version": 14,
        "logic_name": "left out",
        **more,
    }


ERBB2 = gene("ENSG00000141736", "ERBB2")


def unknown(name: str) -> Played:
    return Played({"error": f"No valid lookup found for symbol {name}"}, 400)


async def test_approved_symbol_is_answered_with_one_request() -> None:
    upstream = FakeUpstream({"/lookup/symbol/homo_sapiens/ERBB2": Played(ERBB2)})
    result = await call(platform, upstream, "lookup_gene", gene_symbol="erbb2")
    data = result.content["data"]
    assert result.content["outcome"] == "data"
    assert (data["id"], data["matched_as"], data["query"]) == ("ENSG00000141736", "symbol", "erbb2")
    assert (data["seq_region_name"], data["start"], data["assembly_name"]) == ("17", 39687914, "GRCh38")
    assert "logic_name" not in data
    assert len(upstream.requests) == 1
    assert result.meta["burp/citations"] == [
        {
            "kind": "ensembl",
            "identifier": "ENSG00000141736",
            "label": "ERBB2",
            "url": "https://www.ensembl.org/id/ENSG00000141736",
        }
    ]


@pytest.mark.case("C002")
@pytest.mark.parametrize("name", ["HER2", "HER-2", "her2/neu"])
async def test_everyday_name_leads_to_the_approved_symbol(name: str) -> None:
    upstream = FakeUpstream(
        {
            "/lookup/symbol/homo_sapiens/HER2": unknown("HER2"),
            "/lookup/symbol/homo_sapiens/HER-2": unknown("HER-2"),
            "/lookup/symbol/homo_sapiens/NEU": unknown("NEU"),
            "/xrefs/symbol/homo_sapiens/HER2": Played([{"type": "gene", "id": "ENSG00000141736"}]),
            "/xrefs/symbol/homo_sapiens/HER-2": Played([]),
            "/xrefs/symbol/homo_sapiens/NEU": Played([{"type": "gene", "id": "ENSG00000141736"}]),
            "/lookup/id": Played({"ENSG00000141736": ERBB2}),
        }
    )
    result = await call(platform, upstream, "lookup_gene", gene_symbol=name)
    data = result.content["data"]
    assert (data["id"], data["display_name"], data["matched_as"]) == ("ENSG00000141736", "ERBB2", "synonym")
    assert "approved symbol is ERBB2" in result.content["note"]


@pytest.mark.case("C005")
@pytest.mark.parametrize("name", ["C9orf72", "c9orf72", "C9ORF72"])
async def test_reading_frame_gene_is_asked_in_its_own_spelling(name: str) -> None:
    upstream = FakeUpstream(
        {"/lookup/symbol/homo_sapiens/C9orf72": Played(gene("ENSG00000147894", "C9orf72", region="9"))}
    )
    result = await call(platform, upstream, "lookup_gene", gene_symbol=name)
    assert result.content["data"]["display_name"] == "C9orf72"
    assert result.content["data"]["matched_as"] == "symbol"


@pytest.mark.case("C008")
async def test_primary_chromosome_wins_over_alternative_haplotypes() -> None:
    ids = ["ENSG00000204490", "ENSG00000206439", "ENSG00000223952", "ENSG00000232810"]
    genes = {one: gene(one, "TNF", region="CHR_HSCHR6_MHC_COX_CTG1") for one in ids}
    genes["ENSG00000232810"] = gene("ENSG00000232810", "TNF", region="6")
    upstream = FakeUpstream(
        {
            "/lookup/symbol/homo_sapiens/TNF": Played(genes["ENSG00000204490"]),
            "/xrefs/symbol/homo_sapiens/TNF": Played([{"type": "gene", "id": one} for one in ids]),
            "/lookup/id": Played(genes),
        }
    )
    result = await call(platform, upstream, "lookup_gene", gene_symbol="TNF")
    assert result.content["data"]["id"] == "ENSG00000232810"
    assert "3 more ids" in result.content["note"]
    assert [row["identifier"] for row in result.meta["burp/citations"]] == ["ENSG00000232810"]


async def test_approved_symbol_wins_over_another_genes_synonym() -> None:
    genes = {"ENSG00000000001": gene("ENSG00000000001", "OTHER"), "ENSG00000000002": gene("ENSG00000000002", "ABC1")}
    upstream = FakeUpstream(
        {
            "/lookup/symbol/homo_sapiens/ABC1": unknown("ABC1"),
            "/xrefs/symbol/homo_sapiens/ABC1": Played([{"type": "gene", "id": one} for one in [*genes, "LRG_1"]]),
            "/lookup/id": Played(genes),
        }
    )
    result = await call(platform, upstream, "lookup_gene", gene_symbol="ABC1")
    assert (result.content["data"]["id"], result.content["data"]["matched_as"]) == ("ENSG00000000002", "symbol")
    assert upstream.requests[-1].body == {"ids": list(genes)}


@pytest.mark.parametrize("name", ["P3", "BRCA1/BRCA2"])
async def test_name_of_several_genes_gives_candidates(name: str) -> None:
    one, two = gene("ENSG00000000001", "BRCA1"), gene("ENSG00000000002", "BRCA2")
    upstream = FakeUpstream(
        {
            "/lookup/symbol/homo_sapiens/P3": unknown("P3"),
            "/xrefs/symbol/homo_sapiens/P3": Played(
                [{"type": "gene", "id": one["id"]}, {"type": "gene", "id": two["id"]}]
            ),
            "/lookup/id": Played({one["id"]: one, two["id"]: two}),
            "/lookup/symbol/homo_sapiens/BRCA1": Played(one),
            "/lookup/symbol/homo_sapiens/BRCA2": Played(two),
        }
    )
    result = await call(platform, upstream, "lookup_gene", gene_symbol=name)
    data = result.content["data"]
    assert data["matched_as"] == "ambiguous" and "id" not in data
    assert [row["display_name"] for row in data["candidates"]] == ["BRCA1", "BRCA2"]
    assert len(result.meta["burp/citations"]) == 2


async def test_name_nobody_knows_is_an_unknown_id() -> None:
    upstream = FakeUpstream(
        {"/lookup/symbol/homo_sapiens/FAKE1": unknown("FAKE1"), "/xrefs/symbol/homo_sapiens/FAKE1": Played([])}
    )
    result = await call(platform, upstream, "lookup_gene", gene_symbol="FAKE1")
    assert result.content["outcome"] == "unknown_id"
    assert "homo_sapiens" in result.content["note"]


@pytest.mark.case("C003")
@pytest.mark.parametrize(("name", "meant"), [("1-Mar", "MARCHF1 or MTARC1"), ("12-Sep", "SEPTIN12")])
async def test_spreadsheet_date_is_refused_with_the_possible_genes(name: str, meant: str) -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, "lookup_gene", gene_symbol=name)
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert meant in result.content["error"]["message"]
    assert not upstream.requests


@pytest.mark.case("C009")
async def test_species_travels_into_the_request() -> None:
    upstream = FakeUpstream({"/lookup/symbol/mus_musculus/Brca1": Played(gene("ENSMUSG00000017146", "Brca1", "11"))})
    result = await call(platform, upstream, "lookup_gene", gene_symbol="Brca1", species="Mus musculus")
    assert result.content["data"]["id"] == "ENSMUSG00000017146"


@pytest.mark.parametrize("status", [500, 503])
async def test_fault_of_the_service_is_no_missing_gene(status: int) -> None:
    upstream = FakeUpstream({"/lookup/symbol/homo_sapiens/TP53": Played("<html>Bad gateway</html>", status)})
    result = await call(platform, upstream, "lookup_gene", gene_symbol="TP53")
    assert result.content["error"]["code"] == "upstream_unavailable"


async def test_refusal_that_does_not_name_the_gene_is_a_failure() -> None:
    refusal = Played({"error": "Can not find internal name for species 'marsian'"}, 400)
    upstream = FakeUpstream({"/lookup/symbol/marsian/TP53": refusal})
    result = await call(platform, upstream, "lookup_gene", gene_symbol="TP53", species="marsian")
    assert result.content["error"]["code"] == "upstream_refused"
    assert "marsian" in result.content["error"]["message"]


@pytest.mark.case("C007")
async def test_version_suffix_is_stripped_and_told_when_outdated() -> None:
    upstream = FakeUpstream({"/lookup/id/ENSG00000141736": Played(ERBB2)})
    for asked, note in (("ENSG00000141736.14", None), ("ENSG00000141736.9", "the current version is 14")):
        result = await call(platform, upstream, "get_gene", ensembl_id=asked)
        assert result.content["data"]["id"] == "ENSG00000141736"
        assert (note or "") in result.content.get("note", "")
        assert ("note" in result.content) == (note is not None)
    by_name = await call(platform, upstream, "lookup_gene", gene_symbol="ENSG00000141736.14")
    assert by_name.content["data"]["display_name"] == "ERBB2"


@pytest.mark.case("C006")
async def test_retired_id_names_release_and_successors() -> None:
    history = {
        "id": "ENSG00000129277",
        "is_current": "",
        "release": "54",
        "assembly": "NCBI36",
        "possible_replacement": [{"stable_id": "ENSG00000000009", "score": "0.95"}],
    }
    upstream = FakeUpstream(
        {
            "/lookup/id/ENSG00000129277": Played({"error": "ID 'ENSG00000129277' not found"}, 400),
            "/archive/id/ENSG00000129277": Played(history),
        }
    )
    result = await call(platform, upstream, "get_gene", ensembl_id="ENSG00000129277")
    assert result.content["outcome"] == "unknown_id"
    assert result.content["data"] == {"identifier": "ENSG00000129277", "replacement": ["ENSG00000000009"]}
    assert "release 54, assembly NCBI36" in result.content["note"]


async def test_id_that_never_was_is_unknown() -> None:
    missing = Played({"error": "No valid lookup found for ID ENSG00000000000"}, 400)
    upstream = FakeUpstream({"/lookup/id/ENSG00000000000": missing, "/archive/id/ENSG00000000000": missing})
    result = await call(platform, upstream, "get_gene", ensembl_id="ENSG00000000000")
    assert result.content["outcome"] == "unknown_id"
    assert "replacement" not in result.content["data"]


RS334 = {"name": "rs334", "mappings": [{"location": "11:5227002-5227002", "assembly_name": "GRCh38"}]}
RS334_GENES = [
    {
        "id": "rs334",
        "seq_region_name": "11",
        "transcript_consequences": [
            {"gene_id": "ENSG00000244734", "gene_symbol": "HBB", "consequence_terms": ["missense_variant"]},
            {"gene_id": "ENSG00000244734", "gene_symbol": "HBB", "consequence_terms": ["intron_variant"]},
        ],
    },
    {
        "id": "rs334",
        "seq_region_name": "CHR_HG2217_PATCH",
        "transcript_consequences": [{"gene_id": "ENSG00000999999", "consequence_terms": ["intron_variant"]}],
    },
]


@pytest.mark.case("C014")
async def test_variant_carries_its_genes_and_tells_of_a_merge() -> None:
    upstream = FakeUpstream(
        {"/variation/homo_sapiens/rs77121243": Played(RS334), "/id/rs77121243": Played(RS334_GENES)}
    )
    result = await call(platform, upstream, "get_variant", rsid="RS77121243")
    data = result.content["data"]
    assert data["name"] == "rs334"
    assert data["genes"] == [
        {
            "gene_id": "ENSG00000244734",
            "gene_symbol": "HBB",
            "consequence_terms": ["missense_variant", "intron_variant"],
        }
    ]
    assert "merged into rs334" in result.content["note"]
    assert result.meta["burp/citations"][0]["identifier"] == "rs334"


async def test_variant_stays_when_only_its_genes_fail() -> None:
    upstream = FakeUpstream(
        {"/variation/homo_sapiens/rs334": Played(RS334), "/vep/homo_sapiens/id/rs334": Played("down", 502)}
    )
    result = await call(platform, upstream, "get_variant", rsid="rs334")
    assert result.content["outcome"] == "data"
    assert result.content["data"]["genes"] is None
    assert "HTTP 502" in result.content["note"]


async def test_variant_nobody_knows() -> None:
    upstream = FakeUpstream(
        {"/variation/homo_sapiens/rs123": Played({"error": "rs123 not found for homo_sapiens"}, 400)}
    )
    result = await call(platform, upstream, "get_variant", rsid="rs123")
    assert result.content["outcome"] == "unknown_id"


VEP = [
    {
        "id": "7_140453136_A/T",
        "assembly_name": "GRCh37",
        "seq_region_name": "7",
        "start": 140453136,
        "most_severe_consequence": "missense_variant",
        "transcript_consequences": [
            {"transcript_id": "ENST00000288602", "gene_id": "ENSG00000157764", "gene_symbol": "BRAF", "canonical": 1},
            {"transcript_id": "ENST00000479537", "gene_id": "ENSG00000157764", "gene_symbol": "BRAF"},
        ],
        "colocated_variants": [{"id": "rs113488022", "frequencies": {"T": {"gnomade": 1e-06}}}],
    }
]


@pytest.mark.case("C016")
async def test_position_without_assembly_is_refused() -> None:
    upstream = FakeUpstream({})
    for variant in ("7-140453136-A-T", "chr7:140453136 A>T", "7:g.140453136A>T"):
        result = await call(platform, upstream, "predict_variant", variant=variant)
        assert result.content["error"]["argument"] == "assembly"
    assert not upstream.requests


async def test_prediction_keeps_canonical_transcripts_and_counts_all() -> None:
    upstream = FakeUpstream({"/vep/homo_sapiens/region/7:140453136-140453136:1/T": Played(VEP)})
    result = await call(platform, upstream, "predict_variant", variant="chr7-140453136-A-T", assembly="GRCh37")
    (place,) = result.content["data"]
    assert upstream.requests[0].host == "grch37.rest.ensembl.org"
    assert [row["transcript_id"] for row in place["transcript_consequences"]] == ["ENST00000288602"]
    assert place["transcripts_total"] == 2
    assert place["colocated_variants"] == [{"id": "rs113488022"}]
    assert place["assembly_name"] == "GRCh37"


@pytest.mark.case("C043")
async def test_broken_assembly_host_is_named_and_no_other_asked() -> None:
    upstream = FakeUpstream({"/vep/homo_sapiens/region/7:140453136-140453136:1/T": Played("down", 503)})
    result = await call(platform, upstream, "predict_variant", variant="7-140453136-A-T", assembly="GRCh37")
    assert result.content["error"]["code"] == "upstream_unavailable"
    assert "grch37.rest.ensembl.org" in result.content["error"]["message"]
    assert {request.host for request in upstream.requests} == {"grch37.rest.ensembl.org"}


async def test_prediction_of_an_unknown_rsid_and_of_bad_hgvs() -> None:
    upstream = FakeUpstream(
        {
            "/vep/homo_sapiens/id/rs123": Played({"error": "No variant found with ID 'rs123'"}, 400),
            "/vep/homo_sapiens/hgvs/BRAF%3Ac.1X%3EA": Played(
                {"error": "Unable to parse HGVS notation 'BRAF:c.1X>A'"}, 400
            ),
        }
    )
    missing = await call(platform, upstream, "predict_variant", variant="rs123")
    assert missing.content["outcome"] == "unknown_id"
    refused = await call(platform, upstream, "predict_variant", variant="BRAF:c.1X>A")
    assert refused.content["error"]["code"] == "upstream_refused"
    assert "Unable to parse" in refused.content["error"]["message"]
    nonsense = await call(platform, upstream, "predict_variant", variant="hello")
    assert nonsense.content["error"]["argument"] == "variant"


async def test_cross_references_of_one_database() -> None:
    row = {"dbname": "HGNC", "primary_id": "HGNC:1097", "display_id": "BRAF", "synonyms": [], "info_text": ""}
    upstream = FakeUpstream({"/xrefs/id/ENSG00000157764?external_db=HGNC": Played([row])})
    result = await call(platform, upstream, "get_cross_references", ensembl_id="ENSG00000157764.15", external_db="HGNC")
    assert result.content["data"] == [{"dbname": "HGNC", "primary_id": "HGNC:1097", "display_id": "BRAF"}]
    assert result.content["total"] == 1


async def test_cross_references_nothing_unknown_and_failed() -> None:
    upstream = FakeUpstream(
        {
            "/xrefs/id/ENSG00000157764": Played([]),
            "/xrefs/id/ENST00000000001": Played({"error": "ID 'ENST00000000001' not found"}, 400),
            "/xrefs/id/ENST00000000002": Played("Too many requests", 429),
        }
    )
    outcomes = []
    for ensembl_id in ("ENSG00000157764", "ENST00000000001", "ENST00000000002"):
        result = await call(platform, upstream, "get_cross_references", ensembl_id=ensembl_id)
        outcomes.append(result.content["outcome"])
    assert outcomes == ["empty", "unknown_id", "failed"]
