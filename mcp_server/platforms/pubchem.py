"""PubChem: compounds by name, with structure, computed properties and synonyms.

PUG REST/JSON, no key, at most 5 requests a second; `X-Throttling-Control` tells how full the quota is.
Faults are `{"Fault": {"Code", "Message"}}`; 404 means no record or no data of that kind. Since 2025 the
answers say `SMILES` (with stereo) and `ConnectivitySMILES` (without), whatever name was asked for.
"""

from typing import Annotated, Any

from mcp_server.args import DrugName, PubchemCid
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "pubchem",
    title="PubChem",
    base_url="https://pubchem.ncbi.nlm.nih.gov/rest/pug",
    docs="https://pubchem.ncbi.nlm.nih.gov/docs/pug-rest",
    licence="https://www.ncbi.nlm.nih.gov/home/about/policies/",
    rate=Rate(4),
)


@platform.tool(example={"name": "lapatinib"}, cites=Cite("pubchem", ".[]", ".CID", ".Title"))
async def resolve_compound(
    api: Api,
    name: Annotated[DrugName, Arg("Drug or chemical name, CAS number or InChIKey.", "lapatinib")],
) -> Answer:
    """Resolve a chemical's name, CAS number or InChIKey. Returns PubChem CIDs with formula, SMILES, InChIKey."""
    raise NotImplementedError


@platform.tool(example={"cids": ["208908", "9915743"]}, cites=Cite("pubchem", ".[]", ".CID", ".Title"))
async def get_compound_properties(
    api: Api,
    cids: Annotated[list[PubchemCid], Arg("PubChem compound numbers.", ["208908"], max_items=50)],
) -> Answer:
    """Get computed properties by CID. Returns formula, weight, SMILES, XLogP, TPSA and hydrogen-bond counts."""
    raise NotImplementedError


@platform.tool(example={"cid": "2244"}, cites=Cite("pubchem", ".", ".CID"))
async def get_compound_synonyms(
    api: Api,
    cid: PubchemCid,
    limit: Annotated[int, Arg("How many names to return at most.", minimum=1, maximum=500)] = 30,
) -> Answer:
    """Get names, CAS and registry numbers of a compound by CID. Returns the most used ones first."""
    raise NotImplementedError
