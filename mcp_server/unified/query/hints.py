"""What plain words probably mean, for a remark only: nothing is searched by these guesses."""

import re

from mcp_server.unified.query.spelling import written

_SYMBOL = re.compile(r"(?=[A-Z0-9-]*[A-Z])[A-Z][A-Z0-9-]{1,9}")
_CHANGE = re.compile(r"(?:p\.)?[ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWY*]|rs\d{3,}")
_NO_SYMBOLS = {"DNA", "RNA", "PCR", "MRI", "CT", "FDA", "EMA", "USA", "UK", "EU", "WHO", "II", "III", "IV", "VS"}
_DISEASE_ABBREVIATIONS = {
    "NSCLC", "SCLC", "AML", "CML", "CLL", "ALL", "MDS", "HCC", "CRC", "GBM", "RCC", "DLBCL", "GIST", "TNBC", "PDAC",
    "COPD", "ALS", "IBD", "SLE", "NASH", "AMD", "ADHD", "PTSD", "T2D", "T1D", "MS", "HIV", "COVID-19",
}  # fmt: skip
_DISEASE = re.compile(
    r".*(?:oma|omas|itis|emia|aemia|osis|opathy|trophy|plasia)|diabetes|asthma|epilepsy|obesity|schizophrenia"
    r"|cancers?|carcinomas?|tumou?rs?|disease|syndrome|disorder|deficiency|anemia|dementia|fibrosis|hypertension",
    re.IGNORECASE,
)
# These need the words before them: lung cancer, Crohn's disease.
_HEAD = re.compile(r"cancers?|carcinomas?|tumou?rs?|disease|syndrome|disorder|deficiency", re.IGNORECASE)
_DRUG = re.compile(r".{3,}(?:nib|mab|parib|ciclib|statin|platin|taxel|rubicin|sertib|rafenib|gliptin|gliflozin)", re.I)
_STOP = {"in", "of", "and", "the", "with", "for", "to", "on", "a", "an", "after", "by", "versus", "vs", "from", "or"}
# These stand beside the name of a disease and are no part of it.
_TOPIC = re.compile(
    r"resistan\w+|treat\w+|therap\w+|surviv\w+|progno\w+|mutat\w+|inhibit\w+|risk|respon\w+|express\w+|outcome\w*"
    r"|patient\w*|trial\w*|gene\w*|variant\w*|biomarker\w*|screening|advanced|metastatic",
    re.IGNORECASE,
)
_NAME_WORDS_MAX = 3


def suggested(text: str) -> str:
    """Return plain words as a query with fields, or an empty string if none can be guessed."""
    parts: list[str] = []
    rest: list[str] = []
    for word in text.split():
        field = _field(word)
        if field == "disease" and _HEAD.fullmatch(word):
            before = _words_before(rest)
            rest = rest[: len(rest) - len(before)]
            parts.append(f"disease:{written(' '.join([*before, word]))}")
        elif field:
            parts.append(f"{field}:{written(word)}")
            rest.append("")
        else:
            rest.append("" if word.lower() in _STOP else word)
    if not parts:
        return ""
    words = " ".join(word for word in rest if word)
    return " AND ".join([" ".join(parts), *([words] if words else [])])


def _field(word: str) -> str:
    if _CHANGE.fullmatch(word):
        return "variant"
    if word in _DISEASE_ABBREVIATIONS or _DISEASE.fullmatch(word):
        return "disease"
    if _DRUG.fullmatch(word):
        return "drug"
    return "gene" if _SYMBOL.fullmatch(word) and word not in _NO_SYMBOLS else ""


def _words_before(rest: list[str]) -> list[str]:
    """Return the words at the end that belong to the name of a disease; a blank one parts them from the others."""
    taken: list[str] = []
    for word in reversed(rest[-_NAME_WORDS_MAX:]):
        if not word or _TOPIC.fullmatch(word):
            break
        taken.insert(0, word)
    return taken
