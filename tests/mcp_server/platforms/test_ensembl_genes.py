"""Ensembl: many genes at once, transcripts, histories, sequences, positions, homologues, phenotypes."""

from typing import Any

import pytest

from mcp_server.args import region_form
from mcp_server.platforms.ensembl import platform
from mcp_server.platforms.ensembl.base import species_form
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any


def gene(ensembl_id: str, symbol: str, region: str = "7", species: str = "homo_sapiens", **more: Json) -> Json:
    place = {"seq_region_name": region, "start": 1, "end": 9, "strand": -1, "assembly_name": "GRCh38"}
    return {"id": ensembl_id, "display_name": symbol, "species": species, "version": 15, **place, **more}


BRAF = gene("ENSG00000157764", "BRAF")
BRCA2 = gene("ENSG00000139618", "BRCA2", "13", "human")


async def test_batch_tells_found_from_not_found_by_name() -> None:
    upstream = FakeUpstream(
        {
            "/lookup/id": Played({"ENSG00000157764": BRAF, "ENSG00000248378": None}),
            "/lookup/symbol/homo_sapiens": Played({"BRCA2": BRCA2}),
        }
    )
    names = ["brca2", "ENSG00000157764.15", "ENSG00000248378", "BR"]
    result = await call(platform, upstream, "lookup_batch", genes=names)
    found = [(row["query"], row["id"], row["species"]) for row in result.content["data"]["genes"]]
    assert found == [
        ("brca2", "ENSG00000139618", "homo_sapiens"),
        ("ENSG00000157764.15", "ENSG00000157764", "homo_sapiens"),
    ]
    assert [row["query"] for row in result.content["data"]["not_found"]] == ["ENSG00000248378", "BR"]
    assert "2 of 4 were not found" in result.content["note"]
    assert [request.body for request in upstream.requests] == [
        {"ids": ["ENSG00000157764", "ENSG00000248378"]},
        {"symbols": ["BRCA2", "BR"]},
    ]


@pytest.mark.case("C003")
async def test_damaged_cells_in_a_list_are_named_with_the_possible_genes() -> None:
    upstream = FakeUpstream({"/lookup/symbol/homo_sapiens": Played({"TP53": gene("ENSG00000141510", "TP53", "17")})})
    result = await call(platform, upstream, "lookup_batch", genes=["TP53", "1-Mar", "12-Sep"])
    reasons = {row["query"]: row["reason"] for row in result.content["data"]["not_found"]}
    assert "MARCHF1 or MTARC1" in reasons["1-Mar"] and "SEPTIN12" in reasons["12-Sep"]
    assert upstream.requests[0].body == {"symbols": ["TP53"]}


@pytest.mark.case("C008")
async def test_batch_moves_from_a_haplotype_to_the_chromosome() -> None:
    ids = ["ENSG00000204490", "ENSG00000232810"]
    genes = {ids[0]: gene(ids[0], "TNF", "CHR_HSCHR6_MHC_COX_CTG1"), ids[1]: gene(ids[1], "TNF", "6")}
    upstream = FakeUpstream(
        {
            "/lookup/symbol/homo_sapiens": Played({"TNF": genes[ids[0]]}),
            "/lookup/symbol/homo_sapiens/TNF": Played(genes[ids[0]]),
            "/xrefs/symbol/homo_sapiens/TNF": Played([{"type": "gene", "id": one} for one in ids]),
            "/lookup/id": Played(genes),
        }
    )
    result = await call(platform, upstream, "lookup_batch", genes=["TNF"])
    assert [row["id"] for row in result.content["data"]["genes"]] == ["ENSG00000232810"]


TRANSCRIPTS = {
    **BRAF,
    "Transcript": [
        {"id": "ENST00000288602", "biotype": "protein_coding", "is_canonical": 0, "MANE": []},
        {
            "id": "ENST00000646891",
            "is_canonical": 1,
            "Translation": {"id": "ENSP00000493543", "length": 766},
            "MANE": [{"type": "MANE_Select", "refseq_match": "NM_004333.6", "id": "ENST00000646891"}],
            "Exon": [{"id": "ENSE00003816484", "start": 3, "end": 5, "strand": -1, "db_type": "core"}],
            "UTR": [{"id": "ENST00000646891", "object_type": "five_prime_UTR", "start": 8, "end": 9}],
        },
    ],
}


async def test_transcripts_put_canonical_first_and_select_mane() -> None:
    answers = {"?expand=1": Played(TRANSCRIPTS), "/lookup/id/ENSG00000157764": Played(BRAF)}
    all_of_them = await call(platform, FakeUpstream(answers), "get_transcripts", gene="ENSG00000157764")
    data = all_of_them.content["data"]
    assert [row["id"] for row in data["transcripts"]] == ["ENST00000646891", "ENST00000288602"]
    assert data["transcripts"][0]["mane"] == [{"type": "MANE_Select", "refseq_match": "NM_004333.6"}]
    assert "exons" not in data["transcripts"][0]
    assert (data["species"], data["assembly_name"]) == ("homo_sapiens", "GRCh38")
    upstream = FakeUpstream(answers)
    arguments = {"gene": "ENSG00000157764", "mane_only": True, "with_exons": True}
    result = await call(platform, upstream, "get_transcripts", **arguments)
    (row,) = result.content["data"]["transcripts"]
    assert row["exons"] == [{"id": "ENSE00003816484", "start": 3, "end": 5}]
    assert row["utr"] == [{"start": 8, "end": 9, "kind": "five_prime_UTR"}]
    assert "1 of 2 transcripts are MANE" in result.content["note"]
    assert "utr=1" in upstream.asked[-1]


async def test_long_list_says_how_to_go_on() -> None:
    answers = {"?expand=1": Played(TRANSCRIPTS), "/lookup/id/ENSG00000157764": Played(BRAF)}
    first = await call(platform, FakeUpstream(answers), "get_transcripts", gene="ENSG00000157764", limit=1)
    assert [first.content[key] for key in ("total", "returned", "next")] == [2, 1, {"offset": 1}]
    second = await call(platform, FakeUpstream(answers), "get_transcripts", gene="ENSG00000157764", offset=1)
    assert second.content["data"]["transcripts"][0]["id"] == "ENST00000288602"
    assert "next" not in second.content
    behind = await call(platform, FakeUpstream(answers), "get_transcripts", gene="ENSG00000157764", offset=5)
    assert behind.content["total"] == 2 and "only 2" in behind.content["note"]


async def test_answer_about_another_record_species_or_assembly_is_refused() -> None:
    other = FakeUpstream({"/lookup/id/ENSG00000157764": Played(BRCA2)})
    result = await call(platform, other, "get_transcripts", gene="ENSG00000157764")
    assert result.content["error"]["code"] == "upstream_bad_response"
    old = {**BRAF, "assembly_name": "GRCh37"}
    upstream = FakeUpstream({"/lookup/id/ENSG00000157764": Played(old)})
    result = await call(platform, upstream, "get_transcripts", gene="ENSG00000157764")
    assert "asked for assembly GRCh38, it answered GRCh37" in result.content["error"]["message"]
    mouse = gene("ENSMUSG00000002413", "Braf", "6", "mus_musculus")
    upstream = FakeUpstream({"/lookup/id/ENSMUSG00000002413": Played(mouse)})
    result = await call(platform, upstream, "get_homologs", gene="ENSMUSG00000002413", species="rat")
    assert (result.content["error"]["argument"], result.content["error"]["example"]) == ("species", "mus_musculus")


@pytest.mark.case("C009")
async def test_id_of_a_mouse_gene_brings_its_species_and_says_so() -> None:
    mouse = gene("ENSMUSG00000002413", "Braf", "6", "mus_musculus", assembly_name="GRCm39")
    homologues = {"data": [{"id": "ENSMUSG00000002413", "homologies": [{"target": {"id": "ENSG00000157764"}}]}]}
    upstream = FakeUpstream(
        {
            "/lookup/id/ENSMUSG00000002413": Played(mouse),
            "/homology/id/mus_musculus/ENSMUSG00000002413": Played(homologues),
        }
    )
    result = await call(platform, upstream, "get_homologs", gene="ENSMUSG00000002413")
    assert result.content["data"]["species"] == "mus_musculus"
    assert "gene of mus_musculus" in result.content["note"]


async def test_name_of_several_genes_is_refused_with_candidates() -> None:
    two = {"ENSG00000000001": gene("ENSG00000000001", "AB1"), "ENSG00000000002": gene("ENSG00000000002", "AB2")}
    upstream = FakeUpstream(
        {
            "/lookup/symbol/homo_sapiens/P3": Played({"error": "No valid lookup found for symbol P3"}, 400),
            "/xrefs/symbol/homo_sapiens/P3": Played([{"type": "gene", "id": one} for one in two]),
            "/lookup/id": Played(two),
        }
    )
    result = await call(platform, upstream, "get_homologs", gene="P3")
    assert result.content["error"]["argument"] == "gene"
    assert "AB1 (ENSG00000000001), AB2 (ENSG00000000002)" in result.content["error"]["message"]


@pytest.mark.case("C006")
async def test_history_tells_retired_from_current() -> None:
    history = {
        "id": "ENSP00000370275",
        "is_current": "",
        "release": "39",
        "assembly": "NCBI36",
        "peptide": "MTTEGG",
        "possible_replacement": [{"stable_id": "ENSP00000259806", "score": "0.941244"}],
    }
    upstream = FakeUpstream({"/archive/id/ENSP00000370275": Played(history)})
    result = await call(platform, upstream, "get_id_history", ensembl_id="ensp00000370275")
    assert result.content["data"]["is_current"] is False
    assert result.content["note"] == "Not current: last in release 39, NCBI36. May be replaced by ENSP00000259806."
    current = {"id": "ENSG00000054598", "is_current": "1", "latest": "ENSG00000054598.5", "possible_replacement": []}
    upstream = FakeUpstream({"/archive/id/ENSG00000054598.5": Played(current)})
    result = await call(platform, upstream, "get_id_history", ensembl_id="ENSG00000054598.5")
    assert result.content["data"]["is_current"] is True and "note" not in result.content


async def test_external_id_leaves_out_the_other_numbering_and_its_version() -> None:
    found = [{"type": "gene", "id": "ENSG00000139618"}, {"type": "gene", "id": "LRG_293"}]
    upstream = FakeUpstream(
        {"/xrefs/symbol/homo_sapiens/NM_000059.4": Played([]), "/xrefs/symbol/homo_sapiens/NM_000059": Played(found)}
    )
    result = await call(platform, upstream, "find_by_external_id", external_id="NM_000059.4")
    assert result.content["data"] == [{"type": "gene", "id": "ENSG00000139618", "species": "homo_sapiens"}]
    assert "without its version" in result.content["note"]


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("get_ontology_term", {}, "term_id"),
        ("get_ontology_term", {"term_id": "GO:0005667", "name": "genome"}, "term_id"),
        ("get_ontology_term", {"name": "genome", "relation": "ancestors"}, "relation"),
        ("get_ontology_term", {"term_id": "GO:0005667", "ontology": "GO"}, "ontology"),
        ("get_sequence", {"ensembl_id": "ENSP00000288602", "type": "cds"}, "type"),
        ("get_sequence", {"ensembl_id": "ENSG00000157764", "type": "cds", "start": 1}, "start"),
        ("get_sequence", {"ensembl_id": "ENST00000288602", "start": 9, "end": 2}, "end"),
        ("get_sequence", {"ensembl_id": "ENST00000288602", "start": 1, "expand_5prime": 5}, "expand_5prime"),
        ("get_sequence", {"ensembl_id": "ENST00000288602", "type": "cdna", "expand_3prime": 5}, "expand_5prime"),
        ("get_region_sequence", {"region": "7:9-2", "assembly": "GRCh38"}, "region"),
        ("get_region_sequence", {"region": "7:1-20000000", "assembly": "GRCh38"}, "region"),
        ("get_region_sequence", {"region": "7:1-2", "assembly": "GRCh37", "species": "mouse"}, "assembly"),
        ("get_transcripts", {"gene": "Braf", "assembly": "GRCh37", "species": "mouse"}, "assembly"),
        ("map_assembly", {"region": "7:1-2", "from_assembly": "GRCh38", "to_assembly": "GRCh38"}, "to_assembly"),
        ("map_to_genome", {"ensembl_id": "ENSP00000288602", "space": "cds", "start": 1, "end": 2}, "ensembl_id"),
        ("map_to_genome", {"ensembl_id": "ENST00000288602", "space": "cds", "start": 3, "end": 2}, "end"),
        ("find_features_by_phenotype", {}, "accession"),
        ("get_assembly", {"with_bands": True}, "region"),
        ("get_transcripts", {"gene": "1-Mar"}, "gene"),
        ("get_sequence", {"ensembl_id": "ENSMUSG00000002413", "assembly": "GRCh37"}, "assembly"),
    ],
)
async def test_arguments_that_cannot_go_together_are_refused(tool: str, arguments: Json, argument: str) -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, tool, **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments", result.content
    assert result.content["error"]["argument"] == argument
    assert not upstream.requests


@pytest.mark.case("C016")
@pytest.mark.parametrize("tool", ["get_region_sequence", "get_region_features", "get_region_phenotypes"])
async def test_human_region_without_assembly_is_refused(tool: str) -> None:
    more = {"features": ["gene"]} if tool == "get_region_features" else {}
    result = await call(platform, FakeUpstream({}), tool, region="chr7:140753336-140753400", **more)
    assert (result.content["error"]["argument"], result.content["error"]["example"]) == ("assembly", "GRCh38")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("chr7:140,753,336-140,753,340", "7:140753336-140753340"),
        ("X:1000000..1000100:1", "X:1000000-1000100"),
        ("x:5", "X:5-5"),
        ("chrM:1:9:-1", "MT:1-9:-1"),
        ("7:10\u201320", "7:10-20"),
    ],
)
def test_regions_are_read_as_people_write_them(written: str, read: str) -> None:
    assert region_form(written) == read
    assert region_form(read) == read


@pytest.mark.parametrize(
    ("headers", "pause_s"),
    [
        ({"x-ratelimit-remaining": "54998", "x-ratelimit-reset": "3549"}, 0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "3549"}, 3549),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, 0),
        ({}, 0),
    ],
)
def test_used_up_hour_asks_for_a_pause(headers: dict[str, str], pause_s: float) -> None:
    assert platform.pause_s(headers) == pause_s


@pytest.mark.parametrize("written", ["FBgn0002121", "fbgn0002121", "FBGN0002121.1"])
async def test_id_of_a_fly_keeps_its_spelling(written: str) -> None:
    fly = gene("FBgn0002121", "l(2)gl", "2L", "drosophila_melanogaster", assembly_name="BDGP6.54")
    upstream = FakeUpstream({"/lookup/id/FBgn0002121": Played(fly), "/xrefs/id/FBgn0002121": Played([])})
    for tool, argument in (("lookup_gene", "gene_symbol"), ("get_gene", "ensembl_id")):
        result = await call(platform, upstream, tool, **{argument: written})
        assert result.content["data"]["species"] == "drosophila_melanogaster"
        assert result.meta["burp/citations"][0]["url"] == "https://www.ensembl.org/id/FBgn0002121"
    result = await call(platform, upstream, "get_cross_references", ensembl_id=written)
    assert result.content["outcome"] == "empty"


def test_everyday_species_get_their_names() -> None:
    assert [species_form(name) for name in ("Human", "Mus musculus", "zebrafish")] == [
        "homo_sapiens",
        "mus_musculus",
        "danio_rerio",
    ]


async def test_long_sequence_is_shown_in_parts() -> None:
    record = {"id": "ENST00000288602", "query": "ENST00000288602", "molecule": "dna", "seq": "A" * 6000}
    upstream = FakeUpstream({"/sequence/id/ENST00000288602?start=101": Played(record)})
    arguments = {"ensembl_id": "ENST00000288602.11", "type": "cdna", "start": 101}
    result = await call(platform, upstream, "get_sequence", **arguments)
    (row,) = result.content["data"]
    assert (row["from"], len(row["seq"]), row["length"]) == (101, 5000, 6000)
    assert result.content["next"] == {"start": 5101, "end": 6100}


async def test_sequence_of_another_assembly_is_refused() -> None:
    record = {"id": "ENSG00000157764", "query": "ENSG00000157764", "molecule": "dna", "seq": "A"}
    upstream = FakeUpstream(
        {"/ENSG00000157764": Played({**record, "desc": "chromosome:GRCh38:7:140719327:140924976:-1"})}
    )
    result = await call(platform, upstream, "get_sequence", ensembl_id="ENSG00000157764")
    assert "GRCh38" in result.content["data"][0]["description"]
    result = await call(platform, upstream, "get_sequence", ensembl_id="ENSG00000157764", assembly="GRCh37")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_gene_has_the_sequences_of_all_its_transcripts() -> None:
    rows = [{"id": one, "query": "ENSG00000157764", "molecule": "protein", "seq": "MA"} for one in ("ENSP1", "ENSP2")]
    upstream = FakeUpstream({"/sequence/id/ENSG00000157764?multiple_sequences=1": Played(rows)})
    result = await call(platform, upstream, "get_sequence", ensembl_id="ENSG00000157764", type="protein")
    assert [row["id"] for row in result.content["data"]] == ["ENSP1", "ENSP2"]
    wrong = FakeUpstream({"/sequence/id/ENSG00000157764": Played([{**rows[0], "molecule": "dna"}])})
    result = await call(platform, wrong, "get_sequence", ensembl_id="ENSG00000157764", type="protein")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_letters_of_a_species_are_not_taken_for_the_kind_of_a_record() -> None:
    # PTR stands for the chimpanzee, GGO for the gorilla.
    record = {"id": "ENSGGOT00000038576", "query": "ENSGGOT00000038576", "molecule": "dna", "seq": "ATG"}
    upstream = FakeUpstream({"/sequence/id/ENSGGOT00000038576": Played(record)})
    result = await call(platform, upstream, "get_sequence", ensembl_id="ENSGGOT00000038576", type="cds")
    assert result.content["outcome"] == "data" and "multiple_sequences" not in upstream.asked[0]
    arguments = {"ensembl_id": "ENSPTRT00000000001", "space": "translation", "start": 1, "end": 2}
    result = await call(platform, FakeUpstream({}), "map_to_genome", **arguments)
    assert result.content["error"]["argument"] == "ensembl_id"


@pytest.mark.parametrize(("strand", "rest"), [("", "X:5001-6000"), (":-1", "X:1-1000:-1")])
async def test_long_region_goes_on_in_reading_direction(strand: str, rest: str) -> None:
    answer = {"id": "chromosome:GRCh37:X:1:6000:1", "seq": "A" * 6000}
    upstream = FakeUpstream({f"/X:1..6000:{strand.strip(':') or 1}": Played(answer)})
    result = await call(platform, upstream, "get_region_sequence", region=f"X:1-6000{strand}", assembly="GRCh37")
    assert upstream.requests[0].host == "grch37.rest.ensembl.org"
    assert (result.content["next"], result.content["data"]["length"]) == ({"region": rest}, 6000)
    assert result.content["data"]["assembly_name"] == "GRCh37"


async def test_mapping_says_when_a_part_is_missing_or_another_assembly_answers() -> None:
    row = {"original": {"assembly": "GRCh37", "start": 1, "end": 4}, "mapped": {"assembly": "GRCh38", "start": 9}}
    arguments = {"region": "X:1-10", "from_assembly": "GRCh37", "to_assembly": "GRCh38"}
    upstream = FakeUpstream({"/GRCh38": Played({"mappings": [row]})})
    result = await call(platform, upstream, "map_assembly", **arguments)
    assert result.content["note"] == "Only 4 of 10 bases are in GRCh38."
    wrong = FakeUpstream({"/GRCh38": Played({"mappings": [{**row, "mapped": {"assembly": "NCBI36"}}]})})
    result = await call(platform, wrong, "map_assembly", **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_homologues_carry_the_identity_of_both_sides() -> None:
    homology = {
        "type": "ortholog_one2one",
        "taxonomy_level": "Homininae",
        "source": {"id": "ENSG00000157764", "perc_id": 94},
        "target": {"id": "ENSGGOG00000015808", "perc_id": 97, "species": "gorilla_gorilla", "taxon_id": 9595},
    }
    answer = {"data": [{"id": "ENSG00000157764", "homologies": [homology]}]}
    upstream = FakeUpstream({"/lookup/id/ENSG00000157764": Played(BRAF), "/ENSG00000157764": Played(answer)})
    arguments = {"gene": "ENSG00000157764", "target_species": "Gorilla gorilla", "target_taxon": 9595}
    result = await call(platform, upstream, "get_homologs", **arguments)
    (row,) = result.content["data"]["homologues"]
    assert (row["percent_identity"], row["percent_identity_source"], row["species"]) == (97, 94, "gorilla_gorilla")
    asked = upstream.asked[-1]
    assert all(part in asked for part in ("sequence=none", "target_species=gorilla_gorilla", "target_taxon=9595"))


async def test_tree_is_asked_for_as_text_and_its_leaves_counted() -> None:
    upstream = FakeUpstream({"/lookup/id/ENSG00000157764": Played(BRAF), "?nh_format=species": Played("((a,b),c);\n")})
    arguments = {"gene": "ENSG00000157764", "labels": "species", "prune_species": "mouse"}
    result = await call(platform, upstream, "get_gene_tree", **arguments)
    assert (result.content["data"]["newick"], result.content["data"]["leaves"]) == ("((a,b),c);", 3)
    assert upstream.requests[-1].headers["Accept"] == "text/x-nh"
    assert "prune_species=mus_musculus" in upstream.asked[-1]
    xml = FakeUpstream({"/lookup/id/ENSG00000157764": Played(BRAF), "/ENSG00000157764": Played("<phyloxml/>")})
    result = await call(platform, xml, "get_gene_tree", gene="ENSG00000157764")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_switches_of_phenotypes_reach_the_request_as_ones() -> None:
    upstream = FakeUpstream(
        {"/lookup/id/ENSG00000157764": Played(BRAF), "/gene/homo_sapiens/ENSG00000157764": Played([])}
    )
    switches = {"include_associated": True, "include_pubmed": True, "include_review_status": True}
    await call(platform, upstream, "get_gene_phenotypes", gene="ENSG00000157764", **switches)
    asked = upstream.asked[-1]
    assert all(f"{name}=1" in asked for name in ("include_associated", "include_pubmed_id", "include_review_status"))
    upstream = FakeUpstream({"/phenotype/term/homo_sapiens/Brugada%20syndrome": Played([])})
    arguments = {"term": "Brugada syndrome", "source": "turnip", "include_children": True}
    result = await call(platform, upstream, "find_features_by_phenotype", **arguments)
    assert "source=turnip" in upstream.asked[0] and "include_children=1" in upstream.asked[0]
    assert "unknown source" in result.content["note"]


async def test_assembly_lists_chromosomes_and_counts_the_rest() -> None:
    answer = {
        "assembly_name": "GRCh37.p13",
        "default_coord_system_version": "GRCh37",
        "top_level_region": [
            {"coord_system": "chromosome", "name": "X", "length": 155270560},
            {"coord_system": "supercontig", "name": "GL000191.1", "length": 106433},
        ],
    }
    upstream = FakeUpstream({"/info/assembly/homo_sapiens": Played(answer)})
    result = await call(platform, upstream, "get_assembly", assembly="GRCh37")
    data = result.content["data"]
    assert (data["chromosomes"], data["other_regions"]) == ([{"name": "X", "length": 155270560}], 1)
    wrong = await call(platform, upstream, "get_assembly", assembly="GRCh38")
    assert wrong.content["error"]["code"] == "upstream_bad_response"
