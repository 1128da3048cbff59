"""Articles: PubTator3 by entities, Europe PMC by words and fields, preprints among them; each paper once."""

import asyncio
import heapq
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mcp_server.codes import ToolCode
from mcp_server.unified.calls import Calls, Found, SourceFailed
from mcp_server.unified.domains.article_queries import (
    ENTITY_KINDS,
    NUMBERS,
    europepmc_query,
    europepmc_sources,
    not_for_pubtator,
    pubtator_text,
    sources_of,
)
from mcp_server.unified.domains.base import Document, LegRows, answers, notice, refused, sections, texts
from mcp_server.unified.results import Result, result, round_robin, without_twins

Json = Any
PAGE_MAX = {"pubtator3": 30, "europepmc": 50}
# One preprint after so many articles: a new field is heard, and printed papers still lead.
ARTICLES_A_PREPRINT = 4
FULL_TEXT_CHARS = 60_000
PUBTATOR, PRINTED, PREPRINTS = "pubtator", "articles", "preprints"
_PLATFORMS = {PUBTATOR: "pubtator3", PRINTED: "europepmc", PREPRINTS: "europepmc"}
# How Europe PMC is asked for an order, and what of a row tells its place in it.
SORTS = {"citations": ("cited", "cited_by"), "date": ("date", "date")}


@dataclass(frozen=True)
class Listed:
    """What one source lists: first rows with their cards, each paper once; how many it has, whether it has more."""

    rows: list[tuple[Result, Mapping[str, Json]]]
    total: int | None
    has_more: bool

    @property
    def cards(self) -> list[Result]:
        """The cards alone."""
        return [made for made, _ in self.rows]


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first articles: papers in turn from each source, then every fifth a preprint; or in a wanted order."""
    if _is_by_number(params):
        return await _by_number(params, calls)
    notices: list[dict[str, Json]] = []
    asked = _asked(params, calls, count, notices)
    if not asked:
        beyond = f" that can filter by {', '.join(not_for_pubtator(params))}" if not_for_pubtator(params) else ""
        message = f"there is no source{beyond} among {', '.join(sorted(sources_of(params)))}; leave out the source"
        raise SourceFailed(calls.title("pubtator3"), ToolCode.TOOL_INVALID_ARGUMENTS, message)
    found, failures = await answers([each for _, each in asked])
    named = [(name, each) for (name, _), each in zip(asked, found, strict=True) if each is not None]
    merged = without_twins(_in_order(params, dict(named)))
    sources = list(dict.fromkeys(calls.title(_PLATFORMS[name]) for name, _ in named))
    total, total_is = _counted([each.total for _, each in named], is_one_index=len(sources) == 1 and not failures)
    has_more = any(each.has_more for _, each in named)
    return LegRows(merged, total, total_is, sources, failures, notices, has_more=has_more)


def _asked(
    params: Mapping[str, Json], calls: Calls, count: int, notices: list[dict[str, Json]]
) -> list[tuple[str, Awaitable[Listed]]]:
    """Return the searches of a leg by what they look for; preprints come last."""
    asked: list[tuple[str, Awaitable[Listed]]] = []
    printed, preprints = europepmc_sources(params)
    beyond = not_for_pubtator(params)
    if PUBTATOR in sources_of(params):
        if not beyond:
            asked.append((PUBTATOR, _pubtator(params, calls, count, notices)))
        elif printed or preprints:
            words = f"{calls.title('pubtator3')} was not asked: it can't filter by {', '.join(beyond)}."
            notices.append(notice("N_NOT_ASKED", f"article: {words}"))
    if printed:
        asked.append((PRINTED, _europepmc(params, calls, count, printed)))
    if preprints:
        asked.append((PREPRINTS, _europepmc(params, calls, count, preprints)))
    return asked


def _in_order(params: Mapping[str, Json], lists: Mapping[str, Listed]) -> Iterator[Result]:
    """Yield the cards of all lists, in an order whose beginning is the same however long the lists are."""
    if (sort := params.get("sort")) in SORTS:
        field = SORTS[sort][1]
        least: Json = 0 if sort == "citations" else ""
        rows = (each.rows for each in lists.values())
        yield from (made for made, _ in heapq.merge(*rows, key=lambda one: one[1].get(field) or least, reverse=True))
        return
    articles = [each.cards for name, each in lists.items() if name != PREPRINTS]
    preprints = lists[PREPRINTS].cards if PREPRINTS in lists else []
    yield from _with_preprints(without_twins(round_robin(articles)), preprints)


def _counted(totals: Sequence[int | None], *, is_one_index: bool) -> tuple[int | None, str]:
    """Return how many there are: articles and preprints of one index add up, two indexes hold the same papers."""
    known = [total for total in totals if total is not None]
    if is_one_index and known and len(known) == len(totals):
        return sum(known), "exact"
    # Of two indexes the larger number is all that is sure.
    return (max(known), "at_least") if known else (None, "unknown")


def _with_preprints(articles: Sequence[Result], preprints: Sequence[Result]) -> Iterator[Result]:
    """Yield the articles with a preprint after every few of them, so that a longer list begins like a shorter one."""
    first, second = iter(articles), iter(preprints)
    while chunk := list(islice(first, ARTICLES_A_PREPRINT)):
        yield from chunk
        yield from islice(second, 1)
    yield from second


async def _pubtator(params: Mapping[str, Json], calls: Calls, count: int, notices: list[dict[str, Json]]) -> Listed:
    """Search by entities; a name that PubTator3 does not know is searched as words."""
    names = [(field, value) for field in ENTITY_KINDS for value in (*texts(params, field), *refused(params, field))]
    looked_up = await asyncio.gather(*(_entity(ENTITY_KINDS[field], value, calls) for field, value in names))
    entities: dict[tuple[str, str], str] = {}
    for (field, value), entity in zip(names, looked_up, strict=True):
        if entity:
            entities[field, value] = str(entity["id"])
            if field != "variants" and _plain(entity.get("name", value)) != _plain(value):
                notices.append(notice("N_ALIAS", f"{value} was searched as {entity['name']} in PubTator3."))
    text = pubtator_text(params, entities)
    sort = "date" if params.get("sort") == "date" else "score"
    size = min(count, PAGE_MAX["pubtator3"])

    async def page(following: Mapping[str, Json]) -> Found:
        return await calls("pubtator3__search_literature", text=text, sort=sort, limit=size, **following)

    return await _listed(page, count)


async def _entity(kind: str, value: str, calls: Calls) -> Mapping[str, Json] | None:
    """Return the entity that is called so; what only begins alike is another one. Variants have no fixed spelling."""
    found = (await calls("pubtator3__find_entity", query=value, concept=kind, limit=5)).rows()
    called = [row for row in found if _plain(value) in (_plain(row.get("name")), _plain(row.get("matched_text")))]
    return next(iter(called if kind != "variant" else [*called, *found]), None)


def _plain(name: object) -> str:
    return re.sub(r"\W+", "", str(name or "")).lower()


async def _europepmc(params: Mapping[str, Json], calls: Calls, count: int, sources: Sequence[str]) -> Listed:
    """Search by words and fields."""
    date = params.get("date") or {}
    query = europepmc_query(params, is_for_preprints=sources == ["PPR"])

    async def page(following: Mapping[str, Json]) -> Found:
        return await calls(
            "europepmc__search_articles",
            query=query,
            sources=list(sources),
            sort=SORTS.get(params.get("sort") or "", ("relevance",))[0],
            date_from=date.get("from"),
            date_to=date.get("to"),
            open_access=params.get("open_access") or None,
            page_size=min(count, PAGE_MAX["europepmc"]),
            **following,
        )

    return await _listed(page, count)


async def _listed(page: Callable[[Mapping[str, Json]], Awaitable[Found]], count: int) -> Listed:
    """Read pages until so many different papers are known or the list ends."""
    found: list[tuple[Result, Mapping[str, Json]]] = []
    seen: set[str] = set()
    following: Mapping[str, Json] = {}
    total = None
    while True:
        answer = await page(following)
        total = total if following else answer.total
        for row in answer.rows("articles"):
            made = card(row)
            if not made.names & seen:
                found.append((made, row))
            seen |= made.names
        following = answer.next or {}
        if len(found) >= count or not following:
            return Listed(found[:count], total, bool(following) or len(found) > count)


def _is_by_number(params: Mapping[str, Json]) -> bool:
    """Tell whether the articles are named by one kind of number and nothing else is asked of them."""
    return sum(name in params for name in NUMBERS) == 1 and not set(params) - {*NUMBERS, "sort"}


async def _by_number(params: Mapping[str, Json], calls: Calls) -> LegRows:
    """Return the articles of the given numbers."""
    asked = [calls("europepmc__get_article", **{name: value}) for name in NUMBERS for value in params.get(name) or ()]
    found, failures = await answers(asked)
    cards = without_twins(card(each.data) for each in found if each and each.has_data)
    return LegRows(cards, len(cards), "exact" if not failures else "at_least", [calls.title("europepmc")], failures)


def identifier(row: Mapping[str, Json]) -> str:
    """Return the id that `fetch` opens: PMID, else DOI, else PMCID, else Europe PMC's own."""
    if row.get("pmid"):
        return f"PMID{row['pmid']}"
    if row.get("doi"):
        return f"DOI:{row['doi']}"
    return str(row.get("pmcid") or row.get("id"))


def card(row: Mapping[str, Json]) -> Result:
    """Return the card of an article; a preprint says that it is one."""
    preprint = is_preprint(row)
    server = row.get("server") or row.get("journal") or "preprint server"
    parts = (
        f"Preprint ({server}), not peer-reviewed" if preprint else "",
        "RETRACTED" if row.get("is_retracted") else "",
        row.get("year"),
        "" if preprint else row.get("journal"),
        row.get("first_author"),
        row.get("abstract") or row.get("snippet"),
    )
    url = f"https://pubmed.ncbi.nlm.nih.gov/{row['pmid']}/" if row.get("pmid") else str(row.get("url") or "")
    if not url:
        number = identifier(row)
        url = f"https://doi.org/{row['doi']}" if row.get("doi") else f"https://europepmc.org/search?query={number}"
    return result(identifier(row), row.get("title"), parts, url, _numbers(row), _titles(row, preprint))


def is_preprint(row: Mapping[str, Json]) -> bool:
    """Tell whether a row is a preprint: PubMed lists some as well, under the name of their server."""
    return bool(row.get("is_preprint")) or _plain(row.get("journal")) in _SERVERS


_SERVERS = ("biorxiv", "medrxiv", "ressq", "researchsquare", "arxiv", "chemrxiv", "preprints")


def _numbers(row: Mapping[str, Json]) -> set[str]:
    """Return the numbers of a paper, of which any names it."""
    named = {f"PMID{row['pmid']}"} if row.get("pmid") else set()
    named |= {str(row["pmcid"]).upper()} if row.get("pmcid") else set()
    return named | ({f"DOI:{str(row['doi']).lower()}"} if row.get("doi") else set())


def _titles(row: Mapping[str, Json], preprint: bool) -> set[str]:
    """Return title and year of a paper. A preprint and the article that it became stay two records."""
    title = _plain(row.get("title"))
    return {f"{'preprint' if preprint else 'article'}:{title}:{row['year']}"} if title and row.get("year") else set()


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
    notices: list[dict[str, Json]] = []
    if full_text:
        source = row.get("pmcid") or (number if number.startswith("PPR") else row.get("id") if is_preprint(row) else "")
        body, errors, missing = await _full_text(str(source or ""), calls)
        notices += [notice("N_NO_FULL_TEXT", missing)] if missing else []
    text = sections(
        (
            ("Note", found.note),
            ("Authors", row.get("authors")),
            ("Journal", " ".join(str(part) for part in (row.get("journal"), row.get("year")) if part)),
            ("Abstract", row.get("abstract")),
        )
    )
    whole = "\n".join(part for part in (text, body) if part) or head.text
    source_titles = [calls.title("europepmc")]
    return Document(head.id, head.title, whole, head.url, metadata, source_titles, errors, notices)


async def _full_text(number: str, calls: Calls) -> tuple[str, list[SourceFailed], str]:
    """Return an open-access text with its headings, or why there is none: then the record alone is shown."""
    if not number:
        return "", [], "The full text is not in Europe PMC; this is the record with its abstract."
    try:
        found = await calls("europepmc__get_full_text", article_id=number, max_chars=FULL_TEXT_CHARS)
    except SourceFailed as failed:
        return "", [failed], "The full text could not be fetched; this is the record with its abstract."
    parts = found.rows("sections")
    if not parts:
        return "", [], found.note or "There is no open-access full text; this is the record with its abstract."
    text = "\n".join(f"{part.get('title') or ''}\n{part.get('text') or ''}".strip() for part in parts)
    cut = f"The text is longer: europepmc__get_full_text goes on with {dict(found.next)}." if found.next else ""
    return text, [], cut
