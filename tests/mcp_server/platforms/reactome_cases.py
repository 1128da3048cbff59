"""What each tool of Reactome is asked by its example, and what Reactome answers: a hit, nothing, an unknown id."""

from dataclasses import dataclass, field
from typing import Any

from mcp_server.platforms.reactome import platform
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
NOT_FOUND = Played({"code": 404, "reason": "NOT_FOUND", "messages": ["No entry found"]}, 404)
MAIN_SPECIES = Played(
    [
        {"dbId": 48887, "displayName": "Homo sapiens", "taxId": "9606", "abbreviation": "HSA"},
        {"dbId": 48892, "displayName": "Mus musculus", "taxId": "10090", "abbreviation": "MMU"},
        {"dbId": 48898, "displayName": "Bos taurus", "taxId": "9913", "abbreviation": "BTA"},
    ]
)


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None
    arguments: dict[str, Json] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return self.arguments or dict(TOOLS[self.tool].example)


def event(st_id: str, name: str, kind: str = "Pathway", species: str = "Homo sapiens", **more: Json) -> Json:
    """Return an event in the shape of the graph routes."""
    number = int(st_id.rpartition("-")[2])
    names = {"dbId": number, "stId": st_id, "displayName": name, "schemaClass": kind, "speciesName": species}
    return {**names, "isInDisease": False, "isInferred": False, **more}


def record(st_id: str, kind: str = "Pathway") -> dict[str, Played]:
    """Return the answer of the look-up that tells a known id from an unknown one."""
    return {f"/data/query/{st_id}": Played(event(st_id, "x", kind))}


def unknown(st_id: str) -> dict[str, Played]:
    """Return the same look-up for an id that nobody has."""
    return {f"/data/query/{st_id}": NOT_FOUND}


def protein(accession: str, gene: str) -> Json:
    """Return a reference protein as participants hold it."""
    return {
        "stId": f"uniprot:{accession}",
        "identifier": accession,
        "schemaClass": "ReferenceGeneProduct",
        "displayName": f"UniProt:{accession} {gene}",
    }


def search_hit(st_id: str, name: str, kind: str = "Pathway", **more: Json) -> Json:
    """Return one entry of a search."""
    marked = f'<span class="highlighting" >{name}</span>'
    names = {"stId": st_id, "id": st_id, "name": marked, "exactType": kind, "species": ["Homo sapiens"]}
    return {**names, "isDisease": False, **more}


def search_hits(*entries: Json, kind: str = "Pathway") -> Played:
    """Return the answer of a search."""
    group = {"typeName": kind, "entriesCount": len(entries), "rowCount": len(entries), "entries": list(entries)}
    return Played({"results": [group], "numberOfMatches": len(entries)})


def analysed(*pathways: Json, found: int | None = None, **settings: Json) -> Played:
    """Return an analysis."""
    summary = {"token": "MjAyNjA5MjUxOTM5MzNfMTY%3D", "type": "OVERREPRESENTATION", "projection": True}
    summary |= {"interactors": False, "includeDisease": True, **settings}
    total = len(pathways) if found is None else found
    return Played(
        {
            "summary": summary,
            "identifiersNotFound": 1,
            "pathwaysFound": total,
            "pathways": list(pathways),
            "warnings": [],
        }
    )


def enriched(st_id: str, name: str, total: int, found: int, p: float, fdr: float) -> Json:
    """Return one pathway of an analysis."""
    entities = {"resource": "TOTAL", "total": total, "found": found, "ratio": 0.005, "pValue": p, "fdr": fdr, "exp": []}
    species = {"dbId": 48887, "taxId": "9606", "name": "Homo sapiens"}
    return {"stId": st_id, "name": name, "species": species, "entities": entities, "inDisease": False}


EXPRESSION = enriched("R-HSA-6804754", "Regulation of TP53 Expression", 4, 2, 2.18e-06, 0.000233)
REPAIR = enriched("R-HSA-6796648", "TP53 Regulates Transcription of DNA Repair Genes", 86, 4, 5.4e-08, 1.4e-05)
TOKEN = "MjAyNjA5MjUxOTM5MzNfMTY%3D"
NOXA = event("R-HSA-111448", "Activation of NOXA and translocation to mitochondria")
PUMA = event("R-HSA-139915", "Activation of PUMA and translocation to mitochondria")
CYCLE = event("R-HSA-1640170", "Cell Cycle", "TopLevelPathway", hasDiagram=True)
CHECKPOINTS = event("R-HSA-69620", "Cell Cycle Checkpoints")
TP53_ACTIVITY = event("R-HSA-5633007", "Regulation of TP53 Activity", hasDiagram=True, stIdVersion="R-HSA-5633007.6")
GLYCOLYSIS_STEP = event(
    "R-HSA-5696021", "ADPGK:Mg2+ phosphorylates Glc to G6P", "Reaction", category="transition",
    input=[event("R-ALL-113582", "ADP [cytosol]", "SimpleEntity"), 113582], output=[],
    catalystActivity=[{"displayName": "kinase", "activity": {"accession": "0043843", "displayName": "ADP-specific"}}],
)  # fmt: skip
ATP = {
    **event("R-ALL-29358", "ATP [nucleoplasm]", "SimpleEntity"),
    "name": ["ATP", "Adenosine 5'-triphosphate", "ATP(4-)"],
    "compartment": [{"dbId": 7660, "displayName": "nucleoplasm"}],
    "referenceEntity": {"stId": "chebi:30616", "databaseName": "ChEBI", "identifier": "30616"},
}
WORM = event("R-CEL-72689", "Formation of a pool of free 40S subunits", species="Caenorhabditis elegans")
TALK1 = event("R-HSA-1299275", "TALK1 homomer [plasma membrane]", "Complex")
PARTNER = {"acc": "P04637", "alias": "TP53", "score": 0.98, "evidences": 9}
NO_PARTNERS = {"resource": "static", "entities": [{"acc": "Q13501", "count": 0, "interactors": []}]}
INTERACTIONS = "/interactors/static/molecule/"

CASES = [
    Case("map_identifier_to_pathways", {"/data/mapping/UniProt/P04637/pathways?species=9606": Played([NOXA, PUMA])},
         {"/P04637/pathways": NOT_FOUND, "/references/mapping/P04637": Played([{"dbId": 1}])},
         {"/P04637/pathways": NOT_FOUND, "/references/mapping/P04637": NOT_FOUND}),
    Case("search", {"/search/query": search_hits(search_hit("R-HSA-5683057", "MAPK family signaling cascades"))},
         {"/search/query": NOT_FOUND, "/search/spellcheck": NOT_FOUND, "/search/suggest": NOT_FOUND}, None),
    Case("get_pathway", {"/data/query/R-HSA-5633007": Played(TP53_ACTIVITY)}, None, unknown("R-HSA-5633007")),
    Case("get_reaction", {"/enhanced/v2/R-HSA-5696021": Played(GLYCOLYSIS_STEP)}, None,
         {"/enhanced/v2/R-HSA-5696021": NOT_FOUND}),
    Case("get_pathway_participants",
         {"/participants/R-HSA-5633007": Played([{"peDbId": 1, "refEntities": [protein("Q8N9N5", "BANP")]}])},
         {"/participants/R-HSA-5633007": NOT_FOUND, **record("R-HSA-5633007")},
         {"/participants/R-HSA-5633007": NOT_FOUND, **unknown("R-HSA-5633007")}),
    Case("get_contained_events",
         {"/R-HSA-5673001/containedEvents": Played([event("R-HSA-5672965", "RAF activation", "Reaction"), 5672965])},
         {"/R-HSA-5673001/containedEvents": NOT_FOUND, **record("R-HSA-5673001")},
         {"/R-HSA-5673001/containedEvents": NOT_FOUND, **unknown("R-HSA-5673001")}),
    Case("get_event_ancestors", {"/event/R-HSA-69620/ancestors": Played([[CHECKPOINTS, CYCLE]])},
         {"/event/R-HSA-69620/ancestors": NOT_FOUND, **record("R-HSA-69620")},
         {"/event/R-HSA-69620/ancestors": NOT_FOUND, **unknown("R-HSA-69620")}),
    Case("get_pathway_hierarchy",
         {"/event/R-HSA-1640170/in-depth?maxDepth=1": Played({**CYCLE, "hasEvent": [CHECKPOINTS]})},
         {"/event/R-HSA-1640170/in-depth": Played(CYCLE)},
         {"/event/R-HSA-1640170/in-depth": NOT_FOUND, **unknown("R-HSA-1640170")}),
    Case("get_entity", {"/data/query/enhanced/R-ALL-29358": Played(ATP)}, None,
         {"/data/query/enhanced/R-ALL-29358": NOT_FOUND}),
    Case("get_pathways_for_entity", {"/pathways/low/entity/R-CEL-72410?species=6239": Played([WORM])},
         {"/entity/R-CEL-72410": NOT_FOUND, **record("R-CEL-72410", "EntityWithAccessionedSequence")},
         {"/entity/R-CEL-72410": NOT_FOUND, **unknown("R-CEL-72410")}),
    Case("get_reactions_for_entity",
         {"/enhanced/v2/R-HSA-69488": Played({
             **event("R-HSA-69488", "TP53 [nucleoplasm]", "EntityWithAccessionedSequence"),
             "consumedByEvent": [event("R-HSA-6804876", "TP53 binds a partner", "Reaction")]})},
         {"/enhanced/v2/R-HSA-69488": Played(event("R-HSA-69488", "x", "Complex"))},
         {"/enhanced/v2/R-HSA-69488": NOT_FOUND}),
    Case("get_complex_subunits", {"/complex/R-HSA-1299275/subunits": Played([TALK1])},
         {"/R-HSA-1299275/subunits": NOT_FOUND, **record("R-HSA-1299275", "Complex")},
         {"/R-HSA-1299275/subunits": NOT_FOUND, **unknown("R-HSA-1299275")}),
    Case("find_complexes_with", {"/data/complexes/UniProt/O14746": Played([TALK1])},
         {"/complexes/UniProt/O14746": NOT_FOUND, "/references/mapping/O14746": Played([{"dbId": 1}])},
         {"/complexes/UniProt/O14746": NOT_FOUND, "/references/mapping/O14746": NOT_FOUND}),
    Case("get_entity_forms",
         {"/entity/R-HSA-69487/otherForms": Played([event("R-HSA-69488", "TP53 [cytosol]", "Complex")]),
          "/entity/R-HSA-69487/componentOf": Played([{
              "type": "hasEvent", "names": ["Glycolysis"], "schemaClasses": ["Pathway"], "stIds": ["R-HSA-70171"]}])},
         {"/otherForms": NOT_FOUND, "/componentOf": NOT_FOUND, **record("R-HSA-69487", "Complex")},
         {"/otherForms": NOT_FOUND, "/componentOf": NOT_FOUND, **unknown("R-HSA-69487")}),
    Case("get_objects_batch",
         {"/data/query/ids": Played([event("R-HSA-191273", "Cholesterol biosynthesis"), ATP])}, None,
         {"/data/query/ids": NOT_FOUND}),
    Case("get_orthologous_event",
         {"/species/main": MAIN_SPECIES, "/orthologies/ids/species/48892": Played(
             {"R-HSA-5633007": event("R-MMU-5633007", "Regulation of TP53 Activity", species="Mus musculus")})},
         {"/species/main": MAIN_SPECIES, "/species/48892": NOT_FOUND, "/data/query/ids": Played([TP53_ACTIVITY])},
         {"/species/main": MAIN_SPECIES, "/species/48892": NOT_FOUND, "/data/query/ids": NOT_FOUND}),
    Case("get_disease_pathways",
         {"/search/query": search_hits(search_hit("R-HSA-5678895", "Defective CFTR", isDisease=True)),
          "/data/diseases": Played([{"displayName": "cystic fibrosis", "identifier": "1485", "databaseName": "DOID"}]),
          "/data/query/enhanced/R-HSA-5678895": Played({
              **event("R-HSA-5678895", "Defective CFTR causes cystic fibrosis"),
              "disease": [{"displayName": "cystic fibrosis", "identifier": "1485", "databaseName": "DOID"}]})},
         {"/search/query": NOT_FOUND, "/data/diseases": Played([])}, None),
    Case("get_interactors",
         {f"{INTERACTIONS}Q13501/details": Played({"entities": [{"acc": "Q13501", "interactors": [PARTNER]}]})},
         {"/Q13501/details": Played(NO_PARTNERS), "/references/mapping/Q13501": Played([{"dbId": 1}])},
         {"/Q13501/details": Played(NO_PARTNERS), "/references/mapping/Q13501": NOT_FOUND}),
    Case("get_interactor_pathways",
         {f"{INTERACTIONS}Q13501/pathways?species=9606&onlyDiagrammed=false": Played([NOXA])},
         {"/Q13501/pathways": NOT_FOUND, "/references/mapping/Q13501": Played([{"dbId": 1}])},
         {"/Q13501/pathways": NOT_FOUND, "/references/mapping/Q13501": NOT_FOUND}),
    Case("get_diagram_image",
         {"/data/query/R-HSA-418594": Played(event("R-HSA-418594", "G alpha (i) signalling events", hasDiagram=True))},
         {**record("R-HSA-418594"), "/R-HSA-418594/ancestors": Played([[CHECKPOINTS]])}, unknown("R-HSA-418594")),
    Case("get_pathway_model", record("R-HSA-6806003"), None, unknown("R-HSA-6806003")),
    Case("get_pathway_citation",
         {"/data/query/R-HSA-1430728": Played(
             event("R-HSA-1430728", "Metabolism", "TopLevelPathway", doi="10.3180/R-HSA-1430728.15")),
          "/citation/pathway/R-HSA-1430728?dateAccessed=2026-11-30": Played({"pathwayCitation": "Metabolism. 2026."})},
         None, unknown("R-HSA-1430728")),
    Case("analyze_identifiers", {"/identifiers/projection?includeDisease=true": analysed(EXPRESSION, found=188)},
         {"/identifiers/projection": analysed()}, None),
    Case("get_analysis_page", {f"/token/{TOKEN}?page=2": analysed(REPAIR, found=188)},
         {f"/token/{TOKEN}": analysed()}, {f"/token/{TOKEN}": NOT_FOUND}),
    Case("get_analysis_found",
         {"/found/all/R-HSA-6804754": Played(
             {"entities": [{"id": "TP53", "mapsTo": [{"resource": "UNIPROT", "ids": ["P04637"]}]}]})},
         {"/found/all/R-HSA-6804754": Played({"entities": []})}, {"/found/all/R-HSA-6804754": NOT_FOUND}),
    Case("compare_species",
         {"/species/main": MAIN_SPECIES,
          "/species/homoSapiens/48892?pageSize=5": analysed(REPAIR, type="SPECIES_COMPARISON")},
         {"/species/main": MAIN_SPECIES, "/homoSapiens/48892": analysed()}, None),
    Case("gene_pathway_profile",
         {"/mapping/UniProt/P04626/pathways": Played([CHECKPOINTS]), "/complexes/UniProt/P04626": NOT_FOUND,
          "/P04626/details": Played({"entities": [{"acc": "P04626", "interactors": [PARTNER]}]}),
          "/R-HSA-69620/ancestors": Played([[CHECKPOINTS, CYCLE]])},
         None,
         {"/mapping/UniProt/P04626/pathways": NOT_FOUND, "/complexes/UniProt/P04626": NOT_FOUND,
          "/P04626/details": Played({"entities": [{"acc": "P04626", "interactors": []}]})}),
    Case("shared_pathways",
         {"/mapping/UniProt/P04637/pathways": Played([NOXA, TP53_ACTIVITY]),
          "/mapping/UniProt/Q00987/pathways": Played([TP53_ACTIVITY]),
          "/participants/R-HSA-5633007/referenceEntities": Played([{"dbId": 1}, {"dbId": 2}])},
         {"/UniProt/P04637/pathways": Played([NOXA]), "/UniProt/Q00987/pathways": Played([PUMA])},
         {"/UniProt/P04637/pathways": NOT_FOUND, "/UniProt/Q00987/pathways": NOT_FOUND}),
]  # fmt: skip
