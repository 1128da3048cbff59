"""Articles: PubTator3 by entities, Europe PMC by words and fields, preprints among them; each paper once."""

import asyncio
import re
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.article_queries import (
    ENTITY_KINDS,
    europepmc_query,
    europepmc_sources,
    is_for_pubtator,
    pubtator_text,
)
from mcp_server.unified.domains.base import Document, LegRows, answers, notice, sections, values
from mcp_server.unified.results import Result, result, round_robin, without_twins

Json = Any
PAGE_MAX = {"pubtator3": 30, "europepmc": 50}
# One preprint after so many articles: a new field is heard, and printed papers still lead.
ARTICLES_A_PREPRINT = 4
FULL_TEXT_CHARS = 60_000
SORTS = {"citations": "cited", "date": "date"}
Listed = tuple[list[Result], int | None]


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first `count` articles: papers in turn from each source, then every fifth a preprint."""
    if any(params.get(name) for name in ("pmid", "pmcid", "doi")):
        return await _by_number(params, calls)
    notices: list[dict[str, Json]] = []
    asked: list[tuple[str, Awaitable[Listed]]] = []
    printed, preprints = europepmc_sources(params)
    if is_for_pubtator(params):
        asked.append(("pubtator3", _pubtator(params, calls, count, notices)))
    if printed:
        asked.append(("europepmc", _europepmc(params, calls, count, printed)))
    if preprints:
        asked.append(("europepmc", _europepmc(params, calls, count, preprints)))
    found, failures = await answers([each for _, each in asked])
    lists = [each[0] if each else [] for each in found]
    apart = lists.pop() if preprints and len(lists) > 1 else []
    merged = without_twins(_with_preprints(list(round_robin(lists)), apart))
    totals = [each[1] for each in found if each]
    known = [total for total in totals if total is not None]
    sources = list(dict.fromkeys(calls.title(name) for (name, _), each in zip(asked, found, strict=True) if each))
    # The same papers stand in both indexes: the larger number is all that is sure.
    exact = len(asked) == 1 and len(known) == 1
    return LegRows(
        merged, max(known, default=None), "exact" if exact else "at_least" if known else "unknown", sources, failures,
        notices,
    )  # fmt: skip


def _with_preprints(articles: Sequence[Result], preprints: Sequence[Result]) -> Iterator[Result]:
    """Yield the articles with a preprint after every few of them, so that a longer list begins like a shorter one."""
    first, second = iter(articles), iter(preprints)
    while chunk := list(islice(first, ARTICLES_A_PREPRINT)):
        yield from chunk
        yield from islice(second, 1)
    yield from second


async def _pubtator(params: Mapping[str, Json], calls: Calls, count: int, notices: list[dict[str, Json]]) -> Listed:
    """Search by entities; a name that PubTator3 does not know is searched as words."""
    names = {value: kind for field, kind in ENTITY_KINDS.items() for value in _values(params, field)}
    entities: dict[str, str] = {}
    looked_up = await asyncio.gather(
        *(calls("pubtator3__find_entity", query=value, concept=kind, limit=5) for value, kind in names.items())
    )
    for (value, kind), found_names in zip(names.items(), looked_up, strict=True):
        if best := next(iter(found_names.rows()), None):
            entities[value] = str(best["id"])
            if kind == "gene" and str(best.get("name", value)).upper() != value.upper():
                notices.append(notice("N_ALIAS", f"{value} was searched as {best['name']} in PubTator3."))
    text = pubtator_text(params, entities)
    sort = "date" if params.get("sort") == "date" else "score"
    found: list[Result] = []
    page, size = 1, min(count, PAGE_MAX["pubtator3"])
    while True:
        answer = await calls("pubtator3__search_literature", text=text, sort=sort, page=page, limit=size)
        found += [card(row) for row in answer.rows("articles")]
        if len(found) >= count or not answer.next:
            return found, answer.total
        page += 1


async def _europepmc(params: Mapping[str, Json], calls: Calls, count: int, sources: Sequence[str]) -> Listed:
    """Search by words and fields."""
    date = params.get("date") or {}
    found: list[Result] = []
    cursor = None
    while True:
        answer = await calls(
            "europepmc__search_articles",
            query=europepmc_query(params),
            sources=list(sources),
            sort=SORTS.get(params.get("sort") or "", "relevance"),
            date_from=date.get("from"),
            date_to=date.get("to"),
            open_access=params.get("open_access") or None,
            page_size=min(max(count, 1), PAGE_MAX["europepmc"]),
            cursor=cursor,
        )
        found += [card(row) for row in answer.rows("articles")]
        cursor = (answer.next or {}).get("cursor")
        if len(found) >= count or not cursor:
            return found, answer.total


async def _by_number(params: Mapping[str, Json], calls: Calls) -> LegRows:
    """Return the articles of the given numbers."""
    asked = [
        calls("europepmc__get_article", **{name: value})
        for name in ("pmid", "pmcid", "doi")
        for value in params.get(name) or ()
    ]
    found, failures = await answers(asked)
    cards = without_twins(card(each.data) for each in found if each and each.has_data)
    return LegRows(cards, len(cards), "exact" if not failures else "at_least", [calls.title("europepmc")], failures)


def _values(params: Mapping[str, Json], field: str) -> list[str]:
    return [*values(params, field), *(str(value) for value in params.get(f"not_{field}") or ())]


def identifier(row: Mapping[str, Json]) -> str:
    """Return the id that `fetch` opens: PMID, else DOI, else PMCID, else Europe PMC's own."""
    if row.get("pmid"):
        return f"PMID{row['pmid']}"
    if row.get("doi"):
        return f"DOI:{row['doi']}"
    return str(row.get("pmcid") or row.get("id"))


def card(row: Mapping[str, Json]) -> Result:
    """Return the card of an article; a preprint says that it is one."""
    preprint = bool(row.get("is_preprint"))
    server = row.get("server") or "preprint server"
    parts = (
        f"Preprint ({server}), not peer-reviewed" if preprint else "",
        "RETRACTED" if row.get("is_retracted") else "",
        row.get("year"),
        "" if preprint else row.get("journal"),
        row.get("first_author"),
        row.get("abstract") or row.get("snippet"),
    )
    url = f"https://pubmed.ncbi.nlm.nih.gov/{row['pmid']}/" if row.get("pmid") else str(row.get("url") or "")
    if not url and row.get("doi"):
        url = f"https://doi.org/{row['doi']}"
    return result(identifier(row), row.get("title"), parts, url, keys(row))


def keys(row: Mapping[str, Json]) -> set[str]:
    """Return all names of a paper. A preprint and the article that it became stay two records."""
    named = {f"PMID{row['pmid']}"} if row.get("pmid") else set()
    if row.get("doi"):
        named.add(f"DOI:{str(row['doi']).lower()}")
    title = re.sub(r"\W+", "", str(row.get("title") or "").lower())
    if title and row.get("year"):
        named.add(f"{'preprint' if row.get('is_preprint') else 'title'}:{title}:{row['year']}")
    return named


async def opened(number: str, calls: Calls, *, full_text: bool = False) -> Document | None:
    """Open an article by `PMID…`, `PMC…`, `DOI:…` or a preprint's `PPR…`; None where Europe PMC has none."""
    kind, value = ("pmid", number[4:]) if number.startswith("PMID") else ("doi", number[4:])
    if number.startswith("PMC"):
        kind, value = "pmcid", number
    asked = {"source": "PPR", "id": number} if number.startswith("PPR") else {kind: value}
    found = await calls("europepmc__get_article", **asked)
    if not found.has_data:
        return None
    row = found.data
    head = card(row)
    metadata = {"europepmc": row}
    body = ""
    errors: list[SourceFailed] = []
    if full_text and (source := row.get("pmcid") or (number if number.startswith("PPR") else None)):
        texts, errors = await _full_text(str(source), calls)
        body = sections((str(part.get("title") or ""), part.get("text")) for part in texts)
    text = sections(
        (
            ("Note", found.note),
            ("Authors", row.get("authors")),
            ("Journal", " ".join(str(part) for part in (row.get("journal"), row.get("year")) if part)),
            ("Abstract", row.get("abstract")),
        )
    )
    whole = "\n".join(part for part in (text, body) if part) or head.text
    return Document(head.id, head.title, whole, head.url, metadata, [calls.title("europepmc")], errors)


async def _full_text(number: str, calls: Calls) -> tuple[list[Mapping[str, Json]], list[SourceFailed]]:
    """Return the sections of an open-access text; where it can't be had, the record alone is shown, and why."""
    try:
        found = await calls("europepmc__get_full_text", article_id=number, max_chars=FULL_TEXT_CHARS)
    except SourceFailed as failed:
        return [], [failed]
    return found.rows("sections"), []
