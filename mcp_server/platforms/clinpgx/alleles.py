"""Star alleles as CPIC names them: function, definition, frequency, and what two of them mean together."""

import re
from typing import Annotated

from mcp_server.args import GeneSymbol, Limit, Offset, gene_symbol_form
from mcp_server.envelope import Answer, Citation, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.clinpgx.service import (
    SPECIES,
    Json,
    check_gene,
    cpic_rows,
    kept,
    next_page,
    platform,
)
from mcp_server.tool import Arg

ALLELE_COLUMNS = "name,clinicalfunctionalstatus,clinicalfunctionalsubstrate,activityvalue,strength,findings,citations"
# CPIC defines alleles on the chromosomes of this assembly; the sequence is named beside it.
ASSEMBLY = "GRCh38"
PopulationGroup = Annotated[str, Arg("CPIC population group, as CPIC words it.", "European")]
StarAllele = Annotated[str, Arg("Star allele, with or without the gene.", "*2")]
# Some genes have alleles without a star, and with blanks: "Reference", "c.1905+1G>A (*2A)".
Diplotype = Annotated[str, Arg("Two alleles as CPIC names them, with a slash between.", "*1/*2", r'^[^/"]+/[^/"]+$')]


def bare_allele(allele: str, gene: str) -> str:
    """Return a star allele without its gene, in CPIC's spelling."""
    return re.sub(rf"^{re.escape(gene)}", "", allele.strip(), flags=re.IGNORECASE).strip()


def _allele_order(name: str) -> tuple[int, str]:
    digits = re.search(r"\d+", name)
    return (int(digits.group()) if digits else 0, name)


def cited_alleles(gene: str, names: list[str]) -> list[Citation]:
    """Cite star alleles."""
    return [Citation("star_allele", f"{gene}{name}") for name in dict.fromkeys(names)]


@platform.tool(
    example={"gene_symbol": "CYP2C19", "population": "European"},
    asks=(
        "how common is CYP2D6*4 in Europeans",
        "star allele frequency by ethnicity",
        "share of poor metabolisers in Asians",
        "prevalence of a haplotype in a biogeographic group",
        "how many people carry a star allele",
    ),
)
async def get_allele_frequencies(
    api: Api, gene_symbol: GeneSymbol, population: PopulationGroup | None = None, allele: StarAllele | None = None
) -> Answer:
    """Get the frequencies of a gene's star alleles in CPIC's population groups; null means not measured. The groups are
    CPIC's own. For a single variant (rsID) use thousand_genomes__population_frequencies.
    """
    gene = gene_symbol_form(gene_symbol)
    filters = {"genesymbol": f"eq.{gene}", "select": "*", "order": "name.asc,population_group.asc"}
    found = await cpic_rows(api, "population_frequency_view", filters)
    check_gene(found, gene)
    if not found:
        return empty(f"CPIC has no allele frequencies for {gene}.")
    groups = sorted({row["population_group"] for row in found})
    wanted = (population or "").lower()
    name = bare_allele(allele or "", gene).lower()
    fitting = [
        {column: value for column, value in row.items() if column != "genesymbol"}
        for row in sorted(found, key=lambda row: (_allele_order(row["name"]), row["population_group"]))
        if (not wanted or row["population_group"].lower() == wanted) and (not name or row["name"].lower() == name)
    ]
    note = "A frequency of null was not measured, one of 0 was. subjectcount counts the group for the whole gene."
    if not fitting:
        note = f"CPIC has no group {population!r} for {gene}; its groups are {', '.join(groups)}."
        if name:
            note = f"CPIC has no frequency of {allele} of {gene}; its groups are {', '.join(groups)}."
    return rows(
        fitting,
        note=note,
        data={"genesymbol": gene, "population_groups": groups, "rows": fitting},
        citations=cited_alleles(gene, [row["name"] for row in fitting]),
    )


@platform.tool(
    example={"gene_symbol": "CYP2C19"},
    asks=(
        "which star alleles of CYP2C19 have no function",
        "function of an allele, increased, decreased or normal",
        "activity value of a haplotype",
        "list of pharmacogene haplotypes",
        "is this allele broken, non-functional",
    ),
)
async def search_star_alleles(
    api: Api,
    gene_symbol: GeneSymbol,
    allele: StarAllele | None = None,
    function: Annotated[str, Arg("Words of the clinical function to keep.", "No function")] | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List a gene's named alleles with their function, activity value and strength of evidence, from CPIC. For the
    variants that make an allele use get_allele_definition.
    """
    gene = gene_symbol_form(gene_symbol)
    filters = {"genesymbol": f"eq.{gene}", "select": ALLELE_COLUMNS, "order": "name.asc"}
    found = await cpic_rows(api, "allele", filters)
    wanted = (allele or "").upper().removeprefix(gene)
    fitting = [
        row
        for row in found
        if (not wanted or row["name"].upper() == wanted)
        and (not function or function.lower() in str(row.get("clinicalfunctionalstatus")).lower())
    ]
    fitting.sort(key=lambda row: _allele_order(row["name"]))
    shown = fitting[offset : offset + limit]
    note = ""
    if not fitting:
        note = f"CPIC has no allele {wanted} of {gene}." if found else f"CPIC names no alleles of {gene}."
        if found and function:
            there = sorted({str(row.get("clinicalfunctionalstatus")) for row in found})
            note = f"CPIC has no such allele of {gene} with {function!r}; its functions are {', '.join(there)}."
    return rows(
        shown,
        total=len(fitting),
        next=next_page(offset, len(shown), len(fitting)),
        note=note,
        data={"genesymbol": gene, "alleles": shown},
        citations=cited_alleles(gene, [row["name"] for row in shown]),
    )


async def unknown_alleles(api: Api, gene: str, names: list[str]) -> Answer | None:
    """Answer which of these alleles CPIC does not know, or nothing if it knows them all."""
    found = await cpic_rows(api, "allele", {"genesymbol": f"eq.{gene}", "select": "name", "order": "name.asc"})
    if not found:
        return empty(f"CPIC names no alleles of {gene}.")
    known = {row["name"] for row in found}
    missing = [f"{gene}{name}" for name in dict.fromkeys(names) if name not in known]
    if missing:
        return unknown_id(", ".join(missing), f"CPIC has no allele {' or '.join(missing)}: see search_star_alleles.")
    return None


def _location(value: Json) -> dict[str, Json]:
    place = value.get("sequence_location") or {}
    return {
        "variantallele": value.get("variantallele"),
        "dbsnpid": place.get("dbsnpid"),
        **kept(place, "name", "chromosomelocation", "genelocation", "proteinlocation", "position"),
    }


@platform.tool(
    example={"gene_symbol": "NUDT15", "allele": "*3"},
    asks=(
        "which SNPs make up CYP2C9*3",
        "variants that define a haplotype",
        "translate a star allele to rsIDs",
        "core variants of an allele",
    ),
)
async def get_allele_definition(api: Api, gene_symbol: GeneSymbol, allele: StarAllele) -> Answer:
    """Get the variants that define a star allele: rsIDs, places on gene and chromosome, the state at each place. A
    state may be a set. To call alleles from a genotype use a caller such as PharmCAT.
    """
    gene = gene_symbol_form(gene_symbol)
    name = bare_allele(allele, gene)
    filters = {
        "genesymbol": f"eq.{gene}",
        "name": f"eq.{name}",
        "select": "*,allele_location_value(*,sequence_location(*))",
        "order": "name.asc",
    }
    found = await cpic_rows(api, "allele_definition", filters)
    check_gene(found, gene)
    if not found:
        missing = await unknown_alleles(api, gene, [name])
        return missing or empty(f"CPIC knows {gene}{name} but has no definition of it.")
    columns = "symbol,chromosequenceid,genesequenceid,proteinsequenceid"
    genes = await cpic_rows(api, "gene", {"symbol": f"eq.{gene}", "select": columns})
    definition = found[0]
    locations = [_location(value) for value in definition.get("allele_location_value") or []]
    note = "" if locations else f"CPIC lists no place for {gene}{name}: it may be the reference or not yet placed."
    data = {
        "genesymbol": gene,
        "name": name,
        "species": SPECIES,
        "assembly": ASSEMBLY,
        **(kept(genes[0], "chromosequenceid", "genesequenceid", "proteinsequenceid") if genes else {}),
        "locations": locations,
    }
    rsids = dict.fromkeys(row["dbsnpid"] for row in locations if row["dbsnpid"])
    cited = [*cited_alleles(gene, [name]), *(Citation("rsid", rsid) for rsid in rsids)]
    return Answer(data, total=len(locations), returned=len(locations), note=note, citations=cited)


def both_orders(diplotype: str, gene: str) -> list[str]:
    """Return a diplotype in its two orders, without the gene."""
    first, _, second = diplotype.partition("/")
    alleles = [bare_allele(part, gene) for part in (first, second)]
    return list(dict.fromkeys(["/".join(alleles), "/".join(reversed(alleles))]))


async def diplotype_rows(api: Api, gene: str, diplotype: str) -> list[Json]:
    """Return what CPIC says of a diplotype, whichever allele stands first."""
    orders = both_orders(diplotype, gene)
    quoted = ",".join(f'"{order}"' for order in orders)
    filters = {"genesymbol": f"eq.{gene}", "diplotype": f"in.({quoted})", "select": "*", "order": "diplotype.asc"}
    found = await cpic_rows(api, "diplotype", filters)
    check_gene(found, gene)
    return [row for row in found if row.get("diplotype", orders[0]) in orders]


@platform.tool(
    example={"gene_symbol": "CYP2C19", "diplotype": "*1/*2"},
    asks=(
        "what metaboliser is *1/*4",
        "genotype to phenotype",
        "poor, intermediate, rapid or ultrarapid metabolizer",
        "activity score of a diplotype",
    ),
)
async def get_diplotype_phenotype(api: Api, gene_symbol: GeneSymbol, diplotype: Diplotype) -> Answer:
    """Get the phenotype and activity score that CPIC assigns to two star alleles of a gene, in either order. For the
    advice that follows use recommend_for_genotype.
    """
    gene = gene_symbol_form(gene_symbol)
    found = await diplotype_rows(api, gene, diplotype)
    names = both_orders(diplotype, gene)[0].split("/")
    if not found:
        missing = await unknown_alleles(api, gene, names)
        return missing or empty(f"CPIC assigns no phenotype to {gene} {'/'.join(names)}.")
    return rows(
        found,
        note="An activity score is text: it may be n/a or a bound.",
        data={"genesymbol": gene, "rows": found},
        citations=cited_alleles(gene, names),
    )
