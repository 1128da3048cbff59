"""The headline question where the databases list much, as they do live: caps hold and are said to be caps."""

import re
from typing import Any

import pytest

from chat.providers.base import ToolCall, ToolResult
from tests.chat.providers.planner.driver import Snapshot, Turn, envelope_text, run
from tests.chat.providers.planner.test_target_drugs import CALLS_MAX, QUESTION

Json = Any
TARGETS = 50
KINASES = 20
DRUGS_EACH = 9


def gene(number: int) -> str:
    return "ERBB2" if number == 0 else f"KIN{number}"


def ensembl(number: int) -> str:
    return "ENSG00000141736" if number == 0 else f"ENSG{number:011}"


def drug(target: int, number: int) -> Json:
    """Return a drug row as the database sends it, with stage, type and mechanism."""
    acts = {"mechanismOfAction": f"{gene(target)} inhibitor", "actionType": "INHIBITOR"}
    mechanism = {**acts, "targets": [{"id": ensembl(target), "approvedSymbol": gene(target)}]}
    name = f"{'abcdefghijklmnopqrst'[target]}{'bcdfghklm'[number]}atinib".upper()
    return {
        "id": f"row{target}{number}",
        "maxClinicalStage": ("APPROVAL", "PHASE_3", "PHASE_2")[number % 3],
        "drug": {
            "id": f"CHEMBL{7000 + target * 100 + number}",
            "name": name,
            "drugType": "Small molecule",
            "mechanismsOfAction": {"rows": [mechanism]},
        },
    }


def listed(data: Json, total: int, returned: int) -> Json:
    return {"outcome": "data", "data": data, "total": total, "returned": returned}


def targets(arguments: dict[str, Json]) -> Json:
    """Return fifty targets, of which some are kinases; the second record lists others beside them."""
    first = arguments["disease_id"] == "MONDO_0004989"
    others = [{"id": f"ENSG9{n:010}", "approvedSymbol": f"{'A' if first else 'B'}GENE{n}"} for n in range(TARGETS)]
    kinases = [{"id": ensembl(n), "approvedSymbol": gene(n)} for n in range(KINASES)]
    rows = [{"score": 0.9 - n / 100, "target": each} for n, each in enumerate([*kinases, *others][:TARGETS])]
    return listed({"disease": {"id": arguments["disease_id"]}, "rows": rows}, 17_963, TARGETS)


def proteins(arguments: dict[str, Json]) -> Json:
    rows = [
        {
            "primaryAccession": f"P{10_000 + n}",
            "geneName": gene(n),
            "keywords": ["Kinase"],
            "chembl": [f"CHEMBL{100 + n}"],
            "ensembl": [ensembl(n)],
        }
        for n in range(KINASES)
        if gene(n) in arguments["gene_symbols"]
    ]
    return listed(rows, len(rows), len(rows))


def target_drugs(arguments: dict[str, Json]) -> Json:
    number = next(n for n in range(KINASES) if ensembl(n) == arguments["ensembl_id"])
    if number == 3:
        return {"outcome": "empty", "data": {"rows": []}, "total": 0, "returned": 0}
    rows = [drug(number, n) for n in range(DRUGS_EACH)]
    return listed({"target": {"id": ensembl(number)}, "rows": rows}, DRUGS_EACH, DRUGS_EACH)


def trials(arguments: dict[str, Json]) -> Json:
    place = sum(map(ord, arguments["intervention"]))
    rows = [
        {"nctId": f"NCT{place:05}{n:03}", "briefTitle": f"Trial {n}", "overallStatus": "RECRUITING"} for n in range(20)
    ]
    return listed(rows, 143, 20)


ANSWERS = {
    "opentargets__get_disease_associated_targets": targets,
    "uniprot__search_proteins": proteins,
    "opentargets__get_target_drugs": target_drugs,
    "clinicaltrials__search_studies": trials,
    "chembl__find_drugs_by_target": lambda _: {"outcome": "empty", "data": None, "total": 0, "returned": 0},
    "clinpgx__search_clinical_annotations": lambda _: {"outcome": "empty", "data": [], "total": 0, "returned": 0},
}


def long_list(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
    """Answer with a long list where the snapshot holds a short one."""
    answer = ANSWERS.get(call.name)
    return ToolResult(call.id, call.name, envelope_text(answer(dict(call.arguments)))) if answer else result


@pytest.fixture
async def turn(snapshot: Snapshot) -> Turn:
    return await run(QUESTION, snapshot, long_list)


async def test_the_number_of_calls_stays_sane(turn: Turn) -> None:
    assert len(turn.calls) <= CALLS_MAX
    assert len(turn.called("opentargets__get_target_drugs")) == 8
    assert len(turn.called("clinicaltrials__search_studies")) == 16
    assert len(turn.called("clinpgx__search_clinical_annotations")) == 12


async def test_the_symbols_of_both_lists_are_asked_once_in_the_order_of_the_rows(turn: Turn) -> None:
    (asked,) = turn.called("uniprot__search_proteins")
    symbols = asked["gene_symbols"]
    assert symbols[:KINASES] == [gene(n) for n in range(KINASES)]
    assert len(symbols) == len(set(symbols)) == 2 * TARGETS - KINASES


async def test_the_kinases_with_the_highest_scores_are_followed_and_the_others_are_not_asked(turn: Turn) -> None:
    asked = [each["ensembl_id"] for each in turn.called("opentargets__get_target_drugs")]
    assert asked == [ensembl(n) for n in range(8)]
    reading = turn.section("How the question was read")
    assert "Not asked, beyond the first 8 kinases: drugs on KIN8, KIN9" in reading
    first = turn.opening
    assert "(50 of 17,963 for breast carcinoma, 50 of 17,963 for breast cancer)" in first
    assert "drugs on 12 further kinases (not asked for)" in first


async def test_a_kinase_without_drug_records_is_named_as_such(turn: Turn) -> None:
    assert "No drug records, though kinases: KIN3." in turn.section("How the question was read")


async def test_where_every_stage_is_told_chembl_is_asked_for_the_biomarker_only(turn: Turn) -> None:
    assert [each["target_chembl_id"] for each in turn.called("chembl__find_drugs_by_target")] == ["CHEMBL100"]


async def test_other_kinases_get_their_share_of_the_trials(turn: Turn) -> None:
    names = [each["intervention"] for each in turn.called("clinicaltrials__search_studies")]
    of_marker = {str(drug(0, n)["drug"]["name"]).lower() for n in range(DRUGS_EACH)}
    assert set(names) >= of_marker
    approved = [str(drug(target, 0)["drug"]["name"]).lower() for target in (1, 2, 4, 5, 6, 7)]
    assert names[-7:-1] == approved


async def test_a_count_of_trials_is_the_registry_s_and_no_lower_bound(turn: Turn) -> None:
    first = turn.opening
    assert re.search(r"\w+tinib 143\b", first)
    assert "20 of 143 trials" in turn.section("Trials in “breast cancer”")


async def test_a_biomarker_that_the_lists_do_not_hold_is_not_counted_among_them(snapshot: Snapshot) -> None:
    def without_marker(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.name != "opentargets__get_disease_associated_targets":
            return long_list(number, call, result)
        content = targets(dict(call.arguments))
        content["data"]["rows"] = content["data"]["rows"][1:]
        return ToolResult(call.id, call.name, envelope_text(content))

    turn = await run(QUESTION, snapshot, without_marker)
    first = turn.opening
    assert f"beyond the {2 * TARGETS - KINASES - 1} looked at, {KINASES - 1} of them kinases" in first
    assert f"**Inhibitors of ERBB2 (HER2)**, {DRUGS_EACH} on record in" in first
    assert "ERBB2 is not in what was looked at of these lists" in turn.section("How the question was read")
    (asked,) = turn.called("uniprot__search_proteins")
    assert asked["gene_symbols"][-1] == "ERBB2"
    assert turn.called("opentargets__get_target_drugs")[0]["ensembl_id"] == ensembl(0)
