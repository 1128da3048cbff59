"""PubTator3: names to ids, and articles by ids, words and filters."""

from typing import Any

import pytest

from mcp_server.platforms.pubtator3 import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.pubtator3_cases import LOOKUP, NO_ENTITY, SEARCH, entity_row, hit, hits

Json = Any


async def test_a_name_leads_to_ids_with_the_records_behind_them() -> None:
    rows = [
        entity_row("@GENE_BRCA1", "BRCA1", "ncbi_gene", "672", description="All Species"),
        entity_row("@VARIANT_c.5382insC_BRCA1_human", "c.5382insC", "litvar", "#672#c.5382insC"),
        entity_row("@DISEASE_Fatigue", "Fatigue", "ncbi_mesh", "D005221", synonym="BRCA1 fatigue"),
    ]
    result = await call(platform, FakeUpstream({LOOKUP: Played(rows)}), "find_entity", query="BRCA1", limit=10)
    assert result.content["total"] == 3
    assert result.content["data"][0] == {
        "id": "@GENE_BRCA1",
        "type": "gene",
        "name": "BRCA1",
        "db": "ncbi_gene",
        "db_id": "672",
        "description": "All Species",
        "matched_on": "name",
        "matched_text": "BRCA1",
    }
    assert result.content["data"][2]["matched_text"] == "BRCA1 fatigue"
    assert "does not say of which species" in result.content["note"]
    assert [citation["url"] for citation in result.meta["burp/citations"]] == [
        "https://www.ncbi.nlm.nih.gov/gene/672",
        "https://www.ncbi.nlm.nih.gov/research/litvar2/docsum?variant=litvar%40%23672%23c.5382insC",
        "https://meshb.nlm.nih.gov/record/ui?ui=D005221",
    ]


async def test_a_cut_list_of_names_has_no_total() -> None:
    rows = [entity_row(f"@GENE_BRAFP{number}", f"BRAFP{number}", "ncbi_gene", str(number)) for number in range(3)]
    upstream = FakeUpstream({LOOKUP: Played(rows)})
    result = await call(platform, upstream, "find_entity", query="BRAF", concept="gene", limit=2)
    assert result.content["returned"] == 2 and "total" not in result.content
    assert "raise `limit`" in result.content["note"]
    assert upstream.asked == ["research/pubtator3-api/entity/autocomplete/?query=BRAF&concept=GENE&limit=2"]


async def test_names_of_another_kind_than_asked_for_are_a_bad_response() -> None:
    upstream = FakeUpstream({LOOKUP: Played([entity_row("@GENE_ACE", "ACE", "ncbi_gene", "1636")])})
    result = await call(platform, upstream, "find_entity", query="ACE", concept="chemical")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_a_row_of_the_older_shape_is_read_too() -> None:
    row = {"_id": "@GENE_BRAF", "biotype": "gene", "name": "BRAF", "match": "Matched on name <m>BRAF</m>"}
    result = await call(platform, FakeUpstream({LOOKUP: Played([row])}), "find_entity", query="BRAF")
    assert result.content["data"][0]["id"] == "@GENE_BRAF"
    assert result.meta["burp/citations"][0]["url"].endswith("pubtator3/docsum?text=%40GENE_BRAF")


async def test_an_article_has_all_its_numbers_and_a_plain_snippet() -> None:
    found = hit(
        34736119,
        "Novel mechanisms",
        "2021-09-23",
        "via @GENE_BRCA1 @GENE_672 @@@<m>BRCA1</m>@@@ depletion",
        pmcid="PMC8577473",
        doi="10.1016/j.redox.2021.102148",
        authors=["Drake DM", "Wells PG"],
        meta_date_publication="2021 Sep 23",
    )
    upstream = FakeUpstream({SEARCH: hits(found, count=61105)})
    result = await call(platform, upstream, "search_literature", text="@GENE_BRCA1")
    assert result.content["data"] == {
        "text": "@GENE_BRCA1",
        "count": 61105,
        "articles": [
            {
                "pmid": "34736119",
                "pmcid": "PMC8577473",
                "doi": "10.1016/j.redox.2021.102148",
                "title": "Novel mechanisms",
                "first_author": "Drake DM",
                "authors": ["Drake DM", "Wells PG"],
                "journal": "Anticancer Res",
                "date": "2021-09-23",
                "published": "2021 Sep 23",
                "year": 2021,
                "score": 253.3,
                "snippet": "via BRCA1 depletion",
            }
        ],
    }
    assert (result.content["total"], result.content["next"]) == (61105, {"page": 2})
    assert "Machine-extracted" in result.content["note"]
    assert upstream.asked == ["research/pubtator3-api/search/?text=@GENE_BRCA1&page=1"]


async def test_an_article_without_author_doi_and_date_is_still_a_row() -> None:
    bare = {"_id": "35432363", "pmid": 35432363, "title": "Erratum", "journal": "Front Immunol"}
    result = await call(platform, FakeUpstream({SEARCH: hits(bare)}), "search_literature", text="erratum")
    assert result.content["data"]["articles"] == [
        {"pmid": "35432363", "title": "Erratum", "journal": "Front Immunol"},
    ]


async def test_pages_of_any_size_follow_each_other_without_gap() -> None:
    tens = {
        f"{SEARCH}?page={page}": hits(*(hit(page * 100 + row, "T") for row in range(10)), count=30, page=page)
        for page in (1, 2, 3)
    }
    seen = []
    for page in (1, 2):
        result = await call(platform, FakeUpstream(tens), "search_literature", text="BRCA1", page=page, limit=15)
        seen += [row["pmid"] for row in result.content["data"]["articles"]]
    assert seen == [str(page * 100 + row) for page in (1, 2, 3) for row in range(10)]
    assert "next" not in result.content


async def test_a_page_behind_the_last_says_how_many_there_are() -> None:
    upstream = FakeUpstream({SEARCH: hits(count=4, page=2)})
    result = await call(platform, upstream, "search_literature", text="BRCA1", page=2)
    assert (result.content["outcome"], result.content["total"]) == ("empty", 4)
    assert "only 4 articles" in result.content["note"]


async def test_another_page_than_asked_for_is_a_bad_response() -> None:
    upstream = FakeUpstream({SEARCH: hits(hit(1, "T"), count=40, page=1)})
    result = await call(platform, upstream, "search_literature", text="BRCA1", page=3)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_every_argument_reaches_the_request() -> None:
    upstream = FakeUpstream(
        {f"{SEARCH}?filters": hits(hit(1, "T", "2024-02-01")), SEARCH: hits(hit(1, "T"), count=9)},
    )
    await call(
        platform, upstream, "search_literature",
        text="@GENE_BRAF AND melanoma", sort="date", publication_type="randomized_controlled trial",
        journal="N Engl J Med", year=2024, sections=["title", "abstract"],
    )  # fmt: skip
    assert upstream.asked[0] == (
        "research/pubtator3-api/search/?text=@GENE_BRAF AND melanoma&page=1&sort=date desc"
        '&filters={"type":["Randomized Controlled Trial"],"journal":["N Engl J Med"],"year":["2024"]}'
        "&sections=title,abstract"
    )


@pytest.mark.case("C040")
async def test_a_filter_that_finds_more_is_a_bad_response() -> None:
    upstream = FakeUpstream({f"{SEARCH}?filters": hits(hit(1, "T"), count=4200), SEARCH: hits(hit(1, "T"), count=900)})
    result = await call(platform, upstream, "search_literature", text="BRAF", publication_type="Review")
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "4200 hits with a filter, 900 without" in result.content["error"]["message"]


@pytest.mark.case("C040")
async def test_hits_of_other_years_show_that_the_filter_was_ignored() -> None:
    found = hits(hit(1, "T", "2024-03-01"), hit(2, "T", "2016-03-01"))
    result = await call(platform, FakeUpstream({SEARCH: found}), "search_literature", text="BRAF", year=2024)
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "PMID 2 is of 2016" in result.content["error"]["message"]


@pytest.mark.case("C040")
async def test_a_filter_that_takes_nothing_away_is_told() -> None:
    upstream = FakeUpstream({SEARCH: hits(hit(1, "T"))})
    result = await call(platform, upstream, "search_literature", text="BRAF", journal="Lancet")
    assert "took nothing away" in result.content["note"]


async def test_a_filter_value_that_nobody_has_is_told_from_a_text_that_finds_nothing() -> None:
    facets = {"type": [{"name": "Journal Article", "value": 5}, {"name": "Review", "value": 2}]}
    upstream = FakeUpstream({f"{SEARCH}?filters": hits(), SEARCH: hits(hit(1, "T"), count=7, facets=facets)})
    result = await call(platform, upstream, "search_literature", text="@GENE_BRAF", publication_type="Overview")
    assert (result.content["outcome"], result.content["total"]) == ("empty", 0)
    assert "Without filters there are 7" in result.content["note"] and "Journal Article" in result.content["note"]
    assert result.content["data"]["count_without_filters"] == 7


async def test_an_id_in_the_wrong_case_is_unknown_and_the_right_one_is_named() -> None:
    rows = [entity_row("@CHEMICAL_Dacarbazine", "Dacarbazine", "ncbi_mesh", "D003606")]
    upstream = FakeUpstream({SEARCH: hits(), LOOKUP: Played(rows)})
    result = await call(platform, upstream, "search_literature", text="@CHEMICAL_dacarbazine AND melanoma")
    assert result.content["outcome"] == "unknown_id"
    assert result.content["data"] == {"identifier": "@CHEMICAL_dacarbazine", "replacement": "@CHEMICAL_Dacarbazine"}
    assert "query=dacarbazine&concept=CHEMICAL" in upstream.asked[1]


async def test_words_and_ids_by_number_are_not_looked_up() -> None:
    upstream = FakeUpstream({SEARCH: hits()})
    result = await call(platform, upstream, "search_literature", text="xyzzy OR @GENE_99999999")
    assert result.content["outcome"] == "empty"
    assert len(upstream.requests) == 1


@pytest.mark.case("C040")
async def test_hits_that_not_should_have_kept_out_are_left_out_and_told() -> None:
    marked = "in @DISEASE_Melanoma @DISEASE_MESH:D008545 @@@melanoma@@@"
    found = hits(hit(1, "BRAF in thyroid cancer"), hit(2, "BRAF", marked=marked), hit(3, "BRAF in Melanoma"), count=90)
    upstream = FakeUpstream({SEARCH: found})
    for text in ("BRAF NOT melanoma", "BRAF AND NOT (melanoma OR @DISEASE_Melanoma)"):
        result = await call(platform, upstream, "search_literature", text=text)
        assert [row["pmid"] for row in result.content["data"]["articles"]] == ["1"]
        assert "total" not in result.content and "NOT should have kept out" in result.content["note"]


async def test_a_wrong_text_is_refused_before_anything_is_asked() -> None:
    upstream = FakeUpstream({})
    result = await call(platform, upstream, "search_literature", text="(BRAF OR KRAS")
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert result.content["error"]["argument"] == "text"
    assert upstream.requests == []


@pytest.mark.case("C042")
async def test_a_throttled_look_up_after_an_empty_search_is_no_empty_result() -> None:
    upstream = FakeUpstream({SEARCH: hits(), LOOKUP: Played("Too many requests", 429)})
    result = await call(platform, upstream, "search_literature", text="@GENE_BRAF")
    assert result.content["error"]["code"] == "upstream_rate_limited"


async def test_a_name_nobody_has_is_empty() -> None:
    result = await call(platform, FakeUpstream(NO_ENTITY), "find_entity", query="zzzznotarealterm", concept="gene")
    assert (result.content["outcome"], result.content["data"]) == ("empty", [])
    assert "no gene entity" in result.content["note"]
