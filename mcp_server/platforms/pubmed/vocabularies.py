"""NLM's own lists: MeSH headings and journals."""

import re
from typing import Annotated, Any

from mcp_server.args import DiseaseName, Limit
from mcp_server.envelope import Answer, Citation, empty, rows
from mcp_server.http.client import Api
from mcp_server.platforms.pubmed.service import Offset, esearch, esummary, exact_first, platform
from mcp_server.tool import Arg

Json = Any

# The first two digits of a MeSH number at Entrez stand for the letter.
LETTERS = {"68": "D", "67": "C", "81": "Q"}


@platform.tool(
    example={"term": "trametinib", "limit": 3},
    asks=(
        "MeSH heading of a disease",
        "subject heading, entry terms",
        "controlled vocabulary",
        "tree number of a descriptor",
    ),
)
async def lookup_mesh_term(
    api: Api,
    term: Annotated[DiseaseName, Arg("Concept, drug or disease in words.", "breast cancer")],
    limit: Limit = 5,
    offset: Offset = 0,
) -> Answer:
    """Find MeSH headings for a concept: descriptor id, scope note, tree numbers and entry terms; exact names first. Use
    it to build PubMed queries with [mh]. A disease's ids elsewhere: myvariant__disease_resolve.
    """
    result = await esearch(api, "mesh", term, retmax=limit, retstart=offset)
    uids = [str(uid) for uid in result.get("idlist", [])]
    found = await esummary(api, "mesh", uids)
    headings = exact_first(
        [_heading(uid, found[uid]) for uid in uids if uid in found],
        term,
        lambda row: [row["name"], *row["entry_terms"]],
    )
    if not headings:
        return empty(f"MeSH has no heading for {term!r}.", {"term": term, "headings": []})
    total = int(result.get("count") or len(headings))
    reached = offset + len(uids)
    names = {term.lower()} & {name.lower() for row in headings for name in (row["name"], *row["entry_terms"])}
    return rows(
        headings,
        total=total,
        next={"offset": reached} if reached < total else None,
        note="" if names else f"None of these is called {term!r} exactly.",
        data={"term": term, "count": total, "headings": headings},
        citations=[_cite_heading(row) for row in headings],
    )


def _heading(uid: str, record: Json) -> Json:
    names = record.get("ds_meshterms") or [""]
    trees = [each.get("treenum", "") for each in record.get("ds_idxlinks") or []]
    letter = LETTERS.get(uid[:2]) if len(uid) == 8 else None
    facts = {
        "ui": f"{letter}{uid[2:]}" if letter else None,
        "scope_note": record.get("ds_scopenote"),
        "registry_number": record.get("ds_registrynumber"),
        "year_introduced": record.get("ds_yearintroduced"),
        # Tree numbers with @ point into the list of supplementary concepts.
        "tree_numbers": [tree for tree in trees if tree and not tree.startswith("@")],
        "mapped_to": [str(each) for each in record.get("ds_headingmappedtolist") or []],
    }
    kept = {name: value for name, value in facts.items() if value and value != "0"}
    return {"uid": uid, "name": names[0], "entry_terms": names[1:], **kept}


def _cite_heading(row: Json) -> Citation:
    return Citation("mesh", row.get("ui") or row["uid"], row["name"], f"https://www.ncbi.nlm.nih.gov/mesh/{row['uid']}")


@platform.tool(
    example={"query": "Human mutation", "limit": 3},
    asks=(
        "ISSN of a journal",
        "NLM abbreviation of a journal title",
        "is the journal indexed in MEDLINE",
    ),
)
async def lookup_journal(
    api: Api,
    query: Annotated[str, Arg("Journal name, abbreviation or ISSN.", "N Engl J Med")],
    limit: Limit = 5,
    offset: Offset = 0,
) -> Answer:
    """Find journals by name, abbreviation or ISSN: title, abbreviation, ISSNs, years and whether MEDLINE indexes them;
    exact names first. For a journal's articles use search_articles with [ta]."""
    result = await esearch(api, "nlmcatalog", _journal_term(query), retmax=limit, retstart=offset)
    uids = [str(uid) for uid in result.get("idlist", [])]
    found = await esummary(api, "nlmcatalog", uids)
    journals = exact_first(
        [_journal(uid, found[uid]) for uid in uids if uid in found],
        query,
        lambda row: [row.get("abbreviation", ""), row.get("title", ""), *row.get("issns", [])],
    )
    if not journals:
        return empty(f"The NLM catalogue has no journal {query!r}.", {"query": query, "journals": []})
    total = int(result.get("count") or len(journals))
    reached = offset + len(uids)
    return rows(
        journals,
        total=total,
        next={"offset": reached} if reached < total else None,
        data={"query": query, "count": total, "journals": journals},
        citations=[
            Citation(
                "nlm_catalog",
                row["nlm_id"],
                row.get("title", ""),
                f"https://www.ncbi.nlm.nih.gov/nlmcatalog/{row['nlm_id']}",
            )
            for row in journals
        ],
    )


def _journal_term(query: str) -> str:
    if re.fullmatch(r"\d{4}-\d{3}[\dXx]", query):
        return f"{query.upper()}[issn]"
    words = query.replace('"', " ").strip()
    return f'("{words}"[ta] OR "{words}"[title]) AND ncbijournals[filter]'


def _journal(uid: str, record: Json) -> Json:
    titles = [each.get("title", "") for each in record.get("titlemainlist") or []]
    issns = [each.get("issn") for each in record.get("issnlist") or []]
    facts = {
        "title": titles[0] if titles else None,
        "abbreviation": record.get("medlineta") or record.get("isoabbreviation"),
        "issns": [issn for issn in issns if issn],
        "indexing": record.get("currentindexingstatus"),
        "start_year": record.get("startyear"),
        # 0000 and 9999 say that it goes on or that nobody knows.
        "end_year": record.get("endyear") if record.get("endyear") not in ("0000", "9999") else None,
        "country": record.get("country"),
    }
    return {"nlm_id": record.get("nlmuniqueid") or uid, **{name: value for name, value in facts.items() if value}}
