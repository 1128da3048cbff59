"""Ensembl: genes, transcripts, sequences, variants and their consequences, features, homologues.

REST/JSON at rest.ensembl.org (GRCh38) and grch37.rest.ensembl.org, no key, 55,000 requests an hour.
What it does not know it answers with 400 and a text that names what was asked; a 429 is plain text.
Symbols are case-sensitive, and one gene may have further ids on alternative haplotypes. Lists come
whole: pages are cut here. Positions are 1-based and inclusive.
"""

from mcp_server.platforms.ensembl import (
    comparative,
    consequences,
    features,
    genes,
    linkage,
    phenotypes,
    references,
    sequences,
    species,
    variants,
)
from mcp_server.platforms.ensembl.base import platform

__all__ = [
    "comparative",
    "consequences",
    "features",
    "genes",
    "linkage",
    "phenotypes",
    "platform",
    "references",
    "sequences",
    "species",
    "variants",
]
