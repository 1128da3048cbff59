"""Pathways of many databases as PubChem holds them."""

from typing import Annotated, Any
from urllib.parse import quote

from mcp_server.args import Offset, PubchemCid
from mcp_server.envelope import Answer, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.platforms.pubchem.base import (
    HOST,
    RowLimit,
    known,
    listed_ids,
    matched,
    nothing_about,
    plain_number,
    platform,
)
from mcp_server.platforms.pubchem.tables import Table, read
from mcp_server.platforms.pubchem.views import VIEW, statements
from mcp_server.tool import Arg, Cite

Json = Any

COLUMNS = (
    "pwacc",
    "name",
    "source",
    "externalid",
    "category",
    "taxname",
    "taxid",
    "url",
    "cids",
    "geneids",
    "protacxns",
)
PATHWAY_PAGE = "https://pubchem.ncbi.nlm.nih.gov/pathway/{id}"
MEMBERS = {"cids": "CID", "geneids": "GeneID", "accessions": "ProteinAccession"}


@platform.tool(
    example={"cid": "4", "limit": 5},
    cites=(Cite("pubchem", ".", ".CID"), Cite("pubchem_pathway", ".pathways[]", ".pwacc", ".name", PATHWAY_PAGE)),
    noise="del(.pathways[].geneids, .pathways[].protacxns)",
    keep=(
        ".CID",
        ".pathways[].pwacc",
        ".pathways[].externalid",
        ".pathways[].source",
        ".pathways[].taxid",
    ),
    asks=(
        "metabolic pathways of a metabolite",
        "in which pathway does a chemical take part",
        "WikiPathways, BioCyc, PathBank of a compound",
    ),
)
async def get_pathways_of_compound(
    api: Api,
    cid: PubchemCid,
    source: Annotated[str | None, Arg("Only pathways of this database.", "PathBank")] = None,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Pathways of Reactome, PathBank, WikiPathways, BioCyc and others that contain a compound, by CID, with species and
    proteins. Only Reactome, by ChEBI id: reactome__map_identifier_to_pathways.

    CID, pathways: [{pwacc, name, source, externalid, category, taxname, taxid, url, geneids, protacxns, compounds}].
    """
    number = plain_number(cid)
    where = {"cid": number} | ({"source": source} if source else {})
    found, total = await read(api, Table("pathway", COLUMNS, where, "taxname,asc"), limit, offset)
    wrap = {"CID": cid}
    if not found and offset == 0:
        return await nothing_about(api, cid, f"PubChem holds no pathway of compound {cid}.", {**wrap, "pathways": []})
    shown = []
    for row in found:
        members = [str(one) for one in row.get("cids") or []]
        if members and number not in members:
            raise UpstreamBadResponse(
                HOST, f"asked for pathways of {number}, it answered {row.get('pwacc')} without it"
            )
        shown.append(
            {name: row[name] for name in COLUMNS if name != "cids" and row.get(name)} | {"compounds": len(members)}
        )
    end = offset + len(found)
    following = {"offset": end} if found and end < total else None
    return rows(shown, total=total, next=following, data={**wrap, "pathways": shown})


@platform.tool(
    example={"accession": "PathBank:SMP0002032"},
    cites=(
        Cite("pubchem_pathway", ".", ".accession", ".title", PATHWAY_PAGE),
        Cite("pubchem", ".cids[]"),
    ),
    asks=(
        "WikiPathways record",
        "genes and metabolites of a PathBank pathway",
        "WP number, BioCyc pathway details",
    ),
)
async def get_pathway(
    api: Api,
    accession: Annotated[
        str, Arg("Source and id of the pathway.", "PathBank:SMP0002032", r"^[A-Za-z][A-Za-z0-9 ]*:[A-Za-z0-9_.:-]+$")
    ],
    limit: Annotated[int, Arg("How many members of each kind at most.", minimum=1, maximum=1000)] = 200,
) -> Answer:
    """One pathway of PathBank, WikiPathways, BioCyc or another database as PubChem holds it (Source:ID): description,
    compounds, genes, proteins. Reactome's own record: reactome__get_pathway.

    accession, title, url, information: [{heading, text}], cids, geneids, accessions, totals.
    """
    part = quote(accession, safe=":")
    answer = await known(api, f"/data/pathway/{part}/JSON", base=VIEW)
    if answer is None:
        return unknown_id(
            accession, f"PubChem has no pathway {accession}. The form is Source:ID, e.g. PathBank:SMP0002032."
        )
    record = answer.get("Record") or {}
    matched("pathway", accession.partition(":")[2], record.get("RecordAccession"))
    found = await together(known(api, f"/pathway/pwacc/{part}/{kind}/JSON") for kind in MEMBERS)
    lists = {
        kind: listed_ids(members, field) if members else []
        for (kind, field), members in zip(MEMBERS.items(), found, strict=True)
    }
    totals = {kind: len(ids) for kind, ids in lists.items()}
    cut = [f"{limit} of {count} {kind}" for kind, count in totals.items() if count > limit]
    data: dict[str, Json] = {
        "accession": accession,
        "title": record.get("RecordTitle"),
        "url": record.get("RecordExternalURL"),
        "information": [
            {name: row[name] for name in ("heading", "name", "text") if name in row}
            for row in statements(record)
            if not row["text"].startswith("(a table")
        ],
        **{kind: ids[:limit] for kind, ids in lists.items()},
        "totals": totals,
    }
    return Answer(data, note=f"Shown: {', '.join(cut)}." if cut else "")
