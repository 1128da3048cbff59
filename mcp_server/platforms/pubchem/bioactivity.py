"""What compounds did in bioassays: rows, best value for each target, targets shared by several compounds."""

from typing import Annotated, Any, Literal

from mcp_server.args import Offset, PubchemCid
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.pubchem.base import COMPOUNDS, COMPUTED, RowLimit, nothing_about, plain_number, platform
from mcp_server.platforms.pubchem.properties import compounds_of
from mcp_server.platforms.pubchem.tables import Table, read, table_answer
from mcp_server.tool import Arg, Cite

Json = Any

ROW = (
    "aid", "aidname", "aidtype", "aidsrcname", "cid", "activity", "acname", "acqualifier", "acvalue", "targetname",
    "geneid", "repacxn", "taxid", "pmid",
)  # fmt: skip
READ_MAX = 10_000
COMPARED_MAX = 2_000
MOST_POTENT_FIRST = "acvalue,asc"
TARGETS = Cite("ncbi_gene", ".targets[]", ".geneid", ".targetname", "https://pubchem.ncbi.nlm.nih.gov/gene/{id}")


@platform.tool(
    example={"cid": "4", "limit": 5},
    cites=(Cite("pubchem", ".", ".CID"), Cite("pmid", ".rows[]", ".pmid")),
    asks=(
        "test results of a compound",
        "IC50 of a chemical by CID",
        "is it active in assays",
        "bioassay data of a molecule",
    ),
)
async def get_compound_bioactivity(
    api: Api,
    cid: PubchemCid,
    outcome: Annotated[
        Literal["Active", "Inactive", "Inconclusive", "Unspecified", "Probe", "all"], Arg("Only rows of this outcome.")
    ] = "all",
    gene_id: Annotated[str | None, Arg("Only rows against this NCBI gene.", "2099", r"^\d+$")] = None,
    accession: Annotated[str | None, Arg("Only rows against this protein.", "P03372", normalise=str.upper)] = None,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Bioassay results of a compound by CID: outcome, value in µM, target, assay, PMID; most potent first. One row for
    each target: get_compound_targets; by ChEMBL id: chembl__get_bioactivities; of one assay: get_assay_results.

    CID, rows: [{aid, aidname, activity, acname, acqualifier, acvalue (µM), targetname, geneid, repacxn, taxid, pmid}].
    """
    where = {"cid": cid}
    where |= {"activity": outcome} if outcome != "all" else {}
    where |= {"geneid": gene_id} if gene_id else {}
    where |= {"repacxn": accession} if accession else {}
    nothing = f"PubChem holds no such bioactivity of compound {cid}."
    table = Table("bioactivity", ROW, where, MOST_POTENT_FIRST)
    return await table_answer(api, table, limit, offset, cid=cid, under="rows", nothing=nothing)


@platform.tool(
    example={"cid": "5291", "max_um": 10.0},
    cites=(Cite("pubchem", ".", ".CID"), TARGETS),
    asks=(
        "which proteins does a chemical hit",
        "targets of a CID",
        "off-target activity of a chemical",
    ),
)
async def get_compound_targets(
    api: Api,
    cid: PubchemCid,
    max_um: Annotated[float | None, Arg("Only targets hit at this concentration (µM) or below.", 10.0)] = None,
    limit: RowLimit = 50,
    offset: Offset = 0,
) -> Answer:
    """Targets on which a compound was active in PubChem assays, by CID, each with its best value in µM and its number
    of rows. Single rows: get_compound_bioactivity; curated mechanisms: chembl__get_drug_mechanisms.

    CID, targets: [{geneid, targetname, repacxn, taxid, best_um, best_type, qualifier, aid, rows}].
    """
    found, total = await _active_rows(api, cid, READ_MAX)
    targets = [row for row in best_by_target(found) if max_um is None or (row["best_um"] or max_um + 1) <= max_um]
    wrap = {"CID": cid}
    if not found:
        note = f"PubChem holds no active result of compound {cid}."
        return await nothing_about(api, cid, note, {**wrap, "targets": []})
    notes = [f"From {len(found)} of {total} active rows, the most potent ones."] if total > len(found) else []
    if not targets:
        notes.append(f"None of the {len(found)} active rows names a target at this concentration.")
    shown = targets[offset : offset + limit]
    end = offset + len(shown)
    following = {"offset": end} if shown and end < len(targets) else None
    data = {**wrap, "targets": shown}
    return rows(shown, total=len(targets), next=following, data=data, note=" ".join(notes))


@platform.tool(
    example={"cids": ["2244", "3672"]},
    cites=COMPOUNDS,
    asks=(
        "two molecules side by side",
        "difference between aspirin and ibuprofen",
        "which shared targets do chemicals have",
    ),
)
async def compare_compounds(
    api: Api,
    cids: Annotated[list[PubchemCid], Arg("PubChem compound numbers, 2 to 10.", ["2244", "3672"], max_items=10)],
) -> Answer:
    """2 to 10 compounds side by side, by CID: computed properties, and the targets on which two or more of them are
    active, with the best value in µM of each. For one compound: get_compound_targets.

    compounds: [properties], shared_targets: [{geneid, targetname, best_um: {CID: value}}], missing.
    """
    if len({plain_number(cid) for cid in cids}) < 2:
        raise InvalidArguments("cids", "at least two different compounds are needed", ["2244", "3672"])
    compounds, missing = await compounds_of(api, cids, COMPUTED)
    data: dict[str, Json] = {"compounds": compounds, "missing": missing, "shared_targets": []}
    note = f"PubChem has no compound {', '.join(missing)}." if missing else ""
    if not compounds:
        return Answer(data, ResultOutcome.UNKNOWN_ID, total=len(missing), returned=0, note=note)
    numbers = [str(compound["CID"]) for compound in compounds]
    tables = await together(_active_rows(api, number, COMPARED_MAX) for number in numbers)
    hit: dict[str, Json] = {}
    for number, (found, total) in zip(numbers, tables, strict=True):
        if total > len(found):
            note = f"{note} Of compound {number} only {len(found)} of {total} active rows were read.".strip()
        for row in best_by_target(found):
            target = hit.setdefault(
                row["geneid"], {"geneid": row["geneid"], "targetname": row["targetname"], "best_um": {}}
            )
            target["best_um"][number] = row["best_um"]
    data["shared_targets"] = [row for row in hit.values() if len(row["best_um"]) > 1]
    return Answer(data, total=len(compounds) + len(missing), returned=len(compounds), note=note)


def best_by_target(found: list[Json]) -> list[Json]:
    """Return one row for each gene, most potent first; a row without a gene names no target."""
    targets: dict[str, Json] = {}
    for row in found:
        gene = row.get("geneid")
        if gene in (None, "", "0"):
            continue
        value = _micromolar(row)
        target = targets.setdefault(
            str(gene),
            {"geneid": str(gene), "targetname": row.get("targetname"), "repacxn": row.get("repacxn"),
             "taxid": row.get("taxid"), "best_um": None, "best_type": None, "qualifier": None, "aid": None, "rows": 0},
        )  # fmt: skip
        target["rows"] += 1
        if value is not None and (target["best_um"] is None or value < target["best_um"]):
            target |= {"best_um": value, "best_type": row.get("acname"), "qualifier": row.get("acqualifier") or None}
            target["aid"] = row.get("aid")
    return sorted(targets.values(), key=lambda row: (row["best_um"] is None, row["best_um"] or 0))


async def _active_rows(api: Api, cid: str, limit: int) -> tuple[list[Json], int]:
    where = {"cid": plain_number(cid), "activity": "Active"}
    return await read(api, Table("bioactivity", ROW, where, MOST_POTENT_FIRST), limit)


def _micromolar(row: Json) -> float | None:
    return None if row.get("acvalue") in (None, "") else float(row["acvalue"])
