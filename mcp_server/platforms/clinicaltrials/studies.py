"""One trial, part by part, and several side by side."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import NctId
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.clinicaltrials.base import (
    HEAD_FIELDS,
    HOST,
    LIST_FIELDS,
    STUDY,
    NctIds,
    fetch_study,
    former_note,
    note_release,
    numbers,
    platform,
    studies_of,
)
from mcp_server.platforms.clinicaltrials.records import (
    criteria,
    eligibility,
    head,
    modules,
    plain,
    present,
    record,
    row,
    unescaped,
)
from mcp_server.tool import Arg, Cite

Json = Any

RECORD_FIELDS = (
    "IdentificationModule,StatusModule,SponsorCollaboratorsModule,BriefSummary,ConditionsModule,DesignModule,"
    "ArmsInterventionsModule,OutcomesModule,EligibilityModule,HasResults,VersionHolder"
)
FULL_FIELDS = "ProtocolSection,DocumentSection,AnnotationSection,DerivedSection,HasResults"
DOCUMENTS = "https://cdn.clinicaltrials.gov/large-docs"
INTERNAL = "https://clinicaltrials.gov/api/int"
OUTCOMES = {"primary": "primaryOutcomes", "secondary": "secondaryOutcomes", "other": "otherOutcomes"}
COMPARED = Annotated[
    list[NctId],
    Arg("Two to five ClinicalTrials.gov numbers.", ["NCT01808573", "NCT00878709"], max_items=5, normalise=str.upper),
]


@platform.tool(
    core=True,
    example={"nct_id": "NCT01808573"},
    cites=STUDY,
    noise="del(.record.derivedSection?, .record.protocolSection.contactsLocationsModule?)",
    keep=(
        ".nctId",
        ".overallStatus",
        ".phases[]",
        ".enrollmentCount",
        ".completionDate",
        ".primaryOutcomes[]",
        ".eligibilityCriteria",
    ),
    asks=(
        "look up a trial by NCT number",
        "what is this study about",
        "protocol, design, sponsor, status of one trial",
        "is NCT still recruiting",
        "summary of a trial in plain words",
    ),
)
async def get_study(
    api: Api,
    nct_id: NctId,
    detail: Annotated[
        Literal["summary", "full"], Arg("full: the whole protocol record too, without results.", "summary")
    ] = "summary",
) -> Answer:
    """Get one clinical trial by NCT number. Returns design, masking, arms, interventions, status, dates, sponsor,
    outcomes, eligibility; for several use get_studies_batch.

    detail full adds `record`, the whole protocol record without results: these come from get_study_results.
    """
    study = await fetch_study(api, nct_id, RECORD_FIELDS if detail == "summary" else FULL_FIELDS)
    if isinstance(study, Answer):
        return study
    whole = {name: part for name, part in study.items() if name != "resultsSection"}
    return Answer(record(study) | ({"record": whole} if detail == "full" else {}), note=former_note(nct_id, study))


@platform.tool(
    example={"nct_ids": ["NCT01808573", "NCT00878709"]},
    cites=Cite("nct", ".studies[]", ".nctId", ".briefTitle"),
    asks=(
        "several NCT numbers at once",
        "status of a list of trials",
        "bulk trial records",
    ),
)
async def get_studies_batch(api: Api, nct_ids: NctIds) -> Answer:
    """Many at once (up to 100): clinical trials by NCT number; returns title, status, phase, sponsor, enrolment,
    dates, and the numbers that do not exist. For one trial in depth use get_study.

    studies: rows as of search_studies, notFound: numbers. A former number brings the present trial.
    """
    studies = await _studies(api, nct_ids, f"{LIST_FIELDS},NCTIdAlias")
    return _several(
        nct_ids, [(asked, study and row(study)) for asked, study in _by_number(nct_ids, studies)], "studies"
    )


@platform.tool(
    example={"nct_ids": ["NCT00567190", "NCT01772472"]},
    cites=Cite("nct", ".studies[]", ".nctId", ".briefTitle"),
    asks=(
        "differences between two trials",
        "side by side comparison of NCT numbers",
        "which of these studies is larger",
    ),
)
async def compare_studies(api: Api, nct_ids: COMPARED) -> Answer:
    """Compare two to five clinical trials by NCT number: returns design, arms, endpoints, enrolment, dates, status
    side by side in one form. Posted numbers: get_study_results.

    studies: records as of get_study, in the order asked for; notFound.
    """
    studies = await _studies(api, nct_ids, RECORD_FIELDS)
    pairs = [(asked, study and record(study)) for asked, study in _by_number(nct_ids, studies)]
    return _several(nct_ids, pairs, "studies")


@platform.tool(
    example={"nct_id": "NCT06604689"},
    cites=STUDY,
    asks=(
        "what rules people out of this study",
        "who can enrol in this study",
        "age limits of a trial",
        "does the trial take pregnant women",
    ),
)
async def get_study_eligibility(api: Api, nct_id: NctId) -> Answer:
    """Who may take part in a clinical trial, by NCT number: the whole inclusion and exclusion criteria, sex, ages,
    healthy volunteers. To find trials for a patient use match_patient_to_studies.
    """
    study = await fetch_study(api, nct_id, f"{HEAD_FIELDS},EligibilityModule")
    if isinstance(study, Answer):
        return study
    leaves = modules(study)
    text = leaves.get("eligibilityCriteria")
    inclusion, exclusion = criteria(text or "")
    found = eligibility(study) | present(
        {
            "inclusionCriteria": inclusion or None,
            "exclusionCriteria": exclusion or None,
            "studyPopulation": unescaped(leaves.get("studyPopulation")),
            "samplingMethod": leaves.get("samplingMethod"),
        }
    )
    notes = [former_note(nct_id, study)]
    if text and not exclusion:
        notes.append("The registry's text has no heading for exclusion: all of it stands as inclusionCriteria.")
    if not found:
        notes.append("The registry lists no eligibility criteria for this trial.")
    outcome = ResultOutcome.DATA if found else ResultOutcome.EMPTY
    return Answer(head(study) | found, outcome, note=" ".join(filter(None, notes)))


@platform.tool(
    example={"nct_id": "NCT02210780"},
    cites=STUDY,
    asks=(
        "primary endpoint of a trial",
        "what does the study measure",
        "secondary endpoints, time frame",
        "progression-free survival as endpoint",
        "what is the trial trying to show",
    ),
)
async def get_study_outcomes(
    api: Api,
    nct_id: NctId,
    kind: Annotated[Literal["primary", "secondary", "other", "all"], Arg("Which endpoints.", "primary")] = "all",
) -> Answer:
    """Planned endpoints of a clinical trial, by NCT number: primary, secondary and other outcome measures with time
    frames. Measured numbers: get_study_results.

    primaryOutcomes, secondaryOutcomes, otherOutcomes: [{measure, timeFrame, description}].
    """
    study = await fetch_study(api, nct_id, f"{HEAD_FIELDS},OutcomesModule")
    if isinstance(study, Answer):
        return study
    wanted = OUTCOMES.values() if kind == "all" else [OUTCOMES[kind]]
    leaves = modules(study)
    parts = {
        name: [{key: plain(value) for key, value in each.items()} for each in leaves.get(name, [])] for name in wanted
    }
    every = [each for found in parts.values() for each in found]
    note = former_note(nct_id, study)
    if not every:
        note = (
            f"The registry lists no {'' if kind == 'all' else f'{kind} '}outcome measure of this trial. {note}".strip()
        )
    return rows(every, data=head(study) | present(parts), note=note)


@platform.tool(
    example={"nct_id": "NCT02552212"},
    cites=(STUDY, Cite("pmid", ".references[]", ".pmid", ".citation")),
    asks=(
        "papers of a trial",
        "protocol PDF, statistical analysis plan, consent form",
        "publications listed in the registry",
        "will individual patient data be shared",
    ),
)
async def get_study_references(api: Api, nct_id: NctId) -> Answer:
    """Publications that the registry lists for a clinical trial (PMIDs), links, data sharing, and posted protocol,
    analysis plan and consent files. What PubMed indexes by NCT number: pubmed__find_trial_publications; neither is
    complete.

    references: [{pmid, type (BACKGROUND, RESULT, DERIVED), citation}], seeAlsoLinks, documents: [{label, date,
    filename, size, url}], dataSharing.
    """
    fields = f"{HEAD_FIELDS},ReferencesModule,IPDSharingStatementModule,LargeDocumentModule"
    study = await fetch_study(api, nct_id, fields)
    if isinstance(study, Answer):
        return study
    leaves = modules(study)
    present_id, _ = numbers(study)
    documents = study.get("documentSection", {}).get("largeDocumentModule", {}).get("largeDocs", [])
    sharing = study.get("protocolSection", {}).get("ipdSharingStatementModule", {})
    parts = {
        "references": leaves.get("references", []),
        "seeAlsoLinks": leaves.get("seeAlsoLinks", []),
        "availIpds": leaves.get("availIpds", []),
        "documents": [each | {"url": _document_url(present_id or nct_id, each["filename"])} for each in documents],
        "dataSharing": [sharing] if sharing else [],
    }
    every = [each for found in parts.values() for each in found]
    note = former_note(nct_id, study)
    if not every:
        note = f"The registry lists no publication, link or document of this trial. {note}".strip()
    return rows(every, data=head(study) | present(parts), note=note)


@platform.tool(
    example={"nct_id": "NCT00909532"},
    asks=(
        "was the primary endpoint changed",
        "earlier versions of a registration",
        "amendments, when did the status change",
        "outcome switching",
        "did they move the goalposts after registration",
    ),
)
async def get_study_history(
    api: Api,
    nct_id: NctId,
    version: Annotated[int | None, Arg("Read the record as it was in this version.", 0, minimum=0)] = None,
) -> Answer:
    """Versions of a clinical trial's registration and what changed when (status, dates, endpoints), or the record as
    it was. Experimental: asks an undocumented service of the registry.

    versions: [{version, date, status, moduleLabels}], or the record of one version as get_study gives it.
    """
    path = f"/studies/{nct_id}/history" + ("" if version is None else f"/{version}")
    try:
        found = await api.get(path, base=INTERNAL)
    except UpstreamNotFound:
        return unknown_id(nct_id, f"The registry has no history of {nct_id}{'' if version is None else ' ' + path}.")
    citation = Cite("nct", ".", ".nctId", "", "https://clinicaltrials.gov/study/{id}?tab=history")
    if version is not None:
        study = found.get("study") if isinstance(found, dict) else None
        if not isinstance(study, dict) or nct_id not in (numbers(study)[0], *numbers(study)[1]):
            raise UpstreamBadResponse(HOST, f"the answer is not a version of {nct_id}")
        data = {"version": version, **record(study)}
        return Answer(data, note=former_note(nct_id, study), citations=citation.citations(data))
    changes = _changes(found)
    if changes is None:
        raise UpstreamBadResponse(HOST, f"the answer holds no list of versions of {nct_id}")
    data = {"nctId": nct_id, "versions": changes}
    note = "" if changes else f"The registry lists no version of {nct_id}."
    return rows(changes, data=data, note=note, citations=citation.citations(data))


def _changes(history: Json) -> list[Json] | None:
    """Return the versions; the record's own page has them one level deeper."""
    part = history.get("history", history) if isinstance(history, dict) else None
    changes = part.get("changes") if isinstance(part, dict) else None
    return changes if isinstance(changes, list) else None


def _document_url(nct_id: str, filename: str) -> str:
    return f"{DOCUMENTS}/{nct_id[-2:]}/{nct_id}/{quote(filename)}"


async def _studies(api: Api, nct_ids: Sequence[str], fields: str) -> list[Json]:
    asked = list(dict.fromkeys(nct_ids))
    answer = await api.get("/studies", {"filter.ids": asked, "fields": fields, "pageSize": len(asked)})
    studies = studies_of(answer)
    for study in studies[:1]:
        note_release(api, study)
    return studies


def _by_number(nct_ids: Sequence[str], studies: Sequence[Json]) -> list[tuple[str, Json]]:
    """Give each number that was asked for its study, by the present or a former number; None without one."""
    known: dict[str, Json] = {}
    for study in studies:
        number, aliases = numbers(study)
        known |= {name: study for name in (number, *aliases) if name}
    return [(asked, known.get(asked)) for asked in dict.fromkeys(nct_ids)]


def _several(nct_ids: Sequence[str], pairs: Sequence[tuple[str, Json]], name: str) -> Answer:
    """Answer with the studies that were found, each once, and the numbers without one."""
    found = [(asked, study) for asked, study in pairs if study]
    missing = [asked for asked, study in pairs if not study]
    notes = [
        f"{asked} is a former number: the trial is now {study['nctId']}. Cite {study['nctId']}."
        for asked, study in found
        if asked != study["nctId"]
    ]
    if missing:
        notes.append(f"ClinicalTrials.gov has no trial {', '.join(missing)}.")
    shown = list({study["nctId"]: study for _, study in found}.values())
    outcome = ResultOutcome.DATA if shown else ResultOutcome.UNKNOWN_ID
    data = {name: shown, "notFound": missing}
    return Answer(data, outcome, total=len(shown), returned=len(shown), note=" ".join(notes))
