"""From an accession to the pathways and reactions that hold it."""

from typing import Annotated, Any, Literal

from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import (
    LISTED,
    PATHWAY_FIELDS,
    Identifier,
    Resource,
    Species,
    kept,
    known,
    matched_species,
    path_part,
    platform,
)
from mcp_server.tool import Arg

Json = Any

Level = Annotated[Literal["pathways", "reactions"], Arg("Whether pathways or single reactions are wanted.")]


@platform.tool(
    example={"identifier": "P04637", "resource": "UniProt"},
    cites=LISTED,
    asks=(
        "which pathways is a protein in",
        "UniProt accession to pathways",
        "pathway membership of a gene",
        "metabolite to pathways",
        "pathways that my protein takes part in",
    ),
)
async def map_identifier_to_pathways(
    api: Api,
    identifier: Identifier,
    resource: Resource = "UniProt",
    species: Species = "9606",
    level: Level = "pathways",
) -> Answer:
    """Pathways (or reactions) that hold a protein, gene or molecule, by UniProt, Ensembl, NCBI Gene or ChEBI id. First
    choice for "which pathways is it in"; from a gene symbol use gene_pathway_profile, for a Reactome id
    get_pathways_for_entity.

    Rows: stId, displayName, speciesName, schemaClass, isInDisease; the lowest-level pathways only.
    """
    found = await mapped(api, identifier, resource, species, level)
    if found is None:
        return await _without(api, identifier, resource, species, level)
    return rows(found)


async def mapped(api: Api, identifier: str, resource: str, species: str, level: str = "pathways") -> list[Json] | None:
    """Return the rows for an identifier; None where Reactome lists nothing."""
    path = f"/data/mapping/{resource}/{path_part(identifier)}/{level}"
    found = await known(api, path, {"species": species})
    if found is None:
        return None
    matched_species(found, species)
    return [kept(row, PATHWAY_FIELDS) for row in found]


async def is_referenced(api: Api, identifier: str) -> bool:
    """Whether Reactome holds a reference record of an identifier of another database."""
    return await known(api, f"/references/mapping/{path_part(identifier)}") is not None


async def _without(api: Api, identifier: str, resource: str, species: str, level: str) -> Answer:
    """Tell an identifier that Reactome does not know from one without pathways: both are a 404."""
    if not await is_referenced(api, identifier):
        return unknown_id(identifier, f"Reactome holds no {resource} identifier {identifier!r}.")
    return empty(f"Reactome knows {identifier}, but has no {level} of taxon {species} with it.", data=[])
