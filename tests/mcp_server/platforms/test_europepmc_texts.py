"""Europe PMC: text-mined terms, full texts, supplementary files and grants."""

import io
import zipfile
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pytest

from mcp_server.http.messages import Response
from mcp_server.platforms.europepmc import platform
from tests.mcp_server.platforms.europepmc_cases import (
    BRCT,
    CYSTIC,
    GENIPIN,
    GRANT,
    TEXT,
    annotated,
    grants,
    hits,
    mention,
    one,
    record,
)
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any


async def test_mentions_of_one_term_become_one_row_with_count_and_words_around() -> None:
    upstream = FakeUpstream({"/annotationsByArticleIds?MED:39064362&format=JSON": Played([annotated(
        mention("Collagen", "COLF1", "Gene_Proteins", "https://www.uniprot.org/uniprotkb/P18856/entry", "Title"),
        *(mention("genipin", "genipin") for _ in range(4)), mention("Genipin", "genipin", section="Conclusion"),
    )])})  # fmt: skip
    result = await call(platform, upstream, "get_text_mined_annotations", article_ids=["PMID 39064362"])
    (article,) = result.content["data"]["articles"]
    assert (article["pmid"], article["pmcid"], article["mentions"]) == ("39064362", "PMC11278924", 6)
    genipin, collagen = article["terms"]
    assert genipin == {
        "type": "Chemicals",
        "name": "genipin",
        "uri": "http://purl.obolibrary.org/obo/genipin",
        "count": 5,
        "spellings": ["genipin", "Genipin"],
        "sections": ["Abstract", "Conclusion"],
        "contexts": ["before genipin after"] * 3,
    }
    assert collagen["uri"].endswith("P18856/entry") and collagen["sections"] == ["Title"]
    assert "text mining" in result.content["note"]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("39064362", "MED:39064362"),
        ("PMC11278924", "PMC:11278924"),
        ("PMC:PMC11278924", "PMC:11278924"),
        ("ppr1302423", "PPR:PPR1302423"),
        ("PAT:EP1", "PAT:EP1"),
    ],
)
async def test_articles_are_named_as_the_service_wants_it(written: str, sent: str) -> None:
    upstream = FakeUpstream({"/annotationsByArticleIds": Played([]), "/search": hits()})
    await call(platform, upstream, "get_text_mined_annotations", article_ids=[written])
    assert f"articleIds={sent}&" in upstream.asked[0]


@pytest.mark.case("C040")
async def test_types_and_section_hold_even_if_the_service_ignores_them() -> None:
    mixed = annotated(
        mention("BRCA1", "BRCA1", "Gene_Proteins"), mention("rs1", "rs1", "Accession Numbers"),
        mention("rs2", "rs2", "Accession Numbers", section="Results"), mention("human", "human", "Organisms"),
    )  # fmt: skip
    upstream = FakeUpstream({"/annotationsByArticleIds": Played([mixed])})
    arguments = {"article_ids": ["39064362"], "section": "Abstract"}
    single = await call(
        platform, upstream, "get_text_mined_annotations", types=["Accession Numbers"], **arguments
    )  # fmt: skip
    assert "type=Accession Numbers&section=Abstract" in upstream.asked[0]
    assert [term["name"] for term in single.content["data"]["articles"][0]["terms"]] == ["rs1"]
    two = await call(
        platform, upstream, "get_text_mined_annotations", types=["Gene_Proteins", "Organisms"], **arguments
    )  # fmt: skip
    assert "type=" not in upstream.asked[1]
    assert [term["name"] for term in two.content["data"]["articles"][0]["terms"]] == ["BRCA1", "human"]
    none = await call(platform, upstream, "get_text_mined_annotations", types=["Diseases"], **arguments)
    assert (none.content["outcome"], none.content["total"]) == ("empty", 0)


async def test_articles_without_annotations_and_unknown_ones_are_named_apart() -> None:
    upstream = FakeUpstream({"/annotationsByArticleIds": Played([GENIPIN]), "/search": hits(record("MED", "2"))})
    result = await call(platform, upstream, "get_text_mined_annotations", article_ids=["PMC11278924", "2", "99999999"])
    assert result.content["outcome"] == "data"
    assert result.content["data"]["without_annotations"] == ["MED:2"]
    assert result.content["data"]["missing"] == ["MED:99999999"]
    assert "(EXT_ID:2 AND SRC:MED) OR (EXT_ID:99999999 AND SRC:MED)" in upstream.asked[1]


async def test_annotations_of_an_article_nobody_asked_for_are_a_failure() -> None:
    upstream = FakeUpstream({"/annotationsByArticleIds": Played([GENIPIN])})
    result = await call(platform, upstream, "get_text_mined_annotations", article_ids=["1"])
    assert result.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize("ids", [["1"] * 9, ["10.1234/x"], ["XYZ:1"]])
async def test_article_ids_that_the_service_would_not_take_are_refused(ids: list[str]) -> None:
    result = await call(platform, FakeUpstream({}), "get_text_mined_annotations", article_ids=ids)
    assert result.content["error"]["argument"] == "article_ids"


async def test_articles_of_an_entity_are_paged_by_a_number_and_without_a_total() -> None:
    upstream = FakeUpstream({"/annotationsByEntity": Played({"nextCursorMark": 41.5, "articles": [GENIPIN]})})
    first = await call(platform, upstream, "find_articles_mentioning_entity", entity="genipin", page_size=1)
    assert "cursorMark=0.0&pageSize=1" in upstream.asked[0]
    assert first.content["next"] == {"cursor": 41.5} and "total" not in first.content
    assert first.content["data"]["articles"][0]["terms"][0]["count"] == 2
    upstream = FakeUpstream({"/annotationsByEntity": Played({"nextCursorMark": -1.0, "articles": []})})
    last = await call(platform, upstream, "find_articles_mentioning_entity", entity="genipin", cursor=41.5)
    assert "cursorMark=41.5&" in upstream.asked[0]
    assert "next" not in last.content and "no further" in last.content["note"]


async def test_a_text_comes_by_sections_and_goes_on_where_it_stopped() -> None:
    long = TEXT.replace("A panel of genes.", "A panel of genes. " * 60)
    upstream = FakeUpstream({"/search": hits(CYSTIC), "/fullTextXML": Played(long)})
    first = await call(platform, upstream, "get_full_text", article_id="PMC7310724", max_chars=500)
    data = first.content["data"]
    assert [each["title"] for each in data["outline"]] == ["Abstract", "Methods", "Results"]
    assert (data["licence"], data["counted"], first.content["returned"]) == ("CC BY", "characters", 500)
    assert first.content["next"] == {"start_char": 500}
    rest = await call(platform, upstream, "get_full_text", article_id="7310724", start_char=500)
    texts = [each["text"] for each in [*data["sections"], *rest.content["data"]["sections"]]]
    assert "".join(texts).startswith("Children were sequenced.A panel")
    assert "".join(texts).endswith("In 71% a variant was found.")
    results = await call(platform, upstream, "get_full_text", article_id="PMC7310724", sections=["result"])
    assert [each["text"] for each in results.content["data"]["sections"]] == ["In 71% a variant was found."]
    none = await call(platform, upstream, "get_full_text", article_id="PMC7310724", sections=["methodz"])
    assert none.content["outcome"] == "empty" and "outline" in none.content["note"]


async def test_a_text_that_is_not_open_is_not_asked_for() -> None:
    linked = BRCT | {"fullTextUrlList": {"fullTextUrl": [{"url": "https://europepmc.org/articles/PMC3040717"}]}}
    upstream = FakeUpstream({"/search": hits(linked)})
    result = await call(platform, upstream, "get_full_text", article_id="PMC3040717")
    assert result.content["outcome"] == "empty"
    assert "not open access" in result.content["note"] and "europepmc.org/articles/PMC3040717" in result.content["note"]
    assert len(upstream.requests) == 1


async def test_the_text_of_a_preprint_is_read_by_its_own_number() -> None:
    preprint = record("PPR", "PPR1302423", doi="10.64898/2026.08.20.745440", isOpenAccess="Y")
    text = TEXT.replace("PMC7310724", "").replace("10.1371/journal.pone.0235071", "10.64898/2026.08.20.745440")
    upstream = FakeUpstream({
        "/article/PPR/PPR1302423": one(preprint, "PPR", "PPR1302423"), "/PPR1302423/fullTextXML": Played(text),
    })  # fmt: skip
    result = await call(platform, upstream, "get_full_text", article_id="ppr1302423")
    assert result.content["data"]["is_preprint"] is True and "not peer-reviewed" in result.content["note"]


@pytest.mark.parametrize(
    "text",
    [TEXT.replace("PMC7310724", "PMC1"), TEXT.replace("journal.pone", "other"), TEXT[:-20], "<html>Sorry</html>"],
    ids=["another article", "another doi", "cut off", "a page"],
)
async def test_a_text_of_another_article_or_a_broken_one_is_a_failure(text: str) -> None:
    upstream = FakeUpstream({"/search": hits(CYSTIC), "/fullTextXML": Played(text)})
    result = await call(platform, upstream, "get_full_text", article_id="PMC7310724")
    assert result.content["error"]["code"] == "upstream_bad_response"


@dataclass(frozen=True)
class Archive(Played):
    """An answer of bytes."""

    content: bytes = b""

    def response(self) -> Response:
        """Return the bytes as they arrive."""
        return Response(200, {"content-type": "application/zip"}, self.content)


def archive(**files: bytes) -> Archive:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as writer:
        for name, content in files.items():
            writer.writestr(name, content)
    return Archive(content=packed.getvalue())


async def test_supplementary_files_are_listed_with_their_unpacked_sizes() -> None:
    upstream = FakeUpstream({"/supplementaryFiles": archive(s1=b"x" * 5000, s2=b"y"), "/search": hits(CYSTIC)})
    result = await call(platform, upstream, "list_supplementary_files", pmcid="PMC7310724")
    assert result.content["data"]["files"] == [{"name": "s1", "bytes": 5000}, {"name": "s2", "bytes": 1}]
    assert result.content["data"]["archive_url"].endswith("/rest/PMC7310724/supplementaryFiles")
    assert result.meta["burp/citations"][0]["identifier"] == "PMC7310724"


async def test_an_archive_that_is_cut_off_is_a_failure_and_an_open_article_without_files_is_not() -> None:
    cut = Archive(content=archive(s1=b"x" * 5000).content[:-30])
    upstream = FakeUpstream({"/supplementaryFiles": cut})
    result = await call(platform, upstream, "list_supplementary_files", pmcid="PMC7310724")
    assert result.content["error"]["code"] == "upstream_bad_response"
    upstream = FakeUpstream({"/supplementaryFiles": Played("", 404), "/search": hits(CYSTIC)})
    result = await call(platform, upstream, "list_supplementary_files", pmcid="PMC7310724")
    assert result.content["outcome"] == "empty" and "without supplementary files" in result.content["note"]


async def test_one_grant_and_several_come_in_the_same_form() -> None:
    single = await call(platform, FakeUpstream({"": grants(GRANT)}), "search_grants", grant_id="083611")
    (row,) = single.content["data"]["grants"]
    assert row == {
        "grant_id": "083611",
        "title": "Vertebrate neurogenesis",
        "funder": "Wellcome Trust",
        "funder_doi": "https://doi.org/10.13039/100010269",
        "holder": "Ann Jones",
        "institutions": [{"name": "University College London", "ror": "https://ror.org/02jx3x895"}],
        "start": "2007-11-01",
        "end": "2013-10-31",
        "url": row["url"],
    }
    other = {"Grant": {"Id": "083611/Z/07/Z", "Funder": {"Name": "Academy of Finland"}}}
    several = await call(platform, FakeUpstream({"": grants(GRANT, other)}), "search_grants", grant_id="083611")
    assert [each["funder"] for each in several.content["data"]["grants"]] == ["Wellcome Trust", "Academy of Finland"]
    same = {"Grant": {"Id": "083611", "Funder": {"Name": "Academy of Finland"}}}
    shared = await call(platform, FakeUpstream({"": grants(GRANT, same)}), "search_grants", grant_id="083611")
    assert [cited["identifier"] for cited in shared.meta["burp/citations"]] == [
        "Wellcome Trust 083611", "Academy of Finland 083611",
    ]  # fmt: skip


async def test_clauses_of_a_search_for_grants_are_joined_and_kept_in_quotes() -> None:
    upstream = FakeUpstream({"": grants()})
    result = await call(
        platform, upstream, "search_grants", agency='Wellcome" OR ga:"X', principal_investigator="Smith J", page=2
    )
    path = unquote(upstream.requests[0].url)
    assert 'query=pi:"Smith J" AND ga:"Wellcome  OR ga: X"&format=json&resultType=core&page=2' in path
    assert result.content["outcome"] == "empty"
    nothing = await call(platform, FakeUpstream({}), "search_grants")
    assert nothing.content["error"]["argument"] == "keyword"


async def test_a_grant_of_another_number_and_a_missing_page_are_failures() -> None:
    other = await call(platform, FakeUpstream({"": grants(GRANT)}), "search_grants", grant_id="999999")
    assert other.content["error"]["code"] == "upstream_bad_response"
    missing = Played({"HitCount": "40", "RecordList": {}})
    result = await call(platform, FakeUpstream({"": missing}), "search_grants", keyword="neurogenesis")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_more_grants_than_a_page_say_how_to_go_on() -> None:
    page = [{"Grant": {"Id": str(number), "Funder": {"Name": "MRC"}}} for number in range(25)]
    upstream = FakeUpstream({"": Played({"HitCount": "40", "RecordList": {"Record": page}})})
    result = await call(platform, upstream, "search_grants", keyword="neurogenesis")
    assert (result.content["total"], result.content["returned"], result.content["next"]) == (40, 25, {"page": 2})
    assert "overlap" in result.content["note"]
