"""Pathways: Reactome's, found by gene or name, and opened by their R-HSA identifiers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import (
    Document,
    LegRows,
    answers,
    chosen,
    counted,
    mentions,
    refused,
    sections,
    texts,
)
from mcp_server.unified.results import Result, result, round_robin, without_twins

Json = Any
Way = Callable[[str, Calls, int], Awaitable["Listed"]]
PAGE_MAX = 50
OTHERS_MAX = 3
# What several fields have in common may stand far down in each list.
LIST_MAX = 200
PAGE = "https://reactome.org/content/detail/{}"


@dataclass(frozen=True)
class Listed:
    """The pathways of one value, how many there are, and whether more can be had."""

    cards: list[Result]
    total: int | None
    has_more: bool = False


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the pathways of a leg. Values of one field are alternatives; several fields must all hold."""
    ways: dict[str, Way] = {"id": _by_id, "name": _by_name, "genes": _by_gene}
    asked = {field: given for field in ways if (given := texts(params, field))}
    unwanted = {field: given for field in ("id", "genes") if (given := refused(params, field))}
    most = count if len(asked) == 1 else LIST_MAX
    wanted = [_of_field(ways[field], given, calls, most) for field, given in asked.items()]
    left_out = [_of_field(ways[field], given, calls, LIST_MAX) for field, given in unwanted.items()]
    found, failures = await answers([*wanted, *left_out])
    if failures:
        # Without one of the conditions the rest would answer another question.
        raise failures[0]
    lists = [each for each in found if each is not None]
    first, *others = lists[: len(wanted)]
    held = [{each.id for each in other.cards} for other in others]
    refused_ids = {each.id for other in lists[len(wanted) :] for each in other.cards}
    names = refused(params, "name")
    kept = [
        each
        for each in first.cards
        if all(each.id in ids for ids in held) and each.id not in refused_ids and not mentions(each.title, names)
    ]
    is_sifted = bool(others or unwanted or names)
    total, total_is = counted(None if is_sifted else first.total, len(kept))
    return LegRows(kept, total, total_is, [calls.title("reactome")], has_more=first.has_more)


async def _of_field(way: Way, given: Sequence[str], calls: Calls, most: int) -> Listed:
    """Return the pathways of all values of a field; how many there are is known for one value only."""
    pages = await asyncio.gather(*(way(value, calls, most) for value in given))
    merged = without_twins(round_robin([page.cards for page in pages]))
    return Listed(merged, pages[0].total if len(pages) == 1 else None, any(page.has_more for page in pages))


async def _by_id(identifier: str, calls: Calls, most: int) -> Listed:
    found = await calls("reactome__get_pathway", reactome_id=identifier)
    cards = [card(found.data)] if found.has_data else []
    return Listed(cards, len(cards))


async def _by_name(name: str, calls: Calls, most: int) -> Listed:
    listed: list[Json] = []
    following: Mapping[str, Json] = {}
    total = None
    while True:
        size = min(most, PAGE_MAX)
        found = await calls("reactome__search", query=name, types=["Pathway"], limit=size, **following)
        listed += found.rows()
        total = total if following else found.total
        following = found.next or {}
        if len(listed) >= most or not following:
            return Listed([card(each) for each in listed], total, bool(following))


async def _by_gene(gene: str, calls: Calls, most: int) -> Listed:
    accession = await _accession(gene, calls)
    if accession is None:
        return Listed([], 0)
    found = await calls("reactome__map_identifier_to_pathways", identifier=accession)
    return Listed([card(each) for each in found.rows()], found.total)


async def _accession(gene: str, calls: Calls) -> str | None:
    """Return the UniProt accession of a human gene, under which Reactome files it."""
    found = await calls("uniprot__search_proteins", gene_symbols=[gene], reviewed=True, limit=1)
    return str(found.rows()[0]["primaryAccession"]) if found.rows() else None


def card(pathway: Mapping[str, Json]) -> Result:
    """Return a pathway's card."""
    identifier = str(pathway["stId"])
    species = pathway.get("speciesName") or pathway.get("species")
    parts = (
        "pathway",
        species,
        "in disease" if pathway.get("isInDisease") or pathway.get("isDisease") else "",
        pathway.get("summation"),
    )
    return result(identifier, pathway.get("displayName") or pathway.get("name"), parts, PAGE.format(identifier))


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a pathway; None where Reactome has none of this identifier."""
    found = await calls("reactome__get_pathway", reactome_id=identifier)
    if not found.has_data:
        return None
    pathway = found.data
    text = sections(
        (
            ("Note", found.note),
            ("Species", pathway.get("speciesName")),
            ("Summary", pathway.get("summation")),
            ("Contains", [event.get("displayName") for event in pathway.get("hasEvent") or ()]),
        )
    )
    head = card(pathway)
    metadata = {"reactome": pathway}
    return Document(head.id, head.title, text or head.text, head.url, metadata, [calls.title("reactome")])


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the pathway of a name, the best match; None where Reactome finds none."""
    found = (await _by_name(name, calls, OTHERS_MAX)).cards
    exact = [each for each in found if each.title.lower() == name.lower()]
    best = [*exact, *found][:1]
    return chosen(await opened(best[0].id, calls), name, found) if best else None
