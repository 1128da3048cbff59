"""PubChem: compounds and structures, record pages, bioassays, pathways, literature, patents, depositors.

PUG REST, PUG View, autocomplete, and the tables behind the web pages (SDQ, co-occurrence links), all JSON,
no key, at most 5 requests a second; `X-Throttling-Control` tells how full the quota is. Faults are
`{"Fault": {"Code", "Message"}}`; 404 means no record or no data of that kind. Since 2025 the answers say
`SMILES` (with stereo) and `ConnectivitySMILES` (without), whatever name was asked for.
"""

from mcp_server.platforms.pubchem import (
    assays,
    bioactivity,
    conformers,
    literature,
    names,
    pages,
    pathways,
    properties,
    sources,
    structures,
    summaries,
    tables,
    views,
)
from mcp_server.platforms.pubchem.base import platform, throttling_pause_s

__all__ = [
    "assays",
    "bioactivity",
    "conformers",
    "literature",
    "names",
    "pages",
    "pathways",
    "platform",
    "properties",
    "sources",
    "structures",
    "summaries",
    "tables",
    "throttling_pause_s",
    "views",
]
