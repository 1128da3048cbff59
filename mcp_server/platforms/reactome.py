"""Reactome: pathways, the molecules in them, and the pathways of a molecule."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, ReactomeId
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
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
    raise NotImplementedError


@platform.tool(example={"reactome_id": "R-HSA-5633007"}, cites=Cite("reactome", "", "stId", "displayName"))
async def get_pathway(api: Api, reactome_id: ReactomeId) -> Answer:
    """One Reactome pathway or reaction: name, summary, sub-events, GO term, literature, diagram, last change.

    stId, displayName, schemaClass, speciesName, isInDisease, isInferred, releaseDate, doi,
    goBiologicalProcess, compartments, summation, literatureReference, hasEvent.
    """
    raise NotImplementedError


@platform.tool(
    example={"reactome_id": "R-HSA-5633007"},
    cites=Cite("reactome", "", "stId"),
)
async def get_pathway_participants(api: Api, reactome_id: ReactomeId, limit: Limit = 200, offset: Offset = 0) -> Answer:
    """Proteins, drugs and molecules that take part in a pathway or reaction, with UniProt or ChEBI accession.

    stId, participants: [{identifier, database, geneName, displayName, schemaClass}], each once.
    """
    raise NotImplementedError


@platform.tool(example={"query": "TP53", "types": ["Pathway"]}, cites=Cite("reactome", "[]", "stId", "name"))
async def search(api: Api, query: Words, types: Types = None, limit: Limit = 10) -> Answer:
    """Find human pathways, reactions, proteins, complexes or drugs in Reactome by words, gene symbol or accession.

    Rows: stId, name, exactType, species, referenceIdentifier, isDisease, summation (shortened).
    """
    raise NotImplementedError
