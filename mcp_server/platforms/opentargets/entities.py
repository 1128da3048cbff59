"""Finding records by words, and what stands near a record in the literature."""

import re
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, look_up_form, ontology_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.platforms.opentargets import service
from mcp_server.platforms.opentargets.queries import entities as texts
from mcp_server.platforms.opentargets.service import Cursor, EntityType, cite, labels, next_offset, platform
from mcp_server.tool import Arg

Json = Any

HITS_SHOWN = 3
DEFAULT_TYPES = ("target", "disease", "drug")
MATCHES = ("name", "synonym", "text")

SearchText = Annotated[
    str,
    Arg(
        "Gene symbol, disease or drug name, rsID, or an id of another release.", "breast cancer", normalise=look_up_form
    ),
]
EntityTypes = Annotated[
    list[EntityType], Arg("Kinds of records to look for; without it targets, diseases and drugs.", ["disease"])
]
Terms = Annotated[list[str], Arg("Names, symbols or ids.", ["CFTR", "P53"], max_items=100, normalise=look_up_form)]


def _entity_form(text: str) -> str:
    """Return an Ensembl or ChEMBL id in upper case, a disease id with its underscore."""
    bare = text.partition(".")[0].upper()
    return bare if bare.startswith(("ENSG", "CHEMBL")) else ontology_form(text)


EntityId = Annotated[
    str,
    Arg(
        "Ensembl gene id, disease id or ChEMBL id.",
        "ENSG00000141736",
        r"^(ENSG\d{11}|CHEMBL\d+|[A-Za-z]+_[A-Za-z0-9]+)$",
        normalise=_entity_form,
    ),
]


def _other_names(hit: Json) -> set[str]:
    """Return every name of a hit beside its own, folded."""
    record = hit.get("object") or {}
    names = list(record.get("obsoleteTerms") or []) + list(record.get("rsIds") or [])
    for key in ("symbolSynonyms", "obsoleteSymbols", "drugSynonyms", "tradeNames"):
        names += labels(record.get(key))
    if record.get("__typename", "Disease") == "Disease":
        names += [term for group in record.get("synonyms") or [] for term in group["terms"]]
    return {_folded(name) for name in names}


def _folded(name: str) -> str:
    """Return a name without case, dashes and blanks: HER-2 and Her2 are one; a name of signs alone stays."""
    plain = look_up_form(name).lower()
    return re.sub(r"[^a-z0-9]", "", plain) or plain


def _match(hit: Json, query: str) -> str:
    """Say how a hit fits: by its own name, by another name of its, or only by text."""
    wanted = _folded(query)
    record = hit.get("object") or {}
    own = {
        _folded(str(name))
        for name in (hit["id"], hit["name"], record.get("approvedSymbol"), record.get("approvedName"))
        if name
    }
    if wanted in own:
        return "name"
    # Two names of one gene are often written with a stroke: her2/neu.
    parts = {wanted}, {_folded(part) for part in query.split("/") if part.strip()}
    return "synonym" if any(each <= own | _other_names(hit) for each in parts) else "text"


def _ranked(hits: Json, query: str) -> list[tuple[str, Json]]:
    """Return the hits with how they fit: own names first, then other names, then mere text."""
    ranked = [(_match(hit, query), hit) for hit in hits or []]
    return sorted(ranked, key=lambda pair: MATCHES.index(pair[0]))


def _compact_hit(hit: Json, match: str) -> Json:
    record = {
        name: value
        for name, value in (hit.get("object") or {}).items()
        if name in ("approvedSymbol", "approvedName", "biotype", "drugType", "maximumClinicalStage", "rsIds")
        or name in ("therapeuticAreas", "mostSevereConsequence", "traitFromSource", "studyType", "obsoleteTerms")
    }
    if hit.get("entity") == "target":
        record["species"] = service.HUMAN
    kept = {
        name: hit.get(name) for name in ("id", "entity", "name", "description", "score") if hit.get(name) is not None
    }
    return {**kept, "match": match, "object": record}


@platform.tool(
    core=True,
    example={"query": "breast cancer", "entity_types": ["disease"]},
    asks=(
        "EFO id of a disease",
        "MONDO id from a name",
        "find the id of a gene, drug or disease",
        "free text to ontology term",
        "what id does this disease have",
    ),
)
async def search_entities(
    api: Api, query: SearchText, entity_types: EntityTypes | None = None, limit: Limit = 10, offset: Offset = 0
) -> Answer:
    """Find Open Targets ids (ENSG, MONDO, CHEMBL) of genes, diseases or drugs by free text; exact names first. For many
    names at once use search_entities_batch, for a disease's ids in other databases myvariant__disease_resolve.
    """
    found = await service.search(
        api, query, entity_types or DEFAULT_TYPES, max(service.SEARCH_HITS_MIN, offset + limit)
    )
    ranked = _ranked(found["hits"], query)
    hits = [_compact_hit(hit, match) for match, hit in ranked[offset : offset + limit]]
    # A record of the snapshot may not know how many there are.
    total = found.get("total", len(ranked))
    note = "" if hits else f"Nothing is found for {query!r}."
    if hits and hits[0]["match"] == "text":
        note = f"None of these is called {query!r} exactly: choose by name and description."
    return rows(
        hits,
        total=total,
        next=next_offset(offset, len(hits), total),
        note=note,
        data={"query": query, "total": total, "hits": hits},
        citations=[cite(hit["entity"], hit["id"], hit["name"]) for hit in hits],
    )


@platform.tool(
    example={"terms": ["CFTR", "P53", "NOTAREALGENEXYZ"], "entity_types": ["target"]},
    asks=(
        "ids for a list of diseases",
        "map many names to EFO, ENSG or CHEMBL",
        "bulk name resolution",
    ),
)
async def search_entities_batch(api: Api, terms: Terms, entity_types: EntityTypes | None = None) -> Answer:
    """Many at once (up to 100): Open Targets ids of gene, disease or drug names; gives the best hits of each term
    and the terms without one. For a single name with descriptions use search_entities."""
    asked = list(dict.fromkeys(terms))
    variables = {"terms": asked, "entityNames": list(entity_types or DEFAULT_TYPES)}
    found = await service.ask(api, "SearchEntitiesBatch", texts.SEARCH_ENTITIES_BATCH, variables)
    hits = {mapping["term"]: mapping["hits"] or [] for mapping in found["mapIds"]["mappings"]}
    mappings = [_mapping(term, _ranked(hits.get(term), term)) for term in asked]
    missing = [mapping["term"] for mapping in mappings if not mapping["hits"]]
    unsure = [mapping["term"] for mapping in mappings if mapping["hits"] and mapping["hits"][0]["match"] == "text"]
    notes = [f"Nothing is found for {', '.join(missing)}."] if missing else []
    if unsure:
        notes.append(f"By text only, so check the name: {', '.join(unsure)}.")
    known = len(asked) - len(missing)
    return Answer(
        {"mappings": mappings, "missing": missing},
        ResultOutcome.DATA if known else ResultOutcome.EMPTY,
        total=len(asked),
        returned=known,
        note=" ".join(notes),
        citations=[cite(hit["entity"], hit["id"], hit["name"]) for mapping in mappings for hit in mapping["hits"][:1]],
    )


def _mapping(term: str, ranked: list[tuple[str, Json]]) -> Json:
    hits = [_compact_hit(hit, match) for match, hit in ranked[:HITS_SHOWN]]
    return {"term": term, "hitCount": len(ranked), "hits": hits}


def _entity_of(identifier: str) -> str:
    if identifier.startswith("ENSG"):
        return "target"
    return "drug" if identifier.startswith("CHEMBL") else "disease"


LITERATURE = {
    "target": ("TargetLiterature", texts.TARGET_LITERATURE),
    "disease": ("DiseaseLiterature", texts.DISEASE_LITERATURE),
    "drug": ("DrugLiterature", texts.DRUG_LITERATURE),
}
SIMILAR = {
    "target": ("TargetSimilar", texts.TARGET_SIMILAR),
    "disease": ("DiseaseSimilar", texts.DISEASE_SIMILAR),
    "drug": ("DrugSimilar", texts.DRUG_SIMILAR),
}
FirstYear = Annotated[int | None, Arg("First year of publication.", 2015, minimum=1800, maximum=2100)]
LastYear = Annotated[int | None, Arg("Last year of publication.", 2020, minimum=1800, maximum=2100)]


async def _ask_any(
    api: Api, operations: dict[str, tuple[str, str]], identifier: str, variables: dict[str, Json]
) -> Json:
    """Ask about a record whose kind its id tells."""
    entity = _entity_of(identifier)
    record = (await service.ask(api, *operations[entity], {"id": identifier, **variables}))[entity]
    if record is not None:
        service.check_same(entity, identifier, record)
    return record


def _owner(entity: str, record: Json) -> Json:
    return {"entity": entity, "id": record["id"], "name": record.get("approvedSymbol") or record.get("name")}


@platform.tool(
    example={"entity_id": "ENSG00000001626", "with_ids": ["MONDO_0009061"], "start_year": 2020},
    asks=(
        "publications that mention a target and a disease",
        "papers on a gene by Ensembl id",
        "literature counts over the years",
        "bibliography of an entity",
    ),
)
async def get_entity_literature(
    api: Api,
    entity_id: EntityId,
    with_ids: Annotated[
        list[str] | None,
        Arg(
            "Further ids that the papers must mention too.",
            ["MONDO_0009061"],
            r"^(ENSG\d{11}|CHEMBL\d+|[A-Za-z]+_[A-Za-z0-9]+)$",
            max_items=10,
            normalise=_entity_form,
        ),
    ] = None,
    start_year: FirstYear = None,
    end_year: LastYear = None,
    cursor: Cursor = None,
) -> Answer:
    """List papers whose text mentions a target, disease or drug, alone or together with others; gives PMIDs, dates and
    counts. For papers by topic or author use pubmed__search_articles, for stated relations pubtator3__find_relations.
    """
    if start_year and end_year and start_year > end_year:
        raise InvalidArguments("end_year", "it lies before start_year", start_year)
    variables = {"ids": with_ids, "startYear": start_year, "endYear": end_year, "cursor": cursor}
    record = await _ask_any(api, LITERATURE, entity_id, variables)
    entity = _entity_of(entity_id)
    if record is None:
        return service.unknown(entity, entity_id)
    found = record["literatureOcurrences"]
    owner = _owner(entity, record)
    total = found["filteredCount"]
    shown = found["rows"]
    data = {
        entity: owner,
        "with_ids": with_ids or [],
        "count": found["count"],
        "filteredCount": total,
        "earliestPubYear": found.get("earliestPubYear"),
        "rows": shown,
    }
    answer = rows(
        shown,
        total=total,
        next={"cursor": found["cursor"]} if shown and found.get("cursor") else None,
        note="" if shown else "No paper mentions these together; an id that Open Targets does not know fits none.",
        data=data,
    )
    return service.cited(
        answer, cite(entity, owner["id"], owner["name"]), *service.cite_papers(row.get("pmid") for row in shown)
    )


@platform.tool(
    example={"entity_id": "ENSG00000141736", "entity_types": ["drug"], "limit": 5},
    asks=(
        "genes similar to a gene",
        "related diseases by text embedding",
        "what is mentioned in the same context",
        "genes that are talked about like this one",
    ),
)
async def get_similar_entities(
    api: Api,
    entity_id: EntityId,
    entity_types: Annotated[
        list[Literal["target", "disease", "drug"]] | None,
        Arg("Kinds of neighbours; without it all three.", ["drug"]),
    ] = None,
    threshold: Annotated[float, Arg("Smallest similarity, 0 to 1.", minimum=0, maximum=1)] = 0.1,
    limit: Annotated[int, Arg("How many neighbours to return at most.", minimum=1, maximum=100)] = 10,
) -> Answer:
    """List genes, diseases or drugs that papers mention in similar company (word embeddings), with a similarity score.
    It is no evidence of a link: for that use get_target_disease_evidence, for stated relations
    pubtator3__find_relations.
    """
    variables = {"entityNames": list(entity_types or DEFAULT_TYPES), "threshold": threshold, "size": limit}
    record = await _ask_any(api, SIMILAR, entity_id, variables)
    entity = _entity_of(entity_id)
    if record is None:
        return service.unknown(entity, entity_id)
    owner = _owner(entity, record)
    shown = [_neighbour(row) for row in record["similarEntities"] if row["id"] != entity_id]
    # The service tells no total: a full list may go on below the lowest score.
    note = (
        f"The list is full: raise limit (now {limit}) to see more." if len(record["similarEntities"]) == limit else ""
    )
    return rows(
        shown,
        note=note if shown else f"Nothing lies nearer than {threshold:g}.",
        data={entity: owner, "rows": shown},
        citations=[
            cite(entity, owner["id"], owner["name"]),
            *(cite(row["entity"], row["id"], row["name"] or "") for row in shown if row["entity"] in service.KINDS),
        ],
    )


def _neighbour(row: Json) -> Json:
    record = row.get("object") or {}
    kind = str(record.get("__typename") or row["category"]).lower()
    name = record.get("approvedSymbol") or record.get("diseaseName") or record.get("drugName")
    more = {key: record[key] for key in ("approvedName", "maximumClinicalStage") if record.get(key)}
    return {"id": row["id"], "entity": kind, "name": name, "score": row["score"], **more}
