"""Searches by structure and formula, and the relatives of a compound."""

import asyncio
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from mcp_server.args import Offset, PubchemCid
from mcp_server.envelope import Answer, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamRefused, UpstreamUnavailable
from mcp_server.platforms.pubchem.base import (
    COMPOUNDS,
    HOST,
    IDENTITY,
    RowLimit,
    fault_code,
    known,
    listed_ids,
    no_compound,
    nothing_about,
    plain_number,
    platform,
    properties_of,
    property_rows,
)
from mcp_server.tool import Arg

Json = Any

POLL_WAITS_S = (1.5, 2.0, 2.0, 2.0, 2.0, 2.0)
Smiles = Annotated[str | None, Arg("Structure as SMILES; give this or `cid`.", "CC(=O)OC1=CC=CC=C1C(=O)O")]
Cid = Annotated[str | None, Arg("PubChem compound number of the structure.", "2244", r"^\d{1,10}$")]
Max = Annotated[int, Arg("How many compounds at most; PubChem gives no total.", minimum=1, maximum=200)]
Relation = Literal[
    "same_connectivity", "same_stereo", "same_isotopes", "same_tautomer", "same_parent", "parent", "component",
    "similar_2d", "similar_3d",
]  # fmt: skip


@platform.tool(
    example={"cid": "2244", "limit": 3},
    cites=COMPOUNDS,
    asks=(
        "chemicals like this one",
        "similar structures in all of PubChem",
        "analogs by 2D fingerprint",
        "purchasable look-alikes",
    ),
)
async def search_by_similarity(
    api: Api,
    smiles: Smiles = None,
    cid: Cid = None,
    threshold: Annotated[int, Arg("Lowest Tanimoto similarity in percent.", minimum=80, maximum=100)] = 90,
    limit: Max = 25,
) -> Answer:
    """Compounds with a similar 2D structure (Tanimoto 80 to 100 %) among all that PubChem registers, by SMILES or CID.
    Among compounds with bioactivities: chembl__find_similar_compounds.

    compounds: [{CID, Title, MolecularFormula, MolecularWeight, SMILES, InChIKey, IUPACName}].
    """
    return await _search(api, "fastsimilarity_2d", smiles, cid, {"Threshold": threshold, "MaxRecords": limit}, limit)


@platform.tool(
    example={"cid": "2244", "mode": "contains", "limit": 3},
    cites=COMPOUNDS,
    asks=(
        "all chemicals that contain a ring or fragment",
        "superstructure search",
        "scaffold in PubChem",
    ),
)
async def search_by_substructure(
    api: Api,
    smiles: Smiles = None,
    cid: Cid = None,
    mode: Annotated[
        Literal["contains", "contained_in"], Arg("Compounds that contain the structure, or that it contains.")
    ] = "contains",
    limit: Max = 25,
) -> Answer:
    """Compounds that contain a structure, or are contained in it, among all that PubChem registers, by SMILES or CID.
    Among compounds with bioactivities: chembl__find_substructure.

    compounds: [{CID, Title, MolecularFormula, MolecularWeight, SMILES, InChIKey, IUPACName}].
    """
    kind = "fastsubstructure" if mode == "contains" else "fastsuperstructure"
    return await _search(api, kind, smiles, cid, {"MaxRecords": limit}, limit)


@platform.tool(
    example={"formula": "C9H8O4", "limit": 3},
    cites=COMPOUNDS,
    asks=(
        "which compounds have the formula C9H8O4",
        "isomers of a formula",
        "elemental composition to structures",
    ),
)
async def search_by_formula(
    api: Api,
    formula: Annotated[str, Arg("Molecular formula.", "C9H8O4", r"^([A-Z][a-z]?\d*)+$")],
    allow_other_elements: Annotated[bool, Arg("Also compounds with further elements.")] = False,
    limit: Max = 25,
) -> Answer:
    """Compounds with a molecular formula among all that PubChem registers. Gives CIDs with names and structures.

    compounds: [{CID, Title, MolecularFormula, MolecularWeight, SMILES, InChIKey, IUPACName}].
    """
    parameters = urlencode({"AllowOtherElements": str(allow_other_elements).lower(), "MaxRecords": limit})
    path = f"/compound/fastformula/{quote(formula, safe='')}/property/{IDENTITY}/JSON?{parameters}"
    return _found(await _finished(api, await known(api, path)), limit, f"formula {formula}")


@platform.tool(
    example={"cid": "2244", "relation": "parent"},
    cites=COMPOUNDS,
    asks=(
        "stereoisomers, enantiomers, isotopes of a compound",
        "deuterated versions",
        "mixtures and salts with a CID",
        "tautomers",
    ),
)
async def get_related_compounds(
    api: Api,
    cid: PubchemCid,
    relation: Annotated[Relation, Arg("How the compounds are related.")] = "same_connectivity",
    limit: RowLimit = 25,
    offset: Offset = 0,
) -> Answer:
    """Relatives of a PubChem compound by CID: stereo forms and isotopes (same connectivity), parent, salts and mixtures
    (same parent), components. Salts and parent in ChEMBL: chembl__get_molecule_forms.

    CID, relation, compounds: [{CID, Title, MolecularFormula, MolecularWeight, SMILES, InChIKey}].
    """
    number = plain_number(cid)
    answer = await known(api, f"/compound/cid/{number}/cids/JSON?cids_type={relation}")
    related = [one for one in listed_ids(answer, "CID") if one != number] if answer else []
    wrap = {"CID": cid, "relation": relation}
    if not related:
        note = f"PubChem lists no other compound that is {relation} of {cid}."
        return await nothing_about(api, cid, note, {**wrap, "compounds": []})
    shown = related[offset : offset + limit]
    compounds = await properties_of(api, shown, IDENTITY) if shown else []
    end = offset + len(shown)
    following = {"offset": end} if shown and end < len(related) else None
    return rows(compounds, total=len(related), next=following, data={**wrap, "compounds": compounds})


async def _search(
    api: Api, kind: str, smiles: str | None, cid: str | None, parameters: dict[str, Json], limit: int
) -> Answer:
    if (smiles is None) == (cid is None):
        raise InvalidArguments("smiles", "give either `smiles` or `cid`", "CC(=O)OC1=CC=CC=C1C(=O)O")
    tail = f"property/{IDENTITY}/JSON?{urlencode(parameters)}"
    try:
        if smiles is not None:
            answer = await known(api, f"/compound/{kind}/smiles/{tail}", {"smiles": smiles})
        else:
            answer = await known(api, f"/compound/{kind}/cid/{plain_number(cid or '')}/{tail}")
    except UpstreamRefused as error:
        if smiles is not None and fault_code(error) == "PUGREST.BadRequest":
            raise InvalidArguments("smiles", f"PubChem cannot read {smiles!r} as SMILES", "CC(=O)O") from error
        raise
    if answer is None and cid is not None and not await properties_of(api, [plain_number(cid)], IDENTITY):
        return no_compound(cid)
    return _found(await _finished(api, answer), limit, smiles or f"compound {cid}")


async def _finished(api: Api, answer: Json) -> Json:
    """Wait for a search that PubChem runs in the background; the body says so, not the status."""
    for wait_s in POLL_WAITS_S:
        waiting = (answer or {}).get("Waiting")
        if not waiting:
            return answer
        await asyncio.sleep(wait_s)
        answer = await known(api, f"/compound/listkey/{waiting['ListKey']}/property/{IDENTITY}/JSON")
    if (answer or {}).get("Waiting"):
        raise UpstreamUnavailable(HOST, "the search is still running; narrow it or try again")
    return answer


def _found(answer: Json, limit: int, what: str) -> Answer:
    compounds = property_rows(answer, IDENTITY)[:limit] if answer else []
    if not compounds:
        return empty(f"PubChem finds no compound for {what}.", {"compounds": []})
    if len(compounds) < limit:
        return rows(compounds, data={"compounds": compounds})
    note = f"There are at least {limit}; PubChem gives no total. Raise `limit` for more."
    return Answer({"compounds": compounds}, returned=len(compounds), note=note)
