"""Rows of the unified tools: four full texts each, every record once."""

from hypothesis import given
from hypothesis import strategies as st

from mcp_server.unified.domains.article import card
from mcp_server.unified.results import TEXT_MAX_CHARS, Result, result, round_robin, without_twins

PAPER = {"title": "Improved survival with MEK inhibition in BRAF-mutated melanoma.", "year": 2012}


def row(identifier: str, *keys: str) -> Result:
    return Result(identifier, "t", "x", "u", frozenset(keys))


@given(st.text(), st.lists(st.one_of(st.none(), st.text(), st.integers())))
def test_all_four_texts_are_full_and_short(title: str, parts: list[object]) -> None:
    made = result("GENE:673", title, parts, "https://www.ncbi.nlm.nih.gov/gene/673").wire()
    assert set(made) == {"id", "title", "text", "url"}
    assert all(isinstance(text, str) and text for text in made.values())
    assert len(made["text"]) <= TEXT_MAX_CHARS


def test_markup_goes_and_comparisons_stay() -> None:
    assert result("X", "<i>BRAF</i> at P<0.001", [], "u").title == "BRAF at P<0.001"


def test_the_best_ranks_of_all_lists_come_first() -> None:
    assert list(round_robin([[1, 2, 3], [], [4]])) == [1, 4, 2, 3]


def test_a_paper_in_three_sources_appears_once_by_pmid_then_doi_then_title() -> None:
    found = [
        card({**PAPER, "pmid": "22663011", "url": "u"}),
        card({**PAPER, "pmid": "22663011", "doi": "10.1056/NEJMoa1203421", "url": "u"}),
        card({**PAPER, "title": "Another spelling", "doi": "10.1056/nejmoa1203421", "url": "u"}),
        card(
            {**PAPER, "title": "improved survival with MEK inhibition in BRAF mutated melanoma", "url": "u", "id": "1"}
        ),
    ]
    assert [each.id for each in without_twins(found)] == ["PMID22663011"]


def test_a_preprint_and_the_article_it_became_stay_two_and_the_preprint_says_so() -> None:
    article = card({**PAPER, "pmid": "22663011", "url": "u"})
    preprint = card({**PAPER, "doi": "10.1101/2012.01.01.000001", "is_preprint": True, "server": "bioRxiv", "url": "u"})
    assert [each.id for each in without_twins([article, preprint])] == ["PMID22663011", "DOI:10.1101/2012.01.01.000001"]
    assert preprint.text.startswith("Preprint (bioRxiv), not peer-reviewed")


def test_a_chain_of_names_is_one_record() -> None:
    assert [each.id for each in without_twins([row("A", "x"), row("B", "x", "y"), row("C", "y")])] == ["A"]


def test_papers_of_one_title_with_numbers_of_their_own_stay_apart() -> None:
    letters = [card({"title": "Reply.", "year": 2012, "pmid": str(number), "url": "u"}) for number in (1, 2)]
    unnumbered = card({"title": "reply", "year": 2012, "pmcid": "PMC3", "url": "u"})
    assert [each.id for each in without_twins([*letters, unnumbered])] == ["PMID1", "PMID2"]


def test_a_paper_of_pubmed_central_is_the_one_of_pubmed() -> None:
    both = [
        card({**PAPER, "pmid": "1", "pmcid": "PMC9", "url": "u"}),
        card({"title": "x", "pmcid": "pmc9", "url": "u"}),
    ]
    assert [each.id for each in without_twins(both)] == ["PMID1"]
