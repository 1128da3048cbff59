"""The three classifications of a ClinVar record and their review stars.

Germline, somatic clinical impact and oncogenicity are independent; they are never folded into one.
"""

from typing import Any

Json = Any

STARS = {
    "practice guideline": 4,
    "reviewed by expert panel": 3,
    "criteria provided, multiple submitters, no conflicts": 2,
    "criteria provided, multiple submitters": 2,
    "criteria provided, conflicting classifications": 1,
    "criteria provided, single submitter": 1,
    "no assertion criteria provided": 0,
    "no classification provided": 0,
    "no classification for the single variant": 0,
    "no classification for the individual variant": 0,
}
# Name here: (key of esummary, element of the XML).
KINDS = {
    "germline": ("germline_classification", "GermlineClassification"),
    "somatic_clinical_impact": ("clinical_impact_classification", "SomaticClinicalImpact"),
    "oncogenicity": ("oncogenicity_classification", "OncogenicityClassification"),
}


def classification(description: str | None, review_status: str | None, last_evaluated: str | None) -> Json:
    """Return one classification, or None when nobody made it. Stars of an unknown status are None."""
    if not description:
        return None
    status = review_status or ""
    return {
        "description": description,
        "review_status": status,
        "stars": STARS.get(status),
        "last_evaluated": _date(last_evaluated or ""),
    }


def _date(text: str) -> str | None:
    """Return an ISO date. The year 1 is how the service writes "never"."""
    day = text.partition(" ")[0].replace("/", "-")
    return day if len(day) == 10 and not day.startswith("0001") else None
