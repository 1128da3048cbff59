"""What the planner says when it has no recipe: what it can do, and how to get more. It calls no tool."""

from chat.providers.planner import compose
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.shapes import Question

SHAPES = (
    "drugs, trials and pharmacogenomics for a biomarker in a disease: “Which kinase inhibitors in clinical trials "
    "target proteins linked to HER2-positive breast cancer, and what pharmacogenomic variants affect their dosing?”",
    "one variant: “BRAF V600E in melanoma: which drugs target it, what does ClinVar say, which trials are open?”",
    "a drug and a pharmacogene: “How do CYP2C19 star alleles change the response to clopidogrel?”",
    "a mutated gene in a disease, with a resistance variant: “EGFR-mutant non-small-cell lung cancer: how does "
    "osimertinib act on T790M?”",
    "pathways of a gene and drugs on their members: “Which Reactome pathways contain TP53, and which approved drugs "
    "target their members?”",
    "identifiers of a gene: “What are the Ensembl, UniProt and ChEMBL identifiers of HER2?”",
    "the gene of a disease: “Which gene causes Holt-Oram syndrome, with cytoband, UniProt accession and length?”",
    "codes of a disease: “What are the MONDO, OMIM and ICD-10 codes of Marfan syndrome?”",
    "names and numbers of a variant: “BRAF V600E: rsID, ClinVar VariationID, HGVS and position on GRCh38?”",
    "star alleles by their definition: “Which rsIDs define TPMT*3A?”, and levels of CPIC: “Which drugs does CPIC have "
    "at level A for CYP2D6?”",
    "drugs on record against genes: “Which kinase inhibitors are listed against both EGFR and ERBB2?”",
    "names and numbers of a drug: “Imatinib: InChIKey, salts, and when was it first approved?”",
    "one record by its number: a trial (“Can someone still join NCT02576665?”), a paper (“Is there a free full text of "
    "PMID 22663011?”), a pathway (“What is R-HSA-5673001?”)",
    "a short dossier of one gene, drug or disease: “What is imatinib?”",
)


def recipe(question: Question) -> Recipe[str]:
    """Say what the planner can do."""
    yield from ask("")
    return compose.document(
        "This question cannot be answered here: the recipe planner, which is no language model, has no recipe for it. "
        "Nothing was looked up.",
        "It reads each question by itself, and answers these shapes, with any gene, drug, disease or variant in them:",
        compose.bullets(SHAPES),
        "For free questions choose a language model for the session. If none can be chosen, its service's key (such as "
        "`ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`) is missing from the environment of the server: set "
        "it and restart.",
    )
