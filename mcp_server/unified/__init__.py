"""Tools over all databases."""

from mcp_server.unified import about
from mcp_server.unified.declared import (
    FETCH,
    FETCH_OUTPUT,
    SEARCH,
    SEARCH_OUTPUT,
    THINK_OUTPUT,
    THOUGHT,
    lazily,
    unified,
)
from mcp_server.unified.tool import UnifiedTool

TOOLS: tuple[UnifiedTool, ...] = (
    about.tool,
    unified(
        "search",
        "BURP: search everything",
        "Search articles, trials, variants, genes, drugs, diseases, proteins, pathways, pharmacogenomics at once "
        "with one query, e.g. gene:BRAF AND disease:melanoma; returns id, title, text, url. fetch opens an id. For one "
        "database's own filters use its tools.",
        SEARCH,
        SEARCH_OUTPUT,
        lazily("search"),
        example={"query": "gene:BRAF AND disease:melanoma"},
        asks=(
            "search all databases at once",
            "papers, trials and variants on a gene and a disease together",
            "one query over every source, field:value syntax",
        ),
        # Rows of many domains: their first words tell which of them to open.
        noise='(.results[]?.text | select(length > 160)) |= .[:160] + "…"',
        keep=(".results[].id", ".results[].title", ".results[].url", "._meta.status"),
    ),
    unified(
        "fetch",
        "BURP: open a record",
        "Open one record by the id that search gave: article, trial, variant (MyVariant, GDC, 1000 Genomes and "
        "cBioPortal joined), gene, drug, disease, protein, pathway, annotation; returns text, url, metadata by source.",
        FETCH,
        FETCH_OUTPUT,
        lazily("fetch"),
        example={"id": "NCT01808573"},
        asks=("open any record by its id", "full record of a search hit", "what is this identifier, whatever its kind"),
        required=("id",),
        # The text says what the sources' own records hold at length.
        noise="del(.metadata)",
        keep=(".id", ".title", ".text", ".url"),
    ),
    unified(
        "think",
        "BURP: think in steps",
        "Keep a chain of thoughts for a hard question, with revisions and branches, for this conversation only; "
        "returns where the chain stands. It looks nothing up: use search or a database's tools for facts.",
        THOUGHT,
        THINK_OUTPUT,
        lazily("think"),
        example={
            "thought": "Which genes are altered?",
            "thoughtNumber": 1,
            "totalThoughts": 3,
            "nextThoughtNeeded": True,
        },
        required=("thought",),
        asks=("think step by step", "plan a hard question", "scratch pad for reasoning"),
    ),
)
