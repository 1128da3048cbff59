"""MyGene, MyChem and MyDisease: from a name or an id to all the ids of a gene, a drug, a disease."""

from typing import Any

import pytest

from mcp_server.envelope import Envelope
from mcp_server.platforms.myvariant import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.myvariant_cases import ERBB2, IMATINIB, MARFAN, MESYLATE, NO_HITS, PACKAGE, hits

Json = Any

CD274 = {
    "_id": "29126", "symbol": "CD274", "entrezgene": "29126", "taxid": 9606, "alias": ["B7-H", "PD-L1", "PDL1"],
    "MIM": "605402", "genomic_pos": [{"chr": "9", "start": 5450503, "end": 5470566, "strand": 1}],
    "genomic_pos_hg19": {"chr": "9", "start": 5450503, "end": 5470565, "strand": 1},
}  # fmt: skip


async def resolved(tool: str, answer: Played, query: str, **arguments: Json) -> tuple[Envelope, FakeUpstream]:
    upstream = FakeUpstream({"/query": answer})
    return await call(platform, upstream, tool, query=query, **arguments), upstream


async def test_an_alias_finds_the_gene_and_says_that_it_is_one() -> None:
    result, upstream = await resolved("gene_resolve", hits(CD274), "PD-L1")
    gene = result.content["data"][0]
    assert (gene["symbol"], gene["matched_by"], gene["omim_ids"]) == ("CD274", "alias", ["605402"])
    assert "'PD-L1' is an alias of CD274" in result.content["note"]
    assert 'q=(symbol:"PD-L1" OR alias:"PD-L1")&species=9606' in upstream.asked[0]
    assert [(place["assembly"], place["end"]) for place in gene["places"]] == [("GRCh38", 5470566), ("GRCh37", 5470565)]


async def test_a_symbol_comes_before_genes_that_have_it_as_alias() -> None:
    other = {**CD274, "alias": ["ERBB2"]}
    result, _ = await resolved("gene_resolve", hits(other, ERBB2), "erbb2")
    assert [gene["symbol"] for gene in result.content["data"]] == ["ERBB2", "CD274"]
    assert "note" not in result.content
    shared, _ = await resolved("gene_resolve", hits(other, {**ERBB2, "alias": ["X1"]}, total=3), "ERBB2x")
    assert "1 more match" in shared.content["note"]


@pytest.mark.case("C007")
@pytest.mark.case("C019")
@pytest.mark.parametrize(
    ("query", "clause"),
    [
        ("2064", '(entrezgene:"2064" OR retired:"2064")'),
        ("ENSG00000141736.14", '(ensembl.gene:"ENSG00000141736")'),
        ("HGNC:3430", '(HGNC:"3430")'),
        ("OMIM:164870", '(MIM:"164870")'),
        ("p04626-1", '(uniprot.Swiss-Prot:"P04626" OR uniprot.TrEMBL:"P04626" OR symbol:"P04626" OR alias:"P04626")'),
    ],
)
async def test_ids_are_looked_up_in_their_own_field(query: str, clause: str) -> None:
    result, upstream = await resolved("gene_resolve", hits(ERBB2), query)
    assert f"q={clause}&" in upstream.asked[0]
    gene = result.content["data"][0]
    assert gene["ensembl_gene_ids"] == ["ENSG00000141736"] and gene["hgnc_id"] == "HGNC:3430"
    assert gene["uniprot_accessions"] == ["P04626"] and gene["matched_by"] != "alias"


@pytest.mark.case("C009")
async def test_the_species_travels_with_the_question_and_is_checked() -> None:
    mouse = {"_id": "12189", "symbol": "Brca1", "entrezgene": "12189", "taxid": 10090,
             "genomic_pos": {"chr": "11", "start": 101379590, "end": 101442781, "strand": -1}}  # fmt: skip
    result, upstream = await resolved("gene_resolve", hits(mouse), "Brca1", species="Mus musculus")
    assert "species=10090" in upstream.asked[0]
    gene = result.content["data"][0]
    assert (gene["taxon"], gene["species"]) == ("10090", "Mus musculus")
    assert gene["places"][0]["assembly"] == "not told by MyGene"
    wrong, _ = await resolved("gene_resolve", hits(mouse), "Brca1")
    assert wrong.content["error"]["code"] == "upstream_bad_response"
    unknown, _ = await resolved("gene_resolve", NO_HITS, "Brca1", species="unicorn")
    assert unknown.content["error"]["argument"] == "species"


async def test_a_gene_without_an_entrez_number_is_cited_by_its_ensembl_id() -> None:
    fish = {"_id": "ENSMMDG00005007325", "ensembl": {"gene": "ENSMMDG00005007325"}, "taxid": 586833}
    result, _ = await resolved("gene_resolve", hits(fish), "ENSMMDG00005007325", species="586833")
    (cited,) = result.meta["burp/citations"]
    assert (cited["kind"], cited["identifier"]) == ("ensembl", "ENSMMDG00005007325") and cited["url"]


async def test_a_retired_gene_number_leads_to_the_present_one() -> None:
    result, _ = await resolved("gene_resolve", hits({**ERBB2, "retired": [999999]}), "999999")
    assert "merged into 2064" in result.content["note"]


@pytest.mark.case("C022")
async def test_the_mechanism_of_a_salt_is_shown_with_the_drug_and_named() -> None:
    result, upstream = await resolved("chem_resolve", hits(PACKAGE, MESYLATE, IMATINIB), "imatinib")
    first, second = result.content["data"]
    assert first["name"] == "IMATINIB" and first["chembl_ids"] == ["CHEMBL941"] and first["drugbank_ids"] == ["DB00619"]
    assert first["inchikeys"] == ["KTUFNOKKBVMGRW-UHFFFAOYSA-N"] and first["uniis"] == ["BKJ8M8G5HI"]
    assert {mechanism["of"] for mechanism in first["mechanisms"]} == {"IMATINIB MESYLATE"}
    assert second["matched_by"] == "form" and second["chembl_ids"] == ["CHEMBL1642"]
    assert ") AND (_exists_:chembl OR " in upstream.asked[0]


async def test_records_of_one_biologic_are_joined() -> None:
    drugbank = {"_id": "DPT0O3T46P", "drugbank": {"id": "DB09037", "name": "Pembrolizumab"},
                "unii": {"unii": "DPT0O3T46P", "display_name": "PEMBROLIZUMAB"}}  # fmt: skip
    chembl = {
        "_id": "CHEMBL3137343",
        "chembl": {
            "molecule_chembl_id": "CHEMBL3137343",
            "pref_name": "PEMBROLIZUMAB",
            "drug_mechanisms": {"action_type": "INHIBITOR", "target_name": "Programmed cell death protein 1"},
        },
    }
    result, _ = await resolved("chem_resolve", hits(drugbank, chembl), "pembrolizumab")
    (drug,) = result.content["data"]
    assert (drug["drugbank_ids"], drug["chembl_ids"], drug["uniis"]) == (["DB09037"], ["CHEMBL3137343"], ["DPT0O3T46P"])
    assert drug["mechanisms"][0]["target"] == "Programmed cell death protein 1"
    assert {cited["identifier"] for cited in result.meta["burp/citations"]} == {"CHEMBL3137343", "DB09037"}


async def test_the_first_approval_of_each_agency_is_told_once_and_the_earliest_first() -> None:
    days = [{"agency": "EMA", "date": "2015-07-17"}, {"agency": "FDA", "date": "2014-09-04"}]
    again = [{"agency": "FDA", "date": "2017-05-23"}, {"agency": "PMDA"}]
    one = {"_id": "DPT0O3T46P", "drugbank": {"name": "Pembrolizumab"}, "drugcentral": {"approval": days}}
    other = {"_id": "CHEMBL3137343", "chembl": {"pref_name": "PEMBROLIZUMAB"}, "drugcentral": {"approval": again}}
    result, _ = await resolved("chem_resolve", hits(one, other), "pembrolizumab")
    (drug,) = result.content["data"]
    assert drug["approvals"] == [{"agency": "FDA", "date": "2014-09-04"}, {"agency": "EMA", "date": "2015-07-17"}]
    single = {**one, "drugcentral": {"approval": days[0]}}
    result, _ = await resolved("chem_resolve", hits(single), "pembrolizumab")
    assert result.content["data"][0]["approvals"] == days[:1]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("chembl941", 'chembl.molecule_chembl_id:"CHEMBL941"'),
        ("DB00619", 'drugbank.id:"DB00619"'),
        ("CHEBI:45783", 'chebi.id:"CHEBI:45783"'),
        ("CID:5291", 'pubchem.cid:"5291"'),
        ("BKJ8M8G5HI", 'unii.unii:"BKJ8M8G5HI"'),
        ("KTUFNOKKBVMGRW-UHFFFAOYSA-N", '_id:"KTUFNOKKBVMGRW-UHFFFAOYSA-N"'),
    ],
)
async def test_ids_of_chemicals_are_recognised(query: str, field: str) -> None:
    result, upstream = await resolved("chem_resolve", hits(IMATINIB), query)
    assert f"q=({field}" in upstream.asked[0] and "drugbank.name" not in upstream.asked[0].partition("&")[0]
    assert result.content["data"][0]["matched_by"] == "id"


async def test_a_brand_name_is_a_synonym_and_a_word_in_a_name_is_said_to_be_one() -> None:
    branded = {**MESYLATE, "chembl": {**MESYLATE["chembl"], "molecule_synonyms": [{"molecule_synonym": "Gleevec"}]}}
    result, _ = await resolved("chem_resolve", hits(branded), "Gleevec")
    assert result.content["data"][0]["matched_by"] == "synonym"
    analogue = {"_id": "GYQHZALGPJRESJ-UHFFFAOYSA-N", "chebi": {"name": "linkable imatinib analogue"}}
    words, _ = await resolved("chem_resolve", hits(analogue), "imatinib")
    assert "Nothing is called exactly 'imatinib'" in words.content["note"]


async def test_packages_of_medicines_alone_are_no_compound() -> None:
    result, _ = await resolved("chem_resolve", hits(PACKAGE), "imatinib mesylate")
    assert result.content["outcome"] == "empty"


async def test_a_disease_name_gives_the_ids_of_every_vocabulary_once() -> None:
    result, upstream = await resolved("disease_resolve", hits(MARFAN), "Marfan's syndrome")
    disease = result.content["data"][0]
    assert (disease["id"], disease["name"], disease["matched_by"]) == ("MONDO:0007947", "Marfan syndrome", "synonym")
    xrefs = disease["xrefs"]
    assert xrefs["doid"] == ["DOID:14323"] and xrefs["omim"] == ["154700"] and xrefs["mesh"] == ["D008382"]
    assert xrefs["umls"] == ["C0024796"] and xrefs["icd10"] == ["Q87.4"] and xrefs["orphanet"] == ["284963", "558"]
    assert xrefs["snomed"] == ["19346006"]
    assert 'mondo.label:"Marfan\'s syndrome"' in upstream.asked[0]


@pytest.mark.case("C019")
@pytest.mark.parametrize(
    ("query", "clause"),
    [
        ("MONDO_0007947", '_id:"MONDO:0007947"'),
        ("doid:14323", 'mondo.xrefs.doid:"DOID:14323"'),
        ("OMIM:154700", 'mondo.xrefs.omim:"154700"'),
        ("MeSH:D008382", 'mondo.xrefs.mesh:"D008382"'),
        ("C0024796", 'mondo.xrefs.umls:"C0024796"'),
        ("ICD10CM:Q87.4", 'mondo.xrefs.icd10cm:"Q87.4"'),
        ("ORPHA:558", 'mondo.xrefs.orphanet:"558"'),
        ("EFO_0000339", 'mondo.xrefs.efo:"EFO:0000339"'),
        ("NCIT:C34807", 'mondo.xrefs.ncit:"C34807"'),
    ],
)
async def test_ids_of_diseases_are_recognised_in_every_spelling(query: str, clause: str) -> None:
    result, upstream = await resolved("disease_resolve", hits(MARFAN), query)
    assert f"q=({clause}" in upstream.asked[0]
    assert result.content["data"][0]["matched_by"] == "id"


async def test_words_in_another_order_are_tried_and_said_to_be_that() -> None:
    upstream = FakeUpstream({"/query": [NO_HITS, hits(MARFAN)]})
    result = await call(platform, upstream, "disease_resolve", query="syndrome of Marfan type 1")
    assert result.content["data"][0]["matched_by"] == "words"
    assert "these have all its words" in result.content["note"]
    assert ') AND (mondo.label:"of" OR ' in upstream.asked[1]


async def test_the_exact_name_comes_first_and_pages_go_on() -> None:
    leukaemia = {
        "_id": "MONDO:0011996",
        "disease_ontology": [
            {"doid": "DOID:0081088", "name": "chronic myelogenous leukemia, BCR-ABL1 positive"},
            {"doid": "DOID:8552", "name": "chronic myeloid leukemia", "xrefs": {"efo": "0000339"}},
        ],
        "mondo": {"xrefs": {"efo": ["EFO:0000339"], "omim": ["608232"]}},
    }
    atypical = {"_id": "MONDO:0004653", "mondo": {"label": "atypical chronic myeloid leukemia, BCR-ABL1 negative"}}
    answer = hits(atypical, leukaemia)
    result, _ = await resolved("disease_resolve", answer, "chronic myeloid leukemia", limit=1)
    disease = result.content["data"][0]
    assert disease["xrefs"]["doid"] == ["DOID:0081088", "DOID:8552"] and disease["xrefs"]["efo"] == ["EFO:0000339"]
    assert disease["matched_by"] == "label" and result.content["next"] == {"offset": 1}
    rest, _ = await resolved("disease_resolve", answer, "chronic myeloid leukemia", offset=1)
    assert [row["id"] for row in rest.content["data"]] == ["MONDO:0004653"] and rest.content["total"] == 2
    behind, _ = await resolved("disease_resolve", answer, "chronic myeloid leukemia", offset=2)
    assert behind.content["data"] == [] and "lies behind the last" in behind.content["note"]
