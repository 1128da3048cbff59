"""One pathway or reaction: its record, its participants, everything inside it."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, ReactomeId
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound
from mcp_server.platforms.reactome.base import (
    EVENT_CLASSES,
    PATHWAY_CLASSES,
    REACTION_CLASSES,
    RECORD,
    ROW_FIELDS,
    expanded,
    kept,
    known,
    no_record,
    nothing_for,
    objects,
    page,
    platform,
    record_of,
    summary,
)
from mcp_server.platforms.reactome.references import participants_of
from mcp_server.tool import Arg

Json = Any

EVENT_FIELDS = (
    "stId",
    "stIdVersion",
    "displayName",
    "schemaClass",
    "speciesName",
    "isInDisease",
    "isInferred",
    "releaseDate",
    "lastUpdatedDate",
    "doi",
    "hasDiagram",
)
ARTICLE_FIELDS = ("title", "journal", "year", "pubMedIdentifier")
DISEASE_FIELDS = ("displayName", "identifier", "databaseName", "url")
RELATIONS = ("precedingEvent", "followingEvent", "inferredFrom", "normalPathway", "normalReaction")
ENHANCED = "/data/query/enhanced/{}"
REACTION = "/data/query/enhanced/v2/{}?fetchIncomingRelationships=false&summariseReferenceEntity=true"


@platform.tool(
    example={"reactome_id": "R-HSA-5633007"},
    cites=RECORD,
    asks=(
        "what is R-HSA-1640170",
        "description of a signalling pathway",
        "summary of a pathway with references",
        "what happens in apoptosis",
        "what goes on in this pathway",
    ),
)
async def get_pathway(
    api: Api,
    reactome_id: ReactomeId,
    with_relations: Annotated[bool, Arg("Also diseases, neighbouring events and the normal counterpart.")] = False,
) -> Answer:
    """One Reactome pathway (R-HSA id): name, summary, sub-events, GO term, literature, diagram, last change. For a
    single reaction use get_reaction, for a protein or complex get_entity, for several get_objects_batch.

    stId, displayName, schemaClass, speciesName, isInDisease, isInferred, releaseDate, doi,
    goBiologicalProcess, compartments, summation, literatureReference, hasEvent; with_relations adds
    disease, precedingEvent, followingEvent, inferredFrom, normalPathway.
    """
    path = ENHANCED if with_relations else "/data/query/{}"
    record = await record_of(api, reactome_id, path, PATHWAY_CLASSES)
    if record is None:
        return no_record(reactome_id)
    process = record.get("goBiologicalProcess") or {}
    pathway = {
        **kept(record, EVENT_FIELDS),
        "goBiologicalProcess": f"GO:{process['accession']} {process['displayName']}" if process else None,
        "compartments": [row["displayName"] for row in objects(record, "compartment")],
        "summation": summary(record),
        "literatureReference": [kept(row, ARTICLE_FIELDS) for row in objects(record, "literatureReference")],
        "hasEvent": [kept(row, ("stId", "displayName", "schemaClass")) for row in objects(record, "hasEvent")],
    }
    if with_relations:
        pathway |= relations(record)
    return Answer(pathway)


@platform.tool(
    example={"reactome_id": "R-HSA-5696021"},
    cites=RECORD,
    noise="del(.summation)",
    keep=(
        ".stId",
        ".input[]",
        ".catalystActivity[]",
        ".isInDisease",
        ".isInferred",
    ),
    asks=(
        "catalyst, inputs and outputs of a reaction",
        "which enzyme catalyses a step",
        "substrates and products",
        "regulation of a reaction step",
    ),
)
async def get_reaction(api: Api, reactome_id: ReactomeId) -> Answer:
    """One Reactome reaction (R-HSA id): inputs and outputs with counts, catalyst with its GO function, regulators,
    preceding reactions, literature. For a pathway use get_pathway, for a molecule get_entity.

    stId, displayName, schemaClass, category, speciesName, isChimeric, isInDisease, compartments,
    input and output: [{stId, displayName, schemaClass, count}], catalystActivity: [{physicalEntity,
    activity}], regulatedBy: [{regulator, kind}], precedingEvent, disease, summation, literatureReference.
    """
    record = await record_of(api, reactome_id, REACTION, REACTION_CLASSES)
    if record is None:
        return no_record(reactome_id)
    return Answer(
        {
            **kept(record, (*EVENT_FIELDS, "category", "isChimeric")),
            "compartments": [row["displayName"] for row in objects(record, "compartment")],
            "input": _counted(record, "input"),
            "output": _counted(record, "output"),
            "catalystActivity": [_catalyst(row) for row in objects(record, "catalystActivity")],
            "regulatedBy": [_regulation(row) for row in objects(record, "regulatedBy")],
            **relations(record),
            "summation": summary(record),
            "literatureReference": [kept(row, ARTICLE_FIELDS) for row in objects(record, "literatureReference")],
        }
    )


@platform.tool(
    example={"reactome_id": "R-HSA-5633007"},
    cites=RECORD,
    asks=(
        "genes in a pathway",
        "proteins of the MAPK cascade",
        "members, gene set of a pathway",
        "molecules involved in a process",
        "who are the players in a pathway",
    ),
)
async def get_pathway_participants(
    api: Api,
    reactome_id: ReactomeId,
    limit: Limit = 200,
    offset: Offset = 0,
    kind: Annotated[
        Literal["all", "proteins", "chemicals"], Arg("Whether all, only proteins or only molecules and drugs.")
    ] = "all",
) -> Answer:
    """Proteins, drugs and molecules that take part in a pathway or reaction, with UniProt or ChEBI accession. For its
    reactions use get_contained_events.

    stId, participants: [{identifier, database, geneName, displayName, schemaClass}], each once.
    """
    try:
        found = await api.get(f"/data/participants/{reactome_id}")
    except UpstreamNotFound as error:
        if not isinstance(error.body, dict):
            raise
        return await nothing_for(api, reactome_id, f"Reactome lists no participants of {reactome_id}.")
    participants = participants_of(found, kind)
    shown = participants[offset : offset + limit]
    end = offset + len(shown)
    return rows(
        shown,
        total=len(participants),
        next={"offset": end} if end < len(participants) else None,
        data={"stId": reactome_id, "participants": shown},
        note="" if participants else f"Reactome lists no {'participants' if kind == 'all' else kind} of {reactome_id}.",
    )


@platform.tool(
    example={"reactome_id": "R-HSA-5673001"},
    cites=RECORD,
    asks=(
        "steps of a pathway",
        "all reactions of a pathway",
        "sub-pathways as a flat list",
        "which steps does a process have, one by one",
    ),
)
async def get_contained_events(
    api: Api,
    reactome_id: ReactomeId,
    kind: Annotated[
        Literal["all", "pathways", "reactions"], Arg("Whether all events, only sub-pathways or only reactions.")
    ] = "all",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """All reactions and sub-pathways inside a Reactome pathway, at every depth, as one flat list. For the tree use
    get_pathway_hierarchy, for the molecules get_pathway_participants.

    stId, events: [{stId, displayName, schemaClass, speciesName}].
    """
    found = await known(api, f"/data/pathway/{reactome_id}/containedEvents")
    wrap = {"stId": reactome_id}
    if found is None:
        note = f"Reactome lists no events inside {reactome_id}."
        return await nothing_for(api, reactome_id, note, {**wrap, "events": []}, PATHWAY_CLASSES)
    classes = {"all": EVENT_CLASSES, "pathways": PATHWAY_CLASSES, "reactions": REACTION_CLASSES}[kind]
    # A row may lack its kind: only a known other kind is left out.
    events = [
        kept(row, (*ROW_FIELDS, "dbId")[: 4 if row.get("stId") else 5])
        for row in expanded(found, found)
        if kind == "all" or row.get("schemaClass") in classes
    ]
    note = f"{len(events)} of {len(found)} contained events are {kind}." if kind != "all" else ""
    return page(events, limit, offset, wrap=wrap, under="events", note=note)


def relations(record: Json) -> dict[str, Json]:
    """Return the diseases and the neighbouring events of an event."""
    found: dict[str, Json] = {"disease": [kept(row, DISEASE_FIELDS) for row in objects(record, "disease")]}
    for name in RELATIONS:
        events = [kept(row, ("stId", "displayName", "schemaClass")) for row in objects(record, name)]
        if events or name == "precedingEvent":
            found[name] = events
    return found


def _counted(record: Json, name: str) -> list[Json]:
    """Return the molecules on one side, each once: Reactome repeats what takes part several times."""
    counted: dict[Json, Json] = {}
    for row in objects(record, name):
        entity = kept(row, ("stId", "displayName", "schemaClass"))
        number = row.get("stoichiometry") or 1
        key = row.get("stId") or row.get("dbId") or row.get("displayName")
        counted.setdefault(key, {**entity, "count": 0})["count"] += number
    return list(counted.values())


def _catalyst(row: Json) -> Json:
    entity, activity = row.get("physicalEntity"), row.get("activity")
    return {
        "displayName": row.get("displayName"),
        "physicalEntity": kept(entity, ("stId", "displayName", "schemaClass")) if isinstance(entity, dict) else None,
        "activity": f"GO:{activity.get('accession')} {activity.get('displayName')}"
        if isinstance(activity, dict)
        else None,
    }


def _regulation(row: Json) -> Json:
    regulator = row.get("regulator")
    return {
        "kind": row.get("schemaClass"),
        "displayName": row.get("displayName"),
        "regulator": kept(regulator, ("stId", "displayName", "schemaClass")) if isinstance(regulator, dict) else None,
    }
