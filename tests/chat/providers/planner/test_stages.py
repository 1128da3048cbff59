"""How far a drug got: two scales on one, the source named, a salt's stage kept apart, ChEMBL joined by form."""

from typing import Any

import pytest

from chat.providers.planner.parts.chembl_drugs import add_by_target, add_mechanisms
from chat.providers.planner.parts.drugs import Drug, Form, join_forms
from chat.providers.planner.parts.inhibitors import mechanism_text
from chat.providers.planner.parts.stages import sourced_words
from chat.providers.planner.results import Result, call
from mcp_server.codes import ResultOutcome

Json = Any
ASKED = call("chembl__find_drugs_by_target", "drugs", target_chembl_id="CHEMBL1824")


def data(content: Json) -> Result:
    return Result(ASKED, ResultOutcome.DATA, data=content)


@pytest.mark.parametrize(
    ("stage", "phase", "words"),
    [
        ("APPROVAL", None, "approved (Open Targets)"),
        ("", 4.0, "approved (ChEMBL max. phase 4)"),
        ("APPROVAL", 4.0, "approved (Open Targets, ChEMBL max. phase 4)"),
        ("PHASE_2", 4.0, "approved (ChEMBL max. phase 4)"),
        ("APPROVAL", 2.0, "approved (Open Targets)"),
        ("PHASE_4", None, "phase 4 (Open Targets)"),
        ("PHASE_2_3", None, "phase 2/3 (Open Targets)"),
        ("EARLY_PHASE_1", None, "early phase 1 (Open Targets)"),
        ("", 0.5, "early phase 1 (ChEMBL)"),
        ("", 3.0, "phase 3 (ChEMBL)"),
        ("PREAPPROVAL", None, "in registration (Open Targets)"),
        ("WITHDRAWAL", None, "withdrawn (Open Targets)"),
        ("", -1.0, ""),
        ("UNKNOWN", None, ""),
    ],
)
def test_the_further_stage_counts_and_names_its_source(stage: str, phase: float | None, words: str) -> None:
    assert sourced_words(stage, phase) == words


def test_only_an_approval_or_chembl_s_highest_phase_counts_as_approved() -> None:
    def approved(stage: str, phase: float | None) -> bool:
        return Drug("CHEMBL1", "X", forms=[Form("CHEMBL1", "X", stage, phase)]).is_approved

    assert approved("APPROVAL", None) and approved("", 4.0)
    assert not approved("PHASE_4", None) and not approved("PREAPPROVAL", 3.0) and not approved("WITHDRAWAL", None)


def test_an_approval_is_confirmed_if_both_sources_have_it_be_it_for_different_forms() -> None:
    parent, salt = Form("CHEMBL1", "X", "APPROVAL"), Form("CHEMBL2", "X SODIUM", "", 4.0)
    assert Drug("CHEMBL1", "X", forms=[parent, salt]).is_confirmed
    assert not Drug("CHEMBL1", "X", forms=[parent]).is_confirmed
    assert not Drug("CHEMBL1", "X", forms=[salt]).is_confirmed


def listed(*rows: Json) -> list[Drug]:
    content = {"rows": [{"drug": {"id": id, "name": name}, "maxClinicalStage": None} for id, name in rows]}
    return join_forms([("ERBB2", data(content))])


def chembl(id: str, name: str, parent: str, **facts: Json) -> Json:
    return {"molecule_chembl_id": id, "pref_name": name, "parent_chembl_id": parent, **facts}


@pytest.mark.case("C022")
def test_chembl_s_phase_goes_to_its_form_and_the_drug_takes_the_highest() -> None:
    drugs = listed(("CHEMBL554", "LAPATINIB"))
    row = chembl("CHEMBL1201179", "LAPATINIB DITOSYLATE", "CHEMBL554", max_phase=4.0, mechanism_of_action="inhibitor")
    add_by_target(drugs, "ERBB2", data({"drugs": [row]}))
    (drug,) = drugs
    assert drug.stage == "approved (ChEMBL max. phase 4, as ditosylate)"
    assert [form.chembl_id for form in drug.forms] == ["CHEMBL554", "CHEMBL1201179"]
    assert mechanism_text(drug).endswith("([ditosylate](https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL1201179))")


def test_a_drug_that_only_chembl_lists_is_added_and_one_without_a_name_is_not() -> None:
    drugs = listed(("CHEMBL554", "LAPATINIB"))
    rows = [chembl("CHEMBL2", "NEWTINIB MESYLATE", "CHEMBL1", max_phase=2.0), chembl("CHEMBL9", "", "CHEMBL9")]
    add_by_target(drugs, "ERBB2", data({"drugs": rows}))
    assert [(drug.chembl_id, drug.name, drug.targets) for drug in drugs[1:]] == [("CHEMBL1", "NEWTINIB", ["ERBB2"])]


def test_a_salt_that_names_no_parent_is_joined_by_its_name() -> None:
    drugs = listed(("CHEMBL553", "ERLOTINIB"))
    row = chembl("CHEMBL1079742", "ERLOTINIB HYDROCHLORIDE", "CHEMBL1079742", max_phase=4.0)
    add_by_target(drugs, "EGFR", data({"drugs": [row]}))
    assert [drug.stage for drug in drugs] == ["approved (ChEMBL max. phase 4, as hydrochloride)"]
    assert drugs[0].targets == ["ERBB2", "EGFR"]


@pytest.mark.case("C023")
@pytest.mark.parametrize("flagged", ["list", "drug"])
def test_a_withdrawal_stands_beside_every_stage(flagged: str) -> None:
    drugs = listed(("CHEMBL408", "TROGLITAZONE"))
    row = chembl("CHEMBL408", "TROGLITAZONE", "CHEMBL408", max_phase=4.0, withdrawn_flag=True)
    if flagged == "list":
        add_by_target(drugs, "PPARG", data({"drugs": [row]}))
    else:
        add_mechanisms(drugs[0], data({"forms": [row], "mechanisms": [], "withdrawn_flag": True}))
    assert drugs[0].stage == "approved (ChEMBL max. phase 4), **withdrawn** from a market"


@pytest.mark.parametrize("phase", [True, "4.0", None])
def test_a_phase_that_is_no_number_is_none(phase: Json) -> None:
    drugs = listed(("CHEMBL1", "X"))
    add_by_target(drugs, "ERBB2", data({"drugs": [chembl("CHEMBL1", "X", "CHEMBL1", max_phase=phase)]}))
    assert drugs[0].stage == ""


def test_a_failed_look_up_of_mechanisms_is_no_missing_mechanism() -> None:
    failed = Result(ASKED, ResultOutcome.FAILED, error_code="upstream_unavailable")
    assert mechanism_text(Drug("CHEMBL1", "X"), failed) == "ChEMBL could not be reached"
    assert mechanism_text(Drug("CHEMBL1", "X")) == "not recorded"
