"""UniProt: vocabularies, clusters, archives, proteomes, sequences, papers, batches and the joined page."""

from typing import Any

import pytest

from mcp_server.platforms.uniprot import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.uniprot_entries import (
    DELETED,
    MISSING,
    RELEASE,
    comment,
    disease,
    entry,
    feature,
    reference,
)

Json = Any

NOTHING = Played({"results": []}, headers={"x-total-results": "0"})
BROKEN = Played("<html>oops</html>", 503)
DISEASE = {"id": "DI-01559", "name": "Breast-ovarian cancer, familial, 1", "acronym": "BROVCA1"}
TAXON = {"taxonId": 9606, "scientificName": "Homo sapiens", "rank": "species", "active": True}
PROTEOME = {"id": "UP000005640", "taxonomy": {"scientificName": "Homo sapiens", "taxonId": 9606}}
ARCHIVE = {"uniParcId": "UPI0000054276", "crossReferenceCount": 1}
CLUSTER = {"id": "UniRef90_P05067", "name": "Cluster: Amyloid-beta precursor protein", "entryType": "UniRef90"}


def one(row: Json, total: int = 1) -> Played:
    """Return a page with one row, and a next one where the total is larger."""
    link = {"link": '<https://rest.uniprot.org/x/search?cursor=abc&size=1>; rel="next"'} if total > 1 else {}
    return Played({"results": [row]}, headers={"x-total-results": str(total), **RELEASE, **link})


SEARCHES = {
    "search_diseases": ({"query": "breast cancer"}, "/diseases/search", DISEASE),
    "search_vocabulary": (
        {"kind": "locations", "query": "membrane"},
        "/locations/search",
        {"id": "SL-0162", "name": "Membrane"},
    ),
    "search_taxonomy": ({"query": "human"}, "/taxonomy/search", TAXON),
    "search_proteomes": ({"query": "organism_id:9606"}, "/proteomes/search", PROTEOME),
    "get_gene_centric_set": (
        {"gene_symbol": "APP", "proteome_id": "UP000005640"},
        "/genecentric/search",
        {"proteomeId": "UP000005640", "canonicalProtein": {"id": "P05067", "proteinName": "Amyloid-beta"}},
    ),
}


@pytest.mark.parametrize("tool", SEARCHES)
async def test_a_search_gives_rows_total_next_page_and_citations(tool: str) -> None:
    arguments, path, row = SEARCHES[tool]
    upstream = FakeUpstream({path: one(row, total=26)})
    result = await call(platform, upstream, tool, limit=1, **arguments)
    assert result.content["data"] == [row]
    assert (result.content["total"], result.content["returned"]) == (26, 1)
    assert len(result.meta["burp/citations"]) == 1 and result.meta["burp/citations"][0]["url"]
    await call(platform, upstream, tool, limit=1, **arguments, **result.content["next"])
    assert "cursor=abc" in upstream.asked[1]


@pytest.mark.parametrize("tool", SEARCHES)
async def test_a_search_without_hits_is_empty_and_a_broken_one_a_failure(tool: str) -> None:
    arguments, path, _ = SEARCHES[tool]
    nothing = await call(platform, FakeUpstream({path: NOTHING}), tool, **arguments)
    assert nothing.content["outcome"] == "empty" and nothing.content["note"]
    broken = await call(platform, FakeUpstream({path: BROKEN}), tool, **arguments)
    assert broken.content["error"]["code"] == "upstream_unavailable"


@pytest.mark.parametrize("tool", SEARCHES)
async def test_an_answer_without_a_list_is_no_empty_list(tool: str) -> None:
    arguments, path, row = SEARCHES[tool]
    result = await call(platform, FakeUpstream({path: Played(row)}), tool, **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"


RECORDS = {
    "search_diseases": ({"disease_id": "di-01559"}, "/diseases/DI-01559", DISEASE),
    "search_taxonomy": ({"taxon_id": 9606}, "/taxonomy/9606", TAXON),
    "search_proteomes": ({"proteome_id": "up000005640"}, "/proteomes/UP000005640", PROTEOME),
}


@pytest.mark.parametrize("tool", RECORDS)
async def test_one_record_of_a_list_is_read_by_its_id(tool: str) -> None:
    arguments, path, row = RECORDS[tool]
    found = await call(platform, FakeUpstream({path: Played(row)}), tool, **arguments)
    assert found.content["data"] == [row]
    unknown = await call(platform, FakeUpstream({path: MISSING}), tool, **arguments)
    assert unknown.content["outcome"] == "unknown_id"
    name = "taxonId" if tool == "search_taxonomy" else "id"
    other = row | {name: 1 if name == "taxonId" else "DI-99999"}
    refused = await call(platform, FakeUpstream({path: Played(other)}), tool, **arguments)
    assert refused.content["error"]["code"] == "upstream_bad_response"
    both = await call(platform, FakeUpstream({}), tool, query="human", **arguments)
    assert "give exactly one of" in both.content["error"]["message"]


async def test_a_merged_taxon_gives_its_successor_and_a_deleted_one_is_unknown() -> None:
    merged = {"taxonId": 63221, "active": False, "inactiveReason": {"inactiveReasonType": "MERGED", "mergedTo": 9606}}
    upstream = FakeUpstream({"/taxonomy/63221": Played(merged), "/taxonomy/9606": Played(TAXON)})
    result = await call(platform, upstream, "search_taxonomy", taxon_id=63221)
    assert result.content["data"] == [TAXON]
    assert "Taxon 63221 was merged into 9606" in result.content["note"]
    gone = {"taxonId": 5, "active": False, "inactiveReason": {"inactiveReasonType": "DELETED"}}
    result = await call(platform, FakeUpstream({"/taxonomy/5": Played(gone)}), "search_taxonomy", taxon_id=5)
    assert result.content["outcome"] == "unknown_id"


async def test_a_cluster_comes_with_a_page_of_its_members() -> None:
    upstream = FakeUpstream(
        {"/uniref/search": one(CLUSTER), "/uniref/UniRef90_P05067/members": one({"memberId": "A4_HUMAN"}, total=40)}
    )
    result = await call(platform, upstream, "get_uniref_cluster", accession="P05067")
    assert "(uniprot_id:P05067) AND (identity:0.9)" in upstream.asked[0]
    assert result.content["data"] == {"cluster": CLUSTER, "members": [{"memberId": "A4_HUMAN"}]}
    assert (result.content["total"], result.content["next"]) == (40, {"cursor": "abc"})
    assert result.meta["burp/citations"][0]["url"] == "https://www.uniprot.org/uniref/UniRef90_P05067"


async def test_a_cluster_of_another_identity_is_refused() -> None:
    upstream = FakeUpstream({"/uniref/search": one(CLUSTER)})
    result = await call(platform, upstream, "get_uniref_cluster", accession="P05067", identity="50")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("get_uniref_cluster", {"cluster_id": "UniRef90_P05067"}, "/uniref/UniRef90_P05067/light"),
        ("get_uniparc_entry", {"upi": "UPI0000054276"}, "/uniparc/UPI0000054276/light"),
    ],
)
async def test_a_set_that_nobody_has_and_a_broken_service(tool: str, arguments: Json, path: str) -> None:
    unknown = await call(platform, FakeUpstream({path: MISSING}), tool, **arguments)
    assert unknown.content["outcome"] == "unknown_id"
    broken = await call(platform, FakeUpstream({path: BROKEN}), tool, **arguments)
    assert broken.content["error"]["code"] == "upstream_unavailable"


@pytest.mark.parametrize(
    ("tool", "path"), [("get_uniref_cluster", "/uniref/search"), ("get_gene_centric_set", "/genecentric/search")]
)
@pytest.mark.parametrize(
    ("found", "outcome"), [(Played(entry("P05067", "APP")), "empty"), (MISSING, "unknown_id")], ids=["known", "unknown"]
)
async def test_an_accession_without_a_set_is_not_one_without_an_entry(
    tool: str, path: str, found: Played, outcome: str
) -> None:
    upstream = FakeUpstream({path: NOTHING, "/uniprotkb/P05067": found})
    result = await call(platform, upstream, tool, accession="P05067")
    assert result.content["outcome"] == outcome


async def test_the_archive_holds_the_sequence_of_a_deleted_entry() -> None:
    record = {"database": "UniProtKB/TrEMBL", "id": "A0A008APQ8", "active": False}
    upstream = FakeUpstream(
        {
            "/uniprotkb/A0A008APQ8": Played(DELETED),
            "/uniparc/UPI0000054276/light": Played(ARCHIVE),
            "/uniparc/UPI0000054276/databases": one(record),
        }
    )
    result = await call(platform, upstream, "get_uniparc_entry", accession="A0A008APQ8")
    assert result.content["data"] == ARCHIVE | {"crossReferences": [record]}
    assert "no longer in UniProtKB" in result.content["note"]


async def test_a_gene_of_no_named_proteome_is_refused() -> None:
    result = await call(platform, FakeUpstream({}), "get_gene_centric_set", gene_symbol="APP")
    assert result.content["error"]["argument"] == "proteome_id"


KRAS = ">sp|P01116|RASK_HUMAN GTPase KRas OS=Homo sapiens OX=9606 GN=KRAS PE=1 SV=1\nMTEYKLVVVG\nAGGVGKSALT\n"


async def test_a_stretch_of_a_sequence_is_cut_and_its_ends_are_told() -> None:
    upstream = FakeUpstream({"/uniprotkb/P01116.fasta": Played(KRAS)})
    result = await call(platform, upstream, "get_sequence", accession="P01116", start=12, end=25)
    assert result.content["data"] == {
        "accession": "P01116",
        "uniProtkbId": "RASK_HUMAN",
        "proteinName": "GTPase KRas",
        "geneName": "KRAS",
        "organism": "Homo sapiens",
        "taxonId": 9606,
        "length": 20,
        "start": 12,
        "end": 20,
        "sequence": "GGVGKSALT",
    }
    assert "ends at 20" in result.content["note"]
    behind = await call(platform, upstream, "get_sequence", accession="P01116", start=21)
    assert behind.content["error"]["argument"] == "start"
    assert "20 residues" in behind.content["error"]["message"]


@pytest.mark.case("C013")
async def test_the_sequence_of_an_isoform_is_its_own() -> None:
    second = KRAS.replace("P01116|", "P01116-2|")
    result = await call(
        platform, FakeUpstream({"/uniprotkb/P01116-2.fasta": Played(second)}), "get_sequence", accession="P01116-2"
    )
    assert result.content["data"]["accession"] == "P01116-2"
    assert [row["identifier"] for row in result.meta["burp/citations"]] == ["P01116-2"]


@pytest.mark.case("C013")
@pytest.mark.parametrize(("status", "outcome"), [("Displayed", "data"), ("Described", "failed")])
async def test_the_canonical_sequence_stands_for_the_displayed_isoform_only(status: str, outcome: str) -> None:
    isoforms = [{"isoformIds": ["P01116-1"], "isoformSequenceStatus": status}]
    parent = entry("P01116", "KRAS", comments=[{"commentType": "ALTERNATIVE PRODUCTS", "isoforms": isoforms}])
    upstream = FakeUpstream({"/uniprotkb/P01116-1.fasta": Played(KRAS), "/uniprotkb/P01116": Played(parent)})
    result = await call(platform, upstream, "get_sequence", accession="P01116-1")
    assert result.content["outcome"] == outcome


async def test_a_sequence_nobody_has_a_deleted_one_and_a_broken_service() -> None:
    missing = await call(
        platform, FakeUpstream({"/uniprotkb/P99997.fasta": MISSING}), "get_sequence", accession="P99997"
    )
    assert missing.content["outcome"] == "unknown_id"
    gone = FakeUpstream({"/uniprotkb/A0A008APQ8.fasta": Played(""), "/uniprotkb/A0A008APQ8": Played(DELETED)})
    deleted = await call(platform, gone, "get_sequence", accession="A0A008APQ8")
    assert deleted.content["outcome"] == "unknown_id"
    broken = FakeUpstream({"/uniprotkb/P01116.fasta": BROKEN})
    failed = await call(platform, broken, "get_sequence", accession="P01116")
    assert failed.content["error"]["code"] == "upstream_unavailable"


async def test_history_lists_versions_and_compares_two() -> None:
    version = {"accession": "P04637", "entryVersion": 2, "firstRelease": "5"}
    upstream = FakeUpstream(
        {
            "/unisave/P04637": Played({"results": [version]}),
            "/unisave/P04637/diff": Played({"diff": "- old\n+ new", "entry1": {"accession": "P04637"}}),
        }
    )
    listed = await call(platform, upstream, "get_entry_history", accession="P04637", versions="1-3")
    assert listed.content["data"] == {"accession": "P04637", "versions": [version]}
    compared = await call(platform, upstream, "get_entry_history", accession="P04637", compare=[3, 2])
    assert compared.content["data"]["diff"] == "- old\n+ new"
    assert "version1=2&version2=3" in upstream.asked[1]
    twice = await call(platform, upstream, "get_entry_history", accession="P04637", compare=[2, 2])
    assert twice.content["error"]["argument"] == "compare"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Played({"results": []}), "empty"),
        (MISSING, "unknown_id"),
        (BROKEN, "failed"),
        (Played({"results": [{"accession": "P00533"}]}), "failed"),
    ],
    ids=["no such version", "unknown", "broken", "another entry"],
)
async def test_history_that_is_not_there(answer: Played, outcome: str) -> None:
    result = await call(platform, FakeUpstream({"/unisave/P04637": answer}), "get_entry_history", accession="P04637")
    assert result.content["outcome"] == outcome


PAPER = {
    "citation": {
        "id": "11904675",
        "title": "Identification of a transcript",
        "authors": ["A B.", "C D.", "E F.", "G H."],
        "citationCrossReferences": [{"database": "PubMed", "id": "11904675"}],
        "literatureAbstract": "long",
    },
    "references": [{"source": {"name": "UniProtKB"}, "sourceCategories": ["Expression"]}],
}


async def test_papers_are_short_cited_and_of_the_category_asked_for() -> None:
    other = {"citation": {"id": "1"}, "references": [{"sourceCategories": ["Structure"]}]}
    upstream = FakeUpstream(
        {"/uniprotkb/P15056": Played(entry()), "/P15056/publications": Played({"results": [PAPER, other]})}
    )
    result = await call(platform, upstream, "get_publications", accession="P15056", category="expression")
    (paper,) = result.content["data"]["publications"]
    assert (paper["pmid"], paper["authors"], paper["authorCount"]) == ("11904675", ["A B.", "C D.", "E F."], 4)
    assert "1 papers of other categories" in result.content["note"]
    assert {row["kind"] for row in result.meta["burp/citations"]} == {"uniprot", "pmid"}


@pytest.mark.parametrize(
    ("found", "papers", "outcome"),
    [
        (Played(entry()), NOTHING, "empty"),
        (MISSING, NOTHING, "unknown_id"),
        (Played(entry()), BROKEN, "failed"),
    ],
    ids=["no papers", "unknown", "broken"],
)
async def test_papers_that_are_not_there(found: Played, papers: Played, outcome: str) -> None:
    upstream = FakeUpstream({"/uniprotkb/P15056": found, "/P15056/publications": papers})
    result = await call(platform, upstream, "get_publications", accession="P15056")
    assert result.content["outcome"] == outcome


@pytest.mark.case("C010")
async def test_a_batch_keeps_each_protein_under_the_accession_asked_for() -> None:
    upstream = FakeUpstream(
        {
            "/uniprotkb/accessions": Played({"results": [entry("P04626", "ERBB2")]}),
            "/uniprotkb/Q15086": Played(entry("P04637", "TP53")),
            "/uniprotkb/P99997": MISSING,
        }
    )
    result = await call(platform, upstream, "get_proteins_batch", accessions=["p04626", "Q15086", "P99997", "P04626-2"])
    assert "accessions=P04626,Q15086,P99997&" in upstream.asked[0]
    shown = result.content["data"]
    assert [(row["asked"], row["geneName"]) for row in shown["proteins"]] == [
        ("P04626", "ERBB2"),
        ("Q15086", "TP53"),
        ("P04626-2", "ERBB2"),
    ]
    assert shown["notFound"] == [{"asked": "P99997", "why": "UniProt has no entry P99997."}]
    assert "Q15086 was merged into P04637" in result.content["note"]


async def test_a_batch_of_unknown_accessions_is_unknown_and_a_broken_one_a_failure() -> None:
    upstream = FakeUpstream({"/uniprotkb/accessions": NOTHING, "/uniprotkb/P99997": MISSING})
    nothing = await call(platform, upstream, "get_proteins_batch", accessions=["P99997"])
    assert nothing.content["outcome"] == "unknown_id"
    assert "1 of 1 accessions have no entry" in nothing.content["note"]
    broken = await call(
        platform, FakeUpstream({"/uniprotkb/accessions": BROKEN}), "get_proteins_batch", accessions=["P04626"]
    )
    assert broken.content["error"]["code"] == "upstream_unavailable"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Played({"ancestors": [], "groups": [{"id": "9443", "label": "Primates", "count": 2}], "parent": {}}), "data"),
        (Played({"ancestors": [], "groups": [], "parent": {"count": 0}}), "empty"),
        (BROKEN, "failed"),
    ],
)
async def test_hits_are_counted_by_branch(answer: Played, outcome: str) -> None:
    upstream = FakeUpstream({"/uniprotkb/groups/taxonomy": answer})
    result = await call(
        platform, upstream, "count_proteins_by_group", query="gene:APP", group="taxonomy", parent="40674"
    )
    assert result.content["outcome"] == outcome
    assert "parent=40674" in upstream.asked[0]


TARGET = entry(
    "P00533",
    "EGFR",
    comments=[comment("FUNCTION", "Receptor."), disease("Lung cancer", "DI-02205", "LNCR")],
    features=[
        feature("Natural variant", 790, featureCrossReferences=[{"database": "dbSNP", "id": "rs121434569"}]),
        feature("Natural variant", 30, 297),
    ],
    uniProtKBCrossReferences=[
        reference("DrugBank", "DB00317", GenericName="Gefitinib"),
        reference("PDB", "1M17", Method="X-ray", Resolution="2.60 A"),
    ],
)


async def test_a_dossier_joins_the_parts_of_one_entry_found_by_its_gene() -> None:
    upstream = FakeUpstream({"/uniprotkb/search": one(TARGET), "/uniprotkb/P00533": Played(TARGET)})
    result = await call(platform, upstream, "protein_target_dossier", gene_symbol="egfr")
    assert "(gene_exact:EGFR) AND (organism_id:9606) AND (reviewed:true)" in upstream.asked[0]
    page = result.content["data"]
    assert (page["variantCount"], [row["dbSNP"] for row in page["variantsWithDbsnp"]]) == (2, [["rs121434569"]])
    assert page["links"] == {"DrugBank": [{"id": "DB00317", "GenericName": "Gefitinib"}]}
    assert page["structures"][0]["resolution"] == 2.6
    assert page["diseases"][0]["diseaseAccession"] == "DI-02205"


async def test_a_symbol_of_several_proteins_brings_the_candidates() -> None:
    two = Played({"results": [entry("P01111", "NRAS"), entry("P00533", "EGFR")]})
    result = await call(
        platform, FakeUpstream({"/uniprotkb/search": two}), "protein_target_dossier", gene_symbol="EGFR"
    )
    assert "P00533 EGFR (EGFR protein); P01111 NRAS" in result.content["error"]["message"]


@pytest.mark.parametrize(
    ("answers", "arguments", "outcome"),
    [
        ({"/uniprotkb/search": NOTHING}, {"gene_symbol": "NOSUCH"}, "empty"),
        ({"/uniprotkb/P99997": MISSING}, {"accession": "P99997"}, "unknown_id"),
        ({"/uniprotkb/P00533": BROKEN}, {"accession": "P00533"}, "failed"),
        ({}, {}, "failed"),
    ],
    ids=["no gene", "unknown", "broken", "no argument"],
)
async def test_a_dossier_that_is_not_there(answers: Json, arguments: Json, outcome: str) -> None:
    result = await call(platform, FakeUpstream(answers), "protein_target_dossier", **arguments)
    assert result.content["outcome"] == outcome
