"""What ClinPGx has on a drug or gene: graded annotations, each with its variant, level and kind of effect."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at

SHOWN = 10
LEVELS = ("1A", "1B", "2A", "2B", "3", "4")


@dataclass(frozen=True)
class Annotation:
    """One clinical annotation."""

    id: str
    variant: str
    genes: tuple[str, ...]
    drugs: tuple[str, ...]
    level: str
    kinds: tuple[str, ...]
    phenotypes: tuple[str, ...]
    url: str = ""

    @property
    def link(self) -> str:
        """The link to the annotation's page."""
        return compose.link("clinpgx_annotation", self.id, f"annotation {self.id}", self.url)

    @property
    def about_dosing(self) -> bool:
        """Whether it says that the variant changes the dose."""
        return any("dos" in kind.casefold() for kind in self.kinds)

    def row(self) -> list[str]:
        """Return its table row."""
        return [
            compose.plain(compose.listed(self.drugs, 3)),
            allele_text(self.variant),
            f"level {self.level}" if self.level else "no level given",
            compose.plain(", ".join(self.kinds)),
            compose.plain(compose.listed(self.phenotypes, 3)),
            self.link,
        ]


HEAD = ("Drug", "Variant", "Evidence", "Effect on", "Phenotype", "Record")


def allele_text(name: str) -> str:
    """Return variant names so that no star in them becomes markup."""
    return f"`{name.replace('`', '')}`" if "*" in name else compose.plain(name)


def annotations_call(drug: str = "", gene: str = "") -> Call:
    """Return the call for the clinical annotations of a drug, a gene, or both."""
    subject = " and ".join(name for name in (gene, drug) if name)
    tool = "clinpgx__search_clinical_annotations"
    return call(tool, "clinical annotations on {}", subject, gene_symbol=gene or None, drug_name=drug or None)


def read_annotations(result: Result) -> list[Annotation]:
    """Return the annotations, strongest evidence first."""
    found = [_annotation(row) for row in result.rows()]
    return sorted((each for each in found if each.id), key=lambda each: _rank(each.level))


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def _annotation(row: Json) -> Annotation:
    return Annotation(
        id=text_at(row, "id"),
        variant=text_at(row, "location.displayName"),
        genes=tuple(text_at(gene, "symbol") for gene in records_at(row, "location.genes")),
        drugs=tuple(text_at(chemical, "name") for chemical in records_at(row, "relatedChemicals")),
        level=text_at(row, "levelOfEvidence.term"),
        kinds=tuple(str(kind) for kind in list_at(row, "types")),
        phenotypes=_phenotypes(row),
        url=text_at(row, "url"),
    )


def _phenotypes(row: Json) -> tuple[str, ...]:
    """Return the phenotypes as listed, else from the record's name, `variant; drug; phenotype (level …)`."""
    listed = tuple(text_at(disease, "name") for disease in records_at(row, "relatedDiseases"))
    named = text_at(row, "name").partition(" (level ")[0].split("; ")[2:]
    return listed or tuple(named)


def by_outcome(asked: Sequence[tuple[str, Result]]) -> tuple[list[str], list[str], list[str]]:
    """Split drugs by what ClinPGx said: with annotations, nothing found, not known because the call failed."""
    having = [name for name, result in asked if result.has_data]
    nothing = [name for name, result in asked if result.is_empty or result.is_unknown]
    failed = [f"{name} ({compose.said(result)})" for name, result in asked if result.is_failed]
    return having, nothing, failed


def section(asked: Sequence[tuple[str, Result]], not_asked: Sequence[str] = ()) -> str:
    """Return the section on annotations: what there is, what there is not, what is not known, what was not asked."""
    _, nothing, failed = by_outcome(asked)
    graded = {each.id: each for _, result in asked for each in read_annotations(result)}
    strongest = sorted(graded.values(), key=lambda each: _rank(each.level))[:SHOWN]
    notes = []
    if len(graded) > SHOWN:
        notes.append(f"Shown are the {SHOWN} of {len(graded)} annotations with the strongest evidence.")
    if graded and not any(each.about_dosing for each in graded.values()):
        notes.append(f"None of {'these' if len(graded) <= SHOWN else 'all these'} is a dosing annotation.")
    if nothing:
        notes.append(f"Nothing found in ClinPGx: {compose.listed(nothing)}. That is a finding, not a gap.")
    if failed:
        notes.append(f"Not known: {compose.listed(failed)}.")
    if not_asked:
        notes.append(f"Not asked: {compose.listed(not_asked)}.")
    when = compose.as_of(result for _, result in asked if result.has_data)
    if when:
        notes.append(f"ClinPGx {when}.")
    table = compose.table(HEAD, [each.row() for each in strongest]) if graded else ""
    return compose.section("Pharmacogenomics in ClinPGx", table, " ".join(notes))
