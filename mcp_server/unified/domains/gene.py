"""Genes: cards by symbol, alias or number from MyGene, opened with their identifiers in other databases."""

from collections.abc import Mapping
from typing import Any

from mcp_server.unified.calls import Calls, Found
from mcp_server.unified.domains.base import Document, LegRows, answers, notice, sections, values
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
CARDS = 3
PAGE = "https://www.ncbi.nlm.nih.gov/gene/{}"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the cards of the named genes: of a symbol or number its one gene, of other words at most three."""
    named = [value for field in ("genes", "id", "name") for value in values(params, field)]
    found, failures = await answers([calls("myvariant__gene_resolve", query=name, limit=CARDS) for name in named])
    pairs = [(name, each) for name, each in zip(named, found, strict=True) if each]
    notices = [alias for name, each in pairs if (alias := _alias(name, each))]
    genes = list(round_robin([_best(each) for _, each in pairs]))
    if chromosomes := values(params, "chromosome"):
        genes = [gene for gene in genes if {place.get("chromosome") for place in _places(gene)} & set(chromosomes)]
    if kinds := values(params, "type"):
        genes = [gene for gene in genes if str(gene.get("type_of_gene")) in kinds]
    cards = without_twins(each for gene in genes if (each := card(gene)))
    exact = not failures and all(len(each.rows()) == 1 for _, each in pairs)
    total_is = "exact" if exact else "at_least"
    return LegRows(cards[:count], len(cards), total_is, [calls.title("myvariant")], failures, notices)


def _best(found: Found) -> list[Mapping[str, Json]]:
    """Return the one gene that a symbol or number names, or all that share an alias or a word."""
    genes: list[Mapping[str, Json]] = found.rows()
    return genes if not genes or genes[0].get("matched_by") in ("alias", "words") else genes[:1]


def _alias(name: str, found: Found) -> dict[str, Json] | None:
    genes = found.rows()
    if len(genes) != 1 or genes[0].get("matched_by") != "alias":
        return None
    return notice("N_ALIAS", f"{name} is an alias of {genes[0]['symbol']}.")


def _places(gene: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return list(gene.get("places") or ())


def card(gene: Mapping[str, Json]) -> Result | None:
    """Return a gene's card; a record without an Entrez number can't be opened again and gives none."""
    number = gene.get("entrez_gene_id")
    if not number:
        return None
    place = next((each for each in _places(gene) if each.get("assembly") == "GRCh38"), None)
    parts = (
        gene.get("name"),
        gene.get("type_of_gene"),
        f"also {plain_text(gene['aliases'][:6])}" if gene.get("aliases") else "",
        f"chr{place['chromosome']}:{place['start']}-{place['end']} (GRCh38)" if place else "",
        gene.get("summary"),
    )
    return result(f"GENE:{number}", gene.get("symbol"), parts, PAGE.format(number))


async def opened(number: str, calls: Calls) -> Document | None:
    """Open a gene by its Entrez number or symbol; None where MyGene has none."""
    found = await calls("myvariant__gene_resolve", query=number, limit=1)
    gene = next(iter(found.rows()), None)
    head = card(gene) if gene else None
    if gene is None or head is None:
        return None
    text = sections(
        (
            ("Name", gene.get("name")),
            ("Type", gene.get("type_of_gene")),
            ("Aliases", gene.get("aliases")),
            ("Ensembl", gene.get("ensembl_gene_ids")),
            ("HGNC", gene.get("hgnc_id")),
            ("UniProt", gene.get("uniprot_accessions")),
            ("OMIM", gene.get("omim_ids")),
            ("Summary", gene.get("summary")),
        )
    )
    return Document(head.id, head.title, text or head.text, head.url, {"mygene": gene}, [calls.title("myvariant")])
