"""Every PubMed tool: nothing found, an unknown number and a failed source never turn into one another."""

from typing import Any

import pytest

from mcp_server.platforms.pubmed import platform
from tests.mcp_server.platforms.pubmed_answers import (
    EMPTY_SET,
    NO_SUMMARY,
    TOOLS,
    example,
    found,
    links,
    paper,
    played,
    summaries,
)
from tests.mcp_server.played import Played, call

XML = '<?xml version="1.0" encoding="UTF-8" ?>\n'
NO_URL = (
    f"{XML}<eLinkResult><LinkSet><IdUrlList><IdUrlSet><Id>10611131</Id></IdUrlSet></IdUrlList></LinkSet></eLinkResult>"
)
NO_SPELLING = f"{XML}<eSpellResult><CorrectedQuery></CorrectedQuery><ERROR/></eSpellResult>"
NO_FILES = (
    f'{XML}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><KeyCount>0</KeyCount></ListBucketResult>'
)
NOT_IN_PMC = {"records": [{"requested-id": "20516115", "pmid": 20516115, "status": "error", "errmsg": "not found"}]}
IN_PMC = {"records": [{"requested-id": "PMC9984800", "pmid": 36842301, "pmcid": "PMC9984800"}]}

# The answers, in their order, with which a tool finds nothing, and the arguments that differ from the example's.
EMPTY: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "search_articles": ([found()], {}),
    "search_pmc_full_text": ([found()], {}),
    "check_query": ([NO_SPELLING, found()], {}),
    "count_articles_by_year": ([found(), found(), found()], {}),
    "find_trial_publications": ([found()], {}),
    "lookup_mesh_term": ([found()], {}),
    "lookup_journal": ([found()], {}),
    "find_similar_articles": ([links("pubmed", "37258680"), summaries(paper("37258680"))], {}),
    "get_linked_records": ([links("pubmed", "26846451"), summaries(paper("26846451"))], {}),
    "find_articles_for_record": ([links("clinvar", "13961"), summaries({"uid": "13961"})], {}),
    "get_full_text_links": ([NO_URL, summaries(paper("10611131"))], {}),
    "match_citation": (["a|1|2|3|b|1|NOT_FOUND;INVALID_JOURNAL\n"], {"citations": ["a|1|2|3|b"]}),
    "get_pmc_full_text": ([NOT_IN_PMC, summaries(paper("20516115"))], {"article_id": "20516115"}),
    "list_open_access_files": ([NO_FILES, IN_PMC], {}),
}
UNKNOWN: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "get_articles": ([EMPTY_SET], {}),
    "convert_ids": ([{"records": []}, NO_SUMMARY], {"ids": ["99999999"]}),
    "find_similar_articles": ([links("pubmed", "37258680"), NO_SUMMARY], {}),
    "get_linked_records": ([links("pubmed", "26846451"), NO_SUMMARY], {}),
    "find_articles_for_record": ([links("clinvar", "13961"), NO_SUMMARY], {}),
    "get_full_text_links": ([NO_URL, NO_SUMMARY], {}),
    "format_citations": ([NO_SUMMARY], {}),
    "get_citation_metrics": ([{"data": []}], {}),
    "check_retractions": ([EMPTY_SET], {}),
    "get_pmc_full_text": ([f"{XML}<pmc-articleset><Reply Id='3040717' error='not available'/></pmc-articleset>"], {}),
    "list_open_access_files": ([NO_FILES, {"records": [{"requested-id": "PMC9984800", "status": "error"}]}], {}),
}


def test_each_tool_is_shown_with_nothing_found_or_an_unknown_number() -> None:
    assert set(EMPTY) | set(UNKNOWN) == set(TOOLS)


@pytest.mark.parametrize("tool", EMPTY)
async def test_nothing_found_is_empty_and_says_what_was_looked_for(tool: str) -> None:
    answers, others = EMPTY[tool]
    envelope = await call(platform, played(*answers), tool, **{**TOOLS[tool].example, **others})
    assert envelope.content["outcome"] == "empty", envelope.content
    assert len(envelope.content["note"]) > 15
    assert envelope.content.get("next") is None


@pytest.mark.case("C032")
@pytest.mark.parametrize("tool", UNKNOWN)
async def test_an_unknown_number_is_named_and_not_cited(tool: str) -> None:
    answers, others = UNKNOWN[tool]
    envelope = await call(platform, played(*answers), tool, **{**TOOLS[tool].example, **others})
    assert envelope.content["outcome"] == "unknown_id", envelope.content
    assert envelope.content["note"] and envelope.meta["burp/citations"] == []


@pytest.mark.case("C042")
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_throttled_call_is_a_failure_that_hides_the_address(tool: str, no_backoff: None) -> None:
    play = Played()
    for _ in range(4):
        play.answer("https://", {"error": "API rate limit exceeded", "api-key": "203.0.113.7", "count": "4"}, 429)
    envelope = await call(platform, play, tool, **TOOLS[tool].example)
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "upstream_rate_limited"
    assert "203.0.113.7" not in str(envelope)


@pytest.mark.case("C042")
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_web_page_in_place_of_an_answer_is_a_failure(tool: str) -> None:
    page = "<!doctype html><html><head><title>Maintenance</title></head><body>Back soon</body></html>"
    envelope = await call(platform, Played().answer("https://", page), tool, **TOOLS[tool].example)
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert "<html" not in envelope.content["error"]["message"]


LINK_SERVER = "Couldn't resolve #exLinkSrv2, the address table is empty."


@pytest.mark.parametrize(
    ("tool", "body", "others"),
    [
        ("find_similar_articles", {"linksets": [{"ERROR": LINK_SERVER}]}, {}),
        ("find_articles_for_record", {"ERROR": LINK_SERVER}, {}),
        ("get_full_text_links", f"{XML}<eLinkResult><ERROR>{LINK_SERVER}</ERROR></eLinkResult>", {}),
        ("get_linked_records", f"{XML}<eLinkResult><ERROR>{LINK_SERVER}</ERROR></eLinkResult>", {"database": "all"}),
    ],
)
async def test_a_link_server_that_is_down_is_no_article_without_links(
    tool: str, body: Any, others: dict[str, str], no_backoff: None
) -> None:
    envelope = await call(platform, played(body), tool, **{**TOOLS[tool].example, **others})
    assert envelope.content["error"]["code"] == "upstream_unavailable"
    assert "exLinkSrv2" in envelope.content["error"]["message"]


@pytest.mark.parametrize("tool", ["get_full_text_links", "check_query"])
async def test_an_answer_that_ends_after_its_first_line_is_a_failure(tool: str) -> None:
    envelope = await call(platform, played(XML), tool, **TOOLS[tool].example)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C033")
@pytest.mark.parametrize("tool", ["find_similar_articles", "get_linked_records", "find_articles_for_record"])
async def test_links_of_another_record_are_refused(tool: str) -> None:
    envelope = await call(platform, played(links("pubmed", "1", pubmed_gene=["2"])), tool, **TOOLS[tool].example)
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C033")
@pytest.mark.parametrize("number", ["pmcid", "pmid"])
async def test_the_text_of_another_article_is_refused(number: str) -> None:
    text = example("get_pmc_full_text")
    if number == "pmcid":
        play, asked = played(text.replace("PMC3040717<", "PMC3040718<")), "PMC3040717"
    else:
        converter = {"records": [{"requested-id": "25977344", "pmid": 25977344, "pmcid": "PMC3040717"}]}
        play, asked = played(converter, text), "25977344"
    envelope = await call(platform, play, "get_pmc_full_text", article_id=asked)
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "upstream_bad_response"
