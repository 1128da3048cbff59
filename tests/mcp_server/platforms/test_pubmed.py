"""PubMed: searches with their warnings, records with all their text, identifiers with what is missing."""

from typing import Any

import pytest

from mcp_server.config import ServerConfig
from mcp_server.http.rate_limit import RateLimits
from mcp_server.platforms.pubmed import platform
from mcp_server.server import ToolServer
from tests.mcp_server.played import Played, call, data

EMPTY_SET = '<?xml version="1.0" ?>\n<PubmedArticleSet>\n</PubmedArticleSet>'


def found(*pmids: str, count: int = 0, **parts: Any) -> dict[str, Any]:
    """Return an esearch answer."""
    result = {"count": str(count or len(pmids)), "idlist": list(pmids), "querytranslation": "q", **parts}
    return {"header": {"type": "esearch"}, "esearchresult": result}


def summaries(**titles: str) -> dict[str, Any]:
    """Return an esummary answer; the names are PMIDs with a leading `p`."""
    records = {
        name[1:]: {
            "uid": name[1:],
            "title": title,
            "source": "N Engl J Med",
            "pubdate": "2012 Jul 12",
            "authors": [{"name": "Flaherty KT"}],
            "articleids": [
                {"idtype": "doi", "value": "10.1056/NEJMoa1203421"},
                {"idtype": "pmcid", "value": "pmc-id: PMC1;"},
            ],
        }
        for name, title in titles.items()
    }
    return {"result": {"uids": list(records), **records}}


def article(pmid: str) -> str:
    """Return a minimal article."""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>T{pmid}</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle>"
    )


def articles(*pmids: str) -> str:
    """Return an efetch answer."""
    return f'<?xml version="1.0" ?><PubmedArticleSet>{"".join(map(article, pmids))}</PubmedArticleSet>'


async def test_a_search_returns_titles_count_translation_and_the_way_on() -> None:
    played = Played().answer("esearch", found("22663011", count=115)).answer("esummary", summaries(p22663011="MEK."))
    envelope = await call(platform, played, "search_articles", query="BRAF melanoma", limit=1)
    assert envelope.content == {
        "outcome": "data",
        "data": {
            "count": 115,
            "querytranslation": "q",
            "warnings": {},
            "articles": [
                {
                    "pmid": "22663011",
                    "title": "MEK.",
                    "firstauthor": "Flaherty KT",
                    "source": "N Engl J Med",
                    "pubdate": "2012 Jul 12",
                    "doi": "10.1056/NEJMoa1203421",
                }
            ],
        },
        "total": 115,
        "returned": 1,
        "next": {"offset": 1},
    }
    assert [citation["identifier"] for citation in envelope.meta["burp/citations"]] == ["22663011"]
    assert played.query(0)["sort"] == "relevance"
    assert played.query(1)["id"] == "22663011"


@pytest.mark.case("C035")
async def test_words_that_pubmed_dropped_are_part_of_the_result() -> None:
    answer = found("1", count=540, warninglist={"quotedphrasesnotfound": ["unicornwombatxyz"], "phrasesignored": []})
    played = Played().answer("esearch", answer).answer("esummary", summaries(p1="One"))
    envelope = await call(platform, played, "search_articles", query='"JAK2 V617F" unicornwombatxyz')
    assert envelope.content["data"]["warnings"] == {"quotedphrasesnotfound": ["unicornwombatxyz"]}
    assert "unicornwombatxyz" in envelope.content["note"] and "wider query" in envelope.content["note"]


async def test_nothing_found_is_empty_with_pubmeds_reasons() -> None:
    answer = found(errorlist={"phrasesnotfound": ["abcXYZ"]}, warninglist={"outputmessages": ["No items found."]})
    answer["esearchresult"]["count"] = "0"
    envelope = await call(platform, Played().answer("esearch", answer), "search_articles", query="abcXYZ")
    assert envelope.content["outcome"] == "empty" and envelope.content["total"] == 0
    assert envelope.content["data"]["warnings"]["phrasesnotfound"] == ["abcXYZ"]


async def test_a_hit_without_a_summary_is_not_lost() -> None:
    played = Played().answer("esearch", found("1", "2")).answer("esummary", summaries(p2="Two"))
    envelope = await call(platform, played, "search_articles", query="x")
    assert [row["pmid"] for row in envelope.content["data"]["articles"]] == ["1", "2"]


async def test_titles_of_summaries_lose_their_markup_and_keep_their_words() -> None:
    title = "The role of &lt;i&gt;EGFR&lt;/i&gt; and Ca<sup>2+</sup> in NSCLC."
    played = Played().answer("esearch", found("1")).answer("esummary", summaries(p1=title))
    envelope = await call(platform, played, "search_articles", query="x")
    assert envelope.content["data"]["articles"][0]["title"] == "The role of EGFR and Ca^2+ in NSCLC."


async def test_a_fault_inside_a_good_status_is_a_failure() -> None:
    body = '{"esearchresult":{"ERROR":"Search Backend failed: Exception:\nretstart too large"}}'
    envelope = await call(platform, Played().answer("esearch", body), "search_articles", query="x")
    assert envelope.content["error"]["code"] == "upstream_unavailable"
    assert "retstart too large" in envelope.content["error"]["message"]


@pytest.mark.case("C042")
@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("search_articles", {"query": "x"}, "esearch"),
        ("get_articles", {"pmids": ["22663011"]}, "efetch"),
        ("convert_ids", {"ids": ["22663011"]}, "idconv"),
    ],
)
async def test_a_throttled_call_is_never_zero_papers(
    tool: str, arguments: dict[str, Any], path: str, no_backoff: None
) -> None:
    played = Played()
    for _ in range(4):
        played.answer(path, {"error": "API rate limit exceeded", "api-key": "203.0.113.7", "count": "4"}, 429)
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["outcome"] == "failed"
    assert envelope.content["error"]["code"] == "upstream_rate_limited"
    assert "203.0.113.7" not in str(envelope)


@pytest.mark.case("C042")
@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [("search_articles", {"query": "x"}, "esearch"), ("get_articles", {"pmids": ["22663011"]}, "efetch")],
)
async def test_a_web_page_instead_of_records_is_never_zero_papers(
    tool: str, arguments: dict[str, Any], path: str
) -> None:
    played = Played().answer(path, "<!doctype html><html><title>Maintenance</title>Back soon</html>")
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert "Back soon" in envelope.content["error"]["message"] and "<html" not in envelope.content["error"]["message"]


@pytest.mark.case("C042")
@pytest.mark.parametrize("body", ['<?xml version="1.0" ?>\n', '<?xml version="1.0" ?><PubmedArticleSet><Pubmed'])
async def test_a_cut_record_is_a_failure_and_not_an_empty_set(body: str) -> None:
    envelope = await call(platform, Played().answer("efetch", body), "get_articles", pmids=["22663011"])
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C034")
async def test_all_text_of_title_and_abstract_is_kept() -> None:
    played = Played().answer("efetch", data("pubmed", "markup.xml"))
    envelope = await call(platform, played, "get_articles", pmids=["PMID: 30735122"])
    (found_article,) = envelope.content["data"]["articles"]
    assert found_article == {
        "pmid": "30735122",
        "title": "TIC236 gain-of-function mutations, Ca^2+ and H_2O & more: an end.",
        "abstract": "BACKGROUND: The BRAF V600E variant, P<0.001.\nRESULTS: About 50% responded.",
        "journal": "Plant journal",
        "pubdate": "2018 Nov-Dec",
        "volume": "8",
        "authors": ["Chen A", "TIC Investigators"],
        "authorCount": 2,
        "doi": "10.1000/own",
        "pubtypes": ["Journal Article"],
        "mesh": ["Melanoma/drug therapy*"],
        "databanks": [{"name": "ClinicalTrials.gov", "accessions": ["NCT01245062"]}],
        "corrections": [{"type": "RetractionIn", "pmid": "33000000", "source": "Plant J. 2020;9:1"}],
    }


@pytest.mark.case("C032")
async def test_only_unknown_numbers_give_an_unknown_id_with_the_list_of_them() -> None:
    envelope = await call(
        platform, Played().answer("efetch", EMPTY_SET), "get_articles", pmids=["99999999", "99999998"]
    )
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"] == {"articles": [], "missing": ["99999999", "99999998"]}
    assert "do not cite" in envelope.content["note"]
    assert envelope.meta["burp/citations"] == []


@pytest.mark.case("C032")
async def test_an_unknown_number_among_known_ones_is_listed() -> None:
    played = Played().answer("efetch", articles("22663011"))
    envelope = await call(platform, played, "get_articles", pmids=["99999999", "22663011", "22663011"])
    assert envelope.content["data"]["missing"] == ["99999999"]
    assert [each["pmid"] for each in envelope.content["data"]["articles"]] == ["22663011"]
    assert (envelope.content["total"], envelope.content["returned"]) == (2, 1)


@pytest.mark.case("C033")
async def test_a_record_of_another_number_is_not_taken_for_the_one_asked_for() -> None:
    envelope = await call(platform, Played().answer("efetch", articles("11111111")), "get_articles", pmids=["25977344"])
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"] == {"articles": [], "missing": ["25977344"]}


@pytest.mark.case("C033")
@pytest.mark.parametrize("value", ["PMC3040717", "10.1056/NEJMoa1203421", "22663011,1", "NCT01245062"])
async def test_numbers_of_other_series_are_refused_as_pmids(value: str) -> None:
    envelope = await call(platform, Played(), "get_articles", pmids=[value])
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
    assert envelope.content["error"]["argument"] == "pmids"


@pytest.mark.case("C031")
async def test_not_in_pmc_is_said_as_in_pubmed_without_a_copy() -> None:
    converter = {
        "status": "ok",
        "records": [
            {
                "pmid": 22663011,
                "requested-id": "22663011",
                "status": "error",
                "errmsg": "Identifier not found in PMC",
            }
        ],
    }
    played = Played().answer("idconv", converter).answer("esummary", summaries(p22663011="MEK."))
    envelope = await call(platform, played, "convert_ids", ids=["22663011"])
    assert envelope.content == {
        "outcome": "data",
        "data": {
            "records": [
                {
                    "requested": "22663011",
                    "pmid": "22663011",
                    "in_pmc": False,
                    "title": "MEK.",
                    "doi": "10.1056/NEJMoa1203421",
                    "in_pubmed": True,
                }
            ],
            "missing": [],
        },
        "total": 1,
        "returned": 1,
        "note": "In PubMed, without a copy in PubMed Central: 22663011.",
    }
    assert [citation["identifier"] for citation in envelope.meta["burp/citations"]] == ["22663011"]


async def test_kinds_of_identifiers_are_asked_for_apart() -> None:
    pmc = {"records": [{"pmid": 36842301, "pmcid": "PMC9984800", "doi": "10.1/x", "requested-id": "PMC9984800"}]}
    pmid = {"records": [{"pmid": 1, "pmcid": "PMC1", "requested-id": "1"}]}
    played = (
        Played()
        .answer("idtype=pmid", pmid)
        .answer("idtype=pmcid", pmc)
        .answer("esummary", summaries(p1="1", p36842301="2"))
    )
    envelope = await call(platform, played, "convert_ids", ids=["pmc9984800", "PMID: 1"])
    assert [(each["requested"], each["in_pmc"]) for each in envelope.content["data"]["records"]] == [
        ("1", True),
        ("PMC9984800", True),
    ]


async def test_a_doi_outside_pmc_is_looked_up_in_pubmed() -> None:
    converter = {"records": [{"requested-id": "10.1056/nejmoa1203421", "status": "error", "errmsg": "not found"}]}
    played = (
        Played()
        .answer("idconv", converter)
        .answer("esearch", found("22663011"))
        .answer("esummary", summaries(p22663011="MEK."))
    )
    envelope = await call(platform, played, "convert_ids", ids=["https://doi.org/10.1056/NEJMoa1203421"])
    (record,) = envelope.content["data"]["records"]
    assert (record["pmid"], record["in_pmc"], record["in_pubmed"]) == ("22663011", False, True)


@pytest.mark.case("C032")
async def test_identifiers_that_nobody_knows_are_listed_and_not_cited() -> None:
    converter = {"records": [{"requested-id": "99999999", "status": "error", "errmsg": "Identifier not found in PMC"}]}
    played = Played().answer("idconv", converter).answer("esummary", {"result": {"uids": []}})
    envelope = await call(platform, played, "convert_ids", ids=["99999999"])
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"] == {"records": [], "missing": ["99999999"]}
    assert envelope.meta["burp/citations"] == []


async def test_what_is_no_article_identifier_is_refused_before_asking() -> None:
    envelope = await call(platform, Played(), "convert_ids", ids=["NCT01245062"])
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"


@pytest.mark.case("C076")
async def test_key_and_contact_go_to_eutils_only_and_into_no_result(no_backoff: None) -> None:
    converter = {"records": [{"requested-id": "1", "pmcid": "PMC1", "pmid": 1}]}
    played = Played().answer("idconv", converter)
    for _ in range(4):
        played.answer("esummary", '{"error":"API rate limit exceeded","api-key":"SECRETKEY"}', 429)
    config = ServerConfig(upstreams="live", ncbi_api_key="SECRETKEY", contact="contact.example")
    server = ToolServer([platform], config, played)
    server.limits = RateLimits(unlimited=True)
    envelope = await server.call("pubmed__convert_ids", {"ids": ["1"]})
    assert "api_key" not in played.query(0)
    assert played.query(1)["api_key"] == "SECRETKEY" and played.query(1)["email"] == "contact.example"
    assert envelope.content["error"]["code"] == "upstream_rate_limited"
    assert "SECRETKEY" not in str(envelope) and "contact.example" not in str(envelope)
