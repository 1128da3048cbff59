"""ClinicalTrials.gov: registered clinical trials by condition, drug, sponsor, status and phase.

REST/JSON at /api/v2, no key, asked once a second. Pages by an opaque token; the total stands on the
first page only. A refused parameter is a 400 with one line of plain text, an unknown number a 404 with
one. A former number answers the present study: its redirect loses `fields`, so whole records may come.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import NctId, look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

Json = Any

platform = Platform(
    "clinicaltrials",
    title="ClinicalTrials.gov",
    base_url="https://clinicaltrials.gov/api/v2",
    docs="https://clinicaltrials.gov/data-api/api",
    licence="https://clinicaltrials.gov/about-site/terms-conditions",
    rate=Rate(1),
)

LIST_FIELDS = (
    "NCTId,BriefTitle,Acronym,OverallStatus,Phase,StudyType,Condition,InterventionType,InterventionName,"
    "LeadSponsorName,EnrollmentCount,StartDate,PrimaryCompletionDate,CompletionDate,HasResults,LastUpdatePostDate,"
    "VersionHolder"
)
RECORD_FIELDS = (
    "IdentificationModule,StatusModule,SponsorCollaboratorsModule,BriefSummary,ConditionsModule,DesignModule,"
    "ArmsInterventionsModule,OutcomesModule,EligibilityModule,HasResults,VersionHolder"
)
SORTS = {
    "relevance": "@relevance",
    "last_update": "LastUpdatePostDate:desc",
    "start_date": "StartDate:desc",
    "enrollment": "EnrollmentCount:desc",
}
# The registry writes this number where the enrolment is not known.
UNKNOWN_ENROLLMENT = 99_999_999
TEXT_MAX_CHARS = 4000
DATES = ("startDate", "primaryCompletionDate", "completionDate", "resultsFirstPostDate", "lastUpdatePostDate")
RECORD_LEAVES = (
    "officialTitle",
    "nctIdAliases",
    "whyStopped",
    "briefSummary",
    "keywords",
    "designInfo",
    "eligibilityCriteria",
    "sex",
    "minimumAge",
    "maximumAge",
    "healthyVolunteers",
)


def _status_form(text: str) -> str:
    return re.sub(r"[^A-Z]+", "_", text.upper()).strip("_")


def _phase_form(text: str) -> str:
    plain = re.sub(r"[\s/]+", "", text.upper()).replace("EARLYPHASE", "EARLY_PHASE").replace("PHASE_", "PHASE")
    return f"PHASE{plain}" if plain.isdigit() else plain


Condition = Annotated[str, Arg("Disease or condition in words.", "melanoma", normalise=look_up_form)]
Intervention = Annotated[str, Arg("Drug or other intervention by name.", "vemurafenib", normalise=look_up_form)]
Term = Annotated[
    str,
    Arg("Further words anywhere in the record; AND, OR, NOT, quotes and AREA[...] are understood.", '"BRAF V600E"'),
]
Status = Annotated[
    list[
        Literal[
            "RECRUITING",
            "NOT_YET_RECRUITING",
            "ENROLLING_BY_INVITATION",
            "ACTIVE_NOT_RECRUITING",
            "COMPLETED",
            "SUSPENDED",
            "TERMINATED",
            "WITHDRAWN",
            "UNKNOWN",
            "AVAILABLE",
            "NO_LONGER_AVAILABLE",
            "TEMPORARILY_NOT_AVAILABLE",
            "APPROVED_FOR_MARKETING",
            "WITHHELD",
            "ALL",
        ]
    ],
    Arg("Recruitment statuses to keep; none or ALL keeps every status.", ["RECRUITING"], normalise=_status_form),
]
Phase = Annotated[
    list[Literal["NA", "EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4"]],
    Arg("Registered phases to keep; a phase 1/2 trial has both.", ["PHASE3"], normalise=_phase_form),
]
Sponsor = Annotated[str, Arg("Sponsor or collaborator by name.", "Novartis", normalise=look_up_form)]
PageSize = Annotated[int, Arg("How many trials to return at most.", minimum=1, maximum=100)]
PageToken = Annotated[str, Arg("`next` of an earlier result; all other arguments must stay the same.")]


def _criterion(argument: str, text: str | None) -> str | None:
    """Return a search text that the registry's expression parser accepts."""
    if text is None or "AREA[" in text:
        return text
    if re.fullmatch(r"(NCT\d+[\s,;]*)+", text, re.IGNORECASE):
        # The registry would look the numbers up and silently drop every other filter.
        raise InvalidArguments(argument, "trial numbers are looked up with get_study, one by one", "melanoma")
    plain = re.sub(r"[\[\],]", " ", text)
    if plain.count("(") != plain.count(")"):
        plain = re.sub(r"[()]", " ", plain)
    return " ".join(plain.split())


def _filters(
    condition: str | None,
    intervention: str | None,
    term: str | None,
    status: Sequence[str] | None,
    phase: Sequence[str] | None,
) -> dict[str, Json]:
    # There is no filter for phases: they go through an expression.
    phases = f"AREA[Phase]({' OR '.join(phase)})" if phase else None
    return {
        "query.cond": _criterion("condition", condition),
        "query.intr": _criterion("intervention", intervention),
        "query.term": _criterion("term", term),
        "filter.overallStatus": status if status and "ALL" not in status else None,
        "filter.advanced": phases,
    }


def _modules(study: Json) -> dict[str, Json]:
    """Return the leaves of the protocol section that stand one level deep, under the registry's own names."""
    merged: dict[str, Json] = {}
    for module in study.get("protocolSection", {}).values():
        merged |= module
    return merged


def _plain(text: Json) -> Json:
    """Undo the registry's Markdown escapes; cut what is too long to be read, and say so."""
    if not isinstance(text, str):
        return text
    plain = re.sub(r"\\([\[\]<>()*_~^`#+.!|-])", r"\1", text)
    return plain if len(plain) <= TEXT_MAX_CHARS else f"{plain[:TEXT_MAX_CHARS]} … ({len(plain)} characters in all)"


def _row(study: Json) -> dict[str, Json]:
    """Return what a list shows of a study; absent values are left out."""
    leaves = _modules(study)
    count = leaves.get("enrollmentInfo", {}).get("count")
    row = {
        **{name: leaves.get(name) for name in ("nctId", "briefTitle", "acronym", "overallStatus", "phases")},
        # Of some trials the offline snapshot knows the official title only.
        "officialTitle": None if "briefTitle" in leaves else leaves.get("officialTitle"),
        "studyType": leaves.get("studyType"),
        "enrollmentCount": None if count == UNKNOWN_ENROLLMENT else count,
        "leadSponsor": leaves.get("leadSponsor", {}).get("name"),
        "conditions": leaves.get("conditions"),
        "interventions": [
            {name: each[name] for name in ("type", "name") if name in each} for each in leaves.get("interventions", [])
        ],
        **{name: leaves.get(f"{name}Struct", {}).get("date") for name in DATES},
        "hasResults": study.get("hasResults"),
    }
    return {name: value for name, value in row.items() if value not in (None, [])}


def _record(study: Json) -> dict[str, Json]:
    """Return what one study says about its design, arms, outcomes and participants."""
    leaves = _modules(study)
    outcomes = {
        kind: [{name: each[name] for name in ("measure", "timeFrame") if name in each} for each in leaves.get(kind, [])]
        for kind in ("primaryOutcomes", "secondaryOutcomes")
    }
    kept = {name: _plain(leaves.get(name)) for name in RECORD_LEAVES}
    details = {
        **kept,
        "collaborators": [each.get("name") for each in leaves.get("collaborators", [])],
        "interventions": [
            {name: _plain(value) for name, value in each.items()} for each in leaves.get("interventions", [])
        ],
        "armGroups": [{name: _plain(value) for name, value in each.items()} for each in leaves.get("armGroups", [])],
        **outcomes,
    }
    return _row(study) | {name: value for name, value in details.items() if value not in (None, [])}


def _studies(answer: Json) -> list[Json]:
    if not isinstance(answer, dict) or not isinstance(answer.get("studies"), list):
        raise UpstreamBadResponse("clinicaltrials.gov", "the answer holds no list of studies")
    return list(answer["studies"])


def _noted_release(api: Api, study: Json) -> None:
    holder = study.get("derivedSection", {}).get("miscInfoModule", {}).get("versionHolder")
    if holder:
        api.trace.release = f"data of {holder}"


@platform.tool(
    core=True,
    example={"condition": "melanoma", "intervention": "vemurafenib", "limit": 20},
    cites=Cite("nct", ".[]", ".nctId", ".briefTitle"),
)
async def search_studies(
    api: Api,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    term: Term | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
    sponsor: Sponsor | None = None,
    limit: PageSize = 20,
    page_token: PageToken | None = None,
    sort: Annotated[
        Literal["relevance", "last_update", "start_date", "enrollment"], Arg("What comes first.", "last_update")
    ] = "relevance",
) -> Answer:
    """Find clinical trials by condition, drug, sponsor, status or phase. Returns NCT number, title, status, phase."""
    filters = _filters(condition, intervention, term, status, phase)
    filters["query.spons"] = _criterion("sponsor", sponsor)
    if not any(filters.values()):
        raise InvalidArguments("condition", "give at least one criterion", "melanoma")
    if sort == "enrollment":
        known = f"AREA[EnrollmentCount]RANGE[0, {UNKNOWN_ENROLLMENT - 1}]"
        filters["filter.advanced"] = " AND ".join(filter(None, (filters["filter.advanced"], known)))
    answer = await api.get(
        "/studies",
        {
            **filters,
            "fields": LIST_FIELDS,
            "sort": SORTS[sort],
            "pageSize": limit,
            "pageToken": page_token,
            "countTotal": None if page_token else True,
        },
    )
    studies = _studies(answer)
    for study in studies[:1]:
        _noted_release(api, study)
    total, token = answer.get("totalCount"), answer.get("nextPageToken")
    note = ""
    if not studies:
        note = (
            "This page is empty: the list has ended." if page_token else "No registered trial matches these criteria."
        )
    return Answer(
        [_row(study) for study in studies],
        # An empty later page ends a list that had something.
        ResultOutcome.DATA if studies or page_token else ResultOutcome.EMPTY,
        total=total,
        returned=len(studies),
        # A full page always brings a token, the last one too.
        next={"page_token": token} if token and len(studies) != total else None,
        note=note,
    )


@platform.tool(example={"nct_id": "NCT01808573"}, cites=Cite("nct", ".", ".nctId", ".briefTitle"))
async def get_study(api: Api, nct_id: NctId) -> Answer:
    """Get a clinical trial by NCT number. Returns design, arms, status, dates, sponsor, outcomes, eligibility."""
    try:
        study = await api.get(f"/studies/{nct_id}", {"fields": RECORD_FIELDS})
    except UpstreamNotFound as error:
        # Any other 404 is a wrong path or a fault of the front door, not a statement about the number.
        if nct_id in str(error.body):
            return unknown_id(nct_id, f"ClinicalTrials.gov has no trial {nct_id}.")
        raise
    identification = study.get("protocolSection", {}).get("identificationModule", {})
    present = identification.get("nctId")
    if present != nct_id and nct_id not in identification.get("nctIdAliases", []):
        raise UpstreamBadResponse("clinicaltrials.gov", f"asked for {nct_id}, it answered with {present}")
    _noted_release(api, study)
    note = "" if present == nct_id else f"{nct_id} is a former number: the trial is now {present}. Cite {present}."
    return Answer(_record(study), note=note)


@platform.tool(example={"condition": "melanoma", "status": ["RECRUITING"]})
async def count_studies(
    api: Api,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    term: Term | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
) -> Answer:
    """Count clinical trials by condition, drug, status or phase. Returns only the number."""
    filters = _filters(condition, intervention, term, status, phase)
    answer = await api.get("/studies", {**filters, "fields": "NCTId", "pageSize": 1, "countTotal": True})
    _studies(answer)
    total = answer.get("totalCount")
    if not isinstance(total, int):
        raise UpstreamBadResponse("clinicaltrials.gov", "the answer holds no count")
    outcome = ResultOutcome.DATA if total else ResultOutcome.EMPTY
    return Answer({"totalCount": total}, outcome, total=total)
