"""Reading of PUG View records: sections by heading, the statements in them, their sources.

One fact stands there once for each source. A heading that a compound does not have is a 404 or a 400.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamRefused
from mcp_server.platforms.pubchem.base import fault_code, known, matched, plain_number

Json = Any

VIEW = "https://pubchem.ncbi.nlm.nih.gov/rest/pug_view"


async def section_of(api: Api, cid: str, heading: str) -> Json:
    """Return the record of a compound cut to one heading, or None where it has none."""
    path = f"/data/compound/{plain_number(cid)}/JSON?heading={quote(heading, safe='')}"
    try:
        answer = await known(api, path, base=VIEW)
    except UpstreamRefused as error:
        if fault_code(error) == "PUGVIEW.BadRequest":
            return None
        raise
    if answer is None:
        return None
    record = answer.get("Record") or {}
    matched("compound", plain_number(cid), record.get("RecordNumber"))
    return record


async def headings_of(api: Api, cid: str) -> list[str] | None:
    """Return all headings of a compound's page; None where there is no such compound."""
    answer = await known(api, f"/index/compound/{plain_number(cid)}/JSON", base=VIEW)
    if answer is None:
        return None
    record = answer.get("Record") or {}
    matched("compound", plain_number(cid), record.get("RecordNumber"))
    return [section["TOCHeading"] for section in sections(record)]


def sections(record: Json) -> Iterator[Json]:
    """Yield every section of a record, outer before inner."""
    for section in record.get("Section") or []:
        yield section
        yield from sections(section)


def statements(record: Json) -> list[Json]:
    """Return what a record says, each statement once: heading, name, text, unit, sources, reference."""
    sources = {one.get("ReferenceNumber"): one.get("SourceName") for one in record.get("Reference") or []}
    found: dict[tuple[str, str, str], Json] = {}
    for section in sections(record):
        for information in section.get("Information") or []:
            text = _text(information.get("Value") or {}, section["TOCHeading"])
            if not text:
                continue
            key = (section["TOCHeading"], information.get("Name") or "", text)
            row: Json = found.setdefault(key, _row(section, information, text))
            source = sources.get(information.get("ReferenceNumber"))
            if source and source not in row["sources"]:
                row["sources"].append(source)
    return list(found.values())


def _row(section: Json, information: Json, text: str) -> Json:
    row = {"heading": section["TOCHeading"], "text": text, "sources": []}
    if information.get("Name") and information["Name"] != section["TOCHeading"]:
        row["name"] = information["Name"]
    if unit := (information.get("Value") or {}).get("Unit"):
        row["unit"] = unit
    if references := information.get("Reference"):
        row["reference"] = references
    return row


def _text(value: Json, heading: str) -> str:
    """Return a value as text: words, numbers, or for pictograms the names behind the blanks."""
    parts = []
    for piece in value.get("StringWithMarkup") or []:
        words = (piece.get("String") or "").strip()
        if not words:
            words = ", ".join(mark["Extra"] for mark in piece.get("Markup") or [] if mark.get("Extra"))
        parts.append(words)
    parts += [str(number) for number in value.get("Number") or []]
    parts += [str(truth) for truth in value.get("Boolean") or []]
    if value.get("ExternalTableName"):
        parts.append(f"(a table of its own: {heading})")
    return "\n".join(part for part in parts if part)
