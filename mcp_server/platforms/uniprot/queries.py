"""UniProt's query language: its fields, and a hint where a query is refused."""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamRefused
from mcp_server.platforms.uniprot.base import page

Json = Any

FIELDS = (
    "accession", "sec_acc", "id", "gene", "gene_exact", "protein_name", "organism_id", "organism_name", "taxonomy_id",
    "taxonomy_name", "reviewed", "existence", "family", "keyword", "ec", "go", "cc_disease", "cc_function",
    "cc_catalytic_activity", "cc_scl_term", "cc_tissue_specificity", "ft_variant", "ft_binding", "ft_mod_res", "xref",
    "database", "structure_3d", "length", "mass", "proteome", "lit_pubmed", "date_modified", "interactor", "checksum",
)  # fmt: skip
# Models still write the language of before 2022, and the names of return fields.
FORMER = {
    "organism": "organism_id",
    "taxonomy": "taxonomy_id",
    "name": "protein_name",
    "gene_name": "gene_exact",
    "citation": "lit_pubmed",
    "mnemonic": "id",
    "goa": "go",
}


async def query_page(api: Api, path: str, parameters: Mapping[str, Json]) -> tuple[Json, Mapping[str, str]]:
    """Return a page of a query's hits; to a refusal, add which fields there are."""
    try:
        return await page(api, path, parameters)
    except UpstreamRefused as error:
        message = f"{error.message}. {_hint(str(parameters.get('query') or ''))}"
        raise UpstreamRefused(error.host, message, status=error.status, body=error.body) from error


def _hint(query: str) -> str:
    """Name near fields for those of a query that nobody knows; without any, the fields there are."""
    unknown = [name for name in dict.fromkeys(re.findall(r"\b([A-Za-z]\w*):", query)) if name not in FIELDS]
    hints = []
    for name in unknown:
        near = [FORMER[name]] if name in FORMER else difflib.get_close_matches(name, FIELDS, n=3, cutoff=0.5)
        hints.append(f"for {name!r} try {' or '.join(near)}" if near else f"nothing is like {name!r}")
    return f"Fields: {'; '.join(hints)}." if hints else f"Fields are {', '.join(FIELDS)}."
