"""Deep deletions and amplifications of a gene in one study."""

from typing import Annotated, Any, Literal

from mcp_server.envelope import Answer, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    COUNTED,
    HOST,
    GeneName,
    Json,
    StudyId,
    fraction,
    listed,
    platform,
    sentences,
)
from mcp_server.platforms.cbioportal.cohorts import Cohort, find_cohort, sample_list
from mcp_server.platforms.cbioportal.counting import as_number, count_study, sample_of
from mcp_server.tool import Arg

Events = Literal["HOMDEL_AND_AMP", "AMP", "HOMDEL", "GAIN", "HETLOSS", "DIPLOID", "ALL"]
NAMES = {-2: "deep deletion", -1: "shallow deletion", 0: "diploid", 1: "gain", 2: "amplification"}
LEVELS: dict[str, tuple[int, ...]] = {
    "HOMDEL_AND_AMP": (-2, 2),
    "AMP": (2,),
    "HOMDEL": (-2,),
    "GAIN": (1,),
    "HETLOSS": (-1,),
    "DIPLOID": (0,),
    "ALL": (-2, -1, 0, 1, 2),
}


async def _events(api: Api, cohort: Cohort, study_id: str, events: str) -> list[dict[str, Json]]:
    path = f"/molecular-profiles/{cohort.profiles[study_id]}/discrete-copy-number/fetch"
    body = {"entrezGeneIds": [cohort.gene.entrez_id], "sampleListId": await sample_list(api, study_id)}
    parameters = {"discreteCopyNumberEventType": events, "projection": "SUMMARY"}
    rows = listed(await api.post(path, body, parameters), path)
    for row in rows:
        if row.get("entrezGeneId") != cohort.gene.entrez_id or row.get("studyId") != study_id:
            raise UpstreamBadResponse(HOST, f"asked for {cohort.gene.symbol} in {study_id}, got another gene or study")
    return rows


def _counted(found: list[dict[str, Json]], events: str, profiled: int) -> list[dict[str, Json]]:
    """Return the samples at each copy number that was asked for, over the profiled ones."""
    samples: dict[int, set[tuple[str, str]]] = {level: set() for level in LEVELS[events]}
    for row in found:
        level = as_number(row.get("alteration"))
        if level not in samples:
            raise UpstreamBadResponse(HOST, f"asked for {events}, got the copy number {row.get('alteration')!r}")
        samples[int(level)].add(sample_of(row))
    return [
        {"alteration": level, "name": NAMES[level], **fraction(len(chosen), profiled, NAMES[level])}
        for level, chosen in samples.items()
    ]


@platform.tool(
    example={"gene": "EGFR", "study_id": "gbm_tcga_pan_can_atlas_2018"},
    asks=(
        "how many samples have the gene amplified or deleted in a study",
        "CNA of a gene, GISTIC calls",
        "homozygous deletion of CDKN2A in a cohort",
        "HER2 amplification in one study",
    ),
)
async def copy_number_in_gene(
    api: Api,
    gene: GeneName,
    study_id: StudyId,
    events: Annotated[Events, Arg("Copy-number events to count.")] = "HOMDEL_AND_AMP",
) -> Answer:
    """Count samples of one cBioPortal study with a deep deletion (-2), amplification (2) or another copy number of a
    gene, over profiled samples. For all GDC projects use gdc__copy_number.
    """
    cohort = await find_cohort(api, gene, [study_id], "cna")
    if isinstance(cohort, Answer):
        return cohort
    if study_id not in cohort.profiles:
        return empty(f"{study_id} has no discrete copy numbers.")
    asked: list[Any] = [_events(api, cohort, study_id, events), count_study(api, cohort, study_id, "cna")]
    found, count = await together(asked)
    if not count.profiled:
        return empty(f"No sample of {study_id} was profiled for copy numbers of {cohort.gene.symbol}.")
    counts = _counted(found, events, count.profiled)
    data = {
        "gene": cohort.gene.shown,
        **cohort.named(study_id),
        "counted": COUNTED,
        "profiled_samples": count.profiled,
        "events": events,
        "counts": counts,
    }
    if not found:
        names = ", ".join(NAMES[level] for level in LEVELS[events])
        return empty(
            f"0 of {count.profiled} profiled samples of {study_id} have {names} of {cohort.gene.symbol}.", data
        )
    note = sentences("Putative calls: -2 deep deletion, -1 shallow deletion, 1 gain, 2 amplification.", count.note)
    return Answer(data, total=len(counts), returned=len(counts), note=note, citations=cohort.cited([study_id]))
