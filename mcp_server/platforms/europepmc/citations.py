"""Who cites an article, and what it cites."""

from typing import Annotated, Any

from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.platforms.europepmc.records import all_cited, linked, listed
from mcp_server.platforms.europepmc.service import (
    Key,
    Page,
    Pmid,
    RecordId,
    RecordSource,
    checked,
    exists,
    key_of,
    matched,
    platform,
    unknown,
)
from mcp_server.tool import Arg

Json = Any

PageSize = Annotated[int, Arg("How many rows to return at most.", minimum=1, maximum=200)]


@platform.tool(
    example={"pmid": "34308300", "page_size": 25},
    asks=(
        "who cited this paper",
        "citing articles",
        "how has a finding been followed up",
        "cited by",
        "who referred to the article later",
    ),
)
async def get_citations(
    api: Api,
    pmid: Pmid = None,
    source: RecordSource = None,
    id: RecordId = None,
    page: Page = 1,
    page_size: PageSize = 25,
) -> Answer:
    """Who cites an article: the articles and preprints that do, by its PMID (or source and id), with count, PMID,
    title, year. What it cites: get_references; citation numbers over many papers: pubmed__get_citation_metrics.
    """
    key = await key_of(api, pmid, source, id)
    if key is None:
        return unknown(str(id))
    answer = await _listing(api, key, "citations", page, page_size)
    found = [linked(each) for each in listed(answer.get("citationList"), "citation")]
    return await _page(api, key, answer, found, page, page_size, f"Europe PMC knows no article that cites {key}.")


@platform.tool(
    example={"pmid": "34308300", "page_size": 25},
    asks=(
        "bibliography of a paper",
        "what does this article cite",
        "works cited, source list",
        "which sources does the article build on",
    ),
)
async def get_references(
    api: Api,
    pmid: Pmid = None,
    source: RecordSource = None,
    id: RecordId = None,
    page: Page = 1,
    page_size: PageSize = 25,
) -> Answer:
    """Reference list of one article, by its PMID (or source and id): what it cites, in order, with PMIDs where Europe
    PMC has matched them. For who cites it use get_citations."""
    key = await key_of(api, pmid, source, id)
    if key is None:
        return unknown(str(id))
    answer = await _listing(api, key, "references", page, page_size)
    found = [_reference(each) for each in listed(answer.get("referenceList"), "reference")]
    nothing = f"Europe PMC has no list of references of {key}: that does not mean that it cites nothing."
    return await _page(api, key, answer, found, page, page_size, nothing)


def _reference(record: Json) -> dict[str, Json]:
    row = linked(record)
    return {"order": record.get("citedOrder"), "is_matched": record.get("match") == "Y" and "id" in row, **row}


async def _listing(api: Api, key: Key, route: str, page: int, page_size: int) -> dict[str, Json]:
    answer = await api.get(f"{key.path}/{route}", {"page": page, "pageSize": page_size, "format": "json"})
    # Where there is nothing, the number of hits may be missing; the request never is.
    answer = checked(answer, "request")
    matched(key, answer)
    return answer


async def _page(
    api: Api, key: Key, answer: Json, found: list[dict[str, Json]], page: int, page_size: int, nothing: str
) -> Answer:
    """Answer with one page of a list, or tell nothing from an unknown record."""
    total = int(answer.get("hitCount") or 0)
    if not total and not found:
        return empty(nothing) if await exists(api, key) else unknown(str(key))
    data = {"source": key.source, "id": key.id, "count": total, "articles": found, "url": key.page}
    more = bool(found) and (page - 1) * page_size + len(found) < total
    note = "" if found else f"There are only {total}: page {page} lies behind the last."
    return rows(
        found,
        total=total,
        next={"page": page + 1, "page_size": page_size} if more else None,
        note=note,
        data=data,
        citations=all_cited(found),
    )
