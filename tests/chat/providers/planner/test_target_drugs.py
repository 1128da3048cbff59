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
    "varlitinib": "CHEMBL2103842",
    "alpelisib": "CHEMBL2396661",
    "palbociclib": "CHEMBL189963",
}
# Ensembl and ChEMBL ids of the kinases among the associated proteins of the snapshot.
KINASES = {
    "ERBB2": ("ENSG00000141736", "CHEMBL1824"),
    "PIK3CA": ("ENSG00000121879", "CHEMBL4005"),
    "CDK6": ("ENSG00000105810", "CHEMBL2508"),
    "CDK4": ("ENSG00000135446", "CHEMBL331"),
    "EGFR": ("ENSG00000146648", "CHEMBL203"),
    "RET": ("ENSG00000165731", "CHEMBL2041"),
    "ERBB3": ("ENSG00000065361", "CHEMBL5838"),
}
CALLS_MAX = 46


@pytest.fixture
async def turn(snapshot: Snapshot) -> Turn:
    return await run(QUESTION, snapshot)


def inhibitor_rows(turn: Turn) -> dict[str, str]:
    """Return the lines of the inhibitor table by drug."""
    lines = turn.section("Kinase inhibitors by target").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "CHEMBL" in line]
    return {re.split(r"[ |†]+", line.split(" | ")[1])[0]: line for line in rows}


@pytest.mark.case("C078")
async def test_every_identifier_of_the_answer_is_in_the_evidence(turn: Turn) -> None:
    assert turn.grounding.not_in_evidence == ()
    assert len(turn.grounding.grounded) >= 60


@pytest.mark.case("C002")
async def test_the_biomarker_is_resolved_to_gene_protein_and_target(turn: Turn) -> None:
    reading = turn.section("How the question was read")
    assert "“HER2” is read as ERBB2 ([ENSG00000141736]" in reading
    assert "ERBB2 ([P04626](https://www.uniprot.org/uniprotkb/P04626/entry), [CHEMBL1824](" in reading
    assert "(https://www.ebi.ac.uk/chembl/explore/target/CHEMBL1824)" in reading


async def test_the_disease_is_the_one_that_the_gene_is_associated_with_and_the_other_is_named(turn: Turn) -> None:
    reading = turn.section("How the question was read")
    assert "read as breast carcinoma ([MONDO_0004989]" in reading
    assert "because Open Targets associates ERBB2 with it (score 0.70)" in reading
    assert "it also fits breast cancer ([MONDO_0007254]" in reading
    assert "so both are asked" in reading


async def test_the_proteins_of_every_record_that_fits_are_asked_about_in_one_call(turn: Turn) -> None:
    asked = turn.called("opentargets__get_disease_associated_targets")
    assert [each["disease_id"] for each in asked] == ["MONDO_0004989", "MONDO_0007254"]
    assert all(each["limit"] == 50 for each in asked)
    (filed,) = turn.called("uniprot__search_proteins")
    assert filed["keyword"] == "Kinase"
    symbols = filed["gene_symbols"]
    assert symbols[:6] == ["BRCA2", "PIK3CA", "ERBB2", "CDK6", "CDK4", "AR"]
    assert len(symbols) == len(set(symbols)) == 15


async def test_every_kinase_among_them_is_followed_to_its_drugs_the_biomarker_first(turn: Turn) -> None:
    asked = [each["ensembl_id"] for each in turn.called("opentargets__get_target_drugs")]
    assert asked[0] == KINASES["ERBB2"][0]
    assert set(asked) == {ensembl for ensembl, _ in KINASES.values()}
    reading = turn.section("How the question was read")
    for symbol, (_, target) in KINASES.items():
        assert re.search(rf"{symbol} \(\[[A-Z0-9]+\]\([^)]*\), \[{target}\]", reading), symbol


async def test_chembl_is_asked_once_for_a_target_where_a_stage_is_open(turn: Turn) -> None:
    asked = [each["target_chembl_id"] for each in turn.called("chembl__find_drugs_by_target")]
    assert asked[0] == "CHEMBL1824" and len(asked) == len(set(asked))
    assert set(asked) <= {target for _, target in KINASES.values()}
    assert turn.called("chembl__get_drug_mechanisms") == []


async def test_a_part_of_the_associated_targets_is_not_taken_for_the_whole(turn: Turn) -> None:
    reading = turn.section("How the question was read")
    assert "breast carcinoma ([MONDO_0004989](" in reading and "6 of 17,963 associated targets" in reading
    assert "at least 11 associated targets" in reading
    assert "the offline snapshot holds no more of them, so other kinases are missing here" in reading
    first = turn.opening
    assert "beyond the 15 looked at, 7 of them kinases (6 of 17,963 for breast carcinoma, 11 for breast cancer" in first


async def test_the_table_holds_the_inhibitors_in_trials_with_their_records(turn: Turn) -> None:
    rows = inhibitor_rows(turn)
    assert set(rows) >= set(IN_TRIALS)
    for name, chembl_id in IN_TRIALS.items():
        assert f"[{chembl_id}](https://platform.opentargets.org/drug/{chembl_id})" in rows[name]
        assert re.search(r"\| (?:at least )?\d+ \|$", rows[name]), name


async def test_the_table_is_grouped_by_target_the_biomarker_first_then_by_stage(turn: Turn) -> None:
    targets = [line.split(" | ")[0].strip("| ").partition(",")[0] for line in inhibitor_rows(turn).values()]
    assert list(dict.fromkeys(targets)) == ["ERBB2", "PIK3CA", "CDK6", "EGFR", "RET"]
    assert targets == sorted(targets, key=list(dict.fromkeys(targets)).index)
    rows = list(inhibitor_rows(turn).values())
    stages = ["approved" in row for row in rows if row.startswith("| ERBB2")]
    assert stages == sorted(stages, reverse=True)


@pytest.mark.case("C022")
async def test_salts_are_joined_with_their_parent_and_the_stage_names_its_form(turn: Turn) -> None:
    row = inhibitor_rows(turn)["neratinib"]
    assert "maleate [CHEMBL3989921]" in row
    assert "| approved ([Open Targets](https://platform.opentargets.org/drug/CHEMBL3989921), " in row
    assert "[ChEMBL](https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL3989921) max. phase 4, as maleate) |" in row
    assert "ditosylate [CHEMBL1201179]" in inhibitor_rows(turn)["lapatinib"]


async def test_an_approval_is_said_to_be_for_some_disease_only(turn: Turn) -> None:
    first = turn.opening
    assert "approved for some disease: lapatinib" in first
    limits = turn.section("Limits, and what to check next")
    assert "it is no approval for breast cancer" in limits


async def test_a_mechanism_names_the_record_and_the_form_it_stands_on(turn: Turn) -> None:
    row = inhibitor_rows(turn)["lapatinib"]
    record = "[ditosylate](https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL1201179)"
    acts = "Receptor protein-tyrosine kinase erbB-2 inhibitor; Epidermal growth factor receptor erbB1 inhibitor"
    assert f"| {acts} ({record}) |" in row


async def test_a_stem_is_used_only_where_type_and_mechanism_are_not_told_and_is_marked(turn: Turn) -> None:
    rows = inhibitor_rows(turn)
    marked = {name for name, row in rows.items() if "†" in row}
    assert {"pyrotinib", "poziotinib", "varlitinib"} <= marked
    assert not {"lapatinib", "neratinib", "afatinib", "alpelisib"} & marked
    section = turn.section("Kinase inhibitors by target")
    assert f"† ({len(marked)} of {len(rows)}) no record read gives both type and mechanism" in section
    assert "Salt forms were joined with their parent by name" in section


async def test_antibodies_and_conjugates_are_counted_and_left_out_with_the_reason(turn: Turn) -> None:
    section = turn.section("What was left out, and why")
    assert re.search(
        r"- \d+ antibodies \(no small molecules; told by the stem of the name\): pertuzumab \[CHEMBL2007641\]", section
    )
    assert re.search(r"- \d+ antibody-drug conjugates \(the antibody carries another active substance", section)
    assert "trastuzumab deruxtecan [CHEMBL4297844]" in section
    assert "trastuzumab" not in turn.section("Kinase inhibitors by target")


async def test_what_could_not_be_classified_is_counted_and_the_furthest_are_named(turn: Turn) -> None:
    section = turn.section("What was left out, and why")
    line = next(line for line in section.splitlines() if "not classified" in line)
    assert re.match(r"- \d+ drugs \(not classified: no type on record, and no telling name\): ", line)
    assert re.search(r" and \d+ more\. \d+ of them are recorded as inhibitors and may belong into the table", line)
    assert "the furthest being HEMAY-022, phase 3 ([Open Targets]" in line


async def test_trials_have_link_phase_status_and_day(turn: Turn) -> None:
    section = turn.section("Trials in “breast cancer”")
    row = next(line for line in section.splitlines() if "[NCT01808573]" in line)
    assert row.startswith("| lapatinib and neratinib | [NCT01808573](https://clinicaltrials.gov/study/NCT01808573)")
    assert row.endswith("| 3 | completed (2026-04-04) |")
    assert section.count("[NCT01808573]") == 1
    assert "tucatinib at least 12 trials" in section


async def test_a_status_or_title_that_is_not_on_record_is_said_to_be_so(turn: Turn) -> None:
    lines = turn.section("Trials in “breast cancer”").splitlines()
    assert next(line for line in lines if "NCT02659514" in line).endswith("| 2 | status not recorded (2021-04-15) |")
    assert "| title not recorded |" in next(line for line in lines if "NCT01125566" in line)
    assert "An Open Label, Phase II Trial of Pre-operative Neratinib" in next(
        line for line in lines if "NCT04886531" in line
    )


async def test_pharmacogenomics_is_what_clinpgx_has_and_nothing_more(turn: Turn) -> None:
    section = turn.section("Pharmacogenomics in ClinPGx")
    for allele, number in (("HLA-DQA1*02:01", "1444712823"), ("HLA-DRB1*07:01", "1444712832")):
        link = f"[annotation {number}](https://www.clinpgx.org/clinicalAnnotation/{number})"
        assert f"| lapatinib | `{allele}` | level 3 | Toxicity | Toxic liver disease | {link} |" in section
    nothing = section.partition("Nothing found in ClinPGx: ")[2].partition(". That is a finding")[0]
    assert {"tucatinib", "neratinib", "pyrotinib", "poziotinib", "alpelisib"} <= set(re.split(r", | and ", nothing))
    assert "lapatinib" not in nothing


async def test_not_asked_not_in_the_snapshot_and_nothing_found_are_three_things(turn: Turn) -> None:
    assert "Not asked, further inhibitors of ERBB2: " in turn.section("Kinase inhibitors by target")
    assert "Not asked: " in turn.section("Pharmacogenomics in ClinPGx")
    failed = [call for number, call in enumerate(turn.calls) if turn.outcome(number) == "failed"]
    assert {call.name for call in failed} <= {"clinicaltrials__search_studies"}
    if failed:
        gaps = turn.section("What could not be looked up")
        assert "ClinicalTrials.gov, not in the offline snapshot: trials of " in gaps
        assert all(str(call.arguments["intervention"]) in gaps for call in failed)
    assert "Nothing found in ClinicalTrials.gov" not in turn.answer


async def test_the_tables_come_before_the_method(turn: Turn) -> None:
    titles = re.findall(r"(?m)^### (.*)$", turn.answer)
    assert titles[:4] == [
        "Kinase inhibitors by target",
        "Trials in “breast cancer”",
        "Pharmacogenomics in ClinPGx",
        "How the question was read",
    ]


async def test_the_answer_says_what_it_is_and_is_not(turn: Turn) -> None:
    last = turn.answer.rpartition("\n\n")[2]
    assert "Written by the recipe planner (no language model)" in last
    assert "The offline snapshot holds only a part of some of these lists." in last
    assert "Not a treatment recommendation." in last


async def test_independent_calls_go_side_by_side(turn: Turn) -> None:
    assert turn.steps <= 10
    assert 3 * turn.steps < len(turn.calls) <= CALLS_MAX


@pytest.mark.parametrize("asked", ["kinase inhibitors", "drugs"])
@pytest.mark.parametrize("marker", ["HER2-negative", "HER2-low"])
async def test_an_absent_biomarker_is_refused_without_a_call(marker: str, asked: str, snapshot: Snapshot) -> None:
    turn = await run(f"Which {asked} are in trials for {marker} breast cancer?", snapshot)
    assert turn.calls == []
    assert "its answer would be wrong" in turn.answer
