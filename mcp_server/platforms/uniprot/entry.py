"""One entry: fetching it, following a merged accession, and reading its parts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from mcp_server.envelope import Answer, Citation, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.uniprot.base import page

Json = Any

IDENTITY_FIELDS = ("accession", "id", "protein_name", "gene_names", "organism_name")
FUNCTION_MAX_CHARS = 300


async def fetch_entry(api: Api, accession: str, fields: Sequence[str]) -> Json:
    """Return the active entry, or the answer that explains why there is none. A merged accession is followed."""
    canonical = accession.partition("-")[0]
    try:
        entry, _ = await page(api, f"/uniprotkb/{canonical}", {"fields": fields})
    except UpstreamNotFound:
        return unknown_id(accession, f"UniProt has no entry {canonical}.")
    found = entry["primaryAccession"]
    if found != canonical and canonical not in entry.get("secondaryAccessions", [canonical]):
        raise UpstreamBadResponse("rest.uniprot.org", f"asked for {canonical}, it answered with {found}")
    if entry.get("entryType") != "Inactive":
        return entry
    reason = entry.get("inactiveReason", {})
    successors = reason.get("mergeDemergeTo") or []
    if reason.get("inactiveReasonType") == "MERGED" and len(successors) == 1 and successors[0] != canonical:
        return await fetch_entry(api, successors[0], fields)
    return unknown_id(accession, inactive_note(entry), replacement=successors or None)


def of_organism(entries: list[Json], organism_id: int) -> list[Json]:
    """Return the entries; one of another species than asked for is refused."""
    for entry in entries:
        found = entry.get("organism", {}).get("taxonId", organism_id)
        if found != organism_id:
            message = f"asked for taxon {organism_id}, {entry['primaryAccession']} is of taxon {found}"
            raise UpstreamBadResponse("rest.uniprot.org", message)
    return entries


def inactive_note(entry: Json) -> str:
    """Say why an entry is no longer there, and where its sequence is."""
    reason = entry.get("inactiveReason", {})
    successors = reason.get("mergeDemergeTo") or []
    words = reason.get("deletedReason") or reason.get("inactiveReasonType", "")
    note = f"{entry['primaryAccession']} is no longer in UniProtKB ({words})."
    note += f" It went into {', '.join(successors)}." if successors else ""
    archive = entry.get("extraAttributes", {}).get("uniParcId")
    return note + (f" Its sequence is UniParc {archive}." if archive else "")


def resolved_note(asked: str, entry: Json) -> str:
    """Say when the entry is another one than its accession suggests, or covers more than was asked."""
    canonical, _, isoform = asked.partition("-")
    notes = []
    if entry["primaryAccession"] != canonical:
        notes.append(f"{canonical} was merged into {entry['primaryAccession']}; use that accession.")
    if isoform:
        notes.append(f"This is the entry of all isoforms; positions refer to the canonical one, not to {asked}.")
    return " ".join(notes)


def isoform_citation(asked: str) -> list[Citation]:
    """Cite the isoform that was asked for, where one was."""
    return [Citation("uniprot", asked)] if "-" in asked else []


def entry_answer(asked: str, entry: Json, found: Sequence[Json], what: str, **parts: Json) -> Answer:
    """Answer with parts of an entry; without any, say that it has no `what`."""
    note = resolved_note(asked, entry)
    if not found:
        note = f"{nothing(entry, what)} {note}".strip()
    return rows(found, data=identity(entry) | parts, note=note, citations=isoform_citation(asked))


def nothing(entry: Json, what: str) -> str:
    """Say that an entry exists and does not have something."""
    name = f" ({entry['uniProtkbId']})" if entry.get("uniProtkbId") else ""
    return f"{entry['primaryAccession']}{name} has no {what} in UniProt."


def identity(entry: Json) -> dict[str, Json]:
    """Return what every answer about an entry starts with."""
    names = ("primaryAccession", "uniProtkbId", "proteinName", "geneName", "organism")
    found = card(entry)
    return {name: found[name] for name in names} | {"taxonId": entry.get("organism", {}).get("taxonId")}


def card(entry: Json) -> dict[str, Json]:
    """Return the identity of an entry."""
    genes = entry.get("genes") or [{}]
    description = entry.get("proteinDescription", {})
    name: Json = description.get("recommendedName") or next(iter(description.get("submissionNames") or []), {})
    return {
        "primaryAccession": entry["primaryAccession"],
        "uniProtkbId": entry.get("uniProtkbId"),
        "reviewed": entry.get("entryType", "").startswith("UniProtKB reviewed"),
        "geneName": genes[0].get("geneName", {}).get("value"),
        "geneSynonyms": [synonym["value"] for synonym in genes[0].get("synonyms") or []],
        "proteinName": name.get("fullName", {}).get("value"),
        "ecNumbers": [number["value"] for number in name.get("ecNumbers") or []],
        "keywords": [keyword["name"] for keyword in entry.get("keywords") or []],
        "length": entry.get("sequence", {}).get("length"),
        "organism": entry.get("organism", {}).get("scientificName"),
    }


def function_text(entry: Json) -> str:
    """Return all texts about the function."""
    texts = [text["value"] for comment in comments(entry, "FUNCTION") for text in comment.get("texts") or []]
    return " ".join(texts)


def shortened(text: str) -> str:
    """Return the beginning of a function text, without its references to papers."""
    text = re.sub(r" ?\((?:PubMed:\d+(?:, )?)+\)", "", text)
    if len(text) <= FUNCTION_MAX_CHARS:
        return text
    return f"{text[:FUNCTION_MAX_CHARS].rpartition(' ')[0]} …"


def comments(entry: Json, *types: str) -> list[Json]:
    """Return the comments of some types, in the entry's order."""
    return [comment for comment in entry.get("comments") or [] if comment.get("commentType") in types]


def features(entry: Json, *types: str) -> list[Json]:
    """Return the features of some types, in the entry's order."""
    return [feature for feature in entry.get("features") or [] if feature["type"] in types]


def bounds(feature: Json) -> tuple[int | None, int | None]:
    """Return the first and the last residue of a feature; either may be unknown."""
    location = feature["location"]
    return location["start"].get("value"), location["end"].get("value")


def touches(feature: Json, start: int | None, end: int | None) -> bool:
    """Tell whether a feature lies at least partly between two residues; None is no limit."""
    first, last = bounds(feature)
    first = last if first is None else first
    last = first if last is None else last
    if first is None or last is None:
        return start is None and end is None
    return (end is None or first <= end) and (start is None or last >= start)


def placed(feature: Json) -> dict[str, Json]:
    """Return a feature with its residues as plain numbers."""
    start, end = bounds(feature)
    location = feature["location"]
    modifiers = {location[side].get("modifier", "EXACT") for side in ("start", "end")} - {"EXACT"}
    row = {
        "type": feature["type"],
        "start": start,
        "end": end,
        # Only where a bound is not exact, e.g. OUTSIDE or UNKNOWN.
        "uncertain": sorted(modifiers) or None,
        "description": feature.get("description", ""),
        "featureId": feature.get("featureId") or None,
        "ligand": feature.get("ligand"),
        "ligandPart": feature.get("ligandPart"),
    }
    return {name: value for name, value in row.items() if value is not None}


def changed(feature: Json) -> dict[str, Json]:
    """Return a feature that replaces residues, with the residues."""
    sequence = feature.get("alternativeSequence") or {}
    start, end = bounds(feature)
    return {
        "start": start,
        "end": end,
        "originalSequence": sequence.get("originalSequence"),
        "alternativeSequences": sequence.get("alternativeSequences") or [],
        "description": feature.get("description", ""),
        "featureId": feature.get("featureId"),
    }


def references(entry: Json, database: str) -> Iterator[Json]:
    """Yield the cross-references to one database."""
    return (row for row in entry.get("uniProtKBCrossReferences") or [] if row["database"] == database)


def ids(entry: Json, database: str) -> list[str]:
    """Return the entry's ids in one database, each once."""
    return list(dict.fromkeys(row["id"] for row in references(entry, database)))


def properties(reference: Json) -> dict[str, str]:
    """Return the properties of a cross-reference by name."""
    return {row["key"]: row["value"] for row in reference.get("properties") or []}


def ensembl_genes(entry: Json) -> list[str]:
    """Return the Ensembl gene ids without version: the entry lists transcripts."""
    genes = (properties(row).get("GeneId", "").partition(".")[0] for row in references(entry, "Ensembl"))
    return [gene for gene in dict.fromkeys(genes) if gene]
