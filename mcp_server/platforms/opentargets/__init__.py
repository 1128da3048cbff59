"""Open Targets Platform: targets, diseases, drugs and the scored associations between them.

GraphQL at https://api.platform.opentargets.org/api/v4/graphql, no key. An unknown id answers 200 with
a null root; a removed field answers 400 with the reason in `errors`. Lists of drugs have no paging and
no useful order: they are sorted and cut here. Disease ids moved from EFO to MONDO with release 26.06.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import ChemblId, DiseaseId, EnsemblGeneId, Limit, Offset, look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.platforms.opentargets import queries
from mcp_server.tool import Arg, Platform

Json = Any

platform = Platform(
    "opentargets",
    title="Open Targets",
    base_url="https://api.platform.opentargets.org/api/v4/graphql",
    docs="https://platform-docs.opentargets.org",
    licence="CC0 1.0",
    rate=Rate(3),
)

PAGE = "https://platform.opentargets.org"
PAGE_ROWS_MAX = 3000
# Ranking looks at this many hits, so that an exact name is found where the text search puts it lower.
SEARCH_HITS_MIN = 25
DISEASES_SHOWN = 10
CHILDREN_SHOWN = 30
XREFS_SHOWN = 20
# Weakest to strongest; what is not in the list sorts last.
STAGES = (
    "UNKNOWN", "PRECLINICAL", "IND", "EARLY_PHASE_1", "PHASE_1", "PHASE_1_2", "PHASE_2", "PHASE_2_3",
    "PHASE_3", "PREAPPROVAL", "APPROVAL", "PHASE_4", "WITHDRAWAL",
)  # fmt: skip
EVIDENCE_LEVELS = ("1A", "1B", "2A", "2B", "3", "4")
# Most rows of these lists say what a target is not, or repeat it for other databases.
KEPT_OF_TARGET: dict[str, Callable[[Json], bool]] = {
    "proteinIds": lambda item: item["source"] == "uniprot_swissprot",
    "dbXrefs": lambda item: item["source"] in ("HGNC", "ChEMBL", "OMIM"),
    "tractability": lambda item: bool(item["value"]),
}
KINDS = {"target": "ensembl", "disease": "ontology", "drug": "chembl", "variant": "variant", "study": "study"}

EntityType = Literal["target", "disease", "drug", "variant", "study"]
SearchText = Annotated[
    str,
    Arg(
        "Gene symbol, disease or drug name, rsID, or an id of another release.", "breast cancer", normalise=look_up_form
    ),
]
EntityTypes = Annotated[
    list[EntityType], Arg("Kinds of records to look for; without it targets, diseases and drugs.", ["disease"])
]
IncludeSubtypes = Annotated[
    bool, Arg("Whether evidence for the subtypes of a disease counts for the disease; this changes every score.")
]


async def _ask(api: Api, operation: str, text: str, variables: dict[str, Json]) -> Json:
    """Run an operation and note the release that answered."""
    data = await api.graphql(operation, text, variables)
    version = (data.get("meta") or {}).get("dataVersion")
    if version:
        api.trace.release = f"{version['year']}.{version['month']}"
    return data


async def _ask_disease(
    api: Api, operation: str, text: str, disease_id: str, variables: dict[str, Json] | None = None
) -> tuple[Json, str]:
    """Return a disease's answer; a former id is followed to the present one, and the note says so."""
    disease = (await _ask(api, operation, text, {"efoId": disease_id, **(variables or {})}))["disease"]
    if disease is not None:
        return disease, ""
    found = await _search(api, disease_id, ["disease"], SEARCH_HITS_MIN)
    for hit in found["hits"]:
        if disease_id in ((hit.get("object") or {}).get("obsoleteTerms") or []):
            disease = (await _ask(api, operation, text, {"efoId": hit["id"], **(variables or {})}))["disease"]
            return disease, f"{disease_id} is a former id; {hit['id']} ({hit['name']}) is used."
    return None, ""


async def _search(api: Api, query: str, entity_types: Sequence[str], size: int) -> Json:
    variables = {"query": query, "entityNames": list(entity_types), "size": size}
    answer = await _ask(api, "SearchEntities", queries.SEARCH_ENTITIES, variables)
    return answer["search"]


def _unknown(what: str, identifier: str) -> Answer:
    return unknown_id(identifier, f"Open Targets has no {what} {identifier}.")


def _cite(entity: str, identifier: str, label: str) -> Citation:
    return Citation(KINDS[entity], identifier, label, f"{PAGE}/{entity}/{identifier}")


def _window(offset: int, limit: int) -> tuple[int, int, int]:
    """Return page index, page size and rows to skip, since the service counts in whole pages."""
    if offset + limit > PAGE_ROWS_MAX:
        raise InvalidArguments("offset", f"only the first {PAGE_ROWS_MAX} rows can be listed", 0)
    return (offset // limit, limit, 0) if offset % limit == 0 else (0, offset + limit, offset)


def _next(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    return {"offset": offset + returned} if returned and offset + returned < total else None


def _labels(items: Json) -> list[str]:
    return [item["label"] for item in items or []]


def _other_names(hit: Json) -> set[str]:
    """Return every name of a hit beside its own, in lower case."""
    record = hit.get("object") or {}
    names = list(record.get("obsoleteTerms") or []) + list(record.get("rsIds") or [])
    for key in ("symbolSynonyms", "obsoleteSymbols", "drugSynonyms", "tradeNames"):
        names += _labels(record.get(key))
    if record.get("__typename", "Disease") == "Disease":
        names += [term for group in record.get("synonyms") or [] for term in group["terms"]]
    return {name.lower() for name in names}


def _match(hit: Json, query: str) -> str:
    """Say how a hit fits: by its own name, by another name of its, or only by text."""
    wanted = query.lower()
    record = hit.get("object") or {}
    own = {
        str(name).lower() for name in (hit["id"], hit["name"], record.get("approvedSymbol"), record.get("approvedName"))
    }
    if wanted in own:
        return "name"
    return "synonym" if wanted in _other_names(hit) else "text"


def _compact_hit(hit: Json, match: str) -> Json:
    record = {
        name: value
        for name, value in (hit.get("object") or {}).items()
        if name in ("approvedSymbol", "approvedName", "biotype", "drugType", "maximumClinicalStage", "rsIds")
        or name in ("therapeuticAreas", "mostSevereConsequence", "traitFromSource", "studyType", "obsoleteTerms")
    }
    kept = {
        name: hit.get(name) for name in ("id", "entity", "name", "description", "score") if hit.get(name) is not None
    }
    return {**kept, "match": match, "object": record}


@platform.tool(core=True, example={"query": "breast cancer", "entity_types": ["disease"]})
async def search_entities(
    api: Api, query: SearchText, entity_types: EntityTypes | None = None, limit: Limit = 10, offset: Offset = 0
) -> Answer:
    """Find Open Targets ids (ENSG, MONDO, CHEMBL) of genes, diseases or drugs by free text; exact names first."""
    found = await _search(
        api, query, entity_types or ["target", "disease", "drug"], max(SEARCH_HITS_MIN, offset + limit)
    )
    ranked = [(_match(hit, query), hit) for hit in found["hits"]]
    ranked.sort(key=lambda pair: ("name", "synonym", "text").index(pair[0]))
    hits = [_compact_hit(hit, match) for match, hit in ranked[offset : offset + limit]]
    # A record of the snapshot may not know how many there are.
    total = found.get("total", len(ranked))
    note = "" if hits else f"Nothing is found for {query!r}."
    if hits and hits[0]["match"] == "text":
        note = f"None of these is called {query!r} exactly: choose by name and description."
    return rows(
        hits,
        total=total,
        next=_next(offset, len(hits), total),
        note=note,
        data={"query": query, "total": total, "hits": hits},
        citations=[_cite(hit["entity"], hit["id"], hit["name"]) for hit in hits],
    )


@platform.tool(example={"ensembl_id": "ENSG00000141736"})
async def get_target_info(api: Api, ensembl_id: EnsemblGeneId) -> Answer:
    """Get a target's symbol, name, biotype, location, function, proteins, classes and tractability by Ensembl id."""
    target = (await _ask(api, "TargetInfo", queries.TARGET_INFO, {"ensemblId": ensembl_id}))["target"]
    if target is None:
        return _unknown("target", ensembl_id)
    for name in ("symbolSynonyms", "obsoleteSymbols"):
        if name in target:
            target[name] = sorted(set(_labels(target[name])))
    for name, is_kept in KEPT_OF_TARGET.items():
        if name in target:
            target[name] = [item for item in target[name] if is_kept(item)]
    return Answer(target, citations=[_cite("target", target["id"], target["approvedSymbol"])])


@platform.tool(example={"disease_id": "MONDO_0004989"})
async def get_disease_info(api: Api, disease_id: DiseaseId) -> Answer:
    """Get a disease's definition, synonyms, therapeutic areas, parents, children and former ids."""
    disease, note = await _ask_disease(api, "DiseaseInfo", queries.DISEASE_INFO, disease_id)
    if disease is None:
        return _unknown("disease", disease_id)
    for name, shown in (("children", CHILDREN_SHOWN), ("dbXRefs", XREFS_SHOWN)):
        if name in disease:
            disease[f"{name}Count"] = len(disease[name])
            disease[name] = disease[name][:shown]
    return Answer(disease, note=note, citations=[_cite("disease", disease["id"], disease["name"])])


@platform.tool(example={"disease_id": "MONDO_0004989", "limit": 50})
async def get_disease_associated_targets(
    api: Api, disease_id: DiseaseId, limit: Limit = 50, offset: Offset = 0, include_subtypes: IncludeSubtypes = True
) -> Answer:
    """Disease → targets: genes associated with a disease, ranked by overall score, with scores by data type."""
    index, size, skip = _window(offset, limit)
    disease, note = await _ask_disease(
        api,
        "DiseaseAssociatedTargets",
        queries.DISEASE_ASSOCIATED_TARGETS,
        disease_id,
        {"index": index, "size": size, "indirect": include_subtypes},
    )
    if disease is None:
        return _unknown("disease", disease_id)
    owner = {"id": disease["id"], "name": disease["name"]}
    found = disease["associatedTargets"]
    answer = _associations("disease", owner, found, skip, offset, include_subtypes, note)
    cited = [_cite("target", row["target"]["id"], row["target"]["approvedSymbol"]) for row in answer.data["rows"]]
    return _with_citations(answer, [_cite("disease", owner["id"], owner["name"]), *cited])


@platform.tool(example={"ensembl_id": "ENSG00000141736", "limit": 5})
async def get_target_associated_diseases(
    api: Api,
    ensembl_id: EnsemblGeneId,
    limit: Limit = 25,
    offset: Offset = 0,
    include_subtypes: IncludeSubtypes = False,
) -> Answer:
    """Target → diseases: diseases associated with a gene, ranked by overall score, with scores by data type."""
    index, size, skip = _window(offset, limit)
    answered = await _ask(
        api,
        "TargetAssociatedDiseases",
        queries.TARGET_ASSOCIATED_DISEASES,
        {"ensemblId": ensembl_id, "index": index, "size": size, "indirect": include_subtypes},
    )
    target = answered["target"]
    if target is None:
        return _unknown("target", ensembl_id)
    owner = {"id": target["id"], "approvedSymbol": target["approvedSymbol"]}
    answer = _associations("target", owner, target["associatedDiseases"], skip, offset, include_subtypes, "")
    cited = [_cite("disease", row["disease"]["id"], row["disease"]["name"]) for row in answer.data["rows"]]
    return _with_citations(answer, [_cite("target", owner["id"], owner["approvedSymbol"]), *cited])


def _associations(
    entity: str, owner: Json, found: Json, skip: int, offset: int, include_subtypes: bool, note: str
) -> Answer:
    """Lay out one page of associations; both directions look the same."""
    shown = found["rows"][skip:]
    total = found.get("count", offset + len(shown))
    data = {entity: owner, "include_subtypes": include_subtypes, "count": total, "rows": shown}
    if not shown:
        note = f"{note} No association is listed from row {offset} on.".strip()
    return rows(shown, total=total, next=_next(offset, len(shown), total), note=note, data=data)


def _with_citations(answer: Answer, citations: Sequence[Citation]) -> Answer:
    return Answer(
        answer.data, answer.outcome, answer.total, answer.returned, answer.next, answer.note, tuple(citations)
    )


def _stage_rank(row: Json) -> int:
    stage = row.get("maxClinicalStage")
    return STAGES.index(stage) if stage in STAGES else -1


def _drug_row(row: Json) -> Json:
    """Count the reports and cut the diseases; what the service left out stays left out."""
    kept = {name: row[name] for name in ("id", "maxClinicalStage", "drug") if name in row}
    if row.get("diseases") is not None:
        kept["diseases"] = row["diseases"][:DISEASES_SHOWN]
        kept["diseaseCount"] = len(row["diseases"])
    if row.get("clinicalReports") is not None:
        kept["clinicalReportCount"] = len(row["clinicalReports"])
    return kept


def _drugs(entity: str, owner: Json, found: Json, limit: int, offset: int, note: str) -> Answer:
    """Lay out the drugs of a target or disease: highest stage first, then most reported."""
    ordered = sorted(found["rows"], key=lambda row: (-_stage_rank(row), -len(row.get("clinicalReports") or ())))
    total = found.get("count", len(ordered))
    if total != len(ordered):
        note = f"{note} Open Targets counts {total} rows and sent {len(ordered)}.".strip()
    shown = [_drug_row(row) for row in ordered[offset : offset + limit]]
    if not ordered:
        note = f"{note} Open Targets lists no drug or clinical candidate here.".strip()
    drugs = {row["drug"]["id"]: row["drug"]["name"] for row in shown if row.get("drug")}
    label = owner.get("approvedSymbol") or owner.get("name")
    return rows(
        shown,
        total=total,
        next=_next(offset, len(shown), len(ordered)),
        note=note,
        data={entity: owner, "count": total, "rows": shown},
        citations=[_cite(entity, owner["id"], label), *(_cite("drug", *drug) for drug in drugs.items())],
    )


@platform.tool(core=True, example={"ensembl_id": "ENSG00000141736"})
async def get_target_drugs(api: Api, ensembl_id: EnsemblGeneId, limit: Limit = 200, offset: Offset = 0) -> Answer:
    """List drugs and clinical candidates acting on a target, highest stage first, with mechanism and diseases tried."""
    target = (await _ask(api, "TargetDrugs", queries.TARGET_DRUGS, {"ensemblId": ensembl_id}))["target"]
    if target is None:
        return _unknown("target", ensembl_id)
    owner = {"id": target["id"], "approvedSymbol": target["approvedSymbol"]}
    return _drugs("target", owner, target["drugAndClinicalCandidates"], limit, offset, "")


@platform.tool(example={"disease_id": "MONDO_0005313"})
async def get_disease_drugs(api: Api, disease_id: DiseaseId, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """List drugs and clinical candidates tried in a disease, highest stage first, with mechanism and targets."""
    disease, note = await _ask_disease(api, "DiseaseDrugs", queries.DISEASE_DRUGS, disease_id)
    if disease is None:
        return _unknown("disease", disease_id)
    owner = {"id": disease["id"], "name": disease["name"]}
    return _drugs("disease", owner, disease["drugAndClinicalCandidates"], limit, offset, note)


@platform.tool(example={"chembl_id": "CHEMBL939"})
async def get_drug_info(api: Api, chembl_id: ChemblId) -> Answer:
    """Get a drug's type, highest stage, mechanisms with Ensembl targets, names, parent and salts, and warnings."""
    drug = (await _ask(api, "DrugInfo", queries.DRUG_INFO, {"chemblId": chembl_id}))["drug"]
    if drug is None:
        return _unknown("drug", chembl_id)
    for name in ("synonyms", "tradeNames"):
        if name in drug:
            drug[name] = _labels(drug[name])
    mechanisms = (drug.get("mechanismsOfAction") or {}).get("rows") or []
    targets = {target["id"]: target["approvedSymbol"] for row in mechanisms for target in row["targets"]}
    return Answer(
        drug,
        citations=[_cite("drug", drug["id"], drug["name"]), *(_cite("target", *target) for target in targets.items())],
    )


@platform.tool(example={"chembl_id": "CHEMBL1464"})
async def get_drug_pharmacogenomics(api: Api, chembl_id: ChemblId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List variants that change the response to a drug, with evidence level, gene and category, strongest first."""
    drug = (await _ask(api, "DrugPharmacogenomics", queries.DRUG_PHARMACOGENOMICS, {"chemblId": chembl_id}))["drug"]
    if drug is None:
        return _unknown("drug", chembl_id)

    def strength(row: Json) -> int:
        level = row.get("evidenceLevel")
        return EVIDENCE_LEVELS.index(level) if level in EVIDENCE_LEVELS else len(EVIDENCE_LEVELS)

    ordered = sorted(drug["pharmacogenomics"], key=strength)
    shown = ordered[offset : offset + limit]
    rsids = sorted({row["variantRsId"] for row in shown if row.get("variantRsId")})
    return rows(
        shown,
        total=len(ordered),
        next=_next(offset, len(shown), len(ordered)),
        note="" if ordered else "Open Targets lists no pharmacogenomic variant for this drug.",
        data={"drug": {"id": drug["id"], "name": drug["name"]}, "count": len(ordered), "rows": shown},
        citations=[_cite("drug", drug["id"], drug["name"]), *(Citation("rsid", rsid) for rsid in rsids)],
    )
