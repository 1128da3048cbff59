"""Search by words over pathways, reactions, proteins, complexes, molecules and drugs."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import SPECIES, Species, Words, known, plain, platform
from mcp_server.tool import Arg, Cite

Json = Any

SUMMARY_MAX_CHARS = 300
Types = Annotated[
    list[Literal["Pathway", "Reaction", "Protein", "Complex", "Set", "Chemical Compound", "Drug", "Interactor"]] | None,
    Arg("Kinds of record.", ["Pathway"]),
]
Compartments = Annotated[list[str] | None, Arg("Only records of these compartments.", ["cytosol"], max_items=20)]


@platform.tool(
    example={"query": "MAPK signaling pathway", "types": ["Pathway"]},
    cites=Cite("reactome", "[]", "stId", "name"),
    asks=(
        "find a pathway by name",
        "search the pathway database",
        "biological process, signalling cascade by words",
        "R-HSA id of a pathway",
    ),
)
async def search(
    api: Api,
    query: Words,
    types: Types = None,
    limit: Limit = 10,
    species: Species = "9606",
    compartments: Compartments = None,
    offset: Offset = 0,
) -> Answer:
    """Find pathways, reactions, proteins, complexes or drugs in Reactome by words, gene symbol or accession: R-HSA ids
    with name and summary. Corrects spelling when nothing is found, and says so. The pathways of an accession:
    map_identifier_to_pathways.

    Rows: stId, name, exactType, species, referenceIdentifier, isDisease, summation (shortened); at
    most `limit` of each type.
    """
    if species not in SPECIES:
        known_species = ", ".join(f"{taxon} {name}" for taxon, name in SPECIES.items())
        raise InvalidArguments("species", f"taxon {species} is not one that the search knows: {known_species}", "9606")
    found = await hits(api, query, species, types, limit, offset, compartments)
    note = ""
    if found is None and offset == 0:
        better = await spelling(api, query)
        found = await hits(api, better, species, types, limit, offset, compartments) if better else None
        note = f"Nothing was found for {query!r}; these are hits for {better!r}." if found is not None else ""
    if found is None:
        return empty(f"Reactome has no {_species_words(species)} record for {query!r}.", data=[])
    entries = entries_of(found)
    total = found.get("numberOfMatches")
    more = isinstance(total, int) and any(
        (group.get("entriesCount") or 0) > offset + len(group.get("entries") or [])
        for group in found.get("results") or []
    )
    following = {"offset": offset + limit} if more else None
    return rows(entries, total=total if isinstance(total, int) else None, next=following, note=note)


async def hits(
    api: Api,
    query: str,
    species: str,
    types: list[Any] | None,
    limit: int,
    offset: int = 0,
    compartments: list[str] | None = None,
) -> Json:
    """Return the groups of hits, or None where there are none."""
    # Without "Force filters" a search without hits silently drops its filters.
    parameters = [("query", query), ("species", SPECIES[species]), *(("types", name) for name in types or [])]
    parameters += [("compartments", name) for name in compartments or []]
    parameters += [("cluster", "true"), ("rows", str(limit)), ("Start row", str(offset)), ("Force filters", "true")]
    return await known(api, f"/search/query?{urlencode(parameters)}")


def entries_of(found: Json) -> list[Json]:
    """Return the hits of all groups, cleaned."""
    return [_entry(entry) for group in found.get("results") or [] for entry in group.get("entries") or []]


async def spelling(api: Api, query: str) -> str:
    """Return the nearest spelling that the search knows, or an empty text."""
    for route in ("spellcheck", "suggest"):
        found = await known(api, f"/search/{route}", {"query": query})
        words = [word for word in found or [] if isinstance(word, str) and word.lower() != query.lower()]
        if words:
            return words[0]
    return ""


def _species_words(species: str) -> str:
    return "human" if species == "9606" else SPECIES[species]


def _entry(entry: Json) -> Json:
    text = plain(entry.get("summation") or "")
    if len(text) > SUMMARY_MAX_CHARS:
        text = f"{text[:SUMMARY_MAX_CHARS].rpartition(' ')[0]} …"
    row = {
        "stId": entry.get("stId") or entry.get("id"),
        "name": plain(entry.get("name") or ""),
        "exactType": entry.get("exactType") or entry.get("type"),
        "species": entry.get("species"),
        "referenceIdentifier": plain(entry.get("referenceIdentifier") or "") or None,
        "isDisease": entry.get("isDisease"),
        "summation": text or None,
    }
    if entry.get("deleted"):
        row |= {"deleted": True, "replacementStIds": entry.get("replacementStIds") or []}
    return row
