"""Sentences and passages of the literature that say something like a statement (LitSense2).

The service sends its best hundred and has no further pages.
"""

import re
from typing import Annotated, Any, Literal

from mcp_server.envelope import Answer, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.pubtator3.base import HOST, LITSENSE, asked_list, page, platform
from mcp_server.tool import Arg, Cite

Json = Any

BEST = 100
_ANNOTATION = re.compile(r"(\d+)\|(\d+)\|([^|]+)\|(.+)")


@platform.tool(
    example={"query": "Hirschsprung disease"},
    cites=(
        Cite("pmid", ".sentences[]", ".pmid"),
        Cite("pmcid", ".sentences[]", ".pmcid"),
    ),
    asks=(
        "find a quotable sentence",
        "who says that metformin lowers cancer risk",
        "semantic search on statements",
        "supporting passage for a claim",
        "LitSense",
        "who claims that a vitamin prevents an illness",
    ),
)
async def search_sentences(
    api: Api,
    query: Annotated[
        str, Arg("A statement or question, at most 4096 characters.", "BRAF V600E confers sensitivity to vemurafenib",
                 r"^[\s\S]{3,4096}$"),
    ],
    level: Annotated[Literal["sentences", "passages"], Arg("Single sentences, or whole passages.")] = "sentences",
    limit: Annotated[int, Arg("How many to bring at most.", minimum=1, maximum=100)] = 20,
    offset: Annotated[int, Arg("How many to skip: `next` gives it.", minimum=0, maximum=99)] = 0,
) -> Answer:  # fmt: skip
    """Search for sentences in abstracts and open full texts that mean what a statement or question says: the text with
    PMID, section and score, best first. For articles by entities use search_literature; for exact words in full texts
    pubmed__search_pmc_full_text.

    Rows: pmid, pmcid, section, text, score, entities (type, id, text).
    """
    found = await asked_list(api, f"/{level}/", {"query": query, "rerank": True}, base=LITSENSE)
    if not found:
        return empty(f"LitSense has nothing for {query!r}.", {"sentences": []})
    note = "The entities are machine-extracted."
    if len(found) >= BEST:
        note = f"LitSense gives its best {BEST} only. {note}"
    return page([_sentence(row) for row in found], limit, offset, {}, "sentences", note)


def _sentence(row: Json) -> Json:
    if not isinstance(row.get("text"), str):
        raise UpstreamBadResponse(HOST, "a sentence without its text")
    kept = {
        "pmid": str(row["pmid"]) if row.get("pmid") else None,
        "pmcid": row.get("pmcid"),
        "section": row.get("section"),
        "text": row["text"],
        "score": row.get("score"),
        "entities": _entities(row["text"], row.get("annotations") or []),
    }
    return {name: value for name, value in kept.items() if value is not None}


def _entities(text: str, annotations: list[str]) -> list[Json]:
    """Return the entities of a sentence once each; `27|22|disease|MESH:D006627` is start, length, type, id."""
    found: dict[tuple[str, str], Json] = {}
    for annotation in annotations:
        parts = _ANNOTATION.fullmatch(annotation)
        if parts is None:
            raise UpstreamBadResponse(HOST, f"{annotation!r} is no start, length, type and id")
        start, length = int(parts[1]), int(parts[2])
        row = {"type": parts[3], "id": parts[4], "text": text[start : start + length]}
        found.setdefault((parts[3], parts[4]), row)
    return list(found.values())
