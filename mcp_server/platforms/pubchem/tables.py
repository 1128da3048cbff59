"""The tables behind PubChem's web pages (SDQ): bioactivities, pathways, literature, interactions, acute toxicity.

Undocumented. Rows are counted from 1; some collections ignore a filter without a word, so that each row
is compared with what was asked for. Columns are selected by name: some others are not valid JSON.
"""

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamUnavailable
from mcp_server.platforms.pubchem.base import HOST, ask, matched, nothing_about, plain_number

Json = Any

AGENT = "https://pubchem.ncbi.nlm.nih.gov/sdq"


@dataclass(frozen=True)
class Table:
    """A question to one collection."""

    collection: str
    columns: Sequence[str]
    where: Mapping[str, str] = field(default_factory=dict)
    order: str = ""


async def read(api: Api, table: Table, limit: int, offset: int = 0) -> tuple[list[Json], int]:
    """Return some rows of a table and how many there are."""
    query: dict[str, Json] = {
        "select": list(table.columns),
        "collection": table.collection,
        "where": {"ands": [{name: value} for name, value in table.where.items()]},
    }
    if table.order:
        query |= {"order": [table.order], "nullatbottom": 1}
    query |= {"start": offset + 1, "limit": limit}
    text = json.dumps(query, separators=(",", ":"))
    answer = await ask(api, "/sdqagent.cgi", base=AGENT, infmt="json", outfmt="json", query=text)
    found, total = _rows(answer)
    for row in found:
        for name, value in table.where.items():
            matched(name, value, row.get(name))
    return [_cleaned(row) for row in found[:limit]], max(total, offset + len(found) if found else 0)


async def table_answer(
    api: Api, table: Table, limit: int, offset: int, *, cid: str, under: str, nothing: str, note: str = ""
) -> Answer:
    """Answer with a part of a table about a compound."""
    found, total = await read(api, _about(table, cid), limit, offset)
    wrap = {"CID": cid}
    if not found and offset == 0:
        return await nothing_about(api, cid, nothing, {**wrap, under: []})
    end = offset + len(found)
    shown = [{name: row[name] for name in table.columns if row.get(name) not in (None, "", [])} for row in found]
    following = {"offset": end} if found and end < total else None
    return rows(shown, total=total, next=following, data={**wrap, under: shown}, note=note)


def _about(table: Table, cid: str) -> Table:
    where = {name: plain_number(cid) if name == "cid" else value for name, value in table.where.items()}
    return Table(table.collection, table.columns, where, table.order)


def _rows(answer: Json) -> tuple[list[Json], int]:
    """Read either form of an answer: a bare list, or a set with its status and count."""
    if isinstance(answer, list):
        return answer, len(answer)
    sets = answer.get("SDQOutputSet") if isinstance(answer, dict) else None
    if not sets:
        raise UpstreamBadResponse(HOST, "a table was asked for and none came")
    first = sets[0] if isinstance(sets, list) else sets
    status = first.get("status") or {}
    if status.get("error"):
        raise UpstreamUnavailable(HOST, f"the table could not be read: {status['error']}")
    return first.get("rows") or [], int(first.get("totalCount") or 0)


def _cleaned(row: Json) -> Json:
    return {name: html.unescape(value) if isinstance(value, str) else value for name, value in row.items()}
