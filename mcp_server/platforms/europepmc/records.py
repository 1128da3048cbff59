"""Europe PMC's records, short or whole, as plain rows with a page to cite."""

from collections.abc import Iterable
from typing import Any

from mcp_server.envelope import Citation
from mcp_server.markup import plain_text
from mcp_server.platforms.europepmc.service import Key, kept

Json = Any


def listed(value: Json, name: str = "") -> list[Json]:
    """Return what is a list, one object or nothing as a list; `name` is that of the list inside."""
    inner = value.get(name) if name and isinstance(value, dict) else value
    return list(inner) if isinstance(inner, list) else [] if inner in (None, "") else [inner]


def is_preprint(record: Json) -> bool:
    """Say whether a record is a preprint."""
    return bool(record.get("source") == "PPR")


def article(record: Json, *, with_abstract: bool = True) -> dict[str, Json]:
    """Return a record of a search as a row: numbers, title, authors, journal, year, abstract, citations."""
    key = Key(str(record["source"]), str(record["id"]))
    details = record.get("bookOrReportDetails") or {}
    preprint = is_preprint(record)
    facts = {
        "source": key.source,
        "id": key.id,
        "pmid": record.get("pmid") or (key.id if key.source == "MED" else None),
        "pmcid": record.get("pmcid") or (key.id if key.source == "PMC" else None),
        "doi": record.get("doi"),
        "title": plain_text(record.get("title") or ""),
        "authors": record.get("authorString"),
        "first_author": _first_author(record),
        "journal": _journal(record),
        "server": details.get("publisher") if preprint else None,
        "year": _year(record),
        "date": record.get("firstPublicationDate"),
        "publication_types": _publication_types(record),
        "abstract": plain_text(record.get("abstractText") or "") if with_abstract else None,
        "cited_by": record.get("citedByCount"),
        "open_access": _flag(record.get("isOpenAccess")),
        "full_text_in_europe_pmc": _flag(record.get("inEPMC")),
        "licence": record.get("license"),
        "is_retracted": _is_retracted(record) or None,
        "published_pmid": _published_pmid(record) if preprint else None,
    }
    return {**kept(facts), "is_preprint": preprint, "url": key.page}


def _first_author(record: Json) -> str | None:
    authors = listed(record.get("authorList"), "author")
    if authors:
        return str(authors[0].get("fullName") or authors[0].get("collectiveName") or "") or None
    names = str(record.get("authorString") or "").rstrip(".")
    return names.partition(", ")[0] or None


def _journal(record: Json) -> str | None:
    journal = (record.get("journalInfo") or {}).get("journal") or {}
    return str(record.get("journalTitle") or journal.get("medlineAbbreviation") or journal.get("title") or "") or None


def _year(record: Json) -> int | None:
    # The year of an article that is not yet in an issue stands in its date only.
    found = str(record.get("pubYear") or record.get("firstPublicationDate") or "")[:4]
    return int(found) if found.isdigit() and int(found) else None


def _publication_types(record: Json) -> list[str]:
    if types := listed(record.get("pubTypeList"), "pubType"):
        return [str(each) for each in types]
    return [each.strip() for each in str(record.get("pubType") or "").split(";") if each.strip()]


def _flag(value: Json) -> bool | None:
    return None if value is None else value == "Y"


def _is_retracted(record: Json) -> bool:
    return any(each.lower() == "retracted publication" for each in _publication_types(record))


def _published_pmid(record: Json) -> str | None:
    """Return the PubMed number of the article that a preprint became, where Europe PMC links it."""
    return next((row["id"] for row in comments(record) if row["type"].lower() == "preprint of" and "id" in row), None)


def comments(record: Json) -> list[dict[str, Json]]:
    """Return what a record is linked to: corrections, retractions, comments, preprint and article."""
    found = listed(record.get("commentCorrectionList"), "commentCorrection")
    names = ("type", "source", "id", "reference", "note")
    return [{"type": "", **kept({name: each.get(name) for name in names})} for each in found]


def cited(row: Json) -> Citation:
    """Return what stands for a row in an answer: PubMed number, PMCID or DOI, with Europe PMC's page."""
    title = str(row.get("title") or "")
    for kind in ("pmid", "pmcid", "doi"):
        if row.get(kind):
            return Citation(kind, str(row[kind]), title, row["url"])
    return Citation("europepmc", str(row["id"]), title, row["url"])


def all_cited(rows: Iterable[Json]) -> list[Citation]:
    """Return the citations of rows that have a record of their own."""
    return [cited(row) for row in rows if row.get("url")]


def linked(record: Json) -> dict[str, Json]:
    """Return a row of the citing articles or of a list of references; one that is not linked has no record."""
    source, identifier = record.get("source"), record.get("id")
    key = Key(str(source), str(identifier)) if source and identifier else None
    facts = {
        "source": source,
        "id": identifier,
        "pmid": identifier if source == "MED" else None,
        "pmcid": identifier if source == "PMC" else None,
        "doi": record.get("doi"),
        "title": plain_text(record.get("title") or ""),
        "authors": record.get("authorString"),
        "journal": record.get("journalAbbreviation") or record.get("publicationTitle"),
        "year": record.get("pubYear"),
        "volume": record.get("volume"),
        "issue": record.get("issue"),
        "pages": record.get("pageInfo"),
        "type": record.get("citationType"),
        "publisher": record.get("publisherName"),
        "text": record.get("unstructuredInformation"),
        "link": record.get("externalLink"),
        "cited_by": record.get("citedByCount"),
        "url": key.page if key else None,
    }
    return {**kept(facts), "is_preprint": source == "PPR"}
