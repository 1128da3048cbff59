"""How often a gene is altered in cancer studies."""

from collections.abc import Mapping
from typing import Annotated

from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.platforms.cbioportal.base import (
    COUNTED,
    STUDY_BY_STUDY,
    Alteration,
    GeneName,
    Json,
    StudyIds,
    failure_note,
    platform,
    refuse_if_missing,
    sentences,
    settled,
    split,
)
from mcp_server.platforms.cbioportal.cohorts import PANCANCER_NAME, Cohort, find_cohort
from mcp_server.platforms.cbioportal.counting import Count, count_rows, count_study
from mcp_server.tool import Arg

WORDS = {"mutation": "mutations", "cna": "discrete copy numbers", "structural_variant": "structural variants"}


async def count_each(
    api: Api, cohort: Cohort, alteration: Alteration, named: bool
) -> tuple[dict[str, Count], list[dict[str, Json]]]:
    """Count every study of a cohort, and say which could not be; the default set is counted in two calls."""
    if not named:
        return await count_rows(api, cohort, alteration), []

    async def one(study_id: str) -> Count:
        count = await count_study(api, cohort, study_id, alteration)
        # Read here, so that an impossible share is the failure of its study alone.
        count.shown(study_id)
        return count

    return split(await settled(one, cohort.profiles))


def frequency_rows(cohort: Cohort, counts: Mapping[str, Count]) -> list[dict[str, Json]]:
    """Return one row a study, the highest percentage first; studies that did not look at the gene have none."""
    found = [
        {**cohort.named(study_id), **count.shown(study_id)} for study_id, count in counts.items() if count.profiled
    ]
    return sorted(found, key=lambda row: (-row["percent"], row["study_id"]))


@platform.tool(
    example={"gene": "PIK3CA", "study_ids": ["brca_metabric"]},
    noise="del(.studies[]?.url)",
    keep=(
        ".gene.entrez_gene_id",
        ".studies[].study_id",
        ".studies[].altered_samples",
        ".studies[].profiled_samples",
        ".studies[].percent",
    ),
    asks=(
        "how often is a gene altered in tumours",
        "percent of patients with the gene mutated or amplified per study",
        "alteration rate across cancer cohorts",
        "oncoprint percentage of a gene",
        "how frequently is a gene changed in breast tumours",
    ),
)
async def gene_alteration_frequency(
    api: Api,
    gene: GeneName,
    study_ids: StudyIds | None = None,
    alteration: Annotated[
        Alteration, Arg("Mutations, deep deletions and amplifications (cna), or structural variants.")
    ] = "mutation",
) -> Answer:
    """In cBioPortal studies: how often a gene is altered, study by study, as altered over profiled samples with the
    percentage. For GDC's TCGA cases use gdc__mutation_frequency; for one exact change mutation_recurrence.
    """
    cohort = await find_cohort(api, gene, study_ids, alteration)
    if isinstance(cohort, Answer):
        return cohort
    counts, failed = await count_each(api, cohort, alteration, study_ids is not None)
    found = frequency_rows(cohort, counts)
    unlooked = [study_id for study_id, count in counts.items() if not count.profiled]
    refuse_if_missing(found, failed)
    if not found:
        names = ", ".join([*cohort.unprofiled, *unlooked])
        return empty(f"No sample was profiled for {WORDS[alteration]} of {cohort.gene.symbol} in {names}.")
    data = {
        "gene": cohort.gene.shown,
        "alteration": alteration,
        "counted": COUNTED,
        **({} if study_ids else {"set": PANCANCER_NAME}),
        "studies": found,
        **cohort.left_out(unlooked),
        "failed": failed,
    }
    notes = dict.fromkeys(count.note for count in counts.values())
    return rows(
        found,
        data=data,
        note=sentences(STUDY_BY_STUDY, *notes, failure_note(failed)),
        citations=cohort.cited(row["study_id"] for row in found),
    )
