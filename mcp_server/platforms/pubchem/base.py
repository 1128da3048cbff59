"""What the tools of PubChem share: the platform, faults, properties of compounds, pages of lists."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from mcp_server.args import PubchemCid
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import (
    UpstreamBadResponse,
    UpstreamNotFound,
    UpstreamRateLimited,
    UpstreamRefused,
    UpstreamUnavailable,
)
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform, Source

Json = Any

HOST = "pubchem.ncbi.nlm.nih.gov"
IDENTITY = "Title,MolecularFormula,MolecularWeight,SMILES,ConnectivitySMILES,InChIKey,IUPACName"
COMPUTED = f"{IDENTITY},XLogP,TPSA,HBondDonorCount,HBondAcceptorCount,RotatableBondCount,Charge"
# Answers of before the renaming of 2025 use the old names.
OLD_NAMES = {"IsomericSMILES": "SMILES", "CanonicalSMILES": "ConnectivitySMILES"}
PAUSES_S = {"yellow": 1.0, "red": 15.0, "black": 60.0}
COMPOUND = Cite("pubchem", ".", ".CID", ".Title")
COMPOUNDS = Cite("pubchem", ".compounds[]", ".CID", ".Title")
IN_PATH_MAX = 50
NO_RECORD = {"PUGREST.NotFound", "PUGVIEW.NotFound"}


def throttling_pause_s(headers: Mapping[str, str]) -> float:
    """Read how long to leave PubChem alone; the worst of its three colours counts."""
    said = headers.get("x-throttling-control", "").lower()
    # A blocked address may still see three green lights.
    if "blacklisted" in said:
        return PAUSES_S["black"]
    return max((pause for colour, pause in PAUSES_S.items() if re.search(rf"\b{colour}\b", said)), default=0.0)


platform = Platform(
    "pubchem",
    title="PubChem",
    base_url="https://pubchem.ncbi.nlm.nih.gov/rest/pug",
    docs="https://pubchem.ncbi.nlm.nih.gov/docs/pug-rest",
    licence="https://www.ncbi.nlm.nih.gov/home/about/policies/",
    rate=Rate(4),
    pause_s=throttling_pause_s,
    source=Source(
        provider="PubChem, NCBI, U.S. National Library of Medicine",
        homepage="https://pubchem.ncbi.nlm.nih.gov",
        attribution="Data from PubChem (NCBI); statements and deposited data keep the terms of their own sources.",
        cite="Kim S et al. Nucleic Acids Res. 2025;53(D1):D1516. https://doi.org/10.1093/nar/gkae1059",
        limits="5 requests a second, 400 a minute; X-Throttling-Control tells how busy the service is.",
    ),
)

Aid = Annotated[str, Arg("PubChem assay number (AID), digits only.", "743069", r"^\d{1,8}$")]
RowLimit = Annotated[int, Arg("How many rows to return at most.", minimum=1, maximum=200)]
Cids = Annotated[list[PubchemCid], Arg("PubChem compound numbers, at most 100.", ["2244"], max_items=100)]


async def ask(
    api: Api, path: str, form: Mapping[str, str] | None = None, *, base: str | None = None, **parameters: Json
) -> Json:
    """Return the JSON at `path`; a busy service is told apart from a broken one."""
    try:
        if form is None:
            return await api.get(path, parameters or None, base=base)
        return await api.post_form(path, form)
    except UpstreamUnavailable as error:
        fault = error.body.get("Fault", {}) if isinstance(error.body, dict) else {}
        if fault.get("Code") != "PUGREST.ServerBusy":
            raise
        raise UpstreamRateLimited(
            HOST, "PubChem is busy; try later", status=error.status, retry_after_s=error.retry_after_s
        ) from error


async def known(
    api: Api, path: str, form: Mapping[str, str] | None = None, *, base: str | None = None, **parameters: Json
) -> Json:
    """Return the JSON at `path`, or None where PubChem itself says that it has none."""
    try:
        return await ask(api, path, form, base=base, **parameters)
    except UpstreamNotFound as error:
        if says_no_record(error):
            return None
        raise


def says_no_record(error: UpstreamNotFound) -> bool:
    """Tell PubChem's own "no such record" from a wrong path or a page of the front door."""
    return fault_code(error) in NO_RECORD


def fault_code(error: UpstreamNotFound | UpstreamRefused) -> str:
    """Return the code of a fault, or an empty text."""
    fault = error.body.get("Fault") if isinstance(error.body, dict) else None
    return str(fault.get("Code", "")) if isinstance(fault, dict) else ""


async def properties_of(api: Api, cids: Sequence[str], names: str) -> list[dict[str, Json]]:
    """Return the rows of the compounds that PubChem knows, in the order asked for."""
    if len(cids) > IN_PATH_MAX:
        answer = await known(api, f"/compound/cid/property/{names}/JSON", {"cid": ",".join(cids)})
    else:
        answer = await known(api, f"/compound/cid/{','.join(cids)}/property/{names}/JSON")
    found = {str(row["CID"]): row for row in property_rows(answer or {}, names)}
    return [found[cid] for cid in cids if cid in found]


def property_rows(answer: Json, names: str) -> list[dict[str, Json]]:
    """Return the rows of a property table under today's names; an asked structure that is missing is a fault."""
    found = []
    for row in answer.get("PropertyTable", {}).get("Properties", []):
        # A dead number comes back as a row with nothing but itself; an unknown structure as compound 0.
        if len(row) > 1 and row.get("CID"):
            found.append({OLD_NAMES.get(name, name): value for name, value in row.items()})
    structures = [name for name in ("SMILES", "ConnectivitySMILES") if name in names.split(",")]
    for row in found:
        if any(name not in row for name in structures):
            raise UpstreamBadResponse(HOST, f"compound {row['CID']} has no structure under a known name")
    return found


async def nothing_about(api: Api, cid: str, note: str, data: Json = None) -> Answer:
    """Tell a compound without data of a kind from a number that nobody has: both are a 404."""
    if await properties_of(api, [plain_number(cid)], IDENTITY):
        return empty(note, data)
    return no_compound(cid)


def no_compound(cid: str) -> Answer:
    """Answer that PubChem does not know the compound."""
    return unknown_id(cid, f"PubChem has no compound {cid}.")


def plain_number(cid: str) -> str:
    """Return a number without leading zeros."""
    return cid.lstrip("0") or "0"


def matched(what: str, asked: Json, got: Json) -> None:
    """Refuse an answer about something else than what was asked for."""
    if got not in (None, "") and str(got).upper() != str(asked).upper():
        raise UpstreamBadResponse(HOST, f"asked for {what} {asked}, it answered {got}")


def listed_ids(answer: Json, name: str) -> list[str]:
    """Return the ids of an answer in either of its two forms, without repeats and without 0."""
    holders = [answer.get("IdentifierList") or {}, *((answer.get("InformationList") or {}).get("Information") or [])]
    found = [str(one) for holder in holders for one in holder.get(name) or [] if one not in (0, "0", "")]
    return list(dict.fromkeys(found))


def page(
    items: Sequence[Json], limit: int, offset: int = 0, *, wrap: Json = None, under: str = "", note: str = ""
) -> Answer:
    """Answer with a part of a whole list, and how to go on; `wrap` goes around it, the list `under` a name."""
    shown = list(items[offset : offset + limit])
    end = offset + len(shown)
    if items and not shown:
        note = f"There are only {len(items)}; offset {offset} lies behind the last. {note}".strip()
    following = {"offset": end} if shown and end < len(items) else None
    data = {**wrap, under: shown} if wrap is not None else None
    return rows(shown, total=len(items), next=following, note=note, data=data)


def kept(record: Json, fields: Sequence[str]) -> Json:
    """Return the named fields that are there and not empty."""
    return {name: record[name] for name in fields if record.get(name) not in (None, "", [])}
