"""Links and texts to take along: diagram images, machine-readable models, citations."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from mcp_server.args import ReactomeId
from mcp_server.envelope import Answer, empty
from mcp_server.http.client import Api
from mcp_server.platforms.reactome.base import (
    EVENT_CLASSES,
    PATHWAY_CLASSES,
    REACTION_CLASSES,
    RECORD,
    kept,
    known,
    matched,
    no_record,
    platform,
    record_of,
)
from mcp_server.platforms.reactome.hierarchy import ancestors
from mcp_server.tool import Arg

Json = Any

BROWSER = "https://reactome.org/PathwayBrowser/#/{}"
Token = Annotated[str | None, Arg("Token of an analysis to colour the picture with.", "MjAyNjA5MjUxOTM5MzNfMTY%3D")]


@platform.tool(
    example={"reactome_id": "R-HSA-418594", "flag": "CNR1"},
    cites=RECORD,
    asks=(
        "picture of a pathway",
        "pathway figure as PNG or SVG",
        "diagram with my gene highlighted",
    ),
)
async def get_diagram_image(
    api: Api,
    reactome_id: ReactomeId,
    image_format: Annotated[Literal["svg", "png", "jpg"], Arg("Kind of picture.")] = "svg",
    quality: Annotated[int, Arg("Resolution of png and jpg.", minimum=1, maximum=10)] = 7,
    flag: Annotated[str | None, Arg("Gene symbol or accession to mark in the picture.", "TP53")] = None,
    token: Token = None,
) -> Answer:
    """Link to the picture (diagram) of a Reactome pathway or reaction, with a gene or an analysis result highlighted;
    for a pathway without a diagram the nearest ancestor's. The record in words: get_pathway.

    stId, displayName, diagram_of (the id that is drawn), url, browser_url.
    """
    record = await record_of(api, reactome_id, wanted=EVENT_CLASSES)
    if record is None:
        return no_record(reactome_id)
    kind, drawn = "reaction", reactome_id
    if record.get("schemaClass") not in REACTION_CLASSES:
        kind, drawn = "diagram", await _drawn(api, record)
    if not drawn:
        return empty(f"Neither {reactome_id} nor an ancestor of it has a diagram.", kept(record, ("stId",)))
    parameters = {"quality": quality, "flg": flag, "token": token}
    query = urlencode({name: value for name, value in parameters.items() if value is not None}, safe="%")
    url = f"{api.base_url}/exporter/{kind}/{drawn}.{image_format}?{query}"
    links = {"diagram_of": drawn, "url": url, "browser_url": BROWSER.format(reactome_id)}
    note = f"{reactome_id} has no diagram of its own; {drawn} shows it." if drawn != reactome_id else ""
    return Answer({**kept(record, ("stId", "displayName")), **links}, note=note)


async def _drawn(api: Api, record: Json) -> str:
    """Return the pathway whose diagram shows a pathway: itself, or the nearest ancestor with one."""
    if record.get("hasDiagram"):
        return str(record["stId"])
    for line in await ancestors(api, record["stId"]) or []:
        for event in line:
            if event.get("hasDiagram") and event.get("stId"):
                return str(event["stId"])
    return ""


@platform.tool(
    example={"reactome_id": "R-HSA-6806003"},
    cites=RECORD,
    asks=(
        "SBML file of a pathway",
        "SBGN export",
        "model for simulation, Cytoscape or COPASI",
    ),
)
async def get_pathway_model(
    api: Api,
    reactome_id: ReactomeId,
    model_format: Annotated[Literal["sbml", "sbgn"], Arg("SBML for simulation, SBGN for drawing.")] = "sbml",
) -> Answer:
    """Link to the machine-readable model (SBML or SBGN) of a Reactome pathway or reaction, for simulation or drawing
    programs. For a picture use get_diagram_image.

    stId, displayName, format, url.
    """
    record = await record_of(api, reactome_id, wanted=EVENT_CLASSES)
    if record is None:
        return no_record(reactome_id)
    url = f"{api.base_url}/exporter/event/{reactome_id}.{model_format}"
    return Answer({**kept(record, ("stId", "displayName", "schemaClass")), "format": model_format, "url": url})


@platform.tool(
    example={"reactome_id": "R-HSA-1430728", "date_accessed": "2026-11-30"},
    cites=RECORD,
    asks=(
        "how do I cite a pathway",
        "reference for a Reactome page",
        "DOI of a pathway",
    ),
)
async def get_pathway_citation(
    api: Api,
    reactome_id: ReactomeId,
    date_accessed: Annotated[
        str | None, Arg("Day of access; today without it.", "2026-11-30", r"^\d{4}-\d\d-\d\d$")
    ] = None,
) -> Answer:
    """Ready citation of a Reactome pathway, with DOI, version and date of access. The papers behind a pathway are in
    get_pathway.

    stId, stIdVersion, displayName, doi, doi_url, date_accessed, citation.
    """
    record = await record_of(api, reactome_id, wanted=PATHWAY_CLASSES)
    if record is None:
        return no_record(reactome_id)
    day = date_accessed or datetime.now(UTC).date().isoformat()
    citation = await known(api, f"/citation/pathway/{reactome_id}", {"dateAccessed": day})
    if isinstance(citation, dict):
        matched("pathway", reactome_id, citation.get("stId"))
    doi = record.get("doi")
    facts = kept(record, ("stId", "stIdVersion", "displayName", "releaseDate", "doi"))
    facts |= {"doi_url": f"https://doi.org/{doi}"} if doi else {}
    note = "" if citation else "Reactome gives no ready citation; the facts for one are here."
    return Answer({**facts, "date_accessed": day, "citation": citation}, note=note)
