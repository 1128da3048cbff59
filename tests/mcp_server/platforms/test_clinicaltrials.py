"""ClinicalTrials.gov: what each tool makes of data, of nothing, of an unknown number and of a failure."""

from typing import Any

import pytest

from mcp_server.platforms.clinicaltrials import platform
from tests.mcp_server.played import Played, call


def study(nct_id: str, **leaves: Any) -> dict[str, Any]:
    """Return a study as the registry shapes it."""
    identification = {"nctId": nct_id, "briefTitle": f"Title of {nct_id}", **leaves.pop("identification", {})}
    design = {"phases": ["PHASE3"], "enrollmentInfo": {"count": leaves.pop("count", 621)}}
    return {
        "protocolSection": {
            "identificationModule": identification,
            "statusModule": {"overallStatus": "COMPLETED", "startDateStruct": {"date": "2013-03"}},
            "designModule": design,
            "armsInterventionsModule": {"interventions": [{"type": "DRUG", "name": "neratinib", "description": "x"}]},
            **leaves,
        },
        "derivedSection": {"miscInfoModule": {"versionHolder": "2026-09-11"}},
        "hasResults": True,
    }


async def test_a_search_returns_compact_rows_with_total_token_and_citations() -> None:
    played = Played().answer(
        "/studies?", {"totalCount": 29, "studies": [study("NCT01808573")], "nextPageToken": "ZVt07c"}
    )
    envelope = await call(
        platform, played, "search_studies", condition="breast cancer", intervention="neratinib", limit=1
    )
    assert envelope.content == {
        "outcome": "data",
        "data": [
            {
                "nctId": "NCT01808573",
                "briefTitle": "Title of NCT01808573",
                "overallStatus": "COMPLETED",
                "phases": ["PHASE3"],
                "enrollmentCount": 621,
                "interventions": [{"type": "DRUG", "name": "neratinib"}],
                "startDate": "2013-03",
                "hasResults": True,
            }
        ],
        "total": 29,
        "returned": 1,
        "next": {"page_token": "ZVt07c"},
    }
    assert envelope.meta["burp/release"] == "data of 2026-09-11"
    assert [citation["url"] for citation in envelope.meta["burp/citations"]] == [
        "https://clinicaltrials.gov/study/NCT01808573"
    ]
    asked = played.query()
    assert asked["query.cond"] == "breast cancer" and asked["query.intr"] == "neratinib"
    assert asked["countTotal"] == "true" and asked["pageSize"] == "1"


@pytest.mark.case("C028")
async def test_statuses_and_phases_reach_the_registry_in_its_own_words() -> None:
    played = Played().answer("/studies?", {"totalCount": 0, "studies": []})
    await call(
        platform,
        played,
        "search_studies",
        condition="melanoma",
        status=["Active, not recruiting", "recruiting"],
        phase=["phase 3", "Early Phase 1", "2"],
    )
    asked = played.query()
    assert asked["filter.overallStatus"] == "ACTIVE_NOT_RECRUITING,RECRUITING"
    assert asked["filter.advanced"] == "AREA[Phase](PHASE3 OR EARLY_PHASE1 OR PHASE2)"


@pytest.mark.case("C028")
async def test_all_statuses_means_no_filter() -> None:
    played = Played().answer("/studies?", {"totalCount": 0, "studies": []})
    await call(platform, played, "search_studies", condition="melanoma", status=["all"])
    assert "filter.overallStatus" not in played.query()


@pytest.mark.case("C028")
async def test_the_registrys_plain_refusal_reaches_the_model() -> None:
    played = Played().answer("/studies?", "`query.recrs` is unknown parameter", 400, content_type="text/plain")
    envelope = await call(platform, played, "search_studies", condition="cancer")
    assert envelope.content["error"]["code"] == "upstream_refused"
    assert "`query.recrs` is unknown parameter" in envelope.content["error"]["message"]


async def test_nothing_found_is_empty_and_says_so() -> None:
    played = Played().answer("/studies?", {"totalCount": 0, "studies": []})
    envelope = await call(platform, played, "search_studies", condition="zzqxnotacondition987654")
    assert envelope.content == {
        "outcome": "empty",
        "data": [],
        "total": 0,
        "returned": 0,
        "note": "No registered trial matches these criteria.",
    }


async def test_an_empty_later_page_is_the_end_of_the_list_and_not_nothing_found() -> None:
    played = Played().answer("/studies?", {"studies": []})
    envelope = await call(platform, played, "search_studies", condition="melanoma", page_token="ZVt07c")
    assert envelope.content["outcome"] == "data"
    assert "ended" in envelope.content["note"]
    assert "total" not in envelope.content
    assert "countTotal" not in played.query()


async def test_a_token_after_the_last_study_is_not_passed_on() -> None:
    played = Played().answer("/studies?", {"totalCount": 1, "studies": [study("NCT01234567")], "nextPageToken": "x"})
    envelope = await call(platform, played, "search_studies", condition="melanoma", limit=1)
    assert "next" not in envelope.content


async def test_trial_numbers_in_a_search_are_refused_before_asking() -> None:
    played = Played()
    envelope = await call(platform, played, "search_studies", term="NCT00909532, NCT01808573", status=["RECRUITING"])
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
    assert envelope.content["error"]["argument"] == "term"
    assert played.requests == []


async def test_a_search_without_a_criterion_is_refused_before_asking() -> None:
    envelope = await call(platform, Played(), "search_studies")
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("breast cancer [stage IV], HER2+", "breast cancer stage IV HER2+"),
        ("carcinoma (breast", "carcinoma breast"),
        ("(breast OR lung) cancer", "(breast OR lung) cancer"),
    ],
)
async def test_signs_that_break_the_registrys_parser_are_left_out(given: str, sent: str) -> None:
    played = Played().answer("/studies?", {"totalCount": 0, "studies": []})
    await call(platform, played, "search_studies", condition=given)
    assert played.query()["query.cond"] == sent


async def test_the_placeholder_for_an_unknown_size_is_no_size_and_not_sorted_by() -> None:
    played = Played().answer("/studies?", {"totalCount": 1, "studies": [study("NCT01234567", count=99_999_999)]})
    envelope = await call(platform, played, "search_studies", condition="melanoma", sort="enrollment", phase=["PHASE3"])
    assert "enrollmentCount" not in envelope.content["data"][0]
    asked = played.query()
    assert asked["filter.advanced"] == "AREA[Phase](PHASE3) AND AREA[EnrollmentCount]RANGE[0, 99999998]"
    assert asked["sort"] == "EnrollmentCount:desc"


async def test_a_study_comes_with_design_arms_outcomes_and_eligibility() -> None:
    record = study(
        "NCT01808573",
        identification={"officialTitle": "NALA"},
        descriptionModule={"briefSummary": r"Patients \[HER2+\] with \<2 lines"},
        outcomesModule={"primaryOutcomes": [{"measure": "PFS", "description": "long", "timeFrame": "38 months"}]},
        eligibilityModule={"eligibilityCriteria": "x" * 5000, "sex": "ALL", "healthyVolunteers": False},
        sponsorCollaboratorsModule={"leadSponsor": {"name": "Puma"}, "collaborators": [{"name": "Pierre Fabre"}]},
    )
    envelope = await call(platform, Played().answer("/studies/NCT01808573", record), "get_study", nct_id="nct01808573")
    found = envelope.content["data"]
    assert found["officialTitle"] == "NALA" and found["leadSponsor"] == "Puma"
    assert found["collaborators"] == ["Pierre Fabre"]
    assert found["briefSummary"] == "Patients [HER2+] with <2 lines"
    assert found["primaryOutcomes"] == [{"measure": "PFS", "timeFrame": "38 months"}]
    assert found["eligibilityCriteria"].endswith("(5000 characters in all)")
    assert found["healthyVolunteers"] is False
    assert found["interventions"] == [{"type": "DRUG", "name": "neratinib", "description": "x"}]


@pytest.mark.case("C029")
async def test_a_former_number_gives_the_present_trial_and_says_so() -> None:
    present = study("NCT07280598", identification={"nctIdAliases": ["NCT07048704"]})
    envelope = await call(platform, Played().answer("/studies/NCT07048704", present), "get_study", nct_id="NCT07048704")
    assert envelope.content["outcome"] == "data"
    assert "NCT07048704 is a former number" in envelope.content["note"]
    assert [citation["identifier"] for citation in envelope.meta["burp/citations"]] == ["NCT07280598"]


@pytest.mark.case("C029")
async def test_another_trial_than_the_one_asked_for_is_no_answer() -> None:
    played = Played().answer("/studies/NCT07048704", study("NCT00000001"))
    envelope = await call(platform, played, "get_study", nct_id="NCT07048704")
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert envelope.meta["burp/citations"] == []


async def test_an_unknown_number_is_an_unknown_id() -> None:
    played = Played().answer("/studies/", "NCT number NCT99999999 not found", 404, content_type="text/plain")
    envelope = await call(platform, played, "get_study", nct_id="NCT99999999")
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"] == {"identifier": "NCT99999999"}


async def test_a_404_without_the_number_says_nothing_about_the_trial() -> None:
    played = Played().answer("/studies/", "<html>Page not found</html>", 404, content_type="text/html")
    envelope = await call(platform, played, "get_study", nct_id="NCT99999999")
    assert envelope.content["outcome"] == "failed"


async def test_a_count_is_the_registrys_own() -> None:
    played = Played().answer("/studies?", {"totalCount": 480, "studies": [study("NCT06970236")]})
    envelope = await call(platform, played, "count_studies", condition="melanoma", status=["RECRUITING"])
    assert envelope.content == {"outcome": "data", "data": {"totalCount": 480}, "total": 480}
    assert played.query()["pageSize"] == "1"


async def test_a_count_of_zero_is_empty() -> None:
    played = Played().answer("/studies?", {"totalCount": 0, "studies": []})
    envelope = await call(platform, played, "count_studies", condition="zzqx")
    assert envelope.content["outcome"] == "empty"


@pytest.mark.parametrize("tool", ["search_studies", "count_studies"])
async def test_an_answer_of_another_shape_is_a_failure_and_not_nothing_found(tool: str) -> None:
    envelope = await call(platform, Played().answer("/studies?", {"message": "hello"}), tool, condition="melanoma")
    assert envelope.content["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_studies", {"condition": "melanoma"}),
        ("get_study", {"nct_id": "NCT01808573"}),
        ("count_studies", {"condition": "melanoma"}),
    ],
)
async def test_a_failing_registry_is_a_failure(tool: str, arguments: dict[str, str], no_backoff: None) -> None:
    played = Played()
    for _ in range(4):
        played.answer("/studies", "<html>down</html>", 503)
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["error"]["code"] == "upstream_unavailable"
    assert envelope.meta["burp/requests"][0]["attempts"] == 4
