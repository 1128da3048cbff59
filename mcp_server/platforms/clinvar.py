"""ClinVar: variants and what submitters say of them."""

from typing import Annotated, Any, Literal

from mcp_server.args import ClinVarVariationId, GeneSymbol, Limit, Offset
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "clinvar",
    title="ClinVar",
    base_url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    docs="https://www.ncbi.nlm.nih.gov/clinvar/docs/maintenance_use/",
    licence="public domain (NCBI)",
    rate=Rate(2.5, group="ncbi", with_key=8),
    key_parameter="api_key",
)

Variant = Annotated[
    str,
    Arg("Gene and protein change, HGVS name, rsID or VCV accession.", "BRAF V600E"),
]
VariationIds = Annotated[
    list[str],
    Arg(
        "ClinVar Variation IDs or VCV accessions; at most 50.",
        ["13961"],
        r"^(\d{1,9}|VCV\d{9}(\.\d+)?)$",
        max_items=50,
        normalise=str.upper,
    ),
]
Condition = Annotated[str | None, Arg("Disease or condition in words.", "melanoma")]
Classification = Annotated[
    Literal["pathogenic", "likely pathogenic", "uncertain significance", "likely benign", "benign"] | None,
    Arg("Germline classification."),
]
_ROWS = Cite("clinvar_variation", "[]", "accession_version", "title")


@platform.tool(
    core=True,
    example={"variant": "BRAF V600E"},
    cites=Cite("clinvar_variation", "candidates[]", "accession_version", "title"),
)
async def resolve_variant(api: Api, variant: Variant) -> Answer:
    """Any variant name (BRAF V600E, HGVS, rsID, VCV) to ClinVar Variation IDs, rsID, position and classifications.

    query, read_as, candidates (best first): the rows of get_variant_summaries.
    """
    raise NotImplementedError


@platform.tool(example={"variation_id": "13961"}, cites=Cite("clinvar_variation", "", "accession_version", "title"))
async def get_variant_record(api: Api, variation_id: ClinVarVariationId) -> Answer:
    """One ClinVar variant in depth: germline, somatic impact and oncogenicity apart, by condition, with review stars.

    variation_id, accession_version, title, variant_type, genes, protein_changes, rsid, canonical_spdi,
    locations, hgvs, classifications {germline, somatic_clinical_impact, oncogenicity: description,
    review_status, stars, last_evaluated, submissions}, conditions: [{accession, title, conditions,
    classifications}], number_of_submissions, number_of_submitters, last_updated.
    """
    raise NotImplementedError


@platform.tool(example={"variation_ids": ["13961"]}, cites=_ROWS)
async def get_variant_summaries(api: Api, variation_ids: VariationIds) -> Answer:
    """Current classifications of known ClinVar variants: germline, somatic impact, oncogenicity, stars, conditions.

    Rows: variation_id, accession_version, title, genes, protein_changes, molecular_consequences,
    variant_type, rsid, caid, canonical_spdi, locations {GRCh38, GRCh37}, germline,
    somatic_clinical_impact, oncogenicity: {description, review_status, stars, last_evaluated,
    conditions}, submissions.
    """
    raise NotImplementedError


@platform.tool(example={"gene_symbol": "BRAF", "classification": "pathogenic"}, cites=_ROWS)
async def search_variants(
    api: Api,
    gene_symbol: GeneSymbol,
    condition: Condition = None,
    classification: Classification = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """ClinVar variants of one gene, by condition and germline classification. Rows as get_variant_summaries."""
    raise NotImplementedError
