"""Structural variants of a gene: fusion partners in chosen studies."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    COUNTED,
    STUDIES_MAX,
    STUDY_BY_STUDY,
    GeneName,
    Json,
    failure_note,
    fraction,
    is_missing,
    next_page,
    platform,
    refuse_if_missing,
    sentences,
)
from mcp_server.platforms.cbioportal.changes import Row, patients_of, samples_of
from mcp_server.platforms.cbioportal.cohorts import Cohort, assembly, find_cohort
from mcp_server.platforms.cbioportal.counting import fusion_rows
from mcp_server.platforms.cbioportal.frequencies import count_each
from mcp_server.platforms.cbioportal.genes import Gene, find_gene
from mcp_server.tool import Arg

NO_GENE = "no gene named"
IN_FRAME = ("IN_FRAME", "INFRAME", "IN-FRAME")
EXAMPLES_MAX = 3
ChosenStudies = Annotated[
    list[str],
    Arg(
        "cBioPortal study ids: see search_cancer_studies.",
        ["msk_impact_2017"],
        r"^[a-z0-9_]+$",
        max_items=STUDIES_MAX,
        normalise=str.lower,
    ),
]
Partner = Annotated[
    str,
    Arg(
        "Partner gene to keep: symbol, alias or Entrez number.",
        "EML4",
        r"^[^\s/,;?#]{1,40}$",
        normalise=look_up_form,
    ),
]


def fusion_of(row: Row) -> str:
    """Return the name of a structural variant: its two genes in their order, or the one that it stays within."""
    sites = [row.get("site1HugoSymbol"), row.get("site2HugoSymbol")]
    first, second = (NO_GENE if is_missing(site) else str(site) for site in sites)
    return f"{first} intragenic" if first == second else f"{first}::{second}"


def _has(row: Row, gene: Gene) -> bool:
    return any(
        row.get(f"site{site}EntrezGeneId") == gene.entrez_id or row.get(f"site{site}HugoSymbol") == gene.symbol
        for site in (1, 2)
    )


def _in_frame(row: Row) -> bool:
    effect = str(row.get("site2EffectOnFrame") or "").upper().replace(" ", "_")
    return effect in IN_FRAME


def _breakpoints(calls: Sequence[Row], genome: str) -> dict[str, Json]:
    """Return how many distinct breakpoints there are, and some of them with exons and assembly; -1 means none."""
    found: dict[str, dict[str, Json]] = {}
    for row in calls:
        build = row.get("ncbiBuild")
        one: dict[str, Json] = {"assembly": genome if is_missing(build) else build}
        for site in ("site1", "site2"):
            position, exon = row.get(f"{site}Position"), row.get(f"{site}Exon", row.get(f"{site}RegionNumber"))
            one[f"{site}_position"] = position if isinstance(position, int) and position > 0 else None
            one[f"{site}_chromosome"] = None if is_missing(row.get(f"{site}Chromosome")) else row[f"{site}Chromosome"]
            one[f"{site}_exon"] = exon if isinstance(exon, int) and exon > 0 else None
        found.setdefault(str(one), one)
    return {"distinct_breakpoints": len(found), "breakpoints": list(found.values())[:EXAMPLES_MAX]}


def _grouped(cohort: Cohort, calls: Sequence[Row], profiled: Mapping[str, int]) -> list[dict[str, Json]]:
    """Return the fusions, each with its samples in every study; the one with most samples in a study first."""
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in calls:
        if row["studyId"] in profiled:
            groups.setdefault(fusion_of(row), {}).setdefault(row["studyId"], []).append(row)
    found = []
    for fusion, by_study in groups.items():
        studies = [_study_row(cohort, fusion, study_id, group, profiled) for study_id, group in by_study.items()]
        studies.sort(key=lambda row: (-row["samples"], row["study_id"]))
        found.append({"fusion": fusion, "studies": studies})
    return sorted(found, key=lambda one: (-one["studies"][0]["samples"], one["fusion"]))


def _study_row(
    cohort: Cohort, fusion: str, study_id: str, calls: list[Row], profiled: Mapping[str, int]
) -> dict[str, Json]:
    share = fraction(samples_of(calls), profiled[study_id], f"{fusion} in {study_id}")
    return {
        **cohort.named(study_id),
        "samples": share["altered_samples"],
        "patients": patients_of(calls),
        "profiled_samples": share["profiled_samples"],
        "percent": share["percent"],
        "in_frame_samples": samples_of(row for row in calls if _in_frame(row)),
        **_breakpoints(calls, assembly(cohort.studies[study_id])),
    }


@platform.tool(
    example={"gene": "ALK", "study_ids": ["msk_impact_2017"]},
    noise="del(.fusions[]?.studies[]?.url)",
    keep=(
        ".gene.entrez_gene_id",
        ".fusions[].studies[].study_id",
        ".fusions[].studies[].samples",
        ".fusions[].studies[].profiled_samples",
        ".fusions[].studies[].in_frame_samples",
        ".fusions[].studies[].breakpoints[]",
    ),
    asks=(
        "gene fusions and their partners",
        "rearrangements and translocations of ALK",
        "structural variants of a gene in tumours",
        "which gene is it fused to",
    ),
)
async def fusions_in_gene(
    api: Api,
    gene: GeneName,
    study_ids: ChosenStudies,
    partner: Partner | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List structural variants and fusion partners of a gene in chosen cBioPortal studies: samples with each over
    profiled samples, in-frame samples, breakpoints with assembly. For how often it is altered use
    gene_alteration_frequency.
    """
    cohort = await find_cohort(api, gene, study_ids, "structural_variant")
    if isinstance(cohort, Answer):
        return cohort
    other = await find_gene(api, partner) if partner else None
    if isinstance(other, Answer):
        return other
    if not cohort.profiles:
        return empty(f"None of these studies has structural variants: {', '.join(cohort.unprofiled)}.")
    asked: list[Any] = [fusion_rows(api, cohort), count_each(api, cohort, "structural_variant", named=True)]
    calls, (counts, failed) = await together(asked)
    profiled = {study_id: count.profiled for study_id, count in counts.items() if count.profiled}
    kept = [row for row in calls if other is None or _is_pair(row, cohort.gene, other)]
    found = _grouped(cohort, kept, profiled)
    refuse_if_missing(found, failed)
    shown = found[offset : offset + limit]
    data = {
        "gene": cohort.gene.shown,
        **({"partner": other.shown} if other else {}),
        "counted": COUNTED,
        "studies": {
            one: {"profiled_samples": profiled[one], "altered_samples": counts[one].altered} for one in profiled
        },
        "fusions": shown,
        **cohort.left_out(one for one in counts if one not in profiled),
        "failed": failed,
    }
    return rows(
        shown,
        total=len(found),
        next=next_page(offset, len(shown), len(found)),
        data=data,
        note=sentences("" if found else _nothing(cohort.gene, other), STUDY_BY_STUDY, failure_note(failed)),
        citations=cohort.cited(dict.fromkeys(row["study_id"] for one in shown for row in one["studies"])),
    )


def _nothing(gene: Gene, other: Gene | None) -> str:
    with_other = f" with {other.symbol}" if other else ""
    return f"No structural variant of {gene.symbol}{with_other} in these studies."


def _is_pair(row: Row, gene: Gene, other: Gene) -> bool:
    """Tell whether a structural variant joins the two genes; a gene with itself is one within it."""
    if other.entrez_id == gene.entrez_id:
        return row.get("site1EntrezGeneId") == row.get("site2EntrezGeneId")
    return _has(row, other)
