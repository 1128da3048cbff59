"""Pharmacogenomics: graded clinical annotations and guidelines of ClinPGx, for a gene, drug, variant or a pair."""

import itertools
from collections.abc import Mapping
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, LegRows, answers, counted, dug, sections, values
from mcp_server.unified.results import Result, plain_text, result, without_twins

Json = Any
PAGE = "https://www.clinpgx.org/{}/{}"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return guidelines first, then the graded annotations, best evidence first."""
    if identifiers := values(params, "id"):
        opened_ones = [one for each in identifiers if (one := await opened(each, calls))]
        cards = [result(one.id, one.title, [one.text], one.url) for one in opened_ones]
        return LegRows(cards, len(cards), "exact", [calls.title("clinpgx")])
    named: list[list[str | None]] = [[*values(params, name)] or [None] for name in ("genes", "drugs", "variants")]
    asked = list(itertools.product(*named))
    levels = values(params, "level")
    annotations = [
        calls(
            "clinpgx__search_clinical_annotations",
            gene_symbol=gene,
            drug_name=drug,
            variant=variant,
            level=levels,
            limit=min(count, 50),
        )
        for gene, drug, variant in asked
    ]
    # A guideline has no level, and is not filed under variants.
    guidelines = [
        calls("clinpgx__search_guideline_annotations", gene_symbol=gene, drug_name=drug)
        for gene, drug, variant in asked
        if not levels and not variant and (gene or drug)
    ]
    found, failures = await answers([*guidelines, *annotations])
    answered = [each for each in found if each]
    cards = without_twins(card(row) for each in answered for row in each.rows())
    totals = [each.total for each in answered]
    whole = None if None in totals or failures else sum(total or 0 for total in totals)
    total, total_is = counted(whole, len(cards))
    return LegRows(cards, total, total_is, [calls.title("clinpgx")], failures)


def card(row: Mapping[str, Json]) -> Result:
    """Return the card of a guideline or of a graded annotation."""
    return _guideline(row) if str(row["id"]).startswith("PA") else _annotation(row)


def _guideline(row: Mapping[str, Json]) -> Result:
    genes = [gene.get("symbol") for gene in row.get("relatedGenes") or ()]
    drugs = [drug.get("name") for drug in row.get("relatedChemicals") or ()]
    parts = (f"guideline of {row['source']}" if row.get("source") else "guideline", genes, drugs, row.get("summary"))
    return result(str(row["id"]), row.get("name"), parts, str(row.get("url")))


def _annotation(row: Mapping[str, Json]) -> Result:
    place = dug(row, "location", "displayName")
    drugs = plain_text([drug.get("name") for drug in row.get("relatedChemicals") or ()])
    level = dug(row, "levelOfEvidence", "term")
    parts = (
        f"clinical annotation, level {level}" if level else "clinical annotation",
        row.get("types"),
        [gene.get("symbol") for gene in dug(row, "location", "genes") or ()],
        [disease.get("name") for disease in row.get("relatedDiseases") or ()],
    )
    return result(f"PGX:{row['id']}", f"{place} and {drugs}", parts, str(row.get("url")))


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open an annotation, guideline, label, gene, drug or variant of ClinPGx; None where it has no such record."""
    number = identifier.removeprefix("PGX:")
    found = await calls("clinpgx__get_annotation", annotation_id=number)
    if not found.has_data and number.startswith("PA"):
        for tool, argument in (("get_gene", "gene"), ("get_chemical", "drug"), ("get_pgx_variant", "variant")):
            found = await calls(f"clinpgx__{tool}", **{argument: number})
            if found.has_data:
                break
    if not found.has_data:
        return None
    record = found.data
    url = next((str(one["url"]) for one in found.citations if one.get("url")), PAGE.format("page", number))
    title = record.get("name") or record.get("symbol") or dug(record, "location", "displayName") or identifier
    text = sections(
        (
            ("Kind", record.get("kind") or record.get("type")),
            ("Source", record.get("source")),
            ("Summary", record.get("summary") or record.get("vipSummary")),
            ("Text", record.get("text")),
            ("Genes", [gene.get("symbol") for gene in record.get("relatedGenes") or ()]),
            ("Drugs", [drug.get("name") for drug in record.get("relatedChemicals") or ()]),
        )
    )
    return Document(identifier, str(title), text or str(title), url, {"clinpgx": record}, [calls.title("clinpgx")])
