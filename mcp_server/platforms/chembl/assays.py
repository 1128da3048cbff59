"""Where the data come from: assays, documents, cell lines and tissues, and what an id is."""

import re
from typing import Annotated, Literal

from mcp_server.args import ChemblId, Limit, Offset, Pmid
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.chembl.service import (
    PAGES,
    AssayType,
    ChemblAssayId,
    ChemblTargetId,
    Json,
    Organism,
    at_least,
    check,
    check_all,
    cite,
    cite_target,
    collection,
    contains,
    kept,
    next_page,
    nothing,
    one_of,
    platform,
    record,
    unknown,
)
from mcp_server.tool import Arg

ASSAY_FIELDS = (
    "assay_chembl_id", "description", "assay_type", "assay_type_description", "assay_category", "assay_organism",
    "assay_tax_id", "assay_strain", "assay_tissue", "tissue_chembl_id", "assay_cell_type", "cell_chembl_id",
    "assay_subcellular_fraction", "assay_test_type", "assay_parameters", "assay_classifications", "bao_label",
    "target_chembl_id", "confidence_score", "confidence_description", "relationship_type",
    "relationship_description", "document_chembl_id",
)  # fmt: skip
DOCUMENT_FIELDS = (
    "document_chembl_id", "doc_type", "title", "authors", "journal", "year", "volume", "issue", "first_page",
    "last_page", "pubmed_id", "doi", "doi_chembl", "patent_id", "abstract",
)  # fmt: skip
# The ontologies by the beginning of an id; the two kinds write ids of EFO differently.
CELL_ONTOLOGIES = {"CVCL": ("cellosaurus_id", "_"), "EFO": ("efo_id", "_"), "CLO": ("clo_id", "_")}
TISSUE_ONTOLOGIES = {
    "UBERON": ("uberon_id", ":"), "BTO": ("bto_id", ":"), "EFO": ("efo_id", ":"), "TS": ("caloha_id", "-"),
}  # fmt: skip
KINDS = {
    "cell_line": ("cell_line", "cell_lines", "cell_name", "cell_chembl_id", "CELL", CELL_ONTOLOGIES),
    "tissue": ("tissue", "tissues", "pref_name", "tissue_chembl_id", "TISSUE", TISSUE_ONTOLOGIES),
}


def _assay(row: Json) -> dict[str, Json]:
    short = kept(row, *ASSAY_FIELDS)
    if row.get("variant_sequence"):
        # The whole protein sequence hangs here.
        short["variant_sequence"] = {k: v for k, v in row["variant_sequence"].items() if k != "sequence"}
    return short


def _cited_assays(assays: list[dict[str, Json]]) -> list[Citation]:
    cited = [cite("ASSAY", assay["assay_chembl_id"], assay.get("description", "")[:120]) for assay in assays]
    targets = dict.fromkeys(assay["target_chembl_id"] for assay in assays if assay.get("target_chembl_id"))
    return [*cited, *(cite_target(target_id) for target_id in targets)]


@platform.tool(
    example={"assay_chembl_id": "CHEMBL615159"},
    asks=(
        "what was measured in this assay",
        "details of an experiment by CHEMBL assay id",
        "assay conditions, organism and confidence score",
    ),
)
async def get_assay(api: Api, assay_chembl_id: ChemblAssayId) -> Answer:
    """Get one ChEMBL assay: description, type, species, tissue, target, confidence of the target, document. For its
    measurements use get_bioactivities; a PubChem assay has an AID instead.
    """
    assay = await record(api, f"/assay/{assay_chembl_id}.json")
    if assay is None:
        return await unknown(api, assay_chembl_id, "assay")
    check([assay], "assay_chembl_id", assay_chembl_id)
    short = _assay(assay)
    return Answer(short, citations=_cited_assays([short]))


@platform.tool(
    example={"target_chembl_id": "CHEMBL4430", "assay_type": "B"},
    asks=(
        "assays run on a cell line or target",
        "cell viability, cytotoxicity experiments",
        "binding or functional assays for a protein",
        "ADME assays in ChEMBL",
    ),
)
async def search_assays(
    api: Api,
    target_chembl_id: ChemblTargetId | None = None,
    text: Annotated[str, Arg("Words that stand in the description, in this order.", "microsome")] | None = None,
    cell_chembl_id: Annotated[
        str, Arg("ChEMBL id of a cell line.", "CHEMBL3307686", r"^CHEMBL\d+$", normalise=str.upper)
    ]
    | None = None,
    assay_type: AssayType | None = None,
    assay_organism: Organism | None = None,
    min_confidence: Annotated[
        int, Arg("Lowest confidence in the target: 9 direct single protein, 0 none.", 8, minimum=0, maximum=9)
    ]
    | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Search ChEMBL assays by target, words, cell line, type, species and confidence. Needs target, text or cell line.
    Gives descriptions, not measurements: for those use get_bioactivities.
    """
    if not (target_chembl_id or text or cell_chembl_id):
        raise InvalidArguments("target_chembl_id", "give a target, words or a cell line", "CHEMBL203")
    wanted = {
        "target_chembl_id": target_chembl_id,
        "cell_chembl_id": cell_chembl_id,
        "assay_type": assay_type,
        "assay_organism": assay_organism,
    }
    parameters = {
        **wanted,
        "description__icontains": text,
        "confidence_score__gte": min_confidence,
        "order_by": "assay_chembl_id",
        "limit": limit,
        "offset": offset,
    }
    found, total = await collection(api, "assay", "assays", parameters)
    for name, value in wanted.items():
        if value:
            check(found, name, value)
    if text:
        check_all(found, "description", text, contains(text))
    if min_confidence is not None:
        check_all(found, "confidence_score", f"of at least {min_confidence}", at_least(min_confidence))
    if not found and not total and target_chembl_id:
        return await nothing(api, target_chembl_id, "target", f"ChEMBL has no such assay on {target_chembl_id}.")
    assays = [_assay(row) for row in found]
    return rows(
        assays,
        total=total,
        next=next_page(offset, len(assays), total),
        note="" if assays else "ChEMBL has no assay that fits all of this.",
        citations=_cited_assays(assays),
    )


def _cited_document(document: Json) -> list[Citation]:
    title = document.get("title") or ""
    cited = [cite("DOCUMENT", document["document_chembl_id"], title)]
    if document.get("pubmed_id"):
        cited.append(Citation("pmid", str(document["pubmed_id"]), title))
    if document.get("doi"):
        cited.append(Citation("doi", document["doi"], title))
    return cited


@platform.tool(
    example={"document_chembl_id": "CHEMBL1614631"},
    asks=(
        "which paper does a ChEMBL data point come from",
        "publication behind an activity",
        "source article or patent of compounds",
        "compounds published in a PMID",
        "where was this value published",
    ),
)
async def get_document(
    api: Api,
    document_chembl_id: Annotated[
        str, Arg("ChEMBL id of a document.", "CHEMBL1614631", r"^CHEMBL\d+$", normalise=str.upper)
    ]
    | None = None,
    pmid: Pmid | None = None,
    doi: Annotated[str, Arg("Digital object identifier.", "10.1080/00498250400028197", r"^10\.\d{4,9}/\S+$")]
    | None = None,
) -> Answer:
    """Get the paper, patent or data set behind ChEMBL data by ChEMBL id, PMID or DOI: title, journal, year, abstract.
    To search the literature use PubMed.
    """
    given = one_of(document_chembl_id=document_chembl_id, pmid=pmid, doi=doi)
    if given == "document_chembl_id":
        document = await record(api, f"/document/{document_chembl_id}.json")
        if document is None:
            return await unknown(api, document_chembl_id or "", "document")
        check([document], "document_chembl_id", document_chembl_id)
        found, total = [document], 1
    else:
        filters = {"pubmed_id": pmid, "doi__iexact": doi}
        found, total = await collection(api, "document", "documents", {**filters, "limit": 5})
        field, wanted = ("pubmed_id", pmid) if pmid else ("doi", doi)
        check_all(found, field, wanted, lambda value: str(value).lower() == str(wanted).lower())
        if not found:
            return empty(f"ChEMBL holds no data from the paper with {field} {wanted}.")
    documents = [kept(row, *DOCUMENT_FIELDS) for row in found]
    return rows(documents, total=total, citations=[c for row in documents for c in _cited_document(row)])


def _ontology_filter(kind: str, ontology_id: str) -> tuple[str, str]:
    """Return the field that holds ids of this ontology, and the id as ChEMBL writes it there."""
    ontologies = KINDS[kind][-1]
    prefix, _, rest = re.sub(r"[:_-]", "_", ontology_id, count=1).partition("_")
    if prefix.upper() not in ontologies:
        known = ", ".join(ontologies)
        raise InvalidArguments("ontology_id", f"a {kind} has ids of {known} only", "CVCL_0417")
    field, separator = ontologies[prefix.upper()]
    return field, f"{prefix.upper()}{separator}{rest}"


@platform.tool(
    example={"kind": "cell_line", "ontology_id": "CVCL_0417"},
    asks=(
        "look up a cell line such as HeLa or MCF7",
        "CHEMBL id of a tissue",
        "Cellosaurus, BTO or UBERON id of a cell line or tissue",
    ),
)
async def search_biology_terms(
    api: Api,
    kind: Annotated[Literal["cell_line", "tissue"], Arg("What is looked for.")],
    name: Annotated[str, Arg("Part of the name.", "MDA-MB")] | None = None,
    ontology_id: Annotated[
        str, Arg("Id in Cellosaurus, CLO, EFO (cell lines), UBERON, BTO, EFO, CALOHA (tissues).", "CVCL_0417")
    ]
    | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Find cell lines or tissues in ChEMBL by name or ontology id: ChEMBL id, species, ids in other ontologies. The
    cell line's id goes into search_assays.
    """
    resource, key, name_field, id_field, entity_type, _ = KINDS[kind]
    if one_of(name=name, ontology_id=ontology_id) == "name":
        field, wanted, filters = name_field, name or "", {f"{name_field}__icontains": name}
    else:
        field, wanted = _ontology_filter(kind, ontology_id or "")
        filters = {field: wanted}
    parameters = {**filters, "order_by": id_field, "limit": limit, "offset": offset}
    found, total = await collection(api, str(resource), str(key), parameters)
    check_all(found, str(field), wanted, contains(wanted))
    return rows(
        found,
        total=total,
        next=next_page(offset, len(found), total),
        note="" if found else f"ChEMBL has no {kind.replace('_', ' ')} for {wanted!r}.",
        citations=[cite(str(entity_type), row[id_field], row.get(name_field)) for row in found],
    )


@platform.tool(
    example={"chembl_id": "CHEMBL1"},
    asks=(
        "what is this CHEMBL number",
        "is it a molecule, target or assay",
        "was this ChEMBL record retired or deleted",
    ),
)
async def lookup_chembl_id(api: Api, chembl_id: ChemblId) -> Answer:
    """Tell what kind of record a ChEMBL id names (compound, target, assay, document …) and whether it is active.
    Retired ids say the last release that held them.
    """
    entry = await record(api, f"/chembl_id_lookup/{chembl_id}.json")
    if entry is None:
        return unknown_id(chembl_id, f"ChEMBL never gave out {chembl_id}.")
    check([entry], "chembl_id", chembl_id)
    short = kept(entry, "chembl_id", "entity_type", "status", "last_active")
    retired = entry.get("status") not in (None, "ACTIVE")
    note = f"ChEMBL retired this id; its last release was {entry.get('last_active')}." if retired else ""
    cited = [cite(entry["entity_type"], chembl_id)] if entry.get("entity_type") in PAGES else []
    return Answer(short, note=note, citations=cited)
