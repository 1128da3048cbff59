"""One disease: its record, and its signs and symptoms."""

from typing import Any

from mcp_server.args import DiseaseId, Limit, Offset
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import diseases as texts
from mcp_server.platforms.opentargets.service import WholeLists, cite, platform, unknown, window

Json = Any

CHILDREN_SHOWN = 30
XREFS_SHOWN = 20


@platform.tool(
    example={"disease_id": "MONDO_0004989"},
    asks=(
        "what is this disease",
        "definition and synonyms of an illness",
        "subtypes and parent terms",
        "disease ontology of EFO or MONDO",
    ),
)
async def get_disease_info(api: Api, disease_id: DiseaseId, whole_lists: WholeLists = False) -> Answer:
    """Get a disease's definition, synonyms, therapeutic areas, parents, children and former ids.
    For its symptoms use get_disease_phenotypes."""
    answered, note = await service.ask_disease(api, "DiseaseInfo", texts.DISEASE_INFO, disease_id)
    disease = answered["disease"]
    if disease is None:
        return unknown("disease", disease_id)
    for name, shown in (("children", CHILDREN_SHOWN), ("dbXRefs", XREFS_SHOWN)):
        if name in disease:
            disease[f"{name}Count"] = len(disease[name])
            disease[name] = disease[name] if whole_lists else disease[name][:shown]
    return Answer(disease, note=note, citations=[cite("disease", disease["id"], disease["name"])])


@platform.tool(
    example={"disease_id": "MONDO_0009061", "limit": 3},
    asks=(
        "symptoms of a disease",
        "clinical signs, features of a syndrome",
        "HPO terms, age of onset",
        "how does the disease show itself",
        "what does a patient with the syndrome look like",
    ),
)
async def get_disease_phenotypes(api: Api, disease_id: DiseaseId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List the signs and symptoms (HPO) of a disease with frequency, onset and references; rows that a disease is said
    not to have are marked."""
    index, size, skip = window(offset, limit)
    answered, note = await service.ask_disease(
        api, "DiseasePhenotypes", texts.DISEASE_PHENOTYPES, disease_id, lambda id: {"index": index, "size": size}
    )
    disease = answered["disease"]
    if disease is None:
        return unknown("disease", disease_id)
    found = disease["phenotypes"]
    owner = {"disease": {"id": disease["id"], "name": disease["name"]}}
    shown = [_phenotype(row) for row in found["rows"][skip:]]
    answer = service.page(
        owner, shown, found["count"], offset, nothing="Open Targets lists no phenotype of this disease.", note=note
    )
    return service.cited(answer, cite("disease", disease["id"], disease["name"]))


def _phenotype(row: Json) -> Json:
    """Name the phenotype: some have no HPO term, only the ontology's own."""
    evidence = [service.without_nulls(each) for each in row.get("evidence") or []]
    return {
        "phenotype": row.get("phenotypeHPO") or row.get("phenotypeEFO"),
        "absent": bool(evidence) and all(each.get("qualifierNot") for each in evidence),
        "evidence": evidence,
    }
