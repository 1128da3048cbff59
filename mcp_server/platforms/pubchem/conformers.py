"""Three-dimensional structures, and pictures of compounds."""

import re
from typing import Annotated, Any, Literal

from mcp_server.args import PubchemCid
from mcp_server.envelope import Answer, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.pubchem.base import (
    COMPOUND,
    HOST,
    IDENTITY,
    known,
    listed_ids,
    matched,
    no_compound,
    nothing_about,
    plain_number,
    platform,
    properties_of,
    says_no_record,
)
from mcp_server.tool import Arg

Json = Any

ELEMENTS = {
    1: "H", 5: "B", 6: "C", 7: "N", 8: "O", 9: "F", 11: "Na", 12: "Mg", 14: "Si", 15: "P", 16: "S", 17: "Cl",
    19: "K", 20: "Ca", 26: "Fe", 30: "Zn", 33: "As", 34: "Se", 35: "Br", 53: "I", 78: "Pt",
}  # fmt: skip


@platform.tool(
    example={"cid": "4"},
    cites=COMPOUND,
    asks=(
        "3D structure of a molecule",
        "SDF file, atom coordinates, conformer",
        "shape for docking",
    ),
)
async def get_compound_3d(
    api: Api,
    cid: PubchemCid,
    file_format: Annotated[Literal["json", "sdf"], Arg("Coordinates as data, or an SDF text.")] = "json",
    conformer_id: Annotated[
        str | None,
        Arg("One conformer of the list instead of the first.", "0000000400000001", r"^[0-9A-Fa-f]{16}$"),
    ] = None,
) -> Answer:
    """3D coordinates of a compound by CID (computed conformer; JSON or SDF text) and the list of its conformers. A
    picture: get_compound_image_url.

    CID, conformer_ids, conformer_id, atoms: [{element, x, y, z}], bonds: [[atom, atom, order]]; or sdf.
    """
    number = plain_number(cid)
    if conformer_id is not None and int(conformer_id[:8], 16) != int(number):
        raise InvalidArguments("conformer_id", f"{conformer_id} is no conformer of compound {cid}")
    listed = await known(api, f"/compound/cid/{number}/conformers/JSON")
    path = f"/conformers/{conformer_id}/" if conformer_id else f"/compound/cid/{number}/record/"
    options = "" if conformer_id else "?record_type=3d"
    data: dict[str, Json] = {"CID": cid, "conformer_ids": listed_ids(listed, "ConformerID") if listed else []}
    note = f"PubChem has no 3D structure of compound {cid}: it is too large, too flexible, a salt or a mixture."
    if file_format == "sdf":
        text = await _sdf(api, f"{path}SDF{options}")
        if text is None:
            return await nothing_about(api, cid, note, data)
        _check_sdf(text, number)
        return Answer({**data, "sdf": text})
    record = await known(api, f"{path}JSON{options}")
    if record is None:
        return await nothing_about(api, cid, note, data)
    compound = (record.get("PC_Compounds") or [{}])[0]
    matched("compound", number, ((compound.get("id") or {}).get("id") or {}).get("cid"))
    return Answer({**data, **_coordinates(compound)})


@platform.tool(
    example={"cid": "3385"},
    cites=COMPOUND,
    asks=(
        "picture of a molecule",
        "draw the chemical structure",
        "structure image, 2D depiction",
    ),
)
async def get_compound_image_url(
    api: Api,
    cid: PubchemCid,
    kind: Annotated[Literal["2d", "3d"], Arg("Flat drawing or 3D view.")] = "2d",
    size: Annotated[int, Arg("Width and height in pixels.", minimum=50, maximum=900)] = 300,
) -> Answer:
    """Address of the picture (PNG) of a compound's structure by CID. Coordinates: get_compound_3d.

    CID, Title, url.
    """
    number = plain_number(cid)
    compounds = await properties_of(api, [number], IDENTITY)
    if not compounds:
        return no_compound(cid)
    options = f"image_size={size}x{size}" if kind == "2d" else f"record_type=3d&image_size={size}x{size}"
    url = f"{api.base_url}/compound/cid/{number}/PNG?{options}"
    return Answer({"CID": cid, "Title": compounds[0].get("Title"), "url": url})


async def _sdf(api: Api, path: str) -> str | None:
    try:
        return await api.get_text(path)
    except UpstreamNotFound as error:
        if says_no_record(error):
            return None
        raise


def _check_sdf(text: str, number: str) -> None:
    """Refuse a text that is no structure, or that of another compound."""
    if "M  END" not in text:
        raise UpstreamBadResponse(HOST, f"expected a structure file, got {text[:80]!r}")
    found = re.search(r"PUBCHEM_COMPOUND_CID>\s*\n(\d+)", text)
    matched("compound", number, found[1] if found else None)


def _coordinates(compound: Json) -> Json:
    atoms, bonds = compound.get("atoms") or {}, compound.get("bonds") or {}
    conformer = ((compound.get("coords") or [{}])[0].get("conformers") or [{}])[0]
    axes = [conformer.get(axis) or [] for axis in ("x", "y", "z")]
    if len({len(axis) for axis in (*axes, atoms.get("element") or [])}) != 1:
        raise UpstreamBadResponse(HOST, "a structure in space was asked for, and one without three coordinates came")
    numbers = [row for row in conformer.get("data") or [] if (row.get("urn") or {}).get("label") == "Conformer"]
    return {
        "conformer_id": (numbers[0].get("value") or {}).get("sval") if numbers else None,
        "atoms": [
            {"element": ELEMENTS.get(element, f"Z{element}"), "x": x, "y": y, "z": z}
            for element, x, y, z in zip(atoms.get("element") or [], *axes, strict=True)
        ],
        "bonds": [
            list(bond)
            for bond in zip(bonds.get("aid1") or [], bonds.get("aid2") or [], bonds.get("order") or [], strict=True)
        ],
    }
