"""The headline question over the snapshot: what a careful pharmacologist would sign, with every record linked."""

import re

import pytest

from tests.chat.providers.planner.driver import Snapshot, Turn, run

QUESTION = (
    "Which kinase inhibitors in clinical trials target proteins linked to HER2-positive breast cancer, "
    "and what pharmacogenomic variants affect their dosing?"
)
IN_TRIALS = {
    "lapatinib": "CHEMBL554",
    "neratinib": "CHEMBL180022",
    "tucatinib": "CHEMBL3989868",
    "pyrotinib": "CHEMBL3647420",
    "afatinib": "CHEMBL1173655",
    "poziotinib": "CHEMBL3545154",
}


@pytest.fixture
async def turn(snapshot: Snapshot) -> Turn:
    return await run(QUESTION, snapshot)


def inhibitor_rows(turn: Turn) -> dict[str, str]:
    """Return the lines of the inhibitor table by drug."""
    lines = turn.section("Kinase inhibitors of ERBB2").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "CHEMBL" in line]
    return {re.split(r"[ |†]+", line)[1]: line for line in rows}


@pytest.mark.case("C078")
async def test_every_identifier_of_the_answer_is_in_the_evidence(turn: Turn) -> None:
    assert turn.grounding.not_in_evidence == ()
    assert len(turn.grounding.grounded) >= 60


@pytest.mark.case("C002")
async def test_the_biomarker_is_resolved_to_gene_protein_and_target(turn: Turn) -> None:
    reading = turn.section("How the question was read")
    assert "“HER2” is read as ERBB2 ([ENSG00000141736]" in reading
    assert "[P04626](https://www.uniprot.org/uniprotkb/P04626/entry)" in reading
    assert "[CHEMBL1824](https://www.ebi.ac.uk/chembl/explore/target/CHEMBL1824)" in reading


async def test_the_disease_is_the_one_that_the_gene_is_associated_with_and_the_other_is_named(turn: Turn) -> None:
    reading = turn.section("How the question was read")
    assert "read as breast carcinoma ([MONDO_0004989]" in reading
    assert "because Open Targets associates ERBB2 with it (score 0.70)" in reading
    assert "it also fits breast cancer ([MONDO_0007254]" in reading


async def test_a_part_of_the_associated_targets_is_not_taken_for_the_whole(turn: Turn) -> None:
    reading = turn.section("How the question was read")
    assert "holds 2 of 17,963 associated targets, so other kinases linked to the disease are missing here" in reading
    assert "filed under Kinase in UniProt: ERBB2 ([P04626]" in reading


async def test_the_table_holds_the_inhibitors_in_trials_with_their_records(turn: Turn) -> None:
    rows = inhibitor_rows(turn)
    assert set(rows) == set(IN_TRIALS)
    for name, chembl_id in IN_TRIALS.items():
        assert f"[{chembl_id}](https://platform.opentargets.org/drug/{chembl_id})" in rows[name]


@pytest.mark.case("C022")
async def test_salts_are_joined_with_their_parent_and_the_stage_names_its_form(turn: Turn) -> None:
    row = inhibitor_rows(turn)["afatinib"]
    assert "dimaleate [CHEMBL2105712]" in row
    assert "phase 4 ([ChEMBL](https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL2105712), as dimaleate)" in row
    assert "ditosylate [CHEMBL1201179]" in inhibitor_rows(turn)["lapatinib"]


async def test_a_stage_that_no_record_gives_is_not_guessed(turn: Turn) -> None:
    assert "| not recorded |" in inhibitor_rows(turn)["pyrotinib"]


async def test_a_stem_is_used_only_where_the_record_has_no_type_and_is_marked(turn: Turn) -> None:
    rows = inhibitor_rows(turn)
    assert {name for name, row in rows.items() if "†" in row} == {"tucatinib", "pyrotinib", "poziotinib"}
    section = turn.section("Kinase inhibitors of ERBB2")
    assert "† (11 of 15) Open Targets gives no type" in section
    assert "Salt forms were joined with their parent by name" in section


async def test_antibodies_and_conjugates_are_counted_and_left_out_with_the_reason(turn: Turn) -> None:
    section = turn.section("Kinase inhibitors of ERBB2")
    assert "7 antibodies (no small molecules; told by the stem of the name): pertuzumab [CHEMBL2007641]" in section
    assert "6 antibody-drug conjugates (the antibody carries another active substance" in section
    assert "trastuzumab deruxtecan [CHEMBL4297844]" in section


async def test_what_could_not_be_classified_is_said_not_guessed(turn: Turn) -> None:
    section = turn.section("Kinase inhibitors of ERBB2")
    line = next(line for line in section.splitlines() if "not classified" in line)
    assert line.startswith("- 15 drugs (not classified: no type on record, and no telling name): MM-111")
    assert "TAK-285 [CHEMBL1614725]" in line and "KN-026 [CHEMBL4594568]" in line
    assert "are recorded as inhibitors and may belong into the table" in line


async def test_trials_have_link_phase_status_and_day(turn: Turn) -> None:
    section = turn.section("Trials in “breast cancer”")
    row = next(line for line in section.splitlines() if line.startswith("| neratinib | [NCT01808573]"))
    assert "(https://clinicaltrials.gov/study/NCT01808573)" in row
    assert row.endswith("| 3 | completed (2026-01-05) |")
    assert "tucatinib at least 12 trials" in section


async def test_a_status_that_is_not_on_record_is_said_to_be_so(turn: Turn) -> None:
    rows = [line for line in turn.section("Trials in “breast cancer”").splitlines() if "NCT02659514" in line]
    assert rows[0].endswith("| 2 | not given (2021-04-15) |")


async def test_pharmacogenomics_is_what_clinpgx_has_and_nothing_more(turn: Turn) -> None:
    section = turn.section("Pharmacogenomics in ClinPGx")
    for allele, number in (("HLA-DQA1*02:01", "1444712823"), ("HLA-DRB1*07:01", "1444712832")):
        link = f"[annotation {number}](https://www.clinpgx.org/clinicalAnnotation/{number})"
        assert f"| lapatinib | `{allele}` | level 3 | Toxicity | Toxic liver disease | {link} |" in section
    assert "None of these is a dosing annotation." in section
    assert "Nothing found in ClinPGx: tucatinib, neratinib, pyrotinib, poziotinib and afatinib." in section


async def test_not_asked_not_in_the_snapshot_and_nothing_found_are_three_things(turn: Turn) -> None:
    assert "Not asked: canertinib, dacomitinib" in turn.section("Pharmacogenomics in ClinPGx")
    gaps = turn.section("What could not be looked up")
    assert "ClinicalTrials.gov, not in the offline snapshot: trials of canertinib, dacomitinib" in gaps
    assert "ChEMBL, not in the offline snapshot: mechanisms of poziotinib." in gaps
    assert "Nothing found in ClinicalTrials.gov" not in turn.answer


async def test_the_answer_stands_in_the_first_lines(turn: Turn) -> None:
    first = turn.answer.partition("\n\n")[0]
    assert first.startswith("**15 small-molecule kinase inhibitors of ERBB2 (HER2)**")
    assert "Registered trials in “breast cancer” (as of 2021-04-15 to 2026-04-04): tucatinib (at least 12)" in first
    assert "**Variants that affect dosing:** ClinPGx has no annotation on dosing for lapatinib" in first
    assert "nothing found in ClinPGx for tucatinib, neratinib" in first


async def test_the_answer_says_what_it_is_and_is_not(turn: Turn) -> None:
    last = turn.answer.rpartition("\n\n")[2]
    assert "Written by the recipe planner (no language model)" in last
    assert "The offline snapshot holds only a part of some of these lists." in last
    assert "Not a treatment recommendation." in last


async def test_independent_calls_go_side_by_side(turn: Turn) -> None:
    assert turn.steps <= 10
    assert len(turn.calls) > 3 * turn.steps


@pytest.mark.parametrize("asked", ["kinase inhibitors", "drugs"])
@pytest.mark.parametrize("marker", ["HER2-negative", "HER2-low"])
async def test_an_absent_biomarker_is_refused_without_a_call(marker: str, asked: str, snapshot: Snapshot) -> None:
    turn = await run(f"Which {asked} are in trials for {marker} breast cancer?", snapshot)
    assert turn.calls == []
    assert "its answer would be wrong" in turn.answer
