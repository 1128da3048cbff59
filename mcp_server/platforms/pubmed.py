"""PubMed: articles by query or number, with abstracts, and the conversion of article identifiers.

NCBI E-utilities (JSON for searches and summaries, XML for records) and the PMC ID Converter. All NCBI
hosts share one rate: 3 requests a second, 10 with a key. Faults may come with status 200 in the body;
unknown numbers are silently missing from the answer, and words that match nothing are silently dropped.
"""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Pmid
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "pubmed",
    title="PubMed",
    base_url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    docs="https://www.ncbi.nlm.nih.gov/books/NBK25501/",
    licence="https://www.nlm.nih.gov/databases/download/terms_and_conditions.html",
    rate=Rate(2.5, group="ncbi", with_key=8),
    hosts=("pmc.ncbi.nlm.nih.gov",),
    key_parameter="api_key",
)


@platform.tool(
    core=True,
    example={"query": "BRAF V600E melanoma", "limit": 5},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
)
async def search_articles(
    api: Api,
    query: Annotated[str, Arg('PubMed query; quote and tag variants, e.g. "V600E"[tiab].', "BRAF V600E melanoma")],
    limit: Limit = 10,
    offset: Annotated[int, Arg("How many records to skip: `next` gives it.", minimum=0, maximum=9998)] = 0,
    sort: Annotated[Literal["relevance", "date"], Arg("What comes first.")] = "relevance",
) -> Answer:
    """Find articles with PubMed's query syntax. Returns PMIDs with titles, the hit count and query warnings."""
    raise NotImplementedError


@platform.tool(
    example={"pmids": ["22663011"]},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
)
async def get_articles(
    api: Api,
    pmids: Annotated[list[Pmid], Arg("PubMed numbers.", ["22663011"], max_items=20)],
) -> Answer:
    """Get articles by PMID. Returns abstract, journal, DOI, MeSH, corrections, and which PMIDs do not exist."""
    raise NotImplementedError


@platform.tool(
    example={"ids": ["22663011", "PMC9984800"]},
    cites=Cite("pmid", ".records[]", ".pmid", ".title"),
)
async def convert_ids(
    api: Api,
    ids: Annotated[list[str], Arg("PMIDs, PMCIDs (with PMC), DOIs or NIHMS numbers.", ["PMC9984800"], max_items=50)],
) -> Answer:
    """Convert between PMID, PMCID and DOI. Returns all three and whether PubMed Central has a copy."""
    raise NotImplementedError
