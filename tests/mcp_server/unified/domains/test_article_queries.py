"""The clauses of an article leg in the languages of PubTator3 and Europe PMC."""

from typing import Any

import pytest

from mcp_server.unified.domains.article_queries import (
    europepmc_query,
    europepmc_sources,
    not_for_pubtator,
    pubtator_text,
)

ENTITIES = {
    ("genes", "BRAF"): "@GENE_BRAF",
    ("genes", "NRAS"): "@GENE_NRAS",
    ("diseases", "melanoma"): "@DISEASE_Melanoma",
}


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"genes": ["BRAF"], "diseases": ["melanoma"]}, "@GENE_BRAF AND @DISEASE_Melanoma"),
        ({"genes_any": ["BRAF", "NRAS"]}, "(@GENE_BRAF OR @GENE_NRAS)"),
        ({"genes_all": ["BRAF", "NRAS"]}, "@GENE_BRAF AND @GENE_NRAS"),
        ({"genes": ["BRAF"], "not_diseases": ["melanoma"]}, "@GENE_BRAF NOT @DISEASE_Melanoma"),
        ({"drugs": ["a drug nobody lists"]}, '"a drug nobody lists"'),
        ({"keywords": ["BRAF melanoma resistance"]}, "(BRAF AND melanoma AND resistance)"),
        ({"keywords": ["position 173"], "exact_phrases": ["position 173"]}, '"position 173"'),
        (
            {"genes": ["BRAF"], "keywords_any": ["R173", "position 173"], "exact_phrases": ["position 173"]},
            '@GENE_BRAF AND (R173 OR "position 173")',
        ),
    ],
)
def test_names_become_entities_and_words_stay_words(params: dict[str, Any], text: str) -> None:
    assert pubtator_text(params, ENTITIES) == text


@pytest.mark.parametrize(
    ("params", "query"),
    [
        ({"genes": ["BRAF"], "diseases": ["melanoma"]}, 'TITLE_ABS:"BRAF" AND TITLE_ABS:"melanoma"'),
        ({"genes_any": ["BRAF", "NRAS"]}, '(TITLE_ABS:"BRAF" OR TITLE_ABS:"NRAS")'),
        ({"author": ["Flaherty KT"], "journal": ["nature"]}, 'AUTH:"Flaherty KT" AND JOURNAL:"nature"'),
        ({"variants": ["BRAF V600E"]}, '(TITLE_ABS:"BRAF" AND TITLE_ABS:"V600E")'),
        ({"variants": ["rs113488022"]}, 'TITLE_ABS:"rs113488022"'),
        ({"keywords": ["BRAF resistance"]}, "(BRAF AND resistance)"),
        ({"keywords": ["anti-PD-1"]}, '("anti-PD-1")'),
        ({"genes": ["BRAF"], "type": ["review"]}, 'TITLE_ABS:"BRAF" AND (PUB_TYPE:review)'),
        ({"genes": ["BRAF"], "not_keywords": ["mouse"]}, 'TITLE_ABS:"BRAF" NOT (mouse)'),
        ({"pmid": ["1"], "date": {"from": "2023-01-01"}}, "(EXT_ID:1 AND SRC:MED)"),
        (
            {"pmid": ["1", "2"], "genes": ["BRAF"]},
            'TITLE_ABS:"BRAF" AND ((EXT_ID:1 AND SRC:MED) OR (EXT_ID:2 AND SRC:MED))',
        ),
        ({"genes": ["BRAF"], "not_doi": ["10.1/a"]}, 'TITLE_ABS:"BRAF" NOT DOI:"10.1/a"'),
        ({"genes": ["BRAF"], "not_pmcid": ["PMC1"]}, 'TITLE_ABS:"BRAF" NOT PMCID:PMC1'),
        ({"genes": ["BRAF"], "not_type": ["review"]}, 'TITLE_ABS:"BRAF" NOT PUB_TYPE:review'),
        ({"genes": ["BRAF"], "open_access": False}, 'TITLE_ABS:"BRAF" NOT OPEN_ACCESS:y'),
        (
            {"genes": ["BRAF"], "not_date": [{"from": "2020-01-01", "to": "2020-12-31"}]},
            'TITLE_ABS:"BRAF" NOT FIRST_PDATE:[2020-01-01 TO 2020-12-31]',
        ),
    ],
)
def test_clauses_are_joined_by_and(params: dict[str, Any], query: str) -> None:
    assert europepmc_query(params) == query


def test_a_quotation_mark_can_not_end_a_phrase_early() -> None:
    assert europepmc_query({"title": ['x" OR AUTH:"y']}) == 'TITLE:"x OR AUTH: y"'


@pytest.mark.parametrize(
    "name",
    ["author", "journal", "title", "date", "type", "preprint", "open_access", "not_title", "author_any", "not_pmid"],
)
def test_pubtator_is_not_asked_to_ignore_a_clause(name: str) -> None:
    assert not_for_pubtator({"genes": ["BRAF"]}) == []
    assert not_for_pubtator({"genes": ["BRAF"], name: [True]}) == [name.removeprefix("not_").removesuffix("_any")]


@pytest.mark.parametrize(
    ("params", "query"),
    [
        ({"genes": ["BRAF"], "source": ["medrxiv"]}, 'TITLE_ABS:"BRAF" AND (PUBLISHER:"medRxiv")'),
        ({"genes": ["BRAF"], "source": ["pubmed", "biorxiv"]}, 'TITLE_ABS:"BRAF" AND (PUBLISHER:"bioRxiv")'),
        ({"genes": ["BRAF"], "source": ["europepmc"]}, 'TITLE_ABS:"BRAF"'),
        ({"genes": ["BRAF"], "source": ["europepmc", "biorxiv"]}, 'TITLE_ABS:"BRAF" NOT PUBLISHER:"medRxiv"'),
        (
            {"genes": ["BRAF"], "source": ["pubmed", "pubtator", "europepmc"]},
            'TITLE_ABS:"BRAF" NOT PUBLISHER:"bioRxiv" NOT PUBLISHER:"medRxiv"',
        ),
        ({"genes": ["BRAF"], "not_source": ["medrxiv"]}, 'TITLE_ABS:"BRAF" NOT PUBLISHER:"medRxiv"'),
    ],
)
def test_only_preprints_are_narrowed_to_a_server(params: dict[str, Any], query: str) -> None:
    assert europepmc_query(params, is_for_preprints=True) == query
    assert europepmc_query(params) == 'TITLE_ABS:"BRAF"'


@pytest.mark.parametrize(
    ("params", "sources"),
    [
        ({}, (["MED", "PMC"], ["PPR"])),
        ({"preprint": True}, ([], ["PPR"])),
        ({"preprint": False}, (["MED", "PMC"], [])),
        ({"source": ["pubmed"]}, (["MED"], [])),
        ({"source": ["biorxiv"]}, ([], ["PPR"])),
        ({"source": ["pubtator"]}, ([], [])),
        ({"not_source": ["europepmc"]}, (["MED"], ["PPR"])),
        ({"source": ["pubmed"], "preprint": True}, ([], [])),
    ],
)
def test_articles_and_preprints_are_looked_for_apart(params: dict[str, Any], sources: tuple[list[str], ...]) -> None:
    assert europepmc_sources(params) == sources
