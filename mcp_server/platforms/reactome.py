"""Reactome: pathways, the molecules in them, and the pathways of a molecule.

REST/JSON at reactome.org/ContentService, no key, a new release every three months. Nothing found is
a 404 on every route. Texts hold HTML. Lists may hold a bare number for an object that came earlier
in the same answer.
"""

import html
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from mcp_server.args import Limit, Offset, ReactomeId
from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "reactome",
    title="Reactome",
    base_url="https://reactome.org/ContentService",
    docs="https://reactome.org/ContentService/",
    licence="CC0 (annotation), CC BY 4.0 (text)",
    rate=Rate(3),
)

Identifier = Annotated[str, Arg("Identifier of the gene, protein or molecule in `resource`.", "P04637")]
Resource = Annotated[
    Literal["UniProt", "ENSEMBL", "NCBI", "ChEBI", "GO"], Arg("Database of the identifier; NCBI means NCBI Gene.")
]
Species = Annotated[str, Arg("NCBI taxon number.", "9606", r"^\d+$")]
Words = Annotated[str, Arg("Words, gene symbol or accession.", "TP53")]
Types = Annotated[
    list[Literal["Pathway", "Reaction", "Protein", "Complex", "Set", "Chemical Compound", "Drug"]] | None,
    Arg("Kinds of record.", ["Pathway"]),
]

SUMMARY_MAX_CHARS = 300
PATHWAY_FIELDS = ("stId", "displayName", "speciesName", "schemaClass", "isInDisease")
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


@platform.tool(
    core=True,
    example={"identifier": "P04637", "resource": "UniProt"},
    cites=Cite("reactome", "[]", "stId", "displayName"),
)
async def map_identifier_to_pathways(
    api: Api, identifier: Identifier, resource: Resource = "UniProt", species: Species = "9606"
) -> Answer:
    """Pathways that hold a protein, gene or molecule, by UniProt accession, Ensembl, NCBI Gene or ChEBI id.

    Rows: stId, displayName, speciesName, schemaClass, isInDisease; the lowest-level pathways only.
    """
    name = quote(identifier, safe="")
    try:
        found = await api.get(f"/data/mapping/{resource}/{name}/pathways", {"species": species})
    except UpstreamNotFound:
        return await _without_pathways(api, identifier, resource, species)
    return rows([_kept(row, PATHWAY_FIELDS) for row in found])


@platform.tool(example={"reactome_id": "R-HSA-5633007"}, cites=Cite("reactome", "", "stId", "displayName"))
async def get_pathway(api: Api, reactome_id: ReactomeId) -> Answer:
    """One Reactome pathway or reaction: name, summary, sub-events, GO term, literature, diagram, last change.

    stId, displayName, schemaClass, speciesName, isInDisease, isInferred, releaseDate, doi,
    goBiologicalProcess, compartments, summation, literatureReference, hasEvent.
    """
    try:
        record = await api.get(f"/data/query/{reactome_id}")
    except UpstreamNotFound:
        return unknown_id(reactome_id, f"Reactome has no record {reactome_id}.")
    process = record.get("goBiologicalProcess") or {}
    pathway = {
        **_kept(record, EVENT_FIELDS),
        "goBiologicalProcess": f"GO:{process['accession']} {process['displayName']}" if process else None,
        "compartments": [row["displayName"] for row in _objects(record, "compartment")],
        "summation": " ".join(_plain(row["text"]) for row in _objects(record, "summation")) or None,
        "literatureReference": [_kept(row, ARTICLE_FIELDS) for row in _objects(record, "literatureReference")],
        "hasEvent": [_kept(row, ("stId", "displayName", "schemaClass")) for row in _objects(record, "hasEvent")],
    }
    return Answer(pathway)


@platform.tool(example={"reactome_id": "R-HSA-5633007"}, cites=Cite("reactome", "", "stId"))
async def get_pathway_participants(api: Api, reactome_id: ReactomeId, limit: Limit = 200, offset: Offset = 0) -> Answer:
    """Proteins, drugs and molecules that take part in a pathway or reaction, with UniProt or ChEBI accession.

    stId, participants: [{identifier, database, geneName, displayName, schemaClass}], each once.
    """
    try:
        found = await api.get(f"/data/participants/{reactome_id}")
    except UpstreamNotFound:
        return unknown_id(reactome_id, f"Reactome has no pathway or reaction {reactome_id}.")
    # One protein takes part in many forms: each compartment and modification is an entity of its own.
    references = {row["stId"]: row for entity in found for row in entity.get("refEntities") or []}
    participants = [_participant(row) for row in references.values()]
    shown = participants[offset : offset + limit]
    end = offset + len(shown)
    return rows(
        shown,
        total=len(participants),
        next={"offset": end} if end < len(participants) else None,
        data={"stId": reactome_id, "participants": shown},
    )


@platform.tool(
    example={"query": "MAPK signaling pathway", "types": ["Pathway"]}, cites=Cite("reactome", "[]", "stId", "name")
)
async def search(api: Api, query: Words, types: Types = None, limit: Limit = 10) -> Answer:
    """Find human pathways, reactions, proteins, complexes or drugs in Reactome by words, gene symbol or accession.

    Rows: stId, name, exactType, species, referenceIdentifier, isDisease, summation (shortened); at
    most `limit` of each type.
    """
    # Without "Force filters" a search without hits silently drops its filters.
    parameters = [("query", query), ("species", "Homo sapiens"), *(("types", name) for name in types or [])]
    parameters += [("cluster", "true"), ("rows", str(limit)), ("Start row", "0"), ("Force filters", "true")]
    try:
        found = await api.get(f"/search/query?{urlencode(parameters)}")
    except UpstreamNotFound:
        return empty(f"Reactome has no human record for {query!r}.", data=[])
    entries = [_entry(entry) for group in found.get("results") or [] for entry in group.get("entries") or []]
    total = found.get("numberOfMatches")
    return rows(entries, total=total if isinstance(total, int) else None)


async def _without_pathways(api: Api, identifier: str, resource: str, species: str) -> Answer:
    """Tell an identifier that Reactome does not know from one without pathways: both are a 404."""
    try:
        await api.get(f"/references/mapping/{quote(identifier, safe='')}")
    except UpstreamNotFound:
        return unknown_id(identifier, f"Reactome holds no {resource} identifier {identifier!r}.")
    return empty(f"Reactome knows {identifier}, but has no pathway of taxon {species} with it.", data=[])


def _objects(record: Json, name: str) -> Sequence[Json]:
    """Return the objects of a list field; a bare number repeats one that stands elsewhere in the answer."""
    return [item for item in record.get(name) or [] if isinstance(item, dict)]


def _participant(reference: Json) -> Json:
    """Read a reference entity: `uniprot:P04637` with the display name `UniProt:P04637 TP53`."""
    database, _, identifier = reference["stId"].partition(":")
    shown = reference.get("displayName") or ""
    gene = re.fullmatch(r"UniProt:\S+ (\S.*)", shown)
    return {
        "identifier": reference.get("identifier") or identifier,
        "database": database,
        "geneName": gene[1] if gene else None,
        "displayName": shown,
        "schemaClass": reference.get("schemaClass"),
    }


def _entry(entry: Json) -> Json:
    summary = _plain(entry.get("summation") or "")
    if len(summary) > SUMMARY_MAX_CHARS:
        summary = f"{summary[:SUMMARY_MAX_CHARS].rpartition(' ')[0]} …"
    return {
        "stId": entry.get("stId") or entry.get("id"),
        "name": _plain(entry.get("name") or ""),
        "exactType": entry.get("exactType") or entry.get("type"),
        "species": entry.get("species"),
        "referenceIdentifier": _plain(entry.get("referenceIdentifier") or "") or None,
        "isDisease": entry.get("isDisease"),
        "summation": summary or None,
    }


def _plain(text: str) -> str:
    """Return a text without the markup of summaries and search hits."""
    spaced = re.sub(r"</?(?:p|br|li|ul)\b[^>]*>", " ", text)
    return " ".join(html.unescape(re.sub(r"</?[A-Za-z][^>]*>", "", spaced)).split())


def _kept(record: Json, fields: Sequence[str]) -> Json:
    return {name: record[name] for name in fields if record.get(name) is not None}
