"""The questions that an empty page offers: real ones, each with the databases it touches."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A question to begin with."""

    task: str
    question: str
    databases: tuple[str, ...]


EXAMPLES = (
    Example(
        "Targets, drugs, trials, dosing",
        "Which kinase inhibitors in clinical trials target proteins linked to HER2-positive breast cancer, "
        "and what pharmacogenomic variants affect their dosing?",
        ("Open Targets", "ChEMBL", "ClinicalTrials.gov", "ClinPGx", "PubMed"),
    ),
    Example(
        "One variant, everything about it",
        "BRAF V600E in melanoma: which drugs target it, what does ClinVar say, which trials are open, "
        "and what is the key literature?",
        ("ClinVar", "ChEMBL", "ClinicalTrials.gov", "PubMed"),
    ),
    Example(
        "Pharmacogenomics",
        "How do CYP2C19 star alleles change the response to clopidogrel, and what does the CPIC guideline recommend?",
        ("ClinPGx", "CPIC", "dbSNP", "PubMed"),
    ),
    Example(
        "Resistance to a drug",
        "EGFR-mutant non-small-cell lung cancer: how does osimertinib act on T790M, "
        "and which trials test what comes next?",
        ("Open Targets", "ChEMBL", "ClinicalTrials.gov", "ClinVar"),
    ),
    Example(
        "Pathways",
        "Which Reactome pathways contain TP53, and which approved drugs target their members?",
        ("Reactome", "UniProt", "ChEMBL"),
    ),
    Example(
        "Identifiers",
        "What are the Ensembl, UniProt and ChEMBL identifiers of HER2?",
        ("Ensembl", "UniProt", "ChEMBL"),
    ),
)
