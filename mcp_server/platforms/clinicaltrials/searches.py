"""Finding and counting trials by words, by biomarker, by the registry's own expressions."""

import re
from typing import Annotated, Any

from mcp_server.args import look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRefused
from mcp_server.platforms.clinicaltrials.base import (
    HOST,
    LIST_FIELDS,
    LISTED,
    Condition,
    HasResults,
    Intervention,
    Outcome,
    PageSize,
    PageToken,
    Phase,
    Place,
    Since,
    Sort,
    Sponsor,
    Status,
    StudyType,
    Term,
    Title,
    filters,
    listed,
    platform,
    refuse_numbers,
    search,
    studies_of,
)
from mcp_server.platforms.clinicaltrials.records import UNKNOWN_ENROLLMENT, criteria, modules, row, unescaped
from mcp_server.tool import Arg

Json = Any

Biomarker = Annotated[
    str, Arg("Gene, mutation or other biomarker as criteria write it.", "EGFR L858R", normalise=look_up_form)
]
Expression = Annotated[
    str,
    Arg(
        "Essie expression; AREA[Field]value, RANGE[min, max], AND, OR, NOT, SEARCH[Location](...).",
        "AREA[Phase]PHASE3 AND AREA[InterventionType]GENETIC",
    ),
]
Fields = Annotated[
    list[str], Arg("Further fields to return, by name.", ["LeadSponsorClass"], r"^[A-Za-z][A-Za-z-]*$", max_items=30)
]
# Texts in which a biomarker is looked for, by what they are called here.
MARKER_FIELDS = {
    "title": "BriefTitle",
    "official title": "OfficialTitle",
    "summary": "BriefSummary",
    "keywords": "Keyword",
}
MESSAGE_MAX_CHARS = 200


@platform.tool(
    example={"condition": "melanoma", "intervention": "vemurafenib", "limit": 20},
    cites=LISTED,
    asks=(
        "recruiting trials for a disease",
        "ongoing phase 3 studies of a drug",
        "find clinical trials by sponsor or status",
        "who is testing this drug in people",
        "who is testing a new drug for a disease",
    ),
)
async def search_studies(
    api: Api,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    term: Term | None = None,
    title: Title | None = None,
    outcome: Outcome | None = None,
    location: Place | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
    study_type: StudyType | None = None,
    has_results: HasResults | None = None,
    started_since: Since | None = None,
    updated_since: Since | None = None,
    sponsor: Sponsor | None = None,
    limit: PageSize = 20,
    page_token: PageToken | None = None,
    sort: Sort = "relevance",
) -> Answer:
    """Search ClinicalTrials.gov: find clinical trials by condition, drug, title, outcome, place, sponsor, status,
    phase, type or dates. Returns NCT number, title, status, phase. By gene or mutation use search_by_biomarker, for
    a patient match_patient_to_studies.

    Rows: nctId, briefTitle, acronym, overallStatus, phases, studyType, enrollmentCount, leadSponsor, conditions,
    interventions, dates, hasResults. The registry also finds narrower terms and synonyms of a condition: see
    `conditions`.
    """
    texts = {"cond": condition, "intr": intervention, "term": term, "titles": title, "outc": outcome, "locn": location}
    since = {"StartDate": started_since, "LastUpdatePostDate": updated_since}
    asked = filters(texts | {"spons": sponsor}, status, phase, study_type, has_results, since)
    if not any(asked.values()):
        raise InvalidArguments("condition", "give at least one criterion", "melanoma")
    if sort == "enrollment":
        known = f"AREA[EnrollmentCount]RANGE[0, {UNKNOWN_ENROLLMENT - 1}]"
        asked["filter.advanced"] = " AND ".join(filter(None, (asked["filter.advanced"], known)))
    studies, answer = await search(api, asked, limit=limit, page_token=page_token, sort=sort)
    return listed([row(study) for study in studies], studies, answer, page_token)


@platform.tool(
    example={"condition": "melanoma", "status": ["RECRUITING"]},
    asks=(
        "how many trials are there",
        "number of recruiting studies of a drug",
        "count of phase 2 trials in a condition",
    ),
)
async def count_studies(
    api: Api,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    term: Term | None = None,
    title: Title | None = None,
    outcome: Outcome | None = None,
    location: Place | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
    study_type: StudyType | None = None,
    has_results: HasResults | None = None,
    started_since: Since | None = None,
    updated_since: Since | None = None,
    sponsor: Sponsor | None = None,
) -> Answer:
    """Count clinical trials that match the filters of search_studies (condition, drug, status, phase, place, dates).
    Returns only the number; for numbers by phase and status use trial_landscape.
    """
    texts = {"cond": condition, "intr": intervention, "term": term, "titles": title, "outc": outcome, "locn": location}
    since = {"StartDate": started_since, "LastUpdatePostDate": updated_since}
    asked = filters(texts | {"spons": sponsor}, status, phase, study_type, has_results, since)
    total = await count(api, asked)
    return Answer({"totalCount": total}, ResultOutcome.DATA if total else ResultOutcome.EMPTY, total=total)


@platform.tool(
    example={"biomarker": "EGFR L858R", "condition": "non-small cell lung cancer"},
    cites=LISTED,
    asks=(
        "trials for KRAS G12C tumours",
        "studies for mutation carriers",
        "biomarker-driven, targeted therapy trials",
        "trial that requires HER2 positive patients",
    ),
)
async def search_by_biomarker(
    api: Api,
    biomarker: Biomarker,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    require_inclusion: Annotated[bool, Arg("Leave out trials that name it among the exclusion criteria only.")] = False,
    status: Status | None = None,
    phase: Phase | None = None,
    limit: PageSize = 20,
    page_token: PageToken | None = None,
) -> Answer:
    """Gene, mutation or biomarker (EGFR L858R, PD-L1): find clinical trials whose title, summary, keywords or
    eligibility criteria name it; returns rows with where it is named. For other topics use search_studies.

    Rows as of search_studies, with namedIn: title, official title, summary, keywords, inclusion criteria, exclusion
    criteria.
    """
    refuse_numbers("biomarker", biomarker)
    # Inside quotes the registry takes a hyphen for an operator.
    quoted = '"' + re.sub(r'["\[\]\\]', " ", biomarker).replace("-", r"\-") + '"'
    areas = ("EligibilityCriteria", *MARKER_FIELDS.values())
    term = "(" + " OR ".join(f"AREA[{area}]({quoted})" for area in areas) + ")"
    asked = filters({"cond": condition, "intr": intervention, "term": term}, status, phase)
    fields = f"{LIST_FIELDS},OfficialTitle,BriefSummary,Keyword,EligibilityCriteria"
    studies, answer = await search(api, asked, limit=limit, page_token=page_token, fields=fields)
    found = [row(study) | {"namedIn": _named_in(study, biomarker)} for study in studies]
    kept = [each for each in found if not require_inclusion or each["namedIn"] != ["exclusion criteria"]]
    notes = []
    if len(kept) < len(found):
        notes.append(f"{len(found) - len(kept)} trials of this page name it among the exclusion criteria only.")
    if any(not each["namedIn"] for each in kept):
        notes.append("Where namedIn is empty, the registry found a synonym: read the criteria.")
    return listed(kept, studies, answer, page_token, " ".join(notes))


@platform.tool(
    example={"expression": "AREA[Phase]PHASE3 AND AREA[InterventionType]GENETIC"},
    cites=LISTED,
    asks=(
        "query trials with field expressions, AREA syntax",
        "complex Boolean trial search",
        "search a special field of the registry",
    ),
)
async def advanced_search(
    api: Api,
    expression: Expression,
    fields: Fields | None = None,
    limit: PageSize = 20,
    page_token: PageToken | None = None,
    sort: Sort = "relevance",
) -> Answer:
    """Raw Essie expression with AREA[...] over all fields of clinical trials, for what search_studies has no argument
    for; returns the same rows, and the raw record of further fields. Names of fields: describe_search.

    With fields, each row has `record`, the registry's own tree of what was asked for.
    """
    refuse_numbers("expression", expression)
    wanted = ",".join((LIST_FIELDS, *(fields or ())))
    asked = {"filter.advanced": expression}
    try:
        studies, answer = await search(api, asked, limit=limit, page_token=page_token, fields=wanted, sort=sort)
    except UpstreamRefused as error:
        # A syntax error comes with the whole grammar.
        said = error.message[:MESSAGE_MAX_CHARS]
        message = f"the registry refuses it: {said}; describe_search lists fields and values"
        raise InvalidArguments("expression", message, "AREA[Phase]PHASE3") from error
    found = [row(study) | ({"record": study} if fields else {}) for study in studies]
    return listed(found, studies, answer, page_token)


async def count(api: Api, asked: dict[str, Json]) -> int:
    """Return how many studies match."""
    answer = await api.get("/studies", {**asked, "fields": "NCTId", "pageSize": 1, "countTotal": True})
    studies_of(answer)
    total = answer.get("totalCount")
    if not isinstance(total, int):
        raise UpstreamBadResponse(HOST, "the answer holds no count")
    return total


def _named_in(study: Json, biomarker: str) -> list[str]:
    """Return which texts of a study name a biomarker."""
    leaves = modules(study)
    inclusion, exclusion = criteria(leaves.get("eligibilityCriteria") or "")
    texts = {
        "title": leaves.get("briefTitle"),
        "official title": leaves.get("officialTitle"),
        "summary": leaves.get("briefSummary"),
        "keywords": " ; ".join(leaves.get("keywords") or []),
        "inclusion criteria": inclusion,
        "exclusion criteria": exclusion,
    }
    wanted = _compared(biomarker)
    return [name for name, text in texts.items() if wanted in _compared(text or "")]


def _compared(text: str) -> str:
    """Return a text without what spellings of one name differ by."""
    return f" {' '.join(re.split(r'[^a-z0-9*+]+', look_up_form(unescaped(text)).lower()))} "
