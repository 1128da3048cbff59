"""Europe PMC: articles, preprints and patents, who cites whom, text-mined terms, full texts, grants.

REST/JSON below www.ebi.ac.uk/europepmc, no key. A record is known by source and number (MED 22663011,
PPR PPR1302423). Faults come with status 200 and an `errCode`, or as a body without a number of hits;
routes fail one by one, in plain text. Titles and abstracts hold tags, flags are "Y" and "N".
"""

from mcp_server.platforms.europepmc import annotations, articles, citations, full_text, grants, searches
from mcp_server.platforms.europepmc.service import platform

__all__ = ["annotations", "articles", "citations", "full_text", "grants", "platform", "searches"]
