"""ClinicalTrials.gov: registered clinical trials by condition, drug, sponsor, status and phase.

REST/JSON at /api/v2, no key, asked once a second. Pages by an opaque token; the total stands on the
first page only. A refused parameter is a 400 with one line of plain text, an unknown number a 404 with
one. A former number answers the present study: its redirect loses `fields`, so whole records may come.
"""

import re
from typing import Annotated, Any, Literal

from mcp_server.args import DiseaseName, DrugName, NctId, look_up_form
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
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


def _status_form(text: str) -> str:
    return re.sub(r"[^A-Z]+", "_", text.upper()).strip("_")


def _phase_form(text: str) -> str:
    plain = re.sub(r"[\s/]+", "", text.upper()).replace("EARLYPHASE", "EARLY_PHASE").replace("PHASE_", "PHASE")
    return f"PHASE{plain}" if plain.isdigit() else plain


Condition = Annotated[DiseaseName, Arg("Disease or condition in words.", "melanoma", normalise=look_up_form)]
Intervention = Annotated[DrugName, Arg("Drug or other intervention by name.", "vemurafenib", normalise=look_up_form)]
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
    raise NotImplementedError


@platform.tool(example={"nct_id": "NCT01808573"}, cites=Cite("nct", ".", ".nctId", ".briefTitle"))
async def get_study(api: Api, nct_id: NctId) -> Answer:
    """Get a clinical trial by NCT number. Returns design, arms, status, dates, sponsor, outcomes, eligibility."""
    raise NotImplementedError


@platform.tool(example={"condition": "melanoma", "intervention": "vemurafenib", "status": ["RECRUITING"]})
async def count_studies(
    api: Api,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    term: Term | None = None,
    status: Status | None = None,
    phase: Phase | None = None,
) -> Answer:
    """Count clinical trials by condition, drug, status or phase. Returns only the number."""
    raise NotImplementedError
