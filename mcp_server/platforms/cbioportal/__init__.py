"""cBioPortal and Cancer Hotspots: how often genes are altered in published cancer studies, and at which residues.

REST/JSON at www.cbioportal.org/api, no key, no paging by default; Cancer Hotspots at www.cancerhotspots.org/api.
Every frequency is altered samples over the samples profiled for that gene, one study at a time: panels differ,
and a patient may be in several studies. Driver annotations are not offered as a filter: hardly a public study
carries them, and a missing one would read as "no driver".
"""

from mcp_server.platforms.cbioportal import (
    card,
    clinical,
    copy_number,
    frequencies,
    fusions,
    hotspots,
    mutations,
    recurrence,
    studies,
    treatments,
)
from mcp_server.platforms.cbioportal.base import platform

__all__ = [
    "card",
    "clinical",
    "copy_number",
    "frequencies",
    "fusions",
    "hotspots",
    "mutations",
    "platform",
    "recurrence",
    "studies",
    "treatments",
]
