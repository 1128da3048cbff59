"""Pharmacogenomics: graded clinical annotations and guidelines of ClinPGx, for a gene, drug, variant or a pair."""

import itertools
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.codes import ToolCode
from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import Document, LegRows, answers, counted, dug, refused, sections, texts
from mcp_server.unified.results import Result, plain_text, result, without_twins

Json = Any
PAGE = "https://www.clinpgx.org/{}/{}"
PAGE_MAX = 50
# Pairs of genes, drugs and variants that one search asks for; the database is asked for each.
PAIRS_MAX = 12
CPIC_LEVELS = ("A", "A/B", "B", "B/C", "C", "C/D", "D")


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return guidelines first, then the graded annotations, best evidence first."""
    if texts(params, "id"):
        return await _by_id(params, calls)
    named: list[list[str | None]] = [[*texts(params, name)] or [None] for name in ("genes", "drugs", "variants")]
    pairs = list(itertools.product(*named))
    if len(pairs) > PAIRS_MAX:
        message = f"{len(pairs)} combinations of genes, drugs and variants; at most {PAIRS_MAX} are asked for at once"
        raise SourceFailed(calls.title("clinpgx"), ToolCode.TOOL_INVALID_ARGUMENTS, message)
    levels = texts(params, "level")
    graded = [level for level in levels if level not in CPIC_LEVELS]
    cpic = [level for level in levels if level in CPIC_LEVELS]
    asked: list[Awaitable[Listed]] = []
    for gene, drug, variant in pairs:
        # A guideline has no level, and is not filed under variants; CPIC's levels are of genes and drugs.
        if not variant and (cpic or not levels):
            asked.append(_guidelines(gene, drug, cpic, calls))
    if graded or not levels:
        asked += [_annotations(calls, count, gene_symbol=g, drug_name=d, variant=v, level=graded) for g, d, v in pairs]
    if not asked:
        message = f"CPIC's levels ({', '.join(cpic)}) are of genes and drugs, and none is named"
        raise SourceFailed(calls.title("clinpgx"), ToolCode.TOOL_INVALID_ARGUMENTS, message)
    found, failures = await answers(asked)
    return _leg(params, [each for each in found if each], failures, calls)


@dataclass(frozen=True)
class Listed:
    """What one question brought: rows, how many there are, and whether more can be had."""

    rows: Sequence[Mapping[str, Json]]
    total: int | None
    has_more: bool = False


def _leg(params: Mapping[str, Json], lists: Sequence[Listed], failures: list[SourceFailed], calls: Calls) -> LegRows:
    """Unite what the questions brought, without what must not be."""
    listed = [row for each in lists for row in each.rows]
    kept = [row for row in listed if not _is_refused(row, params)]
    cards = without_twins(card(row) for row in kept)
    totals = [each.total for each in lists]
    is_whole = None not in totals and not failures and len(kept) == len(listed)
    total, total_is = counted(sum(total or 0 for total in totals) if is_whole else None, len(cards))
    has_more = any(each.has_more for each in lists)
    return LegRows(cards, total, total_is, [calls.title("clinpgx")], failures, has_more=has_more)


def _is_refused(row: Mapping[str, Json], params: Mapping[str, Json]) -> bool:
    """Tell whether a row is about what it must not be about."""
    place = str(dug(row, "location", "displayName") or "")
    about: dict[str, Iterable[Json]] = {
        "genes": _genes(row),
        "drugs": _drugs(row),
        "variants": [name.strip() for name in place.split(",")],
        "level": [dug(row, "levelOfEvidence", "term") or row.get("cpiclevel")],
        "id": [row.get("id")],
    }
    return any(
        {str(value).lower() for value in values} & {each.lower() for each in refused(params, name)}
        for name, values in about.items()
    )


async def _by_id(params: Mapping[str, Json], calls: Calls) -> LegRows:
    """Return the records of the given numbers that are about all else that is named."""
    found, failures = await answers([_opened(each, calls) for each in texts(params, "id")])
    kept = []
    for one in (each for listed in found if listed for each in listed):
        record = one.metadata["clinpgx"]
        if not _is_refused(record, params) and _is_about(record, params):
            kept.append(result(one.id, one.title, [one.text], one.url))
    return LegRows(kept, len(kept), "at_least" if failures else "exact", [calls.title("clinpgx")], failures)


async def _opened(identifier: str, calls: Calls) -> list[Document]:
    document = await opened(identifier, calls)
    return [document] if document else []


def _is_about(record: Mapping[str, Json], params: Mapping[str, Json]) -> bool:
    wanted = [(name, texts(params, name)) for name in ("genes", "drugs", "variants", "level")]
    return all(_is_refused(record, {f"not_{name}": values}) for name, values in wanted if values)


async def _guidelines(gene: str | None, drug: str | None, levels: Sequence[str], calls: Calls) -> Listed:
    """Return the guidelines; with levels of CPIC, those about its pairs of these levels."""
    found = await calls("clinpgx__search_guideline_annotations", gene_symbol=gene, drug_name=drug)
    if not levels:
        return Listed(found.rows(), found.total)
    pairs = [row for level in levels for row in await _pairs(gene, drug, level, calls)]
    level_of = {(str(pair["genesymbol"]).lower(), str(pair["drugname"]).lower()): pair["cpiclevel"] for pair in pairs}
    rows: list[Mapping[str, Json]] = []
    for row in found.rows():
        about = itertools.product(*([name.lower() for name in names] for names in (_genes(row), _drugs(row))))
        if stated := sorted({str(level_of[pair]) for pair in about if pair in level_of}):
            rows.append({**row, "cpiclevel": ", ".join(stated)})
    return Listed(rows, len(rows))


async def _pairs(gene: str | None, drug: str | None, level: str, calls: Calls) -> list[Mapping[str, Json]]:
    found = await calls("clinpgx__search_cpic_pairs", gene_symbol=gene, drug_name=drug, cpic_level=level)
    return found.rows()


async def _annotations(calls: Calls, count: int, **asked: Json) -> Listed:
    """Read graded annotations until there are so many or the list ends."""
    listed: list[Mapping[str, Json]] = []
    following: Mapping[str, Json] = {}
    total = None
    while True:
        size = min(count, PAGE_MAX)
        found = await calls("clinpgx__search_clinical_annotations", **asked, limit=size, **following)
        listed += found.rows()
        total = total if following else found.total
        following = found.next or {}
        if len(listed) >= count or not following:
            return Listed(listed, total, bool(following))


def card(row: Mapping[str, Json]) -> Result:
    """Return the card of a guideline or of a graded annotation."""
    return _guideline(row) if str(row["id"]).startswith("PA") else _annotation(row)


def _guideline(row: Mapping[str, Json]) -> Result:
    level = f"CPIC level {row['cpiclevel']}" if row.get("cpiclevel") else ""
    kind = f"guideline of {row['source']}" if row.get("source") else "guideline"
    return _row(str(row["id"]), row.get("name"), (kind, level, _genes(row), _drugs(row), row.get("summary")), row)


def _annotation(row: Mapping[str, Json]) -> Result:
    place = dug(row, "location", "displayName")
    level = dug(row, "levelOfEvidence", "term")
    parts = (
        f"clinical annotation, level {level}" if level else "clinical annotation",
        row.get("types"),
        _genes(row),
        [disease.get("name") for disease in row.get("relatedDiseases") or ()],
    )
    title = " and ".join(filter(None, (str(place or ""), plain_text(_drugs(row)))))
    return _row(f"PGX:{row['id']}", title, parts, row)


def _row(identifier: str, title: object, parts: Iterable[object], row: Mapping[str, Json]) -> Result:
    number = identifier.removeprefix("PGX:")
    kind = "guidelineAnnotation" if number.startswith("PA") else "clinicalAnnotation"
    return result(identifier, title, parts, str(row.get("url") or PAGE.format(kind, number)))


def _genes(row: Mapping[str, Json]) -> list[str]:
    genes = dug(row, "location", "genes") or row.get("relatedGenes") or ()
    return [str(gene["symbol"]) for gene in genes if gene.get("symbol")]


def _drugs(row: Mapping[str, Json]) -> list[str]:
    return [str(drug["name"]) for drug in row.get("relatedChemicals") or () if drug.get("name")]


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


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the gene, drug, variant or allele of ClinPGx that is called exactly so; None where it has none."""
    found = await calls("clinpgx__resolve_entity", query=name)
    numbers = [str(record["id"]) for record in found.rows("records") if record.get("id")]
    return await opened(numbers[0], calls) if numbers else None
