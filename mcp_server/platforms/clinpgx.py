"""ClinPGx (formerly PharmGKB) and CPIC: how genetic variants change the response to drugs.

ClinPGx is REST/JSON at https://api.clinpgx.org/v1, two requests a second, no paging: lists are sorted
and cut here, names must match exactly, and "nothing found" is a 404 whose body says so. CPIC is
PostgREST at https://api.cpicpgx.org/v1; without `order` its rows come in no order.
"""

from typing import Annotated, Literal

from mcp_server.args import DrugName, GeneSymbol, Limit, Offset, look_up_form
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform

CPIC = "https://api.cpicpgx.org/v1"

platform = Platform(
    "clinpgx",
    title="ClinPGx",
    base_url="https://api.clinpgx.org/v1",
    docs="https://api.clinpgx.org",
    licence="CC BY-SA 4.0 (ClinPGx), CC0 1.0 (CPIC)",
    rate=Rate(1.8),
    hosts=("api.cpicpgx.org",),
)

EntityQuery = Annotated[
    str, Arg("Gene symbol, generic drug name, rsID or star allele; the exact name.", "CYP2C19", normalise=look_up_form)
]
EntityKind = Annotated[
    Literal["auto", "gene", "chemical", "variant", "haplotype"],
    Arg("What the query names; `auto` tells it from the form and tries in turn."),
]
Levels = Annotated[
    list[Literal["1A", "1B", "2A", "2B", "3", "4"]],
    Arg("Levels of evidence to keep, from 1A (strongest) to 4.", ["1A", "1B"]),
]
CpicLevel = Annotated[
    Literal["A", "A/B", "B", "B/C", "C", "C/D", "D"], Arg("CPIC level to keep: A and B have prescribing actions.")
]
GuidelineSource = Annotated[str, Arg("Issuing body to keep, e.g. CPIC, DPWG, CPNDS, RNPGx.", "CPIC")]
CpicPopulation = Annotated[str, Arg("Patient group of a CPIC recommendation, as CPIC words it.", "general")]
PopulationGroup = Annotated[str, Arg("CPIC population group, as CPIC words it.", "European")]
StarAllele = Annotated[str, Arg("Star allele, with or without the gene.", "*2")]


@platform.tool(core=True, example={"query": "CYP2C19", "type": "gene"})
async def resolve_entity(api: Api, query: EntityQuery, type: EntityKind = "auto") -> Answer:
    """Find the ClinPGx accession (PA…) of a gene, drug, rsID or star allele by its exact name."""
    raise NotImplementedError


@platform.tool(core=True, example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"})
async def search_clinical_annotations(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    level: Levels | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List graded evidence (1A–4) that variants of a gene change the response to a drug. Needs gene or drug."""
    raise NotImplementedError


@platform.tool(example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"})
async def search_guideline_annotations(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    source: GuidelineSource | None = None,
) -> Answer:
    """List dosing guidelines (CPIC, DPWG and others) for a gene or a drug, with a summary. Needs gene or drug."""
    raise NotImplementedError


@platform.tool(example={"drug_name": "clopidogrel"})
async def search_cpic_pairs(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    cpic_level: CpicLevel | None = None,
) -> Answer:
    """List CPIC gene-drug pairs with level, guideline and label testing status. Needs gene or drug."""
    raise NotImplementedError


@platform.tool(example={"drug_name": "clopidogrel", "gene_symbol": "CYP2C19"})
async def get_cpic_recommendations(
    api: Api,
    drug_name: DrugName,
    gene_symbol: GeneSymbol | None = None,
    population: CpicPopulation | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Get CPIC's dosing recommendations for a drug by phenotype or activity score, with their strength."""
    raise NotImplementedError


@platform.tool(example={"gene_symbol": "CYP2C19", "population": "European"})
async def get_allele_frequencies(
    api: Api, gene_symbol: GeneSymbol, population: PopulationGroup | None = None
) -> Answer:
    """Get the frequencies of a gene's star alleles in CPIC's population groups; null means not measured."""
    raise NotImplementedError


@platform.tool(example={"gene_symbol": "CYP2C19"})
async def search_star_alleles(
    api: Api, gene_symbol: GeneSymbol, allele: StarAllele | None = None, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """List a gene's named alleles with their function, activity value and strength of evidence, from CPIC."""
    raise NotImplementedError
