"""Survival of the cases of a GDC project, and of those with a mutation against those without."""

from collections.abc import Sequence
from typing import Any

from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.gdc.genes import Gene, KnownGene, gene_of
from mcp_server.platforms.gdc.kaplan_meier import FollowUp, median_days, steps, survival_after
from mcp_server.platforms.gdc.service import (
    HOST,
    ProjectId,
    SsmId,
    all_of,
    cite_project,
    cite_ssm,
    every_hit,
    in_address,
    platform,
    record,
    ssm_tested,
    tested_with,
    unknown_project,
    within,
)

Json = Any

YEARS = (1, 3, 5)
MIN_CASES = 10


@platform.tool(
    example={"project": "TCGA-DLBC"},
    noise="del(.groups[].curve)",
    keep=(
        ".project_id",
        ".p_value",
        ".groups[].cases",
        ".groups[].deaths",
        ".groups[].median_days",
        ".groups[].estimates[]",
    ),
    asks=(
        "do patients with the mutation live longer",
        "Kaplan-Meier curve of a TCGA cohort",
        "prognosis, overall survival by mutation",
        "median survival in months",
        "log-rank test",
        "do patients with the alteration die earlier",
    ),
)
async def survival(api: Api, project: ProjectId, gene: Gene | None = None, ssm_id: SsmId | None = None) -> Answer:
    """Overall survival (Kaplan-Meier) of a GDC project's patients, or of those with a mutation in a gene (or one ssm)
    against those without: cases, deaths, median in days, 1/3/5-year estimates, log-rank p. Treatment response and
    trials: clinicaltrials__get_study_results.

    project_id, groups: [{group, cases, deaths, median_days, estimates: [{years, survival, at_risk}],
    longest_follow_up_days, curve}], p_value, chi_squared, degrees_freedom.
    """
    if gene and ssm_id:
        raise InvalidArguments("ssm_id", "compare by a gene or by one mutation, not by both")
    known = await gene_of(api, gene) if gene else None
    if isinstance(known, Answer):
        return known
    if known is None and ssm_id is None:
        return await _whole_project(api, project)
    return await _compared(api, project, known, ssm_id)


def _in_project(project: str) -> Json:
    return {"op": "=", "content": {"field": "cases.project.project_id", "value": project}}


async def _whole_project(api: Api, project: str) -> Answer:
    answer = await api.get("/analysis/survival", {"filters": in_address([_in_project(project)])})
    found = _results(answer, 1)
    if not found:
        tested = await ssm_tested(api)
        if project not in tested:
            return unknown_project(project, tested)
        return _too_few(project, "The project")
    groups = [_group("all cases", found[0], project)]
    return _answer(project, groups, {}, [])


async def _compared(api: Api, project: str, gene: KnownGene | None, ssm_id: str | None) -> Answer:
    """Compare cases with and without a mutation, among those with mutation calls.

    A gene counts as a case's own at GDC for its copy number too; the carriers are therefore listed first.
    """
    what = f"a mutation in {gene.symbol}" if gene else f"the mutation {ssm_id}"
    carriers = await _carriers(api, project, gene, ssm_id)
    if not carriers:
        if ssm_id and await record(api, f"/ssms/{ssm_id}", {"fields": "ssm_id"}) is None:
            return unknown_id(ssm_id, f"GDC has no somatic mutation {ssm_id}.")
        tested = await ssm_tested(api)
        if project not in tested:
            return unknown_project(project, tested)
        return empty(f"None of the {tested[project]} cases of {project} with mutation calls has {what}.")
    common = (_in_project(project), tested_with("ssm"))
    without = {"op": "excludeifany", "content": {"field": "cases.case_id", "value": carriers}}
    filters = [all_of(*common, within("cases.case_id", *carriers)), all_of(*common, without)]
    answer = await api.post("/analysis/survival", {"filters": filters})
    found = _results(answer, 2)
    if len(found) < 2:
        return _too_few(project, f"With {what} ({len(carriers)} cases) or without, a group")
    groups = [_group(f"with {what}", found[0], project), _group(f"without {what}", found[1], project)]
    _told_apart(found, set(carriers))
    cited = [gene.citation] if gene else [cite_ssm(str(ssm_id))]
    return _answer(project, groups, answer.get("overallStats") or {}, cited, gene)


async def _carriers(api: Api, project: str, gene: KnownGene | None, ssm_id: str | None) -> list[str]:
    """Return the cases of a project with a somatic mutation, each once."""
    condition = (
        within("ssm.consequence.transcript.gene.gene_id", gene.gene_id) if gene else within("ssm.ssm_id", ssm_id)
    )
    hits = await every_hit(
        api,
        "ssm_occurrences",
        all_of(within("case.project.project_id", project), condition),
        fields=("case.case_id", "case.project.project_id"),
        sort="ssm_occurrence_id:asc",
    )
    for hit in hits:
        got = (hit["case"].get("project") or {}).get("project_id", project)
        if got != project:
            raise UpstreamBadResponse(HOST, f"asked for {project}, it answered a case of {got}")
    return sorted({str(hit["case"]["case_id"]) for hit in hits})


def _results(answer: Json, asked: int) -> list[list[Json]]:
    """Return the donors of each group that has any."""
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list) or len(results) > asked:
        raise UpstreamBadResponse(HOST, "no survival results in the answer")
    return [result["donors"] for result in results if result.get("donors")]


def _told_apart(groups: Sequence[Sequence[Json]], carriers: set[str]) -> None:
    """Refuse groups that hold other cases than their names say."""
    strangers = [donor["id"] for donor in groups[0] if donor["id"] not in carriers]
    strangers += [donor["id"] for donor in groups[1] if donor["id"] in carriers]
    if strangers:
        raise UpstreamBadResponse(HOST, f"{len(strangers)} cases are in the wrong group, e.g. {strangers[0]}")


def _too_few(project: str, what: str) -> Answer:
    return empty(f"{what} has too few cases of {project} with follow-up; GDC needs about {MIN_CASES} in each group.")


def _group(name: str, donors: Sequence[Json], project: str) -> dict[str, Json]:
    for donor in donors:
        if donor.get("project_id", project) != project:
            raise UpstreamBadResponse(HOST, f"asked for {project}, it answered a case of {donor['project_id']}")
    cases = [FollowUp(float(donor["time"]), not donor["censored"]) for donor in donors]
    curve = steps(cases)
    estimates = []
    for years in YEARS:
        found = survival_after(cases, curve, years)
        share, at_risk = found if found else (None, 0)
        estimates.append({"years": years, "survival": None if share is None else round(share, 4), "at_risk": at_risk})
    return {
        "group": name,
        "cases": len(cases),
        "deaths": sum(case.died for case in cases),
        "median_days": median_days(curve),
        "estimates": estimates,
        "longest_follow_up_days": max(case.days for case in cases),
        "curve": [{"days": step.days, "survival": round(step.survival, 4), "at_risk": step.at_risk} for step in curve],
    }


def _answer(
    project: str, groups: list[Json], stats: Json, cited: Sequence[Any], gene: KnownGene | None = None
) -> Answer:
    data = {
        "project_id": project,
        **({"gene": gene.data} if gene else {}),
        "groups": groups,
        "p_value": stats.get("pValue"),
        "chi_squared": stats.get("chiSquared"),
        "degrees_freedom": stats.get("degreesFreedom"),
    }
    notes = [
        gene.note if gene else "",
        "Estimates are computed from GDC's follow-up times; a survival of null means that nobody was followed so long.",
    ]
    if len(groups) > 1:
        notes.append("Not adjusted for stage, age or treatment.")
    return rows(groups, data=data, note=" ".join(filter(None, notes)), citations=[cite_project(project), *cited])
