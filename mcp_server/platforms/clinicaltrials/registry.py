"""The registry as a whole: a landscape of trials, the values of a field, names for searches."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.platforms.clinicaltrials.base import (
    HOST,
    Condition,
    Intervention,
    Since,
    filters,
    platform,
    search,
)
from mcp_server.platforms.clinicaltrials.records import modules, row
from mcp_server.platforms.clinicaltrials.searches import count
from mcp_server.tool import Arg, Cite

Json = Any

INTERNAL = "https://clinicaltrials.gov/api/int"
PAGE_SIZE = 1000
# Up to so many trials are read and counted here; above, the registry counts.
READ_AT_MOST = 2000
NEWEST = 10
TOP_SPONSORS = 15
PHASES = ("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA")
STATUSES = ("RECRUITING", "NOT_YET_RECRUITING", "ACTIVE_NOT_RECRUITING", "COMPLETED", "TERMINATED", "WITHDRAWN")
DESCRIPTIONS = {"fields": "/studies/metadata", "values": "/studies/enums", "areas": "/studies/search-areas"}

Piece = Annotated[str, Arg("Name of a field, as describe_search lists them.", "Phase", r"^[A-Za-z][A-Za-z-]*$")]


@platform.tool(
    example={"condition": "Phelan-McDermid syndrome"},
    cites=Cite("nct", ".newest[]", ".nctId", ".briefTitle"),
    asks=(
        "how much research goes on in a disease",
        "pipeline overview by phase and sponsor",
        "competitive landscape of trials",
        "who sponsors most trials",
        "who does most clinical research on a disease",
    ),
)
async def trial_landscape(
    api: Api,
    condition: Condition | None = None,
    intervention: Intervention | None = None,
    started_since: Since | None = None,
) -> Answer:
    """Overview of all clinical trials of a condition or drug: numbers by status and phase, top sponsors and
    interventions, newest trials. For one number use count_studies, for a list search_studies.

    totalCount, byStatus, byPhase, topSponsors, topInterventions: [{value, count}], newest: rows.
    """
    asked = filters({"cond": condition, "intr": intervention}, since={"StartDate": started_since})
    if not (condition or intervention):
        raise InvalidArguments("condition", "give condition, intervention or both", "melanoma")
    studies, answer = await search(api, asked, limit=PAGE_SIZE, page_token=None, sort="last_update")
    total = answer.get("totalCount")
    if not isinstance(total, int):
        raise UpstreamBadResponse(HOST, "the answer holds no count")
    token = answer.get("nextPageToken")
    while total <= READ_AT_MOST and token and len(studies) < total:
        more, answer = await search(api, asked, limit=PAGE_SIZE, page_token=token, sort="last_update")
        if not more:
            break
        studies += more
        token = answer.get("nextPageToken")
    note = "A phase 1/2 trial counts in both phases." if studies else "No registered trial matches these criteria."
    if len(studies) >= total:
        by_status, by_phase = _tally(_status(study) for study in studies), _tally(_phases(studies))
    else:
        by_status = [{"value": name, "count": await count(api, _narrowed(asked, status=name))} for name in STATUSES]
        by_phase = [{"value": name, "count": await count(api, _narrowed(asked, phase=name))} for name in PHASES]
        note += f" Sponsors and interventions are counted over the {len(studies)} trials updated last."
        note += f" Other statuses than these: {total - sum(each['count'] for each in by_status)} trials."
    data = {
        "totalCount": total,
        "byStatus": by_status,
        "byPhase": by_phase,
        "topSponsors": _tally(row(study).get("leadSponsor") for study in studies)[:TOP_SPONSORS],
        "topInterventions": _tally(_interventions(studies))[:TOP_SPONSORS],
        "newest": [row(study) for study in studies[:NEWEST]],
    }
    return Answer(**{**vars(rows(studies, data=data, total=total, note=note)), "returned": None})


@platform.tool(
    example={"field": "Phase"},
    asks=(
        "which values occur in a trial field",
        "distribution of phases in the whole registry",
        "most common sponsor classes, statuses",
    ),
)
async def field_values(api: Api, field: Piece) -> Answer:
    """Values of one field over the whole registry of clinical trials with numbers of studies, e.g. of Phase or
    LeadSponsorClass. For allowed values and names of fields use describe_search.

    topValues: [{value, studiesCount}], missingStudiesCount, uniqueValuesCount; of a yes-or-no field trueCount and
    falseCount.
    """
    try:
        answer = await api.get("/stats/field/values", {"fields": field})
    except UpstreamNotFound:
        return unknown_id(field, f"The registry has no field {field}; describe_search lists them.")
    if not isinstance(answer, list) or len(answer) != 1 or not isinstance(answer[0], dict):
        raise UpstreamBadResponse(HOST, f"the answer is not about one field {field}")
    found = answer[0]
    if field.lower() not in (str(found.get("piece")).lower(), str(found.get("field")).rpartition(".")[2].lower()):
        raise UpstreamBadResponse(HOST, f"asked for {field}, it answered with {found.get('piece')}")
    values = found.get("topValues") or []
    total = found.get("uniqueValuesCount")
    # A yes-or-no field has two counts in place of values.
    shown = values or [{name: found[name]} for name in ("trueCount", "falseCount") if name in found]
    note = "" if shown else f"No study has a value in {field}."
    if isinstance(total, int) and total > len(values):
        note = f"The registry tells the {len(values)} most frequent of {total} values only."
    return rows(shown, total=total if isinstance(total, int) else None, data=found, note=note)


@platform.tool(
    example={"kind": "fields", "query": "eligibility"},
    asks=(
        "what fields can I search in the trial registry",
        "allowed status and phase codes",
        "data structure of a study record",
        "which words can a filter take",
    ),
)
async def describe_search(
    api: Api,
    kind: Annotated[
        Literal["fields", "values", "areas"],
        Arg("fields: names for AREA[...]; values: allowed values; areas: what each search text covers.", "fields"),
    ],
    query: Annotated[str | None, Arg("Only entries with these words.", "eligibility")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Trial field names and metadata for searching clinical trials: fields for AREA[...], allowed values of coded
    fields (status, phase, type), or what each search text covers. Returns names, types, descriptions.

    fields: [{piece, path, type, sourceType, isEnum, description}], values: [{type, pieces, values}], areas: [{name,
    param, parts}].
    """
    answer = await api.get(DESCRIPTIONS[kind])
    if not isinstance(answer, list):
        raise UpstreamBadResponse(HOST, "the answer is not a list")
    every = list(_nodes(answer) if kind == "fields" else _areas(answer) if kind == "areas" else answer)
    words = (query or "").lower().split()
    found = [each for each in every if all(word in _text(each) for word in words)]
    shown = found[offset : offset + limit]
    end = offset + len(shown)
    note = ""
    if not shown:
        note = f"None of {len(every)} {kind} has the words {query!r}." if not found else "The list has ended."
    result = rows(found, data=shown, note=note)
    following = {"offset": end} if shown and end < len(found) else None
    return Answer(**{**vars(result), "returned": len(shown), "next": following})


@platform.tool(
    example={"text": "melanom", "dictionary": "Condition"},
    asks=(
        "autocomplete of a condition in the trial registry",
        "did I spell the disease right",
        "suggested search words for trials",
    ),
)
async def suggest_terms(
    api: Api,
    text: Annotated[str, Arg("Beginning or misspelt form of a term.", "melanom", normalise=look_up_form)],
    dictionary: Annotated[
        Literal["Condition", "InterventionName", "LeadSponsorName", "LocationFacility"],
        Arg("Which vocabulary.", "Condition"),
    ] = "Condition",
) -> Answer:
    """Spelling and vocabulary suggestions of ClinicalTrials.gov for a condition, drug, sponsor or site; returns terms.
    Experimental: asks an undocumented service of the registry.
    """
    found = await api.get("/suggest", {"input": text, "dictionary": dictionary}, base=INTERNAL)
    if not isinstance(found, list):
        raise UpstreamBadResponse(HOST, "the answer is not a list of terms")
    return rows(found, note="" if found else f"The registry suggests nothing for {text!r}.")


def _tally(values: Iterator[Json]) -> list[dict[str, Json]]:
    """Count values, the most frequent first, equal ones by name."""
    counted = Counter(value for value in values if value)
    return [{"value": value, "count": number} for value, number in sorted(counted.items(), key=lambda p: (-p[1], p[0]))]


def _status(study: Json) -> Json:
    return modules(study).get("overallStatus")


def _phases(studies: Sequence[Json]) -> Iterator[Json]:
    return (phase for study in studies for phase in modules(study).get("phases") or ["not stated"])


def _interventions(studies: Sequence[Json]) -> Iterator[Json]:
    return (each.get("name") for study in studies for each in row(study).get("interventions", []))


def _narrowed(asked: dict[str, Json], status: str = "", phase: str = "") -> dict[str, Json]:
    """Return a search for one status or phase of it."""
    if status:
        return asked | {"filter.overallStatus": [status]}
    return asked | {"filter.advanced": " AND ".join(filter(None, (asked["filter.advanced"], f"AREA[Phase]{phase}")))}


def _nodes(nodes: Sequence[Json], path: str = "") -> Iterator[dict[str, Json]]:
    """Yield the fields of the record's tree, flat."""
    names = ("piece", "title", "type", "sourceType", "isEnum", "description", "synonyms", "rules")
    for node in nodes:
        place = f"{path}.{node['name']}" if path else node["name"]
        yield {"path": place, **{name: node[name] for name in names if name in node}}
        yield from _nodes(node.get("children") or [], place)


def _areas(documents: Sequence[Json]) -> Iterator[dict[str, Json]]:
    return ({"document": each.get("name"), **area} for each in documents for area in each.get("areas") or [])


def _text(part: Json) -> str:
    if isinstance(part, dict):
        return " ".join(_text(value) for value in part.values())
    if isinstance(part, list):
        return " ".join(_text(value) for value in part)
    return str(part).lower()
