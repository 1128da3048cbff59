"""Proteins: UniProt entries, found by gene, name, organism or length, and opened by accession."""

from collections.abc import Mapping
from typing import Any

from mcp_server.http.client import Api
from mcp_server.platforms.uniprot.search import query_rows
from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, LegRows, answers, chosen, counted, dug, refused, sections, texts
from mcp_server.unified.results import Result, result

Json = Any
PAGE_MAX = 100
OTHERS_MAX = 3
_FIELDS = {
    "accession": "accession",
    "genes": "gene_exact",
    "name": "protein_name",
    "organism": "organism_name",
    "diseases": "cc_disease",
}
PAGE = "https://www.uniprot.org/uniprotkb/{}/entry"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first `count` proteins of a leg, human ones unless an organism is named."""
    source = [calls.title("uniprot")]
    if set(params) == {"accession"}:
        found, failures = await answers([calls("uniprot__get_protein", accession=each) for each in params["accession"]])
        cards = [card(each.data) for each in found if each and each.has_data]
        return LegRows(cards, len(cards), "at_least" if failures else "exact", source, failures)
    asked = query(params)
    listed: list[Json] = []
    total: int | None = None
    cursor: str | None = None
    while True:

        async def operation(api: Api, cursor: str | None = cursor) -> tuple[list[Json], int, str | None]:
            return await query_rows(api, asked, limit=min(count, PAGE_MAX), cursor=cursor)

        page, total, cursor = await calls.ask("uniprot", operation)
        listed += page
        if len(listed) >= count or not cursor:
            break
    calls.citations += [_cited(each) for each in listed]
    total, total_is = counted(total, len(listed))
    return LegRows([card(each) for each in listed], total, total_is, source, has_more=bool(cursor))


def _cited(entry: Mapping[str, Json]) -> dict[str, Json]:
    accession = str(entry["primaryAccession"])
    label = str(entry.get("proteinName") or "")
    return {"kind": "uniprot", "identifier": accession, "label": label, "url": PAGE.format(accession)}


def query(params: Mapping[str, Json]) -> str:
    """Return UniProt's own query for the clauses: values of one field are alternatives, fields are joined by AND."""
    clauses = [
        f"({' OR '.join(_clause(field, value) for value in values)})"
        for name, field in _FIELDS.items()
        if (values := texts(params, name))
    ]
    bounds = ("min_length", "min_length_exclusive", "max_length", "max_length_exclusive")
    if length := {name.replace("_length", ""): params[name] for name in bounds if name in params}:
        clauses.append(f"({_length(length)})")
    if (reviewed := params.get("reviewed")) is not None:
        clauses.append(f"(reviewed:{'true' if reviewed else 'false'})")
    if not texts(params, "organism") and not texts(params, "accession"):
        clauses.append("(organism_id:9606)")
    unwanted = [_clause(field, value) for name, field in _FIELDS.items() for value in refused(params, name)]
    unwanted += [_length(bounds) for bounds in params.get("not_length") or ()]
    return " AND ".join(clauses) + "".join(f" NOT ({clause})" for clause in unwanted)


def _clause(field: str, value: str) -> str:
    # Isoforms are part of the entry of their canonical sequence.
    return f"accession:{value.partition('-')[0]}" if field == "accession" else f'{field}:"{_plain(value)}"'


def _length(bounds: Mapping[str, Json]) -> str:
    low, high = bounds.get("min"), bounds.get("max")
    # Lengths are whole numbers: less than 500 is 499 at most.
    first = "*" if low is None else int(low) + bool(bounds.get("min_exclusive"))
    last = "*" if high is None else int(high) - bool(bounds.get("max_exclusive"))
    return f"length:[{first} TO {last}]"


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
            ("Note", found.note),
            ("Gene", entry.get("geneName")),
            ("Organism", entry.get("organism")),
            ("Length", f"{entry['length']} amino acids" if entry.get("length") else ""),
            ("Function", entry.get("function")),
            ("Also known as", dug(entry, "alternativeNames")),
        )
    )
    head = card(entry)
    return Document(head.id, head.title, text or head.text, head.url, {"uniprot": entry}, [calls.title("uniprot")])


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the human protein of a gene symbol or name, a reviewed entry first; None where UniProt has none."""
    for field in ("genes", "name"):
        for reviewed in (True, None):
            params: dict[str, Json] = {field: [name], **({"reviewed": reviewed} if reviewed else {})}
            if found := (await rows(params, calls, OTHERS_MAX)).results:
                document = await opened(found[0].id.removeprefix("UNIPROT:"), calls)
                return chosen(document, name, found)
    return None
