"""The distinct protein changes of a gene in one study."""

from typing import Any

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    COUNTED,
    CancerProteinChange,
    GeneName,
    Json,
    StudyId,
    listed,
    next_page,
    platform,
    sentences,
)
from mcp_server.platforms.cbioportal.changes import (
    by_change,
    change_of,
    change_row,
    is_change,
    residue_of,
    samples_of,
)
from mcp_server.platforms.cbioportal.cohorts import Cohort, assembly, find_cohort, sample_list
from mcp_server.platforms.cbioportal.counting import Count, called_mutations, count_study

NEAR_MAX = 8


async def study_mutations(api: Api, cohort: Cohort, study_id: str) -> list[dict[str, Json]]:
    """Return the gene's called mutations in all samples of one study."""
    path = f"/molecular-profiles/{cohort.profiles[study_id]}/mutations/fetch"
    body = {"entrezGeneIds": [cohort.gene.entrez_id], "sampleListId": await sample_list(api, study_id)}
    return called_mutations(listed(await api.post(path, body, {"projection": "SUMMARY"}), path), cohort)


@platform.tool(
    example={"gene": "BRAF", "study_id": "msk_impact_2017", "limit": 10},
    asks=(
        "all mutations of a gene in one study",
        "lollipop plot data",
        "which amino acid changes are found in this cohort",
        "mutated positions and allele fractions",
    ),
)
async def mutations_in_gene(
    api: Api,
    gene: GeneName,
    study_id: StudyId,
    protein_change: CancerProteinChange | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List the distinct protein changes of a gene in one cBioPortal study: samples with each over profiled samples,
    genomic position with assembly, allele fraction. For one change over many studies use mutation_recurrence.
    """
    cohort = await find_cohort(api, gene, [study_id], "mutation")
    if isinstance(cohort, Answer):
        return cohort
    if study_id not in cohort.profiles:
        return empty(f"{study_id} has no mutation data.")
    found, count = await together(_asked(api, cohort, study_id))
    head = _head(cohort, study_id, found, count)
    if not count.profiled:
        return empty(f"No sample of {study_id} was profiled for {cohort.gene.symbol}.", head)
    groups = by_change(found)
    chosen = {name: group for name, group in groups.items() if not protein_change or is_change(name, protein_change)}
    ranked = sorted(chosen, key=lambda name: (-samples_of(chosen[name]), name))
    shown = [
        change_row(name, list(chosen[name]), count.profiled, head["assembly"])
        for name in ranked[offset : offset + limit]
    ]
    return rows(
        shown,
        total=len(ranked),
        next=next_page(offset, len(shown), len(ranked)),
        data={**head, "changes": shown},
        note=_note(cohort, study_id, found, count, protein_change if not chosen else None, list(groups)),
        citations=cohort.cited([study_id]),
    )


def _asked(api: Api, cohort: Cohort, study_id: str) -> list[Any]:
    return [study_mutations(api, cohort, study_id), count_study(api, cohort, study_id, "mutation")]


def _head(cohort: Cohort, study_id: str, found: list[dict[str, Json]], count: Count) -> dict[str, Json]:
    """Return what is said of the study as a whole."""
    return {
        "gene": cohort.gene.shown,
        **cohort.named(study_id),
        "assembly": assembly(cohort.studies[study_id]),
        "counted": COUNTED,
        **count.shown(study_id),
        "samples_without_named_change": samples_of(row for row in found if not change_of(row)),
    }


def _note(
    cohort: Cohort, study_id: str, found: list[dict[str, Json]], count: Count, missing: str | None, known: list[str]
) -> str:
    outside = samples_of(found) - count.altered
    off_panel = (
        f"{outside} further samples were called outside their panel; single changes count them." if outside > 0 else ""
    )
    share = f"{count.altered} of {count.profiled} profiled samples of {study_id} have a {cohort.gene.symbol} mutation."
    if missing is None:
        return sentences("" if found else share, off_panel, count.note)
    near = [name for name in known if is_change(name, residue_of(missing))] or known
    advice = f"Changes it has: {', '.join(near[:NEAR_MAX])}." if near else ""
    return sentences(f"{study_id} has no {cohort.gene.symbol} {missing}.", share, advice, count.note)
