"""PubMed searches with filters, whole records and PubMed Central: what is asked reaches the request, texts go on."""

from typing import Any

import pytest

from mcp_server.platforms.pubmed import platform
from tests.mcp_server.platforms.pubmed_answers import example, found, paper, played, summaries
from tests.mcp_server.played import Played, call


async def test_filters_of_a_search_reach_the_request() -> None:
    play = played(found("1"), summaries(paper("1")))
    await call(
        platform,
        play,
        "search_articles",
        query="melanoma OR nevus",
        date_from="2020/01",
        date_type="entered",
        publication_types=["Review", "Meta-Analysis"],
        has_abstract=True,
    )
    asked = play.query(0)
    assert asked["term"] == "(melanoma OR nevus) AND (Review[pt] OR Meta-Analysis[pt]) AND hasabstract"
    assert (asked["datetype"], asked["mindate"], asked["maxdate"]) == ("edat", "2020/01", "3000")


async def test_a_search_without_filters_stays_as_it_was_written() -> None:
    play = played(found())
    await call(platform, play, "search_articles", query="a OR b")
    assert play.query(0)["term"] == "a OR b" and "datetype" not in play.query(0)


@pytest.mark.parametrize("dates", [{"date_from": "2020", "date_to": "2019/12"}, {"date_from": "last year"}])
async def test_dates_that_make_no_span_are_refused(dates: dict[str, str]) -> None:
    envelope = await call(platform, Played(), "search_articles", query="x", **dates)
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"


RECORD = (
    '<?xml version="1.0" ?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>5</PMID><Article>'
    "<ArticleTitle>T</ArticleTitle><AuthorList>"
    + "".join(
        f"<Author><LastName>A{n}</LastName><Initials>B</Initials><AffiliationInfo><Affiliation>Clinic. Electronic "
        "address: a@example.org.</Affiliation></AffiliationInfo></Author>"
        for n in range(12)
    )
    + "</AuthorList><GrantList><Grant><GrantID>R01</GrantID><Agency>NCI</Agency></Grant></GrantList></Article>"
    "</MedlineCitation><PubmedData><ReferenceList><Reference><Citation>Miki Y. Science. 1994.</Citation><ArticleIdList>"
    '<ArticleId IdType="pubmed">7545954</ArticleId></ArticleIdList></Reference></ReferenceList></PubmedData>'
    "</PubmedArticle></PubmedArticleSet>"
)


async def test_long_lists_of_a_record_come_when_they_are_wanted() -> None:
    wanted = ["authors", "affiliations", "grants", "references"]
    envelope = await call(platform, played(RECORD), "get_articles", pmids=["5"], include=wanted)
    (row,) = envelope.content["data"]["articles"]
    assert len(row["authors"]) == row["authorCount"] == 12
    assert row["affiliations"] == ["Clinic."]
    assert row["grants"] == [{"id": "R01", "agency": "NCI"}]
    assert row["references"] == [{"citation": "Miki Y. Science. 1994.", "pmid": "7545954"}]


async def test_a_record_is_short_unless_more_is_wanted() -> None:
    envelope = await call(platform, played(RECORD), "get_articles", pmids=["5"])
    (row,) = envelope.content["data"]["articles"]
    assert len(row["authors"]) == 10 and not {"affiliations", "grants", "references"} & set(row)


async def test_summaries_of_many_articles_come_without_abstracts() -> None:
    play = played(summaries(paper("5", "Five."), paper("7", "Seven.")))
    envelope = await call(platform, play, "get_articles", pmids=["7", "5", "9"], detail="summary")
    assert [row["title"] for row in envelope.content["data"]["articles"]] == ["Seven.", "Five."]
    assert envelope.content["data"]["missing"] == ["9"]
    assert "esummary" in play.requests[0].url


@pytest.mark.parametrize(
    ("others", "argument"),
    [
        ({"pmids": [str(n) for n in range(1, 52)]}, "pmids"),
        ({"pmids": ["5"], "detail": "summary", "include": ["grants"]}, "include"),
        ({"pmids": [str(n) for n in range(1, 202)], "detail": "summary"}, "pmids"),
    ],
)
async def test_more_than_a_record_call_brings_is_refused(others: dict[str, Any], argument: str) -> None:
    envelope = await call(platform, Played(), "get_articles", **others)
    assert envelope.content["error"]["argument"] == argument


async def test_hits_in_whole_texts_carry_all_numbers_of_an_article() -> None:
    play = played(example("search_pmc_full_text", 1), example("search_pmc_full_text", 2))
    envelope = await call(platform, play, "search_pmc_full_text", query="attention", open_access_only=True, limit=1)
    assert envelope.content["data"]["articles"] == [
        {
            "pmcid": "PMC7771231",
            "pmid": "33328347",
            "doi": "10.1128/mSphere.00562-20",
            "title": "Nasal Tissue Extraction Is Essential",
            "source": "mSphere",
            "pubdate": "2020 Dec 16",
        }
    ]
    assert play.query(0)["term"] == "(attention) AND open access[filter]" and play.query(0)["db"] == "pmc"
    assert (envelope.content["total"], envelope.content["next"]) == (120, {"offset": 1})


async def text_of(**others: Any) -> dict[str, Any]:
    """Call for the example's text and return the content."""
    envelope = await call(
        platform, played(example("get_pmc_full_text")), "get_pmc_full_text", article_id="pmc3040717.1", **others
    )
    return envelope.content


@pytest.mark.case("C034")
async def test_a_text_comes_by_sections_with_captions_apart() -> None:
    content = await text_of()
    data = content["data"]
    assert data["title"] == "Analysis of missense variations in the BRCT domain of BRCA1"
    assert [(each["title"], each["type"], each["text"]) for each in data["sections"]] == [
        ("Abstract", "abstract", "Genetic screening finds BRCA1 variants."),
        ("Introduction", "intro", "Truncating variants raise the risk1."),
        (
            "Materials and Methods / Proteolysis",
            "sec",
            "Variants such as M1783I were digested at 4 C for 10^2 s.",
        ),
        ("Acknowledgments", "ack", "We thank the families."),
    ]
    assert data["figures"] == [{"label": "Figure 1", "caption": "Digestion of the variants."}]
    assert (data["license"], "references" in data) == ("This file is available for text mining.", False)
    assert data["counted"] == "characters"
    assert content["total"] == content["returned"] == sum(each["chars"] for each in data["outline"])


async def test_sections_are_chosen_by_heading_and_the_outline_stays_whole() -> None:
    content = await text_of(sections=["methods"], include_references=True)
    assert [each["title"] for each in content["data"]["sections"]] == ["Materials and Methods / Proteolysis"]
    assert len(content["data"]["outline"]) == 4
    assert content["data"]["references"] == [{"text": "Miki Y A strong candidate gene Science 1994", "pmid": "7545954"}]


async def test_a_section_that_is_not_there_answers_with_the_outline() -> None:
    content = await text_of(sections=["cheese"])
    assert content["outcome"] == "empty"
    assert "outline" in content["note"] and len(content["data"]["outline"]) == 4


async def test_a_long_text_goes_on_where_it_was_cut() -> None:
    body = example("get_pmc_full_text").replace("We thank the families.", "x" * 900)
    pieces, start = [], 0
    while start is not None:
        envelope = await call(
            platform, played(body), "get_pmc_full_text", article_id="PMC3040717", max_chars=500, start_char=start
        )
        pieces += [each["text"] for each in envelope.content["data"]["sections"]]
        start = envelope.content.get("next", {}).get("start_char")
    whole = await call(platform, played(body), "get_pmc_full_text", article_id="PMC3040717")
    assert "".join(pieces) == "".join(each["text"] for each in whole.content["data"]["sections"])
    assert len(pieces) > 4


async def test_front_matter_alone_is_said_to_be_no_full_text() -> None:
    text = example("get_pmc_full_text")
    front = text[: text.index("<body>")] + "</article></pmc-articleset>"
    envelope = await call(platform, played(front), "get_pmc_full_text", article_id="PMC3040717")
    assert "only the front matter" in envelope.content["note"]
    assert [each["type"] for each in envelope.content["data"]["sections"]] == ["abstract"]


@pytest.mark.case("C031")
async def test_an_article_without_a_copy_is_said_to_be_in_pubmed() -> None:
    converter = {"records": [{"requested-id": "22663011", "pmid": 22663011, "status": "error", "errmsg": "not found"}]}
    play = played(converter, summaries(paper("22663011")))
    envelope = await call(platform, play, "get_pmc_full_text", article_id="22663011")
    assert envelope.content["note"] == "PMID 22663011 is in PubMed, without a copy in PubMed Central."


async def test_the_number_of_2024_without_its_prefix_is_read() -> None:
    text = example("get_pmc_full_text").replace('"pmcid">PMC3040717', '"pmc">3040717')
    envelope = await call(platform, played(text), "get_pmc_full_text", article_id="PMC3040717")
    assert envelope.content["data"]["pmcid"] == "PMC3040717"


async def test_files_have_web_addresses_and_a_licence() -> None:
    play = played(example("list_open_access_files", 1), example("list_open_access_files", 2))
    envelope = await call(platform, play, "list_open_access_files", pmcid="PMC9984800")
    data = envelope.content["data"]
    base = "https://pmc-oa-opendata.s3.amazonaws.com/PMC9984800.1/"
    assert (data["license_code"], data["is_retracted"]) == ("CC BY-NC-ND", False)
    assert (data["pdf_url"], data["media_urls"]) == (f"{base}PMC9984800.1.pdf", [f"{base}gr1.jpg"])
    assert [request.url.partition("?")[0] for request in play.requests] == [
        "https://pmc-oa-opendata.s3.amazonaws.com/",
        f"{base}PMC9984800.1.json",
    ]
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["PMC9984800", "36842301"]


async def test_the_newest_version_is_taken_and_what_may_not_be_passed_on_is_said() -> None:
    listing = example("list_open_access_files", 1).replace(
        "<Prefix>PMC9984800.1/", "<Prefix>PMC9984800.10/</Prefix><Prefix>PMC9984800.2/"
    )
    record = {"pmcid": "PMC9984800", "is_pmc_openaccess": False, "is_retracted": True, "license_code": "TDM"}
    play = played(listing, record)
    envelope = await call(platform, play, "list_open_access_files", pmcid="PMC9984800")
    assert play.requests[1].url.endswith("PMC9984800.10/PMC9984800.10.json")
    assert "retracted" in envelope.content["note"] and "not open access" in envelope.content["note"]


@pytest.mark.case("C033")
async def test_files_of_another_article_are_refused() -> None:
    play = played(example("list_open_access_files", 1), {"pmcid": "PMC1"})
    envelope = await call(platform, play, "list_open_access_files", pmcid="PMC9984800")
    assert envelope.content["error"]["code"] == "upstream_bad_response"


async def test_tables_come_with_their_rows_when_they_are_wanted() -> None:
    table = (
        "<table-wrap><label>Table 1</label><caption><p>Activity</p></caption><table><thead><tr><th>Variant</th>"
        "<th>Activity</th></tr></thead><tbody><tr><td>M1783I</td><td>10<sup>-2</sup></td></tr></tbody></table></table-wrap>"
    )
    text = example("get_pmc_full_text").replace("<fig>", f"{table}<fig>")
    for wanted, rows in ((False, None), (True, [["Variant", "Activity"], ["M1783I", "10^-2"]])):
        envelope = await call(
            platform, played(text), "get_pmc_full_text", article_id="PMC3040717", include_tables=wanted
        )
        (found_table,) = envelope.content["data"]["tables"]
        assert (found_table["label"], found_table["caption"], found_table.get("rows")) == ("Table 1", "Activity", rows)
        assert "M1783I were digested" in envelope.content["data"]["sections"][2]["text"]
