"""One module for each domain of the unified tools: how it is searched, and how one of its records is opened."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains import article, disease, drug, gene, pathway, pgx, protein, trial, variant
from mcp_server.unified.domains.base import LegRows

Search = Callable[[Mapping[str, Any], Calls, int], Awaitable[LegRows]]

SEARCHES: dict[str, Search] = {
    "article": article.rows,
    "trial": trial.rows,
    "variant": variant.rows,
    "gene": gene.rows,
    "drug": drug.rows,
    "disease": disease.rows,
    "protein": protein.rows,
    "pathway": pathway.rows,
    "pgx": pgx.rows,
}
