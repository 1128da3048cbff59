"""The cards that stand before the articles when genes are named: how often cBioPortal's studies see them altered."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.unified.calls import Calls, Found, SourceFailed
from mcp_server.unified.domains.base import Document, notice
from mcp_server.unified.results import Result, result

Json = Any
PREFIX = "cbioportal:"
PAGE = "https://www.cbioportal.org/results/mutations?gene_list={}"


async def cards(named: Sequence[str], calls: Calls) -> tuple[list[Result], list[dict[str, Json]]]:
    """Return a card for each `cbioportal:GENE[ CHANGE]`, and a notice for each that is missing or not whole."""
    got = await asyncio.gather(*(_summary(each, calls) for each in named), return_exceptions=True)
    found: list[Result] = []
    notices: list[dict[str, Json]] = []
    for each, one in zip(named, got, strict=True):
        if isinstance(one, SourceFailed):
            notices.append(notice("N_ENRICHMENT", f"No summary for {each}: {one}."))
        elif isinstance(one, BaseException):
            raise one
        elif one.has_data:
            found.append(_card(each, one.data))
            missing = [str(part.get("part")) for part in one.data.get("failed") or ()]
            if missing:
                notices.append(notice("N_ENRICHMENT", f"{each} is not whole: no answer for {', '.join(missing)}."))
        else:
            notices.append(notice("N_ENRICHMENT", f"{each}: {one.note or 'cBioPortal has nothing on it.'}"))
    return found, notices


async def _summary(named: str, calls: Calls) -> Found:
    gene, _, mutation = named.removeprefix(PREFIX).partition(" ")
    return await calls("cbioportal__gene_enrichment_summary", gene=gene, mutation=mutation)


def _card(named: str, data: Mapping[str, Json]) -> Result:
    gene = named.removeprefix(PREFIX).partition(" ")[0]
    return result(named, data.get("title"), (data.get("text"),), str(data.get("url") or PAGE.format(gene)))


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a card by `cbioportal:GENE` or `cbioportal:GENE CHANGE`; None where nothing is known of the gene."""
    found = await _summary(identifier, calls)
    if not found.has_data:
        return None
    card = _card(identifier, found.data)
    text = str(found.data.get("text") or card.text)
    metadata = {"cbioportal": found.data}
    return Document(identifier, card.title, text, card.url, metadata, [calls.title("cbioportal")])
