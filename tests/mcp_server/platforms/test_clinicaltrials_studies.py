"""ClinicalTrials.gov: the tools that read one trial, each over its four outcomes, and several side by side."""

from typing import Any

import pytest

from mcp_server.platforms.clinicaltrials import platform
from tests.mcp_server.platforms.registry_studies import page, site, sites, study
from tests.mcp_server.played import Played, call

Json = Any

EVENTS = {
    "adverseEventsModule": {
        "frequencyThreshold": "5",
        "eventGroups": [{"id": "EG000", "title": "Placebo"}, {"id": "EG001", "title": "CZP 200 mg"}],
        "seriousEvents": [
            {
                "term": "Glaucoma",
                "organSystem": "Eye disorders",
                "stats": [
                    {"groupId": "EG000", "numAffected": 0, "numAtRisk": 158},
                    {"groupId": "EG001", "numAffected": 1, "numAtRisk": 159},
                ],
            }
        ],
        "otherEvents": [
            {
                "term": "Diarrhoea",
                "organSystem": "Gastrointestinal disorders",
                "stats": [
                    {"groupId": "EG000", "numAffected": 10, "numAtRisk": 158},
                    {"groupId": "EG001", "numAffected": 8, "numAtRisk": 159},
                ],
            }
        ],
    }
}
MEASURES = [
    {"type": "PRIMARY", "title": r"Response \[ASAS40\]", "groups": [{"id": "OG000"}], "classes": [{"title": "7.0"}]},
    {"type": "SECONDARY", "title": "BASFI"},
    {"type": "POST_HOC", "title": "Quality of life"},
]
RESULTS = {
    "participantFlowModule": {"groups": [{"id": "FG000", "title": "Placebo"}]},
    "baselineCharacteristicsModule": {"measures": [{"title": "Age"}]},
    "outcomeMeasuresModule": {"outcomeMeasures": MEASURES},
}
# The tool, a part of a study that it finds, and where that part stands in its data.
TOOLS: dict[str, tuple[Json, str]] = {
    "get_study_eligibility": ({"eligibilityModule": {"sex": "ALL", "eligibilityCriteria": "Adults"}}, "sex"),
    "get_study_outcomes": ({"outcomesModule": {"primaryOutcomes": [{"measure": "PFS"}]}}, "primaryOutcomes"),
    "get_study_references": ({"referencesModule": {"references": [{"pmid": "35296532"}]}}, "references"),
    "get_study_locations": (sites(site("Denver", 39.7)), "locations"),
    "get_study_results": ({"results": RESULTS}, "outcomeMeasures"),
    "get_study_adverse_events": ({"results": EVENTS}, "events"),
}
each_tool = pytest.mark.parametrize("tool", TOOLS)


@each_tool
async def test_a_part_of_a_trial_comes_with_its_number_night_and_page(tool: str) -> None:
    module, part = TOOLS[tool]
    played = Played().answer("/studies/NCT02513394?", study(**module))
    envelope = await call(platform, played, tool, nct_id="nct02513394")
    assert envelope.content["outcome"] == "data"
    assert envelope.content["data"][part] and envelope.content["data"]["nctId"] == "NCT02513394"
    assert envelope.meta["burp/release"] == "data of 2026-09-11"
    assert envelope.meta["burp/citations"][0]["url"] == "https://clinicaltrials.gov/study/NCT02513394"
    # Whole records are up to megabytes.
    assert played.query()["fields"].startswith("NCTId,NCTIdAlias,BriefTitle,VersionHolder,")


@each_tool
async def test_a_trial_without_the_part_is_empty_and_says_so(tool: str) -> None:
    envelope = await call(platform, Played().answer("/studies/", study()), tool, nct_id="NCT02513394")
    assert envelope.content["outcome"] == "empty"
    assert envelope.content["note"]
    assert envelope.content["data"]["nctId"] == "NCT02513394"


@each_tool
async def test_a_number_that_nobody_has_is_unknown(tool: str) -> None:
    played = Played().answer("/studies/", "NCT number NCT99999999 not found", 404, content_type="text/plain")
    envelope = await call(platform, played, tool, nct_id="NCT99999999")
    assert envelope.content["outcome"] == "unknown_id"


@each_tool
async def test_a_failing_registry_and_another_trial_are_failures(tool: str, no_backoff: None) -> None:
    played = Played()
    for _ in range(4):
        played.answer("/studies/", "<html>down</html>", 503)
    envelope = await call(platform, played, tool, nct_id="NCT02513394")
    assert envelope.content["error"]["code"] == "upstream_unavailable"
    other = await call(platform, Played().answer("/studies/", study("NCT00000001")), tool, nct_id="NCT02513394")
    assert other.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.case("C029")
@each_tool
async def test_a_former_number_is_explained(tool: str) -> None:
    present = study("NCT07280598", aliases=["NCT07048704"], **TOOLS[tool][0])
    envelope = await call(platform, Played().answer("/studies/NCT07048704", present), tool, nct_id="NCT07048704")
    assert "NCT07048704 is a former number" in envelope.content["note"]
    assert envelope.meta["burp/citations"][0]["identifier"] == "NCT07280598"


@pytest.mark.parametrize(
    ("text", "inclusion", "exclusion"),
    [
        ("Inclusion Criteria:\n\n* Age \\>18\n\nExclusion Criteria:\n\n* Pregnancy", "* Age >18", "* Pregnancy"),
        ("**Key Inclusion Criteria**\nA\n**Key Exclusion Criteria**\nB", "A", "B"),
        ("EXCLUSION CRITERIA:\nB\nINCLUSION CRITERIA:\nA", "A", "B"),
        ("Adults with no exclusion", "Adults with no exclusion", None),
    ],
    ids=["usual", "marked", "reversed", "no headings"],
)
async def test_criteria_are_split_at_their_headings(text: str, inclusion: str, exclusion: str | None) -> None:
    module = {"eligibilityModule": {"eligibilityCriteria": text, "minimumAge": "18 Years"}}
    envelope = await call(
        platform, Played().answer("/studies/", study(**module)), "get_study_eligibility", nct_id="NCT02513394"
    )
    found = envelope.content["data"]
    assert (found["inclusionCriteria"], found.get("exclusionCriteria")) == (inclusion, exclusion)
    assert ("no heading" in envelope.content.get("note", "")) is (exclusion is None)


async def test_one_kind_of_endpoint_is_chosen() -> None:
    module = {"outcomesModule": {"primaryOutcomes": [{"measure": "PFS"}], "secondaryOutcomes": [{"measure": "OS"}]}}
    envelope = await call(
        platform,
        Played().answer("/studies/", study(**module)),
        "get_study_outcomes",
        nct_id="NCT02513394",
        kind="secondary",
    )
    assert "primaryOutcomes" not in envelope.content["data"]
    assert envelope.content["data"]["secondaryOutcomes"] == [{"measure": "OS"}]
    assert envelope.content["total"] == 1


async def test_documents_get_their_address_and_papers_are_cited() -> None:
    documents = [{"label": "Study Protocol", "filename": "Prot SAP_000.pdf"}]
    papers = {"references": [{"pmid": "35296532", "type": "RESULT", "citation": "van der Heijde D"}]}
    record = study("NCT02552212", referencesModule=papers, documents=documents)
    envelope = await call(platform, Played().answer("/studies/", record), "get_study_references", nct_id="NCT02552212")
    url = "https://cdn.clinicaltrials.gov/large-docs/12/NCT02552212/Prot%20SAP_000.pdf"
    assert envelope.content["data"]["documents"][0]["url"] == url
    assert [(row["kind"], row["identifier"]) for row in envelope.meta["burp/citations"]] == [
        ("nct", "NCT02552212"),
        ("pmid", "35296532"),
    ]
    assert envelope.content["total"] == 2


SITES = study(
    **sites(
        site("Denver", 39.73915, -104.9847, status="RECRUITING"),
        site("Miami", 25.77427, -80.19366, status="COMPLETED"),
        site("Nowhere", None),
        {**site("Berlin", 52.52, 13.4, status="RECRUITING"), "country": "Germany"},
        centralContacts=[{"name": "Study desk"}],
    )
)


@pytest.mark.parametrize(
    ("arguments", "cities", "total"),
    [
        ({}, ["Denver", "Miami", "Nowhere", "Berlin"], 4),
        ({"country": "germany"}, ["Berlin"], 1),
        ({"status": ["recruiting"]}, ["Denver", "Berlin"], 2),
        ({"latitude": 25.8, "longitude": -80.2}, ["Miami", "Denver", "Berlin"], 3),
        ({"latitude": 25.8, "longitude": -80.2, "radius_km": 100}, ["Miami"], 1),
        ({"limit": 1, "offset": 1}, ["Miami"], 4),
        ({"offset": 4}, [], 4),
    ],
    ids=["all", "country", "status", "nearest first", "radius", "a page", "behind the end"],
)
async def test_sites_are_chosen_and_sorted(arguments: Json, cities: list[str], total: int) -> None:
    envelope = await call(
        platform, Played().answer("/studies/", SITES), "get_study_locations", nct_id="NCT02513394", **arguments
    )
    assert [row["city"] for row in envelope.content["data"]["locations"]] == cities
    assert [envelope.content[name] for name in ("outcome", "total", "returned")] == ["data", total, len(cities)]
    assert envelope.content["data"]["centralContacts"] == [{"name": "Study desk"}]


async def test_half_a_point_is_refused_before_asking() -> None:
    for arguments in ({"latitude": 25.8}, {"radius_km": 10}):
        envelope = await call(platform, Played(), "get_study_locations", nct_id="NCT02513394", **arguments)
        assert envelope.content["error"]["code"] == "tool_invalid_arguments"


@pytest.mark.parametrize(
    ("arguments", "titles", "sections"),
    [
        ({}, ["Response [ASAS40]", "BASFI", "Quality of life"], ["baselineCharacteristics", "participantFlow"]),
        ({"part": "outcomes", "outcome_type": "primary"}, ["Response [ASAS40]"], []),
        ({"part": "outcomes", "outcome_type": "other"}, ["Quality of life"], []),
        ({"part": "outcomes", "limit": 1, "offset": 1}, ["BASFI"], []),
        ({"part": "outcomes", "offset": 3}, [], []),
    ],
    ids=["all", "primary", "other", "a page", "behind the end"],
)
async def test_results_are_chosen_by_part_and_type(arguments: Json, titles: list[str], sections: list[str]) -> None:
    envelope = await call(
        platform,
        Played().answer("/studies/", study(results=RESULTS)),
        "get_study_results",
        nct_id="NCT02513394",
        **arguments,
    )
    found = envelope.content["data"]
    assert [measure["title"] for measure in found["outcomeMeasures"]] == titles
    assert sorted(set(found) & {"baselineCharacteristics", "participantFlow"}) == sections
    assert envelope.content["outcome"] == "data"
    if "limit" in arguments:
        assert (envelope.content["total"], envelope.content["next"]) == (3, {"offset": 2})


@pytest.mark.parametrize(
    ("arguments", "terms"),
    [
        ({}, ["Diarrhoea", "Glaucoma"]),
        ({"seriousness": "serious"}, ["Glaucoma"]),
        ({"organ_system": "eye"}, ["Glaucoma"]),
        ({"min_affected": 9}, ["Diarrhoea"]),
        ({"limit": 1}, ["Diarrhoea"]),
        ({"min_affected": 100}, []),
    ],
    ids=["most frequent first", "serious", "organ", "affected", "a page", "none"],
)
async def test_adverse_events_are_chosen_and_named_by_arm(arguments: Json, terms: list[str]) -> None:
    envelope = await call(
        platform,
        Played().answer("/studies/", study(results=EVENTS)),
        "get_study_adverse_events",
        nct_id="NCT02513394",
        **arguments,
    )
    events = envelope.content["data"]["events"]
    assert [event["term"] for event in events] == terms
    assert envelope.content["outcome"] == ("data" if terms else "empty")
    if terms:
        assert events[0]["stats"][0]["group"] == "Placebo"
    if "limit" in arguments:
        assert (envelope.content["total"], envelope.content["next"]) == (2, {"offset": 1})


async def test_the_whole_record_comes_on_request_without_results() -> None:
    played = Played().answer("/studies/", study(results=RESULTS))
    envelope = await call(platform, played, "get_study", nct_id="NCT02513394", detail="full")
    assert played.query()["fields"].startswith("ProtocolSection,")
    assert "protocolSection" in envelope.content["data"]["record"]
    assert "resultsSection" not in envelope.content["data"]["record"]


SEVERAL = pytest.mark.parametrize("tool", ["get_studies_batch", "compare_studies"])


@pytest.mark.case("C029")
@SEVERAL
async def test_several_trials_are_found_by_present_and_former_numbers(tool: str) -> None:
    answer = page(study("NCT07280598", aliases=["NCT07048704"]), study("NCT01808573"))
    played = Played().answer("/studies?", answer)
    numbers = ["NCT01808573", "nct07048704", "NCT99999999"]
    envelope = await call(platform, played, tool, nct_ids=numbers)
    assert played.query()["filter.ids"] == "NCT01808573,NCT07048704,NCT99999999"
    assert [row["nctId"] for row in envelope.content["data"]["studies"]] == ["NCT01808573", "NCT07280598"]
    assert envelope.content["data"]["notFound"] == ["NCT99999999"]
    assert "NCT07048704 is a former number: the trial is now NCT07280598" in envelope.content["note"]
    assert "has no trial NCT99999999" in envelope.content["note"]
    assert len(envelope.meta["burp/citations"]) == 2


@SEVERAL
async def test_several_numbers_that_nobody_has_and_a_broken_answer(tool: str) -> None:
    numbers = ["NCT99999998", "NCT99999999"]
    unknown = await call(platform, Played().answer("/studies?", page()), tool, nct_ids=numbers)
    assert unknown.content["outcome"] == "unknown_id"
    assert unknown.content["data"]["notFound"] == numbers
    broken = await call(platform, Played().answer("/studies?", "<html>oops</html>"), tool, nct_ids=numbers)
    assert broken.content["error"]["code"] == "upstream_bad_response"
    wrong = await call(platform, Played(), tool, nct_ids=["NCT1"])
    assert wrong.content["error"]["argument"] == "nct_ids"


async def test_history_lists_versions_and_reads_one() -> None:
    version = {"version": 0, "date": "2009-05-26", "status": "RECRUITING"}
    listed = await call(
        platform, Played().answer("/history", {"changes": [version]}), "get_study_history", nct_id="NCT00909532"
    )
    assert listed.content["data"] == {"nctId": "NCT00909532", "versions": [version]}
    assert listed.meta["burp/citations"][0]["url"].endswith("NCT00909532?tab=history")
    played = Played().answer("/history/0", {"study": study("NCT00909532")})
    one = await call(platform, played, "get_study_history", nct_id="NCT00909532", version=0)
    assert (one.content["data"]["version"], one.content["data"]["overallStatus"]) == (0, "RECRUITING")
    assert played.requests[0].url == "https://clinicaltrials.gov/api/int/studies/NCT00909532/history/0"


@pytest.mark.parametrize(
    ("body", "status", "version", "outcome"),
    [
        ({"changes": []}, 200, None, "empty"),
        ("not found", 404, None, "unknown_id"),
        ({"message": "moved"}, 200, None, "failed"),
        ({"study": study("NCT00000001")}, 200, 0, "failed"),
    ],
    ids=["none", "unknown", "another shape", "another trial"],
)
async def test_history_that_is_not_there(body: Json, status: int, version: int | None, outcome: str) -> None:
    played = Played().answer("/history", body, status)
    envelope = await call(platform, played, "get_study_history", nct_id="NCT00909532", version=version)
    assert envelope.content["outcome"] == outcome
