"""The projects of GDC: TCGA, TARGET, CPTAC and others, with their sites, diseases and numbers of cases."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, rows
from mcp_server.http.client import Api
from mcp_server.platforms.gdc.service import PORTAL, every_hit, filled, platform, program_of
from mcp_server.tool import Arg, Cite

Json = Any

_SHOWN = ("project_id", "name", "primary_site", "disease_type", "dbgap_accession_number", "releasable", "released",
          "state")  # fmt: skip


@platform.tool(
    example={"program": "TCGA", "primary_site": "brain"},
    cites=Cite("gdc_project", "[]", "project_id", "name", f"{PORTAL}/projects/{{id}}"),
    noise="del(.[].dbgap_accession_number, .[].releasable, .[].released, .[].state)",
    keep=(
        ".[].project_id",
        ".[].name",
        ".[].primary_site[]",
        ".[].disease_type[]",
        ".[].case_count",
    ),
    asks=(
        "which TCGA projects are there",
        "project code of lung adenocarcinoma",
        "TARGET, CPTAC cohorts",
        "cancer data sets of the Genomic Data Commons",
    ),
)
async def search_projects(
    api: Api,
    program: Annotated[str, Arg("Program, e.g. TCGA, TARGET, CPTAC.", "TCGA", normalise=str.upper)] | None = None,
    primary_site: Annotated[str, Arg("Words of a primary site.", "brain", normalise=look_up_form)] | None = None,
    disease_type: Annotated[str, Arg("Words of a disease type.", "gliomas", normalise=look_up_form)] | None = None,
    limit: Limit = 40,
    offset: Offset = 0,
) -> Answer:
    """TCGA and other GDC projects by program, primary site or disease type: project id, name, sites, diseases, number
    of cases. For published studies use cbioportal__search_cancer_studies.

    Rows: project_id, name, program, primary_site, disease_type, case_count, file_count, data_categories:
    [{data_category, case_count, file_count}].
    """
    # GDC matches whole labels only ("Bronchus and lung"); the whole list is short enough to look for words here.
    parts = ("summary", "summary.data_categories", "program")
    listed = await every_hit(api, "projects", None, fields=(), expand=parts, sort="project_id:asc")
    projects = [_project(hit) for hit in listed]
    fitting = [
        project
        for project in projects
        if program in (None, project["program"].upper())
        and _has_words(primary_site, project.get("primary_site"))
        and _has_words(disease_type, project.get("disease_type"))
    ]
    shown = fitting[offset : offset + limit]
    end = offset + len(shown)
    note = ""
    if not fitting:
        programs = ", ".join(sorted({project["program"] for project in projects}))
        note = f"None of GDC's {len(projects)} projects fits; its programs are {programs}."
    elif not shown:
        note = f"There are only {len(fitting)}; offset {offset} lies behind the last."
    following = {"offset": end} if shown and end < len(fitting) else None
    return rows(shown, total=len(fitting), next=following, note=note)


def _has_words(words: str | None, labels: Json) -> bool:
    """Whether one label holds all words; projects have one label or a list of them."""
    if not words:
        return True
    texts = labels if isinstance(labels, list) else [labels or ""]
    return any(all(word in text.lower() for word in words.lower().split()) for text in texts)


def _project(hit: Json) -> dict[str, Json]:
    summary = hit.get("summary") or {}
    program = (hit.get("program") or {}).get("name") or program_of(hit["project_id"])
    counted = filled(summary, ("case_count", "file_count", "data_categories"))
    return {**filled(hit, _SHOWN), "program": program, **counted}
