"""GDC: patients by their attributes, survival of two groups, copy number by kind of change."""

from typing import Any

import pytest

from mcp_server.platforms.gdc import platform
from mcp_server.platforms.gdc.kaplan_meier import FollowUp, median_days, steps, survival_after
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call
from tests.mcp_server.platforms.gdc_cases import (
    ERBB2,
    G12D_ID,
    KRAS,
    NOT_FOUND,
    cases_by_project,
    cases_with_calls,
    donor,
    gene,
    occurrence,
    page,
    patient,
)

Json = Any


async def test_patients_are_asked_for_with_every_condition_and_ages_in_days() -> None:
    upstream = FakeUpstream({"/cases": page(patient("case-1", 14700), total=75)})
    result = await call(
        platform, upstream, "search_cases", project="brca", primary_site="breast",
        disease_type="Ductal and Lobular Neoplasms", sex="female", age_min=40, age_max=50, limit=1, offset=3,
    )  # fmt: skip
    sent = upstream.requests[0].body
    assert sent["filters"]["op"] == "and"
    assert [
        (part["op"], part["content"]["field"], part["content"]["value"]) for part in sent["filters"]["content"]
    ] == [
        ("in", "project.project_id", ["TCGA-BRCA"]),
        ("in", "primary_site", ["Breast"]),
        ("in", "disease_type", ["Ductal and Lobular Neoplasms"]),
        ("in", "demographic.sex_at_birth", ["female"]),
        (">=", "diagnoses.age_at_diagnosis", 14610),
        ("<=", "diagnoses.age_at_diagnosis", 18627),
    ]
    case = result.content["data"]["cases"][0]
    assert case["demographic"] == {"sex_at_birth": "female", "vital_status": "Alive"}
    assert case["diagnoses"] == [
        {"ajcc_pathologic_stage": "Stage IIA", "age_at_diagnosis_days": 14700, "age_at_diagnosis_years": 40.2}
    ]
    assert (result.content["total"], result.content["next"]) == (75, {"offset": 4})


@pytest.mark.parametrize(("sent", "years"), [(62, 62), (22645, 62.0)])
async def test_an_age_at_the_reference_day_is_in_years_whatever_the_program_sends(sent: int, years: float) -> None:
    known = patient("case-1", demographic={"age_at_index": sent, "vital_status": "Alive"})
    result = await call(platform, FakeUpstream({"/cases": page(known)}), "search_cases", project="TCGA-BRCA")
    demographic = result.content["data"]["cases"][0]["demographic"]
    assert demographic == {"vital_status": "Alive", "age_at_index_years": years}


async def test_the_age_of_a_carrier_names_its_unit() -> None:
    carrier = occurrence(G12D_ID, "case-1", "TCGA-PAAD")
    carrier["case"]["diagnoses"] = [{"age_at_diagnosis": 24106}]
    upstream = FakeUpstream({"/ssm_occurrences": page(carrier)})
    result = await call(platform, upstream, "ssm_occurrences", ssm_id=G12D_ID)
    assert result.content["data"]["occurrences"][0]["diagnoses"] == [
        {"age_at_diagnosis_days": 24106, "age_at_diagnosis_years": 66.0}
    ]


async def test_counts_by_a_field_say_what_they_disregard() -> None:
    counted = page(patient("a"), total=1202, primary_site={"kidney": 1202, "brain": 1191},
                   diagnoses__ajcc_pathologic_stage={"stage i": 700, "_missing": 20})  # fmt: skip
    upstream = FakeUpstream({"/cases": counted})
    result = await call(
        platform, upstream, "search_cases", primary_site="Breast", facets=["primary_site", "stage"], limit=1
    )
    assert upstream.requests[0].body["facets"] == "primary_site,diagnoses.ajcc_pathologic_stage"
    assert result.content["data"]["facets"] == {
        "primary_site": [{"value": "kidney", "cases": 1202}, {"value": "brain", "cases": 1191}],
        "stage": [{"value": "stage i", "cases": 700}, {"value": "_missing", "cases": 20}],
    }
    assert "by primary_site disregard the condition on primary_site" in result.content["note"]
    assert "by stage" not in result.content["note"]


@pytest.mark.case("C040")
@pytest.mark.parametrize(
    ("found", "arguments"),
    [
        (patient("a", project="TCGA-OV"), {"project": "TCGA-BRCA"}),
        (patient("a"), {"primary_site": "Ovary"}),
        (patient("a"), {"sex": "male"}),
        (patient("a", 20000), {"age_max": 40}),
    ],
)
async def test_a_patient_who_does_not_fit_is_refused(found: Json, arguments: dict[str, Json]) -> None:
    result = await call(platform, FakeUpstream({"/cases": page(found, total=90000)}), "search_cases", **arguments)
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_a_site_that_is_spelt_otherwise_is_named() -> None:
    sites = page(primary_site={"bronchus and lung": 1176, "breast": 1156})
    upstream = FakeUpstream({"/cases": [page(), sites]})
    result = await call(platform, upstream, "search_cases", primary_site="lung")
    assert result.content["outcome"] == "empty"
    assert "no primary site 'Lung'; near ones: bronchus and lung." in result.content["note"]
    upstream = FakeUpstream({"/cases": [page(), page(project__project_id={"tcga-brca": 1098, "tcga-ov": 608})]})
    result = await call(platform, upstream, "search_cases", project="TCGA-BRCO")
    assert result.content["outcome"] == "unknown_id" and "TCGA-BRCA" in result.content["note"]


def test_the_estimate_falls_on_the_day_of_a_death() -> None:
    # Six cases: deaths on days 100, 200 (two) and 500, one lost on day 150, one followed to day 2,000.
    cases = [FollowUp(100, True), FollowUp(150, False), FollowUp(200, True), FollowUp(200, True), FollowUp(500, True),
             FollowUp(2000, False)]  # fmt: skip
    curve = steps(cases)
    assert [(step.days, step.at_risk) for step in curve] == [(100, 6), (200, 4), (500, 2)]
    assert [round(step.survival, 4) for step in curve] == [0.8333, 0.4167, 0.2083]
    assert median_days(curve) == 200
    one_year = survival_after(cases, curve, 1)
    assert one_year is not None and (round(one_year[0], 4), one_year[1]) == (0.4167, 2)
    assert survival_after(cases, curve, 6) is None
    assert median_days(steps([FollowUp(10, True), FollowUp(20, False), FollowUp(30, False)])) is None


def two_groups(first: list[Json], second: list[Json]) -> Played:
    """Return survival of two groups with a log-rank test."""
    stats = {"degreesFreedom": 1, "chiSquared": 0.8577589072612264, "pValue": 0.35436660628146011}
    return Played({"results": [{"donors": first}, {"donors": second}], "overallStats": stats})


async def test_carriers_are_compared_with_the_others_that_have_mutation_calls() -> None:
    project = "TCGA-PAAD"
    carriers = [occurrence("x", "case-1", project), occurrence("y", "case-1", project, 2),
                occurrence("x", "case-2", project, 3)]  # fmt: skip
    groups = two_groups(
        [donor("case-1", 300, True, project), donor("case-2", 700, False, project)],
        [donor("case-9", 900, True, project)],
    )
    upstream = FakeUpstream({"/genes": page(KRAS), "/ssm_occurrences": page(*carriers), "/analysis/survival": groups})
    result = await call(platform, upstream, "survival", project="paad", gene="KRAS")
    listed = upstream.requests[1].body
    assert [part["content"]["value"] for part in listed["filters"]["content"]] == [[project], ["ENSG00000133703"]]
    sent = upstream.requests[2].body["filters"]
    conditions = [[(part["op"], part["content"]["value"]) for part in group["content"]] for group in sent]
    assert conditions == [
        [("=", project), ("in", ["ssm"]), ("in", ["case-1", "case-2"])],
        [("=", project), ("in", ["ssm"]), ("excludeifany", ["case-1", "case-2"])],
    ]
    data = result.content["data"]
    assert [(group["group"], group["cases"], group["deaths"]) for group in data["groups"]] == [
        ("with a mutation in KRAS", 2, 1), ("without a mutation in KRAS", 1, 1),
    ]  # fmt: skip
    assert data["groups"][0]["estimates"][0] == {"years": 1, "survival": 0.5, "at_risk": 1}
    assert data["groups"][0]["estimates"][2] == {"years": 5, "survival": None, "at_risk": 0}
    assert data["p_value"] == pytest.approx(0.354366606)
    assert (data["gene"]["symbol"], data["gene"]["species"]) == ("KRAS", "Homo sapiens")


async def test_groups_that_are_swapped_or_mixed_are_refused() -> None:
    carriers = page(occurrence(G12D_ID, "case-1", "TCGA-DLBC"))
    swapped = two_groups([donor("case-9", 900, True)], [donor("case-1", 300, True)])
    upstream = FakeUpstream({"/ssm_occurrences": carriers, "/analysis/survival": swapped})
    result = await call(platform, upstream, "survival", project="TCGA-DLBC", ssm_id=G12D_ID)
    assert result.content["error"]["code"] == "upstream_bad_response"
    strangers = Played({"results": [{"donors": [donor("a", 10, True, "TCGA-OV")]}], "overallStats": {}})
    result = await call(platform, FakeUpstream({"/analysis/survival": strangers}), "survival", project="TCGA-DLBC")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_no_carrier_is_told_from_an_unknown_mutation_and_from_too_few_cases() -> None:
    tested = {"/mutated_cases_count_by_project": cases_with_calls(TCGA_DLBC=50)}
    known = {f"/ssms/{G12D_ID}": Played({"data": {"ssm_id": G12D_ID}, "warnings": {}}), **tested}
    none = await call(platform, FakeUpstream({"/ssm_occurrences": page(), **known}), "survival",
                      project="TCGA-DLBC", ssm_id=G12D_ID)  # fmt: skip
    assert none.content["outcome"] == "empty" and "None of the 50 cases" in none.content["note"]
    gone = {"/ssm_occurrences": page(), f"/ssms/{G12D_ID}": NOT_FOUND}
    unknown = await call(platform, FakeUpstream(gone), "survival", project="TCGA-DLBC", ssm_id=G12D_ID)
    assert unknown.content["outcome"] == "unknown_id"
    few = {
        "/ssm_occurrences": page(occurrence(G12D_ID, "case-1", "TCGA-DLBC")),
        "/analysis/survival": Played({"results": [], "overallStats": {}}),
    }
    result = await call(platform, FakeUpstream(few), "survival", project="TCGA-DLBC", ssm_id=G12D_ID)
    assert result.content["outcome"] == "empty" and "too few" in result.content["note"]


async def test_each_kind_of_copy_number_change_has_its_own_share() -> None:
    counts = [
        page(total=300, case__project__project_id={"tcga-brca": 200, "tcga-ov": 100}),
        page(total=130, case__project__project_id={"tcga-brca": 130}),
        page(total=50, case__project__project_id={"tcga-brca": 50}),
        page(case__project__project_id={}),
    ]
    tested = {"TCGA-BRCA": 1000, "TCGA-OV": 500, "TCGA-UVM": 80, "CPTAC-3": 400}
    upstream = FakeUpstream(
        {"/genes": page(ERBB2), "/cnv_occurrences": counts, "/graphql": cases_by_project(tested, tested)}
    )
    result = await call(platform, upstream, "copy_number", gene="HER2")
    asked = [request.body for request in upstream.requests if request.url.endswith("/cnv_occurrences")]
    assert [one["filters"]["content"][1]["content"]["value"] for one in asked] == [
        ["Gain"], ["Amplification"], ["Loss"], ["Homozygous Deletion"],
    ]  # fmt: skip
    assert {(one["size"], one["facets"]) for one in asked} == {(0, "case.project.project_id")}
    assert result.content["data"]["projects"] == [
        {
            "project_id": "TCGA-BRCA",
            "tested_cases": 1000,
            "changes": [
                {"change": "Gain", "affected_cases": 200, "percent": 20.0},
                {"change": "Amplification", "affected_cases": 130, "percent": 13.0},
                {"change": "Loss", "affected_cases": 50, "percent": 5.0},
            ],
        },
        {
            "project_id": "TCGA-OV",
            "tested_cases": 500,
            "changes": [{"change": "Gain", "affected_cases": 100, "percent": 20.0}],
        },
    ]
    assert result.content["data"]["not_observed"] == [{"project_id": "TCGA-UVM", "tested_cases": 80}]


@pytest.mark.case("C039")
@pytest.mark.parametrize(
    "counted",
    [
        page(total=1001, case__project__project_id={"TCGA-BRCA": 1001}),
        page(total=900, case__project__project_id={"TCGA-BRCA": 100}),
        page(total=10, case__project__project_id={"TCGA-XXXX": 10}),
    ],
    ids=["more than tested", "projects left out", "project not tested"],
)
async def test_copy_number_counts_that_do_not_add_up_are_refused(counted: Played) -> None:
    tested = {"TCGA-BRCA": 1000}
    upstream = FakeUpstream(
        {"/genes": page(ERBB2), "/cnv_occurrences": counted, "/graphql": cases_by_project(tested, tested)}
    )
    result = await call(platform, upstream, "copy_number", gene="ERBB2", change="Gain")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_a_gene_without_copy_numbers_is_not_taken_for_a_stable_one() -> None:
    tested = {"TCGA-PRAD": 490}
    androgen_receptor = gene("AR", "ENSG00000169083", chromosome="X")
    upstream = FakeUpstream(
        {"/genes": page(androgen_receptor), "/cnv_occurrences": page(case__project__project_id={}),
         "/graphql": cases_by_project(tested, tested)}
    )  # fmt: skip
    result = await call(platform, upstream, "copy_number", gene="AR")
    assert result.content["outcome"] == "empty"
    assert "chromosomes 1 to 22 only" in result.content["note"]
