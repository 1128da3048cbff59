"""Many records at once: short forms by id, and their counterparts in another species."""

from typing import Annotated, Any

from mcp_server.args import ReactomeId
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import (
    SPECIES,
    kept,
    known,
    matched_species,
    platform,
    post_lines,
    taxon_form,
)
from mcp_server.tool import Arg, Cite

Json = Any

# More than this in one request are dropped without a word.
GROUP = 20
BATCH_FIELDS = ("stId", "displayName", "schemaClass", "speciesName", "isInDisease", "isInferred", "hasDiagram")
ReactomeIds = Annotated[
    list[ReactomeId], Arg("Reactome stable ids; at most 100.", ["R-HSA-5633007", "R-HSA-69620"], max_items=100)
]
OtherSpecies = Annotated[
    str, Arg("NCBI taxon number or name of the other species.", "10090", r"^\d+$", normalise=taxon_form)
]


@platform.tool(
    example={"reactome_ids": ["R-HSA-191273", "R-ALL-29358"]},
    cites=Cite("reactome", "objects[]", "stId", "displayName"),
    asks=(
        "several R-HSA ids at once",
        "list of Reactome ids to names",
        "bulk event names",
    ),
)
async def get_objects_batch(api: Api, reactome_ids: ReactomeIds) -> Answer:
    """Many at once (up to 100): Reactome ids of any kind to name, kind and species. For the whole record of one use
    get_pathway, get_reaction or get_entity.

    objects: [{stId, displayName, schemaClass, speciesName, isInDisease, isInferred}], not_found: ids.
    """
    asked = list(dict.fromkeys(reactome_ids))
    found: dict[str, Json] = {}
    for group in _groups(asked):
        for row in await post_lines(api, "/data/query/ids", group) or []:
            if isinstance(row, dict) and row.get("stId"):
                found[row["stId"].upper()] = kept(row, BATCH_FIELDS)
    records = [found[one] for one in asked if one in found]
    missing = [one for one in asked if one not in found]
    if not records:
        return unknown_id(", ".join(asked), f"Reactome has none of the {len(asked)} records.")
    note = f"Reactome has no record {', '.join(missing)}." if missing else ""
    return rows(records, total=len(asked), data={"objects": records, "not_found": missing}, note=note)


@platform.tool(
    example={"reactome_ids": ["R-HSA-5633007"], "species": "10090"},
    cites=Cite("reactome", "rows[].orthologs[]", "stId", "displayName"),
    asks=(
        "the same pathway in mouse",
        "does a reaction exist in the rat",
        "pathway in another organism",
    ),
)
async def get_orthologous_event(
    api: Api,
    reactome_ids: ReactomeIds,
    species: OtherSpecies,
) -> Answer:
    """Counterparts of Reactome pathways, reactions or entities in another species (mouse, rat, yeast …), by Reactome
    id. Whole human pathways against a species: compare_species.

    species, rows: [{query, orthologs: [{stId, displayName, schemaClass, speciesName}]}], without: ids.
    """
    db_id = await species_number(api, species)
    asked = list(dict.fromkeys(reactome_ids))
    found: dict[str, Json] = {}
    for group in _groups(asked):
        answer = await post_lines(api, f"/data/orthologies/ids/species/{db_id}", group) or {}
        found |= {str(key).upper(): value for key, value in answer.items()}
    matches = []
    for one in asked:
        value = found.get(one, found.get(one.rpartition("-")[2]))
        orthologs = [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict)]
        matched_species(orthologs, species)
        if orthologs:
            matches.append({"query": one, "orthologs": [kept(row, BATCH_FIELDS) for row in orthologs]})
    without = [one for one in asked if one not in {row["query"] for row in matches}]
    data = {"species": species, "rows": matches, "without": without}
    note = f"No counterpart in {SPECIES.get(species, species)}: {', '.join(without)}." if without else ""
    if matches:
        return rows(matches, total=len(asked), data=data, note=note)
    if await post_lines(api, "/data/query/ids", asked[:GROUP]):
        return empty(note, data)
    return unknown_id(", ".join(asked), f"Reactome has none of the {len(asked)} records.")


async def species_number(api: Api, taxon: str) -> int:
    """Return Reactome's own number of a species; one that it does not have is refused with the list."""
    found = await known(api, "/data/species/main") or []
    numbers = {str(row.get("taxId")): row for row in found}
    if taxon not in numbers:
        names = ", ".join(f"{key} {row.get('displayName')}" for key, row in numbers.items())
        raise InvalidArguments("species", f"Reactome has no main species of taxon {taxon}; it has {names}", "10090")
    return int(numbers[taxon]["dbId"])


def _groups(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + GROUP] for start in range(0, len(ids), GROUP)]
