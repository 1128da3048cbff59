"""Search over the catalogue."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_catalog.absent import absent_things
from tools_catalog.catalog import Catalog, RawTool
from tools_catalog.config import CatalogConfig
from tools_catalog.embeddings import Embedder, EmbedderUnavailable, Vector, embedding_texts
from tools_catalog.keywords import KeywordIndex
from tools_catalog.meaning import MeaningIndex
from tools_catalog.search import ToolSearch, reciprocal_rank_fusion
from tools_catalog.words import tokens


def tool(name: str, platform: str, description: str, **patterns: str) -> RawTool:
    properties = {argument: {"type": "string", "pattern": pattern} for argument, pattern in patterns.items()}
    schema = {"type": "object", "properties": properties}
    return RawTool(name, "", description, schema, {"burp/platform": platform})


CATALOG = Catalog.from_tools(
    [
        tool("chembl__resolve_drug", "ChEMBL", "Turn a drug name or brand into the ChEMBL molecule."),
        tool("chembl__get_mechanisms", "ChEMBL", "Mechanisms of action of a drug.", chembl_id="^CHEMBL[0-9]+$"),
        tool("ensembl__lookup_gene", "Ensembl", "Find a gene by symbol: Ensembl id, position, biotype."),
        tool("ensembl__get_gene", "Ensembl", "One gene by its id.", ensembl_gene_id="^ENSG[0-9]{11}$"),
        tool("clinvar__search_variants", "ClinVar", "Variants by gene and significance.", gene="^[A-Z0-9-]+$"),
        tool("clinicaltrials__search_studies", "ClinicalTrials.gov", "Trials by condition and intervention."),
        tool(
            "uniprot__get_entry",
            "UniProt",
            "Disease of a protein.",
            accession="^[OPQ][0-9][A-Z0-9]{3}[0-9]$",
        ),
        tool("gtex__get_expression", "GTEx", "Expression of a gene by tissue; tumour and healthy."),
    ]
)
SEARCH = ToolSearch(CATALOG)


def first(query: str) -> str:
    return SEARCH.search(query).hits[0].name


def test_a_former_name_finds_the_tool_that_took_its_place() -> None:
    now = tool("europepmc__get_citations", "Europe PMC", "Who cites an article.")
    catalog = Catalog.from_tools([now, tool("pubmed__find_articles", "PubMed", "Find articles by words.")])
    for query in ("pubmed__find_citing_articles", "call pubmed__find_citing_articles."):
        hit, *others = ToolSearch(catalog).search(query).hits
        assert (hit.name, hit.why) == (
            "europepmc__get_citations",
            "has taken the place of pubmed__find_citing_articles",
        )
        assert all(other.score < hit.score for other in others)
    assert [hit.name for hit in SEARCH.search("pubmed__find_citing_articles").hits if "place of" in hit.why] == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("drug name to molecule", "chembl__resolve_drug"),
        ("gene symbol", "ensembl__lookup_gene"),
        ("clinical trials of a condition", "clinicaltrials__search_studies"),
        ("mechanism of action", "chembl__get_mechanisms"),
        ("tumor expression", "gtex__get_expression"),
        ("what does CHEMBL554 do", "chembl__get_mechanisms"),
        ("ENSG00000141736?", "ensembl__get_gene"),
        ("P04626", "uniprot__get_entry"),
        ("ClinicalTrials.gov", "clinicaltrials__search_studies"),
        ("gene in clinvar", "clinvar__search_variants"),
    ],
)
def test_the_right_tool_comes_first(query: str, name: str) -> None:
    assert first(query) == name


def test_a_named_database_is_a_strong_signal() -> None:
    assert first("gene id") == "ensembl__get_gene"
    assert "names ClinVar" in SEARCH.search("clinvar gene id").hits[0].why
    assert first("clinvar gene id") == "clinvar__search_variants"


def test_a_pattern_that_fits_any_word_is_no_signal() -> None:
    assert all("takes" not in hit.why for hit in SEARCH.search("BRCA1 expression").hits)


def test_hits_say_why() -> None:
    (hit, *_) = SEARCH.search("Ensembl gene symbol").hits
    assert hit.why == "words: gene, symbol; names Ensembl"


def test_the_number_of_hits_is_limited() -> None:
    assert len(SEARCH.search("gene").hits) == 4
    assert len(SEARCH.search("gene", limit=2).hits) == 2
    assert len(ToolSearch(CATALOG, CatalogConfig(results=1)).search("gene").hits) == 1


@pytest.mark.case("C064")
@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("NKX2-5 expression", "gtex__get_expression"),
        ("Alzheimer's disease drugs", "uniprot__get_entry"),
        ("TNF-alpha", None),
        ("TNF‑α symbol", "ensembl__lookup_gene"),
        ("BRCA1:c.68_69delAG", None),
        ('"', None),
        ("AND", None),
        ("*", None),
        ("   ", None),
        ("", None),
        ("symbol AND (NOT", "ensembl__lookup_gene"),
        ("\x00\ud800", None),
    ],
)
def test_punctuation_and_operators_are_text(query: str, best: str | None) -> None:
    hits = SEARCH.search(query).hits
    assert (hits[0].name if hits else None) == best


@given(st.text())
def test_no_text_ever_raises(text: str) -> None:
    words = tokens(text)
    assert all(word and word == word.strip() for word in words)
    assert len(SEARCH.search(text).hits) <= 5


@given(st.text(alphabet="abcXYZ019-_ '’\"αβ.:/", max_size=60))
def test_a_tools_own_words_find_it(text: str) -> None:
    catalog = Catalog.from_tools(
        [tool("first__x", "First", f"unrelated {text}"), tool("second__y", "Second", "different")]
    )
    found = {hit.name for hit in ToolSearch(catalog).search(text).hits}
    assert ("first__x" in found) == bool(tokens(text))


def test_an_empty_catalogue_finds_nothing() -> None:
    assert ToolSearch(Catalog()).search("gene").hits == ()
    assert list(KeywordIndex([]).scores({"gene": "gene"})) == []


def test_a_catalogue_of_one_tool_finds_it() -> None:
    search = ToolSearch(Catalog.from_tools([tool("a__get_gene", "A", "A gene.")]))
    assert [hit.name for hit in search.search("gene").hits] == ["a__get_gene"]


def test_equal_queries_give_equal_results_in_every_process() -> None:
    script = (
        "from tests.tools_catalog.test_search import SEARCH\n"
        "queries = ('gene disease drug expression condition', 'drug ensembl clinvar gene')\n"
        "print([SEARCH.search(query).hits for query in queries])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_fusion_weighs_rankings_and_how_near_each_place_comes_to_the_first() -> None:
    fused = reciprocal_rank_fusion([([("a", 1.0), ("b", 0.5)], 2.0), ([("b", 1.0), ("c", 0.0)], 1.0)], k=1)
    assert fused == [("a", pytest.approx(1.0)), ("b", pytest.approx(1 / 3 + 1 / 2)), ("c", 0.0)]


def test_fusion_breaks_ties_by_name() -> None:
    rankings = [([("b", 1.0)], 1.0), ([("a", 1.0)], 1.0)]
    assert [name for name, _ in reciprocal_rank_fusion(rankings)] == ["a", "b"]


def with_meaning(catalog: Catalog, embedder: Embedder, config: CatalogConfig | None = None) -> ToolSearch:
    """Give a search whose vectors are made here and now."""
    search = ToolSearch(catalog, config)
    texts = {tool.name: embedding_texts(tool) for tool in catalog.tools}
    texts |= {thing.what: [thing.what, *thing.asks] for thing in absent_things()}
    vectors = {name: np.array(embedder.embed(own), dtype=np.float32) for name, own in texts.items()}
    search.use_meaning(embedder, MeaningIndex(list(texts), vectors, embedder.name))
    return search


class SynonymEmbedder:
    """Embeds texts by a few groups of synonyms: a real, if tiny, notion of meaning."""

    name = "synonyms"
    groups = ("drug medicine molecule", "gene locus", "trial study", "protein enzyme")

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [[float(len({*tokens(group)} & {*tokens(text)})) for group in self.groups] for text in texts]


def test_without_an_embedder_the_search_says_so() -> None:
    assert SEARCH.keyword_only is True
    assert with_meaning(CATALOG, SynonymEmbedder()).keyword_only is False


def test_meaning_finds_what_no_word_does() -> None:
    assert SEARCH.search("which locus").hits == ()
    hits = with_meaning(CATALOG, SynonymEmbedder()).search("which locus").hits
    assert {hit.why for hit in hits} == {"similar meaning"}
    assert [hit.name for hit in hits if hit.name.startswith("ensembl")] == ["ensembl__get_gene", "ensembl__lookup_gene"]


def test_keywords_and_meaning_are_weighed_by_the_length_of_the_query() -> None:
    config = CatalogConfig(short_query_words=2, keyword_weight_short=10.0, meaning_weight_long=10.0)
    search = with_meaning(CATALOG, SynonymEmbedder(), config)
    assert search.search("enzyme expression").hits[0].name == "gtex__get_expression"
    assert search.search("enzyme expression somewhere").hits[0].name == "uniprot__get_entry"


def test_a_hit_tells_its_ranks_in_both_halves_of_the_search() -> None:
    found = with_meaning(CATALOG, SynonymEmbedder()).search("enzyme expression", limit=20).hits
    ranks = {hit.name: (hit.keyword_rank, hit.meaning_rank) for hit in found}
    assert ranks["gtex__get_expression"] == (1, None)
    assert ranks["uniprot__get_entry"] == (None, 1)


async def test_a_search_by_keywords_only_says_so_in_its_result() -> None:
    found = await SEARCH.find("gene symbol", limit=1)
    assert [hit.name for hit in found.hits] == ["ensembl__lookup_gene"]
    assert "keywords only" in found.notice
    assert (await with_meaning(CATALOG, SynonymEmbedder()).find("gene symbol")).notice == ""


def test_a_database_goes_by_all_its_names() -> None:
    search = ToolSearch(
        Catalog.from_tools(
            [
                tool("clinpgx__get_gene", "ClinPGx", "Pharmacogene page."),
                tool("pubchem__resolve_compound", "PubChem", "Find the evidence of a compound."),
                tool("clinpgx__search_clinical_annotations", "ClinPGx", "Graded evidence."),
            ]
        )
    )
    for query in ("PharmGKB evidence", "clinpgx evidence", "evidence in CPIC"):
        best, *others = search.search(query).hits
        assert best.name == "clinpgx__search_clinical_annotations" and "names ClinPGx" in best.why
        assert others[-1].name == "pubchem__resolve_compound"
    assert search.search("pharmgkb").hits[0].name == "clinpgx__search_clinical_annotations"


def test_a_database_in_the_name_of_an_identifier_is_no_place_to_look() -> None:
    hits = SEARCH.search("gene symbol to UniProt accession").hits
    assert all("names" not in hit.why for hit in hits)


def test_two_databases_are_a_comparison_and_no_filter() -> None:
    assert all("names" not in hit.why for hit in SEARCH.search("gene in ClinVar and Ensembl").hits)


def test_a_misspelt_word_finds_what_was_meant() -> None:
    hit = SEARCH.search("drug mecanisms").hits[0]
    assert hit.name == "chembl__get_mechanisms"
    assert "mechanism (for mecanisms)" in hit.why


def test_what_no_tool_does_finds_nothing_and_is_told_so() -> None:
    found = SEARCH.search("design CRISPR guide RNAs")
    assert found.hits == ()
    assert found.notice.startswith("no tool is for designing primers, guides or constructs")


class BrokenEmbedder(SynonymEmbedder):
    """Embeds tools, and breaks at the first query."""

    is_broken = False

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.is_broken:
            raise EmbedderUnavailable("the model is gone")
        return super().embed(texts)


def test_an_embedder_that_breaks_leaves_the_keywords() -> None:
    embedder = BrokenEmbedder()
    search = with_meaning(CATALOG, embedder)
    embedder.is_broken = True
    found = search.search("gene symbol")
    assert found.hits[0].name == "ensembl__lookup_gene"
    assert found.notice == "search by keywords only: the model is gone"


class LongerEmbedder(SynonymEmbedder):
    """The same name, another model."""

    groups = (*SynonymEmbedder.groups, "expression tissue")


@pytest.mark.case("C065")
def test_vectors_of_another_length_are_not_compared_and_keywords_go_on_at_once() -> None:
    search = with_meaning(CATALOG, SynonymEmbedder())
    told: list[str] = []
    search.on_other_length = lambda: told.append("make them anew")
    search._embedder = LongerEmbedder()
    found = search.search("gene symbol")
    assert found.hits[0].name == "ensembl__lookup_gene"
    assert "don't compare" in found.notice and search.keyword_only
    assert told == ["make them anew"]


@pytest.mark.case("C065")
def test_vectors_of_another_model_are_refused_whatever_their_length() -> None:
    class Other(SynonymEmbedder):
        name = "another"

    index = MeaningIndex(["a"], {"a": np.ones((1, 4), dtype=np.float32)}, "synonyms")
    with pytest.raises(ValueError, match="don't compare"):
        ToolSearch(CATALOG).use_meaning(Other(), index)
