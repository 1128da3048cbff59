"""ClinicalTrials.gov: searches by every filter, biomarker, place and patient; the registry as a whole."""

from typing import Any

import pytest

from mcp_server.platforms.clinicaltrials import platform
from tests.mcp_server.platforms.registry_studies import page, site, sites, study
from tests.mcp_server.played import Played, call

Json = Any

BOSTON = {"latitude": 42.36, "longitude": -71.06}
SEARCHES: dict[str, Json] = {
    "search_studies": {"condition": "melanoma"},
    "search_by_biomarker": {"biomarker": "KRAS G12C"},
    "advanced_search": {"expression": "AREA[Phase]PHASE3"},
    "find_studies_near_location": BOSTON,
    "match_patient_to_studies": {"condition": "melanoma"},
}
each_search = pytest.mark.parametrize("tool", SEARCHES)


@each_search
async def test_a_search_gives_rows_total_and_next_page(tool: str) -> None:
    played = Played().answer("/studies?", page(study(**sites(site("Boston", 42.36, -71.06))), total=29, token="ZVt07c"))
    envelope = await call(platform, played, tool, limit=1, **SEARCHES[tool])
    assert [row["nctId"] for row in envelope.content["data"]] == ["NCT02513394"]
    assert (envelope.content["total"], envelope.content["next"]) == (29, {"page_token": "ZVt07c"})
    assert envelope.meta["burp/citations"][0]["identifier"] == "NCT02513394"
    again = Played().answer("/studies?", {"studies": []})
    last = await call(platform, again, tool, limit=1, **SEARCHES[tool], **envelope.content["next"])
    assert again.query()["pageToken"] == "ZVt07c"
    assert (last.content["outcome"], last.content["data"]) == ("data", [])


@each_search
async def test_nothing_found_is_empty_and_a_broken_answer_a_failure(tool: str) -> None:
    nothing = await call(platform, Played().answer("/studies?", page()), tool, **SEARCHES[tool])
    assert (nothing.content["outcome"], nothing.content["total"]) == ("empty", 0)
    broken = await call(platform, Played().answer("/studies?", {"message": "x"}), tool, **SEARCHES[tool])
    assert broken.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize("tool", ["find_studies_near_location", "match_patient_to_studies", "search_studies"])
async def test_a_study_of_another_status_than_asked_for_is_refused(tool: str) -> None:
    played = Played().answer("/studies?", page(study(status="COMPLETED")))
    envelope = await call(platform, played, tool, **SEARCHES[tool], status=["RECRUITING"])
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert "NCT02513394 is COMPLETED" in envelope.content["error"]["message"]


@pytest.mark.parametrize("tool", ["search_studies", "count_studies"])
@pytest.mark.parametrize(
    ("arguments", "parameter", "sent"),
    [
        ({"title": "CLEOPATRA"}, "query.titles", "CLEOPATRA"),
        ({"outcome": "overall survival"}, "query.outc", "overall survival"),
        ({"location": "Germany"}, "query.locn", "Germany"),
        ({"sponsor": "Novartis"}, "query.spons", "Novartis"),
        ({"study_type": "observational"}, "filter.advanced", "AREA[StudyType]OBSERVATIONAL"),
        ({"started_since": "2024"}, "filter.advanced", "AREA[StartDate]RANGE[2024-01-01, MAX]"),
        ({"updated_since": "2026-03"}, "filter.advanced", "AREA[LastUpdatePostDate]RANGE[2026-03-01, MAX]"),
        ({"has_results": True}, "aggFilters", "results:with"),
        ({"has_results": False}, "aggFilters", "results:without"),
    ],
)
async def test_every_filter_reaches_the_registry(tool: str, arguments: Json, parameter: str, sent: str) -> None:
    played = Played().answer("/studies?", page())
    await call(platform, played, tool, **arguments)
    assert played.query()[parameter] == sent


async def test_filters_without_a_parameter_are_joined() -> None:
    played = Played().answer("/studies?", page())
    await call(platform, played, "search_studies", phase=["3"], study_type="INTERVENTIONAL", started_since="2025-02-03")
    assert played.query()["filter.advanced"] == (
        "AREA[Phase](PHASE3) AND AREA[StudyType]INTERVENTIONAL AND AREA[StartDate]RANGE[2025-02-03, MAX]"
    )


INCLUDED = {
    "eligibilityModule": {"eligibilityCriteria": "Inclusion Criteria:\n* EGFR-L858R\nExclusion Criteria:\n* No"}
}
EXCLUDED = {
    "eligibilityModule": {"eligibilityCriteria": "Inclusion Criteria:\n* Wild\nExclusion Criteria:\n* EGFR L858R"}
}


@pytest.mark.parametrize(("require", "numbers"), [(False, ["NCT00000001", "NCT06382129"]), (True, ["NCT00000001"])])
async def test_a_biomarker_among_the_exclusions_is_told_and_can_be_left_out(require: bool, numbers: list[str]) -> None:
    played = Played().answer("/studies?", page(study("NCT00000001", **INCLUDED), study("NCT06382129", **EXCLUDED)))
    envelope = await call(
        platform, played, "search_by_biomarker", biomarker="EGFR L858R", require_inclusion=require, status=["ALL"]
    )
    assert [row["nctId"] for row in envelope.content["data"]] == numbers
    assert envelope.content["data"][0]["namedIn"] == ["inclusion criteria"]
    assert ("1 trials of this page name it among the exclusion" in envelope.content.get("note", "")) is require
    assert played.query()["query.term"].startswith('(AREA[EligibilityCriteria]("EGFR L858R") OR AREA[BriefTitle](')


async def test_a_hyphen_in_a_biomarker_is_no_operator() -> None:
    played = Played().answer("/studies?", page(study(descriptionModule={"briefSummary": "MSI high tumours"})))
    envelope = await call(platform, played, "search_by_biomarker", biomarker="MSI-H")
    assert r'("MSI\-H")' in played.query()["query.term"]
    assert envelope.content["data"][0]["namedIn"] == []
    assert "synonym" in envelope.content["note"]


async def test_an_expression_that_the_registry_refuses_is_the_arguments_fault() -> None:
    refusal = "Unknown area name Phases " + "grammar " * 500
    played = Played().answer("/studies?", refusal, 400, content_type="text/plain")
    envelope = await call(platform, played, "advanced_search", expression="AREA[Phases]PHASE3")
    assert envelope.content["error"]["argument"] == "expression"
    assert "Unknown area name Phases" in envelope.content["error"]["message"]
    assert len(envelope.content["error"]["message"]) < 400


async def test_further_fields_come_as_the_registry_has_them() -> None:
    record = study(sponsorCollaboratorsModule={"leadSponsor": {"name": "Puma", "class": "INDUSTRY"}})
    played = Played().answer("/studies?", page(record))
    envelope = await call(
        platform, played, "advanced_search", expression="AREA[Phase]PHASE3", fields=["LeadSponsorClass"]
    )
    assert played.query()["fields"].endswith(",LeadSponsorClass")
    assert envelope.content["data"][0]["record"] == record


@pytest.mark.parametrize(
    ("tool", "argument"), [("search_by_biomarker", "biomarker"), ("advanced_search", "expression")]
)
async def test_numbers_in_place_of_words_are_refused_before_asking(tool: str, argument: str) -> None:
    envelope = await call(platform, Played(), tool, **{argument: "NCT00909532"})
    assert envelope.content["error"]["argument"] == argument


NEAR = study(
    **sites(
        site("Providence", 41.82, -71.41, status="COMPLETED"),
        site("Boston", 42.36, -71.06, status="RECRUITING"),
        site("Denver", 39.73915, -104.9847, status="RECRUITING"),
        site("Nowhere", None),
    )
)


async def test_the_nearest_sites_are_measured_here() -> None:
    played = Played().answer("/studies?", page(NEAR))
    envelope = await call(platform, played, "find_studies_near_location", **BOSTON, radius=50, unit="mi")
    assert played.query()["filter.geo"] == "distance(42.36,-71.06,50mi)"
    assert played.query()["filter.overallStatus"] == "RECRUITING"
    (row,) = envelope.content["data"]
    assert (row["siteCount"], row["sitesWithin"]) == (4, 2)
    assert [(each["city"], each["distanceKm"]) for each in row["nearestSites"]] == [
        ("Boston", 0.0),
        ("Providence", 66.6),
        ("Denver", 2840.7),
    ]


async def test_a_trial_whose_near_site_is_closed_can_be_left_out() -> None:
    far = study("NCT00000001", **sites(site("Boston", 42.36, -71.06, status="COMPLETED")))
    played = Played().answer("/studies?", page(NEAR, far))
    envelope = await call(platform, played, "find_studies_near_location", **BOSTON, recruiting_sites_only=True)
    assert [row["nctId"] for row in envelope.content["data"]] == ["NCT02513394"]
    assert "1 trials of this page have no site" in envelope.content["note"]


async def test_a_patients_age_and_sex_go_to_the_registry_and_are_checked() -> None:
    fitting = study("NCT00000001", eligibilityModule={"sex": "ALL", "minimumAge": "18 Years", "maximumAge": "30 Years"})
    children = study("NCT00000002", eligibilityModule={"sex": "ALL", "maximumAge": "11 Months"})
    men = study("NCT00000003", eligibilityModule={"sex": "MALE"})
    played = Played().answer("/studies?", page(fitting, children, men))
    envelope = await call(
        platform,
        played,
        "match_patient_to_studies",
        condition="cystic fibrosis",
        age_years=30.5,
        sex="female",
        healthy_volunteer=True,
    )
    assert [row["nctId"] for row in envelope.content["data"]] == ["NCT00000001"]
    assert envelope.content["data"][0]["eligibility"]["maximumAge"] == "30 Years"
    assert "2 trials of this page do not take this age or sex" in envelope.content["note"]
    assert played.query()["filter.advanced"] == (
        "(AREA[MinimumAge]RANGE[MIN, 30.5 years] OR AREA[MinimumAge]MISSING)"
        " AND (AREA[MaximumAge]RANGE[30.5 years, MAX] OR AREA[MaximumAge]MISSING)"
        " AND AREA[Sex](ALL OR FEMALE) AND AREA[HealthyVolunteers]true"
    )


async def test_a_patients_place_brings_distances() -> None:
    played = Played().answer("/studies?", page(NEAR))
    envelope = await call(platform, played, "match_patient_to_studies", condition="melanoma", **BOSTON, radius_km=80)
    assert played.query()["filter.geo"] == "distance(42.36,-71.06,80km)"
    assert envelope.content["data"][0]["nearestSites"][0]["city"] == "Boston"


def trial(number: int, status: str, sponsor: str, phases: list[str]) -> Json:
    """Return a study for counting."""
    found = study(f"NCT0000000{number}", status, sponsorCollaboratorsModule={"leadSponsor": {"name": sponsor}})
    found["protocolSection"]["designModule"]["phases"] = phases
    return found


async def test_a_small_landscape_is_read_whole_and_counted_here() -> None:
    first = page(trial(1, "RECRUITING", "Puma", ["PHASE1", "PHASE2"]), total=2, token="x")
    second = {"studies": [trial(2, "COMPLETED", "Puma", [])]}
    played = Played().answer("/studies?", first).answer("pageToken=x", second)
    envelope = await call(platform, played, "trial_landscape", condition="melanoma", started_since="2020")
    found = envelope.content["data"]
    assert found["byStatus"] == [{"value": "COMPLETED", "count": 1}, {"value": "RECRUITING", "count": 1}]
    assert {each["value"]: each["count"] for each in found["byPhase"]} == {"PHASE1": 1, "PHASE2": 1, "not stated": 1}
    assert found["topSponsors"] == [{"value": "Puma", "count": 2}]
    assert (found["totalCount"], len(found["newest"])) == (2, 2)
    assert played.query()["filter.advanced"] == "AREA[StartDate]RANGE[2020-01-01, MAX]"


async def test_a_large_landscape_is_counted_by_the_registry() -> None:
    played = Played().answer("sort=", page(trial(1, "RECRUITING", "Puma", ["PHASE3"]), total=5000, token="x"))
    for number in range(6):
        played.answer("filter.overallStatus=", page(study(), total=100 + number))
    for number in range(6):
        played.answer("filter.advanced=", page(study(), total=200 + number))
    envelope = await call(platform, played, "trial_landscape", intervention="pembrolizumab")
    found = envelope.content["data"]
    assert found["byStatus"][0] == {"value": "RECRUITING", "count": 100}
    assert found["byPhase"][-1] == {"value": "NA", "count": 205}
    assert "counted over the 1 trials updated last" in envelope.content["note"]
    assert f"Other statuses than these: {5000 - 615} trials" in envelope.content["note"]


async def test_a_landscape_of_nothing_of_everything_and_of_a_broken_registry() -> None:
    nothing = await call(platform, Played().answer("/studies?", page()), "trial_landscape", condition="zzqx")
    assert (nothing.content["outcome"], nothing.content["total"]) == ("empty", 0)
    everything = await call(platform, Played(), "trial_landscape")
    assert everything.content["error"]["argument"] == "condition"
    broken = await call(platform, Played().answer("/studies?", {"studies": []}), "trial_landscape", condition="x")
    assert broken.content["error"]["code"] == "upstream_bad_response"


PHASES = {"piece": "Phase", "field": "protocolSection.designModule.phases"}


@pytest.mark.parametrize(
    ("body", "status", "outcome"),
    [
        ([PHASES | {"uniqueValuesCount": 1, "topValues": [{"value": "NA", "studiesCount": 222829}]}], 200, "data"),
        ([PHASES | {"trueCount": 3, "falseCount": 4}], 200, "data"),
        ([PHASES | {"topValues": []}], 200, "empty"),
        ("Unknown piece name of field path: Phase", 404, "unknown_id"),
        ([{"piece": "Sex"}], 200, "failed"),
        ({"message": "x"}, 200, "failed"),
    ],
    ids=["values", "yes or no", "none", "unknown", "another field", "another shape"],
)
async def test_the_values_of_a_field(body: Json, status: int, outcome: str) -> None:
    envelope = await call(platform, Played().answer("fields=Phase", body, status), "field_values", field="Phase")
    assert envelope.content["outcome"] == outcome


async def test_more_values_than_the_registry_tells_are_said_to_be_there() -> None:
    body = [PHASES | {"uniqueValuesCount": 900, "topValues": [{"value": "NA", "studiesCount": 1}]}]
    envelope = await call(platform, Played().answer("/stats/", body), "field_values", field="Phase")
    assert (envelope.content["total"], envelope.content["returned"]) == (900, 1)
    assert "most frequent of 900 values only" in envelope.content["note"]


FIELDS = [
    {
        "name": "protocolSection",
        "piece": "ProtocolSection",
        "children": [{"name": "sex", "piece": "Sex", "isEnum": True}, {"name": "minimumAge", "piece": "MinimumAge"}],
    }
]
DESCRIPTIONS = {
    "fields": (FIELDS, "age", [{"path": "protocolSection.minimumAge", "piece": "MinimumAge"}]),
    "values": ([{"type": "Phase", "values": [{"value": "PHASE3"}]}], "phase3", [{"type": "Phase"}]),
    "areas": (
        [{"name": "Study", "areas": [{"name": "OutcomeSearch", "param": "outc"}]}],
        "outcome",
        [{"document": "Study", "name": "OutcomeSearch"}],
    ),
}


@pytest.mark.parametrize("kind", DESCRIPTIONS)
async def test_names_for_searches_are_found_by_words(kind: str) -> None:
    body, query, found = DESCRIPTIONS[kind]
    envelope = await call(platform, Played().answer("/studies/", body), "describe_search", kind=kind, query=query)
    assert len(envelope.content["data"]) == 1 and found[0].items() <= envelope.content["data"][0].items()
    nothing = await call(platform, Played().answer("/studies/", body), "describe_search", kind=kind, query="zzqx")
    assert nothing.content["outcome"] == "empty" and "zzqx" in nothing.content["note"]
    broken = await call(platform, Played().answer("/studies/", {"x": 1}), "describe_search", kind=kind)
    assert broken.content["error"]["code"] == "upstream_bad_response"


async def test_names_come_page_by_page() -> None:
    played = Played().answer("/studies/metadata", FIELDS)
    envelope = await call(platform, played, "describe_search", kind="fields", limit=2)
    assert [envelope.content[name] for name in ("total", "returned", "next")] == [3, 2, {"offset": 2}]


@pytest.mark.parametrize(("body", "outcome"), [(["Melanoma"], "data"), ([], "empty"), ({"message": "moved"}, "failed")])
async def test_terms_are_suggested(body: Json, outcome: str) -> None:
    played = Played().answer("/api/int/suggest", body)
    envelope = await call(platform, played, "suggest_terms", text="melanom")
    assert envelope.content["outcome"] == outcome
    assert played.query() == {"input": "melanom", "dictionary": "Condition"}
