"""Ids in other databases, both ways, and terms of ontologies."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import (
    GENE_PATTERN,
    Species,
    filled,
    kept,
    known,
    matched,
    page,
    platform,
    stable_id_form,
)
from mcp_server.tool import Arg, Cite

Json = Any

StableId = Annotated[
    str,
    Arg(
        "Ensembl gene, transcript or protein id; a version suffix is ignored.",
        "ENSG00000141736",
        rf"^({GENE_PATTERN}|ENS[A-Z]*[TPE]\d{{11}})$",
        normalise=lambda text: stable_id_form(text).partition(".")[0],
    ),
]
ExternalDb = Annotated[str | None, Arg("Only this database, by Ensembl's name for it.", "HGNC")]
TermId = Annotated[
    str | None,
    Arg(
        "Ontology term id of GO, SO, EFO or HP; colon or underscore.",
        "SO:0001583",
        r"^[A-Za-z]+:[A-Za-z0-9]+$",
        normalise=lambda text: text.replace("_", ":", 1),
    ),
]
_TERMS = Cite("ontology_term", "[]", "accession", "name", url="https://www.ebi.ac.uk/ols4/search?q={id}")
Ontology = Annotated[
    Literal["GO", "SO", "EFO", "HP", "MP", "MONDO"] | None, Arg("Only this ontology; not with a term id.")
]


@platform.tool(
    example={"ensembl_id": "ENSG00000157764", "external_db": "HGNC"},
    asks=(
        "ENSG to Entrez",
        "other database ids of an Ensembl gene",
        "RefSeq of an ENST",
        "xrefs",
    ),
)
async def get_cross_references(
    api: Api,
    ensembl_id: StableId,
    external_db: ExternalDb = None,
    all_levels: Annotated[bool, Arg("For a gene or transcript, also those of its transcripts and proteins.")] = False,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Answer:
    """Ids in other databases (HGNC, NCBI Gene, MIM, UniProt, RefSeq) of an Ensembl gene, transcript or protein id. For
    the way back use find_by_external_id; from a symbol to all ids: myvariant__gene_resolve.

    Rows: dbname, primary_id, display_id, description, synonyms.
    """
    parameters = {"external_db": external_db, "all_levels": 1 if all_levels else None}
    found = await known(api, f"/xrefs/id/{ensembl_id}", ensembl_id, parameters)
    if found is None:
        return unknown_id(ensembl_id, f"Ensembl has no current record {ensembl_id}.")
    if not found:
        where = f"in {external_db!r}; an unknown database name gives nothing either" if external_db else "at all"
        return empty(f"{ensembl_id} has no cross reference {where}.", data=[])
    fields = ("dbname", "primary_id", "display_id", "description", "synonyms")
    references = [kept(row, fields) for row in found]
    return page(references, limit, offset, citations=[Citation("ensembl", ensembl_id)])


@platform.tool(
    example={"external_id": "HGNC:1101", "external_db": "HGNC"},
    cites=Cite("ensembl", "[]", "id"),
    asks=(
        "RefSeq NM to Ensembl",
        "which Ensembl gene has this Entrez id",
        "external accession to ENSG",
    ),
)
async def find_by_external_id(
    api: Api,
    external_id: Annotated[
        str, Arg("Id in another database, e.g. a RefSeq or UniProt accession.", "NM_000059.4", normalise=look_up_form)
    ],
    external_db: ExternalDb = None,
    object_type: Annotated[
        Literal["gene", "transcript", "translation"] | None, Arg("Only Ensembl records of this type.")
    ] = None,
    species: Species = "homo_sapiens",
) -> Answer:
    """Ensembl genes, transcripts and proteins behind a RefSeq, UniProt, HGNC or other database id, with their type.
    Not for gene symbols: for these use lookup_gene.

    Rows: type, id, species.
    """
    found: list[Json] = []
    spelled = external_id
    for spelled in dict.fromkeys([external_id, external_id.partition(".")[0]]):
        parameters = {"external_db": external_db, "object_type": object_type}
        found = await known(api, f"/xrefs/symbol/{species}/{quote(spelled, safe=':')}", spelled, parameters) or []
        if found:
            break
    # LRG rows name the same gene in another numbering.
    records = [{**row, "species": species} for row in found if not row["id"].startswith("LRG_")]
    if records:
        note = "" if spelled == external_id else f"Found without its version, as {spelled}."
        return page(records, max(len(records), 1), note=note)
    if external_db or object_type:
        limits = " and ".join(filter(None, (external_db and f"database {external_db!r}", object_type)))
        return empty(f"Nothing for {external_id} in {limits}; an unknown database name gives nothing either.", data=[])
    return unknown_id(external_id, f"No {species} record of Ensembl refers to {external_id}.")


@platform.tool(
    example={"term_id": "SO:0001583"},
    cites=_TERMS,
    asks=(
        "what does this GO term mean",
        "parents and children of an ontology term",
        "definition of a Sequence Ontology consequence",
        "ancestors of HP term",
    ),
)
async def get_ontology_term(
    api: Api,
    term_id: TermId = None,
    name: Annotated[str | None, Arg("Exact name of a term, instead of an id.", normalise=look_up_form)] = None,
    relation: Annotated[
        Literal["none", "ancestors", "descendants"], Arg("The term itself, or all terms above or below it.")
    ] = "none",
    ontology: Ontology = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Term of GO, SO, EFO or HP by id or exact name: definition and synonyms, or all its ancestors or descendants. For
    disease ids by any wording use opentargets__search_entities, for a disease's ids elsewhere
    myvariant__disease_resolve.

    Rows: accession, name, definition, ontology, namespace, synonyms, subsets.
    """
    asked = term_id or name
    if not asked or (term_id and name):
        raise InvalidArguments("term_id", "give either a term id or a name", "SO:0001583")
    if relation != "none" and not term_id:
        raise InvalidArguments("relation", f"the {relation} are found by term id only", "none")
    if ontology and not name:
        raise InvalidArguments("ontology", "a term id already says its ontology")
    where = {"none": "id" if term_id else "name"}.get(relation, relation)
    parameters = {"ontology": ontology, "simple": 1 if relation == "none" else None}
    found = await known(api, f"/ontology/{where}/{quote(asked, safe=':')}", asked, parameters)
    if found is None or (not found and relation == "none"):
        return unknown_id(asked, f"Ensembl's ontologies have no term {asked!r}.")
    terms = found if isinstance(found, list) else [found]
    if where == "id":
        matched(api, "term", term_id, terms[0].get("accession"))
    note = "" if terms else f"{asked} has no {relation}."
    return page([filled(row, ("children", "parents")) for row in terms], limit, offset, note=note)
