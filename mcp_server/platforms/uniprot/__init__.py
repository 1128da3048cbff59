"""UniProt: proteins, what is known of them, their identifiers in other databases, their variants.

REST/JSON at rest.uniprot.org, no key. Totals, cursor and release stand in response headers only.
Whole entries are up to megabytes, so every request names its fields. A merged accession redirects
to its successor or names it; a deleted or split one answers 200 with `entryType` "Inactive".
Large-scale variants, genome positions and peptides come from EBI's Proteins API.
"""

from mcp_server.platforms.uniprot import (
    annotation,
    mapping,
    positions,
    proteins_api,
    search,
    sequence_sets,
    sequences,
    structures,
    vocabularies,
)
from mcp_server.platforms.uniprot.base import platform

__all__ = [
    "annotation",
    "sequence_sets",
    "mapping",
    "platform",
    "positions",
    "proteins_api",
    "search",
    "sequences",
    "structures",
    "vocabularies",
]
