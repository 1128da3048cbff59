"""Physical entities: proteins in their forms, complexes, sets, molecules, drugs, and where they take part."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset, ReactomeId
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.reactome.base import (
    PATHWAY_FIELDS,
    RECORD,
    ROW_FIELDS,
    Identifier,
    Resource,
    Species,
    expanded,
    kept,
    known,
    matched_species,
    no_record,
    nothing_for,
    objects,
    page,
    path_part,
    platform,
    record_of,
    summary,
)
from mcp_server.platforms.reactome.mapping import is_referenced
from mcp_server.tool import Arg, Cite

Json = Any

ENTITY_FIELDS = ("stId", "stIdVersion", "displayName", "schemaClass", "speciesName", "isInDisease")
REFERENCE_FIELDS = ("stId", "identifier", "databaseName", "displayName", "geneName", "formula", "schemaClass", "url")
PARTS = ("hasComponent", "hasMember", "hasCandidate", "repeatedUnit")
# The fields of incoming relationships, by the part that the entity plays.
ROLES = {
    "consumedByEvent": "input",
    "producedByEvent": "output",
    "catalystActivities": "catalyst",
    "positivelyRegulates": "positive regulator",
    "negativelyRegulates": "negative regulator",
    "regulates": "regulator",
    "requires": "requirement",
}
INCOMING = "/data/query/enhanced/v2/{}?fetchIncomingRelationships=true"


@platform.tool(
    example={"reactome_id": "R-ALL-29358"},
    cites=RECORD,
    noise="del(.summation, .referenceEntity.schemaClass)",
    keep=(
        ".stId",
        ".displayName",
        ".compartments[]",
        ".referenceEntity.identifier",
        ".referenceEntity.databaseName",
    ),
    asks=(
        "what is this complex or protein form",
        "phosphorylated form of a protein",
        "compartment and components of a molecule",
        "R-HSA entity",
    ),
)
async def get_entity(api: Api, reactome_id: ReactomeId) -> Answer:
    """One Reactome physical entity (protein form, complex, set, small molecule, drug): names, compartment, reference
    accession, modified residues, components. For a pathway use get_pathway, for a reaction get_reaction.

    stId, displayName, name, schemaClass, speciesName, compartments, referenceEntity: {identifier,
    databaseName, geneName, formula}, hasModifiedResidue, hasComponent, hasMember, disease, summation.
    """
    record = await record_of(api, reactome_id, "/data/query/enhanced/{}", "entity")
    if record is None:
        return no_record(reactome_id)
    reference = record.get("referenceEntity") or {}
    entity = {
        **kept(record, ENTITY_FIELDS),
        "name": record.get("name"),
        "compartments": [row.get("displayName") for row in objects(record, "compartment")],
        "referenceEntity": kept(reference, REFERENCE_FIELDS) if isinstance(reference, dict) else None,
        "hasModifiedResidue": [row.get("displayName") for row in objects(record, "hasModifiedResidue")],
        "disease": [kept(row, ("displayName", "identifier", "databaseName")) for row in objects(record, "disease")],
        "summation": summary(record),
    }
    for name in PARTS:
        if parts := objects(record, name):
            entity[name] = [kept(row, ("stId", "displayName", "schemaClass", "stoichiometry")) for row in parts]
    return Answer({name: value for name, value in entity.items() if value not in (None, [], {})})


@platform.tool(
    example={"reactome_id": "R-CEL-72410", "species": "6239", "all_forms": False},
    cites=(RECORD, Cite("reactome", "pathways[]", "stId", "displayName")),
    asks=(
        "pathways of a complex",
        "where does a Reactome entity occur",
        "entity id to pathways",
    ),
)
async def get_pathways_for_entity(
    api: Api,
    reactome_id: ReactomeId,
    all_forms: Annotated[bool, Arg("Also pathways of its other forms (compartments, modifications).")] = True,
    diagram_only: Annotated[bool, Arg("Only pathways that have a diagram of their own.")] = False,
    species: Species = "9606",
) -> Answer:
    """Lowest-level pathways in which a physical entity appears, by its Reactome id (R-HSA, R-ALL). From a UniProt or
    other accession use map_identifier_to_pathways.

    stId, pathways: [{stId, displayName, speciesName, schemaClass, isInDisease}].
    """
    path = f"/data/pathways/low/{'diagram/' if diagram_only else ''}entity/{reactome_id}"
    found = await known(api, f"{path}{'/allForms' if all_forms else ''}", {"species": species})
    if not found:
        note = f"Reactome has no pathway of taxon {species} with {reactome_id}."
        return await nothing_for(api, reactome_id, note, {"stId": reactome_id, "pathways": []}, "entity")
    matched_species(found, species)
    pathways = [kept(row, PATHWAY_FIELDS) for row in found]
    return rows(pathways, data={"stId": reactome_id, "pathways": pathways})


@platform.tool(
    example={"reactome_id": "R-HSA-69488"},
    cites=(RECORD, Cite("reactome", "reactions[]", "stId", "displayName")),
    asks=(
        "reactions that consume or produce a molecule",
        "what does this complex catalyse",
        "in which steps does an entity take part",
    ),
)
async def get_reactions_for_entity(api: Api, reactome_id: ReactomeId, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """Reactions in which a physical entity takes part, by its Reactome id, with its role: input, output, catalyst,
    regulator. From an accession use map_identifier_to_pathways with level "reactions".

    stId, reactions: [{stId, displayName, schemaClass, role}].
    """
    record = await record_of(api, reactome_id, INCOMING, "entity")
    if record is None:
        return no_record(reactome_id)
    reactions = []
    for name, role in ROLES.items():
        for row in objects(record, name):
            # A catalysis or a regulation stands between the entity and its reactions.
            events = objects(row, "catalysedEvent") + objects(row, "regulatedEntity") or [row]
            reactions += [{**kept(event, ("stId", "displayName", "schemaClass")), "role": role} for event in events]
    note = "" if reactions else f"Reactome lists no reaction of {reactome_id} itself; a complex with it may have some."
    return page(reactions, limit, offset, wrap=kept(record, ("stId", "displayName")), under="reactions", note=note)


@platform.tool(
    example={"reactome_id": "R-HSA-1299275"},
    cites=(RECORD, Cite("reactome", "subunits[]", "stId", "displayName")),
    asks=(
        "what is a complex made of",
        "subunits, components, stoichiometry of a complex",
        "members of the proteasome",
    ),
)
async def get_complex_subunits(
    api: Api,
    reactome_id: ReactomeId,
    exclude_structures: Annotated[bool, Arg("Leave out complexes and sets, keep only single molecules.")] = False,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Answer:
    """Parts of a Reactome complex down to single proteins and molecules, by the complex's id. For the complexes that
    hold a protein use find_complexes_with.

    stId, subunits: [{stId, displayName, schemaClass, speciesName}].
    """
    found = await known(api, f"/data/complex/{reactome_id}/subunits", {"excludeStructures": exclude_structures})
    wrap = {"stId": reactome_id}
    if found is None:
        note = f"Reactome lists no subunits of {reactome_id}; only complexes and sets have some."
        return await nothing_for(api, reactome_id, note, {**wrap, "subunits": []}, "entity")
    subunits = [kept(row, ROW_FIELDS) for row in expanded(found, found)]
    note = "" if subunits else f"Reactome lists no subunits of {reactome_id}."
    return page(subunits, limit, offset, wrap=wrap, under="subunits", note=note)


@platform.tool(
    example={"identifier": "O14746", "limit": 20},
    cites=Cite("reactome", "complexes[]", "stId", "displayName"),
    asks=(
        "complexes that contain a protein",
        "which assemblies is it part of",
        "protein to complexes",
    ),
)
async def find_complexes_with(
    api: Api, identifier: Identifier, resource: Resource = "UniProt", limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """All Reactome complexes that hold a protein or molecule, by UniProt, ChEBI or other accession. For the parts of
    one complex use get_complex_subunits.

    identifier, complexes: [{stId, displayName, schemaClass, speciesName}].
    """
    found = await complexes_with(api, identifier, resource)
    if found is None and not await is_referenced(api, identifier):
        from_unknown = no_record(identifier)
        return Answer(from_unknown.data, from_unknown.outcome, note=f"Reactome holds no {resource} id {identifier!r}.")
    note = "" if found else f"Reactome has no complex with {identifier}."
    return page(found or [], limit, offset, wrap={"identifier": identifier}, under="complexes", note=note)


async def complexes_with(api: Api, identifier: str, resource: str) -> list[Json] | None:
    """Return the complexes that hold a molecule; None where Reactome lists nothing."""
    found = await known(api, f"/data/complexes/{resource}/{path_part(identifier)}")
    return None if found is None else [kept(row, ROW_FIELDS) for row in expanded(found, found)]


@platform.tool(
    example={"reactome_id": "R-HSA-69487"},
    cites=(RECORD, Cite("reactome", "otherForms[]", "stId", "displayName"), Cite("reactome", "componentOf[]", "stId")),
    asks=(
        "modified and located forms of a protein",
        "other states of a molecule, phosphorylated or in the nucleus",
        "sets and complexes it belongs to",
    ),
)
async def get_entity_forms(api: Api, reactome_id: ReactomeId, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """Other forms of a Reactome entity (compartments, modifications) and the complexes, sets and reactions that it is a
    part of. `limit` and `offset` count in each list.

    stId, otherForms: [{stId, displayName, schemaClass}], componentOf: [{relation, stId, name,
    schemaClass}].
    """
    forms, parts = await together(
        known(api, f"/data/entity/{reactome_id}/{route}") for route in ("otherForms", "componentOf")
    )
    if not forms and not parts:
        note = f"Reactome lists no other forms of {reactome_id}, and nothing that holds it."
        return await nothing_for(api, reactome_id, note, {"stId": reactome_id, "otherForms": [], "componentOf": []})
    other = [kept(row, ROW_FIELDS) for row in expanded(forms or [], forms)]
    holders = [holder for group in parts or [] for holder in _holders(group)]
    shown = {"otherForms": other[offset : offset + limit], "componentOf": holders[offset : offset + limit]}
    total, returned = len(other) + len(holders), sum(len(part) for part in shown.values())
    following = {"offset": offset + limit} if offset + limit < max(len(other), len(holders)) else None
    note = f"{len(other)} other forms, part of {len(holders)} records."
    return Answer({"stId": reactome_id, **shown}, total=total, returned=returned, next=following, note=note)


def _holders(group: Json) -> list[Json]:
    """Read one kind of relation: names, ids and kinds are lists of their own."""
    names, kinds = group.get("names") or [], group.get("schemaClasses") or []
    return [
        {
            "relation": group.get("type"),
            "stId": st_id,
            "name": names[number] if number < len(names) else None,
            "schemaClass": kinds[number] if number < len(kinds) else None,
        }
        for number, st_id in enumerate(group.get("stIds") or [])
    ]
