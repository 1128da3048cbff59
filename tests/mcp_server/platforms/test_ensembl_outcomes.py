"""Ensembl: for each tool a hit, nothing found, an unknown id and a broken source stay four different things."""

from dataclasses import dataclass
from typing import Any

import pytest

from mcp_server.platforms.ensembl import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any

HUMAN_GENE = {
    "id": "ENSG00000139618",
    "display_name": "BRCA2",
    "seq_region_name": "13",
    "start": 32315086,
    "end": 32400268,
    "strand": 1,
    "assembly_name": "GRCh38",
    "species": "homo_sapiens",
    "version": 19,
}
GENE_ID, RSID = "ENSG00000139618", "rs12777823"
VARIANT = {
    "name": RSID,
    "mappings": [{"location": "10:94645745-94645745", "assembly_name": "GRCh38", "allele_string": "G/A"}],
    "most_severe_consequence": "downstream_gene_variant",
}
PLACE = {"id": RSID, "input": RSID, "assembly_name": "GRCh38", "seq_region_name": "10", "start": 94645745}
NAMES = [{"A": {"input": RSID, "id": [RSID], "hgvsg": ["NC_000010.11:g.94645745G>A"]}}]


def refused(text: str) -> Played:
    return Played({"error": text}, 400)


def not_found(identifier: str) -> Played:
    return refused(f"ID '{identifier}' not found")


NO_GENE = {f"/lookup/id/{GENE_ID}": not_found(GENE_ID), f"/archive/id/{GENE_ID}": not_found(GENE_ID)}


def of_gene(path: str, answer: Json) -> dict[str, Played]:
    return {f"/lookup/id/{GENE_ID}": Played(HUMAN_GENE), path: answer if isinstance(answer, Played) else Played(answer)}


@dataclass(frozen=True)
class Case:
    """What a tool is asked and what Ensembl answers; None where an outcome cannot be."""

    tool: str
    arguments: dict[str, Json]
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None


REGION = {"region": "13:32315086-32320086", "assembly": "GRCh38"}
PROTEIN = "ENSP00000369497"
NO_SLICE = {"/13:32315086-32320086": refused("No slice found for 13 on coord_system chromosome")}
NO_RESULT = Played({"error": "No results found"}, 404)

CASES = [
    Case("lookup_batch", {"genes": ["BRCA2"]}, {"/lookup/symbol/homo_sapiens": Played({"BRCA2": HUMAN_GENE})}, None,
         {"/lookup/symbol/homo_sapiens": Played({})}),
    Case("get_transcripts", {"gene": GENE_ID},
         {"?expand": Played({**HUMAN_GENE, "Transcript": [{"id": "ENST00000380152"}]}),
          f"/lookup/id/{GENE_ID}": Played(HUMAN_GENE)},
         {"?expand": Played(HUMAN_GENE), f"/lookup/id/{GENE_ID}": Played(HUMAN_GENE)}, NO_GENE),
    Case("get_id_history", {"ensembl_id": GENE_ID},
         {f"/archive/id/{GENE_ID}": Played({"id": GENE_ID, "is_current": "1", "release": "115"})}, None, NO_GENE),
    Case("find_by_external_id", {"external_id": "NM_000059"},
         {"/xrefs/symbol/homo_sapiens/NM_000059": Played([{"type": "gene", "id": GENE_ID}])}, None,
         {"/xrefs/symbol/homo_sapiens/NM_000059": Played([])}),
    Case("find_by_external_id", {"external_id": "NM_000059", "external_db": "wibble"},
         {"/NM_000059?external_db=wibble": Played([{"type": "gene", "id": GENE_ID}])},
         {"/NM_000059?external_db=wibble": Played([])}, None),
    Case("get_ontology_term", {"term_id": "SO:0001583"},
         {"/ontology/id/SO:0001583": Played({"accession": "SO:0001583", "name": "missense_variant"})}, None,
         {"/ontology/id/SO:0001583": refused("No term with SO:0001583")}),
    Case("get_ontology_term", {"term_id": "SO:0001506", "relation": "descendants"},
         {"/ontology/descendants/SO:0001506": Played([{"accession": "SO:0001026", "name": "genome"}])},
         {"/ontology/descendants/SO:0001506": Played([])},
         {"/ontology/descendants/SO:0001506": refused("No term with SO:0001506")}),
    Case("get_sequence", {"ensembl_id": PROTEIN},
         {f"/sequence/id/{PROTEIN}": Played({"id": PROTEIN, "query": PROTEIN, "molecule": "protein", "seq": "MPIG"})},
         {f"/sequence/id/{PROTEIN}": NO_RESULT}, {f"/sequence/id/{PROTEIN}": not_found(PROTEIN)}),
    Case("get_region_sequence", {"region": "X:1000000-1000003", "assembly": "GRCh38"},
         {"/X:1000000..1000003:1": Played({"id": "chromosome:GRCh38:X:1000000:1000003:1", "seq": "ctgt"})}, None,
         {"/X:1000000..1000003:1": NO_RESULT}),
    Case("map_assembly", {"region": "6:1-10", "from_assembly": "GRCh37", "to_assembly": "GRCh38"},
         {"/GRCh37/6:1..10:1/GRCh38": Played({"mappings": [
             {"original": {"assembly": "GRCh37", "start": 1, "end": 10}, "mapped": {"assembly": "GRCh38"}}]})},
         {"/GRCh37/6:1..10:1/GRCh38": Played({"mappings": []})},
         {"/GRCh37/6:1..10:1/GRCh38": refused("No slice found for 6 on coord_system chromosome")}),
    Case("map_to_genome", {"ensembl_id": "ENST00000380152", "space": "cdna", "start": 1, "end": 9},
         {"/map/cdna/ENST00000380152/1..9": Played({"mappings": [{"assembly_name": "GRCh38", "start": 5, "gap": 0}]})},
         {"/map/cdna/ENST00000380152/1..9": Played({"mappings": []})},
         {"/map/cdna/ENST00000380152/1..9": not_found("ENST00000380152")}),
    Case("get_variants_batch", {"rsids": [RSID]}, {"/variation/homo_sapiens": Played({RSID: VARIANT})}, None,
         {"/variation/homo_sapiens": Played({})}),
    Case("get_variants_in_paper", {"paper": "PMID:26318936"},
         {"/variation/homo_sapiens/pmid/26318936": Played([VARIANT])},
         {"/variation/homo_sapiens/pmid/26318936": Played([])}, None),
    Case("recode_variant", {"variant": RSID}, {f"/variant_recoder/homo_sapiens/{RSID}": Played(NAMES)},
         {f"/variant_recoder/homo_sapiens/{RSID}": Played([])},
         {f"/variant_recoder/homo_sapiens/{RSID}": refused("No variant found with this name")}),
    Case("variant_dossier", {"rsid": RSID},
         {f"/variation/homo_sapiens/{RSID}": Played(VARIANT), f"/vep/homo_sapiens/id/{RSID}": Played([PLACE]),
          f"/variant_recoder/homo_sapiens/{RSID}": Played(NAMES)}, None,
         {f"/variation/homo_sapiens/{RSID}": refused(f"{RSID} not found for homo_sapiens")}),
    Case("predict_variants_batch", {"variants": [RSID]}, {"/vep/homo_sapiens/id": Played([PLACE])}, None,
         {"/vep/homo_sapiens/id": refused(f"No variant found with ID '{RSID}'")}),
    Case("get_region_features", {**REGION, "features": ["gene"]},
         {"/13:32315086-32320086?feature=gene": Played([
             {"id": GENE_ID, "seq_region_name": "13", "start": 32315086, "end": 32400268, "assembly_name": "GRCh38"}])},
         {"/13:32315086-32320086": Played([])}, NO_SLICE),
    Case("get_gene_features", {"ensembl_id": GENE_ID, "features": ["variation"]},
         {f"/overlap/id/{GENE_ID}": Played([{"id": "rs144848", "assembly_name": "GRCh38"}])},
         {f"/overlap/id/{GENE_ID}": Played([])}, {f"/overlap/id/{GENE_ID}": not_found(GENE_ID)}),
    Case("get_protein_features", {"protein_id": PROTEIN},
         {f"/overlap/translation/{PROTEIN}": Played([{"id": "PF00634", "type": "Pfam", "seq_region_name": PROTEIN}])},
         {f"/overlap/translation/{PROTEIN}": Played([])}, {f"/overlap/translation/{PROTEIN}": not_found(PROTEIN)}),
    Case("get_gene_phenotypes", {"gene": GENE_ID},
         of_gene(f"/phenotype/gene/homo_sapiens/{GENE_ID}", [{"description": "Fanconi anemia", "source": "Orphanet"}]),
         of_gene(f"/phenotype/gene/homo_sapiens/{GENE_ID}", []), NO_GENE),
    Case("get_region_phenotypes", REGION,
         {"/phenotype/region/homo_sapiens/13:32315086-32320086": Played([{"id": "rs1", "phenotype_associations": []}])},
         {"/phenotype/region/homo_sapiens/13:32315086-32320086": Played([])}, NO_SLICE),
    Case("find_features_by_phenotype", {"accession": "Orphanet_130"},
         {"/phenotype/accession/homo_sapiens/Orphanet:130": Played([{"Variation": "rs2299299", "source": "DGVa"}])},
         {"/phenotype/accession/homo_sapiens/Orphanet:130": Played([])},
         {"/phenotype/accession/homo_sapiens/Orphanet:130": refused("No term Orphanet:130")}),
    Case("get_homologs", {"gene": GENE_ID},
         of_gene(f"/homology/id/homo_sapiens/{GENE_ID}", {"data": [{"id": GENE_ID, "homologies": [
             {"type": "ortholog_one2one", "target": {"id": "ENSGGOG00000015808", "perc_id": 97}}]}]}),
         of_gene(f"/homology/id/homo_sapiens/{GENE_ID}", {"data": []}), NO_GENE),
    Case("get_gene_tree", {"gene": GENE_ID},
         of_gene(f"/genetree/member/id/homo_sapiens/{GENE_ID}", Played("(a:1,b:2);")),
         of_gene(f"/genetree/member/id/homo_sapiens/{GENE_ID}", refused(f"No gene tree found for {GENE_ID}")), NO_GENE),
    Case("get_ld", {"rsid": RSID},
         {f"/{RSID}/1000GENOMES:phase_3:CEU": Played([{"variation": "rs1", "r2": "0.9", "d_prime": "1.0"}])},
         {f"/{RSID}/1000GENOMES:phase_3:CEU": Played([])},
         {f"/{RSID}/1000GENOMES:phase_3:CEU": refused(f"Could not find a variant {RSID}")}),
    Case("get_ld_pairwise", {"rsid_1": "rs1333047", "rsid_2": "rs4977575"},
         {"/pairwise/rs1333047/rs4977575": Played([{"variation1": "rs4977575", "variation2": "rs1333047", "r2": "1.0",
                                                    "d_prime": "1.0", "population_name": "1000GENOMES:phase_3:CEU"}])},
         {"/pairwise/rs1333047/rs4977575": Played([])},
         {"/pairwise/rs1333047/rs4977575": refused("Could not find a variant rs4977575")}),
    Case("list_populations", {"species": "mouse"},
         {"/populations/mus_musculus?filter=LD": Played([{"name": "A:b", "size": "61"}])},
         {"/populations/mus_musculus?filter=LD": Played([])},
         {"/populations/mus_musculus?filter=LD": refused("Can not find internal name for species 'mus_musculus'")}),
    Case("list_species", {"name_contains": "mouse"},
         {"/info/species": Played({"species": [{"name": "mus_musculus", "display_name": "Mouse"}]})},
         {"/info/species": Played({"species": [{"name": "homo_sapiens", "display_name": "Human"}]})}, None),
    Case("get_assembly", {"region": "X"},
         {"/info/assembly/homo_sapiens/X": Played({"assembly_name": "GRCh38", "length": 156040895})}, None,
         {"/info/assembly/homo_sapiens/X": refused("Could not find a region X")}),
]  # fmt: skip


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: f"{case.tool}-{'-'.join(case.arguments)}")


each_case = over(CASES)


@each_case
async def test_a_hit_is_data(case: Case) -> None:
    result = await call(platform, FakeUpstream(case.hit), case.tool, **case.arguments)
    assert result.content["outcome"] == "data", result.content
    assert result.content["data"]


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


@each_case
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Played("<html>502 Bad Gateway</html>", 502), "upstream_unavailable"),
        (Played("Too many requests", 429), "upstream_rate_limited"),
        (refused("ERROR: Cache directory not found"), "upstream_refused"),
    ],
    ids=["down", "rate", "fault"],
)
async def test_a_broken_source_is_a_failure(case: Case, answer: Played, code: str) -> None:
    result = await call(platform, FakeUpstream({"": answer}), case.tool, **case.arguments)
    assert result.content["outcome"] == "failed", result.content
    assert result.content["error"]["code"] == code


def test_every_tool_is_tried() -> None:
    elsewhere = {"lookup_gene", "get_gene", "get_variant", "predict_variant", "get_cross_references"}
    assert {case.tool for case in CASES} | elsewhere == {tool.function.__name__ for tool in platform.tools}
