"""Pathways and reactions as they run in a disease."""

from typing import Annotated, Any

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.reactome.base import Species, kept, known, objects, platform
from mcp_server.platforms.reactome.events import DISEASE_FIELDS
from mcp_server.platforms.reactome.searches import entries_of, hits
from mcp_server.tool import Arg, Cite

Json = Any

SEARCHED_PER_TYPE = 50
DISEASES_MAX = 20


@platform.tool(
    example={"query": "cystic fibrosis", "limit": 2},
    cites=Cite("reactome", "pathways[]", "stId", "displayName"),
    asks=(
        "pathways disturbed in a disease",
        "abnormal signalling in cancer",
        "disease variants of a pathway",
        "defective enzyme reactions",
    ),
)
async def get_disease_pathways(
    api: Api,
    query: Annotated[str, Arg("Disease name or gene symbol.", "cystic fibrosis", normalise=look_up_form)],
    species: Species = "9606",
    limit: Annotated[int, Arg("How many disease events to read in full.", minimum=1, maximum=20)] = 10,
) -> Answer:
    """Disease pathways and reactions of Reactome for a disease or gene, with disease ids (DOID) and the normal
    counterpart; also the annotated diseases of that name. All pathways of a protein: map_identifier_to_pathways.

    pathways: [{stId, displayName, schemaClass, disease: [{displayName, identifier, databaseName}],
    normalPathway}], diseases: [{displayName, identifier, databaseName}].
    """
    found, listed = await together(
        (
            hits(api, query, species, ["Pathway", "Reaction"], SEARCHED_PER_TYPE),
            known(api, "/data/diseases"),
        )
    )
    words = query.lower()
    diseases = [kept(row, DISEASE_FIELDS) for row in listed or [] if words in str(row.get("displayName")).lower()]
    entries = entries_of(found) if found else []
    ids = list(dict.fromkeys(row["stId"] for row in entries if row["isDisease"] and row["stId"]))
    records = await together(known(api, f"/data/query/enhanced/{one}") for one in ids[:limit])
    pathways = [_disease_event(record) for record in records if record]
    note = f"{len(ids)} of the {len(entries)} best hits are disease events."
    if len(diseases) > DISEASES_MAX:
        note += f" {len(diseases)} diseases have this name in theirs; the first {DISEASES_MAX} are shown."
    data = {"pathways": pathways, "diseases": diseases[:DISEASES_MAX]}
    answer = rows(pathways, total=len(ids), data=data, note=note)
    if pathways or not diseases:
        return answer
    return Answer(data, total=0, returned=0, note=f"Reactome annotates the disease, but no pathway was found. {note}")


def _disease_event(record: Json) -> Json:
    row = kept(record, ("stId", "displayName", "schemaClass", "speciesName"))
    row["disease"] = [kept(disease, DISEASE_FIELDS) for disease in objects(record, "disease")]
    for name in ("normalPathway", "normalReaction"):
        if normal := objects(record, name):
            row[name] = [kept(event, ("stId", "displayName")) for event in normal]
    return row
