"""Entries of UniProt as it sends them, small enough to read."""

from typing import Any

from tests.mcp_server.platforms.fake_upstream import Played

Json = Any
RELEASE = {"x-uniprot-release": "2026_03"}
DELETED = {
    "entryType": "Inactive",
    "primaryAccession": "A0A008APQ8",
    "uniProtkbId": "A0A008APQ8_STAAU",
    "annotationScore": 0.0,
    "inactiveReason": {"inactiveReasonType": "DELETED", "deletedReason": "Not part of a reference proteome"},
    "extraAttributes": {"uniParcId": "UPI0000054276"},
}
MISSING = Played({"url": "http://rest.uniprot.org/uniprotkb/P99997", "messages": ["Resource not found"]}, 404)


def entry(accession: str = "P15056", symbol: str = "BRAF", **more: Json) -> Json:
    """Return an entry of a human protein."""
    return {
        "entryType": "UniProtKB reviewed (Swiss-Prot)",
        "primaryAccession": accession,
        "uniProtkbId": f"{symbol}_HUMAN",
        "organism": {"scientificName": "Homo sapiens", "commonName": "Human", "taxonId": 9606},
        "proteinDescription": {"recommendedName": {"fullName": {"value": f"{symbol} protein"}}},
        "genes": [{"geneName": {"value": symbol}}],
        **more,
    }


def feature(kind: str, start: int | None, end: int | None = None, description: str = "", **more: Json) -> Json:
    """Return a feature between two residues; None is a bound that nobody knows."""
    bounds = {"start": _bound(start), "end": _bound(start if end is None else end)}
    return {"type": kind, "location": bounds, "description": description, **more}


def reference(database: str, identifier: str, **properties: str) -> Json:
    """Return a cross-reference."""
    listed = [{"key": key, "value": value} for key, value in properties.items()]
    return {"database": database, "id": identifier, "properties": listed}


def comment(kind: str, text: str) -> Json:
    """Return a comment that is a text."""
    return {"commentType": kind, "texts": [{"value": text, "evidences": [{"evidenceCode": "ECO:0000269"}]}]}


def disease(name: str, accession: str, acronym: str) -> Json:
    """Return a disease comment."""
    return {
        "commentType": "DISEASE",
        "disease": {
            "diseaseId": name,
            "diseaseAccession": accession,
            "acronym": acronym,
            "diseaseCrossReference": {"database": "MIM", "id": "613706"},
        },
        "note": {"texts": [{"value": "Caused by variants of this gene."}]},
    }


def _bound(value: int | None) -> Json:
    return {"modifier": "UNKNOWN"} if value is None else {"value": value, "modifier": "EXACT"}
