"""The words that coded fields accept, in the order in which they are shown."""

from collections.abc import Mapping

PHASES = ("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA")
OPEN = ("RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "AVAILABLE")
CLOSED = (
    "ACTIVE_NOT_RECRUITING",
    "COMPLETED",
    "SUSPENDED",
    "TERMINATED",
    "WITHDRAWN",
    "NO_LONGER_AVAILABLE",
    "TEMPORARILY_NOT_AVAILABLE",
    "APPROVED_FOR_MARKETING",
    "WITHHELD",
    "UNKNOWN",
)
STATUSES = OPEN + CLOSED
STATUS_GROUPS: Mapping[str, tuple[str, ...]] = {"open": OPEN, "closed": CLOSED, "any": STATUSES}
STATUS_WORDS = (*STATUS_GROUPS, *STATUSES)

ARTICLE_TYPES = ("research", "review", "case-report", "meta-analysis", "trial")
ARTICLE_SOURCES = ("pubmed", "pubtator", "europepmc", "biorxiv", "medrxiv")
ARTICLE_SORTS = ("relevance", "date", "citations")
AGE_GROUPS = ("CHILD", "ADULT", "OLDER_ADULT")
SEXES = ("FEMALE", "MALE", "ALL")
STUDY_TYPES = ("INTERVENTIONAL", "OBSERVATIONAL", "EXPANDED_ACCESS")
LINES = ("1l", "2l", "3l+")
SIGNIFICANCES = ("pathogenic", "likely_pathogenic", "uncertain", "likely_benign", "benign", "conflicting")
POPULATIONS = ("afr", "amr", "eas", "eur", "nfe", "fin", "sas", "all")
ASSEMBLIES = ("hg19", "hg38")
CHROMOSOMES = (*(str(number) for number in range(1, 23)), "X", "Y", "MT")
GENE_TYPES = (
    "protein-coding", "pseudo", "ncRNA", "rRNA", "tRNA", "snRNA", "snoRNA", "scRNA", "biological-region", "other",
    "unknown",
)  # fmt: skip
LEVELS = ("1A", "1B", "2A", "2B", "3", "4", "A", "A/B", "B", "B/C", "C", "C/D", "D")

# Other words for a value, as people and other programs write them; keys in the form of `word_key`.
SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "trials.age": {"older": "OLDER_ADULT", "elderly": "OLDER_ADULT", "pediatric": "CHILD", "paediatric": "CHILD"},
    "trials.sex": {"f": "FEMALE", "m": "MALE", "women": "FEMALE", "men": "MALE", "both": "ALL"},
    "trials.line": {"first": "1l", "second": "2l", "third": "3l+", "3l": "3l+", "1": "1l", "2": "2l", "3": "3l+"},
    "variants.significance": {
        "vus": "uncertain",
        "uncertainsignificance": "uncertain",
        "conflictinginterpretations": "conflicting",
        "conflictinginterpretationsofpathogenicity": "conflicting",
    },
    "variants.assembly": {"grch37": "hg19", "grch38": "hg38"},
    "genes.chromosome": {"m": "MT"} | {f"chr{name.lower()}": name for name in CHROMOSOMES},
    "genes.type": {"pseudogene": "pseudo"},
    "articles.source": {"pubtator3": "pubtator", "epmc": "europepmc"},
}


def word_key(word: str) -> str:
    """Return what two spellings of a coded word share: no case, no `_`, `-` or blank."""
    return word.casefold().replace("_", "").replace("-", "").replace(" ", "")
