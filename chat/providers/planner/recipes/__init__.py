"""The recipes, one module a shape of question, and which one answers what."""

from collections.abc import Callable

from chat.providers.planner.parts.stop import AnswerNow
from chat.providers.planner.recipes import (
    cpic_level,
    damaged_cells,
    disease_codes,
    disease_genes,
    dossiers,
    drug_card,
    drugs_on_genes,
    gene_in_disease,
    identifiers,
    paper,
    pathway_record,
    pathways,
    pharmacogenomics,
    star_alleles,
    target_drugs,
    trial,
    unsupported,
    variant,
    variant_card,
)
from chat.providers.planner.replay import Recipe
from chat.providers.planner.shapes import Question, Shape

RECIPES: dict[Shape, Callable[[Question], Recipe[str]]] = {
    Shape.TARGET_DRUGS: target_drugs.recipe,
    Shape.GENE_IN_DISEASE: gene_in_disease.recipe,
    Shape.VARIANT: variant.recipe,
    Shape.PHARMACOGENOMICS: pharmacogenomics.recipe,
    Shape.PATHWAYS: pathways.recipe,
    Shape.TRIAL: trial.recipe,
    Shape.PAPER: paper.recipe,
    Shape.PATHWAY_RECORD: pathway_record.recipe,
    Shape.STAR_ALLELES: star_alleles.recipe,
    Shape.CPIC_LEVEL: cpic_level.recipe,
    Shape.DRUGS_ON_GENES: drugs_on_genes.recipe,
    Shape.DISEASE_CODES: disease_codes.recipe,
    Shape.VARIANT_CARD: variant_card.recipe,
    Shape.DRUG_CARD: drug_card.recipe,
    Shape.IDENTIFIERS: identifiers.recipe,
    Shape.DISEASE_GENES: disease_genes.recipe,
    Shape.GENE: dossiers.gene,
    Shape.DRUG: dossiers.drug,
    Shape.DISEASE: dossiers.disease,
    Shape.DAMAGED_CELLS: damaged_cells.recipe,
    Shape.UNSUPPORTED: unsupported.recipe,
}


def recipe_for(question: Question) -> Recipe[str]:
    """Run the recipe of a question; one that cannot go on ends with the answer that says why."""
    try:
        return (yield from RECIPES[question.shape](question))
    except AnswerNow as end:
        return end.answer
