"""What each tool of PubTator3 is asked by its example, and what the services answer: a hit, nothing, an unknown id."""

from dataclasses import dataclass
from typing import Any

from mcp_server.platforms.pubtator3 import platform
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
SEARCH, LOOKUP, RELATIONS = "/pubtator3-api/search/", "/entity/autocomplete/", "/pubtator3-api/relations"
EXPORT, SUMMARIES = "/publications/export/biocjson", "/esummary.fcgi"
CFS, TRAMETINIB, MAP2K7 = "@DISEASE_Fatigue_Syndrome_Chronic", "@CHEMICAL_trametinib", "@GENE_MAP2K7"
PUBLICATIONS = "/variant/get/litvar%40rs113488022%23%23/publications"
NO_ENTITY = {LOOKUP: Played([])}


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return dict(TOOLS[self.tool].example)


def entity_row(entity: str, name: str, db: str, db_id: str, synonym: str = "", **more: Json) -> Json:
    """Return one row of the look-up of names."""
    match = f"Matched on synonyms <m>{synonym}</m>" if synonym else f"Matched on name <m>{name}</m>"
    kind = entity[1:].partition("_")[0].lower()
    return {"_id": entity, "biotype": kind, "db_id": db_id, "db": db, "name": name, "match": match, **more}


def hit(pmid: int, title: str, date: str = "2021-06-01", marked: str = "", **more: Json) -> Json:
    """Return one hit of a search."""
    names = {"_id": str(pmid), "pmid": pmid, "title": title, "journal": "Anticancer Res", "score": 253.3}
    return {**names, "date": f"{date}T00:00:00Z", "text_hl": marked or title, **more}


def hits(*found: Json, count: int | None = None, page: int = 1, facets: Json = None) -> Played:
    """Return one page of a search."""
    total = len(found) if count is None else count
    sizes = {"page_size": 10, "current": page, "count": total, "total_pages": -(-total // 10)}
    return Played({"results": list(found), "facets": {"facet_fields": facets} if facets else {}, **sizes})


def mention(text: str, start: int, kind: str, identifier: str, **more: Json) -> Json:
    """Return one annotation of a passage."""
    infons = {"type": kind, "identifier": identifier, "valid": True, **more}
    return {"id": "1", "infons": infons, "text": text, "locations": [{"offset": start, "length": len(text)}]}


def passage(text: str, *annotations: Json, offset: int = 0, **infons: Json) -> Json:
    """Return one passage of an annotated article."""
    return {"infons": infons, "offset": offset, "text": text, "annotations": list(annotations), "relations": []}


def document(number: str, *passages: Json, relations: Json = (), shown: Json = (), **more: Json) -> Json:
    """Return one annotated article."""
    head = {"_id": f"{number}|None", "id": number, "pmid": int(number), "pmcid": None, "journal": "N Engl J Med"}
    lists = {"relations": list(relations), "relations_display": [{"name": name} for name in shown]}
    return {**head, "date": "2012-07-12T00:00:00Z", "passages": list(passages), **lists, **more}


def export(*documents: Json) -> Played:
    """Return the answer of an export."""
    return Played({"PubTator3": list(documents)})


def relation(kind: str, score: str, one: str, other: str) -> Json:
    """Return a relation of an annotated article, in its own words."""
    return {"infons": {"type": kind, "score": score, "role1": {"accession": one}, "role2": {"accession": other}}}


def summaries(*rows: Json) -> Played:
    """Return short records of PubMed."""
    return Played({"result": {"uids": [row["uid"] for row in rows], **{row["uid"]: row for row in rows}}})


def refused(detail: Json) -> Played:
    """Return a refusal in one of the services' forms."""
    return Played(detail if isinstance(detail, list) else {"detail": detail}, 400)


MEK = mention("MEK", 23, "Gene", "5609", accession=MAP2K7, name="MAP2K7", database="ncbi_gene", normalized_id=5609)
BRAF = mention("BRAF", 41, "Gene", "673", accession="@GENE_BRAF", name="BRAF", database="ncbi_gene", normalized_id=673)
DRUG = mention(
    "trametinib", 64, "Chemical", "MESH:C560077", accession=TRAMETINIB, name="trametinib", database="ncbi_mesh",
    normalized_id="C560077",
)  # fmt: skip
SECOND_MEK = mention("MEK", 78, "Gene", "5609", accession=MAP2K7, name="MAP2K7", normalized_id=5609)
FLAHERTY = document(
    "22663011",
    passage("Improved survival with MEK inhibition in BRAF-mutated melanoma.", MEK, BRAF, type="title"),
    passage("trametinib is MEK's inhibitor. A second sentence says less.", DRUG, SECOND_MEK, offset=64,
            type="abstract"),
    relations=[relation("Negative_Correlation", "0.9988", TRAMETINIB, MAP2K7),
               relation("Association", "0.9", MAP2K7, "@GENE_BRAF")],
    shown=[f"negative_correlate|{TRAMETINIB}|{MAP2K7}", f"associate|{MAP2K7}|@GENE_BRAF"],
)  # fmt: skip
V600E = {
    "_id": "litvar@rs113488022##", "rsid": "rs113488022", "gene": ["BRAF"], "name": "p.V600E", "hgvs": "p.V600E",
    "pmids_count": 21820, "data_clinical_significance": ["pathogenic", "drug-response"], "match": "<m>p.V600E</m>",
}  # fmt: skip
CFS_ROW = entity_row(CFS, "Fatigue Syndrome Chronic", "ncbi_mesh", "D015673")
FLAHERTY_HIT = hit(22663011, "Improved survival with MEK inhibition in BRAF-mutated melanoma.", "2012-07-12")

CASES = [
    Case("find_entity",
         {f"{LOOKUP}?query=BRCA1&limit=3": Played([entity_row("@GENE_BRCA1", "BRCA1", "ncbi_gene", "672")])},
         NO_ENTITY, None),
    Case("search_literature", {f"{SEARCH}?text={CFS}&page=1": hits(hit(35046929, "The Gut Microbiome"))},
         {SEARCH: hits(), LOOKUP: Played([CFS_ROW])}, {SEARCH: hits(), **NO_ENTITY}),
    Case("find_relations",
         {f"{RELATIONS}?e1={CFS}": Played(
             [{"type": "treat", "source": "@CHEMICAL_Hydrocortisone", "target": CFS, "publications": 47}])},
         {RELATIONS: Played([]), f"{LOOKUP}?query=Fatigue Syndrome Chronic&concept=DISEASE": Played([CFS_ROW])},
         {RELATIONS: Played([]), **NO_ENTITY}),
    Case("get_relation_evidence",
         {f"{SEARCH}?text=relations:ANY|{TRAMETINIB}|{MAP2K7}": hits(FLAHERTY_HIT),
          f"{EXPORT}?pmids=22663011": export(FLAHERTY)},
         {SEARCH: hits(),
          f"{LOOKUP}?query=trametinib": Played([entity_row(TRAMETINIB, "trametinib", "ncbi_mesh", "C560077")]),
          f"{LOOKUP}?query=MAP2K7": Played([entity_row(MAP2K7, "MAP2K7", "ncbi_gene", "5609")])},
         {SEARCH: hits(), **NO_ENTITY}),
    Case("get_annotations", {f"{EXPORT}?pmids=22663011": export(FLAHERTY)}, None,
         {EXPORT: refused("Could not retrieve publications")}),
    Case("search_sentences",
         {"/litsense2-api/api/sentences/?query=Hirschsprung disease&rerank=true": Played(
             [{"pmid": 12939702, "pmcid": None, "text": "One stage.", "score": 0.79, "section": "abstract"}])},
         {"/sentences/": Played([])}, None),
    Case("find_literature_variant", {"/variant/autocomplete/?query=BRAF V600E": Played([V600E])},
         {"/variant/autocomplete/": Played([])}, None),
    Case("get_variant_publications",
         {PUBLICATIONS: Played({"pmids": [32768003], "pmcids": ["PMC1"], "pmids_count": 1}),
          SUMMARIES: summaries({"uid": "32768003", "title": "A paper.", "source": "Lancet"})},
         {PUBLICATIONS: Played({"pmids": [], "pmcids": [], "pmids_count": 0})},
         {PUBLICATIONS: refused("Variant not found: litvar@rs113488022##")}),
    Case("list_gene_variants_in_literature",
         {"/variant/search/gene/BRAF": Played("{'_id': 'litvar@rs9648716##', 'pmids_count': 15}\n")},
         {"/search/gene/BRAF": Played(""), LOOKUP: Played([entity_row("@GENE_BRAF", "BRAF", "ncbi_gene", "673")])},
         {"/search/gene/BRAF": Played(""), **NO_ENTITY}),
]  # fmt: skip
