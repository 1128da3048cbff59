"""Identifiers of records, each brought to one spelling; and those that are recognised without a field."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_server.unified.query.fields import BY_KEY, SHARED, Field
from mcp_server.unified.query.variant_names import read_variant


@dataclass(frozen=True)
class _Form:
    pattern: re.Pattern[str]
    spelling: Callable[[str], str]

    def read(self, text: str) -> str | None:
        found = self.pattern.fullmatch(text.strip())
        return self.spelling(found[1]) if found else None


def _form(pattern: str, spelling: Callable[[str], str] = str.upper) -> _Form:
    return _Form(re.compile(pattern, re.IGNORECASE), spelling)


def _after(prefix: str) -> Callable[[str], str]:
    return lambda number: f"{prefix}{number}"


_UNIPROT = r"(?:[OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z0-9]{2}\d){1,2})"
_FORMS: Mapping[str, _Form] = {
    "pmid": _form(r"(?:PMID:?\s?)?([1-9]\d{0,7})", str),
    "pmcid": _form(r"(?:PMCID:?\s?)?(PMC\d{1,9})"),
    "doi": _form(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?(10\.\d{4,9}/\S+)", str.lower),
    "nct": _form(r"(NCT\d{8})"),
    "rsid": _form(r"(rs\d{1,12})", str.lower),
    "gene_id": _form(r"(?:GENE:)?(\d{1,9}|ENSG\d{11})(?:\.\d+)?"),
    "drug_id": _form(r"(CHEMBL\d+|DB\d{5}|CID:?\d{1,10})", lambda text: text.upper().replace("CID:", "CID")),
    "mondo": _form(r"(?:MONDO[:_])?(\d{7})", _after("MONDO:")),
    "doid": _form(r"(?:DOID[:_])?(\d{1,8})", _after("DOID:")),
    "omim": _form(r"(?:O?MIM[:_]?\s?)?(\d{6})", _after("OMIM:")),
    "mesh": _form(r"(?:MESH[:_])?([DC]\d{6,9})", lambda text: f"MESH:{text.upper()}"),
    "efo": _form(r"(?:EFO[:_])?(\d{7})", _after("EFO:")),
    "orphanet": _form(r"(?:ORPHA(?:NET)?[:_]?)?(\d{1,7})", _after("Orphanet:")),
    "umls": _form(r"(?:UMLS[:_])?(C\d{7})", lambda text: f"UMLS:{text.upper()}"),
    "reactome": _form(r"(R-[A-Z]{3}-\d+(?:-\d+)?)(?:\.\d+)?"),
    "uniprot": _form(rf"(?:UNIPROT(?:KB)?:)?({_UNIPROT}(?:-\d{{1,2}})?)"),
    "clinpgx": _form(r"(PA\d{2,})"),
}


def read_accession(kind: str, text: str) -> str | None:
    """Return an identifier of one kind in its one spelling, or none if it has not the form."""
    return _FORMS[kind].read(text)


_VARIANT = SHARED[2]
# What is an identifier even without a field; letters as they are usually written, so that words stay words.
_ALONE: tuple[tuple[re.Pattern[str], Field], ...] = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (r"(?i:PMID):?\s?\d{1,8}", BY_KEY["articles.pmid"]),
        (r"(?i:PMC)\d{1,9}", BY_KEY["articles.pmcid"]),
        (r"10\.\d{4,9}/\S+", BY_KEY["articles.doi"]),
        (r"(?i:NCT)\d{8}", BY_KEY["trials.nct"]),
        (r"(?i:rs)\d{2,12}|(?i:[RV]CV)\d{9}(?:\.\d+)?", _VARIANT),
        (r"(?i:ENSG)\d{11}(?:\.\d+)?", SHARED[0]),
        (r"(?i:CHEMBL)\d+|DB\d{5}", BY_KEY["drugs.id"]),
        (r"(?i:MONDO)[:_]\d{7}", BY_KEY["diseases.mondo"]),
        (r"(?i:DOID)[:_]\d+", BY_KEY["diseases.doid"]),
        (r"(?i:EFO)[:_]\d{7}", BY_KEY["diseases.efo"]),
        (r"O?MIM:?\s?\d{6}", BY_KEY["diseases.omim"]),
        (r"R-HSA-\d+(?:\.\d+)?", BY_KEY["pathways.id"]),
        (_UNIPROT + r"(?:-\d{1,2})?", BY_KEY["proteins.accession"]),
        (r"PA\d{3,}", BY_KEY["pgx.id"]),
    )
)


def field_of(text: str) -> Field | None:
    """Return the field whose identifier a text is, or none; a bare number is no identifier."""
    for pattern, field in _ALONE:
        if pattern.fullmatch(text):
            return field
    name = read_variant(text)
    named = name is not None and (name.kind in ("hgvs", "genomic", "cdna") or text.lower().startswith("p."))
    return _VARIANT if named else None
