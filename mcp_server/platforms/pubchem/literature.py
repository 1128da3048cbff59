"""Papers and patents of a compound, and what is mentioned together with it."""

from typing import Annotated, Any, Literal

from mcp_server.args import Offset, PubchemCid
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.platforms.pubchem.base import RowLimit, known, matched, nothing_about, page, plain_number, platform
from mcp_server.platforms.pubchem.tables import Table, table_answer
from mcp_server.tool import Arg, Cite

Json = Any

LINKS = "https://pubchem.ncbi.nlm.nih.gov/link_db"
PAPER = ("pmids", "pmcid", "prefdoi", "articletitle", "articlejourname", "articlepubdate", "articletype")
PATENT = ("publicationnumber", "title", "prioritydate", "grantdate", "assignees", "inventors", "family")
NEIGHBOURS = {
    "disease": "ChemicalDiseaseNeighbor",
    "gene": "ChemicalGeneSymbolNeighbor",
    "chemical": "ChemicalNeighbor",
}
ARTICLES_MAX = 3
CID = Cite("pubchem", ".", ".CID")


@platform.tool(
    example={"cid": "4", "limit": 3},
    cites=(CID, Cite("pmid", ".papers[].pmids[]")),
    asks=(
        "papers about a chemical",
        "publications on a compound by CID",
        "references for a substance",
    ),
)
async def get_literature(
    api: Api,
    cid: PubchemCid,
    since: Annotated[
        str | None, Arg("Only papers of this day or later.", "2025-01-01", r"^\d{4}(-\d\d(-\d\d)?)?$")
    ] = None,
    limit: RowLimit = 25,
    offset: Offset = 0,
) -> Answer:
    """Papers that PubChem links to a compound by CID, newest first: title, journal, date, PMID, DOI. By topic or words
    use pubmed__search_articles; diseases and genes in them: get_cooccurrences.

    CID, papers: [{pmids, pmcid, prefdoi, articletitle, articlejourname, articlepubdate, articletype}].
    """
    table = Table("literature", PAPER, {"cid": cid}, "articlepubdate,desc")
    nothing = f"PubChem links no paper to compound {cid}."
    found = await table_answer(api, table, limit, offset, cid=cid, under="papers", nothing=nothing)
    if since is None or not found.returned:
        return found
    papers = [row for row in found.data["papers"] if str(row.get("articlepubdate") or "") >= since]
    ended = len(papers) < len(found.data["papers"])
    note = f"{len(papers)} of the {found.returned} papers read are of {since} or later, of {found.total} in all."
    data = {**found.data, "papers": papers}
    outcome = page(papers, max(len(papers), 1)).outcome
    total = 0 if not papers else found.total
    return Answer(data, outcome, total, len(papers), None if ended else found.next, note)


@platform.tool(
    example={"cid": "2244", "limit": 3},
    cites=(
        CID,
        Cite("patent", ".patents[]", ".publicationnumber", ".title", "https://pubchem.ncbi.nlm.nih.gov/patent/{id}"),
    ),
    asks=(
        "patents on a molecule",
        "who patented a compound",
        "intellectual property, patent numbers of a chemical",
    ),
)
async def get_patents(api: Api, cid: PubchemCid, limit: RowLimit = 25, offset: Offset = 0) -> Answer:
    """Patents that mention a compound, by CID, newest priority first: number, title, dates, assignees; with their
    number. The bare list of numbers: get_external_ids with kind PatentID.

    CID, patents: [{publicationnumber, title, prioritydate, grantdate, assignees, inventors, family}].
    """
    table = Table("patent", PATENT, {"cid": cid}, "prioritydate,desc")
    nothing = f"PubChem lists no patent of compound {cid}."
    return await table_answer(api, table, limit, offset, cid=cid, under="patents", nothing=nothing)


@platform.tool(
    example={"cid": "4", "kind": "disease"},
    cites=(CID, Cite("pmid", ".neighbours[].articles[]", ".pmid", ".title")),
    noise="del(.neighbours[].articles[].title)",
    keep=(
        ".CID",
        ".neighbours[].id",
        ".neighbours[].articles_count",
        ".neighbours[].articles[].pmid",
    ),
    asks=(
        "diseases mentioned together with a chemical",
        "which genes are linked to a compound in the literature",
        "co-mention, text mining of a chemical",
    ),
)
async def get_cooccurrences(
    api: Api,
    cid: PubchemCid,
    kind: Annotated[Literal["disease", "gene", "chemical"], Arg("What is mentioned together with it.")] = "disease",
    limit: RowLimit = 20,
    offset: Offset = 0,
) -> Answer:
    """Diseases, genes or chemicals mentioned together with a compound in papers, by CID, with article counts and three
    PMIDs each. Text-mined, no proof of an effect; typed relations (inhibits, causes): pubtator3__find_relations.

    CID, kind, neighbours: [{id, name, articles_count, score, articles: [{pmid, title, date}]}].
    """
    number, link = plain_number(cid), NEIGHBOURS[kind]
    parameters: dict[str, Json] = {
        "format": "JSON",
        "type": link,
        "operation": "GetAllLinks",
        "id_1": number,
        "response_type": "display",
    }
    answer = await known(api, "/link_db_server.cgi", base=LINKS, **parameters)
    found = [_neighbour(row, link, number) for row in ((answer or {}).get("LinkDataSet") or {}).get("LinkData") or []]
    wrap = {"CID": cid, "kind": kind}
    if not found:
        note = f"PubChem lists no {kind} together with compound {cid}."
        return await nothing_about(api, cid, note, {**wrap, "neighbours": []})
    found.sort(key=lambda row: -(row["score"] or 0))
    return page(found, limit, offset, wrap=wrap, under="neighbours")


def _neighbour(row: Json, link: str, number: str) -> Json:
    matched("compound", number, (row.get("ID_1") or {}).get("CID"))
    evidence = (row.get("Evidence") or {}).get(link) or {}
    articles = evidence.get("Article") or []
    return {
        "id": next((str(value) for value in (row.get("ID_2") or {}).values()), None),
        "id_kind": next(iter(row.get("ID_2") or {}), None),
        "name": evidence.get("NeighborName"),
        "articles_count": _whole(evidence.get("ArticleCount")),
        "score": _whole(evidence.get("CooccurrenceScore")),
        "articles": [
            {
                "pmid": str(one["PMID"]) if one.get("PMID") else None,
                "title": one.get("Title"),
                "date": one.get("PublicationDate"),
            }
            for one in articles[:ARTICLES_MAX]
        ],
    }


def _whole(value: Json) -> int | None:
    """Return a count, which may come as a text."""
    return None if value in (None, "") else int(value)
