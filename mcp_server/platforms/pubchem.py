"""PubChem: compounds by name, with structure, computed properties and synonyms.

PUG REST/JSON, no key, at most 5 requests a second; `X-Throttling-Control` tells how full the quota is.
Faults are `{"Fault": {"Code", "Message"}}`; 404 means no record or no data of that kind. Since 2025 the
answers say `SMILES` (with stereo) and `ConnectivitySMILES` (without), whatever name was asked for.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from mcp_server.args import Offset, PubchemCid, look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRateLimited, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

HOST = "pubchem.ncbi.nlm.nih.gov"
COMPOUNDS_MAX = 5
IDENTITY = "Title,MolecularFormula,MolecularWeight,SMILES,ConnectivitySMILES,InChIKey,IUPACName"
COMPUTED = f"{IDENTITY},XLogP,TPSA,HBondDonorCount,HBondAcceptorCount,RotatableBondCount,Charge"
# Answers of before the renaming of 2025 use the old names.
OLD_NAMES = {"IsomericSMILES": "SMILES", "CanonicalSMILES": "ConnectivitySMILES"}
PAUSES_S = {"yellow": 1.0, "red": 15.0, "black": 60.0}
INCHIKEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")


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
)


async def _ask(api: Api, path: str, form: Mapping[str, str] | None = None) -> Json:
    """Return the JSON at `path`; a busy service is told apart from a broken one."""
    try:
        return await (api.get(path) if form is None else api.post_form(path, form))
    except UpstreamUnavailable as error:
        fault = error.body.get("Fault", {}) if isinstance(error.body, dict) else {}
        if fault.get("Code") != "PUGREST.ServerBusy":
            raise
        raise UpstreamRateLimited(
            HOST, "PubChem is busy; try later", status=error.status, retry_after_s=error.retry_after_s
        ) from error


def _says_no_record(error: UpstreamNotFound) -> bool:
    """Tell PubChem's own "no such record" from a wrong path or a page of the front door."""
    return isinstance(error.body, dict) and error.body.get("Fault", {}).get("Code") == "PUGREST.NotFound"


async def _properties(api: Api, cids: list[str], names: str) -> list[dict[str, Json]]:
    """Return the rows of the compounds that PubChem knows, in the order asked for."""
    try:
        answer = await _ask(api, f"/compound/cid/{','.join(cids)}/property/{names}/JSON")
    except UpstreamNotFound as error:
        if _says_no_record(error):
            return []
        raise
    found = {}
    for row in answer.get("PropertyTable", {}).get("Properties", []):
        # A dead number comes back as a row with nothing but itself.
        if len(row) > 1:
            found[str(row["CID"])] = {OLD_NAMES.get(name, name): value for name, value in row.items()}
    for row in found.values():
        if "SMILES" not in row or "ConnectivitySMILES" not in row:
            raise UpstreamBadResponse(HOST, f"compound {row['CID']} has no structure under a known name")
    return [found[cid] for cid in cids if cid in found]


@platform.tool(example={"name": "aspirin"}, cites=Cite("pubchem", ".[]", ".CID", ".Title"))
async def resolve_compound(
    api: Api,
    name: Annotated[str, Arg("Drug or chemical name, CAS number or InChIKey.", "aspirin", normalise=look_up_form)],
) -> Answer:
    """Resolve a chemical's name, CAS number or InChIKey. Returns PubChem CIDs with formula, SMILES, InChIKey."""
    if INCHIKEY.fullmatch(name.upper()):
        path, form = f"/compound/inchikey/{name.upper()}/cids/JSON", None
    elif "/" in name:
        # PUG REST takes a slash in the path for the end of the name.
        path, form = "/compound/name/cids/JSON", {"name": name}
    else:
        path, form = f"/compound/name/{quote(name, safe='')}/cids/JSON", None
    try:
        answer = await _ask(api, path, form)
    except UpstreamNotFound as error:
        if _says_no_record(error):
            return empty(f"PubChem has no compound called {name!r}. Biologics such as antibodies have none.")
        raise
    # A structure without a record answers with compound 0.
    cids = [str(cid) for cid in answer.get("IdentifierList", {}).get("CID", []) if cid]
    if not cids:
        return empty(f"PubChem has no compound called {name!r}.")
    compounds = await _properties(api, cids[:COMPOUNDS_MAX], IDENTITY)
    more = f"{len(cids)} compounds have this name; the first {len(compounds)} are shown."
    return rows(compounds, total=len(cids), note=more if len(cids) > len(compounds) else "")


@platform.tool(example={"cids": ["2244"]}, cites=Cite("pubchem", ".compounds[]", ".CID", ".Title"))
async def get_compound_properties(
    api: Api,
    cids: Annotated[list[PubchemCid], Arg("PubChem compound numbers.", ["2244"], max_items=50)],
) -> Answer:
    """Get computed properties by CID. Returns formula, weight, SMILES, XLogP, TPSA and hydrogen-bond counts."""
    numbers = list(dict.fromkeys(cid.lstrip("0") for cid in cids))
    compounds = await _properties(api, numbers, COMPUTED)
    known = {str(compound["CID"]) for compound in compounds}
    missing = [cid for cid in numbers if cid not in known]
    data = {"compounds": compounds, "missing": missing}
    note = f"PubChem has no compound {', '.join(missing)}." if missing else ""
    outcome = ResultOutcome.DATA if compounds else ResultOutcome.UNKNOWN_ID
    return Answer(data, outcome, total=len(numbers), returned=len(compounds), note=note)


@platform.tool(example={"cid": "2244"}, cites=Cite("pubchem", ".", ".CID"))
async def get_compound_synonyms(
    api: Api,
    cid: PubchemCid,
    limit: Annotated[int, Arg("How many names to return at most.", minimum=1, maximum=500)] = 30,
    offset: Offset = 0,
) -> Answer:
    """Get names, CAS and registry numbers of a compound by CID. Returns the most used ones first."""
    try:
        answer = await _ask(api, f"/compound/cid/{cid}/synonyms/JSON")
    except UpstreamNotFound as error:
        # The same answer stands for an unknown number and for a compound without names.
        if not _says_no_record(error):
            raise
        if await _properties(api, [cid], IDENTITY):
            return empty(f"PubChem lists no names for compound {cid}.", {"CID": cid, "synonyms": []})
        return unknown_id(cid, f"PubChem has no compound {cid}.")
    names = [name for entry in answer["InformationList"]["Information"] for name in entry.get("Synonym", [])]
    shown = names[offset : offset + limit]
    rest = offset + len(shown)
    more = {"offset": rest} if rest < len(names) else None
    return rows(shown, total=len(names), next=more, data={"CID": cid, "synonyms": shown})
