"""Pharmacogenomics: dosing first, what the question is about before the rest, recommendations as CPIC words them."""

from typing import Any

from chat.providers.planner.parts import recommendations
from chat.providers.planner.parts.annotations import (
    SHOWN_EACH,
    Words,
    alike,
    annotations_call,
    in_short,
    read_annotations,
    section,
)
from chat.providers.planner.results import Result
from mcp_server.codes import ResultOutcome

Json = Any
ASKED = annotations_call(drug="gefitinib")


def data(rows: Json) -> Result:
    return Result(ASKED, ResultOutcome.DATA, data=rows, total=len(rows), returned=len(rows))


def annotation(id: int, variant: str, drug: str, *types: str, level: str = "3", disease: str = "Gout") -> Json:
    return {
        "id": id,
        "types": list(types) or ["Toxicity"],
        "levelOfEvidence": {"term": level},
        "location": {"displayName": variant, "genes": [{"symbol": "GENE1"}]},
        "relatedChemicals": [{"name": drug}],
        "relatedDiseases": [{"name": disease}],
    }


def rows_of(text: str) -> list[str]:
    return [line.split(" | ")[1] for line in text.splitlines() if "annotation " in line and line.startswith("| ")]


def test_annotations_on_dosing_come_first_and_no_drug_fills_the_page() -> None:
    many = [annotation(n, f"rs{n}", "sunitinib") for n in range(1, 10)]
    dosing = annotation(20, "rs20", "sunitinib", "Dosage", level="4")
    other = annotation(30, "rs30", "lapatinib")
    text = section([("sunitinib", data([*many, dosing])), ("lapatinib", data([other]))], dosing_first=True)
    assert rows_of(text) == ["rs20", *(f"rs{n}" for n in range(1, SHOWN_EACH + 1)), "rs30"]
    assert "Shown are 6 of 11, by drug and by strength of evidence. 1 of 11 annotations is on dosing." in text


def test_what_the_question_is_about_comes_first_and_the_rest_is_counted() -> None:
    rows = [
        annotation(1, "rs1", "imatinib", level="1A"),
        annotation(2, "rs2", "erlotinib", disease="Non-Small Cell Lung Carcinoma"),
        annotation(3, "rs121434569", "afatinib", level="4"),
    ]
    words = Words("non-small-cell lung cancer", ("osimertinib",), ("rs121434569",))
    text = section([("EGFR", data(rows))], about=words)
    assert rows_of(text) == ["rs121434569", "rs2"]
    assert "1 further annotation on other drugs, diseases and variants is not shown." in text


def link(id: int, level: str) -> str:
    return f"[level {level}](https://www.clinpgx.org/clinicalAnnotation/{id})"


def test_a_clause_names_variants_genes_levels_drug_and_effect() -> None:
    rows = [
        annotation(1, "rs776746", "sunitinib", "Dosage", "Toxicity"),
        annotation(2, "GENE1*2", "x", level=""),
        annotation(3, "GENE1*3", "x"),
    ]
    single, alleles = alike(sorted(read_annotations(data(rows)), key=lambda each: each.id))
    assert in_short(single) == f"rs776746 (GENE1, {link(1, '3')}) for sunitinib (dosage and toxicity: gout)"
    assert in_short(single, with_kinds=False).endswith(" for sunitinib (gout)")
    two = f"`GENE1*2` ({link(2, 'not given')}) and `GENE1*3` ({link(3, '3')})"
    assert in_short(alleles) == f"{two} for x (toxicity: gout)"


def recommendation(phenotype: str, group: str, text: str, effect: str = "") -> Json:
    row = {"lookupkey": {"GENE1": phenotype}, "population": group, "drugrecommendation": text}
    return row | {"classification": "Strong"} | ({"implications": {"GENE1": effect}} if effect else {})


ROWS = [
    recommendation("Normal Metabolizer", "CVI ACS PCI", "Use", "Normal"),
    recommendation("Normal Metabolizer", "NVI ", "Use"),
    recommendation("Poor Metabolizer", "CVI ACS PCI", "Avoid", "Less effect"),
    recommendation("Poor Metabolizer", "NVI", "Consider another"),
]


def test_groups_of_patients_with_one_recommendation_share_it() -> None:
    found = recommendations.read_recommendations(data(ROWS), "GENE1")
    assert [(each.phenotype, each.groups, each.effect) for each in found] == [
        ("Normal Metabolizer", ["CVI ACS PCI", "NVI"], "Normal"),
        ("Poor Metabolizer", ["CVI ACS PCI"], "Less effect"),
        ("Poor Metabolizer", ["NVI"], "Less effect"),
    ]


def test_what_differs_from_normal_is_said_first_with_group_and_strength() -> None:
    found = recommendations.read_recommendations(data(ROWS), "GENE1")
    assert recommendations.in_short(found) == ["poor metabolizer: “Avoid” (CVI ACS PCI, strong)"]
    assert recommendations.effect_in_short(found) == "poor metabolizer: Less effect"
    assert "NVI: neurovascular indications" in recommendations.abbreviations(found)


def test_recommendations_are_listed_by_phenotype_and_in_full() -> None:
    long = f"Avoid {'very ' * 80}much"
    rows = [*ROWS, recommendation("Poor Metabolizer", "Children", long)]
    text = recommendations.listed(recommendations.read_recommendations(data(rows), "GENE1"), "GENE1")
    assert text.splitlines() == [
        "- **Normal Metabolizer**: Normal",
        "    - CVI ACS PCI; NVI: Use (strong)",
        "- **Poor Metabolizer**: Less effect",
        "    - CVI ACS PCI: Avoid (strong)",
        "    - NVI: Consider another (strong)",
        f"    - Children: {long} (strong)",
    ]
