"""The clauses of a trial leg reach the registry, each as the parameter that means it."""

from typing import Any

import pytest

from mcp_server.envelope import InvalidArguments
from mcp_server.unified.domains.trial_queries import request


@pytest.mark.parametrize(
    ("params", "asked"),
    [
        ({"condition": ["melanoma"], "term": ["BRAF"]}, {"query.cond": "melanoma", "query.term": "BRAF"}),
        ({"condition_any": ["melanoma", "glioma"]}, {"query.cond": "(melanoma OR glioma)"}),
        ({"condition": ["lung cancer", "anemia"]}, {"query.cond": "lung cancer AND anemia"}),
        ({"condition": ["Crohn's disease"]}, {"query.cond": "Crohn's disease"}),
        ({"condition": ["graft OR host"]}, {"query.cond": '"graft OR host"'}),
        ({"intervention": ["T-DM1"]}, {"query.intr": "T-DM1"}),
        ({"phases": ["PHASE2", "PHASE3"]}, {"filter.advanced": "AREA[Phase](PHASE2 OR PHASE3)"}),
        ({"phases_all": ["PHASE1", "PHASE2"]}, {"filter.advanced": "AREA[Phase]PHASE1 AND AREA[Phase]PHASE2"}),
        ({"status": ["RECRUITING"]}, {"filter.overallStatus": ["RECRUITING"]}),
        ({"has_results": False}, {"aggFilters": "results:without"}),
        ({"nct": ["NCT01808573"]}, {"filter.ids": ["NCT01808573"]}),
        (
            {"geo": {"lat": 41.4993, "long": -81.6944, "distance_mi": 50}},
            {"filter.geo": "distance(41.4993,-81.6944,50mi)"},
        ),
        (
            {"term": ["BRAF"], "not_term": ["V600E"]},
            {"query.term": "BRAF NOT V600E"},
        ),
        (
            {"start_date": {"from": "2023-01-01", "to": "2024-01-01"}},
            {"filter.advanced": "AREA[StartDate]RANGE[2023-01-01, 2024-01-01]"},
        ),
        (
            {"update_date": {"from": "2026-01-01"}},
            {"filter.advanced": "AREA[LastUpdatePostDate]RANGE[2026-01-01, MAX]"},
        ),
        ({"biomarker": ["HER2 positive"]}, {"filter.advanced": 'AREA[EligibilityCriteria]("HER2 positive")'}),
        ({"country": ["Germany"]}, {"filter.advanced": 'AREA[LocationCountry]("Germany")'}),
        ({"not_sponsor": ["Pfizer"]}, {"filter.advanced": 'NOT AREA[SponsorSearch]"Pfizer"'}),
        ({"not_nct": ["NCT01808573"]}, {"filter.advanced": "NOT AREA[NCTId]NCT01808573"}),
        ({"not_study_type": ["OBSERVATIONAL"]}, {"filter.advanced": "NOT AREA[StudyType]OBSERVATIONAL"}),
        ({"not_sex": ["MALE"]}, {"filter.advanced": "NOT AREA[Sex]MALE"}),
        ({"not_age": ["CHILD"]}, {"filter.advanced": "NOT AREA[StdAge]CHILD"}),
        (
            {"not_age": [{"min": 65}]},
            {"filter.advanced": "NOT ((AREA[MaximumAge]RANGE[65 years, MAX] OR AREA[MaximumAge]MISSING))"},
        ),
        (
            {"not_line": ["2l"]},
            {"filter.advanced": 'NOT AREA[EligibilityCriteria]("second line" OR "second-line" OR "2L")'},
        ),
        (
            {"not_start_date": [{"to": "2019-12-31"}]},
            {"filter.advanced": "NOT AREA[StartDate]RANGE[MIN, 2019-12-31]"},
        ),
        ({"sex": ["female"]}, {"filter.advanced": "AREA[Sex](ALL OR FEMALE)"}),
        ({"age_group": ["child"]}, {"filter.advanced": "AREA[StdAge](CHILD)"}),
        (
            {"min_age": 65},
            {"filter.advanced": "(AREA[MaximumAge]RANGE[65 years, MAX] OR AREA[MaximumAge]MISSING)"},
        ),
        (
            {"min_age": 65, "min_age_exclusive": True},
            {"filter.advanced": "(AREA[MaximumAge]RANGE[66 years, MAX] OR AREA[MaximumAge]MISSING)"},
        ),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else None,
)
def test_a_clause_becomes_the_parameter_that_means_it(params: dict[str, Any], asked: dict[str, Any]) -> None:
    assert request(params) == asked


def test_a_person_of_one_age_is_neither_too_young_nor_too_old() -> None:
    advanced = request({"min_age": 18, "max_age": 18})["filter.advanced"]
    assert "AREA[MinimumAge]RANGE[MIN, 18 years]" in advanced and "AREA[MaximumAge]RANGE[18 years, MAX]" in advanced


def test_a_condition_can_not_smuggle_in_an_expression() -> None:
    assert request({"condition": ['x" OR AREA[Phase]PHASE4']}) == {"query.cond": '"x OR AREA Phase PHASE4"'}


def test_a_number_among_the_words_is_refused_because_the_registry_would_drop_the_rest() -> None:
    with pytest.raises(InvalidArguments, match="get_study"):
        request({"condition": ["NCT01808573"]})
