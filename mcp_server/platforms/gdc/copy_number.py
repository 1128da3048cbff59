"""Copy number of a gene over the projects of GDC: cases with each kind of change over the cases with copy numbers."""

from typing import Annotated, Any, Literal, get_args

from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.platforms.gdc.frequency import Program
from mcp_server.platforms.gdc.genes import Gene, gene_of
from mcp_server.platforms.gdc.service import (
    HOST,
    PORTAL,
    all_of,
    cases_by_project,
    counts_of,
    platform,
    program_of,
    search,
    share,
    within,
)
from mcp_server.tool import Arg, Cite

Json = Any

Kind = Literal["Gain", "Amplification", "Loss", "Homozygous Deletion"]
PROJECT = "case.project.project_id"
# GDC computes copy numbers of protein-coding genes on the autosomes only.
AUTOSOMES = {str(number) for number in range(1, 23)}


@platform.tool(
    example={"gene": "ERBB2", "change": "Amplification"},
    cites=Cite("gdc_project", "projects[]", "project_id", "", f"{PORTAL}/projects/{{id}}"),
    asks=(
        "amplification or deletion of a gene across TCGA",
        "gene gains and losses by cancer type",
        "homozygous loss of PTEN in tumours",
        "is the gene amplified across all cancers",
    ),
)
async def copy_number(
    api: Api,
    gene: Gene,
    change: Annotated[Kind, Arg("One kind of change; without it all four, each counted by itself.")] | None = None,
    program: Program = "TCGA",
) -> Answer:
    """Copy number of a gene in TCGA and other GDC projects: cases with gain, amplification, loss or homozygous deletion
    over the cases with copy numbers. For one published study use cbioportal__copy_number_in_gene.

    gene, projects: [{project_id, tested_cases, changes: [{change, affected_cases, percent}]}].
    """
    known = await gene_of(api, gene)
    if isinstance(known, Answer):
        return known
    kinds: tuple[str, ...] = (change,) if change else get_args(Kind)
    counts, (_, tested) = await together(
        (together(_carriers(api, known.gene_id, kind) for kind in kinds), cases_by_project(api, None, "cnv"))
    )
    found = dict(zip(kinds, counts, strict=True))
    _known_projects(found, tested)
    projects = [
        _project(project, number, found)
        for project, number in sorted(tested.items())
        if program in ("ALL", program_of(project).upper())
    ]
    listed = [row for row in projects if row["changes"]]
    listed.sort(key=lambda row: -max(entry["percent"] for entry in row["changes"]))
    notes = [known.note, "Each kind of change counts by itself: a case with several tumour samples may have several."]
    if not listed:
        notes.insert(0, f"GDC lists no {' or '.join(kinds).lower()} of {known.symbol} in {program}.")
        outside = known.data.get("biotype") != "protein_coding" or _chromosome(known.data) not in AUTOSOMES
        notes += ["It has copy numbers of protein-coding genes on chromosomes 1 to 22 only."] if outside else []
    data = {
        "gene": known.data,
        "projects": listed,
        "not_observed": [
            {"project_id": row["project_id"], "tested_cases": row["tested_cases"]}
            for row in projects
            if not row["changes"]
        ],
    }
    return rows(listed, data=data, note=" ".join(filter(None, notes)), citations=[known.citation])


def _chromosome(gene: Json) -> str:
    return str(gene.get("gene_chromosome", "")).removeprefix("chr")


async def _carriers(api: Api, gene_id: str, kind: str) -> dict[str, int]:
    """Return how many cases of each project have a kind of change.

    An occurrence is one case with one change of one gene, so that here occurrences are cases.
    """
    filters = all_of(within("cnv.consequence.gene.gene_id", gene_id), within("cnv.cnv_change_5_category", kind))
    found = await search(api, "cnv_occurrences", filters, facets=[PROJECT], size=0)
    counts = counts_of(found.facets.get(PROJECT, []))
    if sum(counts.values()) != found.total:
        raise UpstreamBadResponse(HOST, f"{sum(counts.values())} cases by project where there are {found.total}")
    return counts


def _known_projects(found: dict[str, dict[str, int]], tested: dict[str, int]) -> None:
    """Refuse cases of projects that nobody tested; facets may spell a project in lower case."""
    spelt = {project.lower(): project for project in tested}
    for kind, counts in found.items():
        missing = [project for project in counts if project.lower() not in spelt]
        if missing:
            raise UpstreamBadResponse(HOST, f"{kind} in {missing[0]}, which has no cases with copy numbers")
        found[kind] = {spelt[project.lower()]: number for project, number in counts.items()}


def _project(project: str, tested: int, found: dict[str, dict[str, int]]) -> dict[str, Json]:
    changes = []
    for kind, counts in found.items():
        if counts.get(project):
            counted = share(project, counts[project], tested)
            changes.append({"change": kind, "affected_cases": counted["affected_cases"], "percent": counted["percent"]})
    return {"project_id": project, "tested_cases": tested, "changes": changes}
