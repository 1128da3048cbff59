"""Europe PMC: what is sent for each argument, and that the answer is what was asked for."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from mcp_server.envelope import Envelope
from mcp_server.platforms.europepmc import platform
from tests.mcp_server.platforms.europepmc_cases import BRCT, CITED, CITING, LINKS, hits, one, page, record
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any


async def asked(upstream: FakeUpstream, tool: str, **arguments: Json) -> Envelope:
    return await call(platform, upstream, tool, **arguments)


def query(upstream: FakeUpstream, number: int = 0) -> dict[str, str]:
    """Return the parameters of a request."""
    request = upstream.requests[number]
    text = request.text if request.text is not None else urlsplit(request.url).query
    return {name: values[0] for name, values in parse_qs(text).items()}


USUAL = "(SRC:MED OR SRC:PMC OR SRC:PPR)"


@pytest.mark.case("C040")
@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({}, f"(BRAF OR KRAS) AND {USUAL}"),
        ({"sources": ["PPR"]}, "(BRAF OR KRAS) AND (SRC:PPR)"),
        ({"open_access": True}, f"(BRAF OR KRAS) AND {USUAL} AND OPEN_ACCESS:y"),
        ({"date_from": "2024"}, f"(BRAF OR KRAS) AND {USUAL} AND FIRST_PDATE:[2024-01-01 TO 3000-12-31]"),
        ({"date_to": "2024-02"}, f"(BRAF OR KRAS) AND {USUAL} AND FIRST_PDATE:[1600-01-01 TO 2024-02-29]"),
        (
            {"date_from": "2023/01/15", "date_to": "2023"},
            f"(BRAF OR KRAS) AND {USUAL} AND FIRST_PDATE:[2023-01-15 TO 2023-12-31]",
        ),
    ],
    ids=["usual sources", "one source", "open access", "from a year", "to a month", "both"],
)
async def test_filters_are_joined_by_and_behind_the_whole_query(arguments: dict[str, Json], sent: str) -> None:
    upstream = FakeUpstream({"/search": hits()})
    await asked(upstream, "search_articles", query="BRAF OR KRAS", **arguments)
    assert query(upstream)["query"] == sent


async def test_a_query_that_names_its_sources_is_sent_as_it_is() -> None:
    upstream = FakeUpstream({"/search": hits(cursor="x")})
    written = '(TITLE:"base editing" NOT PUB_TYPE:review) AND FIRST_PDATE:[2023-09-01 TO 2026-09-08] AND SRC:PPR'
    result = await asked(upstream, "search_articles", query=written, sort="cited", page_size=50, synonyms=True)
    assert query(upstream) == {
        "query": written,
        "resultType": "core",
        "synonym": "true",
        "sort": "CITED desc",
        "pageSize": "50",
        "cursorMark": "*",
        "format": "json",
    }
    assert result.content["data"]["query"] == written


@pytest.mark.case("C040")
@pytest.mark.parametrize("written", ["a) OR (b", '"BRCA1', "(BRCA1", 'x "a\\" OR y'])
async def test_a_query_out_of_which_a_filter_could_fall_is_refused(written: str) -> None:
    upstream = FakeUpstream({})
    result = await asked(upstream, "search_articles", query=written, sources=["PPR"])
    assert result.content["error"]["argument"] == "query"
    assert upstream.requests == []


@pytest.mark.case("C040")
@pytest.mark.parametrize("arguments", [{"sources": ["PPR"]}, {"open_access": True}], ids=["source", "open access"])
async def test_a_filter_that_was_ignored_is_a_failure(arguments: dict[str, Json]) -> None:
    result = await asked(FakeUpstream({"/search": hits(BRCT)}), "search_articles", query="BRCA1", **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"date_from": "2024-13"}, "date_from"),
        ({"date_to": "2023-02-29"}, "date_to"),
        ({"date_from": "2024-06", "date_to": "2023"}, "date_to"),
        ({"sources": ["PUBMED"]}, "sources"),
        ({"page_size": 51}, "page_size"),
        ({"limit": 5}, "limit"),
    ],
)
async def test_what_cannot_be_sent_is_refused_by_name(arguments: dict[str, Json], name: str) -> None:
    upstream = FakeUpstream({})
    result = await asked(upstream, "search_articles", query="BRCA1", **arguments)
    assert (result.content["error"]["code"], result.content["error"]["argument"]) == ("tool_invalid_arguments", name)
    assert upstream.requests == []


async def test_a_long_query_goes_as_a_form() -> None:
    upstream = FakeUpstream({"/searchPOST": hits(BRCT)})
    long = " OR ".join(f"EXT_ID:{number}" for number in range(20_000_000, 20_000_100))
    result = await asked(upstream, "search_articles", query=long, sources=["MED"])
    assert (upstream.requests[0].method, query(upstream)["query"]) == ("POST", f"({long}) AND (SRC:MED)")
    assert result.content["total"] == 1


async def test_a_row_holds_numbers_title_authors_journal_and_counts() -> None:
    upstream = FakeUpstream({"/search": hits(record(
        pmcid="PMC3040717", doi="10.1158/0008-5472.can-09-4563",
        journalInfo={"journal": {"title": "Cancer research", "medlineAbbreviation": "Cancer Res"}},
        authorList={"author": [{"fullName": "Lee MS"}, {"fullName": "Green R"}]},
        abstractText="<h4>Aim</h4>To assay <i>BRCA1</i> (P<0.001).", pubTypeList={"pubType": ["Journal Article"]},
    ), count=133)})  # fmt: skip
    result = await asked(upstream, "search_articles", query="BRCA1")
    assert result.content["data"]["articles"] == [
        {
            "source": "MED",
            "id": "20516115",
            "pmid": "20516115",
            "pmcid": "PMC3040717",
            "doi": "10.1158/0008-5472.can-09-4563",
            "title": "A BRCA1 study.",
            "authors": "Lee MS, Green R.",
            "first_author": "Lee MS",
            "journal": "Cancer Res",
            "year": 2010,
            "date": "2010-06-01",
            "publication_types": ["Journal Article"],
            "abstract": "Aim: To assay BRCA1 (P<0.001).",
            "cited_by": 133,
            "open_access": False,
            "full_text_in_europe_pmc": True,
            "is_preprint": False,
            "url": "https://europepmc.org/article/MED/20516115",
        }
    ]
    assert (result.content["total"], result.content["returned"]) == (133, 1)
    assert result.meta["burp/citations"][0]["kind"] == "pmid"


async def test_a_preprint_is_marked_and_names_the_article_it_became() -> None:
    found = record("PPR", "PPR1302423", doi="10.64898/2026.08.20.745440", pubType="preprint",
                   bookOrReportDetails={"publisher": "bioRxiv"}, commentCorrectionList={"commentCorrection": [
                       {"id": "38289242", "source": "MED", "type": "Preprint of"}]})  # fmt: skip
    result = await asked(FakeUpstream({"/search": hits(found)}), "search_articles", query="base editing")
    (row,) = result.content["data"]["articles"]
    assert (row["is_preprint"], row["server"], row["published_pmid"]) == (True, "bioRxiv", "38289242")
    assert result.meta["burp/citations"] == [{
        "kind": "doi", "identifier": "10.64898/2026.08.20.745440", "label": row["title"],
        "url": "https://europepmc.org/article/PPR/PPR1302423",
    }]  # fmt: skip


async def test_an_article_without_a_year_takes_it_from_its_date_and_a_retraction_is_said() -> None:
    rows = [record("PMC", "PMC13013079", pubYear=None, firstPublicationDate="2026-03-26"),
            record("MED", "1", pubTypeList={"pubType": ["Retracted Publication"]})]  # fmt: skip
    result = await asked(FakeUpstream({"/search": hits(*rows)}), "search_articles", query="x", with_abstract=False)
    assert [row["year"] for row in result.content["data"]["articles"]] == [2026, 2010]
    assert result.content["data"]["articles"][1]["is_retracted"] is True
    assert "Retracted: 1." in result.content["note"]


async def test_pages_follow_the_mark_until_it_repeats() -> None:
    def answer(cursor: str | None) -> Played:
        return hits(BRCT, CITED_MED, count=3, cursor=cursor)

    CITED_MED = record("MED", "2")
    first = await asked(FakeUpstream({"/search": answer("AoE=")}), "search_articles", query="x", page_size=2)
    assert first.content["next"] == {"cursor": "AoE="}
    upstream = FakeUpstream({"/search": hits(record("MED", "3"), count=3, cursor="AoF=")})
    last = await asked(upstream, "search_articles", query="x", page_size=2, cursor="AoE=")
    assert query(upstream)["cursorMark"] == "AoE=" and "next" not in last.content
    behind = FakeUpstream({"/search": hits(count=3, cursor="AoE=")})
    result = await asked(behind, "search_articles", query="x", page_size=2, cursor="AoE=")
    assert (result.content["outcome"], result.content["returned"]) == ("data", 0)
    assert "no further rows" in result.content["note"]


async def test_hits_without_a_row_on_the_first_page_are_a_failure() -> None:
    result = await asked(FakeUpstream({"/search": hits(count=12)}), "search_articles", query="x")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(("sort", "field"), [("cited", "citedByCount"), ("date", "firstPublicationDate")])
async def test_a_sort_that_was_not_heeded_is_said(sort: str, field: str) -> None:
    low, high = {"citedByCount": (1, 9), "firstPublicationDate": ("2020-01-01", "2024-01-01")}[field]
    sorted_rows = [record("MED", "1", **{field: high}), record("MED", "2", **{field: low})]
    right = await asked(FakeUpstream({"/search": hits(*sorted_rows)}), "search_articles", query="x", sort=sort)
    wrong = await asked(FakeUpstream({"/search": hits(*sorted_rows[::-1])}), "search_articles", query="x", sort=sort)
    assert "note" not in right.content
    assert f"did not sort these by {sort}" in wrong.content["note"]


async def test_hits_are_counted_by_source_without_the_sum_among_them() -> None:
    profile = {
        "source": [{"name": "MED", "count": 6}, {"name": "PPR", "count": 3}],
        "pubType": [{"name": "ALL", "count": 9}, {"name": "REVIEW", "count": 2}],
    }
    upstream = FakeUpstream({"/profile": Played({"profileList": profile})})
    by_source = await asked(upstream, "count_hits", query="lapatinib")
    assert by_source.content["data"]["hits"] == 9
    assert by_source.content["data"]["counts"] == [{"name": "MED", "count": 6}, {"name": "PPR", "count": 3}]
    by_type = await asked(upstream, "count_hits", query="lapatinib", by="type")
    assert by_type.content["data"]["counts"] == [{"name": "REVIEW", "count": 2}]
    assert "overlap" in by_type.content["note"]


@pytest.mark.case("C040")
async def test_years_are_counted_one_by_one_with_the_query_in_brackets() -> None:
    upstream = FakeUpstream({"/search?PUB_YEAR:2023": hits(record(), count=5), "/search?PUB_YEAR:2024": hits()})
    result = await asked(upstream, "count_hits", query="a OR b", by="year", year_from=2023, year_to=2024)
    assert result.content["data"]["counts"] == [{"name": "2023", "count": 5}, {"name": "2024", "count": 0}]
    assert sorted(query(upstream, number)["query"] for number in (0, 1)) == [
        "(a OR b) AND PUB_YEAR:2023",
        "(a OR b) AND PUB_YEAR:2024",
    ]


@pytest.mark.parametrize(
    "arguments",
    [{"year_from": 2020}, {"by": "year", "year_from": 2020}, {"by": "year", "year_from": 1990, "year_to": 2024}],
)
async def test_years_that_cannot_be_counted_are_refused(arguments: dict[str, Json]) -> None:
    result = await asked(FakeUpstream({}), "count_hits", query="x", **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments"


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"pmid": "PMID: 20516115"}, "/article/MED/20516115"),
        ({"source": "MED", "id": "20516115"}, "/article/MED/20516115"),
        ({"pmcid": "pmc3040717"}, "/search?query=PMCID:PMC3040717&"),
        ({"source": "PMC", "id": "3040717"}, "/search?query=PMCID:PMC3040717&"),
        ({"doi": "https://doi.org/10.1158/0008-5472.CAN-09-4563"}, '/search?DOI:"10.1158/0008-5472.can-09-4563"'),
    ],
)
async def test_an_article_is_found_by_every_number(arguments: dict[str, str], path: str) -> None:
    upstream = FakeUpstream({path: hits(BRCT) if "search" in path else one(BRCT), "/article/MED/20516115": one(BRCT)})
    result = await asked(upstream, "get_article", **arguments)
    assert result.content["data"]["pmid"] == "20516115"
    assert [each["kind"] for each in result.meta["burp/citations"]] == ["pmid", "pmcid", "doi"]


async def test_a_whole_record_keeps_mesh_grants_links_and_corrections() -> None:
    whole = BRCT | {
        "meshHeadingList": {"meshHeading": [{"majorTopic_YN": "N", "descriptorName": "Kidney", "meshQualifierList": {
            "meshQualifier": [{"qualifierName": "genetics", "majorTopic_YN": "Y"}]}}]},
        "grantsList": {"grant": [{"grantId": "P30 CA008748", "agency": "NCI NIH HHS", "acronym": "CA", "orderIn": 0}]},
        "commentCorrectionList": {"commentCorrection": [{"id": "2", "source": "MED", "type": "Erratum in"}]},
        "fullTextUrlList": {"fullTextUrl": [{"availability": "Open access", "url": "https://europepmc.org/x"}]},
        "authorList": {"author": [
            {"fullName": "Carberry J", "authorId": {"type": "ORCID", "value": "0000-0002-1825-0097"}}]},
        "license": "cc by",
    }  # fmt: skip
    result = await asked(FakeUpstream({"/article/MED/20516115": one(whole)}), "get_article", pmid="20516115")
    data = result.content["data"]
    assert data["mesh"] == [{"heading": "Kidney", "qualifiers": ["genetics"], "is_major": True}]
    assert data["grants"] == [{"grant_id": "P30 CA008748", "agency": "NCI NIH HHS", "acronym": "CA"}]
    assert data["linked_records"] == [{"type": "Erratum in", "source": "MED", "id": "2"}]
    assert data["full_text_links"] == [{"url": "https://europepmc.org/x", "availability": "Open access"}]
    assert data["author_list"] == [{"name": "Carberry J", "orcid": "0000-0002-1825-0097"}]
    assert data["licence"] == "cc by"


async def test_of_a_preprint_and_its_article_under_one_doi_the_article_is_taken() -> None:
    both = hits(record("PPR", "PPR1", doi="10.1/X"), record("MED", "7", doi="10.1/x"), record("MED", "8", doi="10.1/y"))
    upstream = FakeUpstream({"/search": Played(both.body)})
    result = await asked(upstream, "get_article", doi="10.1101/x1v2")
    assert result.content["outcome"] == "unknown_id" and '"10.1101/x1"' in query(upstream)["query"]
    upstream = FakeUpstream(
        {"/search": hits(record("PPR", "PPR1", doi="10.1234/X"), record("MED", "7", doi="10.1234/x"))}
    )
    assert (await asked(upstream, "get_article", doi="10.1234/x")).content["data"]["pmid"] == "7"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"pmid": "1", "doi": "10.1234/x"},
        {"source": "MED"},
        {"id": "1"},
        {"source": "MED", "id": "PMC1"},
        {"doi": '10.1/x" OR SRC:MED'},
        {"doi": '10.1234/x"OR'},
    ],
)
@pytest.mark.parametrize("tool", ["get_article"])
async def test_an_article_is_named_once_and_whole(tool: str, arguments: dict[str, str]) -> None:
    upstream = FakeUpstream({})
    result = await asked(upstream, tool, **arguments)
    assert result.content["error"]["code"] == "tool_invalid_arguments"
    assert upstream.requests == []


async def test_another_record_than_the_one_asked_for_is_a_failure() -> None:
    other = FakeUpstream({"/article/MED/20516115": one(record("MED", "1"))})
    result = await asked(other, "get_article", pmid="20516115")
    assert result.content["error"]["code"] == "upstream_bad_response"
    listing = FakeUpstream({"/MED/34308300/citations": page("citationList", "citation", "1", CITING)})
    result = await asked(listing, "get_citations", pmid="34308300")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize("tool", ["get_citations", "get_references", "get_database_links"])
@pytest.mark.parametrize("arguments", [{}, {"pmid": "1", "source": "MED", "id": "1"}, {"source": "PPR"}])
async def test_lists_of_an_article_need_one_name_for_it(tool: str, arguments: dict[str, str]) -> None:
    result = await asked(FakeUpstream({}), tool, **arguments)
    assert result.content["error"]["argument"] == "pmid"


async def test_a_pmcid_leads_to_the_record_under_which_the_article_is_filed() -> None:
    upstream = FakeUpstream({
        "/search?PMCID:PMC3040717": hits(BRCT),
        "/MED/20516115/citations": page("citationList", "citation", "20516115", CITING),
    })  # fmt: skip
    result = await asked(upstream, "get_citations", source="PMC", id="PMC3040717")
    assert result.content["data"]["id"] == "20516115"
    unknown = await asked(FakeUpstream({"/search": hits()}), "get_citations", source="PMC", id="PMC1")
    assert unknown.content["outcome"] == "unknown_id"


async def test_citing_articles_carry_their_numbers_and_the_next_page() -> None:
    upstream = FakeUpstream({"/citations": page("citationList", "citation", "34308300", CITING, count=1741)})
    result = await asked(upstream, "get_citations", pmid="34308300", page=2, page_size=1)
    assert query(upstream) == {"page": "2", "pageSize": "1", "format": "json"}
    assert (result.content["total"], result.content["next"]) == (1741, {"page": 3, "page_size": 1})
    (row,) = result.content["data"]["articles"]
    assert (row["id"], row["is_preprint"], row["year"], row["cited_by"]) == ("PPR1078485", True, 2025, 0)
    behind = FakeUpstream({"/citations": page("citationList", "citation", "34308300", count=3)})
    result = await asked(behind, "get_citations", pmid="34308300", page=9)
    assert (result.content["total"], result.content["returned"]) == (3, 0)
    assert "behind the last" in result.content["note"]


async def test_a_reference_that_is_not_matched_has_no_number_and_is_not_cited() -> None:
    loose = {"citedOrder": 2, "match": "N", "title": "A book", "publicationTitle": "Press"}
    upstream = FakeUpstream({"/references": page("referenceList", "reference", "34308300", CITED, loose)})
    result = await asked(upstream, "get_references", pmid="34308300")
    first, second = result.content["data"]["articles"]
    assert (first["order"], first["is_matched"], first["pmid"]) == (1, True, "32150622")
    assert "issn" not in first and "essn" not in first
    assert second == {"order": 2, "is_matched": False, "title": "A book", "journal": "Press", "is_preprint": False}
    assert [each["identifier"] for each in result.meta["burp/citations"]] == ["32150622"]


async def test_database_links_keep_their_counts_and_page_by_database() -> None:
    upstream = FakeUpstream({"/databaseLinks": Played(LINKS)})
    result = await asked(upstream, "get_database_links", pmid="14624247", database="uniprot", page_size=1)
    assert query(upstream)["database"] == "UNIPROT"
    assert (result.content["total"], result.content["next"]) == (21700, {"page": 2, "page_size": 1})
    assert result.content["data"]["links"] == [
        {
            "database": "UNIPROT",
            "id": "Q04456",
            "title": "Gut esterase 1",
            "species": "Caenorhabditis briggsae",
            "source": "UniProt",
        }
    ]
    every = await asked(FakeUpstream({"/databaseLinks": Played(LINKS)}), "get_database_links", pmid="14624247")
    assert every.content["total"] == 21710 and "Name one `database`" in every.content["note"]


@pytest.mark.case("C040")
async def test_links_of_another_database_than_asked_are_a_failure() -> None:
    result = await asked(
        FakeUpstream({"/databaseLinks": Played(LINKS)}), "get_database_links", pmid="14624247", database="ENA"
    )
    assert result.content["error"]["code"] == "upstream_bad_response"
