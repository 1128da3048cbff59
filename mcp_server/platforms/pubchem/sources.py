"""Depositors of records, sellers, and interactions listed by DrugBank."""

from typing import Annotated, Any, Literal

from mcp_server.args import Offset, PubchemCid
from mcp_server.envelope import Answer, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.pubchem.base import RowLimit, known, matched, nothing_about, page, plain_number, platform
from mcp_server.platforms.pubchem.tables import Table, table_answer
from mcp_server.platforms.pubchem.views import VIEW, section_of, statements
from mcp_server.tool import Arg, Cite

Json = Any

CID = Cite("pubchem", ".", ".CID")
DDI = ("cid", "name", "cid2", "name2", "descr")
XREFS_MAX = 50


@platform.tool(
    example={"cid": "2244", "limit": 5},
    cites=CID,
    asks=(
        "can I take two drugs together",
        "DDI, contraindicated combination",
        "grapefruit and food interactions",
        "does it interact with warfarin",
    ),
)
async def get_drug_interactions(
    api: Api,
    cid: PubchemCid,
    kind: Annotated[Literal["drug", "food"], Arg("Interactions with drugs or with food.")] = "drug",
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Drug–drug or drug–food interactions of a compound by CID, as DrugBank describes them. By genotype:
    clinpgx__search_clinical_annotations; reported side effects: opentargets__get_drug_safety.

    CID, rows: [{cid2, name2, descr}] or [{heading, text, sources}].
    """
    if kind == "drug":
        nothing = f"PubChem lists no drug interaction of compound {cid}."
        table = Table("drugbankddi", DDI, {"cid": cid}, "cid2,asc")
        return await table_answer(
            api, table, limit, offset, cid=cid, under="rows", nothing=nothing, note="Source: DrugBank."
        )
    record = await section_of(api, cid, "Drug-Food Interactions")
    if record is None:
        return await nothing_about(
            api, cid, f"PubChem lists no food interaction of compound {cid}.", {"CID": cid, "rows": []}
        )
    return page(statements(record), limit, offset, wrap={"CID": cid, "Title": record.get("RecordTitle")}, under="rows")


@platform.tool(
    example={"sid": "144212021"},
    cites=(
        Cite("pubchem_substance", ".", ".SID", ".source", "https://pubchem.ncbi.nlm.nih.gov/substance/{id}"),
        Cite("pubchem", ".", ".CID"),
    ),
    asks=(
        "SID record",
        "what did a depositor submit",
        "substance to compound",
        "vendor's sample id",
    ),
)
async def get_substance(
    api: Api, sid: Annotated[str, Arg("PubChem substance number (SID), digits only.", "144212021", r"^\d{1,10}$")]
) -> Answer:
    """One depositor's record of a substance (SID): source, its own id there, names, comments and the compound (CID)
    that it was standardised to. For the compound itself use get_compound_summary.

    SID, source, source_id, synonyms, comment, xrefs, CID.
    """
    answer = await known(api, f"/substance/sid/{plain_number(sid)}/JSON")
    records = (answer or {}).get("PC_Substances") or []
    if not records:
        return unknown_id(sid, f"PubChem has no substance {sid}.")
    record = records[0]
    matched("substance", plain_number(sid), (record.get("sid") or {}).get("id"))
    depositor = (record.get("source") or {}).get("db") or {}
    own_id = depositor.get("source_id") or {}
    xrefs = record.get("xref") or []
    note = f"{XREFS_MAX} of {len(xrefs)} cross-references are shown." if len(xrefs) > XREFS_MAX else ""
    data = {
        "SID": sid,
        "source": depositor.get("name"),
        "source_id": own_id.get("str") or own_id.get("id"),
        "synonyms": record.get("synonyms") or [],
        "comment": record.get("comment") or [],
        "xrefs": xrefs[:XREFS_MAX],
        "CID": _standardised(record),
    }
    return Answer(data, note=note)


@platform.tool(
    example={"cid": "4", "category": "Chemical Vendors", "limit": 3},
    cites=CID,
    noise="del(.sources[].SID)",
    keep=(
        ".CID",
        ".categories",
        ".sources[].SourceName",
        ".sources[].RegistryID",
        ".sources[].SourceRecordURL",
    ),
    asks=(
        "where can I buy a compound",
        "chemical suppliers, catalogue numbers",
        "who sells this molecule",
        "price and vendor list",
    ),
)
async def get_vendors_and_sources(
    api: Api,
    cid: PubchemCid,
    category: Annotated[
        str | None, Arg("Only this category; without it all, with their numbers.", "Chemical Vendors")
    ] = None,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Who deposits or sells a compound, by CID and category (chemical vendors, journals, curation …), with the record
    number and link at each source.

    CID, categories: {category: number}, sources: [{category, SID, SourceName, RegistryID, SourceRecordURL}].
    """
    number = plain_number(cid)
    answer = await known(api, f"/categories/compound/{number}/JSON", base=VIEW)
    record = (answer or {}).get("SourceCategories") or {}
    if not record.get("Categories"):
        data = {"CID": cid, "categories": {}, "sources": []}
        return await nothing_about(api, cid, f"PubChem lists no depositor of compound {cid}.", data)
    matched("compound", number, record.get("RecordNumber"))
    counts = {group["Category"]: len(group.get("Sources") or []) for group in record["Categories"]}
    fields = ("SID", "SourceName", "RegistryID", "SourceRecordURL")
    sources = [
        {"category": group["Category"], **{name: one[name] for name in fields if one.get(name)}}
        for group in record["Categories"]
        if category is None or group["Category"].lower() == category.lower()
        for one in group.get("Sources") or []
    ]
    note = "" if sources else f"There is no category {category!r}; there are: {', '.join(counts)}."
    return page(sources, limit, offset, wrap={"CID": cid, "categories": counts}, under="sources", note=note)


def _standardised(record: Json) -> str | None:
    """Return the compound that a substance was standardised to."""
    for compound in record.get("compound") or []:
        number = ((compound.get("id") or {}).get("id") or {}).get("cid")
        if number:
            return str(number)
    return None
