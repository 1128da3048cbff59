"""Pathways: Reactome's, found by gene or name, and opened by their R-HSA identifiers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, LegRows, answers, counted, sections, values
from mcp_server.unified.results import Result, result, round_robin, without_twins

Json = Any
Way = Callable[[str, Calls, int], Awaitable[tuple[list[Result], int | None]]]
LIST_MAX = 50
PAGE = "https://reactome.org/content/detail/{}"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the pathways of a leg. Values of one field are alternatives; several fields must all hold."""
    ways: dict[str, Way] = {"id": _by_id, "name": _by_name, "genes": _by_gene}
    asked = {field: given for field in ways if (given := values(params, field))}
    most = LIST_MAX if len(asked) > 1 else count
    found, failures = await answers([_of_field(ways[field], given, calls, most) for field, given in asked.items()])
    if failures:
        # Without one of the conditions the rest would answer another question.
        raise failures[0]
    first, *others = [each for each in found if each is not None]
    held = [{each.id for each in pathways} for pathways, _ in others]
    kept = [each for each in first[0] if all(each.id in ids for ids in held)]
    total, total_is = counted(None if others else first[1], len(kept))
    return LegRows(kept, total, total_is, [calls.title("reactome")])


async def _of_field(way: Way, given: Sequence[str], calls: Calls, most: int) -> tuple[list[Result], int | None]:
    """Return the pathways of all values of a field; how many there are is known for one value only."""
    pages = await asyncio.gather(*(way(value, calls, most) for value in given))
    merged = without_twins(round_robin([page[0] for page in pages]))
    return merged, pages[0][1] if len(pages) == 1 else None


async def _by_id(identifier: str, calls: Calls, most: int) -> tuple[list[Result], int | None]:
    found = await calls("reactome__get_pathway", reactome_id=identifier)
    cards = [card(found.data)] if found.has_data else []
    return cards, len(cards)


async def _by_name(name: str, calls: Calls, most: int) -> tuple[list[Result], int | None]:
    found = await calls("reactome__search", query=name, types=["Pathway"], limit=min(most, 50))
    return [card(each) for each in found.rows()], found.total


async def _by_gene(gene: str, calls: Calls, most: int) -> tuple[list[Result], int | None]:
    accession = await _accession(gene, calls)
    if accession is None:
        return [], 0
    found = await calls("reactome__map_identifier_to_pathways", identifier=accession)
    return [card(each) for each in found.rows()], found.total


async def _accession(gene: str, calls: Calls) -> str | None:
    """Return the UniProt accession of a human gene, under which Reactome files it."""
    found = await calls("uniprot__search_proteins", gene_symbols=[gene], reviewed=True, limit=1)
    return str(found.rows()[0]["primaryAccession"]) if found.rows() else None


def card(pathway: Mapping[str, Json]) -> Result:
    """Return a pathway's card."""
    identifier = str(pathway["stId"])
    species = pathway.get("speciesName") or pathway.get("species")
    parts = ("pathway", species, "in disease" if pathway.get("isInDisease") else "", pathway.get("summation"))
    return result(identifier, pathway.get("displayName") or pathway.get("name"), parts, PAGE.format(identifier))


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a pathway; None where Reactome has none of this identifier."""
    found = await calls("reactome__get_pathway", reactome_id=identifier)
    if not found.has_data:
        return None
    pathway = found.data
    text = sections(
        (
            ("Species", pathway.get("speciesName")),
            ("Summary", pathway.get("summation")),
            ("Contains", [event.get("displayName") for event in pathway.get("hasEvent") or ()]),
        )
    )
    head = card(pathway)
    metadata = {"reactome": pathway}
    return Document(head.id, head.title, text or head.text, head.url, metadata, [calls.title("reactome")])
