"""ClinVar: variants and what submitters say of them, their conditions, dbSNP records, exact names.

E-utilities (db=clinvar, medgen, snp): JSON for search and summaries, XML only for whole records; NCBI
Variation Services for exact names and frequencies. One bucket of requests with PubMed. Unknown ids come
with status 200. Since 2024 a record has three independent classifications: germline, somatic clinical
impact, oncogenicity.
"""

from mcp_server.platforms.clinvar import (
    conditions,
    conversion,
    dbsnp,
    linked,
    names,
    refsnp,
    review,
    searches,
    submissions,
    variants,
)
from mcp_server.platforms.clinvar.base import platform

__all__ = [
    "conditions",
    "conversion",
    "dbsnp",
    "linked",
    "names",
    "platform",
    "refsnp",
    "review",
    "searches",
    "submissions",
    "variants",
]
