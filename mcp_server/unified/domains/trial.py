"""Clinical trials: a leg's clauses as one search of ClinicalTrials.gov, and one study opened."""

from collections.abc import Mapping
from typing import Any

from mcp_server.http.client import Api
from mcp_server.platforms.clinicaltrials.base import LIST_FIELDS, search
from mcp_server.platforms.clinicaltrials.records import modules, row
from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, LegRows, chosen, dug, notice, sections
from mcp_server.unified.domains.trial_queries import request
from mcp_server.unified.results import Result, result, shortened

Json = Any
FIELDS = f"{LIST_FIELDS},BriefSummary"
PAGE = "https://clinicaltrials.gov/study/{}"
PAGE_MAX = 1000
OTHERS_MAX = 3
# What of the interventions a card names, so that room is left for the summary.
DRUGS_MAX, NAME_MAX_CHARS = 4, 60
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
    # Which trials are not near a place can't be asked, and sites are not part of a row.
    near = "trial: NOT near was not applied: the registry can't be asked for trials away from a place."
    notices = [notice("N_NOT_APPLIED", near)] if params.get("not_geo") else []
    total_is = "unknown" if total is None else "exact"
    has_more = bool(answer.get("nextPageToken")) and len(found) >= count
    return LegRows(found, total, total_is, [calls.title("clinicaltrials")], notices=notices, has_more=has_more)


def card(study: Mapping[str, Json]) -> Result:
    """Return the card of a trial: phase, status, sponsor, summary."""
    number = str(study["nctId"])
    phases = [_PHASE_WORDS.get(phase, phase.replace("PHASE", "phase ")) for phase in study.get("phases") or ()]
    status = str(study.get("overallStatus") or "").replace("_", " ").lower()
    kind = str(study.get("studyType") or "").replace("_", " ").lower()
    drugs = [shortened(str(each.get("name") or ""), NAME_MAX_CHARS) for each in study.get("interventions") or ()]
    more = f" and {len(drugs) - DRUGS_MAX} more" if len(drugs) > DRUGS_MAX else ""
    named = f"{', '.join(filter(None, drugs[:DRUGS_MAX]))}{more}"
    parts = ("/".join(phases) or kind, status, study.get("leadSponsor"), named, study.get("briefSummary"))
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


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the trial of an acronym or title, the best match; None where the registry finds none."""
    found = (await rows({"title": [name]}, calls, OTHERS_MAX)).results
    return chosen(await opened(found[0].id, calls), name, found) if found else None
