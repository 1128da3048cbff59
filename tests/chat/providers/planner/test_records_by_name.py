"""Recipes for one record or one list: what their answers say of it, and of what was not there."""

import json
from typing import Any

import pytest

from chat.providers.base import ToolCall, ToolResult
from chat.providers.planner.results import body_of
from tests.chat.providers.planner.driver import Change, Snapshot, envelope_text, run

Json = Any
DOWN = {"outcome": "failed", "error": {"code": "upstream_unavailable", "message": "no answer"}}
TRIAL = "Can someone with glioma still join NCT02576665?"


def with_data(tool: str, **facts: Json) -> Change:
    """Change facts in the data of a tool's results."""

    def change(_: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.name != tool:
            return result
        content = json.loads(body_of(result))
        content["data"] |= facts
        return ToolResult(call.id, call.name, envelope_text(content))

    return change


def instead(tool: str, content: Json) -> Change:
    """Replace the results of a tool."""

    def change(_: int, call: ToolCall, result: ToolResult) -> ToolResult:
        text = envelope_text(content)
        is_error = content["outcome"] == "failed"
        return ToolResult(call.id, call.name, text, is_error=is_error) if call.name == tool else result

    return change


async def test_a_trial_that_ended_cannot_be_joined(snapshot: Snapshot) -> None:
    turn = await run(TRIAL, snapshot)
    assert turn.opening.startswith("**No: [NCT02576665](https://clinicaltrials.gov/study/NCT02576665) is terminated**")
    assert "- **Sponsor**: Tocagen Inc." in turn.opening and "21 people" in turn.opening
    assert "Toca FC, also called Flucytosine, 5-FC and 5-Fluorocytosine." in turn.answer


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("RECRUITING", "**Yes, by its status: "),
        ("ACTIVE_NOT_RECRUITING", "**No longer: "),
        ("NOT_YET_RECRUITING", "**Not yet: "),
        ("UNKNOWN", "**[NCT02576665]("),
    ],
)
async def test_what_a_status_means_for_joining_is_said_first(status: str, said: str, snapshot: Snapshot) -> None:
    turn = await run(TRIAL, snapshot, with_data("clinicaltrials__get_study", overallStatus=status))
    assert turn.opening.startswith(said)


async def test_a_trial_nobody_knows_is_not_called_closed(snapshot: Snapshot) -> None:
    unknown = {"outcome": "unknown_id", "data": {"identifier": "NCT99999999"}, "note": "No such trial."}
    turn = await run("Can I join NCT99999999?", snapshot, instead("clinicaltrials__get_study", unknown))
    assert turn.answer.startswith("The trial that the question names: not known to ClinicalTrials.gov.")


async def test_a_retracted_paper_is_called_so(snapshot: Snapshot) -> None:
    article = {"pmid": "20516115", "title": "A title.", "corrections": [{"type": "RetractionIn"}]}
    change = instead("pubmed__get_articles", {"outcome": "data", "data": {"articles": [article]}})
    turn = await run("Was PMID 20516115 retracted?", snapshot, change)
    assert "- **Retracted or under concern**, by PubMed: RetractionIn." in turn.opening


async def test_no_mark_of_retraction_is_only_told_of_a_whole_record(snapshot: Snapshot) -> None:
    assert "retraction" not in (await run("Was PMID 20516115 retracted?", snapshot)).answer.casefold()
    whole = {"outcome": "data", "data": {"articles": [{"pmid": "20516115", "title": "A title."}]}}
    turn = await run("Was PMID 20516115 retracted?", snapshot, instead("pubmed__get_articles", whole))
    assert "- No retraction or expression of concern in PubMed, as of 2026-11-30." in turn.opening


async def test_a_paper_without_a_copy_is_told_apart_from_one_that_could_not_be_looked_up(snapshot: Snapshot) -> None:
    question = "Is there a free full text of PMID 22663011?"
    assert "**Free full text**: not in PMC" in (await run(question, snapshot)).answer
    turn = await run(question, snapshot, instead("pubmed__convert_ids", DOWN))
    assert "**Free full text**: not known, PubMed could not be reached." in turn.answer


async def test_the_numbers_of_each_comparison_of_a_paper_stand_apart(snapshot: Snapshot) -> None:
    turn = await run("PMID 15743917 on HLA-B*58:01 and allopurinol: odds ratio?", snapshot)
    section = turn.section("What ClinPGx curated from this paper")
    assert "    - OR 580.3; study case/control; 51 cases; 135 controls; p = 4.7E-24" in section
    assert "    - OR 393.5; study case/control; 51 cases; 93 controls" in section


async def test_only_the_forms_of_a_disease_that_were_asked_for_are_followed(snapshot: Snapshot) -> None:
    turn = await run("Which genes cause Familial hypercholesterolaemia type 1 and type 3?", snapshot)
    assert [call["disease"] for call in turn.called("uniprot__search_proteins")] == [
        "Hypercholesterolemia, familial, 1",
        "Hypercholesterolemia, familial, 3",
    ]
    assert "**2 genes of “Familial hypercholesterolaemia”** in UniProt" in turn.answer
    assert "APOB" not in turn.answer


async def test_a_gene_that_the_question_sets_aside_is_left_out_and_this_is_said(snapshot: Snapshot) -> None:
    question = "Which gene has a drug response to warfarin other than F9? UniProt accession?"
    turn = await run(question, snapshot)
    assert "P00740" not in turn.answer
    assert "its gene: none named." in turn.opening


async def test_cytoband_and_further_diseases_that_failed_are_not_called_none(snapshot: Snapshot) -> None:
    question = "Which gene causes Currarino syndrome? Cytoband and UniProt accession?"
    turn = await run(question, snapshot, instead("uniprot__get_disease_involvement", DOWN))
    assert "none in the entry" not in turn.answer
    turn = await run(question, snapshot, instead("ensembl__get_region_features", DOWN))
    assert "cytogenetic band" not in turn.opening and "MNX1" in turn.opening


async def test_each_protein_of_a_locus_has_its_own_diseases(snapshot: Snapshot) -> None:
    turn = await run("GNAS: UniProt accessions, and which have pseudohypoparathyroidism 1C?", snapshot)
    (line,) = [line for line in turn.answer.splitlines() if "is filed for" in line]
    assert "4 reviewed entries in UniProt" in turn.opening
    assert line.count("(Pseudohypoparathyroidism 1C") == 2 and "P63092" in line and "Q5JWF2" in line


async def test_an_allele_that_cpic_calls_by_its_change_is_found(snapshot: Snapshot) -> None:
    turn = await run("HGVS name and rsID of DPYD*2A?", snapshot)
    (asked,) = turn.called("clinpgx__get_allele_definition")
    assert asked == {"gene_symbol": "DPYD", "allele": "c.1905+1G>A (*2A)"}
    assert "DPYD `c.1905+1G>A (*2A)`" in turn.answer and "GRCh38 1:97450058 C>T" in turn.answer


async def test_an_allele_of_several_variants_says_what_each_defines_alone(snapshot: Snapshot) -> None:
    turn = await run("Which rsIDs define TPMT*3A?", snapshot)
    assert "[rs1800460](https://www.ncbi.nlm.nih.gov/snp/rs1800460) alone defines `TPMT*3B`." in turn.answer
    assert "rs1142345, GRCh38 6:18130687 T>C" in turn.answer.replace(
        "](https://www.ncbi.nlm.nih.gov/snp/rs1142345)", ""
    )
    assert "T>G" not in turn.answer


async def test_the_pairs_of_a_level_are_sifted_from_all_and_not_cut(snapshot: Snapshot) -> None:
    turn = await run("Drugs at CPIC level A for CYP2D6", snapshot)
    assert turn.opening.startswith("**CPIC has 11 drugs at level A for CYP2D6**")
    assert "Sifted from 79 pairs. 68 further pairs at other levels are left out." in turn.answer


async def test_no_drug_on_record_and_a_failed_look_up_are_two_answers(snapshot: Snapshot) -> None:
    question = "Which approved drugs bind BRCA1 itself?"
    found = await run(question, snapshot)
    assert found.answer.startswith("**There is no drug or clinical candidate recorded for BRCA1** in Open Targets")
    failed = await run(question, snapshot, instead("opentargets__get_target_drugs", DOWN))
    assert "no drug or clinical candidate" not in failed.answer
    assert "BRCA1: Open Targets could not be reached" in failed.answer


async def test_drugs_against_two_genes_are_told_from_those_against_one(snapshot: Snapshot) -> None:
    turn = await run("Which kinase inhibitors are listed against both EGFR and ERBB2?", snapshot)
    assert "CHEMBL180022" in turn.section("Against both") and "CHEMBL3989868" not in turn.section("Against both")
    assert "tucatinib [CHEMBL3989868]" in turn.section("Only against ERBB2")
    assert "osimertinib [CHEMBL3353410]" in turn.section("Only against EGFR")
    assert "mab" not in turn.section("Against both")


async def test_a_drug_that_is_not_on_the_list_is_named_as_missing(snapshot: Snapshot) -> None:
    turn = await run("Are lapatinib and imatinib recorded against ERBB2 in Open Targets?", snapshot)
    assert turn.opening.startswith("**Recorded against ERBB2**: lapatinib; not among what was read: imatinib.")


async def test_a_drug_has_its_first_approval_by_agency_with_its_source(snapshot: Snapshot) -> None:
    turn = await run("When was Imatinib first approved?", snapshot)
    said = "**First approvals**: FDA 2001-05-10 and EMA 2001-11-07 (DrugCentral by MyChem, as of 2026-08-11)."
    assert said in turn.opening
    assert turn.called("chembl__get_drug_mechanisms") == []


async def test_trials_of_a_drug_are_looked_up_under_its_development_code_too(snapshot: Snapshot) -> None:
    turn = await run("Daraxonrasib: development code and trials?", snapshot)
    asked = [call["intervention"] for call in turn.called("clinicaltrials__search_studies")]
    assert asked == ["daraxonrasib", "RMC-6236"]
    assert "| RMC-6236 | [NCT06625320](" in turn.section("Trials")
    assert "trials of daraxonrasib" in turn.section("What could not be looked up")


async def test_one_text_is_another_variant_on_each_assembly(snapshot: Snapshot) -> None:
    turn = await run("Which gene is chr10:g.87933119A>C?", snapshot)
    assert "on GRCh38** lies in **PTEN**" in turn.opening and "on GRCh37** lies in **GRID1**" in turn.opening
    only = await run("Which gene is chr10:g.87933119A>C on hg19?", snapshot)
    assert only.called("myvariant__variant_clinical_summary") == [
        {"variant": "chr10:g.87933119A>C", "assembly": "hg19"}
    ]


async def test_a_classification_that_is_not_held_is_not_called_absent(snapshot: Snapshot) -> None:
    turn = await run("NM_000546.6:c.215C>G: rsID and position?", snapshot)
    assert "its classification is not held in what was read" in turn.opening


async def test_a_phenotype_term_is_told_from_the_disease_of_the_same_name(snapshot: Snapshot) -> None:
    turn = await run("Phenotype term and disease term of type 2 diabetes mellitus?", snapshot)
    assert "“type 2 diabetes mellitus” is read as type 2 diabetes mellitus ([MONDO_0005148](" in turn.opening
    assert "**A phenotype term shares the name**: [HP:0005978](" in turn.opening


async def test_a_protein_of_a_pathway_is_only_missing_if_the_whole_list_was_read(snapshot: Snapshot) -> None:
    question = "Does P15056 act in R-HSA-5673001?"
    unread = await run(question, snapshot)
    assert "may take part: its members are not in the offline snapshot" in unread.opening
    members = [{"identifier": "P00533", "geneName": "EGFR", "database": "uniprot"}]
    whole = {"outcome": "data", "data": {"participants": members}, "total": 1, "returned": 1}
    read = await run(question, snapshot, instead("reactome__get_pathway_participants", whole))
    assert "is not among its members." in read.opening
