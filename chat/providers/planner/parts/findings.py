"""What ClinPGx's curators found in one paper: each finding's sentence, its sense, and the study's numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.annotations import annotations_call, read_annotations
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Json, Result, call, records_at, text_at

PAGE = "https://www.clinpgx.org/variantAnnotation/{id}"
LISTED = 200
GENES_ASKED = 4
FINDINGS_READ = 10
# What a study's numbers are called in the annotation's record, with words for people.
_NUMBERS = {
    "studyType": "study",
    "studyCases": "cases",
    "studyControls": "controls",
    "pValue": "p",
    "biogeographicalGroups": "group",
    "characteristics": "",
}
# A direction of the dose that a sentence speaks of, in words.
_DIRECTIONS = (("decreased dose", "lower"), ("increased dose", "higher"))


@dataclass(frozen=True)
class Finding:
    """One finding: on which variant and gene, in which words, and whether the paper found it."""

    id: str
    variant: str
    genes: tuple[str, ...]
    sentence: str
    significance: str
    record: Result | None = None

    @property
    def link(self) -> str:
        """The linked annotation."""
        return compose.link("clinpgx_variant_annotation", self.id, f"annotation {self.id}", PAGE.format(id=self.id))

    @property
    def outcome(self) -> str:
        """What the paper says of its result, in words."""
        return {"yes": "associated", "no": "not associated"}.get(self.significance.casefold(), "outcome not stated")

    @property
    def direction(self) -> str:
        """Whether the dose was lower or higher, where the sentence speaks of a dose and the paper found it."""
        said = self.sentence.casefold() if self.significance.casefold() == "yes" else ""
        return next((word for phrase, word in _DIRECTIONS if phrase in said), "")


def genes_of_drug(drug: str) -> Recipe[tuple[str, ...]]:
    """Return the genes that ClinPGx has graded evidence on for a drug, the strongest first."""
    (graded,) = yield from ask(f"Which genes change the response to {drug}?", annotations_call(drug=drug))
    genes = [gene for each in read_annotations(graded) for gene in each.genes]
    return tuple(dict.fromkeys(genes))


def findings_call(gene: str, drug: str, variant: str = "") -> Call:
    """Return the call for the findings on a gene or a variant, with a drug."""
    tool = "clinpgx__search_variant_annotations"
    if variant:
        topic = f"findings of papers on the variant that the question names and {drug}"
        return call(tool, topic, variant=variant, drug_name=drug, limit=LISTED)
    return call(tool, f"findings of papers on {{}} and {drug}", gene, gene_symbol=gene, drug_name=drug, limit=LISTED)


def read_paper(
    pmid: str, genes: Sequence[str], drug: str, variants: Sequence[str] = ()
) -> Recipe[tuple[list[Finding], tuple[Result, ...]]]:
    """Return the findings from one paper with the study's numbers, and the searches they were sifted from."""
    asked = [findings_call("", drug, variant) for variant in variants[:GENES_ASKED]]
    asked = asked or [findings_call(gene, drug) for gene in genes[:GENES_ASKED]]
    searches = yield from ask(f"Look for what ClinPGx curated from PMID {pmid}.", *asked)
    rows: dict[str, dict[str, Json]] = {}
    for search in searches:
        for row in search.rows():
            if pmid in [text_at(paper, "pmid") for paper in records_at(row, "papers")]:
                rows.setdefault(text_at(row, "id"), row)
    chosen = dict(list(rows.items())[:FINDINGS_READ])
    tool, topic = "clinpgx__get_annotation", "the study's numbers of annotation {}"
    calls = [call(tool, topic, id, annotation_id=id, kind="variant") for id in chosen]
    records = yield from ask("Read the numbers of these findings.", *calls)
    found = [_finding(row, record) for row, record in zip(chosen.values(), records, strict=True)]
    return found, searches


def _finding(row: Json, record: Result) -> Finding:
    genes = tuple(text_at(gene, "symbol") for gene in records_at(row, "location.genes"))
    return Finding(
        text_at(row, "id"),
        text_at(row, "location.displayName"),
        tuple(filter(None, genes)),
        text_at(row, "sentence"),
        text_at(row, "significance") or "not stated",
        record,
    )


def section(found: Sequence[Finding], searches: Sequence[Result], places: Sequence[str] = ()) -> str:
    """Return the section on the findings of a paper, or why there is none."""
    title = "What ClinPGx curated from this paper"
    if not found:
        if not searches:
            return ""
        reasons = [f"{compose.plain(each.call.about)}: {compose.said(each)}" for each in searches if not each.has_data]
        nothing = compose.listed(reasons) or "none of the findings that were read is from this paper"
        return compose.section(title, f"{nothing}.")
    items = [_line(each) for each in found]
    return compose.section(title, directions(found), compose.bullets(items), compose.bullets(places))


def directions(found: Sequence[Finding]) -> str:
    """Return in which direction the dose went, by gene: "VKORC1 lower; CYP4F2 higher"."""
    said = {gene: each.direction for each in found if each.direction for gene in each.genes[:1]}
    return f"Dose with the variant allele: {'; '.join(f'{gene} {way}' for gene, way in said.items())}." if said else ""


def _line(found: Finding) -> str:
    """Return a finding with its study's numbers below it."""
    genes = compose.listed(list(map(compose.plain, found.genes)))
    variant = ", ".join(_variant_link(name.strip()) for name in found.variant.split(","))
    sentence = compose.plain(found.sentence.rstrip(" ."))
    line = f"**{genes} {variant}**, {found.outcome}: {sentence} ({found.link})."
    rows = records_at(found.record.data, "studyParameters") if found.record and found.record.has_data else []
    return line + "".join(f"\n    - {compose.plain(_numbers(row))}." for row in rows)


def _variant_link(name: str) -> str:
    return compose.link("rsid", name) if name.startswith("rs") else f"`{name}`"


def _numbers(row: Json) -> str:
    """Return the numbers of one comparison: "51 cases, 135 controls, OR 580.3 (…), p = …"."""
    ratio = " ".join(filter(None, (text_at(row, "ratioStatType"), text_at(row, "ratioStat"))))
    low, high = text_at(row, "confidenceIntervalStart"), text_at(row, "confidenceIntervalStop")
    interval = f" ({low}-{high})" if low and high else ""
    facts = [f"{ratio}{interval}"] if text_at(row, "ratioStat") else []
    for name, words in _NUMBERS.items():
        value = re.sub(r"\.0$", "", text_at(row, name)).rstrip(".")
        if value and value != "Unknown":
            facts.append(f"{value} {words}" if words in ("cases", "controls") else f"{words} {value}".strip())
    return "; ".join(facts)


def rsids(found: Sequence[Finding]) -> list[str]:
    """Return the rsIDs that the findings are about, each once."""
    return list(dict.fromkeys(name for each in found for name in re.findall(r"rs\d+", each.variant)))
