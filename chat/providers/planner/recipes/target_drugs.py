"""Disease, proteins, kinases, drugs, trials, pharmacogenomics: kinase inhibitors for a biomarker in a disease.

From the disease to its associated proteins, of these to the kinases, from each kinase to its drugs; the
leading inhibitors are followed to their trials and annotations.
"""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts import chembl_drugs
from chat.providers.planner.parts.annotations import annotations_call
from chat.providers.planner.parts.diseases import choose_disease, disease_call, gene_diseases_call
from chat.providers.planner.parts.drug_kinds import Classified, classify
from chat.providers.planner.parts.drugs import Drug, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.genes import gene_call, read_gene
from chat.providers.planner.parts.inhibitor_answer import answer
from chat.providers.planner.parts.inhibitor_search import Found, drugs_to_annotate, first_leads, further_leads
from chat.providers.planner.parts.kinases import Kinase, find_kinases
from chat.providers.planner.parts.stop import refuse_absent_marker
from chat.providers.planner.parts.trials import trials_call
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.shapes import Question

NAMES_SHOWN = 8


def recipe(question: Question) -> Recipe[str]:
    """Answer with inhibitors, trials and annotations for a biomarker in a disease."""
    refuse_absent_marker(question)
    found = yield from _kinases(question)
    yield from _drugs(found)
    yield from _trials(found, first_leads(found))
    yield from _trials(found, further_leads(found))
    yield from _annotations(found)
    return answer(found)


def _kinases(question: Question) -> Recipe[Found]:
    """Resolve gene and disease, and find the kinases among the disease's proteins."""
    why = f"Read the question: resolve “{question.gene}” and “{question.disease}”."
    gene_result, disease_search = yield from ask(why, gene_call(question.gene), disease_call(question.disease))
    gene = read_gene(question.gene, gene_result)
    why = f"{question.gene} is {gene.symbol}. See which disease record its evidence belongs to."
    (gene_diseases,) = yield from ask(why, gene_diseases_call(gene.symbol, gene.ensembl_id))
    disease = choose_disease(question.disease, disease_search, gene_diseases, gene.symbol)
    search = yield from find_kinases(gene, disease)
    # Without an answer on kinases the biomarker's own protein is still worth asking about.
    kinases = search.followed or (Kinase(gene.symbol, gene.ensembl_id, ""),)
    return Found(question, gene, disease, disease_search, search, kinases, {})


def _drugs(found: Found) -> Recipe[None]:
    """Ask for each kinase's drugs; of those that have some, for mechanisms and phases in one call a kinase."""
    symbols = [kinase.symbol for kinase in found.kinases]
    calls = [target_drugs_call(kinase.symbol, kinase.ensembl_id) for kinase in found.kinases]
    results = yield from ask(f"Look for drugs and candidates that act on {compose.listed(symbols)}.", *calls)
    found.lists = dict(zip(symbols, results, strict=True))
    drugs = join_forms(found.lists.items())
    having = [kinase for kinase in found.kinases if kinase.chembl and _leaves_open(found, kinase, drugs)]
    names = compose.listed([kinase.symbol for kinase in having])
    why = f"Ask ChEMBL how these drugs act on {names}, and how far they got."
    results = yield from ask(why, *(chembl_drugs.by_target_call(kinase.symbol, kinase.chembl[0]) for kinase in having))
    found.mechanisms = dict(zip([kinase.symbol for kinase in having], results, strict=True))
    for symbol, listed in found.mechanisms.items():
        chembl_drugs.add_by_target(drugs, symbol, listed)
    found.classified = [classify(drug, set(symbols)) for drug in drugs]


def _leaves_open(found: Found, kinase: Kinase, drugs: Sequence[Drug]) -> bool:
    """Whether ChEMBL's list is worth a call: for the biomarker's protein, and where a stage is not recorded."""
    listed = [drug for drug in drugs if kinase.symbol in drug.targets]
    return bool(listed) and (kinase.symbol == found.gene.symbol or any(drug.level < 0 for drug in listed))


def _trials(found: Found, asked: list[Classified]) -> Recipe[None]:
    """Ask for the trials of inhibitors in the question's condition."""
    drugs = [each.drug for each in asked]
    names = compose.listed([shown(drug.name) for drug in drugs], NAMES_SHOWN)
    why = f"Which of {names} are in trials in {found.condition}?"
    results = yield from ask(why, *(trials_call(shown(drug.name), found.condition) for drug in drugs))
    found.asked += asked
    found.trials |= dict(zip([drug.chembl_id for drug in drugs], results, strict=True))


def _annotations(found: Found) -> Recipe[None]:
    """Ask for the pharmacogenomic annotations of the leading drugs."""
    drugs = [each.drug for each in drugs_to_annotate(found)]
    names = compose.listed([shown(drug.name) for drug in drugs])
    why = f"Look for pharmacogenomic annotations on {names}."
    results = yield from ask(why, *(annotations_call(drug=shown(drug.name)) for drug in drugs))
    found.annotations = dict(zip([drug.chembl_id for drug in drugs], results, strict=True))
