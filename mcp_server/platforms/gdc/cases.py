"""Cases (patients) of GDC with demographic and diagnosis, and their counts by a field."""

import difflib
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.gdc.service import (
    DAYS_A_YEAR,
    HOST,
    PORTAL,
    Found,
    ProjectId,
    all_of,
    filled,
    in_years,
    platform,
    search,
    unknown_project,
    within,
)
from mcp_server.tool import Arg, Cite

Json = Any

# What is more is a number of days.
OLDEST_YEARS = 130
AGE = "diagnoses.age_at_diagnosis"
FACETS = {
    "project": "project.project_id",
    "program": "project.program.name",
    "primary_site": "primary_site",
    "disease_type": "disease_type",
    "sex": "demographic.sex_at_birth",
    "race": "demographic.race",
    "ethnicity": "demographic.ethnicity",
    "vital_status": "demographic.vital_status",
    "primary_diagnosis": "diagnoses.primary_diagnosis",
    "stage": "diagnoses.ajcc_pathologic_stage",
}
_DEMOGRAPHIC = ("sex_at_birth", "race", "ethnicity", "vital_status", "age_at_index", "days_to_death", "cause_of_death")
_DIAGNOSIS = (
    "primary_diagnosis", "classification_of_tumor", "ajcc_pathologic_stage", "tumor_grade", "morphology",
    "icd_10_code", "tissue_or_organ_of_origin", "site_of_resection_or_biopsy", "age_at_diagnosis",
    "year_of_diagnosis", "days_to_last_follow_up", "prior_malignancy",
)  # fmt: skip
_CASE = ("case_id", "submitter_id", "primary_site", "disease_type")
ASKED = (
    *_CASE,
    "project.project_id",
    *(f"demographic.{name}" for name in _DEMOGRAPHIC),
    *(f"diagnoses.{name}" for name in _DIAGNOSIS),
)
Facets = Annotated[
    list[
        Literal[
            "project", "program", "primary_site", "disease_type", "sex", "race", "ethnicity", "vital_status",
            "primary_diagnosis", "stage",
        ]
    ],
    Arg("Count the fitting cases by these fields; not together with an age.", ["stage", "sex"], max_items=5),
]  # fmt: skip
Years = Annotated[int, Arg("Age at diagnosis in years.", minimum=0, maximum=120)]


def label_form(text: str) -> str:
    """Return a site or disease as GDC writes it: with a capital at its beginning."""
    plain = look_up_form(text)
    return plain[:1].upper() + plain[1:]


@platform.tool(
    example={"project": "TCGA-BRCA", "age_max": 40, "limit": 5},
    cites=Cite("gdc_case", "cases[]", "case_id", "submitter_id", f"{PORTAL}/cases/{{id}}"),
    asks=(
        "TCGA patients with a tumour type",
        "patient demographics, stage and vital status",
        "find cases of a primary site",
        "cohort of women under 50",
        "how many donors by race or stage",
    ),
)
async def search_cases(
    api: Api,
    project: ProjectId | None = None,
    primary_site: Annotated[str, Arg("Primary site, GDC's whole label.", "Breast", normalise=label_form)] | None = None,
    disease_type: Annotated[str, Arg("Disease type, GDC's whole label.", "Gliomas", normalise=label_form)]
    | None = None,
    sex: Annotated[Literal["female", "male"], Arg("Sex at birth.")] | None = None,
    age_min: Years | None = None,
    age_max: Years | None = None,
    facets: Facets | None = None,
    limit: Limit = 10,
    offset: Offset = 0,
) -> Answer:
    """GDC patients (cases) by project, site, disease, sex or age: demographic, diagnoses, stage, vital status, and
    counts by a field (facets). For clinical attributes of a published study use cbioportal__clinical_summary.

    cases: [{case_id, submitter_id, project_id, primary_site, disease_type, demographic, diagnoses}], facets:
    {field: [{value, cases}]}. Ages name their unit.
    """
    conditions = _conditions(project, primary_site, disease_type, sex, age_min, age_max)
    if not conditions and not facets:
        raise InvalidArguments("project", "give a condition, or facets to count all cases", "TCGA-BRCA")
    if facets and (age_min is not None or age_max is not None):
        raise InvalidArguments("facets", "GDC can't count by a field and filter by age at once; leave one of them out")
    filters = all_of(*conditions.values()) if conditions else None
    counted = [FACETS[name] for name in facets or ()]
    found = await search(
        api, "cases", filters, fields=ASKED, facets=counted, size=limit, offset=offset, sort="case_id:asc"
    )
    cases = [_case(hit) for hit in found.hits]
    asked = {"project_id": project, "primary_site": primary_site, "disease_type": disease_type}
    for case in cases:
        _matched(case, asked, sex, age_min, age_max)
    notes = list(found.notes)
    if not found.total:
        refused = await _explained(api, project, {"primary_site": primary_site, "disease_type": disease_type})
        if isinstance(refused, Answer):
            return refused
        notes.append(refused)
    notes += _facet_notes(facets or [], conditions)
    end = offset + len(cases)
    return rows(
        cases,
        total=found.total,
        next={"offset": end} if cases and end < found.total else None,
        note=" ".join(notes),
        data={"cases": cases, "facets": _counted(facets or [], found)},
    )


def _conditions(
    project: str | None,
    primary_site: str | None,
    disease_type: str | None,
    sex: str | None,
    age_min: int | None,
    age_max: int | None,
) -> dict[str, Json]:
    """Return the conditions by the field that they look at."""
    if age_min is not None and age_max is not None and age_min > age_max:
        raise InvalidArguments("age_min", f"{age_min} is more than age_max, {age_max}")
    texts = {"project": project, "primary_site": primary_site, "disease_type": disease_type, "sex": sex}
    conditions = {name: within(FACETS[name], value) for name, value in texts.items() if value}
    for name, operator, years in (("age_min", ">=", age_min), ("age_max", "<=", age_max)):
        if years is not None:
            days = _bounds(years)[0 if operator == ">=" else 1]
            conditions[name] = {"op": operator, "content": {"field": AGE, "value": days}}
    return conditions


def _bounds(years: int) -> tuple[int, int]:
    """Return the first and the last day of a year of life."""
    return round(years * DAYS_A_YEAR), round((years + 1) * DAYS_A_YEAR) - 1


def _case(hit: Json) -> dict[str, Json]:
    diagnoses = [in_years(filled(row, _DIAGNOSIS)) for row in hit.get("diagnoses") or []]
    demographic = _aged(filled(hit.get("demographic") or {}, _DEMOGRAPHIC))
    project = (hit.get("project") or {}).get("project_id")
    return {
        **filled({**hit, "case_id": hit.get("case_id") or hit.get("id")}, _CASE),
        **({"project_id": project} if project else {}),
        **({"demographic": demographic} if demographic else {}),
        **({"diagnoses": diagnoses} if any(diagnoses) else {}),
    }


def _aged(demographic: dict[str, Json]) -> dict[str, Json]:
    """Name the unit of the age at the reference day: years, but for programs that send days there as well."""
    age = demographic.pop("age_at_index", None)
    if not isinstance(age, int | float):
        return demographic
    years = age if age <= OLDEST_YEARS else round(age / DAYS_A_YEAR, 1)
    return {**demographic, "age_at_index_years": years}


def _matched(
    case: Json, asked: dict[str, str | None], sex: str | None, age_min: int | None, age_max: int | None
) -> None:
    """Refuse a case that does not fit: a filter that GDC ignores looks like an answer."""
    for name, wanted in (*asked.items(), ("sex_at_birth", sex)):
        got = case.get(name) or case.get("demographic", {}).get(name)
        if wanted and got and str(got).lower() != wanted.lower():
            raise UpstreamBadResponse(HOST, f"asked for {name} {wanted}, it answered a case of {got}")
    ages = [row["age_at_diagnosis_days"] for row in case.get("diagnoses", []) if "age_at_diagnosis_days" in row]
    first = _bounds(age_min)[0] if age_min is not None else min(ages, default=0)
    last = _bounds(age_max)[1] if age_max is not None else max(ages, default=0)
    if ages and not any(first <= age <= last for age in ages):
        raise UpstreamBadResponse(HOST, f"asked for an age of {age_min} to {age_max}, it answered {ages} days")


async def _explained(api: Api, project: str | None, labels: dict[str, str | None]) -> Answer | str:
    """Say why nothing fits: an unknown project, or a label that GDC writes in another way."""
    wanted = {name: value for name, value in {"project": project, **labels}.items() if value}
    if not wanted:
        return "GDC has no such case."
    listed = (await search(api, "cases", None, facets=[FACETS[name] for name in wanted], size=0)).facets
    known = {name: [str(bucket["key"]) for bucket in listed.get(FACETS[name], [])] for name in wanted}
    if project and project.lower() not in [key.lower() for key in known["project"]]:
        return unknown_project(project, [key.upper() for key in known["project"]])
    notes = ["GDC has no such case."]
    for name, value in wanted.items():
        if value.lower() in [key.lower() for key in known[name]]:
            continue
        holding = [key for key in known[name] if value.lower() in key.lower()]
        near = holding or difflib.get_close_matches(value.lower(), known[name], n=5, cutoff=0.4)
        notes.append(f"It knows no {name.replace('_', ' ')} {value!r}; near ones: {'; '.join(near) or 'none'}.")
    return " ".join(notes)


def _facet_notes(facets: Sequence[str], conditions: dict[str, Json]) -> list[str]:
    """Say which counts GDC makes without the condition on the counted field itself."""
    return [f"The counts by {name} disregard the condition on {name}." for name in facets if name in conditions]


def _counted(facets: Sequence[str], found: Found) -> dict[str, Json]:
    return {
        name: [{"value": row["key"], "cases": row["doc_count"]} for row in found.facets[FACETS[name]]]
        for name in facets
    }
