"""Bioassays: what one measured and found, which there are against a target, and PubChem's gene records."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import Offset, gene_symbol_form
from mcp_server.envelope import Answer, Citation, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.pubchem.base import Aid, RowLimit, kept, known, listed_ids, matched, page, platform
from mcp_server.tool import Arg, Cite

Json = Any

ASSAY_PAGE = "https://pubchem.ncbi.nlm.nih.gov/bioassay/{id}"
ASSAY = Cite("pubchem_assay", ".", ".AID", ".Name", ASSAY_PAGE)
GENE_PAGE = "https://pubchem.ncbi.nlm.nih.gov/gene/{id}"
COUNTS = tuple(f"{kind}Count{outcome}" for kind in ("SID", "CID") for outcome in ("All", "Active", "Inactive"))
SUMMARY = ("AID", "Name", "SourceName", "SourceID", "Method", "Description", "Protocol", "Comment", *COUNTS)
# The columns of a result table that answers need, under names that do not change.
COLUMNS = {
    "AID": "AID", "CID": "CID", "SID": "SID", "Activity Outcome": "outcome", "Activity Name": "value_type",
    "Activity Qualifier": "qualifier", "Activity Value [uM]": "value_um", "Target Accession": "accession",
    "Target GeneID": "gene_id", "PubMed ID": "pmid", "Assay Name": "assay_name",
}  # fmt: skip
TARGET_RECORDS = {
    "genesymbol": "/gene/genesymbol/{}/summary/JSON",
    "geneid": "/gene/geneid/{}/summary/JSON",
    "accession": "/protein/accession/{}/summary/JSON",
}


@platform.tool(
    example={"aid": "743069"},
    cites=ASSAY,
    noise="del(.Comment, .Protocol)",
    keep=(
        ".AID",
        ".Name",
        ".Target[].Accession",
        ".CIDCountAll",
    ),
    asks=(
        "what does an AID test",
        "description and protocol of a screening assay",
        "high-throughput screen, PubChem bioassay record",
        "how many actives in a screen",
    ),
)
async def get_assay(
    api: Api,
    aid: Aid,
    with_protocol: Annotated[bool, Arg("Also the protocol and comments, which are long.")] = False,
) -> Answer:
    """What a PubChem bioassay (AID) measured: name, description, targets, source, how many compounds were tested and
    active. Its results: get_assay_results; a CHEMBL assay id: chembl__get_assay.

    AID, Name, SourceName, Method, Description, Target: [{Accession, Name}], SIDCountAll, CIDCountActive …
    """
    assay = await _summary(api, aid)
    if assay is None:
        return _no_assay(aid)
    data = kept(assay, SUMMARY) | {"Target": assay.get("Target") or []}
    for name in ("Protocol", "Comment"):
        if not with_protocol:
            data.pop(name, None)
    if with_protocol:
        found = await known(api, f"/assay/aid/{aid}/description/JSON") or {}
        containers = found.get("PC_AssayContainer") or [{}]
        described = ((containers[0].get("assay") or {}).get("descr")) or {}
        matched("assay", aid, (described.get("aid") or {}).get("id"))
        data |= {"Protocol": described.get("protocol") or [], "Comment": described.get("comment") or []}
    return Answer(data)


@platform.tool(
    example={"target": "ESR1", "limit": 5},
    cites=Cite("pubchem_assay", ".aids[]", url=ASSAY_PAGE),
    asks=(
        "screens run against a protein",
        "bioassays for a gene",
        "which AIDs test EGFR",
        "high-throughput assays for a target",
    ),
)
async def search_assays_by_target(
    api: Api,
    target: Annotated[str, Arg("Gene symbol, NCBI GeneID, protein accession or protein name.", "ESR1")],
    by: Annotated[Literal["genesymbol", "geneid", "accession", "proteinname"], Arg("What `target` is.")] = "genesymbol",
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """PubChem bioassays (AIDs) against a gene or protein, with their number. What one measured: get_assay; assays of
    ChEMBL: chembl__search_assays.

    target, by, aids: [AID].
    """
    name = gene_symbol_form(target) if by == "genesymbol" else target.upper() if by == "accession" else target
    answer = await known(api, f"/assay/target/{by}/{quote(name, safe='')}/aids/JSON")
    aids = listed_ids(answer, "AID") if answer else []
    if not aids and by in TARGET_RECORDS and await known(api, TARGET_RECORDS[by].format(quote(name, safe=""))) is None:
        return unknown_id(name, f"PubChem knows no target with the {by} {name!r}.")
    note = "" if aids else f"PubChem has no assay against {by} {name!r}."
    return page(aids, limit, offset, wrap={"target": name, "by": by}, under="aids", note=note)


@platform.tool(
    example={"aid": "1851", "limit": 5},
    cites=(ASSAY, Cite("pubchem", ".rows[]", ".CID")),
    noise="del(.rows[].SID)",
    keep=(
        ".AID",
        ".rows[].CID",
        ".rows[].outcome",
        ".rows[].value_um",
    ),
    asks=(
        "hits of a screen",
        "active compounds in an AID",
        "dose response data of a bioassay",
        "most potent actives of a screen",
    ),
)
async def get_assay_results(
    api: Api,
    aid: Aid,
    outcome: Annotated[
        Literal["Active", "Inactive", "Inconclusive", "Unspecified", "Probe", "all"], Arg("Only rows of this outcome.")
    ] = "Active",
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Compounds and outcomes of one PubChem bioassay (AID), most potent first: CID, outcome, value in µM. What it
    measured: get_assay; all assays of one compound: get_compound_bioactivity.

    AID, rows: [{CID, SID, outcome, value_type, value_um, accession, gene_id, pmid}].
    """
    table = await known(api, f"/assay/aid/{aid}/concise/JSON")
    if table is None:
        if await _summary(api, aid) is None:
            return _no_assay(aid)
        found: list[Json] = []
    else:
        found = table_rows(table)
    for row in found:
        matched("assay", aid, row.get("AID"))
    chosen = [row for row in found if outcome in ("all", row.get("outcome"))]
    # The order of the rows changes from request to request.
    chosen.sort(key=lambda row: (row.get("value_um") is None, row.get("value_um") or 0, str(row.get("CID") or "")))
    note = f"{len(chosen)} of {len(found)} rows are {outcome}." if outcome != "all" else ""
    shown = [{name: value for name, value in row.items() if name not in ("AID", "assay_name")} for row in chosen]
    return page(shown, limit, offset, wrap={"AID": aid}, under="rows", note=note or f"{len(found)} rows in all.")


@platform.tool(
    example={"gene": "EGFR"},
    cites=Cite("ncbi_gene", ".", ".GeneID", ".Symbol", GENE_PAGE),
    asks=(
        "compounds tested against a gene",
        "gene page of PubChem by GeneID",
        "chemicals active on a gene",
    ),
)
async def get_gene_summary(
    api: Api,
    gene: Annotated[str, Arg("Gene symbol (human) or NCBI GeneID (any species).", "EGFR", normalise=gene_symbol_form)],
    with_compounds: Annotated[bool, Arg("Also the compounds tested against it, most potent first.")] = False,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """PubChem's record of a gene (symbol or NCBI GeneID): name, species, synonyms, and on request the compounds tested
    against it. For the gene itself use ensembl__lookup_gene; its assays: search_assays_by_target.

    GeneID, Symbol, Name, TaxonomyID, Taxonomy, Description, Synonym, compounds: [{CID, outcome, value_um, AID}].
    """
    by = "geneid" if gene.isdigit() else "genesymbol"
    answer = await known(api, f"/gene/{by}/{quote(gene, safe='')}/summary/JSON")
    records = ((answer or {}).get("GeneSummaries") or {}).get("GeneSummary") or []
    if not records:
        return unknown_id(gene, f"PubChem has no gene {gene}.")
    record = dict(records[0])
    if by == "geneid":
        matched("gene", gene, record.get("GeneID"))
    elif gene.upper() not in [str(name).upper() for name in (record.get("Symbol"), *(record.get("Synonym") or []))]:
        matched("gene", gene, record.get("Symbol"))
    if not with_compounds:
        return Answer(record)
    table = await known(api, f"/gene/geneid/{record['GeneID']}/concise/JSON")
    found = [row for row in (table_rows(table) if table else []) if row.get("CID")]
    found.sort(key=lambda row: (row.get("value_um") is None, row.get("value_um") or 0, str(row["CID"])))
    shown = found[offset : offset + limit]
    end = offset + len(shown)
    citations = [Citation("pubchem", str(row["CID"])) for row in shown]
    following = {"offset": end} if shown and end < len(found) else None
    note = f"{len(found)} rows of tested compounds; by protein accession PubChem may hold more."
    # The gene's own record is data, whether compounds were tested or not.
    data = {**record, "compounds": shown}
    return Answer(data, total=len(found), returned=len(shown), next=following, note=note, citations=citations)


def table_rows(answer: Json) -> list[Json]:
    """Read a result table by the names of its columns."""
    table = answer.get("Table") or {}
    names = (table.get("Columns") or {}).get("Column") or []
    found = []
    for row in table.get("Row") or []:
        cells = dict(zip(names, row.get("Cell") or [], strict=False))
        values = {short: cells[name] for name, short in COLUMNS.items() if cells.get(name) not in (None, "")}
        if "value_um" in values:
            values["value_um"] = float(values["value_um"])
        found.append(values)
    return found


async def _summary(api: Api, aid: str) -> Json:
    answer = await known(api, f"/assay/aid/{aid}/summary/JSON")
    records = ((answer or {}).get("AssaySummaries") or {}).get("AssaySummary") or []
    if not records:
        return None
    matched("assay", aid, records[0].get("AID"))
    return records[0]


def _no_assay(aid: str) -> Answer:
    return unknown_id(aid, f"PubChem has no assay {aid}.")
