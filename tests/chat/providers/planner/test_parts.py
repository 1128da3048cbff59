"""The parts of answers: how drugs are joined and told apart, which disease is meant, how texts are written."""

from typing import Any

import pytest

from chat.providers.planner import compose
from chat.providers.planner.parts.diseases import choose_disease, disease_call
from chat.providers.planner.parts.drug_kinds import Kind, classify
from chat.providers.planner.parts.drugs import Drug, Mechanism, join_forms
from chat.providers.planner.parts.leads import leading
from chat.providers.planner.parts.trials import trials_call
from chat.providers.planner.results import Call, Result, call
from mcp_server.codes import ResultOutcome, ToolCode

Json = Any
ASKED = call("opentargets__get_target_drugs", "drugs acting on {}", "ERBB2", ensembl_id="ENSG00000141736")


def data(content: Json, asked: Call = ASKED, **facts: Json) -> Result:
    return Result(asked, ResultOutcome.DATA, data=content, **facts)


def row(id: str, name: str, stage: str | None = None, **drug: Json) -> Json:
    return {"maxClinicalStage": stage, "drug": {"id": id, "name": name, **drug}}


def joined(*rows: Json) -> list[Drug]:
    return join_forms([("ERBB2", data({"rows": list(rows)}))])


# --- drugs --------------------------------------------------------------------------------------


def test_a_salt_is_joined_with_its_recorded_parent() -> None:
    parent = {"id": "CHEMBL554", "name": "LAPATINIB"}
    (drug,) = joined(row("CHEMBL1201179", "LAPATINIB DITOSYLATE", "APPROVAL", parentMolecule=parent))
    assert (drug.chembl_id, drug.name, drug.joined_by_name) == ("CHEMBL554", "LAPATINIB", False)
    assert drug.stage == "approved (Open Targets, as ditosylate)"


def test_a_salt_without_a_recorded_parent_is_joined_by_name_and_says_so() -> None:
    (drug,) = joined(row("CHEMBL1", "AFATINIB"), row("CHEMBL2", "AFATINIB DIMALEATE"))
    assert [form.chembl_id for form in drug.forms] == ["CHEMBL1", "CHEMBL2"]
    assert drug.joined_by_name


def test_a_second_word_that_is_no_salt_is_another_drug() -> None:
    drugs = joined(row("CHEMBL1", "TRASTUZUMAB"), row("CHEMBL2", "TRASTUZUMAB EMTANSINE"))
    assert [drug.name for drug in drugs] == ["TRASTUZUMAB", "TRASTUZUMAB EMTANSINE"]


@pytest.mark.case("C022")
def test_the_highest_stage_over_all_forms_counts() -> None:
    parent = {"id": "CHEMBL1173655", "name": "AFATINIB"}
    salt = row("CHEMBL2105712", "AFATINIB DIMALEATE", "APPROVAL", parentMolecule=parent)
    (drug,) = joined(row("CHEMBL1173655", "AFATINIB", "PHASE_2"), salt)
    assert drug.stage == "approved (Open Targets, as dimaleate)"


@pytest.mark.case("C023")
def test_a_withdrawn_form_is_named_beside_the_stage() -> None:
    parent = {"id": "CHEMBL1", "name": "X"}
    (drug,) = joined(row("CHEMBL1", "X", "WITHDRAWAL"), row("CHEMBL2", "X SODIUM", "APPROVAL", parentMolecule=parent))
    assert "withdrawn" in drug.stage


@pytest.mark.parametrize("stage", [None, "UNKNOWN", "SOMETHING_NEW"])
def test_an_unknown_stage_stays_unknown(stage: str | None) -> None:
    (drug,) = joined(row("CHEMBL1", "X", stage))
    assert drug.stage == ""


def test_a_row_without_a_drug_is_left_out() -> None:
    assert joined({"maxClinicalStage": "PHASE_1", "drug": None}, {"drug": {"id": "CHEMBL1"}}) == []


INHIBITS = [Mechanism("erbB-2 inhibitor", "INHIBITOR", ("ERBB2",))]
LOWERS = [Mechanism("erbB-2 negative allosteric modulator", "NEGATIVE ALLOSTERIC MODULATOR", ("ERBB2",))]


@pytest.mark.parametrize(
    ("name", "drug_type", "mechanisms", "kind", "by_stem"),
    [
        ("LAPATINIB", "Small molecule", INHIBITS, Kind.INHIBITOR, False),
        ("CP-724714", "Small molecule", INHIBITS, Kind.INHIBITOR, False),
        ("X", "Small molecule", [Mechanism("agonist", "AGONIST", ("ERBB2",))], Kind.OTHER_SMALL_MOLECULE, False),
        ("X", "Small molecule", [Mechanism("inhibitor", "INHIBITOR", ("TUBB",))], Kind.OTHER_SMALL_MOLECULE, False),
        ("TUCATINIB", "", INHIBITS, Kind.INHIBITOR, True),
        ("VEMURAFENIB", "Small molecule", [], Kind.INHIBITOR, True),
        ("PERTUZUMAB", "", INHIBITS, Kind.ANTIBODY, True),
        ("TRASTUZUMAB", "Antibody", INHIBITS, Kind.ANTIBODY, False),
        ("TRASTUZUMAB EMTANSINE", "", [], Kind.CONJUGATE, True),
        ("TRASTUZUMAB DERUXTECAN", "Antibody drug conjugate", [], Kind.CONJUGATE, False),
        ("TRASTUZUMAB DUOCARMAZINE", "Antibody", [], Kind.CONJUGATE, False),
        ("RINDOPEPIMUT", "Protein", [], Kind.OTHER, False),
        ("ALPELISIB", "", [], Kind.INHIBITOR, True),
        ("CAPIVASERTIB", "", [], Kind.INHIBITOR, True),
        ("VANDETANIB", "Small molecule", [], Kind.INHIBITOR, True),
        ("PEGAPTANIB", "Oligonucleotide", [], Kind.OTHER, False),
        ("PEGAPTANIB", "", [], Kind.UNCLASSIFIED, False),
        ("TUXOBERTINIB", "Small molecule", LOWERS, Kind.INHIBITOR, False),
        ("KN-026", "", INHIBITS, Kind.UNCLASSIFIED, False),
        ("MASOPROCOL", "Unknown", INHIBITS, Kind.UNCLASSIFIED, False),
    ],
)
def test_a_drug_is_told_by_its_fields_then_by_its_stem_else_not_at_all(
    name: str, drug_type: str, mechanisms: list[Mechanism], kind: Kind, by_stem: bool
) -> None:
    found = classify(Drug("CHEMBL1", name, drug_type=drug_type, mechanisms=mechanisms), {"ERBB2"})
    assert (found.kind, found.by_stem) == (kind, by_stem)


@pytest.mark.parametrize(
    ("name", "drug_type", "is_named"),
    [
        ("LAPATINIB", "Small molecule", True),
        ("LAPATINIB DITOSYLATE", "", True),
        ("VANDETANIB", "Small molecule", True),
        ("MASOPROCOL", "Small molecule", False),
        ("BMS-690514", "Small molecule", False),
        ("PERTUZUMAB", "Antibody", False),
        ("PEGAPTANIB", "Oligonucleotide", False),
    ],
)
def test_only_an_inhibitor_with_a_kinase_inhibitor_s_stem_is_named_as_one(
    name: str, drug_type: str, is_named: bool
) -> None:
    assert classify(Drug("CHEMBL1", name, drug_type=drug_type, mechanisms=INHIBITS), {"ERBB2"}).is_named is is_named


def test_the_drugs_that_a_question_names_are_those_that_are_followed() -> None:
    drugs = joined(row("CHEMBL1", "A1"), row("CHEMBL2", "B2", "PHASE_3"), row("CHEMBL4", "D4"))
    assert [drug.name for drug in leading(drugs, named=["d4"], text="a trial of a1", limit=3)] == ["D4"]


def test_drugs_that_got_furthest_lead_then_those_in_papers_then_those_long_known_by_name() -> None:
    drugs = joined(
        row("CHEMBL30", "ENCORAFENIB"),
        row("CHEMBL4", "C3"),
        row("CHEMBL20", "SORAFENIB"),
        row("CHEMBL2", "B2", "PHASE_3"),
        row("CHEMBL1", "XL-281"),
    )
    found = leading(drugs, named=[], text="a trial of c3", limit=4)
    assert [drug.name for drug in found] == ["B2", "C3", "SORAFENIB", "ENCORAFENIB"]


def test_without_stage_mention_or_international_name_no_drug_leads() -> None:
    assert leading(joined(row("CHEMBL1", "A1"), row("CHEMBL2", "B2")), limit=3) == []


# --- diseases -----------------------------------------------------------------------------------

HITS = [
    {"id": "MONDO_0007254", "name": "breast cancer", "match": "name"},
    {"id": "MONDO_0004989", "name": "breast carcinoma", "match": "synonym"},
    {"id": "MONDO_0000001", "name": "breast cancer of the male", "match": "text"},
]


def associated(*scores: tuple[str, float]) -> Result:
    return data({"rows": [{"score": score, "disease": {"id": id}} for id, score in scores]})


def test_the_disease_that_the_gene_is_associated_with_wins() -> None:
    found = choose_disease("breast cancer", data({"hits": HITS}), associated(("MONDO_0004989", 0.697)), "ERBB2")
    assert found is not None and found.id == "MONDO_0004989"
    assert "because Open Targets associates ERBB2 with it (score 0.70)" in found.reading
    assert "it also fits breast cancer ([MONDO_0007254]" in found.reading


def test_without_an_association_the_exact_name_wins() -> None:
    found = choose_disease("breast cancer", data({"hits": HITS}), associated(("MONDO_0009999", 0.9)), "ERBB2")
    assert found is not None and (found.id, found.why) == ("MONDO_0007254", "")


def test_without_a_hit_there_is_no_disease() -> None:
    assert choose_disease("x", data({"hits": []})) is None
    assert choose_disease("x", Result(ASKED, ResultOutcome.FAILED)) is None


@pytest.mark.parametrize(
    "words",
    [
        "non-small-cell lung cancer",
        "non-small cell lung cancer",
        "non small cell lung cancer",
        "Non\u2011small\u2011cell lung cancer",
    ],
)
def test_hyphens_are_read_as_databases_file_them(words: str) -> None:
    asked = disease_call(words).arguments["query"]
    assert str(asked).casefold() == "non-small cell lung cancer"
    assert trials_call("osimertinib", words).arguments["condition"] == asked


def test_all_records_that_fit_are_kept_the_chosen_one_first() -> None:
    found = choose_disease("breast cancer", data({"hits": HITS}), associated(("MONDO_0004989", 0.697)), "ERBB2")
    assert found is not None
    assert [id for id, _ in found.records] == ["MONDO_0004989", "MONDO_0007254"]


# --- texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("<script>", r"\<script\>"),
        ("a | b\nc", r"a \| b c"),
        ("*2 and *3", r"\*2 and \*3"),
        ("MONDO_0004989", "MONDO_0004989"),
        ("_emphasis_", r"\_emphasis\_"),
    ],
)
def test_texts_of_databases_are_no_markup(text: str, expected: str) -> None:
    assert compose.plain(text) == expected


def test_a_long_text_is_cut_at_a_word() -> None:
    assert compose.plain("one two three", 9) == "one two …"


def test_a_link_is_only_made_to_https() -> None:
    assert compose.link("clinpgx", "PA1", url="javascript:x") == "PA1"
    assert compose.link("nct", "NCT01808573") == "[NCT01808573](https://clinicaltrials.gov/study/NCT01808573)"
    assert compose.link("pmid", "1") == "[PMID 1](https://pubmed.ncbi.nlm.nih.gov/1/)"


@pytest.mark.parametrize(
    ("returned", "total", "note", "expected"),
    [
        (20, 143, "", "20 of 143 trials"),
        (3, 3, "", "3 trials"),
        (1, 1, "", "1 trial"),
        (7, 7, "The offline snapshot holds only a part of what the database lists here.", "at least 7 trials"),
    ],
)
def test_a_part_is_never_taken_for_the_whole(returned: int, total: int, note: str, expected: str) -> None:
    assert compose.of_total(data([], returned=returned, total=total, note=note), "trial") == expected


def test_the_mark_of_a_partial_snapshot_is_the_one_that_results_carry() -> None:
    from chat.providers.planner.results import SNAPSHOT_PART
    from mcp_server.envelope import Answer, success
    from mcp_server.http.client import CallTrace
    from mcp_server.http.messages import Origin

    trace = CallTrace()
    trace.origins.append(Origin("curated", "2026-01-05", True))
    assert SNAPSHOT_PART in success(Answer([]), [], trace).content["note"]


@pytest.mark.parametrize("code", list(ToolCode))
def test_every_failure_has_words_that_do_not_say_nothing_was_found(code: ToolCode) -> None:
    words = compose.said(Result(ASKED, ResultOutcome.FAILED, error_code=code.value))
    assert words and "nothing" not in words.lower()


def test_gaps_group_what_failed_alike() -> None:
    def missing(drug: str) -> Result:
        asked = trials_call(drug, "breast cancer")
        return Result(asked, ResultOutcome.FAILED, error_code=ToolCode.NOT_IN_SNAPSHOT.value)

    text = compose.gaps([missing("a"), missing("b"), data({})])
    assert text.endswith("- ClinicalTrials.gov, not in the offline snapshot: trials of a and b in breast cancer.")


def test_without_a_failure_there_are_no_gaps() -> None:
    assert compose.gaps([data({}), Result(ASKED, ResultOutcome.EMPTY)]) == ""


def test_a_cell_takes_as_many_names_as_are_seen_to_fit() -> None:
    names = [f"[name{n}](https://example.org/{'x' * 40})" for n in range(4)]
    assert compose.fitting(names, 29) == compose.listed(names)
    assert compose.fitting(names, 28) == compose.listed(names, 2)
    assert compose.fitting(names, 1) == compose.listed(names, 1)
    assert compose.fitting([], 1) == ""


def test_a_column_that_no_row_fills_is_left_out() -> None:
    rows = [["a", "not recorded", ""], ["b", "", "x"]]
    assert compose.table(("One", "Two", "Three"), rows) == "| One | Three |\n| --- | --- |\n| a | – |\n| b | x |"


def test_names_are_listed_as_people_do() -> None:
    assert compose.listed(["a"]) == "a"
    assert compose.listed(["a", "b", "c"]) == "a, b and c"
    assert compose.listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
