"""Clinical trials: a leg's clauses as one search of ClinicalTrials.gov, and one study opened."""

from collections.abc import Mapping
from typing import Any

from mcp_server.http.client import Api
from mcp_server.platforms.clinicaltrials.base import LIST_FIELDS, search
from mcp_server.platforms.clinicaltrials.records import modules, row
from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, LegRows, dug, sections
from mcp_server.unified.domains.trial_queries import request
from mcp_server.unified.results import Result, result

Json = Any
FIELDS = f"{LIST_FIELDS},BriefSummary"
PAGE = "https://clinicaltrials.gov/study/{}"
PAGE_MAX = 1000
_PHASE_WORDS = {"EARLY_PHASE1": "early phase 1", "NA": "phase not applicable"}


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the first `count` trials."""
    asked = request(params)

    async def operation(api: Api) -> tuple[list[Json], Json]:
        return await search(api, asked, limit=min(count, PAGE_MAX), page_token=None, fields=FIELDS)

    studies, answer = await calls.ask("clinicaltrials", operation)
    total = answer.get("totalCount")
    found = [card(row(study) | {"briefSummary": modules(study).get("briefSummary")}) for study in studies]
    calls.citations += [{"kind": "nct", "identifier": each.id, "label": each.title, "url": each.url} for each in found]
    return LegRows(found, total, "unknown" if total is None else "exact", [calls.title("clinicaltrials")])


def card(study: Mapping[str, Json]) -> Result:
    """Return the card of a trial: phase, status, sponsor, summary."""
    number = str(study["nctId"])
    phases = [_PHASE_WORDS.get(phase, phase.replace("PHASE", "phase ")) for phase in study.get("phases") or ()]
    status = str(study.get("overallStatus") or "").replace("_", " ").lower()
    drugs = [each.get("name") for each in study.get("interventions") or ()]
    parts = ("/".join(phases), status, study.get("leadSponsor"), drugs, study.get("briefSummary"))
    title = study.get("briefTitle") or study.get("officialTitle")
    return result(number, title, parts, PAGE.format(number))


async def opened(number: str, calls: Calls, *, full_text: bool = False) -> Document | None:
    """Open a trial; None where the registry has none of this number."""
    found = await calls("clinicaltrials__get_study", nct_id=number, detail="full" if full_text else None)
    if not found.has_data:
        return None
    study = found.data
    head = card(study)
    text = sections(
        (
            ("Note", found.note),
            ("Official title", study.get("officialTitle")),
            ("Status", study.get("overallStatus")),
            ("Phase", study.get("phases")),
            ("Sponsor", study.get("leadSponsor")),
            ("Conditions", study.get("conditions")),
            ("Interventions", [each.get("name") for each in study.get("interventions") or ()]),
            ("Enrolment", study.get("enrollmentCount")),
            ("Start", study.get("startDate")),
            ("Summary", study.get("briefSummary")),
            ("Primary outcomes", [each.get("measure") for each in study.get("primaryOutcomes") or ()]),
            ("Eligibility", study.get("eligibilityCriteria")),
            ("Why stopped", dug(study, "whyStopped")),
        )
    )
    metadata = {"clinicaltrials": study}
    return Document(head.id, head.title, text or head.text, head.url, metadata, [calls.title("clinicaltrials")])
