"""Whatever one call brings, the answer stays true: no identifier without evidence, no failure called "nothing"."""

import re
from typing import Any

import pytest

from chat.providers.base import ToolCall, ToolResult
from chat.providers.planner.results import PLATFORM_TITLES
from tests.chat.providers.planner.driver import Snapshot, Turn, envelope_text, run
from tests.chat.providers.planner.test_questions import ALLELES, IDENTIFIERS, PATHWAYS, RESISTANCE, VARIANT
from tests.chat.providers.planner.test_target_drugs import QUESTION

PLANTED = "CHEMBL9999999"
NEAR = [{"tool": "chembl__get_molecule", "arguments": {"chembl_id": PLANTED}}]
CHANGED: dict[str, Any] = {
    "down": {"outcome": "failed", "error": {"code": "upstream_unavailable", "message": f"no answer for {PLANTED}"}},
    "missing": {"outcome": "failed", "error": {"code": "not_in_snapshot", "message": "no such request", "near": NEAR}},
    "nothing": {"outcome": "empty", "data": [], "total": 0, "returned": 0, "note": "There is nothing."},
    "unknown": {"outcome": "unknown_id", "data": {"identifier": "X"}, "note": "There is no such record."},
    "odd list": {"outcome": "data", "data": [1, None, "x", {}], "total": 4, "returned": 4},
    "odd record": {"outcome": "data", "data": {"rows": "none", "hits": [None], "molecules": [{}], "id": 7, "genes": 3}},
    "no data": {"outcome": "data", "data": None},
}
QUESTIONS = {
    "target_drugs": QUESTION,
    "variant": VARIANT,
    "alleles": ALLELES,
    "resistance": RESISTANCE,
    "pathways": PATHWAYS,
    "identifiers": IDENTIFIERS,
    "gene": "What is HER2?",
    "drug": "What is lapatinib?",
    "disease": "melanoma",
    "gene_in_disease": "Which drugs are used in HER2-positive breast cancer?",
    "disease_genes": "Which gene causes Holt-Oram syndrome? Cytoband and UniProt accession?",
    "disease_codes": "What are the MONDO, OMIM and ICD-10 codes of Marfan syndrome, and its UniProt accession?",
    "proteins": "GNAS: UniProt accessions and lengths, and which one has pseudohypoparathyroidism?",
    "trial": "Can patients still join NCT02576665?",
    "paper": "PMID 31024313 on azathioprine: which gene was associated, and is the full text open access?",
    "pathway_record": "What is R-HSA-5673001, and does P15056 act in it?",
    "star_alleles": "Which variants (rsIDs) make up TPMT*3A, and which of NUDT15 matter?",
    "cpic_level": "Which gene has CPIC level A for clopidogrel, and where is its allele *2?",
    "pharmacogene": "CYP2C19*2 and clopidogrel: rsID, CPIC guideline, and the result of PMID 40184070?",
    "drugs_on_genes": "Which kinase inhibitors are listed against both EGFR and ERBB2?",
    "kinds_of_drugs": "Antibodies and ChEMBL identifiers recorded against HER2 in breast carcinoma",
    "variant_card": "BRAF V600E: ClinVar VariationID, HGVS and position, and the syndromes UniProt links?",
    "drug_card": "Pembrolizumab: ChEMBL target, mechanism, brand names, first approval?",
    "drug_pipeline": "Daraxonrasib: development code, papers and trials?",
    "rsid": "rs4244285",
    "rsid_card": "rs4244285: gene and position on GRCh38?",
    "genomic_change": "Which gene is chr10:g.87933119A>C?",
}


def check(turn: Turn) -> None:
    """Check what must hold of every answer."""
    assert turn.answer.strip()
    assert turn.grounding.not_in_evidence == ()
    assert PLANTED not in turn.answer
    outcomes = [turn.outcome(number) for number in range(len(turn.results))]
    without_data = {
        _platform(call)
        for call, outcome in zip(turn.calls, outcomes, strict=True)
        if outcome in ("empty", "unknown_id")
    }
    titles = {title: name for name, title in PLATFORM_TITLES.items()}
    for title in re.findall(rf"[Nn]othing found in ({'|'.join(titles)})", turn.answer):
        assert titles[title] in without_data
    assert ("What could not be looked up" in turn.answer) == ("failed" in outcomes)


def _platform(call: ToolCall) -> str:
    return call.name.partition("__")[0]


def first_and_last_of_each_tool(turn: Turn) -> list[int]:
    """Return the positions to try: calls of one tool between the first and the last take the same way."""
    by_tool: dict[str, list[int]] = {}
    for number, call in enumerate(turn.calls):
        by_tool.setdefault(call.name, []).append(number)
    return sorted({position for numbers in by_tool.values() for position in (numbers[0], numbers[-1])})


def names_said_to_have_nothing(turn: Turn) -> set[str]:
    """Return the names that the answer says ClinPGx has nothing on."""
    said = re.findall(r"Nothing found in ClinPGx: (.*?)\. That", turn.answer)
    said += re.findall(r"nothing found in ClinPGx for (.*?)[;.]", turn.answer)
    return {name.strip() for names in said for name in re.split(r", | and ", names)}


@pytest.mark.parametrize("kind", CHANGED)
@pytest.mark.parametrize("name", QUESTIONS)
async def test_any_single_result_may_be_replaced(name: str, kind: str, snapshot: Snapshot) -> None:
    whole = await run(QUESTIONS[name], snapshot)
    check(whole)
    positions = first_and_last_of_each_tool(whole)
    assert positions
    for position in positions:

        def change(number: int, call: ToolCall, result: ToolResult, position: int = position) -> ToolResult:
            if number != position:
                return result
            content = CHANGED[kind]
            text, is_error = envelope_text(content), content["outcome"] == "failed"
            return ToolResult(call.id, call.name, text, is_error=is_error)

        turn = await run(QUESTIONS[name], snapshot, change)
        check(turn)
        assert turn.outcome(position) == CHANGED[kind]["outcome"]


@pytest.mark.parametrize("kind", ["down", "missing", "nothing", "unknown"])
@pytest.mark.parametrize("name", QUESTIONS)
async def test_all_results_may_be_replaced(name: str, kind: str, snapshot: Snapshot) -> None:
    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        content = CHANGED[kind]
        return ToolResult(call.id, call.name, envelope_text(content), is_error=content["outcome"] == "failed")

    turn = await run(QUESTIONS[name], snapshot, change)
    check(turn)
    assert turn.grounding.grounded == ()


@pytest.mark.parametrize("drug", ["lapatinib", "tucatinib"])
async def test_a_failed_annotation_search_is_never_nothing_found(drug: str, snapshot: Snapshot) -> None:
    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.arguments.get("drug_name") != drug:
            return result
        return ToolResult(call.id, call.name, envelope_text(CHANGED["down"]), is_error=True)

    turn = await run(QUESTION, snapshot, change)
    nothing = names_said_to_have_nothing(turn)
    assert drug not in nothing and "neratinib" in nothing
    assert f"Not known: {drug} (ClinPGx could not be reached)." in turn.section("Pharmacogenomics in ClinPGx")
    assert f"ClinPGx could not be reached: clinical annotations on {drug}." in turn.answer


async def test_an_empty_trial_search_is_a_finding(snapshot: Snapshot) -> None:
    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.arguments.get("intervention") != "tucatinib":
            return result
        return ToolResult(call.id, call.name, envelope_text(CHANGED["nothing"]))

    turn = await run(QUESTION, snapshot, change)
    section = turn.section("Kinase inhibitors by target")
    row = next(line for line in section.splitlines() if "CHEMBL3989868" in line)
    assert row.endswith("| nothing found in ClinicalTrials.gov |")
    assert "trials of tucatinib" not in turn.section("What could not be looked up")


async def test_an_ambiguous_gene_is_asked_back_with_its_candidates(snapshot: Snapshot) -> None:
    candidates = [
        {"id": "ENSG00000000001", "display_name": "ONE1", "description": "first gene [Source:HGNC]"},
        {"id": "ENSG00000000002", "display_name": "TWO2", "description": "second gene"},
    ]
    data = {"query": "HER2", "matched_as": "ambiguous", "candidates": candidates}

    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.name != "ensembl__lookup_gene":
            return result
        return ToolResult(
            call.id, call.name, envelope_text({"outcome": "data", "data": data, "total": 2, "returned": 2})
        )

    turn = await run(IDENTIFIERS, snapshot, change)
    assert turn.answer.startswith("Which gene do you mean? “HER2” stands for 2 genes in Ensembl:")
    assert "- ONE1 ([ENSG00000000001](https://www.ensembl.org/id/ENSG00000000001)): first gene\n" in turn.answer
    assert len(turn.calls) == 1


@pytest.mark.case("C023")
async def test_a_withdrawn_drug_is_never_shown_without_that_word(snapshot: Snapshot) -> None:
    molecule = {
        "parent_chembl_id": "CHEMBL408",
        "pref_name": "TROGLITAZONE",
        "max_phase_over_forms": 4.0,
        "withdrawn_flag": True,
        "forms": [{"molecule_chembl_id": "CHEMBL408", "pref_name": "TROGLITAZONE", "max_phase": 4.0}],
        "withdrawals": [{"warning_year": None, "warning_country": None, "warning_class": "Hepatotoxicity"}],
    }

    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.name != "chembl__resolve_drug":
            return result
        data = {"query": "troglitazone", "matched_as": "pref_name", "molecules": [molecule]}
        return ToolResult(
            call.id, call.name, envelope_text({"outcome": "data", "data": data, "total": 1, "returned": 1})
        )

    turn = await run("What is troglitazone?", snapshot, change)
    assert "approved (ChEMBL max. phase 4), **withdrawn (Hepatotoxicity)**" in turn.answer


@pytest.mark.case("C027")
async def test_a_synonym_is_resolved_before_the_guideline_database_is_asked(snapshot: Snapshot) -> None:
    molecule = {"parent_chembl_id": "CHEMBL269732", "pref_name": "TACROLIMUS", "forms": []}
    gene = {"query": "CYP3A5", "matched_as": "symbol", "id": "ENSG00000106258", "display_name": "CYP3A5"}
    given = {
        "chembl__resolve_drug": {"query": "FK506", "matched_as": "synonym", "molecules": [molecule]},
        "ensembl__lookup_gene": gene,
    }

    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        if call.name not in given:
            return result
        return ToolResult(call.id, call.name, envelope_text({"outcome": "data", "data": given[call.name]}))

    turn = await run("FK506 dosing and CYP3A5", snapshot, change)
    assert turn.called("chembl__resolve_drug") == [{"drug_name": "FK506"}]
    assert turn.called("clinpgx__search_cpic_pairs") == [{"gene_symbol": "CYP3A5", "drug_name": "tacrolimus"}]
    assert "“FK506” is read as tacrolimus ([CHEMBL269732]" in turn.answer


async def test_several_drugs_of_one_name_are_asked_back(snapshot: Snapshot) -> None:
    molecules = [
        {"parent_chembl_id": "CHEMBL1", "pref_name": "ONE", "forms": []},
        {"parent_chembl_id": "CHEMBL2", "pref_name": "TWO", "forms": []},
    ]

    def change(number: int, call: ToolCall, result: ToolResult) -> ToolResult:
        data = {"query": "imatinib", "matched_as": "synonym", "molecules": molecules}
        return ToolResult(call.id, call.name, envelope_text({"outcome": "data", "data": data}))

    turn = await run("What is imatinib?", snapshot, change)
    assert turn.answer.startswith("Which drug do you mean by “imatinib”? Several drugs carry this name:")
    assert "- one [CHEMBL1](" in turn.answer and "- two [CHEMBL2](" in turn.answer
    assert len(turn.calls) == 1
