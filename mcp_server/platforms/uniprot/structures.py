"""Three-dimensional structures of a protein, measured and predicted."""

import re
from typing import Annotated, Any

from mcp_server.args import Limit, Offset, UniProtAccession
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.platforms.uniprot.base import ENTRY, platform, sliced
from mcp_server.platforms.uniprot.entry import (
    IDENTITY_FIELDS,
    fetch_entry,
    identity,
    ids,
    nothing,
    properties,
    references,
    resolved_note,
)
from mcp_server.tool import Arg

Json = Any

METHODS = {"cryo-em": "EM", "cryoem": "EM", "electron microscopy": "EM", "crystallography": "X-ray", "xray": "X-ray"}


def _method_form(text: str) -> str:
    return METHODS.get(text.lower(), text)


Method = Annotated[str | None, Arg("Only this method: X-ray, EM, NMR …", "EM", normalise=_method_form)]
Resolution = Annotated[
    float | None, Arg("Only structures at least as sharp as this many ångström; those without are left out.", 2.5)
]


@platform.tool(
    example={"accession": "P00533", "method": "X-ray", "max_resolution": 2.5},
    cites=ENTRY,
    asks=(
        "crystal structure of a protein",
        "PDB codes, cryo-EM",
        "predicted structure by AlphaFold",
        "is the structure solved, resolution",
        "3D fold",
    ),
)
async def get_structures(
    api: Api,
    accession: UniProtAccession,
    method: Method = None,
    max_resolution: Resolution = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """3D structures of a protein: PDB entries with method, resolution and residues of each chain, and its AlphaFold
    model, by UniProt accession.

    structures: [{id, method, resolution (ångström), chains}], sharpest first; alphaFold: ids.
    """
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, "structure_3d", "xref_pdb", "xref_alphafolddb"))
    if isinstance(entry, Answer):
        return entry
    every = [structure(row) for row in references(entry, "PDB")]
    found = [row for row in every if method is None or (row["method"] or "").lower() == method.lower()]
    if max_resolution is not None:
        found = [row for row in found if row["resolution"] is not None and row["resolution"] <= max_resolution]
    found.sort(key=lambda row: (row["resolution"] is None, row["resolution"] or 0, row["id"]))
    data = identity(entry) | {"alphaFold": ids(entry, "AlphaFoldDB")}
    notes = [resolved_note(accession, entry)]
    if len(found) < len(every):
        methods = ", ".join(sorted({str(row["method"]) for row in every}))
        notes.append(f"{len(found)} of {len(every)} PDB entries meet the filter; methods there are: {methods}.")
    if not every:
        notes.append(nothing(entry, "PDB entry"))
    answer = sliced(found, limit, offset, data, "structures", " ".join(note for note in notes if note))
    if not found and data["alphaFold"] and not every:
        # A predicted model is an answer, too.
        return Answer(answer.data, total=0, returned=0, note=answer.note)
    return answer


def structure(row: Json) -> dict[str, Json]:
    """Return a PDB cross-reference with its resolution as a number."""
    known = properties(row)
    sharpness = re.match(r"[\d.]+", known.get("Resolution", ""))
    return {
        "id": row["id"],
        "method": known.get("Method"),
        "resolution": float(sharpness[0]) if sharpness else None,
        "chains": known.get("Chains"),
    }
