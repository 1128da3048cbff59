"""bioRxiv and medRxiv: DOIs as people write them, versions, published pairs, pages of any size, checked filters."""

import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from mcp_server.platforms.biorxiv import platform
from mcp_server.platforms.biorxiv.records import readable
from tests.mcp_server.platforms.biorxiv_answers import ARTICLE, hits, indexed, listed, nothing, pair, preprint
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any

WEEK = {"server": "biorxiv", "date_from": "2026-08-01", "date_to": "2026-08-07"}


@pytest.mark.parametrize(
    "written",
    [
        "10.1101/456574",
        "https://doi.org/10.1101/456574",
        "doi: 10.1101/456574v2",
        "https://www.biorxiv.org/content/10.1101/456574v1.full.pdf",
        "https://www.biorxiv.org/content/10.1101/456574v1.abstract",
    ],
)
async def test_a_doi_is_taken_as_people_write_it(written: str) -> None:
    upstream = FakeUpstream({"/details/biorxiv/10.1101/456574/na/json": listed(preprint())})
    result = await call(platform, upstream, "get_preprint", doi=written)
    assert result.content["data"]["doi"] == "10.1101/456574"


@pytest.mark.parametrize("doi", ["10.7554/eLife.43696", "456574", "10.1101/gr.275193.120"])
async def test_a_doi_of_no_preprint_is_refused(doi: str) -> None:
    result = await call(platform, FakeUpstream({}), "get_preprint", doi=doi)
    assert result.content["error"]["argument"] == "doi"


async def test_the_newer_prefix_is_known_and_the_likelier_server_is_asked_first() -> None:
    doi = "10.64898/2026.07.31.26741992"
    upstream = FakeUpstream({"": listed(preprint(doi, server="medRxiv"))})
    result = await call(platform, upstream, "get_preprint", doi=doi)
    assert upstream.asked == [f"details/medrxiv/{doi}/na/json"]
    assert result.content["data"]["url"] == f"https://www.medrxiv.org/content/{doi}v1"
    upstream = FakeUpstream({"/details/biorxiv/10.1101/1/na/json": nothing(), "": listed(preprint("10.1101/1"))})
    other = await call(platform, upstream, "get_preprint", doi="10.1101/1")
    assert other.content["error"]["code"] == "upstream_bad_response", "a record of bioRxiv from medRxiv's list"


async def test_the_last_version_counts_and_all_are_listed() -> None:
    payers = [{"name": "NIH", "id": "https://ror.org/01cwqze88", "id-type": "ROR", "award": "R01 GM135470;"}]
    upstream = FakeUpstream({"": listed(
        preprint(version="10", date="2020-02-02", published="10.7554/eLife.43696", funder=payers, type="withdrawn"),
        preprint(version="2", date="2019-01-01"), preprint(),
    )})  # fmt: skip
    result = await call(platform, upstream, "get_preprint", doi="10.1101/456574")
    data = result.content["data"]
    assert (data["version"], data["first_date"], data["date"]) == (10, "2018-10-30", "2020-02-02")
    assert [each["version"] for each in data["versions"]] == [1, 2, 10]
    assert data["funders"] == [{"name": "NIH", "ror": "01cwqze88", "award": "R01 GM135470;"}]
    assert "withdrawn" in result.content["note"] and data["is_withdrawn"] is True
    assert [each["identifier"] for each in result.meta["burp/citations"]] == ["10.1101/456574", "10.7554/eLife.43696"]


async def test_another_preprint_than_the_one_asked_for_is_a_failure() -> None:
    result = await call(platform, FakeUpstream({"": listed(preprint("10.1101/1"))}), "get_preprint", doi="10.1101/2")
    assert result.content["error"]["code"] == "upstream_bad_response"
    pairs = FakeUpstream({"": listed(pair(preprint_doi="10.1101/1", published_doi="10.1/x"))})
    result = await call(platform, pairs, "find_published_version", doi="10.1101/2")
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize("doi", ["10.1101/456574", "10.7554/ELIFE.43696"])
async def test_a_pair_is_found_from_both_sides(doi: str) -> None:
    upstream = FakeUpstream({f"/pubs/biorxiv/{doi}/na/json": listed(pair())})
    result = await call(platform, upstream, "find_published_version", doi=doi)
    data = result.content["data"]
    assert (data["preprint_doi"], data["published_doi"]) == ("10.1101/456574", "10.7554/eLife.43696")
    assert (data["journal"], data["published_date"]) == ("eLife", "2019-03-18")
    assert "abstract" not in data


async def test_a_preprint_with_the_newer_prefix_is_asked_for_by_its_own_record() -> None:
    doi = "10.64898/2026.07.31.741992"
    upstream = FakeUpstream({"/details": Played(), f"/{doi}/na/json": listed(preprint(doi, published="10.1038/s1"))})
    result = await call(platform, upstream, "find_published_version", doi=doi)
    assert not any("pubs/" in asked for asked in upstream.asked)
    assert result.content["data"]["published_doi"] == "10.1038/s1"
    assert result.content["data"]["known_from"] == "the preprint's own record"


async def test_what_the_server_does_not_know_is_asked_of_europe_pmc() -> None:
    links = {"commentCorrection": [{"type": "Preprint of", "source": "MED", "id": "30735128"}]}
    answers = {
        "/pubs/biorxiv/10.1101/456574/na/json": nothing(), "/pubs/medrxiv/10.1101/456574/na/json": nothing(),
        "/details/biorxiv/10.1101/456574/na/json": listed(preprint()),
        "/search?DOI:": hits(indexed("10.1101/456574", commentCorrectionList=links)),
        "/search?EXT_ID:30735128 AND SRC:MED": hits(ARTICLE),
    }  # fmt: skip
    result = await call(platform, FakeUpstream(answers), "find_published_version", doi="10.1101/456574")
    data = result.content["data"]
    assert (data["published_doi"], data["published_pmid"], data["journal"]) == (
        "10.7554/elife.43696",
        "30735128",
        "eLife",
    )
    assert "Europe PMC" in data["known_from"]
    answers["/search?DOI:"] = hits(indexed("10.1101/456574"))
    none = await call(platform, FakeUpstream(answers), "find_published_version", doi="10.1101/456574")
    assert none.content["outcome"] == "empty" and none.content["data"]["preprint_doi"] == "10.1101/456574"
    answers["/search?DOI:"] = Played("", 503)
    down = await call(platform, FakeUpstream(answers), "find_published_version", doi="10.1101/456574")
    assert down.content["outcome"] == "failed"


async def test_the_preprint_of_an_article_is_found_in_europe_pmc() -> None:
    links = {"commentCorrection": [{"type": "Preprint in", "source": "PPR", "id": "PPR1302423"}]}
    answers = {
        "/pubs/biorxiv/10.7554/eLife.43696/na/json": nothing(), "/pubs/medrxiv/10.7554/eLife.43696/na/json": nothing(),
        "/search?DOI:": hits({**ARTICLE, "commentCorrectionList": links}),
        "/search?EXT_ID:PPR1302423 AND SRC:PPR": hits(indexed("10.1101/456574")),
    }  # fmt: skip
    result = await call(platform, FakeUpstream(answers), "find_published_version", doi="10.7554/eLife.43696")
    assert result.content["data"]["preprint_doi"] == "10.1101/456574"


async def test_a_list_is_paged_by_what_came_whatever_the_size_of_a_page() -> None:
    every = [preprint(f"10.1101/{number}") for number in range(70)]

    def page(start: int, size: int) -> Played:
        return listed(*every[start : start + size], interval="2026-08-01:2026-08-07", total=70, count_new_papers=50)

    for size in (30, 100):
        upstream = FakeUpstream({f"/{start}/json": page(start, size) for start in range(70)})
        first = await call(platform, upstream, "list_recent_preprints", **WEEK, limit=45)
        assert (first.content["total"], first.content["returned"], first.content["next"]) == (70, 45, {"cursor": 45})
        assert (first.content["data"]["versions"], first.content["data"]["new_papers"]) == (70, 50)
        rest = await call(platform, upstream, "list_recent_preprints", **WEEK, limit=45, cursor=45)
        dois = [row["doi"] for part in (first, rest) for row in part.content["data"]["preprints"]]
        assert dois == [record["doi"] for record in every] and "next" not in rest.content


async def test_rows_that_were_announced_and_never_came_are_said() -> None:
    upstream = FakeUpstream({"/0/json": listed(preprint(), total=9), "/1/json": nothing()})
    result = await call(platform, upstream, "list_recent_preprints", **WEEK)
    assert (result.content["total"], result.content["returned"]) == (9, 1)
    assert "announces 9 rows and sent none from 1" in result.content["note"]
    upstream = FakeUpstream({"/20/json": nothing()})
    behind = await call(platform, upstream, "list_recent_preprints", **WEEK, cursor=20)
    assert behind.content["outcome"] == "empty" and "no row from 20" in behind.content["note"]


async def test_abstracts_come_only_when_asked_for() -> None:
    upstream = FakeUpstream({"": listed(preprint(), total=1)})
    short = await call(platform, upstream, "list_recent_preprints", **WEEK)
    whole = await call(platform, upstream, "list_recent_preprints", **WEEK, with_abstract=True)
    assert "abstract" not in short.content["data"]["preprints"][0]
    assert whole.content["data"]["preprints"][0]["abstract"] == "The neocortex has layers."


@pytest.mark.case("C040")
async def test_a_subject_is_sent_with_underscores_and_checked_in_every_record() -> None:
    upstream = FakeUpstream({"?category=cell_biology": listed(preprint(category="cell biology"), total=1)})
    right = await call(platform, upstream, "list_recent_preprints", **WEEK, category="Cell_Biology")
    assert right.content["returned"] == 1
    ignored = FakeUpstream({"": listed(preprint(category="neuroscience"), total=1)})
    wrong = await call(platform, ignored, "list_recent_preprints", **WEEK, category="cell biology")
    assert wrong.content["error"]["code"] == "upstream_bad_response"


async def test_a_subject_that_biorxiv_does_not_have_is_answered_with_near_ones() -> None:
    result = await call(platform, FakeUpstream({}), "list_recent_preprints", **WEEK, category="cell biologie")
    assert result.content["error"]["argument"] == "category" and "cell biology" in result.content["error"]["message"]
    medrxiv = {**WEEK, "server": "medrxiv"}
    upstream = FakeUpstream({"": nothing()})
    none = await call(platform, upstream, "list_recent_preprints", **medrxiv, category="HIV/AIDS")
    assert "category=hiv_aids" in upstream.asked[0] and "oncology" in none.content["note"]


@pytest.mark.case("C040")
async def test_preprints_of_a_funder_have_a_route_of_their_own_and_no_total_before_the_end() -> None:
    paid = [{"name": "NIH", "id": "https://ror.org/021nxhr62", "id-type": "ROR"}]
    base = "/funder/biorxiv/2025-04-10/2025-07-10/021nxhr62"
    arguments = {"server": "biorxiv", "date_from": "2025-04-10", "date_to": "2025-07-10"}
    upstream = FakeUpstream({f"{base}/0/json": listed(preprint(funder=paid), preprint("10.1101/2", funder=paid)),
                             f"{base}/2/json": nothing()})  # fmt: skip
    ror = {"funder_ror": "https://ror.org/021nxhr62"}
    part = await call(platform, upstream, "list_recent_preprints", **arguments, **ror, limit=1)
    assert "total" not in part.content and part.content["next"] == {"cursor": 1}
    whole = await call(platform, upstream, "list_recent_preprints", **arguments, **ror)
    assert whole.content["total"] == 2 and "next" not in whole.content
    other = FakeUpstream({"": listed(preprint(funder=[{"name": "DFG", "id": "https://ror.org/018mejw64"}]))})
    wrong = await call(platform, other, "list_recent_preprints", **arguments, **ror)
    assert wrong.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({}, "date_from"),
        ({"date_from": "2026-08-01"}, "date_from"),
        ({"date_from": "2026-08-01", "date_to": "2026-08-02", "last_days": 2}, "date_from"),
        ({"date_from": "2026-08-01", "date_to": "2026-08-08"}, "date_to"),
        ({"date_from": "2026-08-02", "date_to": "2026-08-01"}, "date_to"),
        ({"date_from": "2026-08-31", "date_to": "2026-02-30"}, "date_to"),
        ({"last_days": 8}, "last_days"),
        ({"date_from": "2025-04-09", "date_to": "2025-04-10", "funder_ror": "021nxhr62"}, "date_from"),
        ({"date_from": "2025-04-10", "date_to": "2025-09-10", "funder_ror": "021nxhr62"}, "date_to"),
        ({"last_days": 2, "funder_ror": "NIH"}, "funder_ror"),
    ],
)
async def test_days_that_cannot_be_asked_are_refused(arguments: dict[str, Json], name: str) -> None:
    result = await call(platform, FakeUpstream({}), "list_recent_preprints", server="biorxiv", **arguments)
    assert (result.content["error"]["code"], result.content["error"]["argument"]) == ("tool_invalid_arguments", name)


@pytest.mark.parametrize("tool", ["list_recent_preprints", "list_published_preprints"])
async def test_the_last_days_end_today(tool: str) -> None:
    upstream = FakeUpstream({"": nothing()})
    before = datetime.datetime.now(datetime.UTC).date()
    await call(platform, upstream, tool, server="medrxiv", last_days=3)
    after = datetime.datetime.now(datetime.UTC).date()
    intervals = [f"{day - datetime.timedelta(days=2)}/{day}" for day in (before, after)]
    assert any(f"/medrxiv/{interval}/0/json" in upstream.asked[0] for interval in intervals)


@pytest.mark.parametrize("tool", ["list_recent_preprints", "list_published_preprints"])
async def test_a_list_of_other_days_or_of_the_other_server_is_a_failure(tool: str) -> None:
    record = preprint(server="medRxiv") | pair(preprint_platform="medRxiv")
    other_days = FakeUpstream({"": listed(record, interval="2026-01-01:2026-01-02", total=1)})
    result = await call(platform, other_days, tool, **{**WEEK, "server": "medrxiv"})
    assert result.content["error"]["code"] == "upstream_bad_response"
    result = await call(platform, FakeUpstream({"": listed(record, total=1)}), tool, **WEEK)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_published_pairs_keep_both_dois_and_their_dates() -> None:
    upstream = FakeUpstream({"/pubs/biorxiv/2026-08-01/2026-08-07/0/json": listed(pair(), total=1)})
    result = await call(platform, upstream, "list_published_preprints", **WEEK, with_abstract=True)
    assert result.content["data"]["pairs"] == [
        {
            "preprint_doi": "10.1101/456574",
            "published_doi": "10.7554/eLife.43696",
            "journal": "eLife",
            "title": "Subnetworks of interneurons",
            "server": "bioRxiv",
            "preprint_date": "2018-10-30",
            "published_date": "2019-03-18",
            "abstract": "The neocortex has layers.",
            "url": "https://www.biorxiv.org/content/10.1101/456574",
        }
    ]
    assert len(result.meta["burp/citations"]) == 2


@pytest.mark.case("C040")
async def test_a_search_keeps_its_servers_and_dates_behind_the_whole_query() -> None:
    upstream = FakeUpstream({"/search": hits(indexed(), count=3, cursor="AoE=")})
    result = await call(
        platform, upstream, "search_preprints", query="a OR b", server="medrxiv", date_from="2026", limit=1
    )
    assert result.content["error"]["code"] == "upstream_bad_response", "a preprint of the other server"
    result = await call(platform, upstream, "search_preprints", query="a OR b", date_from="2026", limit=1, cursor="*A")
    sent = {name: values[0] for name, values in parse_qs(urlsplit(upstream.requests[1].url).query).items()}
    assert sent["query"] == (
        '(a OR b) AND SRC:PPR AND (PUBLISHER:"bioRxiv" OR PUBLISHER:"medRxiv")'
        " AND FIRST_PDATE:[2026-01-01 TO 3000-12-31]"
    )
    assert (sent["pageSize"], sent["cursorMark"]) == ("1", "*A")
    assert (result.content["total"], result.content["next"]) == (3, {"cursor": "AoE="})
    (row,) = result.content["data"]["preprints"]
    assert (row["doi"], row["ppr_id"], row["server"]) == ("10.64898/2026.08.20.745440", "PPR1302423", "bioRxiv")
    refused = await call(platform, FakeUpstream({}), "search_preprints", query="a) OR (b")
    assert refused.content["error"]["argument"] == "query"


@pytest.mark.parametrize(
    ("flattened", "read"),
    [
        ("Key PointsO_LIMOSim is fast.\nC_LIO_LIIt is free.\nC_LI", "Key Points MOSim is fast. It is free."),
        ("named PO_SCPLOWEAFOWLC_SCPLOW.", "named PEAFOWL."),
        ("O_ST_ABSBackgroundC_ST_ABSRegional", "Background: Regional"),
        ("NF-{kappa}B, 180{degrees}, {Delta}R2, {unknown}", "NF-κB, 180°, ΔR2, {unknown}"),
        ("P<0.001 &le; x", "P<0.001 ≤ x"),
        ("Write to someone@example.org now", "Write to … now"),
        (
            'End.\n\nO_FIG O_LINKSMALLFIG WIDTH=200 SRC="FIGDIR/small/1.gif">\nView larger version (18K):\n'
            "org@1b5_HPS_FORMAT_FIGEXP  M_FIG C_FIG EF, fraction",
            "End. EF, fraction",
        ),
    ],
    ids=["list", "small capitals", "heading", "letters", "signs", "address", "figure"],
)
def test_texts_are_read_without_what_flattening_left(flattened: str, read: str) -> None:
    assert readable(flattened) == read
