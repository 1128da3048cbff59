"""bioRxiv and medRxiv: preprints by DOI and by day, their versions, and the articles they became.

REST/JSON at api.biorxiv.org for both servers, no key. It has no search: words are looked for through
Europe PMC. Nothing found is status 200 with a sentence; an empty body is an outage. The size of a page
changes (100, since 2026 30), totals come as text or number. The websites refuse scripts: only linked.
"""

from mcp_server.platforms.biorxiv import listings, preprints, searches
from mcp_server.platforms.biorxiv.service import platform

__all__ = ["listings", "platform", "preprints", "searches"]
