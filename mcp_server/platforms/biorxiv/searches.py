"""Preprints by words: the servers have no search, Europe PMC indexes both."""

from collections.abc import Sequence
from typing import Annotated, Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.markup import plain_text
from mcp_server.narrowing import PublicationDate, narrowed, published_between
from mcp_server.platforms.biorxiv.records import kept
from mcp_server.platforms.biorxiv.service import (
    EUROPE_PMC_HOST,
    SERVERS,
    EitherServer,
    WithAbstract,
    europe_pmc,
    platform,
)
from mcp_server.tool import Arg

Json = Any


@platform.tool(
    example={"query": "base editing", "server": "biorxiv", "limit": 5},
    asks=(
        "preprints about a topic",
        "unreviewed manuscripts on long covid",
        "find papers that are not peer reviewed yet",
        "bioRxiv medRxiv keyword search",
    ),
)
async def search_preprints(
    api: Api,
    query: Annotated[
        str, Arg('Words or "phrases" with AND/OR/NOT; fields as in Europe PMC, e.g. TITLE:, AUTH:.', "base editing")
    ],
    server: EitherServer = None,
    date_from: PublicationDate = None,
    date_to: PublicationDate = None,
    with_abstract: WithAbstract = True,
    limit: Annotated[int, Arg("How many preprints to return at most.", minimum=1, maximum=50)] = 15,
    cursor: Annotated[str | None, Arg("Where to go on: `next` of an earlier result gives it.")] = None,
) -> Answer:
    """Search bioRxiv and medRxiv preprints by words (Europe PMC's index with a filter on the servers): DOI, title,
    date, abstract. For other preprint servers and articles use europepmc__search_articles."""
    names = [SERVERS[server]] if server else list(SERVERS.values())
    publishers = " OR ".join(f'PUBLISHER:"{name}"' for name in names)
    term = narrowed(query, ["SRC:PPR", f"({publishers})", *published_between(date_from, date_to)])
    found, answer = await europe_pmc(api, term, pageSize=limit, cursorMark=cursor or "*")
    rows = [_row(record, names, with_abstract=with_abstract) for record in found]
    count = int(answer["hitCount"])
    if count and not rows and cursor is None:
        raise UpstreamBadResponse(EUROPE_PMC_HOST, f"{count} hits, and no record on the first page", body=answer)
    mark = answer.get("nextCursorMark")
    is_last = len(rows) < limit or mark in (None, cursor) or (cursor is None and len(rows) >= count)
    return Answer(
        {"query": term, "count": count, "preprints": rows},
        ResultOutcome.DATA if count else ResultOutcome.EMPTY,
        total=count,
        returned=len(rows),
        next=None if is_last else {"cursor": mark},
        note=_note(query, names, count, rows),
        citations=[Citation("doi", row["doi"], row["title"], row["url"]) for row in rows if "doi" in row],
    )


def _row(record: Json, names: Sequence[str], *, with_abstract: bool) -> dict[str, Json]:
    server = str((record.get("bookOrReportDetails") or {}).get("publisher") or "")
    if record.get("source") != "PPR" or (server and server.lower() not in [name.lower() for name in names]):
        got = f"{record.get('source')} {record.get('id')} of {server or 'no server'}"
        raise UpstreamBadResponse(EUROPE_PMC_HOST, f"asked for preprints of {' or '.join(names)}, got {got}")
    links = (record.get("commentCorrectionList") or {}).get("commentCorrection") or []
    doi = record.get("doi")
    facts = {
        "doi": doi,
        "ppr_id": record.get("id"),
        "title": plain_text(record.get("title") or ""),
        "authors": record.get("authorString"),
        "server": server,
        "date": record.get("firstPublicationDate"),
        "abstract": plain_text(record.get("abstractText") or "") if with_abstract else None,
        "cited_by": record.get("citedByCount"),
        "licence": record.get("license"),
        "published_pmid": next((each.get("id") for each in links if each.get("type") == "Preprint of"), None),
        "url": f"https://doi.org/{doi}" if doi else f"https://europepmc.org/article/PPR/{record.get('id')}",
    }
    return kept(facts)


def _note(query: str, names: Sequence[str], count: int, rows: Sequence[Json]) -> str:
    if not count:
        return f"Europe PMC has no preprint of {' or '.join(names)} for {query!r}."
    return "Preprints: not peer-reviewed." if rows else "There are no further rows behind this cursor."
