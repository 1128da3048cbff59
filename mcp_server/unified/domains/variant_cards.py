"""Cards of variants: gene, change, significance and frequency, each with its assembly. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from mcp_server.unified.domains.base import dug
from mcp_server.unified.results import Result, plain_text, result, shortened

Json = Any
_SNP = "https://www.ncbi.nlm.nih.gov/snp/{}"
_CLINVAR = "https://www.ncbi.nlm.nih.gov/clinvar/variation/{}/"
_RECORD = "https://myvariant.info/v1/variant/{}?assembly={}"
_SCORES = {"CADD": "cadd_phred", "REVEL": "revel", "AlphaMissense": "alphamissense"}
# What a card names of long lists, so that all kinds of facts find room.
GROUPS_MAX, CONDITIONS_MAX, CONDITION_MAX_CHARS, CONSEQUENCES_MAX = 2, 3, 50, 3


def card(row: Mapping[str, Json]) -> Result:
    """Return the card of a variant: gene, change, assembly, significance, frequency, scores."""
    identifier = f"{row['variant_id']}@{row['assembly']}"
    gene = plain_text((row.get("genes") or ())[:2])
    change = next(iter(row.get("protein_changes") or row.get("cdna_changes") or ()), "")
    parts = (
        gene,
        f"p.{change}" if row.get("protein_changes") else change,
        f"assembly {row['assembly']}",
        *clinvar_words(row),
        frequency_words(row.get("gnomad")),
        (row.get("consequences") or ())[:CONSEQUENCES_MAX],
        *(f"{name} {row[field]}" for name, field in _SCORES.items() if row.get(field) is not None),
        row.get("rsid"),
    )
    return result(identifier, f"{gene} {change}".strip(), parts, page(row))


def classified(row: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return ClinVar's records of a variant, grouped by significance."""
    return list(dug(row, "clinvar", "classified") or ())


def clinvar_words(row: Mapping[str, Json]) -> Iterator[str]:
    """Yield what ClinVar says: significance, stars and conditions, the best reviewed first."""
    for group in classified(row)[:GROUPS_MAX]:
        named = (group.get("conditions") or ())[:CONDITIONS_MAX]
        conditions = ", ".join(shortened(str(name), CONDITION_MAX_CHARS) for name in named)
        stars = f"{group['stars']} star{'' if group['stars'] == 1 else 's'}" if group.get("stars") is not None else ""
        yield ", ".join(filter(None, (f"ClinVar {group.get('significance')}", stars, conditions)))


def frequency_words(gnomad: Mapping[str, Json] | None) -> str:
    """Return a frequency with its population and data set."""
    if not gnomad:
        return ""
    where = f"{gnomad['dataset']}, {gnomad['population']}"
    return f"allele frequency {gnomad['frequency']:.3g} ({where})"


def page(row: Mapping[str, Json]) -> str:
    """Return the page of a variant: ClinVar's, else dbSNP's, else the source's own record."""
    if number := dug(row, "clinvar", "variation_id"):
        return _CLINVAR.format(number)
    if row.get("rsid"):
        return _SNP.format(row["rsid"])
    return _RECORD.format(str(row["variant_id"]).replace(">", "%3E"), row["assembly"])


def clinvar_card(record: Mapping[str, Json]) -> Result:
    """Return the card of a ClinVar record."""
    number = int(record["variation_id"])
    germline = dug(record, "classifications", "germline") or record.get("germline") or {}
    parts = (
        record.get("genes"),
        record.get("molecular_consequences"),
        f"ClinVar germline: {germline.get('description')}, {germline.get('review_status')}" if germline else "",
        record.get("rsid"),
    )
    accession = str(record.get("accession_version") or f"VCV{number:09d}").partition(".")[0]
    return result(accession, record.get("title"), parts, _CLINVAR.format(number))
