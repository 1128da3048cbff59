"""Reading the frequencies out of Ensembl's record of a variant.

The record has one row for each allele in each population of every project; those of 1000 Genomes phase 3
are picked by their prefix. Its own MAF is that of the second most common allele, and often empty: it is not used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRefused
from mcp_server.platforms.thousand_genomes.service import ENSEMBL_HOST, GRCH37_HOST, Share, Variant

Json = Any

PREFIX = "1000GENOMES:phase_3:"
SOURCE = "Ensembl"
CHROMOSOMES = {*(str(number) for number in range(1, 23)), "X", "Y", "MT"}
# Rounded frequencies of the alleles of a population add up to about one.
WHOLE = 0.995


def _base(assembly: str) -> str | None:
    """Return the address of the host that serves an assembly."""
    return f"https://{GRCH37_HOST}" if assembly == "GRCh37" else None


async def variant(api: Api, rsid: str, assembly: str) -> Variant | None:
    """Return a variant, or None when Ensembl says that it knows none."""
    try:
        record = await api.get(f"/variation/human/{rsid}", {"pops": 1}, base=_base(assembly))
    except (UpstreamRefused, UpstreamNotFound) as error:
        # Ensembl answers 400 for everything; only its words tell "unknown" from a wrong request.
        if f"{rsid} not found" in error.message.lower():
            return None
        raise
    _same(record, rsid)
    return read(record, assembly)


async def variants(api: Api, rsids: Sequence[str], assembly: str) -> dict[str, Variant]:
    """Return the variants that Ensembl knows, by the number asked for."""
    found = await api.post("/variation/homo_sapiens", {"ids": list(rsids)}, {"pops": 1}, base=_base(assembly))
    if not isinstance(found, dict):
        raise UpstreamBadResponse(ENSEMBL_HOST, "no records by id in the answer")
    known: dict[str, Variant] = {}
    for key, record in found.items():
        for rsid in {key, record["name"], *(record.get("synonyms") or [])}.intersection(rsids):
            known[rsid] = read(record, assembly)
    return known


def _same(record: Json, rsid: str) -> None:
    """Refuse the record of another variant; a number that was merged stands among its synonyms."""
    if not isinstance(record, dict) or "name" not in record:
        raise UpstreamBadResponse(ENSEMBL_HOST, "no record of a variant in the answer")
    if rsid not in (record["name"], *(record.get("synonyms") or [])):
        raise UpstreamBadResponse(ENSEMBL_HOST, f"asked for {rsid}, it answered {record['name']}")


def read(record: Json, assembly: str) -> Variant:
    """Read a record: place, alleles, and what 1000 Genomes phase 3 has on them."""
    mapping = _mapping(record, assembly)
    written = [allele for allele in str(mapping.get("allele_string") or "").split("/") if allele]
    shares = _shares(record.get("populations") or [])
    alleles = tuple(dict.fromkeys((*written, *shares)))
    return Variant(
        rsid=record["name"],
        source=SOURCE,
        assembly=assembly,
        location=mapping.get("location"),
        strand=mapping.get("strand"),
        reference=written[0] if written else None,
        alleles=alleles,
        shares=_completed(shares, alleles),
        notes=(f"Ensembl marks it as failed: {record['failed']}.",) if record.get("failed") else (),
    )


def _mapping(record: Json, assembly: str) -> Mapping[str, Json]:
    """Return the place on a chromosome; patches and haplotypes of the assembly have places of their own."""
    mappings = record.get("mappings") or []
    for mapping in mappings:
        if mapping.get("assembly_name", assembly) != assembly:
            raise UpstreamBadResponse(ENSEMBL_HOST, f"a place on {mapping['assembly_name']}, asked for {assembly}")
    primary = [mapping for mapping in mappings if mapping.get("seq_region_name") in CHROMOSOMES]
    found: Mapping[str, Json] = (primary or mappings or [{}])[0]
    return found


def _shares(rows: Sequence[Json]) -> dict[str, dict[str, Share]]:
    """Return the rows of phase 3 by allele and population."""
    kept = [row for row in rows if str(row.get("population", "")).startswith(PREFIX)]
    numbers: dict[str, int | None] = {}
    totals: dict[str, float] = {}
    for row in kept:
        code = row["population"].removeprefix(PREFIX)
        count = row.get("allele_count")
        before = numbers.get(code, 0)
        numbers[code] = None if count is None or before is None else before + int(count)
        totals[code] = totals.get(code, 0.0) + float(row["frequency"])
    for code, total in totals.items():
        if total > 2 - WHOLE:
            raise UpstreamBadResponse(ENSEMBL_HOST, f"the alleles of {code} add up to {total:.3f}")
    shares: dict[str, dict[str, Share]] = {}
    for row in kept:
        code = row["population"].removeprefix(PREFIX)
        count = row.get("allele_count")
        share = Share(float(row["frequency"]), None if count is None else int(count), numbers[code])
        shares.setdefault(row["allele"], {})[code] = share
    return shares


def _completed(shares: Mapping[str, Mapping[str, Share]], alleles: Sequence[str]) -> dict[str, dict[str, Share]]:
    """Add zeros: an allele has no row in a population whose other alleles make up the whole."""
    whole: dict[str, Share] = {}
    for code in {code for by_code in shares.values() for code in by_code}:
        rows = [by_code[code] for by_code in shares.values() if code in by_code]
        if sum(row.frequency for row in rows) >= WHOLE:
            number = rows[0].number
            whole[code] = Share(0.0, None if number is None else 0, number)
    return {allele: {**whole, **shares.get(allele, {})} for allele in alleles} if shares else {}
