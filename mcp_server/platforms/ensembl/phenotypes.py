"""Diseases and traits as annotated to genes, variants and regions, and the way back."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import (
    Region,
    RegionAssembly,
    Species,
    bounds,
    filled,
    known,
    on_region,
    page,
    platform,
    region_words,
)
from mcp_server.platforms.ensembl.features import REGION_MAX
from mcp_server.platforms.ensembl.names import GeneName, one_gene
from mcp_server.tool import Arg, Cite

Json = Any

WithPubmed = Annotated[bool, Arg("Also the PubMed ids behind each annotation.")]
WithReview = Annotated[bool, Arg("Also ClinVar's review status of each annotation.")]
Accession = Annotated[
    str | None,
    Arg(
        "Ontology id of a disease or trait (EFO, Orphanet, HP …); colon or underscore.",
        "Orphanet:130",
        r"^[A-Za-z]+:[A-Za-z0-9]+$",
        normalise=lambda text: text.replace("_", ":", 1),
    ),
]
_CITED = (Cite("ensembl", "annotations[]", "Gene"), Cite("rsid", "annotations[]", "Variation"))


@platform.tool(
    example={"gene": "ENSG00000157764"},
    cites=(Cite("ensembl", "", "gene_id", "gene_symbol"), Cite("rsid", "annotations[]", "Variation")),
    asks=(
        "diseases linked to a gene",
        "what happens when the gene is broken",
        "Mendelian disorders, OMIM phenotypes of a gene",
        "traits of a gene",
    ),
)
async def get_gene_phenotypes(
    api: Api,
    gene: GeneName,
    include_associated: Annotated[bool, Arg("Also annotations of variants that name this gene.")] = False,
    include_pubmed: WithPubmed = False,
    include_review_status: WithReview = False,
    species: Species = "homo_sapiens",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Gene to the diseases and traits annotated to it (OMIM, Orphanet, GO and others), unscored, with source and
    ontology ids; with its variants on request. Scored evidence: opentargets__get_target_associated_diseases.

    gene_id, gene_symbol, species, annotations: [{description, source, ontology_accessions, Gene or Variation,
    location, assembly_name, attributes}].
    """
    found, note = await one_gene(api, gene, species)
    if isinstance(found, Answer):
        return found
    own = found.get("species", species)
    parameters = {"include_associated": include_associated, **_extras(include_pubmed, include_review_status)}
    rows = await known(api, f"/phenotype/gene/{own}/{found['id']}", found["id"], _ones(parameters)) or []
    if not rows:
        note = f"No disease or trait is annotated to {found.get('display_name', found['id'])}. {note}".strip()
    wrap = {"gene_id": found["id"], "gene_symbol": found.get("display_name"), "species": own}
    placed = [{**filled(row), "assembly_name": found.get("assembly_name")} for row in rows]
    return page(placed, limit, offset, wrap=wrap, under="annotations", note=note)


@platform.tool(
    example={"region": "13:32315086-32400268", "assembly": "GRCh38"},
    cites=Cite("rsid", "features[]", "id"),
    asks=(
        "traits mapped to a locus",
        "diseases in a chromosomal interval",
        "phenotypes of variants in a region",
    ),
)
async def get_region_phenotypes(
    api: Api,
    region: Region,
    assembly: RegionAssembly = None,
    feature_type: Annotated[
        Literal["Gene", "Variation", "StructuralVariation", "SupportingStructuralVariation", "QTL"] | None,
        Arg("Only annotations of such features."),
    ] = None,
    only_phenotypes: Annotated[bool, Arg("Only names and ontology ids, without source and attributes.")] = False,
    include_pubmed: WithPubmed = False,
    include_review_status: WithReview = False,
    species: Species = "homo_sapiens",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Region to the genes and variants on it that have diseases or traits annotated, with source and ontology ids. At
    most 5 Mb. For one gene use get_gene_phenotypes.

    region, assembly_name, species, features: [{id, phenotype_associations: [{description, source, location,
    ontology_accessions, attributes}]}].
    """
    name, start, end = bounds(region, REGION_MAX)
    api = on_region(api, assembly, species)
    parameters = {"feature_type": feature_type, "only_phenotypes": only_phenotypes}
    parameters |= _extras(include_pubmed, include_review_status)
    path = f"/phenotype/region/{species}/{name}:{start}-{end}"
    found = await known(api, path, region_words(name, start, end), _ones(parameters))
    if found is None:
        return unknown_id(region, f"{species} has no region {region}.")
    note = "" if found else f"No disease or trait is annotated on {region}."
    wrap = {"region": region, "assembly_name": assembly, "species": species}
    return page([filled(row) for row in found], limit, offset, wrap=wrap, under="features", note=note)


@platform.tool(
    example={"accession": "Orphanet:130"},
    cites=_CITED,
    asks=(
        "which genes cause a disease",
        "genes and SNPs for a trait",
        "loci annotated with a phenotype",
        "HP or EFO term to genes",
        "genes behind deafness or blindness",
    ),
)
async def find_features_by_phenotype(
    api: Api,
    term: Annotated[str | None, Arg("Disease or trait in words.", normalise=look_up_form)] = None,
    accession: Accession = None,
    include_children: Annotated[bool, Arg("Also annotations with more special terms of the ontology.")] = False,
    source: Annotated[str | None, Arg("Only annotations of this source.", "ClinVar")] = None,
    include_pubmed: WithPubmed = False,
    include_review_status: WithReview = False,
    species: Species = "homo_sapiens",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Disease or trait to the genes and variants annotated with it, unscored, by words or ontology id. For a scored
    list of genes of a disease use opentargets__get_disease_associated_targets.

    query, species, annotations: [{description, source, Gene or Variation, location, assembly_name,
    mapped_to_accession, attributes}].
    """
    if bool(term) == bool(accession):
        raise InvalidArguments("accession", "give either a term in words or an ontology id", "Orphanet:130")
    asked, kind = accession or term or "", "accession" if accession else "term"
    parameters = {"include_children": include_children, **_extras(include_pubmed, include_review_status)}
    path = f"/phenotype/{kind}/{species}/{quote(asked, safe=':')}"
    found = await known(api, path, asked, {**_ones(parameters), "source": source})
    if not found:
        from_source = f" from {source!r}; an unknown source gives nothing either" if source else ""
        note = f"No {species} gene or variant is annotated with {asked!r}{from_source}."
        if found is None and accession:
            return unknown_id(asked, f"Ensembl knows no {asked}.")
        return empty(note, data={"query": asked, "species": species, "annotations": []})
    # The annotations are those of the current assembly, which the answer itself does not name.
    assembly = "GRCh38" if species == "homo_sapiens" else None
    rows = [filled({**row, "assembly_name": assembly}) for row in found]
    return page(rows, limit, offset, wrap={"query": asked, "species": species}, under="annotations")


def _extras(pubmed: bool, review_status: bool) -> dict[str, Json]:
    return {"include_pubmed_id": pubmed, "include_review_status": review_status}


def _ones(parameters: dict[str, Json]) -> dict[str, Json]:
    """Return switches as Ensembl writes them: 1, or left out."""
    return {name: 1 if value is True else value or None for name, value in parameters.items()}
