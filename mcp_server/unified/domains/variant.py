"""Variants: MyVariant's records by gene, change, place, significance, frequency and scores, with their assembly."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.codes import ToolCode
from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import LegRows, answers, counted, notice, texts
from mcp_server.unified.domains.variant_cards import card, clinvar_card
from mcp_server.unified.domains.variant_queries import (
    TooMany,
    fits,
    genomic_change,
    has_accession,
    is_sifted,
    names_of,
    searches,
)
from mcp_server.unified.results import round_robin, without_twins

Json = Any
PAGE_MAX = 100
NOTES_MAX = 2


@dataclass(frozen=True)
class Listed:
    """The first rows of one search, how many there are, what its source remarks, and whether it has more."""

    rows: list[Json]
    total: int | None
    note: str
    has_more: bool


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first `count` variants of a leg."""
    accessions = texts(params, "clinvar")
    if accessions and len(params) == 1:
        return await _by_accession(accessions, calls)
    notices: list[dict[str, Json]] = []
    if accessions:
        params = await _with_rsids(params, accessions, calls)
    params = await _placed(params, calls)
    try:
        asked = [_listed(arguments, calls, count) for arguments in searches(params, notices)]
    except TooMany as error:
        raise SourceFailed(calls.title("myvariant"), ToolCode.TOOL_INVALID_ARGUMENTS, str(error)) from error
    found, failures = await answers(asked)
    lists = [each for each in found if each is not None]
    kept = [row for row in round_robin([each.rows for each in lists]) if fits(params, row)]
    if accessions:
        kept = [row for row in kept if has_accession(row, accessions)]
    notices += [notice("N_SOURCE", f"variant: {each.note}") for each in lists if each.note][:NOTES_MAX]
    merged = without_twins(card(row) for row in kept)
    has_more = any(each.has_more for each in lists)
    # Alternatives may overlap: the sum of their totals is no total. Nor is what holds rows that are sifted out.
    if len(lists) == len(found) == 1 and not is_sifted(params) and not accessions:
        total, total_is = counted(lists[0].total, len(merged))
    else:
        total, total_is = (len(merged), "at_least") if has_more or failures else (len(merged), "exact")
    return LegRows(merged, total, total_is, [calls.title("myvariant")], failures, notices, has_more=has_more)


async def _listed(arguments: Mapping[str, Json], calls: Calls, count: int) -> Listed:
    """Read pages of one search until there are so many rows or the list ends."""
    found: list[Json] = []
    total, note = None, ""
    following: Mapping[str, Json] = {}
    while True:
        size = min(count - len(found), PAGE_MAX)
        answer = await calls("myvariant__variant_search", **{**arguments, "limit": size, **following})
        found += answer.rows()
        total, note = (total, note) if following else (answer.total, answer.note)
        following = answer.next or {}
        if len(found) >= count or not following:
            return Listed(found, total, note, bool(following))


async def _with_rsids(params: Mapping[str, Json], accessions: Sequence[str], calls: Calls) -> Mapping[str, Json]:
    """Return the clauses with the rsIDs of ClinVar's records in place of their accessions."""
    found = await asyncio.gather(*(of_accession(each, calls) for each in accessions))
    numbers = list(dict.fromkeys(str(row["rsid"]) for listed in found for row in listed if row.get("rsid")))
    if not numbers:
        message = f"ClinVar gives no rsID for {', '.join(accessions)}, so that no other clause can be applied to it"
        raise SourceFailed(calls.title("clinvar"), ToolCode.TOOL_INVALID_ARGUMENTS, message)
    return {**{name: value for name, value in params.items() if not name.startswith("clinvar")}, "rsid_any": numbers}


async def _placed(params: Mapping[str, Json], calls: Calls) -> Mapping[str, Json]:
    """Return the clauses with a place in the genome for each name that only Ensembl reads."""
    unread = names_of(params)
    if not unread:
        return params
    places = await asyncio.gather(*(place(name, calls) for name in unread))
    read = [name for name in (*texts(params, "hgvs"), *texts(params, "id")) if name not in unread]
    rest = {name: value for name, value in params.items() if name.partition("_")[0] not in ("hgvs", "id")}
    return {**rest, "id_any": [*read, *places]}


async def place(name: str, calls: Calls) -> str:
    """Return the genomic name of a variant that is named by a transcript or protein."""
    found = await calls("ensembl__predict_variant", variant=name)
    for at in found.rows():
        old, _, new = str(at.get("allele_string") or "").partition("/")
        change = genomic_change(int(at["start"]), int(at["end"]), old, new) if new else ""
        if change:
            return f"chr{at['seq_region_name']}:g.{change}@hg38"
    message = f"Ensembl gives no place in the genome for {name}"
    raise SourceFailed(calls.title("ensembl"), ToolCode.TOOL_INVALID_ARGUMENTS, message)


async def _by_accession(accessions: Sequence[str], calls: Calls) -> LegRows:
    """Return the variants of ClinVar accessions."""
    found, failures = await answers([of_accession(each, calls) for each in accessions])
    cards = without_twins(clinvar_card(row) for listed in found if listed for row in listed)
    return LegRows(cards, len(cards), "at_least" if failures else "exact", [calls.title("clinvar")], failures)


async def of_accession(accession: str, calls: Calls) -> list[Mapping[str, Json]]:
    """Return ClinVar's variants of a VCV or RCV accession."""
    bare = accession.upper().partition(".")[0]
    if bare.startswith("VCV"):
        return (await calls("clinvar__resolve_variant", variant=bare)).rows("candidates")
    return (await calls("clinvar__search_variants", text=bare, limit=3)).rows()
