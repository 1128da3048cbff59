"""Genes: cards by symbol, alias, number or name from MyGene, opened with their identifiers in other databases."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mcp_server.unified.calls import Calls, Found
from mcp_server.unified.domains.base import (
    Document,
    LegRows,
    answers,
    counted,
    mentions,
    notice,
    refused,
    sections,
    texts,
)
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
Fit = Callable[[Sequence[str]], bool]
CARDS = 3
# Of a name that further clauses sift, more are looked at than are shown.
LOOKED_AT = 20
PAGE = "https://www.ncbi.nlm.nih.gov/gene/{}"
_BY_NUMBER = ("genes", "id")
_SIFTED = ("chromosome", "type", "not_genes", "not_id", "not_name", "not_chromosome", "not_type")


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the cards of the named genes: of a symbol or number its one gene, of other words at most three.

    Values of one field are alternatives; several fields must all hold.
    """
    most = LOOKED_AT if any(name in params for name in _SIFTED) else CARDS
    stated = [name for name in _BY_NUMBER if name in params]
    named = [(name, value) for name in stated or ("name",) for value in texts(params, name)]
    looked_up = [
        _called(value, calls, most) if name == "name" else _resolved(value, calls, most) for name, value in named
    ]
    found, failures = await answers(looked_up)
    if failures and len(stated) > 1:
        # Without one of the conditions the rest would answer another question.
        raise failures[0]
    pairs = [(name, value, genes) for (name, value), genes in zip(named, found, strict=True) if genes is not None]
    by_field = [list(round_robin([genes for name, _, genes in pairs if name == field])) for field in stated or ["name"]]
    first, *others = by_field
    known = [{gene.get("entrez_gene_id") for gene in other} for other in others]
    genes = [gene for gene in first if all(gene.get("entrez_gene_id") in ids for ids in known) and _fits(gene, params)]
    cards = without_twins(made for gene in genes if (made := card(gene)))
    exact = not failures and all(len(genes) == 1 for _, _, genes in pairs)
    total, total_is = counted(len(cards) if exact else None, len(cards))
    notices = [told for _, value, genes in pairs if (told := _alias(value, genes))]
    return LegRows(cards, total, total_is, [calls.title("myvariant")], failures, notices)


async def _resolved(name: str, calls: Calls, most: int) -> list[Mapping[str, Json]]:
    return _best(await calls("myvariant__gene_resolve", query=name, limit=most))


async def _called(words: str, calls: Calls, most: int) -> list[Mapping[str, Json]]:
    """Return the genes that a symbol or alias names, else those that have the words in their names."""
    if genes := await _resolved(words, calls, most):
        return genes
    hits = await calls("opentargets__search_entities", query=words, entity_types=["target"], limit=most)
    numbers = [str(hit["id"]) for hit in hits.rows("hits")]
    genes_of = await asyncio.gather(*(_resolved(number, calls, 1) for number in numbers))
    return [gene for genes in genes_of for gene in genes]


def _fits(gene: Mapping[str, Json], params: Mapping[str, Json]) -> bool:
    """Tell whether a gene meets the clauses that nobody was asked for."""
    chromosomes = {str(place.get("chromosome")) for place in _places(gene)}
    kind = str(gene.get("type_of_gene"))
    names = [str(gene.get("name") or ""), str(gene.get("symbol") or ""), *(gene.get("aliases") or ())]
    is_named = any(name in params for name in _BY_NUMBER)
    wanted: dict[str, Fit] = {
        "chromosome": lambda values: bool(chromosomes & set(values)),
        "type": lambda values: kind in values,
        "name": lambda values: not is_named or any(mentions(name, values) for name in names),
    }
    unwanted: dict[str, Fit] = {
        "genes": lambda values: bool(_numbers(gene) & {value.lower() for value in values}),
        "id": lambda values: bool(_numbers(gene) & {value.lower() for value in values}),
        "name": lambda values: any(mentions(name, values) for name in names),
        "chromosome": wanted["chromosome"],
        "type": wanted["type"],
    }
    return all(fits(values) for name, fits in wanted.items() if (values := texts(params, name))) and not any(
        fits(values) for name, fits in unwanted.items() if (values := refused(params, name))
    )


def _numbers(gene: Mapping[str, Json]) -> set[str]:
    """Return what a gene is called by as a whole: symbol, aliases and numbers."""
    own = [gene.get("symbol"), gene.get("entrez_gene_id"), *(gene.get("aliases") or ())]
    return {str(each).lower() for each in (*own, *(gene.get("ensembl_gene_ids") or ())) if each}


def _best(found: Found) -> list[Mapping[str, Json]]:
    """Return the one gene that a symbol or number names, or all that share an alias or a word."""
    genes: list[Mapping[str, Json]] = found.rows()
    return genes if not genes or genes[0].get("matched_by") in ("alias", "words") else genes[:1]


def _alias(name: str, genes: Sequence[Mapping[str, Json]]) -> dict[str, Json] | None:
    if not genes or genes[0].get("matched_by") != "alias":
        return None
    symbols = ", ".join(str(gene["symbol"]) for gene in genes)
    several = f"{name} is an alias of several genes: {symbols}; name the one that is meant."
    return notice("N_ALIAS", several if len(genes) > 1 else f"{name} is an alias of {symbols}.")


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
    found = await calls("myvariant__gene_resolve", query=number, limit=CARDS)
    gene = next(iter(found.rows()), None)
    head = card(gene) if gene else None
    if gene is None or head is None:
        return None
    told = _alias(number, _best(found))
    text = sections(
        (
            ("Note", told["message"] if told else found.note),
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
    notices = [told] if told else []
    metadata = {"mygene": gene}
    source = [calls.title("myvariant")]
    return Document(head.id, head.title, text or head.text, head.url, metadata, source, notices=notices)
