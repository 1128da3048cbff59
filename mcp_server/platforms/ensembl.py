"""Ensembl: genes, variants and their predicted consequences, cross references."""

from typing import Annotated, Any, Literal

from mcp_server.args import EnsemblId, GeneSymbol, Rsid
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "ensembl",
    title="Ensembl",
    base_url="https://rest.ensembl.org",
    docs="https://rest.ensembl.org/documentation",
    licence="EMBL-EBI terms of use, no restriction",
    rate=Rate(10),
    hosts=("grch37.rest.ensembl.org",),
)

_GENE = Cite("ensembl", "", "id", "display_name")

Species = Annotated[
    str,
    Arg(
        "Species as Ensembl names it.",
        "mus_musculus",
        r"^[a-z0-9_]+$",
        normalise=lambda text: text.lower().replace(" ", "_"),
    ),
]
VersionedGeneId = Annotated[
    str,
    Arg(
        "Ensembl gene id, with or without a version suffix.",
        "ENSG00000141736",
        r"^ENS[A-Z]*G\d{11}(\.\d+)?$",
        normalise=str.upper,
    ),
]
VariantName = Annotated[
    str,
    Arg(
        "Variant as rsID, HGVS name, or position with alleles (chromosome-position-reference-alternate).",
        "ENST00000288602:c.1799T>A",
    ),
]
Assembly = Annotated[
    Literal["GRCh38", "GRCh37"] | None,
    Arg("Genome assembly of the coordinates; required for genomic HGVS names and positions."),
]
ExternalDb = Annotated[str | None, Arg("Only this database, by Ensembl's name for it.", "HGNC")]


@platform.tool(core=True, example={"gene_symbol": "HER2"}, cites=_GENE)
async def lookup_gene(api: Api, gene_symbol: GeneSymbol, species: Species = "homo_sapiens") -> Answer:
    """Gene symbol, alias or former symbol to its Ensembl gene: id, place on the genome, biotype, canonical transcript.

    One gene: id, display_name, description, biotype, seq_region_name, start, end, strand,
    assembly_name, canonical_transcript, query, matched_as ("symbol" or "synonym"). Several genes
    share the name: query, matched_as "ambiguous", candidates.
    """
    raise NotImplementedError


@platform.tool(example={"ensembl_id": "ENSG00000141736"}, cites=_GENE)
async def get_gene(api: Api, ensembl_id: VersionedGeneId) -> Answer:
    """Ensembl gene id to the gene: symbol, description, place, biotype. Retired ids name their successor."""
    raise NotImplementedError


@platform.tool(core=True, example={"rsid": "rs113488022"}, cites=Cite("rsid", "", "name"))
async def get_variant(api: Api, rsid: Rsid) -> Answer:
    """One rsID: place, alleles, gene, most severe consequence, clinical significance, minor allele frequency.

    Ensembl's record (name, mappings, most_severe_consequence, clinical_significance, MAF,
    minor_allele, synonyms) and genes: [{gene_id, gene_symbol, consequence_terms}].
    """
    raise NotImplementedError


@platform.tool(
    example={"variant": "rs699"},
    cites=Cite("ensembl", "[].transcript_consequences[]", "gene_id", "gene_symbol"),
)
async def predict_variant(api: Api, variant: VariantName, assembly: Assembly = None) -> Answer:
    """Predicted consequences (VEP) of a variant by rsID, HGVS name or position, on canonical and MANE transcripts."""
    raise NotImplementedError


@platform.tool(example={"ensembl_id": "ENSG00000157764", "external_db": "HGNC"})
async def get_cross_references(api: Api, ensembl_id: EnsemblId, external_db: ExternalDb = None) -> Answer:
    """Ids in other databases (HGNC, NCBI Gene, MIM, UniProt, RefSeq) of an Ensembl gene, transcript or protein."""
    raise NotImplementedError
