"""Articles by words, entity ids and relations.

The service gives ten hits a page and lets only whole values through its filters: a value that is spelt
otherwise (or a year range) finds nothing or is refused with a misleading text. Two values of one filter must
both hold, so one of each is offered.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.pubtator3.base import HOST, MACHINE, asked, platform, unknown_entity
from mcp_server.platforms.pubtator3.queries import (
    EXAMPLE,
    check,
    entities_in,
    excluded,
    explicit,
    mentions,
    snippet_of,
    text_form,
)
from mcp_server.tool import Arg, Cite

Json = Any

PAGE_SIZE = 10
LOOKED_UP_MAX = 5
# What is first by default is not asked for.
SORTS = {"score": None, "date": "date desc"}
PUBLICATION_TYPES = (
    "Journal Article", "Review", "Systematic Review", "Meta-Analysis", "Case Reports", "Clinical Trial",
    "Clinical Trial, Phase I", "Clinical Trial, Phase II", "Clinical Trial, Phase III", "Clinical Trial, Phase IV",
    "Randomized Controlled Trial", "Controlled Clinical Trial", "Observational Study", "Comparative Study",
    "Multicenter Study", "Validation Study", "Guideline", "Practice Guideline", "Editorial", "Comment", "Letter",
    "News", "Preprint",
)  # fmt: skip
_BY_LOWER = {name.lower(): name for name in PUBLICATION_TYPES}
Section = Literal["title", "abstract", "introduction", "methods", "results", "discussion"]


def publication_type_form(text: str) -> str:
    """Return PubMed's spelling of a type of publication; the filter knows no other."""
    plain = " ".join(text.replace("_", " ").split())
    return _BY_LOWER.get(plain.lower(), plain)


async def hits(api: Api, text: str, page: int, **parameters: str | None) -> Json:
    """Return one page of ten hits, checked to be that page of such a list."""
    found = await asked(api, "/search/", {"text": text, "page": page, **parameters})
    listed = found.get("results") if isinstance(found, dict) else None
    if not isinstance(listed, list) or not isinstance(found.get("count"), int):
        raise UpstreamBadResponse(HOST, f"the search answer holds no list and count: {str(found)[:200]!r}")
    if found.get("current", page) != page or found.get("page_size", PAGE_SIZE) != PAGE_SIZE:
        shape = f"page {found.get('current')} of {found.get('page_size')} hits each"
        raise UpstreamBadResponse(HOST, f"asked for page {page} of ten hits each, it sent {shape}")
    return found


async def slice_of_hits(
    api: Api, text: str, offset: int, limit: int, **parameters: str | None
) -> tuple[list[Json], Json]:
    """Return `limit` hits from `offset` on, and the first of the pages on which they stand."""
    first = offset // PAGE_SIZE + 1
    start = await hits(api, text, first, **parameters)
    found = list(start["results"])
    for page in range(first + 1, (offset + limit - 1) // PAGE_SIZE + 2):
        if (page - 1) * PAGE_SIZE < start["count"]:
            found += (await hits(api, text, page, **parameters))["results"]
    skipped = offset % PAGE_SIZE
    return found[skipped : skipped + limit], start


def article(hit: Json) -> Json:
    """Return a hit as a row; hits without an author, a DOI or a copy in PMC lack them."""
    if "pmid" not in hit:
        raise UpstreamBadResponse(HOST, "a hit without its PMID")
    authors = hit.get("authors") or []
    date = str(hit.get("date") or "")[:10]
    row = {
        "pmid": str(hit["pmid"]),
        "pmcid": hit.get("pmcid"),
        "doi": hit.get("doi"),
        "title": hit.get("title"),
        "first_author": authors[0] if authors else None,
        "authors": authors,
        "journal": hit.get("journal"),
        "date": date,
        "published": hit.get("meta_date_publication"),
        "year": int(date[:4]) if date[:4].isdigit() else None,
        "score": hit.get("score"),
        "snippet": snippet_of(hit.get("text_hl") or ""),
    }
    return {name: value for name, value in row.items() if value not in (None, "", [])}


@platform.tool(
    example={"text": "@DISEASE_Fatigue_Syndrome_Chronic"},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
    noise="del(.articles[]?.authors)",
    keep=(
        ".count",
        ".articles[].pmid",
        ".articles[].pmcid",
        ".articles[].doi",
        ".articles[].title",
        ".articles[].snippet",
    ),
    asks=(
        "papers that mention a gene and a disease together",
        "entity search in the literature",
        "articles with a drug and a mutation",
        "co-mention of two concepts",
    ),
)
async def search_literature(
    api: Api,
    text: Annotated[
        str,
        Arg(
            'Words, "phrases", entity ids or relations:TYPE|@ID|@ID, joined by AND, OR, NOT and parentheses.',
            EXAMPLE,
            r"^.{1,4000}$",
            normalise=text_form,
        ),
    ],
    sort: Annotated[Literal["score", "date"], Arg("What comes first: best match or newest.")] = "score",
    page: Annotated[int, Arg("Page, counted from 1, of `limit` articles each.", minimum=1, maximum=1000)] = 1,
    limit: Annotated[int, Arg("How many articles on a page.", minimum=1, maximum=30)] = PAGE_SIZE,
    publication_type: Annotated[
        str | None, Arg("Only this publication type of PubMed.", "Review", normalise=publication_type_form)
    ] = None,
    journal: Annotated[str | None, Arg("Only this journal, in NLM's abbreviation.", "N Engl J Med")] = None,
    year: Annotated[int | None, Arg("Only articles of this year.", 2024, minimum=1800, maximum=2100)] = None,
    sections: Annotated[list[Section] | None, Arg("Look in these sections only.", ["title", "abstract"])] = None,
) -> Answer:
    """Find articles by entity ids (all spellings of a gene, disease, drug or variant at once), words, or a relation
    between two entities: PMIDs with snippet and count. Ids come from find_entity. For MeSH and PubMed syntax use
    pubmed__search_articles.

    Rows: pmid, pmcid, doi, title, first_author, authors, journal, date, published, year, score, snippet.
    """
    check(text)
    text = explicit(text)
    filters = _filters(publication_type, journal, year)
    parameters = {"sort": SORTS[sort], "filters": filters, "sections": ",".join(sections) if sections else None}
    offset = (page - 1) * limit
    found, start = await slice_of_hits(api, text, offset, limit, **parameters)
    count = start["count"]
    kept = found if sections else [hit for hit in found if not _breaks(text, hit)]
    articles = [article(hit) for hit in kept]
    _check_years(articles, year)
    notes = [MACHINE] if count and entities_in(text) else []
    data: dict[str, Json] = {"text": text, "count": count, "articles": articles}
    if (filters or sections) and page == 1:
        whole = await hits(api, text, 1)
        data["count_without_filters"] = whole["count"]
        notes.append(_filter_note(count, whole))
    if not count:
        return await _nothing(api, text, data, notes)
    if len(kept) < len(found):
        notes.append("The count holds articles that NOT should have kept out; those on this page are left out.")
    if not found:
        notes.append(f"There are only {count} articles; page {page} lies behind the last.")
    return Answer(
        data,
        ResultOutcome.DATA if found else ResultOutcome.EMPTY,
        total=count if len(kept) == len(found) else None,
        returned=len(articles),
        next={"page": page + 1} if found and offset + limit < count else None,
        note=" ".join(note for note in notes if note),
    )


def _filters(publication_type: str | None, journal: str | None, year: int | None) -> str | None:
    """Return the filters in the service's form: lists of texts."""
    chosen = {"type": publication_type, "journal": journal, "year": year}
    filters = {name: [str(value)] for name, value in chosen.items() if value is not None}
    return json.dumps(filters, ensure_ascii=False, separators=(",", ":")) if filters else None


def _breaks(text: str, hit: Json) -> bool:
    """Tell whether a hit mentions what the query excludes."""
    marked = hit.get("text_hl") or ""
    return any(mentions(term, hit.get("title") or "", marked, snippet_of(marked)) for term in excluded(text))


def _check_years(articles: list[Json], year: int | None) -> None:
    """Refuse hits of other years: printing may follow within a year, anything else shows an ignored filter."""
    for row in articles:
        if year is not None and abs(row.get("year", year) - year) > 1:
            raise UpstreamBadResponse(HOST, f"asked for articles of {year}, PMID {row['pmid']} is of {row['year']}")


def _filter_note(count: int, whole: Mapping[str, Json]) -> str:
    """Hold the count against the one without filters, and name what the filters would let through."""
    if count > whole["count"]:
        raise UpstreamBadResponse(HOST, f"{count} hits with a filter, {whole['count']} without")
    if count or not whole["count"]:
        return "" if count < whole["count"] else "The filters took nothing away."
    facets = (whole.get("facets") or {}).get("facet_fields") or {}
    known = [
        f"{name}: {', '.join(str(one.get('name')) for one in facets[name][:8])}" for name in facets if facets[name]
    ]
    return f"Without filters there are {whole['count']}. Frequent values: {'; '.join(known) or 'not given'}."


async def _nothing(api: Api, text: str, data: dict[str, Json], notes: list[str]) -> Answer:
    """Tell a text that nothing is written about from one that names an entity nobody has."""
    if not data.get("count_without_filters"):
        for entity in entities_in(text)[:LOOKED_UP_MAX]:
            if unknown := await unknown_entity(api, entity):
                return unknown
    return empty(" ".join(part for part in (f"PubTator3 has no article for {text!r}.", *notes) if part), data)
