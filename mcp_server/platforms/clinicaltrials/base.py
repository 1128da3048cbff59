"""The registry itself: where it is, the arguments its searches share, and how they become a request."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import NctId, look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.platforms.clinicaltrials.records import row
from mcp_server.tool import Arg, Cite, Platform, Source

Json = Any
HOST = "clinicaltrials.gov"

platform = Platform(
    "clinicaltrials",
    title="ClinicalTrials.gov",
    base_url="https://clinicaltrials.gov/api/v2",
    docs="https://clinicaltrials.gov/data-api/api",
    licence="https://clinicaltrials.gov/about-site/terms-conditions",
    rate=Rate(1),
    # The registry is loaded anew every working day.
    keep_s=3600.0,
    source=Source(
        provider="ClinicalTrials.gov, U.S. National Library of Medicine",
        homepage="https://clinicaltrials.gov",
        attribution="Data from ClinicalTrials.gov, with NCT number and day of retrieval; no endorsement by NLM.",
        cite="Cite each study by its NCT number and record page.",
        limits="No published quota; about one request a second is asked of heavy users.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the moment of the registry's data."""
    return str((await api.get("/version"))["dataTimestamp"])


LIST_FIELDS = (
    "NCTId,BriefTitle,Acronym,OverallStatus,Phase,StudyType,Condition,InterventionType,InterventionName,"
    "LeadSponsorName,EnrollmentCount,StartDate,PrimaryCompletionDate,CompletionDate,HasResults,LastUpdatePostDate,"
    "VersionHolder"
)
# What tells which study came back, and of which night.
HEAD_FIELDS = "NCTId,NCTIdAlias,BriefTitle,VersionHolder"
SORTS = {
    "relevance": "@relevance",
    "last_update": "LastUpdatePostDate:desc",
    "start_date": "StartDate:desc",
    "enrollment": "EnrollmentCount:desc",
}
LISTED = Cite("nct", ".[]", ".nctId", ".briefTitle")
STUDY = Cite("nct", ".", ".nctId", ".briefTitle")
_NUMBERS_ONLY = re.compile(r"(NCT\d+[\s,;]*)+", re.IGNORECASE)


def _status_form(text: str) -> str:
    return re.sub(r"[^A-Z]+", "_", text.upper()).strip("_")


def _phase_form(text: str) -> str:
    plain = re.sub(r"[\s/]+", "", text.upper()).replace("EARLYPHASE", "EARLY_PHASE").replace("PHASE_", "PHASE")
    return f"PHASE{plain}" if plain.isdigit() else plain


def _day_form(text: str) -> str:
    """Return the first day of a month or year as a day."""
    return f"{text}-01-01"[:10] if re.fullmatch(r"\d{4}|\d{4}-\d{2}", text) else text


Condition = Annotated[str, Arg("Disease or condition in words.", "melanoma", normalise=look_up_form)]
Intervention = Annotated[str, Arg("Drug or other intervention by name.", "vemurafenib", normalise=look_up_form)]
Term = Annotated[
    str,
    Arg("Further words anywhere in the record; AND, OR, NOT, quotes and AREA[...] are understood.", '"BRAF V600E"'),
]
Title = Annotated[str, Arg("Words of the title or the acronym.", "CLEOPATRA", normalise=look_up_form)]
Outcome = Annotated[str, Arg("Endpoint that the trial measures.", "overall survival", normalise=look_up_form)]
Place = Annotated[str, Arg("Country, state, city or facility of a site.", "Germany", normalise=look_up_form)]
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
StudyType = Annotated[
    Literal["INTERVENTIONAL", "OBSERVATIONAL", "EXPANDED_ACCESS"],
    Arg("Type of study to keep.", "INTERVENTIONAL", normalise=_status_form),
]
HasResults = Annotated[bool, Arg("Only trials with, or without, posted results.", True)]
Since = Annotated[
    str,
    Arg(
        "Not before this day; a month or a year is its first day.",
        "2024-01-01",
        r"^\d{4}-\d{2}-\d{2}$",
        normalise=_day_form,
    ),
]
Sponsor = Annotated[str, Arg("Sponsor or collaborator by name.", "Novartis", normalise=look_up_form)]
PageSize = Annotated[int, Arg("How many trials to return at most.", minimum=1, maximum=100)]
PageToken = Annotated[str, Arg("`next` of an earlier result; all other arguments must stay the same.")]
Sort = Annotated[
    Literal["relevance", "last_update", "start_date", "enrollment"], Arg("What comes first.", "last_update")
]
NctIds = Annotated[
    list[NctId],
    Arg("ClinicalTrials.gov numbers.", ["NCT01808573", "NCT00878709"], max_items=100, normalise=str.upper),
]


def criterion(argument: str, text: str | None) -> str | None:
    """Return a search text that the registry's expression parser accepts."""
    if text is None or "AREA[" in text:
        return text
    refuse_numbers(argument, text)
    plain = re.sub(r"[\[\],]", " ", text)
    if plain.count("(") != plain.count(")"):
        plain = re.sub(r"[()]", " ", plain)
    return " ".join(plain.split())


def refuse_numbers(argument: str, text: str) -> None:
    """Refuse trial numbers as a search text: the registry would silently drop every other filter."""
    if _NUMBERS_ONLY.fullmatch(text):
        raise InvalidArguments(argument, "trial numbers are looked up with get_study or get_studies_batch", "melanoma")


def filters(
    texts: Mapping[str, str | None],
    status: Sequence[str] | None = None,
    phase: Sequence[str] | None = None,
    study_type: str | None = None,
    has_results: bool | None = None,
    since: Mapping[str, str | None] | None = None,
) -> dict[str, Json]:
    """Return the parameters of a search; `texts` are arguments by search area, `since` days by date field."""
    # There is no filter for phase, type or date: they go through an expression.
    advanced = [f"AREA[Phase]({' OR '.join(phase)})"] if phase else []
    advanced += [f"AREA[StudyType]{study_type}"] if study_type else []
    advanced += [f"AREA[{field}]RANGE[{day}, MAX]" for field, day in (since or {}).items() if day]
    found = {f"query.{area}": criterion(_ARGUMENT_OF[area], text) for area, text in texts.items()}
    return found | {
        "filter.overallStatus": status if status and "ALL" not in status else None,
        "filter.advanced": " AND ".join(advanced) or None,
        "aggFilters": None if has_results is None else f"results:{'with' if has_results else 'without'}",
    }


_ARGUMENT_OF = {
    "cond": "condition",
    "intr": "intervention",
    "term": "term",
    "spons": "sponsor",
    "titles": "title",
    "outc": "outcome",
    "locn": "location",
}


async def search(
    api: Api,
    parameters: Mapping[str, Json],
    *,
    limit: int,
    page_token: str | None,
    fields: str = LIST_FIELDS,
    sort: str = "relevance",
) -> tuple[list[Json], Json]:
    """Return a page of studies and the whole answer; a study of another status is refused."""
    asked = {
        **parameters,
        "fields": fields,
        "sort": SORTS[sort],
        "pageSize": limit,
        "pageToken": page_token,
        "countTotal": None if page_token else True,
    }
    answer = await api.get("/studies", asked)
    studies = studies_of(answer)
    for study in studies[:1]:
        note_release(api, study)
    wanted: Sequence[str] = parameters.get("filter.overallStatus") or ()
    for study in studies if wanted else ():
        found = row(study)
        if found.get("overallStatus") not in (None, *wanted):
            message = f"asked for {', '.join(wanted)}, {found.get('nctId')} is {found['overallStatus']}"
            raise UpstreamBadResponse(HOST, message)
    return studies, answer


def listed(
    found: Sequence[Json], studies: Sequence[Json], answer: Json, page_token: str | None, note: str = ""
) -> Answer:
    """Answer with the rows of a page; `studies` are what came, of which some may have been left out."""
    total, token = answer.get("totalCount"), answer.get("nextPageToken")
    if not studies:
        note = (
            "This page is empty: the list has ended." if page_token else "No registered trial matches these criteria."
        )
    return Answer(
        list(found),
        # An empty later page ends a list that had something.
        ResultOutcome.DATA if found or page_token else ResultOutcome.EMPTY,
        total=total,
        returned=len(found),
        # A full page always brings a token, the last one too.
        next={"page_token": token} if token and len(studies) != total else None,
        note=note,
    )


def studies_of(answer: Json) -> list[Json]:
    """Return the studies of an answer."""
    if not isinstance(answer, dict) or not isinstance(answer.get("studies"), list):
        raise UpstreamBadResponse(HOST, "the answer holds no list of studies")
    return list(answer["studies"])


async def fetch_study(api: Api, nct_id: str, fields: str | None) -> Json:
    """Return one study, or the answer that there is none. A former number brings the present study."""
    try:
        study = await api.get(f"/studies/{nct_id}", {"fields": fields})
    except UpstreamNotFound as error:
        # Any other 404 is a wrong path or a fault of the front door, not a statement about the number.
        if nct_id in str(error.body):
            return unknown_id(nct_id, f"ClinicalTrials.gov has no trial {nct_id}.")
        raise
    present, aliases = numbers(study)
    if nct_id not in (present, *aliases):
        raise UpstreamBadResponse(HOST, f"asked for {nct_id}, it answered with {present}")
    note_release(api, study)
    return study


def numbers(study: Json) -> tuple[str | None, list[str]]:
    """Return a study's number and its former ones."""
    identification = study.get("protocolSection", {}).get("identificationModule", {})
    return identification.get("nctId"), identification.get("nctIdAliases") or []


def former_note(asked: str, study: Json) -> str:
    """Say when the number that was asked for is a former one."""
    present, _ = numbers(study)
    return "" if present == asked else f"{asked} is a former number: the trial is now {present}. Cite {present}."


def note_release(api: Api, study: Json) -> None:
    """Remember of which night the data is."""
    holder = study.get("derivedSection", {}).get("miscInfoModule", {}).get("versionHolder")
    if holder:
        api.trace.release = f"data of {holder}"
