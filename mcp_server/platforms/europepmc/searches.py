"""Searches over the whole index, and how many hits a query has by source, type or year."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.narrowing import PublicationDate, closed, narrowed, published_between
from mcp_server.platforms.europepmc.records import all_cited, article, listed
from mcp_server.platforms.europepmc.service import HOST, SourceName, checked, platform, records, search
from mcp_server.tool import Arg

Json = Any

SORTS = {"relevance": None, "cited": "CITED desc", "date": "FIRST_PDATE_D desc"}
USUAL_SOURCES = ("MED", "PMC", "PPR")
YEARS_MAX = 25
Query = Annotated[
    str,
    Arg(
        'Europe PMC query: words, "phrases", AND/OR/NOT, fields such as TITLE:, ABSTRACT:, AUTH:, PUB_TYPE:, MESH:.',
        "BRCA1 M1783I",
    ),
]


@platform.tool(
    example={"query": "BRCA1 M1783I", "page_size": 5},
    asks=(
        "papers, preprints and patents on a topic",
        "most cited papers",
        "literature search incl. preprints",
        "European literature database",
        "recent literature and preprints on a subject",
    ),
)
async def search_articles(
    api: Api,
    query: Query,
    sources: Annotated[
        list[SourceName] | None,
        Arg("Only these sources; without it MED, PMC and PPR, or those that the query's own SRC: names.", ["PPR"]),
    ] = None,
    with_abstract: Annotated[bool, Arg("Whether abstracts come with the rows.")] = True,
    sort: Annotated[Literal["relevance", "cited", "date"], Arg("What comes first.")] = "relevance",
    date_from: PublicationDate = None,
    date_to: PublicationDate = None,
    open_access: Annotated[bool, Arg("Only articles in the open-access set, with their full text.")] = False,
    synonyms: Annotated[bool, Arg("Also search MeSH and UniProt synonyms: more hits.")] = False,
    page_size: Annotated[int, Arg("How many articles to return at most.", minimum=1, maximum=50)] = 15,
    cursor: Annotated[str | None, Arg("Where to go on: `next` of an earlier result gives it.")] = None,
) -> Answer:
    """Search articles, preprints and patents together, with abstracts and citation counts in one call; can sort by
    citations. Returns PMID, PMCID, DOI. For MeSH-aware PubMed syntax use pubmed__search_articles, for bioRxiv and
    medRxiv alone biorxiv__search_preprints.
    """
    named: Sequence[str] = sources or ([] if re.search(r"\bSRC\s*:", query, re.IGNORECASE) else USUAL_SOURCES)
    filters = [f"({' OR '.join(f'SRC:{each}' for each in named)})"] if named else []
    filters += published_between(date_from, date_to)
    term = narrowed(query, filters + (["OPEN_ACCESS:y"] if open_access else []))
    answer = await search(
        api,
        term,
        resultType="core" if with_abstract else "lite",
        synonym=synonyms,
        sort=SORTS[sort],
        pageSize=page_size,
        cursorMark=cursor or "*",
    )
    found = records(answer, first_page=cursor is None)
    check_filters(found, named, open_access)
    rows = [article(each, with_abstract=with_abstract) for each in found]
    count = int(answer["hitCount"])
    following = next_cursor(answer, cursor, len(rows), page_size)
    return Answer(
        {"query": term, "count": count, "articles": rows},
        ResultOutcome.DATA if count else ResultOutcome.EMPTY,
        total=count,
        returned=len(rows),
        next={"cursor": following} if following else None,
        note=_note(query, rows, count, sort),
        citations=all_cited(rows),
    )


def check_filters(found: Sequence[Json], sources: Sequence[str], open_access: bool) -> None:
    """Refuse an answer that did not heed the filters."""
    for record in found:
        if sources and record["source"] not in sources:
            raise UpstreamBadResponse(HOST, f"asked for {', '.join(sources)}, got {record['source']} {record['id']}")
        if open_access and record.get("isOpenAccess") == "N":
            raise UpstreamBadResponse(HOST, f"asked for open access, got {record['source']} {record['id']}")


def next_cursor(answer: Json, cursor: str | None, returned: int, page_size: int) -> str | None:
    """Return where to go on: at the end the mark is missing, repeats, or the page is not full."""
    mark = answer.get("nextCursorMark")
    all_here = cursor is None and returned >= int(answer["hitCount"])
    return str(mark) if mark and mark != cursor and returned >= page_size and not all_here else None


def _note(query: str, rows: Sequence[Json], count: int, sort: str) -> str:
    if not count:
        return f"Europe PMC has nothing for {query!r} with these filters."
    if not rows:
        return "There are no further rows behind this cursor."
    notes = []
    field = {"cited": "cited_by", "date": "date"}.get(sort, "")
    values = [row[field] for row in rows if field in row]
    if values != sorted(values, reverse=True):
        notes.append(f"Europe PMC did not sort these by {sort}: it can't, where all hits are preprints.")
    if retracted := [row["id"] for row in rows if row.get("is_retracted")]:
        notes.append(f"Retracted: {', '.join(retracted)}.")
    return " ".join(notes)


@platform.tool(
    example={"query": "lapatinib", "by": "source"},
    asks=(
        "how many papers exist on a topic",
        "publications per year including preprints",
        "share of reviews",
        "growth of a research field",
        "is the field still growing, hot topic or fading",
    ),
)
async def count_hits(
    api: Api,
    query: Query,
    by: Annotated[Literal["source", "type", "year"], Arg("What to count by.")] = "source",
    year_from: Annotated[int | None, Arg("First year, only for `year`.", 2015, minimum=1600, maximum=3000)] = None,
    year_to: Annotated[int | None, Arg("Last year, only for `year`.", 2024, minimum=1600, maximum=3000)] = None,
    synonyms: Annotated[bool, Arg("Also count hits of MeSH and UniProt synonyms.")] = False,
) -> Answer:
    """Count a query's hits by source (PubMed, preprints, patents), by publication type, or by year, without listing
    them. For a trend in PubMed alone use pubmed__count_articles_by_year."""
    if by == "year":
        return await _by_year(api, query, year_from, year_to, synonyms)
    if year_from or year_to:
        raise InvalidArguments("year_from", "years are counted with `by` set to `year` only", None)
    asked = {"query": closed(query), "synonym": synonyms, "format": "json"}
    profile = checked(await api.get("profile", asked), "profileList")["profileList"]
    rows = _counts(profile, "source" if by == "source" else "pubType")
    if not rows and not _counts(profile, "pubType"):
        raise UpstreamBadResponse(HOST, "the profile holds no counts", body=profile)
    whole = [row["count"] for row in [*rows, *_counts(profile, "pubType")] if row["name"].upper() == "ALL"]
    rows = [row for row in rows if row["name"].upper() != "ALL" and row["count"]]
    total = whole[0] if whole else sum(row["count"] for row in rows) if by == "source" else None
    if not rows and not total:
        return empty(f"Europe PMC has nothing for {query!r}.", {"query": query, "by": by, "counts": []})
    note = "An article may be of several types: these counts overlap." if by == "type" else ""
    data = {"query": query, "by": by, "hits": total, "counts": rows}
    return Answer(data, total=len(rows), returned=len(rows), note=note)


def _counts(profile: Json, name: str) -> list[dict[str, Json]]:
    found = [each for each in listed(profile.get(name)) if isinstance(each, dict) and "count" in each]
    return [{"name": str(each.get("name")), "count": int(each["count"])} for each in found]


async def _by_year(api: Api, query: str, first: int | None, last: int | None, synonyms: bool) -> Answer:
    if first is None or last is None:
        raise InvalidArguments("year_from", "give both `year_from` and `year_to`", 2015)
    if not 0 <= last - first < YEARS_MAX:
        raise InvalidArguments("year_to", f"from {first} on, in order, at most {YEARS_MAX} years at once", first + 9)
    years = range(first, last + 1)
    asked: dict[str, Json] = {"resultType": "idlist", "synonym": synonyms, "pageSize": 1}
    terms = [narrowed(query, [f"PUB_YEAR:{year}"]) for year in years]
    answers = await together(search(api, term, **asked) for term in terms)
    rows: list[dict[str, Json]] = [
        {"name": str(year), "count": int(each["hitCount"])} for year, each in zip(years, answers, strict=True)
    ]
    total = sum(row["count"] for row in rows)
    data = {"query": query, "by": "year", "hits": total, "counts": rows}
    if not total:
        return empty(f"Europe PMC has nothing for {query!r} from {first} to {last}.", data)
    return Answer(data, total=len(rows), returned=len(rows))
