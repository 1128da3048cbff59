"""Proteins: UniProt entries, found by gene, name, organism or length, and opened by accession."""

from collections.abc import Mapping
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import (
    Document,
    LegRows,
    alternatives,
    answers,
    counted,
    dug,
    sections,
    values,
)
from mcp_server.unified.results import Result, result

Json = Any
_FIELDS = {"genes": "gene_exact", "name": "protein_name", "organism": "organism_name", "diseases": "cc_disease"}
PAGE = "https://www.uniprot.org/uniprotkb/{}/entry"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first `count` proteins of a leg, human ones unless an organism is named."""
    source = [calls.title("uniprot")]
    if accessions := values(params, "accession"):
        found, failures = await answers([calls("uniprot__get_protein", accession=each) for each in accessions])
        cards = [card(each.data) for each in found if each and each.has_data]
        return LegRows(cards, len(cards), "at_least" if failures else "exact", source, failures)
    listed = await calls("uniprot__search_proteins", query=query(params), limit=min(count, 100))
    total, total_is = counted(listed.total, len(listed.rows()))
    return LegRows([card(each) for each in listed.rows()], total, total_is, source)


def query(params: Mapping[str, Json]) -> str:
    """Return UniProt's own query for the clauses, joined by AND in parentheses."""
    clauses = []
    for field, name in _FIELDS.items():
        clauses += [
            f"({' OR '.join(_clause(field, value) for value in group)})" for group in alternatives(params, name)
        ]
    low, high = params.get("min_length"), params.get("max_length")
    if low is not None or high is not None:
        clauses.append(f"(length:[{'*' if low is None else int(low)} TO {'*' if high is None else int(high)}])")
    if (reviewed := params.get("reviewed")) is not None:
        clauses.append(f"(reviewed:{'true' if reviewed else 'false'})")
    if not values(params, "organism"):
        clauses.append("(organism_id:9606)")
    refused = [_clause(field, value) for field, name in _FIELDS.items() for value in params.get(f"not_{name}") or ()]
    return " AND ".join(clauses) + "".join(f" NOT ({clause})" for clause in refused)


def _clause(field: str, value: str) -> str:
    return f'{field}:"{_plain(value)}"'


def _plain(value: str) -> str:
    return value.replace('"', " ").replace("\\", " ").strip()


def card(entry: Mapping[str, Json]) -> Result:
    """Return an entry's card."""
    accession = str(entry["primaryAccession"])
    parts = (
        entry.get("geneName"),
        entry.get("organism"),
        "reviewed" if entry.get("reviewed") else "unreviewed",
        f"{entry['length']} aa" if entry.get("length") else "",
        entry.get("function"),
    )
    return result(f"UNIPROT:{accession}", entry.get("proteinName"), parts, PAGE.format(accession))


async def opened(accession: str, calls: Calls) -> Document | None:
    """Open an entry; None where UniProt has none of this accession."""
    found = await calls("uniprot__get_protein", accession=accession)
    if not found.has_data:
        return None
    entry = found.data
    text = sections(
        (
            ("Gene", entry.get("geneName")),
            ("Organism", entry.get("organism")),
            ("Length", f"{entry['length']} amino acids" if entry.get("length") else ""),
            ("Function", entry.get("function")),
            ("Also known as", dug(entry, "alternativeNames")),
        )
    )
    head = card(entry)
    return Document(head.id, head.title, text or head.text, head.url, {"uniprot": entry}, [calls.title("uniprot")])
