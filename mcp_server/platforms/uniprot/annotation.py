"""What curators wrote about a protein: function, diseases, places, GO terms, papers, drugs."""

from typing import Annotated, Any, Literal

from mcp_server.args import GeneSymbol, Limit, UniProtAccession, gene_symbol_form
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.platforms.uniprot.base import (
    ENTRY,
    NO_EVIDENCES,
    Cursor,
    OrganismId,
    exactly_one,
    listed,
    page,
    platform,
    quoted,
    rows_of,
)
from mcp_server.platforms.uniprot.entry import (
    IDENTITY_FIELDS,
    card,
    changed,
    comments,
    ensembl_genes,
    entry_answer,
    features,
    fetch_entry,
    function_text,
    identity,
    ids,
    nothing,
    of_organism,
    placed,
    properties,
    references,
    resolved_note,
)
from mcp_server.platforms.uniprot.structures import structure
from mcp_server.tool import Arg, Cite

Json = Any

FUNCTION_FIELDS = (
    "ec", "cc_function", "cc_catalytic_activity", "cc_cofactor", "cc_activity_regulation", "cc_pathway", "cc_subunit",
    "kinetics", "ph_dependence", "temp_dependence", "redox_potential", "absorption",
)  # fmt: skip
FUNCTION_TYPES = (
    "FUNCTION", "CATALYTIC ACTIVITY", "COFACTOR", "ACTIVITY REGULATION", "PATHWAY", "SUBUNIT",
    "BIOPHYSICOCHEMICAL PROPERTIES",
)  # fmt: skip
DISEASE_FIELDS = ("cc_disease", "cc_allergen", "cc_biotechnology", "cc_pharmaceutical", "cc_toxic_dose")
OTHER_DISEASE_TYPES = ("ALLERGEN", "BIOTECHNOLOGY", "PHARMACEUTICAL", "TOXIC DOSE")
PLACE_FIELDS = (
    "cc_subcellular_location", "cc_tissue_specificity", "cc_induction", "cc_developmental_stage", "ft_transmem",
    "ft_topo_dom",
)  # fmt: skip
PLACE_TYPES = ("SUBCELLULAR LOCATION", "TISSUE SPECIFICITY", "INDUCTION", "DEVELOPMENTAL STAGE")
GO_FIELDS = {"process": "go_p", "component": "go_c", "function": "go_f"}
GO_ASPECTS = {"P": "process", "C": "component", "F": "function"}
DRUG_DATABASES = ("ChEMBL", "DrugBank", "DrugCentral", "GuidetoPHARMACOLOGY", "BindingDB", "PharmGKB")
DRUG_FIELDS = ("cc_pharmaceutical", *(f"xref_{name.lower()}" for name in DRUG_DATABASES), "ft_binding")
DOSSIER_FIELDS = (
    *IDENTITY_FIELDS, "length", "cc_function", "keyword", "ec", "cc_subcellular_location", "cc_tissue_specificity",
    "cc_disease", "ft_variant", "xref_pdb", "xref_alphafolddb", "xref_ensembl", *DRUG_FIELDS,
)  # fmt: skip
AUTHORS_SHOWN = 3
DISEASES = Cite(
    "uniprot_disease", "diseases[]", "diseaseAccession", "diseaseId", "https://www.uniprot.org/diseases/{id}"
)


@platform.tool(
    example={"accession": "P11413"},
    cites=ENTRY,
    noise=NO_EVIDENCES,
    keep=(
        ".primaryAccession",
        ".ecNumbers",
        ".comments[].commentType",
        ".comments[].reaction.ecNumber",
        ".comments[].reaction.reactionCrossReferences[].id",
        ".comments[].texts[].value",
    ),
    asks=(
        "what does the enzyme do",
        "catalytic activity, Km, cofactor",
        "biological role of a protein",
        "which reaction does it catalyse",
        "is it a homodimer",
        "what is this protein good for",
    ),
)
async def get_function(api: Api, accession: UniProtAccession) -> Answer:
    """What a protein does, enzyme details: catalysed reactions with Rhea and ChEBI ids, cofactors, kinetics, pH,
    regulation, pathway, subunits and complexes. Only a short text on the function: get_protein; interaction partners:
    reactome__get_interactors.

    comments: as UniProt has them, by commentType; ecNumbers.
    """
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *FUNCTION_FIELDS))
    if isinstance(entry, Answer):
        return entry
    found = comments(entry, *FUNCTION_TYPES)
    return entry_answer(
        accession, entry, found, "text on its function", ecNumbers=card(entry)["ecNumbers"], comments=found
    )


@platform.tool(
    example={"accession": "P15056"},
    cites=(ENTRY, DISEASES),
    noise=NO_EVIDENCES,
    keep=(
        ".primaryAccession",
        ".diseases[].diseaseAccession",
        ".diseases[].diseaseId",
        ".diseases[].diseaseCrossReference.id",
    ),
    asks=(
        "genetic disorders caused by a protein",
        "hereditary disease of a gene product",
        "Mendelian disease, OMIM of a protein",
    ),
)
async def get_disease_involvement(api: Api, accession: UniProtAccession) -> Answer:
    """Diseases that variants of a protein cause or are linked to: curated, mostly Mendelian, with OMIM ids. For scored
    evidence of all kinds use opentargets__get_target_associated_diseases.

    diseases: [{diseaseId, diseaseAccession, acronym, description, diseaseCrossReference, note}], otherComments
    (diseases without a name, allergens, biotechnology, medicine, toxins).
    """
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *DISEASE_FIELDS))
    if isinstance(entry, Answer):
        return entry
    named, other = _diseases(entry)
    other += comments(entry, *OTHER_DISEASE_TYPES)
    return entry_answer(accession, entry, [*named, *other], "disease comment", diseases=named, otherComments=other)


@platform.tool(
    example={"accession": "P13569"},
    cites=ENTRY,
    noise=NO_EVIDENCES,
    keep=(
        ".primaryAccession",
        ".comments[].subcellularLocations[].location.id",
        ".comments[].texts[].value",
        ".features[].start",
        ".features[].end",
    ),
    asks=(
        "where in the cell is a protein",
        "nucleus, membrane, mitochondria",
        "is it secreted",
        "which tissue makes the protein",
        "transmembrane topology",
        "is the protein on the cell surface",
    ),
)
async def get_localization_and_expression(api: Api, accession: UniProtAccession) -> Answer:
    """Where a protein is, in words: subcellular location, membrane topology, tissue specificity, induction,
    development. For expression in numbers use opentargets__get_target_expression.

    comments by commentType, features: [{type, start, end, description}].
    """
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *PLACE_FIELDS))
    if isinstance(entry, Answer):
        return entry
    found = comments(entry, *PLACE_TYPES)
    topology = [placed(row) for row in features(entry, "Transmembrane", "Topological domain")]
    return entry_answer(
        accession, entry, [*found, *topology], "localisation or expression text", comments=found, features=topology
    )


@platform.tool(
    example={"accession": "P04637", "aspect": "function"},
    cites=ENTRY,
    asks=(
        "gene ontology annotation",
        "molecular function, biological process, cellular component",
        "GO ids of a protein",
    ),
)
async def get_go_terms(
    api: Api,
    accession: UniProtAccession,
    aspect: Annotated[
        Literal["process", "component", "function"] | None, Arg("Only terms of this branch of GO.", "process")
    ] = None,
) -> Answer:
    """Gene Ontology (GO) terms of a protein with their evidence codes, by UniProt accession. For pathways use
    reactome__map_identifier_to_pathways.

    terms: [{id, term, aspect, evidence, source}].
    """
    fields = [GO_FIELDS[aspect]] if aspect else list(GO_FIELDS.values())
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *fields))
    if isinstance(entry, Answer):
        return entry
    found = [_go_term(row) for row in references(entry, "GO")]
    found = [row for row in found if aspect in (None, row["aspect"])]
    return entry_answer(accession, entry, found, f"GO term {aspect or ''}".strip(), terms=found)


@platform.tool(
    example={"accession": "O43865", "limit": 25},
    cites=(ENTRY, Cite("pmid", "publications[]", "pmid", "title")),
    asks=(
        "papers behind a UniProt entry",
        "references of a protein",
        "literature of an accession",
    ),
)
async def get_publications(
    api: Api,
    accession: UniProtAccession,
    category: Annotated[
        str | None, Arg("Only papers that UniProt uses for this: Function, Structure, Interaction …", "Function")
    ] = None,
    limit: Limit = 25,
    cursor: Cursor = None,
) -> Answer:
    """Papers attached to a UniProt entry, curated or mapped by machine, and what each was used for; returns titles,
    PMIDs, DOIs. For a search by topic use pubmed__search_articles.

    publications: [{pmid, doi, title, authors (first three), authorCount, journal, publicationDate, references:
    [{source, sourceCategories, referencePositions}]}].
    """
    # Papers of an unknown accession would be an empty list.
    entry = await fetch_entry(api, accession, IDENTITY_FIELDS)
    if isinstance(entry, Answer):
        return entry
    parameters = {
        "size": limit,
        "cursor": cursor,
        "facetFilter": f"(categories:{quoted(category)})" if category else None,
    }
    part, headers = await page(api, f"/uniprotkb/{entry['primaryAccession']}/publications", parameters)
    every = [_publication(row) for row in rows_of(part)]
    found = [row for row in every if category is None or _used_for(row, category)]
    note = resolved_note(accession, entry)
    if len(found) < len(every):
        note = f"{len(every) - len(found)} papers of other categories came along and were left out. {note}".strip()
    if not found:
        note = f"{nothing(entry, f'paper on {category}' if category else 'paper')} {note}".strip()
    return listed(found, headers, note=note, data=identity(entry) | {"publications": found})


@platform.tool(
    example={"accession": "P00533"},
    cites=ENTRY,
    noise=NO_EVIDENCES,
    keep=(
        ".primaryAccession",
        ".links",
        ".bindingSites[].start",
        ".bindingSites[].end",
        ".bindingSites[].ligand.id",
    ),
    asks=(
        "which ligand databases know this protein",
        "DrugBank, BindingDB, IUPHAR ids",
        "ChEMBL target id of an accession",
    ),
)
async def get_drug_links(api: Api, accession: UniProtAccession) -> Answer:
    """Ids of a protein in drug and ligand databases: ChEMBL target, DrugBank, DrugCentral, Guide to PHARMACOLOGY,
    BindingDB; and its binding sites. Ids only: for drugs with stage and diseases use opentargets__get_target_drugs.

    links: {database: [{id, GenericName}]}, pharmaceuticalUse, bindingSites: [{start, end, ligand}].
    """
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *DRUG_FIELDS))
    if isinstance(entry, Answer):
        return entry
    parts = _drug_parts(entry)
    found = [*(row for linked in parts["links"].values() for row in linked), *parts["pharmaceuticalUse"]]
    return entry_answer(accession, entry, [*found, *parts["bindingSites"]], "link to a drug database", **parts)


@platform.tool(
    example={"accession": "P00533"},
    cites=(ENTRY, DISEASES),
    noise=NO_EVIDENCES,
    keep=(
        ".primaryAccession",
        ".length",
        ".diseases[].diseaseAccession",
        ".structures[].id",
        ".links",
        ".variantCount",
    ),
    asks=(
        "full report on a protein",
        "protein as a drug target on one page",
        "everything on EGFR protein",
    ),
)
async def protein_target_dossier(
    api: Api,
    accession: UniProtAccession | None = None,
    gene_symbol: GeneSymbol | None = None,
    organism_id: OrganismId = 9606,
) -> Answer:
    """One page on a protein as a drug target: function, location, diseases, variants with dbSNP ids, structures, drug
    database ids. For one part alone ask the tool of that part, e.g. get_structures.

    Joins what get_protein, get_disease_involvement, get_variants, get_structures and get_drug_links return.
    """
    exactly_one("P00533", accession=accession, gene_symbol=gene_symbol)
    if accession is None:
        found = await _accessions_of(api, gene_symbol or "", organism_id)
        if len(found) != 1:
            return _candidates(gene_symbol or "", organism_id, found)
        accession = found[0]["primaryAccession"]
    entry = await fetch_entry(api, accession, DOSSIER_FIELDS)
    if isinstance(entry, Answer):
        return entry
    named, other = _diseases(entry)
    variants = features(entry, "Natural variant")
    linked = [row for row in variants if row.get("featureCrossReferences")]
    structures = [structure(row) for row in references(entry, "PDB")]
    data = {
        **card(entry),
        "taxonId": entry.get("organism", {}).get("taxonId"),
        "function": function_text(entry),
        "comments": comments(entry, "SUBCELLULAR LOCATION", "TISSUE SPECIFICITY"),
        "diseases": named,
        "otherComments": other,
        "variantCount": len(variants),
        "variantsWithDbsnp": [
            changed(row) | {"dbSNP": [link["id"] for link in row["featureCrossReferences"]]} for row in linked
        ],
        "structureCount": len(structures),
        "structures": structures,
        "alphaFold": ids(entry, "AlphaFoldDB"),
        "ensembl": ensembl_genes(entry),
        **_drug_parts(entry),
    }
    return Answer(data, note=resolved_note(accession, entry))


def _diseases(entry: Json) -> tuple[list[Json], list[Json]]:
    """Return the diseases with a name, and the disease comments without one."""
    found = comments(entry, "DISEASE")
    named = [
        row["disease"] | {"note": " ".join(text["value"] for text in row.get("note", {}).get("texts") or [])}
        for row in found
        if "disease" in row
    ]
    return named, [row for row in found if "disease" not in row]


def _go_term(row: Json) -> dict[str, Json]:
    known = properties(row)
    branch, _, term = known.get("GoTerm", "").partition(":")
    evidence, _, source = known.get("GoEvidenceType", "").partition(":")
    return {"id": row["id"], "term": term, "aspect": GO_ASPECTS.get(branch), "evidence": evidence, "source": source}


def _publication(row: Json) -> dict[str, Json]:
    citation = row["citation"]
    linked = {link["database"]: link["id"] for link in citation.get("citationCrossReferences") or []}
    authors = citation.get("authors") or []
    return {
        "citationId": citation.get("id"),
        "pmid": linked.get("PubMed"),
        "doi": linked.get("DOI"),
        "title": citation.get("title"),
        "authors": authors[:AUTHORS_SHOWN],
        "authorCount": len(authors),
        "journal": citation.get("journal"),
        "publicationDate": citation.get("publicationDate"),
        "references": row.get("references") or [],
    }


def _used_for(publication: Json, category: str) -> bool:
    used = (name for row in publication["references"] for name in row.get("sourceCategories") or [])
    return category.lower() in (name.lower() for name in used)


def _drug_parts(entry: Json) -> dict[str, Json]:
    links = {
        database: [
            {"id": row["id"], **{name: value for name, value in properties(row).items() if value != "-"}}
            for row in references(entry, database)
        ]
        for database in DRUG_DATABASES
    }
    return {
        "links": {database: found for database, found in links.items() if found},
        "pharmaceuticalUse": comments(entry, "PHARMACEUTICAL"),
        "bindingSites": [placed(row) for row in features(entry, "Binding site")],
    }


async def _accessions_of(api: Api, gene_symbol: str, organism_id: int) -> list[Json]:
    """Return the curated entries of exactly this gene."""
    symbol = gene_symbol_form(gene_symbol) if organism_id == 9606 else gene_symbol
    query = f"(gene_exact:{quoted(symbol)}) AND (organism_id:{organism_id}) AND (reviewed:true)"
    part, _ = await page(api, "/uniprotkb/search", {"query": query, "fields": IDENTITY_FIELDS, "size": 25})
    return of_organism(rows_of(part), organism_id)


def _candidates(gene_symbol: str, organism_id: int, found: list[Json]) -> Answer:
    """Answer that a symbol names no entry or several: the main name before a synonym."""
    named = sorted((card(entry) for entry in found), key=lambda row: row["geneName"] != gene_symbol)
    if not named:
        return rows([], note=f"UniProt has no curated entry of gene {gene_symbol} in taxon {organism_id}.")
    raise InvalidArguments(
        "gene_symbol",
        "it names several entries: "
        + "; ".join(f"{row['primaryAccession']} {row['geneName']} ({row['proteinName']})" for row in named)
        + ". Give one as accession",
        named[0]["primaryAccession"],
    )
