"""A question as read, and which shape it has: the first that fits, from the most to the least particular."""

from dataclasses import dataclass
from enum import StrEnum

from chat.providers.planner import wording


class Shape(StrEnum):
    """The kinds of questions that a recipe exists for, and the rest."""

    TARGET_DRUGS = "target_drugs"
    GENE_IN_DISEASE = "gene_in_disease"
    VARIANT = "variant"
    VARIANT_CARD = "variant_card"
    PHARMACOGENOMICS = "pharmacogenomics"
    PATHWAYS = "pathways"
    IDENTIFIERS = "identifiers"
    DISEASE_GENES = "disease_genes"
    DISEASE_CODES = "disease_codes"
    TRIAL = "trial"
    PAPER = "paper"
    PATHWAY_RECORD = "pathway_record"
    STAR_ALLELES = "star_alleles"
    CPIC_LEVEL = "cpic_level"
    DRUGS_ON_GENES = "drugs_on_genes"
    GENE = "gene"
    DRUG = "drug"
    DRUG_CARD = "drug_card"
    DISEASE = "disease"
    DAMAGED_CELLS = "damaged_cells"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class Question:
    """A question as read. Names are in the order of the text; `identifiers` maps a kind to its values."""

    text: str
    shape: Shape
    genes: tuple[str, ...] = ()
    diseases: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    alleles: tuple[str, ...] = ()
    identifiers: tuple[tuple[str, str], ...] = ()
    marker: str = ""
    tasks: frozenset[str] = frozenset()
    damaged_cells: tuple[str, ...] = ()
    # Genes that the question sets aside: "apart from VKORC1".
    excluded: tuple[str, ...] = ()
    # Alleles without their gene: "*2".
    bare_alleles: tuple[str, ...] = ()
    # Numbers of the forms of a disease that the question names: "type 1".
    types: tuple[str, ...] = ()

    @property
    def gene(self) -> str:
        """The gene that the question is about, or an empty string."""
        return self.genes[0] if self.genes else ""

    @property
    def disease(self) -> str:
        """The disease that the question is about, or an empty string."""
        return self.diseases[0] if self.diseases else ""

    @property
    def wants_open_trials(self) -> bool:
        """Whether the question asks for trials that people can still join."""
        return "open_trials" in self.tasks

    def identifier(self, kind: str) -> str:
        """Return the first identifier of a kind, or an empty string."""
        return next(iter(self.identified(kind)), "")

    def identified(self, kind: str) -> tuple[str, ...]:
        """Return all identifiers of a kind, each once."""
        return tuple(dict.fromkeys(value for name, value in self.identifiers if name == kind))


# What a question about records of a gene or disease does not ask for.
_OF_DRUGS = {"drugs", "kinase_inhibitors", "trials", "pharmacogenomics", "resistance"}


def shape_of(question: Question) -> Shape:
    """Return the shape of a question."""
    return next((shape for shape, fits in _TESTS if fits(question)), Shape.UNSUPPORTED)


def _about_identifiers(question: Question) -> bool:
    others = question.tasks & (_OF_DRUGS - {"drugs"} | {"variant", "guideline"})
    named = bool(question.gene or question.identifier("ensembl"))
    asked = question.tasks & {"identifiers", "protein"}
    if not question.gene and not asked & {"protein"}:
        return False
    others |= {"drugs"} & question.tasks if question.disease else set()
    return named and bool(asked) and not others and not question.variants and not question.drugs


def _about_disease_genes(question: Question) -> bool:
    """Whether the question looks for the gene of a disease, or of an odd response to a drug."""
    others = question.tasks & (_OF_DRUGS - {"drugs"})
    if "drug_response" in question.tasks:
        others -= {"pharmacogenomics"}
    if question.gene or question.variants or "genes" not in question.tasks or others:
        return False
    wanted = question.tasks & {"causal", "cytoband", "protein", "identifiers"}
    if question.drugs:
        return "drug_response" in question.tasks and bool(wanted)
    return bool(question.disease and wanted) and "drugs" not in question.tasks


def _about_disease_codes(question: Question) -> bool:
    plain = not (question.gene or question.drugs or question.variants)
    return bool(question.disease) and "codes" in question.tasks and plain


def _about_drugs_on_genes(question: Question) -> bool:
    """Whether the question wants a gene's list of drugs sifted: by names, by a second gene, by kind, or "itself"."""
    if not question.gene or question.variants or question.tasks & {"trials", "pharmacogenomics", "resistance"}:
        return False
    of_list = "drugs" in question.tasks or "against" in question.tasks or bool(question.drugs)
    sifted = (len(question.drugs) > 1 and not question.disease) or (
        "drugs" in question.tasks
        and ("both" in question.tasks or "binds" in question.tasks or {"modalities", "identifiers"} <= question.tasks)
    )
    return of_list and sifted


def _about_target_drugs(question: Question) -> bool:
    inhibitors = "kinase_inhibitors" in question.tasks and "resistance" not in question.tasks
    return bool(question.gene and question.disease) and inhibitors and not question.variants


def _about_gene_in_disease(question: Question) -> bool:
    mutated = question.marker.startswith(wording.MUTATED_STATES) or "resistance" in question.tasks
    drugs = question.tasks & {"kinase_inhibitors", "drugs", "trials", "pharmacogenomics"} and not question.variants
    return bool(question.gene and question.disease and (mutated or drugs))


def _about_variant_card(question: Question) -> bool:
    """Whether a variant's names, numbers and records are asked for, and nothing of drugs, trials or papers."""
    place = any(variant.startswith("chr") for variant in question.variants)
    asked = question.tasks & {"definition", "identifiers", "protein", "records"} or place
    others = question.tasks & (_OF_DRUGS - {"pharmacogenomics"} | {"literature", "open_trials"})
    return bool(question.variants and asked) and not others and not question.drugs


def _about_star_alleles(question: Question) -> bool:
    named = bool(question.alleles)
    return named and (not question.drugs or "definition" in question.tasks)


def _about_pharmacogenomics(question: Question) -> bool:
    return bool(question.gene and question.drugs) and not question.disease


def _about_guideline(question: Question) -> bool:
    """Whether a gene and a drug are asked about with their guideline, whatever else is named."""
    return bool(question.gene and question.drugs) and "guideline" in question.tasks and bool(question.alleles)


def _about_cpic_level(question: Question) -> bool:
    return bool(question.gene or question.drugs) and {"cpic", "level"} <= question.tasks


_TESTS = (
    (Shape.DAMAGED_CELLS, lambda q: bool(q.damaged_cells)),
    (Shape.TRIAL, lambda q: bool(q.identifier("nct"))),
    (Shape.PHARMACOGENOMICS, lambda q: _about_guideline(q) and bool(q.identifier("pmid"))),
    (Shape.PAPER, lambda q: bool(q.identifier("pmid"))),
    (Shape.PATHWAY_RECORD, lambda q: bool(q.identifier("reactome"))),
    (Shape.CPIC_LEVEL, _about_cpic_level),
    (Shape.STAR_ALLELES, _about_star_alleles),
    (Shape.VARIANT_CARD, _about_variant_card),
    (Shape.IDENTIFIERS, _about_identifiers),
    (Shape.DISEASE_CODES, _about_disease_codes),
    (Shape.DISEASE_GENES, _about_disease_genes),
    (Shape.DRUGS_ON_GENES, _about_drugs_on_genes),
    (Shape.TARGET_DRUGS, _about_target_drugs),
    (Shape.GENE_IN_DISEASE, _about_gene_in_disease),
    (Shape.VARIANT, lambda q: bool(q.variants)),
    (Shape.PATHWAYS, lambda q: bool(q.gene) and "pathways" in q.tasks),
    (Shape.PHARMACOGENOMICS, _about_pharmacogenomics),
    (Shape.DRUG_CARD, lambda q: len(q.drugs) == 1 and "drug_facts" in q.tasks),
    (Shape.DRUG, lambda q: bool(q.drugs or q.identifier("chembl"))),
    (Shape.GENE, lambda q: bool(q.gene or q.identifier("ensembl"))),
    (Shape.DISEASE, lambda q: bool(q.disease)),
)
