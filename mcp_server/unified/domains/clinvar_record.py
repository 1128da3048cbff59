"""A ClinVar record, opened by its VCV or RCV accession."""

from collections.abc import Mapping
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, sections
from mcp_server.unified.domains.variant import of_accession
from mcp_server.unified.domains.variant_cards import clinvar_card

Json = Any


async def opened(accession: str, calls: Calls) -> Document | None:
    """Open a record; None where ClinVar has none of this accession."""
    bare = accession.partition(".")[0]
    number = str(int(bare[3:])) if bare.startswith("VCV") else await _variation_of(bare, calls)
    if number is None:
        return None
    found = await calls("clinvar__get_variant_record", variation_id=number)
    if not found.has_data:
        return None
    record = found.data
    head = clinvar_card(record)
    locations = record.get("locations") or {}
    text = sections(
        (
            ("Type", record.get("variant_type")),
            ("Genes", record.get("genes")),
            ("Consequence", record.get("molecular_consequences")),
            ("Places", [f"chr{at['chr']}:{at['start']} ({name})" for name, at in locations.items()]),
            ("dbSNP", record.get("rsid")),
            ("Classifications", [_classified(kind, each) for kind, each in _classifications(record)]),
        )
    )
    metadata = {"clinvar": record}
    return Document(accession, head.title, text or head.text, head.url, metadata, [calls.title("clinvar")])


async def _variation_of(accession: str, calls: Calls) -> str | None:
    """Return the number of the variant that an RCV accession is about."""
    first = next(iter(await of_accession(accession, calls)), None)
    return str(first["variation_id"]) if first and first.get("variation_id") else None


def _classifications(record: Mapping[str, Json]) -> list[tuple[str, Mapping[str, Json]]]:
    return [(kind, each) for kind, each in (record.get("classifications") or {}).items() if each]


def _classified(kind: str, each: Mapping[str, Json]) -> str:
    stars = f", {each['stars']} star{'' if each['stars'] == 1 else 's'}" if each.get("stars") is not None else ""
    return f"{kind.replace('_', ' ')}: {each.get('description')} ({each.get('review_status')}{stars})"
