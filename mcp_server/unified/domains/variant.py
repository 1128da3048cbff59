"""Variants: MyVariant's records by gene, change, place, significance, frequency and scores, with their assembly."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import LegRows, answers, dug, notice
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
PAGE_MAX = 100
_SIGNIFICANCE = {"uncertain": "uncertain_significance"}
_SNP = "https://www.ncbi.nlm.nih.gov/snp/{}"
_CLINVAR = "https://www.ncbi.nlm.nih.gov/clinvar/variation/{}/"
_RECORD = "https://myvariant.info/v1/variant/{}?assembly={}"
_GENOMIC = re.compile(r"(?:chr|NC_)[^:]*:(?:g|m)\.|^\d+-\d+-[ACGT]+-[ACGT]+$", re.IGNORECASE)


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first `count` variants of a leg, with those of ClinVar accessions first."""
    notices: list[dict[str, Json]] = []
    source = calls.title("myvariant")
    asked = [_page(arguments, calls, count) for arguments in _searches(params, notices)]
    by_accession = _values(params, "clinvar")
    if by_accession:
        cards = await _by_accession(by_accession, calls)
        return LegRows(cards, len(cards), "exact", [calls.title("clinvar")], notices=notices)
    found, failures = await answers(asked)
    pages = [each for each in found if each is not None]
    kept, dropped = _without_refused(params, list(round_robin([page[0] for page in pages])))
    if dropped:
        notices.append(notice("N_POST_FILTERED", f"variant: {dropped} rows were left out by what must not be."))
    notices += [notice("N_SOURCE", f"variant: {note}") for page in pages if (note := page[2])][:2]
    merged = without_twins(card(row) for row in kept)
    totals = [page[1] for page in pages]
    # Alternatives may overlap: the sum of their totals is no total.
    only = totals[0] if len(totals) == 1 and not dropped else None
    if only is not None:
        return LegRows(merged, only, "exact", [source], failures, notices)
    known = [total for total in totals if total is not None]
    total = max([*known, len(merged)])
    return LegRows(merged, total, "at_least", [source], failures, notices)


def _searches(params: Mapping[str, Json], notices: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the searches of a leg: one, or one for each alternative that the source takes singly."""
    proteins = [*_values(params, "protein"), *_values(params, "protein_position")]
    names = [*_values(params, "hgvs"), *_values(params, "id")]
    coding = [*_values(params, "cdna"), *(name for name in names if not _GENOMIC.search(name))]
    shared: dict[str, Json] = {
        "genes": _values(params, "gene"),
        "protein_changes": proteins,
        "rsids": _values(params, "rsid"),
        "hgvs": [name for name in names if _GENOMIC.search(name)],
        "significance": [_SIGNIFICANCE.get(each, each) for each in _values(params, "significance")],
        "exclude_genes": params.get("not_gene"),
        "exclude_protein_changes": [*(params.get("not_protein") or ()), *(params.get("not_protein_position") or ())],
        "exclude_rsids": params.get("not_rsid"),
        **_bounds(params),
        **_assembly(params, notices),
    }
    singles = {
        "cdna_change": coding,
        "condition": [*_values(params, "condition"), *_values(params, "title")],
        "consequence": _values(params, "consequence"),
        "region": _values(params, "region"),
    }
    searches = [shared]
    for name, values in singles.items():
        if values:
            searches = [{**one, name: value} for one in searches for value in values]
    return searches


def _values(params: Mapping[str, Json], name: str) -> list[str]:
    """Return the values of a clause, one or several."""
    found = []
    for key in (name, f"{name}_any", f"{name}_all"):
        value = params.get(key)
        found += [value] if isinstance(value, str) else [str(each) for each in value or ()]
    return found


def _bounds(params: Mapping[str, Json]) -> dict[str, Json]:
    """Return the bounds of numbers; one that is itself out is named under `exclusive`."""
    asked: dict[str, Json] = {}
    exclusive = []
    for name in ("frequency", "cadd", "revel"):
        for end in ("min", "max"):
            bound = params.get(f"{end}_{name}")
            if bound is not None:
                asked[f"{end}_{name}"] = bound
                exclusive += [f"{end}_{name}"] if params.get(f"{end}_{name}_exclusive") else []
    if any(name.endswith("frequency") for name in asked):
        asked["population"] = params.get("population")
    stars = params.get("min_review_status")
    if stars is not None:
        asked["min_review_stars"] = int(stars) + bool(params.get("min_review_status_exclusive"))
    return asked | ({"exclusive": exclusive} if exclusive else {})


def _assembly(params: Mapping[str, Json], notices: list[dict[str, Json]]) -> dict[str, Json]:
    assembly = params.get("assembly")
    has_cadd = any(params.get(f"{end}_cadd") is not None for end in ("min", "max"))
    if has_cadd and assembly in (None, "both"):
        notices.append(notice("N_ASSEMBLY", "variant: CADD scores can be filtered on hg19 only; these rows are on it."))
        return {"assembly": "hg19"}
    return {"assembly": assembly} if assembly in ("hg19", "hg38") else {}


async def _page(arguments: Mapping[str, Json], calls: Calls, count: int) -> tuple[list[Json], int | None, str]:
    """Return the first rows of one search, how many there are, and what its source remarks."""
    found: list[Json] = []
    total, note = None, ""
    following: Mapping[str, Json] = {}
    while True:
        size = min(count - len(found), PAGE_MAX)
        answer = await calls("myvariant__variant_search", **{**arguments, "limit": size, **following})
        found += answer.rows()
        total, note = (answer.total, answer.note) if not following else (total, note)
        if len(found) >= count or not answer.next or not answer.rows():
            return found, total, note
        following = answer.next


async def _by_accession(accessions: Sequence[str], calls: Calls) -> list[Result]:
    """Return the variants of ClinVar accessions."""
    found = await asyncio.gather(*(of_accession(each, calls) for each in accessions))
    return without_twins(clinvar_card(row) for rows_of in found for row in rows_of)


async def of_accession(accession: str, calls: Calls) -> list[Mapping[str, Json]]:
    """Return ClinVar's variants of a VCV or RCV accession."""
    bare = accession.upper().partition(".")[0]
    if bare.startswith("VCV"):
        return (await calls("clinvar__resolve_variant", variant=bare)).rows("candidates")
    return (await calls("clinvar__search_variants", text=bare, limit=3)).rows()


def _without_refused(params: Mapping[str, Json], found: Sequence[Json]) -> tuple[list[Json], int]:
    """Leave out what must not be, where the source can't be asked for it."""
    refused = {name: {_plain(value) for value in params.get(f"not_{name}") or ()} for name in _STATED}
    most_stars = params.get("max_review_status")
    kept = [
        row
        for row in found
        if not any(values & {_plain(each) for each in _STATED[name](row)} for name, values in refused.items() if values)
        and (most_stars is None or _stars(row) <= int(most_stars))
    ]
    return kept, len(found) - len(kept)


def _plain(text: object) -> str:
    plain = re.sub(r"[\W_]+", " ", str(text).lower()).strip()
    return plain.removesuffix(" significance") if plain.startswith("uncertain") else plain


def _classified(row: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return list(dug(row, "clinvar", "classified") or ())


def _stars(row: Mapping[str, Json]) -> int:
    return max((each.get("stars") or 0 for each in _classified(row)), default=0)


_STATED: dict[str, Callable[[Mapping[str, Json]], Iterable[Json]]] = {
    "significance": lambda row: [each.get("significance") for each in _classified(row)],
    "condition": lambda row: [name for each in _classified(row) for name in each.get("conditions") or ()],
    "consequence": lambda row: row.get("consequences") or (),
    "cdna": lambda row: row.get("cdna_changes") or (),
}


def card(row: Mapping[str, Json]) -> Result:
    """Return the card of a variant: gene, change, significance, frequency, all with the assembly."""
    identifier = f"{row['variant_id']}@{row['assembly']}"
    gene = plain_text((row.get("genes") or ())[:2])
    change = next(iter(row.get("protein_changes") or row.get("cdna_changes") or ()), "")
    parts = (
        gene,
        f"p.{change}" if row.get("protein_changes") else change,
        row.get("consequences"),
        *clinvar_words(row),
        frequency_words(row.get("gnomad")),
        *(f"{name} {row[field]}" for name, field in _SCORES.items() if row.get(field) is not None),
        row.get("rsid"),
        f"assembly {row['assembly']}",
    )
    return result(identifier, f"{gene} {change}".strip(), parts, page(row))


_SCORES = {"CADD": "cadd_phred", "REVEL": "revel", "AlphaMissense": "alphamissense"}


def clinvar_words(row: Mapping[str, Json]) -> Iterable[str]:
    """Yield what ClinVar says: significance, stars and conditions, the best reviewed first."""
    for group in _classified(row)[:2]:
        conditions = plain_text((group.get("conditions") or ())[:3])
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
