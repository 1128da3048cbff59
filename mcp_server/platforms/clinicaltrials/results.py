"""What trials posted: flow, baseline and outcome numbers, adverse events."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, NctId, Offset
from mcp_server.envelope import Answer, empty, rows
from mcp_server.http.client import Api
from mcp_server.platforms.clinicaltrials.base import HEAD_FIELDS, STUDY, fetch_study, former_note, platform
from mcp_server.platforms.clinicaltrials.records import head, present, unescaped
from mcp_server.tool import Arg

Json = Any

PARTS = {
    "flow": ("ParticipantFlowModule", "participantFlowModule"),
    "baseline": ("BaselineCharacteristicsModule", "baselineCharacteristicsModule"),
    "outcomes": ("OutcomeMeasuresModule", "outcomeMeasuresModule"),
}
EVENTS = {"serious": "seriousEvents", "other": "otherEvents"}
# Arms are told by their titles; their doses stand in the record of the trial.
NO_ARM_TEXTS = "del(.outcomeMeasures[]?.groups[]?.description, .participantFlow.groups[]?.description)"


@platform.tool(
    example={"nct_id": "NCT02552212", "part": "outcomes"},
    cites=STUDY,
    noise=NO_ARM_TEXTS,
    keep=(
        ".nctId",
        ".outcomeMeasures[].title",
        ".outcomeMeasures[].unitOfMeasure",
        ".outcomeMeasures[].groups[].id",
        ".outcomeMeasures[].classes[]",
    ),
    asks=(
        "what was the outcome of a trial",
        "did the drug beat placebo, p value, hazard ratio",
        "efficacy numbers",
        "overall survival in each arm",
        "response rate reported in the registry",
        "did the treated arm live longer",
    ),
)
async def get_study_results(
    api: Api,
    nct_id: NctId,
    part: Annotated[Literal["flow", "baseline", "outcomes", "all"], Arg("Which results.", "outcomes")] = "all",
    outcome_type: Annotated[
        Literal["primary", "secondary", "other", "all"], Arg("Which outcome measures.", "primary")
    ] = "all",
    limit: Annotated[int, Arg("How many outcome measures to return at most.", minimum=1, maximum=200)] = 20,
    offset: Offset = 0,
) -> Answer:
    """Posted results of a clinical trial, by NCT number: did it work, participant flow, baseline and outcome numbers
    in each arm, with statistics. Planned endpoints: get_study_outcomes; side effects: get_study_adverse_events.

    participantFlow, baselineCharacteristics, outcomeMeasures: [{type, title, timeFrame, unitOfMeasure, groups,
    denoms, classes, analyses}]. total, returned and next count outcome measures. Values are texts, as posted.
    """
    wanted = list(PARTS) if part == "all" else [part]
    fields = ",".join((HEAD_FIELDS, "HasResults", *(PARTS[name][0] for name in wanted)))
    study = await fetch_study(api, nct_id, fields)
    if isinstance(study, Answer):
        return study
    note = former_note(nct_id, study)
    posted = study.get("resultsSection", {})
    if not study.get("hasResults"):
        return empty(f"No results are posted for this trial. {note}".strip(), head(study))
    data = head(study)
    if "flow" in wanted:
        data |= present({"participantFlow": posted.get("participantFlowModule")})
    if "baseline" in wanted:
        data |= present({"baselineCharacteristics": posted.get("baselineCharacteristicsModule")})
    every = posted.get("outcomeMeasuresModule", {}).get("outcomeMeasures", [])
    # Types are PRIMARY, SECONDARY, OTHER_PRE_SPECIFIED and POST_HOC.
    measures = [each for each in every if _of_type(each.get("type", ""), outcome_type)]
    shown = measures[offset : offset + limit]
    end = offset + len(shown)
    if "outcomes" in wanted:
        data["outcomeMeasures"] = [_measure(each) for each in shown]
        if measures and not shown:
            note = f"There are {len(measures)} outcome measures: the offset lies behind the last. {note}".strip()
    sections = [name for name in data if name not in ("nctId", "briefTitle", "outcomeMeasures")]
    if not measures and not sections:
        return empty(f"No such results are posted for this trial. {note}".strip(), data)
    following = {"offset": end} if shown and end < len(measures) else None
    return Answer(data, total=len(measures), returned=len(shown), next=following, note=note)


@platform.tool(
    example={"nct_id": "NCT02513394", "seriousness": "serious"},
    cites=STUDY,
    noise="del(.eventGroups[]?.description)",
    keep=(
        ".nctId",
        ".eventGroups[].id",
        ".eventGroups[].title",
        ".eventGroups[].seriousNumAffected",
        ".eventGroups[].seriousNumAtRisk",
        ".events[].term",
        ".events[].seriousness",
        ".events[].stats[]",
    ),
    asks=(
        "side effects seen in a trial",
        "toxicity per arm, grade 3 events",
        "safety results of a study",
        "how many patients had neutropenia",
        "deaths in the trial",
        "which harms did patients in the trial suffer",
    ),
)
async def get_study_adverse_events(
    api: Api,
    nct_id: NctId,
    seriousness: Annotated[Literal["serious", "other", "all"], Arg("Which events.", "serious")] = "all",
    organ_system: Annotated[str | None, Arg("Only this organ system, by words of its name.", "Eye disorders")] = None,
    min_affected: Annotated[
        int | None, Arg("Only events with so many people affected in one arm.", 5, minimum=1)
    ] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Adverse events (side effects) posted for one clinical trial, by NCT number: serious and other events per arm,
    with numbers affected and at risk, most frequent first. FAERS signals of a drug: opentargets__get_drug_safety.

    eventGroups (arms with totals and deaths), events: [{term, seriousness, organSystem, stats: [{group,
    numAffected, numAtRisk, numEvents}]}], frequencyThreshold, timeFrame.
    """
    study = await fetch_study(api, nct_id, f"{HEAD_FIELDS},HasResults,AdverseEventsModule")
    if isinstance(study, Answer):
        return study
    note = former_note(nct_id, study)
    module = study.get("resultsSection", {}).get("adverseEventsModule")
    if not module:
        return empty(f"No adverse events are posted for this trial. {note}".strip(), head(study))
    wanted = list(EVENTS) if seriousness == "all" else [seriousness]
    titles = {group["id"]: group.get("title") for group in module.get("eventGroups", [])}
    every = [_event(each, kind, titles) for kind in wanted for each in module.get(EVENTS[kind], [])]
    found = [each for each in every if _kept(each, organ_system, min_affected)]
    found.sort(key=lambda each: -sum(arm.get("numAffected") or 0 for arm in each["stats"]))
    shown = found[offset : offset + limit]
    end = offset + len(shown)
    if not found:
        note = f"None of the {len(every)} posted events meets the filters. {note}".strip()
    elif not shown:
        note = f"There are {len(found)} such events: the offset lies behind the last. {note}".strip()
    frame = {name: unescaped(module.get(name)) for name in ("frequencyThreshold", "timeFrame", "description")}
    data = head(study) | present(frame) | {"eventGroups": module.get("eventGroups", []), "events": shown}
    answer = rows(found, total=len(found), data=data, note=note)
    following = {"offset": end} if shown and end < len(found) else None
    return Answer(**{**vars(answer), "returned": len(shown), "next": following})


def _of_type(posted: str, wanted: str) -> bool:
    if wanted == "all":
        return True
    return (
        posted in ("PRIMARY", "SECONDARY")
        and posted == wanted.upper()
        or (wanted == "other" and posted not in ("PRIMARY", "SECONDARY"))
    )


def _measure(measure: Json) -> dict[str, Json]:
    """Return an outcome measure with its texts readable; numbers are texts in the registry."""
    return {name: unescaped(value) for name, value in measure.items()}


def _event(event: Json, kind: str, titles: dict[str, Json]) -> dict[str, Json]:
    stats = [{"group": titles.get(arm.get("groupId")), **arm} for arm in event.get("stats", [])]
    return {
        "term": event.get("term"),
        "seriousness": kind,
        "organSystem": event.get("organSystem"),
        "sourceVocabulary": event.get("sourceVocabulary"),
        "assessmentType": event.get("assessmentType"),
        "stats": stats,
    }


def _kept(event: Json, organ_system: str | None, min_affected: int | None) -> bool:
    if organ_system and organ_system.lower() not in (event["organSystem"] or "").lower():
        return False
    return min_affected is None or any((arm.get("numAffected") or 0) >= min_affected for arm in event["stats"])
