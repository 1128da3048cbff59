"""How one clinical attribute is distributed over the cases of a study."""

import difflib
import re
import statistics
from collections.abc import Awaitable, Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.together import together
from mcp_server.platforms.cbioportal.base import (
    HOST,
    Json,
    StudyId,
    is_missing,
    known,
    listed,
    next_page,
    platform,
    says_unknown,
    segment,
    sentences,
)
from mcp_server.platforms.cbioportal.cohorts import cited_papers, cited_study, find_studies
from mcp_server.platforms.cbioportal.counting import as_number
from mcp_server.tool import Arg

Level = Literal["SAMPLE", "PATIENT"]
NEAR_MAX = 12


def attribute_form(text: str) -> str:
    """Return an attribute's id as the portal writes it: `cancer type` → `CANCER_TYPE`."""
    return re.sub(r"[^A-Z0-9]+", "_", look_up_form(text).upper()).strip("_")


async def attributes_of(api: Api, study_id: str) -> list[dict[str, Json]]:
    """Return the clinical attributes of a study; an unknown study has none."""
    path = f"/studies/{segment(study_id)}/clinical-attributes"
    try:
        return listed(await api.get(path), path)
    except UpstreamNotFound as error:
        if not says_unknown(error, "Study"):
            raise
        return []


def _chosen(attributes: Sequence[Json], wanted: str, level: Level | None) -> dict[str, Json] | None:
    """Return the attribute of an id or of a name, at the wanted level where it is given."""
    named = [one for one in attributes if wanted in (one["clinicalAttributeId"], attribute_form(one["displayName"]))]
    exact = [one for one in named if one["clinicalAttributeId"] == wanted] or named
    fitting = [one for one in exact if level is None or _level(one) == level]
    if exact and not fitting:
        other = _level(exact[0])
        raise InvalidArguments("level", f"{wanted} is given for each {other.lower()}, not for each {level}", other)
    return dict(fitting[0]) if fitting else None


def _level(attribute: Json) -> Level:
    return "PATIENT" if attribute.get("patientAttribute") is True else "SAMPLE"


async def _rows(api: Api, study_id: str, attribute: Json) -> list[dict[str, Json]]:
    path = f"/studies/{segment(study_id)}/clinical-data"
    asked = attribute["clinicalAttributeId"]
    parameters = {"attributeId": asked, "clinicalDataType": _level(attribute), "projection": "SUMMARY"}
    rows = listed(await api.get(path, parameters), path)
    for row in rows:
        if row.get("clinicalAttributeId") != asked or row.get("studyId", study_id) != study_id:
            raise UpstreamBadResponse(HOST, f"asked for {asked} in {study_id}, got {row.get('clinicalAttributeId')}")
    return rows


async def case_count(api: Api, study: Json, level: Level) -> int | None:
    """Return how many patients or samples a study has; patients are only counted in a header."""
    if level == "SAMPLE":
        number = study.get("allSampleCount")
        return number if isinstance(number, int) else None
    path = f"/studies/{segment(study['studyId'])}/patients"
    response = await api.fetch("GET", path, {"projection": "META"})
    said = response.headers.get("total-count", "")
    return int(said) if said.isdigit() else None


def values_of(rows: Sequence[Json], level: Level) -> dict[str, set[str]]:
    """Return the cases of every value; older answers name the case `entityId`."""
    cases: dict[str, set[str]] = {}
    for row in rows:
        case = row.get("sampleId" if level == "SAMPLE" else "patientId", row.get("entityId"))
        if case is None:
            raise UpstreamBadResponse(HOST, f"a clinical value without its {level.lower()}")
        if not is_missing(row.get("value")):
            cases.setdefault(str(row["value"]).strip(), set()).add(str(case))
    return cases


def distribution(cases: dict[str, set[str]]) -> dict[str, Json]:
    """Return least, quartiles and most of the values that are numbers."""
    numbers = sorted(number for value, of in cases.items() if (number := as_number(value)) is not None for _ in of)
    if not numbers:
        return {}
    quartiles = statistics.quantiles(numbers, n=4, method="inclusive") if len(numbers) > 1 else [numbers[0]] * 3
    names = ("first_quartile", "median", "third_quartile")
    spread = {name: round(value, 4) for name, value in zip(names, quartiles, strict=True)}
    return {"cases": len(numbers), "min": numbers[0], **spread, "max": numbers[-1]}


@platform.tool(
    example={"study_id": "gbm_tcga_pub", "attribute_id": "SEX"},
    asks=(
        "ages, sexes and stages of the patients of a cohort",
        "demographics of a cancer study",
        "how many patients are deceased",
        "distribution of a clinical attribute, tumour grade",
        "how many men and women are in the cohort",
    ),
)
async def clinical_summary(
    api: Api,
    study_id: StudyId,
    attribute_id: Annotated[
        str,
        Arg(
            "Clinical attribute by id or name: see get_cancer_study.",
            "SEX",
            r"^[A-Z0-9_]{2,}$",
            normalise=attribute_form,
        ),
    ] = "CANCER_TYPE",
    level: Annotated[Level, Arg("Count samples or patients: only for an attribute that is given for both.")]
    | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Count the values of one clinical attribute (cancer type, sex, age, stage, survival status) in a cBioPortal study;
    quartiles for numbers. Drugs given: treatments_in_study; TCGA cases by filters: gdc__search_cases.
    """
    asked: list[Awaitable[Any]] = [find_studies(api, [study_id]), attributes_of(api, study_id)]
    studies, attributes = await together(asked)
    if isinstance(studies, Answer):
        return studies
    attribute = _chosen(attributes, attribute_id, level)
    if attribute is None:
        return _unknown_attribute(study_id, attribute_id, attributes)
    study, of = studies[study_id], _level(attribute)
    both: list[Awaitable[Any]] = [_rows(api, study_id, attribute), case_count(api, study, of)]
    found, in_study = await together(both)
    cases = values_of(found, of)
    return _summary(study, attribute, cases, in_study, limit, offset)


def _summary(
    study: Json, attribute: Json, cases: dict[str, set[str]], in_study: int | None, limit: int, offset: int
) -> Answer:
    of = _level(attribute)
    with_value = len(set().union(*cases.values()))
    if in_study is not None and with_value > in_study:
        raise UpstreamBadResponse(HOST, f"{with_value} {of.lower()}s have a value, the study has {in_study}")
    numeric = distribution(cases) if attribute.get("datatype") == "NUMBER" else {}
    counted = {value: len(of_value) for value, of_value in cases.items() if not numeric or as_number(value) is None}
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    shown = [
        {"value": value, "count": count, "percent": round(100 * count / with_value, 2)}
        for value, count in ranked[offset : offset + limit]
    ]
    head = {
        "study_id": study["studyId"],
        **known(study, "name"),
        "attribute": _attribute(attribute),
        "counted": f"{of.lower()}s",
        "cases_with_value": with_value,
        "cases_in_study": in_study,
        **({"numbers": numeric} if numeric else {}),
        "values": shown,
    }
    citations = [cited_study(study), *cited_papers(study)]
    if not cases:
        return empty(f"No {of.lower()} of {study['studyId']} has a value of {attribute['clinicalAttributeId']}.", head)
    note = sentences(
        "Percentages are of the cases with a value.",
        "Values that are no numbers are counted apart." if numeric and ranked else "",
    )
    more = next_page(offset, len(shown), len(ranked))
    return Answer(head, total=len(ranked), returned=len(shown), next=more, note=note, citations=citations)


def _attribute(attribute: Json) -> dict[str, Json]:
    return {
        "id": attribute["clinicalAttributeId"],
        "name": attribute.get("displayName"),
        "description": attribute.get("description"),
        "datatype": attribute.get("datatype"),
        "level": _level(attribute),
    }


def _unknown_attribute(study_id: str, wanted: str, attributes: Sequence[Json]) -> Answer:
    ids = [str(one["clinicalAttributeId"]) for one in attributes]
    near = difflib.get_close_matches(wanted, ids, n=NEAR_MAX, cutoff=0.5) or ids[:NEAR_MAX]
    advice = f"It has {len(ids)}, e.g. {', '.join(near)}." if ids else "It has none."
    return unknown_id(wanted, f"{study_id} has no clinical attribute {wanted}. {advice}")
