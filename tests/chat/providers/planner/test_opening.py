"""The first lines of the headline answer: a lead, and a list that is read at a glance with exact names and counts."""

import re

import pytest

from chat.providers.planner.compose import visible
from tests.chat.providers.planner.driver import Snapshot, Turn, run
from tests.chat.providers.planner.test_target_drugs import QUESTION, inhibitor_rows

LEAD_MAX_CHARS = 160
LINE_MAX_CHARS = 300


@pytest.fixture
async def turn(snapshot: Snapshot) -> Turn:
    return await run(QUESTION, snapshot)


def line_of(turn: Turn, title: str) -> str:
    """Return what the opening's line of that title says."""
    (line,) = [line for line in turn.opening.splitlines() if line.startswith(f"- **{title}**")]
    return line.removeprefix(f"- **{title}**").lstrip(":, ")


async def test_the_answer_stands_in_a_lead_and_a_list_that_can_be_scanned(turn: Turn) -> None:
    lead, _, listed = turn.opening.partition("\n\n")
    assert lead.startswith(
        "**13 kinase inhibitors, 7 of them of ERBB2 (HER2), have registered trials in “breast cancer”**; "
    )
    assert len(visible(lead)) <= LEAD_MAX_CHARS
    lines = listed.splitlines()
    assert [re.findall(r"^- \*\*(.*?)\*\*", line)[0] for line in lines] == [
        "Inhibitors of ERBB2 (HER2)",
        "Inhibitors of other kinases linked to the disease",
        "Trials in “breast cancer”",
        "Pharmacogenomics",
        "Not covered",
    ]
    assert max(len(visible(line)) for line in lines) <= LINE_MAX_CHARS


async def test_inhibitors_stand_by_stage_those_of_both_sources_first(turn: Turn) -> None:
    own = line_of(turn, "Inhibitors of ERBB2 (HER2)")
    assert "16 on record in [Open Targets](https://platform.opentargets.org/target/ENSG00000141736); " in own
    approved = "lapatinib, tucatinib, afatinib, neratinib, dacomitinib and vandetanib"
    assert f"approved for some disease: {approved}; phase 3: poziotinib, tesevatinib and pyrotinib; earlier: 7." in own
    assert line_of(turn, "Inhibitors of other kinases linked to the disease") == (
        "approved: PIK3CA: copanlisib, alpelisib, inavolisib (of 14); CDK6: palbociclib, ribociclib, abemaciclib "
        "(of 5); EGFR: erlotinib, osimertinib, gefitinib (of 20); RET: sunitinib, regorafenib, alectinib (of 7)."
    )


async def test_a_drug_whose_name_says_no_kinase_inhibitor_stands_apart(turn: Turn) -> None:
    own = line_of(turn, "Inhibitors of ERBB2 (HER2)")
    assert own.endswith(". Also recorded as an inhibitor: masoprocol.")
    section = turn.section("Kinase inhibitors by target")
    assert "masoprocol" not in inhibitor_rows(turn)
    assert re.search(
        r"Not asked, further inhibitors of ERBB2: vandetanib[^.]*\. Also recorded as an inhibitor", section
    )
    assert "neither its name nor its class says kinase inhibitor: masoprocol." in section


async def test_trials_and_what_is_not_covered_are_counted(turn: Turn) -> None:
    trials = line_of(turn, "Trials in “breast cancer”")
    assert trials.startswith("(as of 2021-04-15 to 2026-04-04): lapatinib ≥8, tucatinib ≥12, afatinib ≥7, ")
    assert trials.count("≥") == 13
    assert "trials of 3 inhibitors (look-up failed) and of 47 inhibitors (not asked for)" in line_of(
        turn, "Not covered"
    )


async def test_annotations_on_dosing_come_first_with_gene_and_drug(turn: Turn) -> None:
    """Sunitinib is found by way of RET, which is among the associated proteins."""
    line = line_of(turn, "Pharmacogenomics")
    assert "; on dosing ClinPGx has 1 annotation: rs776746 for sunitinib." in turn.opening.splitlines()[0]
    level = "[level 3](https://www.clinpgx.org/clinicalAnnotation/1157877076)"
    assert line.startswith(
        f"on dosing, rs776746 (CYP3A5, {level}) for sunitinib (renal cell carcinoma); not on dosing, "
    )
    rows = [line for line in turn.section("Pharmacogenomics in ClinPGx").splitlines() if "[annotation" in line]
    assert rows[0].startswith("| sunitinib | rs776746 | level 3 | Dosage, Toxicity |")


async def test_what_is_not_on_dosing_and_what_was_not_found_follow(turn: Turn) -> None:
    line = line_of(turn, "Pharmacogenomics")
    alleles = [
        f"`{allele}` ([level 3](https://www.clinpgx.org/clinicalAnnotation/{number}))"
        for allele, number in (("HLA-DRB1*07:01", "1444712832"), ("HLA-DQA1*02:01", "1444712823"))
    ]
    assert f"not on dosing, {' and '.join(alleles)} for lapatinib (toxicity: toxic liver disease) and 20 more; " in line
    assert line.endswith("nothing found in ClinPGx for tucatinib, afatinib, neratinib and 6 more.")
