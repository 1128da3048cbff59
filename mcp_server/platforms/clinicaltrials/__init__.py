"""ClinicalTrials.gov: registered clinical trials, their plans, sites, results and documents.

REST/JSON at /api/v2, no key, asked once a second. Pages by an opaque token; the total stands on the
first page only. A refused parameter is a 400 with one line of plain text, an unknown number a 404 with
one. A former number answers the present study: its redirect loses `fields`, so whole records may come.
"""

from mcp_server.platforms.clinicaltrials import places, registry, results, searches, studies
from mcp_server.platforms.clinicaltrials.base import platform

__all__ = ["places", "platform", "registry", "results", "searches", "studies"]
