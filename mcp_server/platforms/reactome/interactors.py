"""Protein–protein interactions from IntAct, as Reactome serves them."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset, UniProtAccession
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import (
    PATHWAY_FIELDS,
    Species,
    kept,
    known,
    matched,
    matched_species,
    page,
    platform,
)
from mcp_server.platforms.reactome.mapping import is_referenced
from mcp_server.tool import Arg, Cite

Json = Any

PARTNER_FIELDS = ("acc", "alias", "score", "evidences", "evidencesURL")
MIN_SCORE = 0.45


@platform.tool(
    example={"accession": "Q13501"},
    cites=Cite("uniprot", "interactors[]", "acc", "alias"),
    asks=(
        "binding partners of a protein",
        "IntAct interactions",
        "PPI of a UniProt accession",
        "who sticks to this protein, with scores",
    ),
)
async def get_interactors(
    api: Api,
    accession: UniProtAccession,
    min_score: Annotated[float, Arg("Lowest IntAct score to keep.", minimum=0, maximum=1)] = MIN_SCORE,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Curated protein interaction partners (IntAct) of a UniProt accession with scores and evidence counts, best first.
    For STRING or SIGNOR as well use opentargets__get_target_interactions; partners' pathways: get_interactor_pathways.

    accession, interactors: [{acc, alias, score, evidences, evidencesURL}].
    """
    partners = await partners_of(api, accession)
    wrap = {"accession": accession}
    if not partners:
        return await _without(api, accession, "interaction partners", {**wrap, "interactors": []})
    strong = [row for row in partners if (row.get("score") or 0) >= min_score]
    note = f"{len(strong)} of {len(partners)} partners have a score of {min_score} or more."
    return page(strong, limit, offset, wrap=wrap, under="interactors", note=note)


async def partners_of(api: Api, accession: str) -> list[Json]:
    """Return all interaction partners, best score first."""
    found = await known(api, f"/interactors/static/molecule/{accession}/details") or {}
    partners = []
    for entity in found.get("entities") or []:
        matched("protein", accession, entity.get("acc"))
        partners += [kept(row, PARTNER_FIELDS) for row in entity.get("interactors") or []]
    return sorted(partners, key=lambda row: -(row.get("score") or 0))


@platform.tool(
    example={"accession": "Q13501"},
    cites=Cite("reactome", "pathways[]", "stId", "displayName"),
    asks=(
        "pathways of the binding partners",
        "guess the function of a protein without pathways",
        "guilt by association",
    ),
)
async def get_interactor_pathways(
    api: Api,
    accession: UniProtAccession,
    species: Species = "9606",
    diagram_only: Annotated[bool, Arg("Only pathways that have a diagram of their own.")] = False,
) -> Answer:
    """Pathways in which the interaction partners of a protein act, by its UniProt accession: a hint where a protein
    without pathways belongs. Its own pathways: map_identifier_to_pathways.

    accession, pathways: [{stId, displayName, speciesName, schemaClass, isInDisease}].
    """
    parameters = {"species": species, "onlyDiagrammed": diagram_only}
    found = await known(api, f"/interactors/static/molecule/{accession}/pathways", parameters)
    if not found:
        data = {"accession": accession, "pathways": []}
        return await _without(api, accession, f"pathways of taxon {species} through partners", data)
    matched_species(found, species)
    pathways = [kept(row, PATHWAY_FIELDS) for row in found]
    return rows(pathways, data={"accession": accession, "pathways": pathways})


async def _without(api: Api, accession: str, what: str, data: Json) -> Answer:
    """Tell a protein without interactions from an accession that Reactome does not hold."""
    if await is_referenced(api, accession):
        return empty(f"Reactome lists no {what} of {accession}.", data)
    return unknown_id(accession, f"Reactome holds no UniProt accession {accession}, and no {what}.")
