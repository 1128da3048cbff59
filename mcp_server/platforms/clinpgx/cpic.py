"""CPIC: gene-drug pairs with their level, and what to prescribe for a phenotype or a genotype."""

import re
from collections.abc import Iterable
from typing import Annotated, Literal

from mcp_server.args import DrugName, GeneSymbol, Limit, Offset, gene_symbol_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.clinpgx.alleles import both_orders, cited_alleles, diplotype_rows, unknown_alleles
from mcp_server.platforms.clinpgx.service import (
    Json,
    cpic_rows,
    joined,
    needs_gene_or_drug,
    next_page,
    platform,
    without_wildcards,
)
from mcp_server.tool import Arg

GENOTYPE = re.compile(r"(?P<gene>[A-Za-z0-9-]+)(?:\s+|(?=\*))(?P<diplotype>[^/]+/[^/]+)")
CpicLevel = Annotated[
    Literal["A", "A/B", "B", "B/C", "C", "C/D", "D"], Arg("CPIC level to keep: A and B have prescribing actions.")
]
CpicPopulation = Annotated[str, Arg("Patient group of a CPIC recommendation, as CPIC words it.", "general")]


def cited_guidelines(found: Iterable[Json]) -> list[Citation]:
    """Cite the guideline pages that rows name."""
    pages = {row["guidelineurl"]: row.get("guidelinename") or "" for row in found if row.get("guidelineurl")}
    return [Citation("clinpgx", url.rpartition("/")[2], name, url) for url, name in pages.items()]


async def pairs_of(
    api: Api, gene_symbol: str | None, drug_name: str | None, cpic_level: str | None = None
) -> list[Json]:
    """Return CPIC's pairs, the highest level first."""
    filters = {
        "genesymbol": f"eq.{gene_symbol_form(gene_symbol)}" if gene_symbol else None,
        "drugname": f"ilike.*{without_wildcards(drug_name)}*" if drug_name else None,
        "cpiclevel": f"eq.{cpic_level}" if cpic_level else None,
        "select": "*",
        "order": "cpiclevel.asc,genesymbol.asc,drugname.asc",
    }
    return await cpic_rows(api, "pair_view", filters)


@platform.tool(
    example={"drug_name": "clopidogrel"},
    asks=(
        "CPIC level of a gene-drug pair",
        "which genes are actionable",
        "pairs with level A",
        "genes that CPIC has guidelines for",
    ),
)
async def search_cpic_pairs(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    cpic_level: CpicLevel | None = None,
) -> Answer:
    """List CPIC gene-drug pairs with level, guideline and label testing status. Needs gene or drug. For what to
    prescribe use get_cpic_recommendations.
    """
    needs_gene_or_drug(gene_symbol, drug_name)
    pairs = await pairs_of(api, gene_symbol, drug_name, cpic_level)
    pmids = dict.fromkeys(pmid for pair in pairs for pmid in pair.get("pmids") or [])
    note = f"CPIC lists no pair for {joined(gene_symbol, drug_name)}"
    note += f" at level {cpic_level}." if cpic_level else ". CPIC knows drugs by their generic name."
    return rows(
        pairs,
        note="" if pairs else note,
        citations=[*cited_guidelines(pairs), *(Citation("pmid", str(pmid)) for pmid in pmids)],
    )


async def recommendations_of(api: Api, drug_name: str) -> list[Json]:
    """Return all of CPIC's recommendations on a drug."""
    filters = {"drugname": f"eq.{drug_name.lower()}", "select": "*", "order": "recommendationid.asc"}
    return await cpic_rows(api, "recommendation_view", filters)


def _has_phenotype(row: Json, phenotype: str, gene: str | None) -> bool:
    wanted = phenotype.lower()
    for column in ("phenotypes", "lookupkey", "activityscore"):
        values = row.get(column) or {}
        if any(str(value).lower() == wanted for name, value in values.items() if not gene or name == gene):
            return True
    return False


@platform.tool(
    example={"drug_name": "clopidogrel", "gene_symbol": "CYP2C19"},
    asks=(
        "what dose for a poor metaboliser",
        "prescribing advice by phenotype",
        "dose reduction, alternative drug, avoid",
        "therapeutic recommendation of CPIC",
    ),
)
async def get_cpic_recommendations(
    api: Api,
    drug_name: DrugName,
    gene_symbol: GeneSymbol | None = None,
    phenotype: Annotated[str, Arg("Phenotype or activity score to keep.", "Poor Metabolizer")] | None = None,
    population: CpicPopulation | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Get CPIC's dosing recommendations for a drug by phenotype or activity score, with their strength. "No
    Recommendation" is a classification too. From two star alleles use recommend_for_genotype.
    """
    found = await recommendations_of(api, drug_name)
    gene = gene_symbol_form(gene_symbol) if gene_symbol else None
    of_gene = [row for row in found if not gene or gene in (row.get("lookupkey") or {})]
    of_phenotype = [row for row in of_gene if not phenotype or _has_phenotype(row, phenotype, gene)]
    # Some of CPIC's populations end in a blank.
    populations = sorted({str(row.get("population")).strip() for row in of_phenotype})
    wanted = (population or "").lower()
    fitting = [row for row in of_phenotype if not wanted or str(row.get("population")).strip().lower() == wanted]
    shown = fitting[offset : offset + limit]
    note = ""
    if not fitting:
        note = f"CPIC has no recommendation for {joined(gene, drug_name)}"
        note += f" in {population!r}; its groups are {', '.join(populations)}." if of_phenotype else "."
        if of_gene and not of_phenotype:
            keys = sorted({str(value) for row in of_gene for value in (row.get("phenotypes") or {}).values()})
            note = f"CPIC has no recommendation for {phenotype!r}; its phenotypes here are {', '.join(keys)}."
    return rows(
        shown,
        total=len(fitting),
        next=next_page(offset, len(shown), len(fitting)),
        note=note,
        citations=cited_guidelines(shown),
    )


def _read_genotypes(genotypes: list[str]) -> dict[str, str]:
    """Return the diplotype of each gene."""
    found: dict[str, str] = {}
    for genotype in genotypes:
        match = GENOTYPE.fullmatch(genotype.strip())
        if match is None:
            raise InvalidArguments("genotypes", f"{genotype!r} is no gene with two star alleles", ["CYP2C19*1/*2"])
        gene = gene_symbol_form(match["gene"])
        if gene in found:
            raise InvalidArguments("genotypes", f"{gene} stands there twice", ["CYP2C19*1/*2"])
        found[gene] = match["diplotype"]
    return found


def _key_of(row: Json, gene: str) -> str | None:
    """Return what CPIC looks a diplotype's recommendations up with: phenotype, score or allele status."""
    key = row.get("lookupkey")
    value = key.get(gene) if isinstance(key, dict) else key
    return None if value is None else str(value)


async def _phenotypes(api: Api, diplotypes: dict[str, str]) -> dict[str, Json] | Answer:
    """Return CPIC's row for each gene's diplotype, or the answer that says which one it does not know."""
    listed = await together(diplotype_rows(api, gene, pair) for gene, pair in diplotypes.items())
    rows_by_gene: dict[str, Json] = {}
    for (gene, diplotype), found in zip(diplotypes.items(), listed, strict=True):
        if not found:
            names = both_orders(diplotype, gene)[0].split("/")
            missing = await unknown_alleles(api, gene, names)
            return missing or empty(f"CPIC assigns no phenotype to {gene} {'/'.join(names)}.")
        rows_by_gene[gene] = found[0]
    return rows_by_gene


async def _matching(api: Api, keys: dict[str, str], drug_name: str | None) -> tuple[list[Json], set[str]]:
    """Return recommendations whose whole key is known and fits, and the genes that others need besides."""
    if drug_name:
        found = await recommendations_of(api, drug_name)
    else:
        lists = await together(_by_key(api, gene, key) for gene, key in keys.items())
        found = list({row["recommendationid"]: row for rows_of_gene in lists for row in rows_of_gene}.values())
    fitting: list[Json] = []
    further: set[str] = set()
    for row in found:
        wanted = row.get("lookupkey") or {}
        if not wanted or any(keys.get(gene, value) != value for gene, value in wanted.items()):
            continue
        if not wanted.keys() & keys.keys():
            continue
        if wanted.keys() <= keys.keys():
            fitting.append(row)
        else:
            further |= wanted.keys() - keys.keys()
    return fitting, further


async def _by_key(api: Api, gene: str, key: str) -> list[Json]:
    filters = {f"lookupkey->>{gene}": f"eq.{key}", "select": "*", "order": "recommendationid.asc"}
    return await cpic_rows(api, "recommendation_view", filters)


@platform.tool(
    example={"genotypes": ["CYP2C19*2/*2"], "drug_name": "clopidogrel"},
    asks=(
        "patient is CYP2C19 *2/*2, what should I prescribe",
        "dosing from a genotype",
        "advice for diplotypes",
        "which drugs should a carrier avoid",
    ),
)
async def recommend_for_genotype(
    api: Api,
    genotypes: Annotated[
        list[str],
        Arg(
            "Genes with two star alleles each.",
            ["CYP2C19*1/*2", "CYP2D6*4/*4"],
            r'^[A-Za-z0-9-]+( |\*)[^/"]+/[^/"]+$',
            max_items=10,
        ),
    ],
    drug_name: DrugName | None = None,
    population: CpicPopulation | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Find CPIC's recommendations for a patient's star alleles (diplotypes), for one drug or all: phenotype, then
    advice. For a known phenotype use get_cpic_recommendations.
    """
    diplotypes = _read_genotypes(genotypes)
    assigned = await _phenotypes(api, diplotypes)
    if isinstance(assigned, Answer):
        return assigned
    keys = {gene: key for gene, row in assigned.items() if (key := _key_of(row, gene)) is not None}
    fitting, further = await _matching(api, keys, drug_name)
    wanted = (population or "").lower()
    fitting = [row for row in fitting if not wanted or str(row.get("population")).strip().lower() == wanted]
    shown = fitting[offset : offset + limit]
    phenotypes = [
        {
            "genesymbol": gene,
            "diplotype": diplotypes[gene],
            "phenotype": row.get("generesult"),
            "key": keys.get(gene),
            "totalactivityscore": row.get("totalactivityscore"),
        }
        for gene, row in assigned.items()
    ]
    note = "" if fitting else f"CPIC has no recommendation for {joined(', '.join(genotypes), drug_name)}."
    if further:
        note = f"{note} Others also need the genotype of {', '.join(sorted(further))}.".strip()
    return rows(
        shown,
        total=len(fitting),
        next=next_page(offset, len(shown), len(fitting)),
        note=note,
        data={"phenotypes": phenotypes, "recommendations": shown},
        citations=[*cited_guidelines(shown), *_cited_genotypes(diplotypes)],
    )


def _cited_genotypes(diplotypes: dict[str, str]) -> list[Citation]:
    return [
        citation
        for gene, diplotype in diplotypes.items()
        for citation in cited_alleles(gene, both_orders(diplotype, gene)[0].split("/"))
    ]
