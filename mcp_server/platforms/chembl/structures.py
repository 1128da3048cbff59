"""Compounds by structure: similar to one, holding a fragment, or exactly this."""

from typing import Annotated, Literal
from urllib.parse import quote

from mcp_server.args import ChemblId, Limit, Offset
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.chembl.families import no_molecule
from mcp_server.platforms.chembl.molecules import SHORT_FIELDS, short
from mcp_server.platforms.chembl.service import (
    HOST,
    PAGE_ROWS,
    Json,
    cite_molecule,
    collection,
    next_page,
    number,
    one_of,
    page_of,
    platform,
    record,
)
from mcp_server.tool import Arg

Smiles = Annotated[str, Arg("Structure as SMILES.", "CC(=O)Oc1ccccc1C(=O)O", r"^\S+$")]
# These would end a path's segment, or be read as an escape, on the way.
NOT_IN_A_PATH = frozenset("/\\%")


async def _by_structure(
    api: Api, resource: str, structure: str, parameters: dict[str, Json], threshold: int | None = None
) -> tuple[list[Json], int] | None:
    """Ask a structure resource; None means that the ChEMBL id given as structure is not known."""
    if NOT_IN_A_PATH & set(structure):
        pairs: list[list[Json]] = [["smiles", quote(structure)]]
        pairs += [["similarity", threshold]] if threshold is not None else []
        pairs += [[name, value] for name, value in parameters.items()]
        # ChEMBL's own client sends long and awkward queries this way.
        answer = await api.post(f"/{resource}.json", pairs, headers={"X-HTTP-Method-Override": "GET"})
    else:
        end = f"/{threshold}" if threshold is not None else ""
        answer = await record(api, f"/{resource}/{quote(structure, safe='')}{end}.json", parameters)
    return None if answer is None else page_of(answer, "molecules", resource)


def _answer(found: list[Json], total: int, offset: int, query: dict[str, Json], none: str) -> Answer:
    if not found:
        return empty(none, {**query, "molecules": []})
    return rows(
        found,
        total=total,
        next=next_page(offset, len(found), total),
        data={**query, "molecules": found},
        citations=[cite_molecule(row) for row in found],
    )


@platform.tool(
    example={"chembl_id": "CHEMBL25", "threshold": 70},
    asks=(
        "analogues of a molecule",
        "look-alike structures by fingerprint",
        "chemical neighbours with activity data",
        "Tanimoto similarity search on SMILES",
        "molecules that look like this one",
    ),
)
async def find_similar_compounds(
    api: Api,
    smiles: Smiles | None = None,
    chembl_id: ChemblId | None = None,
    threshold: Annotated[int, Arg("Lowest Tanimoto similarity in per cent.", minimum=40, maximum=100)] = 70,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Find compounds with bioactivity data similar to a structure (Tanimoto, 40-100 %), most similar first. Give
    SMILES or a ChEMBL id. Beyond ChEMBL, in everything registered, use PubChem.
    """
    structure = chembl_id if one_of(smiles=smiles, chembl_id=chembl_id) == "chembl_id" else smiles
    parameters = {"only": f"{SHORT_FIELDS},similarity", "limit": limit, "offset": offset}
    found = await _by_structure(api, "similarity", structure or "", parameters, threshold)
    if found is None:
        return await no_molecule(api, structure or "")
    molecules, total = found
    similar = [{**short(row), "similarity": number(row.get("similarity"))} for row in molecules]
    if any(row["similarity"] is None or row["similarity"] < threshold for row in similar):
        raise UpstreamBadResponse(HOST, f"asked for a similarity of {threshold}, got rows below it or without one")
    similar.sort(key=lambda row: -row["similarity"])
    query = {"structure": structure, "threshold": threshold}
    return _answer(similar, total, offset, query, f"No compound in ChEMBL is {threshold} % similar to {structure}.")


@platform.tool(
    example={"smiles": "c1ccc2c(c1)ncnc2Nc1ccccc1", "limit": 5},
    asks=(
        "compounds with this scaffold or ring",
        "molecules containing a core fragment",
        "scaffold search with activity data",
    ),
)
async def find_substructure(
    api: Api, smiles: Smiles | None = None, chembl_id: ChemblId | None = None, limit: Limit = 20, offset: Offset = 0
) -> Answer:
    """Find compounds with bioactivity data that contain a fragment, given as SMILES or ChEMBL id. Slow if common.
    Beyond ChEMBL use PubChem.
    """
    structure = chembl_id if one_of(smiles=smiles, chembl_id=chembl_id) == "chembl_id" else smiles
    parameters = {"only": SHORT_FIELDS, "limit": limit, "offset": offset}
    found = await _by_structure(api, "substructure", structure or "", parameters)
    if found is None:
        return await no_molecule(api, structure or "")
    molecules, total = found
    none = f"No compound in ChEMBL contains {structure}."
    return _answer([short(row) for row in molecules], total, offset, {"structure": structure}, none)


@platform.tool(
    example={"smiles": "CN(C)C(=N)N=C(N)N", "mode": "connectivity"},
    asks=(
        "is this SMILES in ChEMBL",
        "look up a structure",
        "which compound has this exact structure",
        "CHEMBL id from SMILES or InChIKey",
    ),
)
async def find_exact_structure(
    api: Api,
    smiles: Smiles,
    mode: Annotated[
        Literal["flexmatch", "connectivity"],
        Arg("flexmatch: the same compound, however it is written; connectivity: also its salts and stereo forms."),
    ] = "flexmatch",
) -> Answer:
    """Find the ChEMBL compound with exactly this structure (SMILES), or with the same connectivity. For a name use
    resolve_drug; beyond ChEMBL use PubChem.
    """
    parameters = {
        f"molecule_structures__canonical_smiles__{mode}": smiles,
        "only": SHORT_FIELDS,
        "order_by": "molecule_chembl_id",
    }
    found, total = await collection(api, "molecule", "molecules", parameters)
    if total > PAGE_ROWS:
        raise UpstreamBadResponse(HOST, f"asked for one structure, got {total} compounds")
    query = {"structure": smiles, "mode": mode}
    return _answer([short(row) for row in found], total, 0, query, f"ChEMBL has no compound of structure {smiles}.")
