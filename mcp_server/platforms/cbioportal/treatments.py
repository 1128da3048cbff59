"""Which drugs the patients of a study were given."""

from collections.abc import Mapping

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRefused
from mcp_server.platforms.cbioportal.base import HOST, Json, StudyId, known, listed, next_page, platform
from mcp_server.platforms.cbioportal.cohorts import cited_papers, cited_study, find_studies


async def patients_by_drug(api: Api, study_id: str) -> tuple[dict[str, int], int]:
    """Return the patients of every drug, and how many patients have any drug on record."""
    asked = {"studyIds": [study_id]}
    try:
        report = await api.post("/treatments/patient-counts/fetch", asked)
    except (UpstreamNotFound, UpstreamRefused):
        # Portals before 7.0 have the list of samples only.
        return _of_samples(listed(await api.post("/treatments/patient", asked), "/treatments/patient"))
    if not isinstance(report, Mapping) or not isinstance(report.get("totalPatients"), int):
        raise UpstreamBadResponse(HOST, "no number of treated patients in the answer")
    found = listed(report.get("patientTreatments"), "/treatments/patient-counts/fetch")
    return {str(row["treatment"]): int(row["count"]) for row in found}, report["totalPatients"]


def _of_samples(found: list[dict[str, Json]]) -> tuple[dict[str, int], int]:
    counts = {str(row["treatment"]): int(row["count"]) for row in found}
    patients = {sample.get("patientId") for row in found for sample in row.get("samples") or []}
    return counts, len(patients - {None})


@platform.tool(
    example={"study_id": "msk_chord_2024", "limit": 10},
    asks=(
        "which drugs did the patients of a cohort receive",
        "therapies given in a cancer study",
        "treated with chemotherapy, how many patients",
    ),
)
async def treatments_in_study(api: Api, study_id: StudyId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List the drugs that patients of a cBioPortal study were given, with the patients of each over all patients with a
    drug on record. Other clinical facts of the cohort: clinical_summary.
    """
    studies = await find_studies(api, [study_id])
    if isinstance(studies, Answer):
        return studies
    counts, treated = await patients_by_drug(api, study_id)
    study = studies[study_id]
    if not counts:
        return empty(f"{study_id} has no treatments on record.")
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if ranked[0][1] > treated:
        raise UpstreamBadResponse(HOST, f"{ranked[0][1]} patients had {ranked[0][0]}, of {treated} treated patients")
    shown = [
        {"treatment": name, "patients": count, "percent": round(100 * count / treated, 2)}
        for name, count in ranked[offset : offset + limit]
    ]
    return rows(
        shown,
        total=len(ranked),
        next=next_page(offset, len(shown), len(ranked)),
        data={"study_id": study_id, **known(study, "name"), "patients_with_treatment": treated, "treatments": shown},
        note="A patient may have had several drugs. Percentages are of the patients with a drug on record.",
        citations=[cited_study(study), *cited_papers(study)],
    )
