"""Preprints and published pairs as plain rows; their texts without the tokens that the servers leave in them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from mcp_server.envelope import Citation
from mcp_server.markup import plain_text
from mcp_server.platforms.biorxiv.service import SERVERS

Json = Any

# A flattened figure stands between two tokens, with its file names and addresses.
_FIGURE = re.compile(r"O_(FIG|TBL)\b.*?C_\1(?:CAPT)?\b", re.DOTALL)
_HEADING_END = re.compile(r"C_ST_ABS")
_LETTERS = re.compile(r"[OC]_(?:SCPLOW|SCPCAP|UNDERLINE|ITALIC|BOLD|SUP|SUB)")
_TOKEN = re.compile(r"[OCM]_(?:LI|ST_ABS|FIG|TBL|TEXTBOX|QD|LST|FLOATNO|TABLECAPTION)")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_SIGNS = {"degrees": "°", "micro": "µ", "+/-": "±", "middle dot": "·", "angstrom": "Å"}


def readable(text: str) -> str:
    """Return a text without tokens of flattening, tags and e-mail addresses, on one line."""
    plain = _FIGURE.sub(" ", text)
    plain = _LETTERS.sub("", _HEADING_END.sub(": ", plain))
    plain = re.sub(r"\{([^{}]+)\}", _sign, _TOKEN.sub(" ", plain))
    return plain_text(_ADDRESS.sub("…", plain))


def _sign(found: re.Match[str]) -> str:
    """Return the letter or sign whose name stands in braces: `{kappa}` → `κ`; anything else as it is."""
    size = "CAPITAL" if found[1][:1].isupper() else "SMALL"
    try:
        return _SIGNS.get(found[1]) or unicodedata.lookup(f"GREEK {size} LETTER {found[1].upper()}")
    except KeyError:
        return found[0]


def given(value: Json) -> Json:
    """Return a value, or None where the servers write NA."""
    return None if value in (None, "", "NA") else value


def kept(facts: Mapping[str, Json]) -> dict[str, Json]:
    """Return the facts that are there."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


def page_of(server: Json, doi: Json, version: Json = None) -> str:
    """Return a preprint's page at its server."""
    name = str(server).lower()
    site = name if name in SERVERS else "biorxiv"
    return f"https://www.{site}.org/content/{doi}{f'v{version}' if version else ''}"


def preprint(record: Json, *, with_abstract: bool) -> dict[str, Json]:
    """Return one version of a preprint."""
    facts = {
        "doi": record["doi"],
        "version": int(record.get("version") or 1),
        "server": SERVERS.get(str(record.get("server")).lower()),
        "title": readable(record.get("title") or ""),
        "authors": record.get("authors"),
        "corresponding_author": " ".join(str(record.get("author_corresponding") or "").split()),
        "institution": record.get("author_corresponding_institution"),
        "date": record.get("date"),
        "category": given(record.get("category")),
        "type": given(record.get("type")),
        "licence": given(record.get("license")),
        "abstract": readable(record.get("abstract") or "") if with_abstract else None,
        "funders": funders(record),
        "published_doi": given(record.get("published")),
        "is_withdrawn": str(record.get("type")).lower() == "withdrawn" or None,
        "url": page_of(record.get("server"), record["doi"], record.get("version")),
    }
    return kept(facts)


def funders(record: Json) -> list[dict[str, Json]]:
    """Return who paid, with ROR id and award numbers; what is not known comes as the text NA."""
    listed = record.get("funder")
    rows = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [
        kept({"name": each.get("name"), "ror": ror_number(each.get("id")), "award": given(each.get("award"))})
        for each in rows
    ]


def ror_number(value: Json) -> str:
    """Return the number of a research organisation without the address before it."""
    return str(value or "").rstrip("/").rpartition("/")[2].lower()


def pair(record: Json, *, with_abstract: bool) -> dict[str, Json]:
    """Return a preprint with the article that it became."""
    doi = record.get("preprint_doi") or record.get("biorxiv_doi")
    facts = {
        "preprint_doi": doi,
        "published_doi": given(record.get("published_doi")),
        "journal": given(record.get("published_journal")),
        "title": readable(record.get("preprint_title") or ""),
        "authors": record.get("preprint_authors"),
        "server": SERVERS.get(str(record.get("preprint_platform")).lower()),
        "category": given(record.get("preprint_category")),
        "preprint_date": record.get("preprint_date"),
        "published_date": given(record.get("published_date")),
        "abstract": readable(record.get("preprint_abstract") or "") if with_abstract else None,
        "url": page_of(record.get("preprint_platform"), doi),
    }
    return kept(facts)


def cite_preprint(row: Json) -> Citation:
    """Return what stands for a preprint in an answer."""
    return Citation("doi", row["doi"], row.get("title", ""), row["url"])


def cite_pairs(rows: Iterable[Json]) -> list[Citation]:
    """Return the citations of pairs: the preprint and the article."""
    found = []
    for row in rows:
        found.append(Citation("doi", row["preprint_doi"], row.get("title", ""), row["url"]))
        if "published_doi" in row:
            found.append(Citation("doi", row["published_doi"], row.get("title", "")))
    return found
