"""The other questions of the empty page over the snapshot: exact identifiers, counts, honest words."""

import re

import pytest

from chat.examples import EXAMPLES
from chat.providers.planner import compose
from chat.providers.planner.recipes.unsupported import SHAPES
from chat.providers.planner.recognise import recognise
from chat.providers.planner.shapes import Shape
from tests.chat.providers.planner.driver import Snapshot, run

IDENTIFIERS = "What are the Ensembl, UniProt and ChEMBL identifiers of HER2?"
VARIANT = (
    "BRAF V600E in melanoma: which drugs target it, what does ClinVar say, which trials are open, "
    "and what is the key literature?"
)
ALLELES = "How do CYP2C19 star alleles change the response to clopidogrel, and what does the CPIC guideline recommend?"
RESISTANCE = (
    "EGFR-mutant non-small-cell lung cancer: how does osimertinib act on T790M, and which trials test what comes next?"
)
PATHWAYS = "Which Reactome pathways contain TP53, and which approved drugs target their members?"


@pytest.mark.parametrize("question", [example.question for example in EXAMPLES], ids=lambda text: text[:40])
async def test_every_example_is_answered_with_evidence_for_each_identifier(question: str, snapshot: Snapshot) -> None:
    turn = await run(question, snapshot)
    assert "has no recipe" not in turn.answer
    assert turn.grounding.not_in_evidence == ()
    assert len(turn.grounding.grounded) >= 3


@pytest.mark.parametrize(
    "question", [*(example.question for example in EXAMPLES), "What is lapatinib?", "What is HER2?"]
)
async def test_no_cell_of_a_table_is_a_wall_and_no_column_is_empty(question: str, snapshot: Snapshot) -> None:
    turn = await run(question, snapshot)
    tables = re.findall(r"(?m)^\| .*\n\| ---.*\n((?:\| .*(?:\n|$))+)", turn.answer)
    assert tables or "clopidogrel" in question
    for table in tables:
        rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in table.splitlines()]
        assert max(len(compose.visible(cell)) for row in rows for cell in row) <= compose.CELL_MAX_CHARS
        assert all({*column} - {"–", "not recorded", "not asked", "not given"} for column in zip(*rows, strict=True))


async def test_identifiers_of_a_gene_by_its_everyday_name(snapshot: Snapshot) -> None:
    turn = await run(IDENTIFIERS, snapshot)
    first = turn.opening
    assert "“HER2” is read as ERBB2" in first
    for identifier in ("ENSG00000141736", "P04626", "CHEMBL1824"):
        assert f"[{identifier}](https://" in first
    assert "[HGNC:3430](" in turn.answer
    assert "“HER2” is not the approved symbol; that is ERBB2." in turn.answer
    assert len(turn.calls) == 3


async def test_a_variant_has_its_three_classifications_apart(snapshot: Snapshot) -> None:
    turn = await run(VARIANT, snapshot)
    section = turn.section("ClinVar")
    link = "[VCV000013961](https://www.ncbi.nlm.nih.gov/clinvar/variation/13961/)"
    assert "| Germline | Conflicting classifications of pathogenicity | 1 of 4 stars" in section
    assert "| Somatic clinical impact | Tier I - Strong | 2 of 4 stars" in section
    assert "| Oncogenicity | Oncogenic | 1 of 4 stars" in section
    assert section.count(link) == 3
    assert "ClinVar as of 2026-09-24." in section


async def test_a_variant_has_the_condition_of_the_question_first(snapshot: Snapshot) -> None:
    turn = await run(VARIANT, snapshot)
    rows = [line for line in turn.section("ClinVar").splitlines() if "RCV" in line]
    assert rows[0].startswith("| Melanoma | [RCV000067669](")
    assert "7 of 7 conditions of the record. Record as of 2024-09-17." in turn.section("ClinVar")


async def test_a_variant_has_drugs_trials_and_papers(snapshot: Snapshot) -> None:
    turn = await run(VARIANT, snapshot)
    assert "dabrafenib | [CHEMBL2028663]" in turn.answer and "mesylate [CHEMBL2105729]" in turn.answer
    assert "vemurafenib | [CHEMBL1229517]" in turn.answer
    assert "[NCT01597908](https://clinicaltrials.gov/study/NCT01597908)" in turn.section("Trials in “melanoma”")
    assert "([PMID 21639808](https://pubmed.ncbi.nlm.nih.gov/21639808/))" in turn.section("Literature")
    assert "Nothing found in ClinPGx: BRAF." in turn.section("Pharmacogenomics in ClinPGx")


async def test_a_variant_has_its_effect_its_disease_and_its_open_trials_first(snapshot: Snapshot) -> None:
    turn = await run(VARIANT, snapshot)
    first = turn.opening
    said = "germline: Pathogenic; somatic clinical impact: Tier I - Strong ([RCV000067669]("
    assert first.startswith(f"**BRAF V600E** for melanoma, in ClinVar: {said}")
    over_all = "**Over all conditions** ([VCV000013961](https://www.ncbi.nlm.nih.gov/clinvar/variation/13961/))"
    assert f"\n- {over_all}: germline: Conflicting classifications of pathogenicity; " in first
    assert "constitutive and elevated kinase activity" in first and "(UniProt [P15056](" in first
    approved = "dabrafenib, vemurafenib, sorafenib, regorafenib, tovorafenib and encorafenib"
    assert f"approved for some disease: {approved}" in first
    assert "encorafenib (≥10, 4 open)" in first and "dabrafenib (≥9, none recorded as open)" in first
    rows = [line for line in turn.section("Trials in “melanoma”").splitlines() if line.startswith("| encorafenib")]
    assert len(rows) == 3 and all("| recruiting (2026-04-07) |" in row for row in rows)


async def test_a_pharmacogene_has_annotations_pair_guidelines_and_recommendations(snapshot: Snapshot) -> None:
    turn = await run(ALLELES, snapshot)
    first = turn.opening
    assert "no function: `CYP2C19*2`, `CYP2C19*3`" in first and "increased function: `CYP2C19*17`" in first
    assert "poor metabolizer: Significantly reduced clopidogrel active metabolite formation" in first
    link = "[CYP2C19 and Clopidogrel](https://www.clinpgx.org/guideline/PA166251443)"
    assert first.startswith(f"**CPIC gives CYP2C19 and clopidogrel level A** ({link}).\n\n- **How the alleles")
    assert (
        "- **CPIC recommends**, poor metabolizer: “Avoid clopidogrel if possible. Use prasugrel or ticagrelor" in first
    )
    assert "ClinPGx has 6 clinical annotations on CYP2C19 and clopidogrel, 3 of the strongest level 1A" in first
    assert "[annotation 1451282340](" in first
    assert "guideline annotations exist from CPIC and DPWG" in first
    section = turn.section("Guidelines")
    for pmid in ("21716271", "23698643", "35034351"):
        assert f"[PMID {pmid}](" in section
    effect = (
        "Significantly reduced clopidogrel active metabolite formation; increased on-treatment platelet reactivity; "
        "increased risk for adverse cardiac and cerebrovascular events"
    )
    assert f"- **Poor Metabolizer**: {effect}\n    - CVI ACS PCI: Avoid clopidogrel if possible." in section
    assert "    - CVI ACS PCI; CVI non-ACS non-PCI; NVI: If considering clopidogrel, use at standard dose" in section
    assert section.count("- **Normal Metabolizer**") == 1
    assert "clinically indicated and no contraindication. (moderate)" in section
    assert "at least 9 recommendations, as of 2025-11-05" in section
    assert "PCI: percutaneous coronary intervention" in section
    assert "[PA166104956](https://www.clinpgx.org/guidelineAnnotation/PA166104956)" in section


async def test_alleles_have_function_and_frequency_and_a_missing_one_is_no_zero(snapshot: Snapshot) -> None:
    turn = await run(ALLELES, snapshot)
    lines = turn.section("Alleles of CYP2C19").splitlines()
    head = next(line for line in lines if line.startswith("| Allele"))
    european = head.split(" | ").index("European")
    cells = {line.split("`")[1]: line.split(" | ") for line in lines if line.startswith("| `")}
    assert cells["CYP2C19*2"][1] == "No function" and cells["CYP2C19*2"][european] == "0.147"
    assert cells["CYP2C19*17"][1] == "Increased function" and cells["CYP2C19*17"][european] == "0.215"
    assert cells["CYP2C19*18"][european].strip(" |") == "not measured"
    assert cells["CYP2C19*35"][european].strip(" |") == "0"


async def test_resistance_has_residue_mechanism_and_trials(snapshot: Snapshot) -> None:
    turn = await run(RESISTANCE, snapshot)
    assert "[P00533](https://www.uniprot.org/uniprotkb/P00533/entry), T790M: found in a lung cancer" in turn.answer
    assert "increased kinase activity; [rs121434569](" in turn.answer
    first = turn.opening
    assert first.startswith("**Osimertinib** on EGFR, approved ([Open Targets](")
    assert "max. phase 4, as mesylate): Epidermal growth factor receptor erbB1 inhibitor ([mesylate](" in first
    assert "named in the title of [NCT02094261](" in first and "[PMID 27959700](" in first
    assert "osimertinib (≥12, 6 open)" in first
    assert "osimertinib | [CHEMBL3353410]" in turn.answer and "mesylate [CHEMBL3545063]" in turn.answer
    assert turn.called("chembl__find_drugs_by_target") == [{"target_chembl_id": "CHEMBL203", "limit": 200}]
    assert turn.called("chembl__get_drug_mechanisms") == []


async def test_a_phrase_is_looked_up_as_it_is_filed_and_shown_as_it_was_written(snapshot: Snapshot) -> None:
    turn = await run(RESISTANCE, snapshot)
    (search,) = turn.called("opentargets__search_entities")
    assert search["query"] == "non-small cell lung cancer"
    section = turn.section("Trials in “non-small-cell lung cancer”")
    assert "| Tested | Trial |" in section
    assert "| Savolitinib, Osimertinib, Pemetrexed, Cisplatin and Carboplatin | [NCT05261399](" in section
    assert "Tomography" not in section and "[NCT02296125](" in section
    assert section.index("NCT05261399") < section.index("NCT02296125")


async def test_annotations_on_other_drugs_and_diseases_are_only_counted(snapshot: Snapshot) -> None:
    turn = await run(RESISTANCE, snapshot)
    section = turn.section("Pharmacogenomics in ClinPGx")
    rows = [line for line in section.splitlines() if "[annotation" in line]
    assert [row.split(" | ")[1] for row in rows[:2]] == ["rs121434569", "rs121434569"]
    assert all("level 2B" in row for row in rows[:2])
    assert len(rows) == 6
    assert "15 further annotations on other drugs, diseases and variants are not shown." in section
    assert "hepatitis" not in section
    assert "Nothing found in ClinPGx: osimertinib." in section


async def test_resistance_without_a_clinvar_record_in_the_snapshot_says_so(snapshot: Snapshot) -> None:
    turn = await run(RESISTANCE, snapshot)
    failed = [call.arguments for number, call in enumerate(turn.calls) if turn.outcome(number) == "failed"]
    assert failed == [{"variant": "EGFR T790M"}]
    assert "in ClinVar: not in the offline snapshot." in turn.opening
    gaps = turn.section("What could not be looked up")
    assert "ClinVar, not in the offline snapshot: the variant EGFR T790M." in gaps


async def test_resistance_without_a_variant_says_that_no_variant_was_read(snapshot: Snapshot) -> None:
    question = (
        "Which drugs treat EGFR-mutant non-small cell lung cancer, and what is known about osimertinib resistance?"
    )
    said = "the question names no variant, so no variant's own records were read."
    limits = (await run(question, snapshot)).section("Limits, and what to check next")
    assert f"Resistance: {said} Ask again with the variant's name" in limits
    assert said not in (await run(RESISTANCE, snapshot)).answer
    assert said not in (await run(question.replace("resistance", "trials"), snapshot)).answer


async def test_a_variant_whose_gene_is_not_known_has_no_words_on_drugs_against_it(snapshot: Snapshot) -> None:
    turn = await run("rs7412", snapshot)
    assert turn.outcome(0) == "failed"
    limits = turn.section("Limits, and what to check next")
    assert "No gene is known of this variant here" in limits
    assert "on record against" not in turn.answer


async def test_pathways_have_members_and_what_is_known_of_drugs_on_them(snapshot: Snapshot) -> None:
    turn = await run(PATHWAYS, snapshot)
    assert "**Reactome files TP53** ([P04637]" in turn.answer
    assert "at least 45 pathways" in turn.answer
    assert (
        "Regulation of TP53 Degradation ([R-HSA-6804757](https://reactome.org/content/detail/R-HSA-6804757))"
        in turn.answer
    )
    assert "BRCA1 [P38398]" in turn.section("Members of the opened pathways")


async def test_approved_drugs_on_the_members_of_pathways_are_found(snapshot: Snapshot) -> None:
    turn = await run(PATHWAYS, snapshot)
    first = turn.opening
    for said in ("capivasertib (AKT1, AKT2 and AKT3)", "carmustine (GSR)", "ridaforolimus (MTOR)"):
        assert said in first
    section = turn.section("Drugs on members")
    assert "| AKT1 | capivasertib [CHEMBL2325741](https://platform.opentargets.org/drug/CHEMBL2325741) |" in section
    assert "| ipatasertib [CHEMBL2177390](" in section and "(phase 3) | 2 of 15 records |" in section
    assert "| TP53 | none in what was read | idasanutlin [CHEMBL2402737]" in section
    assert "5 of 9 records" in section
    nothing = section.partition("No drug on record in Open Targets: ")[2].partition(".")[0]
    assert {"ATM", "BRCA1", "G6PD", "JUN", "MT-CO2", "YWHAZ"} == set(nothing.replace(" and ", ", ").split(", "))


async def test_each_member_with_a_target_record_is_asked_about_and_the_rest_is_said(snapshot: Snapshot) -> None:
    turn = await run(PATHWAYS, snapshot)
    asked = turn.called("opentargets__get_target_drugs")
    assert asked[0]["ensembl_id"] == "ENSG00000141510"
    assert len(asked) == len({each["ensembl_id"] for each in asked}) == 20
    failed = [number for number, call in enumerate(turn.calls) if turn.outcome(number) == "failed"]
    said = "Not known: " in turn.section("Drugs on members")
    assert said == bool(failed)
    assert len(turn.calls) <= 30


async def test_a_gene_dossier_comes_from_the_same_parts(snapshot: Snapshot) -> None:
    turn = await run("What is HER2?", snapshot)
    assert turn.answer.startswith("**“HER2” is read as ERBB2 ([ENSG00000141736]")
    assert "Protein [P04626]" in turn.answer and "lapatinib" in turn.answer
    assert turn.grounding.not_in_evidence == ()


async def test_a_drug_dossier_says_what_was_not_found_and_what_was_not_there(snapshot: Snapshot) -> None:
    turn = await run("What is lapatinib?", snapshot)
    assert turn.answer.startswith("**lapatinib ([CHEMBL554]")
    assert "HLA-DQA1*02:01" in turn.answer
    assert "indications of lapatinib" in turn.section("What could not be looked up")
    assert turn.grounding.not_in_evidence == ()


async def test_a_disease_dossier_lists_targets_with_their_count(snapshot: Snapshot) -> None:
    turn = await run("Which targets are associated with melanoma?", snapshot)
    assert "“melanoma” is read as melanoma ([MONDO_0005105]" in turn.answer
    assert turn.grounding.not_in_evidence == ()


@pytest.mark.parametrize("question", ["Write me a poem about whales.", "", "What is the capital of France?"])
async def test_a_question_without_a_recipe_is_told_so_without_a_call(question: str, snapshot: Snapshot) -> None:
    turn = await run(question, snapshot)
    assert turn.calls == []
    assert turn.answer.startswith(
        "This question cannot be answered here: the recipe planner, which is no language model"
    )
    assert "Which Reactome pathways contain TP53" in turn.answer
    assert "`ANTHROPIC_API_KEY`" in turn.answer


@pytest.mark.parametrize("example", re.findall("“(.+?)”", " ".join(SHAPES)))
def test_every_example_of_a_shape_has_a_recipe(example: str) -> None:
    assert recognise(example).shape is not Shape.UNSUPPORTED


@pytest.mark.case("C003")
async def test_damaged_gene_cells_are_asked_back(snapshot: Snapshot) -> None:
    turn = await run("Which pathways hold TP53, 1-Mar and 12-Sep?", snapshot)
    assert turn.calls == []
    assert (
        "“1-Mar” and “12-Sep” in the question look like gene names that a spreadsheet turned into dates" in turn.answer
    )
