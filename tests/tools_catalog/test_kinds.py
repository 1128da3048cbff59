"""Identifiers in a query: found by their form or the name of their kind, and who takes them."""

import pytest

from tests.tools_catalog.whole import whole_catalog
from tools_catalog.kinds import kinds_in, takers, without_identifiers
from tools_catalog.search import ToolSearch
from tools_catalog.vocabulary import vocabulary

WORDS = vocabulary()
SEARCH = ToolSearch(whole_catalog())


@pytest.mark.parametrize(
    ("query", "kind", "texts"),
    [
        ("NCT01808573", "nct", ("NCT01808573",)),
        ("PMID: 22663011 and more", "pmid", ("22663011",)),
        ("10.1101/2020.01.30.927871", "preprint_doi", ("10.1101/2020.01.30.927871",)),
        ("10.1158/0008-5472.can-09-4563", "doi", ("10.1158/0008-5472.can-09-4563",)),
        ("rs113488022, rs4149056", "rsid", ("rs113488022", "rs4149056")),
        ("NM_004333.6:c.1799T>A", "hgvs", ("NM_004333.6:c.1799T>A",)),
        ("NC_000007.14:140753335:A:T", "spdi", ("NC_000007.14:140753335:A:T",)),
        ("BRAF V600E", "protein_change", ("V600E",)),
        ("p.Val600Glu", "protein_change", ("p.Val600Glu",)),
        ("chr7:140753336-140753340", "region", ("chr7:140753336-140753340",)),
        ("7_140753336_A_T", "genomic_change", ("7_140753336_A_T",)),
        ("ENST00000269571.10", "ensembl_transcript", ("ENST00000269571.10",)),
        ("CYP2D6 *1/*4", "diplotype", ("*1/*4",)),
        ("CYP2C19*2", "star_allele", ("CYP2C19*2",)),
        ("RCV000067669", "rcv", ("RCV000067669",)),
        ("GCST004131", "gwas_study", ("GCST004131",)),
        ("50-78-2", "cas", ("50-78-2",)),
        ("BSYNRYMUTXBXSQ-UHFFFAOYSA-N", "inchikey", ("BSYNRYMUTXBXSQ-UHFFFAOYSA-N",)),
        ("CC(=O)OC1=CC=CC=C1C(=O)O", "smiles", ("CC(=O)OC1=CC=CC=C1C(=O)O",)),
        ("TCGA-LUAD survival", "gdc_project", ("TCGA-LUAD",)),
        ("L01EB", "atc", ("L01EB",)),
        ("ENSG to symbol", "ensembl", ()),
        ("UniProt accessions of genes", "uniprot", ()),
    ],
)
def test_a_kind_is_told_by_its_form_or_its_name(query: str, kind: str, texts: tuple[str, ...]) -> None:
    found = {named.kind: named.texts for named in kinds_in(query, WORDS)}
    assert found.get(kind) == texts


@pytest.mark.parametrize(
    "query",
    ["BRCA1 expression", "HER2 amplification", "covid-19 trials", "5-fluorouracil", "T cell", "phase 3", "2020"],
)
def test_words_and_names_are_no_identifiers(query: str) -> None:
    assert [named for named in kinds_in(query, WORDS) if named.text] == []


def test_identifiers_are_taken_out_of_the_words() -> None:
    query = "publications on rs113488022"
    assert without_identifiers(query, kinds_in(query, WORDS)).split() == ["publications", "on"]


def test_who_needs_nothing_but_an_identifier_takes_it_most() -> None:
    by_kind = takers(whole_catalog().tools, WORDS.kinds)
    assert by_kind["nct"]["clinicaltrials__get_study"] == 1.0
    assert by_kind["pubchem"]["pubchem__get_compound_summary"] == 1.0
    assert by_kind["pmid"].get("pubmed__get_articles", 0) > 0
    assert "ensembl__lookup_gene" not in by_kind["nct"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("NCT01808573", "clinicaltrials__get_study"),
        ("rs113488022", "ensembl__get_variant"),
        ("R-HSA-1227986", "reactome__get_pathway"),
        ("VCV000013961", "clinvar__get_variant_record"),
        ("RCV000067669", "clinvar__get_condition_record"),
        ("SCV000071738", "clinvar__list_submissions"),
        ("ENSG00000141736", "ensembl__get_gene"),
        ("CHEMBL554", "chembl__lookup_chembl_id"),
        ("CID 208908", "pubchem__get_compound_summary"),
        ("AID 743255", "pubchem__get_assay"),
        ("PMC9984800", "pubmed__get_pmc_full_text"),
        ("GCST004131", "opentargets__get_gwas_study"),
        ("MONDO_0007254", "opentargets__get_disease_info"),
        ("50-78-2", "pubchem__resolve_compound"),
    ],
)
def test_a_bare_identifier_finds_what_opens_it(query: str, name: str) -> None:
    found = SEARCH.search(query).hits
    assert name in [hit.name for hit in found[:2]]


def test_several_identifiers_at_once_ask_for_a_tool_that_takes_a_list() -> None:
    one, many = SEARCH.search("P04626"), SEARCH.search("P04626 and P00533, P15056")
    assert one.hits[0].name == "uniprot__get_protein"
    assert many.hits[0].name == "uniprot__get_proteins_batch"
    assert "takes P04626" in one.hits[0].why
