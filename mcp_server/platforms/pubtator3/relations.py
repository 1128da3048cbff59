"""Relations between entities: which there are, with counts of articles, and the articles behind one."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from mcp_server.args import Limit
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.pubtator3.articles import article, slice_of_hits
from mcp_server.platforms.pubtator3.base import (
    HOST,
    MACHINE,
    EntityText,
    Offset,
    asked_list,
    entity_id,
    page,
    platform,
    search_page,
    type_of,
    unknown_entity,
)
from mcp_server.platforms.pubtator3.documents import Document, abstracts, relations, sentences_with
from mcp_server.tool import Arg, Cite

Json = Any

RelationType = Literal[
    "treat", "cause", "cotreat", "convert", "compare", "interact", "associate", "positive_correlate",
    "negative_correlate", "prevent", "inhibit", "stimulate", "drug_interact",
]  # fmt: skip
TargetType = Literal["gene", "disease", "chemical", "variant"]


@platform.tool(
    example={"entity": "@DISEASE_Fatigue_Syndrome_Chronic"},
    asks=(
        "which drugs treat a disease according to papers",
        "what inhibits or activates a gene",
        "chemical-disease relations",
        "drug interactions mined from the literature",
        "cause and effect links",
    ),
)
async def find_relations(
    api: Api,
    entity: EntityText,
    relation: Annotated[RelationType | None, Arg("Only relations of this type.", "treat")] = None,
    target_type: Annotated[TargetType | None, Arg("Only relations to entities of this kind.", "chemical")] = None,
    limit: Limit = 25,
    offset: Offset = 0,
) -> Answer:
    """Find what the literature relates to a gene, disease, chemical or variant: typed relations (treat, inhibit, cause
    ...) with the other entity and the number of articles, most articles first. The articles of one relation:
    get_relation_evidence.

    Rows: type, source, target (the relation goes from source to target; the entity may be either), publications.
    """
    known = await entity_id(api, "entity", entity)
    listed = await asked_list(api, "/relations", {"e1": known, "type": relation, "e2": target_type})
    if odd := next((row for row in listed if known not in (row.get("source"), row.get("target"))), None):
        raise UpstreamBadResponse(HOST, f"asked for relations of {known}, it sent {odd}")
    found = [row for row in listed if _fits(row, known, relation, target_type)]
    if listed and not found:
        raise UpstreamBadResponse(HOST, f"none of its {len(listed)} relations is of the type and kind asked for")
    if not found:
        return await unknown_entity(api, known) or empty(_none(known, relation, target_type), {"entity": known})
    found.sort(key=lambda row: -int(row.get("publications") or 0))
    citations = [Citation("pubtator3", known, "", search_page(known))]
    return page(found, limit, offset, {"entity": known}, "relations", MACHINE, citations)


def _fits(row: Json, entity: str, relation: str | None, target_type: str | None) -> bool:
    other = row.get("target") if row.get("source") == entity else row.get("source")
    is_kind = target_type is None or type_of(str(other)) == target_type
    return is_kind and relation in (None, row.get("type"))


def _none(entity: str, relation: str | None, target_type: str | None) -> str:
    what = " ".join(part for part in ("relation", relation and f"of type {relation}") if part)
    to = f" to a {target_type}" if target_type else ""
    return f"PubTator3 lists no {what}{to} for {entity}."


@platform.tool(
    example={"entity_1": "@CHEMICAL_trametinib", "entity_2": "@GENE_MAP2K7", "limit": 1},
    cites=Cite("pmid", ".articles[]", ".pmid", ".title"),
    asks=(
        "sentences that say a drug inhibits a gene",
        "papers behind a relation",
        "evidence that a chemical causes a disease",
        "sentences linking a drug to a disease",
    ),
)
async def get_relation_evidence(
    api: Api,
    entity_1: EntityText,
    entity_2: EntityText,
    relation: Annotated[RelationType | None, Arg("Only relations of this type.", "inhibit")] = None,
    limit: Annotated[int, Arg("How many articles at most.", minimum=1, maximum=10)] = 5,
    offset: Offset = 0,
) -> Answer:
    """Get the articles that state a relation between two entities, with the sentences of the abstract that name both,
    the extracted relation and its score. Which relations there are: find_relations. Sentences on any statement:
    search_sentences.

    A relation found in the full text only has no sentences here; get_annotations reads full texts.
    """
    first, second = await entity_id(api, "entity_1", entity_1), await entity_id(api, "entity_2", entity_2)
    if first == second:
        raise InvalidArguments("entity_2", f"it is the same entity as entity_1: {first}", "@DISEASE_Melanoma")
    text = f"relations:{relation or 'ANY'}|{first}|{second}"
    hits, start = await slice_of_hits(api, text, offset, limit)
    asked_for = {"entity_1": first, "entity_2": second, "relation": relation or "any"}
    if not start["count"]:
        for known in (first, second):
            if unknown := await unknown_entity(api, known):
                return unknown
        return empty(f"PubTator3 has no article for {text}.", {**asked_for, "articles": []})
    listed = [article(hit) for hit in hits]
    found = await abstracts(api, [row["pmid"] for row in listed]) if listed else {}
    articles = [_evidence(row, found.get(row["pmid"]), first, second) for row in listed]
    end = offset + len(articles)
    return Answer(
        {**asked_for, "count": start["count"], "articles": articles},
        ResultOutcome.DATA if articles else ResultOutcome.EMPTY,
        total=start["count"],
        returned=len(articles),
        next={"offset": end} if articles and end < start["count"] else None,
        note=MACHINE if articles else f"There are only {start['count']}; offset {offset} lies behind the last.",
    )


def _evidence(hit: Mapping[str, Json], document: Document | None, first: str, second: str) -> Json:
    """Join a hit with what its abstract says of both entities."""
    names = ("pmid", "pmcid", "doi", "title", "first_author", "journal", "date")
    row = {name: hit[name] for name in names if name in hit}
    if document is None:
        return {**row, "snippet": hit.get("snippet"), "abstract_annotated": False}
    both = [one for one in relations(document) if {one.get("source"), one.get("target")} == {first, second}]
    sentences = sentences_with(document, first, second)
    # What only the full text says shows in the snippet of the search.
    rest = {} if sentences else {"snippet": hit.get("snippet")}
    return {**row, "relations": both, "sentences": sentences, **rest}
