"""In which studies one exact change is seen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    COUNTED,
    STUDY_BY_STUDY,
    CancerProteinChange,
    GeneName,
    Json,
    StudyIds,
    failure_note,
    fraction,
    listed,
    next_page,
    platform,
    refuse_if_missing,
    sentences,
)
from mcp_server.platforms.cbioportal.changes import (
    Row,
    allele_fractions,
    by_change,
    is_change,
    patients_of,
    positions_of,
    residue_of,
    samples_of,
)
from mcp_server.platforms.cbioportal.cohorts import PANCANCER_NAME, Cohort, assembly, find_cohort
from mcp_server.platforms.cbioportal.counting import Sample, mutation_rows, profiled_samples, sample_of
from mcp_server.platforms.cbioportal.frequencies import count_each

NEAR_MAX = 8
UNTYPED = "(not given)"


async def profiled_counts(
    api: Api, cohort: Cohort, named: bool
) -> tuple[dict[str, int], dict[str, set[Sample]], list[dict[str, Json]]]:
    """Return how many samples each study profiled, which ones where that is known, and which studies failed."""
    if named:
        counts, failed = await count_each(api, cohort, "mutation", named)
        return {study_id: count.profiled for study_id, count in counts.items()}, {}, failed
    samples = await profiled_samples(api, cohort)
    return {study_id: len(found) for study_id, found in samples.items()}, samples, []


def matching(rows: Sequence[Row], change: str, samples: Mapping[str, set[Sample]]) -> dict[str, list[Row]]:
    """Group the calls of a change by study; where the profiled samples are known, calls outside them don't count."""
    by_study: dict[str, list[Row]] = {}
    for name, group in by_change(rows).items():
        for row in group if is_change(name, change) else ():
            study_id = row["studyId"]
            if study_id not in samples or sample_of(row) in samples[study_id]:
                by_study.setdefault(study_id, []).append(row)
    return by_study


def study_rows(
    cohort: Cohort, seen: Mapping[str, list[Row]], profiled: Mapping[str, int], types: Mapping[Sample, str]
) -> list[dict[str, Json]]:
    """Return one row for each study that has the change, the highest percentage first."""
    found = []
    for study_id, calls in seen.items():
        if study_id not in profiled:
            continue
        fractions = allele_fractions(calls)
        share = fraction(samples_of(calls), profiled[study_id], study_id)
        found.append(
            {
                **cohort.named(study_id),
                "changes": {name: samples_of(group) for name, group in by_change(calls).items()},
                "samples": share["altered_samples"],
                "patients": patients_of(calls),
                "profiled_samples": profiled[study_id],
                "percent": share["percent"],
                "vaf_mean": round(sum(fractions) / len(fractions), 3) if fractions else None,
                "cancer_types": _typed(calls, types),
                "positions": positions_of(calls, assembly(cohort.studies[study_id])),
            }
        )
    return sorted(found, key=lambda row: (-(row["percent"] or 0), row["study_id"]))


def _typed(calls: Sequence[Row], types: Mapping[Sample, str]) -> dict[str, int]:
    samples = {sample_of(row) for row in calls}
    return dict(Counter(types.get(sample, UNTYPED) for sample in sorted(samples)).most_common())


async def cancer_types(api: Api, calls: Sequence[Row]) -> dict[Sample, str]:
    """Return the cancer type of each sample with a call, as its study gives it."""
    samples = sorted({sample_of(row) for row in calls})
    if not samples:
        return {}
    identifiers = [{"entityId": sample_id, "studyId": study_id} for study_id, sample_id in samples]
    body = {"attributeIds": ["CANCER_TYPE"], "identifiers": identifiers}
    answer = await api.post("/clinical-data/fetch", body, {"clinicalDataType": "SAMPLE"})
    found = [row for row in listed(answer, "/clinical-data/fetch") if row.get("clinicalAttributeId") == "CANCER_TYPE"]
    return {sample_of(row): str(row["value"]) for row in found}


@platform.tool(
    example={"gene": "BRAF", "protein_change": "V600E"},
    noise="del(.studies[]?.url)",
    keep=(
        ".gene.entrez_gene_id",
        ".studies[].study_id",
        ".studies[].samples",
        ".studies[].profiled_samples",
        ".studies[].positions[]",
    ),
    asks=(
        "how common is BRAF V600E in each cancer type",
        "which tumours carry this exact mutation",
        "recurrence of a somatic amino acid change",
        "is this mutation seen in other patients",
        "which cancers show this change",
    ),
)
async def mutation_recurrence(
    api: Api,
    gene: GeneName,
    protein_change: CancerProteinChange,
    study_ids: StudyIds | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Find in which cBioPortal studies and cancer types one exact change (BRAF V600E) is seen: samples with it over
    profiled samples, study by study. For all changes in one study use mutations_in_gene.
    """
    cohort = await find_cohort(api, gene, study_ids, "mutation")
    if isinstance(cohort, Answer):
        return cohort
    if not cohort.profiles:
        return empty(f"None of these studies has mutation data: {', '.join(cohort.unprofiled)}.")
    calls, (profiled, samples, failed) = await together(_asked(api, cohort, study_ids is not None))
    seen = matching(calls, protein_change, samples)
    types = await cancer_types(api, [row for group in seen.values() for row in group])
    found = study_rows(cohort, seen, profiled, types)
    refuse_if_missing(found, failed)
    shown = found[offset : offset + limit]
    looked_at = [study_id for study_id, number in profiled.items() if number]
    data = {
        "gene": cohort.gene.shown,
        "protein_change": protein_change,
        "counted": COUNTED,
        **({} if study_ids else {"set": PANCANCER_NAME}),
        "studies": shown,
        "not_seen_in": {one: profiled[one] for one in looked_at if one not in seen},
        **cohort.left_out(one for one, number in profiled.items() if not number),
        "failed": failed,
    }
    return rows(
        shown,
        total=len(found),
        next=next_page(offset, len(shown), len(found)),
        data=data,
        note=sentences(STUDY_BY_STUDY, "" if found else _near(cohort, protein_change, calls), failure_note(failed)),
        citations=cohort.cited(row["study_id"] for row in shown),
    )


def _asked(api: Api, cohort: Cohort, named: bool) -> list[Any]:
    return [mutation_rows(api, cohort), profiled_counts(api, cohort, named)]


def _near(cohort: Cohort, change: str, calls: Sequence[Row]) -> str:
    """Return the sentence for a change that no study has, with those at the same residue."""
    residue = residue_of(change)
    groups = by_change(calls)
    near = sorted((name for name in groups if is_change(name, residue)), key=lambda name: -samples_of(groups[name]))
    seen = f" Seen at this residue: {', '.join(near[:NEAR_MAX])}." if near else ""
    return f"None of these studies has {cohort.gene.symbol} {change}.{seen}"
